/*
 * world_members.c: sessions in the world: how they join, leave, lose their connection and resume.
 */
#include "server/world/act/world_members.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/budget.h"
#include "server/world/act/world_full.h"
#include "server/world/act/world_lease.h"
#include "server/world/data/input_buffer.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_sessions.h"
#include "server/world/state/world_views.h"

#include <stdlib.h>
#include <string.h>

static void
remove_member(struct sv_world *world, struct sv_member *member)
{
    int place = (int)(member - world->members);
    CN_ASSERT(place >= 0 && place < world->member_count);
    sv_world_count_deeds(world, member, -1);
    sv_world_views_leave(world, member);
    sv_budget_destroy(member->budget);
    free(member->kept);
    memmove(member, member + 1, (size_t)(world->member_count - place - 1) * sizeof(*member));
    world->member_count--;
}

/* Sends a joined or resumed member its first messages, and the others its presence. */
static void
greet_member(struct sv_world *world, const struct sv_asker *asker)
{
    CN_ASSERT(sv_world_member_of(world, asker) != NULL);
    world->is_dirty = true;
    sv_world_say_joined(world, asker);
    if (sv_world_has_leases(world)) {
        sv_world_say_leases(world, asker);
    }
    world->is_presence_due = true;
}

void
sv_world_join(struct sv_world *world, struct sv_message *message)
{
    struct sv_member *member = sv_world_add_member(world, message->asker.seat);
    struct wire_error error;
    if (member == NULL) {
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
        return;
    }
    if (!sv_world_views_enter(world, member, NULL, &error)) {
        remove_member(world, member);
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
        return;
    }
    member->session = message->asker.session;
    memcpy(member->name, message->join.name, sizeof(member->name));
    member->role = message->join.role;
    member->kept = message->join.kept_take;
    message->join.kept_take = NULL;
    member->since_ns = sv_clock_now_ns(&world->env->clock);
    if (sv_world_is_closed(world)) {
        member->is_unkept = true;
    } else {
        sv_world_record_join(world, member);
    }
    greet_member(world, &message->asker);
}

/*
 * Removes the member from the world.  Its held inputs and leases stay until its leave is recorded.
 */
static void
take_out(struct sv_world *world, struct sv_member *member)
{
    sv_input_buffer_drop(&world->early, member->session);
    sv_world_logic_gone(world, member->session);
    remove_member(world, member);
    world->is_dirty = true;
    world->is_presence_due = true;
}

void
sv_world_leave(struct sv_world *world, const struct sv_message *message)
{
    struct sv_member *member = sv_world_member_of(world, &message->asker);
    if (message->is_gone) {
        sv_world_record_leave(world, message->asker.session);
    } else if (member != NULL) {
        sv_world_record_leave(world, message->asker.session);
        take_out(world, member);
    }
}

/*
 * While nothing can be stored: a session that leaves is removed at once, and its record is written
 * later.  False: it needs none, because the session was never recorded as a member.
 */
bool
sv_world_leave_unkept(struct sv_world *world, struct sv_message *message)
{
    struct sv_member *member = sv_world_member_of(world, &message->asker);
    if (message->is_gone) {
        return true;
    }
    if (member == NULL) {
        return false;
    }
    message->is_gone = !member->is_unkept;
    take_out(world, member);
    return message->is_gone;
}

void
sv_world_go_away(struct sv_world *world, const struct sv_asker *asker)
{
    struct sv_member *member = sv_world_member_of(world, asker);
    if (member != NULL) {
        member->is_away = true;
        member->since_ns = sv_clock_now_ns(&world->env->clock);
        world->is_presence_due = true;
        sv_world_logic_gone(world, asker->session);
    }
}

