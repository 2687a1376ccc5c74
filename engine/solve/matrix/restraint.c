#include "engine/solve/matrix/restraint.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* |d2|^2 below this fraction of |n|^2 means that the row depends on the active ones. */
#define CURVATURE_FRACTION_MIN 1e-14
/* A component of r below this fraction of the largest counts as rounding. */
#define DIRECTION_FRACTION_MIN 1e-10
/* A step longer than this multiple of the problem's own size is a ray. */
#define STEP_MAX 1e12
/* An unsatisfied row proves that no solution exists when its violation exceeds this part of |b|. */
#define INFEASIBLE_FRACTION_MIN 1e-7
#define REFINEMENTS_MAX 3
/* Rows that are added before the factor is rebuilt, because rotations accumulate rounding. */
#define COMMITS_MAX 256

enum drive_end { DRIVE_DONE, DRIVE_RAY, DRIVE_STEPS_MAX };

void
cn_restraint_take(struct cn_restraint *g, struct cn_arena *scratch, int row_count,
    int unknown_count)
{
    CN_ASSERT(row_count >= 0 && unknown_count >= 0);
    size_t n = (size_t)row_count;
    *g = (struct cn_restraint){0};
    cn_active_set_take(&g->set, scratch, unknown_count);
    g->a = CN_ARENA_TAKE(scratch, double, n);
    g->diagonal = CN_ARENA_TAKE(scratch, double, n);
    g->root = CN_ARENA_TAKE(scratch, double, n);
    g->r = CN_ARENA_TAKE(scratch, double, n);
    g->active = CN_ARENA_TAKE(scratch, int, n);
    g->place = CN_ARENA_TAKE(scratch, int, n);
    g->given_up = CN_ARENA_TAKE(scratch, bool, n);
    g->index = CN_ARENA_TAKE(scratch, int, n > 12 ? n : 12);
    g->value = CN_ARENA_TAKE(scratch, double, n > 12 ? n : 12);
}

void
cn_restraint_begin(struct cn_restraint *g, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f)
{
    CN_ASSERT(problem->A != NULL || problem->delassus->row_count == problem->n);
    g->problem = problem;
    g->f = f;
    g->accel_tolerance = accel_tolerance;
    g->accel_scale = cn_residual_scale(problem->b, problem->n);
    for (int i = 0; i < problem->n; i++) {
        g->diagonal[i] = cn_matrix_diagonal(problem, i);
        g->root[i] = sqrt(cn_max(g->diagonal[i], 0.0));
        g->given_up[i] = false;
    }
}

static bool
is_bilateral(const struct cn_restraint *g, int i)
{
    return cn_matrix_tag(g->problem, i) == CN_ROW_BILATERAL;
}

/* Row i of J over the degrees of freedom. */
static struct cn_active_row
row_of(const struct cn_restraint *g, int i)
{
    struct cn_active_row row = {.index = g->index, .value = g->value};
    if (g->J != NULL) {
        row.count = g->rank;
        row.value = g->J + (size_t)i * (size_t)g->problem->n;
        return row; /* index[k] is k for these rows */
    }
    const struct cn_delassus *A = g->problem->delassus;
    for (int side = 0; side < 2; side++) {
        int body = A->body[2 * i + side];
        const double *J = A->J + (size_t)(2 * i + side) * (size_t)A->dof;
        CN_ASSERT(body < A->body_count);
        for (int k = 0; body >= 0 && k < A->dof; k++) {
            if (J[k] != 0.0) {
                g->index[row.count] = body * A->dof + k;
                g->value[row.count] = J[k];
                row.count++;
            }
        }
    }
    return row;
}

/* |d2|^2 of row i, which is then staged. */
static double
stage_row(struct cn_restraint *g, int i)
{
    struct cn_active_row row = row_of(g, i);
    return cn_active_set_stage(&g->set, &row);
}

