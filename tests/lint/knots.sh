#!/bin/sh
# knots.sh: modules do not include each other in circles, and files do not call each other in knots.
#
# usage: tests/lint/knots.sh [--list | --lower]
#
# The remaining circles and knots have a budget by folder (tests/lint/knots_budget.txt).  A number
# above its budget fails.  --list prints all groups with the edges within them; --lower lowers the
# budgets to the present numbers, and never raises one.
set -eu
cd "${srcdir:-.}"
command -v python3 >/dev/null || { echo "knots: python3 is not here"; exit 77; }
srcdir=. sh tests/lint/files.sh '*.[ch]' '*.inc' | grep -v '^tests/' |
    python3 -B tests/lint/knots.py "$@"
