/*
 * proximity.c: two trees and what is known of every shape.
 *
 * Between two finds a shape has at most one change that counts: before[] is its fat box at the last
 * find (empty: it was not in), leaf[].box the present one.  A pair is new when the present boxes
 * overlap and those before did not.
 */
#include "engine/collide/proximity.h"

#include "engine/base/assert.h"
#include "engine/collide/tree.h"

#include <stdint.h>
#include <string.h>

enum { FIXED, MOVING, TREE_COUNT, NOWHERE = TREE_COUNT };

/* A tree is ordered anew after so many changes for each of its leaves. */
#define CHURN_MAX 4

/* 32 bytes, so that following a shape that stays in its box costs one cache line. */
struct leaf {
    struct cn_box box; /* fat */
    int32_t slot;
    uint8_t tree;
    bool changed; /* since the last find */
};

struct cn_proximity {
    int shape_max;
    struct leaf *leaf;
    struct cn_box *before;
    uint64_t *item, *spare; /* scratch of builds */
    struct cn_tree tree[TREE_COUNT];
    int churn[TREE_COUNT];  /* changes since the build */
    int holes[TREE_COUNT];
};

struct cn_proximity *
cn_proximity_make(struct cn_arena *arena, int shape_max)
{
    CN_ASSERT(shape_max >= 0);
    size_t n = (size_t)shape_max, blocks = (size_t)cn_tree_block_max(shape_max);
    struct cn_proximity *proximity = CN_ARENA_TAKE(arena, struct cn_proximity, 1);
    struct cn_proximity laid = {
        .shape_max = shape_max,
        .leaf = CN_ARENA_TAKE(arena, struct leaf, n),
        .before = CN_ARENA_TAKE(arena, struct cn_box, n),
        .item = CN_ARENA_TAKE(arena, uint64_t, n),
        .spare = CN_ARENA_TAKE(arena, uint64_t, n),
    };
    for (int t = 0; t < TREE_COUNT; t++) {
        struct cn_tree *tree = &laid.tree[t];
        tree->box = CN_ARENA_TAKE(arena, struct cn_box8, blocks);
        tree->mark = CN_ARENA_TAKE(arena, uint8_t, blocks);
        tree->marked = CN_ARENA_TAKE(arena, int32_t, blocks);
        tree->shape = CN_ARENA_TAKE(arena, int32_t, n);
        tree->bound = CN_BOX_EMPTY;
    }
    if (proximity == NULL) {
        return NULL;
    }
    for (int shape = 0; shape < shape_max; shape++) {
        laid.leaf[shape] = (struct leaf){CN_BOX_EMPTY, 0, NOWHERE, false};
        laid.before[shape] = CN_BOX_EMPTY;
    }
    *proximity = laid;
    return proximity;
}

/* The blocks of a tree do not depend on its room. */
static void
move_tree(struct cn_tree *to, const struct cn_tree *from)
{
    struct cn_tree moved = *from;
    size_t blocks = 0;
    for (int level = 0; level < from->level_count; level++) {
        blocks += (size_t)from->level_size[level];
    }
    memcpy(to->box, from->box, blocks * sizeof to->box[0]);
    memcpy(to->mark, from->mark, blocks * sizeof to->mark[0]);
    memcpy(to->shape, from->shape,
        (size_t)(from->leaf_count + from->waiting_count) * sizeof to->shape[0]);
    moved.box = to->box;
    moved.mark = to->mark;
    moved.shape = to->shape;
    moved.marked = to->marked;
    *to = moved;
}

void
cn_proximity_move(struct cn_proximity *to, const struct cn_proximity *from)
{
    CN_ASSERT(to->shape_max >= from->shape_max);
    memcpy(to->leaf, from->leaf, (size_t)from->shape_max * sizeof to->leaf[0]);
    memcpy(to->before, from->before, (size_t)from->shape_max * sizeof to->before[0]);
    for (int t = 0; t < TREE_COUNT; t++) {
        move_tree(&to->tree[t], &from->tree[t]);
        to->churn[t] = from->churn[t];
        to->holes[t] = from->holes[t];
    }
}

/* Orders a tree anew, with those that wait. */
static void
build(struct cn_proximity *p, int t)
{
    struct cn_tree *tree = &p->tree[t];
    int count = 0, slots = tree->leaf_count + tree->waiting_count;
    for (int slot = 0; slot < slots; slot++) {
        if (tree->shape[slot] >= 0) {
            p->item[count++] = (uint32_t)tree->shape[slot];
        }
    }
    cn_tree_build(tree, &p->leaf->box, sizeof *p->leaf, p->item, p->spare, count);
    for (int slot = 0; slot < count; slot++) {
        struct leaf *leaf = &p->leaf[tree->shape[slot]];
        leaf->slot = slot;
        if (leaf->changed) {
            cn_tree_mark(tree, slot);
        }
    }
    p->churn[t] = p->holes[t] = 0;
}

