lints = tests/lint/floors.sh tests/lint/tidy.sh tests/lint/text.sh tests/lint/schema.sh \
	tests/lint/shell.sh tests/lint/public.sh tests/lint/dashboard.sh \
	tests/lint/limits.sh tests/lint/prose.sh tests/lint/prose_test.sh \
	tests/lint/knots.sh tests/lint/knots_test.sh
TESTS += $(lints)
EXTRA_DIST += $(lints) tests/lint/files.sh tests/lint/floors.txt tests/lint/prose.py \
	tests/lint/prose_riddles.txt tests/lint/prose_budget.txt \
	tests/lint/knots.py tests/lint/knots_budget.txt
EXTRA_DIST += tests/support/near.h
EXTRA_DIST += tests/support/README.md tests/support/collide/README.md \
	tests/support/field_look/README.md tests/support/mesh/README.md \
	tests/support/server/README.md tests/support/solve/README.md \
	tests/support/world/README.md
EXTRA_DIST += tests/run tests/count.awk tests/fuzz/run tests/fuzz/counts
EXTRA_DIST += tests/determinism/run tests/determinism/scenes.py \
	tests/determinism/scenes/contact-events.yaml tests/determinism/scenes/material-pairs.yaml \
	tests/determinism/scenes/one-way.yaml

# Only `tests/determinism/run --long` builds this.
EXTRA_PROGRAMS += tests/determinism/matrix
tests_determinism_matrix_SOURCES = tests/determinism/matrix.c
tests_determinism_matrix_LDADD = libcairnwire.a libcrew.a libcairn.a $(PROTO_LIBS) libcairn.a -lm \
	-lpthread
CLEANFILES += tests/determinism/matrix$(EXEEXT)
TESTS += tests/docs/run tests/install/run
EXTRA_DIST += tests/docs/run tests/install/run README.md
EXTRA_DIST += tests/support/live_blocks.h
EXTRA_DIST += tests/mutants/run tests/mutants/tests.txt tests/mutants/sim.txt \
	tests/mutants/store.txt tests/mutants/host.txt tests/mutants/net.txt \
	tests/mutants/session.txt tests/mutants/snapshot.txt tests/mutants/proto.txt \
	tests/mutants/math.txt tests/mutants/shape.txt tests/mutants/collide.txt \
	tests/mutants/constraint.txt tests/mutants/solve.txt tests/mutants/step.txt \
	tests/mutants/world.txt tests/mutants/state.txt tests/mutants/mesh.txt tests/mutants/prove.txt \
	tests/mutants/deeds.txt tests/mutants/logic.txt tests/mutants/rooms.txt
EXTRA_DIST += tests/simd/run tests/simd/kernel_bits.c \
	tests/simd/emulated/immintrin.h
