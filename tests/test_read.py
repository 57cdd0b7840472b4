"""`topos read` on the walkthrough's program: the plates, byte for byte, without a notebook."""

import json
import subprocess

import pytest

from conftest import BIN, ROOT

PROGRAM = ROOT / "notebooks" / "walkthrough.tape"


def read(*options):
    done = subprocess.run([BIN / "topos", "read", PROGRAM, *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def in_order(text, plate):
    """The lines of the plate that are missing from the text, looked for in order."""
    lines = iter(text.splitlines())
    return [wanted for wanted in plate.rstrip("\n").split("\n") if wanted not in lines]


@pytest.mark.parametrize(
    "options, plate",
    [
        (["--reading", "spec"], "spec"),
        (["--reading", "plan", "--observe", "hidden"], "plan"),
        (["--reading", "stablehlo", "--observe", "hidden"], "stablehlo"),
    ],
)
def test_one_reading(plates, options, plate):
    assert read(*options).rstrip("\n") == plates[plate].rstrip("\n")


def test_the_gradient_shows_what_was_appended(plates):
    text = read("--reading", "gradient")
    assert in_order(text, plates["differentiated"]) == []
    assert "23 nodes appended by differentiate; node 28 is d loss / d weights" in text


@pytest.mark.parametrize("plate", ["spec", "differentiated", "plan", "stablehlo"])
def test_all_readings(plates, plate):
    assert in_order(read("--observe", "hidden", "--reading", "all"), plates[plate]) == []


def test_the_numbers(plates):
    text = read("--observe", "hidden", "--reading", "values")
    for number in plates["printed"]:
        assert number in text


def test_the_picture_is_svg():
    assert read("--reading", "picture").lstrip().startswith("<svg")


def test_json_holds_the_same_text(plates):
    text = read("--reading", "spec", "--json")
    assert plates["spec"].rstrip("\n") in json.dumps(json.loads(text), ensure_ascii=False).encode().decode("unicode_escape")


def test_twice_the_same():
    assert read("--reading", "all") == read("--reading", "all")
