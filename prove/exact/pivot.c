#include "prove/exact/pivot.h"

#include "engine/base/assert.h"
#include "prove/exact/factor.h"
#include "prove/exact/watch.h"
#include "prove/limits.h"


struct lemke {
    int n;
    mpq_t *D, *q;   /* n x (n + 1); n */
    int *basic;     /* by row, the variable: k is w_k, n + k is z_k, 2 n is z_0 */
    int *nonbasic;  /* by column, likewise */
    int *row_of;    /* by variable: its row, or -1 */
    int *column_of; /* by variable: its column, or -1 */
    uint64_t *work;
};

static mpq_t *
entry_at(const struct lemke *l, int row, int column)
{
    CN_ASSERT(0 <= row && row < l->n && 0 <= column && column <= l->n);
    return &l->D[(size_t)row * (size_t)(l->n + 1) + (size_t)column];
}

/* out += factor * value, and counts the work. */
static void
add_product(struct lemke *l, mpq_t out, const mpq_t factor, const mpq_t value)
{
    if (mpq_sgn(value) != 0) {
        *l->work += pv_words(factor) * pv_words(value);
        pv_add_product(out, factor, value);
    }
}

/* Exchanges basic_r and nonbasic_c. */
static void
exchange_variables(struct lemke *l, int r, int c)
{
    mpq_t inverse, factor;
    mpq_inits(inverse, factor, NULL);
    CN_ASSERT(mpq_sgn(*entry_at(l, r, c)) != 0);
    mpq_inv(inverse, *entry_at(l, r, c));
    for (int j = 0; j <= l->n; j++) { /* x_c = (basic_r - rest) / D_rc */
        if (j != c && mpq_sgn(*entry_at(l, r, j)) != 0) {
            mpq_mul(*entry_at(l, r, j), *entry_at(l, r, j), inverse);
            mpq_neg(*entry_at(l, r, j), *entry_at(l, r, j));
        }
    }
    mpq_mul(l->q[r], l->q[r], inverse);
    mpq_neg(l->q[r], l->q[r]);
    mpq_set(*entry_at(l, r, c), inverse);
    for (int i = 0; i < l->n; i++) {
        if (i == r || mpq_sgn(*entry_at(l, i, c)) == 0) {
            continue;
        }
        mpq_set(factor, *entry_at(l, i, c));
        for (int j = 0; j <= l->n; j++) {
            if (j != c) {
                add_product(l, *entry_at(l, i, j), factor, *entry_at(l, r, j));
            }
        }
        add_product(l, l->q[i], factor, l->q[r]);
        mpq_mul(*entry_at(l, i, c), factor, inverse);
    }
    int leaves = l->basic[r], enters = l->nonbasic[c];
    CN_ASSERT(l->row_of[leaves] == r && l->column_of[enters] == c);
    l->basic[r] = enters;
    l->nonbasic[c] = leaves;
    l->row_of[enters] = r;
    l->column_of[enters] = -1;
    l->row_of[leaves] = -1;
    l->column_of[leaves] = c;
    mpq_clears(inverse, factor, NULL);
}

/* out = the coefficient of the k-th infinitesimal in row r. */
static void
infinitesimal_of(const struct lemke *l, mpq_t out, int r, int k)
{
    if (l->row_of[k] >= 0) {
        mpq_set_ui(out, l->row_of[k] == r ? 1 : 0, 1);
    } else {
        mpq_neg(out, *entry_at(l, r, l->column_of[k]));
    }
}

/* Compares row a's value over a_step with row b's over b_step, infinitesimals included. */
static int
compare_rows(const struct lemke *l, int a, const mpq_t a_step, int b, const mpq_t b_step)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_div(x, l->q[a], a_step);
    mpq_div(y, l->q[b], b_step);
    int order = mpq_cmp(x, y);
    for (int k = 0; k < l->n && order == 0; k++) {
        infinitesimal_of(l, x, a, k);
        infinitesimal_of(l, y, b, k);
        mpq_div(x, x, a_step);
        mpq_div(y, y, b_step);
        order = mpq_cmp(x, y);
    }
    mpq_clears(x, y, NULL);
    return order;
}

