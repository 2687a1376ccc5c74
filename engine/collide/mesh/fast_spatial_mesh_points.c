/* fast_spatial_mesh_points.c: makes manifolds of few points from the candidates. */
#include "engine/collide/mesh/fast_spatial_mesh_points.h"

#include "engine/base/assert.h"

#define ALIKE_COSINE 0.9F /* of normals in one manifold */
#define TIE_FRACTION 0.02F /* of the smaller width: points nearer than this are the same */
#define DEEP_FRACTION 0.005F /* of it: a point that is deeper by more than this is kept */
#define PART_FRACTION 1.0F /* of it: longer groups are divided */
#define NEAR_FRACTION 0.03F /* of it: the length is of points less urgent by at most this */
#define PARTS 4
#define STEPS 31           /* of a feature along each axis: 5 bits */

/* ---- names ---- */

/* The frame in which points are named: that of the smaller body. */
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

/* The candidates that are left, in their order, and the most urgent one. */
struct left {
    int count, leader; /* leader: its position in index[] */
    int16_t index[CN_MESH_CANDIDATES];
};

/* Candidates that become one manifold or several, and their positions along its two tangents. */
struct members {
    int count;
    int index[CN_MESH_CANDIDATES];
    float x[CN_MESH_CANDIDATES], y[CN_MESH_CANDIDATES];
};

static float
width_of(const struct cn_mesh_gather *g)
{
    float a = g->pair->a->width, b = g->pair->b->width;
    return a < b ? a : b;
}

/*
 * The mean of the normals of points about as urgent as the first, weighted by how close they are to
 * that.  The first point alone would not do: near edges the field's slopes differ, and another
 * point may be the first in every tick.
 */
static cn_four
mean_normal(const struct cn_mesh_gather *g, const struct members *all, float urgency)
{
    float range = TIE_FRACTION * width_of(g);
    cn_four sum = cn_four_splat(0.0F);
    for (int i = 0; i < all->count; i++) {
        const struct cn_mesh_candidate *candidate = &g->candidate[all->index[i]];
        float weight = range - (candidate->urgency - urgency);
        if (weight > 0.0F) {
            sum = sum + cn_four_splat(weight) * candidate->normal;
        }
    }
    return sum / cn_four_splat(sqrtf(cn_four_dot3(sum, sum)));
}

/*
 * Puts the deepest point among the picked ones if it is deeper than all of them by more than the
 * tie; it replaces the nearest of them.  Within the tie the picked points stay, because they change
 * little when the bodies move little: so bodies at rest stay at rest.
 */
