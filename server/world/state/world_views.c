/* world_views.c: the views of the members of a world: its scopes, and their publications. */
#include "server/world/state/world_views.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/base/limits.h"
#include "server/snapshot/budget.h"
#include "server/snapshot/publication.h"
#include "server/snapshot/scope.h"
#include "server/snapshot/ticks.h"
#include "server/world/state/world_clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- scopes ---- */

/* NULL without memory. */
static struct sv_scope *
add_scope(struct sv_world *world, const struct wire_interest *interest)
{
    if (world->scope_count == world->scope_capacity) {
        int capacity = world->scope_capacity * 2 + 1;
        struct sv_scope **scopes = realloc(world->scopes, (size_t)capacity * sizeof(*scopes));
        if (scopes == NULL) {
            return NULL;
        }
        world->scopes = scopes;
        world->scope_capacity = capacity;
    }
    struct sv_scope *scope = sv_scope_create(interest);
    if (scope != NULL) {
        scope->index = world->scope_count;
        CN_ASSERT(world->scope_count < world->scope_capacity);
        world->scopes[world->scope_count++] = scope;
    }
    return scope;
}

/* Removes a scope; the last one takes its place. */
static void
drop_scope(struct sv_world *world, struct sv_scope *scope)
{
    CN_ASSERT(scope->index > 0 && world->scopes[scope->index] == scope);
    struct sv_scope *last = world->scopes[--world->scope_count];
    last->index = scope->index;
    world->scopes[last->index] = last;
    sv_scope_destroy(scope);
}

bool
sv_world_views_init(struct sv_world *world)
{
    CN_ASSERT(world->scope_count == 0); /* the whole world's is the first */
    const struct wire_interest whole = {0};
    return add_scope(world, &whole) != NULL;
}

void
sv_world_views_finish(struct sv_world *world)
{
    for (int i = 0; i < world->scope_count; i++) {
        sv_scope_destroy(world->scopes[i]);
    }
    free(world->scopes);
}

static struct sv_scope *
find_scope(struct sv_world *world, const struct wire_interest *interest)
{
    for (int i = 0; i < world->scope_count; i++) {
        if (wire_interest_is_equal(&world->scopes[i]->interest, interest)) {
            return world->scopes[i];
        }
    }
    return NULL;
}

void
sv_world_views_leave(struct sv_world *world, struct sv_member *member)
{
    struct sv_scope *scope = member->scope;
    CN_ASSERT(scope == NULL || scope->member_count > 0);
    member->scope = NULL;
    if (scope != NULL && --scope->member_count == 0 && scope->index > 0) {
        drop_scope(world, scope);
    }
}

bool
sv_world_views_enter(struct sv_world *world, struct sv_member *member,
    const struct wire_interest *interest, struct wire_error *error)
{
    struct wire_interest settled = interest != NULL ? *interest : (struct wire_interest){0};
    wire_interest_settle(
        &settled, cn_world_settings(world->engine)->dimension == CN_SPATIAL);
    struct sv_scope *scope = find_scope(world, &settled);
    if (scope == NULL && world->scope_count == SV_VIEWS_MAX) {
        wire_error_set(error, "LIMIT", "subscribe.interest",
            "would be one view of this world more than the limit of %d", SV_VIEWS_MAX);
        return false;
    }
    scope = scope != NULL ? scope : add_scope(world, &settled);
    if (scope == NULL) {
        wire_error_set(error, "MEMORY", "subscribe.interest", "no memory");
        return false;
    }
    scope->member_count++;
    sv_world_views_leave(world, member);
    member->scope = scope;
    return true;
}

/* ---- the modes of each scope ---- */

/* Adds the modes of a member; each scope collects those of its members. */
struct wants {
    bool contacts; /* ContactFrames or ContactDeltas */
    bool contact_frames, contact_deltas, energy, actions;
};

/*
 * Whether contacts are to be taken in this tick for the member's ContactDeltas.  A member that is
 * sent fewer ticks gets them with any of its ticks.
 */
static bool
is_contact_tick(const struct sv_world *world, const struct sv_member *member)
{
    uint64_t tick = cn_world_tick(world->engine);
    double tick_rate_hz = cn_world_tick_rate(world->engine);
    return !sv_world_is_running(world) || world->contacts == NULL ||
        sv_rate_has_tick(
            member->contact_rate_hz, world->contacts_tick, tick, tick_rate_hz) ||
        (member->rate_hz > 0 &&
            sv_rate_has_tick(member->rate_hz, world->contacts_tick, tick, tick_rate_hz));
}

