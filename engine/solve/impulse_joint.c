#include "engine/solve/impulse_joint.h"

#include "engine/base/assert.h"
#include "engine/solve/impulse_joint_inside.h"

#define UNIT 64 /* bytes, of offsets */

/* Of joints by themselves, one after the other: what is no kernel's. */
#define FORM_GENERAL 0
#define FORM_COUNT 1

static size_t
block_units(const struct cn_model *model, int lanes)
{
    size_t one = model->settings.dimension == CN_PLANAR ? sizeof(struct cn_soft_joint2)
                                                        : sizeof(struct cn_soft_joint3);
    return ((size_t)lanes * one + UNIT - 1) / UNIT;
}

/* ---- plan ---- */

void
cn_impulse_joint_plan_layout(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, int joint_max, int color_max, int lanes)
{
    int partial = joint_max < color_max * FORM_COUNT ? joint_max : color_max * FORM_COUNT;
    plan->lanes = lanes;
    plan->block_max = joint_max / lanes + partial;
    plan->data_max = (size_t)plan->block_max * block_units(model, lanes);
    plan->joint = CN_ARENA_TAKE(arena, int32_t, (size_t)(plan->block_max * lanes));
    plan->block = CN_ARENA_TAKE(arena, struct cn_impulse_joint_block, (size_t)plan->block_max);
    plan->data = CN_ARENA_TAKE(arena, unsigned char, plan->data_max *UNIT);
    cn_impulse_joint_plan_reset(plan);
}

void
cn_impulse_joint_plan_reset(struct cn_impulse_joint_plan *plan)
{
    plan->block_count = 0;
    plan->data_size = 0;
}

/* Appends a block without joints. */
static void
add_block(struct cn_impulse_joint_plan *plan, const struct cn_model *model)
{
    CN_ASSERT(plan->block_count < plan->block_max);
    int k = plan->block_count++;
    plan->block[k] = (struct cn_impulse_joint_block){
        .form = FORM_GENERAL, .offset = (uint32_t)plan->data_size};
    plan->data_size += block_units(model, plan->lanes);
    for (int lane = 0; lane < plan->lanes; lane++) {
        plan->joint[k * plan->lanes + lane] = -1;
    }
}

void
cn_impulse_joint_plan_add(struct cn_impulse_joint_plan *plan, const struct cn_model *model,
    const int32_t *joint, int joint_count)
{
    int lane = plan->lanes;
    for (int i = 0; i < joint_count; i++) {
        if (joint[i] < 0) {
            continue;
        }
        if (lane == plan->lanes) {
            add_block(plan, model);
            lane = 0;
        }
        plan->joint[(plan->block_count - 1) * plan->lanes + lane++] = joint[i];
    }
    CN_ASSERT(plan->data_size <= plan->data_max);
}

/* ---- joints by themselves ---- */

enum pass { PASS_PREPARE, PASS_WARM_START, PASS_SOLVE, PASS_RELAX, PASS_STORE };

static void
run_planar(const struct cn_impulse_joint_job *job, enum pass pass, int32_t index,
    struct cn_soft_joint2 *j)
{
    switch (pass) {
    case PASS_PREPARE:
        cn_soft_prepare2(job, index, j);
        break;
    case PASS_WARM_START:
        cn_soft_warm_start2(job, j);
        break;
    case PASS_SOLVE:
    case PASS_RELAX:
        cn_soft_solve2(job, j, pass == PASS_SOLVE);
        break;
    case PASS_STORE:
        cn_soft_store(job, index, j->total);
        break;
    }
}

static void
run_spatial(const struct cn_impulse_joint_job *job, enum pass pass, int32_t index,
    struct cn_soft_joint3 *j)
{
    switch (pass) {
    case PASS_PREPARE:
        cn_soft_prepare3(job, index, j);
        break;
    case PASS_WARM_START:
        cn_soft_warm_start3(job, j);
        break;
    case PASS_SOLVE:
    case PASS_RELAX:
        cn_soft_solve3(job, j, pass == PASS_SOLVE);
        break;
    case PASS_STORE:
        cn_soft_store3(job, j);
        break;
    }
}

static void
run(const struct cn_impulse_joint_job *job, enum pass pass, int first, int end)
{
    const struct cn_impulse_joint_plan *plan = job->plan;
    bool planar = job->model->settings.dimension == CN_PLANAR;
    for (int k = first; k < end; k++) {
        unsigned char *data = plan->data + (size_t)plan->block[k].offset * UNIT;
        for (int lane = 0; lane < plan->lanes; lane++) {
            int32_t index = plan->joint[k * plan->lanes + lane];
            if (index < 0) {
                break;
            }
            if (planar) {
                run_planar(job, pass, index, (struct cn_soft_joint2 *)(void *)data + lane);
            } else {
                run_spatial(job, pass, index, (struct cn_soft_joint3 *)(void *)data + lane);
            }
        }
    }
}

/* ---- stages ---- */

void
cn_impulse_joint_prepare(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, PASS_PREPARE, first, end);
}

void
cn_impulse_joint_warm_start(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, PASS_WARM_START, first, end);
}

void
cn_impulse_joint_solve(
    const struct cn_impulse_joint_job *job, int first, int end, bool use_bias)
{
    run(job, use_bias ? PASS_SOLVE : PASS_RELAX, first, end);
}

void
cn_impulse_joint_store(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, PASS_STORE, first, end);
}
