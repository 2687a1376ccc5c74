/*
 * world_lease.c: leases of a world's bodies and actuators, as members ask for them and feel them.
 *
 * What nobody holds everybody may push, unless the scene wants leases.  Who is granted a target
 * has it alone at once: what others hold on it ends.  A body's lease covers its thrusters, but for
 * those that somebody holds by themselves.
 */
#include "server/host/world.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/worker.h"
#include "server/snapshot/message.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(WIRE_LEASE_SESSIONS_MAX == SV_LEASE_QUEUE_MAX + 1, "a holder and its queue");

static const char *
kind_name(enum sv_lease_kind kind)
{
    return kind == SV_LEASE_BODY ? "body" : "actuator";
}

static const char *
name_of(struct sv_world *world, uint64_t session)
{
    const struct sv_member *member = sv_world_member(world, session);
    return member != NULL && member->name[0] != '\0' ? member->name : "a guest";
}

static bool
is_there(const struct sv_world *world, struct sv_lease_target target)
{
    if (target.kind == SV_LEASE_ACTUATOR) {
        return cn_world_has_actuator(world->engine, target.index);
    }
    if (target.index < 0 || target.index >= cn_world_body_count(world->engine)) {
        return false;
    }
    struct cn_body_view view;
    cn_world_body_view(world->engine, target.index, &view);
    return !view.absent;
}

/* ---- what a lease covers ---- */

/* False for commands that push nothing. */
static bool
target_of_command(const struct cn_command *command, struct sv_lease_target *target)
{
    *target = (struct sv_lease_target){.kind = SV_LEASE_BODY};
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
        target->index = command->hold_force.body;
        return true;
    case CN_COMMAND_HOLD_TORQUE:
        target->index = command->hold_torque.body;
        return true;
    case CN_COMMAND_HOLD_DRAG:
        target->index = command->hold_drag.body;
        return true;
    case CN_COMMAND_HOLD_ACTUATOR:
        *target = (struct sv_lease_target){SV_LEASE_ACTUATOR, command->hold_actuator.actuator};
        return true;
    default:
        return false;
    }
}

/* Who alone may push it; 0: nobody in particular. */
static uint64_t
holder_of(const struct sv_world *world, struct sv_lease_target target)
{
    uint64_t holder = sv_leases_holder(&world->leases, target);
    if (holder == 0 && target.kind == SV_LEASE_ACTUATOR &&
        cn_world_has_actuator(world->engine, target.index)) {
        int body = cn_world_actuator_body(world->engine, target.index);
        struct sv_lease_target whole = {SV_LEASE_BODY, body};
        holder = body >= 0 ? sv_leases_holder(&world->leases, whole) : 0;
    }
    return holder;
}

bool
sv_world_may_push(struct sv_world *world, uint64_t session, const struct cn_command *command,
    struct wire_error *error)
{
    struct sv_lease_target target;
    if (!target_of_command(command, &target)) {
        return true;
    }
    uint64_t holder = holder_of(world, target);
    if (holder != 0 && holder != session) {
        wire_error_set(error, "LEASED", "input", "%s %d is held by %s", kind_name(target.kind),
            target.index, name_of(world, holder));
        return false;
    }
    if (holder == 0 && is_there(world, target) &&
        wire_scene_wants_leases(world->scene->scene)) {
        wire_error_set(error, "LEASED", "input",
            "%s %d is pushed in this world only under a lease", kind_name(target.kind),
            target.index);
        return false;
    }
    return true;
}

/* Of a target that is not there. */
static void
refuse_target(
    const struct sv_world *world, struct sv_lease_target target, struct wire_error *error)
{
    int body_count = cn_world_body_count(world->engine);
    if (target.kind == SV_LEASE_ACTUATOR) {
        wire_error_set(error, "REFERENCE", "lease.actuator",
            "is %d; this world has no such thruster or motor", target.index);
    } else if (target.index < body_count && target.index >= 0) {
        wire_error_set(error, "REFERENCE", "lease.body", "is %d, which was removed", target.index);
    } else {
        wire_error_set(error, "REFERENCE", "lease.body", "is %d; this world has bodies 0 to %d",
            target.index, body_count - 1);
    }
}

