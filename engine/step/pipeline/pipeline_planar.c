/* pipeline_planar.c: the functions of the pipeline for the plane. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_base.h"
#include "engine/math/trig.h"
#include "engine/step/pipeline/continuous.h"

#include <math.h>

#define QUICK_SINE 0.2 /* below it the series of asin is good to a float's rounding */

static size_t
planar_hull_room(const struct cn_shape *shape)
{
    (void)shape;
    return 0;
}

static void
planar_bake(struct cn_pipeline *p, int shape)
{
    struct cn_fast_shape2 *fast = p->shape;
    CN_ASSERT(p->piece_first[shape] + p->piece_count[shape] <= p->room.piece_max);
    cn_fast_planar_bake_pieces(&p->model->shape[shape], &fast[p->piece_first[shape]]);
}

static void
planar_place(struct cn_pipeline *p, int body)
{
    const struct cn_motion *motion = &p->model->motion[body];
    struct cn_place2 place = {.x = motion->position.x, .y = motion->position.y};
    cn_sin_cos_quick(&motion->angle, 1, &place.sine, &place.cosine);
    ((struct cn_place2 *)p->place)[body] = place;
    const struct cn_fast_shape2 *fast = p->shape;
    const struct cn_body *of = &p->model->body[body];
    for (int k = of->shape_first; k < of->shape_first + of->shape_count; k++) {
        int first = p->piece_first[k], end = first + p->piece_count[k];
        for (int i = first; i < end; i++) {
            cn_fast_planar_place(&fast[i], &place, &p->placed[i]);
        }
    }
}

/* The same, for a body that was placed before, since its shapes were baked. */
static void
planar_follow(struct cn_pipeline *p, int body, const struct cn_place2 *place)
{
    const struct cn_body *of = &p->model->body[body];
    ((struct cn_place2 *)p->place)[body] = *place;
    for (int k = of->shape_first; k < of->shape_first + of->shape_count; k++) {
        int first = p->piece_first[k], end = first + p->piece_count[k];
        for (int i = first; i < end; i++) {
            cn_fast_planar_follow(&p->placed[i], place);
        }
    }
}

static cn_aabb
planar_bounds(const struct cn_pipeline *p, int shape, double margin)
{
    int first = p->piece_first[shape], end = first + p->piece_count[shape];
    cn_aabb box = cn_fast_planar_aabb(&p->placed[first], margin);
    for (int i = first + 1; i < end; i++) {
        cn_aabb one = cn_fast_planar_aabb(&p->placed[i], margin);
        box.low.x = fmin(box.low.x, one.low.x);
        box.low.y = fmin(box.low.y, one.low.y);
        box.high.x = fmax(box.high.x, one.high.x);
        box.high.y = fmax(box.high.y, one.high.y);
    }
    return box;
}

static void
planar_begin(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    int index = t->p->awake[k];
    const struct cn_body *body = &model->body[index];
    const struct cn_motion *motion = &model->motion[index];
    struct cn_impulse_body2 *moving = (struct cn_impulse_body2 *)t->body + k;
    struct cn_impulse_mass2 *mass = (struct cn_impulse_mass2 *)t->mass + k;
    struct cn_impulse_drive2 *drive = (struct cn_impulse_drive2 *)t->drive + k;
    *moving = (struct cn_impulse_body2){
        .vx = (float)motion->velocity.x,
        .vy = (float)motion->velocity.y,
        .w = (float)motion->angular_velocity.z,
        .cosine = 1.0F,
    };
    ((struct cn_impulse_carry2 *)t->carry)[k] =
        (struct cn_impulse_carry2){moving->vx, moving->vy, moving->w, 0.0F};
    *mass = (struct cn_impulse_mass2){0};
    *drive = (struct cn_impulse_drive2){.keep_linear = 1.0F, .keep_angular = 1.0F};
    t->heat[k] = (struct cn_impulse_heat){0};
    if (body->mass_inverse == 0.0) {
        return;
    }
    mass->inverse_mass = (float)body->mass_inverse;
    mass->inverse_inertia = (float)body->inertia_inverse.cz.z;
    float m = (float)body->mass, i = (float)body->inertia.cz.z;
    t->heat[k] = (struct cn_impulse_heat){.mass = m,
        .inertia = i,
        .energy = 0.5F * (m * (moving->vx * moving->vx + moving->vy * moving->vy) +
                             i * (moving->w * moving->w))};
    cn_vec3 a = cn_vec3_scale(model->settings.gravity, body->gravity_scale);
    double spin = 0.0;
    if (t->wrench != NULL) {
        a = cn_vec3_add_scaled(a, body->mass_inverse, t->wrench[index].force);
        spin = body->inertia_inverse.cz.z * t->wrench[index].torque.z;
    }
    double h = t->duration / t->tick.substep_count;
    drive->ax = (float)a.x;
    drive->ay = (float)a.y;
    drive->aw = (float)spin;
    double linear = body->damping_linear + model->settings.damping_linear * body->mass_inverse;
    double angular = body->damping_angular +
                     model->settings.damping_angular * body->inertia_inverse.cz.z;
    drive->keep_linear = (float)(1.0 / (1.0 + h * linear));
    drive->keep_angular = (float)(1.0 / (1.0 + h * angular));
    drive->locks = body->locks;
}

