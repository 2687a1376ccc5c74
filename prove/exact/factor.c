#include "prove/exact/factor.h"

#include "engine/base/assert.h"
#include "prove/exact/watch.h"
#include "prove/limits.h"


/*
 * A sparse vector that grows: a row of U, or the multipliers of one step.
 *
 * Invariants: 1. count <= room, and no stored value is 0.  2. Every row and every column is the
 * pivot's in at most one step.
 */
struct line {
    int count, room;
    int *index;
    mpq_t *value; /* all `room` of them are initialised */
};

struct pv_factor {
    int size;
    int *pivot_row, *pivot_column; /* of step k */
    mpq_t *pivot;
    struct line *upper; /* of step k: the pivot's row without the pivot, indexed by column */
    struct line *lower; /* of step k: pairs (row, multiplier) */
    mpq_t *scratch;
};

/* The state of an elimination. */
struct work {
    struct line *row;
    struct line *holder; /* of a column: the rows that may have an entry in it; values unused */
    int *column_count;
    bool *row_done, *column_done;
    int size;
    uint64_t *count;
};

uint64_t
pv_words(const mpq_t x)
{
    size_t p = mpz_size(mpq_numref(x)), q = mpz_size(mpq_denref(x));
    return (uint64_t)(p > q ? p : q) + 1;
}

static void
line_reserve(struct line *line, int room, bool with_values)
{
    if (room <= line->room) {
        return;
    }
    int grown = line->room * 2 > room ? line->room * 2 : room + 4;
    int *index = pv_alloc((size_t)grown, sizeof(*index));
    mpq_t *value = with_values ? pv_alloc((size_t)grown, sizeof(*value)) : NULL;
    for (int i = 0; i < line->room; i++) {
        index[i] = line->index[i];
        if (with_values) {
            value[i][0] = line->value[i][0]; /* GMP numbers may be moved in memory */
        }
    }
    for (int i = line->room; with_values && i < grown; i++) {
        mpq_init(value[i]);
    }
    pv_free(line->index);
    pv_free(line->value);
    line->index = index;
    line->value = value;
    line->room = grown;
}

static void
line_add(struct line *line, int index, const mpq_t value)
{
    line_reserve(line, line->count + 1, true);
    CN_ASSERT(line->count < line->room && index >= 0); /* invariant 1 */
    line->index[line->count] = index;
    mpq_set(line->value[line->count], value);
    line->count++;
}

static void
line_finish(struct line *line)
{
    for (int i = 0; line->value != NULL && i < line->room; i++) {
        mpq_clear(line->value[i]);
    }
    pv_free(line->value);
    pv_free(line->index);
    *line = (struct line){0};
}

static int
line_find(const struct line *line, int index)
{
    for (int i = 0; i < line->count; i++) {
        if (line->index[i] == index) {
            return i;
        }
    }
    return -1;
}

static void
line_remove(struct line *line, int at)
{
    CN_ASSERT(0 <= at && at < line->count);
    line->count--;
    line->index[at] = line->index[line->count];
    mpq_swap(line->value[at], line->value[line->count]);
}

void
pv_column_init(struct pv_column *column, int room)
{
    CN_ASSERT(room >= 0);
    column->count = 0;
    column->room = room;
    column->row = pv_alloc((size_t)room, sizeof(*column->row));
    column->value = pv_numbers((size_t)room);
}

void
pv_column_finish(struct pv_column *column, int room)
{
    CN_ASSERT(column->room == room && column->count <= room);
    pv_free(column->row);
    pv_numbers_free(column->value, (size_t)room);
    *column = (struct pv_column){0};
}

void
pv_column_add(struct pv_column *column, int row, const mpq_t value)
{
    if (mpq_sgn(value) != 0) {
        CN_ASSERT(column->count < column->room && row >= 0);
        column->row[column->count] = row;
        mpq_set(column->value[column->count], value);
        column->count++;
    }
}

/* Records that a row has a new entry in a column. */
static void
add_holder(struct work *w, int row, int column)
{
    struct line *holder = &w->holder[column];
    line_reserve(holder, holder->count + 1, false);
    CN_ASSERT(holder->count < holder->room);
    holder->index[holder->count++] = row;
    w->column_count[column]++;
}

