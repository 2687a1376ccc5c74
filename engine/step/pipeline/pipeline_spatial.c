/* pipeline_spatial.c: the functions of the pipeline for space. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_base.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/math/scalar.h"
#include "engine/step/pipeline/continuous.h"

#include <math.h>
#include <string.h>

#define AXIS_OF_HINT 0xffffc000U /* the bits of a hint that name a separating axis */
#define ROUND_ERROR 1e-6 /* of the inertia: bodies rounder than this have no gyroscopic torque */

static int
spatial_pieces(const struct cn_shape *shape)
{
    return shape->mesh != NULL ? CN_FAST_MESH_MANIFOLDS_MAX : 1;
}

static size_t
spatial_hull_room(const struct cn_shape *shape)
{
    return cn_fast_spatial_room(shape);
}

/* The hull of an equal shape, of this body or the one before; NULL: not found. */
static const struct cn_fast_hull *
find_alike(const struct cn_pipeline *p, int shape)
{
    const struct cn_shape *all = p->model->shape;
    const struct cn_fast_shape3 *fast = p->shape;
    int first = shape > CN_SHAPES_PER_BODY_MAX ? shape - CN_SHAPES_PER_BODY_MAX : 0;
    if (cn_fast_spatial_room(&all[shape]) == 0) {
        return NULL;
    }
    for (int i = shape - 1; i >= first; i--) {
        if (p->shape_body[i] >= 0 && cn_fast_spatial_is_alike(&all[i], &all[shape])) {
            return fast[i].hull;
        }
    }
    return NULL;
}

/* Bakes a shape; the shapes before it in shape_body[] are baked. */
static void
spatial_bake(struct cn_pipeline *p, int shape)
{
    struct cn_fast_shape3 *fast = p->shape;
    const struct cn_fast_hull *alike = find_alike(p, shape);
    size_t size = alike != NULL ? 0 : cn_fast_spatial_room(&p->model->shape[shape]);
    CN_ASSERT(p->hull_used + size <= p->room.hull_size);
    cn_fast_spatial_bake(&p->model->shape[shape], alike, p->hull + p->hull_used, &fast[shape]);
    p->hull_used += size;
}

static void
spatial_place(struct cn_pipeline *p, int body)
{
    cn_pose pose = cn_motion_pose(&p->model->motion[body], CN_SPATIAL);
    ((struct cn_place3 *)p->place)[body] = cn_place3_of(&pose);
}

static void
pack(const cn_mat33 *m, float six[6])
{
    six[0] = (float)m->cx.x;
    six[1] = (float)m->cy.y;
    six[2] = (float)m->cz.z;
    six[3] = (float)m->cy.x;
    six[4] = (float)m->cz.y;
    six[5] = (float)m->cz.x;
}

/* Whether the inertia is the same about all axes. */
static bool
is_round(const cn_mat33 *m)
{
    double size = fabs(m->cx.x) + fabs(m->cy.y) + fabs(m->cz.z);
    double off = fabs(m->cy.x) + fabs(m->cz.y) + fabs(m->cz.x) + fabs(m->cx.x - m->cy.y) +
                 fabs(m->cy.y - m->cz.z);
    return off <= ROUND_ERROR * size;
}

static cn_aabb
spatial_bounds(const struct cn_pipeline *p, int shape, double margin)
{
    const struct cn_shape *s = &p->model->shape[shape];
    cn_pose pose = cn_motion_pose(&p->model->motion[s->body], CN_SPATIAL);
    return cn_shape_aabb(s, &pose, margin);
}

/* The body has its velocities. */
static struct cn_impulse_heat
heat_of(const struct cn_body *body, const struct cn_impulse_body3 *moving)
{
    const float *v = moving->v, *w = moving->w;
    const cn_mat33 *inertia = &body->inertia;
    float m = (float)body->mass;
    float i = (float)cn_max(cn_max(inertia->cx.x, inertia->cy.y), inertia->cz.z);
    return (struct cn_impulse_heat){.mass = m,
        .inertia = i,
        .energy = 0.5F * (m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                             i * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))};
}

