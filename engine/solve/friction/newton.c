/*
 * newton.c: Coulomb friction to high precision, in the plane and in space, by a smoothing Newton
 * method with sweeps of Gauss-Seidel before it and between its attempts.
 *
 *     F(f, a) = 0,  a = A f + b     the conditions as equations; friction_map.h
 *     e                             width over which the kinks of F are rounded off [m/s^2]
 *     r                             regularisation: A + r diag(A) stands for A in the linear system
 *     m = |F_e|^2                   the merit, of the smoothed equations
 *
 * The method:
 *     1. SWEEPS_FIRST sweeps, unless the warm start is near.  A sweep solves each contact exactly,
 *        with the other forces held.  Every second sweep runs backwards.
 *     2. e starts at the size of the residual.  Newton steps on F_e = 0 search along lines for m.
 *     3. Once the largest part of F_e is below e, e shrinks to a fifth, and after full steps to
 *        ever smaller parts.  So the steps follow the path of solutions of F_e down to F.  Where a
 *        step has to be cut short or does not exist, e doubles and r grows tenfold, because a wider
 *        e makes the path smoother.  Full steps let r shrink again.
 *     4. If STALL_STEPS steps do not reduce the residual by a factor of ten, the method starts
 *        again from 2.  It starts in turn from zero forces, from the best forces so far with a far
 *        wider e, and from the best forces so far after many sweeps.
 *     5. If STEPS_MAX steps do not suffice, the path is followed from a wide e on, through its
 *        folds (newton_path.h), in up to four walks, from different e.
 *     6. Where these end without an answer, proximal rounds follow.  Each solves the problem with
 *            a = A f + b + p diag(A) (f - c)
 *        for the forces c of the round before.  It begins as in 2, with e at a tenth of the
 *        residual.  It ends when its residual is a fifth of that of the problem proper.  p shrinks
 *        as long as rounds succeed, and grows after ROUND_STEPS steps without success.
 *
 * The judge measures all results, on forces that a contact can bear, and the best forces are kept.
 * The judge treats a largest b below 1 m/s^2 as if it were 1 m/s^2.  The aim here is the tolerance
 * relative to the largest b, so that a problem in other units has the same answer in these units.
 * A search that has met the judge's tolerance ends although it misses the aim.  Where b is so far
 * below 1 m/s^2 that the tolerance says little (FAR_BELOW), it ends only near the aim.
 *
 * Source: Alart and Curnier 1991 for F.  Its plain semismooth Newton method, with a line search and
 * with proximal regularisation too, stalls where many contacts are between sticking, sliding and
 * parting.  Smoothing with a path: Qi, Sun and Zhou, A new look at smoothing Newton methods for
 * nonlinear complementarity problems and box constrained variational inequalities, Mathematical
 * Programming 87 (2000).  Also Hayashi, Yamashita and Fukushima, A combined smoothing and
 * regularization method for monotone second-order cone complementarity problems, SIAM J. Optim. 15
 * (2005).  Survey and data: Acary, Bremond and Huber, On solving contact problems with Coulomb
 * friction, 2018.  Departures: those methods are proved for monotone problems.  Coulomb's law is
 * not monotone (De Saxce's term), so nothing is proved here: the judge decides which forces count.
 *
 * Size.  An island is solved through its bodies, at a cost that grows with their number
 * (newton_bodies.h).  Where its factor has no room, only sweeps are used.  Work is bounded: an
 * island that has spent its work (solver.h, work_max) keeps the best forces so far.  A stepper may
 * accept a larger residual in a large island (solver.h, enough): then a search that has spent a
 * part of its work ends at that residual.  Settled islands start near their answer, so they reach
 * the tolerance before that.
 *
 * A problem that is still unsolved goes to pivoting (baraff94.c), which searches in another way,
 * unless it has moments against rolling or limits of motors.
 * Without friction its outcome is final: it proves that no forces exist, and it finds the least
 * ones.  With friction it does not search for the least forces, and its failure proves nothing.
 *
 * Remaining questions: of random jumbles with random loads, one in 500 is not solved.
 */
