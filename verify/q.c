#include "verify/q.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define FRACTION_MAX 1000000
#define SERIES_BITS 512
#define TURN_BITS 64

static void *
check_memory(void *memory)
{
    if (memory == NULL) {
        fputs("cairn: no memory to verify a certificate\n", stderr);
        abort();
    }
    return memory;
}

void *
vf_alloc(size_t count, size_t size)
{
    CN_ASSERT(size > 0);
    return check_memory(calloc(count > 0 ? count : 1, size));
}

static void *
grow_memory(void *memory, size_t size)
{
    return check_memory(realloc(memory, size));
}

static mpq_ptr
fresh_number(struct q_pool *pool)
{
    if (pool->used == pool->block_count * BLOCK) {
        if (pool->block_count == pool->block_room) {
            pool->block_room = 2 * pool->block_room + 16;
            pool->block = grow_memory(pool->block, pool->block_room * sizeof(*pool->block));
        }
        mpq_t *block = grow_memory(NULL, BLOCK * sizeof(*block));
        for (int i = 0; i < BLOCK; i++) {
            mpq_init(block[i]);
        }
        pool->block[pool->block_count++] = block;
    }
    CN_ASSERT(pool->used < pool->block_count * BLOCK); /* invariant 1 */
    size_t at = pool->used++;
    return pool->block[at / BLOCK][at % BLOCK];
}

void
q_pool_finish(struct q_pool *pool)
{
    for (size_t i = 0; i < pool->block_count; i++) {
        for (int k = 0; k < BLOCK; k++) {
            mpq_clear(pool->block[i][k]);
        }
        free(pool->block[i]);
    }
    free(pool->block);
    *pool = (struct q_pool){0};
}

size_t
q_mark(const struct q_pool *pool)
{
    return pool->used;
}

void
q_release(struct q_pool *pool, size_t mark)
{
    CN_ASSERT(mark <= pool->used); /* invariant 2 */
    pool->used = mark;
}

q
q_int(struct q_pool *pool, long n)
{
    mpq_ptr r = fresh_number(pool);
    mpq_set_si(r, n, 1);
    return r;
}

q
q_ratio(struct q_pool *pool, long p, unsigned long d)
{
    CN_ASSERT(d > 0);
    mpq_ptr r = fresh_number(pool);
    mpq_set_si(r, p, d);
    mpq_canonicalize(r);
    return r;
}

q
q_add(struct q_pool *pool, q a, q b)
{
    mpq_ptr r = fresh_number(pool);
    mpq_add(r, a, b);
    return r;
}

q
q_sub(struct q_pool *pool, q a, q b)
{
    mpq_ptr r = fresh_number(pool);
    mpq_sub(r, a, b);
    return r;
}

q
q_mul(struct q_pool *pool, q a, q b)
{
    mpq_ptr r = fresh_number(pool);
    mpq_mul(r, a, b);
    return r;
}

q
q_div(struct q_pool *pool, q a, q b)
{
    CN_ASSERT(mpq_sgn(b) != 0);
    mpq_ptr r = fresh_number(pool);
    mpq_div(r, a, b);
    return r;
}

q
q_neg(struct q_pool *pool, q a)
{
    mpq_ptr r = fresh_number(pool);
    mpq_neg(r, a);
    return r;
}

q
q_abs(struct q_pool *pool, q a)
{
    mpq_ptr r = fresh_number(pool);
    mpq_abs(r, a);
    return r;
}

/* gcd(p/q, r/s) = gcd(p s, r q) / (q s) */
q
q_gcd(struct q_pool *pool, q a, q b)
{
    mpq_ptr r = fresh_number(pool);
    mpz_t other;
    mpz_init(other);
    mpz_mul(other, mpq_numref(b), mpq_denref(a));
    mpz_mul(mpq_numref(r), mpq_numref(a), mpq_denref(b));
    mpz_gcd(mpq_numref(r), mpq_numref(r), other);
    mpz_mul(mpq_denref(r), mpq_denref(a), mpq_denref(b));
    mpq_canonicalize(r);
    mpz_clear(other);
    return r;
}

