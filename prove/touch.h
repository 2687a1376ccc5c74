/*
 * touch.h: finds the points where two shapes touch, by the rules of arrangement.h.
 */
#ifndef PROVE_TOUCH_H
#define PROVE_TOUCH_H

#include "prove/touch_points.h"

/*
 * PV_OVERLAPS: *depth is the depth [m].  The normal of two overlapping polygons is that of the face
 * of least depth; its sign is not defined.
 */
enum pv_touching pv_touch_plane(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

enum pv_touching pv_touch_space(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

#endif
