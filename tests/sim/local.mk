# The daemon, its clients, network and disk on one thread, from one seed.
check_PROGRAMS += tests/sim/sim tests/sim/mutants
sim_sources = tests/sim/sim.h tests/sim/sim.c tests/sim/seed.c tests/sim/plan.c \
	tests/sim/server.c tests/sim/second.c tests/sim/client.c tests/sim/net.c tests/sim/disk.c tests/sim/probe.c \
	tests/sim/ledger.c tests/sim/shadow.c tests/support/disk_vfs.h tests/support/disk_vfs.c
tests_sim_sim_SOURCES = $(sim_sources)
tests_sim_sim_CPPFLAGS = $(server_tests_cppflags)
tests_sim_sim_CFLAGS = $(server_tests_cflags)
tests_sim_sim_LDADD = $(SERVER_LIBS) -lm

# The same with mistakes that can be planted (server/base/mutant.h).
tests_sim_mutants_SOURCES = $(sim_sources) \
	server/store/store.c server/store/store_journal.c server/store/store_keeper.c \
	server/store/checkpoint.c server/store/journal_sqlite.c server/store/sentry.c \
	server/store/recovery.c server/store/lane.c server/host/host.c server/host/held.c server/host/world.c \
	server/host/world_deeds.c server/host/world_keep.c server/host/world_letters.c server/host/world_orders.c \
	server/session/session.c server/session/resume.c server/net/away.c
tests_sim_mutants_CPPFLAGS = $(server_tests_cppflags) -DCN_MUTANTS
tests_sim_mutants_CFLAGS = $(server_tests_cflags)
tests_sim_mutants_LDADD = $(SERVER_LIBS) -lm

TESTS += tests/sim/run
EXTRA_DIST += tests/sim/run tests/sim/seeds tests/sim/caught
