#include "prove/exact/lift.h"

#include "engine/base/assert.h"
#include "prove/exact/modular.h"
#include "prove/exact/watch.h"
#include "prove/limits.h"

#include <math.h>

/* A fraction is accepted if it is at least this many bits shorter than the digits known so far. */
#define SPARE_BITS 24
#define DIGIT_BITS 61

/* A row of M in integers: multiplied by the least common multiple of its denominators. */
struct integer_row {
    int count;
    int *column;
    mpz_t *value;
    mpz_t right;
};

struct lift {
    int rows, columns;
    struct integer_row *row;
    struct pv_modular modular;
    mpz_t *rest;  /* by row: the remaining right-hand side, over p^digits */
    mpz_t *value; /* by column: v 2^-shift modulo `whole` */
    mpz_t whole;  /* p^digits */
    int shift;    /* a given v is an integer times 2^shift */
    uint64_t *x, *digit;
    uint64_t *work;
};

static mpz_t *
integers_alloc(size_t count)
{
    mpz_t *z = pv_alloc(count, sizeof(*z));
    for (size_t i = 0; i < count; i++) {
        mpz_init(z[i]);
    }
    return z;
}

static void
integers_free(mpz_t *z, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mpz_clear(z[i]);
    }
    pv_free(z);
}

static void
count_entries(struct lift *l, const struct pv_column *const *column, mpq_t *r)
{
    mpz_t *lcm = integers_alloc((size_t)l->rows);
    for (int i = 0; i < l->rows; i++) {
        mpz_set(lcm[i], mpq_denref(r[i]));
    }
    for (int j = 0; j < l->columns; j++) {
        for (int k = 0; k < column[j]->count; k++) {
            int i = column[j]->row[k];
            CN_ASSERT(0 <= i && i < l->rows);
            mpz_lcm(lcm[i], lcm[i], mpq_denref(column[j]->value[k]));
            l->row[i].count++;
        }
    }
    for (int i = 0; i < l->rows; i++) {
        struct integer_row *row = &l->row[i];
        row->column = pv_alloc((size_t)row->count, sizeof(*row->column));
        row->value = integers_alloc((size_t)row->count);
        mpz_init(row->right);
        mpz_divexact(row->right, lcm[i], mpq_denref(r[i]));
        mpz_mul(row->right, row->right, mpq_numref(r[i]));
        row->count = 0;
    }
    for (int j = 0; j < l->columns; j++) {
        for (int k = 0; k < column[j]->count; k++) {
            struct integer_row *row = &l->row[column[j]->row[k]];
            mpz_t *value = &row->value[row->count];
            row->column[row->count++] = j;
            mpz_divexact(*value, lcm[column[j]->row[k]], mpq_denref(column[j]->value[k]));
            mpz_mul(*value, *value, mpq_numref(column[j]->value[k]));
        }
    }
    integers_free(lcm, (size_t)l->rows);
}

/* value / 2^most.  The scale is needed because the integer may exceed every double. */
static double
size_of(const mpz_t value, size_t most)
{
    long exponent = 0;
    double part = mpz_get_d_2exp(&exponent, value);
    return ldexp(part, (int)(exponent - (long)most));
}

static void
factor_modulo(struct lift *l, const double *room)
{
    struct pv_residue_row *row = pv_alloc((size_t)l->rows, sizeof(*row));
    for (int i = 0; i < l->rows; i++) {
        size_t most = 0;
        for (int k = 0; k < l->row[i].count; k++) {
            size_t bits = mpz_sizeinbase(l->row[i].value[k], 2);
            most = bits > most ? bits : most;
        }
        for (int k = 0; k < l->row[i].count; k++) {
            uint64_t value = mpz_fdiv_ui(l->row[i].value[k], PV_PRIME);
            if (value != 0) {
                int j = l->row[i].column[k];
                double size = size_of(l->row[i].value[k], most) * (room != NULL ? room[j] : 1.0);
                pv_residue_row_add(&row[i], j, value, size);
            }
        }
    }
    pv_modular_init(&l->modular, row, l->rows, l->columns, l->work);
    pv_free(row);
}

