#include "engine/constraint/contact_rows.h"

#include "engine/base/assert.h"
#include "engine/constraint/contact_motion.h"
#include "engine/math/scalar.h"

/* [m] Two core points nearer than this have no direction between them. */
#define DISTANCE_MIN 1e-12

/* A unit vector whose |x| is above this counts as near the x axis. */
#define NEAR_X 0.8

void
cn_contact_row(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, struct cn_row *row)
{
    cn_vec3 arm_a, arm_b, n = contact->normal;
    cn_contact_arms(motion, pose, contact, &arm_a, &arm_b);
    int a = contact->body_a, b = contact->body_b;
    CN_ASSERT(a < model->body_count && b < model->body_count);
    *row = (struct cn_row){
        .body_a = model->body[a].mass_inverse > 0.0 ? a : -1,
        .body_b = model->body[b].mass_inverse > 0.0 ? b : -1,
        .linear_a = cn_vec3_negate(n),
        .angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, n)),
        .linear_b = n,
        .angular_b = cn_vec3_cross(arm_b, n),
    };
}

double
cn_contact_rate(
    const struct cn_motion *motion, const struct cn_contact *contact, const struct cn_row *row)
{
    const struct cn_motion *a = &motion[contact->body_a], *b = &motion[contact->body_b];
    return cn_vec3_dot(row->linear_a, a->velocity) +
           cn_vec3_dot(row->angular_a, a->angular_velocity) +
           cn_vec3_dot(row->linear_b, b->velocity) +
           cn_vec3_dot(row->angular_b, b->angular_velocity);
}

static cn_vec3
centripetal_of(cn_vec3 w, cn_vec3 r)
{
    return cn_vec3_cross(w, cn_vec3_cross(w, r));
}

double
cn_contact_bias(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact)
{
    const struct cn_motion *a = &motion[contact->body_a], *b = &motion[contact->body_b];
    cn_vec3 arm_a, arm_b, n = contact->normal;
    cn_contact_arms(motion, pose, contact, &arm_a, &arm_b);

    cn_vec3 relative =
        cn_vec3_sub(cn_motion_velocity_at(b, arm_b), cn_motion_velocity_at(a, arm_a));
    double bias = cn_vec3_dot(n, cn_vec3_sub(centripetal_of(b->angular_velocity, arm_b),
                                     centripetal_of(a->angular_velocity, arm_a)));
    switch (contact->kind) {
    case CN_CONTACT_FACE_A:
        return bias - 2.0 * cn_vec3_dot(n, cn_vec3_cross(a->angular_velocity, relative));
    case CN_CONTACT_FACE_B: /* v_rel is A's vertex against B: the opposite of `relative` */
        return bias - 2.0 * cn_vec3_dot(n, cn_vec3_cross(b->angular_velocity, relative));
    case CN_CONTACT_EDGES:
    case CN_CONTACT_LINE_A:
    case CN_CONTACT_LINE_B: {
        cn_vec3 turning = cn_contact_normal_rate(motion, pose, contact);
        return bias + 2.0 * cn_vec3_dot(turning, relative) -
               (contact->gap + contact->radius) * cn_vec3_dot(turning, turning);
    }
    case CN_CONTACT_POINTS:
    case CN_CONTACT_HOLLOW:
        break;
    }
    double distance = contact->gap + contact->radius; /* HOLLOW: < 0, the normal turns back */
    double sign = contact->kind == CN_CONTACT_HOLLOW ? -1.0 : 1.0;
    double across = cn_vec3_dot(n, relative);
    double turning = cn_vec3_dot(relative, relative) - across * across;
    return bias + sign * turning / cn_max(sign * distance, DISTANCE_MIN);
}

/*
 * The second direction completes a right-handed frame.  In space the first is the x axis projected
 * onto the tangent plane, or the z axis where the normal is near x.  It jumps only on the cones
 * about x, far from the upright normals of standing and lying bodies.
 */
