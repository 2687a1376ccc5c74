#include "engine/solve/friction/sweeps.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/friction_contact.h"
#include "engine/solve/matrix/subspace.h"

#include <math.h>
#include <string.h>

/* Cycles between two measurements by the judge. */
#define CYCLES_TOGETHER 4
#define BETA_MAX 1.0
/* A residual above this multiple of the least one: the cycles diverge. */
#define STRAYED 100.0
/* Products that a step on the active rows may take, besides one for each row. */
#define PRODUCTS_BASE 50
#define PRODUCTS_SHARE 6 /* and at most one in this many parts of the granted work */
/*
 * Newton steps that find the direction in which a contact slides, and the largest sine of its
 * error.
 */
#define TURNS_MAX 8
#define TURN_MISS 1e-13
/*
 * The part of the residual at which such a step stops: not below LEAST while the active rows may be
 * right, and LEAST_UNSURE after a failure.
 */
#define LEAST 1e-12
#define LEAST_UNSURE 1e-2
/*
 * Where rows contradict each other, a step makes forces grow much and hardly improves them.  A step
 * that makes them grow by more than GROWN is kept only if it reduces the residual to MUCH_BETTER of
 * its value.
 */
#define GROWN 1.5
#define MUCH_BETTER 0.1
/* The pause between two such steps doubles with each failure, this many times at most. */
#define FAILURES_MAX 5
/* Operations for one contact in one sweep. */
#define WORK_PER_GROUP 120
#define WORK_OF_BISECTION 2500
#define WORK_OF_ROLLING 3000 /* of a contact with several discs (friction_contact.h) */
#define GROUPS_TOGETHER 32

/* One contact, or one single row. */
struct group {
    struct cn_friction_group law;
    double *W;     /* its part of A */
    double *stick; /* inv(W) of a contact with one disc; zeros where W is singular */
};

struct sweeps {
    const struct cn_matrix_problem *problem;
    struct group *group;
    int group_count;
    int x_count;
    double *x; /* of an island's bodies; NULL for a problem given as a matrix */
    double *f, *a, *best, *before, *p;
    double *x_before, *x_p;
    double *root; /* the judge's A_ii, by row */
    double *W, *stick; /* of all groups */
    size_t block_used; /* of W and stick */
    double residual; /* of best */
    double square;   /* |r|^2 of the cycle before; 0: there is no p */
    bool plain;      /* without gradients, because they diverged */
    struct cn_subspace subspace;
    int patience; /* measurements until the next step on the active rows */
    int failures; /* such steps that failed one after the other */
    int64_t work;
};

static void
take_sweeps(struct sweeps *s, struct cn_arena *scratch, int n)
{
    CN_ASSERT(n >= 0);
    size_t rows = (size_t)n;
    s->group = CN_ARENA_TAKE(scratch, struct group, rows);
    double **column[] = {&s->f, &s->a, &s->best, &s->before, &s->p, &s->root};
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++) {
        *column[i] = CN_ARENA_TAKE(scratch, double, rows);
    }
    s->W = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * rows);
    s->stick = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * rows);
    /* An island has at most two movable bodies for each row, with six numbers each. */
    s->x_before = CN_ARENA_TAKE(scratch, double, 12 * rows);
    s->x_p = CN_ARENA_TAKE(scratch, double, 12 * rows);
    cn_subspace_take(&s->subspace, scratch, n);
}

static void
sweeps_matrix_layout(struct cn_arena *scratch, int n)
{
    struct sweeps unused;
    take_sweeps(&unused, scratch, n);
}

/* ---- rows ---- */

/* x += T_i df, for both bodies. */
static inline void
push_row(const struct sweeps *s, int i, double df)
{
    const struct cn_delassus *A = s->problem->delassus;
    size_t dof = (size_t)A->dof;
    for (int h = 2 * i; h < 2 * i + 2; h++) {
        if (A->body[h] < 0) {
            continue;
        }
        double *x = s->x + (size_t)A->body[h] * dof;
        const double *T = A->T + (size_t)h * dof;
        x[0] += df * T[0];
        x[1] += df * T[1];
        x[2] += df * T[2];
        if (dof == 6) {
            x[3] += df * T[3];
            x[4] += df * T[4];
            x[5] += df * T[5];
        }
    }
}

