/*
 * test_query.c: rays, casts and overlaps in worlds: answers by hand, order, filters, refusals; and
 * the same answers through a tree as without.
 */
#include "engine/cairn.h"

#include "engine/base/arena.h"
#include "engine/base/rng.h"
#include "engine/collide/query/proximity.h"
#include "engine/state/image.h"
#include "engine/world/world_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

static struct scene scene;

/* Boxes of 1 m at x = 2, 4, 6, 8 over a floor, one of them a sensor, one of another category. */
static struct cn_world *
make_row(void)
{
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    for (int i = 1; i <= 4; i++) {
        scene_box(&scene, 2.0 * i, 0.5, 1.0, 1.0);
    }
    scene.shape[2].sensor = true;
    scene.body[2].type = CN_STATIC;
    scene.shape[3].has_filter = true;
    scene.shape[3].filter = (struct cn_filter){2, UINT64_MAX, 0};
    return scene_create(&scene);
}

static void
test_rays(void **state)
{
    (void)state;
    struct cn_world *world = make_row();
    struct cn_query_hit hit[8];
    assert_true(cn_world_cast_ray(
        world, (cn_vec3){0.0, 0.5, 0.0}, (cn_vec3){10.0, 0.0, 0.0}, hit));
    assert_int_equal(hit[0].body, 1);
    assert_near(hit[0].fraction, 0.15, 1e-15);
    assert_near(hit[0].point.x, 1.5, 1e-14);
    assert_near(hit[0].normal.x, -1.0, 0.0);
    assert_false(cn_world_cast_ray(
        world, (cn_vec3){0.0, 1.5, 0.0}, (cn_vec3){10.0, 0.0, 0.0}, hit));
    assert_true(cn_world_cast_ray(
        world, (cn_vec3){3.0, 5.0, 0.0}, (cn_vec3){0.0, -10.0, 0.0}, hit));
    assert_int_equal(hit[0].body, 0); /* the floor, between two boxes */
    assert_near(hit[0].fraction, 0.5, 1e-15);

    /* All of them, from the right: in the order of the ray, not of the bodies. */
    struct cn_query query = cn_query_make(CN_QUERY_RAY);
    query.position = (cn_vec3){10.0, 0.5, 0.0};
    query.along = (cn_vec3){-10.0, 0.0, 0.0};
    query.hit_max = 8;
    struct {
        bool sensors;
        int ignored, count;
        uint64_t mask;
        int body[4];
    } cases[] = {
        {false, -1, 3, UINT64_MAX, {4, 3, 1}},
        {true, -1, 4, UINT64_MAX, {4, 3, 2, 1}},
        {false, 4, 2, UINT64_MAX, {3, 1}},
        {true, -1, 1, 2, {3}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int count;
        query.sensors = cases[i].sensors;
        query.ignored_body = cases[i].ignored;
        query.filter.mask = cases[i].mask;
        assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
        assert_int_equal(count, cases[i].count);
        for (int k = 0; k < count; k++) {
            assert_int_equal(hit[k].body, cases[i].body[k]);
        }
    }

    /* Room for two gives the first two. */
    int count;
    query = cn_query_make(CN_QUERY_RAY);
    query.position = (cn_vec3){10.0, 0.5, 0.0};
    query.along = (cn_vec3){-10.0, 0.0, 0.0};
    query.hit_max = 2;
    assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
    assert_int_equal(count, 2);
    assert_int_equal(hit[1].body, 3);

    /* From within a box: it, or, if that is not wanted, the next. */
    query.position.x = 8.1;
    query.hit_max = 1;
    assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
    assert_int_equal(hit[0].body, 4);
    assert_true(hit[0].is_inside);
    query.skip_inside = true;
    assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
    assert_int_equal(hit[0].body, 3);
    cn_world_destroy(world);
}

static void
test_shapes(void **state)
{
    (void)state;
    struct cn_world *world = make_row();
    struct cn_query_hit hit[8];
    struct cn_shape_def ball = {.kind = CN_SHAPE_CIRCLE}, box = {.kind = CN_SHAPE_BOX};
    ball.circle.radius = 0.5;
    box.box.size = (cn_vec3){5.0, 0.2, 0.0};
    assert_true(cn_world_cast_shape(
        world, &ball, (cn_vec3){4.0, 4.0, 0.0}, (cn_vec3){0.0, -10.0, 0.0}, hit));
    assert_int_equal(hit[0].body, 0); /* through the sensor */
    assert_near(hit[0].fraction, 0.35, 1e-9);
    assert_true(cn_world_cast_shape(
        world, &ball, (cn_vec3){0.0, 0.75, 0.0}, (cn_vec3){10.0, 0.0, 0.0}, hit));
    assert_int_equal(hit[0].body, 1);
    assert_near(hit[0].fraction, 0.1, 1e-9);

    assert_int_equal(cn_world_overlap(world, &box, (cn_vec3){4.0, 0.8, 0.0}, hit, 8), 2);
    assert_int_equal(hit[0].body, 1);
    assert_int_equal(hit[1].body, 3);
    assert_int_equal(cn_world_overlap(world, &box, (cn_vec3){4.0, 1.2, 0.0}, hit, 8), 0);
    assert_int_equal(cn_world_overlap(world, &box, (cn_vec3){4.0, 0.8, 0.0}, hit, 1), 1);

    struct cn_query query = cn_query_make(CN_QUERY_OVERLAP);
    int count;
    query.shape = &box;
    query.position = (cn_vec3){3.0, 3.0, 0.0};
    query.angle = 1.5707963267948966; /* upright, between two boxes, down to 0.5 */
    assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
    assert_int_equal(count, 0);
    query.position.x = 2.55;
    assert_int_equal(cn_world_query(world, &query, hit, &count, NULL), CN_OK);
    assert_int_equal(count, 1);
    cn_world_destroy(world);
}

static void
test_refusals(void **state)
{
    (void)state;
    struct cn_world *world = make_row();
    struct cn_query_hit hit;
    struct cn_defect defect;
    struct cn_shape_def plane = {.kind = CN_SHAPE_PLANE}, ball = {.kind = CN_SHAPE_CIRCLE};
    plane.plane.normal.y = 1.0;
    const struct {
        struct cn_query query;
        enum cn_status status;
        const char *path;
    } cases[] = {
        {{.kind = CN_QUERY_RAY, .position = {HUGE_VAL, 0.0, 0.0}, .hit_max = 1}, CN_FINITE,
            "position.x"},
        {{.kind = CN_QUERY_RAY, .along = {0.0, 1e7, 0.0}, .hit_max = 1}, CN_RANGE, "along.y"},
        {{.kind = CN_QUERY_RAY, .hit_max = 0}, CN_LIMIT, "hitMax"},
        {{.kind = CN_QUERY_RAY, .hit_max = CN_QUERY_HITS_MAX + 1}, CN_LIMIT, "hitMax"},
        {{.kind = CN_QUERY_CAST, .hit_max = 1}, CN_GEOMETRY, "shape"},
        {{.kind = CN_QUERY_OVERLAP, .shape = &plane, .hit_max = 1}, CN_GEOMETRY, "shape"},
        {{.kind = CN_QUERY_CAST, .shape = &ball, .hit_max = 1}, CN_RANGE, "shape.circle.radius"},
        {{.kind = CN_QUERY_RAY, .orientation = {2.0, 0.0, 0.0, 0.0}, .hit_max = 1}, CN_GEOMETRY,
            "orientation"},
        {{.kind = CN_QUERY_KIND_COUNT, .hit_max = 1}, CN_UNKNOWN, "kind"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int count;
        assert_int_equal(
            cn_world_query(world, &cases[i].query, &hit, &count, &defect), cases[i].status);
        assert_string_equal(defect.path, cases[i].path);
        assert_int_equal(count, 0);
    }
    cn_world_destroy(world);
}

/* ---- through a tree ---- */

static struct cn_world *
make_heap(bool planar, struct cn_rng *rng)
{
    if (planar) {
        scene_init(&scene, 0.0);
    } else {
        scene_init_space(&scene, 0.0);
    }
    scene_floor(&scene);
    for (int i = 0; i < 200; i++) {
        double x = cn_rng_uniform(rng, -10.0, 10.0), y = cn_rng_uniform(rng, 0.0, 10.0);
        int body = i % 3 == 0 ? scene_capsule(&scene, x, y, 0.2, 1.0)
                              : scene_box(&scene, x, y, 0.5 + 0.01 * (i % 50), 1.0);
        scene.shape[body].box.size.z = i % 3 == 0 ? scene.shape[body].box.size.z : 0.7;
        scene.body[body].position.z = planar ? 0.0 : cn_rng_uniform(rng, -10.0, 10.0);
        scene.body[body].angle = planar ? cn_rng_uniform(rng, -3.0, 3.0) : 0.0;
    }
    return scene_create(&scene);
}

static bool
refuse_pair(const void *context, int32_t a, int32_t b)
{
    (void)context;
    return a == b;
}

static void *
make_tree(const struct cn_model *model, struct cn_proximity **proximity, struct cn_rng *rng)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_proximity_make(&arena, model->shape_count);
    size_t size = (arena.used + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    cn_arena_init(&arena, memory, size);
    *proximity = cn_proximity_make(&arena, model->shape_count);
    for (int i = model->shape_count - 1; i >= 0; i--) {
        cn_pose pose = cn_motion_pose(&model->motion[i], model->settings.dimension);
        cn_aabb tight = cn_shape_aabb(&model->shape[i], &pose, 0.0);
        cn_proximity_put(*proximity, i, &tight, cn_rng_uniform(rng, 0.0, 0.5), i % 4 == 0);
    }
    cn_proximity_find(*proximity, refuse_pair, NULL, NULL, 0);
    return memory;
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return (cn_vec3){x, y, cn_rng_uniform(rng, -size, size)};
}

static void
test_trees_change_nothing(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        struct cn_rng rng = {61};
        struct cn_world *world = make_heap(planar == 1, &rng);
        struct cn_proximity *proximity;
        void *memory = make_tree(&world->model, &proximity, &rng);
        struct cn_shape_def capsule = {.kind = CN_SHAPE_CAPSULE};
        capsule.capsule.radius = 0.3;
        capsule.capsule.length = 1.0;
        int found = 0, several = 0;
        for (int trial = 0; trial < 3000; trial++) {
            struct cn_query query = cn_query_make((enum cn_query_kind)(trial % 3));
            query.position = random_vector(&rng, 10.0);
            query.along = random_vector(&rng, trial % 5 == 0 ? 1.0 : 20.0);
            query.shape = &capsule;
            query.angle = planar == 1 ? cn_rng_uniform(&rng, -3.0, 3.0) : 0.0;
            query.hit_max = trial % 2 == 0 ? 1 : 5;
            struct cn_query_hit plain[5], tree[5];
            struct cn_defect defect;
            int count;
            assert_int_equal(cn_world_query(world, &query, plain, &count, &defect), CN_OK);
            assert_int_equal(cn_query_answer(&world->model, proximity, &query, tree), count);
            for (int k = 0; k < count; k++) {
                assert_int_equal(tree[k].shape, plain[k].shape);
                assert_true(tree[k].fraction == plain[k].fraction);
                assert_true(k == 0 || plain[k].fraction >= plain[k - 1].fraction);
            }
            found += count > 0;
            several += count > 1;
        }
        assert_true(found > 900 && several > 100);
        free(memory);
        cn_world_destroy(world);
    }
}

/* Asks random queries. A search of every shape and a restored world have to give the same hits. */
static int
ask(const struct cn_world *world, const struct cn_world *restored, struct cn_rng *rng, int trials)
{
    struct cn_shape_def capsule = {.kind = CN_SHAPE_CAPSULE};
    capsule.capsule.radius = 0.3;
    capsule.capsule.length = 1.0;
    int found = 0;
    for (int trial = 0; trial < trials; trial++) {
        struct cn_query query = cn_query_make((enum cn_query_kind)(trial % 3));
        query.position = random_vector(rng, 12.0);
        query.along = random_vector(rng, 20.0);
        query.shape = &capsule;
        query.hit_max = 3;
        struct cn_query_hit plain[3], quick[3], other[3];
        int count, other_count;
        assert_int_equal(cn_world_query(world, &query, quick, &count, NULL), CN_OK);
        assert_int_equal(cn_query_answer(&world->model, NULL, &query, plain), count);
        assert_int_equal(cn_world_query(restored, &query, other, &other_count, NULL), CN_OK);
        assert_int_equal(other_count, count);
        for (int k = 0; k < count; k++) {
            assert_int_equal(quick[k].shape, plain[k].shape);
            assert_int_equal(quick[k].body, plain[k].body);
            assert_true(quick[k].fraction == plain[k].fraction);
            assert_int_equal(other[k].shape, plain[k].shape);
            assert_true(other[k].fraction == plain[k].fraction);
        }
        found += count;
    }
    return found;
}

/* Makes a change that the trees do not contain before the next tick. */
static void
change_something(struct cn_world *world, int round, struct cn_rng *rng)
{
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    struct cn_body_def def = scene.body[1 + round];
    switch (round % 4) {
    case 0:
        command.place_body.body = 3 + round;
        command.place_body.position = random_vector(rng, 10.0);
        command.place_body.position.z = 0.0;
        command.place_body.orientation = (cn_quat){1.0, 0.0, 0.0, 0.0};
        scene_command(world, &command);
        return;
    case 1:
        assert_int_equal(cn_world_remove_body(world, 3 + round, NULL), CN_OK);
        return;
    case 2:
        def.position = random_vector(rng, 10.0);
        def.position.z = 0.0;
        assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
        return;
    default:
        command.kind = CN_COMMAND_SET_FILTER;
        command.set_filter.body = 3 + round;
        command.set_filter.shape = -1;
        command.set_filter.filter = (struct cn_filter){2, UINT64_MAX, 0};
        scene_command(world, &command);
        return;
    }
}

/* A falling heap: queries through the world's trees miss no body, also after a change. */
static void
test_production_worlds(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        struct cn_rng rng = {71};
        cn_world_destroy(make_heap(planar == 1, &rng));
        memcpy(scene.def.settings.stepper, "time", 5);
        memcpy(scene.def.settings.solver, "impulse", 8);
        scene.def.settings.gravity = (cn_vec3){0.0, -9.81, 0.0};
        scene.def.settings.sleep = true;
        struct cn_world *world = scene_create(&scene), *restored = scene_create(&scene);
        int found = 0;
        for (int tick = 0; tick < 40; tick++) {
            scene_tick(world);
            const struct cn_pipeline *p = &world->production->pipeline;
            assert_true(cn_proximity_is_ordered(p->proximity) && !p->stale);
            scene_restore(restored, world);
            found += ask(world, restored, &rng, 60);
            change_something(world, tick, &rng);
            change_something(world, tick + 40, &rng);
            scene_restore(restored, world);
            found += ask(world, restored, &rng, 30);
        }
        assert_true(found > 1000);
        cn_world_destroy(world);
        cn_world_destroy(restored);
    }
}

static void
test_queries_change_nothing(void **state)
{
    (void)state;
    struct cn_world *world = make_row();
    scene_ticks(world, 10);
    uint64_t before = cn_world_hash(world);
    struct cn_query_hit hit;
    assert_true(cn_world_cast_ray(
        world, (cn_vec3){0.0, 0.5, 0.0}, (cn_vec3){10.0, 0.0, 0.0}, &hit));
    assert_true(cn_world_hash(world) == before);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_trees_change_nothing),
        cmocka_unit_test(test_production_worlds),
        cmocka_unit_test(test_queries_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
