server_tests_cppflags = $(libcairnserver_a_CPPFLAGS) -isystem $(top_builddir)/proto/gen
server_tests_cflags = $(libcairnwire_a_CFLAGS)
server_tests_ldadd = $(SERVER_LIBS) $(CMOCKA_LIBS)

server_tests = tests/unit/server/base/test_config tests/unit/server/base/test_metrics \
	tests/unit/server/mail/test_ring \
	tests/unit/server/session/test_session tests/unit/server/session/test_machine tests/unit/server/session/test_access tests/unit/server/net/test_hosts \
	tests/unit/server/admin/test_lists tests/unit/server/admin/test_routes tests/unit/proto/test_codec tests/scenario/test_twins \
	tests/unit/proto/test_contacts tests/unit/proto/test_contact_vectors \
	tests/unit/proto/test_delta tests/unit/proto/test_delta_bounds \
	tests/unit/proto/test_fields tests/unit/proto/test_raw tests/unit/proto/test_vectors \
	tests/unit/server/net/test_pace tests/unit/server/net/lws/test_plain tests/scenario/test_fanout
check_PROGRAMS += $(server_tests)
TESTS += $(server_tests)

tests_unit_server_base_test_config_SOURCES = tests/unit/server/base/test_config.c
tests_unit_server_base_test_config_LDADD = libcairnserver.a $(ACCESS_LIBS) libcairn.a $(CMOCKA_LIBS)
tests_unit_server_base_test_metrics_SOURCES = tests/unit/server/base/test_metrics.c
tests_unit_server_base_test_metrics_LDADD = $(server_tests_ldadd)
tests_unit_server_mail_test_ring_SOURCES = tests/unit/server/mail/test_ring.c
tests_unit_server_mail_test_ring_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_session_SOURCES = tests/unit/server/session/test_session.c
tests_unit_server_session_test_session_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_machine_SOURCES = tests/unit/server/session/test_machine.c
tests_unit_server_session_test_machine_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_session_test_machine_LDADD = $(server_tests_ldadd)
tests_unit_server_session_test_access_SOURCES = tests/unit/server/session/test_access.c
tests_unit_server_session_test_access_LDADD = $(server_tests_ldadd)
tests_unit_server_net_test_hosts_SOURCES = tests/unit/server/net/test_hosts.c
tests_unit_server_net_test_hosts_LDADD = $(server_tests_ldadd)
tests_unit_server_net_lws_test_plain_SOURCES = tests/unit/server/net/lws/test_plain.c
tests_unit_server_net_lws_test_plain_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_net_lws_test_plain_LDADD = $(server_tests_ldadd)
tests_unit_server_admin_test_lists_SOURCES = tests/unit/server/admin/test_lists.c
tests_unit_server_admin_test_lists_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_admin_test_lists_LDADD = $(server_tests_ldadd)
tests_unit_server_admin_test_routes_SOURCES = tests/unit/server/admin/test_routes.c
tests_unit_server_admin_test_routes_CPPFLAGS = $(server_tests_cppflags)
tests_unit_server_admin_test_routes_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_codec_SOURCES = tests/unit/proto/test_codec.c
tests_unit_proto_test_codec_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_codec_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_codec_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_vectors_SOURCES = tests/unit/proto/test_vectors.c \
	tests/support/server/wire_walk.h
tests_unit_proto_test_vectors_CPPFLAGS = $(AM_CPPFLAGS) \
	-DVECTORS_DIR='"$(top_srcdir)/proto/vectors"'
tests_unit_proto_test_vectors_LDADD = libcairnwire.a libcairn.a $(CMOCKA_LIBS)
tests_unit_proto_test_contact_vectors_SOURCES = tests/unit/proto/test_contact_vectors.c \
	tests/support/server/contact_walk.h
tests_unit_proto_test_contact_vectors_CPPFLAGS = $(AM_CPPFLAGS) \
	-DVECTORS_DIR='"$(top_srcdir)/proto/vectors"'
tests_unit_proto_test_contact_vectors_LDADD = libcairnwire.a libcairn.a $(CMOCKA_LIBS)
tests_unit_proto_test_contacts_SOURCES = tests/unit/proto/test_contacts.c
tests_unit_proto_test_contacts_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_raw_SOURCES = tests/unit/proto/test_raw.c
tests_unit_proto_test_raw_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_raw_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_raw_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_delta_SOURCES = tests/unit/proto/test_delta.c tests/support/server/wire_walk.h
tests_unit_proto_test_delta_LDADD = libcairnwire.a libcairn.a $(CMOCKA_LIBS)
tests_unit_proto_test_delta_bounds_SOURCES = tests/unit/proto/test_delta_bounds.c
tests_unit_proto_test_delta_bounds_LDADD = libcairnwire.a libcairn.a $(CMOCKA_LIBS)
tests_unit_proto_test_fields_SOURCES = tests/unit/proto/test_fields.c
tests_unit_proto_test_fields_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_fields_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_fields_LDADD = $(server_tests_ldadd)
tests_scenario_test_twins_SOURCES = tests/scenario/test_twins.c tests/support/server/twin_server.h
tests_scenario_test_twins_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_twins_CFLAGS = $(server_tests_cflags)
tests_scenario_test_twins_LDADD = $(server_tests_ldadd)

# The daemon from outside; skipped without Python's libraries.
TESTS += tests/e2e/protocol/run tests/e2e/protocol/access tests/e2e/protocol/identity \
	tests/e2e/protocol/rooms \
	tests/e2e/protocol/limits tests/e2e/protocol/full_disk \
	tests/e2e/protocol/strict tests/e2e/protocol/memory
EXTRA_DIST += tests/e2e/protocol/run tests/e2e/protocol/access tests/e2e/protocol/daemon.py \
	tests/e2e/protocol/guarded.py tests/e2e/protocol/identity \
	tests/e2e/protocol/limits tests/e2e/protocol/full_disk tests/e2e/protocol/strict \
	tests/e2e/protocol/memory tests/e2e/protocol/rooms tests/e2e/protocol/hooks.py \
	tests/e2e/protocol/raw.py

tests_unit_server_net_test_pace_SOURCES = tests/unit/server/net/test_pace.c
tests_unit_server_net_test_pace_LDADD = $(server_tests_ldadd)
tests_scenario_test_fanout_SOURCES = tests/scenario/test_fanout.c tests/support/server/server_sim.h
tests_scenario_test_fanout_CPPFLAGS = $(server_tests_cppflags)
tests_scenario_test_fanout_CFLAGS = $(server_tests_cflags)
tests_scenario_test_fanout_LDADD = $(server_tests_ldadd)

# The vectors by Google's protobuf; skipped where it is missing.
TESTS += tests/vectors/run
EXTRA_DIST += tests/vectors/run tests/vectors/check.py tests/vectors/messages.py
