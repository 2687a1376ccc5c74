libcairn_a_SOURCES += engine/solve/color.c engine/solve/color.h \
	engine/solve/impulse.c engine/solve/impulse.h \
	engine/solve/impulse_kernel.h engine/solve/impulse_kernels.h engine/solve/impulse_lanes.h \
	engine/solve/impulse_planar.h engine/solve/impulse_planar_body.h \
	engine/solve/impulse_planar_prepare.h engine/solve/impulse_spatial.h \
	engine/solve/impulse_spatial_body.h engine/solve/impulse_spatial_prepare.h \
	engine/solve/impulse_wide3.h \
	engine/solve/impulse_plain.c engine/solve/impulse_single.c \
	engine/solve/impulse_row.c \
	engine/solve/solver.h engine/solve/solver_table.c \
	engine/solve/solver_table.h engine/solve/matrix_solver.c engine/solve/matrix_solver.h \
	engine/solve/baraff89.c engine/solve/baraff89.h \
	engine/solve/baraff94_friction.c engine/solve/baraff94_friction.h \
	engine/solve/friction_frame.c engine/solve/friction_frame.h \
	engine/solve/friction_newton.c engine/solve/friction_newton.h \
	engine/solve/friction_pivot.c engine/solve/friction_pivot.h \
	engine/solve/baraff94.c engine/solve/baraff94.h engine/solve/dantzig.c \
	engine/solve/dantzig.h engine/solve/minimum_norm.c engine/solve/minimum_norm.h \
	engine/solve/bounded.c engine/solve/bounded.h \
	engine/solve/faure96.c engine/solve/faure96.h \
	engine/solve/faure96_inside.h engine/solve/faure96_round.c \
	engine/solve/faure96_sweep.c \
	engine/solve/gauss.c engine/solve/gauss.h \
	engine/solve/guendelman03.c engine/solve/guendelman03.h engine/solve/guendelman03_strike.h \
	engine/solve/restraint.c engine/solve/restraint.h \
	engine/solve/friction_map.c engine/solve/friction_map.h \
	engine/solve/newton.c engine/solve/newton.h \
	engine/solve/newton_system.c engine/solve/newton_system.h \
	engine/solve/newton_path.c engine/solve/newton_path.h \
	engine/solve/newton_rows.c engine/solve/newton_rows.h \
	engine/solve/newton_bodies.c engine/solve/newton_bodies.h \
	engine/solve/subspace.c engine/solve/subspace.h \
	engine/solve/sweeps.c engine/solve/sweeps.h \
	engine/solve/chain.c engine/solve/chain.h

# The kernels of wider instruction sets: each an object with its own flags, within libcairn.a.
# Fusing a product and a sum would change bits: never -mfma, and -ffp-contract=off stays.
libcairn_a_LIBADD =
libcairn_a_DEPENDENCIES = $(libcairn_a_LIBADD)
if SIMD_X86
libcairn_a_SOURCES += engine/solve/impulse_sse2.c
noinst_LIBRARIES += libimpulse_avx2.a libimpulse_avx512.a
libimpulse_avx2_a_SOURCES = engine/solve/impulse_avx2.c
libimpulse_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libimpulse_avx512_a_SOURCES = engine/solve/impulse_avx512.c
libimpulse_avx512_a_CFLAGS = $(AM_CFLAGS) -mavx512f
libcairn_a_LIBADD += $(libimpulse_avx2_a_OBJECTS) $(libimpulse_avx512_a_OBJECTS)
endif
if SIMD_ARM
libcairn_a_SOURCES += engine/solve/impulse_neon.c
endif
EXTRA_DIST += engine/solve/impulse_sse2.c engine/solve/impulse_avx2.c \
	engine/solve/impulse_avx512.c engine/solve/impulse_neon.c
