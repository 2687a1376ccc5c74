/*
 * vec.h: vectors of exact numbers, in the plane and in space.
 *
 * Invariant: 1. All operands of an operation are of the plane, or all are of space.
 */
#ifndef VERIFY_VEC_H
#define VERIFY_VEC_H

#include "verify/q.h"

/* z is NULL in the plane. */
struct vf_vec {
    q x, y, z;
};

q vf_cross(struct q_pool *pool, struct vf_vec a, struct vf_vec b); /* z of a x b */
q vf_dot(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
/* a x b in space; in the plane a turn a = (0, 0, w) of the arm b, which has no z. */
struct vf_vec vf_turned(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
/* at x force, with all three parts, also in the plane. */
struct vf_vec vf_moment(struct q_pool *pool, struct vf_vec at, struct vf_vec force);
struct vf_vec vf_sub(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_add(struct q_pool *pool, struct vf_vec a, struct vf_vec b);
struct vf_vec vf_times(struct q_pool *pool, q s, struct vf_vec a);

#endif
