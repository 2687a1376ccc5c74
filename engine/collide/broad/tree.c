/* tree.c: builds, changes and refits trees; tree_meet.c has the searches. */
#include "engine/collide/broad/tree.h"

#include "engine/base/assert.h"
#include "engine/math/hilbert.h"

#include <string.h>

/* Below this an insertion sort is faster than counting. */
#define SORT_SMALL 48
#define DIGIT_BITS 11

/* How often a run of equal codes is ordered again: each time its bounds shrink a thousandfold. */
#define REFINEMENT_MAX 4

int
cn_tree_block_max(int shape_max)
{
    CN_ASSERT(shape_max >= 0);
    int count = 0, level = shape_max;
    do {
        level = (level + 7) / 8;
        count += level;
    } while (level > 1);
    return count;
}

static const struct cn_box *
box_of(const struct cn_box *box, size_t stride, uint64_t item)
{
    return (const struct cn_box *)(const void *)((const char *)box + stride * (uint32_t)item);
}

static float
center_along(const struct cn_box *box, int k)
{
    return 0.5f * box->low[k] + 0.5f * box->high[k];
}

/* The exponent of two of a positive float. */
static int
exponent_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 23);
}

/* Exponent of two of the widest side. */
static int
size_class(const struct cn_box *box)
{
    float widest = 0.0f;
    for (int k = 0; k < 3; k++) {
        float width = box->high[k] - box->low[k];
        widest = width > widest ? width : widest;
    }
    return exponent_of(widest);
}

static void
sort_small(uint64_t *item, int count, int low)
{
    for (int i = 1; i < count; i++) {
        uint64_t moved = item[i];
        int place = i;
        for (; place > 0 && item[place - 1] >> low > moved >> low; place--) {
            item[place] = item[place - 1];
        }
        item[place] = moved;
    }
}

void
cn_tree_sort(uint64_t *item, uint64_t *spare, int count, int low, int bits)
{
    CN_ASSERT(count >= 0 && 0 <= low && 0 <= bits && low + bits <= 64);
    CN_ASSERT(count == 0 || item != spare);
    if (count <= SORT_SMALL) {
        sort_small(item, count, low);
        return;
    }
    int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    int digit = (bits + passes - 1) / passes;
    CN_ASSERT(0 < digit && digit <= DIGIT_BITS);
    uint64_t *from = item, *to = spare;
    for (int pass = 0; pass < passes; pass++) {
        uint32_t start[1 << DIGIT_BITS];
        uint32_t mask = (1u << digit) - 1;
        int shift = low + pass * digit;
        memset(start, 0, (mask + 1) * sizeof start[0]);
        for (int i = 0; i < count; i++) {
            start[from[i] >> shift & mask]++;
        }
        uint32_t sum = 0;
        for (uint32_t d = 0; d <= mask; d++) {
            uint32_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        CN_ASSERT(sum == (uint32_t)count);
        for (int i = 0; i < count; i++) {
            to[start[from[i] >> shift & mask]++] = from[i];
        }
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != item) {
        memcpy(item, from, (size_t)count * sizeof item[0]);
    }
}

/* The mapping of the centres of a run to codes. */
struct grid {
    int axis_count;
    int bits; /* of each axis */
    int axis[3];
    float low[3], scale[3];
};

static uint32_t
grid_code(const struct grid *grid, const struct cn_box *box)
{
    uint32_t cell[3] = {0, 0, 0}, last = (1u << grid->bits) - 1;
    for (int n = 0; n < grid->axis_count; n++) {
        float at = (center_along(box, grid->axis[n]) - grid->low[n]) * grid->scale[n];
        uint32_t whole = at > 0.0f ? at < (float)last ? (uint32_t)at : last : 0;
        cell[n] = whole;
    }
    if (grid->axis_count == 3) {
        return cn_hilbert3(cell[0], cell[1], cell[2], grid->bits);
    }
    return grid->axis_count == 2 ? cn_hilbert2(cell[0], cell[1], grid->bits) : cell[0];
}

/* A grid over the centres; without axes where all centres coincide. */
static struct grid
make_grid(const struct cn_box *box, size_t stride, const uint64_t *item, int count)
{
    struct cn_box range = CN_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        const struct cn_box *one = box_of(box, stride, item[i]);
        for (int k = 0; k < 3; k++) {
            float at = center_along(one, k);
            range.low[k] = at < range.low[k] ? at : range.low[k];
            range.high[k] = at > range.high[k] ? at : range.high[k];
        }
    }
    struct grid grid = {.axis_count = 0};
    float widest = 0.0f;
    for (int k = 0; k < 3; k++) {
        float width = range.high[k] - range.low[k];
        if (width > 0x1p-100f && width < CN_BOX_FAR) {
            grid.axis[grid.axis_count] = k;
            grid.low[grid.axis_count] = range.low[k];
            grid.scale[grid.axis_count++] = width;
            widest = width > widest ? width : widest;
        }
    }
    /*
     * Cells are cubes.  Each axis gets two bits more than would give each shape a cell, if the
     * shapes were spread evenly.
     */
    int bits = 0;
    for (int n = count; n > 1; n /= 2) {
        bits++;
    }
    for (int n = 0; n < grid.axis_count; n++) {
        bits += exponent_of(widest) - exponent_of(grid.scale[n]);
    }
    int most = grid.axis_count == 3 ? 10 : 15;
    int each = grid.axis_count == 0 ? 0 : bits / grid.axis_count + 2;
    grid.bits = each < most ? each : most;
    CN_ASSERT(0 <= grid.bits && grid.axis_count * grid.bits <= 30); /* a code has 32 bits */
    for (int n = 0; n < grid.axis_count; n++) {
        grid.scale[n] = (float)(1u << grid.bits) / widest;
    }
    return grid;
}

