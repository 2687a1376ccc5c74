/*
 * broadphase.c: sweep and prune along x.
 *
 * Boxes look ahead in the sorted order, in groups, until the boxes begin beyond the last end of the
 * group.  A half plane looks at every box, which its pairs need anyway; the few half planes are in
 * its group.  Floats, rounded outward, reject boxes that do not overlap, four at once; doubles
 * decide the rest.
 */
#include "engine/collide/broad/broadphase.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/four.h"
#include "engine/math/scalar.h"

#include <float.h>
#include <math.h>

#define TOGETHER 32 /* boxes of a group; they are tested four at once */

/*
 * More than the relative error of rounding to floats, and more than the error of numbers near zero.
 */
#define ROUNDING 1.2e-7F
#define ROUNDING_LEAST 1e-37F

/* Counting stops here: ten thousand compounds in one place have more pairs than an int can hold. */
#define FOUND_MAX (1 << 30)

/*
 * Ties are broken by index, so that the order, and the pairs in a cut list, depend only on the
 * boxes.
 */
static bool
begins_before(const cn_aabb *boxes, int32_t a, int32_t b)
{
    double low_a = boxes[a].low.x, low_b = boxes[b].low.x;
    return low_a < low_b || (low_a == low_b && a < b);
}

static void
sort_order(const cn_aabb *boxes, int box_count, int32_t *order)
{
    int64_t pending = 0;
    for (int i = 1; i < box_count; i++) {
        int32_t moved = order[i];
        CN_ASSERT(0 <= moved && moved < box_count);
        int place = i;
        while (place > 0 && begins_before(boxes, moved, order[place - 1])) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = moved;
        cn_work_count(&pending, 3 + 3 * (i - place));
    }
}

static bool
comes_before(struct cn_pair p, struct cn_pair q)
{
    return ((uint64_t)p.a << 32 | (uint64_t)p.b) < ((uint64_t)q.a << 32 | (uint64_t)q.b);
}

/* Sifts pairs[root] down in a heap of `count` pairs whose top is the last pair in order. */
static void
sift_down(struct cn_pair *pairs, int root, int count)
{
    CN_ASSERT(0 <= root && root < count);
    struct cn_pair sinking = pairs[root];
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && comes_before(pairs[child], pairs[child + 1])) {
            child++;
        }
        if (!comes_before(sinking, pairs[child])) {
            break;
        }
        pairs[root] = pairs[child];
        root = child;
    }
    pairs[root] = sinking;
}

/* Heap sort: in place, and never worse than n log n. */
static void
sort_pairs(struct cn_pair *pairs, int count)
{
    int64_t pending = 0;
    for (int root = count / 2 - 1; root >= 0; root--) {
        sift_down(pairs, root, count);
        cn_work_count(&pending, 20);
    }
    for (int last = count - 1; last > 0; last--) {
        struct cn_pair top = pairs[0];
        pairs[0] = pairs[last];
        pairs[last] = top;
        sift_down(pairs, 0, last);
        cn_work_count(&pending, 60);
    }
}

static float
rounded_down(double x)
{
    float near = (float)cn_clamp(x, -(double)FLT_MAX, (double)FLT_MAX);
    return near - (fabsf(near) * ROUNDING + ROUNDING_LEAST);
}

static float
rounded_up(double x)
{
    return -rounded_down(-x);
}

/* A group of boxes that look ahead together. */
struct group {
    float high_x[TOGETHER], low_y[TOGETHER], high_y[TOGETHER], low_z[TOGETHER], high_z[TOGETHER];
    int count;
    double end; /* the largest of their ends along x */
};

