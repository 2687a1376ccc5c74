# The daemon, its clients, network and disk on one thread, from one seed.
check_PROGRAMS += tests/sim/sim
sim_sources = tests/sim/sim.h tests/sim/sim.c tests/sim/seed.c tests/sim/plan.c \
	tests/sim/server.c tests/sim/second.c tests/sim/client.c tests/sim/net.c tests/sim/disk.c tests/sim/probe.c \
	tests/sim/ledger.c tests/sim/shadow.c tests/support/server/disk_vfs.h \
	tests/support/server/disk_vfs.c
tests_sim_sim_SOURCES = $(sim_sources)
tests_sim_sim_CPPFLAGS = $(server_tests_cppflags)
tests_sim_sim_CFLAGS = $(server_tests_cflags)
tests_sim_sim_LDADD = $(SERVER_LIBS) -lm

TESTS += tests/sim/run
EXTRA_DIST += tests/sim/run tests/sim/seeds
