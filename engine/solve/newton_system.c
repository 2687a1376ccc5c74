#include "engine/solve/newton_system.h"

#include "engine/base/assert.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* A pivot this small, of a matrix scaled to unit diagonal, is rounding. */
#define PIVOT_MIN 1e-14

void
cn_newton_system_take(struct cn_newton_system *system, struct cn_arena *scratch, int n_max)
{
    size_t n = (size_t)n_max;
    *system = (struct cn_newton_system){0};
    system->order = CN_ARENA_TAKE(scratch, int, n);
    system->A = CN_ARENA_TAKE(scratch, double, n * n);
    system->first = CN_ARENA_TAKE(scratch, int, n);
    system->last = CN_ARENA_TAKE(scratch, int, n);
    system->b = CN_ARENA_TAKE(scratch, double, n);
    system->root = CN_ARENA_TAKE(scratch, double, n);
    system->group = CN_ARENA_TAKE(scratch, struct cn_friction_group, n);
    cn_lu_take(&system->lu, scratch, n_max);
    system->by_f = CN_ARENA_TAKE(scratch, double, 9 * n);
    system->by_a = CN_ARENA_TAKE(scratch, double, 9 * n);
    system->known = CN_ARENA_TAKE(scratch, double, n);
    system->x = CN_ARENA_TAKE(scratch, double, n);
    system->place = CN_ARENA_TAKE(scratch, int, n + 1);
    system->queue = CN_ARENA_TAKE(scratch, int, n);
    system->start = CN_ARENA_TAKE(scratch, int, n + 1);
    system->active = CN_ARENA_TAKE(scratch, bool, n);
}

static const double *
row_of(const struct cn_newton_system *system, int i)
{
    return system->A + (size_t)i * (size_t)system->n;
}

/* Starts of the problem's groups, by its own row numbers; group of a row in place[]. */
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

/* Breadth first over the groups of a dense A from `from`; returns the last group reached. */
static int
walk(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int from, int *tail)
{
    int head = *tail;
    system->queue[(*tail)++] = from;
    system->active[from] = true;
    while (head < *tail) {
        int group = system->queue[head++];
        for (int i = system->start[group]; i < system->start[group + 1]; i++) {
            const double *row = problem->A + (size_t)i * (size_t)problem->stride;
            for (int j = 0; j < problem->n; j++) {
                int other = system->place[j];
                if (row[j] != 0.0 && !system->active[other]) {
                    system->active[other] = true;
                    system->queue[(*tail)++] = other;
                }
            }
        }
    }
    system->work += (int64_t)(*tail) * problem->n;
    return system->queue[*tail - 1];
}

/* Leaves the order of the groups in queue[]. */
static void
order_groups(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    int count = system->group_count, tail = 0;
    for (int g = 0; g < count; g++) {
        system->queue[g] = g;
        system->active[g] = false;
    }
    if (problem->A == NULL) {
        return;
    }
    for (int g = 0; g < count; g++) {
        if (!system->active[g]) {
            int head = tail, far = walk(system, problem, g, &tail);
            for (int k = head; k < tail; k++) { /* once more, from the far end */
                system->active[system->queue[k]] = false;
            }
            tail = head;
            walk(system, problem, far, &tail);
        }
    }
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        int swap = system->queue[i];
        system->queue[i] = system->queue[j];
        system->queue[j] = swap;
    }
}

static double
effect_of(const struct cn_matrix_problem *problem, int i)
{
    double diagonal = fabs(cn_matrix_diagonal(problem, i));
    return diagonal > 0.0 ? diagonal : 1.0; /* as the judge has it */
}

