#include "engine/step/event.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stddef.h>

/* The judge's scaled residual that a solve must reach. */
#define SOLVE_TOLERANCE 1e-10

/* Operations of one evaluation, for the budget: per body and per contact. */
#define WORK_PER_BODY 120
#define WORK_PER_CONTACT 150

void
cn_event_place(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    const struct cn_model *model = s->model;
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_body *body = &model->body[i];
        s->pose[i] = cn_motion_pose(&motion[i], model->settings.dimension);
        s->mass[i].linear = body->mass_inverse;
        s->mass[i].angular = body->inertia_inverse;
        if (model->settings.dimension == CN_SPATIAL && body->mass_inverse > 0.0) {
            s->mass[i].angular = cn_mat33_turn(&s->pose[i].rotation, &body->inertia_inverse);
        }
    }
}

/* The force of this contact at the last solve, 0 for a new one. warm[] is sorted by id. */
static double
warm_force(const struct cn_model *model, uint64_t id)
{
    int low = 0, high = model->warm_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->warm[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < model->warm_count && model->warm[low].id == id;
    return found ? model->warm[low].force : 0.0;
}

void
cn_event_choose_rows(struct cn_event_scratch *s)
{
    const struct cn_model *model = s->model;
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        cn_contact_row(model, model->motion, s->pose, &s->contact[i], &row);
        double rate = cn_contact_rate(model->motion, &s->contact[i], &row);
        s->held[i] = rate <= model->velocity_tolerance;
        if (s->held[i]) {
            s->row_contact[s->row_count] = i;
            s->f[s->row_count] = warm_force(model, cn_contact_id(&s->contact[i]));
            s->row_count++;
        }
    }
}

void
cn_event_keep_forces(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    CN_ASSERT(s->row_count <= model->contact_max);
    model->warm_count = s->row_count;
    for (int k = 0; k < s->row_count; k++) {
        struct cn_warm_start entry = {
            .id = cn_contact_id(&s->contact[s->row_contact[k]]), .force = s->f[k]};
        int place = k;
        for (; place > 0 && model->warm[place - 1].id > entry.id; place--) {
            model->warm[place] = model->warm[place - 1];
        }
        model->warm[place] = entry;
    }
}

void
cn_event_solve(struct cn_event_scratch *s)
{
    struct cn_contact_problem problem = {
        .row_count = s->row_count,
        .body_count = s->model->body_count,
        .rows = s->row,
        .mass = s->mass,
        .b = s->b,
        .tag = s->tag,
    };
    s->note = (struct cn_solve_note){.outcome = CN_SOLVE_CONVERGED, .row_count = s->row_count};
    if (s->row_count > 0) {
        struct cn_solve_options options = {
            .tolerance = SOLVE_TOLERANCE,
            .iteration_max = 100 + 10 * s->row_count,
            .minimum_norm = s->minimum_norm,
        };
        struct cn_arena arena = s->solver_scratch;
        struct cn_solve_report report = s->solver->solve(&problem, &options, &arena, s->f);
        s->note.outcome = (int32_t)report.outcome;
        s->note.residual = report.residual;
        s->note.iteration_count = report.iteration_count;
        *s->work += report.work;
    }
    cn_problem_accelerate(&problem, s->f, s->response);
}

void
cn_event_note_squeezed(struct cn_event_scratch *s)
{
    if (s->note.outcome != CN_SOLVE_INFEASIBLE) {
        return;
    }
    int worst = 0;
    double rate_min = HUGE_VAL;
    for (int k = 0; k < s->row_count; k++) {
        double rate = s->b[k] + cn_row_rate(&s->row[k], s->response);
        if (rate < rate_min) {
            rate_min = rate;
            worst = k;
        }
    }
    const struct cn_contact *contact = &s->contact[s->row_contact[worst]];
    cn_model_event(
        s->model, CN_EVENT_SQUEEZED, contact->body_a, contact->body_b, s->note.residual);
}

void
cn_event_push(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    for (int i = 0; i < model->body_count; i++) {
        struct cn_motion *motion = &model->motion[i];
        motion->velocity = cn_vec3_add(motion->velocity, s->response[i].linear);
        motion->angular_velocity =
            cn_vec3_add(motion->angular_velocity, s->response[i].angular);
    }
}

/* -w x I w [N m, world]: the torque by which a body turns that is turned by nothing. */
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
            continue; /* nor does a force that is not finite move it */
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

void
cn_event_rates(
    struct cn_event_scratch *s, const struct cn_motion *motion, struct cn_rate *rate)
{
    const struct cn_model *model = s->model;
    cn_event_place(s, motion);
    accelerate_free(s, motion);
    for (int k = 0; k < s->row_count; k++) {
        struct cn_contact *contact = &s->contact[s->row_contact[k]];
        cn_contact_place(contact, &s->pose[contact->body_a], &s->pose[contact->body_b]);
        cn_contact_row(model, motion, s->pose, contact, &s->row[k]);
        s->b[k] =
            cn_row_rate(&s->row[k], s->free) + cn_contact_bias(motion, s->pose, contact);
        s->tag[k] = CN_ROW_NORMAL;
    }
    *s->work += (int64_t)WORK_PER_BODY * model->body_count +
                (int64_t)WORK_PER_CONTACT * s->row_count;
    cn_event_solve(s);
    for (int i = 0; i < model->body_count; i++) {
        rate[i] = (struct cn_rate){
            .velocity = motion[i].velocity,
            .angular_velocity = motion[i].angular_velocity,
            .acceleration = cn_vec3_add(s->free[i].linear, s->response[i].linear),
            .angular_acceleration = cn_vec3_add(s->free[i].angular, s->response[i].angular),
        };
        if (model->settings.dimension == CN_SPATIAL) {
            rate[i].orientation =
                cn_quat_rate(motion[i].orientation, motion[i].angular_velocity);
        }
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
    }
    for (int k = 0; k < s->row_count; k++) {
        s->contact_force[s->row_contact[k]] = s->f[k];
    }
    for (int i = 0; i < model->body_count; i++) {
        s->acceleration[i].linear = s->stage[0][i].acceleration;
        s->acceleration[i].angular = s->stage[0][i].angular_acceleration;
    }
    *instant = (struct cn_instant){
        .contact_count = s->contact_count,
        .contact = s->contact,
        .rate = s->contact_rate,
        .force = s->contact_force,
        .acceleration = s->acceleration,
        .note = s->note,
    };
}
