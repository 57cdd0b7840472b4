"""Every shipped notebook runs headless without error, and twice to the same bytes."""

import json
import pathlib
import subprocess
import sys

import nbformat
import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
IDS = [path.stem for path in NOTEBOOKS]


def execute(path, folder):
    """Runs setup/execute.py, which `make notebook` calls; returns the two files it wrote."""
    run = subprocess.run(
        [sys.executable, ROOT / "setup" / "execute.py", path, folder], capture_output=True, text=True, timeout=280
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder / path.name, folder / (path.stem + ".html")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Executes each notebook once; gives the files."""
    done = {}

    def get(path):
        if path not in done:
            done[path] = execute(path, tmp_path_factory.mktemp(path.stem))
        return done[path]

    return get


def outputs(path):
    """All outputs of an executed notebook, in order."""
    notebook = nbformat.read(path, as_version=4)
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def plain(path):
    """What all outputs say as text."""
    said = []
    for output in outputs(path):
        said.append(output.get("text") or output.get("data", {}).get("text/plain") or "")
    return "\n".join(said)


def test_there_are_notebooks():
    assert {"walkthrough", "playground"} <= set(IDS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_no_error(executed, path):
    found = outputs(executed(path)[0])
    assert found
    assert [output for output in found if output.output_type == "error"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_twice_the_same_bytes(executed, tmp_path, path):
    for first, second in zip(executed(path), execute(path, tmp_path)):
        assert first.read_bytes() == second.read_bytes(), f"{first.name} differs between two runs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_outputs_stand_alone(executed, path):
    """No address elsewhere, no place on this machine, no raw svg, always a text twin."""
    for output in outputs(executed(path)[0]):
        data = output.get("data", {})
        text = json.dumps(output)
        assert "/tmp/" not in text and str(ROOT) not in text
        if data:
            assert "text/plain" in data
            assert "image/svg+xml" not in data
            html = data.get("text/html", "")
            assert "http:" not in html and "https:" not in html
            assert len(text) < 1_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=IDS)
def test_committed_without_outputs(path):
    """Outputs are made, not kept: the file in the tree holds none, and names the kernel."""
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata.kernelspec.name == "topos"
    for cell in notebook.cells:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None


def holds(text, plate):
    """Whether each line of the plate is a line of the text, in order."""
    lines = iter(text.splitlines())
    return all(wanted in lines for wanted in plate.rstrip("\n").split("\n"))


@pytest.mark.parametrize("plate", ["spec", "differentiated", "plan", "stablehlo"])
def test_the_walkthrough_prints_the_plates(executed, plates, plate):
    text = plain(executed(ROOT / "notebooks" / "walkthrough.ipynb")[0])
    assert holds(text, plates[plate])


def test_the_walkthrough_prints_the_numbers(executed, plates):
    text = plain(executed(ROOT / "notebooks" / "walkthrough.ipynb")[0])
    for number in plates["printed"]:
        assert number in text
    assert "23 nodes appended" in text


@pytest.mark.parametrize("plate", ["spec", "differentiated", "plan", "stablehlo"])
def test_both_kinds_of_cells_print_the_plate(executed, plates, plate):
    notebook = nbformat.read(executed(ROOT / "notebooks" / "walkthrough.ipynb")[0], as_version=4)
    kinds = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            if any(holds(text, plates[plate]) for text in shown):
                kinds.add("tape" if cell.source.lstrip().startswith("%%tape") else "go")
    assert kinds == {"tape", "go"}, f"printed from {sorted(kinds)} alone"


def test_the_playground_has_tape_cells_only():
    notebook = nbformat.read(ROOT / "notebooks" / "playground.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code and all(source.lstrip().startswith("%%tape") or source.lstrip().startswith("%") for source in code)
    assert not any(line.strip() == "%%" for source in code for line in source.splitlines())


def test_the_playground_accumulates(executed):
    """The terminology's derivative of `w * x - y` squared, and one of log_softmax, are readings of the playground."""
    text = plain(executed(ROOT / "notebooks" / "playground.ipynb")[0])
    assert "LogSoftmax" in text and "kept" in text and "stablehlo" in text


def test_errors_end_the_run(tmp_path):
    """A cell that fails makes the runner fail, with the files written all the same."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {"name": "topos", "display_name": "Topos", "language": "go"}
    notebook.cells = [nbformat.v4.new_code_cell("%%tape\nloss = nobody\n", id="a")]
    path = tmp_path / "bad.ipynb"
    nbformat.write(notebook, path)
    run = subprocess.run(
        [sys.executable, ROOT / "setup" / "execute.py", path, tmp_path / "out"], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 1 and "nobody" in run.stderr
    assert (tmp_path / "out" / "bad.ipynb").is_file()


def test_make_notebook_refuses_a_missing_file():
    run = subprocess.run([sys.executable, ROOT / "setup" / "execute.py", "no/such.ipynb", "x"], capture_output=True, text=True)
    assert run.returncode == 1 and "no/such.ipynb" in run.stderr