/* The row that reaches 0 first when column c grows; -1: no row does. */
static int
leaving_row(const struct lemke *l, int c)
{
    mpq_t step, best_step;
    mpq_inits(step, best_step, NULL);
    int best = -1;
    for (int i = 0; i < l->n; i++) {
        if (mpq_sgn(*entry_at(l, i, c)) >= 0) {
            continue;
        }
        mpq_neg(step, *entry_at(l, i, c));
        if (best < 0 || compare_rows(l, i, step, best, best_step) < 0) {
            best = i;
            mpq_set(best_step, step);
        }
    }
    mpq_clears(step, best_step, NULL);
    return best;
}

/* The lexicographically least row of q; -1: all are >= 0. */
static int
first_row(const struct lemke *l)
{
    int best = -1;
    for (int i = 0; i < l->n; i++) {
        if (mpq_sgn(l->q[i]) < 0 && (best < 0 || mpq_cmp(l->q[i], l->q[best]) <= 0)) {
            best = i; /* of equal rows the last: its infinitesimal is the smallest */
        }
    }
    return best;
}

static bool
pivot_to_solution(struct lemke *l)
{
    int n = l->n, row = first_row(l), column = n;
    while (row >= 0) {
        int leaves = l->basic[row];
        pv_part(PV_GOES_ON);
        exchange_variables(l, row, column);
        if (leaves == 2 * n) {
            return true;
        }
        column = l->column_of[leaves < n ? leaves + n : leaves - n];
        row = leaving_row(l, column);
        /* In a tie z_0 leaves, because the method has then reached a solution. */
        int z0 = l->row_of[2 * n];
        if (row >= 0 && z0 >= 0 && z0 != row && mpq_sgn(*entry_at(l, z0, column)) < 0) {
            mpq_t a, b;
            mpq_inits(a, b, NULL);
            mpq_div(a, l->q[z0], *entry_at(l, z0, column));
            mpq_div(b, l->q[row], *entry_at(l, row, column));
            row = mpq_equal(a, b) ? z0 : row;
            mpq_clears(a, b, NULL);
        }
        if (row < 0 || *l->work > PV_WORK_MAX) {
            return false;
        }
    }
    return true;
}

bool
pv_lemke(int n, mpq_t *M, mpq_t *q, mpq_t *z, uint64_t *work)
{
    CN_ASSERT(n >= 0);
    size_t size = (size_t)n;
    struct lemke l = {.n = n, .work = work};
    l.D = pv_numbers(size * (size + 1));
    l.q = pv_numbers(size);
    l.basic = pv_alloc(size, sizeof(int));
    l.nonbasic = pv_alloc(size + 1, sizeof(int));
    l.row_of = pv_alloc(2 * size + 1, sizeof(int));
    l.column_of = pv_alloc(2 * size + 1, sizeof(int));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            mpq_set(*entry_at(&l, i, j), M[(size_t)i * size + (size_t)j]);
        }
        mpq_set_ui(*entry_at(&l, i, n), 1, 1);
        mpq_set(l.q[i], q[i]);
        l.basic[i] = i;
        l.nonbasic[i] = n + i;
        l.row_of[i] = i;
        l.column_of[i] = -1;
        l.row_of[n + i] = -1;
        l.column_of[n + i] = i;
    }
    l.nonbasic[n] = 2 * n;
    l.row_of[2 * n] = -1;
    l.column_of[2 * n] = n;
    bool solved = pivot_to_solution(&l);
    for (int i = 0; i < n; i++) {
        mpq_set_ui(z[i], 0, 1);
        if (l.row_of[n + i] >= 0) {
            mpq_set(z[i], l.q[l.row_of[n + i]]);
        }
    }
    pv_numbers_free(l.D, size * (size + 1));
    pv_numbers_free(l.q, size);
    pv_free(l.basic);
    pv_free(l.nonbasic);
    pv_free(l.row_of);
    pv_free(l.column_of);
    return solved;
}
