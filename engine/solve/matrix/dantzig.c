#include "engine/solve/matrix/dantzig.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* A Schur complement below this fraction of A_dd means that d depends on C. */
#define SCHUR_FRACTION_MIN 1e-12
/* Above this fraction the rounding error of the complement need not be estimated. */
#define SCHUR_FRACTION_SURE 1e-6
/* A component of df below this fraction of the largest counts as rounding. */
#define DIRECTION_FRACTION_MIN 1e-10
/* A walk along df longer than this multiple of the problem's own size is a ray. */
#define WALK_MAX 1e12
/* An unsatisfied row proves that no solution exists when its violation exceeds this part of |b|. */
#define RAY_FRACTION_MIN 1e-7
/* Rows that drives append before the factor is rebuilt. */
#define APPENDED_MAX 32
/*
 * Largest number of corrections of f_C by the residual of A_CC f_C = -b_C, each time f is settled.
 */
#define REFINEMENTS_MAX 3

enum drive_end { DRIVE_DONE, DRIVE_RAY, DRIVE_FULL, DRIVE_PIVOTS_MAX, DRIVE_INDEFINITE };

void
cn_dantzig_take(struct cn_dantzig *z, struct cn_arena *scratch, int row_max, size_t entry_max)
{
    CN_ASSERT(row_max >= 0);
    size_t n = (size_t)row_max;
    *z = (struct cn_dantzig){.capacity = row_max};
    z->a = CN_ARENA_TAKE(scratch, double, n);
    z->diagonal = CN_ARENA_TAKE(scratch, double, n);
    z->root = CN_ARENA_TAKE(scratch, double, n);
    z->x = CN_ARENA_TAKE(scratch, double, n);
    z->clamped = CN_ARENA_TAKE(scratch, int, n);
    z->place = CN_ARENA_TAKE(scratch, int, n);
    z->given_up = CN_ARENA_TAKE(scratch, bool, n);
    cn_envelope_take(&z->factor, scratch, row_max, entry_max);
}

void
cn_dantzig_begin(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f)
{
    CN_ASSERT(0 <= problem->n && problem->n <= z->capacity);
    z->problem = problem;
    z->f = f;
    z->accel_tolerance = accel_tolerance;
    z->accel_scale = cn_residual_scale(problem->b, problem->n);
    z->pivot_count = 0;
    z->work = 0;
    z->work_max = 0;
    for (int i = 0; i < problem->n; i++) {
        z->diagonal[i] = cn_matrix_diagonal(problem, i);
        z->root[i] = sqrt(fabs(z->diagonal[i]));
        z->place[i] = -1;
        z->given_up[i] = false;
    }
    cn_envelope_reset(&z->factor);
    z->factor.work = 0;
    z->appended = 0;
}

static bool
is_bilateral(const struct cn_dantzig *z, int i)
{
    return cn_matrix_tag(z->problem, i) == CN_ROW_BILATERAL;
}

double
cn_dantzig_stage(struct cn_dantzig *z, int i)
{
    CN_ASSERT(0 <= i && i < z->problem->n && z->place[i] < 0);
    int count = z->factor.count;
    double *column = cn_envelope_staging(&z->factor);
    int first = cn_matrix_column(z->problem, i, z->place, count, column);
    return cn_envelope_stage(&z->factor, first, z->diagonal[i]);
}

/* Adds row i to C; false when the factor is full. */
static bool
clamp_row(struct cn_dantzig *z, int i, double schur)
{
    CN_ASSERT(z->place[i] < 0);
    if (!cn_envelope_commit(&z->factor, schur)) {
        return false;
    }
    z->place[i] = z->factor.count - 1;
    CN_ASSERT(z->place[i] < z->problem->n);
    z->clamped[z->place[i]] = i; /* invariant 1 */
    return true;
}

static void
unclamp_row(struct cn_dantzig *z, int i)
{
    int p = z->place[i];
    CN_ASSERT(0 <= p && p < z->factor.count && z->clamped[p] == i); /* invariant 1 */
    CN_ASSERT(!is_bilateral(z, i));                                 /* invariant 2 */
    cn_envelope_remove(&z->factor, p);
    z->place[i] = -1;
    for (; p < z->factor.count; p++) {
        z->clamped[p] = z->clamped[p + 1];
        z->place[z->clamped[p]] = p;
    }
}