/* Whether the row is one that leases let its source hold. */
static bool
may_hold(const struct sv_world *world, const struct cn_held *held)
{
    struct sv_lease_target target = {
        held->kind == CN_HELD_ACTUATOR ? SV_LEASE_ACTUATOR : SV_LEASE_BODY, held->target};
    uint64_t holder = holder_of(world, target);
    return holder == held->holder.source ||
        (holder == 0 && !wire_scene_wants_leases(world->scene->scene));
}

void
sv_world_let_go(struct sv_world *world, const struct cn_holder *holder)
{
    struct sv_deed release = {.kind = SV_DEED_COMMAND,
        .command = {.kind = CN_COMMAND_RELEASE,
            .release = {.source = holder->source, .slot = holder->slot}}};
    struct wire_error ignored;
    bool is_done = sv_world_do(world, &release, NULL, &ignored);
    CN_ASSERT(is_done);
}

/* Ends every held input that leases do not allow (any more). */
static void
let_go(struct sv_world *world)
{
    const struct cn_held *held;
    int count = cn_world_held(world->engine, &held), i = 0;
    while (i < count) {
        if (may_hold(world, &held[i])) {
            i++;
            continue;
        }
        sv_world_let_go(world, &held[i].holder);
        count = cn_world_held(world->engine, &held);
    }
}

static void
changed(struct sv_world *world)
{
    let_go(world);
    world->is_dirty = true;
    world->is_lease_due = true;
}

/* ---- asking ---- */

static void
done(struct sv_world *world, const struct sv_asker *asker, int waiting)
{
    struct sv_report report = {.kind = SV_REPORT_DONE, .post = world->post, .asker = *asker,
        .seq = (uint64_t)waiting};
    sv_worker_report(world->worker, &report);
}

/* Tells who has lost a lease to an instructor by whom. */
static void
tell_loser(struct sv_world *world, uint64_t loser, uint64_t winner,
    struct sv_lease_target target, bool is_revoked)
{
    const struct sv_member *member = sv_world_member(world, loser);
    if (member == NULL) {
        return;
    }
    struct sv_asker asker = {.session = loser, .seat = member->seat};
    struct wire_error error;
    wire_error_set(&error, "LEASED", "lease", "%s has %s %s %d", name_of(world, winner),
        is_revoked ? "ended your lease of" : "taken", kind_name(target.kind), target.index);
    sv_world_answer(world, SV_REPORT_REJECTED, &asker, 0, &error);
}

/* How many are before the session; 0: it holds the target. */
static int
place_of(const struct sv_world *world, struct sv_lease_target target, uint64_t session)
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
refuse(struct sv_world *world, const struct sv_asker *asker, struct sv_lease_target target,
    enum sv_lease_answer answer)
{
    struct wire_error error;
    if (answer == SV_LEASE_HELD) {
        wire_error_set(&error, "LEASED", "lease", "%s %d is held by %s", kind_name(target.kind),
            target.index, name_of(world, sv_leases_holder(&world->leases, target)));
    } else {
        wire_error_set(&error, "LIMIT", "lease",
            "at most %d leases are of one session, %d of a world; %d wait for one target",
            SV_LEASES_SESSION_MAX, SV_LEASES_MAX, SV_LEASE_QUEUE_MAX);
    }
    sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
}

static void
acquire(struct sv_world *world, const struct sv_asker *asker, struct sv_lease_target target,
    const struct wire_lease *lease)
{
    uint64_t tick = cn_world_tick(world->engine);
    bool is_override = lease->action == WIRE_LEASE_OVERRIDE;
    uint64_t before = sv_leases_holder(&world->leases, target);
    enum sv_lease_answer answer = is_override
        ? sv_leases_override(&world->leases, target, asker->session, lease->ticks, tick)
        : sv_leases_acquire(
              &world->leases, target, asker->session, lease->ticks, lease->queue, tick);
    if (answer == SV_LEASE_HELD || answer == SV_LEASE_FULL) {
        refuse(world, asker, target, answer);
        return;
    }
    if (is_override && before != 0 && before != asker->session) {
        tell_loser(world, before, asker->session, target, false);
    }
    changed(world);
    done(world, asker, place_of(world, target, asker->session));
}

