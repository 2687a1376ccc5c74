libcairn_a_SOURCES += engine/shape/alike.c engine/shape/bake.c engine/shape/border.c engine/shape/border.h \
	engine/shape/box.c engine/shape/capsule.c engine/shape/circle.c \
	engine/shape/hull.c engine/shape/hull_build.c engine/shape/hull_build.h \
	engine/shape/mesh.c \
	engine/shape/outline.c engine/shape/plane.c \
	engine/shape/polygon.c engine/shape/polytope.c engine/shape/polytope.h \
	engine/shape/shape.h engine/shape/shape_kind.h engine/shape/shape_table.c engine/shape/sphere.c