static void
spatial_begin(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    int index = t->p->awake[k];
    const struct cn_body *body = &model->body[index];
    const struct cn_motion *motion = &model->motion[index];
    struct cn_impulse_body3 *moving = (struct cn_impulse_body3 *)t->body + k;
    struct cn_impulse_mass3 *mass = (struct cn_impulse_mass3 *)t->mass + k;
    struct cn_impulse_drive3 *drive = (struct cn_impulse_drive3 *)t->drive + k;
    *moving = (struct cn_impulse_body3){
        .v = {(float)motion->velocity.x, (float)motion->velocity.y, (float)motion->velocity.z},
        .w = {(float)motion->angular_velocity.x, (float)motion->angular_velocity.y,
            (float)motion->angular_velocity.z},
        .q = {0.0F, 0.0F, 0.0F, 1.0F},
    };
    struct cn_impulse_carry3 *carry = (struct cn_impulse_carry3 *)t->carry + k;
    *carry = (struct cn_impulse_carry3){
        .v = {moving->v[0], moving->v[1], moving->v[2]},
        .w = {moving->w[0], moving->w[1], moving->w[2]},
    };
    t->heat[k] = (struct cn_impulse_heat){0};
    *mass = (struct cn_impulse_mass3){0};
    *drive = (struct cn_impulse_drive3){.keep_linear = 1.0F, .keep_angular = 1.0F};
    if (body->mass_inverse == 0.0) {
        return;
    }
    cn_mat33 turn = cn_quat_to_mat33(motion->orientation);
    cn_mat33 inverse = cn_mat33_turn(&turn, &body->inertia_inverse);
    mass->inverse_mass = (float)body->mass_inverse;
    t->heat[k] = heat_of(body, moving);
    pack(&inverse, mass->inverse_inertia);
    cn_vec3 a = cn_vec3_scale(model->settings.gravity, body->gravity_scale);
    cn_vec3 spin = {0.0, 0.0, 0.0};
    if (t->wrench != NULL) {
        a = cn_vec3_add_scaled(a, body->mass_inverse, t->wrench[index].force);
        spin = cn_mat33_apply(&inverse, t->wrench[index].torque);
    }
    double h = t->duration / t->tick.substep_count;
    drive->a[0] = (float)a.x;
    drive->a[1] = (float)a.y;
    drive->a[2] = (float)a.z;
    drive->aw[0] = (float)spin.x;
    drive->aw[1] = (float)spin.y;
    drive->aw[2] = (float)spin.z;
    double ease = (inverse.cx.x + inverse.cy.y + inverse.cz.z) / 3.0;
    double linear = body->damping_linear + model->settings.damping_linear * body->mass_inverse;
    double angular = body->damping_angular + model->settings.damping_angular * ease;
    drive->keep_linear = (float)(1.0 / (1.0 + h * linear));
    drive->keep_angular = (float)(1.0 / (1.0 + h * angular));
    drive->locks = body->locks;
    if (!is_round(&body->inertia)) {
        cn_mat33 inertia = cn_mat33_turn(&turn, &body->inertia);
        pack(&inertia, drive->inertia);
    }
}

/*
 * Balls and capsules roll, and their contacts are cheap to find: the narrowphase always finds them.
 */
static bool
spatial_may_persist(const struct cn_fast_shape3 *a, const struct cn_fast_shape3 *b)
{
    return a->form > CN_FAST3_CAPSULE && b->form > CN_FAST3_CAPSULE;
}

/* The manifold of a pair: that of the last tick at the present poses, or a new one. */
static void
spatial_meet(const struct cn_pipeline_tick *t, struct cn_touch *pair,
    const struct cn_manifold3 *last, struct cn_manifold3 *now)
{
    const struct cn_pipeline *p = t->p;
    int body_a = p->shape_body[pair->a], body_b = p->shape_body[pair->b];
    CN_ASSERT(body_a >= 0 && body_b >= 0);
    const struct cn_place3 *a = (const struct cn_place3 *)p->place + body_a;
    const struct cn_place3 *b = (const struct cn_place3 *)p->place + body_b;
    const struct cn_fast_shape3 *shape = p->shape;
    const struct cn_motion *motion = p->model->motion;
    bool fixed_a = p->solver_body[body_a] == CN_IMPULSE_FIXED;
    bool fixed_b = p->solver_body[body_b] == CN_IMPULSE_FIXED;
    const cn_quat *turn_a = fixed_a ? NULL : &motion[body_a].orientation;
    const cn_quat *turn_b = fixed_b ? NULL : &motion[body_b].orientation;
    float reach_a = p->hot[pair->a].reach, reach_b = p->hot[pair->b].reach;
    float reach = reach_a < reach_b ? reach_a : reach_b;
    bool senses = (pair->flags & CN_TOUCH_SENSOR) != 0;
    if (!senses && pair->manifold >= 0 &&
        cn_base3_follow(a, turn_a, b, turn_b, t->margin, reach, last, now)) {
        pair->flags |= CN_TOUCH_KEPT;
        return;
    }
    cn_fast_spatial_collide(
        &shape[pair->a], a, &shape[pair->b], b, senses ? 0.0F : t->margin, last, now);
    now->persists = 0;
    if (!senses && now->point_count > 0 &&
        spatial_may_persist(&shape[pair->a], &shape[pair->b])) {
        cn_base3_make(a, turn_a, b, turn_b, now);
    }
}

