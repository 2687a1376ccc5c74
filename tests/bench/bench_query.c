/*
 * bench_query.c: CPU time of a query in a pyramid of boxes, with the world's trees and without.
 *
 * usage: bench_query [QUERIES]
 *
 * The scene is a pyramid of 1 m boxes on a floor, planar or spatial, with the production solver.
 * After a tick the world uses its trees (`trees`); before it, it tests every shape (`all`).  Rays
 * and balls start anywhere around the pyramid and go up to 50 m in any direction.  Boxes of 3 m are
 * placed anywhere in it for overlaps.  Each figure is the CPU time of QUERIES queries, divided by
 * their number; `hit` is the share of them with a hit.  The numbers come from cn_rng, so that
 * another program can make the same queries.  This program never fails.
 */
#include "engine/base/assert.h"
#include "engine/base/rng.h"
#include "engine/cairn.h"
#include "engine/world/world_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double
cpu_ns(void)
{
    return 1e9 * (double)clock() / CLOCKS_PER_SEC;
}

static struct cn_world *
make_pyramid(bool planar, int base)
{
    int count = base * (base + 1) / 2, next = 1;
    struct cn_world_def def;
    struct cn_body_def *body = calloc((size_t)count + 1, sizeof(*body));
    struct cn_shape_def *shape = calloc((size_t)count + 1, sizeof(*shape));
    CN_ASSERT(body != NULL && shape != NULL);
    cn_world_def_init(&def);
    def.settings.dimension = planar ? CN_PLANAR : CN_SPATIAL;
    strcpy(def.settings.stepper, "time");
    strcpy(def.settings.solver, "impulse");
    struct cn_material_def material = {0};
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = count + 1;
    for (int i = 0; i <= count; i++) {
        cn_body_def_init(&body[i]);
        body[i].shapes = &shape[i];
        body[i].shape_count = 1;
        body[i].mass = 1.0;
        shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        shape[i].box.size = (cn_vec3){1.0, 1.0, 1.0};
    }
    body[0].type = CN_STATIC;
    body[0].mass = 0.0;
    body[0].position.y = -1.0;
    shape[0].box.size = (cn_vec3){4.0 * base, 2.0, 4.0 * base};
    for (int row = 0; row < base; row++) {
        for (int k = 0; k < base - row; k++) {
            body[next++].position = (cn_vec3){k - 0.5 * (base - row - 1), 0.5 + row, 0.0};
        }
    }
    struct cn_world *world = NULL;
    struct cn_defect defect;
    enum cn_status status = cn_world_create(&def, &defect, &world);
    if (status != CN_OK) {
        fprintf(stderr, "%s %s\n", defect.path, defect.text);
        exit(1);
    }
    free(body);
    free(shape);
    return world;
}

static cn_vec3
random_vector(struct cn_rng *rng, double x, double y, double z)
{
    double at_x = cn_rng_uniform(rng, -x, x), at_y = cn_rng_uniform(rng, -y, y);
    return (cn_vec3){at_x, at_y, cn_rng_uniform(rng, -z, z)};
}

static void
measure(const struct cn_world *world, bool trees, enum cn_query_kind kind, int base, int count)
{
    struct cn_rng rng = {1};
    struct cn_query_hit hits[64];
    struct cn_shape_def ball = {.kind = CN_SHAPE_SPHERE}, box = {.kind = CN_SHAPE_BOX};
    bool planar = world->model.settings.dimension == CN_PLANAR;
    int met = 0;
    ball.sphere.radius = 0.5;
    box.box.size = (cn_vec3){3.0, 3.0, 3.0};
    double start = cpu_ns();
    for (int i = 0; i < count; i++) {
        struct cn_query query = cn_query_make(kind);
        query.position = random_vector(&rng, base, 0.5 * base, planar ? 0.0 : 0.25 * base);
        query.position.y += 0.5 * base;
        query.along = random_vector(&rng, 50.0, 50.0, planar ? 0.0 : 50.0);
        query.shape = kind == CN_QUERY_OVERLAP ? &box : &ball;
        query.hit_max = kind == CN_QUERY_OVERLAP ? 64 : 1;
        query.skip_inside = true;
        int hit_count = 0;
        if (!trees) {
            hit_count = cn_query_answer(&world->model, NULL, &query, hits);
        } else if (cn_world_query(world, &query, hits, &hit_count, NULL) != CN_OK) {
            exit(1);
        }
        met += hit_count > 0;
    }
    static const char *const names[] = {"ray", "cast", "overlap"};
    printf("%-8s %-8s %-6s %9.0f ns  hit %.2f\n", planar ? "planar" : "spatial", names[kind],
        trees ? "trees" : "all", (cpu_ns() - start) / count, (double)met / count);
}

int
main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 200000, base = 100;
    for (int planar = 1; planar >= 0; planar--) {
        struct cn_world *world = make_pyramid(planar == 1, base);
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
        for (int kind = 0; kind < CN_QUERY_KIND_COUNT; kind++) {
            measure(world, true, (enum cn_query_kind)kind, base, count);
            measure(world, false, (enum cn_query_kind)kind, base, count / 100 + 1);
        }
        cn_world_destroy(world);
    }
    return 0;
}
