#!/bin/sh
# pins.sh: freezes requirements.in and tests/requirements.in from a scratch environment.
# Run it with the oldest Python that is supported, PYTHON=path: newer packages may refuse that one (Debian 12 has 3.11.2).
set -eu
scratch=build/pins
rm -rf "$scratch"
"${PYTHON:-python3}" -m venv "$scratch"
freeze() { "$scratch/bin/python" -m pip freeze --exclude pip --exclude setuptools; }
"$scratch/bin/python" -m pip install -q --disable-pip-version-check -r requirements.in
freeze >requirements.txt
"$scratch/bin/python" -m pip install -q --disable-pip-version-check -r tests/requirements.in
freeze | grep -vxFf requirements.txt >tests/requirements.txt
rm -rf "$scratch"
git diff --stat -- requirements.txt tests/requirements.txt
