/* world_publish.c: publishes the state of a world after a tick. */
#include "server/world/state/world_publish.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"
#include "server/snapshot/scope.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_status.h"
#include "server/world/state/world_views.h"

static void
fill_members(const struct sv_world *world, struct sv_publication *publication)
{
    CN_ASSERT(publication->member_count == world->member_count);
    for (int i = 0; i < world->member_count; i++) {
        const struct sv_member *member = &world->members[i];
        CN_ASSERT(member->scope->index < publication->view_count);
        publication->members[i] = (struct sv_publication_member){
            .session = member->session,
            .seat = member->seat,
            .applied_seq = member->applied_seq,
            .early_count = member->early_count,
            .late_count = member->late_count,
            .margin = member->margin,
            .view = (uint32_t)member->scope->index,
            .mode = (uint8_t)member->mode,
            .contact_rate_hz = member->contact_rate_hz,
            .contacts = member->contacts,
            .energy = member->energy,
            .actions = member->actions,
            .attributes = member->attributes,
            .is_quiet = member->is_quiet,
            .has_budget = member->budget != NULL,
        };
    }
}

/*
 * Puts the publication into the mailbox, where it replaces one that the network thread has not
 * fetched.  The thread is woken only for a publication that a client waits for; a status alone can
 * wait until it looks by itself.
 */
static void
put_into_mailbox(struct sv_world *world, struct sv_publication *publication)
{
    for (int i = 0; i < publication->view_count; i++) {
        publication->views[i].is_published = true;
    }
    struct sv_publication *older =
        atomic_exchange_explicit(&world->mailbox->newest, publication, memory_order_acq_rel);
    sv_publication_destroy(older);
    world->env->has_news |=
        world->member_count > 0 || world->is_dirty || !sv_world_is_running(world);
}

/*
 * Whether the status contains the exact hash.  A running world with watchers gives it only at some
 * ticks, the same for all clients.  A world that does not run, makes single steps or is rarely
 * shown always gives it, and so does every status made to be sent.  While the clock of a running
 * world waits for the disk, the same tick may be shown again after an input has acted.  Then the
 * hash would not be that of the tick.
 */
static bool
is_hash_told(const struct sv_world *world)
{
    bool is_of_tick = cn_world_tick(world->engine) % SV_HASH_TICKS == 0 && !world->is_pushed;
    return is_of_tick || world->member_count == 0 || world->state != WIRE_WORLD_RUNNING ||
        !sv_world_is_running(world);
}

/*
 * Publishes the world.  Without memory nothing is shown for this tick; the world itself is not
 * changed.
 */
void
sv_world_publish(struct sv_world *world, uint64_t now_ns)
{
    CN_ASSERT(world->scope_count > 0 && !cn_world_is_mid_tick(world->engine));
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *state = wire_state_take(
        world->engine, world->generation, &precision, world->scopes[0]->shown_last[0]);
    if (state == NULL) {
        return;
    }
    state->series = world->series;
    state->state_hash = is_hash_told(world) ? cn_world_hash(world->engine) : 0;
    uint64_t hash = state->state_hash;
    struct sv_publication *publication = sv_world_views_show(world, state, now_ns);
    if (publication == NULL) {
        return;
    }
    publication->is_overrun = world->lost_ns != 0 &&
        now_ns - world->lost_ns < SV_OVERRUN_GAP_NS &&
        now_ns - world->overrun_ns >= SV_OVERRUN_NS;
    sv_world_fill_status(world, &publication->status);
    publication->durability = publication->status.durability;
    publication->ticket = world->persist.ticket;
    publication->is_uncovered = world->persist.is_uncovered;
    publication->status.hash = hash;
    fill_members(world, publication);
    sv_world_views_ration(world, publication);
    sv_world_views_showed(world, publication);
    put_into_mailbox(world, publication);
    world->published_ns = now_ns;
    world->shown_attributes = cn_world_attribute_version(world->engine);
    world->is_dirty = false;
}

/*
 * Whether the tick is to be shown.  A world that nobody watches is shown only now and then, because
 * showing a tick may cost more than computing it.
 */
bool
sv_world_is_to_be_shown(const struct sv_world *world, uint64_t now_ns)
{
    if (world->playing != NULL && sv_world_is_running(world)) { /* as often as at speed 1 */
        uint64_t stride = (uint64_t)world->play_speed;
        return stride <= 1 || cn_world_tick(world->engine) % stride == 0;
    }
    return sv_world_wants_frames(world) || world->is_dirty || !sv_world_is_running(world) ||
           now_ns - world->published_ns >= SV_UNWATCHED_NS;
}

/*
 * Collects the data to show of the present state, up to one slice of work; false: not finished.
 */
bool
sv_world_look(struct sv_world *world)
{
    if (cn_world_look(world->engine, SV_SLICE_WORK) == CN_STEP_MORE) {
        return false;
    }
    if (cn_world_is_looked_at(world->engine)) {
        world->contact_count = (uint32_t)cn_world_contact_count(world->engine);
    }
    return true;
}
