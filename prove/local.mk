# Proofs of stability in exact numbers, for the command and other programs: only this folder and
# verify/ use GMP.
noinst_LIBRARIES += libcairnprove.a
libcairnprove_a_SOURCES = prove/arrange.c prove/arrange.h prove/arrangement.c \
	prove/arrangement.h prove/bodies.c prove/bodies.h prove/bounds.c prove/bounds.h \
	prove/forces.c prove/forces.h prove/forces_tree.c prove/forces_tree.h prove/gauss.c prove/gauss.h prove/limits.h prove/load.c \
	prove/patch.c prove/patch.h prove/place.c prove/place.h prove/prove.c prove/prove.h prove/search.c prove/search.h \
	prove/solid.c prove/solid.h prove/touch.c prove/touch.h prove/touch_points.c prove/touch_points.h prove/touch_round.c \
	prove/touch_round.h prove/touch_solid.c prove/touch_solid.h prove/touch_space.c prove/weigh.c prove/weigh.h prove/wrench.c prove/wrench.h prove/write.c \
	prove/write.h \
	prove/exact/factor.c prove/exact/factor.h prove/exact/lift.c prove/exact/lift.h \
	prove/exact/memory.c prove/exact/memory.h prove/exact/modular.c prove/exact/modular.h \
	prove/exact/number.c prove/exact/number.h prove/exact/pivot.c prove/exact/pivot.h prove/exact/watch.c prove/exact/watch.h \
	prove/program/cholesky.c prove/program/cholesky.h prove/program/conic.c \
	prove/program/conic.h prove/program/face.c prove/program/face.h prove/program/guess.c \
	prove/program/interior.c prove/program/interior.h prove/program/program.c \
	prove/program/program.h prove/program/simplex.c prove/program/simplex.h
libcairnprove_a_CPPFLAGS = $(AM_CPPFLAGS) $(GMP_CFLAGS)
PROVE_LIBS = libcairnprove.a libcairnproto.a libcairn.a $(GMP_LIBS) -lm
EXTRA_DIST += prove/README.md prove/exact/README.md prove/program/README.md
