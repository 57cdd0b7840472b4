"""The walkthrough in JupyterLab, seen by headless Chromium: Restart and Run All, then the six cards show."""

import re
import shutil

import nbformat
import pytest
from playwright.sync_api import expect

import lab
import test_mixed_clients
from conftest import ROOT

pytestmark = pytest.mark.skipif(lab.chromium() is None, reason="no Chromium on this machine")

# What JupyterLab itself complains about without harm; each with its reason.
HARMLESS = []

# Cells whose text would act if anything on the way took it for markup, and a failing one, behind which nothing runs.
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'><b onmouseover='alert(1)'>", "[x](javascript:alert(1)) **b**", "\x1b[31mred"]
FAILING = [
    "%%tape\nw = parameter 0.5\n# " + EVIL[0] + "\n%read w",
    test_mixed_clients.GO_HEAD,
    "%%\ncells.Show(&Plot{Title: `" + EVIL[0] + "`, XLabel: `" + EVIL[1] + "`, YLabel: `" + EVIL[2] + "`, Values: []float64{1, 2}})\n"
    "cells.Show(`" + "`)\ncells.Show(`".join(EVIL) + "`)",
    "%%\npanic(`" + EVIL[1] + "`)",
    *test_mixed_clients.BEHIND,
]

# The captions of the six cards.
CAPTIONS = {
    "spec": r"tape: 6 nodes, 1 parameter, 1 input",
    "gradient": r"gradient: 29 nodes, 23 appended; d #5 / d #0 = #28 \[2, 2\]",
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
    test_mixed_clients.write(folder / "failing.ipynb", FAILING)
    notebook = nbformat.read(folder / "walkthrough.ipynb", as_version=4)
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    with lab.jupyterlab(folder) as (address, token), lab.browser(address, token) as page:
        page.open("walkthrough.ipynb")
        page.restart_and_run_all(cells)
        yield page


def test_no_cell_failed(seen):
    """JupyterLab shows an error in the same way as text on stderr."""
    assert seen.page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


@pytest.mark.parametrize("card", CAPTIONS)
def test_cards_show(seen, card):
    """The caption is on the screen; a picture of the card is kept in build/screens for people to look at."""
    caption = re.compile(CAPTIONS[card])
    outputs = seen.page.locator(".jp-OutputArea-output").filter(has_text=caption)
    assert outputs.count() > 0, f"no caption of the {card} card"
    output = outputs.first
    output.scroll_into_view_if_needed()
    # innerText holds what is drawn, not what is folded, hidden or not laid out yet.
    expect(output).to_contain_text(caption, use_inner_text=True, timeout=30_000)
    folder = ROOT / "build" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"walkthrough-{card}.png"
    output.screenshot(path=path)
    assert path.stat().st_size > 1000


def test_images_are_drawn(seen):
    images = seen.page.locator(".jp-OutputArea-output img")
    assert images.count() >= 5  # a plan's plot and a graph, each from both kinds of cells; the loss
    for i in range(images.count()):
        images.nth(i).scroll_into_view_if_needed()
        seen.page.wait_for_function("image => image.complete", arg=images.nth(i).element_handle(), timeout=10_000)
        assert images.nth(i).evaluate("image => image.naturalWidth") > 0
        assert images.nth(i).get_attribute("alt")


def test_no_console_error(seen):
    assert [c for c in seen.complaints if not any(re.search(known, c) for known in HARMLESS)] == []


def test_c55_a_failing_cell_ends_the_run_and_nothing_of_a_cell_acts(seen):
    """In a second notebook of the same server: the cells behind a failing one are not run, and text stays text."""
    dialogs = []

    def answer(dialog):
        if dialog.type != "beforeunload":  # JupyterLab's own, about what is not saved
            dialogs.append(dialog.message)
        dialog.accept()

    seen.page.on("dialog", answer)
    seen.open("failing.ipynb")
    seen.restart_and_run("""() => {
        const cells = [...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell')];
        return cells.some(c => c.querySelector('[data-mime-type="application/vnd.jupyter.stderr"]'))
            && !cells.some(c => c.querySelector('.jp-InputPrompt').textContent.includes('*'));
    }""")
    cells = seen.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell")
    prompts = [prompt.strip() for prompt in cells.locator(".jp-InputPrompt").all_text_contents()]
    assert prompts == ["[1]:", "[2]:", "[3]:", "[4]:", "[ ]:", "[ ]:"]
    expect(cells.nth(3).locator(".jp-OutputArea")).to_contain_text(EVIL[1])
    outputs = seen.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output")
    assert outputs.locator("script, iframe, [onerror], [onmouseover], img[src='x']").count() == 0
    for link in outputs.locator("a").all():
        assert not (link.get_attribute("href") or "").startswith("javascript:")
    assert dialogs == []
