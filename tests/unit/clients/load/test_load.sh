#!/bin/sh
# test_load.sh: the command line of cairn-load, without a daemon; tests/e2e/tools has the rest.
set -u
source=${srcdir:-.}
load=${CAIRN_LOAD:-./cairn-load}
# shellcheck source=tests/unit/clients/expect.sh
. "$source/tests/unit/clients/expect.sh"

expect 0 "usage: cairn-load [OPTION]... [WORLD...]" "$load" --help
expect 0 "--fail-snapshot-p99-ms MS" "$load" world --help
expect 0 "Exit status: 0 done" "$load" -h
expect 0 "cairn-load 0." "$load" --version
expect 0 ".TH CAIRN-LOAD 1" "$load" --help-man
expect 0 ".BR cairnd (8)" "$load" --help-man
expect 2 'there is no option --bot; did you mean --bots? (see cairn-load --help)' "$load" --bot 3
expect 2 'there is no option "-b"; options begin with --' "$load" -b 3
expect 2 "--bots wants a value: --bots N" "$load" --bots
expect 3 "cairn-load: can not connect to 127.0.0.1:1: nobody" "$load" --server 127.0.0.1:1
expect 2 "is no daemon's address; HOST:PORT is accepted" "$load" --server host:x
expect 2 "models with shares are accepted" "$load" --script walk=3
expect 2 "--bots is 0; 1 to" "$load" --bots 0
expect 2 "a number is accepted" "$load" --duration soon
expect 2 "--create wants --scene" "$load" --create 3
expect 2 "table and json are accepted" "$load" --format xml
expect 2 "--rate is 4294967296; at most 4294967295 is accepted" "$load" --rate 4294967296
expect 2 "there is no process" "$load" --watch-memory 4194303
if [ -w /dev/full ]; then
    expect 3 "cairn-load: can not write" sh -c "'$load' --help >/dev/full"
fi
expect_end