/* a_i at the present forces. */
static inline double
row_rate(const struct sweeps *s, int i)
{
    const struct cn_matrix_problem *problem = s->problem;
    if (problem->A != NULL) {
        const double *row = problem->A + (size_t)i * (size_t)problem->stride;
        return problem->b[i] + cn_dot(row, s->f, problem->n);
    }
    const struct cn_delassus *A = problem->delassus;
    size_t dof = (size_t)A->dof;
    double sum = problem->b[i];
    for (int h = 2 * i; h < 2 * i + 2; h++) {
        if (A->body[h] < 0) {
            continue;
        }
        const double *x = s->x + (size_t)A->body[h] * dof, *J = A->J + (size_t)h * dof;
        sum += J[0] * x[0] + J[1] * x[1] + J[2] * x[2];
        if (dof == 6) {
            sum += J[3] * x[3] + J[4] * x[4] + J[5] * x[5];
        }
    }
    return sum;
}

/* A_ij of two rows of one group; in an island they touch the same bodies. */
static double
entry_of(const struct cn_matrix_problem *problem, int i, int j)
{
    if (problem->A != NULL) {
        return problem->A[(size_t)i * (size_t)problem->stride + (size_t)j];
    }
    const struct cn_delassus *A = problem->delassus;
    size_t dof = (size_t)A->dof;
    double sum = 0.0;
    for (int side = 0; side < 4; side++) {
        int h = 2 * i + side / 2, o = 2 * j + side % 2;
        if (A->body[h] < 0 || A->body[h] != A->body[o]) {
            continue;
        }
        const double *J = A->J + (size_t)h * dof, *T = A->T + (size_t)o * dof;
        for (size_t k = 0; k < dof; k++) {
            sum += J[k] * T[k];
        }
    }
    return sum;
}

/* ---- groups ---- */

/* inv(W) of a contact, 2 x 2 or 3 x 3; zeros where W is singular. */
static void
invert(struct group *group)
{
    CN_ASSERT(group->law.count == 2 || group->law.count == 3);
    const double *W = group->W;
    double *out = group->stick;
    if (group->law.count == 2) {
        double det = W[0] * W[3] - W[1] * W[2];
        if (det > 1e-12 * W[0] * W[3]) {
            out[0] = W[3] / det;
            out[1] = -W[1] / det;
            out[2] = -W[2] / det;
            out[3] = W[0] / det;
        }
        return;
    }
    double c0 = W[4] * W[8] - W[5] * W[7], c1 = W[5] * W[6] - W[3] * W[8];
    double c2 = W[3] * W[7] - W[4] * W[6], det = W[0] * c0 + W[1] * c1 + W[2] * c2;
    if (!(det > 1e-12 * (W[0] * W[4]) * W[8])) {
        return;
    }
    const double cofactor[9] = {c0, W[2] * W[7] - W[1] * W[8], W[1] * W[5] - W[2] * W[4], c1,
        W[0] * W[8] - W[2] * W[6], W[2] * W[3] - W[0] * W[5], c2, W[1] * W[6] - W[0] * W[7],
        W[0] * W[4] - W[1] * W[3]};
    for (int i = 0; i < 9; i++) {
        out[i] = cofactor[i] / det;
    }
}

/* Reads the group that starts at row i. */
static void
read_group(struct sweeps *s, int i)
{
    const struct cn_matrix_problem *problem = s->problem;
    CN_ASSERT(s->group_count < problem->n);
    struct group *group = &s->group[s->group_count++];
    struct cn_friction_group *law = &group->law;
    *law = cn_friction_group_read(problem, i, i, 1.0);
    size_t size = (size_t)law->count * (size_t)law->count;
    CN_ASSERT(s->block_used + size <= (size_t)problem->n * CN_ROWS_PER_CONTACT);
    group->W = s->W + s->block_used;
    group->stick = s->stick + s->block_used;
    s->block_used += size;
    memset(group->stick, 0, size * sizeof(group->stick[0]));
    for (int k = 0; k < law->count; k++) {
        s->root[i + k] = cn_friction_effect(law, k);
        for (int m = 0; m < law->count; m++) {
            group->W[law->count * k + m] = entry_of(problem, i + k, i + m);
        }
    }
    if (law->disc_count == 1) {
        invert(group);
    }
}

/* ---- one contact ---- */

/*
 * Finds the force of a contact that slides in the plane; `sign` is that of its friction.  False:
 * cn_friction_solve has to find it.
 */
