"""Emitted modules through engines of others: C-48 to C-52. `make stablehlo` runs more of them, and IREE as well."""

import json
import re
import subprocess

import pytest

from conftest import ROOT

FOLDER = ROOT / "build" / "stablehlo"
PAGE = (ROOT / "topos" / "STABLEHLO.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def python():
    """The Python of an environment with jaxlib."""
    made = subprocess.run(["sh", "setup/stablehlo.sh", FOLDER / "venv"], cwd=ROOT, check=False, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"jaxlib cannot be installed: {made.stderr.strip()[-300:]}")
    return FOLDER / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def checked(python):
    """One run of the check over 300 random programs, and its output."""
    command = [python, "tests/stablehlo/check.py", "--engines", "parser,interpreter,xla", "--random", "75", "--stride", "6"]
    return subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture(scope="module")
def modules(checked):
    """The modules that the check ran."""
    return [json.loads(line) for path in FOLDER.glob("modules/*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]


def test_c48_c50_modules_are_read_again_and_run(checked):
    assert checked.returncode == 0, checked.stdout[-8000:]
    for engine in ("parser", "interpreter", "xla"):
        assert re.search(rf"^{engine} +golden +f32 +\d+ +0 ", checked.stdout, re.MULTILINE), checked.stdout


def test_c49_one_dialect(modules):
    """A module is `module @topos` in the stablehlo dialect; chlo occurs for erf alone, and nothing is versioned."""
    assert len(modules) > 1000
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
    pins = dict(line.split("==") for line in (ROOT / "tests" / "stablehlo" / "requirements.txt").read_text(encoding="utf-8").split())
    assert f"jaxlib {pins['jaxlib']}" in PAGE
    found = subprocess.run([python, "-c", "import jaxlib, sys; print(jaxlib.__version__, *sys.version_info[:2])"], capture_output=True, text=True, check=True)
    version, *running = found.stdout.split()
    assert version == (pins["jaxlib"] if tuple(map(int, running)) >= (3, 12) else "0.10.2")
