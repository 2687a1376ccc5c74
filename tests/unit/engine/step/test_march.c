/*
 * test_march.c: laws of every step of `time` and `position`, with every solver: impulses add no
 * energy without a source, and an unsolved remainder is reported.  Ticks are bounded, also those of
 * `event`, whose rest `time` does.
 */
#include "engine/solve/table/solver_table.h"
#include "engine/step/stepper_table.h"
#include "tests/support/world/island.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct scene scene;

static bool
has_problems(const struct cn_solver *solver)
{
    return solver->kind == CN_SOLVER_PROBLEM;
}

/* A ball of 1 kg and 0.1 m in a row along x. */
static int
add_ball(double x, double speed)
{
    int ball = scene_circle(&scene, x, 0.0, 0.1);
    scene.body[ball].mass = 1.0;
    scene.body[ball].velocity.x = speed;
    return ball;
}

/*
 * Ball 1 meets ball 2, and ball 3 leaves ball 2 at 1 m/s.  With u2 - u1 = 3 e and u2 = u3 the
 * energy is (48 + 54 e^2) / 18.  So of e = 1 at most sqrt(7 / 9) is possible.  Without ball 3, ball
 * 1 stops.
 */
static void
test_restitution_gains_nothing(void **state)
{
    (void)state;
    double e = sqrt(7.0 / 9.0);
    for (int i = 0; i < cn_solver_count; i++) {
        if (!has_problems(cn_solvers[i])) {
            continue;
        }
        scene_init(&scene, 0.0);
        scene.def.tick_rate = 1000.0;
        scene.material[0].restitution = 1.0;
        strcpy(scene.def.settings.stepper, "time");
        strcpy(scene.def.settings.solver, cn_solvers[i]->name);
        int first = add_ball(0.0, 3.0), second = add_ball(0.2, 0.0), third = add_ball(0.4, 1.0);
        int far = add_ball(10.0, 3.0), alone = add_ball(10.2, 0.0); /* another island */
        struct cn_world *world = scene_create(&scene);
        scene_tick(world);
        assert_near(scene_view(world, first).velocity.x, (4.0 - 6.0 * e) / 3.0, 1e-8);
        assert_near(scene_view(world, second).velocity.x, (4.0 + 3.0 * e) / 3.0, 1e-8);
        assert_near(scene_view(world, third).velocity.x, (4.0 + 3.0 * e) / 3.0, 1e-8);
        assert_near(scene_view(world, far).velocity.x, 0.0, 1e-9);
        assert_near(scene_view(world, alone).velocity.x, 3.0, 1e-9);
        cn_world_destroy(world);
    }
}

/* A ball that bounces on a floor under gravity has the full restitution of its material. */
static void
test_a_bounce_is_whole(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene.def.tick_rate = 1000.0;
    scene_floor(&scene);
    scene.material[0].restitution = 0.8;
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "newton");
    int ball = add_ball(0.0, 0.0);
    scene.body[ball].position.y = 0.1;
    scene.body[ball].velocity.y = -4.0;
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    assert_near(scene_view(world, ball).velocity.y, 3.2, 1e-12);
    cn_world_destroy(world);
}

static double
told_residual(const struct cn_world *world)
{
    struct cn_event event = {.value = 0.0};
    return scene_events(world, CN_EVENT_UNSOLVED, &event) > 0 ? event.value : 0.0;
}

/*
 * Walls at rest by sweeps, which do not converge for large walls.  If a look could not solve the
 * problem, the next tick's event reports at least that residual.  The unsolved forces give the
 * bricks no energy: the first tick shows it, because it has no overlap to correct.
 */
static void
wall(const char *stepper, bool is_spatial, int contacts, int *unsolved)
{
    struct island island = island_build(&scene, is_spatial, contacts, 0.5);
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, "sweeps");
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total, weight = 0.0;
    for (int i = 0; i < island.brick_count; i++) {
        weight += 9.81 * scene.body[island.first_brick + i].mass;
    }
    for (int tick = 0; tick < 10; tick++) {
        double residual = cn_world_solve_summary(world).residual;
        bool solved = cn_world_solve_summary(world).outcome == CN_SOLVE_CONVERGED;
        scene_tick(world);
        assert_true(solved || told_residual(world) >= residual);
        *unsolved += !solved;
        bool corrected = tick > 0 || strcmp(stepper, "time") == 0;
        assert_true(corrected || cn_world_energy(world).total <= energy + 1e-12 * weight);
    }
    cn_world_destroy(world);
}

static void
test_walls(void **state)
{
    (void)state;
    int unsolved = 0;
    for (int k = 0; k < 8; k++) {
        wall(k % 2 == 0 ? "time" : "position", k / 2 % 2 == 1, k < 4 ? 300 : 100, &unsolved);
    }
    assert_true(unsolved > 0); /* else the test shows nothing */
}

/* Bars of 1 m and 1 kg, joined end to end in a row, the first to the world. They start level. */
static struct cn_world *
let_chain_go(const char *stepper, bool is_spatial, int count)
{
    if (is_spatial) {
        scene_init_space(&scene, 9.81);
    } else {
        scene_init(&scene, 9.81);
    }
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, "newton");
    for (int i = 0, before = -1; i < count; i++) {
        int bar = scene_box(&scene, i + 0.5, 0.0, 0.9, 0.1);
        scene.body[bar].mass = 1.0;
        (void)scene_joint(&scene, CN_JOINT_HINGE, before, bar, (cn_vec3){i, 0.0, 0.0});
        before = bar;
    }
    return scene_create(&scene);
}

