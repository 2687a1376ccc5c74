/*
 * world_entries.c: applies log entries, which make every change of a world except time: once live,
 * and again in a recovery.  Appends records of them to the store's lane.
 */
#include "server/world/act/world_entries.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/data/watch.h"
#include "server/world/data/world.h"
#include "server/world/state/world_change.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_restore.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_sessions.h"
#include "server/world/state/world_settings.h"

#include <inttypes.h>
#include <string.h>

static void
leave_session(struct sv_world *world, const struct dd_entry *entry)
{
    struct wire_error ignored;
    bool is_done = dd_apply(entry, world->engine, &ignored);
    CN_ASSERT(is_done);
    sv_world_forget_session(world, entry->settled.session);
}

static bool
reset_world(struct sv_world *world, struct wire_error *error)
{
    if (!sv_world_reset(world, error)) {
        return false;
    }
    sv_world_forget_reach(world);
    world->persist.is_checkpoint_due = world->persist.is_checkpoint_due || world->env->has_past;
    return true;
}

static bool
load_scene(struct sv_world *world, const struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    if (!sv_world_load(world, &matter->scene, error)) {
        return false;
    }
    memcpy(world->persist.content, entry->matter.content, SV_CONTENT_SIZE);
    world->persist.is_checkpoint_due = true;
    sv_world_forget_reach(world);
    return true;
}

/* Starts the world at a checkpoint. */
static bool
restore_seed(struct sv_world *world, struct sv_matter *matter, struct wire_error *error)
{
    if (!sv_world_restore(world, matter->seed)) {
        bool is_starved = strncmp(world->failure, "MEMORY", 6) == 0;
        wire_error_set(
            error, is_starved ? "MEMORY" : "STATE", "seed", "%.200s", world->failure);
        return false;
    }
    world->persist.is_checkpoint_due = true;
    sv_world_renew_images(world);
    sv_world_forget_reach(world);
    return true;
}

static bool
change_bodies(struct sv_world *world, struct sv_matter *matter, struct wire_error *error)
{
    if (!sv_world_change(world, matter->change, &matter->is_touched, error)) {
        return false;
    }
    sv_world_leases_sift(world);
    return true;
}

/*
 * Adds a member that comes or goes to the news of the logic.  A replay has no logic: it only shows
 * the past.
 */
static void
note_member(struct sv_world *world, uint64_t session, bool has_left)
{
    if (world->logic != NULL) {
        sv_logic_add_member(world->logic, cn_world_tick(world->engine), session, has_left);
    }
}

/* A message to the logic.  Those of a recording may find no logic. */
static bool
hear_said(struct sv_world *world, const struct dd_entry *entry, struct wire_error *error)
{
    if (world->logic == NULL) {
        return true;
    }
    if (!sv_logic_has_room(world->logic, entry->said.size)) {
        wire_error_set(error, "LIMIT", "said", "is one message to the logic too many");
        return false;
    }
    if (!sv_logic_add_said(world->logic, cn_world_tick(world->engine), entry)) {
        wire_error_set(error, "MEMORY", "said", "no memory for a message");
        return false;
    }
    return true;
}

static bool
change_logic(struct sv_world *world, const struct dd_entry *entry, struct wire_error *error)
{
    if (world->playing != NULL) {
        return true;
    }
    if (entry->logic.step == DD_LOGIC_STOP) {
        sv_world_drop_logic(world);
    } else if (entry->logic.step == DD_LOGIC_START) {
        world->logic = world->logic != NULL ? world->logic : sv_logic_create();
        if (world->logic == NULL) {
            wire_error_set(error, "MEMORY", "logic", "no memory");
            return false;
        }
        world->logic->events = entry->logic.events;
    } else if (world->logic != NULL) {
        sv_logic_answer(world->logic, entry->logic.number, entry->logic.until);
    }
    return true;
}

/* Notes that the world has been upgraded: a new series of ticks begins. */
static void
upgrade_world(struct sv_world *world)
{
    CN_ASSERT(world->generation > 0);
    world->generation++;
    world->series = world->generation;
    sv_world_renew_images(world);
    world->persist.old_physics = 0;
    world->persist.is_checkpoint_due = true;
}

