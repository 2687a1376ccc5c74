lints = tests/lint/floors.sh tests/lint/tidy.sh tests/lint/text.sh tests/lint/schema.sh \
	tests/lint/shell.sh tests/lint/public.sh tests/lint/dashboard.sh
TESTS += $(lints)
EXTRA_DIST += $(lints) tests/lint/files.sh tests/lint/floors.txt
EXTRA_DIST += tests/support/near.h
EXTRA_DIST += tests/run tests/count.awk tests/fuzz/run tests/determinism/run
TESTS += tests/docs/run tests/install/run
EXTRA_DIST += tests/docs/run tests/install/run README.md
EXTRA_DIST += tests/simd/run tests/simd/kernel_bits.c \
	tests/simd/emulated/immintrin.h
