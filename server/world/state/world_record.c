/*
 * world_record.c: a world's next record of log entries, and the reports that wait for it.
 */
#include "server/world/state/world_record.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/store/store.h"
#include "deed/entry.h"
#include "server/world/data/env.h"

#include <stdlib.h>
#include <string.h>

/* Reports that one message can cause, with a margin. */
#define OUTBOX_READY 8

/* ---- waiting for the disk ---- */

/*
 * Notes a record that may not be durable yet.  When there are too many, waiters for the oldest wait
 * for the newest instead.
 */
static void
note_ahead(struct sv_persistence *persist)
{
    int last = persist->ahead_count - 1;
    CN_ASSERT(last < 0 || persist->ahead[last].step <= persist->step_count); /* steps only grow */
    int most = (int)(sizeof(persist->ahead) / sizeof(persist->ahead[0]));
    CN_ASSERT(persist->ahead_count >= 0 && persist->ahead_count <= most);
    if (last < 0 ||
        (persist->ahead[last].step != persist->step_count && persist->ahead_count < most)) {
        persist->ahead[++last].step = persist->step_count;
        persist->ahead_count++;
    }
    persist->ahead[last].ticket = persist->ticket;
}

void
sv_world_depend_on(struct sv_world *world, uint64_t ticket)
{
    CN_ASSERT(ticket >= world->persist.ticket); /* tickets of a lane only grow */
    world->persist.ticket = ticket;
    note_ahead(&world->persist);
}

void
sv_world_wait_for(struct sv_world *world, uint64_t ticket)
{
    sv_world_depend_on(world, ticket);
    world->env->is_flush_due |= world->persist.durability == WIRE_DURABILITY_TICK;
}

void
sv_world_note_reach(struct sv_world *world, uint64_t ticket)
{
    struct sv_persistence *persist = &world->persist;
    int most = (int)(sizeof(persist->reaches) / sizeof(persist->reaches[0]));
    /* publications that wait for the last one wait a little longer */
    if (persist->reach_count == most) {
        persist->reach_count--;
    }
    CN_ASSERT(persist->reach_count >= 0 && persist->reach_count < most);
    if (persist->reach_tick == 0) {
        return; /* the promise was withdrawn within the same record */
    }
    bool is_urgent = persist->reach_count == 0 || world->member_count > 0;
    persist->reaches[persist->reach_count++] = (struct sv_reach){persist->reach_tick, ticket};
    world->env->is_flush_due |= is_urgent && persist->durability == WIRE_DURABILITY_TICK;
}

void
sv_world_forget_reach(struct sv_world *world)
{
    world->persist.reach_tick = 0;
    world->persist.reach_count = 0;
}

/* ---- large parts ---- */

void
sv_world_refuse_unkept(const struct sv_world *world, struct wire_error *error)
{
    if (sv_env_is_read_only(world->env)) {
        wire_error_set(
            error, "READONLY", "", "the daemon's disk is full: nothing new can be stored");
    } else {
        wire_error_set(error, "BUSY", "", "the store cannot take more now; try again");
    }
}