#include "engine/solve/friction/newton.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"
#include "engine/solve/friction/newton_path.h"
#include "engine/solve/friction/newton_system.h"
#include "engine/solve/matrix/baraff94.h"

#include <math.h>
#include <string.h>

#define SWEEPS_FIRST 20
#define SWEEPS_MORE 50
#define SWEEPS_MAX 2000
#define STEPS_MAX 400
#define STALL_STEPS 30
#define PROXIMAL_FIRST 0.01
#define PROXIMAL_MIN 1e-9
#define PROXIMAL_MAX 10.0
#define PROXIMAL_STEPS 5000
#define ROUND_STEPS 15
#define PATH_STEPS 2000
#define PATH_LENGTH_MIN 1e-6
#define HALVINGS 8
#define POLISH_STEPS 20
#define POLISHED 1e-5
#define SWEEPS_WIDE 300
#define PIVOT_ROWS_MAX CN_CONTACT_ROWS_MAX
#define PIVOT_ROWS_RUBBING 96 /* with friction, if only the aim is missed */
#define BEYOND_STEPS 200 /* steps towards the aim after the tolerance is met */
#define FAR_BELOW 100.0 /* the tolerance, in parts of the aim, that is too wide to end a search */
#define NEAR_AIM 5.0 /* then a search ends at this many parts of the aim */
#define SHRINK_FIRST 0.2
#define SHRINK_LEAST 1e-3
#define WARM_NEAR 0.1 /* below this residual a Newton step gains more than sweeps */
#define REGULAR_FIRST 1e-6
#define REGULAR_MIN 1e-9 /* well above rounding: see newton_bodies.h */
#define REGULAR_MAX 1.0
#define ROUNDING 1e-14 /* part of a limit */

struct newton {
    struct cn_newton_system system;
    struct cn_newton_path path;
    double *f, *a, *F, *d, *f_try, *a_try, *F_try, *best;
    /* relative to the largest b, for the usable forces nearest to f */
    double residual, residual_best;
    double e, regular;
    /* the factor of e when the largest part of F_e is next below e */
    double shrink;
    double proximal, *center; /* p and c; p = 0 outside proximal rounds */
    double tolerance; /* residual at which the judge's tolerance is met */
    double wanted;    /* residual at which the search ends: the tolerance, or near the aim */
    double aim;       /* residual that is aimed at, also where b is small */
    /* residual that is enough once a part of the work is spent; 0: not used */
    double enough;
    int iteration_count, iteration_max;
    int64_t work_max;
    bool is_wide; /* the factor does not fit the memory */
};

static void
newton_take(struct newton *z, struct cn_arena *scratch, int n_max, int body_max)
{
    CN_ASSERT(n_max >= 0);
    size_t n = (size_t)n_max;
    cn_newton_system_take(&z->system, scratch, n_max, body_max);
    cn_newton_path_take(&z->path, scratch, n_max);
    double **vector[] = {&z->f, &z->a, &z->F, &z->d, &z->f_try, &z->a_try, &z->F_try, &z->best,
        &z->center};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++) {
        *vector[i] = CN_ARENA_TAKE(scratch, double, n);
    }
}

