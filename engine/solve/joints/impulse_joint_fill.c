/*
 * impulse_joint_fill.c: fills blocks of points and hinges from the model, and writes forces back.
 */
#define CN_WIDE_SINGLE
#include "engine/solve/impulse/impulse_lanes.h"

#include "engine/base/assert.h"
#include "engine/solve/joints/impulse_joint_inside.h"
#include "engine/solve/joints/impulse_joint_wide.h"

#include <string.h>

/* One lane of a block. */
struct lane {
    float *first; /* the lane's number in field 0 */
    size_t step;  /* from field to field */
};

static inline void
put(struct lane lane, int field, float value)
{
    lane.first[(size_t)field * lane.step] = value;
}

static inline float
get(const float *first, size_t step, int field)
{
    return first[(size_t)field * step];
}

static inline void
put_body(struct lane lane, int field, int32_t offset)
{
    memcpy(&lane.first[(size_t)field * lane.step], &offset, sizeof(offset));
}

static inline void
put_vec(struct lane lane, int field, cn_soft_vec v)
{
    put(lane, field, v.x);
    put(lane, field + 1, v.y);
    put(lane, field + 2, v.z);
}

int
cn_joint_form_fields(enum cn_joint_form form, enum cn_dimension dimension)
{
    CN_ASSERT(form < CN_JOINT_FORM_COUNT);
    static const int planar[] = {0, POINT2_COUNT, HINGE2_COUNT, 0};
    static const int spatial[] = {0, POINT3_COUNT, HINGE3_COUNT, BALL3_COUNT};
    return dimension == CN_PLANAR ? planar[form] : spatial[form];
}

/* ---- the free coordinate ---- */

#define X(name) FREE_##name,
enum { CN_WIDE_JOINT_FREE(X) };
#undef X

static const int free_parts[] = {
    CN_JOINT_PART_LOWER, CN_JOINT_PART_UPPER, CN_JOINT_PART_MOTOR, CN_JOINT_PART_SPRING};

static void
fill_free(const struct cn_impulse_joint_job *job, int index, struct lane lane, float angle, float K)
{
    float h = job->tick->h;
    struct cn_soft_free free = cn_soft_free_make(job->model, index, h, K);
    const double *force = job->model->joint_state[index].force;
    put(lane, FREE_ANGLE, angle);
    put(lane, FREE_LOWER, free.has_lower ? free.lower : -CN_WIDE_JOINT_FAR);
    put(lane, FREE_UPPER, free.has_upper ? free.upper : CN_WIDE_JOINT_FAR);
    put(lane, FREE_SPEED, free.speed);
    put(lane, FREE_MOTOR_MAX, free.impulse_max);
    put(lane, FREE_PUSH, free.spring_push);
    put(lane, FREE_DRAG, free.spring_drag);
    put(lane, FREE_REST, free.rest);
    const bool has[] = {free.has_lower, free.has_upper, free.has_motor, free.has_spring};
    for (int k = 0; k < 4; k++) {
        put(lane, FREE_LOWER_IMPULSE + k, has[k] ? h * (float)force[free_parts[k]] : 0.0f);
    }
}

static void
drain_free(struct cn_joint_state *state, double rate, const float *first, size_t step)
{
    for (int k = 0; k < 4; k++) {
        state->force[free_parts[k]] = rate * (double)get(first, step, FREE_LOWER_TOTAL + k);
    }
}

/* ---- planar ---- */

