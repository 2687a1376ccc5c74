/*
 * touch_points.h: the points where two shapes touch.
 */
#ifndef PROVE_TOUCH_POINTS_H
#define PROVE_TOUCH_POINTS_H

#include "prove/arrangement.h"

/*
 * Points that are reserved: the overlap of two rectangles has at most 8 corners.  pv_touch_add
 * reserves more, for hulls with many corners.
 */
#define PV_TOUCH_ROOM 16

struct pv_touch {
    int count, room;
    pv_vec *point;
    pv_vec normal; /* from a to b */
};

enum pv_touching { PV_APART, PV_TOUCHES, PV_OVERLAPS };

void pv_touch_init(struct pv_touch *touch);
void pv_touch_clear(struct pv_touch *touch);
pv_vec *pv_touch_add(struct pv_touch *touch); /* counts another point, and returns it */

/* Rounds the points of a contact of a hull, and, unless a plane gives it, the normal. */
void pv_touch_round_off(struct pv_touch *touch, bool with_normal);

#endif
