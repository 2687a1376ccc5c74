#!/bin/sh
# files.sh: the project's own text files, sorted, one a line, without files that a build or npm has
# made.  With arguments, only names that match one of these patterns.
#
# usage: tests/lint/files.sh '*.[ch]'
set -eu
cd "${srcdir:-.}"
for pattern in "${@:-*}"; do
    find .ci .clang-format .gitignore autogen.sh configure.ac Makefile.am ./*.md LICENSE \
        access assets clients crew deploy docs engine prove proto scenes server tests verify wasm \
        -type d \( -name node_modules -o -name 'build?*' -o -name dist -o -name generated -o -name .deps \
        -o -name .vite -o -name __pycache__ -o -path proto/gen \) -prune \
        -o -type f -name "$pattern" -print 2>/dev/null || :
done | sed 's|^\./||' | sort -u
