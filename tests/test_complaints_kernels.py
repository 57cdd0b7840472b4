"""What people complained of in other kernels, row by row: the input of each is a test named by its id.

C-53, C-54, C-55, C-59 and C-60 are also tests of kernel/server; C-59, C-60 and C-65 of test_conformance_life.py.
ROUNDS says how often a test that can only fail now and then is repeated.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import time

import bs4
import nbformat
import psutil
import pytest
from nbconvert import HTMLExporter

from client import GO_HEAD, Kernel
from conftest import BIN
from static_siblings import DATA, lacking, visible

ROUNDS = int(os.environ.get("ROUNDS", "3"))

TAPE = "%%tape\nw = parameter [2] {0.5, 0.25}\nx = input [2] {1, 2}\nloss = sum(tanh(w * x))\n"


@pytest.fixture(scope="module")
def recorded():
    """A kernel with a tape, and with Go cells that know it."""
    running = Kernel()
    running.ok(TAPE)
    running.ok(GO_HEAD)
    yield running
    running.close()


@pytest.fixture(scope="module")
def cards(recorded):
    """The six cards, from a tape cell and from a Go cell."""
    shown = recorded.ok("%%tape\n%read\n").displays + recorded.ok("%%\ncells.Show(s)\n").displays
    assert len(shown) == 7
    return shown


def test_c56_idle_is_last_behind_much_output(recorded):
    """10,000 lines and a card, again and again: all of it before idle, and the reply too comes behind it."""
    for _ in range(ROUNDS):
        result = recorded.ok("%%\nfor i := range 10_000 {\n\tfmt.Println(i)\n}\ncells.Show(s)\n")
        assert result.stream() == "".join(f"{i}\n" for i in range(10_000))
        assert [m["msg_type"] for m in result.messages][-2:] == ["display_data", "status"]
        assert [content["execution_state"] for content in result.of("status")] == ["busy", "idle"]


def test_c58_no_widget_carries_information(cards, kernel):
    """Widgets are missing from an exported page. Nothing that the kernel shows is one, or says more than its static forms;
    and the page that nbconvert makes, read without scripts, has what each of them says."""
    cells = [TAPE + "%read\n", "%names", "%tape", "%train loss --steps 20"]
    results = [kernel.ok(code) for code in cells]
    assert not [m["msg_type"] for result in results for m in result.messages if m["msg_type"].startswith("comm_")]
    shown = cards + [m["data"] for result in results for kind in ("display_data", "update_display_data") for m in result.of(kind)]
    assert len(shown) > len(cards) + 6
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])
    areas = bs4.BeautifulSoup(HTMLExporter().from_notebook_node(notebook)[0], "html.parser").select("div.jp-OutputArea-child")
    for data, area in zip(shown, areas, strict=True):
        assert lacking(data) == [], data["text/plain"]
        assert visible(data.get("text/html", data["text/plain"])) <= visible(str(area)), data["text/plain"]


@pytest.mark.parametrize(
    ("data", "lacks"),
    [
        ({"text/plain": "1 Mul", "text/html": "<b>1 Mul [2]</b>", DATA: {"rows": [{"index": 1, "opcode": "Mul", "shape": [2]}]}}, []),
        ({"text/plain": "1 Mul", DATA: {"rows": [{"index": 1, "opcode": "Mul", "shape": [2]}], "digest": "3"}}, ["2"]),
        ({"text/plain": "", "text/html": "<script>loss</script>", DATA: {"rows": [{"name": "loss"}]}}, ["loss"]),
        ({"text/plain": "", "text/html": "<img alt='loss of 3'>", DATA: {"rows": [{"name": "loss", "count": 3}]}}, []),
        ({"text/plain": "7", "application/vnd.jupyter.widget-view+json": {"model_id": "7"}}, ["application/vnd.jupyter.widget-view+json needs a program"]),
        ({"text/html": "7"}, ["no text/plain"]),
    ],
)
def test_c58_what_a_static_form_lacks_is_found(data, lacks):
    assert lacking(data) == lacks


def test_c64_cards_do_without_scripts(cards):
    for data in cards:
        assert "<script" not in data["text/html"] and not re.search(r"\son\w+=", data["text/html"])


def test_c62_receivers_tuples_and_types_redefined(recorded):
    for code, said in {
        "type tally struct{ n int }\n\nfunc (t *tally) add() { t.n++ }\n\n%%\nvar t tally\nt.add()\nfmt.Println(t.n)": "1\n",
        "type box[T any] struct{ v T }\n\nfunc (b *box[T]) put(v T) { b.v = v }\n\n%%\nvar b box[string]\nb.put(\"in\")\nfmt.Println(b.v)": "in\n",
        "func two() (int, string) { return 2, \"two\" }\n\nvar number, word = two()\n\n%%\nfmt.Println(number, word)": "2 two\n",
        "type point struct{ x int }\n\nfunc (p point) twice() int { return 2 * p.x }\n\n%%\nfmt.Println(point{3}.twice())": "6\n",
        "func (p *point) twice() int { return p.x + p.x + 1 }\n\n%%\np := &point{3}\nfmt.Println(p.twice())": "7\n",
    }.items():
        assert recorded.ok(code).stream() == said


def test_c63_completion_before_anything_ran(kernel):
    """Of the tape language and of magics, without running anything; never from the rest of the notebook."""
    slowest = 0.0
    for code, match in {"%%tape\ny = tan": "tanh", "%%tape\nw = par": "parameter", "%val": "%values", "%plan --wr": "--wrt"}.items():
        began = time.monotonic()
        request = kernel.client.complete(code)
        content = kernel.reply(request)
        slowest = max(slowest, time.monotonic() - began)
        assert match in content["matches"], content
    assert slowest < 5
    kernel.ok(TAPE)
    content = kernel.reply(kernel.client.complete("%%tape\ny = lo"))
    assert content["matches"] == ["loss", "log", "log1p"] or content["matches"][0] == "loss", content
    kinds = content["metadata"]["_jupyter_types_experimental"]
    assert kinds[0]["text"] == "loss" and "f32" in kinds[0]["signature"]
    inspected = kernel.reply(kernel.client.inspect("%%tape\n# 🐹\ny = loss", 17))
    assert "loss: #" in inspected["data"]["text/plain"]


def test_c67_a_missing_module_is_one_clear_line(recorded):
    error = recorded.refused('import "example.test/nowhere"\n%%\nnowhere.Be()')
    assert re.fullmatch(r"cell \d+ line 1: package example\.test/nowhere is in none of the modules at hand: fetch its module with %get example\.test/nowhere@latest", error["evalue"])


def test_c67_no_network_is_needed():
    """Go cells compile where no module can be fetched."""
    offline = Kernel(env={**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod", "GONOSUMDB": "*", "HTTPS_PROXY": "http://127.0.0.1:9"})
    try:
        offline.ok(TAPE)
        assert offline.ok(GO_HEAD + "%%\ncells.Show(s)").displays
    finally:
        offline.close()


def test_c68_built_by_a_toolchain_of_today():
    text = subprocess.run(["go", "version", "-m", BIN / "topos"], capture_output=True, text=True, check=True).stdout
    version = re.search(r": go1\.(\d+)", text)
    assert version and int(version[1]) >= 26, text
    assert "gophernotes" not in text and "gomacro" not in text


def test_c69_no_cell_takes_minutes(recorded):
    """Bounds on liveness; `make bench-cells` measures."""
    for code, most in ((TAPE, 10), ('%%\nfmt.Println("warm")', 60)):
        began = time.monotonic()
        recorded.ok(code)
        assert time.monotonic() - began < most


def test_c70_a_client_that_reads_iopub_last(kernel):
    """Shell is answered to the end whatever piles up elsewhere, and nothing of that is lost."""
    requests = [kernel.send(f'%%\nfor i := range 5000 {{\n\tfmt.Println({n}, i, "a line of some length that fills the buffers")\n}}') for n in range(3)]
    requests.append(kernel.send(TAPE + "%spec\n"))
    replies = [kernel.reply(request) for request in requests]
    assert [reply["status"] for reply in replies] == ["ok"] * 4
    heard = [kernel.wait(request) for request in requests]
    for messages in heard[:3]:
        assert "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream").count("\n") == 5000
    assert [m["msg_type"] for m in heard[3]] == ["status", "execute_input", "display_data", "status"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be chosen on this system")
def test_c70_one_processor():
    """As in a small container: nothing waits for a thread that never gets its turn."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        alone = Kernel()
    finally:
        os.sched_setaffinity(0, before)
    try:
        request = alone.send('%%\nfmt.Println("spin")\nfor {\n}')
        alone.wait(request, until=lambda m: m["msg_type"] == "stream")
        assert alone.reply(alone.client.complete("%%tape\ny = tan"))["matches"] == ["tanh"]
        alone.manager.interrupt_kernel()
        alone.wait(request)
        assert alone.reply(request)["ename"] == "KeyboardInterrupt"
        assert alone.ok(TAPE + "%values\n").displays
    finally:
        alone.close()


