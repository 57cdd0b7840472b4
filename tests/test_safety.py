"""What a cell says is shown as text and never obeyed; what the kernel opens is for its user alone."""

import html.parser
import os
import pathlib
import re
import stat

import nbformat
import psutil
import pytest
from nbconvert import HTMLExporter

from client import GO_HEAD, Kernel

# Text that would act where it is not escaped: as markup, as the end of a script or a comment, in quotes, as Markdown, as LaTeX, as
# a terminal's orders, as a line of its own.
EVIL = {
    "markup": "<img src=x onerror=alert(1)>",
    "script": "</script><script>alert(1)</script>",
    "quotes": "\"'><b onmouseover='alert(1)'>`",
    "comment": "--><script>alert(1)</script><!--",
    "entity": "&lt;script&gt;alert(1)&lt;/script&gt;",
    "markdown": "[x](javascript:alert(1)) ![y](http://evil.test/z) **b** | a | b |",
    "latex": "\\input{/etc/passwd}$\\href{javascript:alert(1)}{x}$",
    "terminal": "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "data": "data:text/html,<script>alert(1)</script>",
    "template": "{{7*7}}${7*7}#{7*7}<%= 7*7 %>",
    "direction": "\u202eabc\u2066",
}


class Reader(html.parser.HTMLParser):
    """Collects the elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes += attributes


def check_bundle(data):
    """Nothing of the bundle runs, loads or orders a terminal about."""
    assert "image/svg+xml" not in data and not any("javascript" in kind for kind in data)
    if "text/html" in data:
        page = Reader(data["text/html"])
        assert not page.elements & {"script", "iframe", "object", "embed", "link", "form", "base", "meta"}, page.elements
        for name, value in page.attributes:
            assert not name.startswith("on"), (name, value)
            assert name not in ("href", "src") or re.match(r"#|data:image/", value or ""), (name, value)
    for kind in ("text/plain", "text/html", "text/latex"):
        assert "\x1b" not in data.get(kind, "") and "\x07" not in data.get(kind, ""), kind


def check_error(result):
    """A message of one line's text, its markup as text: clients escape errors, but colour them by a terminal's orders."""
    for error in result.of("error"):
        for text in (error["ename"], error["evalue"], *error["traceback"]):
            assert "\x1b" not in text and "\x07" not in text, error


@pytest.fixture(scope="module")
def recorded():
    running = Kernel()
    running.ok("%%tape\nw = parameter 0.5\nloss = w * w\n")
    running.ok(GO_HEAD)
    yield running
    running.close()


def go_string(text):
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'


@pytest.mark.parametrize("name", EVIL)
def test_tape_cells(recorded, name):
    """As a name, in a comment, as a magic and its arguments."""
    evil = EVIL[name]
    for code in (f"%%tape\n{evil} = w\n", f"%%tape\n# {evil}\ny = w + w # {evil}\n%spec\n%read y\n", f"%%tape\n%{evil}\n", f"%%tape\n%values {evil}\n",
                 f"%%tape\nz = frob(w, '{evil}')\n", f"%%tape\n%tape new {evil}\n", f"%{evil}", f"%why {evil}"):
        result = recorded.run(code)
        check_error(result)
        for data in result.displays:
            check_bundle(data)


@pytest.mark.parametrize("name", EVIL)
def test_go_cells(recorded, name):
    """As the title and labels of a plot, as text that is shown, and as a name, which ends the cell either way."""
    text = go_string(EVIL[name])
    result = recorded.run(f"%%\ncells.Show(&Plot{{Title: {text}, XLabel: {text}, YLabel: {text}, Values: []float64{{1, 2}}}}, {text})\n"
                          f"fmt.Println({text})\ns.Name({text}, s.Get(\"w\"))\npanic({text})\n")
    assert len(result.displays) == 2 and result.status == "error"
    for data in result.displays:
        check_bundle(data)
    check_error(result)


def test_a_programs_own_output_is_its_own(recorded):
    """Text streams pass unchanged: colours are a program's right, and clients know what to do with them."""
    assert recorded.ok(f"%%\nfmt.Print({go_string(EVIL['terminal'])})").stream() == EVIL["terminal"]


