#include "engine/solve/joints/impulse_joint_chain.h"

#include "engine/base/assert.h"
#include "engine/base/union_find.h"
#include "engine/constraint/joint.h"
#include "engine/solve/joints/impulse_joint_inside.h"

#include <math.h>
#include <string.h>

/*
 * The search for chains among solver bodies and listed joints.  Array sizes are numbers of bodies,
 * or of joints.
 */
struct search {
    const struct cn_model *model;
    const int32_t *name;
    const int32_t *list;
    int body_count, count;
    int32_t *ends;    /* 2 joints: solver bodies; -1: does not move, or can not be in a chain */
    int32_t *root;    /* bodies: a representative of the connected bodies, by union */
    int32_t *members; /* bodies: number of joints of a root; -1: not a chain */
    int32_t *size;    /* bodies: number of bodies of a root */
    double *mass[2];  /* bodies: least and greatest mass of a root */
    bool *thin;       /* bodies: a root has a thin joint */
    int32_t *first;   /* bodies + 1: end[first[b]], ... are the joints of a body, ascending */
    int32_t *end;     /* 2 joints: places in list[] */
    int32_t *level;   /* bodies: number of joints from the start; -1: not reached */
    int32_t *queue;   /* bodies */
    bool *taken;      /* joints: already in the order */
    int32_t *order;   /* joints: of the present chain, as places in list[] */
    int32_t *earliest; /* bodies: the first of its joints in the order */
};

static void
layout(struct search *s, struct cn_arena *arena, int body_count, int count)
{
    size_t bodies = (size_t)body_count, joints = (size_t)count;
    s->ends = CN_ARENA_TAKE(arena, int32_t, 2 * joints);
    s->root = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->size = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->members = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->mass[0] = CN_ARENA_TAKE(arena, double, bodies);
    s->mass[1] = CN_ARENA_TAKE(arena, double, bodies);
    s->thin = CN_ARENA_TAKE(arena, bool, bodies);
    s->first = CN_ARENA_TAKE(arena, int32_t, bodies + 1);
    s->end = CN_ARENA_TAKE(arena, int32_t, 2 * joints);
    s->level = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->queue = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->taken = CN_ARENA_TAKE(arena, bool, joints);
    s->order = CN_ARENA_TAKE(arena, int32_t, joints);
    s->earliest = CN_ARENA_TAKE(arena, int32_t, bodies);
}

static void
find_ends(struct search *s)
{
    CN_ASSERT(s->count > 0 && s->list[s->count - 1] < s->model->joint_count);
    for (int i = 0; i < s->count; i++) {
        CN_ASSERT((i == 0 ? -1 : s->list[i - 1]) < s->list[i]); /* the list ascends */
        const struct cn_joint *joint = &s->model->joint[s->list[i]];
        bool apart = joint->kind == CN_JOINT_TRACK || joint->kind == CN_JOINT_ROPE;
        int32_t a = joint->body_a < 0 || apart ? -1 : s->name[joint->body_a];
        int32_t b = apart ? -1 : s->name[joint->body_b];
        CN_ASSERT(a < s->body_count && b < s->body_count);
        s->ends[2 * i] = a < 0 ? -1 : a;
        s->ends[2 * i + 1] = b < 0 ? -1 : b;
    }
}

/* A moving body of a listed joint; -1: neither end moves. */
static int32_t
some_end(const struct search *s, int place)
{
    return s->ends[2 * place] >= 0 ? s->ends[2 * place] : s->ends[2 * place + 1];
}

/* ---- connected bodies ---- */

static void
join_bodies(struct search *s)
{
    for (int b = 0; b < s->body_count; b++) {
        s->root[b] = b;
    }
    for (int i = 0; i < s->count; i++) {
        const int32_t *end = &s->ends[2 * i];
        if (end[0] >= 0 && end[1] >= 0) {
            int32_t a = cn_union_root(s->root, end[0]), b = cn_union_root(s->root, end[1]);
            s->root[a < b ? b : a] = a < b ? a : b;
        }
    }
    for (int b = 0; b < s->body_count; b++) {
        s->root[b] = cn_union_root(s->root, b);
    }
}

/* Whether connected bodies are a chain even where they are few. */
static bool
is_uneven(const struct search *s, int32_t root)
{
    return s->thin[root] || s->mass[1][root] > CN_CHAIN_RATIO * s->mass[0][root];
}

