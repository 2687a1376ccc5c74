#include "engine/solve/joints/impulse_joint.h"

#include "engine/base/assert.h"
#include "engine/solve/joints/impulse_joint_chain.h"
#include "engine/solve/joints/impulse_joint_inside.h"
#include "engine/solve/joints/impulse_joint_wide.h"

#include <string.h>

#define UNIT 64 /* bytes; offsets count in these */

#define PHASE (6.28318531f * 0.25f) /* h w: 2 pi times a quarter of the substep's rate */
#define DAMPING_RATIO 2.0f

struct cn_impulse_soft
cn_impulse_joint_soft(float h)
{
    float a1 = 2.0f * DAMPING_RATIO + PHASE, a2 = PHASE * a1, a3 = 1.0f / (1.0f + a2);
    return (struct cn_impulse_soft){
        .bias_rate = PHASE / (a1 * h), .mass_scale = a2 * a3, .impulse_scale = a3};
}

/* ---- kernels ---- */

static const struct cn_joint_kernel *const joint_kernels[] = {
    &cn_joint_kernel_single,
    &cn_joint_kernel_plain,
#if defined(CN_SIMD_X86)
    &cn_joint_kernel_sse2,
    &cn_joint_kernel_avx2,
    &cn_joint_kernel_avx512,
#elif defined(CN_SIMD_ARM)
    &cn_joint_kernel_neon,
#endif
    NULL,
};

static const struct cn_joint_kernel *
find_kernel(const struct cn_impulse_kernel *beside)
{
    for (int i = 0; beside != NULL && joint_kernels[i] != NULL; i++) {
        if (strcmp(joint_kernels[i]->name, beside->name) == 0) {
            return joint_kernels[i];
        }
    }
    return NULL;
}

/* ---- forms ---- */

static enum cn_joint_form
form_of(const struct cn_model *model, int index)
{
    const struct cn_joint *joint = &model->joint[index];
    if (cn_soft_is_thin(model, index)) {
        return CN_JOINT_FORM_GENERAL;
    }
    if (joint->kind == CN_JOINT_BALL) {
        bool turns = joint->has_limit || joint->has_cone || joint->has_spring;
        return turns || joint->friction > 0.0 ? CN_JOINT_FORM_BALL : CN_JOINT_FORM_POINT;
    }
    if (joint->kind != CN_JOINT_HINGE) {
        return CN_JOINT_FORM_GENERAL;
    }
    bool is_bare = !joint->has_limit && !joint->has_motor && !joint->has_spring &&
                   !(joint->friction > 0.0);
    return is_bare && model->settings.dimension == CN_PLANAR ? CN_JOINT_FORM_POINT
                                                             : CN_JOINT_FORM_HINGE;
}

void
cn_impulse_joint_forms_find(struct cn_impulse_joint_forms *forms, const struct cn_model *model,
    const int32_t *list, int count)
{
    memset(forms->count, 0, sizeof(forms->count));
    for (int i = 0; i < count; i++) {
        CN_ASSERT(list[i] >= 0 && list[i] < model->joint_count);
        enum cn_joint_form form = form_of(model, list[i]);
        forms->form[list[i]] = (unsigned char)form;
        forms->count[form]++;
    }
}

/* The size of a block, in units. */
static size_t
form_units(enum cn_joint_form form, enum cn_dimension dimension, int lanes)
{
    size_t general = dimension == CN_PLANAR ? sizeof(struct cn_soft_joint2)
                                            : sizeof(struct cn_soft_joint3);
    size_t size = form == CN_JOINT_FORM_GENERAL
                      ? general
                      : (size_t)cn_joint_form_fields(form, dimension) * sizeof(float);
    return ((size_t)lanes * size + UNIT - 1) / UNIT;
}

/* ---- plan ---- */