/* Pivoting runs after everything else has ended, so it uses the same memory. */
static void
lay_out(struct cn_arena *scratch, int n, int body_max)
{
    struct newton unused;
    (void)CN_ARENA_TAKE(scratch, double, (size_t)n);
    (void)CN_ARENA_TAKE(scratch, double, (size_t)n);
    struct cn_arena other = *scratch;
    newton_take(&unused, scratch, n, body_max);
    (void)CN_ARENA_TAKE(&other, double, (size_t)n);
    cn_matrix_solver_baraff94.layout(&other, n < PIVOT_ROWS_MAX ? n : PIVOT_ROWS_MAX);
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

static void
newton_matrix_layout(struct cn_arena *scratch, int n)
{
    lay_out(scratch, n, -1);
}

/* An island has at most one body more than it has rows. */
static void
newton_island_layout(struct cn_arena *scratch, int row_count, int body_count)
{
    lay_out(scratch, row_count, body_count < row_count + 1 ? body_count : row_count + 1);
}

static bool
is_solved(const struct newton *z)
{
    return z->residual_best <= z->tolerance;
}

/* Whether the search for better forces may end. */
static bool
is_found(const struct newton *z)
{
    return z->residual_best <= z->wanted;
}

/* Whether the residual is at most `enough` in an island where a better answer would be costly. */
static bool
is_enough(const struct newton *z)
{
    bool is_costly = z->system.work > z->work_max / CN_SOLVE_ENOUGH_PART;
    return is_costly && z->residual_best <= z->enough;
}

static bool
is_done(const struct newton *z)
{
    bool is_spent = z->work_max > 0 && z->system.work > z->work_max;
    bool is_there = z->residual_best <= z->aim || is_enough(z);
    return is_there || z->iteration_count >= z->iteration_max || is_spent;
}

/* Judges the usable forces nearest to f, and keeps them if they are the best so far. */
static void
judge(struct newton *z)
{
    size_t size = (size_t)z->system.n * sizeof(z->f[0]);
    memcpy(z->f_try, z->f, size);
    cn_newton_system_make_usable(&z->system, z->f_try);
    cn_newton_system_rates(&z->system, z->f_try, z->a_try);
    z->residual = cn_newton_system_judge(&z->system, z->f_try, z->a_try);
    if (z->residual < z->residual_best) {
        z->residual_best = z->residual;
        memcpy(z->best, z->f_try, size);
    }
}

/* Begins a path, with a smoothing as wide as the residual. */
static void
begin_path(struct newton *z)
{
    z->e = z->residual * z->system.scale;
    z->regular = REGULAR_FIRST;
    z->shrink = SHRINK_FIRST;
}

static void
sweep(struct newton *z, int count)
{
    for (int i = 0; i < count && !is_done(z); i++) {
        cn_newton_system_sweep(&z->system, i % 2 == 1, z->f);
        z->iteration_count++;
        if (i % 10 == 9) {
            judge(z);
        }
    }
    judge(z);
    begin_path(z);
}

/* a = A f + b, and in proximal rounds + p diag(A) (f - c). */
static void
rates(struct newton *z, const double *f, double *a)
{
    cn_newton_system_rates(&z->system, f, a);
    for (int i = 0; i < z->system.n && z->proximal > 0.0; i++) {
        double root = z->system.root[i]; /* 1 / sqrt of the row's effect */
        a[i] += z->proximal * (f[i] - z->center[i]) / (root * root);
    }
}

/*
 * Takes the longest of the steps 1, 1/2, 1/4, ... along d that decreases the merit enough, or else
 * the best of them, and moves f.  Returns the step; 0 when no step decreases the merit.
 */
static double
search(struct newton *z, double merit)
{
    int n = z->system.n;
    double t = 1.0, t_best = 0.0, merit_best = merit;
    for (int i = 0; i < HALVINGS; i++, t *= 0.5) {
        for (int k = 0; k < n; k++) {
            z->f_try[k] = z->f[k] + t * z->d[k];
        }
        rates(z, z->f_try, z->a_try);
        double trial = cn_newton_system_map(&z->system, z->e, z->f_try, z->a_try, z->F_try);
        if (trial < merit_best) {
            merit_best = trial;
            t_best = t;
        }
        if (trial < merit * (1.0 - 2e-4 * t)) {
            break;
        }
    }
    for (int k = 0; k < n && t_best > 0.0; k++) {
        z->f[k] += t_best * z->d[k];
    }
    return t_best;
}

static double
largest(const double *F, int n)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        size = cn_max(size, fabs(F[i]));
    }
    return size;
}

/* Writes a and F_e at f; returns the merit. */
static double
evaluate(struct newton *z)
{
    rates(z, z->f, z->a);
    return cn_newton_system_map(&z->system, z->e, z->f, z->a, z->F);
}

