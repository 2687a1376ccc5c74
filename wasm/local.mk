# `make wasm`: the engine for browsers and Node, wasm/libcairn.wasm; not part of `make all`.
wasm_own = wasm/engine.c wasm/fiber.c wasm/files.c
wasm_proto = proto/check.c proto/field.c proto/json.c proto/scalar.c proto/surrogate.c proto/text_print.c \
	proto/scene.c proto/scene_caps.c proto/scene_fill.c proto/scene_joint.c proto/scene_live.c \
	proto/scene_mesh.c proto/scene_name.c proto/scene_precision.c proto/scene_rewind.c \
	proto/scene_shape.c proto/wire.c proto/codec_check.c proto/codec_client.c \
	proto/codec_query.c proto/codec_server.c proto/codec_world.c proto/interest.c
wasm_assets = assets/load.c assets/obj.c assets/polygon.c assets/surface.c
# Lanes are those of `plain`, which the compiler turns into WebAssembly's.
wasm_left_out = engine/base/fiber.c %_sse2.c %_avx2.c %_avx512.c %_neon.c
wasm_engine = $(filter-out $(wasm_left_out),$(filter %.c,$(libcairn_a_SOURCES)))
wasm_sources = $(wasm_own) $(wasm_proto) $(wasm_assets) $(wasm_engine)

wasm: proto/gen/stamp
	$(srcdir)/wasm/build wasm proto/gen $(wasm_sources)
clean-wasm:
	rm -rf wasm/objects wasm/apt wasm/protobuf-c wasm/libcairn.wasm wasm/libcairn.wasm.gz
.PHONY: wasm clean-wasm

EXTRA_DIST += wasm/README.md wasm/build $(wasm_own)
