/*
 * test_drags.c: drags and gravity between bodies under the solver impulse: no stiffness that grows,
 * loads and caps known by hand, and an orbit.
 */
#include "engine/math/scalar.h"
#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define TICK (1.0 / 60.0)

static struct scene scene;

static void
begin(bool planar, double gravity)
{
    if (planar) {
        scene_init(&scene, gravity);
    } else {
        scene_init_space(&scene, gravity);
    }
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
}

/* Drags a point of a body, in its frame, to a target. */
static void
drag(struct cn_world *world, int body, cn_vec3 point, cn_vec3 target, double stiffness,
    double damping, double force_max)
{
    struct cn_command command = {.kind = CN_COMMAND_HOLD_DRAG};
    command.hold_drag.holder.source = (uint64_t)body + 1;
    command.hold_drag.holder.until_tick = UINT64_MAX;
    command.hold_drag.body = body;
    command.hold_drag.point = point;
    command.hold_drag.target = target;
    command.hold_drag.stiffness = stiffness;
    command.hold_drag.damping = damping;
    command.hold_drag.force_max = force_max;
    scene_command(world, &command);
}

/*
 * Drags a box by a corner that is 0.2 m off.  Its energy never grows, except by up to 15 % with the
 * phase of the oscillation.
 */
static void
test_stiff(void **unused)
{
    (void)unused;
    const double stiffness[] = {2e3, 2e4, 2e5, 1e6};
    for (int k = 0; k < 8; k++) {
        begin(k % 2 == 0, 0.0);
        int box = scene_box(&scene, 0.0, 0.0, 0.4, 0.4);
        scene.body[box].mass = 0.5;
        struct cn_world *world = scene_create(&scene);
        drag(world, box, cn_vec3_make(0.2, 0.2, 0.0), cn_vec3_make(0.4, 0.2, 0.0),
            stiffness[k / 2], 0.0, 0.0);
        double start = 0.5 * stiffness[k / 2] * 0.2 * 0.2, half[2] = {0.0, 0.0};
        for (int tick = 0; tick < 600; tick++) {
            scene_tick(world);
            half[tick / 300] = fmax(half[tick / 300], cn_world_energy(world).total);
        }
        print_message("  %g N/m: %.3f, then %.3f of the energy\n", stiffness[k / 2],
            half[0] / start, half[1] / start);
        assert_true(half[0] < 1.15 * start);
        assert_true(half[1] <= half[0]);
        cn_world_destroy(world);
    }
}

/*
 * With so much damping that a tick would reverse the velocity, the body still comes to the target.
 */
static void
test_damped(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, 0.0);
        int box = scene_box(&scene, 0.0, 0.0, 0.4, 0.4);
        scene.body[box].mass = 0.5;
        scene.body[box].velocity = cn_vec3_make(3.0, -2.0, 0.0);
        struct cn_world *world = scene_create(&scene);
        const cn_vec3 target = {1.0, 0.5, 0.0};
        drag(world, box, cn_vec3_make(0.0, 0.0, 0.0), target, 1e4, 1e3, 0.0);
        scene_ticks(world, 120);
        assert_near(cn_vec3_length(cn_vec3_sub(scene_view(world, box).position, target)), 0.0,
            1e-4);
        cn_world_destroy(world);
    }
}

/*
 * 2 kg hang below the target by weight / stiffness; with a cap the drag pulls with exactly the cap.
 */
static void
test_loads(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, 9.81);
        int box = scene_box(&scene, 0.0, 2.0, 0.4, 0.4);
        int far = scene_box(&scene, 9.0, 0.0, 0.4, 0.4);
        scene.body[box].mass = 2.0;
        scene.body[far].mass = 1.0;
        scene.body[far].gravity_scale = 0.0;
        struct cn_world *world = scene_create(&scene);
        drag(world, box, cn_vec3_make(0.0, 0.2, 0.0), cn_vec3_make(0.0, 2.2, 0.0), 5e3, 200.0,
            0.0);
        drag(world, far, cn_vec3_make(0.0, 0.0, 0.0), cn_vec3_make(99.0, 0.0, 0.0), 1e5, 0.0,
            5.0);
        scene_ticks(world, 60);
        assert_near(scene_view(world, far).velocity.x, 5.0, 1e-4);
        scene_ticks(world, 240);
        assert_near(scene_view(world, box).position.y, 2.0 - 2.0 * 9.81 / 5e3, 2e-5);
        cn_world_destroy(world);
    }
}

/* Two bodies, tied by a spring, with a drag each: all three are solved together. */
static void
test_together(void **unused)
{
    (void)unused;
    static struct cn_spring_def tie;
    begin(true, 0.0);
    int a = scene_circle(&scene, -0.5, 0.0, 0.1), b = scene_circle(&scene, 0.5, 0.0, 0.1);
    scene.body[a].mass = scene.body[b].mass = 0.2;
    tie = (struct cn_spring_def){.body_a = a, .body_b = b, .stiffness = 1e4, .rest_length = 1.0};
    tie.damping = 5.0;
    scene.def.springs = &tie;
    scene.def.spring_count = 1;
    struct cn_world *world = scene_create(&scene);
    cn_vec3 middle = {0.0, 0.0, 0.0};
    drag(world, a, middle, cn_vec3_make(-1.0, 0.0, 0.0), 1e4, 5.0, 0.0);
    drag(world, b, middle, cn_vec3_make(1.0, 0.0, 0.0), 1e4, 5.0, 0.0);
    scene_ticks(world, 300);
    /* Drags and spring have equal stiffnesses, so x = 0.5 + 0.5 / 3. */
    assert_near(scene_view(world, b).position.x, 0.5 + 0.5 / 3.0, 5e-4);
    assert_near(scene_view(world, a).position.x, -0.5 - 0.5 / 3.0, 5e-4);
    assert_true(cn_vec3_length(scene_view(world, b).velocity) < 1e-3);
    cn_world_destroy(world);
}

/*
 * A light body round a heavy one on an ellipse of eccentricity 0.6, 40 ticks a turn.  The energy
 * stays within a bound, because each substep computes the force again.
 */
static void
test_orbit(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, 0.0);
        const double e = 0.6, axis = 4.0, period = 40.0 * TICK;
        double mu = 4.0 * CN_PI * CN_PI * axis * axis * axis / (period * period);
        int sun = scene_box(&scene, 0.0, 0.0, 0.2, 0.2);
        int moon = scene_box(&scene, axis * (1.0 + e), 0.0, 0.2, 0.2);
        scene.body[sun].mass = 1e6;
        scene.body[moon].mass = 1e-3;
        scene.body[moon].velocity.y = sqrt(mu / axis * (1.0 - e) / (1.0 + e));
        scene.def.settings.gravitation = mu / 1e6;
        struct cn_world *world = scene_create(&scene);
        double start = cn_world_energy(world).total, off = 0.0;
        for (int tick = 0; tick < 1200; tick++) {
            scene_tick(world);
            off = fmax(off, fabs(cn_world_energy(world).total / start - 1.0));
        }
        print_message("  energy off by %.3f at most in 30 turns\n", off);
        assert_true(off < 0.15);
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_damped),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
