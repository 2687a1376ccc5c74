/*
 * test_pile.c: bodies that fall on a heap do not sink in, and do not gain energy.
 *
 * Random discs, capsules, boxes and polygons fall in a closed box, with every way to handle
 * collisions and several restitutions.
 */
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define SEED_COUNT 12
#define SECONDS 4.0

static struct scene scene;

static int
random_polygon(struct cn_rng *rng, double x, double y)
{
    cn_vec3 vertex[8];
    int count = 3 + (int)(cn_rng_next(rng) % 6);
    for (int i = 0; i < count; i++) {
        double turn = 2.0 * CN_PI * (i + cn_rng_uniform(rng, 0.0, 0.5)) / count;
        vertex[i] = cn_vec3_make(0.7 * cos(turn), 0.7 * sin(turn), 0.0);
    }
    return scene_polygon(&scene, x, y, vertex, count);
}

static int
random_body(struct cn_rng *rng, double x, double y)
{
    switch (cn_rng_next(rng) % 4) {
    case 0:
        return scene_circle(&scene, x, y, cn_rng_uniform(rng, 0.2, 0.7));
    case 1: {
        double radius = cn_rng_uniform(rng, 0.1, 0.3);
        return scene_capsule(&scene, x, y, radius, cn_rng_uniform(rng, 0.2, 0.9));
    }
    case 2: {
        double width = cn_rng_uniform(rng, 0.3, 1.2);
        return scene_box(&scene, x, y, width, cn_rng_uniform(rng, 0.3, 1.2));
    }
    default:
        return random_polygon(rng, x, y);
    }
}

/* Bodies on a grid of cells that each is smaller than; one in four is light or heavy. */
static void
pile_init(uint64_t seed)
{
    static const double restitution[] = {0.0, 0.4, 0.8, 1.0};
    struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    scene_init(&scene, 9.81);
    scene.material[0].restitution = restitution[seed % 4];
    scene.def.settings.collision = (enum cn_collision_handling)(seed / 4 % 3);
    scene_floor(&scene);
    scene_plane(&scene, 1.0, 0.0, -4.0);
    scene_plane(&scene, -1.0, 0.0, -4.0);
    scene_plane(&scene, 0.0, -1.0, -12.0);
    int count = 4 + (int)(cn_rng_next(&rng) % 9);
    for (int i = 0; i < count; i++) {
        double x = -3.0 + 2.0 * (i % 4) + cn_rng_uniform(&rng, -0.2, 0.2);
        double y = 1.2 + 2.0 * (i / 4) + cn_rng_uniform(&rng, -0.1, 0.1);
        int body = random_body(&rng, x, y);
        scene.body[body].angle = cn_rng_uniform(&rng, -3.0, 3.0);
        scene.body[body].velocity.x = cn_rng_uniform(&rng, -2.0, 2.0);
        scene.body[body].velocity.y = cn_rng_uniform(&rng, -2.0, 2.0);
        scene.body[body].angular_velocity.z = cn_rng_uniform(&rng, -3.0, 3.0);
        if (cn_rng_next(&rng) % 4 == 0) {
            scene.body[body].mass = cn_rng_uniform(&rng, 0.1, 20.0);
        }
    }
}

static void
check_bodies(const struct cn_world *world)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i);
        assert_true(cn_vec3_is_finite(view.position) && cn_vec3_is_finite(view.velocity));
        assert_true(fabs(view.position.x) < 4.0 + 1e-3 && view.position.y > -1e-3);
        assert_false(view.quarantined);
    }
}

static void
test_pile(void **state)
{
    (void)state;
    double depth = 0.0, rise = 0.0;
    int impact_count = 0;
    for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
        pile_init(seed);
        struct cn_world *world = scene_create(&scene);
        double start = cn_world_energy(world).total, before = start;
        while (cn_world_time(world) < SECONDS) {
            scene_tick(world);
            check_bodies(world);
            impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
            double now = cn_world_energy(world).total;
            rise = fmax(rise, (now - before) / start);
            depth = fmax(depth, scene_depth(world) / cn_world_gap_tolerance(world));
            before = now;
        }
        cn_world_destroy(world);
    }
    printf("piles: %d impacts, deepest %.2g of the tolerance, energy rises by %.1e at most\n",
        impact_count, depth, rise);
    assert_true(impact_count > 1000);
    assert_true(depth <= 1.0);
    assert_true(rise <= 1e-6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
