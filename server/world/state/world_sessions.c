/*
 * world_sessions.c: data of sessions in the log: leases, caps, and sessions that can be
 * resumed.
 *
 * Leases and caps change only by log entries, so a restart loses none that was answered.  A session
 * that asked to be kept has an entry with the data that its client needs to resume it.  When a
 * session leaves, all of this is removed.
 *
 * A checkpoint has one section for this, little-endian:
 *
 *     version u32, 1     the tick of the last REACH u64
 *     leases u32, each: kind u8, is taken u8, index u32, session u64, ticks u32, until tick u64
 *     caps u32, and kept sessions u32, each as log entries have them (entry.h)
 *
 * Threads: its world's worker.
 */
#include "server/world/state/world_sessions.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/base/limits.h"
#include "server/world/data/cap.h"
#include "deed/entry.h"
#include "server/world/data/lease.h"
#include "server/world/data/sections.h"
#include "server/world/data/world.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_member_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEASE_SIZE 26

/* ---- changes ---- */

static bool
refuse_lease(struct sv_world *world, const struct dd_lease_change *change,
    enum sv_lease_answer answer, struct wire_error *error)
{
    if (answer == SV_LEASE_HELD) {
        sv_world_refuse_held(world, change->target, error);
    } else {
        wire_error_set(error, "LIMIT", "lease",
            "at most %d leases are of one session, %d of a world; %d wait for one target",
            SV_LEASES_SESSION_MAX, SV_LEASES_MAX, SV_LEASE_QUEUE_MAX);
    }
    return false;
}

bool
sv_world_change_lease(
    struct sv_world *world, const struct dd_lease_change *change, struct wire_error *error)
{
    uint64_t tick = cn_world_tick(world->engine);
    struct sv_lease lost;
    enum sv_lease_answer answer = SV_LEASE_GRANTED;
    switch (change->what) {
    case DD_LEASE_ACQUIRE:
        answer = sv_leases_acquire(&world->leases, change->target, change->session,
            change->ticks, change->queue, tick);
        break;
    case DD_LEASE_OVERRIDE:
        answer = sv_leases_override(
            &world->leases, change->target, change->session, change->ticks, tick);
        break;
    case DD_LEASE_RELEASE:
        (void)sv_leases_release(&world->leases, change->target, change->session, tick);
        break;
    case DD_LEASE_EXPIRE:
        while (sv_leases_expire_one(&world->leases, tick, &lost)) {
        }
        break;
    case DD_LEASE_CHANGE_COUNT:
        break;
    }
    bool is_done = answer == SV_LEASE_GRANTED || answer == SV_LEASE_WAITS;
    return is_done || refuse_lease(world, change, answer, error);
}

bool
sv_world_change_cap(
    struct sv_world *world, const struct wire_capped *cap, struct wire_error *error)
{
    bool is_good = isfinite(cap->caps.force) && cap->caps.force >= 0.0 &&
        isfinite(cap->caps.torque) && cap->caps.torque >= 0.0;
    if (!is_good || !sv_caps_set(&world->caps, cap->body, &cap->caps)) {
        wire_error_set(error, "LIMIT", "lease.cap", "at most %d bodies of a world have caps",
            SV_LEASES_MAX);
        return false;
    }
    return true;
}

static struct dd_kept *
find_kept(const struct sv_persistence *persist, uint64_t session)
{
    for (int i = 0; i < persist->kept_count; i++) {
        if (persist->kept[i].session == session) {
            return &persist->kept[i];
        }
    }
    return NULL;
}

bool
sv_world_keep_session(
    struct sv_world *world, const struct dd_kept *session, struct wire_error *error)
{
    struct sv_persistence *persist = &world->persist;
    struct dd_kept *place = find_kept(persist, session->session);
    if (place == NULL && persist->kept_count == persist->kept_capacity) {
        int capacity = persist->kept_capacity * 2 + 8;
        struct dd_kept *kept = realloc(persist->kept, (size_t)capacity * sizeof(*kept));
        if (kept == NULL) {
            wire_error_set(error, "MEMORY", "", "no memory for a session that is kept");
            return false;
        }
        persist->kept = kept;
        persist->kept_capacity = capacity;
    }
    place = place != NULL ? place : &persist->kept[persist->kept_count++];
    CN_ASSERT(persist->kept_count <= persist->kept_capacity);
    *place = *session;
    return true;
}

