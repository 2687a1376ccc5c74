/*
 * search.h: an arrangement with round friction cones as a conic program in doubles (conic.h), with
 * the exact columns beside it from which bounds.h makes exact forces and motions.
 *
 * Units: forces by the largest load, moments by the usual arm as well, and a contact's column by
 * its length.  Moments are scaled by a power of two, so that a motion's doubles are not rounded
 * again.
 */
#ifndef PROVE_SEARCH_H
#define PROVE_SEARCH_H

#include "prove/bounds.h"
#include "prove/conic.h"

/* Which of x and z is inside of its cone at the end: neither where a contact slides. */
enum pv_part { PV_PRESSES, PV_PARTS, PV_SLIDES };

struct pv_search {
    struct pv_bounds *out;
    const struct pv_arrangement *r;
    struct pv_conic conic;
    struct pv_column *column; /* PV_CONE_MAX a contact: unit forces along the axes, or the normal */
    int *column_count;
    double (*axis)[PV_CONE_MAX][3]; /* of a contact: normal, and tangents times mu, in the world */
    double *cone_scale;             /* x times it and `weight` are forces [N] */
    double row_scale[PV_DOF_MAX];   /* y times it over margin_scale are velocities */
    double margin_scale, weight;    /* t times weight / margin_scale is a margin [N] */
    enum pv_part *part;
    uint64_t work_max;    /* of out->work, where systems are given up */
    uint64_t margin_work; /* what tries of a margin have cost */
};

void pv_search_init(struct pv_search *s, struct pv_bounds *bounds);
void pv_search_finish(struct pv_search *s);

/* Fills part[], by x and z. */
void pv_search_tell_parts(struct pv_search *s);

/* How far inside of its cone x of a contact is: its least eigenvalue [N / weight]. */
double pv_search_room(const struct pv_search *s, int contact);

#endif
