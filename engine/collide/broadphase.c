/*
 * broadphase.c: sweep and prune along x.
 *
 * Every box looks ahead in the sorted order until boxes begin beyond its end.  A half plane looks
 * at every box, which its pairs need anyway; it does not make the others look further, because each
 * box is stopped by its own end.
 */
#include "engine/collide/broadphase.h"

#include "engine/base/assert.h"

/* Where counting stops: ten thousand compounds in one place have more pairs than an int. */
#define FOUND_MAX (1 << 30)

/* Ties go by index, so that the order, and what a cut list keeps, depend on the boxes alone. */
static bool
begins_before(const cn_aabb *boxes, int32_t a, int32_t b)
{
    double low_a = boxes[a].low.x, low_b = boxes[b].low.x;
    return low_a < low_b || (low_a == low_b && a < b);
}

static void
sort_order(const cn_aabb *boxes, int box_count, int32_t *order)
{
    for (int i = 1; i < box_count; i++) {
        int32_t moved = order[i];
        int place = i;
        while (place > 0 && begins_before(boxes, moved, order[place - 1])) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = moved;
    }
}

static bool
comes_before(struct cn_pair p, struct cn_pair q)
{
    return p.a < q.a || (p.a == q.a && p.b < q.b);
}

/* Lets pairs[root] sink until the heap below it, of `count` pairs, has its last pair on top. */
static void
sink(struct cn_pair *pairs, int root, int count)
{
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
    for (int root = count / 2 - 1; root >= 0; root--) {
        sink(pairs, root, count);
    }
    for (int last = count - 1; last > 0; last--) {
        struct cn_pair top = pairs[0];
        pairs[0] = pairs[last];
        pairs[last] = top;
        sink(pairs, 0, last);
    }
}

int
cn_broadphase_pairs(const cn_aabb *boxes, int box_count, int32_t *order, cn_pair_filter *filter,
    const void *context, struct cn_pair *pairs, int pair_max)
{
    CN_ASSERT(box_count >= 0);
    CN_ASSERT(pair_max >= 0);
    sort_order(boxes, box_count, order);

    int found = 0;
    for (int i = 0; i < box_count; i++) {
        const cn_aabb *box = &boxes[order[i]];
        for (int k = i + 1; k < box_count && boxes[order[k]].low.x <= box->high.x; k++) {
            if (!cn_aabb_overlap(box, &boxes[order[k]])) {
                continue;
            }
            bool ordered = order[i] < order[k];
            struct cn_pair pair = {ordered ? order[i] : order[k], ordered ? order[k] : order[i]};
            if (!filter(context, pair.a, pair.b)) {
                continue;
            }
            if (found < pair_max) {
                pairs[found] = pair;
            }
            found += found < FOUND_MAX;
        }
    }
    sort_pairs(pairs, found < pair_max ? found : pair_max);
    return found;
}
