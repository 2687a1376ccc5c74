libcairn_a_SOURCES += engine/solve/joints/impulse_joint.c engine/solve/joints/impulse_joint.h \
	engine/solve/joints/impulse_joint_chain.c engine/solve/joints/impulse_joint_chain.h \
	engine/solve/joints/impulse_joint_chain_solve.c engine/solve/joints/impulse_joint_fill.c engine/solve/joints/impulse_joint_free.c \
	engine/solve/joints/impulse_joint_inside.h engine/solve/joints/impulse_joint_job.h engine/solve/joints/impulse_joint_kernel.h \
	engine/solve/joints/impulse_joint_lanes.h engine/solve/joints/impulse_joint_lanes2.h \
	engine/solve/joints/impulse_joint_lanes3.h engine/solve/joints/impulse_joint_lanes_ball.h engine/solve/joints/impulse_joint_planar.c \
	engine/solve/joints/impulse_joint_spatial.c engine/solve/joints/impulse_joint_spatial.h \
	engine/solve/joints/impulse_joint_spatial_pass.c engine/solve/joints/impulse_joint_thin.c \
	engine/solve/joints/impulse_joint_turn.c \
	engine/solve/joints/impulse_joint_wide.h \
	engine/solve/joints/impulse_joint_plain.c engine/solve/joints/impulse_joint_single.c

# Beside the kernels of contacts, by the same rules.
if SIMD_X86
libcairn_a_SOURCES += engine/solve/joints/impulse_joint_sse2.c
libimpulse_avx2_a_SOURCES += engine/solve/joints/impulse_joint_avx2.c
libimpulse_avx512_a_SOURCES += engine/solve/joints/impulse_joint_avx512.c
endif
if SIMD_ARM
libcairn_a_SOURCES += engine/solve/joints/impulse_joint_neon.c
endif
EXTRA_DIST += engine/solve/joints/impulse_joint_sse2.c engine/solve/joints/impulse_joint_avx2.c \
	engine/solve/joints/impulse_joint_avx512.c engine/solve/joints/impulse_joint_neon.c
