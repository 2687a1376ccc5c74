/*
 * touch.h: finds the points where two shapes touch, by the rules of arrangement.h.
 */
#ifndef PROVE_TOUCH_H
#define PROVE_TOUCH_H

#include "prove/arrangement.h"

#define PV_TOUCH_MAX 16 /* the overlap of two rectangles has at most 8 corners */

struct pv_touch {
    int count;
    pv_vec point[PV_TOUCH_MAX];
    pv_vec normal; /* from a to b */
};

enum pv_touching { PV_APART, PV_TOUCHES, PV_OVERLAPS };

void pv_touch_init(struct pv_touch *touch);
void pv_touch_clear(struct pv_touch *touch);

/*
 * PV_OVERLAPS: *depth is the depth [m].  The normal of two overlapping polygons is that of the face
 * of least depth; its sign is not defined.
 */
enum pv_touching pv_touch_plane(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

enum pv_touching pv_touch_space(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

#endif
