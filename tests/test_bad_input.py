"""Bad programs: one clear line that names the place, through `topos read` and through the kernel; nothing is recorded."""

import dataclasses
import re
import subprocess

import pytest

from conftest import BIN


@dataclasses.dataclass
class Bad:
    name: str
    program: bytes
    line: int  # where; 0 for the file as a whole
    says: tuple  # what the one line holds
    target: str = ""  # the target of a gradient
    kernel: bool = True  # also tried in a cell


DEEP = 10_000
BAD = [
    Bad("unknown name", b"w = parameter 0.5\nloss = w * nobody\n", 2, ("nobody",)),
    Bad("unknown function", b"w = parameter 0.5\nloss = frobnicate(w)\n", 2, ("frobnicate",)),
    Bad("shape mismatch", b"a = input [3, 2]\nb = input [4, 5]\nc = a @ b\n", 3, ("[3, 2]", "[4, 5]")),
    Bad("elementwise mismatch", b"a = input [3, 2]\nb = input [2, 3]\nc = a + b\n", 3, ("[3, 2]", "[2, 3]")),
    Bad("unclosed bracket", b"w = parameter 0.5\nx = input [2, 2\n", 2, ()),
    Bad("unclosed parenthesis", b"w = parameter 0.5\ny = tanh(w\n", 2, ()),
    Bad("payload of the wrong count", b"w = parameter [2, 2] {1, 2, 3}\n", 1, ("3", "4")),
    Bad("target not rank 0", b"x = input [1, 2]\nh = tanh(x)\n", 3, ("[1, 2]", "rank 0"), target="h"),
    Bad("number out of range", b"w = parameter 0.5\nx = input 1e999\n", 2, ("1e999",)),
    Bad("number out of range of the element", b"x = input 1e39\n", 1, ("1e39",)),
    Bad("extent out of range", b"x = input [99999999999999999999]\n", 1, ("99999999999999999999",)),
    Bad("not UTF-8", b"w = parameter 0.5\nx = \xff\xfe\n", 2, ("UTF-8",), kernel=False),
    Bad("empty program", b"", 0, ("empty",)),
    Bad("only a comment", b"# nothing yet\n\n", 0, ("empty",)),
    Bad("nested parentheses", b"x = " + b"(" * DEEP + b"1.0" + b")" * DEEP + b"\n", 1, ()),
    Bad("nested brackets", b"x = input " + b"[" * DEEP + b"1" + b"]" * DEEP + b"\n", 1, ()),
]
NAMES = [bad.name for bad in BAD]


def check_message(text, bad):
    """One line, not long, that says the place and what is wrong; nothing of the program's insides."""
    assert len(text.strip().splitlines()) == 1, text[:2000]
    assert len(text) < 400, text[:2000]
    if bad.line and not bad.target:
        assert re.search(rf"\bline {bad.line}\b|:{bad.line}:", text), text
    for word in bad.says:
        assert word in text, text
    for word in ("goroutine", "panic", ".go:", "runtime error"):
        assert word not in text, text


@pytest.mark.parametrize("bad", BAD, ids=NAMES)
def test_read(tmp_path, bad):
    path = tmp_path / "bad.tape"
    path.write_bytes(bad.program)
    arguments = [BIN / "topos", "read", path, "--reading", "all"]
    if bad.target:
        arguments += ["--target", bad.target]
    run = subprocess.run(arguments, capture_output=True, timeout=60)
    assert run.returncode == 1, (run.returncode, run.stdout, run.stderr)
    assert run.stdout == b""
    text = run.stderr.decode("utf-8")
    check_message(text, bad)
    assert "bad.tape" in text, "the line names the file"


def test_read_from_standard_input():
    run = subprocess.run([BIN / "topos", "read", "-"], input=b"w = parameter 0.5\nloss = w * nobody\n", capture_output=True, timeout=60)
    assert run.returncode == 1 and run.stdout == b""
    check_message(run.stderr.decode(), BAD[0])


def test_read_without_a_file(tmp_path):
    run = subprocess.run([BIN / "topos", "read", tmp_path / "none.tape"], capture_output=True, text=True, timeout=60)
    assert run.returncode != 0 and run.stdout == ""
    assert len(run.stderr.strip().splitlines()) == 1 and "none.tape" in run.stderr


def seen(kernel):
    return kernel.ok("%%tape\n%names\n%spec\n").displays


@pytest.fixture(scope="module")
def before(shared_kernel):
    shared_kernel.ok("%%tape\nkept = parameter 0.5\nw = kept * kept\n")
    return seen(shared_kernel)


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad.kernel], ids=[bad.name for bad in BAD if bad.kernel])
def test_cell(shared_kernel, before, bad):
    code = "%%tape\n" + bad.program.decode()
    if bad.target:
        code += f"%gradient {bad.target}\n"
    error = shared_kernel.refused(code)
    # The cell's own first line is %%tape, so its lines are one further on.
    check_message(error["evalue"], dataclasses.replace(bad, line=bad.line + 1 if bad.line else 0))
    assert seen(shared_kernel) == before
