/*
 * test_energy.c: conservation of energy, momentum and symmetry.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct scene scene;

/* Six blocks, elasticity 1, no damping, for 60 s: energy within 1e-4 of the start, all the time. */
static void
elastic_blocks(enum cn_collision_handling collision, const char *name)
{
    lab_init(&scene, 6, 3.0, 1.0);
    scene.def.settings.collision = collision;
    struct cn_world *world = scene_create(&scene);
    double start = cn_world_energy(world).total, worst = 0.0;
    int impact_count = 0;
    while (cn_world_time(world) < 60.0) {
        scene_tick(world);
        impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
        assert_int_equal(scene_events(world, CN_EVENT_ZENO, NULL), 0);
        assert_int_equal(scene_events(world, CN_EVENT_IMPACT_LIMIT, NULL), 0);
        double error = fabs(cn_world_energy(world).total - start) / start;
        worst = fmax(worst, error);
    }
    printf("energy, %s: %d impacts in 60 s, worst |E - E0| / E0 %.2e, at the end %.2e\n", name,
        impact_count, worst, fabs(cn_world_energy(world).total - start) / start);
    assert_true(impact_count > 100);
    assert_true(worst <= 1e-4);
    cn_world_destroy(world);
}

static void
test_energy_simultaneous(void **state)
{
    (void)state;
    elastic_blocks(CN_COLLISION_SIMULTANEOUS, "simultaneous");
}

static void
test_energy_serial(void **state)
{
    (void)state;
    elastic_blocks(CN_COLLISION_SERIAL, "serial");
}

static void
test_energy_hybrid(void **state)
{
    (void)state;
    elastic_blocks(CN_COLLISION_HYBRID, "hybrid");
}

/* Boxes that land flat, two corners at a time, on the floor and on each other. */
static void
test_energy_flat(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        scene_init(&scene, 9.81);
        scene.def.settings.collision = (enum cn_collision_handling)mode;
        scene.material[0].restitution = 1.0;
        scene_floor(&scene);
        for (int i = 0; i < 3; i++) {
            scene_box(&scene, 3.0 * i, 1.5, 1.0, 1.0);
            scene_box(&scene, 3.0 * i + 0.1 * i, 3.0 + 0.2 * i, 1.0, 0.5);
        }
        struct cn_world *world = scene_create(&scene);
        double start = cn_world_energy(world).total, worst = 0.0;
        int impact_count = 0;
        while (cn_world_time(world) < 10.0) {
            scene_tick(world);
            impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
            assert_int_equal(scene_events(world, CN_EVENT_ZENO, NULL), 0);
            worst = fmax(worst, fabs(cn_world_energy(world).total - start) / start);
        }
        printf("energy, flat landings, mode %d: %d impacts, worst |E - E0| / E0 %.2e\n", mode,
            impact_count, worst);
        assert_true(impact_count > 30);
        assert_true(worst <= 1e-4);
        cn_world_destroy(world);
    }
}

/* Without gravity or walls nothing changes the sums of momentum and of angular momentum. */
static void
test_momentum(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    scene.material[0].restitution = 0.7;
    for (int i = 0; i < 12; i++) {
        int ring = i / 6 + 1;
        double turn = i % 6 * CN_PI / 3.0 + 0.2 * ring, x = 2.0 * ring * cos(turn);
        double y = 2.0 * ring * sin(turn);
        int body = i % 3 == 0 ? scene_circle(&scene, x, y, 0.4)
                              : scene_box(&scene, x, y, 0.6 + 0.05 * i, 0.7);
        scene.body[body].velocity = cn_vec3_make(-0.5 * x + 0.1 * y, -0.5 * y, 0.0);
        scene.body[body].angular_velocity.z = 0.3 * (i % 5 - 2);
    }
    struct cn_world *world = scene_create(&scene);
    cn_vec3 before = {0.0, 0.0, 0.0};
    double spin_before = 0.0;
    int impact_count = 0;
    for (int tick = 0; tick <= 600; tick++) {
        cn_vec3 sum = {0.0, 0.0, 0.0};
        double spin = 0.0;
        for (int i = 0; i < cn_world_body_count(world); i++) {
            struct cn_body_view view = scene_view(world, i);
            sum = cn_vec3_add_scaled(sum, view.mass, view.velocity);
            spin += view.mass * cn_vec3_cross(view.center, view.velocity).z +
                    view.inertia * view.angular_velocity.z;
        }
        if (tick == 0) {
            before = sum;
            spin_before = spin;
        }
        assert_near(sum.x, before.x, 1e-12);
        assert_near(sum.y, before.y, 1e-12);
        assert_near(spin, spin_before, 1e-5);
        scene_tick(world);
        impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
    }
    assert_true(impact_count > 10);
    cn_world_destroy(world);
}

/* Body `mirror[i]` is the mirror image of body i in the plane x = 0, or i itself. */
static void
check_mirrored(const struct cn_world *world, const int *mirror, int tick)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i), image = scene_view(world, mirror[i]);
        double error = fabs(view.position.x + image.position.x);
        error = fmax(error, fabs(view.position.y - image.position.y));
        error = fmax(error, fabs(view.velocity.x + image.velocity.x));
        error = fmax(error, fabs(view.velocity.y - image.velocity.y));
        error = fmax(error, fabs(view.angular_velocity.z + image.angular_velocity.z));
        if (!(error <= 1e-10)) {
            fail_msg("tick %d: body %d is off its mirror image by %g", tick, i, error);
        }
    }
}

/*
 * A plank on two bricks, struck by two balls from both sides and by one from above.  A fixed post
 * between the bricks keeps them apart: where a body meets its own mirror image, the contact's
 * normal is that of one of the two faces, and faces are parallel only to the tolerance.
 */
static void
test_symmetry(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene.material[0].restitution = 0.5;
    scene_floor(&scene);
    scene_box(&scene, -1.0, 0.25, 0.5, 0.5);
    scene_box(&scene, 1.0, 0.25, 0.5, 0.5);
    scene_box(&scene, 0.0, 0.6, 3.5, 0.2);
    scene_circle(&scene, 0.0, 3.0, 0.3);
    int left = scene_circle(&scene, -2.5, 0.3, 0.3), right = scene_circle(&scene, 2.5, 0.3, 0.3);
    int post = scene_box(&scene, 0.0, 0.2, 0.2, 0.4);
    scene.body[post].type = CN_STATIC;
    scene.body[left].velocity.x = 2.0;
    scene.body[right].velocity.x = -2.0;
    static const int mirror[] = {0, 2, 1, 3, 4, 6, 5, 7};
    struct cn_world *world = scene_create(&scene);
    for (int tick = 0; tick < 240; tick++) {
        check_mirrored(world, mirror, tick);
        scene_tick(world);
    }
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_simultaneous),
        cmocka_unit_test(test_energy_serial),
        cmocka_unit_test(test_energy_hybrid),
        cmocka_unit_test(test_energy_flat),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
