"""Fixtures of the client tests, and the rule that CI skips nothing without a reason."""

import json
import os
import pathlib

import pytest

import client
import skips

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = ROOT / "build" / "bin"
ALLOWED_SKIPS = skips.load()


@pytest.fixture(scope="session", autouse=True)
def alone(tmp_path_factory):
    """Keeps the user's own Jupyter settings, and earlier sessions, out of the tests."""
    home = tmp_path_factory.mktemp("jupyter")
    kept = dict(os.environ)
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "TOPOS_STATE"):
        folder = home / variable.lower()
        folder.mkdir(mode=0o700)
        os.environ[variable] = str(folder)
    os.environ.pop("JUPYTER_PATH", None)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture
def kernel():
    """A fresh kernel for one test."""
    running = client.Kernel()
    yield running
    running.close()


@pytest.fixture(scope="module")
def shared_kernel():
    """One kernel for the tests of a module that leave its tape as it was."""
    running = client.Kernel()
    yield running
    running.close()


@pytest.fixture(scope="session")
def plates():
    """The walkthrough's texts and numbers as the reference prints them."""
    return json.loads((ROOT / "topos" / "testdata" / "walkthrough.json").read_text(encoding="utf-8"))


def unexcused(nodeid):
    """Under CI: the complaint about a skipped test that skips.txt does not name."""
    if os.environ.get("CI") and skips.matching(nodeid, ALLOWED_SKIPS) is None:
        return "skipped under CI, and tests/skips.txt gives no reason"
    return None


def fail_unexcused(report, nodeid):
    if report.skipped and not hasattr(report, "wasxfail") and (complaint := unexcused(nodeid)):
        report.outcome, report.longrepr = "failed", f"{nodeid} {complaint}: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return fail_unexcused((yield), item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return fail_unexcused((yield), collector.nodeid)