static void
spatial_collide(struct cn_pipeline_tick *t, int first, int end)
{
    struct cn_pipeline *p = t->p;
    const struct cn_manifold3 *before = p->manifold[p->front];
    struct cn_manifold3 *now = p->manifold[1 - p->front];
    struct cn_manifold3 apart = {.point_count = 0};
    int step = 1; /* pairs of meshes are collided together, beyond `end` too */
    while (first > 0 && first < end && p->pair[first].a == p->pair[first - 1].a &&
           p->pair[first].b == p->pair[first - 1].b) {
        first++; /* by the worker that has the first of them */
    }
    for (int i = first; i < end; i += step) {
        struct cn_touch *pair = &p->pair[i];
        step = 1;
        if ((pair->flags & CN_TOUCH_PIECES) != 0) {
            step = cn_pipeline_collide_mesh(t, i);
            CN_ASSERT(step >= 1 && i + step <= p->pair_count);
            for (int k = i; k < i + step; k++) {
                now[k].persists = 0;
            }
            continue;
        }
        apart.hint = pair->axis;
        const struct cn_manifold3 *last = pair->manifold < 0 ? &apart : &before[pair->manifold];
        pair->flags &= ~(CN_TOUCH_NOW | CN_TOUCH_KEPT);
        spatial_meet(t, pair, last, &now[i]);
        bool near = now[i].point_count > 0;
        pair->flags |= near ? CN_TOUCH_NOW : 0U;
        pair->axis = near ? 0U : now[i].hint & AXIS_OF_HINT;
        if (!near && !cn_proximity_overlaps(p->proximity, pair->a, pair->b)) {
            pair->flags |= CN_TOUCH_GONE;
        }
    }
}

static cn_quat
turned(cn_quat q, const float d[4])
{
    cn_quat by = {(double)d[3], (double)d[0], (double)d[1], (double)d[2]};
    return cn_quat_normalize(cn_quat_multiply(by, q));
}

static bool
finish_body(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    int index = t->p->awake[k];
    const struct cn_impulse_body3 *moving = (const struct cn_impulse_body3 *)t->body + k;
    struct cn_motion motion = model->motion[index];
    if (model->body[index].mass_inverse == 0.0) {
        motion.position = cn_vec3_add_scaled(motion.position, t->duration, motion.velocity);
        motion.orientation = cn_quat_rotate_by(
            motion.orientation, cn_vec3_scale(motion.angular_velocity, t->duration));
    } else {
        motion.position.x += (double)moving->d[0];
        motion.position.y += (double)moving->d[1];
        motion.position.z += (double)moving->d[2];
        motion.orientation = turned(motion.orientation, moving->q);
        motion.velocity =
            (cn_vec3){(double)moving->v[0], (double)moving->v[1], (double)moving->v[2]};
        motion.angular_velocity =
            (cn_vec3){(double)moving->w[0], (double)moving->w[1], (double)moving->w[2]};
    }
    if (!cn_motion_is_bounded(&motion)) {
        return false;
    }
    model->motion[index] = motion;
    spatial_place(t->p, index);
    return true;
}

static void
spatial_finish(struct cn_pipeline_tick *t, int first, int end)
{
    for (int k = first; k < end; k++) {
        t->runaway[k] = !finish_body(t, k);
    }
}