bool
sv_world_apply(struct sv_world *world, const struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    matter->is_touched = false;
    if (entry->kind == DD_ENTRY_REACH) { /* changes nothing that is shown */
        world->persist.reach_tick = entry->reach_tick;
        return true;
    }
    if (entry->kind == DD_ENTRY_SAID) {
        return hear_said(world, entry, error);
    }
    if (entry->kind == DD_ENTRY_LOGIC) {
        return change_logic(world, entry, error);
    }
    sv_world_note_change(world);
    switch (entry->kind) {
    case DD_ENTRY_COMMAND:
    case DD_ENTRY_ATTRIBUTE:
        return dd_apply(entry, world->engine, error);
    case DD_ENTRY_SETTLED:
        return sv_world_settle(world, entry->settled.session, entry->settled.seq, error);
    case DD_ENTRY_LEFT:
        leave_session(world, entry);
        note_member(world, entry->settled.session, true);
        return true;
    case DD_ENTRY_JOINED: /* else only the timeline uses it */
        note_member(world, entry->settled.session, false);
        return true;
    case DD_ENTRY_STATE:
        world->state = entry->state;
        if (entry->state == WIRE_WORLD_PAUSED) {
            sv_world_forget_reach(world);
        }
        return true;
    case DD_ENTRY_SETTINGS:
        return sv_world_set(world, &entry->settings, error);
    case DD_ENTRY_RESET:
        return reset_world(world, error);
    case DD_ENTRY_LOAD:
        return load_scene(world, entry, matter, error);
    case DD_ENTRY_SEED:
        return restore_seed(world, matter, error);
    case DD_ENTRY_UPGRADE:
        upgrade_world(world);
        return true;
    case DD_ENTRY_CHANGE:
    case DD_ENTRY_CHANGE_OF:
        return change_bodies(world, matter, error);
    case DD_ENTRY_LEASE:
        return sv_world_change_lease(world, &entry->lease, error);
    case DD_ENTRY_CAP:
        return sv_world_change_cap(world, &entry->cap, error);
    case DD_ENTRY_KEPT:
        return sv_world_keep_session(world, &entry->kept, error);
    case DD_ENTRY_REACH:
    case DD_ENTRY_SAID:
    case DD_ENTRY_LOGIC:
    case DD_ENTRY_KIND_COUNT:
        break;
    }
    CN_ASSERT(!"no kind of log entry");
    return false;
}

/* Whether entries of this kind may change how bodies move. */
static bool
is_push(enum dd_entry_kind kind)
{
    switch (kind) {
    case DD_ENTRY_SETTLED:
    case DD_ENTRY_JOINED:
    case DD_ENTRY_REACH:
    case DD_ENTRY_LEASE:
    case DD_ENTRY_CAP:
    case DD_ENTRY_KEPT:
    case DD_ENTRY_ATTRIBUTE:
    case DD_ENTRY_SAID:
    case DD_ENTRY_LOGIC:
        return false;
    default:
        return true;
    }
}

/* Tells the rules of a session, by a log entry of its own. */
static void
tell_session(struct sv_world *world, enum dd_entry_kind kind, uint64_t session)
{
    struct dd_entry note;
    struct wire_error error;
    if (dd_rules_note(world->scene->scene, kind, session, &note) &&
        !sv_world_do(world, &note, NULL, &error)) {
        sv_log(world->env->log, SV_LOG_WARN, "%s: rules do not see that session %" PRIu64 " %s: %s",
            world->mailbox->id, session, kind == DD_ENTRY_LEFT ? "left" : "joined", error.text);
    }
}

/* Rules see sessions that join and leave; after a reset all members join. */
static void
tell_rules(struct sv_world *world, const struct dd_entry *entry)
{
    if (entry->kind == DD_ENTRY_JOINED || entry->kind == DD_ENTRY_LEFT) {
        tell_session(world, entry->kind, entry->settled.session);
    } else if (entry->kind == DD_ENTRY_RESET || entry->kind == DD_ENTRY_LOAD) {
        for (int i = 0; i < world->member_count; i++) {
            if (!world->members[i].is_unkept) {
                tell_session(world, DD_ENTRY_JOINED, world->members[i].session);
            }
        }
    }
}

bool
sv_world_do(struct sv_world *world, struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine)); /* entries act between two ticks */
    struct sv_matter none = {0};
    uint64_t tick = cn_world_tick(world->engine);
    matter = matter != NULL ? matter : &none;
    if (!sv_world_reserve_entry(world, entry, error)) {
        return false;
    }
    if (is_push(entry->kind)) {
        world->is_pushed = true;
        sv_watch_look(&world->watch, world->engine, true);
    }
    uint32_t generation = world->generation;
    bool is_done = sv_world_apply(world, entry, matter, error);
    if (!is_done && !matter->is_touched) {
        return false;
    }
    if (entry->kind == DD_ENTRY_CHANGE || entry->kind == DD_ENTRY_CHANGE_OF) {
        entry->matter.is_done = is_done;
    }
    sv_world_note_deed(world, entry, generation);
    if (world->persist.lane != NULL) {
        sv_world_log_entry(world, entry, tick);
    }
    if (is_done) {
        tell_rules(world, entry);
    }
    return is_done;
}

void
sv_world_end_round(struct sv_world *world)
{
    struct dd_entry reset = {.kind = DD_ENTRY_RESET};
    struct wire_error error;
    CN_ASSERT(!sv_world_is_mid_tick(world));
    if (world->playing != NULL || world->state != WIRE_WORLD_RUNNING ||
        !dd_rules_want_reset(world->scene->scene, world->engine) ||
        !sv_world_has_entry_room(world)) {
        return;
    }
    if (sv_world_do(world, &reset, NULL, &error)) {
        sv_world_say_reloaded(world);
        world->is_status_due = true;
    }
}

void
sv_world_let_go(struct sv_world *world, const struct cn_holder *holder)
{
    struct dd_entry release = {.kind = DD_ENTRY_COMMAND,
        .command = {.kind = CN_COMMAND_RELEASE,
            .release = {.source = holder->source, .slot = holder->slot}}};
    struct wire_error ignored;
    bool is_done = sv_world_do(world, &release, NULL, &ignored);
    CN_ASSERT(is_done);
}
