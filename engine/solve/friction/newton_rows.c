#include "engine/solve/friction/newton_rows.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/friction_contact.h"

#include <string.h>

/* For one group: with one disc, and with more (friction_contact.h). */
#define WORK_PER_SWEEP 200
#define WORK_OF_ROLLING 3000

/* A smaller pivot of a matrix scaled to unit diagonal is rounding. */
#define PIVOT_MIN 1e-14

/* The entries do not become fewer at the bound, so that more rows never have less room. */
static size_t
entries_for(int n_max)
{
    size_t n = (size_t)n_max;
    return n_max <= CN_CONTACT_ROWS_MAX ? n * n : CN_NEWTON_ENTRIES_PER_ROW * n;
}

_Static_assert(CN_NEWTON_ENTRIES_PER_ROW >= CN_CONTACT_ROWS_MAX, "no less room for more rows");

void
cn_newton_rows_take(struct cn_newton_rows *rows, struct cn_arena *scratch, int n_max)
{
    CN_ASSERT(n_max >= 0);
    size_t n = (size_t)n_max;
    *rows = (struct cn_newton_rows){.entry_max = entries_for(n_max)};
    rows->entry = CN_ARENA_TAKE(scratch, double, rows->entry_max);
    rows->column = CN_ARENA_TAKE(scratch, int, rows->entry_max);
    rows->start = CN_ARENA_TAKE(scratch, size_t, n + 1);
    rows->W = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    rows->first = CN_ARENA_TAKE(scratch, int, n);
    rows->last = CN_ARENA_TAKE(scratch, int, n);
    cn_lu_take(&rows->lu, scratch, n_max, rows->entry_max);
    rows->known = CN_ARENA_TAKE(scratch, double, n);
    rows->x = CN_ARENA_TAKE(scratch, double, n);
}

/* Adds the group of column j to the queue, unless it is there already. */
static void
reach(struct cn_newton_system *system, int j, int *tail)
{
    int group = system->place[j];
    CN_ASSERT(0 <= group && group < system->group_count);
    if (!system->active[group]) {
        system->active[group] = true;
        system->queue[(*tail)++] = group;
    }
}

/* Adds the groups of the nonzero columns of row i to the queue. */
static void
reach_from(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int i,
    int *tail)
{
    const struct cn_sparse_matrix *sparse = problem->sparse;
    if (problem->A == NULL) {
        for (int k = sparse->start[i]; k < sparse->start[i + 1]; k++) {
            reach(system, sparse->column[k], tail);
        }
        cn_work_spend(2 * (int64_t)(sparse->start[i + 1] - sparse->start[i]));
        return;
    }
    const double *row = problem->A + (size_t)i * (size_t)problem->stride;
    for (int j = 0; j < problem->n; j++) {
        if (row[j] != 0.0) {
            reach(system, j, tail);
        }
    }
    cn_work_spend(2 * (int64_t)problem->n);
}

/* Queues groups of A breadth first from `from`.  Returns the last group reached. */
static int
walk(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int from, int *tail)
{
    int head = *tail;
    system->queue[(*tail)++] = from;
    system->active[from] = true;
    while (head < *tail) {
        int group = system->queue[head++];
        for (int i = system->start[group]; i < system->start[group + 1]; i++) {
            reach_from(system, problem, i, tail);
        }
    }
    CN_ASSERT(head == *tail && head <= system->group_count);
    system->work += (int64_t)(*tail) * (problem->A == NULL ? 20 : problem->n);
    return system->queue[*tail - 1];
}

void
cn_newton_rows_order(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    int count = system->group_count, tail = 0;
    for (int g = 0; g < count; g++) {
        system->queue[g] = g;
        system->active[g] = false;
    }
    for (int g = 0; g < count; g++) {
        while (!system->active[g]) { /* A may couple two groups one way only */
            int head = tail, far = walk(system, problem, g, &tail);
            for (int k = head; k < tail; k++) { /* walk again, from the far end */
                system->active[system->queue[k]] = false;
            }
            tail = head;
            walk(system, problem, far, &tail);
        }
    }
    CN_ASSERT(tail == count); /* every group is in the order once */
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        int swap = system->queue[i];
        system->queue[i] = system->queue[j];
        system->queue[j] = swap;
    }
}

/* Appends an entry to the row; zeros are left out.  False: there is no room. */
static bool
append(struct cn_newton_rows *rows, int row, int column, double value)
{
    size_t at = rows->start[row + 1];
    CN_ASSERT(column >= 0);
    if (value == 0.0) {
        return true;
    }
    if (at >= rows->entry_max) {
        return false;
    }
    rows->entry[at] = value;
    rows->column[at] = column;
    rows->start[row + 1]++;
    rows->first[row] = column < rows->first[row] ? column : rows->first[row];
    rows->last[row] = column >= rows->last[row] ? column + 1 : rows->last[row];
    return true;
}