static void
note_contacts(struct sv_world *world, const struct sv_member *member, struct wants *wants)
{
    if (!member->contacts) {
        return;
    }
    wants->contacts = true;
    if (sv_wants_contact_deltas(member->contacts, member->contact_rate_hz, member->mode)) {
        member->scope->wants_contacts = true;
        wants->contact_deltas = wants->contact_deltas || is_contact_tick(world, member);
    } else {
        wants->contact_frames = true;
    }
}

static struct wants
note_wants(struct sv_world *world)
{
    struct wants wants = {0};
    for (int i = 0; i < world->scope_count; i++) {
        memset(world->scopes[i]->wants, 0, sizeof(world->scopes[i]->wants));
        world->scopes[i]->wants_attributes = false;
        world->scopes[i]->wants_contacts = false;
    }
    for (int i = 0; i < world->member_count; i++) {
        const struct sv_member *member = &world->members[i];
        CN_ASSERT(member->scope != NULL && member->mode < WIRE_MODE_COUNT);
        if (member->is_quiet) {
            continue;
        }
        if (member->budget == NULL && member->mode != WIRE_MODE_DEEDS) {
            member->scope->wants[member->mode] = true;
        }
        note_contacts(world, member, &wants);
        wants.energy = wants.energy || member->energy;
        wants.actions = wants.actions || member->actions;
        member->scope->wants_attributes =
            member->scope->wants_attributes || member->attributes;
    }
    return wants;
}

/* Drops the stored contacts of a sleeping world when an entry has changed it. */
static void
forget_resting(struct sv_world *world, const struct wire_state *state, bool contacts)
{
    if (world->is_dirty || state->asleep_count < state->count || !contacts) {
        sv_buffer_unref(world->resting);
        world->resting = NULL;
    }
}

/* The attributes that the members of a scope see.  False without memory. */
static bool
show_attributes(struct sv_world *world, struct sv_scope *scope, const struct wire_state *whole,
    struct sv_view *view)
{
    struct sv_attributes *before = scope->attributes;
    scope->attributes = NULL;
    if (scope->wants_attributes) {
        const struct wire_state *part = scope->interest.is_part ? view->state : whole;
        scope->attributes = sv_attributes_take(world->engine, part, whole, before);
        view->attributes =
            scope->attributes != NULL ? sv_attributes_ref(scope->attributes) : NULL;
    }
    sv_attributes_unref(before);
    return !scope->wants_attributes || view->attributes != NULL;
}

/* Makes a scope's part of the world, and the messages that its members usually want. */
static bool
show_scope(struct sv_world *world, struct sv_scope *scope, struct wire_state *whole,
    struct sv_view *view)
{
    if (scope->interest.is_part && !sv_scope_look(scope, world->shown->scene, world->engine,
                                       world->generation, world->series)) {
        return false;
    }
    struct wire_state *part = sv_scope_take(scope, world->engine, whole);
    if (part == NULL) {
        return false;
    }
    sv_view_init(view, part);
    wire_state_unref(part); /* the view has a reference of its own */
    bool is_whole = show_attributes(world, scope, whole, view);
    for (int mode = 0; mode < WIRE_MODE_COUNT; mode++) {
        is_whole = is_whole &&
            (!scope->wants[mode] ||
                sv_view_show(view, &world->env->tools, (enum wire_mode)mode,
                    scope->shown_last[0], scope->shown_last[1]) != NULL);
    }
    return is_whole;
}

/* Takes the contacts, and each scope's part of them whose members want ContactDeltas. */
static bool
show_contacts(
    struct sv_world *world, struct sv_publication *publication, const struct wire_state *whole)
{
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_contacts *contacts = wire_contacts_take(
        world->engine, world->generation, world->series, &precision, world->contacts);
    if (contacts == NULL) {
        return false;
    }
    wire_contacts_unref(world->contacts);
    world->contacts = contacts;
    world->contacts_tick = cn_world_tick(world->engine);
    for (int i = 0; i < world->scope_count; i++) {
        struct sv_scope *scope = world->scopes[i];
        struct sv_view *view = &publication->views[i];
        struct wire_contacts *part = NULL;
        if (scope->wants_contacts) {
            part = scope->interest.is_part
                ? wire_contacts_part(contacts, whole, view->state, scope->contacts_last)
                : wire_contacts_ref(contacts);
            if (part == NULL) {
                return false;
            }
            view->contacts = wire_contacts_ref(part);
        }
        wire_contacts_unref(scope->contacts_last);
        scope->contacts_last = part;
    }
    return true;
}

