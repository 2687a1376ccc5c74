/*
 * q.h: rational numbers as expressions, from a pool.
 *
 *     q area = q_sub(pool, q_mul(pool, a, d), q_mul(pool, b, c));
 *
 * Every operation takes a new number from the pool.  A number lives until the pool is cut back to
 * an earlier mark, or finished.  The verifier uses only these numbers: clear before fast.
 *
 * Invariants: 1. used <= block_count times the size of a block.  2. A mark is not above used.
 */
#ifndef VERIFY_Q_H
#define VERIFY_Q_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef mpq_srcptr q;

struct q_pool {
    mpq_t **block;
    size_t block_count, block_room;
    size_t used;
};

/* Zeroed memory, for free().  Never NULL: aborts if memory runs out. */
void *vf_alloc(size_t count, size_t size);

void q_pool_finish(struct q_pool *pool);
size_t q_mark(const struct q_pool *pool);
void q_release(struct q_pool *pool, size_t mark);

q q_int(struct q_pool *pool, long n);
q q_ratio(struct q_pool *pool, long p, unsigned long d);
q q_add(struct q_pool *pool, q a, q b);
q q_sub(struct q_pool *pool, q a, q b);
q q_mul(struct q_pool *pool, q a, q b);
q q_div(struct q_pool *pool, q a, q b); /* b != 0 */
q q_neg(struct q_pool *pool, q a);
q q_abs(struct q_pool *pool, q a);
q q_gcd(struct q_pool *pool, q a, q b); /* the greatest number of which both are multiples */
/* To a multiple of 2^-bits, halves upward; a denominator below 2^bits stays. */
q q_round(struct q_pool *pool, q a, unsigned bits);
q q_min(q a, q b);
q q_max(q a, q b);
bool q_less(q a, q b);
bool q_same(q a, q b);

/*
 * By docs/certificates.md: the number that a double stands for, the square root of a number >= 0,
 * and the quaternion (*w, 0, 0, *z) of a turn by `angle`.
 */
q q_of_double(struct q_pool *pool, double x);
q q_root(struct q_pool *pool, q square);
void q_of_turn(struct q_pool *pool, q angle, q *w, q *z);

/* Reads "p" or "p/q" in lowest terms, q > 1, without needless signs and zeros.  NULL: it is not. */
q q_of_text(struct q_pool *pool, const char *text, size_t size);

#define Q_TEXT_SIZE_MAX 200000 /* bytes of a number; longer ones are refused to bound the work */

/* Whether x is the double nearest to a; in a tie, the even one. */
bool q_rounds_to(struct q_pool *pool, q a, double x);

#endif
