#!/bin/sh
# shell.sh: shellcheck has no warning for the scripts.  Skipped without shellcheck.
#
# No script has the name of a C file in its folder: make would build the script from the C file.
set -eu
cd "${srcdir:-.}"
srcdir=. sh tests/lint/files.sh '*.c' | while read -r file; do
    if [ -e "${file%.c}" ]; then
        echo "$file: make would make ${file%.c} of it"
        exit 1
    fi
done
if ! command -v shellcheck >/dev/null; then
    echo "shell: shellcheck is not installed"
    exit 77
fi
scripts=$(srcdir=. sh tests/lint/files.sh '*.sh' run quickstart build |
    while read -r file; do head -n 1 "$file" | grep -q '^#!.*sh' && echo "$file"; done)
# SC2154, SC2034: variables that lib.sh shares with the scripts that source it.
# shellcheck disable=SC2086
shellcheck -x -e SC2154,SC2034,SC1091 -S warning $scripts
# shellcheck disable=SC2086
printf '%s\n' $scripts | awk 'END { print "shell: " NR " scripts" }'
