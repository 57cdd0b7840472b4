"""The walkthrough through the clients people use: papermill, and nbconvert to HTML and LaTeX."""

import os
import pathlib
import shutil
import subprocess
import sys

import nbformat
import pypandoc
import pytest

from conftest import ROOT

WALKTHROUGH = ROOT / "notebooks" / "walkthrough.ipynb"


def run(arguments, environment=None):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, timeout=280, env=environment
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_papermill(tmp_path, plates):
    out = tmp_path / "out.ipynb"
    run(["papermill", "--no-progress-bar", "--cwd", WALKTHROUGH.parent, WALKTHROUGH, out])
    notebook = nbformat.read(out, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.metadata.papermill.status == "completed" for cell in cells)
    text = "\n".join(o.get("data", {}).get("text/plain", "") + o.get("text", "") for cell in cells for o in cell.outputs)
    for number in plates["printed"]:
        assert number in text


def test_papermill_reports_a_failing_cell(tmp_path):
    notebook = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {"name": "topos", "display_name": "Topos", "language": "go"}
    notebook.cells = [nbformat.v4.new_code_cell('%%\npanic("boom")'), nbformat.v4.new_code_cell("%%tape\nw = parameter 0.5\n")]
    nbformat.write(notebook, tmp_path / "bad.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--no-progress-bar", tmp_path / "bad.ipynb", tmp_path / "out.ipynb"],
        capture_output=True, text=True, timeout=120,
    )
    assert done.returncode != 0 and "boom" in done.stderr
    ran = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert [cell.execution_count for cell in ran.cells if cell.source.startswith("%%tape")] == [None]


def test_jupyter_run(tmp_path):
    """It hands the files that it runs to the kernel's command line as well."""
    (tmp_path / "one.tape").write_text("%%tape\nw = parameter [2]\n%names\n")
    (tmp_path / "two.go").write_text("%%\nfmt.Println(6 * 7)\n")
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", "run", "--kernel", "topos", tmp_path / "one.tape", tmp_path / "two.go"],
        capture_output=True, text=True, timeout=120,
    )
    assert done.returncode == 0 and "#0 Parameter [2]" in done.stdout and "42" in done.stdout, done.stdout + done.stderr


def test_nbconvert_to_html(tmp_path, plates):
    run(["nbconvert", "--execute", "--to", "html", "--output-dir", tmp_path, WALKTHROUGH])
    page = (tmp_path / "walkthrough.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") >= 2, "pictures are missing"
    assert "No description has been provided" not in page, "an image without a description"
    for number in plates["printed"]:
        assert number in page


def test_nbconvert_to_latex_without_inkscape(tmp_path, plates):
    """A raw svg in any output would make this fail for the whole notebook."""
    # A PATH with pandoc alone, which nbconvert needs for markdown cells, and what Go cells need.
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "pandoc").symlink_to(pypandoc.get_pandoc_path())
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (pathlib.Path(folder) / "inkscape").exists()]
    environment = {**os.environ, "PATH": os.pathsep.join([str(tools), *folders])}
    assert shutil.which("inkscape", path=environment["PATH"]) is None
    run(["nbconvert", "--execute", "--to", "latex", "--output-dir", tmp_path, WALKTHROUGH], environment)
    text = (tmp_path / "walkthrough.tex").read_text(encoding="utf-8")
    assert "0.83054614" in text
    assert "MatMul" in text
