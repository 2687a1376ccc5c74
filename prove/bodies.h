/*
 * bodies.h: the bodies and shapes of an arrangement: placed, weighed, bounded.
 *
 * Mass and inertia follow cn_body_def_weigh, exactly: areas times densities about the common centre
 * of mass, scaled to the mass that the body gives; an inertia that it gives replaces the rest.
 */
#ifndef PROVE_BODIES_H
#define PROVE_BODIES_H

#include "prove/arrangement.h"
#include "prove/place.h"

/* Fills body[] and shape[]; the arrays exist, their numbers are initialised. */
enum cn_status pv_bodies_fill(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    struct cn_defect *defect);

/* Adds weight and constant forces of a body that has mass and centre, and to the weight of all. */
void pv_body_load(struct pv_arrangement *arrangement, const struct cn_world_def *def, int index,
    const struct pv_place *place);

void pv_body_init(struct pv_body *body);
void pv_body_clear(struct pv_body *body);
void pv_shape_clear(struct pv_shape *shape);

#endif