static bool
slide_planar(const struct group *group, const double *q, double sign, double *f)
{
    double mu = group->law.disc[0].friction, w = group->W[0] + sign * mu * group->W[1];
    if (!(w > 1e-9 * group->W[0])) {
        return false;
    }
    f[0] = -q[0] / w;
    f[1] = sign * mu * f[0];
    double a = q[1] + group->W[2] * f[0] + group->W[3] * f[1];
    return a * sign <= 0.0;
}

/*
 * Finds the force of a contact that slides in space: f_T = mu f_N u with a_N = 0.  Newton's method
 * turns u, from the direction of `from`, until a_T is opposite to it.  False: it does not converge.
 */
static bool
slide_spatial(const struct group *group, const double *q, const double *from, double *f)
{
    const double *W = group->W;
    double mu = group->law.disc[0].friction, length = sqrt(from[1] * from[1] + from[2] * from[2]);
    if (!(length > 0.0)) {
        return false;
    }
    double u[2] = {from[1] / length, from[2] / length};
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        double w[2] = {-u[1], u[0]}, denominator = W[0] + mu * (W[1] * u[0] + W[2] * u[1]);
        if (!(denominator > 1e-9 * W[0])) {
            return false;
        }
        double normal = -q[0] / denominator;
        double along[2] = {W[3] + mu * (W[4] * u[0] + W[5] * u[1]),
            W[6] + mu * (W[7] * u[0] + W[8] * u[1])};
        double a[2] = {q[1] + along[0] * normal, q[2] + along[1] * normal};
        double size = sqrt(a[0] * a[0] + a[1] * a[1]), miss = a[0] * u[1] - a[1] * u[0];
        double onward = a[0] * u[0] + a[1] * u[1];
        if (fabs(miss) <= TURN_MISS * size && onward <= 0.0) {
            f[0] = normal;
            f[1] = mu * normal * u[0];
            f[2] = mu * normal * u[1];
            return true;
        }
        double d_normal = -normal * mu * (W[1] * w[0] + W[2] * w[1]) / denominator;
        double da[2] = {along[0] * d_normal + mu * normal * (W[4] * w[0] + W[5] * w[1]),
            along[1] * d_normal + mu * normal * (W[7] * w[0] + W[8] * w[1])};
        double slope = da[0] * u[1] - da[1] * u[0] + onward;
        double step = slope < 0.0 ? cn_clamp(-miss / slope, -1.0, 1.0) : miss < 0.0 ? -1.0 : 1.0;
        double next[2] = {u[0] + step * w[0], u[1] + step * w[1]};
        length = sqrt(next[0] * next[0] + next[1] * next[1]);
        u[0] = next[0] / length;
        u[1] = next[1] / length;
    }
    return false;
}

/* Finds the force that solves a group alone; q are its accelerations at f = 0. */
static void
solve_alone(struct sweeps *s, const struct group *group, const double *q, double *f)
{
    const struct cn_friction_group *law = &group->law;
    int count = law->count;
    if (law->disc_count > 1) {
        s->work += WORK_OF_ROLLING;
        cn_work_spend(WORK_OF_ROLLING);
    }
    if (law->disc_count != 1 || law->disc[0].slips || q[0] >= 0.0 || group->stick[0] == 0.0) {
        cn_friction_solve(law, group->W, q, f);
        return;
    }
    double stick[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const double *I = group->stick + count * i;
        stick[i] = -(I[0] * q[0] + I[1] * q[1] + (count > 2 ? I[2] * q[2] : 0.0));
    }
    double across = stick[1] * stick[1] + stick[2] * stick[2];
    double rim = law->disc[0].friction * stick[0];
    if (stick[0] > 0.0 && across <= rim * rim) {
        memcpy(f, stick, (size_t)count * sizeof(f[0]));
        return;
    }
    double slid[3] = {0.0, 0.0, 0.0};
    bool warm = count > 2 && (f[1] != 0.0 || f[2] != 0.0);
    if (count == 2 ? slide_planar(group, q, stick[1] < 0.0 ? -1.0 : 1.0, slid)
                   : slide_spatial(group, q, warm ? f : stick, slid)) {
        memcpy(f, slid, (size_t)count * sizeof(f[0]));
        return;
    }
    s->work += WORK_OF_BISECTION;
    cn_work_spend(WORK_OF_BISECTION);
    cn_friction_solve(law, group->W, q, f);
}

