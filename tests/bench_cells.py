"""Times the kernel beside ipykernel and bare GoNB. `make bench-cells` runs it.

    python tests/bench_cells.py [--rounds 30] [--only start|cells|interrupt|lines|large]

The kernels take turns within each round, so that a busy machine slows them alike. A cell's time is from sending
execute_request to the later of the reply and idle, as a client sees it. Bare GoNB runs at its defaults: it is
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
from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
OURS, PYTHON, BARE = "topos", "python3", "gonb-bare"
KERNELS = [OURS, PYTHON, BARE]

GONBUI = 'import "github.com/janpfeifer/gonb/gonbui"\n'
LINES = {
    OURS: '%%\nfor i := range 200_000 {\n\tfmt.Println("line", i)\n}\n',
    PYTHON: "for i in range(200_000):\n    print('line', i)\n",
    BARE: 'import "fmt"\n%%\nfor i := range 200_000 {\n\tfmt.Println("line", i)\n}\n',
}
LOOPS = {
    OURS: '%%\nfmt.Println("begun")\nfor {\n}\n',
    PYTHON: "print('begun')\nwhile True:\n    pass\n",
    BARE: 'import "fmt"\n%%\nfmt.Println("begun")\nfor {\n}\n',
}
# 200 MB of float32 and 100,000 nodes; each step says in ms how long it took.
LARGE = """
func ms(since time.Time) float64 { return time.Since(since).Seconds() * 1000 }

func table(fill float32) *Tensor[float32] {
	data := make([]float32, 50_000_000)
	for i := range data {
		data[i] = fill
	}
	return F32.Tensor(Shape{5000, 10000}, data...)
}
"""
GROW = LARGE + """
%%
s := cells.Open(F32)
x := s.Leaf(Shape{}, 1)
for range 99_998 {
	x = x.Neg()
}
s.Name("w", s.ParameterOf(table(1)))
"""
OPEN = '%%\nstart := time.Now()\ns := cells.Open(F32)\ns.Parameters()\nfmt.Println(ms(start))\n'
KEEP = """%%
s := cells.Open(F32)
for n := range {times} {{
	next := table(float32({n} + n))
	start := time.Now()
	if err := s.Keep(s.Parameters().Map(func(*Tensor[float32]) *Tensor[float32] {{ return next }})); err != nil {{
		panic(err)
	}}
	fmt.Println(ms(start))
}}
"""
COPY = """import os, tempfile, time
data = os.urandom(1 << 20) * 200
for n in range({times}):
    start = time.perf_counter()
    file = tempfile.TemporaryFile()  # the former one goes
    file.write(data)
    file.flush()
    print(1000 * (time.perf_counter() - start))
"""
# How often a cell keeps. The first takes memory that the machine may not have used before, which costs a virtual one more than
# all else; the others find what the former table had.
TIMES = 7


def module_version(module):
    """The version go.mod pins."""
    done = subprocess.run(["go", "list", "-m", "-f", "{{.Version}}", module], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def prepare(folder):
    """Makes the private Jupyter folder that holds bare GoNB's kernelspec."""
    spec = folder / "kernels" / BARE
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({
        "argv": [str(BIN / "gonb"), "--kernel", "{connection_file}"],
        "display_name": "GoNB, bare", "language": "go", "interrupt_mode": "message",
        "env": {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
    }))
    os.environ["JUPYTER_PATH"] = str(folder)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"


class Row:
    """A row of the table: milliseconds per kernel. The aim, where there is one, is for a figure of ours."""

    def __init__(self, title, aim=None, judged=None):
        self.title, self.aim, self.figures = title, aim, {}
        self.judged = judged or (lambda row: row.median(OURS))

    def add(self, kernel, ms):
        self.figures.setdefault(kernel, []).append(ms)

    def median(self, kernel):
        return statistics.median(self.figures[kernel])

    def p95(self, kernel):
        # The smallest figure that at least 95 of 100 do not exceed.
        ordered = sorted(self.figures[kernel])
        return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]

    def __str__(self):
        line = f"  {self.title:40}"
        for kernel in KERNELS:
            line += f" {self.median(kernel):9.1f} {self.p95(kernel):9.1f}" if kernel in self.figures else f" {'-':>9} {'-':>9}"
        if self.aim is not None:
            got = self.judged(self)
            line += f"   {got:.2f}, aim {self.aim:g}: {'met' if got <= self.aim else 'NOT met'}"
        return line


def timed(kernel, code):
    """Runs a cell; returns milliseconds and what it brought. A cell that fails ends the benchmark."""
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


def taking_turns(rounds, what, names=KERNELS):
    """Yields round and kernel, in an order that turns around with each round."""
    for n in range(rounds):
        if sys.stderr.isatty():
            print(f"\r  {what}: round {n + 1} of {rounds}", end=" " * 20, file=sys.stderr, flush=True)
        for name in names if n % 2 == 0 else names[::-1]:
            yield n, name
    if sys.stderr.isatty():
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


