#include "prove/exact/number.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 17
#define TURN_BITS 64
#define WORK_BITS 320 /* bits of cosine and sine in between; each doubling loses two bits */

mpq_t *
pv_numbers(size_t count)
{
    mpq_t *numbers = pv_alloc(count, sizeof(*numbers));
    for (size_t i = 0; i < count; i++) {
        mpq_init(numbers[i]);
    }
    return numbers;
}

void
pv_numbers_free(mpq_t *numbers, size_t count)
{
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        mpq_clear(numbers[i]);
    }
    pv_free(numbers);
}

/* out = the fraction of least denominator in the open interval (low, high), 0 <= low < high. */
static void
simplest_fraction(mpq_t out, const mpq_t low, const mpq_t high)
{
    CN_ASSERT(mpq_sgn(low) >= 0 && mpq_cmp(low, high) < 0);
    mpz_t whole;
    mpq_t next, inner_low, inner_high;
    mpz_init(whole);
    mpq_inits(next, inner_low, inner_high, NULL);
    mpz_fdiv_q(whole, mpq_numref(low), mpq_denref(low));
    mpq_set_z(next, whole);
    mpq_sub(inner_low, low, next);
    mpq_sub(inner_high, high, next);
    mpz_add_ui(mpq_numref(next), whole, 1);
    if (mpq_cmp(next, high) < 0) {
        mpq_set(out, next);
    } else {
        if (mpq_sgn(inner_low) == 0) { /* 1 / k with the least k above 1 / inner_high */
            mpz_fdiv_q(mpq_denref(out), mpq_denref(inner_high), mpq_numref(inner_high));
            mpz_add_ui(mpq_denref(out), mpq_denref(out), 1);
            mpz_set_ui(mpq_numref(out), 1);
        } else {
            mpq_inv(inner_low, inner_low);
            mpq_inv(inner_high, inner_high);
            simplest_fraction(out, inner_high, inner_low);
            mpq_inv(out, out);
        }
        mpq_set_z(next, whole);
        mpq_add(out, out, next);
    }
    mpz_clear(whole);
    mpq_clears(next, inner_low, inner_high, NULL);
}

/* Reads "d.ddde[+-]dd", as printf writes it. */
static void
read_decimal(mpq_t out, const char *text)
{
    char digits[DIGITS_MAX + 2];
    const char *e = strchr(text, 'e');
    CN_ASSERT(e != NULL);
    size_t count = 0;
    for (const char *c = text; c < e; c++) {
        if (*c != '.') {
            digits[count++] = *c;
        }
    }
    CN_ASSERT(count <= DIGITS_MAX);
    digits[count] = '\0';
    long power = strtol(e + 1, NULL, 10) - ((long)count - 1);
    mpz_t scale;
    mpz_init(scale);
    mpz_ui_pow_ui(scale, 10, (unsigned long)labs(power));
    mpz_set_str(mpq_numref(out), digits, 10);
    mpz_set_ui(mpq_denref(out), 1);
    if (power >= 0) {
        mpz_mul(mpq_numref(out), mpq_numref(out), scale);
    } else {
        mpz_set(mpq_denref(out), scale);
    }
    mpq_canonicalize(out);
    mpz_clear(scale);
}

/* out = (a + b) / 2. */
static void
half_way(mpq_t out, double a, double b)
{
    mpq_t other;
    mpq_init(other);
    mpq_set_d(out, a);
    mpq_set_d(other, b);
    mpq_add(out, out, other);
    mpq_div_2exp(out, out, 1);
    mpq_clear(other);
}

