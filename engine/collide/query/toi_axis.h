/*
 * toi_axis.h: one axis of a search for a time of impact, and how long it keeps two shapes apart.
 *
 * Along the unit normal n, from A to B, all of B is at least `least` beyond all of A.  How long
 * that stays above a floor follows from the motion, vertex by vertex.  With h the height of a
 * vertex above the other side, u its rate and c a bound of its second derivative,
 *
 *     h(t + d) >= h + u d - c d^2 / 2
 *
 *     FIXED   n stands.  p = x + r of a vertex r from its centre of mass, turn rate w:
 *             u = n . (v + w x r),  c = w^2 |axis x r|
 *     OF_A,   n turns with A or B, whose face it is the normal of.  With e out of that owner, q a
 *     OF_B    vertex of the other, y = q - x of the owner, V its speed and W the farthest it gets:
 *             h = e . y - H,  u = e . y' + (w x e) . y,  c = w^2 W + 2 w V + |q''|
 *
 * The points of an arc are bounded by their distance from the centre of mass, to first order.
 */
#ifndef ENGINE_COLLIDE_QUERY_TOI_AXIS_H
#define ENGINE_COLLIDE_QUERY_TOI_AXIS_H

#include "engine/collide/query/part.h"
#include "engine/collide/query/sweep.h"

/* Both poses at a time, in one frame. */
struct cn_moment {
    double t;
    cn_pose a, b;
};

/* The rate of a sweep [m and rad per unit of t]. */
struct cn_rate {
    cn_vec3 linear;
    cn_vec3 axis;
    double turn;
};

struct cn_rate cn_rate_of(const struct cn_sweep *sweep, double t);

enum cn_toi_axis_kind { CN_TOI_AXIS_FIXED, CN_TOI_AXIS_OF_A, CN_TOI_AXIS_OF_B };

struct cn_toi_axis {
    enum cn_toi_axis_kind kind;
    const struct cn_part *part; /* A: convex, or a plane, which stands still */
    const struct cn_convex *convex;
    const struct cn_sweep *sweep_a, *sweep_b;
    cn_vec3 normal; /* FIXED: unit, from A to B */
    cn_vec3 local;  /* OF_A, OF_B: the same in the owner's frame */
};

/*
 * How long, at least, the two stay more than `floor` apart along the axis; 0 where they are nearer.
 * Both sweeps continue their present motion for `duration`; beyond it the answer is not valid.
 * *least: their present distance minus both radii [m].
 */
double cn_toi_axis_time(const struct cn_toi_axis *axis, const struct cn_moment *moment,
    double duration, double floor, double *least);

#endif
