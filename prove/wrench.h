/*
 * wrench.h: the force and moment of a contact on its two bodies, as a column of the equations of
 * balance: + on b, - on a, about their centres of mass.
 */
#ifndef PROVE_WRENCH_H
#define PROVE_WRENCH_H

#include "prove/arrangement.h"
#include "prove/exact/factor.h"

#define PV_WRENCH_ROOM 12 /* entries of a column */
#define PV_FORCE_MAX 3    /* numbers of a contact's force */

/* The equations of balance: the columns of all contacts times their forces are b. */
struct pv_balance {
    const struct pv_arrangement *arrangement;
    const int *row; /* of a body's first equation; -1: fixed */
    int rows;
    mpq_t *b; /* rows: the force that the contacts must give */
};

/*
 * Adds the force to the column, which must have room.  row[]: the first equation of a body; -1: the
 * body is fixed.
 */
void pv_wrench_add(const struct pv_arrangement *arrangement, const int *row,
    struct pv_column *column, const struct pv_contact *contact, const pv_vec *force);

/* Numbers of a contact's force: 2 in the plane; in space 1, with friction 3. */
int pv_force_parts(const struct pv_arrangement *arrangement, const struct pv_contact *contact);

/*
 * pv_force_is_in_cone: whether the force minus `margin` times the normal is in the contact's cone.
 * pv_rate_is_in_cone: whether the relative velocity is in the dual cone: normal rate >= mu |rate
 * along the tangents|.
 */
bool pv_force_is_in_cone(const struct pv_arrangement *arrangement,
    const struct pv_contact *contact, mpq_t *force, const mpq_t margin);
bool pv_rate_is_in_cone(const struct pv_contact *contact, const pv_vec *rate);

#endif