/* Orders one run; returns whether its codes differ. */
static bool
order_run(const struct cn_box *box, size_t stride, uint64_t *item, uint64_t *spare, int count)
{
    struct grid grid = make_grid(box, stride, item, count);
    if (grid.axis_count == 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        uint32_t code = grid_code(&grid, box_of(box, stride, item[i]));
        item[i] = (uint64_t)code << 32 | (uint32_t)item[i];
    }
    cn_tree_sort(item, spare, count, 32, grid.axis_count * grid.bits);
    return true;
}

/* The end of the run of items with the code of item[first]. */
static int
run_end(const uint64_t *item, int first, int end)
{
    CN_ASSERT(first < end);
    int next = first + 1;
    while (next < end && item[next] >> 32 == item[first] >> 32) {
        next++;
    }
    return next;
}

/* Orders a run, then the runs of equal codes in it, and so on. */
static void
order_deep(const struct cn_box *box, size_t stride, uint64_t *item, uint64_t *spare, int count)
{
    struct {
        int next, end;
    } level[REFINEMENT_MAX];
    if (count <= 8 || !order_run(box, stride, item, spare, count)) {
        return;
    }
    int depth = 0;
    level[0].next = 0;
    level[0].end = count;
    while (depth >= 0) {
        int first = level[depth].next, end = level[depth].end;
        if (first >= end) {
            depth--;
            continue;
        }
        int stop = run_end(item, first, end);
        level[depth].next = stop;
        if (stop - first > 8 && depth + 1 < REFINEMENT_MAX &&
            order_run(box, stride, item + first, spare + first, stop - first)) {
            depth++;
            level[depth].next = first;
            level[depth].end = stop;
        }
    }
}

/* Orders all items: the usual sizes first, then each larger class by itself. */
static void
order_items(const struct cn_box *box, size_t stride, uint64_t *item, uint64_t *spare, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += size_class(box_of(box, stride, item[i]));
    }
    int usual = count > 0 ? (int)(sum / count) : 0;
    uint32_t classes = 0;
    for (int i = 0; i < count; i++) {
        int above = size_class(box_of(box, stride, item[i])) - usual;
        uint32_t larger = above < 3 ? 0 : above < 6 ? 1 : above < 9 ? 2 : 3;
        classes |= larger;
        item[i] = (uint64_t)larger << 32 | (uint32_t)item[i];
    }
    if (classes != 0) {
        cn_tree_sort(item, spare, count, 32, 2);
    }
    for (int first = 0; first < count;) {
        int end = run_end(item, first, count);
        order_deep(box, stride, item + first, spare + first, end - first);
        first = end;
    }
}

/* Lays out the levels over `count` slots. */
static void
lay_levels(struct cn_tree *tree, int count)
{
    CN_ASSERT(count > 0);
    tree->level_count = 0;
    int first = 0, size = count;
    do {
        CN_ASSERT(tree->level_count < CN_TREE_LEVELS_MAX);
        size = (size + 7) / 8;
        CN_ASSERT(size <= first || first == 0); /* fewer blocks than in all levels below */
        tree->level_first[tree->level_count] = first;
        tree->level_size[tree->level_count++] = size;
        first += size;
    } while (size > 1);
    CN_ASSERT(tree->level_size[tree->level_count - 1] == 1); /* one block is the root */
    memset(tree->mark, 0, (size_t)first);
}

