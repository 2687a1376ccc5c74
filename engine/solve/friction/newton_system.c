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
    system->by_f = CN_ARENA_TAKE(scratch, double, 9 * n);
    system->by_a = CN_ARENA_TAKE(scratch, double, 9 * n);
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
        if (cn_matrix_tag(problem, i) != CN_ROW_TANGENT) {
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

static double
effect_of(const struct cn_matrix_problem *problem, int i)
{
    double diagonal = fabs(cn_matrix_diagonal(problem, i));
    return diagonal > 0.0 ? diagonal : 1.0; /* as in the judge */
}

/* Reads the group that starts at row i of the problem and at row `row` here. */
static struct cn_friction_group
read_group(const struct cn_newton_system *system, const struct cn_matrix_problem *problem, int i,
    int row, int count)
{
    CN_ASSERT(1 <= count && count <= 3); /* a row, or a contact with its tangents */
    CN_ASSERT(count == 1 || cn_matrix_tag(problem, i) == CN_ROW_NORMAL);
    struct cn_friction_group group = {.row = row, .count = count, .tag = cn_matrix_tag(problem, i)};
    group.effect = effect_of(problem, i);
    group.lower = group.tag == CN_ROW_BOUNDED ? problem->lower[i] / system->unit : 0.0;
    group.upper = group.tag == CN_ROW_BOUNDED ? problem->upper[i] / system->unit : 0.0;
    group.friction = count > 1 ? problem->friction[i] : 0.0;
    for (int k = 1; k < count; k++) {
        group.tangent_effect = cn_max(group.tangent_effect, effect_of(problem, i + k));
        group.slip[k - 1] = problem->slip == NULL ? 0.0 : problem->slip[i + k];
        group.slips = group.slips || group.slip[k - 1] != 0.0;
    }
    return group;
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
    int row = 0;
    for (int g = 0; g < system->group_count; g++) {
        int from = system->start[system->queue[g]];
        int count = system->start[system->queue[g] + 1] - from;
        CN_ASSERT(row + count <= system->n);
        system->group[g] = read_group(system, problem, from, row, count);
        for (int k = 0; k < count; k++, row++) {
            double effect = k == 0 ? system->group[g].effect : system->group[g].tangent_effect;
            system->order[row] = from + k;
            system->b[row] = problem->b[from + k] / system->unit;
            system->root[row] = 1.0 / sqrt(effect);
        }
    }
    CN_ASSERT(row == system->n); /* invariant 1 */
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
        if (group->count > 1) {
            double second = group->count > 2 ? at[2] : 0.0, rim = group->friction * at[0];
            double length = sqrt(at[1] * at[1] + second * second);
            double keep = length > rim ? rim / length : 1.0;
            for (int k = 1; k < group->count; k++) {
                at[k] *= keep;
            }
        }
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
        if (group->count > 1) {
            double rim = group->friction * cn_max(f[i], 0.0);
            residual = cn_residual_tangent(a + i + 1, group->tangent_effect, f + i + 1, rim,
                group->slip, group->count - 1);
            worst = cn_max(worst, residual);
        }
        if (!isfinite(residual)) {
            return HUGE_VAL;
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
            cn_friction_derive(group, e, f + i, a + i, system->by_f + 9 * g, system->by_a + 9 * g);
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
