#!/bin/sh
# knots_test.sh: knots.sh finds planted circles and knots, and never raises a budget.
#
# Each case plants files in a small tree of its own and checks the output of the lint.
set -eu
here=$(cd "${srcdir:-.}" && pwd)
command -v python3 >/dev/null || { echo "knots_test: python3 is not here"; exit 77; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/lint" "$tree/engine/base" "$tree/server/net"
cp "$here/tests/lint/knots.sh" "$here/tests/lint/knots.py" "$here/tests/lint/files.sh" \
    "$tree/tests/lint/"
failed=0
count=0

# lint STATUS PATTERN WHAT [ARGUMENT...]: the exit status, and a pattern of the output.
lint() {
    wanted=$1 pattern=$2 what=$3 status=0
    shift 3
    srcdir=$tree sh "$tree/tests/lint/knots.sh" "$@" >"$tree/out" 2>&1 || status=$?
    count=$((count + 1))
    if [ "$status" != "$wanted" ] || ! grep -q -e "$pattern" "$tree/out"; then
        echo "knots_test: $what: status $status, expected $wanted and: $pattern"
        sed 's/^/    | /' "$tree/out"
        failed=1
    fi
}

# plant NAME HEADER SOURCE: the module engine/base/NAME.
plant() {
    printf '%b' "$2" >"$tree/engine/base/$1.h"
    printf '#include "engine/base/%s.h"\n%b' "$1" "$3" >"$tree/engine/base/$1.c"
}

budget() {
    printf "$@" >"$tree/tests/lint/knots_budget.txt"
}

budget ''
plant a '' 'void\ncn_a_run(void)\n{\n    cn_b_run();\n}\n'
plant b '' 'void\ncn_b_run(void)\n{\n}\n'
lint 0 '0 circles with 0 of 2 modules' "two modules, one way"
lint 0 '0 knots with 0 of 2 files' "two files, one way"

# Circles: a includes b, whose source includes c, whose header includes a.
plant a '#include "engine/base/b.h"\n' ''
plant b '' '#include "engine/base/c.h"\n'
plant c '#include "engine/base/a.h"\n' ''
lint 1 'engine/base: circle is 3; its budget is 0' "a circle of three modules"
lint 1 'largest: circle is 3; its budget is 1' "the largest circle"
lint 1 'engine/base/b -> engine/base/c' "--list" --list
budget 'circle engine/base 3\ncircle largest 3\n'
lint 0 '1 circles with 3' "within the budget"
plant c '' ''
lint 0 'can be lowered' "the circle is cut"
lint 0 '0 circles' "--lower" --lower
plant c '#include "engine/base/a.h"\n' ''
lint 1 'circle is 3; its budget is 0' "a lowered budget"
lint 1 'budgets lowered' "--lower of too little" --lower
lint 1 'circle is 3; its budget is 0' "--lower raises nothing"

# Knots, by a call, by a function's address, and by a constant.
budget ''
plant c '' ''
plant a '' 'void\ncn_a_run(void)\n{\n    cn_b_run();\n}\n'
plant b '' 'void\ncn_b_run(void)\n{\n    cn_a_run();\n}\n'
lint 1 'engine/base: knot is 2; its budget is 0' "two files that call each other"
plant b '' 'void\ncn_b_run(void)\n{\n    start(cn_a_run);\n}\n'
lint 1 'engine/base: knot is 2; its budget is 0' "the address of a function"
plant b '' 'const int cn_b_list[2] = {1, 2};\nint cn_b_run(void);\nint\ncn_b_run(void)\n{\n}\n'
plant c '' 'void\ncn_c_run(void)\n{\n    cn_a_run();\n}\n'
lint 0 '0 knots' "no way back"
plant b '' 'const int cn_b_list[2] = {1, 2};\nvoid\ncn_b_run(void)\n{\n    cn_c_run();\n}\n'
lint 1 'engine/base: knot is 3; its budget is 0' "a knot of three"
plant a '' 'int\ncn_a_run(void)\n{\n    return cn_b_list[0];\n}\n'
lint 1 'engine/base: knot is 3; its budget is 0' "a knot by a constant"

# Not calls: comments, texts, names that two files define, a file's own functions.
plant a '' 'void\ncn_a_run(void)\n{\n    /* cn_b_run */ say("cn_b_run"); // cn_b_list\n}\n'
lint 0 '0 knots' "comments and texts"
plant a '' 'static void\ncn_b_help(void)\n{\n}\nvoid\ncn_a_run(void)\n{\n    cn_b_help();\n}\n'
plant b '' 'static void\ncn_b_help(void)\n{\n}\nvoid\ncn_b_run(void)\n{\n    cn_c_run();\n}\n'
lint 0 '0 knots' "static functions"

# Folders: a knot counts in the folder of each of its files.
plant a '' 'void\ncn_a_run(void)\n{\n    sv_d_run();\n}\n'
printf 'void\nsv_d_run(void)\n{\n    cn_a_run();\n}\n' >"$tree/server/net/d.c"
lint 1 'server/net: knot is 1; its budget is 0' "a knot across folders"

echo "knots_test: $count cases"
exit "$failed"
