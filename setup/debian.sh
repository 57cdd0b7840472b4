#!/bin/sh
# debian.sh COMMAND PACKAGE...: installs Debian packages when COMMAND is missing and we may; else says what is left out.
# Always ends well: the tests that need the command then skip aloud, which fails under CI.
command=$1
shift
if command -v "$command" >/dev/null 2>&1; then
    echo "   $command is here"
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "WARNING: $command is missing and cannot be installed here; tests that need it are skipped (wanted: $*)"
    exit 0
fi
mkdir -p build
echo "   installing $*"
export DEBIAN_FRONTEND=noninteractive
if apt-get -q update >build/apt.log 2>&1 && apt-get -q install -y --no-install-recommends "$@" >>build/apt.log 2>&1; then
    echo "   installed $*"
else
    tail -n 20 build/apt.log
    echo "WARNING: $* could not be installed; tests that need $command are skipped"
fi
