/*
 * faure96_sweep.c: the last resort of faure96 with friction; faure96.h is the manual.
 *
 * Each contact in turn is solved alone, with the present forces of the others: block Gauss-Seidel.
 * The forces of least residual are kept.
 */
#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/faure96_inside.h"
#include "engine/solve/matrix/friction_contact.h"

#include <math.h>
#include <string.h>

#define SWEEPS_MAX 64

static struct cn_friction_group
group_of(const struct faure96 *s, const struct faure96_contact *c)
{
    const struct cn_matrix_problem *problem = s->problem;
    struct cn_friction_group group = {.row = c->row, .count = 1 + c->tangent_count,
        .tag = c->bilateral ? CN_ROW_BILATERAL : CN_ROW_NORMAL, .effect = s->diagonal[c->row],
        .disc_count = c->tangent_count > 0 ? 1 : 0};
    group.disc[0] = (struct cn_friction_disc){.first = 1, .count = c->tangent_count,
        .friction = c->mu, .effect = c->tangent_diagonal, .slips = c->slips};
    for (int k = 0; k < c->tangent_count && c->slips; k++) {
        group.disc[0].slip[k] = problem->slip[c->row + 1 + k];
    }
    return group;
}

/* Solves one contact for its part of f, and updates a = A f + b. */
static void
sweep_contact(struct faure96 *s, const struct faure96_contact *c, double *f, double *a)
{
    struct cn_friction_group group = group_of(s, c);
    int n = s->problem->n, first = c->row;
    CN_ASSERT(group.count <= 3 && first + group.count <= n);
    double W[9] = {0}, q[3] = {0}, before[3] = {0};
    for (int i = 0; i < group.count; i++) {
        if (!(s->diagonal[first + i] > 0.0)) {
            return; /* its forces move nothing */
        }
        q[i] = a[first + i];
        before[i] = f[first + i];
        for (int j = 0; j < group.count; j++) {
            W[group.count * i + j] = s->A[(size_t)(first + j) * (size_t)n + (size_t)(first + i)];
            q[i] -= W[group.count * i + j] * f[first + j];
        }
    }
    cn_friction_solve(&group, W, q, f + first);
    for (int j = 0; j < group.count; j++) {
        const double *column = &s->A[(size_t)(first + j) * (size_t)n];
        double change = f[first + j] - before[j];
        for (int i = 0; i < n && change != 0.0; i++) {
            a[i] += change * column[i];
        }
    }
    s->work += 200 + (int64_t)group.count * n;
    cn_work_spend(200 + (int64_t)group.count * n);
}

double
faure96_sweep(struct faure96 *s, double tolerance)
{
    const struct cn_matrix_problem *problem = s->problem;
    CN_ASSERT(s->A != NULL && s->friction); /* invariant 4 */
    size_t size = (size_t)problem->n * sizeof(s->f[0]);
    double *f = s->v_f;
    memset(f, 0, size);
    double least = cn_matrix_residual(problem, s->f, s->a);
    double from_none = cn_matrix_residual(problem, f, s->a);
    if (!(least <= from_none)) {
        memcpy(s->f, f, size);
        least = from_none;
    }
    for (int k = 0; k < SWEEPS_MAX && !(least <= tolerance); k++) {
        for (int i = 0; i < s->contact_count; i++) {
            int turn = k % 2 == 0 ? i : s->contact_count - 1 - i;
            sweep_contact(s, &s->contact[turn], f, s->a);
        }
        double residual = cn_matrix_residual(problem, f, s->a);
        s->work += 2 * cn_matrix_rates_work(problem);
        if (residual < least) {
            memcpy(s->f, f, size);
            least = residual;
        }
    }
    return least;
}
