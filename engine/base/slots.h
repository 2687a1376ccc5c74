/*
 * slots.h: a bit set that says which slots are taken, and finds free ones.
 *
 * The slots found depend on the taken slots alone: the lowest run that fits, where all slots beyond
 * the last taken one count as free.
 *
 * Ownership: the words belong to the caller.  It grows them (cn_slots_words of the number of slots)
 * and clears the new ones.
 */
#ifndef ENGINE_BASE_SLOTS_H
#define ENGINE_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_slots {
    uint64_t *word;
    int max; /* slots that the words have bits for */
    int low; /* every slot below is taken: where a search begins */
};

static inline size_t
cn_slots_words(int max)
{
    return ((size_t)max + 63) / 64;
}

static inline bool
cn_slots_has(const struct cn_slots *slots, int slot)
{
    return slot < slots->max && (slots->word[slot / 64] >> (slot % 64) & 1) != 0;
}

/* The number of taken slots. */
int cn_slots_count(const struct cn_slots *slots);

/* The first slot of the lowest run of `count` free slots, count > 0; the run may end beyond max. */
int cn_slots_find(const struct cn_slots *slots, int count);

/* Takes slots first .. first + count - 1, which must be free and below max. */
void cn_slots_take(struct cn_slots *slots, int first, int count);

/* Frees slots that are taken. */
void cn_slots_give(struct cn_slots *slots, int first, int count);

#endif
