#include "engine/solve/matrix/subspace.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

/* A contact slides where its friction is above this part of mu f_N. */
#define SLIDES_BEYOND (1.0 - 1e-9)

/* Operations on vectors for each row, besides the product. */
#define WORK_PER_ROW 20

enum part { FIXED, FREE, FOLLOWS };

void
cn_subspace_take(struct cn_subspace *s, struct cn_arena *arena, int n)
{
    CN_ASSERT(n >= 0);
    size_t rows = (size_t)n;
    double **column[] = {&s->along, &s->diagonal, &s->r, &s->shadow, &s->p, &s->v, &s->t, &s->q,
        &s->way, &s->whole, &s->none};
    s->part = CN_ARENA_TAKE(arena, unsigned char, rows);
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++) {
        *column[i] = CN_ARENA_TAKE(arena, double, rows);
    }
}

/* ---- active rows ---- */

/*
 * Decides the parts of the `count` rows of the disc that begins at row `first`, of the contact
 * whose normal row is i.  True: it slides.
 */
static bool
guess_disc(struct cn_subspace *s, const struct cn_matrix_problem *problem, const double *f, int i,
    int first, int count)
{
    CN_ASSERT(count <= 2 && cn_matrix_tag(problem, i) == CN_ROW_NORMAL);
    CN_ASSERT(problem->friction != NULL);
    double limit = cn_friction_limit(problem->tag, problem->friction, first);
    double rim = limit * f[i], square = 0.0;
    bool slips = false;
    for (int t = first; t < first + count; t++) {
        square += f[t] * f[t];
        slips = slips || (problem->slip != NULL && problem->slip[t] != 0.0);
    }
    bool slides = f[i] > 0.0 && (slips || sqrt(square) >= SLIDES_BEYOND * rim);
    for (int t = first; t < first + count; t++) {
        s->part[t] = (unsigned char)(f[i] <= 0.0 ? FIXED : slides ? FOLLOWS : FREE);
        s->along[t] = slides ? f[t] / f[i] : 0.0;
    }
    return slides;
}

static bool
is_active(const struct cn_matrix_problem *problem, const double *f, int i)
{
    switch (cn_matrix_tag(problem, i)) {
    case CN_ROW_NORMAL:
        return f[i] > 0.0;
    case CN_ROW_BOUNDED:
        return problem->lower[i] < f[i] && f[i] < problem->upper[i];
    case CN_ROW_BILATERAL:
    case CN_ROW_TANGENT:
    case CN_ROW_ROLLING:
    case CN_ROW_SPINNING:
        break;
    }
    return true;
}

/* Decides the part of every row.  True: some contact slides. */
static bool
guess_parts(struct cn_subspace *s, const struct cn_matrix_problem *problem, const double *f)
{
    bool any = false;
    for (int i = 0; i < problem->n;) {
        CN_ASSERT(!cn_row_follows(cn_matrix_tag(problem, i))); /* a contact begins here */
        s->part[i] = is_active(problem, f, i) ? FREE : FIXED;
        int first = i + 1;
        while (first < problem->n && cn_row_follows(cn_matrix_tag(problem, first))) {
            int end = first + 1;
            while (end < problem->n &&
                   cn_matrix_tag(problem, end) == cn_matrix_tag(problem, first)) {
                end++;
            }
            any = guess_disc(s, problem, f, i, first, end - first) || any;
            first = end;
        }
        i = first;
    }
    for (int i = 0; i < problem->n; i++) {
        double diagonal = cn_matrix_diagonal(problem, i);
        s->diagonal[i] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
        s->none[i] = 0.0;
    }
    return any;
}

/* ---- products ---- */

/* Fills `whole` with a step of the active rows, and with the rows that follow them. */
static void
expand_way(
    const struct cn_subspace *s, const struct cn_matrix_problem *problem, const double *way)
{
    int normal = 0;
    for (int i = 0; i < problem->n; i++) {
        normal = cn_row_follows(cn_matrix_tag(problem, i)) ? normal : i;
        s->whole[i] = s->part[i] == FREE      ? way[i]
                      : s->part[i] == FOLLOWS ? s->along[i] * way[normal]
                                              : 0.0;
    }
}

