libcairn_a_SOURCES += engine/collide/broadphase.c engine/collide/broadphase.h \
	engine/collide/contact.c engine/collide/contact.h \
	engine/collide/manifold.c engine/collide/manifold.h engine/collide/outline.c \
	engine/collide/outline.h engine/collide/pair.h engine/collide/pair_outlines.c \
	engine/collide/pair_plane.c engine/collide/pair_point_outline.c engine/collide/pair_points.c \
	engine/collide/pair_table.c
