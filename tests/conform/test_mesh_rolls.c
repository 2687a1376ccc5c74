/*
 * test_mesh_rolls.c: rolling friction of meshes under the production solver, by hand.
 *
 * A hoop of mass m, moment I about its axis and outer radius R rolls upright on the ground.
 * Rolling friction c gives a couple of at most k m g against the rolling.  Here k is c times half
 * of the hoop's thickness, that is the tube's radius.  Friction F at the ground slows the hoop: m a
 * = F and I a / R = k m g - F R, thus
 *
 *     a = k g R / (R^2 + I / m),   and of a torus   I / m = M^2 + 3 r^2 / 4.
 */
#include "tests/support/world/scene.h"

#include "engine/mesh/torus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define MAJOR 0.5 /* M [m] */
#define MINOR 0.15
#define AROUND 256 /* corners on the ground are hardly felt */
#define SECTION 24 /* one of them is outermost */
#define GRAVITY 9.81
#define SPEED 4.0

static struct scene scene;
static struct cn_mesh *mesh;

static int
set_up(void **state)
{
    (void)state;
    static cn_vec3 vertex[AROUND * SECTION];
    static int32_t triangle[2 * AROUND * SECTION][3];
    const struct cn_torus torus = {MAJOR, MINOR, AROUND, SECTION};
    const struct cn_mesh_def def = {.vertex_count = AROUND * SECTION,
        .triangle_count = 2 * AROUND * SECTION, .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    struct cn_defect defect;
    cn_torus_make(&torus, vertex, triangle);
    return cn_mesh_make(&def, &mesh, &defect) == CN_OK ? 0 : -1;
}

static int
tear_down(void **state)
{
    (void)state;
    cn_mesh_drop(mesh);
    return 0;
}

/* The speed of a hoop along a ground that sinks by `slope` a metre, after `ticks` [m/s]. */
static double
speed_after(double rolling, double slope, double speed, int ticks)
{
    scene_init_space(&scene, GRAVITY);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = false;
    double length = sqrt(1.0 + slope * slope);
    scene.def.settings.gravity =
        cn_vec3_make(GRAVITY * slope / length, -GRAVITY / length, 0.0);
    scene_friction(&scene, 0, 0.8);
    scene.material[0].rolling_friction = rolling;
    scene.def.meshes = &mesh;
    scene.def.mesh_count = 1;
    scene_floor(&scene);
    int hoop = scene_circle(&scene, 0.0, MAJOR + MINOR, 0.1);
    scene.shape[hoop] =
        (struct cn_shape_def){.kind = CN_SHAPE_MESH, .density = 1000.0, .mesh = {0, mesh}};
    scene.body[hoop].velocity.x = speed;
    scene.body[hoop].angular_velocity.z = -speed / (MAJOR + MINOR);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, ticks);
    double after = scene_view(world, hoop).velocity.x;
    cn_world_destroy(world);
    return after;
}

/* Corners take a little speed as well. */
static void
test_slows(void **state)
{
    (void)state;
    double R = MAJOR + MINOR, inertia = MAJOR * MAJOR + 0.75 * MINOR * MINOR;
    assert_in_range((int)(1e3 * (SPEED - speed_after(0.0, 0.0, SPEED, 60))), 0, 120);
    for (double c = 0.2; c < 0.9; c += 0.2) {
        double expected = c * MINOR * GRAVITY * R / (R * R + inertia);
        double lost = SPEED - speed_after(c, 0.0, SPEED, 60);
        if (!(fabs(lost - expected) < 0.12 * expected)) {
            fail_msg("%g: lost %g instead of %g m/s", c, lost, expected);
        }
    }
}

/*
 * A hoop stays on a slope if k > R tan(slope).  The angle between its corners, 0.7 degrees, makes
 * this inexact, so the slopes are well below and above that limit.
 */
static void
test_holds(void **state)
{
    (void)state;
    double R = MAJOR + MINOR;
    for (double c = 0.3; c < 0.8; c += 0.2) {
        double slope = c * MINOR / R;
        double stays = speed_after(c, 0.75 * slope, 0.0, 120);
        double rolls = speed_after(c, 1.4 * slope, 0.0, 120);
        double free = speed_after(0.0, 0.75 * slope, 0.0, 120);
        if (!(fabs(stays) < 0.01 && rolls > 0.1 && free > 0.3)) {
            fail_msg("%g: %g, %g and %g m/s", c, stays, rolls, free);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slows),
        cmocka_unit_test(test_holds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
