/*
 * fast_spatial_round.c: spheres and capsules against each other, spheres against boxes, and round
 * shapes against a half space.
 *
 * Source: nearest points of segments, Ericson, Real-Time Collision Detection, 5.1.9.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_pair.h"

/* Two capsules of a smaller sine touch along a line, and get a point at each of its ends. */
#define ALONG_SINE 0.05F

/*
 * Adds a point between two cores, at the nearest point of each.  `spare` is the normal of cores
 * that meet.
 */
static void
add_between(const struct cn_fast_pair *pair, cn_four core_a, cn_four core_b, cn_four spare)
{
    float radius_a = pair->a->radius;
    cn_four across = core_b - core_a;
    float distance = sqrtf(cn_four_dot3(across, across));
    float separation = distance - radius_a - pair->b->radius;
    if (separation > pair->margin) {
        return;
    }
    cn_four normal = distance > 0.0F ? across / cn_four_splat(distance) : spare;
    cn_fast_set_normal(pair, normal);
    cn_fast_add(
        pair, core_a + cn_four_splat(radius_a + 0.5F * separation) * normal, separation, 0);
}

/* A point of the core: a sphere has one, a capsule two; relative to A's centre of mass. */
static cn_four
core_point(const struct cn_fast_frame *frame, const float local[4])
{
    return cn_fast_apply(frame, cn_four_load(local));
}

static const cn_four up = {0.0F, 1.0F, 0.0F, 0.0F};

void
cn_fast_sphere_sphere(const struct cn_fast_pair *pair)
{
    struct cn_fast_frame a = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    struct cn_fast_frame b = cn_fast_body_frame(pair->place_b, pair->between);
    add_between(pair, core_point(&a, pair->a->center), core_point(&b, pair->b->center), up);
}

/* The t of the point on the segment p + t w, 0 <= t <= 1, that is nearest to q. */
static float
nearest_on_segment(cn_four p, cn_four w, cn_four q)
{
    float square = cn_four_dot3(w, w);
    float t = square > 0.0F ? cn_four_dot3(q - p, w) / square : 0.0F;
    return t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
}

/* Some direction across w. */
static cn_four
across_of(cn_four w)
{
    float normal[3] = {w[0], w[1], w[2]}, first[3], second[3];
    float length = sqrtf(cn_four_dot3(w, w));
    if (length <= 0.0F) {
        return up;
    }
    for (int i = 0; i < 3; i++) {
        normal[i] /= length;
    }
    cn_tangents3(normal, first, second);
    return cn_four_set3(first[0], first[1], first[2]);
}

void
cn_fast_sphere_capsule(const struct cn_fast_pair *pair)
{
    struct cn_fast_frame a = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    struct cn_fast_frame b = cn_fast_body_frame(pair->place_b, pair->between);
    cn_four center = core_point(&a, pair->a->center);
    cn_four p = core_point(&b, pair->b->center), w = core_point(&b, pair->b->half) - p;
    cn_four nearest = p + cn_four_splat(nearest_on_segment(p, w, center)) * w;
    add_between(pair, center, nearest, across_of(w));
}

/* Two segments p + t w, and their squares and products. */
struct segments {
    cn_four p_a, w_a, p_b, w_b;
    float aa, bb, ab; /* w . w */
};

static float
clamp_to_unit(float t)
{
    return t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
}

static void
nearest_of_segments(const struct segments *s, float *t_a, float *t_b)
{
    cn_four r = s->p_a - s->p_b;
    float ra = cn_four_dot3(r, s->w_a), rb = cn_four_dot3(r, s->w_b);
    float determinant = s->aa * s->bb - s->ab * s->ab;
    float t = 0.5F;
    if (determinant > 1e-6F * s->aa * s->bb) {
        t = clamp_to_unit((s->ab * rb - ra * s->bb) / determinant);
    } else if (s->aa <= 0.0F) {
        t = 0.0F;
    }
    float u = s->bb > 0.0F ? (s->ab * t + rb) / s->bb : 0.0F;
    float clamped = clamp_to_unit(u);
    if (clamped != u && s->aa > 0.0F) {
        t = clamp_to_unit((s->ab * clamped - ra) / s->aa);
    } else if (s->bb <= 0.0F && s->aa > 0.0F) {
        t = clamp_to_unit(-ra / s->aa);
    }
    *t_a = t;
    *t_b = clamped;
}

/* The part of A's segment that lies over B's; returns whether there is such a part. */
static bool
find_overlap(const struct segments *s, float *low, float *high)
{
    /* B's ends along A's segment. */
    float tail = cn_four_dot3(s->p_b - s->p_a, s->w_a) / s->aa;
    float head = tail + s->ab / s->aa;
    *low = clamp_to_unit(tail < head ? tail : head);
    *high = clamp_to_unit(tail < head ? head : tail);
    return *high > *low;
}

