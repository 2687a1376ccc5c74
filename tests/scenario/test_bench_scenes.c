/*
 * test_bench_scenes.c: the scenes of `cairn-bench` make worlds of the same size as the scenes that
 * they are compared with; ragdolls hold together.
 */
#include "clients/base/exit.h"
#include "clients/bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

/* The builder's one message: no memory. */
void
cli_complain(const char *format, ...)
{
    fputs(format, stderr);
}

/* Bodies and joints as the benchmark programs of the field report them, static bodies included. */
static const struct {
    const char *name;
    enum cn_dimension dimension;
    int bodies, joints;
} sizes[] = {
    {"compounds", CN_PLANAR, 3001, 0},
    {"joint_grid", CN_PLANAR, 10000, 19800 - 6}, /* six of theirs join static nodes */
    {"junkyard", CN_PLANAR, 8002, 0},
    {"large_pyramid", CN_PLANAR, 5051, 0},
    {"many_pyramids", CN_PLANAR, 22001, 0},
    {"rain", CN_PLANAR, 5, 0}, /* the floor */
    {"smash", CN_PLANAR, 9601, 0},
    {"spinner", CN_PLANAR, 6078, 1},
    {"tumbler", CN_PLANAR, 2026, 1}, /* theirs has a body for the ground */
    {"washer", CN_PLANAR, 8101, 0},  /* the same */
    {"tiny", CN_PLANAR, 56, 0},
    {"tower", CN_PLANAR, 41, 0},
    {"ladder", CN_PLANAR, 11, 0},
    {"wall", CN_PLANAR, 1001, 0},
    {"bones", CN_SPATIAL, 502, 0},
    {"jacks", CN_SPATIAL, 51, 0},
    {"rings", CN_SPATIAL, 1026, 0},
    {"convex_pile", CN_SPATIAL, 5121, 0},
    {"joint_grid", CN_SPATIAL, 10000, 19800 - 99},
    {"junkyard", CN_SPATIAL, 10586, 0},
    {"large_pyramid", CN_SPATIAL, 5051, 0},
    {"large_world", CN_SPATIAL, 1000000, 0},
    {"many_pyramids", CN_SPATIAL, 10781, 0},
    {"rain", CN_SPATIAL, 100, 0},
    {"washer", CN_SPATIAL, 8002, 0},
    {"wall", CN_SPATIAL, 1001, 0},
    {"wall_small", CN_SPATIAL, 201, 0},
    {"pyramid", CN_SPATIAL, 5051, 0},
    {"tiny", CN_SPATIAL, 56, 0},
    {"tower", CN_SPATIAL, 41, 0},
    {"ladder", CN_SPATIAL, 11, 0},
};

static void
test_sizes(void **state)
{
    (void)state;
    int count = (int)(sizeof(sizes) / sizeof(sizes[0])), seen = 0;
    for (int i = 0; i < bench_scene_count; i++) {
        struct bench_build build;
        struct cn_defect defect;
        bench_init(&build, bench_scenes[i].dimension);
        bench_scenes[i].build(&build);
        bench_close(&build);
        strcpy(build.def.settings.stepper, "time"); /* the method that cairn-bench uses */
        strcpy(build.def.settings.solver, "impulse");
        assert_int_equal(cn_world_def_check(&build.def, &defect), CN_OK);
        for (int k = 0; k < count; k++) {
            if (strcmp(sizes[k].name, bench_scenes[i].name) == 0 &&
                sizes[k].dimension == bench_scenes[i].dimension) {
                assert_int_equal(build.def.body_count, sizes[k].bodies);
                assert_int_equal(build.def.joint_count, sizes[k].joints);
                seen++;
            }
        }
        bench_finish(&build);
    }
    assert_int_equal(seen, count);
}

