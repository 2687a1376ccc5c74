/*
 * contact_walk.h: made-up contacts and loads that begin, end, and change their numbers, for the
 * tests of ContactDeltas.
 */
#ifndef TESTS_SUPPORT_SERVER_CONTACT_WALK_H
#define TESTS_SUPPORT_SERVER_CONTACT_WALK_H

#include "engine/base/assert.h"
#include "engine/base/rng.h"
#include "proto/contacts.h"

#include <stdio.h>
#include <string.h>

#define CONTACT_WALK_MAX 64

/* The chance of each act of an entry in a step, in 65536ths. */
struct contact_chances {
    uint32_t change, jump, come, go;
};

struct contact_walk {
    struct cn_rng rng;
    struct contact_chances chances;
    bool is_spatial;
    uint32_t number;
    int count, limit; /* entries, and their largest number */
    struct wire_contact entries[CONTACT_WALK_MAX];
    struct wire_contact_report report;
};

static inline uint32_t
contact_walk_below(struct contact_walk *walk, uint32_t end)
{
    return (uint32_t)(((uint64_t)(uint32_t)cn_rng_next(&walk->rng) * end) >> 32);
}

static inline bool
contact_walk_happens(struct contact_walk *walk, uint32_t chance)
{
    return contact_walk_below(walk, 65536) < chance;
}

/* A change of a number: small, or now and then to anything. */
static inline void
contact_walk_change(struct contact_walk *walk, int32_t *number)
{
    if (contact_walk_happens(walk, walk->chances.jump)) {
        *number = (int32_t)(uint32_t)cn_rng_next(&walk->rng);
    } else if (contact_walk_happens(walk, 32768)) {
        *number = (int32_t)((uint32_t)*number + contact_walk_below(walk, 9) - 4);
    }
}

static inline void
contact_walk_vector(struct contact_walk *walk, int32_t vector[3])
{
    for (int c = 0; c < (walk->is_spatial ? 3 : 2); c++) {
        contact_walk_change(walk, &vector[c]);
    }
}

static inline void
contact_walk_scale(struct contact_walk *walk, int32_t *scale)
{
    if (contact_walk_happens(walk, walk->chances.jump + 4000)) {
        *scale = (int32_t)contact_walk_below(walk, 1001) - 100;
    }
}

static inline void
contact_walk_entry(struct contact_walk *walk, struct wire_contact *entry)
{
    bool is_load = wire_contact_is_load(entry);
    if (contact_walk_happens(walk, 30000)) {
        contact_walk_vector(walk, entry->point);
    }
    if (!is_load && contact_walk_happens(walk, 20000)) {
        contact_walk_vector(walk, entry->normal);
        contact_walk_change(walk, &entry->gap);
    }
    contact_walk_vector(walk, entry->force);
    contact_walk_scale(walk, &entry->force_scale);
    if (is_load) {
        contact_walk_vector(walk, entry->torque);
        contact_walk_scale(walk, &entry->torque_scale);
    } else if (contact_walk_happens(walk, 9000)) {
        entry->impulse = (int32_t)contact_walk_below(walk, 32001);
    }
}

static inline void
contact_walk_begin(
    struct contact_walk *walk, uint64_t seed, bool is_spatial, int limit)
{
    *walk = (struct contact_walk){
        .rng = {.state = seed}, .is_spatial = is_spatial, .limit = limit};
    CN_ASSERT(limit <= CONTACT_WALK_MAX);
}

/* Adds an entry with a key of its own, if there is room. */
static inline void
contact_walk_come(struct contact_walk *walk)
{
    struct wire_contact entry = {.a = contact_walk_below(walk, 12),
        .b = contact_walk_below(walk, 12), .rank = contact_walk_below(walk, 4),
        .anchor = contact_walk_below(walk, 4)};
    if (contact_walk_below(walk, 6) == 0) {
        entry.a += WIRE_LOADS_FROM;
        entry.rank = 0;
        entry.anchor = WIRE_ANCHOR_B;
    }
    int at = 0;
    while (at < walk->count && wire_contact_compare(&walk->entries[at], &entry) < 0) {
        at++;
    }
    bool is_there =
        at < walk->count && wire_contact_compare(&walk->entries[at], &entry) == 0;
    if (is_there || walk->count == walk->limit) {
        return;
    }
    memmove(&walk->entries[at + 1], &walk->entries[at],
        (size_t)(walk->count - at) * sizeof(walk->entries[0]));
    walk->entries[at] = entry;
    walk->count++;
}

static inline void
contact_walk_step(struct contact_walk *walk)
{
    int kept = 0;
    walk->number++;
    for (int i = 0; i < walk->count; i++) {
        if (!contact_walk_happens(walk, walk->chances.go)) {
            walk->entries[kept++] = walk->entries[i];
        }
    }
    walk->count = kept;
    for (int i = 0; i < walk->limit; i++) {
        if (contact_walk_happens(walk, walk->chances.come)) {
            contact_walk_come(walk);
        }
    }
    for (int i = 0; i < walk->count; i++) {
        if (contact_walk_happens(walk, walk->chances.change)) {
            contact_walk_entry(walk, &walk->entries[i]);
        }
    }
    if (contact_walk_happens(walk, 20000)) {
        walk->report.is_judged = contact_walk_below(walk, 2) == 0;
        walk->report.residual =
            walk->report.is_judged ? (int32_t)contact_walk_below(walk, 1000) : 0;
        walk->report.outcome = contact_walk_below(walk, 4);
        walk->report.iteration_count = contact_walk_below(walk, 300);
        walk->report.row_count = contact_walk_below(walk, 300);
        snprintf(walk->report.solver, sizeof(walk->report.solver), "%s",
            contact_walk_below(walk, 2) == 0 ? "newton" : "baraff94");
    }
}

/* The contacts of this step; a reference. */
static inline struct wire_contacts *
contact_walk_take(const struct contact_walk *walk, double position_scale)
{
    struct wire_contacts *contacts = wire_contacts_create(walk->count);
    CN_ASSERT(contacts != NULL);
    contacts->tick = 3 * (uint64_t)walk->number;
    contacts->generation = 1;
    contacts->number = walk->number;
    contacts->scale = WIRE_CONTACT_QUANTA * position_scale;
    contacts->is_spatial = walk->is_spatial;
    contacts->report = walk->report;
    memcpy(contacts->contacts, walk->entries, (size_t)walk->count * sizeof(walk->entries[0]));
    contacts->hash = wire_contacts_hash(contacts);
    return contacts;
}

#endif
