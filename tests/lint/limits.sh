#!/bin/sh
# limits.sh: every row of docs/limits.md names a test, and the named tests exist.
#
# A row's last cell: "FILE: NAME, NAME; FILE".  FILE is one of the short names below, "unit X" for
# tests/unit/**/test_X.c, or a path in backquotes; NAME is a part of the name of one of its tests.
# Text behind a name in brackets, or after "shows", is not checked.
set -eu
cd "$(dirname "$0")/../.."

cells() {
    awk '
        /^## / { is_of_tests = 0 }
        /^\|.*\| test \|$/ { is_of_tests = 1; next }
        /^\|---/ || !/^\|/ { next }
        is_of_tests {
            n = split($0, cell, "|")
            sub(/^ */, "", cell[n - 1])
            print FNR ":" cell[n - 1]
        }' docs/limits.md
}

file_of() {
    case $1 in
    run | access | identity | rooms | limits | strict | memory) echo "tests/e2e/protocol/$1" ;;
    session | guard | load | log | config) ls tests/unit/server/*/"test_$1.c" ;;
    codec | scenes_bad) echo "tests/unit/proto/test_$1.c" ;;
    twins | sessions | early | baking | bounds) echo "tests/scenario/test_$1.c" ;;
    walls) echo tests/scenario/test_limits.c ;;
    unit\ *) find tests/unit -name "test_${1#unit }.c" ;;
    \`*\`) ls "$(echo "$1" | tr -d '\140')" "$(echo "$1" | tr -d '\140')".c 2>/dev/null || true ;;
    esac
}

# tell LINE WHAT
tell() {
    echo "docs/limits.md:$1: $2" >>"$wrong"
}

# look LINE PART: one "FILE: NAME, NAME".
look() {
    short=$(echo "$2" | sed 's/: .*//; s/^ *//; s/ *$//')
    names=$(echo "$2" | sed -n 's/^[^:]*: //p' | sed 's/ shows .*//; s/([^)]*)//g; s/,/ /g')
    file=$(file_of "$short" | head -n 1)
    if [ -z "$file" ]; then
        tell "$1" "there are no tests \"$short\""
        return
    fi
    for name in $names; do
        grep -q "test_[a-z_0-9]*${name}[a-z_0-9]*(" "$file" ||
            tell "$1" "$file has no test $name"
    done
}

count=0
wrong=$(mktemp)
list=$(mktemp)
trap 'rm -f "$list" "$wrong"' EXIT
cells >"$list"
while IFS=: read -r line cell; do
    count=$((count + 1))
    [ -n "$(echo "$cell" | tr -d ' ')" ] || tell "$line" "no test holds this row"
    rest=$cell
    while [ -n "$rest" ]; do
        part=${rest%%;*}
        look "$line" "$part"
        [ "$part" != "$rest" ] || break
        rest=${rest#*;}
    done
done <"$list"
cat "$wrong"
echo "limits: $count rows"
[ "$count" -gt 60 ] && [ ! -s "$wrong" ]