static void
fill_planar(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int index,
    struct lane lane)
{
    const struct cn_model *model = job->model;
    const struct cn_joint *joint = &model->joint[index];
    struct cn_soft_end2 a = cn_soft_end2_make(job, joint->body_a, &joint->anchor_a);
    struct cn_soft_end2 b = cn_soft_end2_make(job, joint->body_b, &joint->anchor_b);
    const double *force = model->joint_state[index].force;
    put_body(lane, POINT2_A, lanes_offset(a.name, sizeof(struct cn_impulse_body2)));
    put_body(lane, POINT2_B, lanes_offset(b.name, sizeof(struct cn_impulse_body2)));
    put(lane, POINT2_MASS_A, a.mass);
    put(lane, POINT2_MASS_B, b.mass);
    put(lane, POINT2_INERTIA_A, a.inertia);
    put(lane, POINT2_INERTIA_B, b.inertia);
    for (int k = 0; k < 2; k++) {
        put(lane, POINT2_ARM_A + k, a.arm[k]);
        put(lane, POINT2_ARM_B + k, b.arm[k]);
        put(lane, POINT2_APART + k, (float)(b.point[k] - a.point[k]));
        put(lane, POINT2_IMPULSE + k, job->tick->h * (float)force[k]);
        put(lane, POINT2_TOTAL + k, 0.0f);
    }
    if (form == CN_JOINT_FORM_HINGE) {
        float sign = joint->frame_a.cx.z < 0.0 ? -1.0f : 1.0f;
        double angle_a = joint->body_a >= 0 ? model->motion[joint->body_a].angle : 0.0;
        double angle = model->motion[joint->body_b].angle - angle_a - joint->angle;
        struct lane free = {lane.first + (size_t)HINGE2_ANGLE * lane.step, lane.step};
        put(lane, HINGE2_SIGN, sign);
        fill_free(job, index, free, sign * (float)angle, a.inertia + b.inertia);
    }
}

static void
drain_planar(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int index,
    const float *first, size_t step)
{
    struct cn_joint_state *state = &job->model->joint_state[index];
    double rate = (double)job->tick->inverse_h / (double)job->tick->substep_count;
    state->force[0] = rate * (double)get(first, step, POINT2_TOTAL);
    state->force[1] = rate * (double)get(first, step, POINT2_TOTAL + 1);
    if (form == CN_JOINT_FORM_HINGE) {
        drain_free(state, rate, first + (size_t)HINGE2_ANGLE * step, step);
    }
}

/* ---- spatial ---- */

static float
give_about(const struct cn_soft_end3 *end, cn_soft_vec axis)
{
    return cn_soft_dot(axis, cn_soft_inertia_apply(end->inertia, axis));
}

static void
fill_hinge3(const struct cn_impulse_joint_job *job, int index, struct lane lane,
    const struct cn_soft_end3 *a, const struct cn_soft_end3 *b)
{
    const struct cn_joint *joint = &job->model->joint[index];
    struct cn_joint_state *state = &job->model->joint_state[index];
    cn_soft_mat frame = {cn_soft_mat_apply(&a->turn, cn_soft_vec_from(joint->frame_a.cx)),
        cn_soft_mat_apply(&a->turn, cn_soft_vec_from(joint->frame_a.cy)),
        cn_soft_mat_apply(&a->turn, cn_soft_vec_from(joint->frame_a.cz))};
    cn_soft_vec y = cn_soft_mat_apply(&b->turn, cn_soft_vec_from(joint->frame_b.cy));
    cn_soft_vec z = cn_soft_mat_apply(&b->turn, cn_soft_vec_from(joint->frame_b.cz));
    struct cn_soft_angle angle = cn_soft_angle_make(&frame, y, state->place);
    state->place = angle.angle;
    put_vec(lane, HINGE3_AXIS_A, frame.cx);
    put_vec(lane, HINGE3_Y_B, y);
    put_vec(lane, HINGE3_Z_B, z);
    put_vec(lane, HINGE3_ANGLE_X, angle.x);
    for (int k = 0; k < 2; k++) {
        put(lane, HINGE3_SWING_IMPULSE + k, job->tick->h * (float)state->force[3 + k]);
    }
    struct lane free = {lane.first + (size_t)HINGE3_ANGLE * lane.step, lane.step};
    fill_free(job, index, free, (float)angle.angle,
        give_about(a, frame.cx) + give_about(b, frame.cx));
}

/* The parts of the impulses from BALL3_FRICTION_IMPULSE on. */
static const int ball_parts[] = {CN_JOINT_PART_FRICTION, CN_JOINT_PART_FRICTION + 1,
    CN_JOINT_PART_FRICTION + 2, CN_JOINT_PART_LOWER, CN_JOINT_PART_UPPER, CN_JOINT_PART_CONE};

