/*
 * sampling.h: contacts of two shapes of which at least one is a mesh.
 *
 * Points of each shape are looked up in the signed distance of the other (section 4).  The points
 * are a mesh's samples (its vertices and points along its sharp edges), a sphere's centre, or
 * points along a capsule or along the edges of boxes and hulls.  A plane has no points.  The
 * distance is a mesh's field, or exact for a convex shape.  For polytopes it is the largest
 * distance from a face's plane, which is exact inside and differs outside, as if the edges were not
 * rounded.
 *
 * Whole patches of a mesh are skipped by their bounding balls.  For two meshes, floats in lanes
 * select the samples that may be near (sampling_near.h); distances are always doubles.
 *
 * Where edges of few triangles cross between such points, their deepest point replaces the two
 * points beside it (mesh/mesh_low.h).
 *
 * A normal is the gradient of the distance or, for a sharp mesh, that of the true triangle.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, sections 3 and 4.
 */
#ifndef ENGINE_COLLIDE_MESH_SAMPLING_H
#define ENGINE_COLLIDE_MESH_SAMPLING_H

#include "engine/collide/exact/contact.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"

#define CN_SAMPLES_MAX 384 /* of one pair; if there are more the deepest are kept */

/* A point of one shape near the surface of the other. */
struct cn_sample {
    bool of_a;       /* whether the point is A's */
    int32_t feature; /* index of the point */
    cn_vec3 core;    /* the point, without the rounding, in the frame of the other body [m] */
    cn_vec3 normal;  /* unit, out of the other, the same axes */
    double gap;      /* [m] */
    cn_vec3 ahead_normal; /* set by cn_sampling_gap: at other poses, world, from A to B */
    cn_vec3 ahead_point;  /* the same point there, world */

    /* For the deepest point of an edge (mesh/mesh_low.h): */
    bool is_low;
    cn_vec3 from, to; /* the part of the edge, in the frame of its own body [m] */
    int32_t end[2];   /* the features of points at its ends, which it replaces; -1: none */
};

struct cn_samples {
    int count;
    int lost; /* samples left out, all shallower than those kept */
    struct cn_sample sample[CN_SAMPLES_MAX];
};

/* Whether a pair is handled by sampling. */
static inline bool
cn_sampling_is_for(const struct cn_shape *a, const struct cn_shape *b)
{
    return a->kind == CN_SHAPE_MESH || b->kind == CN_SHAPE_MESH;
}

/*
 * Finds the points whose gap is at most `margin` [m], in an order that depends only on the two
 * shapes.  The choice of the kernel affects only the speed.
 */
void cn_sampling_find(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples);

/* Two shapes, with the present poses of their bodies and those ahead. */
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
 * (CN_SAMPLES_MAX) is the gap ahead of each.  Where points are nearer than `spacing` to each other
 * ahead and have similar normals only the deepest is kept.  For two meshes that are not sharp
 * floats decide which is deepest: among points equally deep up to rounding it may be any.
 */
void cn_sampling_meet(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_meeting_shapes *shapes, const struct cn_sampling_bounds *bounds,
    struct cn_samples *samples, double *gap);

/*
 * The gap of a point at other poses than those where it was found; sets ahead_normal and
 * ahead_point.
 */
double cn_sampling_gap(struct cn_sample *sample, const struct cn_shape *a, const cn_pose *pose_a,
    const struct cn_shape *b, const cn_pose *pose_b, const cn_pose *found_a,
    const cn_pose *found_b);

/*
 * The contact of a point, with the tangent plane of the surface there.  The caller sets bodies and
 * shapes.
 */
void cn_sampling_contact(const struct cn_sample *sample, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b,
    struct cn_contact *contact);

#endif
