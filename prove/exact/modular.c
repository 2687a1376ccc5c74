#include "prove/exact/modular.h"

#include "engine/base/assert.h"
#include "prove/exact/memory.h"
#include "prove/exact/watch.h"

#include <math.h>

/* A pivot must be at least this part of the largest entry of its row. */
#define PIVOT_MIN 0.2
/* The rows in which a pivot is sought.  More rows rarely give a better pivot (Zlatev 1980). */
#define SEARCH_ROWS 4

/* The state of an elimination.  Rows stand in lists by their number of entries. */
struct elimination {
    struct pv_modular *m;
    struct pv_residue_row *row;
    struct pv_residue_row *holder; /* of a column: the rows that may have an entry in it */
    int *column_count;
    int *first;        /* first[n]: first row with n entries; -1: none */
    int *next, *before;
    int *position;     /* of a column in the row that is being changed, plus 1; 0: no entry */
    uint64_t *work;
};

static uint64_t
residue_product(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PV_PRIME) + (uint64_t)(product >> 61);
    return sum >= PV_PRIME ? sum - PV_PRIME : sum;
}

static uint64_t
residue_difference(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + PV_PRIME - b;
}

static uint64_t
inverse_of(uint64_t a)
{
    CN_ASSERT(0 < a && a < PV_PRIME);
    uint64_t result = 1;
    for (uint64_t power = PV_PRIME - 2; power > 0; power >>= 1) { /* Fermat */
        result = (power & 1) != 0 ? residue_product(result, a) : result;
        a = residue_product(a, a);
    }
    return result;
}

void
pv_residue_row_add(struct pv_residue_row *row, int index, uint64_t value, double size)
{
    if (row->count == row->room) {
        int room = 2 * row->room + 4;
        struct pv_residue *entry = pv_alloc((size_t)room, sizeof(*entry));
        for (int i = 0; i < row->count; i++) {
            entry[i] = row->entry[i];
        }
        pv_free(row->entry);
        row->entry = entry;
        row->room = room;
    }
    CN_ASSERT(row->count < row->room && index >= 0 && value < PV_PRIME);
    row->entry[row->count++] = (struct pv_residue){index, value, size};
}

static void
residue_row_finish(struct pv_residue_row *row)
{
    pv_free(row->entry);
    *row = (struct pv_residue_row){0};
}

static void
unlist_row(struct elimination *e, int row)
{
    CN_ASSERT(e->row[row].count <= e->m->columns);
    int next = e->next[row], before = e->before[row];
    if (before >= 0) {
        e->next[before] = next;
    } else {
        e->first[e->row[row].count] = next;
    }
    if (next >= 0) {
        e->before[next] = before;
    }
}

static void
list_row(struct elimination *e, int row)
{
    CN_ASSERT(e->row[row].count <= e->m->columns);
    int *first = &e->first[e->row[row].count];
    e->next[row] = *first;
    e->before[row] = -1;
    if (*first >= 0) {
        e->before[*first] = row;
    }
    *first = row;
}

/* Finds the entry of least cost in a few of the shortest rows.  False: no entry is left. */
static bool
find_pivot(const struct elimination *e, int *row, int *column)
{
    int64_t least = INT64_MAX;
    int looked = 0;
    for (int count = 1; count <= e->m->columns && looked < SEARCH_ROWS; count++) {
        for (int r = e->first[count]; r >= 0 && looked < SEARCH_ROWS; r = e->next[r]) {
            looked++;
            double most = 0.0;
            for (int k = 0; k < count; k++) {
                most = fmax(most, fabs(e->row[r].entry[k].size));
            }
            for (int k = 0; k < count; k++) {
                int c = e->row[r].entry[k].index;
                if (!(fabs(e->row[r].entry[k].size) >= PIVOT_MIN * most)) {
                    continue;
                }
                int64_t cost = (int64_t)(count - 1) * (e->column_count[c] - 1);
                if (cost < least) {
                    least = cost;
                    *row = r;
                    *column = c;
                }
            }
        }
    }
    return least != INT64_MAX;
}

/* row `target` -= multiplier * source.  The pivot's entry has been removed from both. */
static void
subtract_row(struct elimination *e, int target, const struct pv_residue_row *source,
    uint64_t multiplier, double ratio)
{
    struct pv_residue_row *row = &e->row[target];
    for (int k = 0; k < row->count; k++) {
        e->position[row->entry[k].index] = k + 1;
    }
    *e->work += (uint64_t)(source->count + row->count);
    for (int k = 0; k < source->count; k++) {
        int column = source->entry[k].index;
        uint64_t product = residue_product(multiplier, source->entry[k].value);
        double size = ratio * source->entry[k].size;
        int at = e->position[column] - 1;
        if (at < 0) {
            pv_residue_row_add(row, column, residue_difference(0, product), -size);
            pv_residue_row_add(&e->holder[column], target, 0, 0.0);
            e->column_count[column]++;
        } else {
            row->entry[at].value = residue_difference(row->entry[at].value, product);
            row->entry[at].size -= size;
        }
    }
    int kept = 0;
    for (int k = 0; k < row->count; k++) {
        struct pv_residue entry = row->entry[k];
        e->position[entry.index] = 0;
        if (entry.value != 0) {
            row->entry[kept++] = entry;
        } else {
            e->column_count[entry.index]--;
            CN_ASSERT(e->column_count[entry.index] >= 0);
        }
    }
    row->count = kept;
}

/* Returns the removed entry; its value is 0 if the row has no entry in that column. */
static struct pv_residue
remove_entry(struct pv_residue_row *row, int column)
{
    for (int k = 0; k < row->count; k++) {
        if (row->entry[k].index == column) {
            struct pv_residue entry = row->entry[k];
            row->entry[k] = row->entry[--row->count];
            return entry;
        }
    }
    return (struct pv_residue){0};
}