static void
put_mat(struct lane lane, int field, const cn_soft_mat *m)
{
    put_vec(lane, field, m->cx);
    put_vec(lane, field + 3, m->cy);
    put_vec(lane, field + 6, m->cz);
}

static cn_soft_mat
frame_of(const struct cn_soft_end3 *end, const cn_mat33 *frame)
{
    cn_soft_mat own = {cn_soft_vec_from(frame->cx), cn_soft_vec_from(frame->cy),
        cn_soft_vec_from(frame->cz)};
    return cn_soft_mat_multiply(&end->turn, &own);
}

static void
fill_ball3(const struct cn_impulse_joint_job *job, int index, struct lane lane,
    const struct cn_soft_end3 *a, const struct cn_soft_end3 *b)
{
    const struct cn_joint *joint = &job->model->joint[index];
    cn_soft_mat frame_a = frame_of(a, &joint->frame_a), frame_b = frame_of(b, &joint->frame_b);
    float trace = a->inertia[0] + a->inertia[1] + a->inertia[2] + b->inertia[0] + b->inertia[1] +
                  b->inertia[2];
    struct cn_soft_turn turn = cn_soft_turn_make(job, index, &frame_a, &frame_b, trace);
    const double *force = job->model->joint_state[index].force;
    put_mat(lane, BALL3_FRAME_A, &frame_a);
    put_mat(lane, BALL3_FRAME_B, &frame_b);
    put(lane, BALL3_TWIST, (float)turn.twist.angle);
    put(lane, BALL3_TWIST_COSINE, turn.twist.cosine);
    put(lane, BALL3_TWIST_SINE, turn.twist.sine);
    put(lane, BALL3_LOWER, turn.has_lower ? turn.lower : -CN_WIDE_JOINT_FAR);
    put(lane, BALL3_UPPER, turn.has_upper ? turn.upper : CN_WIDE_JOINT_FAR);
    put(lane, BALL3_CONE, turn.has_cone ? turn.cone : CN_WIDE_JOINT_FAR);
    put(lane, BALL3_FRICTION_MAX, turn.impulse_max);
    put(lane, BALL3_PUSH, turn.spring_push);
    put(lane, BALL3_DRAG, turn.spring_drag);
    put_vec(lane, BALL3_STRETCH, turn.stretch);
    put_vec(lane, BALL3_SPRING_IMPULSE, turn.spring);
    for (int k = 0; k < 6; k++) {
        put(lane, BALL3_FRICTION_IMPULSE + k, job->tick->h * (float)force[ball_parts[k]]);
    }
}

static void
fill_spatial(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int index,
    struct lane lane)
{
    const struct cn_joint *joint = &job->model->joint[index];
    struct cn_soft_end3 a, b;
    cn_soft_end3_make(job, joint->body_a, &joint->anchor_a, &a);
    cn_soft_end3_make(job, joint->body_b, &joint->anchor_b, &b);
    const double *force = job->model->joint_state[index].force;
    put_body(lane, POINT3_A, lanes_offset(a.name, sizeof(struct cn_impulse_body3)));
    put_body(lane, POINT3_B, lanes_offset(b.name, sizeof(struct cn_impulse_body3)));
    put(lane, POINT3_MASS_A, a.mass);
    put(lane, POINT3_MASS_B, b.mass);
    for (int k = 0; k < 6; k++) {
        put(lane, POINT3_INERTIA_A + k, a.inertia[k]);
        put(lane, POINT3_INERTIA_B + k, b.inertia[k]);
    }
    put_vec(lane, POINT3_ARM_A, a.arm);
    put_vec(lane, POINT3_ARM_B, b.arm);
    put_vec(lane, POINT3_APART, cn_soft_vec_from(cn_vec3_sub(b.point, a.point)));
    for (int k = 0; k < 3; k++) {
        put(lane, POINT3_IMPULSE + k, job->tick->h * (float)force[k]);
        put(lane, POINT3_TOTAL + k, 0.0f);
    }
    if (form == CN_JOINT_FORM_HINGE) {
        fill_hinge3(job, index, lane, &a, &b);
    } else if (form == CN_JOINT_FORM_BALL) {
        fill_ball3(job, index, lane, &a, &b);
    }
}

