/*
 * bench_rewind.c: what it costs that a world remembers its past: CPU time of a query of the past
 * beside one of the present, of a tick that is remembered beside one that is not, and bytes.
 *
 * usage: bench_rewind [BODIES [ROUNDS]]
 *
 * A cloud of balls and boxes of 0.6 m over a floor, planar and spatial, under the production
 * solver: `moving` while all fly without gravity, `resting` when they have been put to sleep.
 * Queries of both kinds alternate in rounds of 500, those of the past name the tick 30 before; two
 * worlds alternate by ticks, one of which remembers a second.  Each figure is the median over the
 * rounds.  Nothing here passes or fails.
 */
#include "engine/base/assert.h"
#include "engine/base/rng.h"
#include "engine/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BACK 60
#define ROUNDS_MAX 1000
#define QUERIES 500

static double
cpu_ns(void)
{
    return 1e9 * (double)clock() / CLOCKS_PER_SEC;
}

static int
compare(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

static double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare);
    return values[count / 2];
}

static double
size_of(int count, bool planar)
{
    double size = 1.0;
    while ((planar ? size * size : size * size * size) < 2.0 * count) {
        size += 0.5;
    }
    return size;
}

static struct cn_world *
make_cloud(bool planar, int count)
{
    struct cn_rng rng = {3};
    struct cn_world_def def;
    struct cn_body_def *body = calloc((size_t)count + 1, sizeof(*body));
    struct cn_shape_def *shape = calloc((size_t)count + 1, sizeof(*shape));
    CN_ASSERT(body != NULL && shape != NULL);
    cn_world_def_init(&def);
    def.settings.dimension = planar ? CN_PLANAR : CN_SPATIAL;
    def.settings.gravity = (cn_vec3){0.0, 0.0, 0.0};
    strcpy(def.settings.stepper, "time");
    strcpy(def.settings.solver, "impulse");
    struct cn_material_def material = {0};
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = count + 1;
    double size = size_of(count, planar);
    for (int i = 0; i <= count; i++) {
        cn_body_def_init(&body[i]);
        body[i].shapes = &shape[i];
        body[i].shape_count = 1;
        body[i].mass = 1.0;
        shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        shape[i].box.size = (cn_vec3){0.6, 0.6, 0.6};
        double x = cn_rng_uniform(&rng, 0.0, size), y = cn_rng_uniform(&rng, 0.5, size);
        body[i].position =
            (cn_vec3){x, y, planar ? 0.0 : cn_rng_uniform(&rng, 0.0, size)};
        body[i].velocity.x = cn_rng_uniform(&rng, -1.0, 1.0);
        body[i].velocity.y = cn_rng_uniform(&rng, 0.0, 1.0);
        if (i % 2 == 1) {
            shape[i].kind = planar ? CN_SHAPE_CIRCLE : CN_SHAPE_SPHERE;
            *(planar ? &shape[i].circle.radius : &shape[i].sphere.radius) = 0.3;
        }
    }
    body[0].type = CN_STATIC;
    body[0].mass = 0.0;
    body[0].velocity = (cn_vec3){0.0, 0.0, 0.0};
    body[0].position = (cn_vec3){0.5 * size, -1.0, planar ? 0.0 : 0.5 * size};
    shape[0].box.size = (cn_vec3){4.0 * size, 2.0, 4.0 * size};
    struct cn_world *world = NULL;
    struct cn_defect defect;
    if (cn_world_create(&def, &defect, &world) != CN_OK) {
        fprintf(stderr, "%s %s\n", defect.path, defect.text);
        exit(1);
    }
    free(body);
    free(shape);
    return world;
}

static void
tick(struct cn_world *world)
{
    while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
    }
}

