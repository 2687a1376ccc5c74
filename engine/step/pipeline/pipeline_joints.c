/* pipeline_joints.c: colours the joints of a tick, and hands them to the solver. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

static int32_t
name_of(const struct cn_pipeline *p, int32_t body)
{
    return body < 0 ? CN_IMPULSE_FIXED : p->solver_body[body];
}

/* Lays out a plan on the scratch. */
static bool
take_plan(struct cn_pipeline_tick *t, struct cn_impulse_joint_plan *plan,
    const struct cn_impulse_joint_forms *forms, int joint_max, int color_max,
    const struct cn_impulse_kernel *kernel)
{
    const struct cn_model *model = t->p->model;
    struct cn_arena measure;
    cn_arena_init_measure(&measure);
    cn_impulse_joint_plan_layout(plan, &measure, model, forms, joint_max, color_max, kernel);
    if (!cn_pipeline_has(t, measure.used)) {
        return false;
    }
    cn_impulse_joint_plan_layout(plan, &t->scratch, model, forms, joint_max, color_max, kernel);
    return true;
}

/* Adds the joints colour by colour, and joints without a colour to the other plan. */
static void
fill_plans(struct cn_pipeline_tick *t, const int32_t *list, int32_t *order)
{
    const struct cn_model *model = t->p->model;
    const struct cn_coloring *coloring = &t->joint_coloring;
    int colored = coloring->start[coloring->color_count];
    CN_ASSERT(coloring->color_count <= CN_COLORS_MAX); /* room in joint_first[] */
    for (int i = 0; i < colored + coloring->overflow_count; i++) {
        order[i] = order[i] < 0 ? -1 : list[order[i]];
    }
    for (int c = 0; c < coloring->color_count; c++) {
        t->joint_first[c] = t->joint_plan.block_count;
        cn_impulse_joint_plan_add(&t->joint_plan, model, order + coloring->start[c],
            coloring->start[c + 1] - coloring->start[c]);
    }
    t->joint_first[coloring->color_count] = t->joint_plan.block_count;
    cn_impulse_joint_plan_add(
        &t->joint_rest_plan, model, order + colored, coloring->overflow_count);
}

/* Takes the chains out of list[].  Returns the number of joints left in it; -1: no scratch. */
static int
take_chains(struct cn_pipeline_tick *t, int32_t *list, int count)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    struct cn_arena measure;
    cn_arena_init_measure(&measure);
    cn_impulse_joint_chains_layout(&t->chains, &measure, count);
    (void)cn_impulse_joint_chains_find(
        &t->chains, model, p->solver_body, p->awake_count, list, count, &measure);
    if (!cn_pipeline_has(t, measure.used_max)) {
        return -1;
    }
    cn_impulse_joint_chains_layout(&t->chains, &t->scratch, count);
    int left = cn_impulse_joint_chains_find(
        &t->chains, model, p->solver_body, p->awake_count, list, count, &t->scratch);
    CN_ASSERT(left >= 0 && left <= count);
    cn_arena_init_measure(&measure);
    cn_impulse_joint_plan_chains(&t->chain_plan, &measure, model, &t->chains);
    if (!cn_pipeline_has(t, measure.used)) {
        return -1;
    }
    cn_impulse_joint_plan_chains(&t->chain_plan, &t->scratch, model, &t->chains);
    return left;
}

/* Lists the joints of which at least one body moves, ascending. */
static int
list_joints(const struct cn_pipeline *p, int32_t *list)
{
    const struct cn_model *model = p->model;
    int count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (name_of(p, joint->body_a) >= 0 || name_of(p, joint->body_b) >= 0) {
            list[count++] = i;
        }
    }
    return count;
}

