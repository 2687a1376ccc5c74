/*
 * wrench.h: what a force at a contact does to its two bodies, as a column of the equations of
 * balance: + on b, - on a, about their centres of mass.
 */
#ifndef PROVE_WRENCH_H
#define PROVE_WRENCH_H

#include "prove/arrangement.h"
#include "prove/factor.h"

#define PV_WRENCH_ROOM 12 /* entries of a column */

/* Adds to the column, which has room; row[]: of a body's first equation, -1: fixed. */
void pv_wrench_add(const struct pv_arrangement *arrangement, const int *row,
    struct pv_column *column, const struct pv_contact *contact, const pv_vec *force);

/* Parts by which a contact's force is told: 2 in the plane, 1 in space, 3 there with friction. */
int pv_force_parts(const struct pv_arrangement *arrangement, const struct pv_contact *contact);

/*
 * Whether the force less `margin` times the normal is in the contact's cone, by its parts; the
 * relative velocity of a motion, in the dual cone: normal rate >= mu |rate along the tangents|.
 */
bool pv_force_is_in_cone(const struct pv_arrangement *arrangement,
    const struct pv_contact *contact, mpq_t *force, const mpq_t margin);
bool pv_rate_is_in_cone(const struct pv_contact *contact, const pv_vec *rate);

#endif
