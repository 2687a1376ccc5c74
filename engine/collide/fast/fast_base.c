#include "engine/collide/fast/fast_base.h"

#include "engine/base/assert.h"

#include <math.h>

/* ---- the plane ---- */

void
cn_base2_make(
    const struct cn_place2 *a, const struct cn_place2 *b, struct cn_manifold2 *manifold)
{
    CN_ASSERT(0 <= manifold->point_count && manifold->point_count <= CN_POINTS_PLANAR_MAX);
    manifold->persists = 1;
    manifold->base = (struct cn_base2){(float)(b->x - a->x), (float)(b->y - a->y), a->cosine,
        a->sine, b->cosine, b->sine};
    for (int i = 0; i < CN_POINTS_PLANAR_MAX; i++) {
        manifold->base_separation[i] =
            i < manifold->point_count ? manifold->point[i].separation : 0.0F;
    }
}

/* A turn: its sine, and its cosine less 1. */
struct turn2 {
    float sine, less;
};

/* Computes a body's rotation since the base; false: it is too large. */
static bool
turned2(float cosine, float sine, float base_cosine, float base_sine, struct turn2 *turn)
{
    float c = cosine * base_cosine + sine * base_sine;
    turn->sine = sine * base_cosine - cosine * base_sine;
    turn->less = -turn->sine * turn->sine / (1.0F + c);
    return c > 0.5F && fabsf(turn->sine) <= CN_BASE_TURN;
}

bool
cn_base2_follow(const struct cn_place2 *a, const struct cn_place2 *b, float margin, float reach,
    const struct cn_manifold2 *last, struct cn_manifold2 *now)
{
    const struct cn_base2 *base = &last->base;
    struct turn2 ta, tb;
    if (last->persists == 0 ||
        !turned2(a->cosine, a->sine, base->cosine_a, base->sine_a, &ta) ||
        !turned2(b->cosine, b->sine, base->cosine_b, base->sine_b, &tb)) {
        return false;
    }
    CN_ASSERT(0 <= last->point_count && last->point_count <= CN_POINTS_PLANAR_MAX);
    float x = (float)(b->x - a->x) - base->between_x, y = (float)(b->y - a->y) - base->between_y;
    float most = CN_BASE_PART * margin - reach * fabsf(tb.sine - ta.sine);
    bool is_near = false;
    *now = *last;
    for (int i = 0; i < last->point_count; i++) {
        struct cn_point2 *p = &now->point[i];
        float mx = x + (tb.less * p->anchor_bx - tb.sine * p->anchor_by) -
                   (ta.less * p->anchor_ax - ta.sine * p->anchor_ay);
        float my = y + (tb.sine * p->anchor_bx + tb.less * p->anchor_by) -
                   (ta.sine * p->anchor_ax + ta.less * p->anchor_ay);
        if (i == 0 && !(most >= 0.0F && mx * mx + my * my <= most * most)) {
            return false;
        }
        p->separation = last->base_separation[i] + (last->normal_x * mx + last->normal_y * my);
        p->total_impulse = 0.0F;
        is_near = is_near || p->separation <= margin;
    }
    return is_near;
}

/* ---- space ---- */

#define TURN_SCALE 32767.0

static uint32_t
pack(double a)
{
    int32_t rounded = (int32_t)(a * TURN_SCALE + (a < 0.0 ? -0.5 : 0.5));
    return (uint32_t)rounded & 0xffffU;
}

static double
unpack(uint32_t bits)
{
    return (double)(int16_t)(uint16_t)(bits & 0xffffU) * (1.0 / TURN_SCALE);
}

static void
pack_turn(const cn_quat *q, uint32_t to[2])
{
    to[0] = to[1] = 0;
    if (q != NULL) {
        to[0] = pack(q->x) | pack(q->y) << 16;
        to[1] = pack(q->z) | pack(q->w) << 16;
    }
}

/*
 * Computes a body's rotation since the base, q conj(base), as x y z w with w >= 0; false: it is too
 * large.
 */