/* Whether a single box, capsule or circle is within its fat box; false for other shapes. */
static bool
planar_stays(const struct cn_pipeline *p, int shape, double margin)
{
    const struct cn_fast_placed2 *placed = &p->placed[p->piece_first[shape]];
    cn_vec3 low, high;
    if (p->piece_count[shape] > 1 || placed->form >= CN_FAST2_POLYGON) {
        return false;
    }
    cn_fast_planar_bounds(placed, margin, &low, &high);
    return cn_proximity_holds(p->proximity, shape, low.x, low.y, high.x, high.y);
}

/*
 * Discs and capsules roll, and their contacts are cheap to find: the narrowphase always finds them.
 */
static bool
planar_may_persist(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b)
{
    return a->form > CN_FAST2_CAPSULE && b->form > CN_FAST2_CAPSULE;
}

/* Moves the manifold of the last tick to the present poses; false: it must be found again. */
static bool
planar_keep(const struct cn_pipeline_tick *t, struct cn_touch *pair,
    const struct cn_manifold2 *last, struct cn_manifold2 *now)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_place2 *place = p->place;
    float reach_a = p->hot[pair->a].reach, reach_b = p->hot[pair->b].reach;
    bool kept = last != NULL &&
                cn_base2_follow(&place[p->shape_body[pair->a]], &place[p->shape_body[pair->b]],
                    t->margin, reach_a < reach_b ? reach_a : reach_b, last, now);
    pair->flags |= kept ? CN_TOUCH_KEPT : 0U;
    return kept;
}

/* Stores the base of a manifold that was found, so that it may persist. */
static void
planar_found(const struct cn_pipeline *p, const struct cn_fast_task2 *task)
{
    const struct cn_touch *pair =
        &p->pair[task->now - (struct cn_manifold2 *)p->manifold[1 - p->front]];
    const struct cn_place2 *place = p->place;
    task->now->persists = 0;
    if (planar_may_persist(task->a, task->b) && task->now->point_count > 0) {
        cn_base2_make(
            &place[p->shape_body[pair->a]], &place[p->shape_body[pair->b]], task->now);
    }
}

/* Pairs that are collided together; the kernels work on several at once. */
#define COLLIDE_BATCH 64

static void
planar_batch(struct cn_pipeline_tick *t, const struct cn_fast_kernel2 *kernel, int first, int end)
{
    struct cn_pipeline *p = t->p;
    const struct cn_manifold2 *before = p->manifold[p->front];
    struct cn_manifold2 *now = p->manifold[1 - p->front];
    struct cn_fast_task2 task[COLLIDE_BATCH];
    int count = 0;
    CN_ASSERT(end <= p->pair_count && end - first <= COLLIDE_BATCH);
    for (int i = first; i < end; i++) {
        struct cn_touch *pair = &p->pair[i];
        const struct cn_manifold2 *last = pair->manifold < 0 ? NULL : &before[pair->manifold];
        const struct cn_fast_placed2 *a = &p->placed[pair->a], *b = &p->placed[pair->b];
        if ((pair->flags & CN_TOUCH_PIECES) != 0) {
            CN_ASSERT(CN_TOUCH_PIECE_A(pair->flags) < p->piece_count[pair->a]);
            CN_ASSERT(CN_TOUCH_PIECE_B(pair->flags) < p->piece_count[pair->b]);
            a = &p->placed[p->piece_first[pair->a] + CN_TOUCH_PIECE_A(pair->flags)];
            b = &p->placed[p->piece_first[pair->b] + CN_TOUCH_PIECE_B(pair->flags)];
        }
        pair->flags &= ~CN_TOUCH_KEPT;
        if ((pair->flags & CN_TOUCH_SENSOR) != 0) {
            cn_fast_planar_meet(a, b, 0.0F, last, &now[i]);
            now[i].persists = 0;
        } else if (!planar_keep(t, pair, last, &now[i])) {
            task[count++] = (struct cn_fast_task2){a, b, last, &now[i]};
        }
    }
    if (count > 0) {
        cn_fast_planar_meet_many(kernel, task, count, t->margin);
    }
    for (int i = 0; i < count; i++) {
        planar_found(p, &task[i]);
    }
    for (int i = first; i < end; i++) {
        struct cn_touch *pair = &p->pair[i];
        bool near = now[i].point_count > 0;
        pair->flags &= ~CN_TOUCH_NOW;
        pair->flags |= near ? CN_TOUCH_NOW : 0U;
        bool pieces = (pair->flags & CN_TOUCH_PIECES) != 0; /* found again in every tick */
        if (!near && (pieces || !cn_proximity_overlaps(p->proximity, pair->a, pair->b))) {
            pair->flags |= CN_TOUCH_GONE;
        }
    }
}

