/*
 * solid.h: hulls and cuboids as faces and edges, and where they and capsules touch.
 */
#ifndef VERIFY_SOLID_H
#define VERIFY_SOLID_H

#include "verify/frame.h"

/* Each reads a shape in space, and adds it to the sums. */
void vf_hull_read(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums);
void vf_capsule_read(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums);

/* Fills faces and edges of a cuboid from its axes. */
void vf_solid_of_cuboid(struct q_pool *pool, struct vf_shape *shape);

/* Finds where two hulls, or a hull and a cuboid, touch. */
void vf_solid_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b,
    q near, struct vf_found *found);

/*
 * The corners of what two sets cover of each other in the plane normal . x = offset, by x, y, z.
 * A corner at most `slack` beside an edge lies on it.  Returns their number.  area, length are
 * squares, for comparisons; both may be NULL.
 */
int vf_solid_cover(struct q_pool *pool, struct vf_vec normal, q offset, q slack,
    const struct vf_vec *a, int a_count, const struct vf_vec *b, int b_count,
    struct vf_vec *corner, q *area, q *length);

/*
 * The two stations on the segment from p[0] to p[1] between which it lies over the hull of three
 * corners and more, seen along the normal.  False: they share no length.
 */
bool vf_solid_clip(struct q_pool *pool, struct vf_vec normal, const struct vf_vec *p,
    const struct vf_vec *corner, int count, q *station);

/* Finds where a capsule touches a shape, or a disc or ball a hull; in the plane and in space. */
void vf_capsule_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b,
    q near, struct vf_found *found);

/* Rounds what was found: points to 2^-64, and the normal, if so asked, to 2^-48. */
void vf_found_round(struct q_pool *pool, struct vf_found *found, bool with_normal);

#endif
