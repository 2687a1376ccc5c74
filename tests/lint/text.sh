#!/bin/sh
# text.sh: every text file of the project, in any language, ends with one newline and has no
# trailing space or carriage return.  It marks nothing as unfinished, and names no directory of the
# machine on which it was written and no package registry.
set -eu
cd "${srcdir:-.}"
srcdir=. sh tests/lint/files.sh '*.[ch]' '*.sh' '*.awk' '*.mk' '*.am' '*.ac' '*.md' '*.proto' \
    '*.yaml' '*.yml' '*.json' '*.ts' '*.tsx' '*.js' '*.mjs' '*.css' '*.html' '*.py' '*.service' \
    '*.pc.in' '*.txt' '*.svg' .gitignore .clang-format LICENSE run quickstart build | xargs awk '
    function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    FNR == 1 { files++ }
    /\r$/ { complain("carriage return") }
    /[ \t]$/ && FILENAME != "LICENSE" { complain("trailing space") }
    /(^|[^A-Za-z_])(TO[D]O|FIX[M]E|XX[X])([^A-Za-z_X]|$)/ {
        complain("unfinished business: finish it or name it in ARCHITECTURE.md") }
    /(^|[^A-Za-z0-9_.\/$})-])\/(wor[k]|far[m]|roo[t]|tmp\/(wt|b-))(\/|$|[^A-Za-z0-9_])/ {
        complain("a directory of one machine") }
    /(registr[y]\.npmjs|registr[y]\.yarnpkg|files\.pythonhoste[d]|pypi\.or[g]|prox[y]\.golang)/ {
        complain("a package registry") }
    END { print "text: " files + 0 " files"; exit bad }'
srcdir=. sh tests/lint/files.sh '*.[ch]' '*.sh' '*.md' '*.proto' '*.yaml' '*.ts' '*.py' '*.mk' |
    while read -r file; do
        if [ -s "$file" ] && [ "$(tail -c 1 "$file" | od -An -c | tr -d ' ')" != '\n' ]; then
            echo "$file: no newline at the end"
            exit 1
        fi
    done