static bool
put_content(struct sv_world *world, uint64_t number, unsigned char content[SV_CONTENT_SIZE],
    unsigned char *bytes_take, size_t size, struct wire_error *error)
{
    CN_ASSERT(world->persist.lane != NULL);
    if (bytes_take == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    sv_content_hash(content, bytes_take, size);
    uint64_t ticket = sv_lane_put_scene(
        world->persist.lane, world->persist.trail.world, number, content, bytes_take, size);
    if (ticket == 0) {
        free(bytes_take);
        sv_world_refuse_unkept(world, error);
        return false;
    }
    sv_world_wait_for(world, ticket);
    return true;
}

bool
sv_world_put_scene(struct sv_world *world, const struct sv_scene *scene, bool is_first,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error)
{
    size_t size;
    if (world->persist.lane == NULL) {
        return true;
    }
    unsigned char *bytes = wire_scene_pack(scene->scene, &size);
    uint64_t number = is_first ? SV_USE_ALWAYS : world->persist.trail.number + 1;
    return put_content(world, number, content, bytes, size, error);
}

bool
sv_world_put_bytes(struct sv_world *world, const unsigned char *bytes, size_t size,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error)
{
    if (world->persist.lane == NULL) {
        return true;
    }
    unsigned char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    return put_content(world, world->persist.trail.number + 1, content, copy, size, error);
}

bool
sv_world_put_change(struct sv_world *world, const struct wire_change *change,
    struct dd_entry *entry, struct wire_error *error)
{
    *entry = (struct dd_entry){
        .kind = DD_ENTRY_CHANGE, .matter = {.bytes = change->bytes, .size = change->size}};
    if (world->persist.lane == NULL || change->size <= DD_ENTRY_INLINE_SIZE_MAX) {
        return true;
    }
    entry->kind = DD_ENTRY_CHANGE_OF;
    return sv_world_put_bytes(world, change->bytes, change->size, entry->matter.content, error);
}

/* ---- entries ---- */

/* An upper bound of the entry's size. */
static size_t
entry_size(const struct dd_entry *entry)
{
    size_t content = entry->kind == DD_ENTRY_CHANGE ? entry->matter.size
        : entry->kind == DD_ENTRY_SAID              ? entry->said.size
                                                    : 0;
    return DD_ENTRY_NUMBERS_SIZE + content;
}

static bool
reserve_bytes(struct sv_world *world, size_t size, struct wire_error *error)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->lane != NULL && !dd_entries_reserve(&persist->entries, size)) {
        wire_error_set(error, "MEMORY", "", "no memory for the log entry");
        return false;
    }
    return true;
}

bool
sv_world_reserve_entry(
    struct sv_world *world, const struct dd_entry *entry, struct wire_error *error)
{
    return reserve_bytes(world, entry_size(entry), error);
}

bool
sv_world_reserve_entries(struct sv_world *world, int count, struct wire_error *error)
{
    return reserve_bytes(world, (size_t)count * DD_ENTRY_NUMBERS_SIZE, error);
}

void
sv_world_log_entry(struct sv_world *world, const struct dd_entry *entry, uint64_t tick)
{
    struct sv_persistence *persist = &world->persist;
    CN_ASSERT(persist->lane != NULL); /* else no record would take it */
    if (persist->entries.size == 0 && !persist->has_mark) {
        persist->record_tick = tick;
    }
    bool is_added = dd_entries_add(&persist->entries, entry);
    CN_ASSERT(is_added); /* a change that is made but not logged is worse than a restart */
    persist->is_loud |= entry->kind != DD_ENTRY_REACH;
    persist->has_reach |= entry->kind == DD_ENTRY_REACH;
}

/* ---- records and reports ---- */

bool
sv_world_ready_outbox(struct sv_world *world)
{
    return sv_world_ready_reports(world, OUTBOX_READY);
}

bool
sv_world_ready_reports(struct sv_world *world, int count)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->outbox_capacity - persist->outbox_count >= count) {
        return true;
    }
    int capacity = persist->outbox_count * 2 + count;
    struct sv_report *outbox = realloc(persist->outbox, (size_t)capacity * sizeof(*outbox));
    if (outbox == NULL) {
        return false;
    }
    persist->outbox = outbox;
    persist->outbox_capacity = capacity;
    return true;
}

bool
sv_world_has_entry_room(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    size_t wanted = persist->entries.size + SV_ENTRIES_MARGIN;
    return persist->lane == NULL ||
           (wanted <= SV_RECORD_ENTRIES_SIZE_MAX && wanted <= sv_lane_room(persist->lane) &&
               sv_world_ready_outbox(world) &&
               dd_entries_reserve(&persist->entries,
                   persist->entries.capacity == 0 ? SV_ENTRIES_KEPT : SV_ENTRIES_READY));
}

/*
 * The ticket for which a report waits.  With durability TICK, everything that is shown waits.  With
 * SECOND, only answers to orders wait; they request a commit of their own, so that no client waits
 * a second.
 */
static uint64_t
ticket_of(struct sv_world *world, const struct sv_report *report)
{
    const struct sv_persistence *persist = &world->persist;
    CN_ASSERT(persist->lane != NULL);
    bool is_answer = report->kind == SV_REPORT_DONE || report->kind == SV_REPORT_CREATED;
    if (persist->durability != WIRE_DURABILITY_TICK && !is_answer) {
        return 0;
    }
    world->env->is_flush_due |= persist->ticket > sv_lane_durable(persist->lane);
    return persist->ticket;
}

