/*
 * fast_spatial_capsule_box.c: a capsule and a box.
 *
 * All is computed in the box's frame.  While the capsule's segment is outside the box, the nearest
 * points decide: those of an end and the box, or of the segment and one of the twelve edges.  If
 * the segment passes through the box, the axis of least overlap decides.  A segment that is nearly
 * flat above a face gets two points.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_pair.h"

/* A face is used if the cosine between its normal and the way out is at least this. */
#define FLAT_COSINE 0.998F

struct scene {
    const struct cn_fast_pair *pair;
    struct cn_fast_frame box; /* seen from the capsule's centre of mass, which is A's */
    float p[4], q[4], w[4];   /* ends of the segment, and from one to the other */
    float half[4];
    float tie;
};

/* The nearest point of the segment, and the vector to it from the box. */
struct nearest {
    float square; /* of the distance */
    float t;
    float out[3];
};

static const int next_of[5] = {1, 2, 0, 1, 2};

static void
load(const struct cn_fast_pair *pair, struct scene *s)
{
    struct cn_fast_frame body = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    s->pair = pair;
    s->box = cn_fast_box_frame(pair->b, pair->place_b, pair->between);
    cn_four p = cn_fast_invert(&s->box, cn_fast_apply(&body, cn_four_load(pair->a->center)));
    cn_four q = cn_fast_invert(&s->box, cn_fast_apply(&body, cn_four_load(pair->a->half)));
    cn_four_store(s->p, p);
    cn_four_store(s->q, q);
    cn_four_store(s->w, q - p);
    cn_four_store(s->half, cn_four_load(pair->b->half));
    s->tie = CN_FAST_TIE * (pair->a->width < pair->b->width ? pair->a->width : pair->b->width);
}

/*
 * Cuts [low, high] to the part where p + t w is within -limit .. limit; returns whether any is
 * left.
 */
static bool
cut(float p, float w, float limit, float *low, float *high)
{
    if (w == 0.0F) {
        return fabsf(p) <= limit;
    }
    float enter = (-limit - p) / w, leave = (limit - p) / w;
    if (w < 0.0F) {
        float swap = enter;
        enter = leave;
        leave = swap;
    }
    *low = enter > *low ? enter : *low;
    *high = leave < *high ? leave : *high;
    return *low <= *high;
}

static bool
passes_through(const struct scene *s)
{
    float low = 0.0F, high = 1.0F;
    return cut(s->p[0], s->w[0], s->half[0], &low, &high) &&
           cut(s->p[1], s->w[1], s->half[1], &low, &high) &&
           cut(s->p[2], s->w[2], s->half[2], &low, &high);
}

static void
try_end(const struct scene *s, const float end[4], float t, struct nearest *best)
{
    cn_four place = cn_four_load(end), half = cn_four_load(s->half);
    cn_four out = place - cn_four_max(cn_four_min(place, half), -half);
    float square = cn_four_dot3(out, out);
    if (square < best->square) {
        *best = (struct nearest){square, t, {out[0], out[1], out[2]}};
    }
}

static cn_four
clamp_four(cn_four x, float low, float high)
{
    return cn_four_max(cn_four_min(x, cn_four_splat(high)), cn_four_splat(low));
}

