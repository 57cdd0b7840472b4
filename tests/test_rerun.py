"""Cells run again, out of order and from the top, and training, through a real client."""

import re
import time

import nbformat
import pytest

from conftest import ROOT
from test_session import cell

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def spec(kernel):
    """The tape, its names, and where it stands, without execution counts."""
    lines = kernel.ok("%%tape\n%spec\n%names\n%tape\n").plain.splitlines()
    rows = lines.index(next(line for line in lines if line.startswith("segment ")))
    return lines[:rows] + [re.sub(r"^(\d+) \d+ ", r"\1 ", " ".join(line.split())) for line in lines[rows:]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_c91_cells_run_again(kernel, path):
    """All cells, then each again in the same order: none fails, and the tape is that of the first run."""
    cells = [(c.source, c.id) for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    for code, name in cells:
        cell(kernel, code, name)
    first = spec(kernel)
    assert first[-1] == "fresh: a run of the cells from the top records the same tape"
    for code, name in cells:
        cell(kernel, code, name)
    assert spec(kernel) == first
    for code, name in cells[:2]:
        cell(kernel, code, name)
    kernel.ok("%rerecord")
    assert spec(kernel) == first


def test_c83_c89_interrupted_training(kernel):
    """A training that is interrupted keeps its steps, shows one line, and never runs again by itself."""
    cell(kernel, "%%tape\nw = parameter [64, 64]\nx = input [64, 64]\nh = tanh(x @ w)\nloss = sum(h * h)\n", "one")
    for _ in range(2):
        request = kernel.send("%%tape\n%train loss --steps 10000000 --rate 0.0001 --optimizer adam\n")
        kernel.wait(request, until=lambda m: m["msg_type"] == "update_display_data")
        begun = time.monotonic()
        kernel.manager.interrupt_kernel()
        messages = kernel.wait(request)
        assert time.monotonic() - begun < 30  # a bound on liveness
        reply = kernel.reply(request)
        assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt", reply
        lines = [m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "update_display_data"]
        assert re.fullmatch(r"interrupted at step \d+ of 10000000, loss [\d.]+\n?", lines[-1]), lines
        identities = {m["content"]["transient"]["display_id"] for m in messages if m["msg_type"].endswith("display_data") and m["content"]["transient"]}
        assert len(identities) == 1
    trained = kernel.ok("%%tape\n%values w\n").displays
    assert trained != kernel.ok("%%tape\n%tape reset\n%values w\n").displays
    kernel.ok("%%tape\n%train loss --steps 3\n")
    digest = kernel.ok("%%tape\n%values w\n").displays
    kernel.ok("%rerecord")
    assert kernel.ok("%%tape\n%values w\n").displays == digest
