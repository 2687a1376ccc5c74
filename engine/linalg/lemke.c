#include "engine/linalg/lemke.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Smaller entries count as rounding, in a dictionary whose diagonal began as 1. */
#define PIVOT_MIN 1e-11
#define TIE_MAX 1e-12

void
cn_lemke_take(struct cn_lemke *lemke, struct cn_arena *arena, int capacity)
{
    CN_ASSERT(capacity >= 0);
    size_t n = (size_t)capacity;
    *lemke = (struct cn_lemke){.capacity = capacity};
    lemke->D = CN_ARENA_TAKE(arena, double, n * (n + 2));
    lemke->scale = CN_ARENA_TAKE(arena, double, n);
    lemke->basic = CN_ARENA_TAKE(arena, int, n);
    lemke->nonbasic = CN_ARENA_TAKE(arena, int, n + 1);
    lemke->row_of = CN_ARENA_TAKE(arena, int, 2 * n + 1);
    lemke->column_of = CN_ARENA_TAKE(arena, int, 2 * n + 1);
    lemke->free_row = CN_ARENA_TAKE(arena, bool, n);
}

static double *
row_at(const struct cn_lemke *lemke, int r)
{
    return lemke->D + (size_t)r * (size_t)(lemke->n + 2);
}

void
cn_lemke_begin(struct cn_lemke *lemke, int n)
{
    CN_ASSERT(0 <= n && n <= lemke->capacity);
    lemke->n = n;
    lemke->pivot_count = 0;
    lemke->work = 0;
    for (int k = 0; k < n; k++) {
        lemke->free_row[k] = false;
    }
}

/*
 * z_k = q_size scale_k z'_k, q_size w'_k = scale_k w_k.  The diagonal becomes 1 where it was
 * positive, and the largest |q| becomes 1, so that ties can be recognised by one absolute number.
 */
static void
dictionary_start(struct cn_lemke *lemke)
{
    int n = lemke->n;
    lemke->q_size = 0.0;
    for (int k = 0; k < n; k++) {
        double diagonal = fabs(row_at(lemke, k)[k]);
        lemke->scale[k] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 1.0;
        lemke->q_size = cn_max(lemke->q_size, lemke->scale[k] * fabs(row_at(lemke, k)[n + 1]));
    }
    if (lemke->q_size == 0.0) {
        lemke->q_size = 1.0;
    }
    for (int r = 0; r < n; r++) {
        double *row = row_at(lemke, r);
        for (int c = 0; c < n; c++) {
            row[c] *= lemke->scale[r] * lemke->scale[c];
        }
        row[n + 1] *= lemke->scale[r] / lemke->q_size;
        row[n] = lemke->free_row[r] ? 0.0 : 1.0;
        lemke->basic[r] = r;
        lemke->nonbasic[r] = n + r;
        cn_work_spend(n);
        lemke->row_of[r] = r;
        lemke->column_of[r] = -1;
        lemke->row_of[n + r] = -1;
        lemke->column_of[n + r] = r;
    }
    lemke->nonbasic[n] = 2 * n;
    lemke->row_of[2 * n] = -1;
    lemke->column_of[2 * n] = n;
}

/* Exchanges basic row r with nonbasic column c. */
static void
exchange_variables(struct cn_lemke *lemke, int r, int c)
{
    int n = lemke->n;
    double *pivot_row = row_at(lemke, r);
    CN_ASSERT(0 <= r && r < n && 0 <= c && c <= n && pivot_row[c] != 0.0);
    double inverse = 1.0 / pivot_row[c];
    /* nonbasic_c = (basic_r - q_r - sum of the others) / D_rc */
    for (int j = 0; j < n + 2; j++) {
        pivot_row[j] *= -inverse;
    }
    pivot_row[c] = inverse;
    for (int i = 0; i < n; i++) {
        double *row = row_at(lemke, i);
        double factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int j = 0; j < n + 2; j++) {
            row[j] += factor * pivot_row[j];
        }
        lemke->work += n;
        cn_work_spend(n);
    }
    int out = lemke->basic[r], in = lemke->nonbasic[c];
    CN_ASSERT(lemke->row_of[out] == r && lemke->column_of[in] == c); /* invariant 1 */
    lemke->basic[r] = in;
    lemke->nonbasic[c] = out;
    lemke->row_of[in] = r;
    lemke->column_of[in] = -1;
    lemke->row_of[out] = -1;
    lemke->column_of[out] = c;
    lemke->pivot_count++;
}

/*
 * Pivots the free z_k into the basis in exchange for the free rows' w, largest entry first.  A w
 * without a pivot depends on the others; it stays basic and is never checked.
 */