void
pv_number(mpq_t out, double x)
{
    double size = fabs(x);
    CN_ASSERT(isfinite(x)); /* mpq_set_d has no answer for others */
    if (size == 0.0) {
        mpq_set_ui(out, 0, 1);
        return;
    }
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    half_way(low, nextafter(size, 0.0), size);
    half_way(high, size, nextafter(size, HUGE_VAL));
    simplest_fraction(out, low, high);
    if (mpz_cmp_ui(mpq_denref(out), PV_FRACTION_MAX) > 0) {
        mpq_set_d(out, size);
        for (int digits = 1; digits <= DIGITS_MAX; digits++) {
            char text[DIGITS_MAX + 16];
            mpq_t decimal;
            mpq_init(decimal);
            snprintf(text, sizeof(text), "%.*e", digits - 1, size);
            read_decimal(decimal, text);
            bool fits = mpq_cmp(decimal, low) > 0 && mpq_cmp(decimal, high) < 0;
            if (fits) {
                mpq_set(out, decimal);
            }
            mpq_clear(decimal);
            if (fits) {
                break;
            }
        }
    }
    if (x < 0.0) {
        mpq_neg(out, out);
    }
    mpq_clears(low, high, NULL);
}

void
pv_root(mpq_t out, const mpq_t square)
{
    CN_ASSERT(mpq_sgn(square) >= 0);
    if (mpz_perfect_square_p(mpq_numref(square)) && mpz_perfect_square_p(mpq_denref(square))) {
        mpz_sqrt(mpq_numref(out), mpq_numref(square));
        mpz_sqrt(mpq_denref(out), mpq_denref(square));
        return;
    }
    mpz_t product, below;
    mpz_init(product);
    mpz_init_set(below, mpq_denref(square));
    mpz_mul(product, mpq_numref(square), below);
    mpz_mul_2exp(product, product, 128);
    mpz_sqrt(mpq_numref(out), product);
    mpz_mul_2exp(mpq_denref(out), below, 64);
    mpq_canonicalize(out);
    mpz_clear(product);
    mpz_clear(below);
}

/* out = a b / 2^WORK_BITS. */
static void
fixed_multiply(mpz_t out, const mpz_t a, const mpz_t b)
{
    mpz_mul(out, a, b);
    mpz_fdiv_q_2exp(out, out, WORK_BITS);
}

/* Sums Taylor's series: sine from `term` = x, cosine from `term` = 1; all in fixed point. */
static void
sum_series(mpz_t sum, mpz_t term, const mpz_t square, unsigned long first)
{
    mpz_set(sum, term);
    for (unsigned long k = first; mpz_sgn(term) != 0; k += 2) {
        fixed_multiply(term, term, square);
        mpz_tdiv_q_ui(term, term, k * (k + 1));
        mpz_neg(term, term);
        mpz_add(sum, sum, term);
        if (mpz_sizeinbase(term, 2) <= 1) {
            break;
        }
    }
}

/* out = the multiple of 2^-TURN_BITS nearest to fixed / 2^WORK_BITS. */
static void
round_fixed(mpq_t out, const mpz_t fixed)
{
    mpz_t half;
    mpz_init_set_ui(half, 1);
    mpz_mul_2exp(half, half, WORK_BITS - TURN_BITS - 1);
    mpz_add(half, half, fixed);
    mpz_fdiv_q_2exp(mpq_numref(out), half, WORK_BITS - TURN_BITS);
    mpz_set_ui(mpq_denref(out), 1);
    mpz_mul_2exp(mpq_denref(out), mpq_denref(out), TURN_BITS);
    mpq_canonicalize(out);
    mpz_clear(half);
}

void
pv_turn(mpq_t w, mpq_t z, const mpq_t angle)
{
    mpz_t x, square, term, c, s;
    mpz_inits(x, square, term, c, s, NULL);
    mpz_mul_2exp(x, mpq_numref(angle), WORK_BITS - 1); /* half the angle */
    mpz_fdiv_q(x, x, mpq_denref(angle));
    int doublings = 0;
    while (mpz_sizeinbase(x, 2) > WORK_BITS - 4) { /* until below 1/16 */
        mpz_fdiv_q_2exp(x, x, 1);
        doublings++;
    }
    fixed_multiply(square, x, x);
    mpz_set(term, x);
    sum_series(s, term, square, 2);
    mpz_set_ui(term, 1);
    mpz_mul_2exp(term, term, WORK_BITS);
    sum_series(c, term, square, 1);
    for (int i = 0; i < doublings; i++) { /* cos 2x = 1 - 2 s s, sin 2x = 2 s c */
        fixed_multiply(term, s, c);
        mpz_mul_2exp(term, term, 1);
        fixed_multiply(square, s, s);
        mpz_mul_2exp(square, square, 1);
        mpz_set_ui(c, 1);
        mpz_mul_2exp(c, c, WORK_BITS);
        mpz_sub(c, c, square);
        mpz_set(s, term);
    }
    round_fixed(w, c);
    round_fixed(z, s);
    mpz_clears(x, square, term, c, s, NULL);
}

