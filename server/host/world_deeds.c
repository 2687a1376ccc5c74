/*
 * world_deeds.c: everything that changes a world but time, done in one place: at once when it
 * lives, and again when it comes back; and records of it on their way into the store.
 */
#include "server/host/replay.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/host/worker.h"

#include <stdlib.h>
#include <string.h>

/* Reports that a letter can cause, and some more. */
#define OUTBOX_READY 8

/* ---- doing ---- */

/* What a session has settled is its member's; of who is none it is kept beside. */
static bool
settle(struct sv_world *world, uint64_t session, uint64_t seq, struct wire_error *error)
{
    struct sv_keeping *keep = &world->keep;
    struct sv_member *member = sv_world_member(world, session);
    if (member != NULL) {
        member->applied_seq = seq;
        return true;
    }
    int i = 0;
    while (i < keep->settled_count && keep->settled[i].session != session) {
        i++;
    }
    if (i == keep->settled_capacity) {
        int capacity = keep->settled_capacity * 2 + 16;
        struct sv_settled *settled = realloc(keep->settled, (size_t)capacity * sizeof(*settled));
        if (settled == NULL) {
            wire_error_set(error, "MEMORY", "", "no memory for what a session has settled");
            return false;
        }
        keep->settled = settled;
        keep->settled_capacity = capacity;
    }
    keep->settled_count += i == keep->settled_count ? 1 : 0;
    keep->settled[i] = (struct sv_settled){session, seq};
    return true;
}

static bool
command(struct sv_world *world, const struct cn_command *command, struct wire_error *error)
{
    struct cn_defect defect;
    if (cn_world_command_apply(world->engine, command, &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        return false;
    }
    return true;
}

static void
leave(struct sv_world *world, uint64_t session)
{
    struct sv_keeping *keep = &world->keep;
    struct cn_command release = {
        .kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = session}};
    struct wire_error ignored;
    bool is_done = command(world, &release, &ignored);
    CN_ASSERT(is_done);
    for (int i = 0; i < keep->settled_count; i++) {
        if (keep->settled[i].session == session) {
            keep->settled[i] = keep->settled[--keep->settled_count];
            break;
        }
    }
}

bool
sv_world_apply(struct sv_world *world, const struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error)
{
    world->is_dirty = true;
    world->moment++;
    matter->is_touched = false;
    switch (deed->kind) {
    case SV_DEED_COMMAND:
        return command(world, &deed->command, error);
    case SV_DEED_SETTLED:
        return settle(world, deed->settled.session, deed->settled.seq, error);
    case SV_DEED_LEFT:
        leave(world, deed->settled.session);
        return true;
    case SV_DEED_JOINED:
        return true; /* for who looks at the past */
    case SV_DEED_STATE:
        world->state = deed->state;
        return true;
    case SV_DEED_SETTINGS:
        return sv_world_set(world, &deed->settings, error);
    case SV_DEED_RESET:
        if (!sv_world_reset(world, error)) {
            return false;
        }
        world->keep.is_checkpoint_due = world->keep.is_checkpoint_due || world->worker->has_past;
        return true;
    case SV_DEED_LOAD:
        if (!sv_world_load(world, &matter->scene, error)) {
            return false;
        }
        memcpy(world->keep.content, deed->matter.content, SV_CONTENT_SIZE);
        world->keep.is_checkpoint_due = true;
        return true;
    case SV_DEED_SEED:
        if (!sv_replay_restore(world, matter->seed)) {
            bool is_starved = strncmp(world->failure, "MEMORY", 6) == 0;
            wire_error_set(
                error, is_starved ? "MEMORY" : "STATE", "seed", "%.200s", world->failure);
            return false;
        }
        world->keep.is_checkpoint_due = true;
        return true;
    case SV_DEED_CHANGE:
    case SV_DEED_CHANGE_OF:
        return sv_world_change(world, matter->change, &matter->is_touched, error);
    case SV_DEED_KIND_COUNT:
        break;
    }
    CN_ASSERT(!"no kind of deed");
    return false;
}

/* At least what the deed takes. */
static size_t
deed_size(const struct sv_deed *deed)
{
    return SV_DEED_NUMBERS_SIZE + (deed->kind == SV_DEED_CHANGE ? deed->matter.size : 0);
}

/* Whether what was done is left out. */
static bool
is_left_out(enum sv_deed_kind kind)
{
    return (CN_MUTANT(SETTLED_SKIPPED) && kind == SV_DEED_SETTLED) ||
           (CN_MUTANT(LEFT_SKIPPED) && kind == SV_DEED_LEFT) ||
           (CN_MUTANT(SETTINGS_SKIPPED) && kind == SV_DEED_SETTINGS) ||
           (CN_MUTANT(RESET_SKIPPED) && kind == SV_DEED_RESET);
}