q
q_round(struct q_pool *pool, q a, unsigned bits)
{
    if (mpz_sizeinbase(mpq_denref(a), 2) <= bits) {
        return a;
    }
    mpq_ptr r = fresh_number(pool);
    mpz_t twice;
    mpz_init(twice);
    mpz_mul_2exp(mpq_numref(r), mpq_numref(a), bits + 1);
    mpz_add(mpq_numref(r), mpq_numref(r), mpq_denref(a));
    mpz_mul_2exp(twice, mpq_denref(a), 1);
    mpz_fdiv_q(mpq_numref(r), mpq_numref(r), twice); /* floor((2 a 2^bits + 1) / 2) */
    mpz_set_ui(mpq_denref(r), 1);
    mpz_mul_2exp(mpq_denref(r), mpq_denref(r), bits);
    mpq_canonicalize(r);
    mpz_clear(twice);
    return r;
}

q
q_min(q a, q b)
{
    return mpq_cmp(b, a) < 0 ? b : a;
}

q
q_max(q a, q b)
{
    return mpq_cmp(b, a) > 0 ? b : a;
}

bool
q_less(q a, q b)
{
    return mpq_cmp(a, b) < 0;
}

bool
q_same(q a, q b)
{
    return mpq_equal(a, b) != 0;
}

static q
exact_double(struct q_pool *pool, double x)
{
    CN_ASSERT(isfinite(x));
    mpq_ptr r = fresh_number(pool);
    mpq_set_d(r, x);
    return r;
}

static q
half_way(struct q_pool *pool, double x, double y)
{
    return q_div(pool, q_add(pool, exact_double(pool, x), exact_double(pool, y)), q_int(pool, 2));
}

/*
 * The least denominator in (low, high), by descending the tree of Stern and Brocot between 0/1 and
 * 1/0, several steps to one side at a time.  NULL: it is above FRACTION_MAX.
 */
static q
least_fraction(struct q_pool *pool, q low, q high)
{
    CN_ASSERT(mpq_sgn(low) > 0 && q_less(low, high));
    mpz_t a, b, c, d, k, x, y; /* a/b below, c/d above */
    mpz_inits(a, b, c, d, k, x, y, NULL);
    mpz_set_ui(b, 1);
    mpz_set_ui(c, 1);
    mpq_ptr m = fresh_number(pool);
    for (;;) {
        mpz_add(mpq_numref(m), a, c);
        mpz_add(mpq_denref(m), b, d);
        if (mpz_cmp_ui(mpq_denref(m), FRACTION_MAX) > 0) {
            m = NULL;
            break;
        }
        bool too_low = mpq_cmp(m, low) <= 0, too_high = mpq_cmp(m, high) >= 0;
        if (!too_low && !too_high) {
            break;
        }
        /* Too low: (a + k c) / (b + k d) <= low for k up to floor((p b - q a) / (q c - p d)). */
        q wall = too_low ? low : high;
        mpz_mul(x, mpq_numref(wall), too_low ? b : d);
        mpz_submul(x, mpq_denref(wall), too_low ? a : c);
        mpz_mul(y, mpq_denref(wall), too_low ? c : a);
        mpz_submul(y, mpq_numref(wall), too_low ? d : b);
        mpz_fdiv_q(k, x, y);
        if (too_low) {
            mpz_addmul(a, k, c);
            mpz_addmul(b, k, d);
        } else {
            mpz_addmul(c, k, a);
            mpz_addmul(d, k, b);
        }
    }
    mpz_clears(a, b, c, d, k, x, y, NULL);
    CN_ASSERT(m == NULL || (q_less(low, m) && q_less(m, high)));
    return m;
}