static bool
turned3(const cn_quat *q, const uint32_t base[2], float turn[4])
{
    if (q == NULL) {
        turn[0] = turn[1] = turn[2] = 0.0F;
        turn[3] = 1.0F;
        return (base[0] | base[1]) == 0; /* false: the body moved when the base was made */
    }
    double x = unpack(base[0]), y = unpack(base[0] >> 16);
    double z = unpack(base[1]), w = unpack(base[1] >> 16);
    double along = q->w * w + q->x * x + q->y * y + q->z * z;
    double sign = along < 0.0 ? -1.0 : 1.0;
    turn[0] = (float)(sign * (q->x * w - q->w * x - (q->y * z - q->z * y)));
    turn[1] = (float)(sign * (q->y * w - q->w * y - (q->z * x - q->x * z)));
    turn[2] = (float)(sign * (q->z * w - q->w * z - (q->x * y - q->y * x)));
    turn[3] = (float)(sign * along);
    float half = 0.5F * CN_BASE_TURN;
    return turn[3] > 0.5F &&
           turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] <= half * half;
}

/* Adds `two` / 2 times the displacement of an anchor by a rotation: 2 v x (w r + v x r). */
static void
add_turn(const float turn[4], const float r[3], float two, float to[3])
{
    float x = turn[1] * r[2] - turn[2] * r[1] + turn[3] * r[0];
    float y = turn[2] * r[0] - turn[0] * r[2] + turn[3] * r[1];
    float z = turn[0] * r[1] - turn[1] * r[0] + turn[3] * r[2];
    to[0] += two * (turn[1] * z - turn[2] * y);
    to[1] += two * (turn[2] * x - turn[0] * z);
    to[2] += two * (turn[0] * y - turn[1] * x);
}

/* The motion of two bodies since the base of a manifold. */
struct motion3 {
    float turn_a[4], turn_b[4], c[3]; /* c - c_base */
};

static bool
moved3(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, const struct cn_manifold3 *manifold, struct motion3 *motion)
{
    const float *ra = manifold->point[0].anchor_a, *rb = manifold->point[0].anchor_b;
    motion->c[0] = (float)(b->x - a->x) - (ra[0] - rb[0]);
    motion->c[1] = (float)(b->y - a->y) - (ra[1] - rb[1]);
    motion->c[2] = (float)(b->z - a->z) - (ra[2] - rb[2]);
    return turned3(turn_a, manifold->base.turn_a, motion->turn_a) &&
           turned3(turn_b, manifold->base.turn_b, motion->turn_b);
}

static void
move_point(const struct motion3 *motion, const struct cn_point3 *point, float m[3])
{
    m[0] = motion->c[0];
    m[1] = motion->c[1];
    m[2] = motion->c[2];
    add_turn(motion->turn_b, point->anchor_b, 2.0F, m);
    add_turn(motion->turn_a, point->anchor_a, -2.0F, m);
}

static float
dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void
cn_base3_make(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, struct cn_manifold3 *manifold)
{
    CN_ASSERT(0 <= manifold->point_count && manifold->point_count <= CN_POINTS_SPATIAL_MAX);
    struct motion3 motion;
    float m[3];
    pack_turn(turn_a, manifold->base.turn_a);
    pack_turn(turn_b, manifold->base.turn_b);
    manifold->persists = moved3(a, turn_a, b, turn_b, manifold, &motion) ? 1 : 0;
    for (int i = 0; i < CN_POINTS_SPATIAL_MAX; i++) {
        manifold->base_separation[i] = 0.0F;
        if (i < manifold->point_count) {
            move_point(&motion, &manifold->point[i], m);
            manifold->base_separation[i] =
                manifold->point[i].separation - dot(manifold->normal, m);
        }
    }
}

bool
cn_base3_follow(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, float margin, float reach, const struct cn_manifold3 *last,
    struct cn_manifold3 *now)
{
    struct motion3 motion;
    if (last->persists == 0 || !moved3(a, turn_a, b, turn_b, last, &motion)) {
        return false;
    }
    CN_ASSERT(0 <= last->point_count && last->point_count <= CN_POINTS_SPATIAL_MAX);
    const float *ta = motion.turn_a, *tb = motion.turn_b;
    const float d[3] = {tb[0] - ta[0], tb[1] - ta[1], tb[2] - ta[2]};
    float most = CN_BASE_PART * margin - 2.0F * reach * sqrtf(dot(d, d));
    bool is_near = false;
    *now = *last;
    for (int i = 0; i < last->point_count; i++) {
        struct cn_point3 *p = &now->point[i];
        float m[3];
        move_point(&motion, p, m);
        if (i == 0 && !(most >= 0.0F && dot(m, m) <= most * most)) {
            return false;
        }
        p->separation = last->base_separation[i] + dot(last->normal, m);
        is_near = is_near || p->separation <= margin;
    }
    return is_near;
}
