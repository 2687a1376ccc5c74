/* fast_spatial_mesh_points.c: candidates become manifolds of few points. */
#include "engine/collide/fast_spatial_mesh_inside.h"

#define ALIKE_COSINE 0.9F /* of normals that one manifold stands for */
#define TIE_FRACTION 0.02F /* of the smaller width: places that differ by less are the same */
#define DEEP_FRACTION 0.015F /* of it: what is deeper by more than that is not passed over; at a
                              * hundredth, what rests on hills trembles as points change */
#define STEPS 31           /* of a feature along each axis: 5 bits */

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

static float
width_of(const struct cn_mesh_gather *g)
{
    float a = g->pair->a->width, b = g->pair->b->width;
    return a < b ? a : b;
}

/*
 * The mean of the normals of those that are about as urgent as the first, by how near to that they
 * are: near edges the field's slopes differ, and which point comes first may change in every tick.
 */
static cn_four
mean_normal(const struct cn_mesh_gather *g, const int *member, int count, float urgency)
{
    float range = TIE_FRACTION * width_of(g);
    cn_four sum = cn_four_splat(0.0F);
    for (int i = 0; i < count; i++) {
        const struct cn_mesh_candidate *candidate = &g->candidate[member[i]];
        float weight = range - (candidate->urgency - urgency);
        if (weight > 0.0F) {
            sum = sum + cn_four_splat(weight) * candidate->normal;
        }
    }
    return sum / cn_four_splat(sqrtf(cn_four_dot3(sum, sum)));
}

/*
 * Four points that change little when the bodies do are as deep as the deepest one up to a tie, so
 * that what rests is at rest; where another is deeper, it takes the place of the nearest of them.
 */
static void
keep_deepest(const float *x, const float *y, const float *separation, int count, float tie,
    int *pick, int kept)
{
    int deepest = 0, nearest = 0;
    float least = HUGE_VALF, near = HUGE_VALF;
    for (int i = 1; i < count; i++) {
        deepest = separation[i] < separation[deepest] ? i : deepest;
    }
    for (int i = 0; i < kept; i++) {
        float u = x[pick[i]] - x[deepest], v = y[pick[i]] - y[deepest];
        least = separation[pick[i]] < least ? separation[pick[i]] : least;
        if (u * u + v * v < near) {
            near = u * u + v * v;
            nearest = i;
        }
    }
    if (separation[deepest] < least - tie) {
        pick[nearest] = deepest;
    }
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
        float width = width_of(g);
        kept = cn_fast_reduce(x, y, separation, count, TIE_FRACTION * width, pick);
        keep_deepest(x, y, separation, count, DEEP_FRACTION * width, pick, kept);
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
        normal = mean_normal(g, member, count, g->candidate[leader].urgency);
        make_manifold(g, normal, member, count, &found->manifold[found->manifold_count++]);
    }
}