void
cn_impulse_joint_plan_layout(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, const struct cn_impulse_joint_forms *forms, int joint_max,
    int color_max, const struct cn_impulse_kernel *kernel)
{
    CN_ASSERT(joint_max >= 0 && color_max >= 0);
    plan->kernel = find_kernel(kernel);
    plan->chains = NULL;
    plan->lanes = plan->kernel != NULL ? plan->kernel->lanes : 1;
    CN_ASSERT(plan->lanes >= 1);
    plan->form = plan->kernel != NULL ? forms->form : NULL;
    plan->block_max = 0;
    plan->data_max = 0;
    for (int form = 0; form < CN_JOINT_FORM_COUNT; form++) {
        int count = forms->count[form];
        if (plan->kernel == NULL) {
            count = form == CN_JOINT_FORM_GENERAL ? joint_max : 0;
        }
        int most = count < joint_max ? count : joint_max;
        int blocks = most / plan->lanes + (most < color_max ? most : color_max);
        plan->block_max += blocks;
        plan->data_max += (size_t)blocks * form_units((enum cn_joint_form)form,
                                               model->settings.dimension, plan->lanes);
    }
    plan->joint = CN_ARENA_TAKE(arena, int32_t, (size_t)(plan->block_max * plan->lanes));
    plan->block = CN_ARENA_TAKE(arena, struct cn_impulse_joint_block, (size_t)plan->block_max);
    plan->data = CN_ARENA_TAKE(arena, unsigned char, plan->data_max *UNIT);
    plan->block_count = 0;
    plan->data_size = 0;
}

void
cn_impulse_joint_plan_chains(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, const struct cn_impulse_joint_chains *chains)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    CN_ASSERT(chains->count >= 0);
    *plan = (struct cn_impulse_joint_plan){
        .chains = chains, .block_count = chains->count, .block_max = chains->count};
    plan->block =
        CN_ARENA_TAKE(arena, struct cn_impulse_joint_block, (size_t)chains->count);
    for (int k = 0; k < chains->count; k++) {
        if (plan->block != NULL) {
            plan->block[k] = (struct cn_impulse_joint_block){
                .form = CN_JOINT_FORM_CHAIN, .offset = (uint32_t)plan->data_size};
        }
        plan->data_size += (cn_soft_chain_size(chains, k, planar) + UNIT - 1) / UNIT;
    }
    plan->data_max = plan->data_size;
    plan->data = CN_ARENA_TAKE(arena, unsigned char, plan->data_max *UNIT);
}

/* Appends a block without joints.  Returns the place of its joints. */
static int32_t *
add_block(
    struct cn_impulse_joint_plan *plan, enum cn_dimension dimension, enum cn_joint_form form)
{
    CN_ASSERT(plan->block_count < plan->block_max); /* invariant 1 */
    CN_ASSERT(plan->chains == NULL && (uint32_t)plan->data_size == plan->data_size);
    int k = plan->block_count++;
    plan->block[k] = (struct cn_impulse_joint_block){
        .form = (int32_t)form, .offset = (uint32_t)plan->data_size};
    plan->data_size += form_units(form, dimension, plan->lanes);
    int32_t *joint = &plan->joint[k * plan->lanes];
    for (int lane = 0; lane < plan->lanes; lane++) {
        joint[lane] = -1;
    }
    return joint;
}

void
cn_impulse_joint_plan_add(struct cn_impulse_joint_plan *plan, const struct cn_model *model,
    const int32_t *joint, int joint_count)
{
    int32_t *lane[CN_JOINT_FORM_COUNT] = {NULL}; /* next lane of the form's last block */
    int left[CN_JOINT_FORM_COUNT] = {0};         /* free lanes in it */
    for (int i = 0; i < joint_count; i++) {
        if (joint[i] < 0) {
            continue;
        }
        CN_ASSERT(joint[i] < model->joint_count);
        enum cn_joint_form form = plan->form == NULL ? CN_JOINT_FORM_GENERAL
                                                     : (enum cn_joint_form)plan->form[joint[i]];
        CN_ASSERT(form < CN_JOINT_FORM_COUNT);
        if (left[form] == 0) {
            lane[form] = add_block(plan, model->settings.dimension, form);
            left[form] = plan->lanes;
        }
        *lane[form]++ = joint[i];
        left[form]--;
    }
    CN_ASSERT(plan->data_size <= plan->data_max); /* invariant 1 */
}

/* ---- single joints ---- */

