# Limits of connections, and of their use.
limits_tests = tests/unit/server/net/test_guard tests/scenario/test_limits \
	tests/scenario/test_neighbours \
	tests/unit/server/host/test_load tests/unit/server/base/test_log tests/unit/server/base/test_disk \
	tests/unit/server/host/test_slow_disk
check_PROGRAMS += $(limits_tests)
TESTS += $(limits_tests)

tests_unit_server_net_test_guard_SOURCES = tests/unit/server/net/test_guard.c
tests_unit_server_net_test_guard_LDADD = $(server_tests_ldadd)
tests_scenario_test_limits_SOURCES = tests/scenario/test_limits.c tests/support/server/twin_server.h
tests_scenario_test_limits_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_limits_CFLAGS = $(server_tests_cflags)
tests_scenario_test_limits_LDADD = $(server_tests_ldadd)
check_PROGRAMS += tests/unit/server/host/test_held tests/unit/server/world/test_input_buffer
TESTS += tests/unit/server/host/test_held tests/unit/server/world/test_input_buffer
tests_unit_server_world_test_input_buffer_SOURCES = tests/unit/server/world/test_input_buffer.c
tests_unit_server_world_test_input_buffer_LDADD = $(server_tests_ldadd)
tests_unit_server_host_test_held_SOURCES = tests/unit/server/host/test_held.c
tests_unit_server_host_test_held_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_host_test_held_LDADD = $(server_tests_ldadd)
tests_unit_server_host_test_load_SOURCES = tests/unit/server/host/test_load.c
tests_unit_server_host_test_load_LDADD = $(server_tests_ldadd)
tests_unit_server_base_test_log_SOURCES = tests/unit/server/base/test_log.c
tests_unit_server_base_test_log_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_base_test_log_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)
tests_unit_server_base_test_disk_SOURCES = tests/unit/server/base/test_disk.c
tests_unit_server_base_test_disk_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_base_test_disk_LDADD = $(server_tests_ldadd)
tests_unit_server_host_test_slow_disk_SOURCES = tests/unit/server/host/test_slow_disk.c
tests_unit_server_host_test_slow_disk_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_host_test_slow_disk_LDADD = $(server_tests_ldadd)
tests_scenario_test_neighbours_SOURCES = tests/scenario/test_neighbours.c \
	tests/support/server/twin_server.h
tests_scenario_test_neighbours_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_neighbours_CFLAGS = $(server_tests_cflags)
tests_scenario_test_neighbours_LDADD = $(server_tests_ldadd)
tests_scenario_test_neighbours_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=cn_world_step,--wrap=cn_world_is_mid_tick

check_PROGRAMS += tests/unit/server/base/test_physical
TESTS += tests/unit/server/base/test_physical
tests_unit_server_base_test_physical_SOURCES = tests/unit/server/base/test_physical.c
tests_unit_server_base_test_physical_LDADD = libcairnserver.a $(CMOCKA_LIBS)
tests_unit_server_base_test_physical_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
