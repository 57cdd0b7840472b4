"""Emitted modules in the hands of others: C-48 to C-52. `make stablehlo` gives them to XLA and IREE as well."""

import json
import os
import re
import subprocess

import pytest

from conftest import ROOT

# Compiling the Go tests and running two thousand modules takes a minute, several on a busy machine.
pytestmark = pytest.mark.timeout(1200)
FOLDER = ROOT / "build" / "stablehlo"
PINS = ROOT / "tests" / "stablehlo" / "requirements.txt"
PAGE = (ROOT / "topos" / "STABLEHLO.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def modules():
    """The golden modules, each operation alone, and those of 300 random programs, written for the check as well."""
    folder = FOLDER / "modules"
    folder.mkdir(parents=True, exist_ok=True)
    command = ["go", "test", "./topos", "-count=1", "-run=^TestWrite", f"-write-programs={folder}", "-random=75"]
    subprocess.run(command, cwd=ROOT, check=True, stdin=subprocess.DEVNULL, env=os.environ | {"CGO_ENABLED": "0"})
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def python():
    """The Python of an environment with jaxlib."""
    if not (FOLDER / "venv" / ".installed").exists():
        pytest.skip("there is no jaxlib: sh setup/stablehlo.sh build/stablehlo/venv")
    return FOLDER / "venv" / "bin" / "python"


def test_c48_c50_modules_are_read_again_and_run(modules, python):
    """The parser takes all of them, the reference interpreter answers our values, and faults made on purpose are found."""
    command = [python, "tests/stablehlo/check.py", "--engines", "parser,interpreter", "--kept"]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-8000:]
    assert re.search(r"^1[0-9] faults made on purpose, 0 unnoticed$", done.stdout, re.MULTILINE), done.stdout
    for engine in ("parser", "interpreter"):
        for suite in ("golden", "random", "random, wild"):
            assert re.search(rf"^{engine} +{suite} +f32 +\d{{2,}} +0 ", done.stdout, re.MULTILINE), done.stdout


def test_c49_one_dialect(modules):
    """A module is `module @topos` in the stablehlo dialect; chlo occurs for erf alone, and nothing is versioned."""
    assert len(modules) > 1500
    for module in modules:
        text = module["module"]
        assert text.startswith("module @topos {\n  func.func @main("), module["name"]
        words = set(re.findall(r"\b([a-z]+)\.[a-z_]+", re.sub(r"dense<[^>]*>|#stablehlo\.", "", text)))
        assert words <= {"func", "stablehlo", "chlo"}, (module["name"], words)
        assert set(re.findall(r"\bchlo\.[a-z_]+", text)) <= {"chlo.erf"}, module["name"]


def test_c50_every_operation_has_a_row(modules):
    """The page says of each operation which engines accept it."""
    named = {m["name"].split("/")[1] for m in modules if m["name"].startswith("operation/")}
    listed = {line.split("|")[1].strip() for line in PAGE.splitlines() if line.count("|") == 6}
    named = {name for name in named if not name.endswith("(special)")}
    assert named and named <= listed, f"make stablehlo UPDATE=1 would add {sorted(named - listed)}"


def test_c51_scalars_are_broadcast_over_no_dimensions(modules):
    for element in ("f32", "f64", "bf16", "f16"):
        module = next(m for m in modules if m["name"] == f"operation/Broadcast/{element}")
        assert f"dims = [] : (tensor<{element}>)" in module["module"]


def test_c52_versions_are_pinned(python):
    """The parser that the page names is the one that the requirements pin, and that was run."""
    pins = dict(line.split("==") for line in PINS.read_text(encoding="utf-8").split())
    assert f"jaxlib {pins['jaxlib']}" in PAGE
    found = subprocess.run([python, "-c", "import jaxlib, sys; print(jaxlib.__version__, *sys.version_info[:2])"], capture_output=True, text=True, check=True)
    version, *running = found.stdout.split()
    assert version == (pins["jaxlib"] if tuple(map(int, running)) >= (3, 12) else "0.10.2")
