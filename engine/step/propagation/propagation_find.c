/* propagation_find.c: finds which bodies may meet within a step, and where. */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/sampling.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"

#include <math.h>

#define FALL_FRACTION 0.25 /* of the way that forces alone cause in a step: see sample_spots */
/* The least distance between points of a mesh, as a part of the smaller width. */
#define SPACING_FRACTION 0.75
/* For long bodies it is this part of the smaller reach, but at most this part of the width. */
#define SPACING_REACH 0.7
#define SPACING_MOST 1.5
#define WORK_PER_PAIR 500 /* operations of two narrowphase calls, for the budget */

/* ---- bodies ---- */

static cn_pose
pose_after(const struct cn_propagation *p, int i)
{
    struct cn_motion motion = p->model->motion[i];
    const struct cn_mover *m = &p->mover[i];
    cn_vec3 v = cn_vec3_add(m->velocity.linear, m->gain.linear);
    cn_vec3 w = cn_vec3_add(m->velocity.angular, m->gain.angular);
    motion.position = cn_vec3_add_scaled(motion.position, p->h, v);
    if (p->planar) {
        motion.angle += p->h * w.z;
    } else {
        motion.orientation = cn_quat_rotate_by(motion.orientation, cn_vec3_scale(w, p->h));
    }
    return cn_motion_pose(&motion, p->model->settings.dimension);
}

static void
place_body(struct cn_propagation *p, int i)
{
    const struct cn_body *body = &p->model->body[i];
    struct cn_mover *m = &p->mover[i];
    p->pose[i] = cn_motion_pose(&p->model->motion[i], p->model->settings.dimension);
    m->mass.linear = body->mass_inverse;
    m->mass.angular = p->planar ? body->inertia_inverse
                                : cn_mat33_turn(&p->pose[i].rotation, &body->inertia_inverse);
    m->own = m->mass;
    m->held = body->mass_inverse == 0.0;
    p->changed[i] = 0;
    m->velocity.linear = p->model->motion[i].velocity;
    m->velocity.angular = p->model->motion[i].angular_velocity;
    m->gain = (struct cn_twist){0};
    p->foreseen[i] = m->velocity;
    p->fixed[i] = m->held;
}

void
cn_propagation_place(struct cn_propagation *p)
{
    const struct cn_model *model = p->model;
    for (int i = 0; i < model->body_count; i++) {
        place_body(p, i);
    }
    cn_force_sum(model, model->motion, p->pose, p->wrench);
    for (int i = 0; i < model->body_count; i++) {
        struct cn_mover *m = &p->mover[i];
        if (!p->fixed[i]) { /* a force that is not finite does not move a fixed body either */
            m->gain.linear = cn_vec3_scale(p->wrench[i].force, p->h * m->mass.linear);
            cn_vec3 turn = cn_mat33_apply(&m->mass.angular, p->wrench[i].torque);
            m->gain.angular = cn_vec3_scale(turn, p->h);
        }
        double speed =
            cn_vec3_length(cn_vec3_add(m->velocity.linear, m->gain.linear)) +
            cn_vec3_length(cn_vec3_add(m->velocity.angular, m->gain.angular)) *
                model->body[i].reach;
        m->reach = p->h * speed;
        p->ahead[i] = pose_after(p, i);
    }
}

/* ---- candidates ---- */

struct cn_spot_place
cn_propagation_at(
    const struct cn_propagation *p, struct cn_contact *contact, const cn_pose *pose)
{
    const cn_pose *a = &pose[contact->body_a], *b = &pose[contact->body_b];
    cn_contact_place(contact, a, b);
    return (struct cn_spot_place){
        .normal = contact->normal,
        .arm_a = cn_vec3_sub(contact->point, a->position),
        .arm_b = cn_vec3_sub(contact->point, b->position),
        .gap = contact->overhang > p->model->gap_tolerance ? HUGE_VAL : contact->gap,
    };
}

#define ROUNDED 1.000001 /* more than what rounding makes of the terms below */

double
cn_propagation_nearer(const struct cn_propagation *p, const struct cn_meeting *pair)
{
    struct cn_twist a = cn_propagation_surprise(p, pair->body_a);
    struct cn_twist b = cn_propagation_surprise(p, pair->body_b);
    cn_vec3 between = cn_vec3_sub(b.linear, a.linear);
    return ROUNDED * p->h *
           (cn_vec3_length(between) + pair->arm_a * cn_vec3_length(a.angular) +
               pair->arm_b * cn_vec3_length(b.angular));
}

