#include "engine/solve/matrix/friction_newton.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/*
 * Where pivots fall below this fraction of the largest one, the remaining rows depend on those that
 * have been eliminated.
 */
#define PIVOT_FRACTION_MIN 1e-11
#define HALVINGS_MAX 12

void
cn_friction_newton_take(struct cn_friction_newton *newton, struct cn_arena *scratch, int n)
{
    CN_ASSERT(n >= 0);
    size_t rows = (size_t)n;
    *newton = (struct cn_friction_newton){0};
    newton->J = CN_ARENA_TAKE(scratch, double, rows * (rows + 1));
    newton->a = CN_ARENA_TAKE(scratch, double, rows);
    newton->F = CN_ARENA_TAKE(scratch, double, rows);
    newton->step = CN_ARENA_TAKE(scratch, double, rows);
    newton->trial = CN_ARENA_TAKE(scratch, double, rows);
    newton->place = CN_ARENA_TAKE(scratch, int, rows);
    newton->column = CN_ARENA_TAKE(scratch, int, rows);
}

static double *
row_at(const struct cn_friction_newton *newton, int i)
{
    return newton->J + (size_t)i * (size_t)(newton->problem->n + 1);
}

static double
effect_of(const struct cn_matrix_problem *problem, int i)
{
    double diagonal = fabs(cn_matrix_diagonal(problem, i));
    return diagonal > 0.0 ? diagonal : 1.0;
}

/* The rows of a disc, and the quantities of its law. */
struct rim {
    int normal, first, count;
    double effect; /* D */
    double mu, radius, length; /* D mu f_N+, |D f_T - a_T| */
    double u[2];   /* unit direction of D f_T - a_T, or -d of a contact that slides */
    bool slides, slips;
};

/* Whether a disc begins at row i. */
static bool
begins_disc(const struct cn_matrix_problem *problem, int i)
{
    enum cn_row_tag tag = cn_matrix_tag(problem, i);
    return cn_row_follows(tag) && cn_matrix_tag(problem, i - 1) != tag;
}

/* The disc that begins at row `first`. */
static struct rim
rim_of(const struct cn_friction_newton *newton, const double *f, int first)
{
    const struct cn_matrix_problem *problem = newton->problem;
    struct rim rim = {.normal = first - 1, .first = first};
    enum cn_row_tag tag = cn_matrix_tag(problem, first);
    while (cn_row_follows(cn_matrix_tag(problem, rim.normal))) {
        rim.normal--;
    }
    CN_ASSERT(rim.normal >= 0 && cn_matrix_tag(problem, rim.normal) == CN_ROW_NORMAL);
    while (rim.count < 2 && first + rim.count < problem->n &&
        cn_matrix_tag(problem, first + rim.count) == tag) {
        rim.effect = cn_max(rim.effect, effect_of(problem, first + rim.count));
        rim.count++;
    }
    CN_ASSERT(problem->friction != NULL);
    rim.mu = cn_friction_limit(problem->tag, problem->friction, first);
    rim.radius = rim.effect * rim.mu * cn_max(f[rim.normal], 0.0);
    for (int k = 0; k < rim.count; k++) {
        int i = rim.first + k;
        double d = problem->slip == NULL ? 0.0 : problem->slip[i];
        rim.slides = rim.slides || d != 0.0;
    }
    for (int k = 0; k < rim.count; k++) {
        int i = rim.first + k;
        rim.u[k] = rim.slides ? -problem->slip[i] : rim.effect * f[i] - newton->a[i];
    }
    rim.length = sqrt(rim.u[0] * rim.u[0] + rim.u[1] * rim.u[1]);
    rim.slips = !rim.slides && rim.length > rim.radius;
    for (int k = 0; k < rim.count && rim.slips; k++) {
        rim.u[k] /= rim.length;
    }
    return rim;
}

/* Fills a and F at f; returns |F|^2. */
static double
evaluate_map(struct cn_friction_newton *newton, const double *f)
{
    const struct cn_matrix_problem *problem = newton->problem;
    double sum = 0.0;
    cn_matrix_rates(problem, f, newton->a);
    newton->work += cn_matrix_rates_work(problem);
    cn_work_spend(100 * (int64_t)problem->n);
    for (int i = 0; i < problem->n; i++) {
        enum cn_row_tag tag = cn_matrix_tag(problem, i);
        if (!cn_row_follows(tag)) {
            newton->F[i] = tag == CN_ROW_NORMAL
                ? cn_min(newton->a[i], effect_of(problem, i) * f[i])
                : newton->a[i];
            continue;
        }
        if (!begins_disc(problem, i)) {
            continue;
        }
        struct rim rim = rim_of(newton, f, i);
        for (int k = 0; k < rim.count; k++) {
            int t = rim.first + k;
            bool bound = rim.slides || rim.slips;
            newton->F[t] = bound ? rim.effect * f[t] - rim.radius * rim.u[k] : newton->a[t];
        }
    }
    for (int i = 0; i < problem->n; i++) {
        sum += newton->F[i] * newton->F[i];
    }
    return sum;
}