static void
solve_group(struct sweeps *s, int g)
{
    const struct group *group = &s->group[g];
    int row = group->law.row, count = group->law.count;
    double q[CN_ROWS_PER_CONTACT], before[CN_ROWS_PER_CONTACT];
    for (int i = 0; i < count; i++) {
        before[i] = s->f[row + i];
    }
    for (int i = 0; i < count; i++) {
        const double *W = group->W + count * i;
        double own = W[0] * before[0];
        for (int k = 1; k < count; k++) {
            own += W[k] * before[k];
        }
        q[i] = row_rate(s, row + i) - own;
    }
    solve_alone(s, group, q, s->f + row);
    for (int i = 0; i < count; i++) {
        double change = s->f[row + i] - before[i];
        if (!isfinite(change)) {
            s->f[row + i] = before[i];
        } else if (s->x != NULL && change != 0.0) {
            push_row(s, row + i, change);
        }
    }
}

/* ---- cycles ---- */

static void
run_cycle(struct sweeps *s)
{
    int64_t cost = s->problem->A != NULL ? WORK_PER_GROUP + 3 * (int64_t)s->problem->n
                                         : WORK_PER_GROUP;
    for (int way = 0; way < 2; way++) {
        for (int k = 0; k < s->group_count; k++) {
            solve_group(s, way == 1 ? s->group_count - 1 - k : k);
            cn_work_turn(k, s->group_count, GROUPS_TOGETHER, cost);
        }
    }
    s->work += 2 * cost * s->group_count;
}

/* The residual of f.  Computes x again, without the rounding of many updates. */
static double
measure(struct sweeps *s)
{
    s->work += cn_matrix_rates_work(s->problem);
    return cn_matrix_residual(s->problem, s->f, s->a);
}

/* Measures f, and keeps it if it is the best so far.  Returns its residual. */
static double
judge(struct sweeps *s)
{
    double residual = measure(s);
    if (residual < s->residual) {
        s->residual = residual;
        memcpy(s->best, s->f, (size_t)s->problem->n * sizeof(s->f[0]));
    }
    return residual;
}

static void
remember(struct sweeps *s)
{
    memcpy(s->before, s->f, (size_t)s->problem->n * sizeof(s->f[0]));
    if (s->x != NULL) {
        memcpy(s->x_before, s->x, (size_t)s->x_count * sizeof(s->x[0]));
    }
}

/* Takes a step of the conjugate gradient method, from the change that the cycle made. */
static void
step_onward(struct sweeps *s)
{
    int n = s->problem->n;
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        double r = s->f[i] - s->before[i];
        square += s->root[i] * r * r;
    }
    double beta = s->square > 0.0 ? square / s->square : 2.0 * BETA_MAX;
    bool goes_on = beta <= BETA_MAX && !s->plain;
    s->square = square;
    for (int i = 0; i < n; i++) {
        s->p[i] = (goes_on ? beta * s->p[i] : 0.0) + s->f[i] - s->before[i];
        s->f[i] = s->before[i] + s->p[i];
    }
    for (int i = 0; s->x != NULL && i < s->x_count; i++) {
        s->x_p[i] = (goes_on ? beta * s->x_p[i] : 0.0) + s->x[i] - s->x_before[i];
        s->x[i] = s->x_before[i] + s->x_p[i];
    }
    cn_work_spend(8 * n);
}

static void
begin(struct sweeps *s, const struct cn_matrix_problem *problem, const double *f)
{
    CN_ASSERT((problem->A != NULL) != (problem->delassus != NULL));
    CN_ASSERT(problem->A != NULL || problem->delassus->row_count == problem->n);
    s->problem = problem;
    s->x = problem->A == NULL ? problem->delassus->x : NULL;
    s->x_count = problem->A == NULL ? problem->delassus->body_count * problem->delassus->dof : 0;
    CN_ASSERT(s->x_count <= 12 * problem->n); /* the room of x_before and x_p */
    s->residual = HUGE_VAL;
    for (int i = 0; i < problem->n; i += s->group[s->group_count - 1].law.count) {
        read_group(s, i);
        cn_work_spend(WORK_PER_GROUP);
    }
    CN_ASSERT(s->group_count <= problem->n);
    memcpy(s->f, f, (size_t)problem->n * sizeof(f[0]));
    (void)judge(s);
}

/* Returns to the best forces so far. */
static void
go_back(struct sweeps *s)
{
    memcpy(s->f, s->best, (size_t)s->problem->n * sizeof(s->f[0]));
    (void)cn_matrix_residual(s->problem, s->f, s->a); /* computes x */
    s->square = 0.0;
}

/*
 * If the warm start's residual exceeds that of f = 0, starts from zero.  Zero forces above the
 * tolerance are not an answer, so any later forces count as better.
 */
