/*
 * test_slices.c: a step in slices, for every stepper with every solver, in the plane and in space.
 *
 *   1. for any slices, the state after each tick, its events and its reports have the bits of a
 *      step in one piece
 *   2. a step really has several slices: a tick of a heap takes more than a slice of 100 us, except
 *      with the production solver
 *   3. a read, an image or a command in the middle of a tick or a look has the same result as in a
 *      world that was not interrupted
 *   4. a world can be destroyed, or read another image, in the middle of a tick
 */
#include "engine/solve/table/solver_table.h"
#include "engine/state/image.h"
#include "tests/support/world/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TICKS 3
#define BOXES (is_spatial ? 5 : 7)

static struct scene scene;
static const struct cn_stepper *stepper;
static const struct cn_solver *solver;
static bool is_spatial;

static void
for_each_pair(void (*law)(void))
{
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            for (int s = 0; s < 2; s++) {
                stepper = cn_steppers[i];
                solver = cn_solvers[k];
                is_spatial = s == 1;
                if (cn_stepper_fits(stepper, solver) &&
                    (is_spatial ? stepper->spatial : stepper->planar)) {
                    law();
                }
            }
        }
    }
}

static struct cn_world *
heap(int count)
{
    heap_build(&scene, stepper, solver, is_spatial, count);
    return scene_create(&scene);
}

/* One tick in slices; how many it took. */
static int
tick_in_slices(struct cn_world *world, int64_t work)
{
    int count = 1;
    while (cn_world_step(world, work) != CN_STEP_DONE) {
        assert_true(cn_world_is_mid_tick(world));
        count++;
    }
    return count;
}

static int
look_in_slices(struct cn_world *world, int64_t work)
{
    int count = 1;
    while (cn_world_look(world, work) != CN_STEP_DONE) {
        assert_false(cn_world_is_looked_at(world));
        count++;
    }
    assert_true(cn_world_is_looked_at(world));
    return count;
}

/* The same state, events, contacts and energies. */
static void
assert_alike(struct cn_world *a, struct cn_world *b)
{
    const struct cn_contact_view *of_a, *of_b;
    int count = cn_world_contacts(a, &of_a);
    assert_int_equal(cn_world_hash(a), cn_world_hash(b));
    assert_true(scene_same_events(a, b));
    assert_int_equal(cn_world_contacts(b, &of_b), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(of_a[i].id, of_b[i].id);
        assert_memory_equal(&of_a[i].force, &of_b[i].force, sizeof(double));
        assert_memory_equal(&of_a[i].friction, &of_b[i].friction, sizeof(cn_vec3));
        assert_memory_equal(&of_a[i].impulse, &of_b[i].impulse, sizeof(double));
    }
    for (int i = 0; i < cn_world_body_count(a); i++) {
        struct cn_body_view view_a = scene_view(a, i), view_b = scene_view(b, i);
        assert_memory_equal(&view_a.acceleration, &view_b.acceleration, sizeof(cn_vec3));
    }
    struct cn_energy energy_a = cn_world_energy(a), energy_b = cn_world_energy(b);
    assert_memory_equal(&energy_a, &energy_b, sizeof(energy_a));
}

