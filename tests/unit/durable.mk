# Worlds that continue in the next process.
durable_tests = tests/unit/server/world/test_entry tests/scenario/test_durable \
	tests/scenario/test_shown \
	tests/scenario/test_durable_faults tests/scenario/test_full_disk tests/scenario/test_timeline \
	tests/scenario/test_past_walls tests/scenario/test_bounded \
	tests/scenario/test_no_room tests/scenario/test_stall
check_PROGRAMS += $(durable_tests)
TESTS += $(durable_tests)

tests_unit_server_world_test_entry_SOURCES = tests/unit/server/world/test_entry.c
tests_unit_server_world_test_entry_LDADD = $(server_tests_ldadd)
tests_scenario_test_stall_SOURCES = tests/scenario/test_stall.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_stall_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_stall_CFLAGS = $(server_tests_cflags)
tests_scenario_test_stall_LDADD = $(server_tests_ldadd)
tests_scenario_test_durable_SOURCES = tests/scenario/test_durable.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_shown_SOURCES = tests/scenario/test_shown.c tests/support/server/durable_sim.h \
	tests/support/server/durable_client.h tests/support/server/twin_server.h
tests_scenario_test_shown_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_shown_CFLAGS = $(server_tests_cflags)
tests_scenario_test_shown_LDADD = $(server_tests_ldadd)
tests_scenario_test_durable_faults_SOURCES = tests/scenario/test_durable_faults.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_durable_faults_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_durable_faults_CFLAGS = $(server_tests_cflags)
tests_scenario_test_durable_faults_LDADD = $(server_tests_ldadd)
tests_scenario_test_durable_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_durable_CFLAGS = $(server_tests_cflags)
tests_scenario_test_durable_LDADD = $(server_tests_ldadd)

# The daemon is killed again and again; skipped where Python's libraries are missing.
check_PROGRAMS += tests/kill/look
tests_kill_look_SOURCES = tests/kill/look.c tests/kill/look_past.c tests/kill/look_past.h
tests_kill_look_CPPFLAGS = $(server_tests_cppflags)
tests_kill_look_LDADD = $(SERVER_LIBS)
TESTS += tests/kill/run
EXTRA_DIST += tests/kill/run
# The same with a client of its own, which checks the effects.
TESTS += tests/promise/run
EXTRA_DIST += tests/promise/run tests/promise/actors.py tests/promise/daemon.py \
	tests/promise/folder.py tests/promise/model.py tests/promise/orders.py \
	tests/promise/past.py tests/promise/wire.py
tests_scenario_test_timeline_SOURCES = tests/scenario/test_timeline.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_timeline_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_timeline_CFLAGS = $(server_tests_cflags)
tests_scenario_test_timeline_LDADD = $(server_tests_ldadd)
tests_scenario_test_past_walls_SOURCES = tests/scenario/test_past_walls.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h \
	tests/support/server/recording_rig.h
tests_scenario_test_past_walls_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_past_walls_CFLAGS = $(server_tests_cflags)
tests_scenario_test_past_walls_LDADD = $(server_tests_ldadd)
tests_scenario_test_bounded_SOURCES = tests/scenario/test_bounded.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_bounded_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_bounded_CFLAGS = $(server_tests_cflags)
tests_scenario_test_bounded_LDADD = $(server_tests_ldadd)
tests_scenario_test_no_room_SOURCES = tests/scenario/test_no_room.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_no_room_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_no_room_CFLAGS = $(server_tests_cflags)
tests_scenario_test_no_room_LDADD = $(server_tests_ldadd)
tests_scenario_test_no_room_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
tests_scenario_test_full_disk_SOURCES = tests/scenario/test_full_disk.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h
tests_scenario_test_full_disk_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_full_disk_CFLAGS = $(server_tests_cflags)
tests_scenario_test_full_disk_LDADD = $(server_tests_ldadd)
