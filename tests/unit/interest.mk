# The parts of a world that clients see, and the budgets of bytes.
interest_tests = tests/unit/server/snapshot/test_scope tests/unit/server/snapshot/test_budget \
	tests/unit/server/snapshot/test_weigher tests/unit/server/snapshot/test_lookups \
	tests/unit/server/snapshot/test_events \
	tests/scenario/test_interest
check_PROGRAMS += $(interest_tests)
TESTS += $(interest_tests)
tests_unit_server_snapshot_test_scope_SOURCES = tests/unit/server/snapshot/test_scope.c
tests_unit_server_snapshot_test_scope_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_snapshot_test_scope_LDADD = $(server_tests_ldadd)
tests_unit_server_snapshot_test_budget_SOURCES = tests/unit/server/snapshot/test_budget.c
tests_unit_server_snapshot_test_budget_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_snapshot_test_budget_LDADD = $(server_tests_ldadd)
tests_scenario_test_interest_SOURCES = tests/scenario/test_interest.c \
	tests/support/server/server_sim.h
tests_scenario_test_interest_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_interest_CFLAGS = $(server_tests_cflags)
tests_scenario_test_interest_LDADD = $(server_tests_ldadd)
tests_unit_server_snapshot_test_weigher_SOURCES = tests/unit/server/snapshot/test_weigher.c
tests_unit_server_snapshot_test_weigher_LDADD = $(server_tests_ldadd)
tests_unit_server_snapshot_test_lookups_SOURCES = tests/unit/server/snapshot/test_lookups.c
tests_unit_server_snapshot_test_lookups_LDADD = $(server_tests_ldadd)
tests_unit_server_snapshot_test_events_SOURCES = tests/unit/server/snapshot/test_events.c \
	tests/support/live_blocks.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_server_snapshot_test_events_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_snapshot_test_events_LDADD = $(server_tests_ldadd)
