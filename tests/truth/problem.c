#include "tests/truth/problem.h"

#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Far below what any case asks for, far above rounding. */
#define TOLERANCE 1e-11

void
truth_problem_init(struct truth_problem *problem)
{
    memset(problem, 0, sizeof(*problem));
    problem->contact.rows = problem->rows;
    problem->contact.mass = problem->mass;
    problem->contact.b = problem->b;
    problem->contact.tag = problem->tag;
    problem->contact.friction = problem->friction;
    problem->contact.slip = problem->slip;
}

int
truth_problem_body(struct truth_problem *problem, double mass, double inertia, cn_vec3 center)
{
    int body = problem->contact.body_count++;
    assert_true(body < TRUTH_BODIES_MAX);
    double spin = 1.0 / inertia;
    problem->mass[body].linear = 1.0 / mass;
    problem->mass[body].angular = cn_mat33_diagonal(spin, spin, spin);
    problem->center[body] = center;
    return body;
}

void
truth_problem_load(struct truth_problem *problem, int body, cn_vec3 force, cn_vec3 point)
{
    assert_int_equal(problem->contact.row_count, 0);
    const struct cn_mass_inverse *mass = &problem->mass[body];
    cn_vec3 torque = cn_vec3_cross(cn_vec3_sub(point, problem->center[body]), force);
    problem->linear[body] = cn_vec3_add_scaled(problem->linear[body], mass->linear, force);
    problem->angular[body] =
        cn_vec3_add(problem->angular[body], cn_mat33_apply(&mass->angular, torque));
}

/* The row's rate for given rates of its bodies. */
static double
row_rate(const struct cn_row *row, const cn_vec3 *linear, const cn_vec3 *angular)
{
    double rate = 0.0;
    if (row->body_a >= 0) {
        rate += cn_vec3_dot(row->linear_a, linear[row->body_a]) +
                cn_vec3_dot(row->angular_a, angular[row->body_a]);
    }
    if (row->body_b >= 0) {
        rate += cn_vec3_dot(row->linear_b, linear[row->body_b]) +
                cn_vec3_dot(row->angular_b, angular[row->body_b]);
    }
    return rate;
}

int
truth_problem_row(struct truth_problem *problem, const struct cn_row *row, enum cn_row_tag tag)
{
    int index = problem->contact.row_count++;
    assert_true(index < TRUTH_ROWS_MAX);
    problem->rows[index] = *row;
    problem->tag[index] = (unsigned char)tag;
    problem->b[index] = row_rate(row, problem->linear, problem->angular);
    return index;
}

int
truth_problem_contact(struct truth_problem *problem, int body_a, int body_b, cn_vec3 point,
    cn_vec3 normal, enum cn_row_tag tag)
{
    struct cn_row row = {.body_a = body_a, .body_b = body_b};
    if (body_a >= 0) {
        cn_vec3 arm = cn_vec3_sub(point, problem->center[body_a]);
        row.linear_a = cn_vec3_negate(normal);
        row.angular_a = cn_vec3_negate(cn_vec3_cross(arm, normal));
    }
    if (body_b >= 0) {
        row.linear_b = normal;
        row.angular_b = cn_vec3_cross(cn_vec3_sub(point, problem->center[body_b]), normal);
    }
    return truth_problem_row(problem, &row, tag);
}

int
truth_problem_rough_contact(struct truth_problem *problem, int body_a, int body_b, cn_vec3 point,
    cn_vec3 normal, cn_vec3 tangent, double mu, double slip)
{
    int row = truth_problem_contact(problem, body_a, body_b, point, normal, CN_ROW_NORMAL);
    problem->friction[row] = mu;
    row = truth_problem_contact(problem, body_a, body_b, point, tangent, CN_ROW_TANGENT);
    problem->slip[row] = slip;
    return row - 1;
}

struct cn_solve_report
truth_problem_try(struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm)
{
    const struct cn_contact_problem *contact = &problem->contact;
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    solver->layout(&scratch, contact->row_count, contact->body_count);
    size_t size = scratch.used + 64;
    void *memory = aligned_alloc(64, size / 64 * 64 + 64);
    assert_non_null(memory);
    cn_arena_init(&scratch, memory, size);
    struct cn_solve_options options = {
        .tolerance = TOLERANCE, .iteration_max = 20000, .minimum_norm = minimum_norm};
    memset(problem->f, 0, sizeof(problem->f));
    struct cn_solve_report report = solver->solve(contact, &options, &scratch, problem->f);
    free(memory);
    cn_vec3 linear[TRUTH_BODIES_MAX], angular[TRUTH_BODIES_MAX];
    for (int body = 0; body < contact->body_count; body++) {
        truth_problem_motion(problem, body, &linear[body], &angular[body]);
    }
    for (int i = 0; i < contact->row_count; i++) {
        problem->a[i] = row_rate(&problem->rows[i], linear, angular);
    }
    return report;
}

