/*
 * gjk.h: the distance of two convex cores, where they are nearest, and a plane that parts them.
 *
 * Of the difference B - A of the cores the point v nearest to the origin is sought, by simplices of
 * its vertices w = b - a:
 *
 *     v = nearest point of the simplex' hull; of the simplex only the vertices that carry v stay
 *     w = the vertex of B - A farthest along -v; it joins the simplex
 *
 * until w is known already, or brings no progress beyond rounding, or the origin is within the
 * simplex.  |v| falls from round to round, so no simplex comes twice and polytopes end at an exact
 * pair of features.  Near the end rounding hides in |v|, which is of second order, what the normal
 * still gains, which is of first: a few rounds may stall there, and of these the one whose axis
 * proves most is the answer.  A segment of a disc (convex.h) has no last vertex; progress ends it.
 *
 * The nearest point of a simplex is found by looking at all its faces, edges and vertices, not by
 * their signs alone: flat and needle-like simplices then cost accuracy of the weights, never of v.
 *
 * `bound` is what the axis n = v / |v| proves: everything of B is at least that far from everything
 * of A along n.  It is at most the distance, the same up to rounding where the search has ended,
 * and holds even where it was cut off; conservative advancement steps by it.
 *
 * All numbers stand in A's frame; rounding is of the size of the cores, not of the world.
 *
 * Source: Gilbert, Johnson and Keerthi, A fast procedure for computing the distance between complex
 * objects in three-dimensional space, IEEE J. Robotics and Automation 4 (1988); termination: van
 * den Bergen, A fast and robust GJK implementation, J. Graphics Tools 4 (1999).
 * Departure: faces are compared by distance (above) instead of by Johnson's signs, which rounding
 * makes contradict each other.
 */
#ifndef ENGINE_COLLIDE_GJK_H
#define ENGINE_COLLIDE_GJK_H

#include "engine/collide/convex.h"

/*
 * Rounds of one search.  Polytopes of 64 vertices take about ten, segments of discs about twenty
 * until rounding; at the wall the best pair so far is returned, whose bound still holds, and
 * is_cut_off says so.
 */
#define CN_GJK_ROUNDS_MAX 64

/* Where a search ended: a good start for a next one of the same cores nearby. */
struct cn_gjk_seed {
    int count;                 /* 0: none */
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
 * starts at the first vertices.  Another seed changes the result by rounding only.
 */
void cn_gjk(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    struct cn_gjk_seed *seed, struct cn_gjk *result);

/* Whether the cores come within `reach` [m] of each other; ends as soon as either is proven. */
bool cn_gjk_is_within(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a,
    double reach);

#endif
