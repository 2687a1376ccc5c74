# Recordings of worlds.
check_PROGRAMS += tests/unit/server/past/test_recorder
TESTS += tests/unit/server/past/test_recorder tests/golden/recordings/run
tests_unit_server_past_test_recorder_SOURCES = tests/unit/server/past/test_recorder.c \
	tests/support/server/recording_rig.h
tests_unit_server_past_test_recorder_CPPFLAGS = $(libcairnserver_a_CPPFLAGS)
tests_unit_server_past_test_recorder_LDADD = $(server_tests_ldadd)
EXTRA_DIST += tests/golden/recordings