/*
 * The rounding error in the Schur complement of the staged row i, with x = inv(A_CC) A_Ci: S is a
 * difference of terms of this size.
 */
static double
schur_noise(const struct cn_dantzig *z, int i)
{
    double sum = z->root[i];
    for (int p = 0; p < z->factor.count; p++) {
        sum += fabs(z->x[p]) * z->root[z->clamped[p]];
    }
    return 1e-15 * sum * sum;
}

/* The least Schur complement for which the staged row i does not depend on C; x as above. */
static double
schur_min(const struct cn_dantzig *z, int i)
{
    return cn_max(SCHUR_FRACTION_MIN * fabs(z->diagonal[i]), schur_noise(z, i));
}

void
cn_dantzig_clamp(struct cn_dantzig *z, int i)
{
    if (!(z->diagonal[i] > 0.0)) {
        return;
    }
    double schur = cn_dantzig_stage(z, i);
    bool sure = schur > SCHUR_FRACTION_SURE * z->diagonal[i];
    if (!sure) {
        cn_envelope_staged_solve(&z->factor, z->x);
    }
    if (sure || schur > schur_min(z, i)) {
        (void)clamp_row(z, i, schur);
    }
}

/* Clamps the bilateral rows, then the other rows with f_i > 0, in order. */
static void
clamp_wanted(struct cn_dantzig *z)
{
    int n = z->problem->n;
    cn_work_spend(10 * (int64_t)n);
    CN_ASSERT(z->factor.count <= n);
    for (int p = 0; p < z->factor.count; p++) {
        CN_ASSERT(z->place[z->clamped[p]] == p); /* invariant 1 */
        z->place[z->clamped[p]] = -1;
    }
    cn_envelope_reset(&z->factor);
    z->appended = 0;
    if (z->problem->tag != NULL) {
        for (int i = 0; i < n; i++) {
            if (is_bilateral(z, i)) {
                cn_dantzig_clamp(z, i);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        if (!is_bilateral(z, i) && z->f[i] > 0.0) {
            cn_dantzig_clamp(z, i);
        }
    }
}

void
cn_dantzig_warm(struct cn_dantzig *z)
{
    bool again = true;
    while (again) { /* bounded: every turn but the last takes a row out of f > 0 */
        clamp_wanted(z);
        int count = z->factor.count;
        for (int p = 0; p < count; p++) {
            z->x[p] = -z->problem->b[z->clamped[p]];
        }
        cn_envelope_solve(&z->factor, z->x);
        memset(z->f, 0, (size_t)z->problem->n * sizeof(z->f[0]));
        again = false;
        for (int p = 0; p < count; p++) {
            int i = z->clamped[p];
            bool negative = !is_bilateral(z, i) && z->diagonal[i] * z->x[p] < -z->accel_tolerance;
            again = again || negative;
            z->f[i] = is_bilateral(z, i) ? z->x[p] : cn_max(z->x[p], 0.0);
        }
        z->pivot_count += again ? 1 : 0;
    }
}

/* Corrects f_C by the residual of its equations; false when a force would have to pull. */
static bool
refine_clamped(struct cn_dantzig *z)
{
    int count = z->factor.count, worst = -1;
    double f_worst = -z->accel_tolerance;
    for (int p = 0; p < count; p++) {
        z->x[p] = -z->a[z->clamped[p]];
    }
    cn_envelope_solve(&z->factor, z->x);
    for (int p = 0; p < count; p++) {
        int i = z->clamped[p];
        double f = z->f[i] + z->x[p];
        if (!is_bilateral(z, i) && z->diagonal[i] * f < f_worst) {
            worst = i;
            f_worst = z->diagonal[i] * f;
        }
        z->f[i] = is_bilateral(z, i) ? f : cn_max(f, 0.0);
    }
    if (worst >= 0) {
        unclamp_row(z, worst);
    }
    return worst < 0;
}

/* Updates a = A f + b, and corrects a_C to zero within `target`. */
static void
settle_clamped(struct cn_dantzig *z, double target)
{
    double previous = HUGE_VAL;
    for (int turn = 0;; turn++) {
        cn_matrix_rates(z->problem, z->f, z->a);
        z->work += cn_matrix_rates_work(z->problem);
        z->clamped_error = 0.0;
        for (int p = 0; p < z->factor.count; p++) {
            z->clamped_error = cn_max(z->clamped_error, fabs(z->a[z->clamped[p]]));
        }
        bool better = z->clamped_error < previous;
        if (z->clamped_error <= target || turn == REFINEMENTS_MAX || !better) {
            return;
        }
        previous = refine_clamped(z) ? z->clamped_error : HUGE_VAL;
    }
}

/* The clamped contact whose force first reaches zero, if before *s; else -1, and *s unchanged. */
static int
maxstep(const struct cn_dantzig *z, int d, double *s)
{
    double largest = z->root[d];
    for (int p = 0; p < z->factor.count; p++) {
        largest = cn_max(largest, fabs(z->x[p]) * z->root[z->clamped[p]]);
    }
    int stop = -1;
    for (int p = 0; p < z->factor.count; p++) {
        int i = z->clamped[p];
        double x = z->x[p]; /* -df_i */
        if (x * z->root[i] <= DIRECTION_FRACTION_MIN * largest || is_bilateral(z, i)) {
            continue;
        }
        double s_i = z->f[i] / x; /* eq. (10) */
        if (s_i < *s || (s_i == *s && stop >= 0 && i < stop)) {
            stop = i;
            *s = s_i;
        }
    }
    CN_ASSERT(stop < 0 || (stop != d && z->place[stop] >= 0));
    return stop;
}

static void
advance_forces(struct cn_dantzig *z, int d, double s)
{
    for (int p = 0; p < z->factor.count; p++) {
        int i = z->clamped[p];
        double f = z->f[i] - s * z->x[p];
        z->f[i] = is_bilateral(z, i) ? f : cn_max(f, 0.0);
    }
    z->f[d] += s;
}

/*
 * Rebuilds the factor in order.  Clamped contacts of force zero go to NC, except the driven
 * contact, which may push by now.
 */
static void
rebuild_factor(struct cn_dantzig *z, int d)
{
    double f_d = z->f[d];
    z->f[d] = 0.0;
    clamp_wanted(z);
    z->f[d] = f_d;
}

/*
 * Raises f_d until a_d is zero.  A row that depends on C has a_d = -df_C a_C, where df_C may be
 * large.  So before such a row counts as accelerating inward, a_C is made as exact as possible.
 */
static enum drive_end
drive_to_zero(struct cn_dantzig *z, int d, int pivot_max)
{
    CN_ASSERT(z->place[d] < 0 && !z->given_up[d] && !is_bilateral(z, d));
    double a_d = z->a[d];
    bool believed = false;
    while (z->pivot_count < pivot_max) {
        z->pivot_count++;
        if (z->appended >= APPENDED_MAX) {
            rebuild_factor(z, d);
        }
        double schur = cn_dantzig_stage(z, d);
        cn_envelope_staged_solve(&z->factor, z->x);
        cn_work_spend(20 * (int64_t)z->factor.count + 20);
        double least = schur_min(z, d);
        if (schur < -100.0 * least) {
            return DRIVE_INDEFINITE;
        }
        bool depends = !(schur > least);
        if (depends && !believed && z->f[d] == 0.0) {
            believed = true;
            settle_clamped(z, 0.0);
            a_d = z->a[d];
            if (a_d >= -z->accel_tolerance) {
                return DRIVE_DONE;
            }
            continue;
        }
        double s = depends ? HUGE_VAL : cn_max(-a_d / schur, 0.0); /* eq. (12) */
        int stop = maxstep(z, d, &s);
        bool ends = !depends || stop >= 0; /* else the length is infinite, as the scale may be */
        if (!ends || !(s * fabs(z->diagonal[d]) <= WALK_MAX * z->accel_scale)) {
            return DRIVE_RAY;
        }
        advance_forces(z, d, s);
        if (stop < 0) {
            z->appended++;
            return clamp_row(z, d, schur) ? DRIVE_DONE : DRIVE_FULL;
        }
        a_d += depends ? 0.0 : s * schur;
        z->f[stop] = 0.0;
        unclamp_row(z, stop);
    }
    return DRIVE_PIVOTS_MAX;
}

/* The row that accelerates inward the most, in the units of the dual step; -1 when no row does. */
static int
worst_row(struct cn_dantzig *z, bool *inconsistent)
{
    int worst = -1;
    double score_worst = 0.0;
    cn_work_spend(10 * (int64_t)z->problem->n);
    for (int i = 0; i < z->problem->n; i++) {
        if (z->a[i] >= -z->accel_tolerance && !(is_bilateral(z, i) && z->place[i] < 0)) {
            continue;
        }
        if (z->place[i] >= 0 || z->given_up[i] || fabs(z->a[i]) <= z->accel_tolerance) {
            continue;
        }
        if (is_bilateral(z, i)) { /* depends on the other bilateral rows, and contradicts them */
            z->given_up[i] = true;
            *inconsistent = *inconsistent || fabs(z->a[i]) > RAY_FRACTION_MIN * z->accel_scale;
            continue;
        }
        double score = z->a[i] * z->a[i] / fabs(z->diagonal[i]);
        if (score > score_worst) {
            worst = i;
            score_worst = score;
        }
    }
    return worst;
}

void
cn_dantzig_polish(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f)
{
    int64_t work = z->work + z->factor.work;
    int pivots = z->pivot_count;
    cn_dantzig_begin(z, problem, accel_tolerance, f);
    z->work = work;
    z->pivot_count = pivots;
    clamp_wanted(z);
    settle_clamped(z, 0.5 * accel_tolerance);
}

/* Continues without contact d; its ray may have carried f far away. */
static void
give_up(struct cn_dantzig *z, int d)
{
    CN_ASSERT(z->place[d] < 0 && !z->given_up[d]); /* invariant 3 */
    z->given_up[d] = true;
    z->f[d] = 0.0;
    cn_dantzig_warm(z);
}

/* Whether some row violates its conditions although no row is left to drive. */
static bool
is_spoiled(const struct cn_dantzig *z)
{
    double limit = 2.0 * z->accel_tolerance;
    for (int i = 0; i < z->problem->n; i++) {
        bool at_rest = z->f[i] != 0.0 || is_bilateral(z, i);
        if (z->a[i] < -limit || (at_rest && z->a[i] > limit)) {
            return true;
        }
    }
    return false;
}

enum cn_dantzig_end
cn_dantzig_run(struct cn_dantzig *z, int pivot_max)
{
    bool infeasible = false;
    for (;;) { /* bounded: every turn spends a pivot or is the last */
        settle_clamped(z, 0.5 * z->accel_tolerance);
        int d = worst_row(z, &infeasible);
        CN_ASSERT(d < z->problem->n && z->factor.count <= z->problem->n);
        bool spent = z->work_max > 0 && z->work + z->factor.work >= z->work_max;
        if (d >= 0 && spent) {
            return CN_DANTZIG_PIVOTS_MAX;
        }
        if (d < 0) {
            return infeasible      ? CN_DANTZIG_RAY
                   : is_spoiled(z) ? CN_DANTZIG_SPOILED
                                   : CN_DANTZIG_DONE;
        }
        switch (drive_to_zero(z, d, pivot_max)) {
        case DRIVE_DONE:
            break;
        case DRIVE_FULL:
            clamp_wanted(z); /* d among them; in the right order they may fit */
            if (z->place[d] < 0) {
                return CN_DANTZIG_PIVOTS_MAX;
            }
            break;
        case DRIVE_RAY:
            infeasible = infeasible || z->a[d] < -RAY_FRACTION_MIN * z->accel_scale;
            give_up(z, d);
            break;
        case DRIVE_INDEFINITE:
            return CN_DANTZIG_INDEFINITE;
        case DRIVE_PIVOTS_MAX:
            return CN_DANTZIG_PIVOTS_MAX;
        }
    }
}
