noinst_PROGRAMS += tests/bench/bench_solvers
tests_bench_bench_solvers_SOURCES = tests/bench/bench_solvers.c tests/support/solve/brick_wall.h \
	tests/support/solve/wall_load.h
tests_bench_bench_solvers_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_contacts
tests_bench_bench_contacts_SOURCES = tests/bench/bench_contacts.c tests/support/world/scene.c
tests_bench_bench_contacts_LDADD = libcairn.a -lm
EXTRA_DIST += docs/bench/check.md docs/bench/contacts.md docs/bench/fanout.md docs/bench/journal.md docs/bench/nonconvex.md docs/bench/production.md \
	docs/bench/queries.md docs/bench/solvers.md

noinst_PROGRAMS += tests/bench/bench_friction
tests_bench_bench_friction_SOURCES = tests/bench/bench_friction.c \
	tests/friction/friction_file.c tests/friction/friction_file.h
tests_bench_bench_friction_LDADD = libcairn.a -lm

# Only `make bench-oracles` builds these.
EXTRA_PROGRAMS += tests/bench/bench_oracles
tests_bench_bench_oracles_SOURCES = tests/bench/bench_oracles.c tests/bench/oracle.h \
	tests/support/solve/brick_wall.h tests/support/solve/wall_load.h
tests_bench_bench_oracles_CPPFLAGS = $(AM_CPPFLAGS)
tests_bench_bench_oracles_LDADD = libcairn.a
if HAVE_SICONOS
tests_bench_bench_oracles_SOURCES += tests/bench/oracle_siconos.c
tests_bench_bench_oracles_CPPFLAGS += -DHAVE_SICONOS $(SICONOS_CFLAGS)
tests_bench_bench_oracles_LDADD += $(SICONOS_LIBS)
endif
if HAVE_ODE
tests_bench_bench_oracles_SOURCES += tests/bench/oracle_ode.c
tests_bench_bench_oracles_CPPFLAGS += -DHAVE_ODE $(ODE_CFLAGS)
tests_bench_bench_oracles_LDADD += $(ODE_LIBS)
endif
tests_bench_bench_oracles_LDADD += -lm
CLEANFILES += tests/bench/bench_oracles$(EXEEXT)

# Figures, for people: docs/bench says what they mean.
bench: tests/bench/bench_solvers tests/bench/bench_contacts
	tests/bench/bench_contacts
	tests/bench/bench_solvers
bench-oracles: tests/bench/bench_oracles
	tests/bench/bench_oracles
.PHONY: bench bench-oracles

noinst_PROGRAMS += tests/bench/bench_narrowphase
tests_bench_bench_narrowphase_SOURCES = tests/bench/bench_narrowphase.c \
	tests/support/collide/flat.h \
	tests/support/collide/shapes.h
tests_bench_bench_narrowphase_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_impulse
tests_bench_bench_impulse_SOURCES = tests/bench/bench_impulse.c tests/support/solve/impulse_run.h
tests_bench_bench_impulse_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_query
tests_bench_bench_query_SOURCES = tests/bench/bench_query.c
tests_bench_bench_query_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_rewind
tests_bench_bench_rewind_SOURCES = tests/bench/bench_rewind.c
tests_bench_bench_rewind_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_narrowphase_space
tests_bench_bench_narrowphase_space_SOURCES = tests/bench/bench_narrowphase_space.c \
	tests/support/collide/fast_solids.h tests/support/near.h tests/support/collide/solids.h
tests_bench_bench_narrowphase_space_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_field
tests_bench_bench_field_SOURCES = tests/bench/bench_field.c tests/support/mesh/bumpy.h \
	tests/support/field_look/field_looks.h
tests_bench_bench_field_LDADD = libfield_look.a libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_image
tests_bench_bench_image_SOURCES = tests/bench/bench_image.c
tests_bench_bench_image_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_fanout
tests_bench_bench_fanout_SOURCES = tests/bench/bench_fanout.c tests/bench/fanout.h \
	tests/bench/fanout_bare.c tests/bench/fanout_clients.c