bool
sv_world_do(struct sv_world *world, struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error)
{
    struct sv_matter none = {0};
    struct sv_keeping *keep = &world->keep;
    uint64_t tick = cn_world_tick(world->engine);
    matter = matter != NULL ? matter : &none;
    if (keep->lane != NULL && !sv_deeds_reserve(&keep->deeds, deed_size(deed))) {
        wire_error_set(error, "MEMORY", "", "no memory to keep what is done");
        return false;
    }
    if (deed->kind != SV_DEED_SETTLED && deed->kind != SV_DEED_JOINED) {
        sv_watch_look(&world->watch, world->engine, true);
    }
    bool is_done = sv_world_apply(world, deed, matter, error);
    if (keep->lane == NULL || (!is_done && !matter->is_touched) || is_left_out(deed->kind)) {
        return is_done;
    }
    if (deed->kind == SV_DEED_CHANGE || deed->kind == SV_DEED_CHANGE_OF) {
        deed->matter.is_done = is_done;
    }
    if (keep->deeds.size == 0 && !keep->has_mark) {
        keep->record_tick = tick;
    }
    bool is_added = sv_deeds_add(&keep->deeds, deed);
    CN_ASSERT(is_added); /* what acted and is not kept is worse than a restart */
    return is_done;
}

/* ---- waiting for the disk ---- */

/* Whoever waits for the oldest of too many waits for the newest instead. */
static void
note_ahead(struct sv_keeping *keep)
{
    int last = keep->ahead_count - 1;
    int most = (int)(sizeof(keep->ahead) / sizeof(keep->ahead[0]));
    if (last < 0 || (keep->ahead[last].step != keep->step_count && keep->ahead_count < most)) {
        keep->ahead[++last].step = keep->step_count;
        keep->ahead_count++;
    }
    keep->ahead[last].ticket = keep->ticket;
}

void
sv_world_wait_for(struct sv_world *world, uint64_t ticket)
{
    world->keep.ticket = ticket;
    note_ahead(&world->keep);
    world->worker->is_flush_due |= world->keep.durability == WIRE_DURABILITY_TICK;
}

/* ---- what is large ---- */

void
sv_world_refuse_unkept(const struct sv_world *world, struct wire_error *error)
{
    if (sv_worker_is_read_only(world->worker)) {
        wire_error_set(error, "READONLY", "", "the daemon's disk is full: nothing new can be kept");
    } else {
        wire_error_set(error, "BUSY", "", "the store takes nothing more now; try again");
    }
}

static bool
put_content(struct sv_world *world, uint64_t number, unsigned char content[SV_CONTENT_SIZE],
    unsigned char *bytes_take, size_t size, struct wire_error *error)
{
    if (bytes_take == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    sv_content_hash(content, bytes_take, size);
    uint64_t ticket = sv_lane_put_scene(
        world->keep.lane, world->keep.trail.world, number, content, bytes_take, size);
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
    if (world->keep.lane == NULL) {
        return true;
    }
    unsigned char *bytes = wire_scene_pack(scene->scene, &size);
    uint64_t number = is_first ? SV_USE_ALWAYS : world->keep.trail.number + 1;
    return put_content(world, number, content, bytes, size, error);
}

bool
sv_world_put_bytes(struct sv_world *world, const unsigned char *bytes, size_t size,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error)
{
    if (world->keep.lane == NULL) {
        return true;
    }
    unsigned char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    return put_content(world, world->keep.trail.number + 1, content, copy, size, error);
}

bool
sv_world_put_change(struct sv_world *world, const struct wire_change *change, struct sv_deed *deed,
    struct wire_error *error)
{
    *deed = (struct sv_deed){
        .kind = SV_DEED_CHANGE, .matter = {.bytes = change->bytes, .size = change->size}};
    if (world->keep.lane == NULL || change->size <= SV_DEED_INLINE_SIZE_MAX) {
        return true;
    }
    deed->kind = SV_DEED_CHANGE_OF;
    return sv_world_put_bytes(world, change->bytes, change->size, deed->matter.content, error);
}

/* ---- records ---- */

bool
sv_world_ready_outbox(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->outbox_capacity - keep->outbox_count >= OUTBOX_READY) {
        return true;
    }
    int capacity = keep->outbox_count * 2 + OUTBOX_READY;
    struct sv_report *outbox = realloc(keep->outbox, (size_t)capacity * sizeof(*outbox));
    if (outbox == NULL) {
        return false;
    }
    keep->outbox = outbox;
    keep->outbox_capacity = capacity;
    return true;
}

bool
sv_world_has_deed_room(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    size_t wanted = keep->deeds.size + SV_DEEDS_MARGIN;
    return keep->lane == NULL ||
           (wanted <= SV_RECORD_DEEDS_SIZE_MAX && wanted <= sv_lane_room(keep->lane) &&
               sv_world_ready_outbox(world) &&
               sv_deeds_reserve(
                   &keep->deeds, keep->deeds.capacity == 0 ? SV_DEEDS_KEPT : SV_DEEDS_READY));
}

