# The client library and what the programs of clients/ compute with it.
client_tests = tests/unit/clients/c/test_client tests/unit/clients/load/test_load \
	tests/unit/clients/base/test_shown tests/unit/clients/cli/test_shown_check \
	tests/unit/proto/test_peer tests/unit/proto/test_interest
check_PROGRAMS += $(client_tests)
TESTS += $(client_tests)
tests_unit_clients_c_test_client_SOURCES = tests/unit/clients/c/test_client.c
tests_unit_clients_c_test_client_LDADD = libcairnclient.a libcairn.a $(CMOCKA_LIBS)
tests_unit_clients_load_test_load_SOURCES = tests/unit/clients/load/test_load.c \
	clients/load/load_line.c clients/load/load_script.c clients/load/quantile.c
tests_unit_clients_load_test_load_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_proto_test_peer_SOURCES = tests/unit/proto/test_peer.c
tests_unit_proto_test_peer_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_peer_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_peer_LDADD = $(server_tests_ldadd)
tests_unit_proto_test_interest_SOURCES = tests/unit/proto/test_interest.c
tests_unit_proto_test_interest_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_interest_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_interest_LDADD = $(server_tests_ldadd)
tests_unit_clients_base_test_shown_SOURCES = tests/unit/clients/base/test_shown.c \
	clients/base/shown.c clients/base/shown_write.c
tests_unit_clients_base_test_shown_CPPFLAGS = $(server_tests_cppflags)
tests_unit_clients_base_test_shown_CFLAGS = $(server_tests_cflags)
tests_unit_clients_base_test_shown_LDADD = $(server_tests_ldadd)
tests_unit_clients_cli_test_shown_check_SOURCES = tests/unit/clients/cli/test_shown_check.c \
	clients/base/shown.c clients/cli/recording/shown_check.c
tests_unit_clients_cli_test_shown_check_CPPFLAGS = $(server_tests_cppflags)
tests_unit_clients_cli_test_shown_check_CFLAGS = $(server_tests_cflags)
tests_unit_clients_cli_test_shown_check_LDADD = $(server_tests_ldadd)

# The programs, as they are called.
client_scripts = tests/unit/clients/bench/test_bench.sh tests/unit/clients/cli/test_cli.sh \
	tests/unit/clients/load/test_load.sh
TESTS += $(client_scripts)
EXTRA_DIST += $(client_scripts) tests/unit/clients/expect.sh