void
truth_problem_solve(
    struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm)
{
    struct cn_solve_report report = truth_problem_try(problem, solver, minimum_norm);
    if (report.outcome != CN_SOLVE_CONVERGED) {
        fail_msg("%s: %s, residual %g, %d iterations", solver->name,
            cn_solve_outcome_name(report.outcome), report.residual, report.iteration_count);
    }
}

static bool
has_friction(const struct truth_problem *problem)
{
    bool any = false;
    for (int i = 0; i < problem->contact.row_count; i++) {
        any = any || problem->tag[i] == CN_ROW_TANGENT;
    }
    return any;
}

bool
truth_problem_is_told(const struct truth_problem *problem, const struct cn_solver *solver,
    const struct cn_solve_report *report)
{
    bool may = has_friction(problem) && strcmp(solver->name, "faure96") == 0;
    if (!may || (report->outcome != CN_SOLVE_ITERATIONS_MAX && report->stand_in_rows == 0)) {
        return false;
    }
    print_message("truth: %s tells that it did not converge: residual %g after %d iterations\n",
        solver->name, report->residual, report->iteration_count);
    return true;
}

void
truth_problem_solve_or_tell(
    struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm)
{
    struct cn_solve_report report = truth_problem_try(problem, solver, minimum_norm);
    if (truth_problem_is_told(problem, solver, &report)) {
        truth_problem_solve(problem, cn_solver_find("baraff94"), minimum_norm);
    } else if (report.outcome != CN_SOLVE_CONVERGED) {
        fail_msg("%s: %s, residual %g, %d iterations", solver->name,
            cn_solve_outcome_name(report.outcome), report.residual, report.iteration_count);
    }
}

void
truth_problem_solve_all(struct truth_problem *problem, bool minimum_norm)
{
    static double f[TRUTH_ROWS_MAX], a[TRUTH_ROWS_MAX];
    bool friction = has_friction(problem);
    int n = problem->contact.row_count, solved = 0;
    double size = cn_residual_scale(problem->b, n);
    truth_problem_solve(problem, cn_solver_find("baraff94"), minimum_norm);
    memcpy(f, problem->f, sizeof(f));
    memcpy(a, problem->a, sizeof(a));
    for (int k = 0; k < cn_problem_solver_count; k++) {
        if (friction && !cn_solvers[k]->friction) {
            continue;
        }
        struct cn_solve_report report = truth_problem_try(problem, cn_solvers[k], minimum_norm);
        bool gave_up =
            report.outcome == CN_SOLVE_INEXACT || report.outcome == CN_SOLVE_ITERATIONS_MAX;
        if ((cn_solvers[k]->heuristic && gave_up) ||
            truth_problem_is_told(problem, cn_solvers[k], &report)) {
            continue;
        }
        if (report.outcome != CN_SOLVE_CONVERGED) {
            fail_msg("%s: %s, residual %g, %d iterations", cn_solvers[k]->name,
                cn_solve_outcome_name(report.outcome), report.residual, report.iteration_count);
        }
        solved++;
        for (int i = 0; i < n; i++) {
            bool rates_agree = fabs(problem->a[i] - a[i]) <= TRUTH_AGREE * size;
            bool forces_agree = fabs(problem->f[i] - f[i]) <= TRUTH_AGREE * fmax(1.0, fabs(f[i]));
            if (!rates_agree || (minimum_norm && !forces_agree)) {
                fail_msg("%s: a[%d] = %.17g and not %.17g, f = %.17g and not %.17g",
                    cn_solvers[k]->name, i, problem->a[i], a[i], problem->f[i], f[i]);
            }
        }
    }
    assert_true(solved >= (friction ? 2 : 3));
    memcpy(problem->f, f, sizeof(f));
    memcpy(problem->a, a, sizeof(a));
}

void
truth_problem_motion(
    const struct truth_problem *problem, int body, cn_vec3 *linear, cn_vec3 *angular)
{
    cn_vec3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    for (int i = 0; i < problem->contact.row_count; i++) {
        const struct cn_row *row = &problem->rows[i];
        if (row->body_a == body) {
            force = cn_vec3_add_scaled(force, problem->f[i], row->linear_a);
            torque = cn_vec3_add_scaled(torque, problem->f[i], row->angular_a);
        }
        if (row->body_b == body) {
            force = cn_vec3_add_scaled(force, problem->f[i], row->linear_b);
            torque = cn_vec3_add_scaled(torque, problem->f[i], row->angular_b);
        }
    }
    const struct cn_mass_inverse *mass = &problem->mass[body];
    *linear = cn_vec3_add_scaled(problem->linear[body], mass->linear, force);
    *angular = cn_vec3_add(problem->angular[body], cn_mat33_apply(&mass->angular, torque));
}

void
truth_minus(int count, const double *from, double *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = -from[i];
    }
}
