#!/bin/sh
# fuzz.sh TIME: runs every fuzz target for that long. (`make test` runs their seeds.)
set -eu
for package in $(git ls-files -co --exclude-standard '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n 1 dirname | sort -u); do
    for target in $(go test -list '^Fuzz' "./$package" | grep '^Fuzz'); do
        echo "== $package $target, $1"
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "./$package"
    done
done
