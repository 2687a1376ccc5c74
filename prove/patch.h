/*
 * patch.h: where the near corners of two convex shapes cover each other, seen along a normal.
 *
 * The corners are moved along the normal onto the plane of the contact and rounded to multiples of
 * 2^-64 m.  The patch is the intersection of the convex hulls of the two sets: a polygon, a
 * segment, a point, or nothing.  Rounding keeps the numbers short; corners that are equal in a
 * coordinate stay equal.
 */
#ifndef PROVE_PATCH_H
#define PROVE_PATCH_H

#include "prove/exact/number.h"

#include <stdbool.h>

struct pv_patch {
    int count;
    pv_vec *corner;      /* of the patch, in the plane, by ascending x, then y, then z */
    mpq_t area, length;  /* the square of twice the area, and of the greatest distance */
};

/* A set of corners: indices into vertex[]. */
struct pv_near {
    const pv_vec *vertex;
    const int *index;
    int count;
};

/*
 * Finds the patch in the plane normal . x = offset.  Both sets have at least one corner.  A corner
 * at most `slack` beside an edge lies on it, and corners of both that near are one [m].
 */
void pv_patch_init(struct pv_patch *patch, const pv_vec *normal, const mpq_t offset,
    const struct pv_near *a, const struct pv_near *b, const mpq_t slack);
void pv_patch_finish(struct pv_patch *patch);

/*
 * Finds the stations, from 0 to 1, between which the segment from p[0] to p[1] lies over the hull
 * of `near`, which has three corners and more, seen along the normal.  False: they share no length.
 */
bool pv_patch_clip(const pv_vec *normal, const pv_vec *const *p, const struct pv_near *near,
    mpq_t low, mpq_t high);

/* Whether a has the larger area, else the greater length; 0: equal in both. */
int pv_patch_compare(const struct pv_patch *a, const struct pv_patch *b);

/* Rounds to the nearest multiple of 2^-bits, halves upward.  A denominator below 2^bits stays. */
void pv_round(mpq_t x, unsigned bits);
void pv_vec_round(pv_vec *v, unsigned bits);

/* In docs/certificates.md: contacts of hulls are rounded to these. */
#define PV_POINT_BITS 64
#define PV_NORMAL_BITS 48

#endif
