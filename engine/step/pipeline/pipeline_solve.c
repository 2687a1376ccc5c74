/* pipeline_solve.c: forces, and the substeps. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

#include <string.h>

#define BODY_GRAIN 256 /* bodies that one worker takes at once */
#define BLOCK_GRAIN 16 /* blocks of lanes */

/*
 * Catto's soft step.  Contacts are a third stiffer than is usual, so that stacks sink half as far.
 * Between bodies of similar mass they are six times less damped.
 *
 * One pass corrects a small part e of a slow sway of a stack.  So in a substep speed v, position x
 * and force f follow
 *
 *     v' = f,  f' = -2 e v - e b x - l f,    b = mass_scale bias_rate h,  l = impulse_scale
 *
 * That is stable while l > b / 2, which is (w h)^2 < 2, or below 54 Hz in substeps of 1/240 s.  The
 * damping ratio is not part of that condition.  But a low ratio has more of both b and l, and lets
 * a sway die.  A wall of 1,000 cubes keeps 5,000 J for minutes at a ratio of 12, and has 0.7 J
 * after 20 s at 2.  Where a heavy body stands on a light one, its load builds up slowly, and l
 * would remove more of it than is added: there the ratio stays high.  So it does for deep contacts,
 * which are those of hard impacts: what is pushed out for some ticks must not come back.
 */
#define CONTACT_HERTZ 40.0F
#define CONTACT_RATIO 2.0F
#define DAMPED_RATIO 12.0F
#define DEEP_MARGINS 12.0F /* overlap of a deep contact, in margins */
#define FIXED_RATIO 12.0F
/*
 * For pairs with a mesh.  Bodies that are not convex touch in a few places, often with a long arm,
 * so that the same load goes through less mass.  Such places support each other less well than
 * faces.  In a heap of 1,000 rings contacts bear up to 50 rings.  With the values above, rings at
 * rest are up to 55 mm deep; with these, in 8 substeps, 28 mm.
 */
#define FIRM_HERTZ 80.0F
#define FIRM_RATIO 5.0F
#define HERTZ_OF_SUBSTEPS 0.25F /* softness is no faster than this part of the substeps' rate */
#define PUSH_SPEED 3.0F         /* m/s */
#define LINEAR_SPEED_MAX 4e3F   /* m/s */

/* ---- forces ---- */

/* Computes the poses of the bodies that held inputs and constant forces act on. */
static void
place_for_forces(const struct cn_model *model, cn_pose *pose)
{
    enum cn_dimension dimension = model->settings.dimension;
    for (int i = 0; i < model->constant_force_count; i++) {
        if (!model->constant_force[i].absent) {
            int body = model->constant_force[i].body;
            CN_ASSERT(body >= 0 && body < model->body_count);
            pose[body] = cn_motion_pose(&model->motion[body], dimension);
        }
    }
    for (int i = 0; i < model->held_count; i++) {
        const struct cn_held *held = &model->held[i];
        int body = held->target;
        if (held->kind == CN_HELD_ACTUATOR) {
            if (held->target >= model->thruster_count) {
                continue; /* an input of a motor */
            }
            body = model->thruster[held->target].body;
        }
        CN_ASSERT(body >= 0 && body < model->body_count);
        pose[body] = cn_motion_pose(&model->motion[body], dimension);
    }
}

/* Sums the forces that act on few bodies.  False: no scratch. */
static bool
sum_forces(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    t->wrench = NULL;
    if (model->held_count == 0 && model->constant_force_count == 0) {
        return true;
    }
    cn_pose *pose = CN_PIPELINE_TAKE(t, cn_pose, model->body_count);
    struct cn_wrench *wrench = CN_PIPELINE_TAKE(t, struct cn_wrench, model->body_count);
    if (pose == NULL || wrench == NULL) {
        return false;
    }
    place_for_forces(model, pose);
    memset(wrench, 0, (size_t)model->body_count * sizeof(wrench[0]));
    cn_force_constant_steady(model, pose, wrench);
    cn_force_held_steady(model, pose, wrench);
    t->wrench = wrench;
    return true;
}

