/*
 * tree_meet.c: pairs of leaves whose boxes overlap.
 *
 * Two subtrees are descended together.  A pair of blocks gives the pairs of their children whose
 * boxes overlap, as long as a leaf below one of the two is marked.  So the neighbours in a block
 * share the way down, which a search for every leaf would repeat for each.
 *
 * Blocks of two trees may differ much in size: a few travelling shapes all over the world, and the
 * many bodies of its ground.  Then only the larger block is opened, down to its leaves, which are
 * level -1.
 */
#include "engine/collide/broad/tree.h"

#include "engine/base/assert.h"

/* A pair of blocks leaves at most 64 pairs on the stack for each level of the two trees. */
#define STACK_MAX (64 * 2 * (CN_TREE_LEVELS_MAX + 1))

/* A block that is wider than the other by this factor is opened alone. */
#define MUCH_WIDER 3.0f

struct step {
    int32_t level_a, block_a, level_b, block_b;
};

struct search {
    const struct cn_tree *a, *b;
    cn_tree_take *take;
    void *context;
    int waiting; /* steps on the stack */
    int found;   /* pairs in the batch */
    struct step stack[STACK_MAX];
    struct cn_pair batch[CN_TREE_BATCH];
};

static int
lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

static const struct cn_box8 *
block_of(const struct cn_tree *tree, int level, int block)
{
    return &tree->box[tree->level_first[level] + block];
}

static uint32_t
mark_of(const struct cn_tree *tree, int level, int block)
{
    if (level < 0) {
        return (uint32_t)(tree->mark[block / 8] >> block % 8) & 1U;
    }
    return tree->mark[tree->level_first[level] + block];
}

static struct cn_box
bound_of(const struct cn_tree *tree, int level, int block)
{
    return level + 1 == tree->level_count
               ? tree->bound
               : cn_box8_get(block_of(tree, level + 1, block / 8), block % 8);
}

static void
push_step(struct search *search, int level_a, int block_a, int level_b, int block_b)
{
    CN_ASSERT(search->waiting < STACK_MAX);
    search->stack[search->waiting++] = (struct step){level_a, block_a, level_b, block_b};
}

static void
flush_batch(struct search *search)
{
    if (search->found > 0) {
        CN_ASSERT(search->found <= CN_TREE_BATCH);
        search->take(search->context, search->batch, search->found);
    }
    search->found = 0;
}

/* The leaves of a block of A and of one of B: bit 8 i + k of `met` for leaf i and leaf k. */
static void
give_pairs(struct search *search, int slot_a, int slot_b, uint64_t met)
{
    if (search->found > CN_TREE_BATCH - 64) {
        flush_batch(search);
    }
    CN_ASSERT(slot_a < search->a->leaf_count && slot_b < search->b->leaf_count);
    const int32_t *shape_a = search->a->shape + slot_a, *shape_b = search->b->shape + slot_b;
    int found = search->found;
    for (; met != 0; met &= met - 1) {
        int bit = __builtin_ctzll(met);
        search->batch[found++] = (struct cn_pair){shape_a[bit / 8], shape_b[bit % 8]};
    }
    CN_ASSERT(found <= CN_TREE_BATCH);
    search->found = found;
}

/* For a block with itself: every pair once, without and with the pairs of one child. */
#define LATER_CHILDREN UINT64_C(0x0080c0e0f0f8fcfe)
#define SAME_CHILDREN UINT64_C(0x8040201008040201)

/* Two blocks of one level: children against children; `same`: one block with itself. */
static void
meet_children(struct search *search, int level, int block_a, int block_b, bool same)
{
    CN_ASSERT(0 <= level && level < search->a->level_count && level < search->b->level_count);
    const struct cn_box8 *a = block_of(search->a, level, block_a);
    const struct cn_box8 *b = block_of(search->b, level, block_b);
    uint32_t mark_a = mark_of(search->a, level, block_a);
    uint32_t mark_b = mark_of(search->b, level, block_b);
    uint32_t rows = 0xff;
    if (!same) {
        struct cn_box bound = bound_of(search->b, level, block_b);
        rows = cn_box8_meet(a, &bound);
    }
    if (mark_b == 0) {
        rows &= mark_a;
    }
    uint64_t met = 0;
    for (; rows != 0; rows &= rows - 1) {
        int i = lowest_bit(rows);
        uint32_t row = cn_box8_meet_row(b, a, i) & (mark_b | -(mark_a >> i & 1U));
        met |= (uint64_t)row << 8 * i;
    }
    if (level == 0) {
        met &= same ? LATER_CHILDREN : UINT64_MAX;
        give_pairs(search, 8 * block_a, 8 * block_b, met);
        return;
    }
    met &= same ? LATER_CHILDREN | SAME_CHILDREN : UINT64_MAX;
    for (; met != 0; met &= met - 1) {
        int bit = __builtin_ctzll(met);
        push_step(search, level - 1, 8 * block_a + bit / 8, level - 1, 8 * block_b + bit % 8);
    }
}