static double
largest_gap(const struct cn_world *world)
{
    double most = 0.0;
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_state(world, i, &view);
        most = fmax(most, view.gap);
    }
    return most;
}

/* Sum of m g y of the bars [J] after another h seconds at their present velocities. */
static double
height_before(const struct cn_world *world, int count, const double *y, double h)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += 9.81 * (y[i] + h * scene_view(world, i).velocity.y);
    }
    return sum;
}

/*
 * Ten seconds of a chain.  No tick's velocities v' give energy, with the bars where v' carries
 * them: K(v') + U(x + h v') <= K(v) + U(x).  At no time is there more energy than at the start.
 * Returns the largest error of a joint.
 */
static double
swing(const char *stepper, bool is_spatial, int count)
{
    struct cn_world *world = let_chain_go(stepper, is_spatial, count);
    double start = cn_world_energy(world).total, rounding = 1e-9 * 9.81 * count * count;
    double worst = 0.0;
    for (int tick = 0; tick < 600; tick++) {
        double y[8], before = cn_world_energy(world).total;
        for (int i = 0; i < count; i++) {
            y[i] = scene_view(world, i).position.y;
        }
        scene_tick(world);
        double after = cn_world_energy(world).kinetic + height_before(world, count, y, 1.0 / 60.0);
        assert_true(after <= before + rounding);
        assert_true(cn_world_energy(world).total <= start + rounding);
        worst = fmax(worst, largest_gap(world));
    }
    cn_world_destroy(world);
    return worst;
}

/*
 * A bar of 1 m passes its lowest point at w^2 = 3 g / 1 m, where its centre, 0.5 m from the joint,
 * moves (w h)^2 / 2 of that off its circle in a tick.  The next tick takes that out again.
 */
static void
test_chains_gain_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *stepper = k % 2 == 0 ? "position" : "time";
        double off = 3.0 * 9.81 / (60.0 * 60.0) / 2.0 * 0.5;
        assert_true(swing(stepper, k / 2 == 1, 1) <= 1.1 * off);
        for (int count = 2; count <= 8; count += 3) {
            assert_true(swing(stepper, k / 2 == 1, count) < 0.1);
        }
    }
}

/*
 * A box of 1 m in the floor by 0.18 m: `position` lifts it by 0.25 m/s, `time` by three rounds of
 * 2 m/s.  Both report what is left after the tick.  An overlap of 4 % is not reported.
 */
static void
test_overlaps_are_told(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool is_deep = k / 2 == 0, by_position = k % 2 == 0;
        scene_init(&scene, 9.81);
        strcpy(scene.def.settings.stepper, by_position ? "position" : "time");
        strcpy(scene.def.settings.solver, "newton");
        int floor = scene_floor(&scene);
        int box = scene_box(&scene, 0.0, is_deep ? 0.32 : 0.46, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene);
        scene_tick(world);
        struct cn_event event = {.value = 0.0};
        int count = scene_events(world, CN_EVENT_OVERLAP, &event);
        assert_int_equal(count, is_deep ? 1 : 0);
        if (is_deep) {
            assert_near(event.value, 0.18 - (by_position ? 0.25 : 6.0) / 60.0, 1e-9);
            assert_int_equal(event.body_a + event.body_b, floor + box);
        }
        cn_world_destroy(world);
    }
}

/* ---- a tick is bounded ---- */

#define SLICE 500000

/* Operations of a tick, up to `most`; -1: more. */
static int64_t
work_of_tick(struct cn_world *world, int64_t most)
{
    int64_t work = SLICE;
    while (cn_world_step(world, SLICE) != CN_STEP_DONE) {
        work += SLICE;
        if (work > most) {
            return -1;
        }
    }
    return work;
}

/* Bricks of 2 kg to 2 t in different motions, so warm starts do not help the solvers. */
static struct cn_world *
burst(const char *stepper, const char *solver, bool is_spatial, int contacts)
{
    struct island island = island_build(&scene, is_spatial, contacts, 0.8);
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, solver);
    scene.material[0].restitution = 0.3;
    for (int i = 0; i < island.brick_count; i++) {
        struct cn_body_def *brick = &scene.body[island.first_brick + i];
        brick->mass *= i % 7 == 0 ? 100.0 : i % 5 == 0 ? 0.1 : 1.0;
        brick->velocity.x = i % 3 - 1.0;
        brick->velocity.y = i % 2 - 1.0;
        brick->velocity.z = is_spatial ? i % 4 - 1.5 : 0.0;
    }
    return scene_create(&scene);
}

/*
 * A tick in which some 200 contacts may be met takes no more than 8e7 operations, about 20 ms.
 * Impulses that are not solved by then are reported.
 */
static void
test_ticks_are_bounded(void **state)
{
    static const char *const steppers[] = {"time", "position", "event"};
    static const char *const solvers[] = {"baraff94", "newton", "sweeps"};
    (void)state;
    int told = 0;
    for (int k = 0; k < 18; k++) {
        struct cn_world *world =
            burst(steppers[k % 3], solvers[k / 3 % 3], k < 9, k < 9 ? 90 : 130);
        for (int tick = 0; tick < 6; tick++) {
            assert_true(work_of_tick(world, 80000000) > 0);
            told += told_residual(world) > 0.0;
        }
        cn_world_destroy(world);
    }
    assert_true(told > 0); /* else no tick was too large */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution_gains_nothing),
        cmocka_unit_test(test_a_bounce_is_whole),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_chains_gain_nothing),
        cmocka_unit_test(test_overlaps_are_told),
        cmocka_unit_test(test_ticks_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
