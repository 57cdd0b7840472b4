"""Runs the tests of real Jupyter clients, and once more, alone, the few that failed.

    python tests/client_tests.py [PYTEST ARGUMENT ...]

They drive kernels, compilers and browsers among all else that the machine does. A test that passes the second time is named as
UNSTABLE, with what it said the first time above: it is a defect to look for, but no reason to refuse what the others show.
"""

import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent

# More failures than these have a reason in common, and would fail again.
FEW = 3


class Failures:
    """A plugin that remembers which tests failed, be it in their set-up or their end, and whether all else went well."""

    def __init__(self):
        self.tests, self.elsewhere = [], False

    def pytest_runtest_logreport(self, report):
        if report.failed and report.nodeid not in self.tests:
            self.tests.append(report.nodeid)

    def pytest_collectreport(self, report):
        self.elsewhere = self.elsewhere or report.failed


def main(arguments):
    failures = Failures()
    status = pytest.main(["--rootdir", str(TESTS), *(arguments or [str(TESTS)])], plugins=[failures])
    if status != pytest.ExitCode.TESTS_FAILED or failures.elsewhere or len(failures.tests) > FEW:
        return int(status)
    names = ", ".join(failures.tests)
    print(f"== once more, alone: {names}", flush=True)
    again = subprocess.run([sys.executable, "-m", "pytest", "-q", *failures.tests], cwd=TESTS, stdin=subprocess.DEVNULL, check=False)
    if again.returncode == 0:
        print(f"UNSTABLE: {names} failed, then passed alone", flush=True)
    return again.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
