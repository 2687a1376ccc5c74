/*
 * proximity.c: trees of boxes, and the state of every shape.
 *
 * Between two finds a shape has at most one change that matters: before[] is its fat box at the
 * last find (empty: it was not in), leaf[].box the present one.  A pair is new when the present
 * boxes overlap and the earlier ones did not.
 *
 * Shapes that do not move, and shapes that do, are kept in two forests: trees of 64, 512, 4,096,
 * ... shapes, the last one with room for all.  New shapes are ordered into the first tree that can
 * take them together with all smaller trees.  So a shape that is added to a million others costs a
 * few orderings of small trees and rarely one of a large tree (the logarithmic method: Bentley and
 * Saxe 1980).  A shape that leaves its block's box in a tree that hardly moves is handled like a
 * new one.  So a few travelling shapes do not spoil the order of many resting ones.  Where many
 * shapes leave, the whole tree is ordered again from time to time.
 *
 * Invariants:
 *
 *     1  a shape that is in stands in one place, the slot of a tree or waiting[], and its leaf
 *        names that place
 *     2  the last tree of a forest has room for all shapes
 *     3  a box is marked in its tree if it has changed since the last find
 */
#include "engine/collide/query/proximity.h"

#include "engine/base/assert.h"
#include "engine/collide/broad/pair_sort.h"
#include "engine/collide/broad/tree.h"

#include <stdint.h>
#include <string.h>

enum { FIXED, MOVING, FOREST_COUNT };

#define TREES_MAX 9       /* 64 8^8 > 2^31 - 1 */
#define TREE_SMALLEST 64  /* shapes */
#define WAITING TREES_MAX /* instead of a tree's index: in no tree yet */
#define NOWHERE 15        /* the shape is not in the proximity */

/*
 * Shapes are taken out of trees that are slow to order when fewer than this part of them leave
 * their blocks between two finds.  In smaller trees this would only make two trees of one.
 */
#define TRAVEL_SIZE 32768
#define TRAVEL_PART 2048

/* Candidates that are prefetched in advance, because their boxes are scattered in memory. */
#define PREFETCH 12

/* 32 bytes, so that updating a shape that stays in its box costs one cache line. */
struct leaf {
    struct cn_box box; /* fat */
    int32_t slot;      /* slot in the tree, or index in waiting[] */
    uint8_t forest, tree;
    bool changed; /* since the last find */
};

struct forest {
    struct cn_tree *tree; /* as many as the proximity says */
    int room[TREES_MAX];  /* shapes */
    int holes[TREES_MAX]; /* slots without a shape */
    int churn[TREES_MAX]; /* shapes that left their block since the last ordering */
    int32_t *waiting;     /* shapes that are in no tree yet */
    int waiting_count;
};

struct cn_proximity {
    int shape_max, tree_count;
    bool ordered; /* the trees contain all boxes, and list their marks */
    bool found;   /* nothing has changed since the last find */
    struct leaf *leaf;
    struct cn_box *before;
    uint64_t *item, *spare; /* scratch of builds and sorts */
    struct forest forest[FOREST_COUNT];
};

static int
tree_room(int tree, int shape_max)
{
    CN_ASSERT(0 <= tree && tree < TREES_MAX);
    int64_t room = TREE_SMALLEST;
    for (int k = 0; k < tree; k++) {
        room *= 8;
    }
    return 2 * room > shape_max ? shape_max : (int)room;
}

static void
make_forest(struct forest *forest, struct cn_arena *arena, int tree_count, int shape_max)
{
    *forest = (struct forest){.waiting_count = 0};
    forest->waiting = CN_ARENA_TAKE(arena, int32_t, (size_t)shape_max);
    forest->tree = CN_ARENA_TAKE(arena, struct cn_tree, (size_t)tree_count);
    for (int k = 0; k < tree_count; k++) {
        int room = tree_room(k, shape_max);
        size_t blocks = (size_t)cn_tree_block_max(room);
        forest->room[k] = room;
        struct cn_tree tree = {
            .box = CN_ARENA_TAKE(arena, struct cn_box8, blocks),
            .mark = CN_ARENA_TAKE(arena, uint8_t, blocks),
            .marked = CN_ARENA_TAKE(arena, int32_t, blocks),
            .shape = CN_ARENA_TAKE(arena, int32_t, (size_t)room),
            .bound = CN_BOX_EMPTY,
        };
        if (forest->tree != NULL) {
            forest->tree[k] = tree;
        }
    }
}