/* Takes one Newton step.  Its length decides how e and r change. */
static void
step(struct newton *z)
{
    double merit = evaluate(z);
    double regular = cn_max(z->regular, z->proximal);
    z->is_wide = !cn_newton_system_step(
        &z->system, z->e, z->f, z->a, z->F, regular, z->d);
    z->iteration_count++;
    if (z->is_wide) {
        return;
    }
    double t = search(z, merit);
    judge(z);
    evaluate(z);
    bool close = largest(z->F, z->system.n) <= z->e;
    if (t < 0.1) {
        z->e *= 2.0;
        z->shrink = SHRINK_FIRST;
        z->regular = cn_min(10.0 * z->regular, REGULAR_MAX);
    } else if (t == 1.0) {
        z->regular = cn_max(0.1 * z->regular, REGULAR_MIN);
    }
    if (close) {
        z->e *= z->shrink;
        z->shrink = t == 1.0 ? cn_max(z->shrink * z->shrink, SHRINK_LEAST) : SHRINK_FIRST;
    }
}

/*
 * Starts again, in turn from zero forces, from the best forces so far with an ever wider e, and
 * from the best forces so far after ever more sweeps.
 */
static void
start_again(struct newton *z, int starts)
{
    size_t size = (size_t)z->system.n * sizeof(z->f[0]);
    CN_ASSERT(starts > 0);
    int sweeps = starts < 6 ? SWEEPS_MORE << starts : SWEEPS_MAX;
    if (starts % 3 == 1) {
        memset(z->f, 0, size);
        sweep(z, 10 * starts);
        return;
    }
    memcpy(z->f, z->best, size);
    sweep(z, sweeps);
    for (int i = 0; i < starts && starts % 3 == 2; i++) {
        z->e *= 10.0;
    }
}

/* Follows the path until the aim is met or the budget is spent. */
static void
follow(struct newton *z)
{
    double mark = z->residual_best;
    int since = 0, starts = 0, beyond = 0;
    for (int i = 0; i < STEPS_MAX && !is_done(z) && !z->is_wide; i++) {
        step(z);
        if (is_found(z) && ++beyond > BEYOND_STEPS) {
            return;
        }
        if (z->residual_best < 0.1 * mark) {
            mark = z->residual_best;
            since = 0;
        } else if (++since > STALL_STEPS) {
            start_again(z, ++starts);
            mark = z->residual_best;
            since = 0;
        }
    }
}

/* Follows the path from e = wide on, through its folds. */
static void
follow_folds(struct newton *z, double wide, double widths)
{
    struct cn_newton_path *path = &z->path;
    memset(z->f, 0, (size_t)z->system.n * sizeof(z->f[0]));
    int before = z->iteration_count;
    bool goes_on = cn_newton_path_begin(path, &z->system, z->f, wide, widths);
    while (goes_on && !is_done(z) && path->step_count < PATH_STEPS && path->e <= 10.0 * wide) {
        if (cn_newton_path_advance(path, &z->system)) {
            memcpy(z->f, path->f, (size_t)z->system.n * sizeof(z->f[0]));
            judge(z);
        }
        goes_on = path->length > PATH_LENGTH_MIN;
        z->iteration_count = before + path->step_count;
    }
    z->e = path->e;
    z->regular = REGULAR_MIN;
}

/* Runs proximal rounds from the best forces so far. */
static void
follow_proximally(struct newton *z)
{
    size_t size = (size_t)z->system.n * sizeof(z->f[0]);
    memcpy(z->f, z->best, size);
    memcpy(z->center, z->best, size);
    z->proximal = PROXIMAL_FIRST;
    z->e = z->residual_best * z->system.scale;
    int steps = 0;
    for (int i = 0; i < PROXIMAL_STEPS && !is_done(z) && !z->is_wide; i++) {
        step(z);
        double round = cn_newton_system_judge(&z->system, z->f, z->a);
        if (round < 0.2 * z->residual) {
            memcpy(z->center, z->f, size);
            z->proximal = cn_max(0.7 * z->proximal, PROXIMAL_MIN);
            z->e = 0.1 * z->residual * z->system.scale;
            steps = 0;
        } else if (++steps > ROUND_STEPS) {
            memcpy(z->f, z->center, size);
            z->proximal = cn_min(4.0 * z->proximal, PROXIMAL_MAX);
            z->e = z->residual * z->system.scale;
            steps = 0;
        }
    }
    z->proximal = 0.0;
}

