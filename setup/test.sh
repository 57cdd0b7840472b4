#!/bin/sh
# test.sh: every test there is; each part runs even when an earlier one fails, so that one run tells everything.
status=0
.venv/bin/python tests/go_tests.py || status=1
echo "== random programs for 60 s"
sh setup/random.sh 60s || status=1
echo "== the product through real Jupyter clients and Chromium"
.venv/bin/python tests/client_tests.py || status=1
if [ "$status" != 0 ]; then
    echo "make test: something failed, see above" >&2
fi
exit "$status"