struct cn_proximity *
cn_proximity_make(struct cn_arena *arena, int shape_max)
{
    CN_ASSERT(shape_max >= 0);
    size_t n = (size_t)shape_max;
    struct cn_proximity *proximity = CN_ARENA_TAKE(arena, struct cn_proximity, 1);
    struct cn_proximity laid = {
        .shape_max = shape_max,
        .tree_count = 1,
        .leaf = CN_ARENA_TAKE(arena, struct leaf, n),
        .before = CN_ARENA_TAKE(arena, struct cn_box, n),
        .item = CN_ARENA_TAKE(arena, uint64_t, n),
        .spare = CN_ARENA_TAKE(arena, uint64_t, n),
    };
    while (tree_room(laid.tree_count - 1, shape_max) < shape_max) {
        laid.tree_count++;
    }
    CN_ASSERT(laid.tree_count <= TREES_MAX);
    for (int f = 0; f < FOREST_COUNT; f++) {
        make_forest(&laid.forest[f], arena, laid.tree_count, shape_max);
    }
    if (proximity == NULL) {
        return NULL;
    }
    for (int shape = 0; shape < shape_max; shape++) {
        laid.leaf[shape] = (struct leaf){CN_BOX_EMPTY, 0, 0, NOWHERE, false};
        laid.before[shape] = CN_BOX_EMPTY;
    }
    *proximity = laid;
    return proximity;
}

/* Lets a shape that is in no tree wait for the next ordering. */
static void
let_wait(struct cn_proximity *p, int shape, int f)
{
    struct forest *forest = &p->forest[f];
    struct leaf *leaf = &p->leaf[shape];
    CN_ASSERT(forest->waiting_count < p->shape_max);
    leaf->forest = (uint8_t)f;
    leaf->tree = WAITING;
    leaf->slot = forest->waiting_count;
    forest->waiting[forest->waiting_count++] = shape;
}

/* The blocks of a tree do not depend on its capacity, so a tree with room for them takes them. */
static void
move_tree(struct cn_tree *to, const struct cn_tree *from)
{
    struct cn_tree moved = *from;
    size_t blocks = 0;
    for (int level = 0; level < from->level_count; level++) {
        blocks += (size_t)from->level_size[level];
    }
    CN_ASSERT(from->level_count == 0 || 8 * from->level_size[0] >= from->leaf_count);
    memcpy(to->box, from->box, blocks * sizeof to->box[0]);
    memcpy(to->mark, from->mark, blocks * sizeof to->mark[0]);
    memcpy(to->shape, from->shape, (size_t)from->leaf_count * sizeof to->shape[0]);
    moved.box = to->box;
    moved.mark = to->mark;
    moved.shape = to->shape;
    moved.marked = to->marked;
    *to = moved;
}

/*
 * The last tree of a forest may hold more shapes than the same tree of a larger forest has room
 * for.  Then its shapes wait.
 */
static void
let_tree_wait(struct cn_proximity *to, int f, const struct cn_tree *from)
{
    for (int slot = 0; slot < from->leaf_count; slot++) {
        if (from->shape[slot] >= 0) {
            let_wait(to, from->shape[slot], f);
        }
    }
}

void
cn_proximity_move(struct cn_proximity *to, const struct cn_proximity *from)
{
    CN_ASSERT(to->shape_max >= from->shape_max && to->tree_count >= from->tree_count);
    to->ordered = to->found = false; /* lists of marks are not copied */
    memcpy(to->leaf, from->leaf, (size_t)from->shape_max * sizeof to->leaf[0]);
    memcpy(to->before, from->before, (size_t)from->shape_max * sizeof to->before[0]);
    for (int f = 0; f < FOREST_COUNT; f++) {
        struct forest *in = &to->forest[f];
        const struct forest *out = &from->forest[f];
        memcpy(in->waiting, out->waiting, (size_t)out->waiting_count * sizeof in->waiting[0]);
        in->waiting_count = out->waiting_count;
        for (int k = 0; k < from->tree_count; k++) {
            if (out->tree[k].leaf_count > in->room[k]) {
                let_tree_wait(to, f, &out->tree[k]);
                continue;
            }
            move_tree(&in->tree[k], &out->tree[k]);
            in->holes[k] = out->holes[k];
            in->churn[k] = out->churn[k];
        }
    }
}

