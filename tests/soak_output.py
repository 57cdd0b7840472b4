"""Cells that print two gigabytes: what the kernel's processes hold of it meanwhile is bounded, and the client gets head, tail and count.

    python tests/soak_output.py [GIGABYTES]
"""

import pathlib
import sys
import threading
import time

import client

# How much a process may grow by while the output passes, in MB.
ALLOWED = 200

GO = """import "bufio"
%%
line := []byte("a line of output that nobody reads to its end\\n")
w := bufio.NewWriterSize(os.Stdout, 1<<20)
for n := 0; n < {bytes}; n += len(line) {
	w.Write(line)
}
w.Flush()
"""
CELLS = {"a Go program": GO, "a command": "!yes a line of output that nobody reads to its end | head -c {bytes}"}


def processes(pid):
    """The kernel's process and GoNB's, by name."""
    found = {"topos": pid}
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        children += (thread / "children").read_text().split()
    for child in set(children):
        if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "gonb":
            found["gonb"] = int(child)
    return found


def resident(pid):
    """What a process has in memory of its own, in MB: files that it maps are not counted."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["RssAnon"].split()[0]) / 1024


class Peak(threading.Thread):
    """The largest figure of each process until stop is called."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.peaks, self.over = pids, {name: 0.0 for name in pids}, threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            for name, pid in self.pids.items():
                self.peaks[name] = max(self.peaks[name], resident(pid))

    def stop(self):
        self.over.set()
        self.join()
        return self.peaks


def main(gigabytes="2"):
    total = int(float(gigabytes) * 1e9)
    kernel = client.Kernel()
    failed = False
    try:
        kernel.ok(client.GO_HEAD)
        for title, cell in CELLS.items():
            pids = processes(kernel.manager.provisioner.pid)
            before = {name: resident(pid) for name, pid in pids.items()}
            peak = Peak(pids)
            peak.start()
            start = time.monotonic()
            result = kernel.ok(cell.replace("{bytes}", str(total)))
            took = time.monotonic() - start
            text, messages = result.stream(), len(result.of("stream"))
            growth = {name: most - before[name] for name, most in peak.stop().items()}
            print(f"{title}: {total / 1e9:g} GB in {took:.1f} s; {len(text)} characters in {messages} messages; "
                  + ", ".join(f"{name} grew by {mb:.0f} MB" for name, mb in sorted(growth.items())))
            whole = text.startswith("a line of output") and text.count(" bytes left out]\n") == 1 and len(text) < 1_200_000
            if not whole or messages > 20 * (took + 2) or growth["topos"] > ALLOWED:
                failed = True
                print(f"  NOT as it must be: head, tail and count; at most 20 messages a second; at most {ALLOWED} MB in the kernel")
    finally:
        kernel.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
