#!/bin/sh
# test_bench.sh: the command line of cairn-bench, and short runs.
set -u
source=${srcdir:-.}
bench=${CAIRN_BENCH:-./cairn-bench}
# shellcheck source=tests/unit/clients/expect.sh
. "$source/tests/unit/clients/expect.sh"

expect 0 "usage: cairn-bench [OPTION]... [SCENE...]" "$bench" --help
expect 0 "cairn-bench 0." "$bench" --version
expect 0 "planar   washer " "$bench" --list
expect 0 "spatial  rings " "$bench" --list spatial
expect 2 'there is no option --step; did you mean --steps? (see cairn-bench --help)' \
    "$bench" --step 3
expect 2 'there is no scene "washr" to measure; did you mean "washer"?' "$bench" washr
expect 2 '--format is "xml"; table, json or csv is accepted' "$bench" --format xml
expect 2 '--stepper is "evnt"; cairn list steppers' "$bench" --stepper evnt
expect 2 '--solver is "x"; cairn list solvers' "$bench" --solver x
expect 2 '--simd is "x"; there is plain' "$bench" --simd x
expect 2 "--runs is from 1 to 1000" "$bench" --runs 0
expect 2 "--workers is from 1 to" "$bench" --workers 0
expect 2 "--count" "$bench" --count 3 washer
expect 0 "planar/ladder" "$bench" planar/ladder --steps 3
expect 0 '"scene": "ladder", "stepper": "time", "solver": "impulse"' \
    "$bench" planar/ladder --steps 3 --format json
expect 0 "2" sh -c "'$bench' planar/ladder --steps 3 --format csv | wc -l"
# Two workers give the same state, to the bit.
state() {
    "$bench" planar/ladder --steps 20 --format json "$@" | sed 's/.*"state": "\([0-9a-f]*\)".*/\1/'
}
one=$(state)
two=$(state --workers 2)
expect 0 "$one" echo "$two"
expect_end