static void
begin_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        t->p->ops->begin(t, k);
    }
}

bool
cn_pipeline_begin(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    size_t count = (size_t)p->awake_count;
    t->body = cn_pipeline_take(t, count * p->ops->body_size);
    t->carry = cn_pipeline_take(t, count * p->ops->carry_size);
    t->mass = cn_pipeline_take(t, count * p->ops->mass_size);
    t->drive = cn_pipeline_take(t, count * p->ops->drive_size);
    t->heat = CN_PIPELINE_TAKE(t, struct cn_impulse_heat, p->awake_count);
    if (!sum_forces(t) || t->drive == NULL || t->heat == NULL) {
        return false;
    }
    cn_task_run(t->crew, begin_task, t, p->awake_count, BODY_GRAIN);
    return true;
}

void
cn_pipeline_set_tick(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    t->duration = cn_model_tick_duration(model);
    cn_vec3 gravity = model->settings.gravity;
    t->margin = (float)cn_pipeline_margin(model);
    int substeps = model->settings.substeps;
    CN_ASSERT(substeps >= 1);
    float h = (float)(t->duration / substeps);
    float most = HERTZ_OF_SUBSTEPS / h;
    float hertz = CONTACT_HERTZ < most ? CONTACT_HERTZ : most;
    float firm = FIRM_HERTZ < most ? FIRM_HERTZ : most;
    t->tick = (struct cn_impulse_tick){
        .h = h,
        .inverse_h = 1.0F / h,
        .substep_count = substeps,
        .contact = cn_impulse_soft_make(hertz, CONTACT_RATIO, h),
        .damped = cn_impulse_soft_make(hertz, DAMPED_RATIO, h),
        .deep = DEEP_MARGINS * t->margin,
        .contact_fixed = cn_impulse_soft_make(2.0F * hertz, FIXED_RATIO, h),
        .firm = cn_impulse_soft_make(firm, FIRM_RATIO, h),
        .firm_fixed = cn_impulse_soft_make(2.0F * firm, FIRM_RATIO, h),
        .margin = t->margin,
        .push_speed = PUSH_SPEED,
        .slop = 0.0F, /* a soft contact bears a load at little overlap without it */
        .restitution_speed =
            (float)cn_model_resting_velocity(model, CN_PIPELINE_RESTING_VELOCITY),
        .linear_speed_max = LINEAR_SPEED_MAX,
        .gravity = {(float)gravity.x, (float)gravity.y, (float)gravity.z},
        .pushed = (float)(cn_vec3_length(gravity) * (double)PUSH_SPEED * t->duration),
    };
}

/* ---- stages ---- */

struct stage {
    cn_impulse_stage *run;
    const struct cn_impulse_job *job;
};

static void
stage_task(void *context, int first, int end, int worker)
{
    const struct stage *stage = context;
    (void)worker;
    stage->run(stage->job, first, end);
}

static void
run_bodies(struct cn_pipeline_tick *t, cn_impulse_stage *run)
{
    struct stage stage = {run, &t->job};
    cn_task_run(t->crew, stage_task, &stage, t->p->awake_count, BODY_GRAIN);
}

/* A stage of contacts: of those without a colour, and of the others. */
struct contact_stage {
    const struct cn_pipeline_tick *t;
    cn_impulse_stage *rest, *run;
};

/* Runs a stage on a batch: the contacts without a colour first, then all colours in one call. */
static void
run_batch(const struct contact_stage *stage, const struct cn_pipeline_batch *batch)
{
    if (batch->rest_first < batch->rest_end) {
        stage->rest(&stage->t->rest, batch->rest_first, batch->rest_end);
    }
    stage->run(&stage->t->job, batch->block_first, batch->block_end);
}

