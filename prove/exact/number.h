/*
 * number.h: exact rational numbers for the doubles of a scene.
 *
 * Somebody wrote a number of a scene as a decimal, or meant a fraction such as 1/3; the double is
 * the nearest one.  So a double x stands for
 *
 *     the fraction of least denominator that is nearer to x than to any other double, if that
 *     denominator is at most 10^6; else the decimal of fewest digits that is nearer to x than to
 *     any other double (of several, the nearest to x)
 *
 * This rule returns 1/3, 0.1 and 0.250000001 for their doubles.  The result differs from x by less
 * than half a unit in its last place.  Irrational values are rounded:
 *
 *     root of p/q (lowest terms)   exact if p and q are squares; else isqrt(p q 2^128) / (q 2^64),
 *                                  which rounds down
 *     turn by an angle             cos and sin of half the angle, each rounded to the nearest
 *                                  multiple of 2^-64.  The matrix of that quaternion is exactly
 *                                  orthogonal, whatever the quaternion's length
 *
 * docs/certificates.md states the same rules for authors of other verifiers.
 *
 * Memory comes from memory.h.  limits.h bounds the problems before their numbers are made.
 */
#ifndef PROVE_EXACT_NUMBER_H
#define PROVE_EXACT_NUMBER_H

#include "prove/exact/memory.h"

#include <gmp.h>
#include <stddef.h>

/* Planar vectors leave z at 0. */
typedef struct pv_vec {
    mpq_t c[3];
} pv_vec;

#define PV_FRACTION_MAX 1000000 /* the largest denominator of a double read as a fraction */

mpq_t *pv_numbers(size_t count); /* initialised, zero */
void pv_numbers_free(mpq_t *numbers, size_t count);

/* The number that the finite double x stands for. */
void pv_number(mpq_t out, double x);

/* out = the root of `square`, which is >= 0. */
void pv_root(mpq_t out, const mpq_t square);

/* The quaternion (w, 0, 0, z) of a turn about z by `angle` [rad]. */
void pv_turn(mpq_t w, mpq_t z, const mpq_t angle);

/* The nearest double, ties to even. */
double pv_double(const mpq_t x);

void pv_vec_init(pv_vec *v);
void pv_vec_clear(pv_vec *v);
void pv_vec_set(pv_vec *out, const pv_vec *v);
void pv_vec_sub(pv_vec *out, const pv_vec *a, const pv_vec *b);
void pv_vec_add_scaled(pv_vec *out, const pv_vec *a, const mpq_t s, const pv_vec *b); /* a + s b */
void pv_vec_negate(pv_vec *v);
void pv_dot(mpq_t out, const pv_vec *a, const pv_vec *b);
void pv_cross(pv_vec *out, const pv_vec *a, const pv_vec *b); /* out differs from a and b */

/* out += a b, out -= a b. */
void pv_add_product(mpq_t out, const mpq_t a, const mpq_t b);
void pv_sub_product(mpq_t out, const mpq_t a, const mpq_t b);

#endif