/* The derivative of a disc's F, of which row_at() holds rows of A. */
static void
differentiate_rim(struct cn_friction_newton *newton, const struct rim *rim, const double *f)
{
    int n = newton->problem->n, normal = rim->normal;
    if (!rim->slides && !rim->slips) {
        return; /* held: the derivative is A itself */
    }
    CN_ASSERT(1 <= rim->count && rim->count <= 2 && rim->first + rim->count <= n);
    double *first = row_at(newton, rim->first);
    double *second = rim->count > 1 ? row_at(newton, rim->first + 1) : NULL;
    double turn = rim->slips ? rim->radius / rim->length : 0.0;
    double u1 = rim->u[0], u2 = rim->u[1];
    /* -turn (1 - u u') (D df - A df), where only two tangents can turn */
    double p11 = turn * (1.0 - u1 * u1), p12 = -turn * u1 * u2, p22 = turn * (1.0 - u2 * u2);
    p11 = second == NULL ? 0.0 : p11;
    for (int j = 0; j < n; j++) {
        double a1 = first[j], a2 = second == NULL ? 0.0 : second[j];
        first[j] = p11 * a1 + p12 * a2;
        if (second != NULL) {
            second[j] = p12 * a1 + p22 * a2;
        }
    }
    first[rim->first] += rim->effect * (1.0 - p11);
    double along = f[normal] > 0.0 ? rim->effect * rim->mu : 0.0;
    first[normal] -= along * u1;
    if (second != NULL) {
        first[rim->first + 1] -= rim->effect * p12;
        second[rim->first] -= rim->effect * p12;
        second[rim->first + 1] += rim->effect * (1.0 - p22);
        second[normal] -= along * u2;
    }
}

static void
differentiate_map(struct cn_friction_newton *newton, const double *f)
{
    const struct cn_matrix_problem *problem = newton->problem;
    int n = problem->n;
    cn_matrix_fill(problem, newton->place, newton->J, n + 1);
    for (int i = 0; i < n; i++) {
        row_at(newton, i)[n] = -newton->F[i];
        cn_work_spend(16 * n);
        if (begins_disc(problem, i)) {
            struct rim rim = rim_of(newton, f, i);
            differentiate_rim(newton, &rim, f);
        }
        double effect = effect_of(problem, i);
        bool normal = cn_matrix_tag(problem, i) == CN_ROW_NORMAL;
        if (normal && newton->a[i] > effect * f[i]) { /* out: F = D f */
            double *row = row_at(newton, i);
            memset(row, 0, (size_t)n * sizeof(row[0]));
            row[i] = effect;
        }
    }
}

static void
swap_rows(struct cn_friction_newton *newton, int p, int q)
{
    double *x = row_at(newton, p), *y = row_at(newton, q);
    for (int j = 0; p != q && j <= newton->problem->n; j++) {
        double held = x[j];
        x[j] = y[j];
        y[j] = held;
    }
}

/* Solves J step = -F.  Undetermined unknowns stay zero. */
static void
solve_linear(struct cn_friction_newton *newton)
{
    int n = newton->problem->n, rank = 0;
    int *column = newton->column;
    double first = 0.0;
    for (int j = 0; j < n; j++) {
        column[j] = j;
        newton->step[j] = 0.0;
    }
    for (; rank < n; rank++) {
        int r = rank, c = rank;
        double best = 0.0;
        for (int i = rank; i < n; i++) {
            const double *row = row_at(newton, i);
            for (int j = rank; j < n; j++) {
                if (fabs(row[column[j]]) > best) {
                    best = fabs(row[column[j]]);
                    r = i;
                    c = j;
                }
            }
            cn_work_spend(2 * (n - rank));
        }
        CN_ASSERT(rank <= r && r < n && rank <= c && c < n);
        first = rank == 0 ? best : first;
        if (!(best > PIVOT_FRACTION_MIN * first)) {
            break;
        }
        swap_rows(newton, rank, r);
        cn_work_spend(2 * n);
        int held = column[rank];
        column[rank] = column[c];
        column[c] = held;
        const double *pivot = row_at(newton, rank);
        for (int i = rank + 1; i < n; i++) {
            double *row = row_at(newton, i), factor = row[column[rank]] / pivot[column[rank]];
            if (factor != 0.0) {
                cn_axpy(-factor, pivot, row, n + 1);
                row[column[rank]] = 0.0;
                cn_work_spend(n);
            }
        }
    }
    for (int k = rank - 1; k >= 0; k--) {
        const double *row = row_at(newton, k);
        double sum = row[n];
        for (int j = k + 1; j < rank; j++) {
            sum -= row[column[j]] * newton->step[column[j]];
        }
        newton->step[column[k]] = sum / row[column[k]];
        cn_work_spend(2 * (rank - k));
    }
    newton->work += (int64_t)n * n * n;
}

int
cn_friction_newton_run(struct cn_friction_newton *newton,
    const struct cn_matrix_problem *problem, double tolerance, int step_max, double *f)
{
    CN_ASSERT(step_max >= 0);
    int n = problem->n;
    newton->problem = problem;
    double merit = evaluate_map(newton, f);
    for (int count = 0; count < step_max; count++) {
        if (cn_matrix_residual(problem, f, newton->a) <= tolerance || !isfinite(merit)) {
            return count;
        }
        merit = evaluate_map(newton, f);
        differentiate_map(newton, f);
        solve_linear(newton);
        double length = 1.0, reached = HUGE_VAL;
        for (int halving = 0; halving < HALVINGS_MAX; halving++, length *= 0.5) {
            memcpy(newton->trial, f, (size_t)n * sizeof(f[0]));
            cn_axpy(length, newton->step, newton->trial, n);
            reached = evaluate_map(newton, newton->trial);
            if (reached < merit) {
                break;
            }
        }
        if (!(reached < merit)) {
            return count + 1;
        }
        memcpy(f, newton->trial, (size_t)n * sizeof(f[0]));
        merit = reached;
    }
    return step_max;
}
