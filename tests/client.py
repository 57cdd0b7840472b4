"""A Jupyter client for tests: start a kernel, run a cell, look at all that came back."""

import dataclasses
import queue
import time

from jupyter_client.manager import start_new_kernel

# How long a cell may take before a test calls it hung. A bound on liveness, not a measurement.
PATIENCE = 120

# What stands above the first Go cell of a session.
GO_HEAD = """import (
	"fmt"
	"os"
	"time"

	"github.com/topos-notebook/topos/cells"
	. "github.com/topos-notebook/topos/topos"
)

var s = cells.Open(F32)
"""


@dataclasses.dataclass
class Result:
    """All that one execute_request brought: the reply's content, and the iopub messages up to idle."""

    reply: dict
    messages: list

    @property
    def status(self):
        return self.reply["status"]

    @property
    def count(self):
        return self.reply["execution_count"]

    def of(self, kind):
        """The contents of all messages of that type, in order."""
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    @property
    def displays(self):
        """The MIME bundles shown, in order."""
        return [m["content"]["data"] for m in self.messages if m["msg_type"] in ("display_data", "execute_result")]

    @property
    def plain(self):
        """The text/plain forms of all that was shown, one after the other."""
        return "\n".join(data["text/plain"] for data in self.displays)

    def stream(self, name="stdout"):
        return "".join(content["text"] for content in self.of("stream") if content["name"] == name)

    def __str__(self):
        lines = [f"status {self.status}"]
        for message in self.messages:
            lines.append(f"  {message['msg_type']}: {str(message['content'])[:2000]}")
        return "\n".join(lines)


class Kernel:
    """A running kernel and a client of it."""

    def __init__(self, name="topos", **options):
        self.manager, self.client = start_new_kernel(startup_timeout=60, kernel_name=name, **options)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=False)

    def send(self, code, **options):
        """Sends a cell; returns its message id."""
        return self.client.execute(code, **options)

    def wait(self, request, until=None):
        """Waits for a cell's idle, or for the first message that until accepts; returns the messages so far."""
        messages, end = [], time.monotonic() + PATIENCE
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no idle within {PATIENCE} s; got {[m['msg_type'] for m in messages]}") from None
            if message["parent_header"].get("msg_id") != request:
                continue
            messages.append(message)
            if until is not None and until(message):
                return messages
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return messages

    def reply(self, request):
        """The reply to a cell."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                message = self.client.get_shell_msg(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no reply within {PATIENCE} s") from None
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def run(self, code, **options):
        """Runs a cell to its end."""
        request = self.send(code, **options)
        messages = self.wait(request)
        return Result(self.reply(request), messages)

    def ok(self, code, **options):
        """Runs a cell that must succeed."""
        result = self.run(code, **options)
        assert result.status == "ok" and not result.of("error"), f"{code}\n{result}"
        return result

    def refused(self, code, **options):
        """Runs a cell that must fail: one error message and a reply of status error that agree. Returns the error."""
        result = self.run(code, **options)
        errors = result.of("error")
        assert result.status == "error" and len(errors) == 1, f"{code[:1000]}\n{result}"
        for key in ("ename", "evalue", "traceback"):
            assert errors[0][key] == result.reply[key], f"{key} differs between error and execute_reply\n{result}"
        return errors[0]
