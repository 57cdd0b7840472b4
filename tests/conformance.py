"""What the conformance tests share: a client that hears every socket of a kernel, and cells of the GoNB dialect.

The tests ask what the Jupyter protocol says of any kernel, and run on any kernel of the dialect:

    make conformance                                  # ours
    make conformance KERNEL=gonb                      # another that is installed
"""

import os
import queue
import time

from client import Kernel, Result

KERNEL = os.environ.get("CONFORMANCE_KERNEL", "topos")

# The version of GoNB that cells import for displays and questions.
GONB = "v0.11.1"
REQUIRE = f"!*go mod edit -require github.com/janpfeifer/gonb@{GONB}"
GONBUI = 'import "github.com/janpfeifer/gonb/gonbui"\n%%\n'

# A bound on liveness; what is asked to be quick says so in its own test.
PATIENCE = 60


def main(body):
    """A Go cell that runs body."""
    return "%%\n" + body


class Peer(Kernel):
    """A kernel under test, and a client that can speak on each channel by itself."""

    def __init__(self, **options):
        super().__init__(KERNEL, **options)

    def request(self, kind, content=None, channel="shell"):
        """Sends a message of any kind; returns its id."""
        message = self.client.session.msg(kind, {} if content is None else content)
        getattr(self.client, channel + "_channel").send(message)
        return message["header"]["msg_id"]

    def answer(self, request, channel="shell", within=PATIENCE):
        """The whole reply to a request, on the channel it was sent on."""
        end = time.monotonic() + within
        while True:
            try:
                message = getattr(self.client, channel + "_channel").get_msg(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no reply on {channel} within {within} s") from None
            if message["parent_header"].get("msg_id") == request:
                return message

    def ask(self, kind, content=None, channel="shell", within=PATIENCE):
        """The content of the reply to a message of any kind."""
        return self.answer(self.request(kind, content, channel), channel, within)["content"]

    def hear(self, request, text):
        """Waits until a cell has written text."""
        self.wait(request, until=lambda m: m["msg_type"] == "stream" and text in m["content"]["text"])

    def rest(self, request):
        """The end of a cell whose beginning has been heard."""
        messages = self.wait(request)
        return Result(self.reply(request), messages)

    def interrupt(self, request):
        """Interrupts; returns the end of the cell, and after how many seconds it came."""
        began = time.monotonic()
        self.manager.interrupt_kernel()
        result = self.rest(request)
        return result, time.monotonic() - began

    def later(self, request, seconds):
        """What still comes on iopub for a cell, for so many seconds after its idle."""
        late, end = [], time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self.client.get_iopub_msg(timeout=left)
            except queue.Empty:
                break
            if message["parent_header"].get("msg_id") == request:
                late.append(message)
        return late

    def alive(self):
        """Both that the process runs and that it runs cells."""
        return self.manager.is_alive() and self.ok(main('fmt.Println("alive")')).stream() == "alive\n"
