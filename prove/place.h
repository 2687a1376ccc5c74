/*
 * place.h: the exact place of a frame in another frame: a rotation and a translation.
 */
#ifndef PROVE_PLACE_H
#define PROVE_PLACE_H

#include "engine/math/quat.h"
#include "prove/exact/number.h"

/* m: the rotation matrix, by rows. */
struct pv_place {
    mpq_t m[9];
    pv_vec position;
};

/* The rotation is given in space by the quaternion (all zeros: none), in the plane by the angle. */
void pv_place_init(
    struct pv_place *place, int dimension, cn_vec3 position, double angle, cn_quat q);
void pv_place_clear(struct pv_place *place);

/* Transforms v to the outer frame: pv_place_turn a direction, pv_place_move a point. */
void pv_place_turn(const struct pv_place *place, pv_vec *v);
void pv_place_move(const struct pv_place *place, pv_vec *v);

/* out = m t m' */
void pv_turn_tensor(mpq_t *out, const mpq_t *m, const mpq_t *t);

#endif