/* Reads one row and appends it to the rows before.  False: there is no room. */
static bool
read_row(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int row)
{
    struct cn_newton_rows *rows = &system->rows;
    int i = system->order[row];
    bool fits = true;
    rows->first[row] = row; /* the range contains the diagonal */
    rows->last[row] = row + 1;
    rows->start[row + 1] = rows->start[row];
    if (problem->A == NULL) {
        const struct cn_sparse_matrix *sparse = problem->sparse;
        for (int k = sparse->start[i]; k < sparse->start[i + 1] && fits; k++) {
            fits = append(rows, row, system->place[sparse->column[k]], sparse->entry[k]);
        }
        return fits;
    }
    const double *A = problem->A + (size_t)i * (size_t)problem->stride;
    for (int j = 0; j < system->n && fits; j++) {
        fits = append(rows, row, system->place[j], A[j]);
    }
    cn_work_spend(system->n);
    return fits;
}

/* Writes the group's own part of A. */
static void
read_part(struct cn_newton_system *system, int g)
{
    const struct cn_friction_group *group = &system->group[g];
    struct cn_newton_rows *rows = &system->rows;
    double *W = rows->W + group->block;
    memset(W, 0, (size_t)(group->count * group->count) * sizeof(W[0]));
    for (int i = 0; i < group->count; i++) {
        for (size_t k = rows->start[group->row + i]; k < rows->start[group->row + i + 1]; k++) {
            int j = rows->column[k] - group->row;
            if (0 <= j && j < group->count) {
                W[group->count * i + j] = rows->entry[k];
            }
        }
    }
}

bool
cn_newton_rows_load(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    system->rows.start[0] = 0;
    for (int i = 0; i < system->n; i++) {
        if (!read_row(system, problem, i)) {
            return false;
        }
    }
    CN_ASSERT(system->rows.start[system->n] <= system->rows.entry_max);
    for (int g = 0; g < system->group_count; g++) {
        read_part(system, g);
    }
    cn_work_spend(2 * (int64_t)system->rows.start[system->n]);
    return true;
}

/* (A f)_i */
static double
row_product(struct cn_newton_system *system, int i, const double *f)
{
    const struct cn_newton_rows *rows = &system->rows;
    size_t end = rows->start[i + 1];
    double sum = 0.0;
    for (size_t k = rows->start[i]; k < end; k++) {
        sum += rows->entry[k] * f[rows->column[k]];
    }
    system->work += 2 * (int64_t)(end - rows->start[i]);
    cn_work_spend(2 * (int64_t)(end - rows->start[i]) + 2);
    return sum;
}

void
cn_newton_rows_rates(struct cn_newton_system *system, const double *f, double *a)
{
    for (int i = 0; i < system->n; i++) {
        a[i] = system->b[i] + row_product(system, i, f);
    }
}

/* Finds d of a group with F_a = 0, whose F_f is lower triangular. */
static void
step_apart(const struct cn_friction_group *group, const double *by_f, const double *F, double *d)
{
    for (int i = 0; i < group->count; i++) {
        double sum = -F[i];
        for (int j = 0; j < i; j++) {
            sum -= by_f[group->count * i + j] * d[j];
        }
        d[i] = sum / by_f[group->count * i + i];
    }
}

/* Gives the groups that part their d. */
static void
move_apart(const struct cn_newton_system *system, const double *F, double *d)
{
    memset(d, 0, (size_t)system->n * sizeof(d[0]));
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        if (!system->active[g]) {
            step_apart(group, system->by_f + group->block, F + group->row, d + group->row);
        }
    }
    cn_work_spend(4 * (int64_t)system->n);
}

/* Counts the rows of the groups that do not part. */
static int
split(struct cn_newton_system *system)
{
    int count = 0;
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        for (int k = 0; k < group->count; k++) {
            system->place[group->row + k] = count;
            count += system->active[g] ? 1 : 0;
        }
    }
    CN_ASSERT(count <= system->n);
    system->place[system->n] = count;
    cn_work_spend(4 * (int64_t)system->n);
    return count;
}

/* The range of columns of A that a group's rows have together. */
static void
range_of(const struct cn_newton_system *system, const struct cn_friction_group *group, int *first,
    int *last)
{
    *first = group->row;
    *last = group->row + group->count;
    for (int i = group->row; i < group->row + group->count; i++) {
        *first = system->rows.first[i] < *first ? system->rows.first[i] : *first;
        *last = system->rows.last[i] > *last ? system->rows.last[i] : *last;
    }
}

/*
 * Makes room for the system's rows, with one range for all rows of a group.  False: they are too
 * wide.
 */
static bool
open_rows(struct cn_newton_system *system)
{
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        int first, last;
        range_of(system, group, &first, &last);
        for (int i = group->row; i < group->row + group->count && system->active[g]; i++) {
            system->rows.lu.first[system->place[i]] = system->place[first];
            system->rows.lu.last[system->place[i]] = system->place[last];
        }
    }
    return cn_lu_open(&system->rows.lu);
}