static bool
show_all(struct sv_world *world, struct sv_publication *publication, struct wire_state *whole)
{
    CN_ASSERT(publication->view_count == world->scope_count);
    struct wants wants = note_wants(world);
    world->env->tools.world = world->engine;
    forget_resting(world, whole, wants.contact_frames);
    if (wants.contacts) {
        (void)!sv_events_add(&world->events, world->engine, world->series);
        sv_events_copy(&publication->events, &world->events);
    } else {
        sv_events_finish(&world->events);
    }
    for (int i = 0; i < world->scope_count; i++) {
        if (!show_scope(world, world->scopes[i], whole, &publication->views[i])) {
            return false;
        }
    }
    return (!wants.contact_frames ||
               sv_publication_add_contacts(publication, world->engine, world->resting)) &&
        (!wants.contact_deltas || show_contacts(world, publication, whole)) &&
        (!wants.energy || sv_publication_add_energy(publication, world->engine)) &&
        (!wants.actions || sv_publication_add_actions(publication, world->engine));
}

struct sv_publication *
sv_world_views_show(struct sv_world *world, struct wire_state *whole_take, uint64_t now_ns)
{
    struct sv_publication *publication =
        sv_publication_create(world->member_count, world->scope_count);
    if (publication == NULL || !show_all(world, publication, whole_take)) {
        sv_publication_destroy(publication);
        wire_state_unref(whole_take);
        return NULL;
    }
    if (publication->contacts != NULL && world->resting == NULL &&
        whole_take->asleep_count == whole_take->count) {
        world->resting = sv_buffer_ref(publication->contacts);
    }
    wire_state_unref(whole_take);
    publication->time_ns = now_ns;
    return publication;
}

void
sv_world_views_showed(struct sv_world *world, const struct sv_publication *publication)
{
    CN_ASSERT(publication->view_count == world->scope_count);
    for (int i = 0; i < world->scope_count; i++) {
        sv_scope_showed(world->scopes[i], wire_state_ref(publication->views[i].state));
    }
}

/* ---- budgets ---- */

bool
sv_world_views_limit(struct sv_world *world, struct sv_member *member,
    uint32_t bytes_per_second, uint32_t rate_hz, uint32_t contact_rate_hz, uint32_t epoch,
    struct wire_error *error)
{
    if (bytes_per_second == 0) {
        sv_budget_destroy(member->budget);
        member->budget = NULL;
        return true;
    }
    if (member->budget == NULL) {
        member->budget = sv_budget_create(sv_clock_now_ns(&world->env->clock));
    }
    if (member->budget == NULL) {
        wire_error_set(error, "MEMORY", "subscribe.bytesPerSecond", "no memory");
        return false;
    }
    sv_budget_set(member->budget, bytes_per_second, rate_hz, contact_rate_hz, epoch);
    return true;
}

/* The largest size of the TickHeader that the member gets with this. */
static size_t
header_size_of(
    const struct sv_publication *publication, const struct sv_publication_member *member)
{
    struct wire_tick_header header = {
        .tick = publication->status.tick,
        .applied_seq = member->applied_seq,
        .durable_seq = member->applied_seq,
        .server_time_us = publication->time_ns / SV_NS_PER_US,
        .rate_hz = (uint32_t)(publication->status.tick_rate + 0.5),
        .durable_tick = publication->status.tick,
    };
    size_t size = wire_encode_tick_header(&header, NULL, 0);
    return sv_frame_header_size(size) + size;
}

/*
 * Makes the part for a member with a byte budget.  If the world does not run, it notes when the
 * next part is due.
 */
static void
ration_view(struct sv_world *world, struct sv_publication *publication, int place)
{
    const struct sv_member *member = &world->members[place];
    struct sv_publication_member *line = &publication->members[place];
    CN_ASSERT(member->budget != NULL && line->session == member->session);
    struct sv_view *view = &publication->views[line->view];
    const struct sv_moment moment = {
        .now_ns = publication->time_ns,
        .tick_rate_hz = publication->status.tick_rate,
        .is_going_on = sv_world_is_running(world),
        .header_size = header_size_of(publication, line),
    };
    if (member->is_away || !sv_scope_look(member->scope, world->shown->scene, world->engine,
                               world->generation, world->series)) {
        return;
    }
    line->own = sv_budget_make(member->budget, member->scope, view, &world->env->tools,
        &world->env->weigher, &moment);
    publication->has_owns = publication->has_owns || line->own != NULL;
    uint64_t wanted_ns = sv_budget_wanted_ns(member->budget);
    world->budget_ns = wanted_ns < world->budget_ns ? wanted_ns : world->budget_ns;
}

void
sv_world_views_ration(struct sv_world *world, struct sv_publication *publication)
{
    uint64_t soonest_ns = publication->time_ns + SV_BUDGET_AGAIN_NS;
    world->budget_ns = UINT64_MAX;
    for (int i = 0; i < world->member_count; i++) {
        if (world->members[i].budget != NULL) {
            ration_view(world, publication, i);
        }
    }
    if (world->budget_ns < soonest_ns) {
        world->budget_ns = soonest_ns; /* all other members are sent it again, too */
    }
}
