#!/bin/sh
# venv.sh: makes ./.venv with the first Python of 3.11 or newer that can. PYTHON=path chooses another.
set -eu
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "   using $("$python" --version) ($python)"
        # --clear: a venv left half made, or made by a Python that is gone, is of no use.
        if "$python" -m venv --clear .venv; then
            exit 0
        fi
        echo "error: '$python -m venv' does not work here; on Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
done
echo "error: no Python of 3.11 or newer found; name one with PYTHON=path" >&2
exit 1
