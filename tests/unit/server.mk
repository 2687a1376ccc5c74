server_tests_cppflags = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen
server_tests_ldadd = $(SERVER_LIBS) $(CMOCKA_LIBS)

server_tests = tests/unit/server/base/test_config tests/scenario/test_twins
check_PROGRAMS += $(server_tests)
TESTS += $(server_tests)

tests_unit_server_base_test_config_SOURCES = tests/unit/server/base/test_config.c
tests_unit_server_base_test_config_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)
tests_scenario_test_twins_SOURCES = tests/scenario/test_twins.c
tests_scenario_test_twins_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_twins_LDADD = $(server_tests_ldadd)

# The daemon as an outsider sees it; skipped where Python's libraries are missing.
TESTS += tests/e2e/protocol/run
EXTRA_DIST += tests/e2e/protocol/run tests/e2e/protocol/daemon.py
