/*
 * forces.h: forces at the contacts that balance a load exactly, near those of a conic program.
 */
#ifndef PROVE_FORCES_H
#define PROVE_FORCES_H

#include "prove/search.h"

#define PV_FORCE_BITS 60 /* of the largest value, to which those that are free are rounded */

/* right = b times `loads` less what the contacts that have no columns give: t along the normal. */
mpq_t *pv_forces_right(
    struct pv_search *s, bool loads, const bool *is_left_out, const mpq_t t);

/*
 * Forces that give `right`, near x times scale with t along the normals; exact.  What is left out
 * has t_exact along its normal, or nothing.
 */
bool pv_forces_find(struct pv_search *s, bool loads, const bool *is_left_out,
    const mpq_t t_exact, double scale, double t, mpq_t *force);

#endif
