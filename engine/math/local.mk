libcairn_a_SOURCES += engine/math/aabb.h engine/math/box.h engine/math/hilbert.c \
	engine/math/hilbert.h engine/math/mat33.h engine/math/pose.h engine/math/quat.h \
	engine/math/scalar.h engine/math/trig.c engine/math/trig.h engine/math/vec2.h engine/math/vec3.h \
	engine/math/wide.h engine/math/wide_neon.h engine/math/wide_plain.h \
	engine/math/wide_single.h engine/math/wide_x86.h
libcairn_a_SOURCES += engine/math/four.h
