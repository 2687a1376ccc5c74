# Proofs of stability in exact numbers, for the command and for whoever wants to ask: GMP stays here
# and in verify/.
noinst_LIBRARIES += libcairnprove.a
libcairnprove_a_SOURCES = prove/arrange.c prove/arrange.h prove/arrangement.c prove/arrangement.h \
	prove/bodies.c prove/bodies.h \
	prove/bounds.c prove/bounds.h prove/cholesky.c prove/cholesky.h prove/conic.c \
	prove/conic.h prove/face.c prove/face.h prove/forces.c prove/forces.h prove/interior.c \
	prove/interior.h prove/lift.c prove/lift.h prove/load.c prove/modular.c prove/modular.h \
	prove/factor.c prove/factor.h prove/gauss.c prove/gauss.h prove/guess.c prove/limits.h \
	prove/memory.c prove/memory.h \
	prove/number.c prove/number.h prove/pivot.c prove/pivot.h prove/place.c prove/place.h \
	prove/program.c prove/program.h prove/prove.c prove/prove.h prove/search.c prove/search.h \
	prove/simplex.c prove/simplex.h prove/touch.c prove/touch.h \
	prove/touch_space.c prove/wrench.c prove/wrench.h prove/write.c prove/write.h
libcairnprove_a_CPPFLAGS = $(AM_CPPFLAGS) $(GMP_CFLAGS)
PROVE_LIBS = libcairnprove.a libcairnproto.a libcairn.a $(GMP_LIBS) -lm