static void
insert(struct cn_proximity *p, int shape, int t)
{
    struct cn_tree *tree = &p->tree[t];
    if (tree->leaf_count + tree->waiting_count == p->shape_max) {
        build(p, t); /* fills the holes, of which there are some */
    }
    struct leaf *leaf = &p->leaf[shape];
    leaf->tree = (uint8_t)t;
    leaf->changed = true;
    leaf->slot = tree->leaf_count + tree->waiting_count;
    tree->shape[leaf->slot] = shape;
    tree->waiting_count++;
    p->before[shape] = CN_BOX_EMPTY;
}

void
cn_proximity_remove(struct cn_proximity *proximity, int shape)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    if (leaf->tree == NOWHERE) {
        return;
    }
    struct cn_tree *tree = &proximity->tree[leaf->tree];
    if (leaf->slot < tree->leaf_count) {
        struct cn_box empty = CN_BOX_EMPTY;
        cn_tree_place(tree, leaf->slot, &empty);
        tree->shape[leaf->slot] = -1;
        proximity->holes[leaf->tree]++;
    } else {
        int last = tree->leaf_count + --tree->waiting_count;
        tree->shape[leaf->slot] = tree->shape[last];
        proximity->leaf[tree->shape[last]].slot = leaf->slot;
    }
    *leaf = (struct leaf){CN_BOX_EMPTY, 0, NOWHERE, false};
    proximity->before[shape] = CN_BOX_EMPTY;
}

void
cn_proximity_renew(struct cn_proximity *proximity, int shape)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    if (leaf->tree == NOWHERE) {
        return;
    }
    proximity->before[shape] = CN_BOX_EMPTY;
    leaf->changed = true;
    if (leaf->slot < proximity->tree[leaf->tree].leaf_count) {
        cn_tree_mark(&proximity->tree[leaf->tree], leaf->slot);
    }
}

void
cn_proximity_put(
    struct cn_proximity *proximity, int shape, const cn_aabb *tight, double extra, bool fixed)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    int t = fixed ? FIXED : MOVING;
    if (leaf->tree == t && cn_box_holds(&leaf->box, tight)) {
        return;
    }
    if (leaf->tree != t) {
        cn_proximity_remove(proximity, shape);
        leaf->box = cn_box_around(tight, extra);
        insert(proximity, shape, t);
        return;
    }
    leaf->box = cn_box_around(tight, extra);
    leaf->changed = true;
    if (leaf->slot < proximity->tree[t].leaf_count) {
        cn_tree_place(&proximity->tree[t], leaf->slot, &leaf->box);
        proximity->churn[t]++;
    }
}

bool
cn_proximity_overlaps(const struct cn_proximity *proximity, int shape_a, int shape_b)
{
    return cn_box_meet(&proximity->leaf[shape_a].box, &proximity->leaf[shape_b].box);
}

/* Sorts by exchanges, from the highest bit that differs: in place, and n bits at the worst. */
static void
sort_pairs(struct cn_pair *pairs, int count, int bits)
{
    struct {
        int first, end, bit;
    } stack[65];
    int waiting = 0;
    stack[waiting].first = 0;
    stack[waiting].end = count;
    stack[waiting++].bit = 2 * bits - 1;
    while (waiting > 0) {
        int first = stack[--waiting].first, end = stack[waiting].end, bit = stack[waiting].bit;
        if (end - first <= 16 || bit < 0) {
            for (int i = first + 1; i < end; i++) {
                struct cn_pair moved = pairs[i];
                int k = i;
                for (; k > first && (pairs[k - 1].a > moved.a ||
                                        (pairs[k - 1].a == moved.a && pairs[k - 1].b > moved.b));
                     k--) {
                    pairs[k] = pairs[k - 1];
                }
                pairs[k] = moved;
            }
            continue;
        }
        int low = first, high = end;
        int shift = bit >= bits ? bit - bits : bit;
        while (low < high) {
            int32_t number = bit >= bits ? pairs[low].a : pairs[low].b;
            if ((number >> shift & 1) == 0) {
                low++;
            } else {
                struct cn_pair swapped = pairs[low];
                pairs[low] = pairs[--high];
                pairs[high] = swapped;
            }
        }
        stack[waiting].first = first;
        stack[waiting].end = low;
        stack[waiting++].bit = bit - 1;
        stack[waiting].first = low;
        stack[waiting].end = end;
        stack[waiting++].bit = bit - 1;
    }
}