double
pv_double(const mpq_t x)
{
    /* mpq_get_d rounds towards zero: its result and the next double away from zero enclose x. */
    double low = mpq_get_d(x);
    double high = nextafter(low, mpq_sgn(x) > 0 ? HUGE_VAL : -HUGE_VAL);
    mpq_t half;
    mpq_init(half);
    mpq_set_d(half, low);
    if (mpq_equal(half, x) || !isfinite(high)) {
        mpq_clear(half);
        return low;
    }
    half_way(half, low, high);
    int side = mpq_cmp(x, half) * mpq_sgn(x); /* > 0: nearer to high */
    if (side == 0) { /* a tie: take the even one, whose last bit is 0 */
        uint64_t bits;
        memcpy(&bits, &low, sizeof(bits));
        side = (bits & 1) != 0 ? 1 : -1;
    }
    mpq_clear(half);
    return side > 0 ? high : low;
}

void
pv_vec_init(pv_vec *v)
{
    mpq_inits(v->c[0], v->c[1], v->c[2], NULL);
}

void
pv_vec_clear(pv_vec *v)
{
    mpq_clears(v->c[0], v->c[1], v->c[2], NULL);
}

void
pv_vec_set(pv_vec *out, const pv_vec *v)
{
    for (int k = 0; k < 3; k++) {
        mpq_set(out->c[k], v->c[k]);
    }
}

void
pv_vec_sub(pv_vec *out, const pv_vec *a, const pv_vec *b)
{
    for (int k = 0; k < 3; k++) {
        mpq_sub(out->c[k], a->c[k], b->c[k]);
    }
}

void
pv_vec_add_scaled(pv_vec *out, const pv_vec *a, const mpq_t s, const pv_vec *b)
{
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; k++) {
        mpq_mul(product, s, b->c[k]);
        mpq_add(out->c[k], a->c[k], product);
    }
    mpq_clear(product);
}

void
pv_vec_negate(pv_vec *v)
{
    for (int k = 0; k < 3; k++) {
        mpq_neg(v->c[k], v->c[k]);
    }
}

void
pv_add_product(mpq_t out, const mpq_t a, const mpq_t b)
{
    if (mpq_sgn(a) != 0 && mpq_sgn(b) != 0) {
        mpq_t product;
        mpq_init(product);
        mpq_mul(product, a, b);
        mpq_add(out, out, product);
        mpq_clear(product);
    }
}

void
pv_sub_product(mpq_t out, const mpq_t a, const mpq_t b)
{
    if (mpq_sgn(a) != 0 && mpq_sgn(b) != 0) {
        mpq_t product;
        mpq_init(product);
        mpq_mul(product, a, b);
        mpq_sub(out, out, product);
        mpq_clear(product);
    }
}

void
pv_dot(mpq_t out, const pv_vec *a, const pv_vec *b)
{
    mpq_t sum;
    mpq_init(sum);
    for (int k = 0; k < 3; k++) {
        pv_add_product(sum, a->c[k], b->c[k]);
    }
    mpq_set(out, sum);
    mpq_clear(sum);
}

void
pv_cross(pv_vec *out, const pv_vec *a, const pv_vec *b)
{
    CN_ASSERT(out != a && out != b);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_set_ui(out->c[k], 0, 1);
        pv_add_product(out->c[k], a->c[i], b->c[j]);
        pv_sub_product(out->c[k], a->c[j], b->c[i]);
    }
}