static struct sv_settled *
find_settled(const struct sv_persistence *persist, uint64_t session)
{
    for (int i = 0; i < persist->settled_count; i++) {
        if (persist->settled[i].session == session) {
            return &persist->settled[i];
        }
    }
    return NULL;
}

bool
sv_world_settle(struct sv_world *world, uint64_t session, uint64_t seq, struct wire_error *error)
{
    struct sv_persistence *persist = &world->persist;
    struct sv_member *member = sv_world_member(world, session);
    if (member != NULL) {
        member->applied_seq = seq;
        return true;
    }
    struct sv_settled *place = find_settled(persist, session);
    if (place == NULL && persist->settled_count == persist->settled_capacity) {
        int capacity = persist->settled_capacity * 2 + 16;
        struct sv_settled *settled = realloc(persist->settled, (size_t)capacity * sizeof(*settled));
        if (settled == NULL) {
            wire_error_set(error, "MEMORY", "", "no memory for what a session has settled");
            return false;
        }
        persist->settled = settled;
        persist->settled_capacity = capacity;
    }
    place = place != NULL ? place : &persist->settled[persist->settled_count++];
    CN_ASSERT(persist->settled_count <= persist->settled_capacity);
    *place = (struct sv_settled){session, seq};
    return true;
}

uint64_t
sv_world_settled_of(const struct sv_world *world, uint64_t session)
{
    const struct sv_settled *settled = find_settled(&world->persist, session);
    return settled != NULL ? settled->seq : 0;
}

uint64_t
sv_world_take_settled(struct sv_world *world, uint64_t session)
{
    struct sv_persistence *persist = &world->persist;
    struct sv_settled *settled = find_settled(persist, session);
    uint64_t seq = settled != NULL ? settled->seq : 0;
    if (settled != NULL) {
        CN_ASSERT(persist->settled_count > 0);
        *settled = persist->settled[--persist->settled_count];
    }
    return seq;
}

void
sv_world_forget_session(struct sv_world *world, uint64_t session)
{
    struct sv_persistence *persist = &world->persist;
    struct dd_kept *kept = find_kept(persist, session);
    struct sv_lease lost;
    (void)sv_world_take_settled(world, session);
    if (kept != NULL) {
        CN_ASSERT(persist->kept_count > 0);
        *kept = persist->kept[--persist->kept_count];
    }
    while (sv_leases_drop_one(&world->leases, session, cn_world_tick(world->engine), &lost)) {
    }
}

/* ---- every session that the world knows of ---- */

uint64_t
sv_world_session_after(const struct sv_world *world, uint64_t session)
{
    const struct sv_persistence *persist = &world->persist;
    const struct cn_held *held;
    uint64_t next = UINT64_MAX;
    const struct cn_attribute *attributes;
    int count = cn_world_held(world->engine, &held);
    int attribute_count = cn_world_attributes(world->engine, &attributes);
#define CONSIDER(value) next = (value) > session && (value) < next ? (value) : next
    for (int i = 0; i < count; i++) {
        CONSIDER(held[i].holder.source);
    }
    for (int i = 0; i < persist->settled_count; i++) {
        CONSIDER(persist->settled[i].session);
    }
    for (int i = 0; i < persist->kept_count; i++) {
        CONSIDER(persist->kept[i].session);
    }
    for (int i = 0; i < world->leases.count; i++) {
        CONSIDER(world->leases.entries[i].session);
    }
    for (int i = 0; i < attribute_count; i++) {
        bool is_there = attributes[i].owner.kind == CN_OWNER_SESSION &&
            strcmp(attributes[i].name, ".left") != 0;
        CONSIDER(is_there ? attributes[i].owner.id : 0);
    }
#undef CONSIDER
    return next;
}

uint64_t
sv_world_session_last(const struct sv_world *world)
{
    uint64_t last = 0;
    for (uint64_t session = sv_world_session_after(world, 0); session != UINT64_MAX;
        session = sv_world_session_after(world, session)) {
        last = session;
    }
    return last;
}

/* ---- the section of a checkpoint ---- */

static bool
add_lease(struct dd_entries *out, const struct sv_lease *lease)
{
    unsigned char bytes[LEASE_SIZE];
    bytes[0] = (unsigned char)lease->target.kind;
    bytes[1] = lease->is_taken ? 1 : 0;
    cn_put_u32(bytes + 2, (uint32_t)lease->target.index);
    cn_put_u64(bytes + 6, lease->session);
    cn_put_u32(bytes + 14, lease->ticks);
    cn_put_u64(bytes + 18, lease->until_tick);
    return dd_entries_add_bytes(out, bytes, sizeof(bytes));
}