/* Includes the masses of a joint's bodies in the least and the greatest mass of their root. */
static void
weigh(struct search *s, int place)
{
    int index = s->list[place];
    const struct cn_joint *joint = &s->model->joint[index];
    if (cn_soft_is_thin(s->model, index)) {
        s->thin[s->root[some_end(s, place)]] = true;
    }
    const int32_t body[] = {joint->body_a, joint->body_b};
    for (int e = 0; e < 2; e++) {
        int32_t end = s->ends[2 * place + e];
        if (end >= 0) {
            double mass = s->model->body[body[e]].mass, *low = &s->mass[0][s->root[end]];
            double *high = &s->mass[1][s->root[end]];
            *low = mass < *low ? mass : *low;
            *high = mass > *high ? mass : *high;
        }
    }
}

/*
 * Counts the bodies and joints of each root.  Sets members to -1 for roots that can not be chains.
 */
static void
sift(struct search *s)
{
    for (int b = 0; b < s->body_count; b++) {
        s->members[b] = s->size[b] = 0;
        s->mass[0][b] = HUGE_VAL;
        s->mass[1][b] = 0.0;
        s->thin[b] = false;
    }
    for (int b = 0; b < s->body_count; b++) {
        s->size[s->root[b]]++;
    }
    for (int i = 0; i < s->count; i++) {
        int32_t end = some_end(s, i);
        if (end >= 0) {
            s->members[s->root[end]]++;
        }
    }
    for (int b = 0; b < s->body_count; b++) { /* a tree has one joint less than bodies */
        bool slim = s->members[b] >= 1 && s->members[b] <= s->size[b] + 1;
        s->members[b] = slim ? s->members[b] : -1;
    }
    for (int i = 0; i < s->count; i++) {
        int32_t end = some_end(s, i);
        if (end >= 0 && s->members[s->root[end]] >= 0) {
            weigh(s, i);
        }
    }
    for (int b = 0; b < s->body_count; b++) {
        bool single = s->members[b] == 1 && !s->thin[b];
        if (single || (s->members[b] < CN_CHAIN_LENGTH && !is_uneven(s, b))) {
            s->members[b] = -1;
        }
    }
}

/* The root of a listed joint if that may be a chain, else -1. */
static int32_t
root_of(const struct search *s, int place)
{
    int32_t end = some_end(s, place);
    return end >= 0 && s->members[s->root[end]] >= 0 ? s->root[end] : -1;
}

/* Lists the joints of each body. */
static void
list_ends(struct search *s)
{
    CN_ASSERT(s->body_count > 0);
    memset(s->first, 0, ((size_t)s->body_count + 1) * sizeof(s->first[0]));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = s->count - 1; i >= 0; i--) {
            const int32_t *end = &s->ends[2 * i];
            for (int k = 0; k < 2 && root_of(s, i) >= 0; k++) {
                if (end[k] >= 0 && pass == 0) {
                    s->first[end[k]]++;
                } else if (end[k] >= 0) {
                    s->end[--s->first[end[k]]] = i;
                }
            }
        }
        for (int b = 0; b < s->body_count && pass == 0; b++) {
            s->first[b + 1] += s->first[b];
        }
    }
}

/* ---- the order ---- */

/* Walks breadth first from a body and puts the joints in order.  Returns the last body reached. */
static int32_t
meet(struct search *s, int32_t from, int *joint_count)
{
    CN_ASSERT(0 <= from && from < s->body_count && s->level[from] < 0);
    int head = 0, tail = 0, count = 0;
    s->queue[tail++] = from;
    s->level[from] = 0;
    while (head < tail) {
        int32_t body = s->queue[head++];
        s->earliest[body] = s->earliest[body] < 0 ? count : s->earliest[body];
        for (int32_t e = s->first[body]; e < s->first[body + 1]; e++) {
            int32_t place = s->end[e];
            const int32_t *end = &s->ends[2 * place];
            if (s->taken[place]) {
                continue;
            }
            s->taken[place] = true;
            int32_t other = end[0] == body ? end[1] : end[0];
            if (other >= 0 && s->earliest[other] < 0) {
                s->earliest[other] = count;
            }
            if (other >= 0 && s->level[other] < 0) {
                s->level[other] = s->level[body] + 1;
                s->queue[tail++] = other;
            }
            s->order[count++] = place;
        }
    }
    CN_ASSERT(head == tail && tail <= s->body_count && count <= s->count);
    *joint_count = count;
    return s->queue[tail - 1];
}

/* Resets the marks of a walk. */
static void
forget(struct search *s, int joint_count)
{
    for (int k = 0; k < joint_count; k++) {
        const int32_t *end = &s->ends[2 * s->order[k]];
        s->taken[s->order[k]] = false;
        for (int e = 0; e < 2; e++) {
            if (end[e] >= 0) {
                s->level[end[e]] = s->earliest[end[e]] = -1;
            }
        }
    }
}

