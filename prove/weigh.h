/*
 * weigh.h: mass, first moments and inertia of the shapes of a body, summed in the body's frame.
 *
 * Areas (in space volumes) count times their densities, 1 for a shape without one.  Tensors and
 * polar moments are about the origin of the body's frame.
 */
#ifndef PROVE_WEIGH_H
#define PROVE_WEIGH_H

#include "prove/arrangement.h"
#include "prove/place.h"

struct pv_weight {
    mpq_t mass, polar;
    mpq_t tensor[9]; /* spatial */
    pv_vec first;
    bool by_density; /* some shape has a density */
    bool has_hull;   /* mass and centre are then rounded (patch.h), as the contacts are */
};

void pv_weight_init(struct pv_weight *weight);
void pv_weight_clear(struct pv_weight *weight);

/* tensor += factor mass (c.c 1 - c c'), factor 1 or -1 */
void pv_weight_add_arm(mpq_t *tensor, const mpq_t mass, const pv_vec *c, int factor);

/*
 * Each adds a shape.  Its corners are given in the body's frame; `own` is the place of its own
 * frame there.  The density is 0 if the shape has none.
 */
void pv_weigh_outline(struct pv_weight *weight, const struct pv_shape *shape, double density);
void pv_weigh_ball(struct pv_weight *weight, const struct pv_shape *shape, double density);
void pv_weigh_hull(struct pv_weight *weight, const struct pv_shape *shape, double density);
void pv_weigh_cuboid(struct pv_weight *weight, const struct pv_shape *shape, double density,
    const struct pv_place *own);

/* In the plane and in space. */
void pv_weigh_capsule(struct pv_weight *weight, const struct pv_shape *shape, double density,
    int dimension);

#endif
