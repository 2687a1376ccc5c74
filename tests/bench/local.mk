noinst_PROGRAMS += tests/bench/bench_solvers
tests_bench_bench_solvers_SOURCES = tests/bench/bench_solvers.c tests/support/brick_wall.h
tests_bench_bench_solvers_LDADD = libcairn.a -lm
