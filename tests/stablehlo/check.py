"""Has independent engines parse, verify and run the modules that the tests emit, and compares what they answer.

    python tests/stablehlo/check.py [--engines parser,interpreter,xla,iree] [--random N] [--stride N] [--update]

The modules are those of the golden graphs and emissions, one of each operation, the hard inputs of the maps, and random programs, over
every element and both numerics; the Go tests write them with the interpreter's own results. What each engine must do is said in
judge.py. Some are given a fault on purpose, which must be found. topos/STABLEHLO.md says what is accepted and how to run a module: a
difference fails, unless --update writes it anew.
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

import controls
import judge
import report
import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "build" / "stablehlo" / "modules"
PAGE = ROOT / "topos" / "STABLEHLO.md"
# In the order in which the tables name them, and the package of each.
ENGINES = {"parser": "jaxlib", "interpreter": "jaxlib", "xla": "jax", "iree": "iree.compiler"}
# XLA takes 50 to 900 ms of processor time to compile a module, and IREE 500 to 3000: they get one of so many modules of a golden graph,
# and of the random ones. Odd, since these alternate between a program and its derivative.
SHARES = {"xla": (1, 9), "iree": (6, 63)}
# How many modules are given to a process at once, some 20 s of work.
PARTS = {"parser": 800, "interpreter": 1200, "xla": 60, "iree": 30}


def write(programs):
    """Has the Go tests write the modules."""
    MODULES.mkdir(parents=True, exist_ok=True)
    for old in MODULES.glob("*.jsonl"):
        old.unlink()
    command = ["go", "test", "./topos", "-count=1", "-run=^TestWrite", f"-write-programs={MODULES}", f"-random={programs}"]
    subprocess.run(command, cwd=ROOT, check=True, stdin=subprocess.DEVNULL, env=os.environ | {"CGO_ENABLED": "0"})


def read():
    """The modules; of those that say the same one is kept."""
    modules = {}
    for path in sorted(MODULES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            module = json.loads(line)
            key = json.dumps([module["numerics"], module["module"], module["arguments"], module["results"]])
            modules.setdefault(key, module)
    return list(modules.values())


def given(engine, modules, stride):
    """What an engine runs: of texts that it runs alike one, of what it is known to lack one, and a share where it compiles slowly."""
    golden, random = (share * stride for share in SHARES.get(engine, (0, 0)))
    texts, lacking, counts, chosen = set(), set(), collections.Counter(), []
    for module in modules:
        suite, element = judge.suite(module), judge.element(module)
        text = (module["module"], json.dumps(module["arguments"]))
        lacks = (judge.lacks(engine, module), element)
        if engine != "interpreter" and text in texts or lacks[0] and (lacks in lacking or suite != "operation"):
            continue
        texts.add(text)
        lacking.add(lacks)
        share = {"operation": 1, "hard": 1, "random": random}.get(suite, golden) or 1
        group = (suite, element, judge.tame(module)) if suite == "random" else (suite, judge.operation(module))
        if counts[group] % share == 0:
            chosen.append(module)
        counts[group] += 1
    return chosen + controls.made(engine, modules)


def verdicts_of(engine, modules):
    start = time.monotonic()
    answers, processes = runs.run(engine, modules)
    verdicts = [judge.Verdict(engine, module, answer) for module, answer in zip(modules, answers, strict=True)]
    return verdicts, f"{time.monotonic() - start:.0f} s" + (f", {processes} processes" if processes > 1 else "")


def ask(engines, modules, stride):
    """Every verdict, in the order of engines and modules. As many processes run as there are processors, the slowest engines first."""
    lists = {e: given(e, modules, stride) for e in engines}
    print("== given:", ", ".join(f"{len(lists[e])} to {e}" for e in engines), flush=True)
    jobs, left = {}, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for engine in reversed(engines):
            for at in range(0, len(lists[engine]), PARTS[engine]):
                part = lists[engine][at : at + PARTS[engine]]
                jobs[pool.submit(verdicts_of, engine, part)] = (engines.index(engine), at)
                left[engine] += len(part)
        for job in concurrent.futures.as_completed(jobs):
            verdicts, took = job.result()
            engine = verdicts[0].engine
            left[engine] -= len(verdicts)
            print(f"   {engine}: {len(verdicts)} modules in {took}, {left[engine]} left", flush=True)
    return [v for job in sorted(jobs, key=jobs.get) for v in job.result()[0]]


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


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engines", default=",".join(ENGINES))
    options.add_argument("--random", type=int, default=300, help="how many random programs of each element")
    options.add_argument("--kept", action="store_true", help=f"take the modules that lie in {MODULES.relative_to(ROOT)}")
    options.add_argument("--stride", type=int, default=1, help="XLA and IREE, which compile slowly, run a share of the modules that is smaller by this")
    options.add_argument("--update", action="store_true", help="write topos/STABLEHLO.md anew")
    chosen = options.parse_args()
    engines = installed(chosen.engines.split(","))
    start = time.monotonic()
    if not chosen.kept:
        write(chosen.random)
    modules = read()
    counts = collections.Counter(judge.suite(m) for m in modules)
    print(f"== modules, after {time.monotonic() - start:.0f} s:", ", ".join(f"{n} {name}" for name, n in counts.items()), flush=True)
    verdicts = ask(engines, modules, chosen.stride)
    wrong = [v for v in verdicts if controls.control(v)]
    verdicts = [v for v in verdicts if not controls.control(v)]
    wrong += [v for e in engines for v in controls.answers(e, verdicts)]
    report.summary(verdicts)
    faults = [f for v in verdicts if (f := v.fault())] + judge.missing(verdicts) + controls.unnoticed(wrong)
    complaint = report.document(verdicts, PAGE, chosen.update)
    if "iree" in engines:
        faults += commands()
    for fault in (faults + complaint)[:50]:
        print("FAULT", fault)
    print(f"{len(wrong)} faults made on purpose, {len(controls.unnoticed(wrong))} unnoticed")
    print(f"stablehlo: {len(verdicts)} runs of {len(modules)} modules in {time.monotonic() - start:.0f} s, {len(faults + complaint)} faults")
    return 1 if faults or complaint else 0


if __name__ == "__main__":
    sys.exit(main())
