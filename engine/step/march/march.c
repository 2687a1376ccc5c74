/* march.c: finds the contacts of a piece, bounds its work, and moves its bodies. */
#include "engine/step/march/march.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"
#include "engine/step/advance.h"
#include "engine/step/pairs.h"

#include <math.h>

/* Operations of one narrowphase call, for the budget. */
#define WORK_PER_PAIR 400
#define WORK_PER_BODY 100

/* Of the smaller width: deeper overlaps are reported. */
#define OVERLAP_PART 0.05
#define UNSURE_PART 0.25 /* of that: what makes the end of a tick worth a search */

/* The work of a tick: see march.h. */
#define TICK_WORK_BASE 9e6
#define COARSE_WORK_BASE 4e6
#define TICK_WORK_SMALL 70.0
#define TICK_WORK_GROWTH 6e3

/* A solve may take this part of the work that is left, or this number, if that is more. */
#define SOLVE_PART 0.7
#define SOLVE_LEAST_BASE 100000
#define SOLVE_LEAST_PER_ROW 4000

/* Rows of the piece's problem, at most. */
static double
size_of(const struct cn_march *m)
{
    return (double)m->contact_rows * m->contact_count + m->joint_max;
}

static double
tick_work(const struct cn_march *m)
{
    double n = size_of(m);
    double most = cn_min(TICK_WORK_SMALL * n * n, TICK_WORK_GROWTH * n * sqrt(n));
    return m->model->clock.coarse ? COARSE_WORK_BASE + 0.5 * most : TICK_WORK_BASE + most;
}

static double
work_left(const struct cn_march *m)
{
    double before = m->looks ? 0.0 : (double)m->model->clock.spent;
    return tick_work(m) - before - (double)(*m->work - m->work_before);
}

int64_t
cn_march_solve_work(const struct cn_march *m)
{
    bool is_whole_tick = !m->model->clock.coarse; /* else event has spent a tick's work before */
    if (m->row_count >= CN_SOLVE_LARGE_ROWS && is_whole_tick && !cn_march_is_spent(m)) {
        return 0; /* it is bounded by answer.h, and ends where it is good enough */
    }
    double least = SOLVE_LEAST_BASE + SOLVE_LEAST_PER_ROW * size_of(m);
    return (int64_t)cn_max(SOLVE_PART * work_left(m), least);
}

bool
cn_march_is_spent(const struct cn_march *m)
{
    return work_left(m) < 0.125 * tick_work(m);
}

void
cn_march_count_work(struct cn_march *m)
{
    bool last = m->piece_count == 1;
    uint64_t work = (uint64_t)(*m->work - m->work_before);
    m->model->clock.spent = last ? 0 : m->model->clock.spent + work;
}

void
cn_march_place(struct cn_march *m)
{
    const struct cn_model *model = m->model;
    bool spatial = model->settings.dimension == CN_SPATIAL;
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_body *body = &model->body[i];
        m->pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
        m->mass[i].linear = body->mass_inverse;
        m->mass[i].angular = spatial
                                 ? cn_mat33_turn(&m->pose[i].rotation, &body->inertia_inverse)
                                 : body->inertia_inverse;
    }
}

/* Computes the change of velocities by the forces within the tick. */
static void
gain_speed(struct cn_march *m)
{
    cn_force_sum(m->model, m->model->motion, m->pose, m->wrench);
    cn_work_spend((int64_t)WORK_PER_BODY * m->model->body_count);
    for (int i = 0; i < m->model->body_count; i++) {
        m->gain[i] = (struct cn_twist){0};
        if (m->mass[i].linear == 0.0) {
            continue; /* a force that is not finite does not move it either */
        }
        m->gain[i].linear = cn_vec3_scale(m->wrench[i].force, m->h * m->mass[i].linear);
        cn_vec3 turn = cn_mat33_apply(&m->mass[i].angular, m->wrench[i].torque);
        m->gain[i].angular = cn_vec3_scale(turn, m->h);
    }
}

/* How far any point of a body will move within the tick, estimated before it [m]. */
static double
reach_of(const struct cn_march *m, int body)
{
    const struct cn_motion *motion = &m->model->motion[body];
    cn_vec3 velocity = cn_vec3_add(motion->velocity, m->gain[body].linear);
    cn_vec3 spin = cn_vec3_add(motion->angular_velocity, m->gain[body].angular);
    double speed =
        cn_vec3_length(velocity) + cn_vec3_length(spin) * m->model->body[body].reach;
    return m->h * speed;
}

static void
find_contacts(struct cn_march *m)
{
    const struct cn_model *model = m->model;
    m->contact_count = 0;
    for (int k = 0; k < m->pair_count; k++) {
        int a = m->pair[k].a, b = m->pair[k].b;
        int body_a = model->shape[a].body, body_b = model->shape[b].body;
        CN_ASSERT(a < b && body_a >= 0 && body_b >= 0);
        double margin = model->gap_tolerance + reach_of(m, body_a) + reach_of(m, body_b);
        struct cn_manifold manifold;
        cn_work_spend(WORK_PER_PAIR);
        cn_collide(&model->shape[a], &m->pose[body_a], &model->shape[b], &m->pose[body_b], margin,
            &manifold);
        for (int i = 0; i < manifold.contact_count; i++) {
            struct cn_contact contact = manifold.contact[i];
            contact.shape_a = a;
            contact.shape_b = b;
            contact.body_a = body_a;
            contact.body_b = body_b;
            if (m->contact_count < model->contact_max) {
                m->contact[m->contact_count] = contact;
            }
            m->contact_count++;
        }
    }
    *m->work += (int64_t)WORK_PER_PAIR * m->pair_count;
}

