"""Has independent engines parse, verify and run the modules that the tests emit, and compares what they answer.

    python tests/stablehlo/check.py [--engines parser,interpreter,xla,iree] [--random N] [--stride N] [--update]

The modules are those of the golden graphs and emissions, one of each operation, the hard inputs of the maps, and random programs, over
every element and both numerics; the Go tests write them with the interpreter's own results. What each engine must do is said in
judge.py. topos/STABLEHLO.md says what is accepted and how to run a module: a difference fails, unless --update writes it anew.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import judge
import report
import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "build" / "stablehlo" / "modules"
PAGE = ROOT / "topos" / "STABLEHLO.md"
# In the order in which the tables name them, and the package of each.
ENGINES = {"parser": "jaxlib", "interpreter": "jaxlib", "xla": "jaxlib", "iree": "iree.compiler"}
# What compiles slowly takes one of so many golden and random modules: the strides are multiplied by these.
SLOW = {"xla": (1, 4), "iree": (4, 32)}


def written(programs):
    """Has the Go tests write the modules, and reads them. Of modules that say the same one is kept."""
    MODULES.mkdir(parents=True, exist_ok=True)
    for old in MODULES.glob("*.jsonl"):
        old.unlink()
    command = ["go", "test", "./topos", "-count=1", "-run=^TestWrite", f"-write-programs={MODULES}", f"-random={programs}"]
    subprocess.run(command, cwd=ROOT, check=True, stdin=subprocess.DEVNULL, env=os.environ | {"CGO_ENABLED": "0"})
    modules = {}
    for path in sorted(MODULES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            module = json.loads(line)
            key = json.dumps([module["numerics"], module["module"], module["arguments"], module["results"]])
            modules.setdefault(key, module)
    return list(modules.values())


def given(engine, modules, stride):
    """What an engine runs: all, but one module where it is known to lack something, and a share where it compiles slowly."""
    golden, random = (stride * factor for factor in SLOW.get(engine, (0, 0)))
    seen, counts, chosen = set(), collections.Counter(), []
    for module in modules:
        suite, key = judge.suite(module), (judge.lacks(engine, module), judge.element(module))
        if key[0] and (key in seen or suite != "operation"):
            continue
        seen.add(key)
        share = {"operation": 1, "hard": 1, "random": random}.get(suite, golden) or 1
        group = (suite, judge.element(module), judge.tame(module))
        if counts[group] % share == 0:
            chosen.append(module)
        counts[group] += 1
    return chosen


def ask(engine, modules):
    start = time.monotonic()
    answers, processes = runs.run(engine, modules)
    print(f"   {engine}: {len(modules)} modules in {time.monotonic() - start:.0f} s, {processes} processes", flush=True)
    return [judge.Verdict(engine, module, answer) for module, answer in zip(modules, answers, strict=True)]


def installed(engines):
    missing = [e for e in engines if subprocess.run([sys.executable, "-c", f"import {ENGINES[e]}"], capture_output=True, check=False).returncode]
    for engine in missing:
        print(f"WARNING: {engine} is not installed: {ENGINES[engine]} is missing")
    return [e for e in engines if e not in missing]


def commands():
    """Runs the commands that the page gives; each engine must print the walkthrough's loss."""
    script = re.search(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    done = subprocess.run(["sh", "-eu"], input=script, cwd=ROOT, check=False, text=True, capture_output=True)
    losses = re.findall(r"f32 ?\[?\]?=? ?0\.83054", done.stdout)
    if done.returncode or len(losses) != 3:
        return [f"the commands of {PAGE.name} end with {done.returncode}: {done.stdout[-1500:]} {done.stderr[-1500:]}"]
    return []


def control(verdicts):
    """What a run must not pass: of each engine one answer with its leading bits changed, and of the exact one with its last."""
    faults = []
    for engine in dict.fromkeys(v.engine for v in verdicts if v.engine != "parser"):
        for flip in [1, None] if engine == "interpreter" else [None]:
            of = next(v for v in verdicts if v.engine == engine and v.module["name"] == "operation/Add/f32")
            result = of.module["results"][0]
            bits = [f"{int(result['bits'][0], 16) ^ (flip or 0x00800000):08x}", *result["bits"][1:]]
            wrong = judge.Verdict(engine, of.module, {"results": [result | {"bits": bits}]})
            if not wrong.fault():
                faults.append(f"{engine}: a wrong answer passes")
    return faults


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engines", default=",".join(ENGINES))
    options.add_argument("--random", type=int, default=300, help="how many random programs of each element")
    options.add_argument("--stride", type=int, default=1, help="XLA and IREE, which compile slowly, run a share of the modules that is smaller by this")
    options.add_argument("--update", action="store_true", help="write topos/STABLEHLO.md anew")
    chosen = options.parse_args()
    engines = installed(chosen.engines.split(","))
    modules = written(chosen.random)
    counts = collections.Counter(judge.suite(m) for m in modules)
    print("== modules:", ", ".join(f"{n} {name}" for name, n in counts.items()), flush=True)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        # The slowest first.
        jobs = {e: pool.submit(ask, e, given(e, modules, chosen.stride)) for e in reversed(engines)}
        verdicts = [v for e in engines for v in jobs[e].result()]
    report.summary(verdicts)
    faults = [f for v in verdicts if (f := v.fault())] + judge.missing(verdicts) + control(verdicts)
    complaint = report.document(verdicts, PAGE, chosen.update)
    if "iree" in engines:
        faults += commands()
    for fault in (faults + complaint)[:50]:
        print("FAULT", fault)
    print(f"stablehlo: {len(verdicts)} runs of {len(modules)} modules, {len(faults + complaint)} faults")
    return 1 if faults or complaint else 0


if __name__ == "__main__":
    sys.exit(main())