/* What a find hands down to where pairs come in. */
struct find {
    const struct cn_proximity *proximity;
    cn_pair_filter *filter;
    const void *context;
    struct cn_pair *pairs;
    int pair_max, count;
};

static void
take_pairs(void *context, const struct cn_pair *pairs, int count)
{
    struct find *find = context;
    const struct cn_box *before = find->proximity->before;
    for (int i = 0; i < count; i++) {
        int32_t a = pairs[i].a < pairs[i].b ? pairs[i].a : pairs[i].b;
        int32_t b = pairs[i].a < pairs[i].b ? pairs[i].b : pairs[i].a;
        if (cn_box_meet(&before[a], &before[b]) || !find->filter(find->context, a, b)) {
            continue;
        }
        if (find->count < find->pair_max) {
            find->pairs[find->count] = (struct cn_pair){a, b};
        }
        find->count += find->count < INT32_MAX;
    }
}

/* The present boxes become those before. */
static void
settle(struct cn_proximity *p, struct cn_tree *tree)
{
    if (tree->level_count == 0) {
        return;
    }
    for (int i = tree->marked_end[1]; i < tree->marked_end[0]; i++) {
        int slot = 8 * tree->marked[i];
        for (uint32_t mark = tree->mark[tree->marked[i]]; mark != 0; mark >>= 1, slot++) {
            if ((mark & 1u) != 0 && tree->shape[slot] >= 0) {
                struct leaf *leaf = &p->leaf[tree->shape[slot]];
                p->before[tree->shape[slot]] = leaf->box;
                leaf->changed = false;
            }
        }
    }
    cn_tree_unmark(tree);
}

int
cn_proximity_find(struct cn_proximity *proximity, cn_pair_filter *filter, const void *context,
    struct cn_pair *pairs, int pair_max)
{
    for (int t = 0; t < TREE_COUNT; t++) {
        struct cn_tree *tree = &proximity->tree[t];
        if (tree->waiting_count > 0 || proximity->churn[t] / CHURN_MAX > tree->leaf_count ||
            2 * proximity->holes[t] > tree->leaf_count) {
            build(proximity, t);
        }
        cn_tree_refit(tree);
    }
    struct find find = {proximity, filter, context, pairs, pair_max, 0};
    cn_tree_meet_self(&proximity->tree[MOVING], take_pairs, &find);
    cn_tree_meet_other(&proximity->tree[MOVING], &proximity->tree[FIXED], take_pairs, &find);
    if (find.count > pair_max) {
        return find.count;
    }
    int bits = 1;
    while (bits < 31 && proximity->shape_max > 1 << bits) {
        bits++;
    }
    sort_pairs(pairs, find.count, bits);
    for (int t = 0; t < TREE_COUNT; t++) {
        settle(proximity, &proximity->tree[t]);
    }
    return find.count;
}

void
cn_proximity_query(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context)
{
    struct cn_box fat = cn_box_around(box, 0.0);
    for (int t = 0; t < TREE_COUNT; t++) {
        const struct cn_tree *tree = &proximity->tree[t];
        if (!cn_tree_query(tree, &fat, visit, context)) {
            return;
        }
        for (int i = 0; i < tree->waiting_count; i++) {
            int shape = tree->shape[tree->leaf_count + i];
            if (cn_box_meet(&proximity->leaf[shape].box, &fat) && !visit(context, shape)) {
                return;
            }
        }
    }
}

void
cn_proximity_cast(const struct cn_proximity *proximity, cn_vec3 from, cn_vec3 along,
    double radius, cn_proximity_visit_ray *visit, void *context)
{
    struct cn_ray ray = {from, along, radius};
    double fraction = 1.0;
    for (int t = 0; t < TREE_COUNT; t++) {
        const struct cn_tree *tree = &proximity->tree[t];
        fraction = cn_tree_cast(tree, &ray, fraction, visit, context);
        for (int i = 0; i < tree->waiting_count && fraction > 0.0; i++) {
            int shape = tree->shape[tree->leaf_count + i];
            if (cn_ray_enter(&ray, &proximity->leaf[shape].box, fraction) <= fraction) {
                fraction = visit(context, shape, fraction);
            }
        }
    }
}
