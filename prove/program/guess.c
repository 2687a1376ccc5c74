/*
 * guess.c: the simplex method on a dense table of doubles.  It only proposes a basis.
 *
 * Rows and columns are scaled by their largest entries.  A times small positive numbers is added to
 * the right-hand side.  So it stays consistent with redundant rows, and ties, which towers often
 * have, are broken.
 */
#include "prove/program/simplex.h"

#include "engine/base/assert.h"
#include "prove/exact/watch.h"
#include "prove/limits.h"

#include <math.h>

#define PIVOT_MIN 1e-9
#define COST_MIN 1e-10
#define SHIFT 1e-7
#define PIVOTS_PER_COLUMN 20

struct table {
    int m, n, width; /* width: n columns of the program, then the right-hand side */
    double *entry;   /* m rows of the program, a row of its costs, a row of phase 1 costs */
    int *basis;
    bool *is_dead; /* redundant rows */
};

static double *
row_of(const struct table *t, int i)
{
    return t->entry + (size_t)i * (size_t)t->width;
}

/* A pseudo-random number in (1, 2) for each index. */
static double
scattered_number(unsigned index)
{
    unsigned x = index * 2654435761u + 12345u;
    x ^= x >> 16;
    x *= 2246822519u;
    x ^= x >> 13;
    return 1.0 + (x % 1000003u) / 1000003.0;
}

static void
pivot_on(struct table *t, int row, int column)
{
    CN_ASSERT(0 <= row && row < t->m && 0 <= column && column < t->n);
    double *p = row_of(t, row), inverse = 1.0 / p[column];
    for (int j = 0; j < t->width; j++) {
        p[j] *= inverse;
    }
    p[column] = 1.0;
    for (int i = 0; i < t->m + 2; i++) {
        double *r = row_of(t, i), factor = r[column];
        if (i == row || factor == 0.0) {
            continue;
        }
        for (int j = 0; j < t->width; j++) {
            r[j] -= factor * p[j];
        }
        r[column] = 0.0;
    }
    t->basis[row] = column;
}

static int
leaving_row(const struct table *t, int column)
{
    int best = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < t->m; i++) {
        const double *r = row_of(t, i);
        if (!t->is_dead[i] && r[column] > PIVOT_MIN) {
            double ratio = fmax(r[t->n], 0.0) / r[column];
            bool better = ratio < least * (1.0 - 1e-12) ||
                          (best >= 0 && ratio <= least * (1.0 + 1e-12) &&
                              r[column] > row_of(t, best)[column]);
            if (best < 0 || better) {
                best = i;
                least = ratio;
            }
        }
    }
    return best;
}

/* Pivots until no column has a negative cost, or the bound on pivots is reached. */
static void
improve_basis(struct table *t, int cost_row)
{
    const double *cost = row_of(t, cost_row);
    for (int count = 0; count < PIVOTS_PER_COLUMN * t->n; count++) {
        pv_part(PV_GOES_ON);
        int best = -1;
        for (int j = 0; j < t->n; j++) {
            if (cost[j] < (best < 0 ? -COST_MIN : cost[best])) {
                best = j;
            }
        }
        int row = best < 0 ? -1 : leaving_row(t, best);
        if (row < 0) {
            return;
        }
        pivot_on(t, row, best);
    }
}

/* Replaces unit columns in the basis by columns of the program; marks rows where none can. */
static void
drive_units_out(struct table *t)
{
    for (int i = 0; i < t->m; i++) {
        if (t->basis[i] < t->n) {
            continue;
        }
        const double *r = row_of(t, i);
        int best = -1;
        for (int j = 0; j < t->n; j++) {
            if (fabs(r[j]) > (best < 0 ? 1e-8 : fabs(r[best]))) {
                best = j;
            }
        }
        if (best >= 0) {
            pivot_on(t, i, best);
        } else {
            t->is_dead[i] = true;
        }
    }
}

static void
fill_program(struct table *t, const struct pv_program *p)
{
    for (int j = 0; j < p->columns; j++) {
        for (int k = 0; k < p->column[j].count; k++) {
            CN_ASSERT(p->column[j].row[k] < t->m);
            row_of(t, p->column[j].row[k])[j] = pv_double(p->column[j].value[k]);
        }
        row_of(t, t->m)[j] = -pv_double(p->c[j]);
    }
    for (int i = 0; i < t->m; i++) {
        double *r = row_of(t, i), most = 0.0;
        for (int j = 0; j < t->n; j++) {
            most = fmax(most, fabs(r[j]));
        }
        double scale = most > 0.0 ? 1.0 / most : 1.0;
        for (int j = 0; j < t->n; j++) {
            r[j] *= scale;
        }
        r[t->n] = pv_double(p->b[i]) * scale;
    }
}

static void
scale_columns(struct table *t)
{
    for (int j = 0; j < t->n; j++) {
        double most = 0.0;
        for (int i = 0; i < t->m; i++) {
            most = fmax(most, fabs(row_of(t, i)[j]));
        }
        for (int i = 0; i <= t->m && most > 0.0; i++) {
            row_of(t, i)[j] /= most;
        }
    }
}

/* Shifts the right-hand side, makes it positive, and puts a unit column into every row. */
static void
start_phase_one(struct table *t)
{
    double load = 0.0;
    for (int i = 0; i < t->m; i++) {
        load = fmax(load, fabs(row_of(t, i)[t->n]));
    }
    double *phase_one = row_of(t, t->m + 1);
    for (int i = 0; i < t->m; i++) {
        double *r = row_of(t, i);
        for (int j = 0; j < t->n; j++) {
            r[t->n] += SHIFT * load * scattered_number((unsigned)j) * r[j];
        }
        double sign = r[t->n] < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < t->width; j++) {
            r[j] *= sign;
            phase_one[j] -= r[j];
        }
        t->basis[i] = t->n + i;
    }
}

bool
pv_guess_basis(const struct pv_program *p, int *basis)
{
    struct table t = {.m = p->rows, .n = p->columns, .width = p->columns + 1, .basis = basis};
    size_t size = (size_t)(t.m + 2) * (size_t)t.width;
    if (size > PV_TABLE_MAX) {
        return false;
    }
    t.entry = pv_alloc(size, sizeof(*t.entry));
    t.is_dead = pv_alloc((size_t)t.m, sizeof(*t.is_dead));
    fill_program(&t, p);
    scale_columns(&t);
    start_phase_one(&t);
    improve_basis(&t, t.m + 1);
    double left = -row_of(&t, t.m + 1)[t.n];
    double load = 0.0;
    for (int j = 0; j < t.m; j++) {
        load = fmax(load, fabs(row_of(&t, j)[t.n]));
    }
    if (left <= 1e-9 * fmax(load, 1e-300) * t.m) {
        drive_units_out(&t);
        improve_basis(&t, t.m);
    }
    pv_free(t.entry);
    pv_free(t.is_dead);
    return true;
}
