"""One mixed notebook through each client that people use: all cells run, and behind a failing cell none does."""

import json
import os
import subprocess
import sys

import nbformat
import pexpect
import pytest

from client import GO_HEAD

GOOD = [
    "%%tape\nw = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}\nx = input [1, 2] {1, 2}\nh = tanh(x @ w)\n",
    GO_HEAD,
    '%%\nh := s.Get("h")\ns.Name("square", h.Mul(h))\nfmt.Println("from Go")',
    "%%tape\nloss = sum(square)\n%values\n",
    "!echo from a shell",
    "%%\ncells.Show(s)",
]
SAID = ["from Go", "0.83054614", "from a shell", "tape: 6 nodes, 1 parameter, 1 input"]

FAILING = {
    "a tape cell": "%%tape\nbad = h @ w @ x\n",
    "a Go cell": '%%\npanic("stop here")',
    "a Go cell that does not compile": "%%\nundefinedThing()",
    "a shell command": "!exit 3",
}
BEHIND = ['%%\nfmt.Println("behind")', "%%tape\nbehind = leaf 1\n%names\n"]


def write(path, sources):
    notebook = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {"name": "topos", "display_name": "Topos", "language": "go"}
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(notebook, path)
    return path


def command(client, path, out, *options):
    """How a client executes a notebook into another file."""
    return {
        "nbclient": [sys.executable, "-c", NBCLIENT, path, out, json.dumps("--allow-errors" in options)],
        "papermill": [sys.executable, "-m", "papermill", "--no-progress-bar", path, out],
        "nbconvert": [sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", *options, "--output", out, path],
    }[client]


# nbclient's own command writes nothing when a cell fails.
NBCLIENT = """
import json, sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
try:
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=json.loads(sys.argv[3])).execute()
finally:
    nbformat.write(notebook, sys.argv[2])
"""


def run(client, path, out, *options):
    return subprocess.run(command(client, path, out, *options), capture_output=True, text=True, timeout=280, check=False)


def text_of(cell):
    """What a cell's outputs say as text."""
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain") or "\n".join(o.get("traceback", [])) for o in cell.outputs)


CLIENTS = ["nbclient", "papermill", "nbconvert"]


@pytest.mark.parametrize("client", CLIENTS)
def test_all_cells_run(client, tmp_path):
    out = tmp_path / "out.ipynb"
    done = run(client, write(tmp_path / "good.ipynb", GOOD), out)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = [cell for cell in nbformat.read(out, as_version=4).cells if cell.source in GOOD]
    assert [cell.execution_count for cell in cells] == list(range(1, len(GOOD) + 1))
    text = "\n".join(map(text_of, cells))
    for said in SAID:
        assert said in text


@pytest.mark.parametrize(("client", "failing"), [("nbclient", name) for name in FAILING] + [("papermill", "a Go cell"), ("papermill", "a tape cell"), ("nbconvert", "a shell command")])
def test_c55_nothing_runs_behind_a_failing_cell(client, failing, tmp_path):
    out = tmp_path / "out.ipynb"
    done = run(client, write(tmp_path / "bad.ipynb", [GOOD[0], FAILING[failing], *BEHIND]), out)
    assert done.returncode != 0
    if client == "nbconvert":
        return  # it writes nothing then
    cells = {cell.source: cell for cell in nbformat.read(out, as_version=4).cells}
    error = next(o for o in cells[FAILING[failing]].outputs if o.output_type == "error")
    assert error.traceback and "\x1b" not in "".join(error.traceback)
    assert [cells[source].outputs for source in BEHIND] == [[], []]
    assert [cells[source].execution_count for source in BEHIND] == [None, None]


def test_errors_can_be_allowed(tmp_path):
    """Then every cell runs, each sent when the one before has ended."""
    out = tmp_path / "out.ipynb"
    done = run("nbconvert", write(tmp_path / "bad.ipynb", [GOOD[0], *FAILING.values(), *BEHIND]), out, "--allow-errors")
    assert done.returncode == 0, done.stderr[-3000:]
    cells = nbformat.read(out, as_version=4).cells
    assert [sum(o.output_type == "error" for o in cell.outputs) for cell in cells] == [0, *[1 for _ in FAILING], 0, 0]
    assert "behind\n" in text_of(cells[-2])


def test_c65_a_question_does_not_hang_nbconvert(tmp_path):
    ask = 'import "github.com/janpfeifer/gonb/gonbui"\n\n%%\ngonbui.RequestInput("name? ", false)\nvar s string\nfmt.Scanln(&s)\nfmt.Println("hello", s)'
    out = tmp_path / "out.ipynb"
    done = run("nbconvert", write(tmp_path / "ask.ipynb", [ask]), out)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "hello" in text_of(nbformat.read(out, as_version=4).cells[0])


@pytest.fixture
def console():
    """`jupyter console` on a terminal of its own."""
    terminal = pexpect.spawn(
        sys.executable, ["-m", "jupyter_console", "--kernel", "topos", "--ZMQTerminalInteractiveShell.kernel_is_complete_timeout=20", "--ZMQTerminalInteractiveShell.highlighting_style=default"],
        env={**os.environ, "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}, encoding="utf-8", timeout=120, dimensions=(60, 200),
    )
    yield terminal
    terminal.close(force=True)


def enter(terminal, count, lines):
    """Types lines at the prompt of that number."""
    terminal.expect_exact(f"In [{count}]: ")
    for line in lines:
        terminal.send(line + "\r")


def test_console(console):
    """Cells end where the kernel says they do: tape cells at an empty line, Go where nothing is open."""
    enter(console, 1, ["%%tape", "w = parameter 0.5", "loss = w * w", "%names", ""])
    console.expect_exact("loss")
    enter(console, 2, ["%%", 'fmt.Println("from", "Go")'])
    console.expect_exact("from Go")
    enter(console, 3, ["func triple(x int) int {", "return 3 * x", "}"])
    enter(console, 4, ["%%", "fmt.Println(triple(14))"])
    console.expect_exact("42")
    enter(console, 5, ["%%", 'panic("boom")'])
    console.expect_exact("line 2: boom")
    enter(console, 6, ["!echo still here"])
    console.expect_exact("still here")
    enter(console, 7, ["exit"])
