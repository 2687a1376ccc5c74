TESTS += tests/lint/floors.sh tests/lint/tidy.sh
EXTRA_DIST += tests/lint/floors.sh tests/lint/tidy.sh tests/lint/floors.txt
EXTRA_DIST += tests/support/near.h
EXTRA_DIST += tests/run tests/count.awk tests/fuzz/run tests/determinism/run
