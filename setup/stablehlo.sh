#!/bin/sh
# stablehlo.sh FOLDER [all]: an environment of its own for what runs emitted modules: jaxlib, whose parser and interpreter need
# little else, and with `all` also jax, for XLA, and IREE.
# With Python 3.12 or newer it has the versions that topos/STABLEHLO.md names. 3.11 gets an older jaxlib, and the page is not compared.
set -eu
folder=$1
want=${2:-}
requirements=tests/stablehlo
stamp="$folder/.installed$want"
install() {
    "$folder/bin/python" -m pip install -q --disable-pip-version-check --no-deps "$@"
}
for python in ${PYTHON:-python3.12 python3.13 python3.14 "${HOME:-}"/.pyenv/versions/3.12*/bin/python3.12 python3.11 python3}; do
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
    if [ "$want" = all ]; then
        install -r "$list" -r "$requirements/requirements-iree.txt"
    else
        # --no-compile: what is imported of it is little.
        # shellcheck disable=SC2046 # one word for each package
        install --no-compile $(grep -E '^(jaxlib|ml_dtypes|numpy)==' "$list")
    fi
    touch "$stamp"
    exit 0
done
echo "error: no Python of 3.11 or newer that runs; name one with PYTHON=path" >&2
exit 1