static void
batch_stage_task(void *context, int first, int end, int worker)
{
    const struct contact_stage *stage = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        run_batch(stage, &stage->t->batch[b]);
    }
}

/* Runs a stage on the only batch, whose colours the workers share one after the other. */
static void
run_colors(struct cn_pipeline_tick *t, const struct contact_stage *run)
{
    CN_ASSERT(t->batch_count == 1);
    if (t->rest_count > 0) {
        run->rest(&t->rest, 0, t->rest_count);
    }
    const struct cn_coloring *coloring = &t->batch[0].coloring;
    int lanes = t->kernel->lanes;
    for (int c = 0; c < coloring->color_count; c++) {
        int first = coloring->start[c] / lanes, end = coloring->start[c + 1] / lanes;
        struct cn_impulse_job job = t->job;
        job.contact += first * lanes;
        job.block =
            (unsigned char *)job.block + (size_t)first * t->p->ops->stages(t->kernel)->block_size;
        struct stage stage = {run->run, &job};
        cn_task_run(t->crew, stage_task, &stage, end - first, BLOCK_GRAIN);
    }
}

static void
run_contacts(struct cn_pipeline_tick *t, cn_impulse_stage *rest, cn_impulse_stage *run)
{
    struct contact_stage stage = {t, rest, run};
    if (t->batch_count > 1 || cn_crew_size(t->crew) == 1) {
        cn_task_run(t->crew, batch_stage_task, &stage, t->batch_count, 1);
    } else {
        run_colors(t, &stage);
    }
}

/*
 * The stages that change no body need not go colour by colour.  Item 0 of the task is to find the
 * chains of bodies that stand, which is for one worker alone; item 1 + k is block k.
 */
static void
prepare_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    if (first == 0) {
        cn_pipeline_chain(t);
        first = 1;
    }
    t->p->ops->stages(t->kernel)->prepare(&t->job, first - 1, end - 1);
}

static void
store_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    t->p->ops->stages(t->kernel)->store(&t->job, first, end);
}

static int
block_count(const struct cn_pipeline_tick *t)
{
    return t->batch[t->batch_count - 1].block_end;
}

static void
prepare_contacts(struct cn_pipeline_tick *t)
{
    if (t->rest_count > 0) {
        t->p->ops->stages(&cn_impulse_kernel_single)->prepare(&t->rest, 0, t->rest_count);
    }
    cn_task_run(t->crew, prepare_task, t, 1 + block_count(t), BLOCK_GRAIN);
}

static void
store_contacts(struct cn_pipeline_tick *t)
{
    if (t->rest_count > 0) {
        t->p->ops->stages(&cn_impulse_kernel_single)->store(&t->rest, 0, t->rest_count);
    }
    cn_task_run(t->crew, store_task, t, block_count(t), BLOCK_GRAIN);
}

/* ---- batches as a whole ---- */

/* Whether only contacts connect bodies, so that batches have nothing to do with each other. */
static bool
has_only_contacts(const struct cn_pipeline_tick *t)
{
    return t->p->model->joint_count == 0 && t->spring_count + t->drag_count == 0 &&
           t->attracted == NULL && t->bounce_pose == NULL;
}

/* All stages of one batch, from its preparation to its impulses. */
static void
solve_batch(const struct cn_pipeline_tick *t, const struct cn_pipeline_batch *batch)
{
    const struct cn_impulse_stages *wide = t->p->ops->stages(t->kernel);
    const struct cn_impulse_stages *one = t->p->ops->stages(&cn_impulse_kernel_single);
    run_batch(&(struct contact_stage){t, one->prepare, wide->prepare}, batch);
    for (int s = 0; s < t->tick.substep_count; s++) {
        wide->integrate_velocities(&t->job, batch->body_first, batch->body_end);
        if (s == 0) { /* as in cn_pipeline_solve */
            run_batch(&(struct contact_stage){t, one->warm_start, wide->warm_start}, batch);
        }
        run_batch(&(struct contact_stage){t, one->solve, wide->solve}, batch);
        wide->integrate_positions(&t->job, batch->body_first, batch->body_end);
        run_batch(&(struct contact_stage){t, one->relax, wide->relax}, batch);
    }
    if (t->bounces) {
        run_batch(&(struct contact_stage){t, one->restitution, wide->restitution}, batch);
    }
    run_batch(&(struct contact_stage){t, one->store, wide->store}, batch);
}

