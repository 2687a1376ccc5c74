lints = tests/lint/floors.sh tests/lint/tidy.sh tests/lint/text.sh tests/lint/schema.sh \
	tests/lint/shell.sh tests/lint/public.sh tests/lint/dashboard.sh \
	tests/lint/limits.sh
TESTS += $(lints)
EXTRA_DIST += $(lints) tests/lint/files.sh tests/lint/floors.txt
EXTRA_DIST += tests/support/near.h
EXTRA_DIST += tests/run tests/count.awk tests/fuzz/run tests/fuzz/counts
EXTRA_DIST += tests/determinism/run tests/determinism/scenes.py

# Made by `tests/determinism/run --long` alone.
EXTRA_PROGRAMS += tests/determinism/matrix
tests_determinism_matrix_SOURCES = tests/determinism/matrix.c
tests_determinism_matrix_LDADD = libcairnwire.a libcrew.a libcairn.a $(PROTO_LIBS) libcairn.a -lm \
	-lpthread
CLEANFILES += tests/determinism/matrix$(EXEEXT)
TESTS += tests/docs/run tests/install/run
EXTRA_DIST += tests/docs/run tests/install/run README.md
EXTRA_DIST += tests/simd/run tests/simd/kernel_bits.c \
	tests/simd/emulated/immintrin.h
