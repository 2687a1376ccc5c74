#!/bin/sh
# public.sh: the installed headers (deploy/local.mk) are engine/cairn.h and exactly the headers that
# it includes, directly or through others.
set -eu
cd "${srcdir:-.}"
reached=engine/cairn.h
count=0
while [ "$(echo "$reached" | wc -l)" != "$count" ]; do
    count=$(echo "$reached" | wc -l)
    # shellcheck disable=SC2086
    reached=$({ echo "$reached"; sed -n 's/^#include "\(.*\)"/\1/p' $reached; } | sort -u)
done
installed=$(sed -n '/^nobase_pkginclude_HEADERS/,/[^\\]$/p' deploy/local.mk |
    grep -o 'engine/[a-z0-9_/]*\.h' | sort -u)
if [ "$reached" != "$installed" ]; then
    for header in $reached; do
        echo "$installed" | grep -q -x "$header" || echo "public: $header is not installed"
    done
    for header in $installed; do
        echo "$reached" | grep -q -x "$header" || echo "public: $header is not part of cairn.h"
    done
    exit 1
fi
echo "public: $count headers"
