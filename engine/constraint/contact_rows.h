/*
 * contact_rows.h: the row of a contact, its rate, and its acceleration at zero force.
 *
 *     row . (velocities)      = d(gap)/dt            exact, also where the normal turns
 *     row . (accelerations) + bias = d2(gap)/dt2
 *
 * r is the vector from a centre of mass to the vertex of the contact, w the angular velocities.
 * v_rel is the velocity of the vertex relative to the frame of the face's owner.
 *
 *     FACE_A  bias = n . ( wB x (wB x rB) - wA x (wA x rA) - 2 wA x v_rel )
 *     FACE_B  bias = n . ( wB x (wB x rB) - wA x (wA x rA) + 2 wB x v_rel )
 *     POINTS  bias = n . ( wB x (wB x rB) - wA x (wA x rA) ) + |v_t|^2 / |pB - pA|
 *     HOLLOW  the same with -|v_t|^2
 *     EDGES, LINE_A, LINE_B
 *             bias = n . ( wB x (wB x rB) - wA x (wA x rA) ) + 2 n' . v - G |n'|^2
 *
 * Source: Baraff 1989, appendix A (eqs 30-34); the term of the turning normal is his 2 n' . (pa' -
 * pb').  In the last line, as everywhere, G n = pB - pA between the feet
 * (constraint/contact_motion.h), so that with n'' . n = -|n'|^2 the second derivative of G = n .
 * (pB - pA) is exact; in the paper G is 0.  POINTS is the same for a normal that follows both
 * points, with v_t their relative tangential velocity.
 *
 * Friction acts at contact->point c, between the material of both bodies at that place:
 *
 *     u = vB + wB x (c - xB) - vA - wA x (c - xA),    tangent row . (velocities) = t . u
 *     tangent row . (accelerations) + bias = t . u'
 *
 * with x the centres of mass.  c moves as the contact does, not as the material.  So a ball that
 * rolls and spins about the normal, whose u stays 0, has no bias, although the material's own
 * accelerations at c differ.
 */
#ifndef ENGINE_CONSTRAINT_CONTACT_ROWS_H
#define ENGINE_CONSTRAINT_CONTACT_ROWS_H

#include "engine/collide/exact/manifold.h"
#include "engine/constraint/row.h"
#include "engine/model/model.h"

/*
 * The row of a contact that cn_contact_place has placed at the poses of `motion`.  A body that can
 * not move has index -1 in the row; its velocity still counts in rate and bias.
 */
void cn_contact_row(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, const struct cn_contact *contact, struct cn_row *row);

/* d(gap)/dt [m/s], for the contact and motion of the row. */
double cn_contact_rate(const struct cn_motion *motion, const struct cn_contact *contact,
    const struct cn_row *row);

/* The part of d2(gap)/dt2 that depends only on velocities [m/s^2]. */
double cn_contact_bias(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact);

/*
 * The tangent rows of a contact, orthonormal with its normal: 1 in the plane (the normal turned
 * clockwise), 2 in space (deterministic, and continuous except where the normal crosses a cone
 * about the x axis).  Returns their number; directions[1] is always set.
 */
int cn_contact_tangent_rows(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, const struct cn_contact *contact, struct cn_row rows[2],
    cn_vec3 directions[2]);

/*
 * The rows of a contact's moments: about the axis of the plane, or in space about the directions of
 * the tangent rows and, last, about the normal.  Their rate is the angular velocity of B relative
 * to A about the axis [rad/s].  Returns their number: 1 or 3.
 */
int cn_contact_moment_rows(const struct cn_model *model, const struct cn_contact *contact,
    struct cn_row rows[3]);

/*
 * The part of the acceleration of a row of moments that depends only on velocities [rad/s^2].  With
 * w the angular velocity of B relative to A, it is there where the normal n turns:
 *
 *     axis n           n' . w
 *     axis a across n  -(a . n') (n . w)
 */
double cn_contact_moment_bias(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 axis);

/* The part of t . u' that depends only on velocities [m/s^2], for a fixed direction t. */
double cn_contact_tangent_bias(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 direction);

_Static_assert(CN_SHAPES_MAX <= 1 << 20, "a shape's index has 20 bits");

/* A name of a contact that is stable as long as its features stay: shapes and features packed. */
static inline uint64_t
cn_contact_id(const struct cn_contact *contact)
{
    return (uint64_t)contact->shape_a << 44 | (uint64_t)contact->shape_b << 24 |
           (contact->feature & 0xffffffU);
}

/* Whether two contacts are of the same two shapes. */
static inline bool
cn_contact_same_pair(const struct cn_contact *a, const struct cn_contact *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

#endif