def start_rows(kernels, rounds):
    """From starting the process to the answer to kernel_info."""
    row = Row("start to ready", aim=500)
    for _, name in taking_turns(max(3, rounds // 5), "start"):
        begun = time.perf_counter()
        manager = KernelManager(kernel_name=name)
        manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        asking = manager.client()
        asking.start_channels()
        asking.wait_for_ready(timeout=60)
        row.add(name, 1000 * (time.perf_counter() - begun))
        asking.stop_channels()
        manager.shutdown_kernel(now=False)
    return [row]


def cell_rows(kernels, rounds):
    """Cells that are answered, forwarded, or compiled."""
    python, bare = "print(1)", "%env TOPOS_BENCH={n}"
    tape = Row("tape cell with a spec; print(1)", aim=1.0, judged=lambda row: row.median(OURS) / row.median(PYTHON))
    forwarded = Row("forwarded cell: %env", aim=1.0, judged=lambda row: row.median(OURS) - row.median(BARE))
    trivial = Row("Go cell: prints")
    shown = Row("Go cell: shows a spec; HTML by gonbui", aim=0.5, judged=lambda row: row.median(OURS) / row.median(BARE))
    cells = {
        tape: {OURS: "%%tape\nw{n} = parameter [2, 2] {{0.5, -0.25, 0.25, 0.4}}\nloss{n} = sum(tanh(w{n}))\n%spec\n", PYTHON: python},
        forwarded: {OURS: bare, BARE: bare},
        trivial: {OURS: '%%\nfmt.Println("cell {n}")\n', BARE: 'import "fmt"\n%%\nfmt.Println("cell {n}")\n'},
        shown: {OURS: '%%\nw := s.Parameter(Shape{{2, 2}}, 0.5, -0.25, 0.25, 0.4)\ns.Name("loss{n}", w.Tanh().Sum())\ncells.Show(s)\n',
                BARE: GONBUI + '%%\ngonbui.DisplayHtml("<b>cell {n}</b>")\ngonbui.Sync()\n'},
    }
    for n, name in taking_turns(rounds + 2, "cells"):
        for row, code in cells.items():
            for _ in range(5 if row in (tape, forwarded) else 1):  # short ones vary more
                if name in code:
                    took, result = timed(kernels[name], code[name].format(n=n))
                    if row is shown or row is tape and name == OURS:
                        shows(result, "text/html")
                    if n >= 2:  # the first are warm-up
                        row.add(name, took)
    return [tape, forwarded, trivial, shown]


def interrupt_rows(kernels, rounds):
    """From asking for the interrupt of a busy loop to the cell's end."""
    row = Row("interrupt of a loop", aim=100)
    for _, name in taking_turns(max(3, rounds // 3), "interrupt"):
        kernel = kernels[name]
        request = kernel.send(LOOPS[name])
        kernel.wait(request, until=lambda message: message["msg_type"] == "stream")
        begun = time.perf_counter()
        kernel.manager.interrupt_kernel()
        kernel.wait(request)
        kernel.reply(request)
        row.add(name, 1000 * (time.perf_counter() - begun))
    return [row]


def line_rows(kernels, rounds):
    """200,000 printed lines. Ours are capped: head, tail and count are brought."""
    row, messages = Row("200,000 printed lines"), {}
    for _, name in taking_turns(max(3, rounds // 5), "lines"):
        took, result = timed(kernels[name], LINES[name])
        row.add(name, took)
        messages[name] = len(result.of("stream"))
    row.title += f" ({'/'.join(str(messages[name]) for name in KERNELS)} messages)"
    return [row]


def add(row, kernel, outcome):
    """Adds the figures that a cell has printed itself."""
    for figure in outcome[1].stream().split():
        row.add(kernel, float(figure))


def large_rows(kernels, rounds):
    """Within a Go cell: the opening of a session of 100,000 nodes and 200 MB, and the keeping of 200 MB, again and again. Beside them, Python
    writes a file as large."""
    ours, python = start(contextlib.ExitStack(), OURS), kernels[PYTHON]
    opened, kept = Row("a Go cell opens 100,000 nodes, 200 MB", aim=150), Row("a Go cell keeps 200 MB; file written", aim=300)
    try:
        ours.ok(client.GO_HEAD.replace("var s = cells.Open(F32)\n", "") + GROW)
        for n, name in taking_turns(max(3, rounds // 5), "large", [OURS, PYTHON]):
            if name == PYTHON:
                add(kept, PYTHON, timed(python, COPY.format(times=TIMES)))
                continue
            add(opened, OURS, timed(ours, OPEN))
            add(kept, OURS, timed(ours, KEEP.format(n=n * TIMES, times=TIMES)))
    finally:
        ours.close()
    return [opened, kept]


GROUPS = {"start": start_rows, "cells": cell_rows, "interrupt": interrupt_rows, "lines": line_rows, "large": large_rows}


def start(stack, name):
    kernel = client.Kernel(name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(kernel.close)
    return kernel


def main():
    parser = argparse.ArgumentParser(description="Times the kernel beside ipykernel and bare GoNB.")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=GROUPS)
    options = parser.parse_args()
    version = module_version("github.com/janpfeifer/gonb")

    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        prepare(pathlib.Path(folder))
        kernels = {name: start(stack, name) for name in KERNELS}
        timed(kernels[OURS], client.GO_HEAD)
        timed(kernels[BARE], f"!*go mod edit -require github.com/janpfeifer/gonb@{version}\n" + GONBUI)
        print(f"go {subprocess.run(['go', 'env', 'GOVERSION'], capture_output=True, text=True).stdout.strip()[2:]}, "
              f"gonb {version}, ipykernel {importlib.metadata.version('ipykernel')}, Python {sys.version.split()[0]}, "
              f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"  {'milliseconds: median, p95':40}" + "".join(f" {name:>19}" for name in KERNELS))
        for name, group in GROUPS.items():
            if options.only in (None, name):
                for row in group(kernels, options.rounds):
                    print(row, flush=True)
        print(f"  load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
