# Points in a field by every kind of lanes, for tests and benchmarks of field_float.h.
check_LIBRARIES += libfield_look.a
libfield_look_a_SOURCES = tests/support/field_look/field_look.h \
	tests/support/field_look/field_looks.h \
	tests/support/field_look/field_look_single.c tests/support/field_look/field_look_plain.c
libfield_look_a_LIBADD =
libfield_look_a_DEPENDENCIES = $(libfield_look_a_LIBADD)
if SIMD_X86
libfield_look_a_SOURCES += tests/support/field_look/field_look_sse2.c
check_LIBRARIES += libfield_look_avx2.a libfield_look_avx512.a
libfield_look_avx2_a_SOURCES = tests/support/field_look/field_look_avx2.c
libfield_look_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libfield_look_avx512_a_SOURCES = tests/support/field_look/field_look_avx512.c
libfield_look_avx512_a_CFLAGS = $(AM_CFLAGS) -mavx512f
libfield_look_a_LIBADD += $(libfield_look_avx2_a_OBJECTS) $(libfield_look_avx512_a_OBJECTS)
endif
if SIMD_ARM
libfield_look_a_SOURCES += tests/support/field_look/field_look_neon.c
endif
EXTRA_DIST += tests/support/field_look/field_look_sse2.c \
	tests/support/field_look/field_look_avx2.c \
	tests/support/field_look/field_look_avx512.c tests/support/field_look/field_look_neon.c