bool
sv_world_write_sessions(const struct sv_world *world, struct dd_entries *out)
{
    const struct sv_persistence *persist = &world->persist;
    bool is_good = dd_entries_add_u32(out, SV_SESSIONS_PART_VERSION) &&
        dd_entries_add_u64(out, persist->reach_tick) &&
        dd_entries_add_u32(out, (uint32_t)world->leases.count);
    for (int i = 0; is_good && i < world->leases.count; i++) {
        is_good = add_lease(out, &world->leases.entries[i]);
    }
    is_good = is_good && dd_entries_add_u32(out, (uint32_t)world->caps.count);
    for (int i = 0; is_good && i < world->caps.count; i++) {
        const struct dd_entry entry = {.kind = DD_ENTRY_CAP, .cap = world->caps.entries[i]};
        is_good = dd_entries_add(out, &entry);
    }
    is_good = is_good && dd_entries_add_u32(out, (uint32_t)persist->kept_count);
    for (int i = 0; is_good && i < persist->kept_count; i++) {
        const struct dd_entry entry = {.kind = DD_ENTRY_KEPT, .kept = persist->kept[i]};
        is_good = dd_entries_add(out, &entry);
    }
    return is_good;
}

struct part {
    const unsigned char *bytes;
    size_t size, at;
};

static bool
take_count(struct part *part, uint32_t *count)
{
    bool is_there = part->size - part->at >= 4;
    *count = is_there ? cn_get_u32(part->bytes + part->at) : 0;
    part->at += is_there ? 4 : 0;
    return is_there;
}

/* The entries of a target are adjacent, so a table keeps its order. */
static bool
take_leases(struct sv_world *world, struct part *part)
{
    uint32_t count;
    if (!take_count(part, &count) || count > SV_LEASES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *bytes = part->bytes + part->at;
        if (part->size - part->at < LEASE_SIZE || bytes[0] > DD_LEASE_ACTUATOR ||
            bytes[1] > 1) {
            return false;
        }
        struct sv_lease lease = {
            .target = {(enum dd_lease_kind)bytes[0], (int32_t)cn_get_u32(bytes + 2)},
            .is_taken = bytes[1] == 1,
            .session = cn_get_u64(bytes + 6),
            .ticks = cn_get_u32(bytes + 14),
            .until_tick = cn_get_u64(bytes + 18)};
        part->at += LEASE_SIZE;
        if (!sv_leases_append(&world->leases, &lease)) {
            return false;
        }
    }
    return true;
}

/* Applies an entry of a section: a cap or a kept session. */
static bool
change_session(struct sv_world *world, const struct dd_entry *entry, struct wire_error *error)
{
    sv_world_note_change(world);
    return entry->kind == DD_ENTRY_CAP ? sv_world_change_cap(world, &entry->cap, error)
                                       : sv_world_keep_session(world, &entry->kept, error);
}

/* Reads entries of one kind and applies them. */
static bool
take_entries(struct sv_world *world, struct part *part, enum dd_entry_kind kind)
{
    uint32_t count;
    if (!take_count(part, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct dd_entry entry;
        struct wire_error error;
        if (!dd_entry_read(part->bytes, part->size, &part->at, &entry) || entry.kind != kind ||
            !change_session(world, &entry, &error)) {
            return false;
        }
    }
    return true;
}

uint64_t
sv_sessions_part_reach(const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_SESSIONS, &size);
    return bytes != NULL && size >= 12 && cn_get_u32(bytes) == SV_SESSIONS_PART_VERSION
        ? cn_get_u64(bytes + 4)
        : 0;
}

bool
sv_world_read_sessions(struct sv_world *world, const unsigned char *bytes, size_t size)
{
    struct part part = {bytes, size, 12};
    if (size < part.at || cn_get_u32(bytes) != SV_SESSIONS_PART_VERSION) {
        return false;
    }
    world->leases.count = world->caps.count = world->persist.kept_count = 0;
    world->persist.reach_tick = cn_get_u64(bytes + 4);
    return take_leases(world, &part) && take_entries(world, &part, DD_ENTRY_CAP) &&
        take_entries(world, &part, DD_ENTRY_KEPT) && part.at == size;
}