/* Nearly parallel capsules touch along a line: adds a point at both ends of it, with one normal. */
static bool
add_along(const struct cn_fast_pair *pair, const struct segments *s)
{
    float low, high;
    if (s->aa <= 0.0F || s->bb <= 0.0F || !find_overlap(s, &low, &high)) {
        return false;
    }
    cn_four on_a[3], on_b[3];
    const float at[3] = {low, high, 0.5F * (low + high)};
    for (int i = 0; i < 3; i++) {
        on_a[i] = s->p_a + cn_four_splat(at[i]) * s->w_a;
        on_b[i] = s->p_b + cn_four_splat(nearest_on_segment(s->p_b, s->w_b, on_a[i])) * s->w_b;
    }
    float square = (high - low) * (high - low) * s->aa;
    float radius_a = pair->a->radius, radius_b = pair->b->radius;
    cn_four across = on_b[2] - on_a[2];
    float distance = sqrtf(cn_four_dot3(across, across));
    /* A very short line is a point.  If the cores meet, no one direction is across the line. */
    if (square < 0.01F * radius_a * radius_a || distance < 0.01F * (radius_a + radius_b)) {
        return false;
    }
    cn_four normal = across / cn_four_splat(distance);
    for (uint32_t i = 0; i < 2; i++) {
        float separation = cn_four_dot3(on_b[i] - on_a[i], normal) - radius_a - radius_b;
        if (separation <= pair->margin) {
            cn_fast_add(pair, on_a[i] + cn_four_splat(radius_a + 0.5F * separation) * normal,
                separation, 1 + i);
        }
    }
    cn_fast_set_normal(pair, normal);
    return pair->out->point_count > 0;
}

void
cn_fast_capsule_capsule(const struct cn_fast_pair *pair)
{
    struct cn_fast_frame a = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    struct cn_fast_frame b = cn_fast_body_frame(pair->place_b, pair->between);
    struct segments s = {.p_a = core_point(&a, pair->a->center),
        .p_b = core_point(&b, pair->b->center)};
    s.w_a = core_point(&a, pair->a->half) - s.p_a;
    s.w_b = core_point(&b, pair->b->half) - s.p_b;
    s.aa = cn_four_dot3(s.w_a, s.w_a);
    s.bb = cn_four_dot3(s.w_b, s.w_b);
    s.ab = cn_four_dot3(s.w_a, s.w_b);
    float t_a, t_b;
    nearest_of_segments(&s, &t_a, &t_b);
    cn_four on_a = s.p_a + cn_four_splat(t_a) * s.w_a, on_b = s.p_b + cn_four_splat(t_b) * s.w_b;
    cn_four d = on_b - on_a;
    float reach = pair->a->radius + pair->b->radius + pair->margin;
    if (cn_four_dot3(d, d) > reach * reach) {
        return;
    }
    cn_four cross = cn_four_cross(s.w_a, s.w_b);
    float square = cn_four_dot3(cross, cross), scale = s.aa * s.bb;
    if (square < ALONG_SINE * ALONG_SINE * scale && add_along(pair, &s)) {
        return;
    }
    cn_four spare = across_of(s.aa > 0.0F ? s.w_a : s.w_b);
    if (square > 1e-6F * scale) {
        spare = cross / cn_four_splat(sqrtf(square));
    }
    add_between(pair, on_a, on_b, cn_four_dot3(spare, pair->between) < 0.0F ? -spare : spare);
}

void
cn_fast_sphere_box(const struct cn_fast_pair *pair)
{
    struct cn_fast_frame body = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    struct cn_fast_frame box = cn_fast_box_frame(pair->b, pair->place_b, pair->between);
    cn_four center = cn_fast_invert(&box, core_point(&body, pair->a->center));
    cn_four half = cn_four_load(pair->b->half);
    cn_four nearest = cn_four_max(cn_four_min(center, half), -half);
    cn_four out = center - nearest;
    float radius = pair->a->radius, distance = sqrtf(cn_four_dot3(out, out));
    if (distance > 0.0F) {
        out = out / cn_four_splat(distance);
    } else {
        /* The centre is inside: the nearest face is the way out. */
        cn_four side = cn_four_abs(center) - half;
        int axis = side[1] > side[0] ? 1 : 0;
        axis = side[2] > side[axis] ? 2 : axis;
        float normal[3] = {0.0F, 0.0F, 0.0F};
        normal[axis] = center[axis] < 0.0F ? -1.0F : 1.0F;
        out = cn_four_set3(normal[0], normal[1], normal[2]);
        distance = side[axis];
    }
    float separation = distance - radius;
    if (separation > pair->margin) {
        return;
    }
    cn_four normal = cn_fast_turn(&box, out);
    cn_four down = cn_four_splat(radius + 0.5F * separation) * normal;
    cn_four place = cn_fast_apply(&box, center) - down;
    cn_fast_set_normal(pair, -normal);
    cn_fast_add(pair, place, separation, 0);
}

void
cn_fast_round_half_space(const struct cn_fast_pair *pair)
{
    struct cn_fast_half_space half = cn_fast_half_space_of(pair);
    struct cn_fast_frame body = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    float radius = pair->a->radius;
    CN_ASSERT(pair->b->form == CN_FAST3_HALF_SPACE);
    const float *end[2] = {pair->a->center, pair->a->half};
    uint32_t count = pair->a->form == CN_FAST3_CAPSULE ? 2 : 1;
    cn_fast_set_normal(pair, -half.normal);
    for (uint32_t i = 0; i < count; i++) {
        cn_four center = core_point(&body, end[i]);
        float separation = cn_four_dot3(half.normal, center) + half.height - radius;
        if (separation <= pair->margin) {
            cn_fast_add(pair, center - cn_four_splat(radius + 0.5F * separation) * half.normal,
                separation, i);
        }
    }
}
