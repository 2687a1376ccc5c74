/*
 * gjk.h: the distance of two convex cores, the nearest points, and a separating plane.
 *
 * The point v of the difference B - A of the cores that is nearest to the origin is found by
 * simplices of its vertices w = b - a:
 *
 *     v = nearest point of the simplex's hull; only the vertices that carry v stay in the simplex
 *     w = the vertex of B - A farthest along -v; it joins the simplex
 *
 * until w is already in the simplex, or makes no progress beyond rounding, or the origin is within
 * the simplex.  |v| falls in each round, so no simplex repeats, and polytopes end at an exact pair
 * of features.  Near the end the gain in |v| is of second order and is lost in rounding, while the
 * normal still gains in first order.  So a few rounds may stall there, and the one whose axis
 * proves most is the answer.  For a segment of a disc (convex.h), which has no last vertex, lack of
 * progress ends the search.
 *
 * The nearest point of a simplex is found by comparing all its faces, edges and vertices, not by
 * their signs alone.  So flat and needle-like simplices only make the weights less accurate, never
 * v.
 *
 * `bound` is the distance that the axis n = v / |v| proves: all of B is at least that far from all
 * of A along n.  It is at most the distance, and equal up to rounding where the search has ended.
 * It holds even where the search was cut off; conservative advancement relies on it.
 *
 * All numbers are in A's frame, so rounding errors scale with the cores, not with the world.
 *
 * Source: Gilbert, Johnson and Keerthi, A fast procedure for computing the distance between complex
 * objects in three-dimensional space, IEEE J. Robotics and Automation 4 (1988); termination: van
 * den Bergen, A fast and robust GJK implementation, J. Graphics Tools 4 (1999).  Departure: faces
 * are compared by distance (above) instead of by Johnson's signs, which contradict each other under
 * rounding.
 */
#ifndef ENGINE_COLLIDE_QUERY_GJK_H
#define ENGINE_COLLIDE_QUERY_GJK_H

#include "engine/collide/query/convex.h"

/*
 * Rounds of one search.  Polytopes of 64 vertices take about ten, segments of discs about twenty
 * until rounding.  At the limit the best pair so far is returned; its bound still holds, and
 * is_cut_off is set.
 */
#define CN_GJK_ROUNDS_MAX 64

/* The end of a search: a good start for the next search of the same cores nearby. */
struct cn_gjk_seed {
    int count;                 /* 0: no seed */
    int index_a[4], index_b[4];
};

struct cn_gjk {
    double distance;          /* of the cores, without radii; 0: they overlap or touch [m] */
    double bound;             /* proven by the normal; 0 where they overlap [m] */
    cn_vec3 normal;           /* unit, from A to B; zeros where the cores overlap */
    cn_vec3 point_a, point_b; /* of the cores, where they are nearest */
    int round_count;
    bool is_cut_off;
};

/*
 * `b_in_a` is the pose of B's frame in A's (cn_pose_relative).  `seed` is read and written; NULL
 * starts at the first vertices.  A different seed changes the result only by rounding.
 */
void cn_gjk(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    struct cn_gjk_seed *seed, struct cn_gjk *result);

/*
 * Whether the cores come within `reach` [m] of each other; ends as soon as either answer is proven.
 */
bool cn_gjk_is_within(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    double reach);

#endif
