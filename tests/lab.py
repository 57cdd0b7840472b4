"""JupyterLab as `make lab` starts it, and a headless Chromium that looks at it."""

import contextlib
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

from playwright.sync_api import sync_playwright

from conftest import ROOT

CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


def chromium():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def jupyterlab(folder):
    """Runs `make lab` on folder; gives (address, token)."""
    port, token = free_port(), os.urandom(16).hex()
    options = f"--no-browser --ServerApp.port={port} --ServerApp.port_retries=0"
    server = subprocess.Popen(
        ["make", "lab", f"NOTEBOOKS={folder}", f"LAB_ARGS={options}"],
        cwd=ROOT, env={**os.environ, "JUPYTER_TOKEN": token}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )
    said = queue.Queue()
    reader = threading.Thread(target=lambda: [said.put(line) for line in server.stdout] and None, daemon=True)
    reader.start()
    try:
        await_line(said, f"127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}", token
    finally:
        # The whole group: make, the shell, JupyterLab; it ends its kernels itself.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=30)


def await_line(said, word, patience=120):
    """Waits until the server prints a line with word."""
    lines, end = [], time.monotonic() + patience
    while True:
        try:
            line = said.get(timeout=max(0.01, end - time.monotonic()))
        except queue.Empty:
            raise AssertionError("JupyterLab did not start:\n" + "".join(lines)) from None
        lines.append(line)
        if word in line:
            return


class Page:
    """One JupyterLab page; remembers what its console complained about."""

    def __init__(self, page, address, token):
        self.page, self.address, self.token, self.complaints = page, address, token, []
        self.patience = 200_000
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("requestfailed", lambda request: self.complaints.append(f"request failed: {request.url} {request.failure}"))

    def hear(self, message):
        if message.type == "error":
            place = (message.location or {}).get("url", "")
            self.complaints.append(f"{message.text} {place}".replace(self.token, "TOKEN"))

    def open(self, notebook):
        """Opens a notebook in an own workspace and waits until its kernel is idle."""
        self.page.goto(f"{self.address}/lab/workspaces/test/tree/{notebook}?reset&token={self.token}")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.page.get_by_text(re.compile(r"\| Idle$")).first.wait_for(timeout=60_000)

    def restart_and_run_all(self, cells):
        """Restarts and runs all, and waits until the last of so many code cells has ended."""
        self.restart_and_run(
            """count => {
                const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(p => p.textContent.trim());
                return prompts.some(p => p === `[${count}]:`) && !prompts.some(p => p === '[*]:');
            }""",
            cells,
        )

    def restart_and_run(self, ended, *argument):
        """Chooses Run > Restart Kernel and Run All Cells, confirms, and waits until a function of the page says that all has ended."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_text(re.compile("^Restart Kernel and Run All Cells")).click()
        self.page.locator(".jp-Dialog button.jp-mod-accept").click()
        self.page.wait_for_function(ended, arg=argument[0] if argument else None, timeout=self.patience)


@contextlib.contextmanager
def browser(address, token):
    """A Chromium page of a size that shows a card whole."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), headless=True, args=CHROMIUM_FLAGS)
        try:
            yield Page(running.new_page(viewport={"width": 1280, "height": 1000}), address, token)
        finally:
            running.close()