static void
drain_spatial(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int index,
    const float *first, size_t step)
{
    struct cn_joint_state *state = &job->model->joint_state[index];
    double rate = (double)job->tick->inverse_h / (double)job->tick->substep_count;
    for (int k = 0; k < 3; k++) {
        state->force[k] = rate * (double)get(first, step, POINT3_TOTAL + k);
    }
    if (form == CN_JOINT_FORM_HINGE) {
        state->force[3] = rate * (double)get(first, step, HINGE3_SWING_TOTAL);
        state->force[4] = rate * (double)get(first, step, HINGE3_SWING_TOTAL + 1);
        drain_free(state, rate, first + (size_t)HINGE3_ANGLE * step, step);
    }
    for (int k = 0; k < 6 && form == CN_JOINT_FORM_BALL; k++) {
        state->force[ball_parts[k]] = rate * (double)get(first, step, BALL3_FRICTION_TOTAL + k);
    }
}

/* ---- blocks ---- */

void
cn_joint_fill(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int lanes,
    const int32_t *joint, float *block)
{
    enum cn_dimension dimension = job->model->settings.dimension;
    int fields = cn_joint_form_fields(form, dimension);
    CN_ASSERT(fields > 0 && lanes > 0); /* a joint of the general form has no lane */
    memset(block, 0, (size_t)(fields * lanes) * sizeof(*block));
    for (int k = 0; k < lanes; k++) {
        struct lane lane = {block + k, (size_t)lanes};
        CN_ASSERT(joint[k] < 0 || k == 0 || joint[k - 1] >= 0); /* empty lanes are the last */
        CN_ASSERT(joint[k] < job->model->joint_count);
        if (joint[k] < 0) {
            put_body(lane, POINT2_A, LANES_GROUND);
            put_body(lane, POINT2_B, LANES_GROUND);
        } else if (dimension == CN_PLANAR) {
            fill_planar(job, form, joint[k], lane);
        } else {
            fill_spatial(job, form, joint[k], lane);
        }
    }
}

static void
clear(float *block, int lanes, int first, int count)
{
    memset(block + first * lanes, 0, (size_t)(count * lanes) * sizeof(*block));
}

void
cn_joint_cool(enum cn_dimension dimension, enum cn_joint_form form, int lanes, float *block)
{
    bool planar = dimension == CN_PLANAR;
    CN_ASSERT(form != CN_JOINT_FORM_GENERAL && lanes > 0);
    clear(block, lanes, planar ? POINT2_IMPULSE : POINT3_IMPULSE, planar ? 2 : 3);
    if (form == CN_JOINT_FORM_HINGE) { /* the four parts of the free coordinate */
        clear(block, lanes, planar ? HINGE2_LOWER_IMPULSE : HINGE3_LOWER_IMPULSE, 4);
    }
    if (form == CN_JOINT_FORM_HINGE && !planar) {
        clear(block, lanes, HINGE3_SWING_IMPULSE, 2);
    }
}

void
cn_joint_drain(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int lanes,
    const int32_t *joint, const float *block)
{
    CN_ASSERT(form != CN_JOINT_FORM_GENERAL && lanes > 0);
    for (int k = 0; k < lanes && joint[k] >= 0; k++) {
        CN_ASSERT(joint[k] < job->model->joint_count);
        if (job->model->settings.dimension == CN_PLANAR) {
            drain_planar(job, form, joint[k], block + k, (size_t)lanes);
        } else {
            drain_spatial(job, form, joint[k], block + k, (size_t)lanes);
        }
    }
}

_Static_assert((int)POINT2_A == (int)POINT3_A && (int)POINT2_B == (int)POINT3_B, "empty lanes");
