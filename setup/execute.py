"""Executes one notebook headless and writes it, outputs included, as .ipynb and .html.

    python setup/execute.py NOTEBOOK FOLDER

Same notebook, same bytes: no timings are recorded and keys are written in order.
"""

import pathlib
import sys

import nbclient
import nbformat
from nbconvert import HTMLExporter


def execute(path, timeout=600):
    """Runs all cells of the notebook at path in its own folder; returns it and the first cell error, if any."""
    notebook = nbformat.read(path, as_version=4)
    kernel = notebook.metadata.get("kernelspec", {}).get("name", "topos")
    client = nbclient.NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=timeout,
        record_timing=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
    )
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        return notebook, error
    return notebook, None


def main(path, folder):
    path, folder = pathlib.Path(path), pathlib.Path(folder)
    if not path.is_file():
        sys.exit(f"error: no notebook at {path}")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"== executing {path}", flush=True)
    notebook, error = execute(path)

    written = folder / path.name
    # nbformat.writes sorts the keys.
    written.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    page = folder / (path.stem + ".html")
    body, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": path.stem}})
    page.write_text(body, encoding="utf-8")
    print(f"   wrote {written} and {page}", flush=True)
    if error is not None:
        sys.exit(f"error: {path}: {error}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
