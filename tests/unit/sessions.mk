# Leases and other parts of a session, with the daemon in memory.
session_tests = tests/unit/server/world/test_lease tests/scenario/test_leases tests/scenario/test_caps \
	tests/scenario/test_watch tests/scenario/test_rewound \
	tests/scenario/test_sessions tests/scenario/test_early tests/scenario/test_baking tests/unit/server/session/test_resume_token \
	tests/unit/server/session/test_audit tests/unit/server/net/test_quota
check_PROGRAMS += $(session_tests)
TESTS += $(session_tests)

tests_unit_server_world_test_lease_SOURCES = tests/unit/server/world/test_lease.c
tests_unit_server_world_test_lease_LDADD = libcairnserver.a libcairn.a $(CMOCKA_LIBS)
tests_scenario_test_caps_SOURCES = tests/scenario/test_caps.c tests/support/server/twin_server.h
tests_scenario_test_caps_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_caps_CFLAGS = $(server_tests_cflags)
tests_scenario_test_caps_LDADD = $(server_tests_ldadd)
tests_scenario_test_rewound_SOURCES = tests/scenario/test_rewound.c \
	tests/support/server/twin_server.h
tests_scenario_test_rewound_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_rewound_CFLAGS = $(server_tests_cflags)
tests_scenario_test_rewound_LDADD = $(server_tests_ldadd)
tests_scenario_test_watch_SOURCES = tests/scenario/test_watch.c tests/support/server/twin_server.h
tests_scenario_test_watch_CPPFLAGS = $(server_tests_cppflags) -DSCENE_DIR='"$(abs_top_srcdir)/scenes"'
tests_scenario_test_watch_CFLAGS = $(server_tests_cflags)
tests_scenario_test_watch_LDADD = $(server_tests_ldadd)
tests_scenario_test_leases_SOURCES = tests/scenario/test_leases.c tests/support/server/twin_server.h
tests_scenario_test_leases_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_leases_CFLAGS = $(server_tests_cflags)
tests_scenario_test_leases_LDADD = $(server_tests_ldadd)
tests_scenario_test_sessions_SOURCES = tests/scenario/test_sessions.c \
	tests/support/server/session_client.h tests/support/server/twin_server.h
tests_scenario_test_sessions_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_sessions_CFLAGS = $(server_tests_cflags)
tests_scenario_test_sessions_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_resume_token_SOURCES = tests/unit/server/session/test_resume_token.c
tests_unit_server_session_test_resume_token_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_audit_SOURCES = tests/unit/server/session/test_audit.c
tests_unit_server_session_test_audit_LDADD = $(server_tests_ldadd)
tests_unit_server_net_test_quota_SOURCES = tests/unit/server/net/test_quota.c
tests_unit_server_net_test_quota_LDADD = $(server_tests_ldadd)
tests_scenario_test_early_SOURCES = tests/scenario/test_early.c tests/support/server/twin_server.h
tests_scenario_test_early_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_early_CFLAGS = $(server_tests_cflags)
tests_scenario_test_early_LDADD = $(server_tests_ldadd)
tests_scenario_test_baking_SOURCES = tests/scenario/test_baking.c tests/support/server/twin_server.h
tests_scenario_test_baking_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_baking_CFLAGS = $(server_tests_cflags)
tests_scenario_test_baking_LDADD = $(server_tests_ldadd)

# Large messages in chunks.
check_PROGRAMS += tests/unit/proto/test_chunk tests/scenario/test_transfer
TESTS += tests/unit/proto/test_chunk tests/scenario/test_transfer
tests_unit_proto_test_chunk_SOURCES = tests/unit/proto/test_chunk.c
tests_unit_proto_test_chunk_LDADD = libcairnwire.a libcairn.a $(CMOCKA_LIBS)
tests_scenario_test_transfer_SOURCES = tests/scenario/test_transfer.c \
	tests/support/server/twin_server.h
tests_scenario_test_transfer_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_transfer_CFLAGS = $(server_tests_cflags)
tests_scenario_test_transfer_LDADD = $(server_tests_ldadd)

check_PROGRAMS += tests/scenario/test_events
TESTS += tests/scenario/test_events
tests_scenario_test_events_SOURCES = tests/scenario/test_events.c tests/support/server/twin_server.h
tests_scenario_test_events_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_events_CFLAGS = $(server_tests_cflags)
tests_scenario_test_events_LDADD = $(server_tests_ldadd)
