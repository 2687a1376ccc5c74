/*
 * run_tower.c: how a tower of bricks starts to move, as an exact problem and as a world.
 *
 * The cases without side contacts have bricks that touch but exert no force on each other.  A world
 * cannot have that; it is the limit of a small gap.  So the world is solved with two gaps, both
 * wider than its gap tolerance.  The accelerations are smooth in the gap and are extrapolated to 0.
 */
#include "tests/truth/check.h"
#include "tests/truth/table.h"
#include "tests/truth/tower.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* In units of gravity, as the truth set asks of complementarity problems; and of a world's bricks.
 */
#define EXACT 1e-9
#define WORLD 1e-6

static struct tower tower;
static struct tower_motion actual, expected, half_gap;

static void
motion_near(const char *what, double tolerance)
{
    assert_int_equal(actual.count, expected.count);
    for (int i = 0; i < actual.count; i++) {
        for (int k = 0; k < 3; k++) {
            truth_near(actual.a[i][k], expected.a[i][k], tolerance, "%s: brick %d %s", what, i,
                k == 0   ? "ax"
                : k == 1 ? "ay"
                         : "alpha");
        }
    }
}

static double
motion_max(void)
{
    double max = 0.0;
    for (int i = 0; i < actual.count; i++) {
        for (int k = 0; k < 3; k++) {
            max = fmax(max, fabs(actual.a[i][k]));
        }
    }
    return max;
}

/* Whether bricks of a row touch anywhere. */
static bool
has_neighbours(void)
{
    for (int i = 0; i < tower.count; i++) {
        if (tower_right_neighbour(&tower, i) >= 0) {
            return true;
        }
    }
    return false;
}

static void
check_without_sides(void)
{
    tower_solve_problem(&tower, false, &actual);
    motion_near("problem", EXACT);
    if (!has_neighbours()) {
        tower_solve_world(&tower, 0.0, &actual);
        motion_near("world", EXACT);
        return;
    }
    if (tower_has_crossing(&tower)) {
        return; /* exact as a problem only */
    }
    double gap = 16.0 * tower_gap_tolerance(&tower);
    tower_solve_world(&tower, gap, &actual);
    tower_solve_world(&tower, 0.5 * gap, &half_gap);
    for (int i = 0; i < actual.count; i++) {
        for (int k = 0; k < 3; k++) {
            actual.a[i][k] = 2.0 * half_gap.a[i][k] - actual.a[i][k];
        }
    }
    motion_near("world without side contacts", WORLD);
}

static void
check_with_sides(void)
{
    tower_solve_problem(&tower, true, &actual);
    motion_near("problem with side contacts", EXACT);
    if (has_neighbours()) {
        tower_solve_world(&tower, 0.0, &actual);
        motion_near("world with side contacts", EXACT);
    }
}

void
truth_run_tower(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    truth_check_tower(data);
    tower_read(&tower, data);
    if (json_is_true(truth_member(expect, "stable"))) {
        expected = (struct tower_motion){.count = tower.count};
        check_without_sides();
        check_with_sides();
        return;
    }
    bool is_without = truth_has(expect, "acc_without_side_contacts");
    bool is_with = truth_has(expect, "acc_with_side_contacts");
    if (is_without) {
        tower_motion_read(&expected, truth_member(expect, "acc_without_side_contacts"));
        check_without_sides();
    }
    if (is_with) {
        tower_motion_read(&expected, truth_member(expect, "acc_with_side_contacts"));
        check_with_sides();
    }
    if (!is_without && !is_with) {
        /* Only the verdict is given: an unstable tower moves, by more than the solver's error. */
        tower_solve_problem(&tower, false, &actual);
        assert_true(motion_max() > EXACT);
    }
}

void
truth_run_overbalanced_motion(struct tower *stack, const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double size[2];
    assert_int_equal(truth_member_numbers(given, "brick", size, 2), 2);
    tower_column(&tower, (int)truth_member_number(given, "n"), truth_member_number(given, "offset"),
        size[0], size[1]);
    double mass = truth_member_number(given, "m");
    tower.inertia *= mass / tower.mass;
    tower.mass = mass;
    tower.gravity = truth_member_number(given, "g");
    tower_motion_read(&expected, truth_member(expect, "acc_xy_alpha"));
    check_without_sides();
    *stack = tower;
}

/*
 * Ten seconds of a collapse: no contact deeper than depth_max, no rise of energy above rise_max in
 * a tick, and the last brick, which was on top, comes down.
 */
static void
collapse(double depth_max, double rise_max)
{
    struct cn_world *world = tower_world(&tower, 0.0);
    double before = cn_world_energy(world).total;
    for (int tick = 0; tick < 600; tick++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
        const struct cn_contact_view *contacts;
        int count = cn_world_contacts(world, &contacts);
        for (int i = 0; i < count; i++) {
            truth_near(fmin(contacts[i].gap, 0.0), 0.0, depth_max, "penetration, tick %d", tick);
        }
        double now = cn_world_energy(world).total;
        truth_near(fmax(now - before, 0.0), 0.0, rise_max, "rise of energy, tick %d", tick);
        before = now;
    }
    struct cn_body_view top;
    cn_world_body_view(world, tower.count - 1, &top);
    assert_true(top.position.y < tower.y[tower.count - 1] - tower.height);
    cn_world_destroy(world);
}

/* The overbalanced stack until it lies on the floor; its first instant is run above. */
void
truth_run_demo_overbalanced(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    tower_column(&tower, 5, 0.3, 1.0, 0.25);
    double start = 0.0;
    for (int i = 0; i < tower.count; i++) {
        start += tower.mass * tower.gravity * tower.y[i];
    }
    collapse(truth_member_number(expect, "penetration_over_size") * tower.height,
        truth_member_number(expect, "energy_increase_rel") * start);
}

/* The collapse of the inverted triangle of 3 rows; energy may rise by 5 m g^2 dt^2 in a step. */
void
truth_run_collapse(const json_t *data)
{
    assert_non_null(strstr(
        truth_string(truth_member(data, "expect"), "energy_increase_per_step"), "5 m g^2 dt^2"));
    tower_triangle(&tower, 3, 1.0, 0.25);
    double dt = 1.0 / 60.0;
    collapse(1e-3, 5.0 * tower.mass * tower.gravity * tower.gravity * dt * dt);
}
