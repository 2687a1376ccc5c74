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

# Attributes, from a scene to clients.
check_PROGRAMS += tests/scenario/test_attributes
TESTS += tests/scenario/test_attributes
tests_scenario_test_attributes_SOURCES = tests/scenario/test_attributes.c \
	tests/support/server/server_sim.h
tests_scenario_test_attributes_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_attributes_CFLAGS = $(server_tests_cflags)
tests_scenario_test_attributes_LDADD = libcairncli.a $(server_tests_ldadd)
check_PROGRAMS += tests/unit/server/snapshot/test_attribute_frames
TESTS += tests/unit/server/snapshot/test_attribute_frames
tests_unit_server_snapshot_test_attribute_frames_SOURCES = \
	tests/unit/server/snapshot/test_attribute_frames.c tests/support/live_blocks.h
tests_unit_server_snapshot_test_attribute_frames_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_snapshot_test_attribute_frames_LDADD = $(server_tests_ldadd)

# Clients that are sent contacts as differences.
check_PROGRAMS += tests/scenario/test_contact_deltas
TESTS += tests/scenario/test_contact_deltas
tests_scenario_test_contact_deltas_SOURCES = tests/scenario/test_contact_deltas.c \
	tests/support/server/server_sim.h
tests_scenario_test_contact_deltas_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_contact_deltas_CFLAGS = $(server_tests_cflags)
tests_scenario_test_contact_deltas_LDADD = $(server_tests_ldadd)

# Rules of a scene.
check_PROGRAMS += tests/unit/deed/test_rules
TESTS += tests/unit/deed/test_rules
tests_unit_deed_test_rules_SOURCES = tests/unit/deed/test_rules.c
tests_unit_deed_test_rules_CPPFLAGS = $(server_tests_cppflags)
tests_unit_deed_test_rules_LDADD = libcairndeed.a $(server_tests_ldadd)
check_PROGRAMS += tests/scenario/test_rules
TESTS += tests/scenario/test_rules
tests_scenario_test_rules_SOURCES = tests/scenario/test_rules.c \
	tests/support/server/durable_client.h tests/support/server/durable_sim.h \
	tests/support/server/twin_server.h
tests_scenario_test_rules_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_rules_CFLAGS = $(server_tests_cflags)
tests_scenario_test_rules_LDADD = $(server_tests_ldadd)
