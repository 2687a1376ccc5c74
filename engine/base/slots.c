#include "engine/base/slots.h"

#include "engine/base/assert.h"

/* The first slot, from `from` on, that is free (or taken); max when there is no such slot. */
static int
next_slot(const struct cn_slots *slots, int from, bool taken)
{
    while (from < slots->max) {
        uint64_t word = slots->word[from / 64];
        word = (taken ? word : ~word) >> (from % 64);
        if (word != 0) {
            int found = from + __builtin_ctzll(word);
            return found < slots->max ? found : slots->max;
        }
        from = (from / 64 + 1) * 64;
    }
    return slots->max;
}

int
cn_slots_count(const struct cn_slots *slots)
{
    int count = 0;
    for (size_t i = 0; i < cn_slots_words(slots->max); i++) {
        count += __builtin_popcountll(slots->word[i]);
    }
    return count;
}

int
cn_slots_find(const struct cn_slots *slots, int count)
{
    CN_ASSERT(count > 0);
    int first = next_slot(slots, slots->low, false);
    while (first < slots->max) {
        int end = next_slot(slots, first, true);
        if (end - first >= count || end == slots->max) {
            return first; /* no taken slot follows: the run continues beyond max */
        }
        first = next_slot(slots, end, false);
    }
    return slots->max;
}

void
cn_slots_take(struct cn_slots *slots, int first, int count)
{
    CN_ASSERT(first >= 0 && count >= 0 && first <= slots->max - count);
    for (int slot = first; slot < first + count; slot++) {
        CN_ASSERT(!cn_slots_has(slots, slot));
        slots->word[slot / 64] |= UINT64_C(1) << (slot % 64);
    }
    if (first <= slots->low) {
        slots->low = next_slot(slots, slots->low, false);
    }
}

void
cn_slots_give(struct cn_slots *slots, int first, int count)
{
    for (int slot = first; slot < first + count; slot++) {
        CN_ASSERT(cn_slots_has(slots, slot));
        slots->word[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    }
    if (first < slots->low && count > 0) {
        slots->low = first;
    }
}