/* Gives the session's member its new seat; its held and waiting inputs stay. */
void
sv_world_resume(struct sv_world *world, struct sv_message *message)
{
    struct sv_asker before = {.session = message->asker.session, .seat = message->resume.seat};
    struct sv_member *member = sv_world_member_of(world, &before);
    if (member == NULL) {
        struct wire_error error;
        wire_error_set(&error, "STATE", "hello.resume", "this world does not know the session");
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
        return;
    }
    sv_world_logic_gone(world, message->asker.session); /* it starts again, after a Joined */
    struct sv_member back = *member;
    member->scope = NULL; /* the copy `back` owns them now */
    member->budget = NULL;
    member->kept = NULL;
    remove_member(world, member);
    member = sv_world_add_member(world, message->asker.seat);
    CN_ASSERT(member != NULL); /* there is room for as many members as before */
    back.seat = message->asker.seat;
    back.is_away = false;
    if (back.budget != NULL) {
        sv_budget_restart(back.budget);
    }
    sv_input_buffer_reseat(&world->early, back.session, back.seat);
    back.since_ns = sv_clock_now_ns(&world->env->clock);
    *member = back;
    member->is_image_due = member->mode == WIRE_MODE_DEEDS;
    sv_world_count_deeds(world, member, 1);
    CN_ASSERT(member->session == message->asker.session && member->scope != NULL);
    if (message->resume.kept_take != NULL) {
        free(member->kept);
        member->kept = message->resume.kept_take;
        message->resume.kept_take = NULL;
    }
    sv_world_record_back(world, member);
    greet_member(world, &message->asker);
}

/* Whether the subscription is not to deeds, or the client can follow them. */
static bool
may_follow(
    const struct sv_world *world, const struct sv_message *message, struct wire_error *error)
{
    if (message->subscribe.mode != WIRE_MODE_DEEDS) {
        return true;
    }
    if (message->subscribe.physics != cn_physics_version()) {
        wire_error_set(error, "VERSION", "subscribe.physics",
            "is %u; mode DEEDS needs an engine of physics version %u, which this daemon runs",
            message->subscribe.physics, cn_physics_version());
        return false;
    }
    if (world->playing != NULL) {
        wire_error_set(error, "STATE", "subscribe.mode",
            "is DEEDS; this world is a REPLAY, which is shown in the other modes alone");
        return false;
    }
    return true;
}

void
sv_world_subscribe(struct sv_world *world, const struct sv_message *message)
{
    struct sv_member *member = sv_world_member_of(world, &message->asker);
    struct wire_error error;
    if (member == NULL) {
        return;
    }
    if (!may_follow(world, message, &error) ||
        !sv_world_views_enter(world, member, message->subscribe.interest_take, &error) ||
        !sv_world_views_limit(world, member, message->subscribe.bytes_per_second,
            message->subscribe.rate_hz, message->subscribe.contact_rate_hz,
            message->subscribe.epoch, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
        return;
    }
    sv_world_count_deeds(world, member, -1);
    member->contacts = message->subscribe.contacts;
    member->contact_rate_hz = (uint16_t)message->subscribe.contact_rate_hz;
    member->rate_hz = message->subscribe.rate_hz;
    member->energy = message->subscribe.energy;
    member->actions = message->subscribe.actions;
    member->attributes = message->subscribe.attributes;
    member->mode = message->subscribe.mode;
    member->is_image_due = member->mode == WIRE_MODE_DEEDS;
    sv_world_count_deeds(world, member, 1);
    world->is_dirty = true;
}

bool
sv_world_return(struct sv_world *world, const struct dd_kept *kept, uint32_t seat)
{
    struct sv_member *member = sv_world_add_member(world, seat);
    struct dd_kept *own = malloc(sizeof(*own));
    struct wire_error ignored;
    if (member == NULL || own == NULL ||
        !sv_world_views_enter(world, member, NULL, &ignored)) {
        free(own);
        if (member != NULL) {
            remove_member(world, member);
        }
        return false;
    }
    *own = *kept;
    member->kept = own;
    member->session = kept->session;
    member->role = kept->role;
    memcpy(member->name, kept->name, sizeof(member->name));
    member->is_away = true;
    member->since_ns = sv_clock_now_ns(&world->env->clock);
    member->applied_seq = sv_world_take_settled(world, kept->session);
    world->is_presence_due = true;
    return true;
}