static void
fill_group(struct group *group, const cn_aabb *boxes, const int32_t *order, int count)
{
    CN_ASSERT(0 < count && count <= TOGETHER);
    group->count = count;
    group->end = -HUGE_VAL;
    for (int i = 0; i < TOGETHER; i++) { /* unused places overlap nothing */
        const cn_aabb *box = &boxes[order[i < count ? i : 0]];
        group->high_x[i] = i < count ? rounded_up(box->high.x) : -HUGE_VALF;
        group->low_y[i] = rounded_down(box->low.y);
        group->high_y[i] = rounded_up(box->high.y);
        group->low_z[i] = rounded_down(box->low.z);
        group->high_z[i] = rounded_up(box->high.z);
        group->end = i < count ? cn_max(group->end, box->high.x) : group->end;
    }
}

/* A bit for each box of the group that may overlap `box`, which begins after all of them. */
static uint32_t
overlap_mask(const struct group *group, const cn_aabb *box)
{
    cn_four low_x = cn_four_splat(rounded_down(box->low.x));
    cn_four low_y = cn_four_splat(rounded_down(box->low.y));
    cn_four high_y = cn_four_splat(rounded_up(box->high.y));
    cn_four low_z = cn_four_splat(rounded_down(box->low.z));
    cn_four high_z = cn_four_splat(rounded_up(box->high.z));
    uint32_t bits = 0;
    for (int i = 0; i < TOGETHER; i += 4) {
        cn_four_mask both = (low_x <= cn_four_load(group->high_x + i)) &
                            (low_y <= cn_four_load(group->high_y + i)) &
                            (cn_four_load(group->low_y + i) <= high_y) &
                            (low_z <= cn_four_load(group->high_z + i)) &
                            (cn_four_load(group->low_z + i) <= high_z);
        bits |= (uint32_t)cn_four_bits(both) << i;
    }
    return bits;
}

/* The list that receives pairs. */
struct list {
    cn_pair_filter *filter;
    const void *context;
    struct cn_pair *pairs;
    int found, max;
};

static void
add_to_list(struct list *list, int32_t a, int32_t b)
{
    CN_ASSERT(a != b);
    struct cn_pair pair = {a < b ? a : b, a < b ? b : a};
    CN_ASSERT(pair.a >= 0);
    if (list->filter(list->context, pair.a, pair.b)) {
        if (list->found < list->max) {
            list->pairs[list->found] = pair;
        }
        list->found += list->found < FOUND_MAX;
    }
}

int
cn_broadphase_pairs(const cn_aabb *boxes, int box_count, int32_t *order, cn_pair_filter *filter,
    const void *context, struct cn_pair *pairs, int pair_max)
{
    CN_ASSERT(box_count >= 0);
    CN_ASSERT(pair_max >= 0 && (pairs != NULL || pair_max == 0));
    sort_order(boxes, box_count, order);

    struct list list = {filter, context, pairs, 0, pair_max};
    struct group group;
    int64_t pending = 0;
    for (int first = 0; first < box_count; first += TOGETHER) {
        fill_group(&group, boxes, order + first,
            box_count - first < TOGETHER ? box_count - first : TOGETHER);
        for (int k = first; k < box_count && boxes[order[k]].low.x <= group.end; k++) {
            const cn_aabb *box = &boxes[order[k]];
            uint32_t bits = overlap_mask(&group, box);
            cn_work_count(&pending, 30);
            bits &= k - first < TOGETHER ? (UINT32_C(1) << (k - first)) - 1U : UINT32_MAX;
            for (; bits != 0; bits &= bits - 1U) {
                int32_t other = order[first + __builtin_ctz(bits)];
                cn_work_count(&pending, 20);
                if (cn_aabb_overlap(&boxes[other], box)) {
                    add_to_list(&list, other, order[k]);
                }
            }
        }
    }
    CN_ASSERT(0 <= list.found && list.found <= FOUND_MAX);
    int stored = list.found < pair_max ? list.found : pair_max;
    sort_pairs(pairs, stored);
    CN_ASSERT(stored < 2 || comes_before(pairs[0], pairs[stored - 1]));
    return list.found;
}