static int
rows_of(const struct search *s, int place)
{
    const struct cn_joint_type *type = cn_joint_types[s->model->joint[s->list[place]].kind];
    return s->model->settings.dimension == CN_PLANAR ? type->hold_planar : type->hold_spatial;
}

/* Appends the ordered joints as a chain.  False: they are not a chain. */
static bool
append(struct search *s, struct cn_impulse_joint_chains *chains, int joint_count, bool is_long)
{
    int from = chains->start[chains->count];
    int band = 0, row_count = 0, rows_max = 0;
    for (int k = 0; k < joint_count; k++) {
        const int32_t *end = &s->ends[2 * s->order[k]];
        int32_t low = k;
        for (int e = 0; e < 2; e++) {
            if (end[e] >= 0 && s->earliest[end[e]] < low) {
                low = s->earliest[end[e]];
            }
        }
        CN_ASSERT(0 <= low && low <= k); /* invariant 2 */
        chains->joint[from + k] = s->list[s->order[k]];
        chains->low[from + k] = low;
        band += k - low;
        row_count = rows_of(s, s->order[k]);
        rows_max = row_count > rows_max ? row_count : rows_max;
    }
    bool wanted = is_long || is_uneven(s, root_of(s, s->order[0]));
    if (!wanted || band > CN_CHAIN_BAND * joint_count) {
        return false;
    }
    size_t block = (size_t)(rows_max * rows_max);
    chains->envelope[chains->count] = block * (size_t)(band + joint_count);
    CN_ASSERT(joint_count > 0 && band >= 0);
    chains->count++;
    chains->start[chains->count] = from + joint_count;
    return true;
}

/*
 * Orders the joints that are connected with a joint, from the end that is farthest from it, and
 * appends them if they are a chain.
 */
static void
consider(struct search *s, struct cn_impulse_joint_chains *chains, int place)
{
    int joint_count;
    CN_ASSERT(root_of(s, place) >= 0);
    int32_t far = meet(s, some_end(s, place), &joint_count);
    forget(s, joint_count);
    far = meet(s, far, &joint_count);
    bool is_long = s->level[far] + 1 >= CN_CHAIN_LENGTH;
    if (!append(s, chains, joint_count, is_long)) {
        s->members[root_of(s, place)] = -1;
    }
}

void
cn_impulse_joint_chains_layout(
    struct cn_impulse_joint_chains *chains, struct cn_arena *arena, int joint_max)
{
    CN_ASSERT(joint_max >= 0);
    chains->count = 0;
    chains->start = CN_ARENA_TAKE(arena, int32_t, (size_t)joint_max + 1);
    chains->joint = CN_ARENA_TAKE(arena, int32_t, (size_t)joint_max);
    chains->low = CN_ARENA_TAKE(arena, int32_t, (size_t)joint_max);
    chains->envelope = CN_ARENA_TAKE(arena, size_t, (size_t)joint_max);
}

int
cn_impulse_joint_chains_find(struct cn_impulse_joint_chains *chains, const struct cn_model *model,
    const int32_t *solver_body, int body_count, int32_t *list, int count,
    struct cn_arena *scratch)
{
    CN_ASSERT(body_count >= 0 && count >= 0);
    size_t used = scratch->used;
    struct search s = {.model = model,
        .name = solver_body,
        .list = list,
        .body_count = body_count,
        .count = count};
    layout(&s, scratch, body_count, count);
    scratch->used = used;
    if (scratch->memory == NULL || count == 0) {
        return count;
    }
    chains->count = 0;
    chains->start[0] = 0;
    find_ends(&s);
    join_bodies(&s);
    sift(&s);
    bool any = false;
    for (int b = 0; b < body_count; b++) {
        any = any || s.members[b] >= 0;
        s.level[b] = s.earliest[b] = -1;
    }
    if (!any) {
        return count;
    }
    memset(s.taken, 0, (size_t)count * sizeof(s.taken[0]));
    list_ends(&s);
    for (int i = 0; i < count; i++) {
        if (!s.taken[i] && root_of(&s, i) >= 0) {
            consider(&s, chains, i);
        }
    }
    int left = 0;
    for (int i = 0; i < count; i++) {
        bool is_chained = s.taken[i] && root_of(&s, i) >= 0;
        list[left] = list[i];
        left += !is_chained;
    }
    CN_ASSERT(chains->start[chains->count] + left == count); /* invariant 3 */
    return left;
}
