/* propagation_find.c: who may meet whom within a step, and where. */
#include "engine/step/propagation.h"

#include "engine/collide/sampling.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"

#include <math.h>

#define NEAR_FRACTION 0.25    /* of the way that two bodies may come: see sample_spots */
#define SPACING_FRACTION 0.75 /* of the smaller width: points of a mesh are no nearer together */
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
        if (!p->fixed[i]) { /* nor does a force that is not finite move what is fixed */
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

static cn_vec3
speed_at(const struct cn_propagation *p, const struct cn_mover *m, cn_vec3 arm)
{
    cn_vec3 v = m->velocity.linear, w = m->velocity.angular;
    if (!p->gained) {
        v = cn_vec3_add(v, m->gain.linear);
        w = cn_vec3_add(w, m->gain.angular);
    }
    return cn_vec3_add(v, cn_vec3_cross(w, arm));
}

/* How fast the gap grows at the predicted poses, with the step's forces. */
static double
rate_ahead(const struct cn_propagation *p, int body_a, int body_b, const struct cn_spot *spot)
{
    cn_vec3 a = speed_at(p, &p->mover[body_a], spot->ahead.arm_a);
    cn_vec3 b = speed_at(p, &p->mover[body_b], spot->ahead.arm_b);
    return cn_vec3_dot(spot->ahead.normal, cn_vec3_sub(b, a));
}

bool
cn_propagation_meets(const struct cn_propagation *p, const struct cn_spot *spot)
{
    const struct cn_meeting *pair = &p->meeting[spot->pair];
    double rate = rate_ahead(p, pair->body_a, pair->body_b, spot);
    return spot->ahead.gap + p->h * (rate - spot->ahead_rate) < 0.0;
}

cn_vec3
cn_propagation_velocity(const struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot_place *place)
{
    const struct cn_twist *a = &p->mover[pair->body_a].velocity;
    const struct cn_twist *b = &p->mover[pair->body_b].velocity;
    cn_vec3 of_a = cn_vec3_add(a->linear, cn_vec3_cross(a->angular, place->arm_a));
    cn_vec3 of_b = cn_vec3_add(b->linear, cn_vec3_cross(b->angular, place->arm_b));
    return cn_vec3_sub(of_b, of_a);
}

static void
push_body(struct cn_propagation *p, int body, cn_vec3 arm, cn_vec3 impulse, cn_vec3 couple)
{
    struct cn_mover *m = &p->mover[body];
    if (m->held) {
        return;
    }
    p->changed[body] = p->clock;
    cn_vec3 turn = cn_vec3_add(cn_vec3_cross(arm, impulse), couple);
    m->velocity.linear = cn_vec3_add_scaled(m->velocity.linear, m->mass.linear, impulse);
    m->velocity.angular =
        cn_vec3_add(m->velocity.angular, cn_mat33_apply(&m->mass.angular, turn));
}

void
cn_propagation_push(struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot_place *place, cn_vec3 impulse, cn_vec3 couple)
{
    p->clock++;
    push_body(p, pair->body_a, place->arm_a, cn_vec3_negate(impulse), cn_vec3_negate(couple));
    push_body(p, pair->body_b, place->arm_b, impulse, couple);
}

/* Adds a contact as a candidate of a pair; NULL where there is no room, which is counted. */
static struct cn_spot *
add_spot(struct cn_propagation *p, int index, const struct cn_contact *found)
{
    struct cn_meeting *pair = &p->meeting[index];
    int k = p->spot_count++;
    pair->spot_count = p->spot_count - pair->spot_first;
    if (k >= p->model->contact_max) {
        return NULL;
    }
    struct cn_contact *contact = &p->contact[k];
    *contact = *found;
    contact->shape_a = pair->shape_a;
    contact->shape_b = pair->shape_b;
    contact->body_a = pair->body_a;
    contact->body_b = pair->body_b;
    struct cn_spot *spot = &p->spot[k];
    *spot = (struct cn_spot){.pair = index, .iteration = -1};
    spot->ahead = cn_propagation_at(p, contact, p->ahead);
    spot->ahead_rate = rate_ahead(p, pair->body_a, pair->body_b, spot);
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

/*
 * Candidates of a pair with a mesh: points that are, or are about to be, nearer than a part of the
 * way that the two may come.  Their gaps at the predicted poses are looked up there.
 */
static void
sample_spots(struct cn_propagation *p, int index, double reach)
{
    const struct cn_model *model = p->model;
    struct cn_meeting *pair = &p->meeting[index];
    const struct cn_shape *a = &model->shape[pair->shape_a], *b = &model->shape[pair->shape_b];
    const cn_pose *now_a = &p->pose[pair->body_a], *now_b = &p->pose[pair->body_b];
    const cn_pose *ahead_a = &p->ahead[pair->body_a], *ahead_b = &p->ahead[pair->body_b];
    struct cn_samples *samples = p->samples;
    double gap[CN_SAMPLES_MAX], near = model->gap_tolerance + NEAR_FRACTION * reach;
    cn_sampling_find(p->kernel, a, now_a, b, now_b, near + approach_of(p, pair), samples);
    int kept = 0;
    for (int i = 0; i < samples->count; i++) {
        struct cn_sample *sample = &samples->sample[i];
        gap[kept] = cn_sampling_gap(sample, a, ahead_a, b, ahead_b, now_a, now_b);
        if (cn_min(gap[kept], sample->gap) <= near) {
            samples->sample[kept++] = *sample;
        }
    }
    samples->count = kept;
    double width = cn_min(a->width, b->width);
    cn_sampling_thin(samples, gap, SPACING_FRACTION * width);
    for (int i = 0; i < samples->count; i++) {
        struct cn_contact contact;
        cn_sampling_contact(&samples->sample[i], a, now_a, b, now_b, &contact);
        struct cn_spot *spot = add_spot(p, index, &contact);
        if (spot != NULL) {
            spot->ahead.gap = gap[i];
            spot->ahead.normal = samples->sample[i].ahead_normal;
            spot->ahead_rate = rate_ahead(p, pair->body_a, pair->body_b, spot);
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
    p->spot_count = 0;
    for (int k = 0; k < p->pair_count; k++) {
        struct cn_meeting *pair = &p->meeting[k];
        *pair = (struct cn_meeting){
            .shape_a = p->pair[k].a,
            .shape_b = p->pair[k].b,
            .body_a = model->shape[p->pair[k].a].body,
            .body_b = model->shape[p->pair[k].b].body,
            .seen_iteration = -2,
        };
        mix_materials(model, pair);
        find_spots(p, k);
    }
    *p->work += (int64_t)WORK_PER_PAIR * p->pair_count;
    int found = p->spot_count;
    if (!cn_pairs_have_room(model, &p->spot_count, room_needed)) {
        return false;
    }
    for (int k = 0; k < p->pair_count && p->spot_count < found; k++) { /* the list was cut */
        struct cn_meeting *pair = &p->meeting[k];
        int left = p->spot_count - pair->spot_first;
        pair->spot_count = left < 0 ? 0 : left < pair->spot_count ? left : pair->spot_count;
    }
    return true;
}

void
cn_propagation_shuffle(struct cn_propagation *p)
{
    for (int i = p->pair_count - 1; i > 0; i--) {
        int k = (int)((uint64_t)cn_rng_next(&p->rng) * (uint64_t)(i + 1) >> 32);
        int32_t moved = p->order[i];
        p->order[i] = p->order[k];
        p->order[k] = moved;
    }
}