/* x rounded to `digits` significant decimal digits, as n 10^e. */
static q
round_decimal(struct q_pool *pool, double x, int digits)
{
    CN_ASSERT(1 <= digits && digits <= 17 && x > 0.0);
    char text[40];
    snprintf(text, sizeof(text), "%.*e", digits - 1, x);
    mpq_ptr r = fresh_number(pool);
    mpz_set_ui(mpq_numref(r), 0);
    mpz_set_ui(mpq_denref(r), 1);
    long after_point = 0;
    bool seen_point = false;
    const char *c = text;
    for (; *c != 'e'; c++) {
        if (*c == '.') {
            seen_point = true;
            continue;
        }
        mpz_mul_ui(mpq_numref(r), mpq_numref(r), 10);
        mpz_add_ui(mpq_numref(r), mpq_numref(r), (unsigned long)(*c - '0'));
        after_point += seen_point;
    }
    for (long e = strtol(c + 1, NULL, 10) - after_point; e != 0; e += e < 0 ? 1 : -1) {
        mpz_ptr part = e < 0 ? mpq_denref(r) : mpq_numref(r);
        mpz_mul_ui(part, part, 10);
    }
    mpq_canonicalize(r);
    return r;
}

q
q_of_double(struct q_pool *pool, double x)
{
    CN_ASSERT(isfinite(x)); /* a definition that was checked has no other numbers */
    if (x == 0.0) {
        return q_int(pool, 0);
    }
    double size = fabs(x);
    q low = half_way(pool, nextafter(size, -1.0), size);
    q high = half_way(pool, size, nextafter(size, HUGE_VAL));
    q found = least_fraction(pool, low, high);
    for (int digits = 1; found == NULL; digits++) {
        if (digits > 17) {
            found = exact_double(pool, size);
            break;
        }
        q candidate = round_decimal(pool, size, digits);
        found = q_less(low, candidate) && q_less(candidate, high) ? candidate : NULL;
    }
    return x < 0.0 ? q_neg(pool, found) : found;
}

q
q_root(struct q_pool *pool, q square)
{
    CN_ASSERT(mpq_sgn(square) >= 0);
    mpq_ptr r = fresh_number(pool);
    mpz_t p, d, rest;
    mpz_inits(p, d, rest, NULL);
    mpz_sqrtrem(p, rest, mpq_numref(square));
    bool whole = mpz_sgn(rest) == 0;
    mpz_sqrtrem(d, rest, mpq_denref(square));
    whole = whole && mpz_sgn(rest) == 0;
    if (!whole) { /* sqrt(p d) / d, its numerator cut at 64 bits after the point */
        mpz_set(d, mpq_denref(square));
        mpz_mul(p, mpq_numref(square), d);
        mpz_mul_2exp(p, p, 128);
        mpz_sqrt(p, p);
        mpz_mul_2exp(d, d, 64);
    }
    mpz_set(mpq_numref(r), p);
    mpz_set(mpq_denref(r), d);
    mpq_canonicalize(r);
    mpz_clears(p, d, rest, NULL);
    return r;
}

/* atan(1/n) 2^bits, by its series. */
static void
arc_of_inverse(mpz_t sum, unsigned long n, unsigned long bits)
{
    mpz_t power, part;
    mpz_inits(power, part, NULL);
    mpz_set_ui(power, 1);
    mpz_mul_2exp(power, power, bits);
    mpz_tdiv_q_ui(power, power, n);
    mpz_set_ui(sum, 0);
    for (unsigned long k = 1; mpz_sgn(power) != 0; k += 2) {
        mpz_tdiv_q_ui(part, power, k);
        if (k % 4 == 1) {
            mpz_add(sum, sum, part);
        } else {
            mpz_sub(sum, sum, part);
        }
        mpz_tdiv_q_ui(power, power, n * n);
    }
    mpz_clears(power, part, NULL);
}

