libcairn_a_SOURCES += \
	engine/mesh/field.c engine/mesh/field.h \
	engine/mesh/field_bake.h \
	engine/mesh/mass.c engine/mesh/mass.h \
	engine/mesh/mesh.h