/* Gives columns without a pivot their value from `near`, and subtracts them from the right side. */
static void
give_values(struct lift *l, const double *near, int bits)
{
    double most = 0.0;
    for (int j = 0; j < l->columns; j++) {
        most = fmax(most, fabs(near[j]));
    }
    int exponent = 0;
    (void)frexp(most, &exponent);
    l->shift = exponent - bits < 0 ? exponent - bits : 0;
    CN_ASSERT(l->shift <= 0); /* -shift is a number of bits */
    for (int j = 0; j < l->columns; j++) {
        if (l->modular.step_of_column[j] < 0) {
            mpz_set_d(l->value[j], nearbyint(ldexp(near[j], -l->shift)));
        }
    }
    for (int i = 0; i < l->rows; i++) {
        const struct integer_row *row = &l->row[i];
        if (l->modular.step_of_row[i] < 0) {
            continue;
        }
        mpz_mul_2exp(l->rest[i], row->right, (mp_bitcnt_t)-l->shift);
        for (int k = 0; k < row->count; k++) {
            if (l->modular.step_of_column[row->column[k]] < 0) {
                mpz_submul(l->rest[i], row->value[k], l->value[row->column[k]]);
            }
        }
    }
}

/* Computes one more digit of every value. */
static void
add_digit(struct lift *l)
{
    const struct pv_modular *m = &l->modular;
    for (int i = 0; i < l->rows; i++) {
        l->x[i] = m->step_of_row[i] < 0 ? 0 : mpz_fdiv_ui(l->rest[i], PV_PRIME);
    }
    pv_modular_solve(m, l->x, l->digit);
    for (int s = 0; s < m->rank; s++) {
        const struct integer_row *row = &l->row[m->pivot_row[s]];
        CN_ASSERT(l->digit[m->pivot_column[s]] < PV_PRIME);
        mpz_t *rest = &l->rest[m->pivot_row[s]];
        for (int k = 0; k < row->count; k++) {
            if (m->step_of_column[row->column[k]] >= 0) {
                mpz_submul_ui(*rest, row->value[k], l->digit[row->column[k]]);
            }
        }
        mpz_divexact_ui(*rest, *rest, PV_PRIME);
        *l->work += (uint64_t)row->count * (mpz_size(*rest) + 1);
        mpz_addmul_ui(l->value[m->pivot_column[s]], l->whole, l->digit[m->pivot_column[s]]);
    }
    *l->work += (uint64_t)m->rank * mpz_size(l->whole);
    mpz_mul_ui(l->whole, l->whole, PV_PRIME);
}

static size_t
bits_of(const mpz_t z)
{
    return mpz_sizeinbase(z, 2);
}

/* Finds p and q, both below the root of `whole`, with value = p/q modulo `whole`. */
static void
find_fraction(const struct lift *l, mpz_t p, mpz_t q, const mpz_t value)
{
    mpz_t r0, r1, t0, t1, quotient;
    mpz_inits(r0, r1, t0, t1, quotient, NULL);
    mpz_set(r0, l->whole);
    mpz_set(r1, value);
    mpz_set_ui(t1, 1);
    size_t half = bits_of(l->whole) / 2;
    while (mpz_sgn(r1) != 0 && bits_of(r1) > half) {
        mpz_fdiv_qr(quotient, r0, r0, r1);
        mpz_swap(r0, r1);
        mpz_submul(t0, quotient, t1);
        mpz_swap(t0, t1);
        *l->work += mpz_size(r1) + mpz_size(t1);
    }
    CN_ASSERT(mpz_sgn(t1) != 0); /* the denominator of a convergent */
    mpz_set(p, r1);
    mpz_set(q, t1);
    if (mpz_sgn(q) < 0) {
        mpz_neg(p, p);
        mpz_neg(q, q);
    }
    mpz_clears(r0, r1, t0, t1, quotient, NULL);
}

static bool
fraction_fits(const struct lift *l, const mpz_t p, const mpz_t q)
{
    return bits_of(p) + bits_of(q) + SPARE_BITS < bits_of(l->whole);
}

/*
 * Finds all fractions.  The denominator of the earlier ones is tried first, as most share it.
 * False: more digits are needed.
 */