static void
eliminate_pivot(struct elimination *e, int row, int column)
{
    struct pv_modular *m = e->m;
    CN_ASSERT(m->step_of_row[row] < 0 && m->step_of_column[column] < 0);
    int step = m->rank++;
    CN_ASSERT(m->rank <= m->rows && m->rank <= m->columns);
    unlist_row(e, row);
    struct pv_residue pivot = remove_entry(&e->row[row], column);
    m->inverse[step] = inverse_of(pivot.value);
    m->pivot_row[step] = row;
    m->pivot_column[step] = column;
    m->step_of_row[row] = step;
    m->step_of_column[column] = step;
    for (int k = 0; k < e->row[row].count; k++) {
        e->column_count[e->row[row].entry[k].index]--;
    }
    for (int k = 0; k < e->holder[column].count; k++) {
        int other = e->holder[column].entry[k].index;
        if (m->step_of_row[other] >= 0) {
            continue;
        }
        int count = e->row[other].count;
        struct pv_residue entry = remove_entry(&e->row[other], column);
        if (entry.value == 0) { /* the entry cancelled, or the row is listed twice */
            continue;
        }
        int left = e->row[other].count;
        e->row[other].count = count;
        unlist_row(e, other);
        e->row[other].count = left;
        uint64_t multiplier = residue_product(entry.value, m->inverse[step]);
        pv_residue_row_add(&m->lower[step], other, multiplier, 0.0);
        subtract_row(e, other, &e->row[row], multiplier, entry.size / pivot.size);
        list_row(e, other);
    }
    m->upper[step] = e->row[row];
    e->row[row] = (struct pv_residue_row){0};
    residue_row_finish(&e->holder[column]);
}

void
pv_modular_init(struct pv_modular *m, struct pv_residue_row *row, int rows, int columns,
    uint64_t *work)
{
    CN_ASSERT(rows >= 0 && columns >= 0);
    size_t r = (size_t)rows, c = (size_t)columns, least = r < c ? r : c;
    struct elimination e = {.m = m, .row = row, .work = work};
    *m = (struct pv_modular){.rows = rows, .columns = columns};
    m->pivot_row = pv_alloc(least, sizeof(int));
    m->pivot_column = pv_alloc(least, sizeof(int));
    m->step_of_row = pv_alloc(r, sizeof(int));
    m->step_of_column = pv_alloc(c, sizeof(int));
    m->inverse = pv_alloc(least, sizeof(*m->inverse));
    m->lower = pv_alloc(least, sizeof(*m->lower));
    m->upper = pv_alloc(least, sizeof(*m->upper));
    e.holder = pv_alloc(c, sizeof(*e.holder));
    e.column_count = pv_alloc(c, sizeof(int));
    e.first = pv_alloc(c + 1, sizeof(int));
    e.next = pv_alloc(r, sizeof(int));
    e.before = pv_alloc(r, sizeof(int));
    e.position = pv_alloc(c, sizeof(int));
    for (int k = 0; k <= columns; k++) {
        e.first[k] = -1;
    }
    for (int k = 0; k < columns; k++) {
        m->step_of_column[k] = -1;
    }
    for (int i = rows - 1; i >= 0; i--) {
        m->step_of_row[i] = -1;
        list_row(&e, i);
        for (int k = 0; k < row[i].count; k++) {
            CN_ASSERT(row[i].entry[k].index < columns);
            pv_residue_row_add(&e.holder[row[i].entry[k].index], i, 0, 0.0);
            e.column_count[row[i].entry[k].index]++;
        }
    }
    int pivot_row = 0, pivot_column = 0;
    while (find_pivot(&e, &pivot_row, &pivot_column)) {
        eliminate_pivot(&e, pivot_row, pivot_column);
        pv_part(PV_GOES_ON);
    }
    for (int k = 0; k < columns; k++) {
        residue_row_finish(&e.holder[k]);
    }
    for (int i = 0; i < rows; i++) {
        residue_row_finish(&row[i]);
    }
    pv_free(e.holder);
    pv_free(e.column_count);
    pv_free(e.first);
    pv_free(e.next);
    pv_free(e.before);
    pv_free(e.position);
}

void
pv_modular_finish(struct pv_modular *m)
{
    for (int k = 0; k < m->rank; k++) {
        residue_row_finish(&m->lower[k]);
        residue_row_finish(&m->upper[k]);
    }
    pv_free(m->pivot_row);
    pv_free(m->pivot_column);
    pv_free(m->step_of_row);
    pv_free(m->step_of_column);
    pv_free(m->inverse);
    pv_free(m->lower);
    pv_free(m->upper);
}

void
pv_modular_solve(const struct pv_modular *m, uint64_t *x, uint64_t *digit)
{
    for (int k = 0; k < m->rank; k++) {
        uint64_t value = x[m->pivot_row[k]];
        for (int i = 0; i < m->lower[k].count && value != 0; i++) {
            uint64_t *other = &x[m->lower[k].entry[i].index];
            *other = residue_difference(
                *other, residue_product(m->lower[k].entry[i].value, value));
        }
    }
    for (int k = m->rank - 1; k >= 0; k--) {
        uint64_t value = x[m->pivot_row[k]];
        for (int i = 0; i < m->upper[k].count; i++) {
            int column = m->upper[k].entry[i].index;
            if (m->step_of_column[column] >= 0) { /* x already contains the other columns */
                value = residue_difference(
                    value, residue_product(m->upper[k].entry[i].value, digit[column]));
            }
        }
        digit[m->pivot_column[k]] = residue_product(value, m->inverse[k]);
    }
}