/* The group that starts at row i of the problem and stands at `row` here. */
static struct cn_friction_group
read_group(const struct cn_matrix_problem *problem, int i, int row, int count)
{
    struct cn_friction_group group = {.row = row, .count = count, .tag = cn_matrix_tag(problem, i)};
    group.effect = effect_of(problem, i);
    group.lower = group.tag == CN_ROW_BOUNDED ? problem->lower[i] : 0.0;
    group.upper = group.tag == CN_ROW_BOUNDED ? problem->upper[i] : 0.0;
    group.friction = count > 1 ? problem->friction[i] : 0.0;
    for (int k = 1; k < count; k++) {
        group.tangent_effect = cn_max(group.tangent_effect, effect_of(problem, i + k));
        group.slip[k - 1] = problem->slip == NULL ? 0.0 : problem->slip[i + k];
        group.slips = group.slips || group.slip[k - 1] != 0.0;
    }
    return group;
}

static void
read_row(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int row)
{
    double *A = system->A + (size_t)row * (size_t)system->n;
    int first = cn_matrix_column(problem, system->order[row], system->place, system->n, A);
    int last = system->n;
    while (first < last && A[first] == 0.0) {
        first++;
    }
    while (last > first && A[last - 1] == 0.0) {
        last--;
    }
    if (first >= last || first > row) { /* the diagonal is always within */
        memset(A + row, 0, (size_t)(cn_max(first, row + 1) - row) * sizeof(A[0]));
        first = row;
    }
    if (last <= row) {
        memset(A + last, 0, (size_t)(row + 1 - last) * sizeof(A[0]));
        last = row + 1;
    }
    system->first[row] = first;
    system->last[row] = last;
}

void
cn_newton_system_load(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    system->n = problem->n;
    system->work = 4 * (int64_t)problem->n * problem->n;
    find_groups(system, problem);
    order_groups(system, problem);
    int row = 0;
    for (int g = 0; g < system->group_count; g++) {
        int from = system->start[system->queue[g]];
        int count = system->start[system->queue[g] + 1] - from;
        system->group[g] = read_group(problem, from, row, count);
        for (int k = 0; k < count; k++, row++) {
            double effect = k == 0 ? system->group[g].effect : system->group[g].tangent_effect;
            system->order[row] = from + k;
            system->b[row] = problem->b[from + k];
            system->root[row] = 1.0 / sqrt(effect);
        }
    }
    for (int i = 0; i < system->n; i++) {
        system->place[system->order[i]] = i;
    }
    for (int i = 0; i < system->n; i++) {
        read_row(system, problem, i);
    }
    system->scale = cn_residual_scale(problem->b, problem->n);
}

double
cn_newton_system_rate(struct cn_newton_system *system, int i, const double *f)
{
    int first = system->first[i], count = system->last[i] - first;
    system->work += count;
    return system->b[i] + cn_dot(row_of(system, i) + first, f + first, count);
}

void
cn_newton_system_rates(struct cn_newton_system *system, const double *f, double *a)
{
    for (int i = 0; i < system->n; i++) {
        a[i] = cn_newton_system_rate(system, i, f);
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
        cn_friction_map(&system->group[g], e, f + i, a + i, F + i);
    }
    return cn_dot(F, F, system->n);
}

/* d of a group with F_a = 0, whose F_f is lower triangular. */
static void
step_apart(const struct cn_friction_group *group, const double *by_f, const double *F, double *d)
{
    for (int i = 0; i < group->count; i++) {
        double sum = -F[i];
        for (int j = 0; j < i; j++) {
            sum -= by_f[3 * i + j] * d[j];
        }
        d[i] = sum / by_f[3 * i + i];
    }
}

/* Sorts out the groups that part, and counts the others' rows. */
static int
split(struct cn_newton_system *system, double e, const double *f, const double *a, const double *F,
    double *d)
{
    int count = 0;
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        int i = group->row;
        system->active[g] =
            cn_friction_derive(group, e, f + i, a + i, system->by_f + 9 * g, system->by_a + 9 * g);
        if (system->active[g]) {
            memset(d + i, 0, (size_t)group->count * sizeof(d[0]));
        } else {
            step_apart(group, system->by_f + 9 * g, F + i, d + i);
        }
        for (int k = 0; k < group->count; k++) {
            system->place[i + k] = count;
            count += system->active[g] ? 1 : 0;
        }
    }
    system->place[system->n] = count;
    return count;
}