/* Finds the entry of least cost.  False: no entry is left, so the matrix is singular. */
static bool
find_pivot(const struct work *w, int *row, int *column)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < w->size && least > 0; i++) {
        const struct line *line = &w->row[i];
        for (int k = 0; !w->row_done[i] && k < line->count; k++) {
            int64_t cost = (int64_t)(line->count - 1) * (w->column_count[line->index[k]] - 1);
            if (cost < least) {
                least = cost;
                *row = i;
                *column = line->index[k];
            }
        }
    }
    return least != INT64_MAX;
}

/* target -= multiplier * source, entry by entry. */
static void
subtract_row(struct work *w, int target, const struct line *source, const mpq_t multiplier)
{
    struct line *line = &w->row[target];
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < source->count; k++) {
        int column = source->index[k];
        mpq_mul(product, multiplier, source->value[k]);
        *w->count += pv_words(multiplier) * pv_words(source->value[k]);
        int at = line_find(line, column);
        if (at < 0) {
            mpq_neg(product, product);
            line_add(line, column, product);
            add_holder(w, target, column);
            continue;
        }
        mpq_sub(line->value[at], line->value[at], product);
        if (mpq_sgn(line->value[at]) == 0) {
            line_remove(line, at);
            w->column_count[column]--;
            CN_ASSERT(w->column_count[column] >= 0);
        }
    }
    mpq_clear(product);
}

static void
eliminate_pivot(struct pv_factor *f, struct work *w, int step, int row, int column)
{
    struct line *line = &w->row[row];
    int at = line_find(line, column);
    CN_ASSERT(at >= 0 && !w->row_done[row] && !w->column_done[column]); /* invariant 2 */
    f->pivot_row[step] = row;
    f->pivot_column[step] = column;
    mpq_set(f->pivot[step], line->value[at]);
    CN_ASSERT(mpq_sgn(f->pivot[step]) != 0); /* no line has a zero: invariant 1 */
    line_remove(line, at);
    w->row_done[row] = true;
    w->column_done[column] = true;
    for (int k = 0; k < line->count; k++) {
        w->column_count[line->index[k]]--;
    }
    mpq_t multiplier;
    mpq_init(multiplier);
    for (int k = 0; k < w->holder[column].count; k++) {
        int other = w->holder[column].index[k];
        int there = w->row_done[other] ? -1 : line_find(&w->row[other], column);
        if (there < 0) { /* the row is done, the entry cancelled, or the row is listed twice */
            continue;
        }
        mpq_div(multiplier, w->row[other].value[there], f->pivot[step]);
        line_remove(&w->row[other], there);
        line_add(&f->lower[step], other, multiplier);
        subtract_row(w, other, line, multiplier);
    }
    mpq_clear(multiplier);
    f->upper[step] = *line;
    *line = (struct line){0};
}

static void
work_init(struct work *w, const struct pv_column *const *column, int size, uint64_t *count)
{
    size_t n = (size_t)size;
    *w = (struct work){.size = size, .count = count};
    w->row = pv_alloc(n, sizeof(*w->row));
    w->holder = pv_alloc(n, sizeof(*w->holder));
    w->column_count = pv_alloc(n, sizeof(*w->column_count));
    w->row_done = pv_alloc(n, sizeof(*w->row_done));
    w->column_done = pv_alloc(n, sizeof(*w->column_done));
    for (int j = 0; j < size; j++) {
        for (int k = 0; k < column[j]->count; k++) {
            CN_ASSERT(column[j]->row[k] < size); /* the matrix is square */
            line_add(&w->row[column[j]->row[k]], j, column[j]->value[k]);
            add_holder(w, column[j]->row[k], j);
        }
    }
}

static void
work_finish(struct work *w)
{
    for (int i = 0; i < w->size; i++) {
        line_finish(&w->row[i]);
        line_finish(&w->holder[i]);
    }
    pv_free(w->row);
    pv_free(w->holder);
    pv_free(w->column_count);
    pv_free(w->row_done);
    pv_free(w->column_done);
}

