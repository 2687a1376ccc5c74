libcairn_a_SOURCES += engine/collide/broad/broadphase.c engine/collide/broad/broadphase.h \
	engine/collide/broad/pair_sort.c engine/collide/broad/pair_sort.h \
	engine/collide/exact/contact.c engine/collide/exact/contact.h engine/collide/exact/core.c \
	engine/collide/exact/core.h engine/collide/fast/fast.c engine/collide/fast/fast.h \
	engine/collide/fast/fast_planar.c engine/collide/fast/fast_planar.h \
	engine/collide/fast/fast_base.c engine/collide/fast/fast_base.h \
	engine/collide/fast/fast_planar_bake.c engine/collide/fast/fast_planar_cut.c \
	engine/collide/fast/fast_planar_cut.h engine/collide/fast/fast_planar_pair.h \
	engine/collide/fast/fast_planar_piece.h \
	engine/collide/fast/fast_planar_plane.c engine/collide/fast/fast_planar_polygon.c \
	engine/collide/fast/fast_planar_round.c \
	engine/collide/fast/fast_spatial.h engine/collide/query/proximity.h \
	engine/collide/query/proximity.c engine/collide/broad/tree.c engine/collide/broad/tree.h \
	engine/collide/broad/tree_meet.c engine/collide/broad/tree_query.c \
	engine/collide/exact/manifold.h \
	engine/collide/exact/outline.c engine/collide/exact/outline.h engine/collide/exact/pair.c \
	engine/collide/exact/pair.h \
	engine/collide/exact/pair_borders.c \
	engine/collide/exact/pair_half_space.c engine/collide/exact/pair_outlines.c engine/collide/exact/pair_plane.c \
	engine/collide/exact/pair_point_outline.c engine/collide/exact/pair_points.c \
	engine/collide/exact/pair_polytopes.c engine/collide/exact/pair_round.c engine/collide/exact/pair_space.c \
	engine/collide/exact/pair_table.c engine/collide/exact/region.c engine/collide/exact/region.h \
	engine/collide/exact/degenerate.c engine/collide/exact/degenerate.h engine/collide/exact/rim.c engine/collide/exact/rim.h

# Distances, casts, overlaps and times of impact.
libcairn_a_SOURCES += engine/collide/query/convex.c engine/collide/query/convex.h engine/collide/query/gjk.c \
	engine/collide/query/gjk.h
libcairn_a_SOURCES += engine/collide/query/cast.h engine/collide/query/cast_ray.c engine/collide/query/cast_shape.c \
	engine/collide/query/flat.c engine/collide/query/flat.h \
	engine/collide/query/part.c engine/collide/query/part.h engine/collide/query/touch.c engine/collide/query/touch.h
libcairn_a_SOURCES += engine/collide/query/sweep.c engine/collide/query/sweep.h engine/collide/query/toi.c \
	engine/collide/query/toi.h engine/collide/query/toi_axis.c engine/collide/query/toi_axis.h
libcairn_a_SOURCES += engine/collide/fast/fast_spatial.c engine/collide/fast/fast_spatial_box.h \
	engine/collide/fast/fast_spatial_box_face.c engine/collide/fast/fast_spatial_boxes.c \
	engine/collide/fast/fast_spatial_capsule_box.c engine/collide/fast/fast_spatial_half_space.c \
	engine/collide/fast/fast_spatial_hull.c engine/collide/fast/fast_spatial_hull.h \
	engine/collide/fast/fast_spatial_hull_face.c engine/collide/fast/fast_spatial_hull_round.c \
	engine/collide/fast/fast_spatial_hulls.c engine/collide/mesh/fast_spatial_mesh.c \
	engine/collide/mesh/fast_spatial_mesh.h \
	engine/collide/mesh/fast_spatial_mesh_carry.c \
	engine/collide/mesh/fast_spatial_mesh_clear.c engine/collide/mesh/fast_spatial_mesh_clear.h \
	engine/collide/mesh/fast_spatial_mesh_edges.c engine/collide/mesh/fast_spatial_mesh_edges.h \
	engine/collide/mesh/fast_spatial_mesh_look.c engine/collide/mesh/fast_spatial_mesh_look.h \
	engine/collide/mesh/fast_spatial_mesh_pair.h \
	engine/collide/mesh/fast_spatial_mesh_points.c engine/collide/mesh/fast_spatial_mesh_points.h \
	engine/collide/mesh/fast_spatial_mesh_solid.c engine/collide/mesh/fast_spatial_mesh_solid.h \
	engine/collide/fast/fast_spatial_other.c engine/collide/fast/fast_spatial_pair.h \
	engine/collide/fast/fast_spatial_reduce.c engine/collide/fast/fast_spatial_round.c \
	engine/collide/fast/fast_spatial_shape.h

# Meshes, in double.
libcairn_a_SOURCES += engine/collide/mesh/sampling.c engine/collide/mesh/sampling.h \
	engine/collide/mesh/sampling_distance.c engine/collide/mesh/sampling_distance.h \
	engine/collide/mesh/sampling_near.c engine/collide/mesh/sampling_near.h

EXTRA_DIST += engine/collide/README.md \
	engine/collide/broad/README.md \
	engine/collide/exact/README.md \
	engine/collide/fast/README.md \
	engine/collide/mesh/README.md \
	engine/collide/query/README.md