static void
has_the_bits(void)
{
    static const int64_t works[] = {20, 777, 100000};
    struct cn_world *whole = heap(BOXES), *sliced[3];
    for (int k = 0; k < 3; k++) {
        sliced[k] = heap(BOXES);
    }
    for (int t = 0; t < TICKS; t++) {
        scene_tick(whole);
        for (int k = 0; k < 3; k++) {
            if (k == 0 && t != 1) { /* thousands of slices: one tick of them is enough */
                scene_tick(sliced[0]);
            } else {
                tick_in_slices(sliced[k], works[k]);
                look_in_slices(sliced[k], works[k]);
            }
            assert_alike(whole, sliced[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        cn_world_destroy(sliced[k]);
    }
    cn_world_destroy(whole);
}

static void
test_bits(void **state)
{
    (void)state;
    for_each_pair(has_the_bits);
}

static void
makes_slices(void)
{
    struct cn_world *world = heap(is_spatial ? 8 : 16);
    int most = 0;
    for (int t = 0; t < TICKS; t++) {
        int count = tick_in_slices(world, 100000);
        most = count > most ? count : most;
    }
    assert_true(most > 1 || solver->kind == CN_SOLVER_BODIES);
    cn_world_destroy(world);
}

static void
test_slices(void **state)
{
    (void)state;
    for_each_pair(makes_slices);
}

/* Stops in the middle of a tick, after `skip` + 1 slices. False: the tick ended before that. */
static bool
stop_amid(struct cn_world *world, int skip)
{
    while (skip-- >= 0) {
        if (cn_world_step(world, 5000) == CN_STEP_DONE) {
            return false;
        }
    }
    return true;
}

static void
reads_amid(void)
{
    for (int skip = 0; skip < 40; skip += 13) {
        struct cn_world *world = heap(BOXES), *other = heap(BOXES), *whole = heap(BOXES);
        struct cn_query ray = cn_query_make(CN_QUERY_RAY);
        struct cn_defect defect;
        struct cn_query_hit hits[CN_QUERY_HITS_MAX];
        int hit_count;
        ray.position = cn_vec3_make(-5.0, 0.5, 0.0);
        ray.along = cn_vec3_make(60.0, 0.0, 0.0);
        scene_tick(world);
        scene_tick(other);
        scene_tick(whole);
        if (stop_amid(world, skip)) {
            uint64_t hash = cn_world_hash(world); /* ends the piece, before anything else does */
            (void)scene_view(world, 3);
            (void)cn_world_energy(world);
            (void)cn_world_motion(world);
            (void)!cn_world_query(world, &ray, hits, &hit_count, &defect);
            scene_restore(other, world); /* an image amid a tick */
            assert_int_equal(cn_world_hash(world), hash);
            assert_int_equal(cn_world_hash(other), hash);
            tick_in_slices(world, 5000);
            tick_in_slices(other, 5000);
        } else {
            scene_tick(other);
        }
        scene_tick(whole);
        assert_int_equal(cn_world_hash(world), cn_world_hash(whole));
        assert_int_equal(cn_world_hash(other), cn_world_hash(whole));
        cn_world_destroy(whole);
        cn_world_destroy(other);
        cn_world_destroy(world);
    }
}

static void
looks_amid(void)
{
    struct cn_world *world = heap(BOXES), *whole = heap(BOXES);
    struct cn_command push = {.kind = CN_COMMAND_SET_GRAVITY};
    push.set_gravity.value = cn_vec3_make(1.0, -8.0, 0.0);
    scene_tick(world);
    scene_tick(whole);
    (void)cn_world_look(world, 5000);
    assert_alike(world, whole); /* the reads finish the interrupted look */
    tick_in_slices(world, 5000);
    (void)cn_world_look(world, 5000);
    tick_in_slices(world, 5000); /* the look is given up */
    (void)cn_world_look(world, 5000);
    scene_command(world, &push);
    (void)cn_world_look(world, 5000);
    scene_ticks(whole, 2);
    scene_command(whole, &push);
    assert_alike(world, whole);
    (void)cn_world_step(world, 1);
    cn_world_destroy(world); /* a world that is stopped in the middle of a tick */
    cn_world_destroy(whole);
}

static void
test_amid(void **state)
{
    (void)state;
    for_each_pair(reads_amid);
    for_each_pair(looks_amid);
}

/*
 * Worlds of one thread share the scratch memory; a world stopped inside a tick keeps its own part.
 */
static void
takes_turns(void)
{
    struct cn_scratch scratch = {0};
    struct cn_world_tools tools = {.scratch = &scratch};
    struct cn_world *world[3], *whole = heap(BOXES);
    struct cn_defect defect;
    bool is_done[3] = {false, false, false};
    for (int k = 0; k < 3; k++) {
        world[k] = heap(BOXES);
        assert_int_equal(cn_world_use(world[k], &tools, &defect), CN_OK);
    }
    scene_tick(whole);
    for (int left = 3; left > 0;) {
        for (int k = 0; k < 3; k++) {
            if (!is_done[k] && cn_world_step(world[k], 20000 + 7000 * k) == CN_STEP_DONE) {
                is_done[k] = true;
                left--;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_int_equal(cn_world_hash(world[k]), cn_world_hash(whole));
        cn_world_destroy(world[k]);
    }
    cn_world_destroy(whole);
    cn_scratch_finish(&scratch);
}

static void
test_turns(void **state)
{
    (void)state;
    for_each_pair(takes_turns);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_amid),
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
