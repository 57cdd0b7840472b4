"""Go cells and tape cells on one tape; a cell that fails leaves the tape as it was."""

import pytest

from client import GO_HEAD

TAPE = """%%tape
w = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}
x = input [1, 2] {1, 2}
h = tanh(x @ w)
"""

# Records, binds a new name and rebinds an old one, then goes on with what is asked.
RECORD_THEN = """%%
h := s.Get("h")
s.Name("late", h.Mul(h).Sum())
s.Name("h", h.Add(h))
{}
"""


def lines(text):
    return text.rstrip("\n").split("\n")


def state(kernel):
    """The tape and the names, as a reader of them sees them: every bundle, the digest in it included."""
    result = kernel.ok("%%tape\n%names\n%spec\n")
    assert len(result.displays) == 2, result
    spec = result.displays[1]
    assert "application/vnd.topos.v1+json" in spec
    return result.displays


@pytest.fixture
def started(kernel):
    """A kernel with both kinds of cells run once."""
    kernel.ok(TAPE)
    kernel.ok(GO_HEAD + '%%\ns.Name("square", s.Get("h").Mul(s.Get("h")))\n')
    return kernel


def test_a_tape_node_in_a_go_cell_and_back(kernel, plates):
    kernel.ok(TAPE)
    kernel.ok(GO_HEAD + '%%\nh := s.Get("h")\ns.Name("square", h.Mul(h))\n')
    result = kernel.ok("%%tape\nloss = sum(square)\n%spec\n")
    assert lines(result.plain)[: plates["spec_nodes"]] == lines(plates["spec"])[: plates["spec_nodes"]]
    assert "tape: 6 nodes, 1 parameter, 1 input" in result.plain
    # The gradient through both kinds of cells is the one of the plate.
    gradient = kernel.ok("%%tape\n%gradient loss\n").plain
    for line in lines(plates["differentiated"]):
        assert line in lines(gradient)


def test_go_first(kernel, plates):
    kernel.ok(
        GO_HEAD + "%%\n"
        "w := s.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)\n"
        "x := s.Input(Shape{1, 2}, 1, 2)\n"
        's.Name("w", w)\n'
        's.Name("h", x.MatMul(w).Tanh())\n'
    )
    result = kernel.ok("%%tape\nloss = sum(h * h)\n%spec\n%values\n")
    assert lines(result.displays[0]["text/plain"]) == lines(plates["spec"])
    assert "0.83054614" in result.displays[1]["text/plain"]


def test_execution_counts(kernel):
    cells = [TAPE, GO_HEAD, '%%\nfmt.Println("go")\n', "%%tape\n%names\n", '%%\npanic("no")\n', "%%tape\nnope = nope\n", "%%tape\n%names\n", "%%\nfmt.Println(1)\n"]
    for number, code in enumerate(cells, 1):
        result = kernel.run(code)
        assert result.count == number, result
        assert [content["execution_count"] for content in result.of("execute_input")] == [number], result


def test_show_from_go_comes_in_order(started):
    result = started.ok('%%\nfmt.Println("before")\ncells.Show(s)\nfmt.Println("after")\n')
    kinds = [(m["msg_type"], m["content"].get("text", "")) for m in result.messages if m["msg_type"] in ("stream", "display_data")]
    assert kinds == [("stream", "before\n"), ("display_data", ""), ("stream", "after\n")]
    spec = started.ok("%%tape\n%spec\n").plain
    assert lines(result.plain)[-1] == lines(spec)[-1]


FAILURES = {
    "panics": (RECORD_THEN.format('panic("boom")'), "boom"),
    "indexes out of range": (RECORD_THEN.format("var none []int\nfmt.Println(none[len(os.Args)+5])"), "index out of range"),
    "does not compile": (RECORD_THEN.format("undefinedThing()"), "undefinedThing"),
    "exits with 3": (RECORD_THEN.format("os.Exit(3)"), "exit status 3"),
    "refuses a shape": (RECORD_THEN.format('s.Get("h").MatMul(s.Get("h"))'), "[1, 2] by [1, 2]"),
    "asks an unknown name": (RECORD_THEN.format('s.Get("nobody")'), "nobody"),
    "is a tape cell": ("%%tape\nlate = sum(h)\nh = h + h\nbad = late @ w\n", "matmul"),
    "reads after recording": ("%%tape\nlate = sum(h)\nh = h + h\n%gradient h\n", "[1, 2]"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_cell_leaves_the_tape(started, name):
    code, said = FAILURES[name]
    before = state(started)
    error = started.refused(code)
    assert said in error["evalue"], error
    assert "/tmp" not in str(error) and "main.go" not in str(error), error
    assert state(started) == before
    check_next_cells(started)


def check_next_cells(kernel):
    """After a failure: both kinds of cells still run, and record."""
    kernel.ok('%%\ns.Name("after", s.Get("square").Sum())\nfmt.Println("still here")\n')
    assert "after" in kernel.ok("%%tape\nmore = after + after\n%names\n").plain


def test_an_interrupted_cell_leaves_the_tape(started):
    before = state(started)
    request = started.send(RECORD_THEN.format('fmt.Println("running")\nfor {\n\ttime.Sleep(time.Millisecond)\n}'))
    started.wait(request, until=lambda m: m["msg_type"] == "stream" and "running" in m["content"]["text"])
    started.manager.interrupt_kernel()
    messages = started.wait(request)
    reply = started.reply(request)
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt", reply
    assert [m["content"]["ename"] for m in messages if m["msg_type"] == "error"] == ["KeyboardInterrupt"]
    assert state(started) == before
    check_next_cells(started)


def test_an_interrupted_build_is_not_lost(started):
    """The interrupt comes while the cell is not running yet, or just has begun: either way it ends."""
    before = state(started)
    request = started.send(RECORD_THEN.format("for {\n\ttime.Sleep(time.Millisecond)\n}"))
    started.wait(request, until=lambda m: m["msg_type"] == "execute_input")
    started.manager.interrupt_kernel()
    started.wait(request)
    assert started.reply(request)["status"] == "error"
    assert state(started) == before
    check_next_cells(started)


def test_half_a_million_nodes_and_a_panic(started):
    before = state(started)
    error = started.refused(
        '%%\nh := s.Get("h")\n'
        "for i := range 1_000_000 {\n"
        "\th = h.Add(h)\n"
        "\tif i == 500_000 {\n"
        '\t\tpanic("after half")\n'
        "\t}\n"
        "}\n"
        's.Name("late", h)\n'
    )
    assert error["evalue"] == "after half"
    assert state(started) == before
    check_next_cells(started)


def test_a_million_nodes_are_kept(started):
    started.ok('%%\nh := s.Get("square")\nfor range 1_000_000 {\n\th = h.Add(h)\n}\ns.Name("long", h)\n')
    result = started.ok("%%tape\n%spec\n")
    assert "tape: 1000005 nodes" in result.plain
    assert sum(len(str(data)) for data in result.displays) < 1_000_000, "an output above the cap"


def test_recording_in_an_initialiser_is_refused(started):
    before = state(started)
    error = started.refused('var early = s.Input(Shape{1, 2}, 1, 2)\n%%\nfmt.Println("not reached")\n')
    assert "%%" in error["evalue"], error
    assert state(started) == before
