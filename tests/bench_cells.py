"""Times cells: tape cells beside ipykernel's print, Go cells beside bare GoNB. `make bench-cells` runs it.

    python tests/bench_cells.py [--rounds 30] [--only tape|go]

Every figure is from sending execute_request to the later of the reply and idle, as a client sees it. The kinds
take turns within each round, so that a busy machine slows them alike. Bare GoNB runs at its defaults: it is
started from a kernelspec of its own in a private folder and gets gonbui once, before the rounds.
"""

import argparse
import contextlib
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import client

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
AIMS = {"tape": 1.0, "go": 0.5}


def module_version(module):
    """The version go.mod pins."""
    done = subprocess.run(["go", "list", "-m", "-f", "{{.Version}}", module], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def prepare(folder):
    """Makes the private Jupyter folder that holds bare GoNB's kernelspec."""
    spec = folder / "kernels" / "gonb-bare"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({
        "argv": [str(BIN / "gonb"), "--kernel", "{connection_file}"],
        "display_name": "GoNB, bare", "language": "go", "interrupt_mode": "message",
        "env": {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
    }))
    os.environ["JUPYTER_PATH"] = str(folder)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"


def timed(kernel, code):
    """Runs a cell; returns milliseconds. A cell that fails ends the benchmark."""
    start = time.perf_counter()
    request = kernel.send(code)
    messages = kernel.wait(request)
    reply = kernel.reply(request)
    took = 1000 * (time.perf_counter() - start)
    result = client.Result(reply, messages)
    if result.status != "ok" or result.of("error"):
        sys.exit(f"error: a cell of the benchmark failed\n{code}\n{result}")
    return took, result


def shows(result, mime):
    if not any(mime in data for data in result.displays):
        sys.exit(f"error: a cell of the benchmark showed no {mime}\n{result}")


class Kind:
    """One row of the table: how its n-th cell reads, and what it must show."""

    def __init__(self, title, kernel, cell, mime=None):
        self.title, self.kernel, self.cell, self.mime, self.figures = title, kernel, cell, mime, []

    def once(self, n, keep=True):
        took, result = timed(self.kernel, self.cell(n))
        if self.mime:
            shows(result, self.mime)
        if keep:
            self.figures.append(took)

    @property
    def median(self):
        return statistics.median(self.figures)

    @property
    def p95(self):
        # The smallest figure that at least 95 of 100 do not exceed.
        ordered = sorted(self.figures)
        return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]


def tape_kinds(stack):
    ours, theirs = start(stack, "topos"), start(stack, "python3")
    return [
        Kind("%%tape cell: records and shows a spec", ours,
             lambda n: f"%%tape\nw{n} = parameter [2, 2] {{0.5, -0.25, 0.25, 0.4}}\nloss{n} = sum(tanh(w{n}))\n%spec\n", "text/html"),
        Kind("ipykernel: print(1)", theirs, lambda n: "print(1)"),
    ]


def go_kinds(stack):
    ours, theirs = start(stack, "topos"), start(stack, "gonb-bare")
    timed(ours, client.GO_HEAD)
    version = module_version("github.com/janpfeifer/gonb")
    timed(theirs, f'!*go mod edit -require github.com/janpfeifer/gonb@{version}\nimport "github.com/janpfeifer/gonb/gonbui"\n')
    return [
        Kind("Go cell: records and shows a spec", ours,
             lambda n: f'%%\nw := s.Parameter(Shape{{2, 2}}, 0.5, -0.25, 0.25, 0.4)\ns.Name("loss{n}", w.Tanh().Sum())\ncells.Show(s)\n', "text/html"),
        Kind("bare GoNB: shows HTML through gonbui", theirs,
             lambda n: f'%%\ngonbui.DisplayHtml("<b>cell {n}</b>")\ngonbui.Sync()\n', "text/html"),
    ]


def start(stack, name):
    kernel = client.Kernel(name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(kernel.close)
    return kernel


def table(name, kinds):
    ours, theirs = kinds
    for kind in kinds:
        print(f"  {kind.title:42} {kind.median:9.1f} {kind.p95:9.1f} {len(kind.figures):4d}")
    ratio = ours.median / theirs.median
    verdict = "met" if ratio <= AIMS[name] else "NOT met"
    print(f"  {'ratio of the medians':42} {ratio:9.2f}   aim: at most {AIMS[name]:.1f}, {verdict}")


def main():
    parser = argparse.ArgumentParser(description="Times tape cells and Go cells beside other kernels.")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=["tape", "go"])
    options = parser.parse_args()
    makers = {"tape": tape_kinds, "go": go_kinds}
    chosen = {options.only: makers[options.only]} if options.only else makers

    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        prepare(pathlib.Path(folder))
        pairs = {name: make(stack) for name, make in chosen.items()}
        for warm_up in range(2):
            for kinds in pairs.values():
                for kind in kinds:
                    kind.once(1000 + warm_up, keep=False)
        for n in range(options.rounds):
            print(f"\r  round {n + 1} of {options.rounds}", end="", file=sys.stderr, flush=True)
            for kinds in pairs.values():
                for kind in kinds if n % 2 == 0 else reversed(kinds):
                    kind.once(n)
        print(file=sys.stderr)

        print(f"go {subprocess.run(['go', 'env', 'GOVERSION'], capture_output=True, text=True).stdout.strip()[2:]}, "
              f"gonb {module_version('github.com/janpfeifer/gonb')}, ipykernel {importlib.metadata.version('ipykernel')}, "
              f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
        print(f"  {'milliseconds':42} {'median':>9} {'p95':>9} {'n':>4}")
        for name, kinds in pairs.items():
            table(name, kinds)


if __name__ == "__main__":
    main()
