#include "engine/solve/friction/newton_system.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"
#include "engine/solve/friction/newton_bodies.h"
#include "engine/solve/friction/newton_rows.h"

#include <math.h>
#include <string.h>

#define NOISE 1e-9     /* m/s^2: b of this size is rounding */
#define NOTHING 1e-280 /* for a problem given as a matrix, which may be in any units */

void
cn_newton_system_take(struct cn_newton_system *system, struct cn_arena *scratch, int n_max,
    int body_max)
{
    CN_ASSERT(n_max >= 0);
    size_t n = (size_t)n_max;
    *system = (struct cn_newton_system){.by_bodies = body_max >= 0};
    system->order = CN_ARENA_TAKE(scratch, int, n);
    system->b = CN_ARENA_TAKE(scratch, double, n);
    system->root = CN_ARENA_TAKE(scratch, double, n);
    system->group = CN_ARENA_TAKE(scratch, struct cn_friction_group, n);
    system->by_f = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    system->by_a = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    system->place = CN_ARENA_TAKE(scratch, int, n + 1);
    system->queue = CN_ARENA_TAKE(scratch, int, n);
    system->start = CN_ARENA_TAKE(scratch, int, n + 1);
    system->active = CN_ARENA_TAKE(scratch, bool, n);
    if (system->by_bodies) {
        cn_newton_bodies_take(&system->bodies, scratch, n_max, body_max);
    } else {
        cn_newton_rows_take(&system->rows, scratch, n_max);
    }
}

/*
 * Finds where the problem's groups start, by the problem's row numbers, and writes the group of
 * each row to place[].
 */
static void
find_groups(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    system->group_count = 0;
    for (int i = 0; i < problem->n; i++) {
        if (!cn_row_follows(cn_matrix_tag(problem, i))) {
            system->start[system->group_count++] = i;
        }
        CN_ASSERT(system->group_count > 0);
        system->place[i] = system->group_count - 1;
    }
    system->start[system->group_count] = problem->n;
}

/*
 * Orders the groups.  An island keeps its order of rows; a problem given as a matrix gets an order
 * that keeps the matrix narrow.
 */
static void
order_groups(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    for (int g = 0; g < system->group_count; g++) {
        system->queue[g] = g;
        system->active[g] = false;
    }
    if (!system->by_bodies) {
        cn_newton_rows_order(system, problem);
    }
}

static void
find_unit(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    double size = system->by_bodies ? NOISE : NOTHING;
    int exponent;
    for (int i = 0; i < problem->n; i++) {
        size = cn_max(size, fabs(problem->b[i]));
    }
    (void)frexp(size, &exponent);
    system->unit = ldexp(1.0, exponent);
    system->scale = size / system->unit;
    cn_work_spend(problem->n);
}

bool
cn_newton_system_load(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    bool has_matrix = problem->A != NULL || problem->sparse != NULL;
    CN_ASSERT(system->by_bodies ? problem->delassus != NULL : has_matrix); /* invariant 3 */
    CN_ASSERT(!system->by_bodies || problem->delassus->row_count == problem->n);
    system->n = problem->n;
    system->work = 4 * (int64_t)problem->n * (system->by_bodies ? 30 : problem->n);
    find_unit(system, problem);
    find_groups(system, problem);
    order_groups(system, problem);
    int row = 0, block = 0;
    for (int g = 0; g < system->group_count; g++) {
        int from = system->start[system->queue[g]];
        int count = system->start[system->queue[g] + 1] - from;
        CN_ASSERT(row + count <= system->n);
        struct cn_friction_group *group = &system->group[g];
        *group = cn_friction_group_read(problem, from, row, system->unit);
        CN_ASSERT(group->count == count);
        group->block = block;
        block += count * count;
        for (int k = 0; k < count; k++, row++) {
            double effect = cn_friction_effect(group, k);
            system->order[row] = from + k;
            system->b[row] = problem->b[from + k] / system->unit;
            system->root[row] = 1.0 / sqrt(effect);
        }
    }
    CN_ASSERT(row == system->n && block <= CN_ROWS_PER_CONTACT * row); /* invariant 1 */
    cn_work_spend(20 * (int64_t)system->n);
    for (int i = 0; i < system->n; i++) {
        system->place[system->order[i]] = i;
    }
    if (system->by_bodies) {
        cn_newton_bodies_load(system, problem->delassus);
        return true;
    }
    return cn_newton_rows_load(system, problem);
}

