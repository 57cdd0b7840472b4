"""Ten thousand cells in one kernel, tape cells and Go cells that are run again and again: its memory is flat after the first thousand.

    python tests/soak_cells.py [CELLS]

Counted is what a process has in memory of its own, the least of a hundred samples, so that a collection that is due does not count.
GoNB, which we start but did not write, is reported beside and does not fail the soak.
"""

import sys
import time

import client
from soak_output import processes, resident

# How much the kernel may grow by after the first thousand cells, in MB.
ALLOWED = 16

# What records has one id, so that each run replaces the last: the tape stays as long as it is.
FIRST = [("a", "%%tape\nw = parameter [64, 64]\nx = input [8, 64]\n")]
TAPE = [
    ("t", "%%tape\nh = tanh(x @ w)\nloss = sum(h * h)\n%gradient loss --wrt w\n%spec\n%plan\n"),
    ("d", "%%tape\n%values loss\n%names\n"),
    ("e", "%%tape\n%stablehlo\n%picture\n"),
    ("f", "%%tape\n%train loss --steps 3 --rate 0.01\n"),
    ("g", "%%tape\n%values nosuchname\n"),
]
GO = [
    ("t", '%%\nh := s.Get("x").MatMul(s.Get("w")).Tanh()\nloss := h.Mul(h).Sum()\ns.Name("h", h)\ns.Name("loss", loss)\n'
          's.Differentiate(loss, s.Get("w"))\ncells.Show(loss)\n'),
    ("i", '%%\nif err := s.Keep(s.Parameters().Map(func(t *Tensor[float32]) *Tensor[float32] { return t.Mul(t.Filled(0.5)) })); err != nil {\n'
          '\tpanic(err)\n}\nfmt.Println("kept")\n'),
    ("j", '%%\npanic("as it should")\n'),
]
# One cell in so many is a Go cell.
EVERY = 40
FAIL = {"g", "j"}


def run(kernel, cell, code):
    """Runs a cell under an id of its own, as JupyterLab does."""
    session = kernel.client.session
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
    message = session.msg("execute_request", content, metadata={"cellId": cell})
    kernel.client.shell_channel.send(message)
    request = message["header"]["msg_id"]
    messages = kernel.wait(request)
    return client.Result(kernel.reply(request), messages)


class Samples:
    """The least that each process held lately."""

    def __init__(self, kernel):
        self.pid, self.lately = kernel.manager.provisioner.pid, {}

    def take(self):
        for name, pid in processes(self.pid).items():
            self.lately[name] = self.lately.get(name, [])[-99:] + [resident(pid)]

    def least(self):
        return {name: min(samples) for name, samples in self.lately.items()}


def main(cells="10000"):
    total, go, first, nodes = int(cells), 0, None, set()
    kernel = client.Kernel()
    start = time.monotonic()
    try:
        samples = Samples(kernel)
        kernel.ok(client.GO_HEAD)
        for cell, code in FIRST + TAPE[:1]:
            run(kernel, cell, code)
        for n in range(1, total + 1):
            if n % EVERY == 0:
                cell, code = GO[go % len(GO)]
                go += 1
            else:
                cell, code = TAPE[n % len(TAPE)]
            result = run(kernel, cell, code)
            if (result.status == "ok") != (cell not in FAIL):
                print(f"cell {n} ended otherwise than it must\n{code}\n{result}")
                return 1
            if n % 5 == 0:
                samples.take()
            if n % 1000 == 0:
                least = samples.least()
                first = first or least
                nodes.add(run(kernel, "n", "%%tape\n%spec\n").plain.splitlines()[-1])
                print(f"{n} cells, {go} of them Go, {time.monotonic() - start:.0f} s: "
                      + ", ".join(f"{name} {mb:.1f} MB" for name, mb in sorted(least.items())), flush=True)
    finally:
        kernel.close()
    grown = least["topos"] - first["topos"]
    print(f"the kernel grew by {grown:.1f} MB after the first thousand cells; at most {ALLOWED} are allowed; {', '.join(nodes)}")
    return 1 if grown > ALLOWED or len(nodes) != 1 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