static void
keep_deepest(const float *x, const float *y, const float *separation, int count, float tie,
    int *pick, int kept)
{
    CN_ASSERT(0 < kept && kept <= CN_POINTS_SPATIAL_MAX && kept < count);
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
make_manifold(const struct cn_mesh_gather *g, cn_four normal, const struct members *all,
    struct cn_fast_mesh_manifold *out)
{
    float separation[CN_MESH_CANDIDATES], scale;
    int pick[4] = {0, 1, 2, 3}, count = all->count, kept = count;
    CN_ASSERT(0 <= count && count <= CN_MESH_CANDIDATES); /* 0: the normal is not a number */
    struct cn_fast_frame frame = naming_frame(g, &scale);
    out->normal[0] = normal[0];
    out->normal[1] = normal[1];
    out->normal[2] = normal[2];
    if (count > CN_POINTS_SPATIAL_MAX) {
        for (int i = 0; i < count; i++) {
            separation[i] = g->candidate[all->index[i]].separation;
        }
        float width = width_of(g);
        kept = cn_fast_reduce(all->x, all->y, separation, count, TIE_FRACTION * width, pick);
        keep_deepest(all->x, all->y, separation, count, DEEP_FRACTION * width, pick, kept);
    }
    CN_ASSERT(kept <= CN_POINTS_SPATIAL_MAX); /* fast.h, invariant 1 */
    out->point_count = kept;
    for (int i = 0; i < kept; i++) {
        const struct cn_mesh_candidate *candidate = &g->candidate[all->index[pick[i]]];
        struct cn_fast_mesh_point *point = &out->point[i];
        point->place[0] = candidate->place[0];
        point->place[1] = candidate->place[1];
        point->place[2] = candidate->place[2];
        point->separation = candidate->separation;
        point->feature = name_of(&frame, scale, candidate->place);
    }
}

/* ---- parts ---- */

/* The range of members along two tangents. */
struct extent {
    float low[2], high[2];
};

/*
 * Fills x and y of all members.  Returns the range of those that are at least as urgent as
 * `urgency`.
 */
static struct extent
measure(const struct cn_mesh_gather *g, cn_four normal, struct members *all, float urgency)
{
    float n[3] = {normal[0], normal[1], normal[2]}, first[3], second[3];
    cn_tangents3(n, first, second);
    cn_four u = cn_four_set3(first[0], first[1], first[2]);
    cn_four v = cn_four_set3(second[0], second[1], second[2]);
    struct extent e = {{HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF}};
    for (int i = 0; i < all->count; i++) {
        const struct cn_mesh_candidate *candidate = &g->candidate[all->index[i]];
        bool counts = !(candidate->urgency > urgency);
        float x = cn_four_dot3(candidate->place, u), y = cn_four_dot3(candidate->place, v);
        all->x[i] = x;
        all->y[i] = y;
        e.low[0] = (counts & (x < e.low[0])) ? x : e.low[0];
        e.high[0] = (counts & (x > e.high[0])) ? x : e.high[0];
        e.low[1] = (counts & (y < e.low[1])) ? y : e.low[1];
        e.high[1] = (counts & (y > e.high[1])) ? y : e.high[1];
    }
    return e;
}

/*
 * Which of PARTS a position is in: the range is halved along each tangent where it is above `most`.
 */
static int
part_of(const struct extent *extent, float most, float x, float y)
{
    const float at[2] = {x, y};
    int part = 0;
    for (int axis = 0; axis < 2; axis++) {
        float low = extent->low[axis], high = extent->high[axis];
        part |= ((high - low > most) & (at[axis] > 0.5F * (low + high))) << axis;
    }
    return part;
}

/*
 * Four points support a region that is about as long as wide.  Rings that lie on each other touch
 * all around, and four points would support only the corners of a square.  Other places would sink
 * until one of them is chosen instead, and the bodies would rock for ever.  So a group that reaches
 * farther than the thinner body is wide is divided, with four points for each part.
 */
static void
make_manifolds(struct cn_mesh_gather *g, cn_four normal, struct members *all, float urgency,
    struct cn_fast_mesh_found *found)
{
    struct members part[PARTS]; /* large; an initializer would clear all of it */
    float most = PART_FRACTION * width_of(g);
    struct extent extent = measure(g, normal, all, urgency + NEAR_FRACTION * width_of(g));
    bool is_long = extent.high[0] - extent.low[0] > most || extent.high[1] - extent.low[1] > most;
    if (!is_long || all->count <= CN_POINTS_SPATIAL_MAX ||
        found->manifold_count + PARTS > CN_FAST_MESH_MANIFOLDS_MAX) {
        make_manifold(g, normal, all, &found->manifold[found->manifold_count++]);
        return;
    }
    CN_ASSERT(found->manifold_count + PARTS <= CN_FAST_MESH_MANIFOLDS_MAX);
    for (int k = 0; k < PARTS; k++) {
        part[k].count = 0;
    }
    for (int i = 0; i < all->count; i++) {
        struct members *to = &part[part_of(&extent, most, all->x[i], all->y[i])];
        to->index[to->count] = all->index[i];
        to->x[to->count] = all->x[i];
        to->y[to->count++] = all->y[i];
    }
    for (int k = 0; k < PARTS; k++) {
        if (part[k].count > 0) {
            make_manifold(g, normal, &part[k], &found->manifold[found->manifold_count++]);
        }
    }
}

/* Takes the candidates with normals like the leader's. */
static void
take_alike(const struct cn_mesh_gather *g, struct left *left, struct members *all)
{
    cn_four normal = g->candidate[left->index[left->leader]].normal;
    int count = 0, kept = 0, leader = 0;
    float least = HUGE_VALF;
    for (int i = 0; i < left->count; i++) {
        int at = left->index[i];
        const struct cn_mesh_candidate *candidate = &g->candidate[at];
        bool alike = cn_four_dot3(candidate->normal, normal) >= ALIKE_COSINE;
        bool leads = !alike & (candidate->urgency < least);
        all->index[count] = at;
        count += alike;
        least = leads ? candidate->urgency : least;
        leader = leads ? kept : leader;
        left->index[kept] = (int16_t)at;
        kept += !alike;
    }
    CN_ASSERT(count + kept == left->count); /* each is taken or left */
    left->count = kept;
    left->leader = leader;
    all->count = count;
}

void
cn_mesh_reduce(struct cn_mesh_gather *g, struct cn_fast_mesh_found *found)
{
    CN_ASSERT(0 < g->count && g->count <= CN_MESH_CANDIDATES && found->manifold_count == 0);
    struct members all;
    struct left left;
    left.count = g->count;
    left.leader = 0;
    for (int i = 0; i < g->count; i++) {
        left.index[i] = (int16_t)i;
        if (g->candidate[i].urgency < g->candidate[left.leader].urgency) {
            left.leader = i;
        }
    }
    while (left.count > 0 && found->manifold_count < CN_FAST_MESH_MANIFOLDS_MAX) {
        float urgency = g->candidate[left.index[left.leader]].urgency;
        take_alike(g, &left, &all);
        cn_four normal = mean_normal(g, &all, urgency);
        make_manifolds(g, normal, &all, urgency, found);
    }
}