static void
send_outbox(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    bool is_held = keep->durability == WIRE_DURABILITY_TICK;
    for (int i = 0; i < keep->outbox_count; i++) {
        keep->outbox[i].ticket = is_held ? keep->ticket : 0;
        sv_worker_send(world->worker, &keep->outbox[i]);
    }
    world->worker->outbox_count -= (unsigned)keep->outbox_count;
    keep->outbox_count = 0;
}

/*
 * A mark alone may be left out when the disk is full: the next one says as much.  Where nobody is
 * joined nothing waits for one, either, so 500 such worlds do not cost a commit every 15 ms.
 */
static bool
append(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->deeds.size == 0 && !keep->has_mark) {
        return true;
    }
    uint64_t ticket = sv_lane_append(keep->lane, &keep->trail, keep->record_tick,
        keep->has_mark ? keep->mark_hash : 0, keep->has_mark ? SV_RECORD_HASH : 0,
        keep->deeds.bytes, keep->deeds.size);
    if (ticket == 0 && (keep->deeds.size > 0 || !sv_worker_is_read_only(world->worker))) {
        return false;
    }
    if (ticket != 0 && keep->deeds.size > 0) {
        sv_world_wait_for(world, ticket);
    } else if (ticket != 0) {
        keep->mark_ticket = ticket;
    }
    sv_deeds_clear(&keep->deeds, SV_DEEDS_KEPT);
    keep->has_mark = false;
    return true;
}

bool
sv_world_commit(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->lane == NULL) {
        return true;
    }
    if (!append(world)) {
        return false;
    }
    if (world->member_count > 0 && keep->mark_ticket > keep->ticket) {
        sv_world_wait_for(world, keep->mark_ticket); /* they may be shown that hash */
    }
    send_outbox(world);
    return true;
}

/* Without memory it can not wait here, so what it tells of is recorded at once. */
static void
post_now(struct sv_world *world, const struct sv_report *report)
{
    struct sv_report late = *report;
    bool is_kept = sv_world_commit(world);
    CN_ASSERT(is_kept); /* an answer that is lost is worse than a restart */
    late.ticket = world->keep.durability == WIRE_DURABILITY_TICK ? world->keep.ticket : 0;
    sv_worker_send(world->worker, &late);
}

void
sv_world_post(struct sv_world *world, const struct sv_report *report)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->outbox_count == keep->outbox_capacity && !sv_world_ready_outbox(world)) {
        post_now(world, report);
        return;
    }
    keep->outbox[keep->outbox_count++] = *report;
    world->worker->outbox_count++;
}

/* ---- the clock ---- */

bool
sv_world_may_step(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->lane == NULL) {
        return true;
    }
    if (!sv_world_commit(world)) {
        keep->is_stalled = true;
        return false;
    }
    uint64_t durable = sv_lane_durable(keep->lane);
    int done = 0;
    durable -= CN_MUTANT(STALL_FOREVER) ? 1 : 0;
    while (done < keep->ahead_count && keep->ahead[done].ticket <= durable) {
        done++;
    }
    keep->ahead_count -= done;
    memmove(keep->ahead, keep->ahead + done, (size_t)keep->ahead_count * sizeof(keep->ahead[0]));
    keep->is_stalled = keep->durability == WIRE_DURABILITY_TICK && keep->ahead_count > 0 &&
                       keep->step_count - keep->ahead[0].step >=
                           SV_AHEAD_TICKS_MAX + (CN_MUTANT(AHEAD_SEVEN) ? 1 : 0);
    return !keep->is_stalled;
}

void
sv_world_step_begins(struct sv_world *world, uint64_t tick)
{
    if (world->keep.lane != NULL) {
        sv_lane_stepping(world->keep.lane, world->keep.trail.world, tick);
    }
}

void
sv_world_step_ends(struct sv_world *world)
{
    if (world->keep.lane != NULL) {
        sv_lane_stepping(world->keep.lane, 0, 0);
    }
}

void
sv_world_mark(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    uint64_t tick = cn_world_tick(world->engine);
    keep->step_count++;
    if (CN_MUTANT(MARK_SKIPPED)) {
        return;
    }
    if (keep->lane == NULL || tick % SV_HASH_TICKS != 0 || keep->deeds.size > 0) {
        return;
    }
    keep->has_mark = true;
    keep->record_tick = tick;
    keep->mark_hash = cn_world_hash(world->engine);
}

void
sv_world_renew(struct sv_world *world)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->lane == NULL || keep->is_checkpoint_due || cn_world_is_mid_tick(world->engine)) {
        return;
    }
    keep->is_checkpoint_due = true;
    if (keep->deeds.size == 0 && !keep->has_mark) {
        keep->has_mark = true;
        keep->record_tick = cn_world_tick(world->engine);
        keep->mark_hash = cn_world_hash(world->engine);
    }
}

void
sv_keeping_finish(struct sv_keeping *keep)
{
    for (int i = 0; i < keep->outbox_count; i++) {
        sv_report_finish(&keep->outbox[i]);
    }
    free(keep->outbox);
    free(keep->settled);
    sv_deeds_finish(&keep->deeds);
}
