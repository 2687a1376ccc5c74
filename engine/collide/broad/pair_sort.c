#include "engine/collide/broad/pair_sort.h"

#include "engine/base/assert.h"
#include "engine/collide/broad/tree.h"

/* Fewer pairs than this are sorted by exchanges. */
#define SORT_FEW 100

/* Sorts by exchanges, from the highest differing bit: in place, with at most `bits` passes. */
static void
exchange_pairs(struct cn_pair *pairs, int count, int bits)
{
    struct run {
        int first, end, bit;
    } stack[65] = {{0, count, 2 * bits - 1}};
    int waiting = 1;
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
        CN_ASSERT(waiting + 2 <= (int)(sizeof stack / sizeof stack[0]));
        stack[waiting++] = (struct run){first, low, bit - 1};
        stack[waiting++] = (struct run){low, end, bit - 1};
    }
}

void
cn_pair_sort(
    struct cn_pair *pairs, int count, int bits, uint64_t *item, uint64_t *spare, int room)
{
    CN_ASSERT(0 < bits && bits < 32);
    if (count > room || count < SORT_FEW) {
        exchange_pairs(pairs, count, bits);
        return;
    }
    for (int i = 0; i < count; i++) {
        item[i] = (uint64_t)(uint32_t)pairs[i].a << bits | (uint32_t)pairs[i].b;
    }
    cn_tree_sort(item, spare, count, 0, 2 * bits);
    for (int i = 0; i < count; i++) {
        pairs[i].a = (int32_t)(item[i] >> bits);
        pairs[i].b = (int32_t)(item[i] & ((UINT64_C(1) << bits) - 1));
    }
}