/* Item 0 is to find the chains, item 1 + b is batch b. */
static void
solve_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    for (int i = first; i < end; i++) {
        if (i == 0) {
            cn_pipeline_chain(t);
        } else {
            solve_batch(t, &t->batch[i - 1]);
        }
    }
}

/* ---- all ---- */

/* Forgets the impulses of the last substep. */
static void
cool(struct cn_pipeline_tick *t)
{
    const struct cn_impulse_stages *wide = t->p->ops->stages(t->kernel);
    const struct cn_impulse_stages *one = t->p->ops->stages(&cn_impulse_kernel_single);
    run_contacts(t, one->cool, wide->cool);
    cn_pipeline_cool_joints(t);
    cn_pipeline_cool(t);
}

/* Stages that all bodies take together; `cold`: in each substep rows start from no impulse. */
static void
run_substeps(struct cn_pipeline_tick *t, bool cold)
{
    const struct cn_impulse_stages *wide = t->p->ops->stages(t->kernel);
    const struct cn_impulse_stages *one = t->p->ops->stages(&cn_impulse_kernel_single);
    if (cold) { /* the chains of bodies that stand are known */
        run_contacts(t, one->prepare, wide->prepare);
    } else {
        prepare_contacts(t);
    }
    cn_pipeline_prepare_joints(t);
    cn_profile_mark(t->profile, CN_PHASE_PREPARE);
    for (int s = 0; s < t->tick.substep_count; s++) {
        if (cold) {
            cool(t);
        }
        run_bodies(t, wide->integrate_velocities);
        if (s == 0 && !cold) { /* afterwards bodies carry it with them */
            cn_pipeline_warm_joints(t);
            run_contacts(t, one->warm_start, wide->warm_start);
        }
        cn_pipeline_pull(t);
        cn_pipeline_solve_joints(t, true);
        run_contacts(t, one->solve, wide->solve);
        run_bodies(t, wide->integrate_positions);
        cn_pipeline_solve_joints(t, false);
        run_contacts(t, one->relax, wide->relax);
    }
    cn_profile_mark(t->profile, CN_PHASE_SOLVE);
    if (cold) {
        cn_pipeline_cool(t);
    }
    if (t->bounces) {
        run_contacts(t, one->restitution, wide->restitution);
    }
    cn_pipeline_bounce_joints(t);
}

static void
store(struct cn_pipeline_tick *t)
{
    store_contacts(t);
    cn_pipeline_store_joints(t);
    cn_profile_mark(t->profile, CN_PHASE_STORE);
}

void
cn_pipeline_solve(struct cn_pipeline_tick *t)
{
    CN_ASSERT(t->job.manifold == t->p->manifold[t->p->front]); /* those of this tick */
    CN_ASSERT(t->job.body_count == t->p->awake_count);
    if (t->batch_count > 1 && has_only_contacts(t)) {
        cn_profile_mark(t->profile, CN_PHASE_PREPARE);
        cn_task_run(t->crew, solve_task, t, 1 + t->batch_count, 1);
        cn_profile_mark(t->profile, CN_PHASE_SOLVE);
    } else {
        run_substeps(t, false);
        store(t);
    }
    if (cn_pipeline_gained(t)) {
        cn_pipeline_begin_again(t);
        run_substeps(t, true);
        cn_pipeline_bound_bounces(t);
        store(t);
        cn_pipeline_end_again(t);
    }
}
