/*
 * frame.h: frames of space, and the sums over the shapes of a body.
 */
#ifndef VERIFY_FRAME_H
#define VERIFY_FRAME_H

#include "verify/scene.h"

/* A frame: its axes and its origin, in the frame around it. */
struct vf_frame {
    struct vf_vec axis[3], origin;
};

/* Sums over the shapes of a body, in its frame; the tensor is about the frame's origin. */
struct vf_sums {
    q mass, rounded, tensor[9]; /* rounded: the mass, if there is a hull */
    struct vf_vec first;
    bool by_density, has_hull;
};

struct vf_frame vf_frame_of(struct q_pool *pool, cn_vec3 position, cn_quat quat);
struct vf_vec vf_frame_turn(struct q_pool *pool, const struct vf_frame *f, struct vf_vec v);
struct vf_vec vf_frame_place(struct q_pool *pool, const struct vf_frame *f, struct vf_vec v);

struct vf_vec vf_vector(struct q_pool *pool, cn_vec3 v);
q vf_part(struct vf_vec v, int k);

/* tensor += s a a', s 1, m (c.c 1 - c c') */
void vf_add_square(struct q_pool *pool, q *tensor, q s, struct vf_vec a);
void vf_add_diagonal(struct q_pool *pool, q *tensor, q s);
void vf_add_arm(struct q_pool *pool, q *tensor, q m, struct vf_vec c);

#endif
