/*
 * fast_planar_piece.h: the convex pieces of planar shapes, in float, and their poses.
 *
 * A shape is baked into one or more convex pieces.  Every piece has a frame of its own within the
 * body, at its middle.
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
 * Invariants:
 *
 *     1  CIRCLE has 1 vertex, CAPSULE 2, BOX 4, POLYGON 3 to CN_FAST_VERTICES_MAX, BORDER 2 to
 *        CN_BORDER_VERTICES_MAX, LARGE at most CN_POLYGON_VERTICES_MAX, PLANE 0
 *     2  a placed piece has the form and the vertex_count of its piece
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_PLANAR_PIECE_H
#define ENGINE_COLLIDE_FAST_FAST_PLANAR_PIECE_H

#include "engine/collide/fast/fast.h"

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
    /* BORDER, bit i: edge i is real; vertex i has a sector; vertex i is an open end */
    uint8_t borders, sectors, ends;
    bool one_sided; /* of a chain */
    float radius;
    float center_x, center_y;
    float axis_x, axis_y;
    float half_x, half_y; /* CAPSULE, BOX; else of the bounds of the vertices */
    const struct cn_shape *shape; /* borrowed */
    /*
     * CAPSULE, BOX, POLYGON: entries beyond vertex_count repeat the first vertex.  BORDER: the
     * sector of vertex i is from vertex[4 + i] to normal[4 + i].
     */
    float vertex_x[CN_FAST_VERTICES_MAX], vertex_y[CN_FAST_VERTICES_MAX];
    float normal_x[CN_FAST_VERTICES_MAX], normal_y[CN_FAST_VERTICES_MAX]; /* unit, outward */
    float offset[CN_FAST_VERTICES_MAX]; /* normal . vertex */
};

/*
 * A piece at the pose of its body: all data that most pairs read, in one cache line.  Derived:
 * computed once after its body has moved, for all of its pairs.
 */
struct cn_fast_placed2 {
    double x, y;          /* of the piece's middle, world [m] */
    float axis_x, axis_y; /* world */
    float arm_x, arm_y;   /* from the body's centre of mass to the middle, world axes [m] */
    float half_x, half_y, radius;
    uint8_t form, vertex_count;
    bool central; /* the piece's frame is the body's, so arms are zeros */
    const struct cn_fast_shape2 *piece; /* borrowed */
    uint64_t unused;
};
_Static_assert(sizeof(struct cn_fast_placed2) == 64, "a line of the cache");

/* The number of pieces of a shape, >= 1. */
int cn_fast_planar_count(const struct cn_shape *shape);

/* Writes that many pieces, always in the same order. */
void cn_fast_planar_bake_pieces(const struct cn_shape *shape, struct cn_fast_shape2 *pieces);

/* Computes a piece at the pose of its body. */
void cn_fast_planar_place(const struct cn_fast_shape2 *piece, const struct cn_place2 *place,
    struct cn_fast_placed2 *placed);

/* The same for a piece that was placed before.  It does not read a central piece. */
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

/* Bounds are larger by this part of an extent, to be safe from rounding. */
#define CN_FAST2_BOUNDS_SLACK 1e-6

/* x and y of cn_fast_planar_aabb, for a CIRCLE, CAPSULE or BOX. */
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
 * Bounds of a piece at its pose, grown by `margin`; +-1e30 where a PLANE is unbounded.  They are
 * tight up to rounding, and never too small.
 */
cn_aabb cn_fast_planar_aabb(const struct cn_fast_placed2 *placed, double margin);

/* Two placed pieces, their manifold of the last tick (NULL: none), and the one to be filled. */
struct cn_fast_task2 {
    const struct cn_fast_placed2 *a, *b;
    const struct cn_manifold2 *last;
    struct cn_manifold2 *now;
};

#endif
