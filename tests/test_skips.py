"""The rule about skipped tests, tried on itself."""

import subprocess
import sys

import pytest

import skips


@pytest.mark.parametrize(
    "text, name, reason",
    [
        ("test_x.py::test_y: needs a phone", "test_x.py::test_y", "needs a phone"),
        ("# nothing\n\ntest_x.py::*: needs a phone", "test_x.py::test_z", "needs a phone"),
        ("test_x.py::test_y: needs a phone", "test_x.py::test_yy", None),
    ],
)
def test_reasons(tmp_path, text, name, reason):
    path = tmp_path / "skips.txt"
    path.write_text(text)
    assert skips.matching(name, skips.load(path)) == reason


def test_a_skip_without_a_reason_is_an_error(tmp_path):
    path = tmp_path / "skips.txt"
    path.write_text("# first\ntest_x.py::test_y:\n")
    with pytest.raises(ValueError, match="skips.txt line 2: a skipped test needs a reason"):
        skips.load(path)


@pytest.mark.parametrize("environment, status, word", [({}, 0, "1 skipped"), ({"CI": "true"}, 1, "skips.txt gives no reason")])
def test_ci_fails_on_a_skipped_test(tmp_path, pytestconfig, environment, status, word):
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_it():\n    pytest.skip('no phone')\n")
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(pytestconfig.rootpath)!r})\n"
        "from conftest_rule import *\n"
    )
    (tmp_path / "conftest_rule.py").write_text((pytestconfig.rootpath / "conftest.py").read_text())
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path, env={"PATH": "", "HOME": str(tmp_path), **environment}, capture_output=True, text=True,
    )
    assert run.returncode == status, run.stdout + run.stderr
    assert word in run.stdout
