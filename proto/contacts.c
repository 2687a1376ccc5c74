#include "proto/contacts.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANTISSAS 32 /* codes of an octave */

struct wire_contacts *
wire_contacts_create(int count)
{
    CN_ASSERT(count >= 0);
    size_t n = (size_t)count;
    struct wire_contacts *state = calloc(1, sizeof(*state) + n * sizeof(struct wire_contact));
    if (state != NULL) {
        atomic_init(&state->ref_count, 1);
        state->count = count;
        state->contacts = (struct wire_contact *)(void *)(state + 1);
    }
    return state;
}

struct wire_contacts *
wire_contacts_ref(struct wire_contacts *contacts)
{
    CN_ASSERT(atomic_load_explicit(&contacts->ref_count, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&contacts->ref_count, 1, memory_order_relaxed);
    return contacts;
}

void
wire_contacts_unref(struct wire_contacts *contacts)
{
    if (contacts != NULL &&
        atomic_fetch_sub_explicit(&contacts->ref_count, 1, memory_order_acq_rel) == 1) {
        free(contacts->memory);
        free(contacts);
    }
}

int
wire_contact_compare(const struct wire_contact *a, const struct wire_contact *b)
{
    const uint32_t left[4] = {a->a, a->b, a->rank, a->anchor};
    const uint32_t right[4] = {b->a, b->b, b->rank, b->anchor};
    for (int i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- comparing ---- */

static inline uint32_t
hash_word(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * UINT32_C(2654435761);
    return hash ^ hash >> 15;
}

static uint32_t
hash_entry(const struct wire_contact *contact)
{
    uint32_t hash = hash_word(UINT32_C(2166136261), contact->a);
    hash = hash_word(hash, contact->b);
    hash = hash_word(hash, contact->rank);
    hash = hash_word(hash, contact->anchor);
    for (int c = 0; c < 3; c++) {
        hash = hash_word(hash, (uint32_t)contact->point[c]);
        hash = hash_word(hash, (uint32_t)contact->normal[c]);
        hash = hash_word(hash, (uint32_t)contact->force[c]);
        hash = hash_word(hash, (uint32_t)contact->torque[c]);
    }
    hash = hash_word(hash, (uint32_t)contact->gap);
    hash = hash_word(hash, (uint32_t)contact->force_scale);
    hash = hash_word(hash, (uint32_t)contact->torque_scale);
    return hash_word(hash, (uint32_t)contact->impulse);
}

uint32_t
wire_contacts_hash(const struct wire_contacts *contacts)
{
    uint32_t sum = 0;
    for (int i = 0; i < contacts->count; i++) {
        sum += hash_entry(&contacts->contacts[i]);
    }
    return sum;
}

bool
wire_contact_reports_are_equal(
    const struct wire_contact_report *a, const struct wire_contact_report *b)
{
    return a->is_judged == b->is_judged && a->residual == b->residual &&
           a->outcome == b->outcome && a->iteration_count == b->iteration_count &&
           a->row_count == b->row_count && a->left_out == b->left_out &&
           strcmp(a->solver, b->solver) == 0;
}

bool
wire_contacts_are_equal(const struct wire_contacts *a, const struct wire_contacts *b)
{
    /* Entries are made of words without padding. */
    _Static_assert(sizeof(struct wire_contact) == 20 * sizeof(uint32_t), "see above");
    return a == b ||
           (a->hash == b->hash && a->count == b->count && a->series == b->series &&
               a->is_spatial == b->is_spatial && a->scale == b->scale &&
               memcmp(a->contacts, b->contacts, (size_t)a->count * sizeof(a->contacts[0])) == 0 &&
               wire_contact_reports_are_equal(&a->report, &b->report));
}

/* ---- parts ---- */

/* Copies everything except the entries and their hash. */
static void
describe_part(struct wire_contacts *contacts, const struct wire_contacts *whole)
{
    contacts->tick = whole->tick;
    contacts->generation = whole->generation;
    contacts->series = whole->series;
    contacts->number = whole->number;
    contacts->scale = whole->scale;
    contacts->is_spatial = whole->is_spatial;
    contacts->report = whole->report;
}

/* Whether the part lacks the body although it is one of the whole state's: not a static body. */
static bool
is_unseen(const struct wire_state *whole, const struct wire_state *part, uint32_t body)
{
    return wire_state_find(whole, body) >= 0 && wire_state_find(part, body) < 0;
}

struct wire_contacts *
wire_contacts_part(struct wire_contacts *whole, const struct wire_state *whole_state,
    const struct wire_state *part, struct wire_contacts *previous)
{
    struct wire_contacts *contacts = wire_contacts_create(whole->count);
    if (contacts == NULL) {
        return NULL;
    }
    describe_part(contacts, whole);
    contacts->count = 0;
    for (int i = 0; i < whole->count; i++) {
        const struct wire_contact *contact = &whole->contacts[i];
        bool is_hidden = is_unseen(whole_state, part, contact->b) ||
            (!wire_contact_is_load(contact) && is_unseen(whole_state, part, contact->a));
        if (!is_hidden) {
            contacts->contacts[contacts->count++] = *contact;
        }
    }
    CN_ASSERT(contacts->count <= whole->count);
    contacts->hash = wire_contacts_hash(contacts);
    if (previous != NULL && previous->generation == contacts->generation &&
        wire_contacts_are_equal(contacts, previous)) {
        wire_contacts_unref(contacts);
        return wire_contacts_ref(previous);
    }
    return contacts;
}

/* ---- mixes ---- */

/* The entry of a key, searched from *entry on; -1 if it does not exist. */
static int
find_entry(const struct wire_contacts *contacts, int *entry, const struct wire_contact *key)
{
    int count = contacts != NULL ? contacts->count : 0;
    while (*entry < count && wire_contact_compare(&contacts->contacts[*entry], key) < 0) {
        ++*entry;
    }
    bool is_found =
        *entry < count && wire_contact_compare(&contacts->contacts[*entry], key) == 0;
    return is_found ? *entry : -1;
}

static bool
differs(const struct wire_contacts *known, int entry, const struct wire_contact *contact)
{
    return entry < 0 || memcmp(&known->contacts[entry], contact, sizeof(*contact)) != 0;
}

/* The number of entries that differ, and how many of them are up to the key `after`. */
static void
count_differences(const struct wire_contacts *known, const struct wire_contacts *now,
    const struct wire_contact *after, int *all, int *before)
{
    int entry = 0;
    *all = *before = 0;
    for (int i = 0; i < now->count; i++) {
        const struct wire_contact *contact = &now->contacts[i];
        if (differs(known, find_entry(known, &entry, contact), contact)) {
            ++*all;
            *before += wire_contact_compare(contact, after) <= 0;
        }
    }
}

struct wire_contacts_mix
wire_contacts_mix(const struct wire_contacts *known, const struct wire_contacts *now,
    const struct wire_contact *after, int count)
{
    struct wire_contacts_mix mix = {.contacts = wire_contacts_create(now->count), .last = *after};
    struct wire_contacts *into = mix.contacts;
    if (into == NULL) {
        return mix;
    }
    int all, before, entry = 0, k = 0, difference = 0, last = -1;
    known = known != NULL && known->series == now->series ? known : NULL;
    count_differences(known, now, after, &all, &before);
    describe_part(into, now);
    for (int i = 0; i < now->count; i++) {
        const struct wire_contact *contact = &now->contacts[i];
        int was = find_entry(known, &entry, contact);
        bool is_taken = true;
        if (differs(known, was, contact)) {
            int place = (difference++ - before + all) % all; /* in the order of their turns */
            is_taken = place < count;
            mix.taken_count += is_taken;
            if (is_taken && place > last) {
                last = place;
                mix.last = *contact;
            }
        }
        if (is_taken || was >= 0) {
            into->contacts[k++] = is_taken ? *contact : known->contacts[was];
        }
    }
    CN_ASSERT(k <= now->count);
    into->count = k;
    into->hash = wire_contacts_hash(into);
    mix.is_whole = mix.taken_count == all;
    return mix;
}

/* ---- values ---- */

double
wire_magnitude(int32_t code)
{
    int32_t octave = code / MANTISSAS;
    double mantissa = code % MANTISSAS + (octave > 0 ? MANTISSAS : 0);
    return ldexp(mantissa, WIRE_SCALE_MIN + (octave > 0 ? octave - 1 : 0));
}
