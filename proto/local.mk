# The generated code stays in the build tree: $(top_builddir)/proto/gen/cairn/v1/*.pb-c.[ch]
proto_files = proto/cairn/v1/scene.proto proto/cairn/v1/world.proto proto/cairn/v1/wire.proto \
	proto/cairn/v1/config.proto
proto_generated = proto/gen/cairn/v1/scene.pb-c.c proto/gen/cairn/v1/scene.pb-c.h \
	proto/gen/cairn/v1/world.pb-c.c proto/gen/cairn/v1/world.pb-c.h \
	proto/gen/cairn/v1/wire.pb-c.c proto/gen/cairn/v1/wire.pb-c.h \
	proto/gen/cairn/v1/config.pb-c.c proto/gen/cairn/v1/config.pb-c.h
EXTRA_DIST += $(proto_files)
BUILT_SOURCES += $(proto_generated)
CLEANFILES += $(proto_generated) proto/gen/stamp

# One run makes all of them.
proto/gen/stamp: $(proto_files)
	$(AM_V_GEN)$(MKDIR_P) proto/gen && cd $(srcdir)/proto && \
	$(PROTOC_C) --c_out=$(abs_top_builddir)/proto/gen $(proto_files:proto/%=%) && \
	touch $(abs_top_builddir)/proto/gen/stamp
$(proto_generated): proto/gen/stamp
	@test -f $@ || { rm -f proto/gen/stamp; $(MAKE) proto/gen/stamp; }

# Generated code is not ours to be strict about.
noinst_LIBRARIES += libcairnpb.a
nodist_libcairnpb_a_SOURCES = $(proto_generated)
libcairnpb_a_SOURCES =
libcairnpb_a_CPPFLAGS = -I$(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS)
libcairnpb_a_CFLAGS = -std=c17 $(HARDEN_CFLAGS) $(SANITIZE_FLAGS)

# Everything that turns texts and bytes into messages and scenes, for the daemon and the clients.
noinst_LIBRARIES += libcairnproto.a
libcairnproto_a_SOURCES = proto/check.c proto/check.h proto/field.c proto/field.h \
	proto/json.c proto/json.h proto/limits.h \
	proto/scalar.c proto/scalar.h proto/scene.c proto/scene.h proto/scene_fill.c \
	proto/scene_inside.h proto/scene_joint.c proto/scene_live.c proto/scene_live.h proto/scene_mesh.c \
	proto/scene_name.c proto/scene_precision.c proto/scene_rewind.c proto/scene_caps.c proto/action_codec.c proto/caps.h proto/codec_caps.h proto/scene_shape.c proto/precision.h proto/durability.h \
	proto/surrogate.c proto/surrogate.h proto/text.h \
	proto/text_print.c proto/text_read.c proto/text_tree.c proto/text_tree.h
libcairnproto_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS) \
	$(YAML_CFLAGS)
PROTO_LIBS = libcairnproto.a libcairnpb.a $(PROTOBUF_C_LIBS) $(YAML_LIBS) $(ASSETS_LIBS)
