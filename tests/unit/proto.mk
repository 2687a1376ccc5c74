# A message with one field of every kind, only for the tests.
proto_probe = tests/unit/proto/probe.pb-c.c tests/unit/proto/probe.pb-c.h
EXTRA_DIST += tests/unit/proto/probe.proto
BUILT_SOURCES += $(proto_probe)
CLEANFILES += $(proto_probe)
tests/unit/proto/probe.pb-c.c: tests/unit/proto/probe.proto
	$(AM_V_GEN)$(MKDIR_P) tests/unit/proto && cd $(srcdir) && \
	$(PROTOC_C) --c_out=$(abs_top_builddir) tests/unit/proto/probe.proto
tests/unit/proto/probe.pb-c.h: tests/unit/proto/probe.pb-c.c

check_LIBRARIES += libprobe.a
nodist_libprobe_a_SOURCES = $(proto_probe)
libprobe_a_SOURCES =
libprobe_a_CPPFLAGS = -I$(top_builddir) $(PROTOBUF_C_CFLAGS)
libprobe_a_CFLAGS = -std=c17 $(HARDEN_CFLAGS) $(SANITIZE_FLAGS)

proto_tests_cppflags = $(libcairnproto_a_CPPFLAGS) -DGOLDEN_DIR='"$(top_srcdir)/tests/golden"'
proto_tests_ldadd = libprobe.a $(PROTO_LIBS) $(CMOCKA_LIBS)

proto_tests = tests/unit/proto/test_text tests/unit/proto/test_round_trip \
	tests/unit/proto/test_scene tests/unit/proto/test_scenes_bad tests/unit/engine/base/test_name \
	tests/unit/engine/world/test_validate tests/unit/proto/test_memory \
	tests/unit/proto/test_scene_mesh tests/unit/proto/test_scene_live \
	tests/unit/engine/base/test_hash tests/unit/engine/base/test_fiber
check_PROGRAMS += $(proto_tests)
TESTS += $(proto_tests)
tests_unit_proto_test_text_SOURCES = tests/unit/proto/test_text.c
tests_unit_proto_test_text_CPPFLAGS = $(proto_tests_cppflags)
tests_unit_proto_test_text_LDADD = $(proto_tests_ldadd)
tests_unit_proto_test_round_trip_SOURCES = tests/unit/proto/test_round_trip.c
tests_unit_proto_test_round_trip_CPPFLAGS = $(proto_tests_cppflags)
tests_unit_proto_test_round_trip_LDADD = $(proto_tests_ldadd)
tests_unit_proto_test_scene_SOURCES = tests/unit/proto/test_scene.c
tests_unit_proto_test_scene_CPPFLAGS = $(proto_tests_cppflags)
tests_unit_proto_test_scene_LDADD = $(proto_tests_ldadd)
tests_unit_proto_test_scene_mesh_SOURCES = tests/unit/proto/test_scene_mesh.c
tests_unit_proto_test_scene_mesh_CPPFLAGS = $(proto_tests_cppflags) -D_GNU_SOURCE
tests_unit_proto_test_scene_mesh_LDADD = $(proto_tests_ldadd)
tests_unit_proto_test_scene_live_SOURCES = tests/unit/proto/test_scene_live.c
tests_unit_proto_test_scene_live_CPPFLAGS = $(proto_tests_cppflags) -D_GNU_SOURCE
tests_unit_proto_test_scene_live_LDADD = $(proto_tests_ldadd)
tests_unit_proto_test_scenes_bad_SOURCES = tests/unit/proto/test_scenes_bad.c
tests_unit_proto_test_scenes_bad_CPPFLAGS = $(proto_tests_cppflags)
tests_unit_proto_test_scenes_bad_LDADD = $(proto_tests_ldadd)
tests_unit_engine_base_test_name_SOURCES = tests/unit/engine/base/test_name.c
tests_unit_engine_base_test_name_LDADD = libcairn.a $(CMOCKA_LIBS)
tests_unit_engine_base_test_hash_SOURCES = tests/unit/engine/base/test_hash.c
tests_unit_engine_base_test_fiber_SOURCES = tests/unit/engine/base/test_fiber.c
tests_unit_engine_base_test_fiber_LDADD = libcairn.a $(CMOCKA_LIBS)
tests_unit_engine_base_test_hash_LDADD = libcairn.a $(CMOCKA_LIBS)
EXTRA_DIST += tests/golden/scenes_bad
tests_unit_engine_world_test_validate_SOURCES = tests/unit/engine/world/test_validate.c
tests_unit_engine_world_test_validate_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_proto_test_memory_SOURCES = tests/unit/proto/test_memory.c
tests_unit_proto_test_memory_CPPFLAGS = $(proto_tests_cppflags)
tests_unit_proto_test_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
tests_unit_proto_test_memory_LDADD = $(proto_tests_ldadd)
