/*
 * world_full.c: a world while the disk is full: it can be watched, but not changed.
 *
 * Inputs, orders and leases are refused at once.  Sessions can still join and see the world, and
 * leave; their log entries are written when there is room again.  Under durability TICK the clock
 * stops at the last promised tick (state/world_reach.h, sv_world_cover).
 */
#include "server/world/act/world_full.h"

#include "engine/base/assert.h"
#include "server/store/store.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_lease.h"
#include "server/world/data/env.h"
#include "server/world/state/world_say.h"

bool
sv_world_is_closed(const struct sv_world *world)
{
    return world->persist.lane != NULL && sv_env_is_read_only(world->env);
}

bool
sv_message_is_change(const struct sv_message *message)
{
    return message->kind == SV_MESSAGE_INPUT || message->kind == SV_MESSAGE_ORDER ||
        message->kind == SV_MESSAGE_LEASE || message->kind == SV_MESSAGE_LOGIC ||
        message->kind == SV_MESSAGE_LOGIC_DONE ||
        (message->kind == SV_MESSAGE_SAY && message->say_take->to == WIRE_SAY_LOGIC);
}

/*
 * Whether the disk is full and the world cannot be shown, because its last entries are not durable.
 * It can be shown a moment later if giving up the disk reserve has made room.
 */
static bool
is_unshowable(const struct sv_world *world)
{
    const struct sv_persistence *persist = &world->persist;
    return sv_world_is_closed(world) && persist->durability == WIRE_DURABILITY_TICK &&
        (persist->entries.size > 0 || persist->ticket > sv_lane_durable(persist->lane));
}

/*
 * Whether that has been so for long: then clients that want to see the world are refused at once.
 */
static bool
is_unshowable_for_long(const struct sv_world *world)
{
    uint64_t since_ns;
    (void)sv_store_look(world->env->store, &since_ns);
    return sv_clock_now_ns(&world->env->clock) - since_ns >= SV_UNSHOWN_NS;
}

static bool
is_entry(const struct sv_message *message)
{
    return message->kind == SV_MESSAGE_JOIN || message->kind == SV_MESSAGE_RESUME;
}

static void
say_why_not(const struct sv_world *world, const struct sv_message *message,
    struct wire_error *error)
{
    if (world->state == WIRE_WORLD_FAILED) {
        wire_error_set(error, "STATE", "", "the world is not run: %.200s", world->failure);
    } else if (world->playing != NULL) {
        wire_error_set(error, "STATE", "",
            "the world is a REPLAY of %s and cannot be changed; fork it instead", world->origin);
    } else if (is_entry(message)) {
        wire_error_set(error, "READONLY", "",
            "the daemon's disk is full, and what was done to this world last is not stored yet: "
            "nobody can be shown it");
    } else {
        wire_error_set(error, "READONLY", "",
            "the daemon's disk is full: this world can be watched, but not changed");
    }
}

void
sv_world_refuse_message(struct sv_world *world, struct sv_message *message)
{
    struct wire_error error;
    bool is_input = message->kind == SV_MESSAGE_INPUT, was_direct = world->persist.is_direct;
    say_why_not(world, message, &error);
    if (message->kind == SV_MESSAGE_LOGIC_DONE && world->logic != NULL) {
        sv_logic_rewind(world->logic); /* the news of the lost answer are sent again */
    }
    world->persist.is_direct = was_direct || sv_world_is_closed(world);
    sv_world_answer(world, is_input ? SV_REPORT_REJECTED : SV_REPORT_REFUSED, &message->asker,
        is_input ? message->input.seq : 0, &error);
    world->persist.is_direct = was_direct;
    sv_message_finish(message);
}

bool
sv_world_keeps_waiting(const struct sv_world *world, const struct sv_message *message)
{
    return is_entry(message) && is_unshowable(world) && !is_unshowable_for_long(world);
}

bool
sv_world_refuses(const struct sv_world *world, const struct sv_message *message)
{
    return sv_message_is_change(message) ||
        (is_entry(message) && is_unshowable(world) && is_unshowable_for_long(world));
}

void
sv_world_refuse_changes(struct sv_world *world)
{
    int kept = 0;
    if (!sv_world_is_closed(world)) {
        return;
    }
    for (int i = 0; i < world->message_count; i++) {
        struct sv_message *message = &world->messages[i];
        if (!sv_world_refuses(world, message) || !sv_env_has_room(world->env)) {
            world->messages[kept++] = *message;
            continue;
        }
        world->input_count -= message->kind == SV_MESSAGE_INPUT ? 1 : 0;
        sv_world_refuse_message(world, message);
    }
    CN_ASSERT(kept <= world->message_count && world->input_count >= 0);
    world->message_count = kept;
}

/* ---- records of members ---- */

void
sv_world_record_join(struct sv_world *world, const struct sv_member *member)
{
    struct dd_entry joined = {.kind = DD_ENTRY_JOINED, .settled = {.session = member->session}};
    struct wire_error ignored;
    (void)sv_world_do(world, &joined, NULL, &ignored);
    sv_world_record_back(world, member);
}

void
sv_world_record_back(struct sv_world *world, const struct sv_member *member)
{
    struct wire_error ignored;
    if (member->kept != NULL && !sv_world_is_closed(world)) {
        struct dd_entry kept = {.kind = DD_ENTRY_KEPT, .kept = *member->kept};
        (void)sv_world_do(world, &kept, NULL, &ignored);
    }
}

void
sv_world_record_late_joins(struct sv_world *world)
{
    CN_ASSERT(!sv_world_is_closed(world));
    for (int i = 0; i < world->member_count; i++) {
        if (world->members[i].is_unkept) {
            world->members[i].is_unkept = false;
            sv_world_record_join(world, &world->members[i]);
        }
    }
}

void
sv_world_record_leave(struct sv_world *world, uint64_t session)
{
    struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = session}};
    struct wire_error ignored;
    int lease_count = world->leases.count;
    bool is_done = sv_world_do(world, &left, NULL, &ignored);
    CN_ASSERT(is_done);
    if (world->leases.count < lease_count) {
        sv_world_leases_changed(world);
    }
}