/*
 * Writes row k of an active group.  It is the combination by_a of the group's rows of A, in the
 * columns of active groups only, regularised, plus by_f.  It is scaled by 1 / sqrt(E) from both
 * sides.
 */
static void
write_row(struct cn_newton_system *system, int g, int k, double regular)
{
    const struct cn_friction_group *group = &system->group[g];
    const double *by_f = system->by_f + group->block + group->count * k;
    const double *by_a = system->by_a + group->block + group->count * k;
    int row = group->row, first, last;
    range_of(system, group, &first, &last);
    CN_ASSERT(system->active[g] && first <= row && row + group->count <= last);
    int at = system->place[row + k], begin = system->place[first], end = system->place[last];
    double *out = cn_lu_row(&system->rows.lu, at);
    memset(out + begin, 0, (size_t)(end - begin) * sizeof(out[0]));
    for (int m = 0; m < group->count; m++) {
        if (by_a[m] == 0.0) {
            continue;
        }
        const struct cn_newton_rows *rows = &system->rows;
        size_t from = rows->start[row + m], to = rows->start[row + m + 1];
        for (size_t p = from; p < to; p++) {
            int j = rows->column[p];
            if (system->place[j + 1] > system->place[j]) {
                out[system->place[j]] += by_a[m] * rows->entry[p];
            }
        }
        system->work += 2 * (int64_t)(to - from);
        cn_work_spend(4 * (int64_t)(to - from));
    }
    for (int m = 0; m < group->count; m++) {
        double effect = cn_friction_effect(group, m);
        out[system->place[row + m]] += by_f[m] + regular * by_a[m] * effect;
    }
    for (int j = first; j < last; j++) {
        if (system->place[j + 1] > system->place[j]) {
            out[system->place[j]] *= system->root[row + k] * system->root[j];
        }
    }
}

bool
cn_newton_rows_factor(struct cn_newton_system *system, double regular)
{
    system->rows.lu.n = split(system);
    if (!open_rows(system)) {
        return false;
    }
    for (int g = 0; g < system->group_count; g++) {
        for (int k = 0; k < system->group[g].count && system->active[g]; k++) {
            write_row(system, g, k, regular);
        }
    }
    int replaced;
    system->work += cn_lu_factor(&system->rows.lu, PIVOT_MIN, &replaced);
    return true;
}

int
cn_newton_rows_sign(const struct cn_newton_system *system)
{
    CN_ASSERT(system->rows.lu.n == system->place[system->n]); /* of the last factor */
    int sign = cn_lu_sign(&system->rows.lu);
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        const double *by_f = system->by_f + group->block;
        for (int k = 0; k < group->count && !system->active[g]; k++) {
            /* by_f is lower triangular */
            sign = by_f[(group->count + 1) * k] < 0.0 ? -sign : sign;
        }
    }
    return sign;
}

void
cn_newton_rows_solve(struct cn_newton_system *system, const double *F, double *d)
{
    CN_ASSERT(system->rows.lu.n == system->place[system->n] && d != F);
    move_apart(system, F, d);
    for (int i = 0; i < system->n; i++) {
        system->rows.known[i] = row_product(system, i, d);
    }
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        const double *by_a = system->by_a + group->block;
        int i = group->row;
        for (int k = 0; k < group->count && system->active[g]; k++) {
            double sum = F[i + k];
            for (int m = 0; m < group->count; m++) {
                sum += by_a[group->count * k + m] * system->rows.known[i + m];
            }
            system->rows.x[system->place[i + k]] = -sum * system->root[i + k];
        }
    }
    system->work += cn_lu_solve(&system->rows.lu, system->rows.x);
    for (int i = 0; i < system->n; i++) {
        if (system->place[i + 1] > system->place[i]) {
            d[i] = system->rows.x[system->place[i]] * system->root[i];
        }
    }
}

void
cn_newton_rows_sweep(struct cn_newton_system *system, bool backward, double *f)
{
    for (int k = 0; k < system->group_count; k++) {
        int g = backward ? system->group_count - 1 - k : k;
        const struct cn_friction_group *group = &system->group[g];
        int row = group->row, count = group->count;
        const double *W = system->rows.W + group->block;
        double q[CN_ROWS_PER_CONTACT] = {0};
        for (int i = 0; i < count; i++) {
            q[i] = system->b[row + i] + row_product(system, row + i, f);
            for (int j = 0; j < count; j++) {
                q[i] -= W[count * i + j] * f[row + j];
            }
        }
        cn_friction_solve(group, W, q, f + row);
        int64_t work = group->disc_count > 1 ? WORK_OF_ROLLING : WORK_PER_SWEEP;
        system->work += work;
        cn_work_spend(work);
    }
}
