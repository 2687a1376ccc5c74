/* world_life.c: makes and destroys a world. */
#include "server/world/act/world_life.h"

#include "server/snapshot/budget.h"
#include "server/world/data/cap.h"
#include "server/world/data/input_buffer.h"
#include "server/world/data/lease.h"
#include "server/world/state/world_engine.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_views.h"

#include <stdlib.h>

struct sv_world *
sv_world_create(struct sv_env *env, struct sv_mailbox *mailbox, struct sv_scene *scene_take,
    struct wire_error *error)
{
    struct sv_world *world = calloc(1, sizeof(*world));
    if (world == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_scene_unref(scene_take);
        return NULL;
    }
    world->env = env;
    world->mailbox = mailbox;
    world->scene = scene_take;
    world->shown = sv_scene_ref(scene_take);
    world->generation = 1;
    world->series = 1;
    world->state = WIRE_WORLD_RUNNING;
    world->is_dirty = true;
    world->budget_ns = UINT64_MAX;
    world->real_time_factor = 1.0;
    if (!sv_world_views_init(world)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_world_destroy(world);
        return NULL;
    }
    world->engine = sv_world_engine(env, scene_take, error);
    if (world->engine == NULL) {
        sv_world_destroy(world);
        return NULL;
    }
    return world;
}

void
sv_world_destroy(struct sv_world *world)
{
    if (world == NULL) {
        return;
    }
    for (int i = 0; i < world->message_count; i++) {
        sv_message_finish(&world->messages[i]);
    }
    free(world->messages);
    for (int i = 0; i < world->member_count; i++) {
        sv_budget_destroy(world->members[i].budget);
        free(world->members[i].kept);
    }
    free(world->members);
    sv_leases_finish(&world->leases);
    sv_caps_finish(&world->caps);
    sv_input_buffer_finish(&world->early);
    sv_persistence_finish(&world->persist);
    if (world->playing != NULL) {
        world->player->finish(world);
    }
    sv_world_views_finish(world);
    sv_world_drop_logic(world);
    dd_entries_finish(&world->deeds.pending);
    wire_contacts_unref(world->contacts);
    sv_buffer_unref(world->resting);
    sv_events_finish(&world->events);
    dd_rules_finish(&world->rules);
    cn_world_destroy(world->engine);
    sv_scene_unref(world->scene);
    sv_scene_unref(world->shown);
    free(world);
}
