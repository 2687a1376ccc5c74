/*
 * soft_joints.h: runs the production solver's joints on a jointed model, stage by stage, as a tick
 * of the pipeline does in a world without contacts.
 */
#ifndef TESTS_SUPPORT_SOLVE_SOFT_JOINTS_H
#define TESTS_SUPPORT_SOLVE_SOFT_JOINTS_H

#include "engine/base/arena.h"
#include "engine/solve/impulse/color.h"
#include "engine/solve/joints/impulse_joint.h"
#include "engine/solve/joints/impulse_joint_chain.h"
#include "tests/support/solve/joints.h"

#include <stdlib.h>

struct soft_run {
    struct jointed *all;
    double h; /* tick [s] */
    int substeps;
    cn_vec3 gravity;
    const struct cn_impulse_kernel *kernel; /* NULL: the reference */
    bool recall; /* every substep warm starts, and bodies carry nothing */
};

/* The kernel for soft_run_make. */
static const struct cn_impulse_kernel *soft_kernel;

static inline struct soft_run
soft_run_make(struct jointed *all, int substeps)
{
    return (struct soft_run){.all = all,
        .h = 1.0 / 60.0,
        .substeps = substeps,
        .gravity = {0.0, -10.0, 0.0},
        .kernel = soft_kernel};
}

/* ---- bodies ---- */

static inline void
soft_place(const struct cn_motion *motion, bool planar, void *place, int i)
{
    if (planar) {
        double sine, cosine;
        cn_sin_cos(motion->angle, &sine, &cosine);
        ((struct cn_place2 *)place)[i] = (struct cn_place2){
            motion->position.x, motion->position.y, (float)cosine, (float)sine};
        return;
    }
    cn_vec3 p = motion->position;
    cn_mat33 m = cn_quat_to_mat33(motion->orientation);
    ((struct cn_place3 *)place)[i] = (struct cn_place3){p.x, p.y, p.z,
        {(float)m.cx.x, (float)m.cx.y, (float)m.cx.z, (float)m.cy.x, (float)m.cy.y,
            (float)m.cy.z, (float)m.cz.x, (float)m.cz.y, (float)m.cz.z},
        0.0f};
}

static inline void
soft_load(const struct cn_body *body, const struct cn_motion *motion, bool planar, void *state,
    void *mass, int i)
{
    cn_vec3 v = motion->velocity, w = motion->angular_velocity;
    if (planar) {
        ((struct cn_impulse_body2 *)state)[i] = (struct cn_impulse_body2){
            .vx = (float)v.x, .vy = (float)v.y, .w = (float)w.z, .cosine = 1.0f};
        ((struct cn_impulse_mass2 *)mass)[i] = (struct cn_impulse_mass2){
            (float)body->mass_inverse, (float)body->inertia_inverse.cz.z};
        return;
    }
    ((struct cn_impulse_body3 *)state)[i] =
        (struct cn_impulse_body3){.v = {(float)v.x, (float)v.y, (float)v.z},
            .w = {(float)w.x, (float)w.y, (float)w.z},
            .q = {0.0f, 0.0f, 0.0f, 1.0f}};
    cn_mat33 turn = cn_quat_to_mat33(motion->orientation);
    cn_mat33 m = cn_mat33_turn(&turn, &body->inertia_inverse);
    ((struct cn_impulse_mass3 *)mass)[i] =
        (struct cn_impulse_mass3){.inverse_mass = (float)body->mass_inverse,
            .inverse_inertia = {(float)m.cx.x, (float)m.cy.y, (float)m.cz.z, (float)m.cy.x,
                (float)m.cz.y, (float)m.cz.x}};
}

/*
 * v += dv.  If bodies carry impulses, v also gains again what impulses added since the last carry.
 */
static inline void
soft_add(float *v, float *carry, float dv)
{
    float given = carry != NULL ? *v - *carry : 0.0f;
    *v += dv;
    if (carry != NULL) {
        *carry = *v;
        *v += given;
    }
}

/* integrate_velocities; carry is NULL if every substep warm starts. */
static inline void
soft_accelerate(const struct soft_run *run, bool planar, void *state, void *carry, int i, float h)
{
    bool moves = run->all->body[i].mass_inverse > 0.0;
    const float dv[] = {moves ? h * (float)run->gravity.x : 0.0f,
        moves ? h * (float)run->gravity.y : 0.0f, moves ? h * (float)run->gravity.z : 0.0f};
    if (planar) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)state + i;
        struct cn_impulse_carry2 *from = carry;
        from = from != NULL ? from + i : NULL;
        soft_add(&body->vx, from != NULL ? &from->vx : NULL, dv[0]);
        soft_add(&body->vy, from != NULL ? &from->vy : NULL, dv[1]);
        soft_add(&body->w, from != NULL ? &from->w : NULL, 0.0f);
        return;
    }
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)state + i;
    struct cn_impulse_carry3 *from = carry;
    from = from != NULL ? from + i : NULL;
    for (int k = 0; k < 3; k++) {
        soft_add(&body->v[k], from != NULL ? &from->v[k] : NULL, dv[k]);
        soft_add(&body->w[k], from != NULL ? &from->w[k] : NULL, 0.0f);
    }
}