static void
planar_collide(struct cn_pipeline_tick *t, int first, int end)
{
    const struct cn_fast_kernel2 *kernel = cn_fast_planar_kernel(t->kernel->name);
    if (kernel == NULL) {
        kernel = cn_fast_planar_kernel("plain");
    }
    for (int i = first; i < end; i += COLLIDE_BATCH) {
        planar_batch(t, kernel, i, i + COLLIDE_BATCH < end ? i + COLLIDE_BATCH : end);
    }
}

/* The angle of a rotation with this cosine and sine. */
static double
turn_angle(double cosine, double sine)
{
    if (cosine <= 0.0 || fabs(sine) > QUICK_SINE) {
        return cn_atan2(sine, cosine);
    }
    double s2 = sine * sine;
    return sine *
           (1.0 + s2 * (1.0 / 6.0 +
                           s2 * (3.0 / 40.0 + s2 * (15.0 / 336.0 + s2 * (105.0 / 3456.0)))));
}

/* 1 or 0, so that several are combined without branches. */
static unsigned
is_bounded(double a)
{
    return fabs(a) <= CN_MOTION_MAX;
}

static bool
move_kinematic(double duration, struct cn_motion *motion)
{
    struct cn_motion moved = *motion;
    moved.position = cn_vec3_add_scaled(motion->position, duration, motion->velocity);
    moved.angle += duration * motion->angular_velocity.z;
    if (!cn_motion_is_bounded(&moved)) {
        return false;
    }
    *motion = moved;
    return true;
}

/* Moves a body.  Members that do not change in the plane are not read. */
static bool
move_body(const struct cn_impulse_body2 *moving, struct cn_motion *motion)
{
    double x = motion->position.x + (double)moving->dx;
    double y = motion->position.y + (double)moving->dy;
    double angle = motion->angle + turn_angle((double)moving->cosine, (double)moving->sine);
    double vx = (double)moving->vx, vy = (double)moving->vy, w = (double)moving->w;
    if (!(is_bounded(x) & is_bounded(y) & is_bounded(angle) & is_bounded(vx) & is_bounded(vy) &
            is_bounded(w))) {
        return false;
    }
    motion->position.x = x;
    motion->position.y = y;
    motion->angle = angle;
    motion->velocity.x = vx;
    motion->velocity.y = vy;
    motion->velocity.z = 0.0;
    motion->angular_velocity.z = w;
    return true;
}

#define FINISH_BATCH 32 /* bodies whose angles are computed together */

static void
planar_finish(struct cn_pipeline_tick *t, int first, int end)
{
    const struct cn_model *model = t->p->model;
    const struct cn_impulse_body2 *moving = t->body;
    const int32_t *awake = t->p->awake;
    CN_ASSERT(first <= end && end <= t->p->awake_count);
    double angle[FINISH_BATCH];
    float sine[FINISH_BATCH], cosine[FINISH_BATCH];
    for (int start = first; start < end; start += FINISH_BATCH) {
        int count = end - start < FINISH_BATCH ? end - start : FINISH_BATCH;
        for (int i = 0; i < count; i++) {
            struct cn_motion *motion = &model->motion[awake[start + i]];
            t->runaway[start + i] = model->body[awake[start + i]].mass_inverse == 0.0
                                        ? !move_kinematic(t->duration, motion)
                                        : !move_body(&moving[start + i], motion);
            angle[i] = motion->angle;
        }
        cn_sin_cos_quick(angle, count, sine, cosine);
        for (int i = 0; i < count; i++) {
            const struct cn_motion *motion = &model->motion[awake[start + i]];
            struct cn_place2 place = {motion->position.x, motion->position.y, cosine[i], sine[i]};
            if (!t->runaway[start + i]) {
                planar_follow(t->p, awake[start + i], &place);
            }
        }
    }
}

/* Whether the body moved, rotation included, farther than its smallest shape may. */
static bool
planar_is_hasty(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    const struct cn_impulse_body2 *moving = (const struct cn_impulse_body2 *)t->body + k;
    double dx = (double)moving->dx, dy = (double)moving->dy;
    double far = CN_CONTINUOUS_FAST * model->length_min;
    double turn = model->body[t->p->awake[k]].reach * 2.0 * fabs((double)moving->sine);
    return moving->cosine < 0.0F || turn > 0.5 * far || dx * dx + dy * dy > 0.25 * far * far;
}