static double
ask(const struct cn_world *world, enum cn_query_kind kind, bool past, double size, uint64_t seed)
{
    struct cn_rng rng = {seed};
    struct cn_query_hit hits[64];
    struct cn_shape_def ball = {.kind = CN_SHAPE_SPHERE};
    ball.sphere.radius = kind == CN_QUERY_OVERLAP ? 1.0 : 0.3;
    double start = cpu_ns();
    for (int i = 0; i < QUERIES; i++) {
        struct cn_query query = cn_query_make(kind);
        double x = cn_rng_uniform(&rng, 0.0, size), y = cn_rng_uniform(&rng, 0.0, size);
        query.position = (cn_vec3){x, y, cn_rng_uniform(&rng, 0.0, size)};
        x = cn_rng_uniform(&rng, -size, size);
        y = cn_rng_uniform(&rng, -size, size);
        query.along = (cn_vec3){x, y, cn_rng_uniform(&rng, -size, size)};
        query.shape = &ball;
        query.hit_max = kind == CN_QUERY_OVERLAP ? 64 : 1;
        query.has_tick = past;
        query.tick = cn_world_tick(world) - BACK / 2;
        int hit_count = 0;
        if (cn_world_query(world, &query, hits, &hit_count, NULL) != CN_OK) {
            exit(1);
        }
    }
    return (cpu_ns() - start) / QUERIES;
}

static void
measure(const struct cn_world *world, const char *name, double size, int rounds)
{
    static double present[ROUNDS_MAX], past[ROUNDS_MAX];
    static const char *const names[] = {"ray", "cast", "overlap"};
    for (int kind = 0; kind < CN_QUERY_KIND_COUNT; kind++) {
        for (int i = 0; i < rounds; i++) {
            uint64_t seed = (uint64_t)i + 1;
            present[i] = ask(world, (enum cn_query_kind)kind, false, size, seed);
            past[i] = ask(world, (enum cn_query_kind)kind, true, size, seed);
        }
        double now = median(present, rounds), then = median(past, rounds);
        printf("%-16s %-8s now %7.0f ns  then %7.0f ns  %.2f\n", name, names[kind], now, then,
            then / now);
    }
}

static void
put_to_sleep(struct cn_world *world)
{
    for (int i = 1; i < cn_world_body_count(world); i++) {
        struct cn_command command = {.kind = CN_COMMAND_SET_VELOCITY};
        struct cn_defect defect;
        command.set_velocity.body = i;
        if (cn_world_command_apply(world, &command, &defect) != CN_OK) {
            exit(1);
        }
    }
    for (int i = 0; i < 240; i++) {
        tick(world);
    }
}

static void
run(bool planar, int count, int rounds)
{
    static double plain[ROUNDS_MAX], kept[ROUNDS_MAX];
    struct cn_world *world = make_cloud(planar, count), *other = make_cloud(planar, count);
    if (cn_world_remember(world, BACK, NULL) != CN_OK) {
        exit(1);
    }
    for (int i = 0; i < 120; i++) {
        tick(world);
        tick(other);
    }
    for (int i = 0; i < rounds; i++) {
        double start = cpu_ns();
        tick(other);
        plain[i] = cpu_ns() - start;
        tick(world);
        kept[i] = cpu_ns() - start - plain[i];
    }
    double without = median(plain, rounds), with = median(kept, rounds);
    const char *space = planar ? "planar" : "spatial";
    printf("%-16s tick     without %.0f us, with %.0f us, %.3f; %zu bytes of %zu\n", space,
        1e-3 * without, 1e-3 * with, with / without, cn_world_past(world).size,
        cn_world_count(world).size);
    measure(world, planar ? "planar moving" : "spatial moving", size_of(count, planar), rounds);
    put_to_sleep(world);
    printf("%-16s awake %d, %zu bytes\n", space, cn_world_count(world).awake_count,
        cn_world_past(world).size);
    measure(world, planar ? "planar resting" : "spatial resting", size_of(count, planar), rounds);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

int
main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000, rounds = argc > 2 ? atoi(argv[2]) : 100;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    run(true, count, rounds);
    run(false, count, rounds);
    return 0;
}
