/*
 * world_watch.c: a world whose bodies explode goes on without them.
 *
 * The fastest body and all that it is connected to are stopped and made KINEMATIC, which nothing
 * moves: an island that stands still where it was.  That is done by commands between two ticks, so
 * that it is kept and replayed like what people do.  What goes on exploding is frozen in its turn,
 * so it ends.  A reset gives everything back.
 */
#include "server/host/world.h"

#include "server/base/log.h"
#include "server/host/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Bodies that the log names. */
#define NAMES_MAX 10

/* False without memory to keep it. */
static bool
command(struct sv_world *world, const struct cn_command *command)
{
    struct sv_deed deed = {.kind = SV_DEED_COMMAND, .command = *command};
    struct wire_error ignored;
    return sv_world_do(world, &deed, NULL, &ignored);
}

static void
freeze(struct sv_world *world, int32_t body)
{
    struct cn_command stop = {
        .kind = CN_COMMAND_SET_VELOCITY, .set_velocity = {.body = body}};
    struct cn_command hold = {.kind = CN_COMMAND_SET_BODY_TYPE,
        .set_body_type = {.body = body, .type = CN_KINEMATIC}};
    if (command(world, &stop) && command(world, &hold)) {
        world->watch.frozen_count++;
        SV_COUNT(world->worker->metrics, bodies_frozen, 1);
    }
}

static void
tell(struct sv_world *world, const unsigned char *mark, int count)
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
    const struct cn_held *held;
    int held_count = cn_world_held(world->engine, &held);
    sv_log(world->worker->log, SV_LOG_WARN,
        "%s: at tick %" PRIu64 " bodies move faster without a cause; %d are frozen: %s%s; "
        "%d inputs are held",
        world->post->id, cn_world_tick(world->engine), count, names, told < count ? ", ..." : "",
        held_count);
}

void
sv_world_watch_act(struct sv_world *world)
{
    struct sv_watch *watch = &world->watch;
    if (!watch->has_exploded || cn_world_is_mid_tick(world->engine)) {
        return;
    }
    size_t body_count = (size_t)cn_world_body_count(world->engine);
    int32_t fastest = cn_world_motion(world->engine).fastest;
    unsigned char *mark = calloc(body_count + 1, sizeof(*mark));
    int32_t *parent = calloc(body_count + 1, sizeof(*parent));
    if (mark != NULL && parent != NULL && fastest >= 0) {
        int count = cn_world_connected(world->engine, fastest, mark, parent);
        SV_COUNT(world->worker->metrics, explosions, 1);
        tell(world, mark, count);
        for (size_t i = 0; i < body_count && sv_world_has_deed_room(world); i++) {
            if (mark[i] == 1) {
                freeze(world, (int32_t)i);
            }
        }
        world->is_dirty = world->is_status_due = true;
    }
    watch->has_exploded = false; /* what there was no room for explodes again */
    watch->is_open = false;
    free(mark);
    free(parent);
}
