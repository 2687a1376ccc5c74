# Log entries, and clients that run the engine (mode DEEDS).
check_PROGRAMS += tests/scenario/test_deeds
TESTS += tests/scenario/test_deeds
tests_scenario_test_deeds_SOURCES = tests/scenario/test_deeds.c \
	tests/support/server/server_sim.h
tests_scenario_test_deeds_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_deeds_CFLAGS = $(server_tests_cflags)
tests_scenario_test_deeds_LDADD = libcairncli.a $(server_tests_ldadd)
