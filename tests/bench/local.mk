noinst_PROGRAMS += tests/bench/bench_solvers
tests_bench_bench_solvers_SOURCES = tests/bench/bench_solvers.c tests/support/brick_wall.h \
	tests/support/wall_load.h
tests_bench_bench_solvers_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_contacts
tests_bench_bench_contacts_SOURCES = tests/bench/bench_contacts.c tests/support/scene.c
tests_bench_bench_contacts_LDADD = libcairn.a -lm
EXTRA_DIST += docs/bench/contacts.md

noinst_PROGRAMS += tests/bench/bench_friction
tests_bench_bench_friction_SOURCES = tests/bench/bench_friction.c \
	tests/friction/friction_file.c tests/friction/friction_file.h
tests_bench_bench_friction_LDADD = libcairn.a -lm
