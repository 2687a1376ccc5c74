/*
 * toi.h: the time at which two moving, rotating shapes come within a distance of each other.
 *
 * Conservative advancement.  At a time t the distance of the two cores and the separating plane
 * with normal n are found (gjk.h).  From the motion follows how long that axis at least keeps them
 * more than `target` apart (toi_axis.h), and t advances by that.  The axis is kept until it proves
 * nothing more; then a new distance gives a new axis.  The normal of a face rotates with its body.
 * No step ever passes a contact.  Where the search is cut off it returns the time that was reached,
 * which is too early but never too late.
 *
 *     A   a part of an obstacle (part.h); one that moves has no hollow arcs
 *     B   a convex core
 *
 * A one-sided part is met only where the normal faces its front.
 *
 * Source: Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, section 2.3;
 * Tang, Kim and Manocha, C2A: Controlled Conservative Advancement, ICRA 2009.  Departure: steps of
 * second order in d for each vertex, so that grazing and fast spin take few of them.
 */
#ifndef ENGINE_COLLIDE_QUERY_TOI_H
#define ENGINE_COLLIDE_QUERY_TOI_H

#include "engine/collide/query/part.h"
#include "engine/collide/query/sweep.h"

/*
 * Normals tried, and steps with one normal.  Bodies that make a whole turn take about ten normals
 * of five steps; beyond CN_TOI_ROUNDS_FEW each normal is tried as an axis of all kinds.  Edges that
 * rotate towards each other approach by a tenth with each normal, about 60 in all.  At the limit
 * the outcome is CUT_OFF.
 */
#define CN_TOI_ROUNDS_FEW 12
#define CN_TOI_ROUNDS_MAX 96
#define CN_TOI_STEPS_MAX 24

enum cn_toi_outcome {
    CN_TOI_APART,    /* not before t_max */
    CN_TOI_HIT,      /* at fraction */
    CN_TOI_TOUCHING, /* already at the start: gap is the distance */
    CN_TOI_CUT_OFF,  /* not before fraction; later times are unknown */
};

struct cn_toi_input {
    const struct cn_part *part; /* A */
    const struct cn_sweep *part_sweep;
    const struct cn_convex *convex; /* B */
    const struct cn_sweep *convex_sweep;
    double target;    /* m, > 0: between the surfaces */
    double tolerance; /* m, > 0: a hit is within target and target + tolerance */
    double t_max;     /* at most 1 */
};

struct cn_toi {
    enum cn_toi_outcome outcome;
    double fraction;
    double gap;     /* at the start [m]; 0: the cores overlap */
    cn_vec3 normal; /* world, unit, from A to B, at the hit */
    int round_count, step_count;
};

struct cn_toi cn_toi_find(const struct cn_toi_input *input);

/* The gap of the two at t [m], 0 where the cores overlap; *normal is from A to B, and zero then. */
double cn_toi_gap(const struct cn_toi_input *input, double t, cn_vec3 *normal);

#endif