/* Finds the contacts that may be met within h. */
static bool
search(struct cn_march *m, int *room_needed)
{
    struct cn_model *model = m->model;
    cn_march_place(m);
    gain_speed(m);
    for (int i = 0; i < model->shape_count; i++) {
        int body = model->shape[i].body;
        if (body < 0) {
            m->box[i] = cn_aabb_empty();
            continue;
        }
        m->box[i] = cn_shape_aabb(
            &model->shape[i], &m->pose[body], model->gap_tolerance + reach_of(m, body));
    }
    m->pair_count = cn_broadphase_pairs(m->box, model->shape_count, model->shape_order,
        cn_pairs_may_touch, model, m->pair, model->contact_max);
    if (!cn_pairs_have_room(model, &m->pair_count, room_needed)) {
        return false;
    }
    CN_ASSERT(m->pair_count <= model->contact_max);
    find_contacts(m);
    return cn_pairs_have_room(model, &m->contact_count, room_needed);
}

bool
cn_march_search(struct cn_march *m, const struct cn_march_rule *rule, int *room_needed)
{
    struct cn_model *model = m->model;
    int event_count = model->event_count, event_dropped = model->event_dropped;
    if (!search(m, room_needed)) {
        return false;
    }
    m->piece_count = rule->pieces != NULL ? rule->pieces(m) : 1;
    CN_ASSERT(m->piece_count >= 1);
    if (m->piece_count == 1) {
        return true;
    }
    m->h /= m->piece_count;
    model->event_count = event_count; /* contacts that are left out are reported once */
    model->event_dropped = event_dropped;
    return search(m, room_needed);
}

void
cn_march_move(struct cn_march *m)
{
    struct cn_model *model = m->model;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].type == CN_STATIC || model->body[i].quarantined) {
            continue;
        }
        const struct cn_motion *motion = &model->motion[i];
        struct cn_twist velocity = {
            cn_vec3_add(
                motion->velocity, cn_vec3_add(m->gain[i].linear, m->response[i].linear)),
            cn_vec3_add(motion->angular_velocity,
                cn_vec3_add(m->gain[i].angular, m->response[i].angular)),
        };
        cn_advance_body(model, i, &velocity, m->h);
        if (m->pulls) {
            struct cn_twist by = {cn_vec3_scale(m->unkept[i].linear, m->h),
                cn_vec3_scale(m->unkept[i].angular, m->h)};
            cn_advance_shift(model, i, &by);
        }
    }
    CN_ASSERT(!m->looks);
    double tick = cn_model_tick_duration(model);
    model->clock.elapsed = m->piece_count == 1 ? tick : model->clock.elapsed + m->h;
    model->clock.pieces++;
}

/* Whether some impulses of the tick miss the conditions. */
static bool
is_unsolved(const struct cn_model *model)
{
    for (int i = 0; i < model->event_count; i++) {
        if (model->event[i].kind == CN_EVENT_UNSOLVED) {
            return true;
        }
    }
    return false;
}

/* Finds the contacts again at the end of the tick: bodies may be where no contact foresaw them. */
static void
search_again(struct cn_march *m)
{
    struct cn_model *model = m->model;
    int event_count = model->event_count, event_dropped = model->event_dropped, room;
    m->h = 0.0;
    if (!search(m, &room)) {
        m->contact_count = 0;
    }
    model->event_count = event_count;
    model->event_dropped = event_dropped;
}

/* How deep the bodies of contacts[*i] overlap, now [m]; *i moves to the next pair of shapes. */
static double
depth_of_pair(const struct cn_march *m, int *i)
{
    const struct cn_contact *first = &m->contact[*i];
    double depth = 0.0;
    for (; *i < m->contact_count && cn_contact_same_pair(&m->contact[*i], first); ++*i) {
        struct cn_contact contact = m->contact[*i];
        cn_contact_place(&contact, &m->pose[contact.body_a], &m->pose[contact.body_b]);
        depth = cn_max(depth, -contact.gap);
    }
    return depth;
}

/* The smaller width of the bodies of a contact [m]. */
static double
width_of_pair(const struct cn_march *m, const struct cn_contact *contact)
{
    return cn_min(
        m->model->shape[contact->shape_a].width, m->model->shape[contact->shape_b].width);
}

/*
 * Whether contacts may be where none was foreseen: bodies turned by so much that their surfaces
 * left the planes of their contacts, or some overlap already, or were moved far by a correction.
 */
static bool
may_overlap_elsewhere(const struct cn_march *m)
{
    const struct cn_model *model = m->model;
    double least = UNSURE_PART * OVERLAP_PART * model->length_min;
    if (m->corrected > least) {
        return true;
    }
    for (int i = 0; i < model->body_count; i++) {
        double w = cn_vec3_length(model->motion[i].angular_velocity);
        double v = cn_vec3_length(model->motion[i].velocity);
        if (m->h * w * m->h * (v + w * model->body[i].reach) > least) {
            return true;
        }
    }
    for (int i = 0; i < m->contact_count;) {
        double width = width_of_pair(m, &m->contact[i]);
        if (depth_of_pair(m, &i) > UNSURE_PART * OVERLAP_PART * width) {
            return true;
        }
    }
    return false;
}

void
cn_march_tell_overlaps(struct cn_march *m)
{
    struct cn_model *model = m->model;
    bool unsolved = is_unsolved(model);
    if (unsolved || may_overlap_elsewhere(m)) {
        search_again(m);
    }
    for (int i = 0; i < m->contact_count;) {
        const struct cn_contact *first = &m->contact[i];
        double width = width_of_pair(m, first), depth = depth_of_pair(m, &i);
        width = unsolved ? cn_min(width, model->length_min) : width;
        if (depth > OVERLAP_PART * width) {
            cn_answer_tell_overlap(model, first->body_a, first->body_b, depth);
        }
    }
}
