/*
 * fast_spatial_pair.h: shared by the pair functions of the quick narrowphase of space.
 *
 * All positions of one call are in world axes with the origin at A's centre of mass, or in the
 * frame of one of the two shapes.  Vectors are the first three lanes of four floats; nothing
 * depends on the fourth.
 *
 * A pair function handles two forms in one order; it fills normal, points and hint of an empty
 * manifold.  cn_fast_spatial_collide handles the other order, and copies the impulses afterwards.
 *
 * Features: the features that touch are a corner of one shape, or an edge of each.  Their name does
 * not depend on which shape has the reference face, so a point keeps its name when that changes.
 *
 *     edge e of A, edge f of B          e << 8 | f     (a hull has at most 186 edges)
 *     corner v of A, corner v of B      v << 8 | 0xfe, v << 8 | 0xff
 *
 * A hint names the axis along which the pair met, and the separation when a full search last found
 * that axis:
 *
 *     bits 30, 31   kind: 0 none, or enum cn_fast_axis
 *     bits 22 .. 29 face, or A's edge;   bits 14 .. 21  B's edge
 *     bits  0 .. 13 data of the pair function
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_PAIR_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_PAIR_H

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_shape.h"
#include "engine/math/four.h"

#include <stdbool.h>

enum cn_fast_axis {
    CN_FAST_AXIS_NONE,
    CN_FAST_AXIS_FACE_A,
    CN_FAST_AXIS_FACE_B,
    CN_FAST_AXIS_EDGES,
};

/* Lengths that differ by less than this part of a pair's smaller width are equal. */
#define CN_FAST_TIE 0.005F
/* Edges with a smaller sine are parallel, and have no axis. */
#define CN_FAST_PARALLEL 0.005F

struct cn_fast_pair {
    const struct cn_fast_shape3 *a, *b;
    const struct cn_place3 *place_a, *place_b;
    cn_four between;          /* from A's centre of mass to B's, world axes */
    float margin;
    uint32_t hint;            /* of the last tick; 0 where the pair had no points */
    uint32_t apart;           /* of the last tick if it had none: an axis that separated the two */
    struct cn_manifold3 *out; /* no points yet */
};

typedef void cn_fast_function(const struct cn_fast_pair *pair);

cn_fast_function cn_fast_sphere_sphere;
cn_fast_function cn_fast_sphere_capsule;
cn_fast_function cn_fast_sphere_box;
cn_fast_function cn_fast_capsule_capsule;
cn_fast_function cn_fast_capsule_box;
cn_fast_function cn_fast_box_box;
cn_fast_function cn_fast_round_half_space; /* sphere or capsule */
cn_fast_function cn_fast_box_half_space;
cn_fast_function cn_fast_round_hull; /* sphere or capsule */
cn_fast_function cn_fast_hulls; /* hulls, or a box and a hull */
cn_fast_function cn_fast_hull_half_space;
cn_fast_function cn_fast_other; /* any two, in any order */

/* A shape's frame: its axes in world axes, its origin as seen from A's centre of mass. */
struct cn_fast_frame {
    cn_four x, y, z, origin;
};

static inline cn_four
cn_four_set3(float x, float y, float z)
{
    return (cn_four){x, y, z, 0.0F};
}

/*
 * The frame of B's body, or with between = 0 that of A's body.  The fourth lanes hold any finite
 * number.
 */
static inline struct cn_fast_frame
cn_fast_body_frame(const struct cn_place3 *place, cn_four between)
{
    return (struct cn_fast_frame){cn_four_load(place->turn), cn_four_load(place->turn + 3),
        cn_four_load(place->turn + 6), between};
}

/* A direction of the frame in world axes. */
static inline cn_four
cn_fast_turn(const struct cn_fast_frame *frame, cn_four v)
{
    return cn_four_splat(v[0]) * frame->x + cn_four_splat(v[1]) * frame->y +
           cn_four_splat(v[2]) * frame->z;
}

static inline cn_four
cn_fast_apply(const struct cn_fast_frame *frame, cn_four v)
{
    return frame->origin + cn_fast_turn(frame, v);
}

static inline cn_four
cn_fast_turn_back(const struct cn_fast_frame *frame, cn_four v)
{
    return cn_four_set3(
        cn_four_dot3(frame->x, v), cn_four_dot3(frame->y, v), cn_four_dot3(frame->z, v));
}

/* A point in world axes, relative to A's centre of mass, in the frame. */
static inline cn_four
cn_fast_invert(const struct cn_fast_frame *frame, cn_four v)
{
    return cn_fast_turn_back(frame, v - frame->origin);
}

/* The axes of one frame in another. */
struct cn_fast_turn3 {
    cn_four axis[3]; /* fourth lanes: 0 */
};

static inline cn_four
cn_fast_turn3_apply(const struct cn_fast_turn3 *turn, cn_four v)
{
    return cn_four_order(v, 0, 0, 0, 0) * turn->axis[0] +
           cn_four_order(v, 1, 1, 1, 1) * turn->axis[1] +
           cn_four_order(v, 2, 2, 2, 2) * turn->axis[2];
}

