/*
 * touch_solid.h: two hulls, or a hull and a cuboid, in space.
 *
 * A direction parts the two if all corners of b lie beyond all corners of a, up to the tolerance.
 * The directions are those of the faces of a, of b, and those across an edge of each, both ways.
 * Rules are in docs/certificates.md, "Hulls and capsules".
 *
 * Doubles with a bound of their error decide what they can.  Exact numbers decide the rest, so the
 * result is that of exact numbers alone.
 */
#ifndef PROVE_TOUCH_SOLID_H
#define PROVE_TOUCH_SOLID_H

#include "prove/touch_points.h"

/* near: the tolerance [m].  *depth and the normal of an overlap: as in touch.h. */
enum pv_touching pv_touch_solids(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const mpq_t near, const pv_vec *gravity, double *depth);

#endif
