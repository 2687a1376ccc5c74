/*
 * impulse_joint_free.c: shared by the solver's joints: blocks of rows, free coordinates, warm
 * starts.
 */
#include "engine/solve/joints/impulse_joint_inside.h"

#include "engine/base/assert.h"

#include <math.h>

/* Part of a row's diagonal.  A row with a smaller pivot depends on those before it. */
#define PIVOT_MIN 1e-6f

void
cn_soft_block_solve(int n, float K[CN_SOFT_HOLD_MAX][CN_SOFT_HOLD_MAX], float *x)
{
    CN_ASSERT(0 <= n && n <= CN_SOFT_HOLD_MAX);
    float inverse[CN_SOFT_HOLD_MAX]; /* of the pivots */
    for (int j = 0; j < n; j++) {
        float pivot = K[j][j];
        for (int k = 0; k < j; k++) {
            pivot -= K[j][k] * K[j][k] * inverse[k];
        }
        inverse[j] = pivot > PIVOT_MIN * K[j][j] ? 1.0f / pivot : 0.0f;
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) {
                K[i][j] -= K[i][k] * K[j][k] * inverse[k];
            }
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            x[j] -= K[j][k] * inverse[k] * x[k];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        float sum = x[j];
        for (int i = j + 1; i < n; i++) {
            sum -= K[i][j] * x[i];
        }
        x[j] = sum * inverse[j];
    }
}

struct cn_soft_free
cn_soft_free_make(const struct cn_model *model, int index, float h, float K)
{
    CN_ASSERT(0 <= index && index < model->joint_count);
    const struct cn_joint *joint = &model->joint[index];
    struct cn_soft_free free = {
        .has_lower = joint->has_limit && isfinite(joint->lower),
        .has_upper = joint->has_limit && isfinite(joint->upper),
        .has_motor = joint->has_motor || joint->friction > 0.0,
        .has_spring = joint->has_spring,
    };
    free.lower = free.has_lower ? (float)joint->lower : 0.0f;
    free.upper = free.has_upper ? (float)joint->upper : 0.0f;
    if (joint->friction > 0.0) {
        free.impulse_max = h * (float)joint->friction;
    } else if (free.has_motor) {
        free.speed = (float)(cn_model_motor_level(model, index) * joint->motor_speed);
        free.impulse_max = h * (float)joint->motor_force_max;
    }
    if (free.has_spring) {
        float k = (float)joint->stiffness, s = h * h * k * K;
        free.spring_push = h * k;
        free.spring_drag = h * ((float)joint->damping + s / (1.0f + s) * h * k);
        free.rest = (float)joint->rest;
    }
    return free;
}

float
cn_soft_limit_solve(const struct cn_impulse_tick *tick, const struct cn_impulse_soft *soft,
    bool use_bias, float way, float rate, float K, float *impulse)
{
    float bias = 0.0f, mass_scale = 1.0f, impulse_scale = 0.0f;
    if (way > 0.0f) {
        bias = way * tick->inverse_h;
    } else if (use_bias) {
        bias = soft->bias_rate * way;
        mass_scale = soft->mass_scale;
        impulse_scale = soft->impulse_scale;
    }
    float before = *impulse;
    float after = before - mass_scale * (rate + bias) / K - impulse_scale * before;
    *impulse = after > 0.0f ? after : 0.0f;
    return *impulse - before;
}

static float
solve_motor(const struct cn_soft_free *free, float rate, float K, float *impulse)
{
    float before = *impulse, after = before - (rate - free->speed) / K;
    after = after < free->impulse_max ? after : free->impulse_max;
    *impulse = after > -free->impulse_max ? after : -free->impulse_max;
    return *impulse - before;
}

float
cn_soft_free_solve(struct cn_soft_free *free, const struct cn_impulse_tick *tick,
    const struct cn_impulse_soft *soft, bool use_bias, float gap, float rate, float K,
    float *impulse)
{
    if (!(K > 0.0f)) {
        return 0.0f;
    }
    float sum = 0.0f;
    if (free->has_spring) {
        if (use_bias) {
            free->stretch = gap - free->rest;
        }
        float *spring = &impulse[CN_JOINT_PART_SPRING];
        float grown = -(*spring + free->spring_push * free->stretch + free->spring_drag * rate) /
                      (1.0f + free->spring_drag * K);
        *spring += grown;
        sum += grown;
    }
    if (free->has_motor) {
        sum += solve_motor(free, rate + K * sum, K, &impulse[CN_JOINT_PART_MOTOR]);
    }
    if (free->has_lower) {
        sum += cn_soft_limit_solve(tick, soft, use_bias, gap - free->lower, rate + K * sum, K,
            &impulse[CN_JOINT_PART_LOWER]);
    }
    if (free->has_upper) {
        sum -= cn_soft_limit_solve(tick, soft, use_bias, free->upper - gap, -(rate + K * sum), K,
            &impulse[CN_JOINT_PART_UPPER]);
    }
    return sum;
}

void
cn_soft_recall(const struct cn_impulse_joint_job *job, int index, float *impulse)
{
    CN_ASSERT(0 <= index && index < job->model->joint_count);
    const struct cn_joint_state *state = &job->model->joint_state[index];
    for (int part = 0; part < CN_JOINT_PARTS; part++) {
        impulse[part] = job->tick->h * (float)state->force[part];
    }
}

void
cn_soft_store(const struct cn_impulse_joint_job *job, int index, const float *total)
{
    CN_ASSERT(0 <= index && index < job->model->joint_count);
    CN_ASSERT(job->tick->substep_count > 0);
    struct cn_joint_state *state = &job->model->joint_state[index];
    double rate = (double)job->tick->inverse_h / (double)job->tick->substep_count;
    for (int part = 0; part < CN_JOINT_PARTS; part++) {
        state->force[part] = rate * (double)total[part];
    }
}
