"""Runs the tests that compare bits on several platforms, and prints a table of their digests.

    python tests/platforms.py [PLATFORM ...]

The digests are over the values of the golden programs, of random ones and of the maps, as the interpreter computes them; the files
testdata/digests.txt hold what every platform must answer. A platform that cannot be run here is left out, which is said.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ("./topos", "./topos/elementary")
PATTERN = "C23"  # the named tests of digests

PLATFORMS = {
    "amd64-v1": {"GOARCH": "amd64", "GOAMD64": "v1"},
    "amd64-v3": {"GOARCH": "amd64", "GOAMD64": "v3"},
    "arm64": {"GOARCH": "arm64"},
    "wasm": {"GOOS": "js", "GOARCH": "wasm"},
}
# What the Go compiler may use at v3; /proc/cpuinfo calls LZCNT abm.
V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


class Missing(Exception):
    """Why a platform cannot be run here."""


def go(*arguments):
    return subprocess.run(["go", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def processor():
    """The features of this machine's processor, or nothing where no file tells."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return None
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return set(flags[1].split()) if flags else None


def runner(name):
    """The arguments that have `go test` run a foreign binary."""
    host = go("env", "GOHOSTARCH")
    if name == "wasm":
        if not shutil.which("node"):
            raise Missing("node is not installed")
        for folder in ("lib", "misc"):  # misc before Go 1.24
            script = pathlib.Path(go("env", "GOROOT")) / folder / "wasm" / "go_js_wasm_exec"
            if script.exists():
                return [f"-exec={script}"]
        raise Missing("this Go has no go_js_wasm_exec")
    wanted = PLATFORMS[name]["GOARCH"]
    if host == wanted:
        if name == "amd64-v3" and (features := processor()) is not None and not V3 <= features:
            raise Missing(f"this processor lacks {', '.join(sorted(V3 - features))}")
        return []
    if sys.platform != "linux":
        raise Missing(f"{wanted} runs under qemu on Linux only")
    emulator = {"arm64": "aarch64", "amd64": "x86_64"}[wanted]
    for command in (f"qemu-{emulator}-static", f"qemu-{emulator}"):
        if shutil.which(command):
            return [f"-exec={command} -cpu max"]
    raise Missing(f"qemu-{emulator} is not installed (Debian: qemu-user-static)")


def run(name):
    """Runs the tests on a platform: passed or not, their digests by package, and all that was printed."""
    flags = runner(name)
    environment = {key: value for key, value in os.environ.items() if key not in ("GOOS", "GOARCH", "GOAMD64", "GOFLAGS")}
    if name == "wasm":  # its stack limit counts the environment
        environment = {key: value for key, value in environment.items() if key in ("PATH", "HOME", "GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "TMPDIR")}
    done = subprocess.run(
        ["go", "test", f"-run={PATTERN}", "-v", "-timeout=20m", *flags, *PACKAGES], cwd=ROOT, check=False, text=True,
        env=environment | PLATFORMS[name] | {"CGO_ENABLED": "0"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    digests = re.findall(r"digest: ([0-9a-f]{64})", done.stdout)
    passed = done.returncode == 0 and len(digests) == len(PACKAGES)
    return passed, digests, done.stdout


def main(names):
    status = 0
    print("| platform | golden programs | maps | equal |\n| --- | --- | --- | --- |", flush=True)
    for name in names or PLATFORMS:
        try:
            passed, digests, output = run(name)
        except Missing as why:
            print(f"| {name} | | | SKIPPED: {why} |", flush=True)
            continue
        cells = [digest[:16] for digest in digests] + ["none"] * (len(PACKAGES) - len(digests))
        print(f"| {name} | {' | '.join(cells)} | {'yes' if passed else 'NO'} |", flush=True)
        if not passed:
            print(output)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
