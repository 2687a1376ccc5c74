/* look_past.c: rebuilds the world at every tick with the code that recovers worlds. */
#include "tests/kill/look_past.h"

#include "proto/scene.h"
#include "proto/state.h"
#include "server/host/worker.h"
#include "server/past/recorder.h"
#include "server/world/act/world_life.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_M_S 256.0

struct past {
    struct sv_log_reader reader;
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_mailbox mailbox;
    struct sv_replay replay;
    struct sv_world *world;
    uint64_t number;
    bool has_sums;
};

static void
print_sums(const struct past *past)
{
    const struct cn_world *engine = past->world->engine;
    printf("sums %" PRIu64 " %" PRIu64, past->number, cn_world_tick(engine));
    for (int i = 0; i < cn_world_body_count(engine); i++) {
        struct cn_body_view view;
        cn_world_body_view(engine, i, &view);
        printf(" %.17g", view.velocity.x * UNITS_M_S);
    }
    putchar('\n');
}

static bool
print_tick(const struct past *past)
{
    const struct sv_world *world = past->world;
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *state =
        wire_state_take(world->engine, world->generation, &precision, NULL);
    if (state == NULL) {
        fprintf(stderr, "no memory\n");
        return false;
    }
    printf("tick %" PRIu64 " %" PRIu64 " %016" PRIx64 " %08" PRIx32 "\n", past->number,
        cn_world_tick(world->engine), cn_world_hash(world->engine), state->view_hash);
    wire_state_unref(state);
    if (past->has_sums) {
        print_sums(past);
    }
    return true;
}

/* From its beginning to its end: each tick as it was before anything was done to it. */
static bool
play(struct past *past, int more)
{
    enum sv_replay_step step;
    bool is_good = print_tick(past);
    while (is_good &&
           ((step = sv_replay_next(&past->replay)) == SV_REPLAY_TICK ||
               step == SV_REPLAY_RECORD)) {
        is_good = step == SV_REPLAY_RECORD || print_tick(past);
    }
    is_good = is_good && step == SV_REPLAY_END;
    for (int i = 0; is_good && i < more; i++) {
        is_good = sv_replay_step(past->world) && print_tick(past);
    }
    return is_good;
}

static bool
begin(struct past *past)
{
    struct wire_error error = {.text = ""};
    bool is_good = false;
    if (!sv_worker_init(&past->worker, sv_clock_real(), NULL, &past->metrics, true)) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    past->mailbox.number = 1;
    past->world = sv_replay_begin(
        &past->replay, &past->worker.env, &past->mailbox, &past->reader.past, &is_good, &error);
    if (past->world == NULL) {
        fprintf(stderr, "world %" PRIu64 ": %s\n", past->number, error.text);
        return false;
    }
    const cn_vec3 gravity = cn_world_settings(past->world->engine)->gravity;
    past->has_sums = gravity.x == 0.0 && gravity.y == 0.0;
    return is_good;
}

bool
look_at_past(struct sv_store *store, uint64_t world, const struct sv_charter *charter, int more)
{
    struct sv_fault fault;
    struct past *past = calloc(1, sizeof(*past));
    if (past == NULL ||
        !sv_log_reader_init(&past->reader, store, world, charter->content, &fault)) {
        fprintf(stderr, "world %" PRIu64 ": %s\n", world, past == NULL ? "no memory" : fault.text);
        free(past);
        return false;
    }
    past->number = world;
    bool is_good = begin(past) && play(past, more);
    if (!is_good && past->world != NULL) {
        fprintf(stderr, "world %" PRIu64 ": %s\n", world, past->world->failure);
    }
    sv_world_destroy(past->world);
    sv_worker_finish(&past->worker);
    sv_log_reader_finish(&past->reader);
    free(past);
    return is_good;
}