/* The world's axes in the frame. */
static inline struct cn_fast_turn3
cn_fast_frame_back(const struct cn_fast_frame *frame)
{
    struct cn_fast_turn3 back = {{frame->x, frame->y, frame->z}};
    cn_four zero = cn_four_splat(0.0F);
    cn_four_transpose(&back.axis[0], &back.axis[1], &back.axis[2], &zero);
    return back;
}

/* B's axes in A's frame, given the world's in A's. */
static inline struct cn_fast_turn3
cn_fast_turn3_of(const struct cn_fast_turn3 *world_in_a, const struct cn_fast_frame *b)
{
    return (struct cn_fast_turn3){{cn_fast_turn3_apply(world_in_a, b->x),
        cn_fast_turn3_apply(world_in_a, b->y), cn_fast_turn3_apply(world_in_a, b->z)}};
}

static inline struct cn_fast_turn3
cn_fast_turn3_back(const struct cn_fast_turn3 *turn)
{
    struct cn_fast_turn3 back = *turn;
    cn_four zero = cn_four_splat(0.0F);
    cn_four_transpose(&back.axis[0], &back.axis[1], &back.axis[2], &zero);
    return back;
}

/* The frame of a box. */
static inline struct cn_fast_frame
cn_fast_box_frame(
    const struct cn_fast_shape3 *shape, const struct cn_place3 *place, cn_four between)
{
    struct cn_fast_frame body = cn_fast_body_frame(place, between);
    if (shape->is_plain) {
        return body;
    }
    return (struct cn_fast_frame){cn_fast_turn(&body, cn_four_load(shape->axis[0])),
        cn_fast_turn(&body, cn_four_load(shape->axis[1])),
        cn_fast_turn(&body, cn_four_load(shape->axis[2])),
        cn_fast_apply(&body, cn_four_load(shape->center))};
}

/* B's plane as seen from A's centre of mass: a point p is normal . p + height above it. */
struct cn_fast_half_space {
    cn_four normal; /* world axes */
    float height;
};

/* The height is computed in double, because B's origin may be far away along the plane. */
static inline struct cn_fast_half_space
cn_fast_half_space_of(const struct cn_fast_pair *pair)
{
    const struct cn_place3 *a = pair->place_a, *b = pair->place_b;
    struct cn_fast_frame frame = cn_fast_body_frame(b, pair->between);
    cn_four n = cn_fast_turn(&frame, cn_four_load(pair->b->axis[0]));
    double height = (double)n[0] * (a->x - b->x) + (double)n[1] * (a->y - b->y) +
                    (double)n[2] * (a->z - b->z) - (double)pair->b->offset;
    return (struct cn_fast_half_space){n, (float)height};
}

static inline uint32_t
cn_fast_feature_edges(bool first_is_a, int first, int second)
{
    return first_is_a ? (uint32_t)(first << 8 | second) : (uint32_t)(second << 8 | first);
}

static inline uint32_t
cn_fast_feature_corner(bool of_a, int corner)
{
    return (uint32_t)corner << 8 | (of_a ? 0xfeU : 0xffU);
}

static inline uint32_t
cn_fast_hint_pack(enum cn_fast_axis kind, int first, int second)
{
    CN_ASSERT((((unsigned)first | (unsigned)second) & ~0xffU) == 0);
    return (uint32_t)kind << 30 | (uint32_t)first << 22 | (uint32_t)second << 14;
}

static inline void
cn_fast_set_normal(const struct cn_fast_pair *pair, cn_four normal)
{
    pair->out->normal[0] = normal[0];
    pair->out->normal[1] = normal[1];
    pair->out->normal[2] = normal[2];
}

/* Adds a point; `place` is relative to A's centre of mass, and there must be room. */
static inline void
cn_fast_add(const struct cn_fast_pair *pair, cn_four place, float separation, uint32_t feature)
{
    CN_ASSERT(pair->out->point_count < CN_POINTS_SPATIAL_MAX); /* fast.h, invariant 1 */
    CN_ASSERT(feature <= 0xffffU);                             /* and 2 */
    struct cn_point3 *point = &pair->out->point[pair->out->point_count++];
    /* Writes four numbers to members of three; the member behind them is written later. */
    float *anchor = (float *)(void *)point;
    cn_four_store(anchor, place);
    cn_four_store(anchor + 3, place - pair->between);
    point->separation = separation;
    point->normal_impulse = 0.0F;
    point->total_impulse = 0.0F;
    point->feature = feature;
}

/* The largest number of points of a plane, of which a few are kept. */
#define CN_FAST_CANDIDATES_MAX 136 /* two faces of hulls, and their edges' crossings */

/*
 * Picks at most four of count > 4 points at (x, y), and returns their number.  The first is as deep
 * as the deepest, up to a tie, and far out.  The second is the farthest from it.  The others span
 * the largest area on either side of these two.  A point that is only a little better than an
 * earlier one does not replace it.
 */
int cn_fast_reduce(
    const float *x, const float *y, const float *separation, int count, float tie, int pick[4]);

#endif
