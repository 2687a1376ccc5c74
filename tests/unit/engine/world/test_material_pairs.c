/*
 * test_material_pairs.c: pairs of materials with values of their own, with every stepper and solver
 * that has them: ice, a conveyor, a bouncing ball, a shape that passes through; and refusals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

#define G 10.0
#define STONE 0
#define ICE 1
#define STEEL 2

static struct cn_material_pair pair[8];

/* Three materials without friction, and the given pair among others that are not met. */
static void
begin_pair(int a, int b)
{
    begin(G);
    memset(pair, 0, sizeof(pair));
    pair[0] = (struct cn_material_pair){.a = STEEL, .b = STEEL, .has = CN_PAIR_IGNORE};
    pair[1].a = a;
    pair[1].b = b;
    pair[2] = (struct cn_material_pair){.a = STEEL, .b = STONE, .has = CN_PAIR_IGNORE};
    scene.def.material_count = 3;
    for (int i = 0; i < 3; i++) {
        cn_material_def_init(&scene.material[i]);
    }
    scene.def.material_pairs = pair;
    scene.def.material_pair_count = 3;
}

/* A block of ice on a floor of stone. */
static int
ice_on_floor(void)
{
    int floor = scene_floor(&scene), body = block(0.0, 1.0);
    scene.shape[floor].material = STONE;
    scene.shape[body].material = ICE;
    return body;
}

/* A ball of radius 0.5 m. */
static int
ball_at(double x, double y)
{
    int body = scene_circle(&scene, x, y, 0.5);
    if (spatial) {
        scene.shape[body].kind = CN_SHAPE_SPHERE;
        scene.shape[body].sphere.radius = 0.5;
    }
    return body;
}

static bool
has_friction(void)
{
    return solver->friction;
}

/* Where every contact has friction 0.5, that of this pair is 0: a block slides on at 2 m/s. */
static void
law_ice(void)
{
    if (!has_friction()) {
        return;
    }
    begin_pair(ICE, STONE);
    for (int i = 0; i < 3; i++) {
        scene_friction(&scene, i, 0.5);
    }
    pair[1].has = CN_PAIR_FRICTION;
    int body = ice_on_floor();
    scene.body[body].velocity.x = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_near(scene_view(world, body).velocity.x, 2.0, 1e-4);
    cn_world_destroy(world);
}

static void
test_ice(void **state)
{
    (void)state;
    for_each(law_ice);
}

/* Friction 0.2 of the pair alone: from 2 m/s, after half a second 2 - 0.2 10 0.5 = 1 m/s. */
static void
law_grip(void)
{
    if (!has_friction()) {
        return;
    }
    begin_pair(STONE, ICE);
    pair[1].has = CN_PAIR_FRICTION;
    pair[1].friction = 0.2;
    int body = ice_on_floor();
    scene.body[body].locks = CN_LOCK_ANGULAR;
    scene.body[body].velocity.x = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    assert_near(scene_view(world, body).velocity.x, 1.0, 0.03);
    scene_ticks(world, 40);
    assert_near(scene_view(world, body).velocity.x, 0.0, 1e-3);
    cn_world_destroy(world);
}

static void
test_grip(void **state)
{
    (void)state;
    for_each(law_grip);
}

/* A pair with static friction 0.9 holds a block on a slope where friction 0.1 alone would not. */
static void
law_static(void)
{
    if (!has_friction() || solver->kind == CN_SOLVER_BODIES) {
        return; /* the solver impulse has one friction */
    }
    begin_pair(STONE, ICE);
    pair[1].has = CN_PAIR_FRICTION | CN_PAIR_STATIC_FRICTION;
    pair[1].friction = 0.1;
    pair[1].static_friction = 0.9;
    int body = ice_on_floor();
    scene.def.settings.gravity = (cn_vec3){5.0, -10.0, 0.0};
    scene.body[body].locks = CN_LOCK_ANGULAR;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_near(scene_view(world, body).position.x, 0.0, 1e-2);
    cn_world_destroy(world);
}

static void
test_static(void **state)
{
    (void)state;
    for_each(law_static);
}

/*
 * A belt that runs at 1 m/s below a block, friction 0.2: the block has half of the belt's speed
 * after 0.25 s, and all of it after v / (mu g) = 0.5 s.  It stays at that speed.  The materials'
 * own surface velocities do not count.
 */
static void
check_belt(int a, int b, double speed)
{
    begin_pair(a, b);
    pair[1].has = CN_PAIR_FRICTION | CN_PAIR_SURFACE;
    pair[1].friction = 0.2;
    pair[1].surface_velocity.x = speed;
    scene.material[STONE].surface_velocity.x = 7.0;
    int body = ice_on_floor();
    scene.body[body].locks = CN_LOCK_ANGULAR;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 15);
    assert_near(fabs(scene_view(world, body).velocity.x), 0.5, 0.03);
    scene_ticks(world, 17);
    double reached = scene_view(world, body).velocity.x;
    scene_ticks(world, 60);
    assert_near(scene_view(world, body).velocity.x, reached, 1e-3);
    /* A block whose own surface runs is driven the other way; in the plane the tangent turns. */
    assert_near(reached, spatial && a == ICE ? -speed : speed, 1e-3);
    cn_world_destroy(world);
}

