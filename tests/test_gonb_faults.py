"""Each known fault of GoNB v0.11.1 that the kernel corrects from outside is held by a test; this is the list of them."""

import re

import pytest

from conftest import ROOT

# What GoNB does, and the tests that see that this kernel does not.
FAULTS = {
    "bad signatures and malformed frames end it": "kernel/server/faults_test.go TestC53Faults",
    "spoiled messages end it": "kernel/server/mutations_test.go TestC53Mutations",
    "comm_close is never handled": "kernel/server/requests_test.go TestComms",
    "is_complete, history and comm_info are never answered": "kernel/server/requests_test.go TestC54EveryRequestIsAnsweredWhileACellRuns",
    "control replies arrive on shell": "tests/test_conformance_life.py test_the_reply_comes_on_control",
    "kernel_info on control waits behind a running cell": "tests/test_conformance.py test_c54_every_request_is_answered_while_a_cell_runs",
    "stop_on_error is ignored": "kernel/server/server_test.go TestC55FailureAbortsWhatIsQueued",
    "displays without Sync are lost or come after idle": "tests/test_conformance_life.py test_c56_displays_without_sync_come_before_idle",
    "a background child holds the cell": "tests/test_conformance.py test_background_child_does_not_hold_the_cell",
    "silent still streams": "tests/test_conformance.py test_silent_is_silent",
    "store_history=false omits the count": "tests/test_conformance.py test_store_history_false_keeps_the_count",
    "an unknown magic is ok, and the body of an unknown cell magic runs as Go": "kernel/gonb/magics_test.go TestUnknown",
    "input_request although allow_stdin is false": "tests/test_conformance_life.py test_c65_none_where_nobody_can_answer",
    "no text/plain beside HTML": "tests/test_conformance_life.py test_there_is_always_plain_text",
    "cursor positions are read as UTF-16": "tests/test_conformance.py test_cursor_counts_code_points",
    "inspection that finds nothing says found": "tests/test_conformance.py test_inspect_nothing",
    "an interrupt of go get is lost": "kernel/server/interrupt_test.go TestC59InterruptGoGet",
    "an interrupt of goimports is lost": "kernel/server/interrupt_test.go TestC59InterruptImports",
    "an interrupt of go build is lost": "kernel/server/interrupt_test.go TestC59InterruptCompiler",
    "an interrupt before anything runs is lost": "kernel/process/interrupt_test.go TestInterruptBeforeAnythingRuns",
    "a compile error is told in HTML alone": "kernel/server/gonb_test.go TestGoCells",
    "a panic arrives in many small messages": "tests/test_conformance.py test_a_failure_says_so_once",
    "a panic, an exit status and a failed command are ok": "kernel/server/server_test.go TestJudge",
    "one stream message for each read of a pipe": "kernel/server/server_test.go TestStreamsAreBatched",
    "widgets open a socket without encryption at the root of the host": "kernel/gonb/page_test.go TestMendedAddress",
    "%reset wipes go.mod": "kernel/process/integration_test.go TestGonbModule",
    "no magic for a module of the user's": "kernel/gonb/expand_test.go TestExpand",
    "gopls outlives a killed GoNB": "kernel/gonb/kernel_test.go TestNothingOutlivesTheChild",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_test_holds(fault):
    path, name = FAULTS[fault].split()
    assert re.search(rf"^\s*(func|def) {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), f"{name} is not in {path}"
