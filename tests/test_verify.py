"""topos verify: runs a notebook again, and says whether what it shows is still so."""

import pathlib
import subprocess
import sys

import nbclient
import nbformat
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOPOS = ROOT / "build" / "bin" / "topos"

TAPE = "%%tape\nw = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}\nh = tanh(w)\nloss = sum(h * h)\n%spec\n"
CELLS = [TAPE, "%values", "%%tape\ny = nobody\n", "!echo $RANDOM"]
TEXT = """\
cell 1   same      spec
cell 2   same      values
cell 3   same      the error
cell 4   -
4 cells: 3 same, 1 without a reading
"""


@pytest.fixture(scope="module")
def executed():
    """A notebook with outputs: a dump, values, an error, and a text that is another each time."""
    cells = [nbformat.v4.new_code_cell(code, id=f"c{n}") for n, code in enumerate(CELLS)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "topos", "display_name": "topos"}})
    nbclient.NotebookClient(notebook, kernel_name="topos", allow_errors=True, record_timing=False).execute()
    return notebook


@pytest.fixture
def notebook(executed):
    return nbformat.from_dict(nbformat.reads(nbformat.writes(executed), as_version=4))


def verify(tmp_path, notebook, *options):
    path = tmp_path / "a notebook.ipynb"
    nbformat.write(notebook, path)
    return subprocess.run([TOPOS, "verify", path, *options], capture_output=True, text=True, timeout=120)


def document(notebook, cell):
    return notebook.cells[cell].outputs[0].data["application/vnd.topos.v1+json"]


def test_good(tmp_path, notebook):
    ended = verify(tmp_path, notebook)
    assert (ended.stdout, ended.stderr, ended.returncode) == (TEXT, "", 0)


def test_changed_value(tmp_path, notebook):
    payload = document(notebook, 1)["payloads"][0]
    payload["digest"] = "0" * 64
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1
    assert f"cell 2   differs   values: {payload['label']} (node {payload['node']}) has other bits: 000000000000 was recorded" in ended.stdout


def test_changed_source(tmp_path, notebook):
    """Someone edited a cell after running it."""
    notebook.cells[0].source = TAPE.replace("tanh", "sin")
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1
    assert 'cell 1   differs   spec: line ' in ended.stdout and "Tanh" in ended.stdout and "Sin" in ended.stdout
    assert "cell 2   differs   values: loss " in ended.stdout


def test_changed_source_against_another(tmp_path, notebook):
    other = tmp_path / "other.ipynb"
    nbformat.write(notebook, other)
    notebook.cells[0].source = TAPE.replace("tanh", "sin")
    ended = verify(tmp_path, notebook, "--against", other)
    assert (ended.stdout, ended.returncode) == ("", 1)
    assert ended.stderr == (
        "topos verify: cell 1 has another text in the notebook that is compared with: "
        'line 3: "h = tanh(w)" was recorded, now it is "h = sin(w)"\n'
    )


def test_against_another(tmp_path, notebook):
    other = tmp_path / "other.ipynb"
    nbformat.write(notebook, other)
    for cell in notebook.cells:
        cell.outputs = []
    assert verify(tmp_path, notebook, f"--against={other}").stdout == TEXT
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1 and "holds no outputs to compare with" in ended.stderr


def test_missing_output(tmp_path, notebook):
    notebook.cells[0].outputs = []
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1 and "cell 1   differs   readings: 0 recorded, now 1\n" in ended.stdout


def test_fails_now(tmp_path, notebook):
    notebook.cells[0].source = "%%tape\nh = nobody\n"
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1 and "cell 1   differs   it fails now: " in ended.stdout


def test_fast_is_not_compared(tmp_path, notebook):
    document(notebook, 1)["numerics"] = "fast"
    document(notebook, 1)["digest"] = "another"
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 0
    assert "cell 2   fast      run Fast, so not compared: 1\n" in ended.stdout
    assert ended.stdout.endswith("4 cells: 2 same, 1 run Fast and not compared, 1 without a reading\n")


def test_never_run(tmp_path, notebook):
    notebook.cells[1].outputs, notebook.cells[1].execution_count = [], None
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1 and "cell 2   never run\n" in ended.stdout


def test_notebook_for_another_kernel(tmp_path, notebook):
    notebook.metadata.kernelspec.name = "python3"
    ended = verify(tmp_path, notebook)
    assert ended.returncode == 1 and "is for the kernel python3, not for topos" in ended.stderr


@pytest.mark.parametrize("options", [[], ["--against"], ["a", "b"], ["a", "--what"], ["a", "--against=b", "--against=c"]])
def test_wrong_command_line(options):
    ended = subprocess.run([TOPOS, "verify", *options], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and ended.stderr.startswith("topos verify: ") and "usage: topos verify" in ended.stderr


def test_shipped_notebook(tmp_path):
    """A shipped notebook, with Go cells, run by one runner and verified by another."""
    source = ROOT / "notebooks" / "walkthrough.ipynb"
    subprocess.run([sys.executable, ROOT / "setup" / "execute.py", source, tmp_path], check=True, capture_output=True, timeout=300)
    ended = subprocess.run([TOPOS, "verify", source, "--against", tmp_path / source.name], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0 and "differs" not in ended.stdout, ended