static inline void
soft_load_carry(bool planar, const void *state, void *carry, int i)
{
    if (planar) {
        const struct cn_impulse_body2 *body = (const struct cn_impulse_body2 *)state + i;
        ((struct cn_impulse_carry2 *)carry)[i] =
            (struct cn_impulse_carry2){body->vx, body->vy, body->w, 0.0f};
        return;
    }
    const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)state + i;
    ((struct cn_impulse_carry3 *)carry)[i] = (struct cn_impulse_carry3){
        {body->v[0], body->v[1], body->v[2]}, {body->w[0], body->w[1], body->w[2]}, {0.0f, 0.0f}};
}

static inline void
soft_move(bool planar, void *state, int i, float h)
{
    if (planar) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)state + i;
        body->dx += h * body->vx;
        body->dy += h * body->vy;
        double sine, cosine;
        cn_sin_cos((double)(h * body->w), &sine, &cosine);
        float c = body->cosine * (float)cosine - body->sine * (float)sine;
        float s = body->sine * (float)cosine + body->cosine * (float)sine;
        float length = sqrtf(c * c + s * s);
        body->cosine = c / length;
        body->sine = s / length;
        return;
    }
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)state + i;
    for (int k = 0; k < 3; k++) {
        body->d[k] += h * body->v[k];
    }
    cn_quat q = {(double)body->q[3], (double)body->q[0], (double)body->q[1], (double)body->q[2]};
    double t = (double)h;
    q = cn_quat_rotate_by(q, cn_vec3_make(t * (double)body->w[0], t * (double)body->w[1],
                                 t * (double)body->w[2]));
    body->q[0] = (float)q.x;
    body->q[1] = (float)q.y;
    body->q[2] = (float)q.z;
    body->q[3] = (float)q.w;
}

static inline void
soft_finish(struct cn_motion *motion, bool planar, const void *state, int i)
{
    if (planar) {
        const struct cn_impulse_body2 *body = (const struct cn_impulse_body2 *)state + i;
        motion->position.x += (double)body->dx;
        motion->position.y += (double)body->dy;
        motion->angle += cn_atan2((double)body->sine, (double)body->cosine);
        motion->orientation = cn_quat_about_z(motion->angle);
        motion->velocity = cn_vec3_make((double)body->vx, (double)body->vy, 0.0);
        motion->angular_velocity.z = (double)body->w;
        return;
    }
    const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)state + i;
    cn_quat q = {(double)body->q[3], (double)body->q[0], (double)body->q[1], (double)body->q[2]};
    motion->position = cn_vec3_add(motion->position,
        cn_vec3_make((double)body->d[0], (double)body->d[1], (double)body->d[2]));
    motion->orientation = cn_quat_normalize(cn_quat_multiply(q, motion->orientation));
    motion->velocity =
        cn_vec3_make((double)body->v[0], (double)body->v[1], (double)body->v[2]);
    motion->angular_velocity =
        cn_vec3_make((double)body->w[0], (double)body->w[1], (double)body->w[2]);
}

/* ---- a tick ---- */

