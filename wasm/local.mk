# `make wasm`: the engine for browsers and Node, wasm/libcairn*.wasm; not part of `make all`.
wasm_own = wasm/decode.c wasm/deed.c wasm/engine.c wasm/fiber.c wasm/files.c wasm/frame_message.c \
	wasm/frames.c wasm/no_joints.c wasm/no_meshes.c wasm/no_rules.c wasm/query.c \
	wasm/refusal.c wasm/rules.c wasm/scene.c wasm/small_scene.c wasm/time.c \
	wasm/solo_run.c wasm/solo_hear.c wasm/solo_rules.c wasm/solo_say.c
wasm_deed = deed/apply.c deed/change.c deed/entry.c deed/fields.c deed/settings.c \
	deed/rules/collect.c deed/rules/effect.c deed/rules/rules.c deed/rules/subject.c
wasm_proto = proto/attribute.c proto/interest.c proto/json.c proto/wire.c proto/snapshot_codec.c \
	proto/state.c proto/state_take.c \
	proto/codec/action.c proto/codec/attribute.c proto/codec/bodies.c proto/codec/check.c \
	proto/codec/client.c proto/codec/logic.c proto/codec/query.c proto/codec/room.c \
	proto/codec/server.c proto/codec/world.c \
	proto/scene/attribute.c proto/scene/caps.c proto/scene/copy.c proto/scene/fill.c \
	proto/scene/joint.c proto/scene/live.c proto/scene/look.c proto/scene/material_pair.c \
	proto/scene/mesh.c proto/scene/name.c proto/scene/precision.c proto/scene/read.c \
	proto/scene/rewind.c proto/scene/rules.c proto/scene/rules_change.c \
	proto/scene/rules_effect.c proto/scene/rules_name.c \
	proto/scene/shape.c proto/scene/spawn.c proto/scene/spawn_name.c \
	proto/scene/spawn_place.c \
	proto/text/check.c proto/text/field.c proto/text/print.c proto/text/scalar.c \
	proto/text/surrogate.c
wasm_assets = assets/load.c assets/obj.c assets/polygon.c assets/surface.c
# Lanes are those of `plain`, which the compiler turns into WebAssembly's.
wasm_left_out = engine/base/fiber.c %_sse2.c %_avx2.c %_avx512.c %_neon.c
wasm_engine = $(filter-out $(wasm_left_out),$(filter %.c,$(libcairn_a_SOURCES)))
wasm_sources = $(wasm_own) $(wasm_deed) $(wasm_proto) $(wasm_assets) $(wasm_engine)

wasm: proto/gen/stamp
	$(srcdir)/wasm/build wasm proto/gen $(wasm_sources)
clean-wasm:
	rm -rf wasm/generated wasm/objects wasm/apt wasm/protobuf-c wasm/libcairn*.wasm wasm/libcairn*.wasm.gz \
		wasm/libcairn*.log wasm/libcairn*.undefined
.PHONY: wasm clean-wasm

EXTRA_DIST += wasm/README.md wasm/build wasm/frame_message.h wasm/impulse_rows.h wasm/inside.h \
	wasm/solo.h wasm/solo_inside.h wasm/undefined/libcairn wasm/undefined/libcairn-impulse \
	wasm/undefined/libcairn-planar wasm/undefined/libcairn-spatial $(wasm_own)
