libcairn_a_SOURCES += engine/state/cache_walk.c engine/state/fields.h \
	engine/state/image.c engine/state/image.h engine/state/joint_check.c \
	engine/state/joint_check.h engine/state/physics.c \
	engine/state/portable.h \
	engine/state/portable_made.c engine/state/portable_made.h \
	engine/state/portable_read.c \
	engine/state/portable_reading.c engine/state/portable_reading.h \
	engine/state/portable_rows.h engine/state/portable_write.c \
	engine/state/section_walk.c engine/state/structure_walk.c \
	engine/state/walk.h engine/state/walk_inside.h engine/state/world_walk.c
