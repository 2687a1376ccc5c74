/*
 * bodies.h: the bodies and shapes of an arrangement: placed, weighed, bounded.
 *
 * Mass and inertia follow cn_body_def_weigh, in exact numbers: they are summed over areas (in space
 * volumes) times densities, about the common centre of mass, and scaled to the mass in the body's
 * definition.  An inertia in the definition replaces the sum.
 */
#ifndef PROVE_BODIES_H
#define PROVE_BODIES_H

#include "prove/arrangement.h"
#include "prove/place.h"

/* Fills body[] and shape[].  Both arrays must exist, and the bodies must be initialised. */
enum cn_status pv_bodies_fill(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    struct cn_defect *defect);

/* Sets the load of a body from its weight and constant forces, and adds it to the weight of all. */
void pv_body_load(struct pv_arrangement *arrangement, const struct cn_world_def *def, int index,
    const struct pv_place *place);

#endif
