/*
 * sampling.h: where two shapes meet of which one at least is a mesh.
 *
 * Points of each are looked up in the signed distance of the other (section 4): a mesh's samples,
 * which are its vertices and points along its sharp edges; a sphere's centre; points along a
 * capsule and along the edges of boxes and hulls.  A plane has no points.  The distance is a
 * mesh's field, or exact of what is convex: of polytopes the largest distance from a face's plane,
 * which is exact inside and off by an edge's bevel outside.
 *
 * Whole patches of a mesh are passed over by their balls.  Of two meshes, floats in lanes choose
 * the samples that may be near (sampling_near.h); distances are doubles everywhere.
 *
 * Where edges of few triangles cross between such points, their deepest point takes the place of
 * the two beside it (mesh/mesh_low.h).
 *
 * A normal is the gradient of the distance, or, of a mesh that is sharp, that of the true triangle.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, sections 3 and 4.
 */
#ifndef ENGINE_COLLIDE_SAMPLING_H
#define ENGINE_COLLIDE_SAMPLING_H

#include "engine/collide/contact.h"
#include "engine/collide/fast_spatial_mesh.h"

#define CN_SAMPLES_MAX 384 /* of one pair; of more the deepest are kept */

/* A point of one shape near the surface of the other. */
struct cn_sample {
    bool of_a;       /* whose point it is */
    int32_t feature; /* which of its points */
    cn_vec3 core;    /* the point, without the rounding, in the frame of the other body [m] */
    cn_vec3 normal;  /* unit, out of the other, the same axes */
    double gap;      /* [m] */
    cn_vec3 ahead_normal; /* by cn_sampling_gap: at other poses, world, from A to B */
    cn_vec3 ahead_point;  /* the same point there, world */

    /* Of the deepest point of an edge (mesh/mesh_low.h): */
    bool is_low;
    cn_vec3 from, to; /* the part of the edge, in the frame of its own body [m] */
    int32_t end[2];   /* the features of points at its ends, which it stands for; -1: none */
};

struct cn_samples {
    int count;
    int lost; /* shallower than those kept */
    struct cn_sample sample[CN_SAMPLES_MAX];
};

/* Whether a pair is to be sampled. */
static inline bool
cn_sampling_is_for(const struct cn_shape *a, const struct cn_shape *b)
{
    return a->kind == CN_SHAPE_MESH || b->kind == CN_SHAPE_MESH;
}

/*
 * Finds the points whose gap is at most `margin` [m], in an order that the two shapes fix; which
 * kernel is told makes no difference but of speed.
 */
void cn_sampling_find(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples);

/* Two shapes, at the poses of their bodies now and ahead. */
struct cn_meeting_shapes {
    const struct cn_shape *a, *b;
    const cn_pose *now_a, *now_b, *ahead_a, *ahead_b;
};

struct cn_sampling_bounds {
    double margin;  /* of gaps now [m], */
    double near;    /* and of gaps now or ahead [m] */
    double spacing; /* see cn_sampling_meet */
};

/*
 * Finds the points whose gap is at most `margin` now, and at most `near` now or ahead; gap[]
 * (CN_SAMPLES_MAX) is the gap ahead of each of them.  Of points that are nearer than `spacing` to
 * each other ahead, with like normals, there is only the deepest.  Of two meshes that are not
 * sharp, floats tell which is deepest: of points that are equally deep but for rounding, either.
 */
void cn_sampling_meet(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_meeting_shapes *shapes, const struct cn_sampling_bounds *bounds,
    struct cn_samples *samples, double *gap);

/* The gap of a point at other poses than it was found at; sets ahead_normal and ahead_point. */
double cn_sampling_gap(struct cn_sample *sample, const struct cn_shape *a, const cn_pose *pose_a,
    const struct cn_shape *b, const cn_pose *pose_b, const cn_pose *found_a,
    const cn_pose *found_b);

/* The contact of a point: the plane that touches the surface there.  Bodies and shapes are left
 * to the caller. */
void cn_sampling_contact(const struct cn_sample *sample, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b,
    struct cn_contact *contact);

#endif
