"""Kills a kernel a thousand times at random moments while cells run: no cell that was answered may be missing afterwards.

    python tests/soak_kills.py [TIMES]
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(times="1000"):
    command = ["go", "test", "./kernel/topos", "-count=1", "-timeout=2h", "-v", "-run", "^TestKilledAtRandom$", "-kills", times]
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
