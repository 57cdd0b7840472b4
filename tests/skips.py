"""The tests that may be skipped under CI, and why: tests/skips.txt."""

import fnmatch
import pathlib

PATH = pathlib.Path(__file__).resolve().parent / "skips.txt"


def load(path=PATH):
    """Reads lines `PATTERN: reason`; returns a dictionary. A line without a reason is an error."""
    allowed = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        pattern, colon, reason = line.partition(": ")
        if not colon or not reason.strip():
            raise ValueError(f"{path.name} line {number}: a skipped test needs a reason: {line!r}")
        allowed[pattern.strip()] = reason.strip()
    return allowed


def matching(name, allowed):
    """The reason for skipping the test of that name, or None."""
    for pattern, reason in allowed.items():
        if fnmatch.fnmatchcase(name, pattern):
            return reason
    return None
