# The quick narrowphase by lanes, built like the kernels of solve/local.mk.
libcairn_a_SOURCES += engine/collide/fast/fast_planar_boxes.h engine/collide/fast/fast_planar_plain.c \
	engine/collide/fast/fast_planar_single.c engine/collide/mesh/fast_spatial_mesh_lanes.h \
	engine/collide/mesh/fast_spatial_mesh_plain.c engine/collide/mesh/fast_spatial_mesh_single.c
if SIMD_X86
libcairn_a_SOURCES += engine/collide/fast/fast_planar_sse2.c engine/collide/mesh/fast_spatial_mesh_sse2.c
noinst_LIBRARIES += libcollide_avx2.a libcollide_avx512.a
libcollide_avx2_a_SOURCES = engine/collide/fast/fast_planar_avx2.c \
	engine/collide/mesh/fast_spatial_mesh_avx2.c
libcollide_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libcollide_avx512_a_SOURCES = engine/collide/fast/fast_planar_avx512.c \
	engine/collide/mesh/fast_spatial_mesh_avx512.c
libcollide_avx512_a_CFLAGS = $(AM_CFLAGS) -mavx512f
libcairn_a_LIBADD += $(libcollide_avx2_a_OBJECTS) $(libcollide_avx512_a_OBJECTS)
endif
if SIMD_ARM
libcairn_a_SOURCES += engine/collide/fast/fast_planar_neon.c engine/collide/mesh/fast_spatial_mesh_neon.c
endif
EXTRA_DIST += engine/collide/fast/fast_planar_sse2.c engine/collide/fast/fast_planar_avx2.c \
	engine/collide/fast/fast_planar_avx512.c engine/collide/fast/fast_planar_neon.c \
	engine/collide/mesh/fast_spatial_mesh_sse2.c engine/collide/mesh/fast_spatial_mesh_avx2.c \
	engine/collide/mesh/fast_spatial_mesh_avx512.c engine/collide/mesh/fast_spatial_mesh_neon.c
