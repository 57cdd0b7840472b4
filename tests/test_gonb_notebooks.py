"""Notebooks of the kinds that GoNB tests itself with, in our own cells: what ran there runs behind this kernel.

Each notebook is a list of cells with what they write: a text, a pattern, a function of the result, or None for anything. SIDE is a folder beside.
"""

import re

import pytest

import client

GONBUI = 'import "github.com/janpfeifer/gonb/gonbui"\n\n%%\n'


def shows(kind, text):
    """A display of that kind that holds text, with plain text beside it."""

    def check(result):
        assert len(result.displays) == 1, result
        data = result.displays[0]
        assert text in data[kind] and data["text/plain"], data

    return check


def fails(name, said):
    """An error of that name, said once, which holds said."""

    def check(result):
        (error,) = result.of("error")
        assert result.status == "error" and error["ename"] == name, result
        assert said in error["evalue"] + "\n".join(error["traceback"]), error

    return check


def notes(*words):
    """Text on stdout or stderr, or a display, that holds each of words."""

    def check(result):
        text = result.stream() + result.stream("stderr") + "\n".join(str(data) for data in result.displays)
        assert all(word in text for word in words), result

    return check


NOTEBOOKS = {
    "bash_script": [
        ("!echo from a shell", "from a shell\n"),
        ("!*test -f go.mod && echo where the code is built", "where the code is built\n"),
        ("!test -d \"$GONB_TMP_DIR\" && echo \"$GONB_DIR\" | grep -c /", "1\n"),
        ("!printf 'one\\n'; \\\n  printf 'two\\n'", "one\ntwo\n"),
    ],
    "functions": [
        ("%goflags --cover --covermode=set", None),
        ("func shift[T int | float64](x, by T) T {\n\treturn x + by\n}", ""),
        ("%%\nfmt.Println(shift(40, 2), shift(0.25, 0.5))", "42 0.75\n"),
        ("func shift[T int | float64](x, by T) T {\n\treturn x - by\n}", ""),
        ("%%\nfmt.Println(shift(40, 2))", "38\n"),
    ],
    "goflags": [
        ("%goflags -cover", None),
        ("%goflags", notes("-cover")),
        ('%goflags ""', None),
        ("%goflags", lambda result: "-cover" not in str(result.messages)),
        ("%goflags -race=false -trimpath", None),
        ("type pair struct{ a, b int }\n\nfunc (p *pair) sum() int { return p.a + p.b }\n\n%%\nfmt.Println((&pair{3, 4}).sum())", "7\n"),
        ("%reset", None),
        ("%%\nfmt.Println(pair{})", fails("CompileError", "undefined: pair")),
        ("type pair struct{ a int }\n\n%%\nfmt.Println(pair{5})", "{5}\n"),
    ],
    "gotest": [
        ("func cubes(n int) (total int) {\n\tfor i := range n + 1 {\n\t\ttotal += i * i * i\n\t}\n\treturn total\n}\n\n%%\nfmt.Println(cubes(3))", "36\n"),
        ("func TestCubes(t *testing.T) {\n\tif cubes(3) != 36 {\n\t\tt.Error(cubes(3))\n\t}\n}\n\n%test", re.compile(r"TestCubes[\s\S]*PASS")),
        ("%test", re.compile("no tests|PASS")),
        ("func TestWrong(t *testing.T) {\n\tt.Error(\"not so\")\n}\n\n%test", fails("ExitError", "1")),
        ("func BenchmarkCubes(b *testing.B) {\n\tfor range b.N {\n\t\tcubes(10)\n\t}\n}\n\n%test -test.bench=Cubes -test.benchtime=10x -test.run=None", re.compile(r"BenchmarkCubes")),
        ("%ls", notes("cubes")),
    ],
    "gowork": [
        ("!mkdir SIDE && printf 'module example.test/side\\n\\ngo 1.21\\n' > SIDE/go.mod && printf 'package side\\n\\nconst Where = \"beside\"\\n' > SIDE/side.go", ""),
        ("!*rm -f go.work && go work init && go work use . SIDE\n%goworkfix", None),
        ("!*grep -c example.test/side go.mod", re.compile(r"[1-9]")),
        ('import "example.test/side"\n\n%%\nfmt.Println(side.Where)', "beside\n"),
        ("%track", notes("side")),
        ("%untrack SIDE", None),
        ("!*rm -f go.work && go mod edit -dropreplace=example.test/side && rm -r SIDE", None),
        ('%%\nfmt.Println("on its own again")', "on its own again\n"),
    ],
    "hello": [
        ("// The name of the package is not a cell's business.\npackage elsewhere\n\n%%\nfmt.Println(\"hello\")", "hello\n"),
        ("//gonb:%%\nfmt.Println(\"behind a comment\")", "behind a comment\n"),
        ('var size = flag.Int("size", 0, "how large")\n\nfunc tell() {\n\tfmt.Println("of size", *size)\n}\n\n//gonb:%exec tell -size=17', "of size 17\n"),
    ],
    "init": [
        ('func init_first() {\n\tfmt.Println("first")\n}', "first\n"),
        ('func init_second() {\n\tfmt.Println("second")\n}', "first\nsecond\n"),
        ('func init() {\n\tfmt.Println("nameless")\n}', re.compile("first\nsecond\n[\\s\\S]*|nameless[\\s\\S]*")),
        ('func init() {\n\tfmt.Println("another")\n}', lambda result: "another" in result.stream() and "nameless" not in result.stream()),
        ("%rm init_first init_second", None),
        ('%%\nfmt.Println("done")', lambda result: result.stream().endswith("done\n") and "first" not in result.stream()),
    ],
    "vartuple": [
        ("func three() (x, y, z int) {\n\treturn 2, 4, 8\n}\n\nvar low, _, high = three()\n\n%%\nfmt.Println(low, high)", "2 8\n"),
        ("%ls", notes("low", "high")),
        ("var high = float32(1.5)\n\n%%\nfmt.Println(high)", "1.5\n"),
        ("%%\nfmt.Println(low)", fails("CompileError", "undefined: low")),
    ],
    "writefile": [
        ("%%writefile $GONB_TMP_DIR/verse.txt\nnaïve lines,\nof two\n", None),
        ("%%writefile -a $GONB_TMP_DIR/verse.txt\nand a third\n", None),
        ("!cat $GONB_TMP_DIR/verse.txt", re.compile(r"naïve lines,\nof two\n[\s]*and a third\n")),
        ("%%writefile\nwithout a name", fails("GoNBError", "")),
    ],
    "script": [
        ("%%bash\nfor n in 1 2; do\n  echo \"line $n\"\ndone | while read words; do echo \"($words)\"; done", "(line 1)\n(line 2)\n"),
        ("%%script sort -n\n30\n4", "4\n30\n"),
        ("%%sh\nX=19\necho $X", "19\n"),
        ("X := 17\n%%sh\necho $X", fails("UnknownMagic", "must be the first line")),
        ("%%bash\necho said\nexit 3", lambda result: result.stream() == "said\n" and fails("ExitError", "exit status 3")(result) is None),
    ],
    "capture": [
        ('%capture $GONB_TMP_DIR/heard.txt\n%%\nfmt.Println("ping")', "ping\n"),
        ("!cat $GONB_TMP_DIR/heard.txt", "ping\n"),
        ('%capture -a $GONB_TMP_DIR/heard.txt\n%%\nfmt.Println("pong")', "pong\n"),
        ("!cat $GONB_TMP_DIR/heard.txt", "ping\npong\n"),
        ('%capture $GONB_TMP_DIR/heard.txt\n' + GONBUI + 'gonbui.DisplayMarkdown("*seen*")', shows("text/markdown", "*seen*")),
        ("!cat $GONB_TMP_DIR/heard.txt", notes("*seen*")),
    ],
    "gonbui": [
        (GONBUI + 'gonbui.DisplayHTML("<i>slanted</i>")', shows("text/html", "<i>slanted</i>")),
        (GONBUI + 'gonbui.DisplayMarkdown("**bold**")', shows("text/markdown", "**bold**")),
        (GONBUI + "gonbui.DisplaySvg(`<svg xmlns='http://www.w3.org/2000/svg'><title>a dot</title></svg>`)", shows("text/html", "<title>a dot</title>")),
        (GONBUI + "fmt.Println(gonbui.IsNotebook)", "true\n"),
    ],
    "errors": [
        ("%%\nvar count int = \"text\"\nfmt.Println(count)", fails("CompileError", "line 2")),
        ("func broken( {", fails("CompileError", "expected")),
        ("func careless() {\n\tpanic(\"deep\")\n}\n\n%%\ncareless()", fails("panic", "line 2: deep")),
        ("%%\nvar list []int\nfmt.Println(list[len(os.Args)+3])", fails("panic", "index out of range")),
        ("%%\nos.Exit(5)", fails("ExitError", "exit status 5")),
        ('import "example.test/nowhere"\n\n%%\nnowhere.Be()', fails("CompileError", "example.test/nowhere")),
        ('%%\nfmt.Println("goes on")', "goes on\n"),
    ],
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name, tmp_path):
    kernel = client.Kernel()
    try:
        for code, said in NOTEBOOKS[name]:
            code = code.replace("SIDE", str(tmp_path / "side"))
            check(kernel.run(code), code, said)
    finally:
        kernel.close()


def check(result, code, said):
    if callable(said):
        assert said(result) is not False, f"{code}\n{result}"
        return
    assert result.status == "ok" and not result.of("error"), f"{code}\n{result}"
    text = result.stream()
    if isinstance(said, re.Pattern):
        assert said.search(text), f"{code}\n{result}"
    elif said is not None:
        assert text == said, f"{code}\n{result}"