/* sum of (-1)^k x^(2k + odd) / (2k + odd)!, in fixed point. */
static void
power_series(mpz_t sum, const mpz_t x, unsigned long odd)
{
    mpz_t term;
    mpz_init_set_ui(term, 1);
    mpz_mul_2exp(term, term, SERIES_BITS);
    mpz_set_ui(sum, 0);
    for (unsigned long k = 0; mpz_sgn(term) != 0; k++) {
        if (k % 2 == odd) {
            if ((k / 2) % 2 == 0) {
                mpz_add(sum, sum, term);
            } else {
                mpz_sub(sum, sum, term);
            }
        }
        mpz_mul(term, term, x);
        mpz_tdiv_q_2exp(term, term, SERIES_BITS);
        mpz_tdiv_q_ui(term, term, k + 1);
    }
    mpz_clear(term);
}

static q
round_turn(struct q_pool *pool, const mpz_t fixed)
{
    mpq_ptr r = fresh_number(pool);
    mpz_set_ui(mpq_denref(r), 1);
    mpz_mul_2exp(mpq_denref(r), mpq_denref(r), TURN_BITS);
    mpz_fdiv_q_2exp(mpq_numref(r), fixed, SERIES_BITS - TURN_BITS - 1);
    mpz_add_ui(mpq_numref(r), mpq_numref(r), 1);
    mpz_fdiv_q_2exp(mpq_numref(r), mpq_numref(r), 1);
    mpq_canonicalize(r);
    return r;
}

void
q_of_turn(struct q_pool *pool, q angle, q *w, q *z)
{
    mpz_t x, turn, part, sum;
    mpz_inits(x, turn, part, sum, NULL);
    /* pi / 4 = 4 atan(1/5) - atan(1/239): a whole turn is 8 of it. */
    arc_of_inverse(turn, 5, SERIES_BITS + 32);
    mpz_mul_ui(turn, turn, 4);
    arc_of_inverse(part, 239, SERIES_BITS + 32);
    mpz_sub(turn, turn, part);
    mpz_mul_ui(turn, turn, 8);
    mpz_mul_2exp(x, mpq_numref(angle), SERIES_BITS + 31);
    mpz_fdiv_q(x, x, mpq_denref(angle));
    mpz_fdiv_r(x, x, turn);
    mpz_fdiv_q_2exp(x, x, 32);
    power_series(sum, x, 0);
    *w = round_turn(pool, sum);
    power_series(sum, x, 1);
    *z = round_turn(pool, sum);
    mpz_clears(x, turn, part, sum, NULL);
}

static size_t
digits_at(const char *text, size_t size, size_t at)
{
    size_t end = at;
    while (end < size && text[end] >= '0' && text[end] <= '9') {
        end++;
    }
    return end - at;
}

q
q_of_text(struct q_pool *pool, const char *text, size_t size)
{
    size_t sign = size > 0 && text[0] == '-' ? 1 : 0;
    size_t p = digits_at(text, size, sign), at = sign + p;
    bool good = size <= Q_TEXT_SIZE_MAX && p > 0 && (text[sign] != '0' || (p == 1 && sign == 0));
    size_t d = 0;
    if (good && at < size) {
        d = text[at] == '/' ? digits_at(text, size, at + 1) : 0;
        good = d > 0 && text[at + 1] != '0' && at + 1 + d == size;
    }
    if (!good) {
        return NULL;
    }
    char *copy = grow_memory(NULL, size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    mpq_ptr r = fresh_number(pool);
    mpq_set_str(r, copy, 10);
    free(copy);
    mpz_t common;
    mpz_init(common);
    mpz_gcd(common, mpq_numref(r), mpq_denref(r));
    good = mpz_cmp_ui(common, 1) == 0 && (d == 0 || mpz_cmp_ui(mpq_denref(r), 1) > 0);
    mpz_clear(common);
    return good ? r : NULL;
}

bool
q_rounds_to(struct q_pool *pool, q a, double x)
{
    if (!isfinite(x)) {
        return false;
    }
    q low = half_way(pool, nextafter(x, -HUGE_VAL), x);
    q high = half_way(pool, x, nextafter(x, HUGE_VAL));
    bool even = fmod(ldexp(frexp(x, &(int){0}), 53), 2.0) == 0.0;
    bool inside = q_less(low, a) && q_less(a, high);
    return inside || (even && (q_same(low, a) || q_same(high, a)));
}