/* A ragdoll in free fall keeps its joints closed, and falls by g t^2 / 2 as a whole. */
static void
check_fall(enum cn_dimension dimension)
{
    struct bench_build build;
    struct cn_defect defect;
    struct cn_world *world;
    bench_init(&build, dimension);
    bench_material(&build, 0.2, 0.0);
    bench_material(&build, 0.05, 0.0);
    build.shape_material = 1;
    if (dimension == CN_PLANAR) {
        bench_human_planar(&build, 3.0, 40.0, 1);
    } else {
        bench_human_spatial(&build, cn_vec3_make(3.0, 40.0, 1.0), 1);
    }
    strcpy(build.def.settings.solver, "baraff94");
    strcpy(build.def.settings.stepper, "time");
    bench_close(&build);
    assert_int_equal(cn_world_create(&build.def, &defect, &world), CN_OK);
    for (int k = 0; k < 30; k++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
    for (int k = 0; k < cn_world_joint_count(world); k++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, k, &view);
        assert_true(view.gap < 1e-3);
    }
    double mass = 0.0, fallen = 0.0;
    for (int i = 0; i < build.def.body_count; i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        mass += view.mass;
        fallen += view.mass * (build.def.bodies[i].position.y - view.position.y);
    }
    /* Semi-implicit steps of h add g t h / 2. */
    assert_true(fabs(fallen / mass - 10.0 * 0.5 * (0.25 + 0.5 / 60.0)) < 0.05);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_ragdolls(void **state)
{
    (void)state;
    check_fall(CN_PLANAR);
    check_fall(CN_SPATIAL);
}

/* The size of a world of 55 boxes in bytes, without the scratch that worlds of one worker share. */
#define TINY_SIZE_MAX (132 * 1024)
#define EMPTY_SIZE_MAX (32 * 1024)

static size_t
size_after(const struct bench_scene *scene, enum cn_dimension dimension, int steps)
{
    struct bench_build build;
    struct cn_defect defect;
    struct cn_world *world;
    struct cn_scratch scratch = {0};
    const struct cn_world_tools tools = {.scratch = &scratch};
    bench_init(&build, dimension);
    strcpy(build.def.settings.solver, "impulse");
    strcpy(build.def.settings.stepper, "time");
    if (scene != NULL) {
        scene->build(&build);
    }
    bench_close(&build);
    assert_int_equal(cn_world_create(&build.def, &defect, &world), CN_OK);
    assert_int_equal(cn_world_use(world, &tools, &defect), CN_OK);
    for (int k = 0; k < steps; k++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
    size_t size = cn_world_count(world).size;
    cn_world_destroy(world);
    cn_scratch_finish(&scratch);
    bench_finish(&build);
    return size;
}

static void
test_memory(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < bench_scene_count; i++) {
        if (strcmp(bench_scenes[i].name, "tiny") == 0) {
            assert_in_range(size_after(&bench_scenes[i], bench_scenes[i].dimension, 300),
                EMPTY_SIZE_MAX, TINY_SIZE_MAX);
            seen++;
        }
    }
    assert_int_equal(seen, 2);
    assert_in_range(size_after(NULL, CN_PLANAR, 2), 1, EMPTY_SIZE_MAX);
    assert_in_range(size_after(NULL, CN_SPATIAL, 2), 1, EMPTY_SIZE_MAX);
}

/*
 * Two jacks whose arms are 0.5 m long, 0.15 m wide at the tips and 0.2 m at the crossing: one
 * stands 10 mm deep in the ground; the next is above it with tips 16 mm in each other.  A third is
 * 30 mm deep in a box, while it flies.
 */
static void
test_depths(void **state)
{
    (void)state;
    struct bench_build build;
    struct cn_defect defect;
    struct cn_world *world;
    static struct bench_depths depths;
    static const cn_vec3 place[3] = {{-1.5, 0.49, 0.0}, {-1.5, 1.474, 0.0}, {1.5, 0.6, 0.3}};
    bench_init(&build, CN_SPATIAL);
    bench_spatial_jacks(&build);
    strcpy(build.def.settings.solver, "impulse");
    strcpy(build.def.settings.stepper, "time");
    for (int i = 0; i < build.body.count; i++) {
        struct cn_body_def *body = bench_body_def(&build, i);
        cn_quat *q = &body->orientation;
        double length = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
        assert_true(fabs(length - 1.0) < 1e-6);
        if (i > 0 && i <= 3) {
            body->position = place[i - 1];
            *q = (cn_quat){1.0, 0.0, 0.0, 0.0};
        } else if (i > 3) {
            body->position = cn_vec3_make(0.0, 10.0 + 3.0 * i, 0.0);
        }
    }
    bench_body_def(&build, 3)->velocity.y = 1.0;
    bench_close(&build);
    assert_int_equal(cn_world_create(&build.def, &defect, &world), CN_OK);
    bench_depths_watch(&depths, world, &build, 0, 1);
    assert_true(fabs(depths.any - 0.016) < 1e-6);
    assert_true(fabs(depths.end - depths.any) < 1e-12);
    assert_true(depths.settled == 0.0);
    /* The third moves into a wall, whose inner side is at 2.45 m. */
    cn_world_destroy(world);
    bench_body_def(&build, 3)->position.x = 1.98;
    assert_int_equal(cn_world_create(&build.def, &defect, &world), CN_OK);
    for (int i = 1; i <= 31; i++) {
        bench_depths_watch(&depths, world, &build, i == 1 ? 0 : i, 31);
    }
    assert_true(fabs(depths.any - 0.03) < 1e-6);
    assert_true(fabs(depths.settled - 0.016) < 1e-6);
    assert_int_equal(depths.resting, 49);
    assert_int_equal(depths.lost, 0);
    cn_world_destroy(world);
    bench_finish(&build);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_ragdolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
