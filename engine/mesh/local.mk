libcairn_a_SOURCES += \
	engine/mesh/field.c engine/mesh/field.h \
	engine/mesh/field_bake.c engine/mesh/field_bake.h \
	engine/mesh/field_float.h engine/mesh/field_grid.h engine/mesh/field_sign.c \
	engine/mesh/mass.c engine/mesh/mass.h \
	engine/mesh/mesh.h \
	engine/mesh/mesh_build.c engine/mesh/mesh_build.h \
	engine/mesh/mesh_close.c \
	engine/mesh/mesh_cross.c \
	engine/mesh/mesh_flip.c \
	engine/mesh/mesh_low.c engine/mesh/mesh_low.h \
	engine/mesh/mesh_make.c \
	engine/mesh/mesh_mend.c \
	engine/mesh/mesh_nearest.c \
	engine/mesh/mesh_patch.c \
	engine/mesh/mesh_ray.c \
	engine/mesh/mesh_sample.c \
	engine/mesh/mesh_shape.c \
	engine/mesh/mesh_thickness.c \
	engine/mesh/mesh_tree.c \
	engine/mesh/torus.c engine/mesh/torus.h