/* Adds a contact as a candidate of a pair.  NULL: there was no room; the candidate is counted. */
static struct cn_spot *
add_spot(struct cn_propagation *p, int index, const struct cn_contact *found)
{
    struct cn_meeting *pair = &p->meeting[index];
    int k = p->spot_count++;
    pair->spot_count = p->spot_count - pair->spot_first;
    if (k >= p->model->contact_max) {
        return NULL;
    }
    CN_ASSERT(k >= pair->spot_first);
    struct cn_contact *contact = &p->contact[k];
    *contact = *found;
    contact->shape_a = pair->shape_a;
    contact->shape_b = pair->shape_b;
    contact->body_a = pair->body_a;
    contact->body_b = pair->body_b;
    struct cn_spot *spot = &p->spot[k];
    *spot = (struct cn_spot){.pair = index, .contact = k, .iteration = -1};
    spot->ahead = cn_propagation_at(p, contact, p->ahead);
    pair->arm_a = cn_max(pair->arm_a, cn_vec3_length(spot->ahead.arm_a));
    pair->arm_b = cn_max(pair->arm_b, cn_vec3_length(spot->ahead.arm_b));
    spot->now = cn_propagation_at(p, contact, p->pose);
    return spot;
}

static void
add_spots(struct cn_propagation *p, int index, struct cn_manifold *manifold)
{
    for (int i = 0; i < manifold->contact_count; i++) {
        (void)add_spot(p, index, &manifold->contact[i]);
    }
}

/* How much nearer the bodies of a pair may come within the step, by their predicted velocities. */
static double
approach_of(const struct cn_propagation *p, const struct cn_meeting *pair)
{
    const struct cn_mover *a = &p->mover[pair->body_a], *b = &p->mover[pair->body_b];
    cn_vec3 of_a = cn_vec3_add(a->velocity.linear, a->gain.linear);
    cn_vec3 of_b = cn_vec3_add(b->velocity.linear, b->gain.linear);
    double turn_a = cn_vec3_length(cn_vec3_add(a->velocity.angular, a->gain.angular));
    double turn_b = cn_vec3_length(cn_vec3_add(b->velocity.angular, b->gain.angular));
    double turn = turn_a * p->model->body[pair->body_a].reach +
                  turn_b * p->model->body[pair->body_b].reach;
    return p->h * (cn_vec3_length(cn_vec3_sub(of_b, of_a)) + turn);
}

/* How far the step's forces alone move any point of a body, at most. */
static double
fall_of(const struct cn_propagation *p, int body)
{
    const struct cn_twist *gain = &p->mover[body].gain;
    return p->h * (cn_vec3_length(gain->linear) +
                      cn_vec3_length(gain->angular) * p->model->body[body].reach);
}

/* The distance between the points of a pair. */
static double
spacing_of(const struct cn_model *model, const struct cn_meeting *pair, double width)
{
    double reach = cn_min(model->body[pair->body_a].reach, model->body[pair->body_b].reach);
    return cn_clamp(SPACING_REACH * reach, SPACING_FRACTION * width, SPACING_MOST * width);
}

/*
 * Candidates of a pair with a mesh.  These are the points that are, or will be, as near as the two
 * bodies may come if one of them is stopped.  Of the way that the step's forces alone cause, only a
 * part counts, because a body at rest does not move by it.
 */
static void
sample_spots(struct cn_propagation *p, int index, double reach)
{
    const struct cn_model *model = p->model;
    struct cn_meeting *pair = &p->meeting[index];
    const struct cn_shape *a = &model->shape[pair->shape_a], *b = &model->shape[pair->shape_b];
    const struct cn_meeting_shapes shapes = {a, b, &p->pose[pair->body_a], &p->pose[pair->body_b],
        &p->ahead[pair->body_a], &p->ahead[pair->body_b]};
    struct cn_samples *samples = p->samples;
    double gap[CN_SAMPLES_MAX], fall = fall_of(p, pair->body_a) + fall_of(p, pair->body_b);
    double near = model->gap_tolerance + reach - (1.0 - FALL_FRACTION) * cn_min(fall, reach);
    const struct cn_sampling_bounds bounds = {.margin = near + approach_of(p, pair),
        .near = near,
        .spacing = spacing_of(model, pair, cn_min(a->width, b->width))};
    cn_sampling_meet(p->kernel, &shapes, &bounds, samples, gap);
    for (int i = 0; i < samples->count; i++) {
        struct cn_contact contact;
        cn_sampling_contact(
            &samples->sample[i], a, shapes.now_a, b, shapes.now_b, &contact);
        struct cn_spot *spot = add_spot(p, index, &contact);
        if (spot != NULL) {
            spot->ahead.gap = gap[i];
            spot->ahead.normal = samples->sample[i].ahead_normal;
        }
    }
}

static bool
any_met(const struct cn_propagation *p, const struct cn_meeting *pair)
{
    int end = pair->spot_first + pair->spot_count;
    for (int k = pair->spot_first; k < end && k < p->model->contact_max; k++) {
        if (p->spot[k].ahead.gap < 0.0) {
            return true;
        }
    }
    return false;
}