def test_a_saved_notebook_holds_no_foreign_script(recorded):
    """The page that nbconvert makes of such cells and their outputs has the scripts of its own template, and no other."""
    notebook = nbformat.v4.new_notebook()
    for evil in EVIL.values():
        result = recorded.run(f"%%tape\n# {evil}\ny = w # {evil}\n%read y\n")
        cell = nbformat.v4.new_code_cell(f"%%tape\n# {evil}", execution_count=1)
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in result.displays]
        cell.outputs += [nbformat.v4.new_output("error", **{key: e[key] for key in ("ename", "evalue", "traceback")}) for e in result.of("error")]
        notebook.cells.append(cell)
    nbformat.validate(notebook)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert "alert(1)" in page, "the cells' text is not there: the test looks in the wrong place"
    empty, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook())
    assert page.count("<script") == empty.count("<script")
    assert not [value for name, value in Reader(page).attributes if name.startswith("on")]


def family(kernel):
    process = psutil.Process(kernel.manager.provisioner.pid)
    return [process, *process.children(recursive=True)]


def test_no_port_beyond_jupyters_five(recorded):
    """The kernel, GoNB, gopls and a running cell listen on unix sockets in a private folder, and on nothing else."""
    request = recorded.send('%%\nfmt.Println("running")\ntime.Sleep(time.Hour)')
    recorded.wait(request, until=lambda m: m["msg_type"] == "stream")
    try:
        processes = family(recorded)
        assert {"gonb"} < {p.name() for p in processes}
        ports = {c.laddr.port for p in processes for c in p.net_connections(kind="inet") if c.status == psutil.CONN_LISTEN}
        udp = [c for p in processes for c in p.net_connections(kind="udp")]
    finally:
        recorded.manager.interrupt_kernel()
        recorded.wait(request)
        recorded.reply(request)
    info = recorded.manager.get_connection_info()
    assert ports == {info[f"{channel}_port"] for channel in ("shell", "iopub", "stdin", "control", "hb")}
    assert udp == []
    listening = [c.laddr.ip for c in processes[0].net_connections(kind="inet") if c.status == psutil.CONN_LISTEN]
    assert set(listening) == {"127.0.0.1"}


def test_files_and_sockets_are_private(tmp_path_factory):
    """While a cell runs: nothing below the kernel's folder can be reached by others, and all sockets and state are in private folders."""
    folder = tmp_path_factory.mktemp("t")
    state = folder / "state"
    own = Kernel(env={**os.environ, "TMPDIR": str(folder), "XDG_RUNTIME_DIR": "", "TOPOS_STATE": str(state)})
    try:
        own.ok("%%tape\nw = parameter [1000]\n")
        request = own.send(GO_HEAD + '%%\nfmt.Println("running")\ntime.Sleep(time.Hour)')
        own.wait(request, until=lambda m: m["msg_type"] == "stream")
        private = [path for path in folder.iterdir() if path.name.startswith("topos-kernel-")]
        assert len(private) == 1 and stat.S_IMODE(private[0].stat().st_mode) == 0o700
        below = [path for path in folder.rglob("*") if not path.is_symlink()]
        sockets = [path for path in below if path.is_socket()]
        assert len(sockets) >= 5
        assert all(path.is_relative_to(private[0]) for path in sockets)
        for path in below:
            closed = [parent for parent in (path, *path.parents) if parent.is_relative_to(folder) and parent != folder]
            assert any(stat.S_IMODE(parent.stat().st_mode) & 0o077 == 0 for parent in closed), f"{path} can be reached by others"
        if state.exists():
            for path in (state, *state.rglob("*")):
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        assert stat.S_IMODE(pathlib.Path(own.manager.connection_file).stat().st_mode) & 0o077 == 0
        own.manager.interrupt_kernel()
        own.wait(request)
    finally:
        own.close()