/* The reference keeps the order of the joints; kernels sort them by colours. */
static inline void
soft_color(const struct soft_run *run, const int32_t *name, const int32_t *list, int count,
    struct cn_impulse_joint_plan *plan, struct cn_arena arena)
{
    const struct cn_model *model = &run->all->model;
    struct cn_color_pair pair[JOINTS_JOINT_MAX];
    int32_t order[JOINTS_JOINT_MAX];
    if (run->kernel == NULL) {
        cn_impulse_joint_plan_add(plan, model, list, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        const struct cn_joint *joint = &model->joint[list[i]];
        pair[i] = (struct cn_color_pair){
            joint->body_a >= 0 ? name[joint->body_a] : -1, name[joint->body_b]};
    }
    struct cn_coloring coloring;
    (void)cn_color(pair, count, model->body_count, 1, &arena, order, &coloring);
    for (int i = 0; i < count; i++) {
        order[i] = list[order[i]];
    }
    for (int c = 0; c < coloring.color_count; c++) {
        cn_impulse_joint_plan_add(plan, model, &order[coloring.start[c]],
            coloring.start[c + 1] - coloring.start[c]);
    }
}

/* Chains first, then colour by colour. */
enum soft_stage { SOFT_PREPARE, SOFT_WARM_START, SOFT_SOLVE, SOFT_RELAX, SOFT_STORE };

static inline void
soft_stage(const struct cn_impulse_joint_job job[2], enum soft_stage stage)
{
    for (int k = 0; k < 2; k++) {
        int end = job[k].plan->block_count;
        if (stage == SOFT_PREPARE) {
            cn_impulse_joint_prepare(&job[k], 0, end);
        } else if (stage == SOFT_WARM_START) {
            cn_impulse_joint_warm_start(&job[k], 0, end);
        } else if (stage == SOFT_STORE) {
            cn_impulse_joint_store(&job[k], 0, end);
        } else {
            cn_impulse_joint_solve(&job[k], 0, end, stage == SOFT_SOLVE);
        }
    }
}

static inline void
soft_substeps(const struct soft_run *run, const struct cn_impulse_joint_job job[2])
{
    bool planar = job->model->settings.dimension == CN_PLANAR;
    int body_count = job->model->body_count;
    soft_stage(job, SOFT_PREPARE);
    for (int step = 0; step < run->substeps; step++) {
        for (int i = 0; i < body_count; i++) {
            soft_accelerate(run, planar, job->body, job->carry, i, job->tick->h);
        }
        if (step == 0 || job->carry == NULL) {
            soft_stage(job, SOFT_WARM_START);
        }
        soft_stage(job, SOFT_SOLVE);
        for (int i = 0; i < body_count; i++) {
            soft_move(planar, job->body, i, job->tick->h);
        }
        soft_stage(job, SOFT_RELAX);
    }
    soft_stage(job, SOFT_STORE);
}

static inline void
soft_tick(const struct soft_run *run)
{
    struct cn_model *model = &run->all->model;
    bool planar = model->settings.dimension == CN_PLANAR;
    float h = (float)run->h / (float)run->substeps;
    struct cn_impulse_tick tick = {
        .h = h, .inverse_h = 1.0f / h, .substep_count = run->substeps};
    _Alignas(64) unsigned char place[JOINTS_BODY_MAX * sizeof(struct cn_place3)];
    _Alignas(64) unsigned char body[JOINTS_BODY_MAX * sizeof(struct cn_impulse_body3)];
    _Alignas(64) unsigned char carry[JOINTS_BODY_MAX * sizeof(struct cn_impulse_carry3)];
    _Alignas(64) unsigned char mass[JOINTS_BODY_MAX * sizeof(struct cn_impulse_mass3)];
    int32_t name[JOINTS_BODY_MAX], list[JOINTS_JOINT_MAX];
    for (int i = 0; i < model->body_count; i++) {
        soft_place(&model->motion[i], planar, place, i);
        soft_load(&model->body[i], &model->motion[i], planar, body, mass, i);
        soft_load_carry(planar, body, carry, i);
        name[i] = model->body[i].mass_inverse > 0.0 ? i : cn_impulse_kinematic(i);
    }
    for (int i = 0; i < model->joint_count; i++) {
        list[i] = i;
    }
    struct cn_arena arena;
    size_t size = 1 << 22;
    void *memory = aligned_alloc(64, size);
    cn_arena_init(&arena, memory, size);
    struct cn_impulse_joint_chains chains = {0};
    struct cn_impulse_joint_plan plan, chain_plan;
    cn_impulse_joint_chains_layout(&chains, &arena, model->joint_count);
    int count = model->joint_count;
    if (run->kernel != NULL) {
        count = cn_impulse_joint_chains_find(
            &chains, model, name, model->body_count, list, count, &arena);
    }
    cn_impulse_joint_plan_chains(&chain_plan, &arena, model, &chains);
    unsigned char form[JOINTS_JOINT_MAX];
    struct cn_impulse_joint_forms forms = {.form = form};
    cn_impulse_joint_forms_find(&forms, model, list, count);
    cn_impulse_joint_plan_layout(&plan, &arena, model, &forms, count, CN_COLORS_MAX, run->kernel);
    soft_color(run, name, list, count, &plan, arena);
    struct cn_impulse_joint_job job = {.tick = &tick,
        .model = model,
        .solver_body = name,
        .place = place,
        .body = body,
        .carry = run->recall ? NULL : carry,
        .mass = mass,
        .soft = cn_impulse_joint_soft(h),
        .plan = &plan};
    struct cn_impulse_joint_job jobs[] = {job, job};
    jobs[0].plan = &chain_plan;
    soft_substeps(run, jobs);
    free(memory);
    for (int i = 0; i < model->body_count; i++) {
        soft_finish(&model->motion[i], planar, body, i);
    }
}

/* The present state of a joint. */
static inline struct cn_joint_look
soft_look(const struct jointed *all, int joint)
{
    cn_pose pose[JOINTS_BODY_MAX];
    for (int i = 0; i < all->model.body_count; i++) {
        pose[i] = cn_motion_pose(&all->motion[i], all->model.settings.dimension);
    }
    struct cn_joint_look look;
    cn_joint_look(&all->model, all->motion, pose, joint, NULL, &look);
    return look;
}

#endif
