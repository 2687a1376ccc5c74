/*
 * fast_spatial_mesh_points.c: candidates become manifolds of few points, with the impulses of the
 * last tick.
 */
#include "engine/collide/fast_spatial_mesh_inside.h"

#include <string.h>

#define ALIKE_COSINE 0.9F /* of normals that one manifold stands for */
#define TIE_FRACTION 0.02F /* of the smaller width: places that differ by less are the same */
#define STEPS 31           /* of a feature along each axis: 5 bits */
#define NEAR_SQUARE 8      /* of features: so near points are the same point */

/* ---- names ---- */

/* Where places are named: the smaller body's. */
static struct cn_fast_frame
naming_frame(const struct cn_mesh_gather *g, float *scale)
{
    const struct cn_fast_mesh_pair *pair = g->pair;
    double a = pair->a->shape->reach, b = pair->b->shape->reach;
    bool is_a = b == 0.0 || (a > 0.0 && a <= b); /* a plane has no reach */
    *scale = 0.5F * (float)STEPS / (float)(is_a ? a : b);
    return cn_fast_body_frame(is_a ? pair->place_a : pair->place_b,
        is_a ? cn_four_splat(0.0F) : g->between);
}

static uint32_t
step_of(float along, float scale)
{
    float step = along * scale + 0.5F * (float)STEPS;
    return step > 0.0F ? step < (float)STEPS ? (uint32_t)step : STEPS : 0U;
}

static uint32_t
name_of(const struct cn_fast_frame *frame, float scale, cn_four place)
{
    cn_four at = cn_fast_invert(frame, place);
    return step_of(at[0], scale) << 10 | step_of(at[1], scale) << 5 | step_of(at[2], scale);
}

int
cn_fast_mesh_apart(uint32_t feature, uint32_t other)
{
    int sum = 0;
    for (int shift = 0; shift <= 10; shift += 5) {
        int difference = (int)(feature >> shift & 31U) - (int)(other >> shift & 31U);
        sum += difference * difference;
    }
    return sum;
}

/* ---- clusters ---- */

static int
most_urgent(const struct cn_mesh_gather *g, const bool *done)
{
    int best = -1;
    for (int i = 0; i < g->count; i++) {
        if (!done[i] && (best < 0 || g->candidate[i].urgency < g->candidate[best].urgency)) {
            best = i;
        }
    }
    return best;
}

static void
make_manifold(const struct cn_mesh_gather *g, cn_four normal, const int *member, int count,
    struct cn_fast_mesh_manifold *out)
{
    float x[CN_MESH_CANDIDATES], y[CN_MESH_CANDIDATES], separation[CN_MESH_CANDIDATES];
    float first[3], second[3], scale;
    int pick[4] = {0, 1, 2, 3}, kept = count;
    struct cn_fast_frame frame = naming_frame(g, &scale);
    out->normal[0] = normal[0];
    out->normal[1] = normal[1];
    out->normal[2] = normal[2];
    if (count > CN_POINTS_SPATIAL_MAX) {
        cn_tangents3(out->normal, first, second);
        cn_four u = cn_four_set3(first[0], first[1], first[2]);
        cn_four v = cn_four_set3(second[0], second[1], second[2]);
        for (int i = 0; i < count; i++) {
            const struct cn_mesh_candidate *candidate = &g->candidate[member[i]];
            x[i] = cn_four_dot3(candidate->place, u);
            y[i] = cn_four_dot3(candidate->place, v);
            separation[i] = candidate->separation;
        }
        float a = g->pair->a->width, b = g->pair->b->width;
        kept = cn_fast_reduce(x, y, separation, count, TIE_FRACTION * (a < b ? a : b), pick);
    }
    out->point_count = kept;
    for (int i = 0; i < kept; i++) {
        const struct cn_mesh_candidate *candidate = &g->candidate[member[pick[i]]];
        struct cn_fast_mesh_point *point = &out->point[i];
        point->place[0] = candidate->place[0];
        point->place[1] = candidate->place[1];
        point->place[2] = candidate->place[2];
        point->separation = candidate->separation;
        point->feature = name_of(&frame, scale, candidate->place);
    }
}

