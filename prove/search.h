/*
 * search.h: an arrangement with round friction cones as a conic program in doubles (conic.h), and
 * the exact columns from which bounds.h makes exact forces and motions.
 *
 * Units: forces are divided by the largest load, moments also by the mean lever arm, and a
 * contact's column by its length.  The lever arm is rounded to a power of two, so that scaling does
 * not round the doubles of a motion.
 */
#ifndef PROVE_SEARCH_H
#define PROVE_SEARCH_H

#include "prove/program/conic.h"
#include "prove/wrench.h"

/* PRESSES: x is inside of its cone; PARTS: z is; SLIDES: neither is. */
enum pv_part { PV_PRESSES, PV_PARTS, PV_SLIDES };

struct pv_search {
    const struct pv_balance *balance;
    const struct pv_arrangement *r;
    struct pv_conic conic;
    struct pv_column *column; /* PV_CONE_MAX a contact: unit forces along the axes, or the normal */
    int *column_count;
    double (*axis)[PV_CONE_MAX][3]; /* of a contact: normal, and tangents times mu, in the world */
    double *cone_scale;             /* force [N] = x * cone_scale * weight */
    double row_scale[PV_DOF_MAX];   /* velocity = y * row_scale / margin_scale */
    double margin_scale, weight;    /* margin [N] = t * weight / margin_scale */
    enum pv_part *part;
    uint64_t work;        /* of the exact systems so far */
    uint64_t work_max;    /* systems are given up when work passes it */
    uint64_t margin_work; /* work of the tries to find a margin */
};

/* `balance` is borrowed until finish. */
void pv_search_init(struct pv_search *s, const struct pv_balance *balance);
void pv_search_finish(struct pv_search *s);

/* Fills part[] from x and z. */
void pv_search_tell_parts(struct pv_search *s);

/* The distance of a contact's x from its cone's boundary: its least eigenvalue [N / weight]. */
double pv_search_room(const struct pv_search *s, int contact);

#endif