/* out = A way, in the active rows only */
static void
multiply_active(const struct cn_subspace *s, const struct cn_matrix_problem *problem,
    const double *way, double *out)
{
    struct cn_matrix_problem homogeneous = *problem;
    homogeneous.b = s->none;
    expand_way(s, problem, way);
    cn_matrix_rates(&homogeneous, s->whole, out);
    for (int i = 0; i < problem->n; i++) {
        out[i] = s->part[i] == FREE ? out[i] : 0.0;
    }
    cn_work_spend(cn_subspace_work(problem));
}

/* out = in / diagonal */
static void
precondition_vector(const struct cn_subspace *s, int n, const double *in, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i] * s->diagonal[i];
    }
}

/* y = y + c x */
static void
add_scaled(int n, double c, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] += c * x[i];
    }
}

/* ---- Krylov methods: solve A way = r from way = 0, and return the number of products ---- */

static int
conjugate_gradients(struct cn_subspace *s, const struct cn_matrix_problem *problem, double least,
    int product_max)
{
    int n = problem->n, count = 0;
    precondition_vector(s, n, s->r, s->p);
    double rz = cn_dot(s->r, s->p, n), enough = least * least * rz;
    while (count < product_max && rz > enough) {
        multiply_active(s, problem, s->p, s->v);
        count++;
        double curvature = cn_dot(s->p, s->v, n);
        if (!(curvature > 0.0)) {
            break;
        }
        add_scaled(n, rz / curvature, s->p, s->way);
        add_scaled(n, -rz / curvature, s->v, s->r);
        precondition_vector(s, n, s->r, s->q);
        double next = cn_dot(s->r, s->q, n);
        for (int i = 0; i < n; i++) {
            s->p[i] = s->q[i] + next / rz * s->p[i];
        }
        rz = next;
    }
    return count;
}

static int
stabilised_gradients(struct cn_subspace *s, const struct cn_matrix_problem *problem, double least,
    int product_max)
{
    int n = problem->n, count = 0;
    double rho = 1.0, alpha = 1.0, omega = 1.0;
    double enough = least * least * cn_dot(s->r, s->r, n);
    memcpy(s->shadow, s->r, (size_t)n * sizeof(s->r[0]));
    memset(s->p, 0, (size_t)n * sizeof(s->p[0]));
    memset(s->v, 0, (size_t)n * sizeof(s->v[0]));
    while (count < product_max && cn_dot(s->r, s->r, n) > enough) {
        double next = cn_dot(s->shadow, s->r, n), beta = next / rho * (alpha / omega);
        if (!isfinite(beta) || next == 0.0) {
            break;
        }
        for (int i = 0; i < n; i++) {
            s->p[i] = s->r[i] + beta * (s->p[i] - omega * s->v[i]);
        }
        precondition_vector(s, n, s->p, s->q);
        multiply_active(s, problem, s->q, s->v);
        double shadow = cn_dot(s->shadow, s->v, n);
        if (shadow == 0.0) {
            break;
        }
        rho = next;
        alpha = next / shadow;
        add_scaled(n, alpha, s->q, s->way);
        add_scaled(n, -alpha, s->v, s->r);
        precondition_vector(s, n, s->r, s->q);
        multiply_active(s, problem, s->q, s->t);
        count += 2;
        double square = cn_dot(s->t, s->t, n);
        omega = square > 0.0 ? cn_dot(s->t, s->r, n) / square : 0.0;
        if (omega == 0.0) {
            break;
        }
        add_scaled(n, omega, s->q, s->way);
        add_scaled(n, -omega, s->t, s->r);
    }
    return count;
}

int64_t
cn_subspace_work(const struct cn_matrix_problem *problem)
{
    return cn_matrix_rates_work(problem) + WORK_PER_ROW * (int64_t)problem->n;
}

int64_t
cn_subspace_step(struct cn_subspace *s, const struct cn_matrix_problem *problem, const double *a,
    double least, int product_max, double *f)
{
    int n = problem->n;
    CN_ASSERT(problem->b != s->none);
    bool slides = guess_parts(s, problem, f);
    for (int i = 0; i < n; i++) {
        s->r[i] = s->part[i] == FREE ? -a[i] : 0.0;
        s->way[i] = 0.0;
    }
    int count = slides ? stabilised_gradients(s, problem, least, product_max)
                       : conjugate_gradients(s, problem, least, product_max);
    expand_way(s, problem, s->way);
    for (int i = 0; i < n; i++) {
        double next = f[i] + s->whole[i];
        f[i] = isfinite(next) ? next : f[i];
    }
    return (count + 1) * cn_subspace_work(problem);
}
