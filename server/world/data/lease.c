#include "server/world/data/lease.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void
sv_leases_finish(struct sv_leases *leases)
{
    free(leases->entries);
    *leases = (struct sv_leases){0};
}

/* ---- places ---- */

static bool
is_before(struct dd_lease_target a, struct dd_lease_target b)
{
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
}

static bool
is_same(struct dd_lease_target a, struct dd_lease_target b)
{
    return a.kind == b.kind && a.index == b.index;
}

int
sv_leases_find(const struct sv_leases *leases, struct dd_lease_target target, int *count)
{
    int low = 0, high = leases->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (is_before(leases->entries[middle].target, target)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int end = low;
    while (end < leases->count && is_same(leases->entries[end].target, target)) {
        end++;
    }
    CN_ASSERT(low <= end && end <= leases->count);
    *count = end - low;
    return low;
}

uint64_t
sv_leases_holder(const struct sv_leases *leases, struct dd_lease_target target)
{
    int count;
    int first = sv_leases_find(leases, target, &count);
    return count > 0 ? leases->entries[first].session : 0;
}

/* Index of the session's entry among `count` entries from `first` on; -1: none. */
static int
find_session(const struct sv_leases *leases, int first, int count, uint64_t session)
{
    CN_ASSERT(first >= 0 && count >= 0 && first + count <= leases->count);
    for (int i = first; i < first + count; i++) {
        if (leases->entries[i].session == session) {
            return i;
        }
    }
    return -1;
}

static int
count_of(const struct sv_leases *leases, uint64_t session)
{
    int count = 0;
    for (int i = 0; i < leases->count; i++) {
        count += leases->entries[i].session == session ? 1 : 0;
    }
    return count;
}

/* ---- entries ---- */

static void
grant_lease(struct sv_lease *lease, uint32_t ticks, uint64_t tick)
{
    lease->ticks = ticks;
    lease->until_tick = ticks > 0 ? tick + ticks : 0;
}

static bool
make_room(struct sv_leases *leases)
{
    if (leases->count < leases->capacity) {
        return true;
    }
    int capacity = leases->capacity > 0 ? 2 * leases->capacity : 16;
    struct sv_lease *entries =
        realloc(leases->entries, (size_t)capacity * sizeof(leases->entries[0]));
    if (entries == NULL) {
        return false;
    }
    leases->entries = entries;
    leases->capacity = capacity;
    return true;
}

/* False at a bound, or without memory. */
static bool
insert_lease(struct sv_leases *leases, int place, struct sv_lease lease)
{
    if (leases->count >= SV_LEASES_MAX ||
        count_of(leases, lease.session) >= SV_LEASES_SESSION_MAX || !make_room(leases)) {
        return false;
    }
    CN_ASSERT(place >= 0 && place <= leases->count && leases->count < leases->capacity);
    memmove(&leases->entries[place + 1], &leases->entries[place],
        (size_t)(leases->count - place) * sizeof(leases->entries[0]));
    leases->entries[place] = lease;
    leases->count++;
    return true;
}

/* Removes the entry.  If it was the holder's, the first session that waits holds from `tick` on. */
static struct sv_lease
take_out(struct sv_leases *leases, int place, uint64_t tick)
{
    CN_ASSERT(place >= 0 && place < leases->count);
    struct sv_lease lost = leases->entries[place];
    bool is_holder =
        place == 0 || !is_same(leases->entries[place - 1].target, lost.target);
    leases->count--;
    memmove(&leases->entries[place], &leases->entries[place + 1],
        (size_t)(leases->count - place) * sizeof(leases->entries[0]));
    if (is_holder && place < leases->count &&
        is_same(leases->entries[place].target, lost.target)) {
        grant_lease(&leases->entries[place], leases->entries[place].ticks, tick);
    }
    return lost;
}

/* ---- asking ---- */

enum sv_lease_answer
sv_leases_acquire(struct sv_leases *leases, struct dd_lease_target target, uint64_t session,
    uint32_t ticks, bool queue, uint64_t tick)
{
    int count;
    int first = sv_leases_find(leases, target, &count);
    int own = find_session(leases, first, count, session);
    if (own > first) {
        leases->entries[own].ticks = ticks;
        return SV_LEASE_WAITS;
    }
    if (own == first) {
        grant_lease(&leases->entries[own], ticks, tick);
        return SV_LEASE_GRANTED;
    }
    if (count > 0 && !queue) {
        return SV_LEASE_HELD;
    }
    struct sv_lease lease = {.target = target, .session = session, .ticks = ticks};
    if (count == 0) {
        grant_lease(&lease, ticks, tick);
    }
    if (count > SV_LEASE_QUEUE_MAX || !insert_lease(leases, first + count, lease)) {
        return SV_LEASE_FULL;
    }
    return count == 0 ? SV_LEASE_GRANTED : SV_LEASE_WAITS;
}

enum sv_lease_answer
sv_leases_override(struct sv_leases *leases, struct dd_lease_target target, uint64_t session,
    uint32_t ticks, uint64_t tick)
{
    int count;
    int first = sv_leases_find(leases, target, &count);
    if (count == 0 || leases->entries[first].session == session) {
        return sv_leases_acquire(leases, target, session, ticks, false, tick);
    }
    int own = find_session(leases, first, count, session);
    if (own < 0 && count_of(leases, session) >= SV_LEASES_SESSION_MAX) {
        return SV_LEASE_FULL;
    }
    if (own >= 0) {
        take_out(leases, own, tick);
    }
    leases->entries[first].session = session;
    leases->entries[first].is_taken = true;
    grant_lease(&leases->entries[first], ticks, tick);
    return SV_LEASE_GRANTED;
}

bool
sv_leases_release(struct sv_leases *leases, struct dd_lease_target target, uint64_t session,
    uint64_t tick)
{
    int count;
    int first = sv_leases_find(leases, target, &count);
    int own = find_session(leases, first, count, session);
    if (own >= 0) {
        take_out(leases, own, tick);
    }
    return own >= 0;
}

/* Whether the entry may follow the present last one. */
static bool
is_in_order(const struct sv_leases *leases, const struct sv_lease *lease)
{
    if (leases->count == 0) {
        return true;
    }
    const struct dd_lease_target last = leases->entries[leases->count - 1].target;
    int count, first = sv_leases_find(leases, lease->target, &count);
    return is_before(last, lease->target) ||
        (is_same(last, lease->target) && find_session(leases, first, count, lease->session) < 0);
}

bool
sv_leases_append(struct sv_leases *leases, const struct sv_lease *lease)
{
    return is_in_order(leases, lease) && insert_lease(leases, leases->count, *lease);
}

/* ---- lost leases ---- */

bool
sv_leases_is_due(const struct sv_leases *leases, uint64_t tick)
{
    for (int i = 0; i < leases->count; i++) {
        if (leases->entries[i].until_tick > 0 && leases->entries[i].until_tick <= tick) {
            return true;
        }
    }
    return false;
}

bool
sv_leases_expire_one(struct sv_leases *leases, uint64_t tick, struct sv_lease *lost)
{
    for (int i = 0; i < leases->count; i++) {
        /* For sessions that wait it is 0. */
        if (leases->entries[i].until_tick > 0 && leases->entries[i].until_tick <= tick) {
            *lost = take_out(leases, i, tick);
            return true;
        }
    }
    return false;
}

bool
sv_leases_drop_one(
    struct sv_leases *leases, uint64_t session, uint64_t tick, struct sv_lease *lost)
{
    int own = find_session(leases, 0, leases->count, session);
    if (own >= 0) {
        *lost = take_out(leases, own, tick);
    }
    return own >= 0;
}

void
sv_leases_forget(struct sv_leases *leases, struct dd_lease_target target)
{
    int count;
    int first = sv_leases_find(leases, target, &count);
    if (count > 0) {
        leases->count -= count;
        memmove(&leases->entries[first], &leases->entries[first + count],
            (size_t)(leases->count - first) * sizeof(leases->entries[0]));
    }
}
