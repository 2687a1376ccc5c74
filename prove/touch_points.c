#include "prove/touch_points.h"

#include "engine/base/assert.h"
#include "prove/patch.h"

static void
reserve_points(struct pv_touch *touch, int room)
{
    pv_vec *point = pv_alloc((size_t)room, sizeof(*point));
    for (int i = 0; i < room; i++) {
        if (i < touch->room) {
            point[i] = touch->point[i]; /* GMP numbers may be moved in memory */
        } else {
            pv_vec_init(&point[i]);
        }
    }
    pv_free(touch->point);
    touch->point = point;
    touch->room = room;
}

void
pv_touch_init(struct pv_touch *touch)
{
    *touch = (struct pv_touch){0};
    pv_vec_init(&touch->normal);
    reserve_points(touch, PV_TOUCH_ROOM);
}

void
pv_touch_clear(struct pv_touch *touch)
{
    pv_vec_clear(&touch->normal);
    for (int i = 0; i < touch->room; i++) {
        pv_vec_clear(&touch->point[i]);
    }
    pv_free(touch->point);
}

pv_vec *
pv_touch_add(struct pv_touch *touch)
{
    if (touch->count == touch->room) {
        reserve_points(touch, 2 * touch->room);
    }
    return &touch->point[touch->count++];
}

void
pv_touch_round_off(struct pv_touch *touch, bool with_normal)
{
    for (int i = 0; i < touch->count; i++) {
        pv_vec_round(&touch->point[i], PV_POINT_BITS);
    }
    if (with_normal) {
        pv_vec_round(&touch->normal, PV_NORMAL_BITS);
    }
}
