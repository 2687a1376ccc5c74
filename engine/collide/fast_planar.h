/*
 * fast_planar.h: the quick narrowphase of the plane; see fast.h for what a manifold is.
 *
 * A shape is baked into one or more convex pieces, and what collides is a piece with a piece: so
 * one normal is enough for a manifold, and level geometry costs what is near.  Every piece has a
 * frame of its own within the body, at its middle; all that is computed is relative to the middle
 * of A's piece, and the difference of the two middles is taken in double.
 *
 *     piece      center, axis (its local x) in the frame of the body's centre of mass
 *     vertices   in the piece's frame, counter-clockwise; edge i leads from vertex i to i + 1
 *     CIRCLE     its center                  CAPSULE   vertices (-half_x, 0), (half_x, 0)
 *     BOX        +-half_x, +-half_y; vertices from (-, -) on, so that edge 0 is the lower one
 *     POLYGON    3 to CN_FAST_VERTICES_MAX vertices, axis (1, 0)
 *     LARGE      a polygon of more; its vertices stay with the shape
 *     BORDER     a piece of an outline (3 or 4 vertices) or of a chain (2): fast_planar_cut.h
 *     PLANE      reads its shape, in double
 *
 * Method: separating axes (the edges of both), then the edge of the other that faces the best one
 * is clipped to it.  Where the nearest features are two corners, the normal leads from one to the
 * other; so rounded shapes are smooth, and sharp corners that approach each other are met.
 *
 * Pieces of outlines meet by the edges that are edges of the outline, and by normals that a corner
 * of the outline has; the others only tell that two pieces are apart.  So nothing catches at the
 * seams of pieces, nor at the joints of a chain.  An edge is met by what crosses its line, and
 * where the edge next to it at an outward corner is not a shorter way out.  A chain is one-sided:
 * what has its middle behind a piece of it does not meet that piece; what is wholly within an
 * outline does not meet it either.
 *
 * An edge is kept as the reference while it is as good as any other up to a tolerance, and the edge
 * that faces it likewise: `hint` says which they were.  A point's feature is the pair of corners at
 * that end of the line of contact, so that it does not matter whose edge was the reference.
 */
#ifndef ENGINE_COLLIDE_FAST_PLANAR_H
#define ENGINE_COLLIDE_FAST_PLANAR_H

#include "engine/collide/fast.h"

#include <math.h>

#define CN_FAST_VERTICES_MAX 8
#define CN_BORDER_VERTICES_MAX 4

enum cn_fast_form2 {
    CN_FAST2_CIRCLE,
    CN_FAST2_CAPSULE,
    CN_FAST2_BOX,
    CN_FAST2_POLYGON,
    CN_FAST2_LARGE,
    CN_FAST2_BORDER,
    CN_FAST2_PLANE,
    CN_FAST2_COUNT,
};

struct cn_fast_shape2 {
    uint8_t form; /* enum cn_fast_form2 */
    uint8_t vertex_count; /* 1, 2, n; 0 of PLANE */
    /* BORDER: bit i: edge i is real; vertex i has a sector; and is an open end */
    uint8_t borders, sectors, ends;
    bool one_sided; /* of a chain */
    float radius;
    float center_x, center_y;
    float axis_x, axis_y;
    float half_x, half_y; /* CAPSULE, BOX; else of the bounds of the vertices */
    const struct cn_shape *shape; /* borrowed */
    /*
     * CAPSULE, BOX, POLYGON: beyond vertex_count the first vertex again.  BORDER: the sector of
     * vertex i is from vertex[4 + i] to normal[4 + i].
     */
    float vertex_x[CN_FAST_VERTICES_MAX], vertex_y[CN_FAST_VERTICES_MAX];
    float normal_x[CN_FAST_VERTICES_MAX], normal_y[CN_FAST_VERTICES_MAX]; /* unit, outward */
    float offset[CN_FAST_VERTICES_MAX]; /* normal . vertex */
};

/*
 * A piece where its body is: all that most pairs read, in one line of the cache.  Derived; made
 * once when its body has moved, for all of its pairs.
 */
