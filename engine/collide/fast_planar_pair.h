/*
 * fast_planar_pair.h: what the pair functions of the quick planar narrowphase share.
 *
 * A pair function serves two forms in one order and finds, in the frame of A's piece, a normal from
 * A to B and up to two points halfway between the surfaces, with separations up to the margin.
 */
#ifndef ENGINE_COLLIDE_FAST_PLANAR_PAIR_H
#define ENGINE_COLLIDE_FAST_PLANAR_PAIR_H

#include "engine/collide/fast_planar.h"

#include <math.h>

/* Axes whose separations differ by less than this part of the margin are as good as each other. */
#define CN_FAST2_TIE 0.025f

struct cn_fvec2 {
    float x, y;
};

static inline struct cn_fvec2
cn_fvec2_sub(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return (struct cn_fvec2){a.x - b.x, a.y - b.y};
}

static inline float
cn_fvec2_dot(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline float
cn_fvec2_cross(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return a.x * b.y - a.y * b.x;
}

/* Turns by the angle whose cosine and sine are r.x, r.y; and back. */
static inline struct cn_fvec2
cn_fvec2_turn(struct cn_fvec2 r, struct cn_fvec2 v)
{
    return (struct cn_fvec2){r.x * v.x - r.y * v.y, r.y * v.x + r.x * v.y};
}

static inline struct cn_fvec2
cn_fvec2_turn_back(struct cn_fvec2 r, struct cn_fvec2 v)
{
    return (struct cn_fvec2){r.x * v.x + r.y * v.y, r.x * v.y - r.y * v.x};
}

/* a + s b */
static inline struct cn_fvec2
cn_fvec2_add_scaled(struct cn_fvec2 a, float s, struct cn_fvec2 b)
{
    return (struct cn_fvec2){a.x + s * b.x, a.y + s * b.y};
}

static inline float
cn_fmin(float a, float b)
{
    return a < b ? a : b;
}

static inline float
cn_fmax(float a, float b)
{
    return a > b ? a : b;
}

/* B's piece in the frame of A's. */
struct cn_fast_pose2 {
    struct cn_fvec2 between; /* from A's middle to B's, world axes */
    struct cn_fvec2 place_b; /* the same, in A's frame */
    struct cn_fvec2 turn_b;  /* cosine and sine */
    float margin, tie;
};

/* What a pair function finds, in the frame of A's piece. */
struct cn_fast_found2 {
    int count;
    struct cn_fvec2 normal;
    struct cn_fvec2 point[2];
    float separation[2];
    uint32_t feature[2];
};

/* The pose of a piece's body, for what is read in double. */
static inline cn_pose
cn_fast_placed2_pose(const struct cn_fast_placed2 *placed)
{
    struct cn_fvec2 local = {placed->piece->axis_x, placed->piece->axis_y};
    struct cn_fvec2 world = {placed->axis_x, placed->axis_y};
    struct cn_fvec2 turn = cn_fvec2_turn_back(local, world);
    double c = (double)turn.x, s = (double)turn.y, scale = 1.0 / sqrt(c * c + s * s);
    cn_vec3 center = {
        placed->x - (double)placed->arm_x, placed->y - (double)placed->arm_y, 0.0};
    return (cn_pose){center, cn_mat33_about_z(scale * s, scale * c)};
}

typedef void cn_fast_pair2(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found);

cn_fast_pair2 cn_fast_pair2_circles;
cn_fast_pair2 cn_fast_pair2_capsule_circle;
cn_fast_pair2 cn_fast_pair2_box_circle;
cn_fast_pair2 cn_fast_pair2_polygon_circle;
cn_fast_pair2 cn_fast_pair2_polygons; /* capsules, boxes, polygons */

/* These find it in world axes.  Half plane, anything with a core; and what goes by cn_collide. */
void cn_fast_pair2_plane(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold);
void cn_fast_pair2_other(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold);

/* One point, of core points pa and pb that are `distance` apart along the normal. */
static inline void
cn_fast_found2_point(struct cn_fast_found2 *found, const struct cn_fast_placed2 *a,
    const struct cn_fast_placed2 *b, struct cn_fvec2 pa, struct cn_fvec2 normal, float distance)
{
    float separation = distance - (a->radius + b->radius);
    found->count = 1;
    found->normal = normal;
    found->point[0] = cn_fvec2_add_scaled(pa, a->radius + 0.5f * separation, normal);
    found->separation[0] = separation;
    found->feature[0] = 0;
}

#endif
