server_tests = tests/unit/server/base/test_config
check_PROGRAMS += $(server_tests)
TESTS += $(server_tests)

tests_unit_server_base_test_config_SOURCES = tests/unit/server/base/test_config.c
tests_unit_server_base_test_config_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)

# The daemon as an outsider sees it; skipped where Python's libraries are missing.
TESTS += tests/e2e/protocol/run
EXTRA_DIST += tests/e2e/protocol/run tests/e2e/protocol/daemon.py
