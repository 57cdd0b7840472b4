"""Does the kernel do what the Jupyter protocol says: requests, cells, errors, completion."""

import time

import pytest

from conformance import Peer, main


@pytest.fixture(scope="module")
def peer():
    running = Peer()
    yield running
    running.close()


def code_points(text, marked):
    """The cursor behind marked, in code points."""
    return text.index(marked) + len(marked)


class TestRequests:
    def test_kernel_info(self, peer):
        info = peer.ask("kernel_info_request")
        assert info["status"] == "ok" and info["implementation"] and info["banner"]
        assert tuple(map(int, info["protocol_version"].split("."))) >= (5, 3)
        for key in ("name", "version", "mimetype", "file_extension"):
            assert info["language_info"][key], key

    @pytest.mark.parametrize("channel", ["shell", "control"])
    def test_c54_every_request_is_answered_while_a_cell_runs(self, peer, channel):
        """A second front end must be able to connect, and a first to look things up, during a long cell."""
        cell = peer.send(main('fmt.Println("busy")\ntime.Sleep(time.Hour)'))
        peer.hear(cell, "busy")
        for kind, content in {
            "kernel_info_request": {},
            "complete_request": {"code": "%%\nfmt.Printl", "cursor_pos": 13},
            "inspect_request": {"code": "%%\nfmt.Println", "cursor_pos": 12, "detail_level": 0},
            "is_complete_request": {"code": "func F() {"},
            "history_request": {"hist_access_type": "tail", "n": 3, "output": False, "raw": True},
            "comm_info_request": {},
            "connect_request": {},
        }.items():
            reply = peer.ask(kind, content, channel, within=5)
            assert reply["status"] in ("ok", "incomplete"), (kind, reply)
            assert "Println" in reply.get("matches", ["Println"]), reply
            assert reply.get("found", True) and "Println" in str(reply.get("data", "Println")), reply
        request = peer.request("interrupt_request", channel="control")
        assert peer.answer(request, "control", within=5)["content"]["status"] == "ok"
        assert peer.rest(cell).status == "error"

    def test_unknown_request_does_not_kill(self, peer):
        peer.request("no_such_request")
        assert peer.alive()

    def test_bad_signature_does_not_kill(self, peer):
        session = peer.client.session
        good, session.key = session.key, b"not-the-key"
        try:
            peer.request("kernel_info_request")
        finally:
            session.key = good
        assert peer.alive()

    def test_debug_is_declined(self, peer):
        assert peer.ask("debug_request", {"type": "request", "seq": 1, "command": "initialize"}, "control")["status"] == "error"

    def test_history(self, peer):
        cells = [main(f"fmt.Println({n})") for n in (1, 2)]
        counts = [peer.ok(cell).count for cell in cells]
        tail = peer.ask("history_request", {"hist_access_type": "tail", "n": 2, "output": False, "raw": True})["history"]
        assert [entry[1:] for entry in tail] == [[count, cell] for count, cell in zip(counts, cells, strict=True)]
        found = peer.ask("history_request", {"hist_access_type": "search", "pattern": "*Println(2)*", "output": False, "raw": True})["history"]
        assert found[-1][1:] == [counts[1], cells[1]]


class TestCells:
    def test_counts_and_order(self, peer):
        first, second = peer.ok(main("fmt.Println(1)")), peer.ok(main("fmt.Println(2)"))
        assert second.count == first.count + 1
        assert [m["msg_type"] for m in second.messages][:2] == ["status", "execute_input"]
        assert second.of("execute_input")[0]["execution_count"] == second.count
        assert second.messages[-1]["content"]["execution_state"] == "idle"

    def test_declarations_persist_state_does_not(self, peer):
        peer.ok("var Account = 0\nfunc Bump() int { Account++; return Account }")
        assert [peer.ok(main("fmt.Println(Bump())")).stream() for _ in range(2)] == ["1\n", "1\n"]

    def test_store_history_false_keeps_the_count(self, peer):
        first = peer.ok(main("fmt.Println(1)"))
        assert "execution_count" in peer.ok(main("fmt.Println(2)"), store_history=False).reply
        assert peer.ok(main("fmt.Println(3)")).count == first.count + 1

    def test_silent_is_silent(self, peer):
        result = peer.run(main('fmt.Println("quiet")'), silent=True)
        assert {m["msg_type"] for m in result.messages} == {"status"}

    def test_user_expressions(self, peer):
        assert isinstance(peer.ok(main("fmt.Println(1)"), user_expressions={"x": "1"}).reply["user_expressions"], dict)

    def test_empty_cell(self, peer):
        assert peer.run("").status == "ok"

    def test_large_and_unicode_output(self, peer):
        text = peer.ok(main('fmt.Println("héllo, 世界 🐹")\nfmt.Print(strings.Repeat("0123456789\\n", 20000))')).stream()
        assert text == "héllo, 世界 🐹\n" + "0123456789\n" * 20000

    def test_unicode_split_across_writes(self, peer):
        assert peer.ok(main('for i := 0; i < 40000; i++ { fmt.Print("世") }')).stream() == "世" * 40000

    def test_background_child_does_not_hold_the_cell(self, peer):
        began = time.monotonic()
        peer.ok("!sleep 30 &\n")
        assert time.monotonic() - began < 20

    def test_50_queued_cells_in_order(self, peer):
        requests = [peer.send(f"%env ORDER {n}") for n in range(50)]
        counts = [peer.wait(request) and peer.reply(request)["execution_count"] for request in requests]
        assert counts == list(range(counts[0], counts[0] + 50))