static bool
find_fractions(struct lift *l, mpq_t *v, uint64_t work_max)
{
    mpz_t p, q, known, half;
    mpz_inits(p, q, known, half, NULL);
    mpz_set_ui(known, 1);
    mpz_fdiv_q_2exp(half, l->whole, 1);
    bool good = true;
    for (int j = 0; j < l->columns && good; j++) {
        good = *l->work <= work_max;
        mpz_set_ui(q, 1);
        mpz_set(p, l->value[j]);
        if (l->modular.step_of_column[j] >= 0) {
            mpz_mul(p, l->value[j], known);
            mpz_fdiv_r(p, p, l->whole);
            if (mpz_cmp(p, half) > 0) {
                mpz_sub(p, p, l->whole);
            }
            mpz_set(q, known);
            if (!fraction_fits(l, p, q)) {
                find_fraction(l, p, q, l->value[j]);
                good = good && fraction_fits(l, p, q);
                mpz_lcm(known, known, q);
                if (4 * bits_of(known) > bits_of(l->whole)) {
                    mpz_set(known, q);
                }
            }
        }
        CN_ASSERT(mpz_sgn(q) > 0);
        mpz_set(mpq_numref(v[j]), p);
        mpz_set(mpq_denref(v[j]), q);
        if (good) {
            mpq_canonicalize(v[j]);
            mpq_div_2exp(v[j], v[j], (mp_bitcnt_t)-l->shift);
        }
    }
    for (int j = 0; j < l->columns && !good; j++) {
        mpq_set_ui(v[j], 0, 1);
    }
    mpz_clears(p, q, known, half, NULL);
    return good;
}

/* Whether v solves all rows, including those without a pivot. */
static bool
solution_holds(const struct lift *l, mpq_t *v)
{
    mpz_t lcm, sum, part;
    mpz_inits(lcm, sum, part, NULL);
    bool good = true;
    for (int i = 0; i < l->rows && good; i++) {
        const struct integer_row *row = &l->row[i];
        mpz_set_ui(lcm, 1);
        for (int k = 0; k < row->count; k++) {
            mpz_lcm(lcm, lcm, mpq_denref(v[row->column[k]]));
        }
        mpz_mul(sum, row->right, lcm);
        for (int k = 0; k < row->count; k++) {
            mpz_divexact(part, lcm, mpq_denref(v[row->column[k]]));
            mpz_mul(part, part, mpq_numref(v[row->column[k]]));
            mpz_submul(sum, part, row->value[k]);
        }
        *l->work += (uint64_t)row->count * mpz_size(lcm);
        good = mpz_sgn(sum) == 0;
    }
    mpz_clears(lcm, sum, part, NULL);
    return good;
}

/* Whether all integers are short.  A row with many roots can have 10^5 bits, and take minutes. */
static bool
is_short(const struct lift *l)
{
    for (int i = 0; i < l->rows; i++) {
        for (int k = 0; k < l->row[i].count; k++) {
            if (mpz_sizeinbase(l->row[i].value[k], 2) > PV_ROW_BITS_MAX) {
                return false;
            }
        }
    }
    return true;
}

static bool
lift_all(struct lift *l, mpq_t *v, uint64_t work_max)
{
    int next = 3;
    for (int digits = 1; *l->work <= work_max; digits++) {
        pv_part(PV_GOES_ON);
        add_digit(l);
        if (digits < next) {
            continue;
        }
        if (find_fractions(l, v, work_max)) {
            return solution_holds(l, v);
        }
        next += next / 2;
    }
    return false;
}

bool
pv_lift_solve(const struct pv_column *const *column, int columns, int rows, mpq_t *r,
    const double *near, int bits, const double *room, mpq_t *v, uint64_t *work,
    uint64_t work_max)
{
    CN_ASSERT(rows >= 0 && columns >= 0 && bits > 0);
    pv_phase("proving in exact numbers");
    size_t m = (size_t)rows, n = (size_t)columns;
    struct lift l = {.rows = rows, .columns = columns, .work = work};
    l.row = pv_alloc(m, sizeof(*l.row));
    l.rest = integers_alloc(m);
    l.value = integers_alloc(n);
    l.x = pv_alloc(m, sizeof(*l.x));
    l.digit = pv_alloc(n, sizeof(*l.digit));
    mpz_init_set_ui(l.whole, 1);
    count_entries(&l, column, r);
    factor_modulo(&l, room);
    give_values(&l, near, bits);
    bool good = is_short(&l) && lift_all(&l, v, work_max);
    pv_modular_finish(&l.modular);
    for (int i = 0; i < rows; i++) {
        integers_free(l.row[i].value, (size_t)l.row[i].count);
        mpz_clear(l.row[i].right);
        pv_free(l.row[i].column);
    }
    pv_free(l.row);
    integers_free(l.rest, m);
    integers_free(l.value, n);
    pv_free(l.x);
    pv_free(l.digit);
    mpz_clear(l.whole);
    return good;
}
