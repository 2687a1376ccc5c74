# Leases and what else a session has, with the daemon in memory.
session_tests = tests/unit/server/host/test_lease tests/scenario/test_leases \
	tests/scenario/test_sessions tests/scenario/test_early tests/scenario/test_baking tests/unit/server/session/test_resume_token
check_PROGRAMS += $(session_tests)
TESTS += $(session_tests)

tests_unit_server_host_test_lease_SOURCES = tests/unit/server/host/test_lease.c
tests_unit_server_host_test_lease_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)
tests_scenario_test_leases_SOURCES = tests/scenario/test_leases.c tests/support/twin_server.h
tests_scenario_test_leases_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_leases_CFLAGS = $(server_tests_cflags)
tests_scenario_test_leases_LDADD = $(server_tests_ldadd)
tests_scenario_test_sessions_SOURCES = tests/scenario/test_sessions.c tests/support/twin_server.h
tests_scenario_test_sessions_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_sessions_CFLAGS = $(server_tests_cflags)
tests_scenario_test_sessions_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_resume_token_SOURCES = tests/unit/server/session/test_resume_token.c
tests_unit_server_session_test_resume_token_LDADD = $(server_tests_ldadd)
tests_scenario_test_early_SOURCES = tests/scenario/test_early.c tests/support/twin_server.h
tests_scenario_test_early_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_early_CFLAGS = $(server_tests_cflags)
tests_scenario_test_early_LDADD = $(server_tests_ldadd)
tests_scenario_test_baking_SOURCES = tests/scenario/test_baking.c tests/support/twin_server.h
tests_scenario_test_baking_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_baking_CFLAGS = $(server_tests_cflags)
tests_scenario_test_baking_LDADD = $(server_tests_ldadd)
