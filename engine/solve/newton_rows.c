#include "engine/solve/newton_rows.h"

#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"
#include "engine/solve/newton_system.h"

#include <string.h>

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
    size_t n = (size_t)n_max;
    *rows = (struct cn_newton_rows){.entry_max = entries_for(n_max)};
    rows->A = CN_ARENA_TAKE(scratch, double, rows->entry_max);
    rows->start = CN_ARENA_TAKE(scratch, size_t, n);
    rows->first = CN_ARENA_TAKE(scratch, int, n);
    rows->last = CN_ARENA_TAKE(scratch, int, n);
    cn_lu_take(&rows->lu, scratch, n_max, rows->entry_max);
    rows->known = CN_ARENA_TAKE(scratch, double, n);
    rows->x = CN_ARENA_TAKE(scratch, double, n);
}

static const double *
row_of(const struct cn_newton_system *system, int i)
{
    return system->rows.A + system->rows.start[i];
}

/*
 * Walks breadth first over the groups of a dense A, beginning at `from`.  Returns the last group
 * reached.
 */
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
            cn_work_spend(2 * (int64_t)problem->n);
        }
    }
    system->work += (int64_t)(*tail) * problem->n;
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
        if (!system->active[g]) {
            int head = tail, far = walk(system, problem, g, &tail);
            for (int k = head; k < tail; k++) { /* walk again, from the far end */
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

/*
 * Reads one row and appends it to the *used entries of the rows before.  False: there is no room.
 */
static bool
read_row(struct cn_newton_system *system, const struct cn_matrix_problem *problem, int row,
    size_t *used)
{
    double *A = system->rows.known;
    int first = cn_matrix_column(problem, system->order[row], system->place, system->n, A);
    int last = system->n;
    while (first < last && A[first] == 0.0) {
        first++;
    }
    while (last > first && A[last - 1] == 0.0) {
        last--;
    }
    if (first >= last || first > row) { /* the range contains the diagonal */
        memset(A + row, 0, (size_t)(cn_max(first, row + 1) - row) * sizeof(A[0]));
        first = row;
    }
    if (last <= row) {
        memset(A + last, 0, (size_t)(row + 1 - last) * sizeof(A[0]));
        last = row + 1;
    }
    system->rows.first[row] = first;
    system->rows.last[row] = last;
    size_t count = (size_t)(last - first);
    cn_work_spend(system->n / 2 + last - first);
    if (system->rows.entry_max - *used < count) {
        return false;
    }
    memcpy(system->rows.A + *used, A + first, count * sizeof(A[0]));
    system->rows.start[row] = *used - (size_t)first;
    *used += count;
    return true;
}

bool
cn_newton_rows_load(struct cn_newton_system *system, const struct cn_matrix_problem *problem)
{
    size_t used = 0;
    for (int i = 0; i < system->n; i++) {
        if (!read_row(system, problem, i, &used)) {
            return false;
        }
    }
    return true;
}

static double
rate(struct cn_newton_system *system, int i, const double *f)
{
    int first = system->rows.first[i], count = system->rows.last[i] - first;
    system->work += count;
    cn_work_spend(count + 2);
    return system->b[i] + cn_dot(row_of(system, i) + first, f + first, count);
}

void
cn_newton_rows_rates(struct cn_newton_system *system, const double *f, double *a)
{
    for (int i = 0; i < system->n; i++) {
        a[i] = rate(system, i, f);
    }
}

/* Finds d of a group with F_a = 0, whose F_f is lower triangular. */
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

/* Gives the groups that part their d. */
static void
move_apart(const struct cn_newton_system *system, const double *F, double *d)
{
    memset(d, 0, (size_t)system->n * sizeof(d[0]));
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        if (!system->active[g]) {
            step_apart(group, system->by_f + 9 * g, F + group->row, d + group->row);
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
    const double *by_f = system->by_f + 9 * g + 3 * k, *by_a = system->by_a + 9 * g + 3 * k;
    int row = group->row, first, last;
    range_of(system, group, &first, &last);
    int at = system->place[row + k], begin = system->place[first], end = system->place[last];
    double *out = cn_lu_row(&system->rows.lu, at);
    memset(out + begin, 0, (size_t)(end - begin) * sizeof(out[0]));
    for (int m = 0; m < group->count; m++) {
        if (by_a[m] == 0.0) {
            continue;
        }
        const double *A = row_of(system, row + m);
        for (int j = system->rows.first[row + m]; j < system->rows.last[row + m]; j++) {
            if (system->place[j + 1] > system->place[j]) {
                out[system->place[j]] += by_a[m] * A[j];
            }
        }
        system->work += 2 * (int64_t)(system->rows.last[row + m] - system->rows.first[row + m]);
        cn_work_spend(4 * (int64_t)(system->rows.last[row + m] - system->rows.first[row + m]));
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
    int sign = cn_lu_sign(&system->rows.lu);
    for (int g = 0; g < system->group_count; g++) {
        const double *by_f = system->by_f + 9 * g;
        for (int k = 0; k < system->group[g].count && !system->active[g]; k++) {
            sign = by_f[4 * k] < 0.0 ? -sign : sign; /* which is lower triangular */
        }
    }
    return sign;
}

void
cn_newton_rows_solve(struct cn_newton_system *system, const double *F, double *d)
{
    move_apart(system, F, d);
    for (int i = 0; i < system->n; i++) {
        int first = system->rows.first[i], count = system->rows.last[i] - first;
        system->rows.known[i] = cn_dot(row_of(system, i) + first, d + first, count);
        cn_work_spend(count);
    }
    for (int g = 0; g < system->group_count; g++) {
        const double *by_a = system->by_a + 9 * g;
        int i = system->group[g].row;
        for (int k = 0; k < system->group[g].count && system->active[g]; k++) {
            double sum = F[i + k];
            for (int m = 0; m < system->group[g].count; m++) {
                sum += by_a[3 * k + m] * system->rows.known[i + m];
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
        double W[9] = {0}, q[3] = {0};
        for (int i = 0; i < count; i++) {
            const double *A = row_of(system, row + i);
            q[i] = rate(system, row + i, f);
            for (int j = 0; j < count; j++) {
                bool within = system->rows.first[row + i] <= row + j &&
                    row + j < system->rows.last[row + i];
                W[3 * i + j] = within ? A[row + j] : 0.0;
                q[i] -= W[3 * i + j] * f[row + j];
            }
        }
        cn_friction_solve(group, W, q, f + row);
        system->work += 200;
        cn_work_spend(200);
    }
}
