
if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_solvers
endif
tests_fuzz_fuzz_solvers_SOURCES = tests/fuzz/fuzz_solvers.c
tests_fuzz_fuzz_solvers_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_solvers_LDADD = libcairn.a -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_collide
endif
tests_fuzz_fuzz_collide_SOURCES = tests/fuzz/fuzz_collide.c tests/support/shapes.h
tests_fuzz_fuzz_collide_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_collide_LDADD = libcairn.a -lm
