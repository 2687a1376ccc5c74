# Log entries, and clients that run the engine (mode DEEDS).
check_PROGRAMS += tests/scenario/test_deeds
TESTS += tests/scenario/test_deeds
tests_scenario_test_deeds_SOURCES = tests/scenario/test_deeds.c \
	tests/support/server/server_sim.h
tests_scenario_test_deeds_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_deeds_CFLAGS = $(server_tests_cflags)
tests_scenario_test_deeds_LDADD = libcairncli.a $(server_tests_ldadd)

check_PROGRAMS += tests/scenario/test_body_commands
TESTS += tests/scenario/test_body_commands
tests_scenario_test_body_commands_SOURCES = tests/scenario/test_body_commands.c \
	tests/support/server/server_sim.h
tests_scenario_test_body_commands_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_body_commands_CFLAGS = $(server_tests_cflags)
tests_scenario_test_body_commands_LDADD = libcairncli.a $(server_tests_ldadd)

check_PROGRAMS += tests/unit/proto/test_spawn
TESTS += tests/unit/proto/test_spawn
tests_unit_proto_test_spawn_SOURCES = tests/unit/proto/test_spawn.c
tests_unit_proto_test_spawn_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_spawn_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_spawn_LDADD = libcairndeed.a $(server_tests_ldadd)