static void
search_on(struct newton *z)
{
    static const double wide[] = {10.0, 1.0, 100.0, 1.0}, widths[] = {30.0, 300.0, 100.0, 100.0};
    for (int i = 0; i < 4 && !is_found(z); i++) {
        follow_folds(z, wide[i] * z->system.scale, widths[i]);
    }
    if (!is_found(z) && !is_done(z)) {
        follow_proximally(z);
    }
}

/*
 * Takes more steps until two in a row fail to halve the residual.  The last steps of a search gain
 * the most for their cost.
 */
static void
polish(struct newton *z)
{
    for (int i = 0, vain = 0; i < POLISH_STEPS && vain < 2 && !z->is_wide; i++) {
        double before = z->residual_best;
        if (is_enough(z) || before <= POLISHED * z->aim || z->iteration_count >= z->iteration_max) {
            return;
        }
        step(z);
        vain = z->residual_best <= 0.5 * before ? 0 : vain + 1;
    }
}

/* Starts from the warm start f.  If its residual exceeds that of f = 0, starts from zero. */
static void
start(struct newton *z, const double *f)
{
    int n = z->system.n;
    z->residual_best = HUGE_VAL;
    memset(z->f, 0, (size_t)n * sizeof(z->f[0]));
    memset(z->best, 0, (size_t)n * sizeof(z->f[0]));
    judge(z);
    double none = z->residual_best;
    for (int i = 0; i < n; i++) {
        z->f[i] = f[z->system.order[i]] / z->system.unit;
    }
    judge(z);
    if (!(z->residual <= none)) {
        memcpy(z->f, z->best, (size_t)n * sizeof(z->f[0]));
        z->residual = none;
    }
}

/*
 * Pivots from f, and keeps the result if the judge prefers it.  Pivoting compares b with 1 m/s^2,
 * so it gets the problem in units in which the largest b is about 1.  It supports neither
 * CN_ROW_BOUNDED nor moments.
 */
static void
pivot(const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double unit, double *f, double *f_other, double *a,
    struct cn_solve_report *report)
{
    CN_ASSERT(problem->n <= PIVOT_ROWS_MAX && !cn_matrix_has(problem, CN_ROW_BOUNDED));
    size_t size = (size_t)problem->n * sizeof(f[0]);
    bool friction = cn_matrix_has(problem, CN_ROW_TANGENT);
    struct cn_matrix_problem scaled = *problem;
    double *b = CN_ARENA_TAKE(scratch, double, (size_t)problem->n);
    for (int i = 0; i < problem->n; i++) {
        b[i] = problem->b[i] / unit;
        f_other[i] = f[i] / unit;
    }
    scaled.b = b;
    struct cn_solve_report last =
        cn_matrix_solver_baraff94.solve(&scaled, options, scratch, f_other);
    for (int i = 0; i < problem->n; i++) {
        f_other[i] *= unit;
    }
    report->iteration_count += last.iteration_count;
    report->work += last.work;
    bool solved = last.outcome == CN_SOLVE_CONVERGED;
    bool better = cn_matrix_residual(problem, f_other, a) < cn_matrix_residual(problem, f, a);
    if (better || (solved && options->minimum_norm)) {
        memcpy(f, f_other, size);
    }
    if (solved || (!friction && report->outcome != CN_SOLVE_CONVERGED)) {
        report->outcome = last.outcome;
    } else if (options->minimum_norm) {
        report->outcome = CN_SOLVE_INEXACT;
    }
}