void
cn_mesh_reduce(struct cn_mesh_gather *g, struct cn_fast_mesh_found *found)
{
    bool done[CN_MESH_CANDIDATES] = {false};
    int member[CN_MESH_CANDIDATES];
    while (found->manifold_count < CN_FAST_MESH_MANIFOLDS_MAX) {
        int leader = most_urgent(g, done), count = 0;
        if (leader < 0) {
            return;
        }
        cn_four normal = g->candidate[leader].normal;
        for (int i = 0; i < g->count; i++) {
            if (!done[i] && cn_four_dot3(g->candidate[i].normal, normal) >= ALIKE_COSINE) {
                done[i] = true;
                member[count++] = i;
            }
        }
        make_manifold(g, normal, member, count, &found->manifold[found->manifold_count++]);
    }
}

/* ---- impulses ---- */

/* Points of the last tick, each of which gives its impulse once. */
struct past {
    const struct cn_manifold3 *const *manifold;
    int count;
    uint32_t given; /* bit 4 i + k: point k of manifold i */
};

/* The nearest point of the last tick that is near enough and still has its impulse; -1: none. */
static int
find_past(const struct past *past, uint32_t feature)
{
    int best = -1, least = NEAR_SQUARE + 1;
    for (int i = 0; i < past->count; i++) {
        for (int k = 0; k < past->manifold[i]->point_count; k++) {
            int apart = cn_fast_mesh_apart(past->manifold[i]->point[k].feature, feature);
            if (apart < least && (past->given >> (4 * i + k) & 1U) == 0) {
                least = apart;
                best = 4 * i + k;
            }
        }
    }
    return best;
}

static void
carry_over(struct past *past, struct cn_manifold3 *now)
{
    int from = -1;
    for (int k = 0; k < now->point_count; k++) {
        int best = find_past(past, now->point[k].feature);
        if (best >= 0) {
            const struct cn_point3 *old = &past->manifold[best / 4]->point[best % 4];
            now->point[k].normal_impulse = old->normal_impulse;
            now->point[k].total_impulse = old->total_impulse;
            past->given |= 1U << best;
            from = from < 0 ? best / 4 : from;
        }
    }
    if (from >= 0) {
        const struct cn_manifold3 *last = past->manifold[from];
        memcpy(now->tangent_impulse, last->tangent_impulse, sizeof last->tangent_impulse);
        memcpy(now->rolling_impulse, last->rolling_impulse, sizeof last->rolling_impulse);
        now->twist_impulse = last->twist_impulse;
    }
}

void
cn_fast_mesh_finish(const struct cn_fast_mesh_found *found, const float between[3],
    const struct cn_manifold3 *const *last, int last_count, struct cn_manifold3 *const *now)
{
    struct past past = {last, last_count, 0};
    for (int i = 0; i < found->manifold_count; i++) {
        const struct cn_fast_mesh_manifold *from = &found->manifold[i];
        struct cn_manifold3 *to = now[i];
        memset(to, 0, offsetof(struct cn_manifold3, point));
        memcpy(to->normal, from->normal, sizeof(to->normal));
        to->point_count = from->point_count;
        for (int k = 0; k < from->point_count; k++) {
            struct cn_point3 *point = &to->point[k];
            for (int axis = 0; axis < 3; axis++) {
                point->anchor_a[axis] = from->point[k].place[axis];
                point->anchor_b[axis] = from->point[k].place[axis] - between[axis];
            }
            point->separation = from->point[k].separation;
            point->normal_impulse = point->total_impulse = 0.0F;
            point->feature = from->point[k].feature;
        }
        carry_over(&past, to);
    }
}