/* Chains, colours, and the rest of the joints. False: no scratch. */
bool
cn_pipeline_begin_joints(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    int order_max = cn_color_order_max(model->joint_count, t->kernel->lanes);
    t->joint_coloring = (struct cn_coloring){0};
    t->chain_plan.block_count = 0;
    if (model->joint_count == 0) {
        return true;
    }
    int32_t *list = CN_PIPELINE_TAKE(t, int32_t, model->joint_count);
    int32_t *order = CN_PIPELINE_TAKE(t, int32_t, order_max);
    struct cn_color_pair *pair = CN_PIPELINE_TAKE(t, struct cn_color_pair, model->joint_count);
    struct cn_impulse_joint_forms forms = {
        .form = CN_PIPELINE_TAKE(t, unsigned char, model->joint_count)};
    if (forms.form == NULL) {
        return false;
    }
    int count = take_chains(t, list, list_joints(p, list));
    for (int i = 0; i < count; i++) {
        const struct cn_joint *joint = &model->joint[list[i]];
        pair[i] = (struct cn_color_pair){name_of(p, joint->body_a), name_of(p, joint->body_b)};
    }
    cn_impulse_joint_forms_find(&forms, model, list, count);
    if (count < 0 || !cn_pipeline_color_pairs(t, pair, count, order, &t->joint_coloring) ||
        !take_plan(
            t, &t->joint_plan, &forms, count, t->joint_coloring.color_count, t->kernel) ||
        !take_plan(t, &t->joint_rest_plan, &forms, t->joint_coloring.overflow_count, 1,
            &cn_impulse_kernel_single)) {
        return false;
    }
    fill_plans(t, list, order);
    t->joint = (struct cn_impulse_joint_job){
        .tick = &t->tick,
        .model = p->model,
        .solver_body = p->solver_body,
        .place = p->place,
        .body = t->body,
        .carry = t->carry,
        .mass = t->mass,
        .soft = cn_impulse_joint_soft(t->tick.h),
        .plan = &t->joint_plan,
    };
    t->chain = t->joint_rest = t->joint;
    t->joint_rest.plan = &t->joint_rest_plan;
    t->chain.plan = &t->chain_plan;
    return true;
}

/* ---- stages ---- */

enum stage { PREPARE, WARM_START, SOLVE, RELAX, COOL, STORE };

static void
run_blocks(const struct cn_impulse_joint_job *job, enum stage stage, int first, int end)
{
    CN_ASSERT(first == end || (first < end && end <= job->plan->block_count));
    switch (stage) {
    case PREPARE:
        cn_impulse_joint_prepare(job, first, end);
        break;
    case WARM_START:
        cn_impulse_joint_warm_start(job, first, end);
        break;
    case SOLVE:
    case RELAX:
        cn_impulse_joint_solve(job, first, end, stage == SOLVE);
        break;
    case COOL:
        cn_impulse_joint_cool(job, first, end);
        break;
    case STORE:
        cn_impulse_joint_store(job, first, end);
        break;
    }
}

struct stage_of_color {
    const struct cn_impulse_joint_job *job;
    enum stage stage;
    int first;
};

static void
stage_task(void *context, int first, int end, int worker)
{
    const struct stage_of_color *of = context;
    (void)worker;
    run_blocks(of->job, of->stage, of->first + first, of->first + end);
}

/* Chains first, each by itself; then the rest, then colour by colour. */
static void
run_joints(struct cn_pipeline_tick *t, enum stage stage)
{
    const struct cn_coloring *coloring = &t->joint_coloring;
    CN_ASSERT(coloring->color_count == 0 ||
              t->joint_first[coloring->color_count] == t->joint_plan.block_count);
    struct stage_of_color chain = {&t->chain, stage, 0};
    cn_task_run(t->crew, stage_task, &chain, t->chain_plan.block_count, 1);
    if (coloring->overflow_count > 0) {
        run_blocks(&t->joint_rest, stage, 0, t->joint_rest_plan.block_count);
    }
    for (int c = 0; c < coloring->color_count; c++) {
        struct stage_of_color of = {&t->joint, stage, t->joint_first[c]};
        int count = t->joint_first[c + 1] - t->joint_first[c];
        cn_task_run(t->crew, stage_task, &of, count, CN_PIPELINE_JOINT_GRAIN);
    }
}

void
cn_pipeline_prepare_joints(struct cn_pipeline_tick *t)
{
    run_joints(t, PREPARE);
}

void
cn_pipeline_warm_joints(struct cn_pipeline_tick *t)
{
    run_joints(t, WARM_START);
}

void
cn_pipeline_solve_joints(struct cn_pipeline_tick *t, bool use_bias)
{
    run_joints(t, use_bias ? SOLVE : RELAX);
}

void
cn_pipeline_cool_joints(struct cn_pipeline_tick *t)
{
    run_joints(t, COOL);
}

void
cn_pipeline_store_joints(struct cn_pipeline_tick *t)
{
    run_joints(t, STORE);
}