static void
eliminate_free(struct cn_lemke *lemke)
{
    int n = lemke->n;
    for (;;) {
        int best_row = -1, best_column = -1;
        double best = PIVOT_MIN;
        for (int k = 0; k < n; k++) {
            if (!lemke->free_row[k] || lemke->row_of[k] < 0) {
                continue;
            }
            for (int l = 0; l < n; l++) {
                int column = lemke->column_of[n + l];
                if (lemke->free_row[l] && column >= 0 &&
                    fabs(row_at(lemke, lemke->row_of[k])[column]) > best) {
                    best = fabs(row_at(lemke, lemke->row_of[k])[column]);
                    best_row = lemke->row_of[k];
                    best_column = column;
                }
            }
            cn_work_spend(n);
        }
        if (best_row < 0) {
            return;
        }
        exchange_variables(lemke, best_row, best_column);
    }
}

static bool
variable_is_free(const struct cn_lemke *lemke, int variable)
{
    return variable < 2 * lemke->n && lemke->free_row[variable % lemke->n];
}

/* Coefficient of eps^(k+1) in row r. */
static double
lexicographic_term(const struct cn_lemke *lemke, int r, int k)
{
    if (lemke->row_of[k] >= 0) {
        return lemke->row_of[k] == r ? 1.0 : 0.0;
    }
    return -row_at(lemke, r)[lemke->column_of[k]];
}

/* True when row r, divided by its entry size, comes before the best row so far. */
static bool
comes_before(const struct cn_lemke *lemke, int r, double size, int best, double best_size)
{
    int n = lemke->n;
    double difference = row_at(lemke, r)[n + 1] / size - row_at(lemke, best)[n + 1] / best_size;
    if (fabs(difference) > TIE_MAX) {
        return difference < 0.0;
    }
    if (lemke->basic[best] == 2 * n || lemke->basic[r] == 2 * n) {
        return lemke->basic[r] == 2 * n; /* among equals z_0 leaves: that gives the solution */
    }
    for (int k = 0; k < n; k++) {
        if (lemke->free_row[k]) {
            continue;
        }
        difference = lexicographic_term(lemke, r, k) / size -
            lexicographic_term(lemke, best, k) / best_size;
        if (fabs(difference) > TIE_MAX) {
            cn_work_spend(2 * k);
            return difference < 0.0;
        }
    }
    cn_work_spend(2 * n);
    return false;
}

/* The row that blocks the increase of column c; -1 when no row does. */
static int
blocking_row(const struct cn_lemke *lemke, int c)
{
    int best = -1;
    double best_size = 0.0;
    for (int r = 0; r < lemke->n; r++) {
        double size = -row_at(lemke, r)[c];
        if (variable_is_free(lemke, lemke->basic[r]) || !(size > PIVOT_MIN)) {
            continue;
        }
        if (best < 0 || comes_before(lemke, r, size, best, best_size)) {
            best = r;
            best_size = size;
        }
    }
    cn_work_spend(2 * lemke->n);
    return best;
}

/* The row with the most negative q, which z_0 must raise first; -1 when q is nowhere negative. */
static int
lowest_row(const struct cn_lemke *lemke)
{
    int best = -1;
    bool negative = false;
    for (int r = 0; r < lemke->n; r++) {
        if (variable_is_free(lemke, lemke->basic[r])) {
            continue;
        }
        negative = negative || row_at(lemke, r)[lemke->n + 1] < 0.0;
        if (best < 0 || comes_before(lemke, r, 1.0, best, 1.0)) {
            best = r;
        }
    }
    return negative ? best : -1;
}

static void
read_out(const struct cn_lemke *lemke, double *z)
{
    int n = lemke->n;
    for (int k = 0; k < n; k++) {
        int row = lemke->row_of[n + k];
        z[k] = row < 0 ? 0.0 : row_at(lemke, row)[n + 1] * lemke->scale[k] * lemke->q_size;
        if (!lemke->free_row[k]) {
            z[k] = cn_max(z[k], 0.0);
        }
    }
}

enum cn_lemke_end
cn_lemke_solve(struct cn_lemke *lemke, int pivot_max, double *z)
{
    int n = lemke->n;
    CN_ASSERT(pivot_max >= 0);
    dictionary_start(lemke);
    eliminate_free(lemke);
    enum cn_lemke_end end = CN_LEMKE_SOLVED;
    int leaving = lowest_row(lemke);
    int entering = 2 * n; /* z_0 */
    while (leaving >= 0) {
        int out = lemke->basic[leaving];
        exchange_variables(lemke, leaving, lemke->column_of[entering]);
        if (out == 2 * n) {
            break;
        }
        if (lemke->pivot_count >= pivot_max) {
            end = CN_LEMKE_PIVOTS_MAX;
            break;
        }
        entering = out < n ? out + n : out - n; /* the complement of the leaving variable */
        CN_ASSERT(lemke->column_of[entering] >= 0); /* a complement is never basic with it */
        leaving = blocking_row(lemke, lemke->column_of[entering]);
        if (leaving < 0) {
            end = CN_LEMKE_RAY;
        }
    }
    read_out(lemke, z);
    return end;
}
