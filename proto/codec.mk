# The codec: plain values to protobuf bytes and JSON.
noinst_LIBRARIES += libcairnwire.a
libcairnwire_a_SOURCES = proto/chunk.c proto/chunk.h proto/codec.h proto/codec_config.h \
	proto/codec_json.h proto/codec_query.h proto/contact_columns.h proto/contact_decode.c \
	proto/contact_delta.h proto/contact_encode.c proto/contact_values.c proto/contacts.c \
	proto/contacts.h proto/contacts_take.c proto/delta.h proto/delta_decode.c \
	proto/delta_encode.c proto/delta_predict.c proto/delta_predict.h proto/interest.c \
	proto/interest.h proto/logic.h proto/pack.h proto/peer.h proto/quant.h proto/raw.c proto/raw.h \
	proto/room.h proto/runs.h \
	proto/snapshot_codec.c proto/snapshot_codec.h proto/state.c proto/state.h \
	proto/state_take.c proto/wire.c proto/wire.h \
	proto/codec/attribute.c proto/codec/attribute.h proto/codec/bodies.c proto/codec/borrow.h \
	proto/codec/check.c proto/codec/check.h proto/codec/client.c proto/codec/config.c \
	proto/codec/input.h \
	proto/codec/json.c proto/codec/logic.c proto/codec/logic.h proto/codec/logic_peer.c \
	proto/codec/peer_field.c proto/codec/peer_hear.c proto/codec/peer_say.c \
	proto/codec/query.c proto/codec/room.c proto/codec/room.h proto/codec/room_template.c \
	proto/codec/server.c proto/codec/world.c proto/codec/world.h
# Generated headers get no strict warnings.
libcairnwire_a_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS)
# The initialisers of protoc-c cast a const away, and clang warns in the files that use them.
libcairnwire_a_CFLAGS = $(AM_CFLAGS) -Wno-cast-qual
EXTRA_DIST += proto/README.md proto/codec/README.md proto/scene/README.md proto/text/README.md
EXTRA_DIST += proto/WIRE.md proto/vectors/decoder.py \
	proto/vectors/contacts/escapes.json \
	proto/vectors/contacts/gaps.json \
	proto/vectors/contacts/keyframes.json \
	proto/vectors/contacts/planar.json \
	proto/vectors/contacts/spatial.json \
	proto/vectors/entered-left-planar.json \
	proto/vectors/entered-left-spatial.json \
	proto/vectors/escapes-planar.json \
	proto/vectors/escapes-spatial.json \
	proto/vectors/first-order-planar.json \
	proto/vectors/first-order-spatial.json \
	proto/vectors/gaps-planar.json \
	proto/vectors/gaps-spatial.json \
	proto/vectors/keyframes-planar.json \
	proto/vectors/keyframes-spatial.json \
	proto/vectors/nobody.json \
	proto/vectors/planar.json \
	proto/vectors/spatial.json \
	proto/vectors/budget-planar.json \
	proto/vectors/budget-spatial.json \
	proto/vectors/view-planar.json \
	proto/vectors/view-spatial.json
