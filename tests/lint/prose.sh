#!/bin/sh
# prose.sh: documents and the comments of source files are plain English.
#
# usage: tests/lint/prose.sh [--list GROUP | --lower]
#
# A group is a Markdown file, the heads of the source files of a folder (FOLDER), or their other
# comments (FOLDER:inside).  Four numbers of each group are held against its
# row in tests/lint/prose_budget.txt: riddles (tests/lint/prose_riddles.txt), sentences of more than
# 30 words, table rows of more than 100 columns, and the readability index LIX.  A number above its
# budget fails.  --list prints what counts in a group; --lower lowers the budgets to the present
# numbers, and never raises one.
set -eu
cd "${srcdir:-.}"
command -v python3 >/dev/null || { echo "prose: python3 is not here"; exit 77; }
srcdir=. sh tests/lint/files.sh '*.md' '*.[ch]' '*.ts' '*.tsx' |
    python3 -B tests/lint/prose.py "$@"
