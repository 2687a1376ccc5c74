/*
 * problem.h: builds contact problems from the numbers of the truth set, and solves them.
 *
 * Bodies, rows and the right-hand side come from the case; the engine only solves the problem.  So
 * a wrong manifold or row cannot hide a wrong solver, or the reverse.
 *
 * Signs: the truth set writes y = A f - b, here a = A f + b; only truth_minus converts this.
 */
#ifndef TESTS_TRUTH_PROBLEM_H
#define TESTS_TRUTH_PROBLEM_H

#include "engine/solve/solver.h"

#include <stdbool.h>

#define TRUTH_ROWS_MAX 512
#define TRUTH_BODIES_MAX 128

struct truth_problem {
    struct cn_contact_problem contact; /* points into the arrays below */
    struct cn_row rows[TRUTH_ROWS_MAX];
    struct cn_mass_inverse mass[TRUTH_BODIES_MAX];
    double b[TRUTH_ROWS_MAX];
    double friction[TRUTH_ROWS_MAX]; /* of normal rows: 0 where nothing else is said */
    double slip[TRUTH_ROWS_MAX];     /* of tangent rows */
    unsigned char tag[TRUTH_ROWS_MAX];
    cn_vec3 center[TRUTH_BODIES_MAX];  /* of mass [m] */
    cn_vec3 linear[TRUTH_BODIES_MAX];  /* acceleration without contact forces [m/s^2] */
    cn_vec3 angular[TRUTH_BODIES_MAX]; /* [rad/s^2] */
    double f[TRUTH_ROWS_MAX];          /* of the last solve [N] */
    double a[TRUTH_ROWS_MAX];          /* A f + b of the last solve [m/s^2] */
};

void truth_problem_init(struct truth_problem *problem);

/* Adds a body at rest; mass and inertia of HUGE_VAL can not be moved. Returns its index. */
int truth_problem_body(struct truth_problem *problem, double mass, double inertia, cn_vec3 center);

/* An external force at a point: changes the body's free acceleration. Before the rows. */
void truth_problem_load(struct truth_problem *problem, int body, cn_vec3 force, cn_vec3 point);

/* Adds a row as it is; b = J times the free accelerations. Returns its index. */
int truth_problem_row(struct truth_problem *problem, const struct cn_row *row, enum cn_row_tag tag);

/* The row of a contact or, with BILATERAL, of a hinge's one axis. -1: what can not move. */
int truth_problem_contact(struct truth_problem *problem, int body_a, int body_b, cn_vec3 point,
    cn_vec3 normal, enum cn_row_tag tag);

/*
 * The rows of a planar contact with friction; slip is +1 or -1 where it slides along or against the
 * tangent, 0 where it rests.  Returns the normal row.
 */
int truth_problem_rough_contact(struct truth_problem *problem, int body_a, int body_b,
    cn_vec3 point, cn_vec3 normal, cn_vec3 tangent, double mu, double slip);

/* Solves and fills f and a, whatever the outcome. */
struct cn_solve_report truth_problem_try(
    struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm);

/* Solves and fills f and a; the report's outcome is CONVERGED or the test fails. */
void truth_problem_solve(
    struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm);

/*
 * As truth_problem_solve, but faure96 may report that it did not converge on a problem with
 * friction: nothing is proven about it there (solve/matrix/faure96.h).  Then a message says so, and
 * baraff94 solves the problem in its place.  Every other solver has to converge.
 */
void truth_problem_solve_or_tell(
    struct truth_problem *problem, const struct cn_solver *solver, bool minimum_norm);

/* Whether the report says that faure96 did not converge on a problem with friction. */
bool truth_problem_is_told(const struct truth_problem *problem, const struct cn_solver *solver,
    const struct cn_solve_report *report);

/* How much the results of two solvers may differ, relative to the scale of b. */
#define TRUTH_AGREE 1e-8

/*
 * Solves with every solver of the table; a heuristic may report failure.  Their accelerations agree
 * and, with minimum_norm, their forces too.  f and a are baraff94's.
 */
void truth_problem_solve_all(struct truth_problem *problem, bool minimum_norm);

/* Accelerations of a body under the forces of the last solve. */
void truth_problem_motion(
    const struct truth_problem *problem, int body, cn_vec3 *linear, cn_vec3 *angular);

/* to[i] = -from[i]: the truth set's b into ours, and back. */
void truth_minus(int count, const double *from, double *to);

#endif
