libcairn_a_SOURCES += engine/shape/box.c engine/shape/capsule.c engine/shape/circle.c \
	engine/shape/plane.c engine/shape/polygon.c engine/shape/shape.c engine/shape/shape.h \
	engine/shape/shape_kind.h engine/shape/shape_table.c