static float
width_of(const struct cn_box *box)
{
    return (box->high[0] - box->low[0]) + (box->high[1] - box->low[1]) +
           (box->high[2] - box->low[2]);
}

/* Descends from the children of a block of A (open_a) or B, against the whole other block. */
static void
open_one(struct search *search, struct step step, bool open_a, const struct cn_box *other)
{
    const struct cn_tree *tree = open_a ? search->a : search->b;
    const struct cn_tree *whole = open_a ? search->b : search->a;
    int level = open_a ? step.level_a : step.level_b;
    int block = open_a ? step.block_a : step.block_b;
    int level_whole = open_a ? step.level_b : step.level_a;
    int block_whole = open_a ? step.block_b : step.block_a;
    CN_ASSERT(level >= 0 && block < tree->level_size[level]); /* a leaf has no children */

    uint32_t met = cn_box8_meet(block_of(tree, level, block), other);
    if (mark_of(whole, level_whole, block_whole) == 0) {
        met &= mark_of(tree, level, block);
    }
    for (; met != 0; met &= met - 1) {
        int child = 8 * block + lowest_bit(met);
        if (level == 0 && level_whole < 0) {
            give_pairs(search, open_a ? child : block_whole, open_a ? block_whole : child, 1U);
        } else if (open_a) {
            push_step(search, level - 1, child, level_whole, block_whole);
        } else {
            push_step(search, level_whole, block_whole, level - 1, child);
        }
    }
}

static void
meet_two(struct search *search, struct step step)
{
    CN_ASSERT(step.level_a >= 0 || step.level_b >= 0); /* two leaves are a pair, not a step */
    struct cn_box bound_a = bound_of(search->a, step.level_a, step.block_a);
    struct cn_box bound_b = bound_of(search->b, step.level_b, step.block_b);
    float wide_a = width_of(&bound_a), wide_b = width_of(&bound_b);
    if (step.level_a < 0 || (step.level_b >= 0 && wide_b > MUCH_WIDER * wide_a)) {
        open_one(search, step, false, &bound_a);
    } else if (step.level_b < 0 || wide_a > MUCH_WIDER * wide_b) {
        open_one(search, step, true, &bound_b);
    } else if (step.level_a == step.level_b) {
        meet_children(search, step.level_a, step.block_a, step.block_b, false);
    } else if (step.level_a > step.level_b) {
        open_one(search, step, true, &bound_b);
    } else {
        open_one(search, step, false, &bound_a);
    }
}

void
cn_tree_meet_self(const struct cn_tree *tree, cn_tree_take *take, void *context)
{
    int top = tree->level_count - 1;
    if (top < 0 || mark_of(tree, top, 0) == 0) {
        return;
    }
    struct search search;
    search.a = search.b = tree;
    search.take = take;
    search.context = context;
    search.waiting = search.found = 0;
    push_step(&search, top, 0, top, 0);
    while (search.waiting > 0) {
        struct step step = search.stack[--search.waiting];
        meet_children(
            &search, step.level_a, step.block_a, step.block_b, step.block_a == step.block_b);
    }
    flush_batch(&search);
}

void
cn_tree_meet_other(
    const struct cn_tree *a, const struct cn_tree *b, cn_tree_take *take, void *context)
{
    CN_ASSERT(a != b); /* it would give its pairs twice */
    int top_a = a->level_count - 1, top_b = b->level_count - 1;
    if (top_a < 0 || top_b < 0 || !cn_box_meet(&a->bound, &b->bound) ||
        (mark_of(a, top_a, 0) | mark_of(b, top_b, 0)) == 0) {
        return;
    }
    struct search search;
    search.a = a;
    search.b = b;
    search.take = take;
    search.context = context;
    search.waiting = search.found = 0;
    push_step(&search, top_a, 0, top_b, 0);
    while (search.waiting > 0) {
        struct step step = search.stack[--search.waiting];
        meet_two(&search, step);
    }
    flush_batch(&search);
}
