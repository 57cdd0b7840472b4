"""The interpreter's bits are the same on every platform: C-23, C-24, C-25, C-26. `make platforms` runs WebAssembly as well."""

import pytest

import platforms


@pytest.mark.parametrize("name", ["amd64-v1", "amd64-v3", "arm64"])
def test_c23_c24_c25_c26_same_bits(name):
    try:
        passed, _, output = platforms.run(name)
    except platforms.Missing as why:
        pytest.skip(str(why))
    assert passed, output


def test_every_platform_is_compared_with_one_file():
    """The digests that a platform must answer do not depend on which it is."""
    for package in platforms.PACKAGES:
        assert [path.name for path in (platforms.ROOT / package / "testdata").glob("digests*")] == ["digests.txt"]
