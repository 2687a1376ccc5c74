/*
 * run_agree.c: compares all frictionless solvers on every instance that the truth set names.
 *
 * Each instance is built from its own numbers and solved by every solver of the table.
 * truth_problem_solve_all compares their accelerations.  A heuristic is not compared if it reports
 * that it failed.
 */
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"
#include "tests/truth/tower.h"

#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct truth_problem problem;
static struct tower tower;
static struct tower_motion motion;

/* A block on two corners, under loads that push down on it. */
static void
agree_on_block(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double m = truth_member_number(given, "m"), w = truth_member_number(given, "w"), gaps[2];
    cn_vec3 center = {truth_member_number(given, "com_x"), 0.0, 0.0};
    truth_problem_init(&problem);
    int block = truth_problem_body(&problem, m, truth_member_number(given, "I_used"), center);
    truth_problem_load(
        &problem, block, cn_vec3_make(0.0, -m * truth_member_number(given, "g"), 0.0), center);
    size_t index;
    json_t *load;
    json_array_foreach(truth_member(given, "loads_x_P"), index, load)
    {
        double x_P[2];
        assert_int_equal(truth_numbers(load, x_P, 2), 2);
        truth_problem_load(&problem, block, cn_vec3_make(0.0, -x_P[1], 0.0),
            cn_vec3_make(x_P[0], 0.0, 0.0));
    }
    for (int i = 0; i < 2; i++) {
        cn_vec3 corner = {(i - 0.5) * w, 0.0, 0.0}, up = {0.0, 1.0, 0.0};
        truth_problem_contact(&problem, -1, block, corner, up, CN_ROW_NORMAL);
    }
    truth_problem_solve_all(&problem, false);
    truth_member_numbers(expect, "chi_ddot", gaps, 2);
    for (int i = 0; i < 2; i++) {
        truth_near(problem.a[i], gaps[i], truth_tolerance(data, gaps[i]), "chi_ddot[%d]", i);
    }
}

static void
agree_on_tower(const json_t *data)
{
    tower_read(&tower, data);
    tower_solve_problem(&tower, false, &motion);
    tower_solve_problem(&tower, true, &motion);
}

void
truth_run_agree(const json_t *data)
{
    static const struct {
        const char *section, *pattern;
        void (*agree)(const json_t *data);
    } instances[] = {
        {"cases", "B-heur-*", truth_run_single_body},
        {"cases", "B-block-*", agree_on_block},
        {"cases", "F-bar-*", truth_run_bar},
        {"towers", "T-*", agree_on_tower},
    };
    double allowed = truth_member_number(truth_member(data, "expect"), "max_diff");
    assert_true(TRUTH_AGREE <= allowed);
    for (size_t k = 0; k < sizeof(instances) / sizeof(instances[0]); k++) {
        size_t index;
        json_t *other;
        int count = 0;
        json_array_foreach(
            truth_section(instances[k].section, instances[k].pattern), index, other)
        {
            if (fnmatch(instances[k].pattern, truth_string(other, "id"), 0) == 0) {
                instances[k].agree(other);
                count++;
            }
        }
        assert_true(count > 0);
    }
}