static void
run_general(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, const int32_t *joint,
    unsigned char *data)
{
    bool planar = job->model->settings.dimension == CN_PLANAR;
    for (int lane = 0; lane < job->plan->lanes && joint[lane] >= 0; lane++) {
        if (planar) {
            cn_soft_run2(job, pass, joint[lane], (struct cn_soft_joint2 *)(void *)data + lane);
        } else {
            cn_soft_run3(job, pass, joint[lane], (struct cn_soft_joint3 *)(void *)data + lane);
        }
    }
}

/* ---- stages ---- */

static void
run_form(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, enum cn_joint_form form,
    const int32_t *joint, float *block)
{
    const struct cn_joint_kernel *kernel = job->plan->kernel;
    CN_ASSERT(form != CN_JOINT_FORM_GENERAL && form < CN_JOINT_FORM_COUNT);
    CN_ASSERT(form != CN_JOINT_FORM_BALL || job->model->settings.dimension == CN_SPATIAL);
    const struct cn_joint_passes *passes = job->model->settings.dimension == CN_PLANAR
                                               ? &kernel->planar[form - 1]
                                               : &kernel->spatial[form - 1];
    switch (pass) {
    case CN_SOFT_PREPARE:
        cn_joint_fill(job, form, job->plan->lanes, joint, block);
        break;
    case CN_SOFT_WARM_START:
        passes->warm_start(job, block);
        break;
    case CN_SOFT_SOLVE:
        passes->solve(job, block);
        break;
    case CN_SOFT_RELAX:
        passes->relax(job, block);
        break;
    case CN_SOFT_COOL:
        cn_joint_cool(job->model->settings.dimension, form, job->plan->lanes, block);
        break;
    case CN_SOFT_STORE:
        cn_joint_drain(job, form, job->plan->lanes, joint, block);
        break;
    }
}

/* Prefetches the data of the model that block k + 1 will read or write. */
static void
prefetch(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int k)
{
    const struct cn_impulse_joint_plan *plan = job->plan;
    const int32_t *joint = &plan->joint[(k + 3) * plan->lanes];
    if ((pass != CN_SOFT_PREPARE && pass != CN_SOFT_STORE) || k + 3 >= plan->block_count) {
        return;
    }
    for (int lane = 0; lane < plan->lanes && joint[lane] >= 0; lane++) {
        const char *of = (const char *)&job->model->joint[joint[lane]];
        __builtin_prefetch(&job->model->joint_state[joint[lane]]);
        if (pass == CN_SOFT_PREPARE) {
            __builtin_prefetch(of);
            __builtin_prefetch(of + 64);
        }
    }
}

static void
run(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int first, int end)
{
    const struct cn_impulse_joint_plan *plan = job->plan;
    CN_ASSERT(0 <= first && first <= end && end <= plan->block_count);
    CN_ASSERT(plan->kernel == NULL || plan->kernel->lanes == plan->lanes);
    for (int k = first; k < end; k++) {
        if (plan->chains == NULL) {
            prefetch(job, pass, k);
        }
        unsigned char *data = plan->data + (size_t)plan->block[k].offset * UNIT;
        const int32_t *joint = plan->chains == NULL ? &plan->joint[k * plan->lanes] : NULL;
        enum cn_joint_form form = (enum cn_joint_form)plan->block[k].form;
        CN_ASSERT(plan->block[k].offset <= plan->data_size);
        CN_ASSERT((form == CN_JOINT_FORM_CHAIN) == (plan->chains != NULL)); /* invariant 3 */
        if (plan->chains != NULL) {
            cn_soft_chain_run(job, pass, k, data);
        } else if (form == CN_JOINT_FORM_GENERAL) {
            run_general(job, pass, joint, data);
        } else {
            run_form(job, pass, form, joint, (float *)(void *)data);
        }
    }
}

void
cn_impulse_joint_prepare(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, CN_SOFT_PREPARE, first, end);
}

void
cn_impulse_joint_warm_start(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, CN_SOFT_WARM_START, first, end);
}

void
cn_impulse_joint_solve(
    const struct cn_impulse_joint_job *job, int first, int end, bool use_bias)
{
    run(job, use_bias ? CN_SOFT_SOLVE : CN_SOFT_RELAX, first, end);
}

void
cn_impulse_joint_cool(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, CN_SOFT_COOL, first, end);
}

void
cn_impulse_joint_store(const struct cn_impulse_joint_job *job, int first, int end)
{
    run(job, CN_SOFT_STORE, first, end);
}