static bool
row_depends(const struct cn_restraint *g, int i, double curvature)
{
    return g->set.count == g->set.n || !(curvature > CURVATURE_FRACTION_MIN * g->diagonal[i]);
}

static void
activate_row(struct cn_restraint *g, int i)
{
    CN_ASSERT(0 <= i && i < g->problem->n && g->place[i] < 0);
    cn_active_set_commit(&g->set);
    g->place[i] = g->set.count - 1;
    CN_ASSERT(g->place[i] < g->problem->n);
    g->active[g->place[i]] = i; /* invariant 1 */
}

static void
deactivate_row(struct cn_restraint *g, int i)
{
    int p = g->place[i];
    CN_ASSERT(0 <= p && p < g->set.count && g->active[p] == i); /* invariant 1 */
    CN_ASSERT(!is_bilateral(g, i));                             /* invariant 2 */
    cn_active_set_remove(&g->set, p);
    g->place[i] = -1;
    for (; p < g->set.count; p++) {
        g->active[p] = g->active[p + 1];
        g->place[g->active[p]] = p;
    }
}

/* The lower Cholesky factor C, C C' = inv(I), of one body; axes that can not turn give zeros. */
static void
set_angular_metric(struct cn_restraint *g, int at, const cn_mat33 *I)
{
    double C[3][3] = {{I->cx.x, 0.0, 0.0}, {I->cx.y, I->cy.y, 0.0}, {I->cx.z, I->cy.z, I->cz.z}};
    for (int j = 0; j < 3; j++) {
        double pivot = C[j][j] > 0.0 ? sqrt(C[j][j]) : 0.0;
        for (int i = j; i < 3; i++) {
            C[i][j] = pivot > 0.0 ? C[i][j] / pivot : 0.0;
            cn_active_set_metric(&g->set, at + i, at + j, C[i][j]);
        }
        for (int i = j + 1; i < 3; i++) {
            for (int k = j + 1; k <= i; k++) {
                C[i][k] -= C[i][j] * C[k][j];
            }
        }
    }
}

/* Sets H of the factor, with H H' = inv(M). */
static void
set_metric(struct cn_restraint *g)
{
    if (g->J != NULL) {
        CN_ASSERT(g->rank <= g->problem->n);
        cn_active_set_begin(&g->set, g->rank);
        for (int k = 0; k < g->rank; k++) {
            cn_active_set_metric(&g->set, k, k, 1.0);
        }
        return;
    }
    const struct cn_delassus *A = g->problem->delassus;
    cn_active_set_begin(&g->set, A->body_count * A->dof);
    int linear_count = A->dof == 3 ? 2 : 3;
    for (int body = 0; body < A->body_count; body++) {
        const struct cn_mass_inverse *mass = &A->mass[body];
        int at = body * A->dof;
        for (int k = 0; k < linear_count; k++) {
            cn_active_set_metric(&g->set, at + k, at + k, sqrt(mass->linear));
        }
        if (A->dof == 3) {
            cn_active_set_metric(&g->set, at + 2, at + 2, sqrt(mass->angular.cz.z));
        } else {
            set_angular_metric(g, at + 3, &mass->angular);
        }
    }
}

/* Activates the bilateral rows, then the others that push, except those that depend on these. */
static void
build_factor(struct cn_restraint *g)
{
    int n = g->problem->n;
    int64_t work = g->set.work;
    set_metric(g);
    g->set.work += work;
    g->commit_count = 0;
    for (int i = 0; i < n; i++) {
        g->place[i] = -1;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            bool wanted = pass == 0 ? is_bilateral(g, i) : !is_bilateral(g, i) && g->f[i] > 0.0;
            if (wanted && !row_depends(g, i, stage_row(g, i))) {
                activate_row(g, i);
            }
        }
    }
}

