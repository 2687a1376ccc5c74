#include "engine/constraint/contact_rows.h"

/* Nearer than this, two core points have no direction [m]. */
#define DISTANCE_MIN 1e-12

/* The vertex of the contact as each body sees it: where the line of force meets it, world. */
static void
lever_arms(const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact,
    cn_vec3 *arm_a, cn_vec3 *arm_b)
{
    int a = contact->body_a, b = contact->body_b;
    cn_vec3 point_a = cn_pose_apply(&pose[a], contact->anchor_a);
    cn_vec3 point_b = cn_pose_apply(&pose[b], contact->anchor_b);
    if (contact->kind == CN_CONTACT_FACE_A) {
        point_a = point_b;
    } else if (contact->kind == CN_CONTACT_FACE_B) {
        point_b = point_a;
    }
    *arm_a = cn_vec3_sub(point_a, motion[a].position);
    *arm_b = cn_vec3_sub(point_b, motion[b].position);
}

void
cn_contact_row(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, struct cn_row *row)
{
    cn_vec3 arm_a, arm_b, n = contact->normal;
    lever_arms(motion, pose, contact, &arm_a, &arm_b);
    int a = contact->body_a, b = contact->body_b;
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
centripetal(cn_vec3 w, cn_vec3 r)
{
    return cn_vec3_cross(w, cn_vec3_cross(w, r));
}

double
cn_contact_bias(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact)
{
    const struct cn_motion *a = &motion[contact->body_a], *b = &motion[contact->body_b];
    cn_vec3 arm_a, arm_b, n = contact->normal;
    lever_arms(motion, pose, contact, &arm_a, &arm_b);

    cn_vec3 velocity_a = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, arm_a));
    cn_vec3 velocity_b = cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, arm_b));
    cn_vec3 relative = cn_vec3_sub(velocity_b, velocity_a);
    double bias = cn_vec3_dot(n, cn_vec3_sub(centripetal(b->angular_velocity, arm_b),
                                     centripetal(a->angular_velocity, arm_a)));
    switch (contact->kind) {
    case CN_CONTACT_FACE_A:
        return bias - 2.0 * cn_vec3_dot(n, cn_vec3_cross(a->angular_velocity, relative));
    case CN_CONTACT_FACE_B: /* v_rel is of A's vertex against B: the opposite of `relative` */
        return bias - 2.0 * cn_vec3_dot(n, cn_vec3_cross(b->angular_velocity, relative));
    case CN_CONTACT_POINTS:
        break;
    }
    double distance = contact->gap + contact->radius;
    double across = cn_vec3_dot(n, relative);
    double turning = cn_vec3_dot(relative, relative) - across * across;
    return bias + turning / (distance > DISTANCE_MIN ? distance : DISTANCE_MIN);
}
