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

/*
 * Leaves of points that are nearer than `spacing` to each other, with like normals, only the
 * deepest, by the gaps, normals and places of cn_sampling_gap; gap[] (samples->count) goes along.
 * The order stays.
 */
void cn_sampling_thin(struct cn_samples *samples, double *gap, double spacing);

/* The gap of a point at other poses than it was found at; sets ahead_normal and ahead_point. */
double cn_sampling_gap(struct cn_sample *sample, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, const cn_pose *found_a,
    const cn_pose *found_b);

/* The contact of a point: the plane that touches the surface there.  Bodies and shapes are left
 * to the caller. */
void cn_sampling_contact(const struct cn_sample *sample, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b,
    struct cn_contact *contact);

#endif