tests_bench_bench_fanout_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(OPENSSL_CFLAGS)
tests_bench_bench_fanout_LDADD = $(OPENSSL_LIBS)

# The stream of 901 cubes; docs/bench/wire.md says what the figures mean.
noinst_PROGRAMS += tests/bench/bench_wire
tests_bench_bench_wire_SOURCES = tests/bench/bench_wire.c tests/bench/cubes.c tests/bench/cubes.h
tests_bench_bench_wire_LDADD = libcairnwire.a libcairn.a $(PROTO_LIBS) libcairn.a -lm
EXTRA_DIST += tests/bench/cubes.deltas docs/bench/wire.md
bench-wire: tests/bench/bench_wire
	tests/bench/bench_wire $(srcdir)/tests/bench/cubes.deltas

# Views and budgets of the same cubes; docs/bench/views.md.
noinst_PROGRAMS += tests/bench/bench_views
tests_bench_bench_views_SOURCES = tests/bench/bench_views.c tests/bench/cubes.c \
	tests/bench/cubes.h
tests_bench_bench_views_LDADD = $(SERVER_LIBS) -lm
EXTRA_DIST += docs/bench/views.md docs/bench/prediction.md
bench-views: tests/bench/bench_views
	tests/bench/bench_views

# Contacts of the same cubes and of scenes; docs/bench/forces.md.
noinst_PROGRAMS += tests/bench/bench_forces
tests_bench_bench_forces_SOURCES = tests/bench/bench_forces.c tests/bench/cubes.c \
	tests/bench/cubes.h
tests_bench_bench_forces_LDADD = $(SERVER_LIBS) -lm
EXTRA_DIST += docs/bench/forces.md
bench-forces: tests/bench/bench_forces
	tests/bench/bench_forces $(srcdir)/scenes/pyramid.yaml $(srcdir)/scenes/brick-wall.yaml \
	    $(srcdir)/scenes/heap-in-space.yaml $(srcdir)/scenes/pile.yaml $(srcdir)/scenes/drum.yaml

# Starts a daemon with hundreds of worlds: tests/bench/worlds.py ./cairnd, logics.py ./cairnd
EXTRA_DIST += tests/bench/worlds.py tests/bench/logics.py tests/bench/watched.py \
	tests/bench/rooms.py docs/bench/rooms.md docs/bench/logic.md
# The cost of connections and of received bytes: tests/bench/connects.py ./cairnd ANOTHER_CAIRND
EXTRA_DIST += tests/bench/connects.py

# The cost of durability; run it on the disk that the daemon will use.
noinst_PROGRAMS += tests/bench/bench_journal
tests_bench_bench_journal_SOURCES = tests/bench/bench_journal.c
tests_bench_bench_journal_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_bench_bench_journal_LDADD = $(SERVER_LIBS)
# The cost of the past of worlds: tests/bench/past.py ./cairnd
EXTRA_DIST += tests/bench/past.py

noinst_PROGRAMS += tests/bench/bench_slices
tests_bench_bench_slices_SOURCES = tests/bench/bench_slices.c tests/support/world/heap.h \
	tests/support/world/scene.c
tests_bench_bench_slices_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_island
tests_bench_bench_island_SOURCES = tests/bench/bench_island.c tests/support/world/island.h \
	tests/support/world/scene.c
tests_bench_bench_island_LDADD = libcairn.a -lm

noinst_PROGRAMS += tests/bench/bench_check
tests_bench_bench_check_SOURCES = tests/bench/bench_check.c
tests_bench_bench_check_CPPFLAGS = $(AM_CPPFLAGS) $(GMP_CFLAGS)
tests_bench_bench_check_LDADD = libcairnverify.a $(PROVE_LIBS)