/* What is held by nobody is let go and taken away without complaint: it may have expired. */
static void
release(struct sv_world *world, const struct sv_asker *asker, struct sv_lease_target target,
    bool is_revoked)
{
    uint64_t tick = cn_world_tick(world->engine);
    uint64_t holder = sv_leases_holder(&world->leases, target);
    uint64_t loser = is_revoked ? holder : asker->session;
    if (loser != 0 && sv_leases_release(&world->leases, target, loser, tick)) {
        changed(world);
        if (is_revoked && loser != asker->session) {
            tell_loser(world, loser, asker->session, target, true);
        }
    }
    done(world, asker, 0);
}

static void
cap(struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease)
{
    struct wire_error error;
    if (!sv_world_caps_set(world, lease->index, &lease->caps, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    changed(world);
    done(world, asker, 0);
}

void
sv_world_lease(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease)
{
    struct sv_lease_target target = {
        lease->is_actuator ? SV_LEASE_ACTUATOR : SV_LEASE_BODY, lease->index};
    if (!is_there(world, target)) {
        struct wire_error error;
        refuse_target(world, target, &error);
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
        return;
    }
    switch (lease->action) {
    case WIRE_LEASE_ACQUIRE:
    case WIRE_LEASE_OVERRIDE:
        acquire(world, asker, target, lease);
        break;
    case WIRE_LEASE_RELEASE:
    case WIRE_LEASE_REVOKE:
        release(world, asker, target, lease->action == WIRE_LEASE_REVOKE);
        break;
    case WIRE_LEASE_CAP:
        cap(world, asker, lease);
        break;
    }
}

/* ---- losing ---- */

void
sv_world_leases_expire(struct sv_world *world)
{
    struct sv_lease lost;
    bool is_changed = false;
    while (sv_leases_expire_one(&world->leases, cn_world_tick(world->engine), &lost)) {
        is_changed = true;
    }
    if (is_changed) {
        changed(world);
    }
}

void
sv_world_leases_leave(struct sv_world *world, uint64_t session)
{
    struct sv_lease lost;
    bool is_changed = false;
    while (sv_leases_drop_one(
        &world->leases, session, cn_world_tick(world->engine), &lost)) {
        is_changed = true;
    }
    if (is_changed) {
        changed(world);
    }
}

/* Takes away the caps of bodies that are gone. */
static void
sift_caps(struct sv_world *world)
{
    for (int i = world->caps.count - 1; i >= 0; i--) {
        struct sv_lease_target target = {SV_LEASE_BODY, world->caps.entries[i].body};
        if (!is_there(world, target)) {
            sv_caps_set(&world->caps, target.index, &(struct wire_caps){0});
        }
    }
}

void
sv_world_leases_sift(struct sv_world *world)
{
    for (int i = world->leases.count - 1; i >= 0; i--) {
        if (i < world->leases.count && !is_there(world, world->leases.entries[i].target)) {
            sv_leases_forget(&world->leases, world->leases.entries[i].target);
        }
    }
    sift_caps(world);
    changed(world);
}

void
sv_world_leases_clear(struct sv_world *world, bool is_other_scene)
{
    world->caps.count = is_other_scene ? 0 : world->caps.count;
    sift_caps(world);
    world->is_lease_due =
        world->is_lease_due || world->leases.count > 0 || world->caps.count > 0;
    world->leases.count = 0;
}

bool
sv_world_has_leases(const struct sv_world *world)
{
    return world->leases.count > 0 || world->caps.count > 0;
}

/* ---- saying ---- */

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
                .is_actuator = entries[i].target.kind == SV_LEASE_ACTUATOR,
                .index = entries[i].target.index,
                .name = name_of(world, entries[i].session),
                .until_tick = entries[i].until_tick,
                .is_taken = entries[i].is_taken,
            };
        }
        struct wire_held *held = &list->held[list->count - 1];
        held->sessions[held->session_count++] = entries[i].session;
    }
}

/* Without memory nothing is said until something changes again. */
void
sv_world_say_leases(struct sv_world *world, const struct sv_asker *asker)
{
    struct lease_list list = {.world = world,
        .held = calloc((size_t)world->leases.count + 1, sizeof(struct wire_held))};
    if (list.held != NULL) {
        fill_list(world, &list);
        sv_world_say(world, asker, sv_message_frame(encode_leases, &list));
    }
    free(list.held);
}
