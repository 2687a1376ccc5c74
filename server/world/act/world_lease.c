/*
 * world_lease.c: how members ask for leases of bodies and actuators.
 *
 * A session that is granted a target has it alone at once: inputs that others hold on it end.
 */
#include "server/world/act/world_lease.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"
#include "server/world/act/world_caps.h"
#include "server/world/act/world_entries.h"
#include "server/world/data/lease.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"

#include <stdlib.h>

_Static_assert(WIRE_LEASE_SESSIONS_MAX == SV_LEASE_QUEUE_MAX + 1, "a holder and its queue");

/* Refuses a target that does not exist. */
static void
refuse_target(
    const struct sv_world *world, struct dd_lease_target target, struct wire_error *error)
{
    int body_count = cn_world_body_count(world->engine);
    if (target.kind == DD_LEASE_ACTUATOR) {
        wire_error_set(error, "REFERENCE", "lease.actuator",
            "is %d; this world has no such thruster or motor", target.index);
    } else if (target.index < body_count && target.index >= 0) {
        wire_error_set(error, "REFERENCE", "lease.body", "is %d, which was removed", target.index);
    } else {
        wire_error_set(error, "REFERENCE", "lease.body", "is %d; this world has bodies 0 to %d",
            target.index, body_count - 1);
    }
}

/* Ends every held input that leases do not allow (any more). */
static void
let_go(struct sv_world *world)
{
    const struct cn_held *held;
    int count = cn_world_held(world->engine, &held), i = 0;
    while (i < count) {
        if (sv_world_may_hold(world, &held[i])) {
            i++;
            continue;
        }
        sv_world_let_go(world, &held[i].holder);
        count = cn_world_held(world->engine, &held);
    }
}

void
sv_world_leases_changed(struct sv_world *world)
{
    let_go(world);
    world->is_dirty = true;
    world->is_lease_due = true;
}

/* ---- asking ---- */

static void
report_done(struct sv_world *world, const struct sv_asker *asker, int waiting)
{
    CN_ASSERT(waiting >= 0);
    struct sv_report report = {.kind = SV_REPORT_DONE, .mailbox = world->mailbox, .asker = *asker,
        .seq = (uint64_t)waiting};
    sv_world_report(world, &report);
}

/* Tells a session that an instructor has taken its lease, with the number of the new holder. */
static void
tell_loser(struct sv_world *world, uint64_t loser, uint64_t winner,
    struct dd_lease_target target, bool is_revoked)
{
    const struct sv_member *member = sv_world_member(world, loser);
    if (member == NULL) {
        return;
    }
    struct sv_asker asker = {.session = loser, .seat = member->seat};
    struct wire_error error;
    wire_error_set(&error, "LEASED", "lease", "%s has %s %s %d",
        sv_world_member_name(world, winner), is_revoked ? "ended your lease of" : "taken",
        sv_lease_kind_name(target.kind), target.index);
    sv_world_answer(world, SV_REPORT_REJECTED, &asker, 0, &error);
}

/* How many sessions are ahead of this one; 0: it holds the target. */
static int
place_of(const struct sv_world *world, struct dd_lease_target target, uint64_t session)
{
    int count;
    int first = sv_leases_find(&world->leases, target, &count);
    for (int i = 0; i < count; i++) {
        if (world->leases.entries[first + i].session == session) {
            return i;
        }
    }
    return 0;
}