def test_c71_a_cell_right_after_a_restart(kernel):
    """A client need not guess when its subscription is there: the kernel says so. 20 restarts lose no output."""
    for n in range(20):
        silence(kernel)
        kernel.manager.restart_kernel(now=n % 2 == 1)
        welcome = hear(kernel, "iopub_welcome")
        result = kernel.ok(f"%%tape\nw = parameter {n}.5\n%names\n")
        kinds = [m["msg_type"] for m in result.messages]
        assert kinds == ["status", "execute_input", "display_data", "status"], f"restart {n}, {kinds}\n{result}"
        assert result.count == 1, f"restart {n}\n{result}"
        assert {m["header"]["session"] for m in result.messages} == {welcome["header"]["session"]}, f"restart {n}: another kernel's welcome"


def silence(kernel):
    """Takes what the kernel has published so far: a welcome among it would be taken for that of the next kernel."""
    with contextlib.suppress(queue.Empty):
        while True:
            kernel.client.get_iopub_msg(timeout=0.2)


def hear(kernel, kind, patience=60):
    """Waits for an iopub message of that kind, whatever it belongs to."""
    end = time.monotonic() + patience
    while (message := kernel.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic())))["msg_type"] != kind:
        pass
    return message


def test_c73_a_killed_kernel_is_seen_dead(kernel):
    """kill -9 in the middle of a cell: the client learns it within seconds, and nothing of the kernel is left."""
    request = kernel.send('%%\nfmt.Println("running")\ntime.Sleep(time.Hour)')
    kernel.wait(request, until=lambda m: m["msg_type"] == "stream")
    process = psutil.Process(kernel.manager.provisioner.pid)
    family = [process, *process.children(recursive=True)]
    assert len(family) >= 3, "the test looks in the wrong place"
    kernel.client.hb_channel.unpause()
    began = time.monotonic()
    process.send_signal(signal.SIGKILL)
    while kernel.manager.is_alive() or kernel.client.hb_channel.is_beating():
        assert time.monotonic() - began < 15
        time.sleep(0.05)
    assert [p for p in psutil.wait_procs(family, timeout=15)[1] if p.status() != psutil.STATUS_ZOMBIE] == []
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    kernel.ok(TAPE)


