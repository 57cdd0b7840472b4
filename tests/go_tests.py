"""Runs every Go test, counts the skipped ones, and prints how many rows of golden data each suite ran.

    python tests/go_tests.py [PACKAGE ...]

With a C compiler the race detector is on; without one a line says that it is off. When CI is set, a skipped test that
tests/skips.txt does not name is a failure.

Tests under kernel/ drive real programs, among all else that the machine does. One that fails there is run once more, alone, and
named as UNSTABLE when it passes then. A data race is never forgiven.
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import skips

ROOT = pathlib.Path(__file__).resolve().parent.parent


def command(packages):
    """The go test command, and the environment it needs."""
    flags = ["-json", "-shuffle=on", "-timeout=15m"]
    environment = dict(os.environ)
    if shutil.which("gcc") or shutil.which("cc"):
        flags.append("-race")
        environment["CGO_ENABLED"] = "1"
        print("== go test, with the race detector", flush=True)
    else:
        print("== go test\nWARNING: no C compiler, so the race detector is OFF", flush=True)
    return ["go", "test", *flags, *packages], environment


REAL_PROGRAMS = "/kernel/"


def again(report, arguments, environment):
    """Runs the failed tests of real programs once more, alone; returns those that fail again, with all other failures."""
    still = []
    for package in [name for name in report.failed if name in report.broken]:
        tests = sorted({name.removeprefix(package + ".").split("/")[0] for name in report.failed if name.startswith(package + ".")})
        text = report.broken[package]
        if REAL_PROGRAMS not in package or not tests or "DATA RACE" in text or "panic: test timed out" in text:
            still.append(package)
            continue
        flags = [a for a in arguments[2:] if a.startswith("-") and a != "-json"]
        once = ["go", "test", *flags, "-count=1", "-run", f"^({'|'.join(tests)})$", package]
        print(f"== once more, alone: {package} {' '.join(tests)}", flush=True)
        done = subprocess.run(once, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stdout, done.stderr)
            still.append(package)
        else:
            print(f"UNSTABLE: {', '.join(tests)} of {package} failed, then passed alone", flush=True)
    return still


class Report:
    """Collects the events of `go test -json`; prints one line per package and the output of what failed."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []
        self.output = collections.defaultdict(list)
        self.broken = {}  # packages that failed, with all that they printed
        self.golden = []  # the golden suites' counts

    def event(self, event):
        package, test = event.get("Package", event.get("ImportPath", "")), event.get("Test")
        action = event["Action"]
        if action in ("output", "build-output"):
            self.output[package, test].append(event["Output"])
            if ": golden: " in event["Output"]:
                self.golden.append(event["Output"].split(": ", 1)[1].strip())
        elif test is not None:
            self.ended(action, package, test)
        elif action in ("pass", "fail", "skip"):
            self.package(action, package, event.get("Elapsed", 0))

    def ended(self, action, package, test):
        if action == "pass":
            self.passed += 1
        elif action == "fail":
            self.failed.append(f"{package}.{test}")
        elif action == "skip":
            self.skipped.append((f"{package}.{test}", "".join(self.output[package, test])))

    def package(self, action, package, elapsed):
        if action == "fail":
            self.broken[package] = "".join(text for (of, _), lines in self.output.items() if of == package for text in lines)
            print(self.broken[package])
            self.failed.append(package)
        words = {"pass": "ok  ", "fail": "FAIL", "skip": "?   "}
        print(f"{words[action]} {package} {elapsed:.1f} s", flush=True)
        if action != "fail":  # what passed is not needed again: free it
            for key in [key for key in self.output if key[0] == package and key[1] is not None]:
                del self.output[key]


def main(packages):
    arguments, environment = command(packages or ["./..."])
    report = Report()
    with subprocess.Popen(arguments, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                print(line, end="")  # the go command's own words: a build that failed, say
                continue
            report.event(event)
    for (package, test), lines in report.output.items():
        if run.returncode and test is None and package not in report.failed and "FAIL" in "".join(lines):
            print("".join(lines))
    allowed = skips.load()
    unnamed = []
    for name, said in report.skipped:
        print(f"SKIP {name}: {' '.join(said.split())}")
        if skips.matching(name, allowed) is None:
            unnamed.append(name)
    status = run.returncode
    failures = report.failed
    if status and report.broken and not any("FAIL" in "".join(lines) for (of, test), lines in report.output.items()
                                            if test is None and of not in report.broken):
        failures = again(report, arguments, environment)
        status = 1 if failures else 0
    if unnamed and os.environ.get("CI"):
        print("skipped without a reason in tests/skips.txt:", ", ".join(unnamed))
        status = 1
    for line in sorted(report.golden):
        print(line)
    print(f"go test: {report.passed} passed, {len(failures)} failed, {len(report.skipped)} skipped", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