static void
acquire_lease(struct sv_world *world, const struct sv_asker *asker, struct dd_lease_target target,
    const struct wire_lease *lease)
{
    bool is_override = lease->action == WIRE_LEASE_OVERRIDE;
    uint64_t before = sv_leases_holder(&world->leases, target);
    struct wire_error error;
    struct dd_entry entry = {.kind = DD_ENTRY_LEASE,
        .lease = {.what = is_override ? DD_LEASE_OVERRIDE : DD_LEASE_ACQUIRE,
            .target = target,
            .session = asker->session,
            .ticks = lease->ticks,
            .queue = !is_override && lease->queue}};
    if (!sv_world_do(world, &entry, NULL, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    if (is_override && before != 0 && before != asker->session) {
        tell_loser(world, before, asker->session, target, false);
    }
    sv_world_leases_changed(world);
    report_done(world, asker, place_of(world, target, asker->session));
}

/* Releases a lease.  A lease that the session does not have (it may have expired) is no error. */
static void
release_lease(struct sv_world *world, const struct sv_asker *asker, struct dd_lease_target target,
    bool is_revoked)
{
    uint64_t holder = sv_leases_holder(&world->leases, target);
    uint64_t loser = is_revoked ? holder : asker->session;
    int before = world->leases.count;
    struct wire_error error;
    struct dd_entry entry = {.kind = DD_ENTRY_LEASE,
        .lease = {.what = DD_LEASE_RELEASE, .target = target, .session = loser}};
    if (loser != 0 && !sv_world_do(world, &entry, NULL, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    if (world->leases.count < before) {
        sv_world_leases_changed(world);
        if (is_revoked && loser != asker->session) {
            tell_loser(world, loser, asker->session, target, true);
        }
    }
    report_done(world, asker, 0);
}

static void
cap_body(struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease)
{
    struct wire_error error;
    if (!sv_world_caps_set(world, lease->index, &lease->caps, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    sv_world_leases_changed(world);
    report_done(world, asker, 0);
}

void
sv_world_lease(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease)
{
    struct dd_lease_target target = {
        lease->is_actuator ? DD_LEASE_ACTUATOR : DD_LEASE_BODY, lease->index};
    if (!sv_world_has_target(world, target)) {
        struct wire_error error;
        refuse_target(world, target, &error);
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    switch (lease->action) {
    case WIRE_LEASE_ACQUIRE:
    case WIRE_LEASE_OVERRIDE:
        acquire_lease(world, asker, target, lease);
        break;
    case WIRE_LEASE_RELEASE:
    case WIRE_LEASE_REVOKE:
        release_lease(world, asker, target, lease->action == WIRE_LEASE_REVOKE);
        break;
    case WIRE_LEASE_CAP:
        cap_body(world, asker, lease);
        break;
    }
}

/* ---- lost leases ---- */

void
sv_world_leases_expire(struct sv_world *world)
{
    struct wire_error ignored;
    struct dd_entry entry = {.kind = DD_ENTRY_LEASE, .lease = {.what = DD_LEASE_EXPIRE}};
    if (sv_leases_is_due(&world->leases, cn_world_tick(world->engine)) &&
        sv_world_has_entry_room(world) && sv_world_do(world, &entry, NULL, &ignored)) {
        sv_world_leases_changed(world);
    }
}

/* ---- sending the list ---- */

struct lease_list {
    const struct sv_world *world;
    struct wire_held *held;
    size_t count;
};

static size_t
encode_leases(const void *context, uint8_t *out, size_t out_size)
{
    const struct lease_list *list = context;
    struct wire_lease_state state = {.generation = list->world->generation,
        .tick = cn_world_tick(list->world->engine),
        .held = list->held,
        .held_count = list->count,
        .capped = list->world->caps.entries,
        .capped_count = (size_t)list->world->caps.count};
    return wire_encode_leases(&state, out, out_size);
}

static void
fill_list(struct sv_world *world, struct lease_list *list)
{
    const struct sv_lease *entries = world->leases.entries;
    for (int i = 0; i < world->leases.count; i++) {
        bool is_next = i > 0 && entries[i].target.kind == entries[i - 1].target.kind &&
            entries[i].target.index == entries[i - 1].target.index;
        if (!is_next) {
            list->held[list->count++] = (struct wire_held){
                .is_actuator = entries[i].target.kind == DD_LEASE_ACTUATOR,
                .index = entries[i].target.index,
                .name = sv_world_member_name(world, entries[i].session),
                .until_tick = entries[i].until_tick,
                .is_taken = entries[i].is_taken,
            };
        }
        CN_ASSERT(list->count > 0);
        struct wire_held *held = &list->held[list->count - 1];
        held->sessions[held->session_count++] = entries[i].session;
    }
}

/* Without memory nothing is sent until the next change. */
void
sv_world_say_leases(struct sv_world *world, const struct sv_asker *asker)
{
    struct lease_list list = {.world = world,
        .held = calloc((size_t)world->leases.count + 1, sizeof(struct wire_held))};
    if (list.held != NULL) {
        fill_list(world, &list);
        sv_world_say(world, asker, sv_frame_message(encode_leases, &list));
    }
    free(list.held);
}
