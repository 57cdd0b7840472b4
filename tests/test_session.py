"""A session outlives its kernel: restarts, kills and full disks, through a real client."""

import os
import pathlib
import signal
import subprocess

import pytest

import client
from client import GO_HEAD

TAPE = "%%tape\nw = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}\nx = input [1, 2] {1, 2}\nh = tanh(x @ w)\nloss = sum(h * h)\n"
RECORD = GO_HEAD + '%%\ns.Name("late", s.Get("h").Mul(s.Get("h")).Sum())\n'
KEEP = "%%\ns.Keep(s.Parameters().Map(func(t *Tensor[float32]) *Tensor[float32] { return t.Add(t) }))\n"
READ = "%%tape\n%names\n%spec\n%values\n%why 3\n"


def read(kernel):
    """Every bundle of the readings: the texts, and the digests in them."""
    return kernel.ok(READ).displays


def cell(kernel, code, cell_id):
    """Runs a cell under an id, as JupyterLab does."""
    message = kernel.client.session.msg(
        "execute_request",
        {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True},
        metadata={"cellId": cell_id},
    )
    kernel.client.shell_channel.send(message)
    request = message["header"]["msg_id"]
    result = client.Result(None, kernel.wait(request))
    result.reply = kernel.reply(request)
    assert result.status == "ok", result
    return result


def started_anew(kernel, kill):
    """The same kernel, started again as a front end does it, or after its death."""
    if kill:
        os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
    kernel.manager.restart_kernel(now=kill)
    kernel.client.wait_for_ready(timeout=60)


@pytest.mark.parametrize("kill", [False, True], ids=["restart", "kill -9"])
def test_reopened(kernel, kill):
    cell(kernel, TAPE, "one")
    cell(kernel, RECORD, "two")
    kernel.ok(KEEP)
    kernel.refused("%%tape\ny = nobody\n")
    before = read(kernel)
    for _ in range(2):
        started_anew(kernel, kill)
        assert kernel.ok("%names").plain.strip() != before[0]["text/plain"].strip()  # fresh, until it is asked for
        error = kernel.refused("%%tape\ny = h + h\n")
        assert "%session open previous" in "\n".join(error["traceback"])
        opened = kernel.ok("%session open previous")
        assert "is open: 2 segments, " in opened.stream(), opened
        assert read(kernel) == before
    # It goes on: the Go cell owns the tail still, and finds the kept parameters.
    cell(kernel, RECORD, "two")
    assert read(kernel) == before
    doubled = kernel.ok("%%\ncells.Show(s.Parameters().Slot(0))\n").plain
    assert "[[1, -0.5], [0.5, 0.8]]" in doubled.replace("\n", " "), doubled


def test_file(kernel, tmp_path):
    file = tmp_path / "a session.topos"
    kernel.ok(TAPE)
    before = read(kernel)
    kernel.ok(f"%session save {file}")
    assert file.stat().st_mode & 0o777 == 0o600
    other = client.Kernel()
    try:
        other.ok(f"%session open {file}")
        assert read(other) == before
        whole = file.read_bytes()
        for name, damaged in {"torn": whole[:-1], "bent": whole[:99] + bytes([whole[99] ^ 1]) + whole[100:], "foreign": b"PK\x03\x04" * 99}.items():
            bad = tmp_path / name
            bad.write_bytes(damaged)
            error = other.refused(f"%session open {bad}")
            assert len(error["evalue"].splitlines()) == 1 and name in error["evalue"], error
            assert bad.read_bytes() == damaged
        assert read(other) == before
    finally:
        other.close()


def test_checkpoint(kernel, tmp_path):
    file = tmp_path / "w.safetensors"
    kernel.ok(TAPE)
    kernel.ok(GO_HEAD + KEEP)
    before = kernel.ok("%values").displays
    kernel.ok(f"%checkpoint save {file}")
    kernel.ok("%tape reset")
    assert kernel.ok("%values").displays != before
    kernel.ok(f"%checkpoint load {file}")
    assert kernel.ok("%values").displays == before


def test_private():
    folder = pathlib.Path(os.environ["TOPOS_STATE"]) / "sessions"
    found = list(folder.rglob("*"))
    assert found
    for path in found:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.fixture
def small_disk(tmp_path):
    """A folder that holds a megabyte."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted: {done.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_full_disk(small_disk):
    kernel = client.Kernel(env={**os.environ, "TOPOS_STATE": str(small_disk)})
    try:
        kernel.ok(TAPE)
        ballast = small_disk / "ballast"
        ballast.write_bytes(b"1" * 700_000)
        said = "the cell is not saved: no space left on device; the session goes on in memory\n"
        result = kernel.ok("%%tape\nbig = parameter [100000]\nsmall = leaf 1\n")
        assert result.stream("stderr") == said, result
        assert kernel.ok("%%tape\nsmall = small + small\n").stream("stderr") == said
        before = read(kernel)
        ballast.unlink()
        assert kernel.ok("%names").stream("stderr") == ""
        os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
        kernel.manager.restart_kernel(now=True)
        kernel.client.wait_for_ready(timeout=60)
        kernel.ok("%session open previous")
        assert read(kernel) == before
    finally:
        kernel.close()
