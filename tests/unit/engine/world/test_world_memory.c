/*
 * test_world_memory.c: the memory of a world is bounded, known beforehand, and given back.
 */
#include "engine/solve/table/solver_table.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MIB ((size_t)1 << 20)

static struct scene scene;

static struct cn_world *
heap(const char *stepper, const char *solver, bool is_spatial, int count)
{
    heap_build(&scene, cn_stepper_find(stepper), cn_solver_find(solver), is_spatial, count);
    return scene_create(&scene);
}

static enum cn_status
set_solver(struct cn_world *world, const char *solver, struct cn_defect *defect)
{
    struct cn_command command = {.kind = CN_COMMAND_SET_METHOD};
    snprintf(command.set_method.stepper, CN_NAME_SIZE, "time");
    snprintf(command.set_method.solver, CN_NAME_SIZE, "%s", solver);
    return cn_world_command_apply(world, &command, defect);
}

/* Matrices of newton for 900 boxes were 7 GiB. */
static void
test_newton_is_bounded(void **state)
{
    (void)state;
    struct cn_world *world = heap("time", "newton", false, 400);
    assert_true(cn_world_count(world).size < 256 * MIB);
    cn_world_destroy(world);
}

/*
 * A method that needs more memory than the limit is refused; the error names both, and nothing
 * changes.
 */
static void
test_method_is_refused(void **state)
{
    (void)state;
    struct cn_defect defect;
    heap_build(&scene, cn_stepper_find("time"), cn_solver_find("impulse"), false, 300);
    scene.def.memory_max = 8 * MIB;
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    size_t before = cn_world_count(world).size;
    assert_int_equal(set_solver(world, "newton", &defect), CN_LIMIT);
    assert_string_equal(defect.path, "solver");
    assert_non_null(strstr(defect.text, "newton"));
    assert_non_null(strstr(defect.text, "8 MiB"));
    assert_int_equal(cn_world_count(world).size, before);
    scene_tick(world);
    scene_tick(other);
    assert_int_equal(cn_world_hash(world), cn_world_hash(other));
    cn_world_destroy(world);
    cn_world_destroy(other);
}

static void
test_scene_is_refused(void **state)
{
    (void)state;
    struct cn_world *world = NULL;
    struct cn_defect defect;
    heap_build(&scene, cn_stepper_find("time"), cn_solver_find("newton"), true, 300);
    scene.def.memory_max = 16 * MIB;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_LIMIT);
    assert_string_equal(defect.path, "world.solver");
    assert_non_null(strstr(defect.text, "16 MiB"));
    assert_null(world);
    scene.def.memory_max = CN_WORLD_MEMORY_MAX + 1;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_RANGE);
    assert_string_equal(defect.path, "world.memoryMib");
}

/* Contacts beyond the ceiling are left out; a restored world leaves out the same ones. */
static void
test_ceiling(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene.def.memory_max = 4 * MIB;
    for (int i = 0; i < 40; i++) {
        scene_box(&scene, 0.01 * i, 0.01 * i, 1.0, 1.0); /* all of them touch all */
    }
    struct cn_world *world = scene_create(&scene);
    int ceiling = world->model.contact_ceiling;
    assert_in_range(ceiling, 10, 780);
    scene_tick(world);
    assert_true(scene_events(world, CN_EVENT_CONTACT_LIMIT, NULL) > 0);
    assert_true(cn_world_count(world).size < 5 * MIB);
    struct cn_world *other = scene_create(&scene);
    scene_restore(other, world);
    scene_tick(world);
    scene_tick(other);
    assert_int_equal(cn_world_hash(world), cn_world_hash(other));
    assert_int_equal(other->model.contact_ceiling, ceiling);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

/* Memory is freed when a cheaper method is chosen, and when bodies are removed. */
static void
test_given_back(void **state)
{
    (void)state;
    struct cn_defect defect;
    struct cn_world *world = heap("time", "impulse", false, 300);
    scene_tick(world);
    size_t small = cn_world_count(world).size;
    assert_int_equal(set_solver(world, "newton", &defect), CN_OK);
    size_t large = cn_world_count(world).size;
    assert_true(large > 8 * small);
    for (int body = 20; body < cn_world_body_count(world); body++) {
        assert_int_equal(cn_world_remove_body(world, body, &defect), CN_OK);
    }
    scene_tick(world);
    scene_tick(world);
    assert_true(cn_world_count(world).size < large / 4);
    assert_int_equal(set_solver(world, "impulse", &defect), CN_OK);
    assert_true(cn_world_count(world).size < 2 * small);
    cn_world_destroy(world);
}

/* Worlds of one account: their sum is bounded, and another world may take freed memory. */
static void
test_account(void **state)
{
    (void)state;
    struct cn_account whole = {.max = 24 * MIB};
    struct cn_world_tools tools = {.account = &whole};
    struct cn_defect defect;
    struct cn_world *a = heap("time", "impulse", false, 100);
    struct cn_world *b = heap("time", "impulse", false, 100);
    assert_int_equal(cn_world_use(a, &tools, &defect), CN_OK);
    assert_int_equal(cn_world_use(b, &tools, &defect), CN_OK);
    size_t rest = whole.used;
    assert_int_equal(set_solver(a, "baraff94", &defect), CN_OK);
    assert_true(whole.used > rest && whole.used <= whole.max);
    assert_int_equal(set_solver(b, "baraff94", &defect), CN_MEMORY);
    assert_non_null(strstr(defect.text, "MiB"));
    scene_tick(b);
    assert_int_equal(set_solver(a, "impulse", &defect), CN_OK);
    assert_int_equal(set_solver(b, "baraff94", &defect), CN_OK);
    cn_world_destroy(b);
    cn_world_destroy(a);
    assert_int_equal(whole.used, 0);

    a = heap("time", "impulse", false, 100);
    tools.memory_max = 1000;
    assert_int_equal(cn_world_use(a, &tools, &defect), CN_MEMORY);
    assert_int_equal(whole.used, 0);
    cn_world_destroy(a);
}

/* A tick without enough memory does not begin; with a cheaper method the world continues. */
static void
test_way_out(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    for (int i = 0; i < 40; i++) {
        scene_box(&scene, 0.01 * i, 0.01 * i, 1.0, 1.0);
    }
    struct cn_world *world = scene_create(&scene);
    struct cn_account whole = {.max = cn_world_count(world).size + MIB};
    struct cn_world_tools tools = {.account = &whole};
    struct cn_defect defect;
    assert_int_equal(cn_world_use(world, &tools, &defect), CN_OK);
    assert_int_equal(cn_world_step(world, 1000000), CN_STEP_MEMORY);
    assert_false(cn_world_is_mid_tick(world));
    assert_int_equal(cn_world_tick(world), 0);
    assert_int_equal(set_solver(world, "impulse", &defect), CN_OK);
    assert_int_equal(cn_world_step(world, CN_WORK_UNLIMITED), CN_STEP_DONE);
    assert_int_equal(cn_world_tick(world), 1);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_is_bounded),
        cmocka_unit_test(test_method_is_refused),
        cmocka_unit_test(test_scene_is_refused),
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
