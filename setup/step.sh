#!/bin/sh
# step.sh SAYS COMMAND...: runs a long step and prints every ten seconds that it is still at work.
says=$1
shift
echo "== $says"
start=$(date +%s)
# The sleep must not hold our output open: it may outlive the step by some seconds.
(while sleep 10 >/dev/null 2>&1; do echo "   ... $says: $(($(date +%s) - start)) s"; done) &
ticker=$!
trap 'kill "$ticker" 2>/dev/null' EXIT
trap 'exit 130' INT TERM
"$@"