struct cn_fast_placed2 {
    double x, y;          /* of the piece's middle, world [m] */
    float axis_x, axis_y; /* world */
    float arm_x, arm_y;   /* from the body's centre of mass to the middle, world axes [m] */
    float half_x, half_y, radius;
    uint8_t form, vertex_count;
    bool central; /* its middle is the centre of mass and its axis the body's: arms are zeros */
    const struct cn_fast_shape2 *piece; /* borrowed */
    uint64_t unused;
};
_Static_assert(sizeof(struct cn_fast_placed2) == 64, "a line of the cache");

/* How many pieces a shape makes, >= 1. */
int cn_fast_planar_count(const struct cn_shape *shape);

/* Writes so many pieces, always in the same order. */
void cn_fast_planar_bake_pieces(const struct cn_shape *shape, struct cn_fast_shape2 *pieces);

/* Puts a piece where its body is. */
void cn_fast_planar_place(const struct cn_fast_shape2 *piece, const struct cn_place2 *place,
    struct cn_fast_placed2 *placed);

/* The same of one that was placed before; a central piece is not read. */
static inline void
cn_fast_planar_follow(struct cn_fast_placed2 *placed, const struct cn_place2 *place)
{
    if (!placed->central) {
        cn_fast_planar_place(placed->piece, place, placed);
        return;
    }
    placed->x = place->x;
    placed->y = place->y;
    placed->axis_x = place->cosine;
    placed->axis_y = place->sine;
}

/* Part of an extent by which bounds are larger than what rounding lets them be. */
#define CN_FAST2_BOUNDS_SLACK 1e-6

/* x and y of cn_fast_planar_aabb, of a CIRCLE, CAPSULE or BOX. */
static inline void
cn_fast_planar_bounds(
    const struct cn_fast_placed2 *placed, double margin, cn_vec3 *low, cn_vec3 *high)
{
    float ux = fabsf(placed->axis_x), uy = fabsf(placed->axis_y);
    double radius = (double)placed->radius;
    double grow = margin + radius +
                  CN_FAST2_BOUNDS_SLACK * (radius + (double)(placed->half_x + placed->half_y));
    double x = (double)(ux * placed->half_x + uy * placed->half_y) + grow;
    double y = (double)(uy * placed->half_x + ux * placed->half_y) + grow;
    low->x = placed->x - x;
    low->y = placed->y - y;
    high->x = placed->x + x;
    high->y = placed->y + y;
}

/*
 * Bounds of a piece where it is placed, grown by `margin`; +-1e30 where a PLANE is unbounded.
 * Tight up to rounding, which is on the safe side.
 */
cn_aabb cn_fast_planar_aabb(const struct cn_fast_placed2 *placed, double margin);

/*
 * Fills *manifold, point_count 0 where the pieces are further apart than `margin` [m]; no point is
 * further apart.  `last` is the pair's manifold of the last tick, NULL if there was none: impulses
 * go over to points of the same feature, others begin with zero.  Never a pair of two planes.
 */
void cn_fast_planar_meet(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

/* A pair of many; `now` is filled as by cn_fast_planar_meet. */
struct cn_fast_task2 {
    const struct cn_fast_placed2 *a, *b;
    const struct cn_manifold2 *last;
    struct cn_manifold2 *now;
};

/*
 * The kernels of one instruction set, by the name that its cn_impulse_kernel has; NULL: not built.
 * Whether this processor runs it.
 */
struct cn_fast_kernel2;
const struct cn_fast_kernel2 *cn_fast_planar_kernel(const char *name);
bool cn_fast_planar_runs(const struct cn_fast_kernel2 *kernel);

/* The bits of cn_fast_planar_meet, for many pairs; boxes go by lanes. */
void cn_fast_planar_meet_many(const struct cn_fast_kernel2 *kernel,
    const struct cn_fast_task2 *tasks, int count, float margin);

/* The same, of pieces that are placed for this call alone. */
void cn_fast_planar_collide(const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

#endif