void
cn_tree_build(struct cn_tree *tree, const struct cn_box *box, size_t stride, uint64_t *item,
    uint64_t *spare, int count)
{
    CN_ASSERT(count >= 0);
    tree->leaf_count = count;
    tree->level_count = 0;
    tree->bound = CN_BOX_EMPTY;
    memset(tree->marked_end, 0, sizeof tree->marked_end);
    if (count == 0) {
        return;
    }
    order_items(box, stride, item, spare, count);
    lay_levels(tree, count);

    struct cn_box empty = CN_BOX_EMPTY;
    int slots = tree->level_size[0] * 8;
    CN_ASSERT(count <= slots && slots < count + 8); /* invariant 1 */
    for (int slot = 0; slot < slots; slot++) {
        if (slot < count) {
            tree->shape[slot] = (int32_t)(uint32_t)item[slot];
        }
        cn_box8_set(&tree->box[slot / 8], slot % 8,
            slot < count ? box_of(box, stride, item[slot]) : &empty);
    }
    for (int level = 0; level < tree->level_count; level++) {
        const struct cn_box8 *lower = &tree->box[tree->level_first[level]];
        int size = tree->level_size[level];
        for (int b = 0; b < size; b++) {
            struct cn_box bound = cn_box8_bound(&lower[b]);
            if (level + 1 < tree->level_count) {
                cn_box8_set(&tree->box[tree->level_first[level + 1] + b / 8], b % 8, &bound);
            } else {
                tree->bound = bound;
            }
        }
        for (int b = size; level + 1 < tree->level_count && b % 8 != 0; b++) {
            cn_box8_set(&tree->box[tree->level_first[level + 1] + b / 8], b % 8, &empty);
        }
    }
}

void
cn_tree_mark(struct cn_tree *tree, int slot)
{
    CN_ASSERT(0 <= slot && slot < tree->leaf_count);
    int child = slot;
    for (int level = 0; level < tree->level_count; level++) {
        uint8_t *mark = &tree->mark[tree->level_first[level] + child / 8];
        bool known = *mark != 0;
        *mark |= (uint8_t)(1u << child % 8);
        if (known) {
            return; /* the marks above are set as well */
        }
        child /= 8;
    }
}

void
cn_tree_place(struct cn_tree *tree, int slot, const struct cn_box *box)
{
    CN_ASSERT(0 <= slot && slot < tree->leaf_count);
    cn_box8_set(&tree->box[slot / 8], slot % 8, box);
    cn_tree_mark(tree, slot);
}

void
cn_tree_list(struct cn_tree *tree)
{
    int top = tree->level_count - 1, filled = 0;
    memset(tree->marked_end, 0, sizeof tree->marked_end);
    if (top < 0 || tree->mark[tree->level_first[top]] == 0) {
        return;
    }
    CN_ASSERT(tree->level_size[top] == 1); /* invariant 1 */
    tree->marked[filled++] = 0;
    tree->marked_end[top] = filled;
    for (int level = top; level > 0; level--) {
        for (int i = tree->marked_end[level + 1]; i < tree->marked_end[level]; i++) {
            int child = 8 * tree->marked[i];
            uint32_t mark = tree->mark[tree->level_first[level] + tree->marked[i]];
            for (; mark != 0; mark >>= 1, child++) {
                tree->marked[filled] = child;
                filled += (int)(mark & 1u);
            }
        }
        /* Invariant 2: every listed block has a marked one below it. */
        int above = tree->marked_end[level] - tree->marked_end[level + 1];
        CN_ASSERT(filled - tree->marked_end[level] >= above);
        CN_ASSERT(tree->marked[filled - 1] < tree->level_size[level - 1]);
        tree->marked_end[level - 1] = filled;
    }
    CN_ASSERT(filled <= tree->level_first[top] + 1); /* invariant 3 */
}

void
cn_tree_refit(struct cn_tree *tree)
{
    int top = tree->level_count - 1;
    for (int level = 0; level <= top; level++) {
        for (int i = tree->marked_end[level + 1]; i < tree->marked_end[level]; i++) {
            int block = tree->marked[i];
            CN_ASSERT(0 <= block && block < tree->level_size[level]);
            struct cn_box bound = cn_box8_bound(&tree->box[tree->level_first[level] + block]);
            if (level < top) {
                cn_box8_set(
                    &tree->box[tree->level_first[level + 1] + block / 8], block % 8, &bound);
            } else {
                tree->bound = bound;
            }
        }
    }
}

void
cn_tree_unmark(struct cn_tree *tree)
{
    for (int level = tree->level_count - 1; level >= 0; level--) {
        for (int i = tree->marked_end[level + 1]; i < tree->marked_end[level]; i++) {
            CN_ASSERT(0 <= tree->marked[i] && tree->marked[i] < tree->level_size[level]);
            tree->mark[tree->level_first[level] + tree->marked[i]] = 0;
        }
    }
}

struct cn_box
cn_tree_around(const struct cn_tree *tree, int slot)
{
    CN_ASSERT(0 <= slot && (tree->level_count < 2 || slot < tree->leaf_count));
    int block = slot / 8;
    return tree->level_count < 2
               ? tree->bound
               : cn_box8_get(&tree->box[tree->level_first[1] + block / 8], block % 8);
}