/* Whether the body moved, rotation included, farther than its smallest shape may. */
static bool
spatial_is_hasty(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    const struct cn_impulse_body3 *moving = (const struct cn_impulse_body3 *)t->body + k;
    const float *d = moving->d, *q = moving->q;
    double far = CN_CONTINUOUS_FAST * model->length_min;
    double reach = model->body[t->p->awake[k]].reach;
    double moved = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double turned = 16.0 * reach * reach * (double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    return moved > 0.25 * far * far || turned > 0.25 * far * far;
}

static void
spatial_start(struct cn_pipeline_tick *t, int k)
{
    const struct cn_impulse_body3 *moving = (const struct cn_impulse_body3 *)t->body + k;
    const struct cn_motion *motion = &t->p->model->motion[t->p->awake[k]];
    cn_vec3 moved = {(double)moving->d[0], (double)moving->d[1], (double)moving->d[2]};
    const float back[4] = {-moving->q[0], -moving->q[1], -moving->q[2], moving->q[3]};
    t->start[k] = (struct cn_start){
        .position = cn_vec3_sub(motion->position, moved),
        .orientation = turned(motion->orientation, back),
    };
}

static void
spatial_forget(struct cn_pipeline *p, int manifold)
{
    CN_ASSERT(manifold >= 0 && manifold < p->front_count);
    struct cn_manifold3 *m = (struct cn_manifold3 *)p->manifold[p->front] + manifold;
    memset(m->tangent_impulse, 0, sizeof(m->tangent_impulse));
    memset(m->rolling_impulse, 0, sizeof(m->rolling_impulse));
    m->twist_impulse = 0.0f;
    for (int i = 0; i < m->point_count; i++) {
        m->point[i].normal_impulse = m->point[i].total_impulse = 0.0f;
    }
}

static double
spatial_speed(const struct cn_pipeline_tick *t, int k)
{
    const struct cn_impulse_body3 *moving = (const struct cn_impulse_body3 *)t->body + k;
    const float *v = moving->v, *w = moving->w;
    double linear = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    double turning = sqrt((double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    return linear + turning * t->p->model->body[t->p->awake[k]].reach;
}

/* The body has slowed evenly during the tick, so it has also moved less (pipeline_calm.c). */
static void
spatial_slow(struct cn_pipeline_tick *t, int k, float keep)
{
    struct cn_impulse_body3 *moving = (struct cn_impulse_body3 *)t->body + k;
    float time = 0.5F * (1.0F - keep) * (float)t->duration, square = 0.0F;
    for (int i = 0; i < 3; i++) {
        moving->d[i] -= time * moving->v[i];
        moving->q[i] -= 0.5F * time * moving->w[i];
        square += moving->q[i] * moving->q[i];
        moving->v[i] *= keep;
        moving->w[i] *= keep;
    }
    moving->q[3] = square < 1.0F ? sqrtf(1.0F - square) : 0.0F;
}

static bool
spatial_sticks(const struct cn_pipeline_tick *t, int manifold, float friction, bool *lasts)
{
    const struct cn_manifold3 *m =
        (const struct cn_manifold3 *)t->p->manifold[t->p->front] + manifold;
    const float *across = m->tangent_impulse;
    *lasts = m->persists != 0;
    float load = 0.0f;
    for (int i = 0; i < m->point_count; i++) {
        load += m->point[i].normal_impulse;
    }
    float most = friction * load;
    return most > 0.0f && across[0] * across[0] + across[1] * across[1] <= most * most;
}

static float
spatial_rise(const struct cn_pipeline_tick *t, int manifold, cn_vec3 up)
{
    const struct cn_manifold3 *m =
        (const struct cn_manifold3 *)t->p->manifold[t->p->front] + manifold;
    return (float)(up.x * (double)m->normal[0] + up.y * (double)m->normal[1] +
                   up.z * (double)m->normal[2]);
}

static bool
spatial_is_uneven(const struct cn_pipeline_tick *t)
{
    const struct cn_impulse_mass3 *mass = t->mass;
    float most = 0.0F;
    bool found = false;
    for (int k = 0; k < t->p->awake_count; k++) {
        float inverse = mass[k].inverse_mass;
        found = found || (inverse > 0.0F && most > 0.0F && inverse != most);
        most = inverse > most ? inverse : most;
    }
    return found;
}

static float
spatial_lightness(const struct cn_pipeline_tick *t, int k)
{
    return ((const struct cn_impulse_mass3 *)t->mass + k)->inverse_mass;
}

static void
spatial_weigh(struct cn_pipeline_tick *t, int k, float scale)
{
    struct cn_impulse_mass3 *mass = (struct cn_impulse_mass3 *)t->mass + k;
    struct cn_impulse_drive3 *drive = (struct cn_impulse_drive3 *)t->drive + k;
    mass->inverse_mass *= scale;
    for (int i = 0; i < 6; i++) {
        mass->inverse_inertia[i] *= scale;
    }
    for (int i = 0; i < 3; i++) {
        drive->a[i] *= scale;
        drive->aw[i] *= scale;
    }
}

static const struct cn_impulse_stages *
spatial_stages(const struct cn_impulse_kernel *kernel)
{
    return &kernel->spatial;
}

const struct cn_pipeline_ops cn_pipeline_spatial = {
    .shape_size = sizeof(struct cn_fast_shape3),
    .place_size = sizeof(struct cn_place3),
    .manifold_size = sizeof(struct cn_manifold3),
    .body_size = sizeof(struct cn_impulse_body3),
    .carry_size = sizeof(struct cn_impulse_carry3),
    .mass_size = sizeof(struct cn_impulse_mass3),
    .drive_size = sizeof(struct cn_impulse_drive3),
    .pieces = spatial_pieces,
    .hull_room = spatial_hull_room,
    .bake = spatial_bake,
    .place = spatial_place,
    .bounds = spatial_bounds,
    .begin = spatial_begin,
    .collide = spatial_collide,
    .finish = spatial_finish,
    .is_hasty = spatial_is_hasty,
    .start = spatial_start,
    .forget = spatial_forget,
    .speed = spatial_speed,
    .slow = spatial_slow,
    .sticks = spatial_sticks,
    .rise = spatial_rise,
    .is_uneven = spatial_is_uneven,
    .lightness = spatial_lightness,
    .weigh = spatial_weigh,
    .stages = spatial_stages,
};
