/*
 * world_watch.c: stops bodies that explode, so that the rest of the world continues.
 *
 * The fastest body and all bodies connected to it are stopped and made KINEMATIC, so that nothing
 * moves them: an island that does not move at all.  This is done by commands between two ticks, so
 * it is logged and replayed like the inputs of clients.  If bodies still explode, they are frozen
 * next, so this ends.  A reset frees all of them.
 */
#include "server/world/act/world_watch.h"

#include "engine/base/assert.h"
#include "server/base/log.h"
#include "server/world/act/world_entries.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Bodies that the log line names. */
#define NAMES_MAX 10

/* False without memory for the log entry. */
static bool
apply_command(struct sv_world *world, const struct cn_command *command)
{
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND, .command = *command};
    struct wire_error ignored;
    return sv_world_do(world, &entry, NULL, &ignored);
}

static void
freeze_body(struct sv_world *world, int32_t body)
{
    struct cn_command stop = {
        .kind = CN_COMMAND_SET_VELOCITY, .set_velocity = {.body = body}};
    struct cn_command hold = {.kind = CN_COMMAND_SET_BODY_TYPE,
        .set_body_type = {.body = body, .type = CN_KINEMATIC}};
    if (apply_command(world, &stop) && apply_command(world, &hold)) {
        world->watch.frozen_count++;
        SV_COUNT(world->env->metrics, bodies_frozen, 1);
    }
}

static void
tell_mark(struct sv_world *world, const unsigned char *mark, int count)
{
    char names[512] = "";
    size_t size = 0;
    int told = 0;
    for (int i = 0; told < count && told < NAMES_MAX && size < sizeof(names); i++) {
        if (mark[i] == 1) {
            const char *between = told > 0 ? ", " : "";
            int added = snprintf(names + size, sizeof(names) - size, "%s%d", between, i);
            size += added > 0 ? (size_t)added : 0;
            told++;
        }
    }
    CN_ASSERT(told <= count);
    const struct cn_held *held;
    int held_count = cn_world_held(world->engine, &held);
    sv_log(world->env->log, SV_LOG_WARN,
        "%s: at tick %" PRIu64 " bodies move faster without a cause; %d are frozen: %s%s; "
        "%d inputs are held",
        world->mailbox->id, cn_world_tick(world->engine), count, names, told < count ? ", ..." : "",
        held_count);
}

void
sv_world_watch_act(struct sv_world *world)
{
    struct sv_watch *watch = &world->watch;
    if (!watch->has_exploded || sv_world_is_mid_tick(world)) {
        return;
    }
    size_t body_count = (size_t)cn_world_body_count(world->engine);
    int32_t fastest = cn_world_motion(world->engine).fastest;
    unsigned char *mark = calloc(body_count + 1, sizeof(*mark));
    int32_t *parent = calloc(body_count + 1, sizeof(*parent));
    if (mark != NULL && parent != NULL && fastest >= 0) {
        int count = cn_world_connected(world->engine, fastest, mark, parent);
        SV_COUNT(world->env->metrics, explosions, 1);
        tell_mark(world, mark, count);
        for (size_t i = 0; i < body_count && sv_world_has_entry_room(world); i++) {
            if (mark[i] == 1) {
                freeze_body(world, (int32_t)i);
            }
        }
        world->is_dirty = world->is_status_due = true;
    }
    watch->has_exploded = false; /* bodies that were not frozen explode again */
    watch->is_open = false;
    free(mark);
    free(parent);
}
