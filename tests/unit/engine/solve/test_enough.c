/*
 * test_enough.c: when newton stops early.  Large islands that are hit are solved to 1e-4 of their
 * largest velocity; settled ones and small ones to the tolerance.
 */
#include "engine/solve/solver.h"
#include "tests/support/world/island.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define TOLERANCE 1e-10
#define ENOUGH 1e-4
#define BALL_SPEED 10.0

static struct scene scene;
static int stand_ins; /* ticks in which another solver answered */

/* The residual in the event UNSOLVED of the last tick; 0 without such an event. */
static double
told_residual(const struct cn_world *world)
{
    const struct cn_event *events;
    double told = 0.0;
    int count = cn_world_events(world, &events);
    for (int i = 0; i < count; i++) {
        stand_ins += events[i].kind == CN_EVENT_STAND_IN;
        told = events[i].kind == CN_EVENT_UNSOLVED ? fmax(told, events[i].value) : told;
    }
    return told;
}

/*
 * The worst residual of some ticks.  A look after a tick solves the first problem of the next
 * tick.  If its residual is above the tolerance, that tick's event reports at least as much.
 */
static double
worst_residual(struct cn_world *world, int ticks)
{
    double worst = 0.0, before = 0.0;
    stand_ins = 0;
    for (int i = 0; i < ticks; i++) {
        scene_tick(world);
        struct cn_solve_summary note = cn_world_solve_summary(world);
        assert_true((note.outcome == CN_SOLVE_CONVERGED) == (note.residual <= TOLERANCE));
        double told = told_residual(world);
        assert_true(before <= TOLERANCE || told >= before);
        before = note.residual;
        worst = fmax(worst, note.residual);
    }
    return worst;
}

static struct cn_world *
make(struct island *island, int contacts, bool ball)
{
    *island = island_build(&scene, false, contacts, 0.5);
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "newton");
    if (ball) {
        island_shoot(&scene, island, BALL_SPEED);
    }
    return scene_create(&scene);
}

/*
 * With 2 rows a contact, 500 contacts are a large island, and a hit needs more than one solve may
 * take.
 */
static void
test_large_and_hit(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, 500, true);
    double worst = worst_residual(world, 14);
    assert_true(worst > TOLERANCE); /* it stopped early */
    assert_true(worst <= ENOUGH);   /* the judge measures it by 1 m/s at least, and b is 10 m/s */
    assert_true(stand_ins <= 1);    /* in the tick of the hit, which spends its work (march.h) */
    cn_world_destroy(world);
}

/* The floor carries the weight of all bricks, to the tolerance. */
static void
test_large_and_settled(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, 500, false);
    (void)worst_residual(world, 5);
    assert_true(worst_residual(world, 5) <= TOLERANCE);
    assert_int_equal(stand_ins, 0);
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    double carried = 0.0, weight = 0.0;
    for (int i = 0; i < count; i++) {
        carried += contacts[i].body_a < island.first_brick ? contacts[i].force : 0.0;
    }
    for (int i = 0; i < island.brick_count; i++) {
        weight += 9.81 * scene.body[island.first_brick + i].mass;
    }
    assert_true(fabs(carried - weight) <= 1e-7 * weight);
    cn_world_destroy(world);
}

/*
 * So small that the hit takes less than the work of a tick (march.h); else sweeps would finish it.
 */
static void
test_small_and_hit(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, 24, true);
    assert_true(worst_residual(world, 8) <= TOLERANCE);
    assert_int_equal(stand_ins, 0);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_and_hit),
        cmocka_unit_test(test_large_and_settled),
        cmocka_unit_test(test_small_and_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