static void
begin_cold_where_better(struct sweeps *s, double tolerance)
{
    double warm = s->residual;
    memset(s->f, 0, (size_t)s->problem->n * sizeof(s->f[0]));
    double cold = judge(s);
    if (warm <= cold) {
        go_back(s);
    }
    s->residual = cold <= tolerance || warm < cold ? s->residual : HUGE_VAL;
}

/* Measures f.  If the cycles diverge, returns to the best forces so far, and returns true. */
static bool
has_strayed(struct sweeps *s)
{
    double least = s->residual, residual = judge(s);
    if (residual <= STRAYED * least) {
        return false;
    }
    go_back(s);
    s->plain = true;
    return true;
}

/* Products that a step on the active rows may take. */
static int
products_granted(const struct sweeps *s, int64_t work_max)
{
    int64_t cost = cn_subspace_work(s->problem), products = PRODUCTS_BASE + s->problem->n;
    if (work_max > 0) {
        int64_t left = work_max - s->work, share = work_max / PRODUCTS_SHARE;
        int64_t affordable = (left < share ? left : share) / cost;
        products = affordable < products ? affordable : products;
    }
    return (int)products;
}

/* The largest |A_ii f_i|, a force's effect on its own row; or the largest |b_i| if that is more. */
static double
effect_of_forces(const struct sweeps *s)
{
    double most = 0.0;
    for (int i = 0; i < s->problem->n; i++) {
        most = cn_max(most, cn_max(fabs(s->root[i] * s->f[i]), fabs(s->problem->b[i])));
    }
    return most;
}

/*
 * Takes a Newton step on the active rows from the forces just judged.  If it is not better, these
 * forces stay.
 */
static void
step_on_active(struct sweeps *s, double tolerance, int64_t work_max)
{
    double before = s->residual, least = LEAST_UNSURE, effect = effect_of_forces(s);
    if (s->failures == 0) { /* the active rows may be the right ones */
        least = cn_clamp(0.03 * tolerance / before, LEAST, LEAST_UNSURE);
    }
    s->work += cn_subspace_step(
        &s->subspace, s->problem, s->a, least, products_granted(s, work_max), s->f);
    cn_matrix_make_usable(s->problem, s->f);
    double grown = effect_of_forces(s) / effect, after = measure(s);
    bool better = after < before && (grown <= GROWN || after <= MUCH_BETTER * before);
    CN_ASSERT(0 <= s->failures && s->patience <= 0); /* it was this step's turn */
    s->failures = better ? 0 : s->failures + 1;
    s->patience = better ? 1 : 2 << (s->failures < FAILURES_MAX ? s->failures : FAILURES_MAX);
    s->square = 0.0;
    if (better) {
        (void)judge(s);
    } else {
        go_back(s);
    }
}

static struct cn_solve_report
sweeps_matrix_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    struct sweeps sweeps = {0}, *s = &sweeps;
    take_sweeps(s, scratch, problem->n);
    begin(s, problem, f);
    struct cn_solve_report report = {.outcome = CN_SOLVE_ITERATIONS_MAX};
    if (s->residual > options->tolerance) {
        begin_cold_where_better(s, options->tolerance);
    }
    bool spent = false;
    while (s->residual > options->tolerance && !spent) {
        remember(s);
        run_cycle(s);
        report.iteration_count += 2;
        spent = report.iteration_count >= options->iteration_max ||
                (options->work_max > 0 && s->work >= options->work_max);
        bool judges = spent || report.iteration_count % (2 * CYCLES_TOGETHER) == 0;
        if (judges && has_strayed(s)) {
            continue;
        }
        if (judges && !spent && s->residual > options->tolerance && --s->patience <= 0) {
            step_on_active(s, options->tolerance, options->work_max);
            continue;
        }
        step_onward(s);
    }
    memcpy(f, s->best, (size_t)problem->n * sizeof(f[0]));
    bool solved = s->residual <= options->tolerance;
    report.outcome = !solved ? CN_SOLVE_ITERATIONS_MAX
        : options->minimum_norm ? CN_SOLVE_INEXACT
                                : CN_SOLVE_CONVERGED;
    report.work = s->work;
    return report;
}

const struct cn_matrix_solver cn_matrix_solver_sweeps = {
    .name = "sweeps",
    .bounded = true,
    .rolling = true,
    .heuristic = true,
    .layout = sweeps_matrix_layout,
    .solve = sweeps_matrix_solve,
};
