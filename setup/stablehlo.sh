#!/bin/sh
# stablehlo.sh FOLDER [iree]: an environment of its own for the engines that run emitted modules.
# With Python 3.12 or newer it has the versions that topos/STABLEHLO.md names. 3.11 gets an older jax, and the page is not compared.
set -eu
folder=$1
want=${2:-}
requirements=tests/stablehlo
stamp="$folder/.installed$want"
for python in ${PYTHON:-python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.12*/bin/python3.12 python3.11 python3}; do
    case $("$python" -c 'import sys; print("%d%02d" % sys.version_info[:2])' 2>/dev/null || true) in
    312 | 313 | 314) list=$requirements/requirements.txt ;;
    311) list=$requirements/requirements-311.txt ;;
    *) continue ;;
    esac
    if [ -e "$stamp" ] && [ "$stamp" -nt "$list" ] && [ "$stamp" -nt "$requirements/requirements-iree.txt" ]; then
        exit 0
    fi
    echo "   using $("$python" --version) ($python), $list"
    [ -x "$folder/bin/python" ] || "$python" -m venv --clear "$folder"
    "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$list"
    [ -z "$want" ] || "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements/requirements-iree.txt"
    touch "$stamp"
    exit 0
done
echo "error: no Python of 3.11 or newer that runs; name one with PYTHON=path" >&2
exit 1