/* Removes a shape from its tree, or from those that wait. */
static void
detach_shape(struct cn_proximity *p, const struct leaf *leaf)
{
    struct forest *forest = &p->forest[leaf->forest];
    if (leaf->tree == WAITING) {
        CN_ASSERT(leaf->slot < forest->waiting_count);
        CN_ASSERT(&p->leaf[forest->waiting[leaf->slot]] == leaf); /* invariant 1 */
        int32_t last = forest->waiting[--forest->waiting_count];
        forest->waiting[leaf->slot] = last;
        p->leaf[last].slot = leaf->slot;
        return;
    }
    struct cn_box empty = CN_BOX_EMPTY;
    CN_ASSERT(leaf->tree < p->tree_count);
    struct cn_tree *tree = &forest->tree[leaf->tree];
    CN_ASSERT(&p->leaf[tree->shape[leaf->slot]] == leaf); /* invariant 1 */
    cn_tree_place(tree, leaf->slot, &empty);
    tree->shape[leaf->slot] = -1;
    forest->holes[leaf->tree]++;
}

void
cn_proximity_remove(struct cn_proximity *proximity, int shape)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    if (leaf->tree != NOWHERE) {
        proximity->ordered = proximity->found = false;
        detach_shape(proximity, leaf);
        *leaf = (struct leaf){CN_BOX_EMPTY, 0, 0, NOWHERE, false};
        proximity->before[shape] = CN_BOX_EMPTY;
    }
}

void
cn_proximity_renew(struct cn_proximity *proximity, int shape)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    if (leaf->tree == NOWHERE) {
        return;
    }
    proximity->ordered = proximity->found = false;
    proximity->before[shape] = CN_BOX_EMPTY;
    leaf->changed = true;
    if (leaf->tree != WAITING) {
        cn_tree_mark(&proximity->forest[leaf->forest].tree[leaf->tree], leaf->slot);
    }
}

void
cn_proximity_put(
    struct cn_proximity *proximity, int shape, const cn_aabb *tight, double extra, bool fixed)
{
    CN_ASSERT(shape >= 0 && shape < proximity->shape_max);
    struct leaf *leaf = &proximity->leaf[shape];
    int f = fixed ? FIXED : MOVING;
    if (cn_box_holds(&leaf->box, tight) && leaf->forest == f) {
        return; /* an empty box contains nothing, so the shape must be in */
    }
    if (leaf->tree == NOWHERE || leaf->forest != f) {
        cn_proximity_remove(proximity, shape);
        let_wait(proximity, shape, f);
    }
    proximity->ordered = proximity->found = false;
    leaf->box = cn_box_around(tight, extra);
    leaf->changed = true;
    if (leaf->tree != WAITING) {
        cn_tree_place(&proximity->forest[f].tree[leaf->tree], leaf->slot, &leaf->box);
    }
}

bool
cn_proximity_holds(const struct cn_proximity *proximity, int shape, double low_x, double low_y,
    double high_x, double high_y)
{
    CN_ASSERT(0 <= shape && shape < proximity->shape_max);
    const struct leaf *leaf = &proximity->leaf[shape];
    return ((double)leaf->box.low[0] <= low_x) & (high_x <= (double)leaf->box.high[0]) &
           ((double)leaf->box.low[1] <= low_y) & (high_y <= (double)leaf->box.high[1]) &
           (leaf->forest == MOVING);
}

bool
cn_proximity_is_within(const struct cn_proximity *proximity, int shape, const cn_aabb *tight)
{
    CN_ASSERT(0 <= shape && shape < proximity->shape_max);
    const struct leaf *leaf = &proximity->leaf[shape];
    return leaf->forest == MOVING && cn_box_holds(&leaf->box, tight);
}

bool
cn_proximity_overlaps(const struct cn_proximity *proximity, int shape_a, int shape_b)
{
    CN_ASSERT(0 <= shape_a && shape_a < proximity->shape_max);
    CN_ASSERT(0 <= shape_b && shape_b < proximity->shape_max);
    return cn_box_meet(&proximity->leaf[shape_a].box, &proximity->leaf[shape_b].box);
}

/* The data that a find passes to the function that takes pairs. */
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
        int ahead = i + PREFETCH < count ? i + PREFETCH : i;
        __builtin_prefetch(&before[pairs[ahead].a]);
        __builtin_prefetch(&before[pairs[ahead].b]);
        int32_t a = pairs[i].a < pairs[i].b ? pairs[i].a : pairs[i].b;
        int32_t b = pairs[i].a < pairs[i].b ? pairs[i].b : pairs[i].a;
        CN_ASSERT(0 <= a && a < b && b < find->proximity->shape_max);
        if (cn_box_meet(&before[a], &before[b]) || !find->filter(find->context, a, b)) {
            continue;
        }
        if (find->count < find->pair_max) {
            find->pairs[find->count] = (struct cn_pair){a, b};
        }
        find->count += find->count < INT32_MAX;
    }
}

