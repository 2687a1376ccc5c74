# Every message of the schema, as JSON and as bytes, in proto/vectors/messages; and what is refused.
vectors_generated = tests/unit/proto/vectors.pb-c.c tests/unit/proto/vectors.pb-c.h
EXTRA_DIST += tests/unit/proto/vectors.proto proto/vectors/messages/client.json \
	proto/vectors/messages/http.json proto/vectors/messages/server.json
BUILT_SOURCES += $(vectors_generated)
CLEANFILES += $(vectors_generated)
tests/unit/proto/vectors.pb-c.c: tests/unit/proto/vectors.proto $(proto_files)
	$(AM_V_GEN)$(MKDIR_P) tests/unit/proto && cd $(srcdir) && \
	$(PROTOC_C) -I. -Iproto --c_out=$(abs_top_builddir) tests/unit/proto/vectors.proto
tests/unit/proto/vectors.pb-c.h: tests/unit/proto/vectors.pb-c.c

# Generated code gets no strict warnings.
check_LIBRARIES += libvectors.a
nodist_libvectors_a_SOURCES = $(vectors_generated)
libvectors_a_SOURCES =
libvectors_a_CPPFLAGS = -I$(top_builddir) -I$(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS)
libvectors_a_CFLAGS = -std=c17 $(HARDEN_CFLAGS) $(SANITIZE_FLAGS)

check_PROGRAMS += tests/unit/proto/test_messages
TESTS += tests/unit/proto/test_messages
tests_unit_proto_test_messages_SOURCES = tests/unit/proto/test_messages.c
tests_unit_proto_test_messages_CPPFLAGS = $(server_tests_cppflags) -isystem $(top_builddir) \
	-DMESSAGES_DIR='"$(top_srcdir)/proto/vectors/messages"'
tests_unit_proto_test_messages_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_messages_LDADD = libvectors.a $(server_tests_ldadd)

check_PROGRAMS += tests/unit/proto/test_body_commands
TESTS += tests/unit/proto/test_body_commands
tests_unit_proto_test_body_commands_SOURCES = tests/unit/proto/test_body_commands.c
tests_unit_proto_test_body_commands_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_body_commands_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_body_commands_LDADD = $(server_tests_ldadd)

check_PROGRAMS += tests/unit/proto/test_codec_refusals
TESTS += tests/unit/proto/test_codec_refusals
tests_unit_proto_test_codec_refusals_SOURCES = tests/unit/proto/test_codec_refusals.c
tests_unit_proto_test_codec_refusals_CPPFLAGS = $(server_tests_cppflags)
tests_unit_proto_test_codec_refusals_CFLAGS = $(server_tests_cflags)
tests_unit_proto_test_codec_refusals_LDADD = $(server_tests_ldadd)
