# The codec: plain values to protobuf bytes and JSON.
noinst_LIBRARIES += libcairnwire.a
libcairnwire_a_SOURCES = proto/wire.h proto/wire.c proto/quant.h \
	proto/codec.h proto/codec_check.h proto/codec_check.c proto/codec_world.h \
	proto/interest.c proto/interest.h proto/codec_world.c proto/codec_client.c proto/codec_server.c \
	proto/codec_json.h proto/codec_json.c proto/codec_config.h proto/codec_config.c \
	proto/codec_query.h proto/codec_query.c \
	proto/state.h proto/state.c proto/state_take.c \
	proto/peer.h proto/peer_say.c proto/peer_hear.c \
	proto/chunk.h proto/chunk.c proto/pack.h proto/delta.h proto/delta_encode.c proto/delta_decode.c \
	proto/delta_predict.h proto/delta_predict.c proto/raw.h proto/raw.c \
	proto/snapshot_codec.h proto/snapshot_codec.c
# Generated headers are not ours to be strict about.
libcairnwire_a_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(top_builddir)/proto/gen $(PROTOBUF_C_CFLAGS)
# The initialisers that protoc-c writes cast a const away, and clang blames who uses them.
libcairnwire_a_CFLAGS = $(AM_CFLAGS) -Wno-cast-qual
EXTRA_DIST += proto/WIRE.md proto/vectors/decoder.py \
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
