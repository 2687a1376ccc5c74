# Recordings of worlds.
check_PROGRAMS += tests/unit/server/host/test_tape
TESTS += tests/unit/server/host/test_tape tests/golden/recordings/run
tests_unit_server_host_test_tape_SOURCES = tests/unit/server/host/test_tape.c \
	tests/support/tape_rig.h
tests_unit_server_host_test_tape_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_unit_server_host_test_tape_LDADD = $(server_tests_ldadd)
EXTRA_DIST += tests/golden/recordings
