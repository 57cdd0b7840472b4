#!/bin/sh
# golden.sh: runs every suite of golden data and prints how many rows each ran and passed.
# TOPOS_GOLDEN names another folder of files with the same names, to run further rows of the same kinds.
set -u
packages=$(git ls-files -co --exclude-standard '*_test.go' | xargs grep -l '^func TestGolden' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# shellcheck disable=SC2086 # one word per package
go test -count=1 -v -run '^TestGolden' $packages >"$output" 2>&1
status=$?
if [ "$status" != 0 ]; then
    grep -v -e '^=== ' -e '^ *--- PASS' -e 'golden: ' "$output"
fi
sed -n 's/^.*: golden: \(.*\)$/golden: \1/p' "$output"
if [ "$status" != 0 ]; then
    echo "make golden: rows failed, see above" >&2
fi
exit "$status"