class TestErrors:
    @pytest.mark.parametrize(
        ("code", "said"),
        {
            "panic": (main('panic("boom")'), "boom"),
            "compile": (main("x := 1\n_ = undefinedThing\n_ = x"), "undefinedThing"),
            "parse": ("func F( {", "expected"),
            "exit": (main("os.Exit(3)"), "3"),
            "shell": ("!exit 3", "3"),
            "bash": ("%%bash\nexit 3", "3"),
            "line magic": ("%no_such_magic", "no_such_magic"),
            "cell magic": ("%%no_such_magic\nhello", "no_such_magic"),
        }.values(),
        ids=lambda value: None,
    )
    def test_a_failure_says_so_once(self, peer, code, said):
        """nbclient and papermill show ename, evalue and traceback alone."""
        error = peer.refused(code)
        assert error["ename"] and said in error["evalue"] + "\n".join(error["traceback"])

    def test_c55_a_failure_aborts_the_queue(self, peer):
        requests = [peer.send(main(body)) for body in ('panic("stop")', 'fmt.Println("must not run")', "fmt.Println(1)")]
        results = [peer.rest(request) for request in requests]
        assert [result.status for result in results] == ["error", "aborted", "aborted"]
        assert all({m["msg_type"] for m in result.messages} == {"status"} for result in results[1:])
        assert peer.alive()

    def test_a_failed_cell_leaves_declarations(self, peer):
        peer.ok("func Kept() int { return 7 }")
        peer.run("func Kept() int { return nope }")
        assert peer.ok(main("fmt.Println(Kept())")).stream() == "7\n"


@pytest.fixture
def newborn():
    running = Peer()
    yield running
    running.close()


class TestIntrospection:
    """Whether or not gopls has read the standard library yet, which takes it seconds when it is first asked."""

    def test_before_any_cell(self, newborn):
        code = main("fmt.Println")
        reply = newborn.ask("inspect_request", {"code": code, "cursor_pos": len(code), "detail_level": 0}, within=5)
        assert reply["found"] and "func Println(a ...any)" in reply["data"]["text/plain"] and reply["data"]["text/markdown"]
        matches, replaced = self.complete(newborn, main("fmt.Printl"))
        assert "Println" in matches and replaced == "Printl"
        code = main("nosuchthing")
        reply = newborn.ask("inspect_request", {"code": code, "cursor_pos": len(code) - 2, "detail_level": 0}, within=5)
        assert reply["status"] == "ok" and not reply["found"]

    def complete(self, peer, code, cursor=None):
        reply = peer.ask("complete_request", {"code": code, "cursor_pos": len(code) if cursor is None else cursor})
        assert reply["status"] == "ok"
        return reply["matches"], code[reply["cursor_start"] : reply["cursor_end"]]

    def test_complete_a_package(self, peer):
        matches, replaced = self.complete(peer, main("fmt.Printl"))
        assert "Println" in matches and replaced == "Printl"

    def test_complete_what_a_cell_declared(self, peer):
        peer.ok("func VeryOwnName() int { return 1 }")
        matches, _ = self.complete(peer, main("_ = VeryOwn"))
        assert any(match.startswith("VeryOwnName") for match in matches), matches

    def test_complete_a_magic(self, peer):
        assert self.complete(peer, "%rese")[0]

    def test_cursor_counts_code_points(self, peer):
        """Since version 5.2 of the protocol."""
        matches, replaced = self.complete(peer, main('_ = "🐹"; fmt.Printl'))
        assert "Println" in matches and replaced == "Printl"

    def test_inspect(self, peer):
        code = main("fmt.Println(1)")
        reply = peer.ask("inspect_request", {"code": code, "cursor_pos": code_points(code, "Print"), "detail_level": 0})
        assert reply["found"] and "Println" in str(reply["data"])

    def test_inspect_nothing(self, peer):
        code = main("nosuchthing")
        reply = peer.ask("inspect_request", {"code": code, "cursor_pos": len(code) - 2, "detail_level": 0})
        assert reply["status"] == "ok" and not reply["found"]

    def test_broken_code_does_not_kill(self, peer):
        for code in ("%", "!", "%%", "", "\n", "%%script", "func (", '"', "`"):
            self.complete(peer, code)
        assert peer.alive()

    @pytest.mark.parametrize(
        ("code", "status"),
        [
            ("func F() int { return 1 }", "complete"),
            (main("fmt.Println(1)"), "complete"),
            ("func F() int {", "incomplete"),
            ("func F( int { ]", "invalid"),
        ],
    )
    def test_is_complete(self, peer, code, status):
        assert peer.ask("is_complete_request", {"code": code})["status"] == status