static cn_vec3
first_tangent(cn_vec3 n, bool is_planar)
{
    if (is_planar) {
        return cn_vec3_make(n.y, -n.x, 0.0);
    }
    cn_vec3 axis = fabs(n.x) <= NEAR_X ? cn_vec3_make(1.0, 0.0, 0.0) : cn_vec3_make(0.0, 0.0, 1.0);
    cn_vec3 laid = cn_vec3_add_scaled(axis, -cn_vec3_dot(axis, n), n);
    return cn_vec3_scale(laid, 1.0 / cn_vec3_length(laid));
}

int
cn_contact_tangent_rows(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, const struct cn_contact *contact, struct cn_row rows[2],
    cn_vec3 directions[2])
{
    CN_ASSERT(contact->body_a < model->body_count && contact->body_b < model->body_count);
    (void)pose;
    bool is_planar = model->settings.dimension == CN_PLANAR;
    directions[0] = first_tangent(contact->normal, is_planar);
    directions[1] = cn_vec3_cross(contact->normal, directions[0]);
    int a = contact->body_a, b = contact->body_b, count = is_planar ? 1 : 2;
    cn_vec3 arm_a = cn_vec3_sub(contact->point, motion[a].position);
    cn_vec3 arm_b = cn_vec3_sub(contact->point, motion[b].position);
    for (int k = 0; k < count; k++) {
        cn_vec3 t = directions[k];
        rows[k] = (struct cn_row){
            .body_a = model->body[a].mass_inverse > 0.0 ? a : -1,
            .body_b = model->body[b].mass_inverse > 0.0 ? b : -1,
            .linear_a = cn_vec3_negate(t),
            .angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, t)),
            .linear_b = t,
            .angular_b = cn_vec3_cross(arm_b, t),
        };
    }
    return count;
}

int
cn_contact_moment_rows(const struct cn_model *model, const struct cn_contact *contact,
    struct cn_row rows[3])
{
    bool is_planar = model->settings.dimension == CN_PLANAR;
    cn_vec3 n = contact->normal, first = first_tangent(n, false);
    cn_vec3 axis[3] = {first, cn_vec3_cross(n, first), n};
    int a = contact->body_a, b = contact->body_b, count = is_planar ? 1 : 3;
    CN_ASSERT(a < model->body_count && b < model->body_count);
    for (int k = 0; k < count; k++) {
        cn_vec3 about = is_planar ? cn_vec3_make(0.0, 0.0, 1.0) : axis[k];
        rows[k] = (struct cn_row){
            .body_a = model->body[a].mass_inverse > 0.0 ? a : -1,
            .body_b = model->body[b].mass_inverse > 0.0 ? b : -1,
            .angular_a = cn_vec3_negate(about),
            .angular_b = about,
        };
    }
    return count;
}

double
cn_contact_moment_bias(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 axis)
{
    const struct cn_motion *a = &motion[contact->body_a], *b = &motion[contact->body_b];
    cn_vec3 n = contact->normal, turning = cn_contact_normal_rate(motion, pose, contact);
    cn_vec3 w = cn_vec3_sub(b->angular_velocity, a->angular_velocity);
    double along = cn_vec3_dot(axis, n); /* 1 about the normal, 0 across it */
    return along * cn_vec3_dot(turning, w) -
           (1.0 - along) * cn_vec3_dot(axis, turning) * cn_vec3_dot(n, w);
}

double
cn_contact_tangent_bias(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 direction)
{
    const struct cn_motion *a = &motion[contact->body_a], *b = &motion[contact->body_b];
    cn_vec3 point_velocity = cn_contact_point_velocity(motion, pose, contact);
    /* The part of d/dt (vB + wB x (c - xB) - vA - wA x (c - xA)) that contains no accelerations. */
    cn_vec3 change_b =
        cn_vec3_cross(b->angular_velocity, cn_vec3_sub(point_velocity, b->velocity));
    cn_vec3 change_a =
        cn_vec3_cross(a->angular_velocity, cn_vec3_sub(point_velocity, a->velocity));
    return cn_vec3_dot(direction, cn_vec3_sub(change_b, change_a));
}
