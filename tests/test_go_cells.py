"""What GoNB offers still works behind the kernel, and what it hides is told."""

import pytest

WORKS = {
    "a function kept for the next cell": [
        ("func twice[T int | float64](x T) T { return x + x }", ""),
        ("%%\nfmt.Println(twice(21), twice(0.25))", "42 0.5\n"),
    ],
    "a method on a pointer": [
        ("type counter struct{ n int }\n\nfunc (c *counter) add() { c.n++ }\n\n%%\nvar c counter\nc.add()\nc.add()\nfmt.Println(c.n)", "2\n"),
    ],
    "variables from a tuple": [
        ("func three() (a, b, c int) { return 3, 5, 7 }\n\nvar first, _, last = three()\n\n%%\nfmt.Println(first, last)", "3 7\n"),
    ],
    "a type defined anew": [
        ("type shade int\n\n%%\nfmt.Println(shade(3))", "3\n"),
        ('type shade string\n\n%%\nfmt.Println(shade("dark"))', "dark\n"),
    ],
    "shell commands": [("!echo from the shell", "from the shell\n"), ("!printf '%s\\n' two; printf '%s\\n' lines", "two\nlines\n")],
    "a bash cell": [("%%bash\nfor i in 1 2; do echo \"line $i\"; done", "line 1\nline 2\n")],
    "an environment variable": [("%env SHADE dark", None), ('%%\nfmt.Println(os.Getenv("SHADE"))', "dark\n")],
    "flags of the program": [
        ('var size = flag.Int("size", 1, "how large")\n\n%% --size=7\nfmt.Println(*size)', "7\n"),
    ],
    "a function run by name": [("func greet() { fmt.Println(\"hello\") }\n\n%exec greet", "hello\n")],
    "no Go at all": [("", ""), ("// nothing but a comment", None)],
    "much output": [("%%\nfor i := range 2000 {\n\tfmt.Println(i)\n}", "".join(f"{i}\n" for i in range(2000)))],
    "several scripts in the text": [('%%\nfmt.Println("naïve Ω 日本 🙂")', "naïve Ω 日本 🙂\n")],
}


@pytest.mark.parametrize("name", WORKS)
def test_works(shared_kernel, name):
    for code, said in WORKS[name]:
        result = shared_kernel.ok(code)
        if said is not None:
            assert result.stream() == said, result


def test_tests_run(shared_kernel):
    result = shared_kernel.ok("%test\nfunc TestSum(t *testing.T) {\n\tif 2+2 != 4 {\n\t\tt.Fatal(\"no\")\n\t}\n}")
    assert "PASS" in result.stream()


FAILS = {
    "a panic": ('%%\npanic("boom")', "boom"),
    "a panic with an error": ('%%\npanic(fmt.Errorf("no %s today", "bread"))', "no bread today"),
    "a nil map": ("%%\nvar m map[string]int\nm[\"a\"] = 1", "nil map"),
    "a panic in a goroutine": ("%%\nvar group sync.WaitGroup\ngroup.Add(1)\ngo func() { panic(\"aside\") }()\ngroup.Wait()", "aside"),
    "a deadlock": ("%%\n<-make(chan int)", "deadlock"),
    "an exit": ("%%\nos.Exit(3)", "3"),
    "a compile error": ("%%\nvar number int = \"text\"", "number"),
    "a syntax error": ("%%\nif {", ""),
    "a shell command": ("!exit 4", "4"),
    "a bash cell": ("%%bash\nexit 5", "5"),
    "an unknown magic": ("%nosuch", "nosuch"),
    "an unknown cell magic": ("%%nosuch\ntext", "nosuch"),
}


@pytest.mark.parametrize("name", FAILS)
def test_fails(shared_kernel, name):
    code, said = FAILS[name]
    error = shared_kernel.refused(code)
    assert said in error["evalue"], error
    assert len(error["evalue"].splitlines()) <= 1 or name == "a compile error", error
    text = "\n".join(error["traceback"])
    assert "/tmp/" not in text and "/dev/shm" not in text, error
    assert shared_kernel.ok('%%\nfmt.Println("next")').stream() == "next\n"


def test_a_panic_names_the_line_of_the_cell(shared_kernel):
    result = shared_kernel.run('func deep() {\n\tpanic("boom")\n}\n\n%%\ndeep()')
    assert result.status == "error"
    first = result.reply["traceback"][0]
    assert first == f"cell {result.count} line 2: boom", result.reply


def test_a_compile_error_names_the_line_of_the_cell(shared_kernel):
    result = shared_kernel.run("%%\nfmt.Println(1)\nfmt.Println(undefinedThing)")
    assert result.status == "error"
    assert f"cell {result.count} line 3" in "\n".join(result.reply["traceback"]), result.reply
    assert "undefinedThing" in result.reply["evalue"]


def test_a_long_first_line(shared_kernel):
    """GoNB takes a cell's first line apart in time that grows with its square, and hears no interrupt meanwhile."""
    literal = "x" * 1_000_000
    assert shared_kernel.ok(f'var long = "{literal}"\n%%\nfmt.Println(len(long))').stream() == "1000000\n"
    for last, line in (("undefinedThing()", 3), ('panic("boom")', 3)):
        result = shared_kernel.run(f'const longer = "{literal}"\n%%\n{last}')
        assert f"cell {result.count} line {line}" in "\n".join(result.reply["traceback"]), result.reply


def test_cells_behind_a_failed_one_do_not_run(shared_kernel):
    """What was queued before the error came is refused; what comes later runs."""
    requests = [shared_kernel.send(code) for code in ('%%\npanic("first")', '%%\nfmt.Println("second")', "!echo third")]
    outcomes = []
    for request in requests:
        messages = shared_kernel.wait(request)
        outcomes.append(shared_kernel.reply(request)["status"])
        assert not any(m["msg_type"] == "stream" and m["content"]["name"] == "stdout" for m in messages)
    assert outcomes[0] == "error" and set(outcomes[1:]) <= {"error", "aborted"}
    assert shared_kernel.ok("!echo fourth").stream() == "fourth\n"


def test_idle_is_last(shared_kernel):
    """All output comes before idle, every time."""
    for n in range(10):
        result = shared_kernel.ok(f"%%\nfor i := range 500 {{\n\tfmt.Println({n}, i)\n}}")
        assert result.messages[-1]["content"]["execution_state"] == "idle"
        assert result.stream().count("\n") == 500