def test_c73_eight_kernels_start_at_once():
    """All are ready, and soon: 5 seconds on a quiet machine, a bound on liveness here."""
    from jupyter_client.manager import KernelManager

    began, managers = time.monotonic(), [KernelManager(kernel_name="topos") for _ in range(8)]
    with contextlib.ExitStack() as stack:
        clients = []
        for manager in managers:
            manager.start_kernel()
            stack.callback(manager.shutdown_kernel, now=True)
            client = manager.client()
            client.start_channels()
            stack.callback(client.stop_channels)
            clients.append(client)
        for client in clients:
            client.wait_for_ready(timeout=60)
        print(f"8 kernels ready after {time.monotonic() - began:.1f} s")
        assert time.monotonic() - began < 60


def gonb_of(kernel):
    family = psutil.Process(kernel.manager.provisioner.pid).children(recursive=True)
    return next(p for p in family if p.name() == "gonb")


def test_a_killed_gonb_is_started_again_and_the_session_kept(kernel):
    kernel.ok(TAPE)
    kernel.ok(GO_HEAD + "func early() int { return 7 }\n")
    spec = kernel.ok("%%tape\n%spec\n").displays
    request = kernel.send('%%\nfmt.Println("running")\ntime.Sleep(time.Hour)')
    kernel.wait(request, until=lambda m: m["msg_type"] == "stream")
    dead = gonb_of(kernel)
    orphans = dead.children(recursive=True)
    dead.send_signal(signal.SIGKILL)
    messages = kernel.wait(request)
    assert kernel.reply(request)["ename"] == "GoNBError"
    said = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream" and m["content"]["name"] == "stderr")
    assert "started again" in said and "the session is kept" in said
    assert messages[-1]["content"]["execution_state"] == "idle"
    assert kernel.ok("%%tape\n%spec\n").displays == spec
    assert kernel.ok(GO_HEAD + '%%\nfmt.Println(len(s.Get("loss").Shape()))').stream() == "0\n"
    assert "early" in kernel.refused("%%\nfmt.Println(early())")["evalue"]
    assert [p for p in psutil.wait_procs(orphans, timeout=15)[1] if p.status() != psutil.STATUS_ZOMBIE] == []
