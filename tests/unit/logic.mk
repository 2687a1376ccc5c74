# Messages of members, and the logic of a world.
logic_tests = tests/unit/server/world/test_news tests/unit/proto/test_logic_codec \
	tests/scenario/test_logic tests/scenario/test_logic_attributes \
	tests/scenario/test_logic_kills
check_PROGRAMS += $(logic_tests)
TESTS += $(logic_tests)
logic_support = tests/support/server/logic_client.h tests/support/server/twin_server.h
tests_unit_proto_test_logic_codec_SOURCES = tests/unit/proto/test_logic_codec.c
tests_unit_proto_test_logic_codec_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_logic_codec_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_logic_codec_LDADD = $(server_tests_ldadd)
tests_unit_server_world_test_news_SOURCES = tests/unit/server/world/test_news.c
tests_unit_server_world_test_news_LDADD = $(server_tests_ldadd)
tests_scenario_test_logic_SOURCES = tests/scenario/test_logic.c \
	tests/support/server/logic_seen.h $(logic_support)
tests_scenario_test_logic_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_logic_CFLAGS = $(server_tests_cflags)
tests_scenario_test_logic_LDADD = $(server_tests_ldadd)
tests_scenario_test_logic_attributes_SOURCES = tests/scenario/test_logic_attributes.c \
	tests/support/server/logic_seen.h $(logic_support)
tests_scenario_test_logic_attributes_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_logic_attributes_CFLAGS = $(server_tests_cflags)
tests_scenario_test_logic_attributes_LDADD = $(server_tests_ldadd)
tests_scenario_test_logic_kills_SOURCES = tests/scenario/test_logic_kills.c \
	tests/support/server/durable_sim.h $(logic_support)
tests_scenario_test_logic_kills_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_logic_kills_CFLAGS = $(server_tests_cflags)
tests_scenario_test_logic_kills_LDADD = $(server_tests_ldadd)
