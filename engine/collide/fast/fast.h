/*
 * fast.h: the narrowphase of the production solver: few contact points, in float, quickly.
 *
 * The exact narrowphase (manifold.h) gives features that can be followed through a tick.  This one
 * gives the data that a soft contact solver needs: one normal, and at most two points in the plane
 * or four in space.  Each point has its position from both centres of mass and its separation.  All
 * geometry of a pair is in world axes with the origin at A's centre of mass.  Positions are
 * subtracted in double, so accuracy does not depend on where in the world the pair is.
 *
 *     normal      unit, from A to B
 *     anchor_a    from A's centre of mass to the point, which lies halfway between the surfaces
 *     anchor_b    from B's centre of mass to the same point
 *     separation  along the normal, < 0 where they overlap [m]
 *
 * A point's feature names the two features that touch, and stays the same while they do.  A point
 * finds its impulses of the last tick by its feature.  Points stand in the order in which the pair
 * function finds them.
 *
 * Invariants:
 *
 *     1  point_count is at most CN_POINTS_PLANAR_MAX or CN_POINTS_SPATIAL_MAX
 *     2  a feature has 16 bits, because images store that many
 *
 * Determinism: a manifold is a function of the two shapes, the two poses, the margin, and the
 * persistent part of the last manifold (features and hint).  Kinds that have no quick function go
 * through cn_collide; the result is reduced to the same form.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_H
#define ENGINE_COLLIDE_FAST_FAST_H

#include "engine/shape/shape.h"

#include <stddef.h>
#include <stdint.h>

#define CN_POINTS_PLANAR_MAX 2
#define CN_POINTS_SPATIAL_MAX 4

/* A body's position and rotation, as the narrowphase reads them. */
struct cn_place2 {
    double x, y;         /* of the centre of mass [m] */
    float cosine, sine;  /* of its angle */
};

/*
 * 64 bytes.  A body's rotation matrix is computed once, not once for each pair.  cn_place3_of fills
 * it.
 */
struct cn_place3 {
    double x, y, z;
    float turn[9]; /* the body's axes in the world: x, then y, then z */
    float spare;   /* 0: the last axis may be read as four numbers */
};

/* The relative pose of two bodies when their manifold was found; see fast_base.h. */
struct cn_base2 {
    float between_x, between_y; /* from A's centre of mass to B's [m] */
    float cosine_a, sine_a, cosine_b, sine_b;
};

struct cn_base3 {
    uint32_t turn_a[2], turn_b[2]; /* x y, z w of their orientations, in 16 bits each */
};

/* 36 bytes. */
struct cn_point2 {
    float anchor_ax, anchor_ay;
    float anchor_bx, anchor_by;
    float separation;
    float normal_impulse, tangent_impulse; /* of the last substep: warm starts [N s] */
    float total_impulse;                   /* along the normal, of the whole tick [N s] */
    uint32_t feature;                      /* 16 bits are used */
};

struct cn_manifold2 {
    float normal_x, normal_y;
    float rolling_impulse;  /* N m s */
    int32_t point_count;    /* 0: apart */
    uint32_t hint;          /* persistent: data that the pair function stores for its next call */
    struct cn_point2 point[CN_POINTS_PLANAR_MAX];
    int32_t persists;       /* 1: there is a base; the pipeline sets it, not the pair functions */
    struct cn_base2 base;
    float base_separation[CN_POINTS_PLANAR_MAX]; /* 0 beyond the last point */
};

/* 40 bytes. */
struct cn_point3 {
    float anchor_a[3];
    float anchor_b[3];
    float separation;
    float normal_impulse, total_impulse;
    uint32_t feature; /* 16 bits are used */
};

struct cn_manifold3 {
    float normal[3];
    float tangent_impulse[2]; /* of friction at the middle of the points, along the two tangents
                               * that cn_tangents3 makes of the normal [N s] */
    float twist_impulse;      /* about the normal [N m s] */
    float rolling_impulse[3]; /* N m s */
    int32_t point_count;
    uint32_t hint;
    struct cn_point3 point[CN_POINTS_SPATIAL_MAX];
    int32_t persists;
    struct cn_base3 base;
    float base_separation[CN_POINTS_SPATIAL_MAX];
};

extern const struct cn_manifold2 cn_manifold2_none; /* all zeros */

/*
 * Makes a manifold without points, with the hint of the last one.  A copy is faster than the code
 * by which compilers clear it.
 */
static inline void
cn_manifold2_clear(struct cn_manifold2 *manifold, const struct cn_manifold2 *last)
{
    *manifold = cn_manifold2_none;
    manifold->hint = last == NULL ? 0U : last->hint;
}

/*
 * Gives a manifold's points the impulses of the last one's points with the same features.  Does
 * nothing if last is NULL.
 */
void cn_manifold2_carry(const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

/* Two directions across a unit normal, which depend only on the normal. */
void cn_tangents3(const float normal[3], float first[3], float second[3]);

/* The float copy of a shape, made once; frame: centre of mass and axes of the body. */
struct cn_fast_shape2;
struct cn_fast_shape3;

/*
 * fast_planar_piece.h and fast_spatial_shape.h define these shapes; fast_planar.h and
 * fast_spatial.h collide them.
 */

#endif
