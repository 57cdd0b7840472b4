"""What `topos install` writes, and that Jupyter finds it."""

import json
import pathlib
import subprocess

import pytest
from jupyter_client.kernelspec import KernelSpecManager

from conftest import BIN, VENV


def spec_of(prefix):
    return json.loads((prefix / "share/jupyter/kernels/topos/kernel.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A kernelspec installed under a prefix with a space in its name."""
    prefix = tmp_path_factory.mktemp("pre fix")
    run = subprocess.run([BIN / "topos", "install", "--prefix", prefix], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return prefix


@pytest.mark.parametrize("which", ["private", "venv"])
def test_contents(installed, which):
    spec = spec_of(installed if which == "private" else VENV)
    assert spec["language"] == "go"
    assert spec["interrupt_mode"] == "message"
    assert spec["display_name"]
    program, *arguments = spec["argv"]
    assert pathlib.Path(program).is_absolute() and pathlib.Path(program).is_file()
    assert arguments == ["kernel", "{connection_file}"]
    assert spec["env"]["TOPOS_IMAGE"] == "topos"
    assert "interpreter" in spec["env"]["TOPOS_BACKENDS"]


def test_tools_are_in_the_path_of_the_spec(installed):
    folders = [pathlib.Path(folder) for folder in spec_of(installed)["env"]["PATH"].split(":") if not folder.startswith("$")]
    for tool in ("go", "goimports", "gopls"):
        assert any((folder / tool).is_file() for folder in folders), f"{tool} is in none of {folders}"
    assert all(folder.is_absolute() for folder in folders)


def test_twice_is_the_same(installed):
    before = spec_of(installed)
    subprocess.run([BIN / "topos", "install", "--prefix", installed], check=True, capture_output=True)
    assert spec_of(installed) == before


def test_another_name(tmp_path):
    subprocess.run([BIN / "topos", "install", "--prefix", tmp_path, "--name", "topos-two"], check=True, capture_output=True)
    assert (tmp_path / "share/jupyter/kernels/topos-two/kernel.json").is_file()


def test_jupyter_finds_it():
    spec = KernelSpecManager().get_kernel_spec("topos")
    assert pathlib.Path(spec.resource_dir).is_relative_to(VENV)
    assert any(pathlib.Path(spec.resource_dir).glob("logo-*")), "no logo"


def test_doctor_has_nothing_to_say():
    run = subprocess.run([BIN / "topos", "doctor"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_kernel_info():
    import client

    kernel = client.Kernel()
    try:
        kernel.client.kernel_info()
        info = kernel.client.get_shell_msg(timeout=client.PATIENCE)["content"]
    finally:
        kernel.close()
    assert info["implementation"] == "topos"
    assert info["language_info"]["name"] == "go"
    assert info["protocol_version"].startswith("5.")