static void
law_belt(void)
{
    if (solver->kind == CN_SOLVER_BODIES) {
        check_belt(STONE, ICE, 1.0);
        check_belt(STONE, ICE, -1.0);
        check_belt(ICE, STONE, 1.0);
    }
}

static void
test_belt(void **state)
{
    (void)state;
    for_each(law_belt);
}

/* In the plane a pair's belt takes a block where a material's takes it. */
static void
law_belt_of_material(void)
{
    if (solver->kind != CN_SOLVER_BODIES) {
        return;
    }
    double speed[2];
    for (int own = 0; own < 2; own++) {
        begin_pair(STONE, ICE);
        pair[1].has = CN_PAIR_FRICTION | (own == 1 ? CN_PAIR_SURFACE : 0);
        pair[1].friction = 0.2;
        pair[1].surface_velocity.x = 1.0;
        scene.material[STONE].surface_velocity.x = own == 1 ? 0.0 : 1.0;
        int body = ice_on_floor();
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 20);
        speed[own] = scene_view(world, body).velocity.x;
        cn_world_destroy(world);
    }
    assert_true(speed[0] == speed[1] && speed[0] != 0.0);
}

static void
test_belt_of_material(void **state)
{
    (void)state;
    for_each(law_belt_of_material);
}

/* A ball with restitution 1 against this pair alone meets the floor at 4 m/s and leaves as fast. */
static void
law_bounce(void)
{
    if (!has_restitution()) {
        return;
    }
    begin_pair(ICE, STONE);
    pair[1].has = CN_PAIR_RESTITUTION;
    pair[1].restitution = 1.0;
    int floor = scene_floor(&scene), ball = ball_at(0.0, 1.3);
    scene.shape[floor].material = STONE;
    scene.shape[ball].material = ICE;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 26);
    assert_true(scene_view(world, ball).velocity.y > 3.0);
    scene_ticks(world, 22);
    assert_near(scene_view(world, ball).position.y, 1.3, 0.12);
    cn_world_destroy(world);
}

static void
test_bounce(void **state)
{
    (void)state;
    for_each(law_bounce);
}

/* A ball of the ignored pair falls 5 m in a second, through the floor; another one lands. */
static void
law_ignore(void)
{
    begin_pair(STONE, ICE);
    pair[1].has = CN_PAIR_IGNORE;
    int floor = scene_floor(&scene);
    int through = ball_at(0.0, 1.0), lands = ball_at(4.0, 1.0);
    scene.shape[floor].material = STONE;
    scene.shape[through].material = ICE;
    scene.shape[lands].material = STONE;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_near(scene_view(world, through).position.y, 1.0 - 5.0, 0.1);
    assert_near(scene_view(world, lands).position.y, 0.5, 0.01);
    cn_world_destroy(world);
}

static void
test_ignore(void **state)
{
    (void)state;
    for_each(law_ignore);
}

/* Steel does not touch steel or stone, and rests on ice: each pair is found, in any order. */
static void
law_order(void)
{
    for (int turn = 0; turn < 6; turn++) {
        static const int order[6][3] = {
            {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        struct cn_material_pair all[3] = {
            {.a = STEEL, .b = STEEL, .has = CN_PAIR_IGNORE},
            {.a = ICE, .b = ICE, .has = CN_PAIR_IGNORE},
            {.a = STEEL, .b = STONE, .has = CN_PAIR_IGNORE}};
        begin_pair(STONE, ICE);
        for (int i = 0; i < 3; i++) {
            pair[i] = all[order[turn][i]];
        }
        int ball[3][3];
        for (int low = 0; low < 3; low++) {
            int ground = scene_box(&scene, 30.0 * low, -1.0, 20.0, 2.0);
            scene.body[ground].type = CN_STATIC;
            scene.shape[ground].material = low;
            for (int high = 0; high < 3; high++) {
                ball[low][high] = ball_at(30.0 * low - 6.0 + 6.0 * high, 0.6);
                scene.shape[ball[low][high]].material = high;
            }
        }
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 40);
        for (int low = 0; low < 3; low++) {
            for (int high = 0; high < 3; high++) {
                bool passes = (low == STEEL && high != ICE) || (low == ICE && high == ICE) ||
                              (low == STONE && high == STEEL);
                bool passed = scene_view(world, ball[low][high]).position.y < 0.0;
                assert_int_equal(passed, passes);
            }
        }
        cn_world_destroy(world);
    }
}

static void
test_order(void **state)
{
    (void)state;
    for_each(law_order);
}

/* A world with pairs has the same bits after its image was read. */
static void
law_image(void)
{
    begin_pair(STONE, ICE);
    pair[1].has = CN_PAIR_RESTITUTION;
    pair[1].restitution = 0.5;
    int floor = scene_floor(&scene), ball = ball_at(0.0, 1.0);
    scene.shape[floor].material = STONE;
    scene.shape[ball].material = ICE;
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    scene_ticks(world, 20);
    scene_restore(other, world);
    scene_ticks(world, 20);
    scene_ticks(other, 20);
    assert_true(cn_world_hash(world) == cn_world_hash(other));
    cn_world_destroy(world);
    cn_world_destroy(other);
}

static void
test_image(void **state)
{
    (void)state;
    for_each(law_image);
}

/* ---- refusals ---- */

static void
assert_refused(struct cn_material_pair given, const char *path, enum cn_status status)
{
    scene_init(&scene, G);
    (void)scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.material_count = 2;
    pair[0] = (struct cn_material_pair){.a = 0, .b = 0, .has = CN_PAIR_IGNORE};
    pair[1] = given;
    scene.def.material_pairs = pair;
    scene.def.material_pair_count = 2;
    struct cn_defect defect = {.status = CN_OK};
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), status);
    assert_string_equal(defect.path, path);
}