/* Starts from the least restraint under the rows that pushed last time and still do. */
void
cn_restraint_warm(struct cn_restraint *g)
{
    bool again = true;
    while (again) { /* bounded: every turn but the last takes a row out of f > 0 */
        build_factor(g);
        int count = g->set.count;
        for (int p = 0; p < count; p++) {
            g->r[p] = -g->problem->b[g->active[p]];
        }
        cn_active_set_solve(&g->set, g->r);
        memset(g->f, 0, (size_t)g->problem->n * sizeof(g->f[0]));
        again = false;
        for (int p = 0; p < count; p++) {
            int i = g->active[p];
            bool pulls = !is_bilateral(g, i) && g->diagonal[i] * g->r[p] < -g->accel_tolerance;
            again = again || pulls;
            g->f[i] = is_bilateral(g, i) ? g->r[p] : cn_max(g->r[p], 0.0);
        }
        g->step_count += again ? 1 : 0;
    }
}

/* Corrects f_A by the error of a_A; false when a force would have to pull, and its row has left. */
static bool
refine_forces(struct cn_restraint *g)
{
    int count = g->set.count, worst = -1;
    double f_worst = -g->accel_tolerance;
    for (int p = 0; p < count; p++) {
        g->r[p] = -g->a[g->active[p]];
    }
    cn_active_set_solve(&g->set, g->r);
    for (int p = 0; p < count; p++) {
        int i = g->active[p];
        double f = g->f[i] + g->r[p];
        if (!is_bilateral(g, i) && g->diagonal[i] * f < f_worst) {
            worst = i;
            f_worst = g->diagonal[i] * f;
        }
        g->f[i] = is_bilateral(g, i) ? f : cn_max(f, 0.0);
    }
    if (worst >= 0) {
        deactivate_row(g, worst);
    }
    return worst < 0;
}

/* Updates a = J y + b, and corrects a_A to zero within `target`. */
static void
settle_active(struct cn_restraint *g, double target)
{
    double previous = HUGE_VAL;
    for (int turn = 0;; turn++) {
        cn_matrix_rates(g->problem, g->f, g->a);
        g->work += cn_matrix_rates_work(g->problem);
        double error = 0.0;
        for (int p = 0; p < g->set.count; p++) {
            error = cn_max(error, fabs(g->a[g->active[p]]));
        }
        if (error <= target || turn == REFINEMENTS_MAX || !(error < previous)) {
            return;
        }
        previous = refine_forces(g) ? error : HUGE_VAL;
    }
}

/* The active row whose force first reaches zero, if before *t; else -1, and *t unchanged. */
static int
first_to_leave(const struct cn_restraint *g, int p, double *t)
{
    double largest = g->root[p];
    for (int k = 0; k < g->set.count; k++) {
        largest = cn_max(largest, fabs(g->r[k]) * g->root[g->active[k]]);
    }
    int leaving = -1;
    for (int k = 0; k < g->set.count; k++) {
        int i = g->active[k];
        if (g->r[k] * g->root[i] <= DIRECTION_FRACTION_MIN * largest || is_bilateral(g, i)) {
            continue;
        }
        double t_i = g->f[i] / g->r[k];
        if (t_i < *t || (t_i == *t && leaving >= 0 && i < leaving)) {
            leaving = i;
            *t = t_i;
        }
    }
    CN_ASSERT(leaving < 0 || (leaving != p && g->place[leaving] >= 0));
    return leaving;
}

