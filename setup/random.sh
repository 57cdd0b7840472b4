#!/bin/sh
# random.sh TIME: checks random programs for that long, and prints what they were made of.
set -u
output=$(mktemp)
trap 'rm -f "$output"' EXIT
go test -count=1 -v -timeout 0 -run '^TestRandomPrograms$' ./topos -random-for "$1" >"$output" 2>&1
status=$?
if [ "$status" = 0 ]; then
    sed -n 's/^ *[a-z_]*_test\.go:[0-9]*: //p' "$output"
else
    cat "$output"
fi
exit "$status"
