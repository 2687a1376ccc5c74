libcairn_a_SOURCES += engine/solve/impulse/color.c engine/solve/impulse/color.h \
	engine/solve/impulse/impulse.c engine/solve/impulse/impulse.h \
	engine/solve/impulse/impulse_kernel.h engine/solve/impulse/impulse_lanes.h \
	engine/solve/impulse/impulse_planar.h engine/solve/impulse/impulse_planar_body.h \
	engine/solve/impulse/impulse_planar_prepare.h engine/solve/impulse/impulse_spatial.h \
	engine/solve/impulse/impulse_spatial_body.h engine/solve/impulse/impulse_spatial_prepare.h \
	engine/solve/impulse/impulse_wide3.h \
	engine/solve/impulse/impulse_plain.c engine/solve/impulse/impulse_single.c \
	engine/solve/solver.c engine/solve/solver.h \
	engine/solve/matrix_solver.c engine/solve/matrix_solver.h \
	engine/solve/matrix/baraff89.c engine/solve/matrix/baraff89.h \
	engine/solve/matrix/baraff94_friction.c engine/solve/matrix/baraff94_friction.h \
	engine/solve/matrix/friction_map.c engine/solve/matrix/friction_map.h \
	engine/solve/matrix/friction_slide.c engine/solve/matrix/friction_slide.h \
	engine/solve/matrix/friction_contact.c engine/solve/matrix/friction_contact.h \
	engine/solve/matrix/friction_frame.c engine/solve/matrix/friction_frame.h \
	engine/solve/matrix/friction_newton.c engine/solve/matrix/friction_newton.h \
	engine/solve/matrix/friction_pivot.c engine/solve/matrix/friction_pivot.h \
	engine/solve/matrix/baraff94.c engine/solve/matrix/baraff94.h engine/solve/matrix/dantzig.c \
	engine/solve/matrix/dantzig.h engine/solve/matrix/minimum_norm.c engine/solve/matrix/minimum_norm.h \
	engine/solve/matrix/bounded.c engine/solve/matrix/bounded.h \
	engine/solve/matrix/faure96.c engine/solve/matrix/faure96.h \
	engine/solve/matrix/faure96_options.h engine/solve/matrix/faure96_inside.h engine/solve/matrix/faure96_round.c \
	engine/solve/matrix/faure96_sweep.c \
	engine/solve/matrix/gauss.c engine/solve/matrix/gauss.h \
	engine/solve/propagation/guendelman03.c engine/solve/propagation/guendelman03.h \
	engine/solve/propagation/guendelman03_strike.c engine/solve/propagation/guendelman03_strike.h \
	engine/solve/matrix/restraint.c engine/solve/matrix/restraint.h \
	engine/solve/friction/newton.c engine/solve/friction/newton.h \
	engine/solve/friction/newton_system.c engine/solve/friction/newton_system.h \
	engine/solve/friction/newton_path.c engine/solve/friction/newton_path.h \
	engine/solve/friction/newton_layout.h engine/solve/friction/newton_rows.c engine/solve/friction/newton_rows.h \
	engine/solve/friction/newton_bodies.c engine/solve/friction/newton_bodies.h \
	engine/solve/matrix/subspace.c engine/solve/matrix/subspace.h \
	engine/solve/friction/sweeps.c engine/solve/friction/sweeps.h \
	engine/solve/table/chain.c engine/solve/table/chain.h \
	engine/solve/table/matrix_adapter.c engine/solve/table/matrix_adapter.h \
	engine/solve/table/solver_table.c engine/solve/table/solver_table.h

# The kernels of wider instruction sets: each an object with its own flags, within libcairn.a.
# Fusing a product and a sum would change bits: never -mfma, and -ffp-contract=off stays.
libcairn_a_LIBADD =
libcairn_a_DEPENDENCIES = $(libcairn_a_LIBADD)
if SIMD_X86
libcairn_a_SOURCES += engine/solve/impulse/impulse_sse2.c
noinst_LIBRARIES += libimpulse_avx2.a libimpulse_avx512.a
libimpulse_avx2_a_SOURCES = engine/solve/impulse/impulse_avx2.c
libimpulse_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libimpulse_avx512_a_SOURCES = engine/solve/impulse/impulse_avx512.c
libimpulse_avx512_a_CFLAGS = $(AM_CFLAGS) -mavx512f
libcairn_a_LIBADD += $(libimpulse_avx2_a_OBJECTS) $(libimpulse_avx512_a_OBJECTS)
endif
if SIMD_ARM
libcairn_a_SOURCES += engine/solve/impulse/impulse_neon.c
endif
EXTRA_DIST += engine/solve/impulse/impulse_sse2.c engine/solve/impulse/impulse_avx2.c \
	engine/solve/impulse/impulse_avx512.c engine/solve/impulse/impulse_neon.c

EXTRA_DIST += engine/solve/README.md \
	engine/solve/matrix/README.md \
	engine/solve/friction/README.md \
	engine/solve/impulse/README.md \
	engine/solve/joints/README.md \
	engine/solve/propagation/README.md \
	engine/solve/table/README.md
