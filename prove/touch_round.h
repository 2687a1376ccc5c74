/*
 * touch_round.h: a capsule with any shape, and a disc or ball with a hull or a capsule; in the
 * plane and in space.
 *
 * The core of a disc or ball is its centre, that of a capsule its segment, that of another shape
 * the shape itself.  The normal leads from the nearest point of the first core to that of the
 * second.  Rules are in docs/certificates.md, "Hulls and capsules".
 */
#ifndef PROVE_TOUCH_ROUND_H
#define PROVE_TOUCH_ROUND_H

#include "prove/touch_points.h"

/* At least one of a and b is a capsule, disc or ball; none is a plane.  near, *depth: see above. */
enum pv_touching pv_touch_round(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const mpq_t near, const pv_vec *gravity, double *depth);

#endif
