/*
 * touch.h: where two shapes touch, in the plane and in space; arrangement.h says by which rules.
 */
#ifndef PROVE_TOUCH_H
#define PROVE_TOUCH_H

#include "prove/arrangement.h"

#define PV_TOUCH_MAX 16 /* corners of two rectangles' overlap: 8 at most */

struct pv_touch {
    int count;
    pv_vec point[PV_TOUCH_MAX];
    pv_vec normal; /* from a to b */
};

enum pv_touching { PV_APART, PV_TOUCHES, PV_OVERLAPS };

void pv_touch_init(struct pv_touch *touch);
void pv_touch_clear(struct pv_touch *touch);

/*
 * When they overlap: *depth is how deep [m], and of two polygons the normal is, up to its sign, of
 * the face by which they would part soonest.
 */
enum pv_touching pv_touch_plane(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

enum pv_touching pv_touch_space(struct pv_touch *touch, const struct pv_shape *a,
    const struct pv_shape *b, const pv_vec *gravity, double *depth);

#endif
