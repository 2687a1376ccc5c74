#include "tests/bench/cubes.h"

#include "engine/base/assert.h"
#include "proto/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE 30
#define DISTANCE 0.5      /* m, between centres */
#define FIELD_RADIUS 2.5  /* m */
#define FIELD 20.0        /* m/s^2 */
#define PUSH 7.0          /* m/s^2 */
#define TARGET_TICKS 45   /* the player goes to another place so often, or when it is there */
#define PULL_TICKS 160
#define FIELD_TICKS 240
#define HELD_MAX 200
#define PLAYER 1
#define SEED 1

bool
cubes_init(struct cubes *cubes)
{
    *cubes = (struct cubes){.rng = {.state = SEED}};
    static char text[1 << 17];
    char *at = text;
    at += sprintf(at, "name: cubes\nworld: {dimension: SPATIAL, stepper: time, solver: impulse}\n"
                      "materials: [{name: wood, friction: 0.6}]\nbodies:\n"
                      "- {name: floor, type: STATIC, position: {y: -1}, "
                      "shapes: [{box: {size: {x: 200, y: 2, z: 200}}, material: wood}]}\n"
                      "- {name: player, position: {x: 0.3, y: 3, z: 0.2}, "
                      "shapes: [{box: {size: {x: 1.5, y: 1.5, z: 1.5}}, density: 100}]}\n");
    for (int i = 0; i < SIDE * SIDE; i++) {
        at += sprintf(at,
            "- {position: {x: %g, y: 0.2, z: %g}, "
            "shapes: [{box: {size: {x: 0.4, y: 0.4, z: 0.4}}, density: 100}]}\n",
            DISTANCE * (i % SIDE - 14.5), DISTANCE * (i / SIDE - 14.5));
    }
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    if (scene == NULL ||
        cn_world_create(wire_scene_world_def(scene), &error.defect, &cubes->world) != CN_OK) {
        fprintf(stderr, "cubes: %s: %s\n", error.defect.path, error.defect.text);
    }
    wire_scene_destroy(scene);
    return cubes->world != NULL;
}

void
cubes_finish(struct cubes *cubes)
{
    cn_world_destroy(cubes->world);
}

/* A force on a body for one tick. */
static void
push(struct cn_world *world, int body, cn_vec3 force)
{
    struct cn_command command = {.kind = CN_COMMAND_HOLD_FORCE};
    command.hold_force = (struct cn_hold_force){
        .holder = {.source = 1, .slot = (uint32_t)body, .until_tick = cn_world_tick(world) + 1},
        .body = body,
        .frame = CN_FRAME_WORLD,
        .force = force,
    };
    enum cn_status status = cn_world_command_apply(world, &command, NULL);
    CN_ASSERT(status == CN_OK);
}

static void
choose_target(struct cubes *cubes)
{
    double half = DISTANCE * 17.0;
    cubes->target.x = cn_rng_uniform(&cubes->rng, -half, half);
    cubes->target.z = cn_rng_uniform(&cubes->rng, -half, half);
}

void
cubes_step(struct cubes *cubes)
{
    struct cn_world *world = cubes->world;
    uint64_t tick = cn_world_tick(world);
    struct cn_body_view player, body;
    cn_world_body_view(world, PLAYER, &player);
    cn_vec3 way = cn_vec3_sub(cubes->target, player.position);
    if (tick % TARGET_TICKS == 0 || hypot(way.x, way.z) < 1.0) {
        choose_target(cubes);
        way = cn_vec3_sub(cubes->target, player.position);
    }
    double scale = player.mass * PUSH / (hypot(way.x, way.z) + 1e-9);
    push(world, PLAYER, cn_vec3_make(way.x * scale, 0.0, way.z * scale));
    double field = tick % FIELD_TICKS < PULL_TICKS ? FIELD : -FIELD;
    int held = 0;
    for (int i = PLAYER + 1; i < cn_world_body_count(world) && held < HELD_MAX; i++) {
        cn_world_body_view(world, i, &body);
        cn_vec3 in = cn_vec3_sub(player.position, body.position);
        double distance = sqrt(cn_vec3_dot(in, in));
        if (distance < FIELD_RADIUS) {
            push(world, i, cn_vec3_scale(in, field * body.mass / distance));
            held++;
        }
    }
    while (cn_world_step(world, INT32_MAX) == CN_STEP_MORE) {
    }
}
