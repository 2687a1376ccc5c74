/* event_rates.c: the accelerations of bodies at a motion, and what a view shows of them. */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <stddef.h>

/* Operations of one evaluation, for the budget: per body and per contact. */
#define WORK_PER_BODY 120
#define WORK_PER_CONTACT 150

/* -w x I w [N m, world]: the torque that changes the spin of a body on which no torque acts. */
static cn_vec3
gyroscopic_torque(const struct cn_body *body, const cn_pose *pose, cn_vec3 angular_velocity)
{
    cn_vec3 w = cn_pose_turn_back(pose, angular_velocity);
    return cn_pose_turn(pose, cn_vec3_cross(cn_mat33_apply(&body->inertia, w), w));
}

/* Accelerations without contact forces. */
static void
accelerate_free(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    const struct cn_model *model = s->model;
    cn_force_sum(model, motion, s->pose, s->wrench);
    for (int i = 0; i < model->body_count; i++) {
        s->free[i] = (struct cn_twist){0};
        if (s->mass[i].linear == 0.0) {
            continue; /* a force that is not finite does not move it either */
        }
        if (model->settings.dimension == CN_SPATIAL) {
            cn_vec3 torque =
                gyroscopic_torque(&model->body[i], &s->pose[i], motion[i].angular_velocity);
            s->wrench[i].torque = cn_vec3_add(s->wrench[i].torque, torque);
        }
        s->free[i].linear = cn_vec3_scale(s->wrench[i].force, s->mass[i].linear);
        s->free[i].angular = cn_mat33_apply(&s->mass[i].angular, s->wrench[i].torque);
    }
}

/*
 * The part of row k's acceleration that depends on velocities.  A motor wants the acceleration that
 * removes its error of speed in a tick, and b is measured from that acceleration.
 */
static double
row_bias(const struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    const struct cn_row_source *source = &s->source[k];
    if (source->contact >= 0) {
        const struct cn_contact *contact = &s->contact[source->contact];
        if (s->tag[k] == CN_ROW_ROLLING || s->tag[k] == CN_ROW_SPINNING) {
            return cn_contact_moment_bias(motion, s->pose, contact, s->across[k]);
        }
        return source->part == 0
                   ? cn_contact_bias(motion, s->pose, contact)
                   : cn_contact_tangent_bias(motion, s->pose, contact, s->across[k]);
    }
    const struct cn_joint_row *joint = cn_event_joint_of(s, k);
    if (joint == NULL) {
        return 0.0;
    }
    double lag = cn_model_tick_duration(s->model);
    return joint->tag == CN_ROW_BOUNDED ? joint->bias + joint->rate / lag : joint->bias;
}

void
cn_event_state(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    cn_event_place(s, motion);
    accelerate_free(s, motion);
    cn_event_move_rows(s, motion);
    cn_event_turn_slip(s, motion);
    for (int k = 0; k < s->row_count; k++) {
        s->b[k] = cn_row_rate(&s->row[k], s->free) + row_bias(s, motion, k);
    }
    int64_t work = (int64_t)WORK_PER_BODY * s->model->body_count +
                   (int64_t)WORK_PER_CONTACT * s->row_count;
    *s->work += work;
    cn_work_spend(work);
}

void
cn_event_rates(struct cn_event_scratch *s, const struct cn_motion *motion, int number)
{
    const struct cn_model *model = s->model;
    CN_ASSERT(number >= 0 && number < STAGE_COUNT);
    struct cn_rate *rate = s->stage[number];
    cn_event_state(s, motion);
    cn_event_solve(s);
    s->lacks_forces = s->lacks_forces || cn_event_has_no_forces(s);
    s->power[number] = cn_event_power_given(s, motion);
    for (int i = 0; i < model->body_count; i++) {
        rate[i].velocity = motion[i].velocity;
        rate[i].angular_velocity = motion[i].angular_velocity;
        rate[i].acceleration = cn_vec3_add(s->free[i].linear, s->response[i].linear);
        rate[i].angular_acceleration =
            cn_vec3_add(s->free[i].angular, s->response[i].angular);
        rate[i].orientation =
            model->settings.dimension == CN_SPATIAL
                ? cn_quat_rate(motion[i].orientation, motion[i].angular_velocity)
                : (cn_quat){0.0, 0.0, 0.0, 0.0};
    }
}

void
cn_event_instant(struct cn_event_scratch *s, struct cn_instant *instant)
{
    const struct cn_model *model = s->model;
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        cn_contact_row(model, model->motion, s->pose, &s->contact[i], &row);
        s->contact_rate[i] = cn_contact_rate(model->motion, &s->contact[i], &row);
        s->contact_force[i] = 0.0;
        s->contact_friction[i] = (cn_vec3){0.0, 0.0, 0.0};
        if (s->contact_moment != NULL) {
            s->contact_moment[i] = (cn_vec3){0.0, 0.0, 0.0};
        }
    }
    for (int k = 0; k < s->row_count; k++) {
        int i = s->source[k].contact;
        if (i >= 0 && s->source[k].part == 0) {
            s->contact_force[i] = s->f[k];
        } else if (i >= 0 && s->tag[k] != CN_ROW_TANGENT) {
            CN_ASSERT(s->contact_moment != NULL);
            s->contact_moment[i] =
                cn_vec3_add_scaled(s->contact_moment[i], s->f[k], s->across[k]);
        } else if (i >= 0) {
            s->contact_friction[i] =
                cn_vec3_add_scaled(s->contact_friction[i], s->f[k], s->across[k]);
        }
    }
    CN_ASSERT(s->looks);
    int joint_count = 0;
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact < 0) {
            s->joint_force[joint_count++] =
                (struct cn_joint_force){s->source[k].joint, s->f[k]};
        }
    }
    CN_ASSERT(joint_count <= s->joint_max);
    for (int i = 0; i < model->body_count; i++) {
        s->acceleration[i].linear = s->stage[0][i].acceleration;
        s->acceleration[i].angular = s->stage[0][i].angular_acceleration;
    }
    *instant = (struct cn_instant){
        .contact_count = s->contact_count,
        .contact = s->contact,
        .rate = s->contact_rate,
        .force = s->contact_force,
        .friction = s->contact_friction,
        .moment = s->contact_moment,
        .acceleration = s->acceleration,
        .joint_count = joint_count,
        .joint = s->joint_force,
        .note = s->note,
    };
}
