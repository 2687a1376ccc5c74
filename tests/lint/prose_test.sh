#!/bin/sh
# prose_test.sh: prose.sh fails for bad text, passes for good text, and never raises a budget.
#
# Each case plants one text in a small tree of its own and looks at what the lint prints.
set -eu
here=$(cd "${srcdir:-.}" && pwd)
command -v python3 >/dev/null || { echo "prose_test: python3 is not here"; exit 77; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/lint" "$tree/docs" "$tree/server/net"
cp "$here/tests/lint/prose.sh" "$here/tests/lint/prose.py" "$here/tests/lint/files.sh" \
    "$here/tests/lint/prose_riddles.txt" "$tree/tests/lint/"
failed=0
count=0

# lint STATUS PATTERN WHAT [ARGUMENT...]: the exit status, and a pattern that the output has.
lint() {
    wanted=$1 pattern=$2 what=$3 status=0
    shift 3
    srcdir=$tree sh "$tree/tests/lint/prose.sh" "$@" >"$tree/out" 2>&1 || status=$?
    count=$((count + 1))
    if [ "$status" != "$wanted" ] || ! grep -q -e "$pattern" "$tree/out"; then
        echo "prose_test: $what: status $status, expected $wanted and: $pattern"
        sed 's/^/    | /' "$tree/out"
        failed=1
    fi
}

# budget RIDDLES LONG WIDE LIX: of docs/a.md; every other group may have nothing.
budget() {
    printf '# head\nunlisted 0 0 0 60\ndocs/a.md %s\n' "$*" >"$tree/tests/lint/prose_budget.txt"
}

# plant TEXT: the whole of docs/a.md.
plant() {
    printf '# A title\n\n%s\n' "$1" >"$tree/docs/a.md"
}

budget 0 0 0 60
good='The daemon reads the file. It then sends the answer.'
plant "$good"
lint 0 '0 riddles, 0 sentences' "good text"

# Riddles, one of each kind that was found in this project.
while read -r text; do
    plant "$good $text"
    lint 1 'riddles is 1; its budget is 0' "$text"
done <<'RIDDLES'
Who says no Ack is sent as much as its socket takes.
What rests pins nothing.
The last number is kept, of each: its value.
A start that is worse than none is none.
The pool grows of its own accord.
The page waits, and so does the daemon.
The table says which answer comes at its walls.
A chunk is sent to who joins.
The worlds go on after a crash.
The event is told by the world.
No bits change but for the last one.
RIDDLES

# The same words where they are no riddles.
plant 'Who may do this? The table names the roles. `who` and `told` are fields.
A budget goes on to the next.'
lint 0 '0 riddles' "questions and code"
plant "$(printf '    Who says so is code, and is told so.\n\n```\nWho says so is code.\n```')"
lint 0 '0 riddles' "blocks of code"

# Sentences: 30 words are allowed, 31 are not; a table's cell and a list's item end a sentence.
words30='w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w'
plant "$words30."
lint 0 '0 sentences' "30 words"
plant "$words30 w."
lint 1 'long is 1; its budget is 0' "31 words"
plant "- $words30
- $words30
20. $words30"
lint 0 '0 sentences' "items of a list"
plant "The first number is some 200. $words30."
lint 0 '0 sentences' "a number that ends a sentence"
plant "| $words30 | $words30 |"
lint 1 'wide is 1; its budget is 0' "a wide row"

# Lines of prose have no budget.
long=$(printf 'The daemon reads the file.  %.0s' 1 2 3 4)
plant "$long"
budget 9 9 9 99
lint 1 'columns; 100 are the limit' "a wide line"

# Readability.
hard='Authoritative configuration necessitates comprehensive reconsideration.'
plant "$(for _ in 1 2 3 4 5 6 7 8 9 10 11; do printf '%s\n\n' "$hard"; done)"
budget 0 0 0 60
lint 1 'lix is ' "long words"

# Comments: the head of a source file and the comments inside it count in two groups.
plant "$good"
budget 0 0 0 60
printf '/*\n * a.h: Reads.\n *\n * Who asks is told.\n */\nint a; /* Who asks is told. */\n' \
    >"$tree/server/net/a.h"
lint 1 'server/net: riddles is 2; its budget is 0' "a header's comment"
lint 1 'server/net:inside: riddles is 2; its budget is 0' "a comment behind code"
printf '/* a.h: reads.\n *\n *     Who asks = is told\n */\nchar *a = "/* Who asks is told. */";\n' \
    >"$tree/server/net/a.h"
lint 0 '0 riddles' "a formula, and a string"
printf '/* a.h: reads. */\nint a;\n// Who\n// asks is told.\nint b;\n' >"$tree/server/net/a.h"
lint 1 'server/net:inside: riddles is 2; its budget is 0' "a comment of two lines"
printf '/* a.h: reads. */\nint a; /* A number. */\nint b; /* Who asks is told.\n */\n' \
    >"$tree/server/net/a.h"
lint 1 'a.h:3: "Who": ' "two comments that follow each other"

rm "$tree/server/net/a.h"

# Budgets: a rise fails, room is reported, --lower lowers and never raises.
plant "$good What rests pins nothing."
budget 1 0 0 60
lint 0 '1 riddles' "within the budget"
budget 3 0 0 60
lint 0 'can be lowered' "room in the budget"
lint 0 'budgets lowered' "--lower" --lower
lint 0 '1 riddles' "after --lower"
grep -q '^docs/a.md *1 ' "$tree/tests/lint/prose_budget.txt" || { echo "not lowered"; failed=1; }
budget 0 0 0 60
lint 0 'budgets lowered' "--lower of too little" --lower
lint 1 'riddles is 1; its budget is 0' "--lower raises nothing"
plant "$good"
rm "$tree/docs/a.md"
budget 1 0 0 60
lint 0 'has no files any more' "a row without files"

echo "prose_test: $count cases"
exit "$failed"