/* If a motor's force is at its limit up to rounding, sets it to the limit exactly. */
static void
snap_to_limits(const struct cn_matrix_problem *problem, double *f, double *a)
{
    cn_matrix_rates(problem, f, a);
    for (int i = 0; i < problem->n; i++) {
        if (cn_matrix_tag(problem, i) != CN_ROW_BOUNDED) {
            continue;
        }
        double limit = a[i] > 0.0 ? problem->lower[i] : problem->upper[i];
        bool is_there = fabs(f[i] - limit) <= ROUNDING * fabs(limit);
        if (a[i] != 0.0 && fabs(limit) < HUGE_VAL && is_there) {
            f[i] = limit;
        }
    }
    cn_work_spend(4 * problem->n);
}

static struct cn_solve_report
newton_matrix_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    struct newton z = {.aim = options->tolerance, .iteration_max = options->iteration_max,
        .work_max = options->work_max, .enough = options->enough};
    double *f_other = CN_ARENA_TAKE(scratch, double, (size_t)problem->n);
    double *a = CN_ARENA_TAKE(scratch, double, (size_t)problem->n);
    struct cn_arena mine = *scratch;
    int body_max = problem->delassus == NULL ? -1 : problem->delassus->body_count;
    newton_take(&z, &mine, problem->n, body_max);
    if (!cn_newton_system_load(&z.system, problem)) {
        return (struct cn_solve_report){.outcome = CN_SOLVE_ITERATIONS_MAX};
    }
    CN_ASSERT(z.system.n == problem->n && z.system.group_count <= problem->n);
    double asked = cn_residual_scale(problem->b, problem->n) / z.system.unit;
    bool measured = z.system.by_bodies; /* in m/s^2; a problem given as a matrix may be in any
                                         * units */
    z.tolerance = z.aim * (measured ? cn_max(asked / z.system.scale, 1.0) : 1.0);
    bool says_little = z.tolerance > FAR_BELOW * z.aim && cn_matrix_rubs(problem);
    z.wanted = says_little ? NEAR_AIM * z.aim : z.tolerance;
    start(&z, f);
    if (!is_done(&z)) {
        if (z.residual <= WARM_NEAR) {
            begin_path(&z);
        } else {
            sweep(&z, SWEEPS_FIRST);
        }
        follow(&z);
        if (!is_found(&z) && !is_done(&z) && cn_matrix_rubs(problem)) {
            search_on(&z);
        }
        if (z.is_wide) {
            memcpy(z.f, z.best, (size_t)problem->n * sizeof(f[0]));
            sweep(&z, SWEEPS_WIDE);
        } else if (is_solved(&z) && !is_enough(&z)) {
            polish(&z);
        }
    }
    for (int i = 0; i < problem->n; i++) {
        f[z.system.order[i]] = z.best[i] * z.system.unit;
    }
    if (cn_matrix_has(problem, CN_ROW_BOUNDED)) {
        snap_to_limits(problem, f, a);
    }
    CN_ASSERT(z.iteration_count >= 0 && z.system.work >= 0);
    bool solved = is_solved(&z) || is_enough(&z);
    struct cn_solve_report report = {.outcome = solved ? CN_SOLVE_CONVERGED
            : CN_SOLVE_ITERATIONS_MAX, .iteration_count = z.iteration_count,
        .work = z.system.work};
    scratch->used_max = mine.used_max > scratch->used_max ? mine.used_max : scratch->used_max;
    bool least = options->minimum_norm && solved;
    bool rubs = cn_matrix_rubs(problem);
    bool pivots = !cn_matrix_has(problem, CN_ROW_BOUNDED) && !cn_matrix_rolls(problem) &&
        problem->n <= PIVOT_ROWS_MAX;
    bool missed = z.residual_best > z.aim && !is_enough(&z) &&
        (!rubs || problem->n <= PIVOT_ROWS_RUBBING);
    if (pivots && (!solved || missed || (least && !rubs))) {
        pivot(problem, options, scratch, z.system.unit, f, f_other, a, &report);
    } else if (least) {
        report.outcome = CN_SOLVE_INEXACT;
    }
    return report;
}

const struct cn_matrix_solver cn_matrix_solver_newton = {
    .name = "newton",
    .bounded = true, .sparse = true, .rolling = true,
    .layout = newton_matrix_layout,
    .layout_island = newton_island_layout,
    .solve = newton_matrix_solve,
};