void
cn_newton_system_rates(struct cn_newton_system *system, const double *f, double *a)
{
    if (system->by_bodies) {
        cn_newton_bodies_rates(system, f, a);
    } else {
        cn_newton_rows_rates(system, f, a);
    }
}

void
cn_newton_system_make_usable(const struct cn_newton_system *system, double *f)
{
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        double *at = f + group->row;
        if (group->tag == CN_ROW_BOUNDED) {
            at[0] = cn_clamp(at[0], group->lower, group->upper);
        } else if (group->tag == CN_ROW_NORMAL) {
            at[0] = cn_max(at[0], 0.0);
        }
        cn_friction_shorten(group, at);
    }
}

double
cn_newton_system_judge(const struct cn_newton_system *system, const double *f, const double *a)
{
    double worst = 0.0;
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        int i = group->row;
        cn_work_turn(g, system->group_count, 256, 60);
        double residual = group->tag == CN_ROW_BOUNDED
            ? cn_residual_bounded(a[i], group->effect, f[i], group->lower, group->upper)
            : cn_residual_row(group->tag, a[i], group->effect, f[i]);
        if (!isfinite(residual)) {
            return HUGE_VAL;
        }
        worst = cn_max(worst, residual);
        for (int k = 0; k < group->disc_count; k++) {
            const struct cn_friction_disc *disc = &group->disc[k];
            int row = i + disc->first;
            double rim = disc->friction * cn_max(f[i], 0.0);
            residual = cn_residual_tangent(
                a + row, disc->effect, f + row, rim, disc->slip, disc->count);
            worst = cn_max(worst, residual);
            if (!isfinite(residual)) {
                return HUGE_VAL;
            }
        }
    }
    return worst / system->scale;
}

double
cn_newton_system_map(const struct cn_newton_system *system, double e, const double *f,
    const double *a, double *F)
{
    for (int g = 0; g < system->group_count; g++) {
        int i = system->group[g].row;
        cn_work_turn(g, system->group_count, 64, 60);
        cn_friction_map(&system->group[g], e, f + i, a + i, F + i);
    }
    return cn_dot(F, F, system->n);
}

bool
cn_newton_system_factor(struct cn_newton_system *system, double e, const double *f,
    const double *a, double regular)
{
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        int i = group->row;
        cn_work_turn(g, system->group_count, 64, 200);
        system->active[g] =
            cn_friction_derive(group, e, f + i, a + i, system->by_f + group->block,
                system->by_a + group->block);
    }
    return system->by_bodies ? cn_newton_bodies_factor(system, regular)
                             : cn_newton_rows_factor(system, regular);
}

int
cn_newton_system_sign(const struct cn_newton_system *system)
{
    return system->by_bodies ? cn_newton_bodies_sign(system) : cn_newton_rows_sign(system);
}

void
cn_newton_system_solve(struct cn_newton_system *system, const double *F, double *d)
{
    if (system->by_bodies) {
        cn_newton_bodies_solve(system, F, d);
    } else {
        cn_newton_rows_solve(system, F, d);
    }
}

bool
cn_newton_system_step(struct cn_newton_system *system, double e, const double *f, const double *a,
    const double *F, double regular, double *d)
{
    bool fits = cn_newton_system_factor(system, e, f, a, regular);
    if (fits) {
        cn_newton_system_solve(system, F, d);
    } else {
        memset(d, 0, (size_t)system->n * sizeof(d[0]));
    }
    return fits;
}

void
cn_newton_system_sweep(struct cn_newton_system *system, bool backward, double *f)
{
    if (system->by_bodies) {
        cn_newton_bodies_sweep(system, backward, f);
    } else {
        cn_newton_rows_sweep(system, backward, f);
    }
}
