# Limits: who may connect, and how much.
limits_tests = tests/unit/server/net/test_guard tests/scenario/test_limits \
	tests/scenario/test_neighbours \
	tests/unit/server/host/test_load tests/unit/server/base/test_log
check_PROGRAMS += $(limits_tests)
TESTS += $(limits_tests)

tests_unit_server_net_test_guard_SOURCES = tests/unit/server/net/test_guard.c
tests_unit_server_net_test_guard_LDADD = $(server_tests_ldadd)
tests_scenario_test_limits_SOURCES = tests/scenario/test_limits.c tests/support/twin_server.h
tests_scenario_test_limits_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_limits_CFLAGS = $(server_tests_cflags)
tests_scenario_test_limits_LDADD = $(server_tests_ldadd)
tests_unit_server_host_test_load_SOURCES = tests/unit/server/host/test_load.c
tests_unit_server_host_test_load_LDADD = $(server_tests_ldadd)
tests_unit_server_base_test_log_SOURCES = tests/unit/server/base/test_log.c
tests_unit_server_base_test_log_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)
tests_scenario_test_neighbours_SOURCES = tests/scenario/test_neighbours.c \
	tests/support/twin_server.h
tests_scenario_test_neighbours_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_neighbours_CFLAGS = $(server_tests_cflags)
tests_scenario_test_neighbours_LDADD = $(server_tests_ldadd)
tests_scenario_test_neighbours_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=cn_world_step,--wrap=cn_world_is_mid_tick