/* ---- keeping the trees in order ---- */

static int
live_count(const struct forest *forest, int k)
{
    return forest->tree[k].leaf_count - forest->holes[k];
}

/* Moves the shapes of a tree to the end of item[]; the tree is then empty. */
static int
empty_tree(struct cn_proximity *p, struct forest *forest, int k, int count)
{
    struct cn_tree *tree = &forest->tree[k];
    for (int slot = 0; slot < tree->leaf_count; slot++) {
        if (tree->shape[slot] >= 0) {
            p->item[count++] = (uint32_t)tree->shape[slot];
        }
    }
    CN_ASSERT(count <= p->shape_max); /* item[] has a place for each shape */
    tree->leaf_count = tree->level_count = 0;
    forest->holes[k] = forest->churn[k] = 0;
    return count;
}

/* Orders trees first .. last, and the waiting shapes if `all`, into tree `last`. */
static void
build_tree(struct cn_proximity *p, int f, int first, int last, bool all)
{
    CN_ASSERT(0 <= first && first <= last && last < p->tree_count);
    struct forest *forest = &p->forest[f];
    int count = 0;
    for (int i = 0; i < forest->waiting_count && all; i++) {
        p->item[count++] = (uint32_t)forest->waiting[i];
    }
    forest->waiting_count = all ? 0 : forest->waiting_count;
    for (int k = first; k <= last; k++) {
        count = empty_tree(p, forest, k, count);
    }
    struct cn_tree *tree = &forest->tree[last];
    CN_ASSERT(count <= forest->room[last]);
    cn_tree_build(tree, &p->leaf->box, sizeof *p->leaf, p->item, p->spare, count);
    for (int slot = 0; slot < count; slot++) {
        struct leaf *leaf = &p->leaf[tree->shape[slot]];
        leaf->slot = slot;
        leaf->tree = (uint8_t)last;
        if (leaf->changed) {
            cn_tree_mark(tree, slot);
        }
    }
}

/*
 * Counts changed shapes that are not within the box around their block; moves them out if `send`.
 */
static int
count_travellers(struct cn_proximity *p, struct cn_tree *tree, int f, bool send)
{
    int count = 0;
    for (int i = tree->marked_end[1]; i < tree->marked_end[0]; i++) {
        int block = tree->marked[i];
        struct cn_box around = cn_tree_around(tree, 8 * block);
        uint32_t out = tree->mark[block] & ~cn_box8_within(&tree->box[block], &around);
        count += __builtin_popcount(out);
        for (; send && out != 0; out &= out - 1) {
            int shape = tree->shape[8 * block + __builtin_ctz(out)];
            CN_ASSERT(shape >= 0); /* a hole is within every box */
            detach_shape(p, &p->leaf[shape]);
            let_wait(p, shape, f);
        }
    }
    return count;
}

/* Moves out the shapes that leave a tree, where they are few; else counts them. */
static void
let_travel(struct cn_proximity *p, int f, int k)
{
    struct forest *forest = &p->forest[f];
    struct cn_tree *tree = &forest->tree[k];
    if (tree->marked_end[0] == 0) {
        return;
    }
    int count = count_travellers(p, tree, f, false);
    if (count > 0 && tree->leaf_count > TRAVEL_SIZE && count < tree->leaf_count / TRAVEL_PART) {
        count_travellers(p, tree, f, true);
    } else {
        forest->churn[k] += count;
    }
}

static void
order_forest(struct cn_proximity *p, int f)
{
    struct forest *forest = &p->forest[f];
    for (int k = 0; k < p->tree_count; k++) {
        cn_tree_list(&forest->tree[k]);
        let_travel(p, f, k);
    }
    int last = -1;
    if (forest->waiting_count > 0) {
        int64_t count = forest->waiting_count + live_count(forest, 0);
        for (last = 0; count > forest->room[last];) {
            CN_ASSERT(last + 1 < p->tree_count); /* the last tree has room for all */
            count += live_count(forest, ++last);
        }
        build_tree(p, f, 0, last, true);
        cn_tree_list(&forest->tree[last]);
    }
    for (int k = 0; k < p->tree_count; k++) {
        int leaves = forest->tree[k].leaf_count;
        if (forest->churn[k] > leaves || 2 * forest->holes[k] > leaves) {
            build_tree(p, f, k, k, false);
            cn_tree_list(&forest->tree[k]);
        } else if (k != last) {
            cn_tree_refit(&forest->tree[k]);
        }
    }
}

