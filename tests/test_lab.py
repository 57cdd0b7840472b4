"""The walkthrough in JupyterLab, seen by headless Chromium: Restart and Run All, then the six cards show."""

import re
import shutil

import nbformat
import pytest

import lab
from conftest import ROOT

pytestmark = pytest.mark.skipif(lab.chromium() is None, reason="no Chromium on this machine")

# What JupyterLab itself complains about without harm; each with its reason.
HARMLESS = []

# The captions of the six cards.
CAPTIONS = {
    "spec": r"tape: 6 nodes, 1 parameter, 1 input",
    "gradient": r"gradient: 29 nodes, 23 appended; d .*loss.* / d .*weights",
    "plan": r"plan: 25 of 29 evaluated, 3 readable; peak 15 at #28, retain-all 56",
    "stablehlo": r"stablehlo: \d+ operations, 2 arguments, 3 results",
    "values": r"run: ",
    "picture": r"graph: 29 nodes, \d+ layers drawn",
}


@pytest.fixture(scope="module")
def seen(alone, tmp_path_factory):
    """Opens a copy of the walkthrough, runs it, and gives the page."""
    folder = tmp_path_factory.mktemp("notebooks")
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    notebook = nbformat.read(folder / "walkthrough.ipynb", as_version=4)
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    with lab.jupyterlab(folder) as (address, token), lab.browser(address, token) as page:
        page.open("walkthrough.ipynb")
        page.restart_and_run_all(cells)
        yield page
        (ROOT / "build" / "screens").mkdir(parents=True, exist_ok=True)


def test_no_cell_failed(seen):
    assert seen.page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]').count() == 0


@pytest.mark.parametrize("card", CAPTIONS)
def test_captions(seen, card):
    assert re.search(CAPTIONS[card], seen.output_text()), f"no caption of the {card} card"


def test_images_are_drawn(seen):
    images = seen.page.locator(".jp-OutputArea-output img")
    assert images.count() >= 2
    for i in range(images.count()):
        images.nth(i).scroll_into_view_if_needed()
        seen.page.wait_for_function("image => image.complete", arg=images.nth(i).element_handle(), timeout=10_000)
        assert images.nth(i).evaluate("image => image.naturalWidth") > 0
        assert images.nth(i).get_attribute("alt")


def test_screenshot(seen):
    """Kept for people to look at: the whole notebook, one picture per card with an image."""
    folder = ROOT / "build" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    outputs = seen.page.locator(".jp-Cell-outputWrapper:has(img)")
    for i in range(outputs.count()):
        outputs.nth(i).scroll_into_view_if_needed()
        path = folder / f"walkthrough-{i + 1}.png"
        outputs.nth(i).screenshot(path=path)
        assert path.stat().st_size > 1000


def test_no_console_error(seen):
    assert [c for c in seen.complaints if not any(re.search(known, c) for known in HARMLESS)] == []
