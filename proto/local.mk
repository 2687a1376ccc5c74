# The generated code stays in the build tree: $(top_builddir)/proto/gen/cairn/v1/*.pb-c.[ch]
proto_files = proto/cairn/v1/scene.proto proto/cairn/v1/world.proto proto/cairn/v1/room.proto \
	proto/cairn/v1/wire.proto proto/cairn/v1/config.proto
proto_generated = proto/gen/cairn/v1/scene.pb-c.c proto/gen/cairn/v1/scene.pb-c.h \
	proto/gen/cairn/v1/world.pb-c.c proto/gen/cairn/v1/world.pb-c.h \
	proto/gen/cairn/v1/room.pb-c.c proto/gen/cairn/v1/room.pb-c.h \
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

# Generated code gets no strict warnings.
noinst_LIBRARIES += libcairnpb.a
nodist_libcairnpb_a_SOURCES = $(proto_generated)
libcairnpb_a_SOURCES =
libcairnpb_a_CPPFLAGS = -I$(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS)
libcairnpb_a_CFLAGS = -std=c17 $(HARDEN_CFLAGS) $(SANITIZE_FLAGS)

# Everything that turns texts and bytes into messages and scenes, for the daemon and the clients.
noinst_LIBRARIES += libcairnproto.a
libcairnproto_a_SOURCES = proto/attribute.c proto/attribute.h proto/caps.h proto/durability.h proto/json.c proto/json.h \
	proto/limits.h proto/precision.h proto/rules.h proto/scene.h proto/scene_live.h proto/text.h \
	proto/codec/action.c proto/codec/caps.h \
	proto/scene/attribute.c proto/scene/caps.c proto/scene/copy.c proto/scene/fill.c \
	proto/scene/inside.h proto/scene/joint.c \
	proto/scene/live.c proto/scene/look.c proto/scene/material_pair.c proto/scene/mesh.c \
	proto/scene/name.c \
	proto/scene/precision.c proto/scene/read.c proto/scene/rewind.c proto/scene/rules.c \
	proto/scene/rules.h proto/scene/rules_change.c proto/scene/rules_effect.c \
	proto/scene/rules_name.c proto/scene/shape.c \
	proto/scene/spawn.c proto/scene/spawn.h \
	proto/scene/spawn_inside.h proto/scene/spawn_name.c proto/scene/spawn_place.c \
	proto/text/check.c proto/text/check.h proto/text/field.c proto/text/field.h \
	proto/text/print.c proto/text/read.c proto/text/scalar.c proto/text/scalar.h \
	proto/text/surrogate.c proto/text/surrogate.h proto/text/tree.c proto/text/tree.h
libcairnproto_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS) \
	$(YAML_CFLAGS)
PROTO_LIBS = libcairnproto.a libcairnpb.a $(PROTOBUF_C_LIBS) $(YAML_LIBS) $(ASSETS_LIBS)
