/*
 * test_bounds.c: scenes without a good answer still end: accumulating bounces, closing walls,
 * overlap.
 */
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

static void
check_finite(const struct cn_world *world)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i);
        assert_true(cn_vec3_is_finite(view.position) && isfinite(view.angle));
        assert_true(cn_vec3_is_finite(view.velocity) && isfinite(view.angular_velocity.z));
        assert_false(view.quarantined);
    }
}

/* Corner k of a block, in the world. */
static cn_vec3
corner(const struct cn_world *world, int block, int k)
{
    struct cn_body_view view = scene_view(world, block);
    cn_vec3 size = scene.shape[block].box.size;
    double x = (k % 2 == 0 ? -0.5 : 0.5) * size.x, y = (k / 2 == 0 ? -0.5 : 0.5) * size.y;
    double c = cos(view.angle), s = sin(view.angle);
    return cn_vec3_make(view.position.x + c * x - s * y, view.position.y + s * x + c * y, 0.0);
}

/*
 * How deep corners of the blocks are in the lab's walls or in other blocks.  The depth is computed
 * from poses and sizes alone, so a penetration that the narrowphase misses counts too.
 */
static double
corner_depth(const struct cn_world *world)
{
    double depth = 0.0;
    for (int i = LAB_BLOCK_FIRST; i < cn_world_body_count(world); i++) {
        for (int k = 0; k < 4; k++) {
            cn_vec3 p = corner(world, i, k);
            depth = fmax(depth, fmax(fmax(-p.y, p.y - 7.0), fabs(p.x) - 4.0));
            for (int j = LAB_BLOCK_FIRST; j < cn_world_body_count(world); j++) {
                struct cn_body_view other = scene_view(world, j);
                double c = cos(other.angle), s = sin(other.angle);
                double x = p.x - other.position.x, y = p.y - other.position.y;
                double in_x = 0.5 * scene.shape[j].box.size.x - fabs(c * x + s * y);
                double in_y = 0.5 * scene.shape[j].box.size.y - fabs(c * y - s * x);
                depth = j == i ? depth : fmax(depth, fmin(in_x, in_y));
            }
        }
    }
    return depth;
}

/* Six blocks fall and settle: no contact is ever deeper than the stated tolerance. */
static void
test_settling_depth(void **state)
{
    (void)state;
    lab_init(&scene, 6, 9.81, 0.4);
    struct cn_world *world = scene_create(&scene);
    double worst = 0.0, tolerance = cn_world_gap_tolerance(world);
    while (cn_world_time(world) < 20.0) {
        scene_tick(world);
        worst = fmax(worst, fmax(scene_depth(world), corner_depth(world)));
        check_finite(world);
    }
    printf("settling: deepest %.2e m, tolerance %.2e m, kinetic energy at the end %.2e J\n", worst,
        tolerance, cn_world_energy(world).kinetic);
    assert_true(worst <= tolerance);
    assert_true(cn_world_energy(world).potential > 0.0);
    cn_world_destroy(world);
}

/* A bouncing ball's impacts pile up at a finite time; the world goes past it, and the ball rests.
 */
static void
test_zeno(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene.material[0].restitution = 0.9;
    scene_floor(&scene);
    int ball = scene_circle(&scene, 0.0, 0.2, 0.1);
    struct cn_world *world = scene_create(&scene);
    double h = 0.1, e = 0.9, t_end = sqrt(2.0 * h / 9.81) * (1.0 + e) / (1.0 - e);
    int impact_count = 0;
    while (cn_world_time(world) < 1.05 * t_end) {
        scene_tick(world);
        impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
    }
    assert_true(impact_count > 20);
    assert_near(scene_view(world, ball).velocity.y, 0.0, 1e-9);
    assert_near(scene_view(world, ball).position.y, 0.1, cn_world_gap_tolerance(world));
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_IMPACT, NULL), 0);
    cn_world_destroy(world);
}

/* Two walls move towards each other with a block between: no force can hold them. */
static void
test_closing_walls(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    int left = scene_box(&scene, -1.5, 1.0, 1.0, 2.0),
        right = scene_box(&scene, 1.5, 1.0, 1.0, 2.0);
    int block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.body[left].type = scene.body[right].type = CN_KINEMATIC;
    scene.body[left].velocity.x = 0.5;
    scene.body[right].velocity.x = -0.5;
    struct cn_world *world = scene_create(&scene);
    int squeezed_count = 0;
    for (int tick = 0; tick < 180; tick++) {
        scene_tick(world);
        check_finite(world);
        squeezed_count += scene_events(world, CN_EVENT_SQUEEZED, NULL);
        cn_vec3 velocity = scene_view(world, block).velocity;
        assert_true(cn_vec3_length(velocity) < 10.0);
    }
    assert_true(squeezed_count > 0);
    assert_near(scene_view(world, left).position.x, -1.5 + 0.5 * cn_world_time(world), 1e-9);
    assert_near(scene_view(world, left).velocity.x, 0.5, 0.0);
    cn_world_destroy(world);
}

/* Two boxes overlap by half when the world begins. They come apart slowly, and events report it. */
static void
test_deep_overlap(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    int lower = scene_box(&scene, 0.0, 0.5, 1.0, 1.0),
        upper = scene_box(&scene, 0.1, 1.0, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    double start = cn_world_energy(world).total;
    double weight = 9.81 * (scene_view(world, lower).mass + scene_view(world, upper).mass);
    int overlap_count = 0;
    double depth = 0.0;
    for (int tick = 0; tick < 300; tick++) {
        scene_tick(world);
        check_finite(world);
        overlap_count += scene_events(world, CN_EVENT_OVERLAP, NULL);
        /* Pushing the boxes apart lifts them: by their own height at most. */
        struct cn_energy energy = cn_world_energy(world);
        assert_true(energy.total < start + weight);
        assert_true(energy.kinetic < weight);
        depth = scene_depth(world);
    }
    assert_true(overlap_count > 0);
    assert_true(depth <= cn_world_gap_tolerance(world));
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settling_depth),
        cmocka_unit_test(test_zeno),
        cmocka_unit_test(test_closing_walls),
        cmocka_unit_test(test_deep_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