/*
 * Row k of an active group: the combination by_a of its rows of A, columns of active groups only,
 * regularised, and by_f; scaled.
 */
static void
write_row(struct cn_newton_system *system, int g, int k, double regular)
{
    const struct cn_friction_group *group = &system->group[g];
    const double *by_f = system->by_f + 9 * g + 3 * k, *by_a = system->by_a + 9 * g + 3 * k;
    int row = group->row, first = row, last = row + group->count;
    for (int m = 0; m < group->count; m++) {
        first = system->first[row + m] < first ? system->first[row + m] : first;
        last = system->last[row + m] > last ? system->last[row + m] : last;
    }
    int at = system->place[row + k], begin = system->place[first], end = system->place[last];
    double *out = system->lu.entry + (size_t)at * (size_t)system->lu.n;
    system->lu.first[at] = begin;
    system->lu.last[at] = end;
    memset(out + begin, 0, (size_t)(end - begin) * sizeof(out[0]));
    for (int m = 0; m < group->count; m++) {
        if (by_a[m] == 0.0) {
            continue;
        }
        const double *A = row_of(system, row + m);
        for (int j = system->first[row + m]; j < system->last[row + m]; j++) {
            if (system->place[j + 1] > system->place[j]) {
                out[system->place[j]] += by_a[m] * A[j];
            }
        }
        system->work += 2 * (int64_t)(system->last[row + m] - system->first[row + m]);
    }
    for (int m = 0; m < group->count; m++) {
        double effect = m == 0 ? group->effect : group->tangent_effect;
        out[system->place[row + m]] += by_f[m] + regular * by_a[m] * effect;
    }
    for (int j = first; j < last; j++) {
        if (system->place[j + 1] > system->place[j]) {
            out[system->place[j]] *= system->root[row + k] * system->root[j];
        }
    }
}

void
cn_newton_system_step(struct cn_newton_system *system, double e, const double *f, const double *a,
    const double *F, double regular, double *d)
{
    system->lu.n = split(system, e, f, a, F, d);
    for (int i = 0; i < system->n; i++) {
        int first = system->first[i], count = system->last[i] - first;
        system->known[i] = cn_dot(row_of(system, i) + first, d + first, count);
    }
    for (int g = 0; g < system->group_count; g++) {
        const double *by_a = system->by_a + 9 * g;
        int i = system->group[g].row;
        for (int k = 0; k < system->group[g].count && system->active[g]; k++) {
            double sum = F[i + k];
            for (int m = 0; m < system->group[g].count; m++) {
                sum += by_a[3 * k + m] * system->known[i + m];
            }
            write_row(system, g, k, regular);
            system->x[system->place[i + k]] = -sum * system->root[i + k];
        }
    }
    int replaced;
    system->work += cn_lu_factor(&system->lu, PIVOT_MIN, &replaced);
    system->work += cn_lu_solve(&system->lu, system->x);
    for (int i = 0; i < system->n; i++) {
        if (system->place[i + 1] > system->place[i]) {
            d[i] = system->x[system->place[i]] * system->root[i];
        }
    }
}

void
cn_newton_system_sweep(struct cn_newton_system *system, bool backward, double *f)
{
    for (int k = 0; k < system->group_count; k++) {
        int g = backward ? system->group_count - 1 - k : k;
        const struct cn_friction_group *group = &system->group[g];
        int row = group->row, count = group->count;
        double W[9] = {0}, q[3] = {0};
        for (int i = 0; i < count; i++) {
            const double *A = row_of(system, row + i);
            q[i] = cn_newton_system_rate(system, row + i, f);
            for (int j = 0; j < count; j++) {
                bool within = system->first[row + i] <= row + j && row + j < system->last[row + i];
                W[3 * i + j] = within ? A[row + j] : 0.0;
                q[i] -= W[3 * i + j] * f[row + j];
            }
        }
        cn_friction_solve(group, W, q, f + row);
        system->work += 200;
    }
}