static void
planar_start(struct cn_pipeline_tick *t, int k)
{
    const struct cn_impulse_body2 *moving = (const struct cn_impulse_body2 *)t->body + k;
    const struct cn_motion *motion = &t->p->model->motion[t->p->awake[k]];
    cn_vec3 moved = {(double)moving->dx, (double)moving->dy, 0.0};
    t->start[k] = (struct cn_start){
        .position = cn_vec3_sub(motion->position, moved),
        .angle = motion->angle -
                 turn_angle((double)moving->cosine, (double)moving->sine),
    };
}

static void
planar_forget(struct cn_pipeline *p, int manifold)
{
    CN_ASSERT(manifold >= 0 && manifold < p->front_count);
    struct cn_manifold2 *m = (struct cn_manifold2 *)p->manifold[p->front] + manifold;
    m->rolling_impulse = 0.0f;
    for (int i = 0; i < m->point_count; i++) {
        m->point[i].normal_impulse = m->point[i].total_impulse = 0.0f;
        m->point[i].tangent_impulse = 0.0f;
    }
}

static double
planar_speed(const struct cn_pipeline_tick *t, int k)
{
    const struct cn_impulse_body2 *moving = (const struct cn_impulse_body2 *)t->body + k;
    double vx = (double)moving->vx, vy = (double)moving->vy, w = (double)moving->w;
    return sqrt(vx * vx + vy * vy) + fabs(w) * t->p->model->body[t->p->awake[k]].reach;
}

static void
planar_slow(struct cn_pipeline_tick *t, int k, float keep)
{
    struct cn_impulse_body2 *moving = (struct cn_impulse_body2 *)t->body + k;
    moving->vx *= keep;
    moving->vy *= keep;
    moving->w *= keep;
}

static bool
planar_sticks(const struct cn_pipeline_tick *t, int manifold, float friction, bool *lasts)
{
    const struct cn_manifold2 *m =
        (const struct cn_manifold2 *)t->p->manifold[t->p->front] + manifold;
    *lasts = m->persists != 0;
    float load = 0.0f, across = 0.0f;
    for (int i = 0; i < m->point_count; i++) {
        load += m->point[i].normal_impulse;
        across += m->point[i].tangent_impulse;
    }
    return friction > 0.0f && load > 0.0f && fabsf(across) <= friction * load;
}

static float
planar_rise(const struct cn_pipeline_tick *t, int manifold, cn_vec3 up)
{
    const struct cn_manifold2 *m =
        (const struct cn_manifold2 *)t->p->manifold[t->p->front] + manifold;
    return (float)(up.x * (double)m->normal_x + up.y * (double)m->normal_y);
}

static bool
planar_is_uneven(const struct cn_pipeline_tick *t)
{
    const struct cn_impulse_mass2 *mass = t->mass;
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
planar_lightness(const struct cn_pipeline_tick *t, int k)
{
    return ((const struct cn_impulse_mass2 *)t->mass + k)->inverse_mass;
}

static void
planar_weigh(struct cn_pipeline_tick *t, int k, float scale)
{
    struct cn_impulse_mass2 *mass = (struct cn_impulse_mass2 *)t->mass + k;
    struct cn_impulse_drive2 *drive = (struct cn_impulse_drive2 *)t->drive + k;
    mass->inverse_mass *= scale;
    mass->inverse_inertia *= scale;
    drive->ax *= scale;
    drive->ay *= scale;
    drive->aw *= scale;
}

static const struct cn_impulse_stages *
planar_stages(const struct cn_impulse_kernel *kernel)
{
    return &kernel->planar;
}

const struct cn_pipeline_ops cn_pipeline_planar = {
    .shape_size = sizeof(struct cn_fast_shape2),
    .placed_size = sizeof(struct cn_fast_placed2),
    .place_size = sizeof(struct cn_place2),
    .manifold_size = sizeof(struct cn_manifold2),
    .body_size = sizeof(struct cn_impulse_body2),
    .carry_size = sizeof(struct cn_impulse_carry2),
    .mass_size = sizeof(struct cn_impulse_mass2),
    .drive_size = sizeof(struct cn_impulse_drive2),
    .pieces = cn_fast_planar_count,
    .hull_room = planar_hull_room,
    .bake = planar_bake,
    .place = planar_place,
    .bounds = planar_bounds,
    .stays = planar_stays,
    .begin = planar_begin,
    .collide = planar_collide,
    .finish = planar_finish,
    .is_hasty = planar_is_hasty,
    .start = planar_start,
    .forget = planar_forget,
    .speed = planar_speed,
    .slow = planar_slow,
    .sticks = planar_sticks,
    .rise = planar_rise,
    .is_uneven = planar_is_uneven,
    .lightness = planar_lightness,
    .weigh = planar_weigh,
    .stages = planar_stages,
};