void
cn_proximity_order(struct cn_proximity *proximity)
{
    for (int f = 0; f < FOREST_COUNT && !proximity->ordered; f++) {
        order_forest(proximity, f);
    }
    proximity->ordered = true;
}

bool
cn_proximity_is_ordered(const struct cn_proximity *proximity)
{
    return proximity->ordered;
}

/* The present boxes become the boxes before. */
static void
settle_boxes(struct cn_proximity *p, struct cn_tree *tree)
{
    for (int i = tree->marked_end[1]; i < tree->marked_end[0]; i++) {
        int first = 8 * tree->marked[i];
        for (uint32_t mark = tree->mark[tree->marked[i]]; mark != 0; mark &= mark - 1) {
            int shape = tree->shape[first + __builtin_ctz(mark)];
            if (shape >= 0) {
                p->before[shape] = p->leaf[shape].box;
                p->leaf[shape].changed = false;
            }
        }
    }
    cn_tree_unmark(tree);
}

int
cn_proximity_find(struct cn_proximity *proximity, cn_pair_filter *filter, const void *context,
    struct cn_pair *pairs, int pair_max)
{
    CN_ASSERT(pair_max >= 0 && (pairs != NULL || pair_max == 0));
    if (proximity->found) {
        return 0;
    }
    cn_proximity_order(proximity);
    struct find find = {proximity, filter, context, pairs, pair_max, 0};
    for (int k = 0; k < proximity->tree_count; k++) {
        struct cn_tree *tree = &proximity->forest[MOVING].tree[k];
        cn_tree_meet_self(tree, take_pairs, &find);
        for (int other = 0; other < proximity->tree_count; other++) {
            if (other < k) {
                cn_tree_meet_other(
                    tree, &proximity->forest[MOVING].tree[other], take_pairs, &find);
            }
            cn_tree_meet_other(tree, &proximity->forest[FIXED].tree[other], take_pairs, &find);
        }
    }
    CN_ASSERT(find.count >= 0);
    if (find.count > pair_max) {
        return find.count;
    }
    int bits = 1;
    while (bits < 31 && proximity->shape_max > 1 << bits) {
        bits++;
    }
    cn_pair_sort(pairs, find.count, bits, proximity->item, proximity->spare, proximity->shape_max);
    for (int f = 0; f < FOREST_COUNT; f++) {
        for (int k = 0; k < proximity->tree_count; k++) {
            settle_boxes(proximity, &proximity->forest[f].tree[k]);
        }
    }
    proximity->found = true;
    return find.count;
}

/* False: visit stopped the search. */
static bool
query_forest(const struct cn_proximity *p, int f, const struct cn_box *box,
    cn_proximity_visit *visit, void *context)
{
    const struct forest *forest = &p->forest[f];
    for (int k = 0; k < p->tree_count; k++) {
        if (!cn_tree_query(&forest->tree[k], box, visit, context)) {
            return false;
        }
    }
    for (int i = 0; i < forest->waiting_count; i++) {
        int shape = forest->waiting[i];
        if (cn_box_meet(&p->leaf[shape].box, box) && !visit(context, shape)) {
            return false;
        }
    }
    return true;
}

void
cn_proximity_query(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context)
{
    struct cn_box fat = cn_box_around(box, 0.0);
    for (int f = 0; f < FOREST_COUNT && query_forest(proximity, f, &fat, visit, context); f++) {
    }
}

void
cn_proximity_query_fixed(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context)
{
    struct cn_box fat = cn_box_around(box, 0.0);
    query_forest(proximity, FIXED, &fat, visit, context);
}

void
cn_proximity_cast(const struct cn_proximity *proximity, cn_vec3 from, cn_vec3 along,
    double radius, cn_proximity_visit_ray *visit, void *context)
{
    struct cn_ray ray = {from, along, radius};
    double fraction = 1.0;
    for (int f = 0; f < FOREST_COUNT; f++) {
        const struct forest *forest = &proximity->forest[f];
        for (int k = 0; k < proximity->tree_count; k++) {
            fraction = cn_tree_cast(&forest->tree[k], &ray, fraction, visit, context);
        }
        for (int i = 0; i < forest->waiting_count && fraction > 0.0; i++) {
            int shape = forest->waiting[i];
            if (cn_ray_enter(&ray, &proximity->leaf[shape].box, fraction) <= fraction) {
                fraction = visit(context, shape, fraction);
            }
        }
    }
}