static void
test_refusals(void **state)
{
    (void)state;
    struct cn_material_pair good = {.a = 0, .b = 1, .has = CN_PAIR_FRICTION, .friction = 0.5};
    struct cn_material_pair bad = good;
    bad.b = 2;
    assert_refused(bad, "materialPairs[1].b", CN_REFERENCE);
    bad = good;
    bad.a = -1;
    assert_refused(bad, "materialPairs[1].a", CN_REFERENCE);
    bad = good;
    bad.b = 0;
    assert_refused(bad, "materialPairs[1]", CN_DUPLICATE);
    bad = good;
    bad.has = 0;
    assert_refused(bad, "materialPairs[1]", CN_SYNTAX);
    bad = good;
    bad.friction = -0.1;
    assert_refused(bad, "materialPairs[1].friction", CN_RANGE);
    bad = good;
    bad.has = CN_PAIR_STATIC_FRICTION;
    assert_refused(bad, "materialPairs[1].staticFriction", CN_PAIR);
    bad.has = CN_PAIR_FRICTION | CN_PAIR_STATIC_FRICTION;
    bad.static_friction = 0.4;
    assert_refused(bad, "materialPairs[1].staticFriction", CN_RANGE);
    bad = good;
    bad.has = CN_PAIR_RESTITUTION;
    bad.restitution = 1.5;
    assert_refused(bad, "materialPairs[1].restitution", CN_RANGE);
    bad.has = CN_PAIR_ROLLING;
    bad.rolling_friction = nan("");
    assert_refused(bad, "materialPairs[1].rollingFriction", CN_FINITE);
    bad.has = CN_PAIR_SPINNING;
    bad.spinning_friction = -1.0;
    assert_refused(bad, "materialPairs[1].spinningFriction", CN_RANGE);
    bad.has = CN_PAIR_SURFACE;
    bad.surface_velocity.y = HUGE_VAL;
    assert_refused(bad, "materialPairs[1].surfaceVelocity.y", CN_FINITE);
    bad = (struct cn_material_pair){.a = 1, .b = 1, .has = CN_PAIR_SURFACE};
    assert_refused(bad, "materialPairs[1].surfaceVelocity", CN_PAIR);
    bad = good;
    bad.has |= CN_PAIR_IGNORE;
    assert_refused(bad, "materialPairs[1].ignore", CN_PAIR);
}

/* A method refuses values that it does not have in pairs, as in materials. */
static void
law_methods(void)
{
    static const struct {
        struct cn_material_pair pair;
        const char *path;
    } wrong[] = {
        {{.has = CN_PAIR_FRICTION, .friction = 0.1}, "world.solver"},
        {{.has = CN_PAIR_ROLLING, .rolling_friction = 0.1}, "materialPairs[1].rollingFriction"},
        {{.has = CN_PAIR_SURFACE, .surface_velocity = {1.0, 0.0, 0.0}},
            "materialPairs[1].surfaceVelocity"},
    };
    bool known[3] = {solver->friction, solver->rolling,
        solver->kind == CN_SOLVER_BODIES};
    for (int i = 0; i < 3; i++) {
        begin_pair(ICE, STONE);
        pair[1] = wrong[i].pair;
        pair[1].a = ICE;
        pair[1].b = STONE;
        (void)ice_on_floor();
        struct cn_defect defect = {.status = CN_OK};
        struct cn_world *world = NULL;
        enum cn_status status = cn_world_create(&scene.def, &defect, &world);
        assert_int_equal(status, known[i] ? CN_OK : CN_PAIR);
        if (!known[i]) {
            assert_string_equal(defect.path, wrong[i].path);
        }
        cn_world_destroy(world);
    }
}

static void
test_methods(void **state)
{
    (void)state;
    for_each(law_methods);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ice),
        cmocka_unit_test(test_grip),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_belt),
        cmocka_unit_test(test_belt_of_material),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_ignore),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_image),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
