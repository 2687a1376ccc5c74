/*
 * flat.h: quick answers about convex cores in the plane, by separating axes and formulas.
 *
 * Most pairs that a query meets are clearly apart or clearly overlap, and most casts clearly miss.
 * The normals of the edges decide these for a few dozen multiplications.  GJK (gjk.h) decides the
 * other pairs: those within rounding of a decision, or at a corner.
 *
 * `b_in_a` is B's pose in A's frame.  Every answer but UNKNOWN is the one that GJK gives.
 *
 * Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree (1996), section 5, for separating axes.
 */
#ifndef ENGINE_COLLIDE_QUERY_FLAT_H
#define ENGINE_COLLIDE_QUERY_FLAT_H

#include "engine/collide/query/convex.h"

enum cn_flat_answer { CN_FLAT_UNKNOWN, CN_FLAT_APART, CN_FLAT_OVERLAP };

/* Whether the cores, without their radii, come within `reach` of each other. */
enum cn_flat_answer cn_flat_overlap(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, double reach);

/* Whether B is certainly never within `reach` of A on its way t along, 0 <= t <= max. */
bool cn_flat_misses(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    cn_vec3 along, double max, double reach);

/* Where a ball hits a polygon. */
struct cn_flat_hit {
    bool is_inside;       /* it starts within reach */
    double fraction;      /* of its way; HUGE_VAL: nowhere */
    cn_vec2 foot, normal; /* on the core of A; unit, out of A */
};

/*
 * Casts B, a single point, against A, a polygon, until they are within `reach`.  False: unknown,
 * because the ball starts at the surface of A, or grazes it.
 */
bool cn_flat_cast_ball(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    cn_vec3 along, double reach, struct cn_flat_hit *hit);

#endif
