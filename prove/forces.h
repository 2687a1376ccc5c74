/*
 * forces.h: forces at the contacts that balance a load exactly, near those of a conic program.
 */
#ifndef PROVE_FORCES_H
#define PROVE_FORCES_H

#include "prove/search.h"

#define PV_FORCE_BITS 60 /* free values are rounded to this many bits of the largest value */

/*
 * Returns b (0 without `loads`) minus the forces of the contacts that are left out: t along the
 * normal of each one that bears.
 */
mpq_t *pv_forces_right(
    struct pv_search *s, bool loads, const bool *is_left_out, const mpq_t t);

/*
 * Finds exact forces that balance the loads (or 0, without `loads`).  They are near `scale` times
 * the doubles' x plus t along the normals.  A contact that is left out has t_exact along its normal
 * if it bears, else 0.
 */
bool pv_forces_find(struct pv_search *s, bool loads, const bool *is_left_out,
    const mpq_t t_exact, double scale, double t, mpq_t *force);

/* Sets every force to its double, rounded to PV_FORCE_BITS bits of the largest one. */
void pv_forces_round(const struct pv_search *s, double scale, double t, mpq_t *force);

#endif