/* Moves y, and the forces with it, until row p no longer accelerates inward. */
static enum drive_end
drive_row(struct cn_restraint *g, int p, int step_max)
{
    CN_ASSERT(g->place[p] < 0 && !g->given_up[p] && !is_bilateral(g, p));
    double a_p = g->a[p];
    bool believed = false;
    while (g->step_count < step_max) {
        g->step_count++;
        if (g->commit_count >= COMMITS_MAX) {
            double f_p = g->f[p]; /* p itself is not active yet */
            g->f[p] = 0.0;
            build_factor(g);
            g->f[p] = f_p;
        }
        double curvature = stage_row(g, p);
        bool still = row_depends(g, p, curvature);
        if (still && !believed && g->f[p] == 0.0) {
            /* a_p = r . a_A, where r may be large: so first make a_A as exact as possible. */
            believed = true;
            settle_active(g, 0.0);
            a_p = g->a[p];
            if (a_p >= -g->accel_tolerance) {
                return DRIVE_DONE;
            }
            continue;
        }
        cn_active_set_direction(&g->set, g->r);
        cn_work_spend(20 * (int64_t)g->set.count + 20);
        double t = still ? HUGE_VAL : cn_max(-a_p / curvature, 0.0);
        int leaving = first_to_leave(g, p, &t);
        bool ends = !still || leaving >= 0; /* else the length is infinite, as the scale may be */
        if (!ends || !(t * g->diagonal[p] <= STEP_MAX * g->accel_scale)) {
            return DRIVE_RAY;
        }
        for (int k = 0; k < g->set.count; k++) {
            int i = g->active[k];
            double f = g->f[i] - t * g->r[k];
            g->f[i] = is_bilateral(g, i) ? f : cn_max(f, 0.0);
        }
        g->f[p] += t;
        if (leaving < 0) {
            g->commit_count++;
            activate_row(g, p);
            return DRIVE_DONE;
        }
        a_p += still ? 0.0 : t * curvature;
        g->f[leaving] = 0.0;
        deactivate_row(g, leaving);
    }
    return DRIVE_STEPS_MAX;
}

/*
 * The row that accelerates inward the most, by the length of the step to it; -1 when no row does.
 */
static int
worst_row(struct cn_restraint *g, bool *infeasible)
{
    int worst = -1;
    double score_worst = 0.0;
    cn_work_spend(10 * (int64_t)g->problem->n);
    for (int i = 0; i < g->problem->n; i++) {
        double a = is_bilateral(g, i) ? -fabs(g->a[i]) : g->a[i];
        if (a >= -g->accel_tolerance || g->place[i] >= 0 || g->given_up[i]) {
            continue;
        }
        if (is_bilateral(g, i)) { /* depends on the other bilateral rows, and contradicts them */
            g->given_up[i] = true;
            *infeasible = *infeasible || a < -INFEASIBLE_FRACTION_MIN * g->accel_scale;
            continue;
        }
        double score = a * a / g->diagonal[i];
        if (score > score_worst) {
            worst = i;
            score_worst = score;
        }
    }
    return worst;
}

/* Whether some row violates its conditions although no row is left to drive. */
static bool
is_spoiled(const struct cn_restraint *g)
{
    double limit = 2.0 * g->accel_tolerance;
    for (int i = 0; i < g->problem->n; i++) {
        bool at_rest = g->f[i] != 0.0 || is_bilateral(g, i);
        if (g->a[i] < -limit || (at_rest && g->a[i] > limit)) {
            return true;
        }
    }
    return false;
}

enum cn_restraint_end
cn_restraint_run(struct cn_restraint *g, int step_max)
{
    bool infeasible = false;
    for (;;) { /* bounded: every turn spends a step or is the last */
        settle_active(g, 0.5 * g->accel_tolerance);
        int p = worst_row(g, &infeasible);
        if (p < 0) {
            return infeasible      ? CN_RESTRAINT_INFEASIBLE
                   : is_spoiled(g) ? CN_RESTRAINT_SPOILED
                                   : CN_RESTRAINT_DONE;
        }
        switch (drive_row(g, p, step_max)) {
        case DRIVE_DONE:
            break;
        case DRIVE_RAY:
            infeasible = infeasible || g->a[p] < -INFEASIBLE_FRACTION_MIN * g->accel_scale;
            CN_ASSERT(g->place[p] < 0); /* invariant 3 */
            g->given_up[p] = true;
            g->f[p] = 0.0;
            cn_restraint_warm(g);
            break;
        case DRIVE_STEPS_MAX:
            return CN_RESTRAINT_STEPS_MAX;
        }
    }
}
