/* test_advice.c: which stepper and solver are advised, and how an island's contacts are counted. */
#include "engine/world/advice.h"
#include "tests/support/world/island.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static int parent[SCENE_BODIES_MAX];

static void
expect(struct cn_advice advice, const char *stepper, const char *solver, bool is_exact)
{
    assert_string_equal(advice.stepper, stepper);
    assert_string_equal(advice.solver, solver);
    assert_int_equal(advice.is_exact, is_exact);
}

static void
test_methods(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    struct cn_settings *settings = &scene.def.settings;
    expect(cn_advice_find(settings, 20, true, true), "event", "baraff94", true);
    expect(cn_advice_find(settings, 5000, false, false), "event", "baraff94", true);
    expect(cn_advice_find(settings, 1000, true, false), "event", "newton", true);
    expect(cn_advice_find(settings, 1000, true, true), "time", "impulse", false);
    expect(cn_advice_find(settings, CN_ADVICE_SETTLED_MAX + 1, true, false), "time", "impulse",
        false);
    strcpy(settings->stepper, "position"); /* of first order: time is as robust */
    expect(cn_advice_find(settings, 1000, true, false), "time", "newton", true);
    strcpy(settings->stepper, "time");
    strcpy(settings->solver, "impulse");
    expect(cn_advice_find(settings, 5000, true, true), "time", "impulse", false);
}

/* A wall beside a brick on the floor: the floor joins nothing. */
static void
test_islands(void **state)
{
    (void)state;
    (void)island_build(&scene, false, 40, 0.5);
    (void)scene_box(&scene, 50.0, 0.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    assert_true(count > 50);
    assert_int_equal(cn_advice_island(world, &scene.def, parent), count - 2); /* the brick's */
    cn_world_destroy(world);
}

static void
test_motion(void **state)
{
    (void)state;
    struct island island = island_build(&scene, true, 40, 0.5);
    assert_false(cn_advice_moves(&scene.def));
    island_shoot(&scene, &island, 10.0);
    assert_true(cn_advice_moves(&scene.def));
    scene.body[island.ball].velocity = cn_vec3_make(0.0, 0.0, 0.5);
    assert_false(cn_advice_moves(&scene.def));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
