#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <math.h>
#include <stddef.h>

/* Operations of one evaluation, for the budget: per body and per contact. */
#define WORK_PER_BODY 120
#define WORK_PER_CONTACT 150

/* The same for a row in a solve, besides the solver's own count. */
#define WORK_PER_ROW 600

/*
 * The accuracy that a correction of drift must reach, in parts of its largest b, and its largest
 * work: corrections are small.
 */
#define DRIFT_TOLERANCE 1e-7
#define DRIFT_WORK_BASE 1000000
#define DRIFT_WORK_PER_ROW 10000

static struct cn_contact_problem
state_problem(const struct cn_event_scratch *s)
{
    return (struct cn_contact_problem){
        .row_count = s->row_count,
        .body_count = s->model->body_count,
        .rows = s->row,
        .mass = s->mass,
        .b = s->b,
        .tag = s->tag,
        .lower = s->lower,
        .upper = s->upper,
        .friction = s->mu,
        .slip = s->slip,
    };
}

void
cn_event_respond(struct cn_event_scratch *s, const double *f)
{
    struct cn_contact_problem problem = state_problem(s);
    cn_problem_accelerate(&problem, f, s->response);
}

/*
 * Whether no contact slides: then Coulomb's problem has a solution (Painleve's problems need not).
 */
static bool
slides_nowhere(const struct cn_event_scratch *s)
{
    bool across = false;
    for (int k = 0; k < s->row_count; k++) {
        if (s->slip[k] != 0.0) {
            return false;
        }
        across = across || s->tag[k] == CN_ROW_TANGENT;
    }
    return across;
}

static void
solve_as(struct cn_event_scratch *s, struct cn_answer_wish wish)
{
    struct cn_contact_problem problem = state_problem(s);
    wish.minimum_norm = s->minimum_norm;
    wish.exact = true;
    s->note = cn_answer_find(s->looks ? NULL : s->model, s->solver, &problem, &wish,
        s->solver_scratch, s->f, s->work);
    *s->work += (int64_t)WORK_PER_ROW * s->row_count;
    cn_problem_accelerate(&problem, s->f, s->response);
}

void
cn_event_solve(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){
                    .has_solution = slides_nowhere(s), .work_max = cn_event_solve_work(s)});
}

void
cn_event_solve_impulses(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){
                    .has_solution = true, .work_max = cn_event_solve_work(s)});
}

void
cn_event_solve_drift(struct cn_event_scratch *s)
{
    solve_as(s, (struct cn_answer_wish){.tolerance = DRIFT_TOLERANCE,
                    .work_max = DRIFT_WORK_BASE + (int64_t)DRIFT_WORK_PER_ROW * s->row_count});
}

void
cn_event_judge(struct cn_event_scratch *s)
{
    struct cn_contact_problem problem = state_problem(s);
    s->note.residual = cn_residual_measure(&problem, s->f, s->response);
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
    cn_event_note_at(s, worst, CN_EVENT_SQUEEZED, s->note.residual);
}

void
cn_event_note_at(const struct cn_event_scratch *s, int k, enum cn_event_kind kind, double value)
{
    int body_a = s->row[k].body_a, body_b = s->row[k].body_b;
    if (s->source[k].contact >= 0) {
        body_a = s->contact[s->source[k].contact].body_a;
        body_b = s->contact[s->source[k].contact].body_b;
    }
    cn_model_event(s->model, kind, body_a, body_b, value);
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
    }
    for (int k = 0; k < s->row_count; k++) {
        int i = s->source[k].contact;
        if (i >= 0 && s->source[k].part == 0) {
            s->contact_force[i] = s->f[k];
        } else if (i >= 0) {
            s->contact_friction[i] =
                cn_vec3_add_scaled(s->contact_friction[i], s->f[k], s->across[k]);
        }
    }
    int joint_count = 0;
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact < 0) {
            s->joint_force[joint_count++] =
                (struct cn_joint_force){s->source[k].joint, s->f[k]};
        }
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
        .friction = s->contact_friction,
        .acceleration = s->acceleration,
        .joint_count = joint_count,
        .joint = s->joint_force,
        .note = s->note,
    };
}