static void
send_outbox(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    for (int i = 0; i < persist->outbox_count; i++) {
        persist->outbox[i].ticket = ticket_of(world, &persist->outbox[i]);
        sv_env_send(world->env, &persist->outbox[i]);
    }
    CN_ASSERT(world->env->outbox_count >= (unsigned)persist->outbox_count);
    world->env->outbox_count -= (unsigned)persist->outbox_count;
    persist->outbox_count = 0;
}

/*
 * A record that holds only a hash and a REACH may be dropped when the disk is full: no client knows
 * of it, and the next one contains the same facts.  Without joined clients nothing waits for it, so
 * 500 such worlds do not cost a commit every 15 ms.
 */
static bool
append_record(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    CN_ASSERT(!(persist->is_loud || persist->has_reach) || persist->entries.size > 0);
    if (persist->entries.size == 0 && !persist->has_mark) {
        return true;
    }
    uint64_t ticket = sv_lane_append(persist->lane, &persist->trail, persist->record_tick,
        persist->has_mark ? persist->mark_hash : 0, persist->has_mark ? SV_RECORD_HASH : 0,
        persist->entries.bytes, persist->entries.size);
    if (ticket == 0 && (persist->is_loud || !sv_env_is_read_only(world->env))) {
        return false;
    }
    if (ticket == 0) {
        sv_world_forget_reach(world);
    } else if (persist->has_reach) {
        sv_world_note_reach(world, ticket);
    }
    if (ticket != 0 && persist->is_loud) {
        persist->loud_step = persist->step_count;
        sv_world_wait_for(world, ticket);
    } else if (ticket != 0 && persist->has_mark) {
        persist->mark_ticket = ticket;
    }
    dd_entries_clear(&persist->entries, SV_ENTRIES_KEPT);
    persist->has_mark = persist->has_reach = persist->is_loud = false;
    return true;
}

bool
sv_world_commit(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->lane == NULL) {
        return true;
    }
    if (!append_record(world)) {
        return false;
    }
    if (world->member_count > 0 && persist->mark_ticket > persist->ticket) {
        sv_world_wait_for(world, persist->mark_ticket); /* members may be shown that hash */
    }
    send_outbox(world);
    return true;
}

/*
 * Without memory for waiting, the report is sent now, after its record has been appended.
 */
static void
send_report_now(struct sv_world *world, const struct sv_report *report)
{
    struct sv_report late = *report;
    bool is_kept = sv_world_commit(world);
    CN_ASSERT(is_kept); /* a lost answer is worse than a restart */
    late.ticket = ticket_of(world, &late);
    sv_env_send(world->env, &late);
}

/* Keeps a report for the next commit. */
static void
keep_report(struct sv_world *world, const struct sv_report *report)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->outbox_count == persist->outbox_capacity && !sv_world_ready_outbox(world)) {
        send_report_now(world, report);
        return;
    }
    CN_ASSERT(persist->outbox_count < persist->outbox_capacity);
    persist->outbox[persist->outbox_count++] = *report;
    world->env->outbox_count++;
}

void
sv_world_report(struct sv_world *world, struct sv_report *report)
{
    bool is_added = world->mailbox->world != NULL; /* to its worker; a new world reports directly */
    if (is_added && world->persist.lane != NULL && !world->persist.is_direct) {
        keep_report(world, report);
    } else {
        sv_env_send(world->env, report);
    }
}

/* ---- steps ---- */

void
sv_world_step_begins(struct sv_world *world, uint64_t tick)
{
    if (world->persist.lane != NULL) {
        sv_lane_stepping(world->persist.lane, world->persist.trail.world, tick);
    }
}

void
sv_world_step_ends(struct sv_world *world)
{
    if (world->persist.lane != NULL) {
        sv_lane_stepping(world->persist.lane, 0, 0);
    }
}

void
sv_persistence_finish(struct sv_persistence *persist)
{
    for (int i = 0; i < persist->outbox_count; i++) {
        sv_report_finish(&persist->outbox[i]);
    }
    free(persist->outbox);
    free(persist->settled);
    free(persist->kept);
    dd_entries_finish(&persist->entries);
}