/* Tries the four edges along axis i at once. */
static void
try_edges(const struct scene *s, int i, struct nearest *best)
{
    const cn_four sign_j = {1.0F, -1.0F, 1.0F, -1.0F}, sign_k = {1.0F, 1.0F, -1.0F, -1.0F};
    int j = next_of[i], k = next_of[i + 1];
    float wi = s->w[i], wj = s->w[j], wk = s->w[k];
    /* From the segment's first end to the edges, across them. */
    cn_four to_j = sign_j * cn_four_splat(s->half[j]) - cn_four_splat(s->p[j]);
    cn_four to_k = sign_k * cn_four_splat(s->half[k]) - cn_four_splat(s->p[k]);
    cn_four dot = to_j * cn_four_splat(wj) + to_k * cn_four_splat(wk);
    float flat = wj * wj + wk * wk, square = flat + wi * wi;
    cn_four t = flat > 1e-6F * square ? clamp_four(dot / cn_four_splat(flat), 0.0F, 1.0F)
                                      : cn_four_splat(0.5F);
    cn_four z = cn_four_splat(s->p[i]) + t * cn_four_splat(wi);
    z = clamp_four(z, -s->half[i], s->half[i]);
    cn_four to_i = z - cn_four_splat(s->p[i]);
    if (square > 0.0F) {
        t = clamp_four((dot + to_i * cn_four_splat(wi)) / cn_four_splat(square), 0.0F, 1.0F);
    }
    cn_four out[3];
    out[i] = t * cn_four_splat(wi) - to_i;
    out[j] = t * cn_four_splat(wj) - to_j;
    out[k] = t * cn_four_splat(wk) - to_k;
    cn_four distance = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    for (int lane = 0; lane < 4; lane++) {
        if (distance[lane] < best->square) {
            *best = (struct nearest){
                distance[lane], t[lane], {out[0][lane], out[1][lane], out[2][lane]}};
        }
    }
}

/* Adds the point below position t of the segment. */
static void
add_at(const struct scene *s, float t, cn_four normal, float separation, uint32_t feature)
{
    if (separation > s->pair->margin) {
        return;
    }
    cn_four core = cn_four_load(s->p) + cn_four_splat(t) * cn_four_load(s->w);
    cn_four down = cn_four_splat(s->pair->a->radius + 0.5F * separation) * normal;
    cn_fast_add(s->pair, cn_fast_apply(&s->box, core - down), separation, feature);
}

static float
deepest_of(const struct cn_manifold3 *out)
{
    float deepest = HUGE_VALF;
    for (int i = 0; i < out->point_count; i++) {
        float separation = out->point[i].separation;
        deepest = separation < deepest ? separation : deepest;
    }
    return deepest;
}

/*
 * Adds a point at both ends of the part of the segment above a face.  False, without points, if no
 * separation is at most `most`: then the face ends before the segment's deepest point.
 */
static bool
add_on_face(const struct scene *s, int axis, float sign, float most)
{
    int j = next_of[axis], k = next_of[axis + 1];
    float at[2] = {0.0F, 1.0F};
    if (!cut(s->p[j], s->w[j], s->half[j] + s->tie, &at[0], &at[1]) ||
        !cut(s->p[k], s->w[k], s->half[k] + s->tie, &at[0], &at[1])) {
        return false;
    }
    float n[3] = {0.0F, 0.0F, 0.0F};
    n[axis] = sign;
    cn_four normal = cn_four_set3(n[0], n[1], n[2]);
    cn_fast_set_normal(s->pair, -cn_fast_turn(&s->box, normal));
    for (uint32_t i = 0; i < 2; i++) {
        float height = sign * (s->p[axis] + at[i] * s->w[axis]) - s->half[axis];
        add_at(s, at[i], normal, height - s->pair->a->radius, i);
    }
    if (deepest_of(s->pair->out) > most) {
        s->pair->out->point_count = 0;
    }
    return s->pair->out->point_count > 0;
}

static void
add_nearest(const struct scene *s, const struct nearest *best)
{
    float distance = sqrtf(best->square), radius = s->pair->a->radius;
    float separation = distance - radius;
    if (separation > s->pair->margin) {
        return;
    }
    cn_four normal = cn_four_load((float[4]){best->out[0], best->out[1], best->out[2], 0.0F}) /
                     cn_four_splat(distance);
    for (int i = 0; i < 3; i++) {
        if (fabsf(normal[i]) > FLAT_COSINE &&
            add_on_face(s, i, normal[i] < 0.0F ? -1.0F : 1.0F, separation + s->tie)) {
            return;
        }
    }
    cn_fast_set_normal(s->pair, -cn_fast_turn(&s->box, normal));
    add_at(s, best->t, normal, separation, 2);
}

