/*
 * fuzz_rewind.c: queries of the past get the same answers as at that time, and are refused if the
 * past is not stored.  Bodies are made, removed, placed, filtered, put to sleep and stepped in any
 * order.
 *
 * Bytes become a small world, with the production solver or an exact one, and operations on it.
 * The answers of every tick are stored, and compared with later answers about that tick.
 */
#include "engine/base/assert.h"
#include "engine/cairn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 12
#define BACK 6
#define ASKED 3
#define HITS 8
#define TICKS_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct answer {
    int count;
    struct cn_query_hit hit[HITS];
};

struct run {
    struct cn_world *world;
    struct cn_body_def def;
    struct cn_shape_def shape;
    bool planar;
    uint64_t first; /* the tick at which its past begins */
    struct answer answer[TICKS_MAX + 1][ASKED];
};

static double
grid(uint8_t byte)
{
    return 0.25 * (byte % 32) - 4.0;
}

static void
make_run(struct run *run, const uint8_t *data)
{
    static struct cn_body_def body[BODIES];
    static struct cn_shape_def shape[BODIES];
    struct cn_world_def def;
    struct cn_material_def material = {0};
    cn_world_def_init(&def);
    run->planar = data[0] & 1;
    def.settings.dimension = run->planar ? CN_PLANAR : CN_SPATIAL;
    if ((data[0] & 6) != 0 || !run->planar) {
        strcpy(def.settings.stepper, "time");
        strcpy(def.settings.solver, "impulse");
    }
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = 1 + data[1] % (BODIES - 1);
    for (int i = 0; i < def.body_count; i++) {
        cn_body_def_init(&body[i]);
        body[i].shapes = &shape[i];
        body[i].shape_count = 1;
        shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        shape[i].box.size = (cn_vec3){i == 0 ? 20.0 : 0.8, 0.8, i == 0 ? 20.0 : 0.8};
        body[i].type = i == 0 ? CN_STATIC : CN_DYNAMIC;
        body[i].mass = i == 0 ? 0.0 : 1.0;
        body[i].position.x = i == 0 ? 0.0 : 1.5 * (i % 4) - 2.5;
        body[i].position.y = i == 0 ? -0.4 : 0.4 + 1.25 * (i / 4);
    }
    run->def = body[def.body_count - 1];
    run->shape = shape[def.body_count - 1];
    run->def.shapes = &run->shape;
    enum cn_status status = cn_world_create(&def, NULL, &run->world);
    CN_ASSERT(status == CN_OK);
    status = cn_world_remember(run->world, BACK, NULL);
    CN_ASSERT(status == CN_OK);
}

static void
ask(const struct run *run, uint64_t tick, int i, bool past, struct answer *answer)
{
    struct cn_shape_def ball = {.kind = run->planar ? CN_SHAPE_CIRCLE : CN_SHAPE_SPHERE};
    *(run->planar ? &ball.circle.radius : &ball.sphere.radius) = 0.7;
    struct cn_query query = cn_query_make((enum cn_query_kind)i);
    query.position = (cn_vec3){-5.0 + 0.3 * (double)(tick % 9), 1.0, 0.1};
    query.along = (cn_vec3){10.0, 0.2 * (double)(tick % 5) - 0.7, 0.0};
    query.shape = &ball;
    query.hit_max = i == 0 ? 1 : HITS;
    query.has_tick = past;
    query.tick = tick;
    enum cn_status status =
        cn_world_query(run->world, &query, answer->hit, &answer->count, NULL);
    uint64_t now = cn_world_tick(run->world);
    bool known = !past || (tick <= now && tick >= run->first && now - tick <= BACK);
    CN_ASSERT((status == CN_OK) == known);
}

static void
check(const struct run *run)
{
    uint64_t now = cn_world_tick(run->world);
    for (uint64_t tick = 0; tick <= now + 1; tick++) {
        for (int i = 0; i < ASKED; i++) {
            struct answer answer;
            ask(run, tick, i, true, &answer);
            if (tick > now || tick < run->first || now - tick > BACK) {
                continue;
            }
            const struct answer *then = &run->answer[tick][i];
            CN_ASSERT(answer.count == then->count);
            for (int k = 0; k < answer.count; k++) {
                const struct cn_query_hit *p = &answer.hit[k], *q = &then->hit[k];
                CN_ASSERT(p->body == q->body && p->shape == q->shape);
                CN_ASSERT(memcmp(&p->fraction, &q->fraction, sizeof(p->fraction)) == 0);
                CN_ASSERT(memcmp(&p->point, &q->point, sizeof(p->point)) == 0);
            }
        }
    }
}

static void
step(struct run *run)
{
    if (cn_world_tick(run->world) < TICKS_MAX) {
        while (cn_world_step(run->world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
        uint64_t tick = cn_world_tick(run->world);
        for (int i = 0; i < ASKED; i++) {
            ask(run, tick, i, false, &run->answer[tick][i]);
        }
    }
}

/*
 * Restores the world from its own image. Its state stays the same, but it forgets its past ticks.
 */
static void
restore(struct run *run)
{
    size_t size = cn_world_image_size(run->world);
    void *image = malloc(size);
    CN_ASSERT(image != NULL);
    cn_world_image_write(run->world, image, size);
    enum cn_status status = cn_world_image_read(run->world, image, size, NULL);
    CN_ASSERT(status == CN_OK);
    free(image);
    run->first = cn_world_tick(run->world);
    for (int i = 0; i < ASKED; i++) {
        ask(run, run->first, i, false, &run->answer[run->first][i]);
    }
}

/*
 * Applies one random command. The world may refuse a command that does not fit; that is no error.
 */
static void
act(struct run *run, const uint8_t *data)
{
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    enum cn_status status = CN_OK;
    int body = data[1] % (BODIES + 4);
    run->def.position = (cn_vec3){grid(data[2]), 0.5 + fabs(grid(data[3])), 0.0};
    switch (data[0] % 8) {
    case 0:
        status = cn_world_make_body(run->world, &run->def, NULL, NULL);
        break;
    case 1:
        status = cn_world_remove_body(run->world, body, NULL);
        break;
    case 2:
        command.place_body.body = body;
        command.place_body.position = run->def.position;
        command.place_body.orientation = cn_quat_identity();
        status = cn_world_command_apply(run->world, &command, NULL);
        break;
    case 3:
        command.kind = CN_COMMAND_SET_FILTER;
        command.set_filter.body = body;
        command.set_filter.shape = -1;
        command.set_filter.filter = (struct cn_filter){data[2] % 3, UINT64_MAX, 0};
        status = cn_world_command_apply(run->world, &command, NULL);
        break;
    case 4:
        command.kind = CN_COMMAND_SLEEP_BODY;
        command.sleep_body.body = body;
        command.sleep_body.asleep = data[2] & 1;
        status = cn_world_command_apply(run->world, &command, NULL);
        break;
    case 5:
        if (data[2] % 8 == 0) {
            restore(run);
        }
        break;
    default:
        step(run);
    }
    (void)status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct run run;
    if (size < 8 || size > 512) {
        return -1;
    }
    memset(&run, 0, sizeof(run));
    make_run(&run, data);
    for (int i = 0; i < ASKED; i++) {
        ask(&run, 0, i, false, &run.answer[0][i]);
    }
    for (size_t at = 2; at + 4 <= size; at += 4) {
        act(&run, data + at);
        if (data[at] % 16 == 7) {
            check(&run);
        }
    }
    check(&run);
    cn_world_destroy(run.world);
    return 0;
}