struct pv_factor *
pv_factor_create(const struct pv_column *const *column, int size, uint64_t *work)
{
    CN_ASSERT(size >= 0);
    size_t n = (size_t)size;
    struct pv_factor *f = pv_alloc(1, sizeof(*f));
    f->size = size;
    f->pivot_row = pv_alloc(n, sizeof(*f->pivot_row));
    f->pivot_column = pv_alloc(n, sizeof(*f->pivot_column));
    f->pivot = pv_numbers(n);
    f->scratch = pv_numbers(n);
    f->upper = pv_alloc(n, sizeof(*f->upper));
    f->lower = pv_alloc(n, sizeof(*f->lower));
    struct work w;
    work_init(&w, column, size, work);
    bool good = true;
    for (int step = 0; step < size && good; step++) {
        pv_part(PV_GOES_ON);
        int row = 0, pivot = 0;
        good = *work <= PV_WORK_MAX && find_pivot(&w, &row, &pivot);
        if (good) {
            eliminate_pivot(f, &w, step, row, pivot);
        }
    }
    work_finish(&w);
    if (!good) {
        pv_factor_destroy(f);
        return NULL;
    }
    return f;
}

void
pv_factor_destroy(struct pv_factor *f)
{
    if (f == NULL) {
        return;
    }
    for (int i = 0; i < f->size; i++) {
        line_finish(&f->upper[i]);
        line_finish(&f->lower[i]);
    }
    pv_free(f->upper);
    pv_free(f->lower);
    pv_free(f->pivot_row);
    pv_free(f->pivot_column);
    pv_numbers_free(f->pivot, (size_t)f->size);
    pv_numbers_free(f->scratch, (size_t)f->size);
    pv_free(f);
}

static void
subtract_product(mpq_t out, const mpq_t a, const mpq_t b, uint64_t *work)
{
    if (mpq_sgn(a) != 0 && mpq_sgn(b) != 0) {
        *work += pv_words(a) * pv_words(b);
        pv_sub_product(out, a, b);
    }
}

void
pv_factor_solve(const struct pv_factor *f, mpq_t *x, uint64_t *work)
{
    CN_ASSERT(f->size == 0 || x != f->scratch);
    for (int k = 0; k < f->size; k++) {
        const struct line *lower = &f->lower[k];
        for (int i = 0; i < lower->count; i++) {
            subtract_product(x[lower->index[i]], lower->value[i], x[f->pivot_row[k]], work);
        }
    }
    for (int k = f->size - 1; k >= 0; k--) {
        const struct line *upper = &f->upper[k];
        mpq_t *value = &x[f->pivot_row[k]];
        for (int i = 0; i < upper->count; i++) {
            subtract_product(*value, upper->value[i], f->scratch[upper->index[i]], work);
        }
        mpq_div(f->scratch[f->pivot_column[k]], *value, f->pivot[k]);
    }
    for (int i = 0; i < f->size; i++) {
        mpq_swap(x[i], f->scratch[i]);
    }
}

void
pv_factor_solve_transposed(const struct pv_factor *f, mpq_t *x, uint64_t *work)
{
    CN_ASSERT(f->size == 0 || x != f->scratch);
    for (int k = 0; k < f->size; k++) {
        const struct line *upper = &f->upper[k];
        mpq_t *value = &f->scratch[f->pivot_row[k]];
        mpq_div(*value, x[f->pivot_column[k]], f->pivot[k]);
        for (int i = 0; i < upper->count; i++) {
            subtract_product(x[upper->index[i]], upper->value[i], *value, work);
        }
    }
    for (int k = f->size - 1; k >= 0; k--) {
        const struct line *lower = &f->lower[k];
        for (int i = 0; i < lower->count; i++) {
            subtract_product(f->scratch[f->pivot_row[k]], lower->value[i],
                f->scratch[lower->index[i]], work);
        }
    }
    for (int i = 0; i < f->size; i++) {
        mpq_swap(x[i], f->scratch[i]);
    }
}