/* Finds the best axis across the segment and an edge of the box; returns its side, or -HUGE. */
static float
best_crossing(const struct scene *s, const float middle[3], int *axis)
{
    float best = -HUGE_VALF;
    float square = s->w[0] * s->w[0] + s->w[1] * s->w[1] + s->w[2] * s->w[2];
    for (int i = 0; i < 3; i++) {
        int j = next_of[i], k = next_of[i + 1];
        float wj = s->w[j], wk = s->w[k], length = sqrtf(wj * wj + wk * wk);
        if (length * length <= CN_FAST_PARALLEL * CN_FAST_PARALLEL * square) {
            continue;
        }
        /* e_i x w = (-w_k, w_j) in the plane of j and k. */
        float side = fabsf(middle[k] * wj - middle[j] * wk) - s->half[j] * fabsf(wk) -
                     s->half[k] * fabsf(wj);
        if (side / length > best) {
            best = side / length;
            *axis = i;
        }
    }
    return best;
}

static void
add_crossing(const struct scene *s, const float middle[3], int i, float side)
{
    int j = next_of[i], k = next_of[i + 1];
    float wj = s->w[j], wk = s->w[k], length = sqrtf(wj * wj + wk * wk);
    float sign = middle[k] * wj - middle[j] * wk < 0.0F ? -1.0F : 1.0F;
    float n[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    n[j] = -sign * wk / length;
    n[k] = sign * wj / length;
    float to_j = (n[j] < 0.0F ? -s->half[j] : s->half[j]) - s->p[j];
    float to_k = (n[k] < 0.0F ? -s->half[k] : s->half[k]) - s->p[k];
    float t = (to_j * wj + to_k * wk) / (length * length);
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    cn_four normal = cn_four_load(n);
    cn_fast_set_normal(s->pair, -cn_fast_turn(&s->box, normal));
    add_at(s, t, normal, side - s->pair->a->radius, 2);
}

static void
add_deep(const struct scene *s)
{
    float middle[3], best = -HUGE_VALF;
    int face = 0, crossing = 0;
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5F * (s->p[i] + s->q[i]);
        float side = fabsf(middle[i]) - s->half[i] - 0.5F * fabsf(s->w[i]);
        if (side > best) {
            best = side;
            face = i;
        }
    }
    float edge = best_crossing(s, middle, &crossing);
    float sign = middle[face] < 0.0F ? -1.0F : 1.0F;
    if (edge < best - s->tie) {
        (void)add_on_face(s, face, sign, HUGE_VALF);
    } else if (edge > best + s->tie ||
               !add_on_face(s, face, sign, best - s->pair->a->radius + 2.0F * s->tie)) {
        add_crossing(s, middle, crossing, edge);
    }
}

void
cn_fast_capsule_box(const struct cn_fast_pair *pair)
{
    CN_ASSERT(pair->a->form == CN_FAST3_CAPSULE && pair->b->form == CN_FAST3_BOX);
    struct scene s;
    load(pair, &s);
    /* Most pairs that are apart are separated by an axis of the box. */
    float reach = pair->a->radius + pair->margin;
    for (int i = 0; i < 3; i++) {
        float low = s.p[i] < s.q[i] ? s.p[i] : s.q[i], high = s.p[i] < s.q[i] ? s.q[i] : s.p[i];
        if (low - s.half[i] > reach || -high - s.half[i] > reach) {
            return;
        }
    }
    if (passes_through(&s)) {
        add_deep(&s);
        return;
    }
    struct nearest best = {.square = HUGE_VALF};
    try_end(&s, s.p, 0.0F, &best);
    try_end(&s, s.q, 1.0F, &best);
    for (int i = 0; i < 3; i++) {
        try_edges(&s, i, &best);
    }
    if (best.square > 0.0F) {
        add_nearest(&s, &best);
    } else {
        add_deep(&s);
    }
}
