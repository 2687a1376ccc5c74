/*
 * test_fast.c: production worlds in which bodies fly at walls at up to 300 m/s.  None gets through,
 * with any shape, any spin, and repeated impacts.
 */
#include "engine/base/rng.h"
#include "engine/cairn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/world/scene.h"

static struct scene scene;

static void
open_production(bool planar)
{
    if (planar) {
        scene_init(&scene, 0.0);
    } else {
        scene_init_space(&scene, 0.0);
    }
    memcpy(scene.def.settings.stepper, "time", 5);
    memcpy(scene.def.settings.solver, "impulse", 8);
    scene.material[0].restitution = 0.7; /* so that they come back, again and again */
}

static int
wall(double x, double y, double width, double height)
{
    int body = scene_box(&scene, x, y, width, height);
    scene.body[body].type = CN_STATIC;
    scene.shape[body].box.size.z = 40.0;
    return body;
}

/* A room of 20 m whose walls are 5 cm thick; in space it has a front and a back. */
static int
build_room(bool planar)
{
    wall(-10.0, 0.0, 0.05, 20.1);
    wall(10.0, 0.0, 0.05, 20.1);
    wall(0.0, -10.0, 20.1, 0.05);
    wall(0.0, 10.0, 20.1, 0.05);
    for (int i = 0; i < 2 && !planar; i++) {
        int body = wall(0.0, 0.0, 20.1, 20.1);
        scene.shape[body].box.size.z = 0.05;
        scene.body[body].position.z = i == 0 ? -10.0 : 10.0;
    }
    return scene.def.body_count;
}

static cn_vec3
random_vector(struct cn_rng *rng, bool planar, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return (cn_vec3){x, y, planar ? 0.0 : cn_rng_uniform(rng, -size, size)};
}

/* Balls of 10 cm, plates and rods of 2 cm, capsules. */
static void
add_flyers(struct cn_rng *rng, bool planar, int count)
{
    for (int i = 0; i < count; i++) {
        cn_vec3 at = random_vector(rng, planar, 8.0);
        int body = i % 4 == 0   ? scene_circle(&scene, at.x, at.y, 0.05)
                   : i % 4 == 1 ? scene_box(&scene, at.x, at.y, 0.02, 0.6)
                   : i % 4 == 2 ? scene_box(&scene, at.x, at.y, 1.0, 0.02)
                                : scene_capsule(&scene, at.x, at.y, 0.03, 0.3);
        scene.shape[body].box.size.z =
            scene.shape[body].kind == CN_SHAPE_BOX ? 0.3 : scene.shape[body].box.size.z;
        if (!planar && scene.shape[body].kind == CN_SHAPE_CIRCLE) {
            scene.shape[body] = (struct cn_shape_def){.kind = CN_SHAPE_SPHERE};
            scene.shape[body].sphere.radius = 0.05;
        }
        scene.body[body].position.z = at.z;
        scene.body[body].velocity = random_vector(rng, planar, planar ? 210.0 : 170.0);
        cn_vec3 spin = random_vector(rng, planar, 60.0);
        scene.body[body].angular_velocity = planar ? (cn_vec3){0.0, 0.0, spin.x} : spin;
    }
}

static void
check_inside(const struct cn_world *world, int first, int tick)
{
    for (int body = first; body < cn_world_body_count(world); body++) {
        struct cn_body_view view = scene_view(world, body);
        double out = fmax(fmax(fabs(view.center.x), fabs(view.center.y)), fabs(view.center.z));
        if (!(out < 10.0)) {
            fail_msg("body %d is outside after tick %d: %g %g %g", body, tick, view.center.x,
                view.center.y, view.center.z);
        }
    }
}

static void
fly(bool planar)
{
    struct cn_rng rng = {planar ? 81U : 82U};
    int bounces = 0;
    for (int run = 0; run < 4; run++) {
        open_production(planar);
        int first = build_room(planar);
        add_flyers(&rng, planar, 60);
        struct cn_world *world = scene_create(&scene);
        for (int tick = 1; tick <= 120; tick++) {
            scene_tick(world);
            check_inside(world, first, tick);
        }
        for (int body = first; body < cn_world_body_count(world); body++) {
            struct cn_body_view view = scene_view(world, body);
            bounces += cn_vec3_length(view.velocity) > 1.0;
        }
        cn_world_destroy(world);
    }
    assert_true(bounces > 60); /* they still fly, so they have met the walls all the time */
}

static void
test_planar_room(void **state)
{
    (void)state;
    fly(true);
}

static void
test_spatial_room(void **state)
{
    (void)state;
    fly(false);
}

/*
 * A ball and a box slide over the floor at 100 m/s. Their resting penetration does not stop them.
 */
static void
test_sliding(void **state)
{
    (void)state;
    open_production(true);
    scene.def.settings.gravity = (cn_vec3){0.0, -9.81, 0.0};
    scene.material[0].restitution = 0.0;
    wall(500.0, -0.5, 1010.0, 1.0);
    int slider[2] = {scene_circle(&scene, 5.0, 0.5, 0.5), scene_box(&scene, 1.0, 0.5, 1.0, 1.0)};
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60); /* to rest */
    for (int i = 0; i < 2; i++) {
        struct cn_command push = {.kind = CN_COMMAND_SET_VELOCITY};
        push.set_velocity.body = slider[i];
        push.set_velocity.velocity.x = 100.0;
        scene_command(world, &push);
    }
    scene_ticks(world, 120);
    for (int i = 0; i < 2; i++) {
        struct cn_body_view view = scene_view(world, slider[i]);
        assert_true(view.center.x > 195.0);
        assert_true(view.velocity.x > 99.0);
        assert_true(fabs(view.center.y - 0.5) < 0.01);
    }
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_room),
        cmocka_unit_test(test_spatial_room),
        cmocka_unit_test(test_sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