static void
find_spots(struct cn_propagation *p, int index)
{
    const struct cn_model *model = p->model;
    struct cn_meeting *pair = &p->meeting[index];
    const struct cn_shape *a = &model->shape[pair->shape_a], *b = &model->shape[pair->shape_b];
    double margin = model->gap_tolerance + p->mover[pair->body_a].reach +
                    p->mover[pair->body_b].reach;
    struct cn_manifold manifold;
    pair->spot_first = p->spot_count;
    if (cn_sampling_is_for(a, b)) {
        sample_spots(p, index, margin - model->gap_tolerance);
        return;
    }
    cn_collide(a, &p->pose[pair->body_a], b, &p->pose[pair->body_b], margin, &manifold);
    add_spots(p, index, &manifold);
    if (any_met(p, pair)) {
        return;
    }
    cn_collide(a, &p->ahead[pair->body_a], b, &p->ahead[pair->body_b], 0.0, &manifold);
    if (manifold.contact_count > 0 && manifold.separation < 0.0) {
        p->spot_count = pair->spot_first;
        add_spots(p, index, &manifold);
    }
}

static void
mix_materials(const struct cn_model *model, struct cn_meeting *pair)
{
    const struct cn_material *a = &model->material[model->shape[pair->shape_a].material];
    const struct cn_material *b = &model->material[model->shape[pair->shape_b].material];
    pair->restitution = cn_model_restitution(model, pair->shape_a, pair->shape_b);
    cn_model_friction(model, pair->shape_a, pair->shape_b, &pair->sliding, &pair->resting);
    pair->rolling = cn_max(a->rolling_friction, b->rolling_friction);
    pair->spinning = cn_max(a->spinning_friction, b->spinning_friction);
    cn_material_pair_moments(
        cn_model_pair(model, pair->shape_a, pair->shape_b), &pair->rolling, &pair->spinning);
}

static void
find_spare(struct cn_propagation *p)
{
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_meeting *pair = &p->meeting[i];
        CN_ASSERT(pair->spot_count == 0 || pair->spot_first + pair->spot_count <= p->spot_count);
        pair->spare = HUGE_VAL;
        for (int k = pair->spot_first; k < pair->spot_first + pair->spot_count; k++) {
            p->spare[k] = p->spot[k].ahead.gap;
            pair->spare = cn_min(pair->spare, p->spare[k]);
        }
    }
}

bool
cn_propagation_find(struct cn_propagation *p, int *room_needed)
{
    struct cn_model *model = p->model;
    for (int i = 0; i < model->shape_count; i++) {
        int body = model->shape[i].body;
        p->box[i] = body < 0 ? cn_aabb_empty()
                             : cn_shape_aabb(&model->shape[i], &p->pose[body],
                                   model->gap_tolerance + p->mover[body].reach);
    }
    p->pair_count = cn_broadphase_pairs(p->box, model->shape_count, model->shape_order,
        cn_pairs_may_touch, model, p->pair, model->contact_max);
    if (!cn_pairs_have_room(model, &p->pair_count, room_needed)) {
        return false;
    }
    int near = p->pair_count;
    CN_ASSERT(near <= model->contact_max);
    p->pair_count = p->spot_count = 0;
    for (int k = 0; k < near; k++) {
        struct cn_meeting *pair = &p->meeting[p->pair_count];
        *pair = (struct cn_meeting){
            .shape_a = p->pair[k].a,
            .shape_b = p->pair[k].b,
            .body_a = model->shape[p->pair[k].a].body,
            .body_b = model->shape[p->pair[k].b].body,
            .seen_iteration = -2,
        };
        find_spots(p, p->pair_count);
        if (pair->spot_count > 0) {
            mix_materials(model, pair);
            p->pair_count++;
        }
    }
    *p->work += (int64_t)WORK_PER_PAIR * near;
    int found = p->spot_count;
    if (!cn_pairs_have_room(model, &p->spot_count, room_needed)) {
        return false;
    }
    for (int k = 0; k < p->pair_count && p->spot_count < found; k++) { /* the list was cut */
        struct cn_meeting *pair = &p->meeting[k];
        int left = p->spot_count - pair->spot_first;
        pair->spot_count = left < 0 ? 0 : left < pair->spot_count ? left : pair->spot_count;
    }
    find_spare(p);
    return true;
}

void
cn_propagation_shuffle(struct cn_propagation *p)
{
    for (int i = p->pair_count - 1; i > 0; i--) {
        int k = (int)((uint64_t)cn_rng_next(&p->rng) * (uint64_t)(i + 1) >> 32);
        CN_ASSERT(k <= i);
        int32_t moved = p->order[i];
        p->order[i] = p->order[k];
        p->order[k] = moved;
    }
}
