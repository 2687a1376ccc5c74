libcairn_a_SOURCES += engine/collide/broadphase.c engine/collide/broadphase.h \
	engine/collide/contact.c engine/collide/contact.h engine/collide/core.c \
	engine/collide/core.h engine/collide/fast.h \
	engine/collide/fast_planar.c engine/collide/fast_planar.h \
	engine/collide/fast_base.c engine/collide/fast_base.h \
	engine/collide/fast_planar_bake.c engine/collide/fast_planar_cut.c \
	engine/collide/fast_planar_cut.h engine/collide/fast_planar_pair.h \
	engine/collide/fast_planar_plane.c engine/collide/fast_planar_polygon.c \
	engine/collide/fast_planar_round.c \
	engine/collide/fast_spatial.h engine/collide/proximity.h \
	engine/collide/proximity.c engine/collide/tree.c engine/collide/tree.h \
	engine/collide/tree_meet.c engine/collide/tree_query.c \
	engine/collide/manifold.c engine/collide/manifold.h \
	engine/collide/outline.c engine/collide/outline.h engine/collide/pair.h \
	engine/collide/pair_borders.c \
	engine/collide/pair_half_space.c engine/collide/pair_outlines.c engine/collide/pair_plane.c \
	engine/collide/pair_point_outline.c engine/collide/pair_points.c \
	engine/collide/pair_polytopes.c engine/collide/pair_round.c engine/collide/pair_space.c \
	engine/collide/pair_table.c engine/collide/region.c engine/collide/region.h \
	engine/collide/tips.c engine/collide/tips.h engine/collide/rim.c engine/collide/rim.h

# Distances, casts, overlaps and times of impact.
libcairn_a_SOURCES += engine/collide/convex.c engine/collide/convex.h engine/collide/gjk.c \
	engine/collide/gjk.h
libcairn_a_SOURCES += engine/collide/cast.h engine/collide/cast_ray.c engine/collide/cast_shape.c \
	engine/collide/part.c engine/collide/part.h engine/collide/touch.c engine/collide/touch.h
libcairn_a_SOURCES += engine/collide/sweep.c engine/collide/sweep.h engine/collide/toi.c \
	engine/collide/toi.h engine/collide/toi_axis.c engine/collide/toi_axis.h
libcairn_a_SOURCES += engine/collide/fast_spatial.c engine/collide/fast_spatial_box.h \
	engine/collide/fast_spatial_box_face.c engine/collide/fast_spatial_boxes.c \
	engine/collide/fast_spatial_capsule_box.c engine/collide/fast_spatial_half_space.c \
	engine/collide/fast_spatial_hull.c engine/collide/fast_spatial_hull.h \
	engine/collide/fast_spatial_hull_face.c engine/collide/fast_spatial_hull_round.c \
	engine/collide/fast_spatial_hulls.c engine/collide/fast_spatial_mesh.c \
	engine/collide/fast_spatial_mesh.h engine/collide/fast_spatial_mesh_inside.h \
	engine/collide/fast_spatial_mesh_carry.c \
	engine/collide/fast_spatial_mesh_clear.c \
	engine/collide/fast_spatial_mesh_edges.c \
	engine/collide/fast_spatial_mesh_points.c engine/collide/fast_spatial_mesh_solid.c \
	engine/collide/fast_spatial_other.c engine/collide/fast_spatial_pair.h \
	engine/collide/fast_spatial_reduce.c engine/collide/fast_spatial_round.c

# Meshes, in double.
libcairn_a_SOURCES += engine/collide/sampling.c engine/collide/sampling.h \
	engine/collide/sampling_near.c engine/collide/sampling_near.h
