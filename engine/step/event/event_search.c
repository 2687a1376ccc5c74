#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"

#include <math.h>
#include <string.h>

/* Operations of one narrowphase call, for the budget. */
#define WORK_PER_PAIR 400

/*
 * In a step a pair may get deeper by this part of its smaller width, so that nothing passes
 * through.
 */
#define PASS_FRACTION 0.25

/* Pairs with a larger clearance than this, in parts of the smallest length, are not examined. */
#define CLEARANCE_FRACTION 0.1

/*
 * Two contacts of one pair this near, in parts of the smaller width, are one contact with two
 * names.
 */
#define SAME_FRACTION 0.01

/*
 * A held contact may appear under other features: a round end slides from a corner to a face.  It
 * is still the row's contact while both gaps agree to this part of the tolerance.  When they differ
 * more, the piece ends.
 */
#define RENAMED_FRACTION 1e-3

/*
 * A held contact is held on the line of its face, which has ends.  When it is beyond an end by
 * this, in parts of the smallest length, the piece ends.  The next search finds the contact that
 * carries there, if there is one.
 */
#define SLIDE_FRACTION 1e-6

/*
 * The same for a contact that lies at the end of its face, which is a crossing of edges that are
 * nearly parallel.  A new search puts it elsewhere; at this distance both places carry equally
 * well.
 */
#define WANDER_FRACTION 1e-2

/*
 * Sets how far a point of each body may move in `duration`: a generous value, checked afterwards.
 */
static void
allow_travel(struct cn_event_scratch *s, double duration)
{
    const struct cn_model *model = s->model;
    double fall = 2.0 * cn_vec3_length(model->settings.gravity) * duration * duration;
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_motion *motion = &model->motion[i];
        if (model->body[i].type == CN_STATIC || model->body[i].quarantined) {
            s->travel[i] = 0.0;
            continue;
        }
        double speed = cn_vec3_length(motion->velocity) +
                       cn_vec3_length(motion->angular_velocity) * model->body[i].reach;
        s->travel[i] = 1.5 * speed * duration + fall + 0.1 * model->length_min;
    }
}

/* The relative speed of any two points of the bodies of a pair, at most [m/s]. */
static double
closing_speed(const struct cn_model *model, int a, int b)
{
    const struct cn_motion *motion_a = &model->motion[a], *motion_b = &model->motion[b];
    return cn_vec3_length(cn_vec3_sub(motion_b->velocity, motion_a->velocity)) +
           cn_vec3_length(motion_a->angular_velocity) * model->body[a].reach +
           cn_vec3_length(motion_b->angular_velocity) * model->body[b].reach;
}

static double
pair_width(const struct cn_model *model, const struct cn_pair *pair)
{
    return cn_min(model->shape[pair->a].width, model->shape[pair->b].width);
}

static void
keep_contacts(
    struct cn_event_scratch *s, const struct cn_pair *pair, const struct cn_manifold *manifold)
{
    const struct cn_model *model = s->model;
    struct cn_grip grip = {.width = pair_width(model, pair)};
    if (manifold->contact_count > 0 && cn_event_has_discs(s)) {
        struct cn_hold *tangent = &grip.hold[CN_DISC_TANGENT];
        struct cn_hold *rolls = &grip.hold[CN_DISC_ROLLING], *spins = &grip.hold[CN_DISC_SPINNING];
        cn_model_friction(model, pair->a, pair->b, &tangent->sliding, &tangent->resting);
        cn_model_moments(model, pair->a, pair->b, &rolls->resting, &spins->resting);
        rolls->sliding = rolls->resting;
        spins->sliding = spins->resting;
    }
    for (int k = 0; k < manifold->contact_count; k++) {
        int i = s->contact_count++;
        if (i >= model->contact_max) {
            continue; /* counted, so that room can be made */
        }
        struct cn_contact *contact = &s->contact[i];
        memcpy(contact, &manifold->contact[k], sizeof(*contact));
        contact->shape_a = pair->a;
        contact->shape_b = pair->b;
        contact->body_a = model->shape[pair->a].body;
        contact->body_b = model->shape[pair->b].body;
        double fraction = contact->is_crossing ? WANDER_FRACTION : SLIDE_FRACTION;
        s->level[i] = contact->gap - LEVEL_FRACTION * model->length_min;
        s->edge[i] = cn_max(contact->overhang, 0.0) + fraction * model->length_min;
        s->held[i] = false;
        s->rising[i] = false;
        s->grip[i] = grip;
    }
}

double
cn_event_search(struct cn_event_scratch *s, double duration, int *room_needed)
{
    struct cn_model *model = s->model;
    cn_event_place(s, model->motion);
    allow_travel(s, duration);
    for (int i = 0; i < model->shape_count; i++) {
        int body = model->shape[i].body;
        if (body < 0) {
            s->box[i] = cn_aabb_empty();
            continue;
        }
        s->box[i] = cn_shape_aabb(&model->shape[i], &s->pose[body], s->travel[body]);
    }
    s->pair_count = cn_broadphase_pairs(s->box, model->shape_count, model->shape_order,
        cn_pairs_may_touch, model, s->pair, model->contact_max);
    if (!cn_pairs_have_room(model, &s->pair_count, room_needed)) {
        return -1.0;
    }

    CN_ASSERT(s->pair_count <= model->contact_max);
    s->contact_count = 0;
    for (int k = 0; k < s->pair_count; k++) {
        const struct cn_pair *pair = &s->pair[k];
        int body_a = model->shape[pair->a].body, body_b = model->shape[pair->b].body;
        CN_ASSERT(pair->a < pair->b && body_a >= 0 && body_b >= 0);
        s->pair_base[k] = 0.0;
        cn_work_spend(WORK_PER_PAIR);
        struct cn_manifold manifold;
        cn_collide(&model->shape[pair->a], &s->pose[body_a], &model->shape[pair->b],
            &s->pose[body_b], model->gap_tolerance, &manifold);
        keep_contacts(s, pair, &manifold);
        double room =
            cn_max(0.0, manifold.separation) + PASS_FRACTION * pair_width(model, pair);
        double speed = closing_speed(model, body_a, body_b);
        if (speed * duration > room && !model->clock.unsearched) {
            duration = room / speed;
        }
    }
    *s->work += (int64_t)WORK_PER_PAIR * s->pair_count;
    return cn_pairs_have_room(model, &s->contact_count, room_needed) ? duration : -1.0;
}

/* How far a point one metre from the centre of mass moved by rotation, at most [m]. */
static double
turned_by(
    const struct cn_model *model, const struct cn_motion *before, const struct cn_motion *after)
{
    if (model->settings.dimension == CN_PLANAR) {
        return fabs(after->angle - before->angle);
    }
    cn_quat q = cn_quat_multiply(after->orientation, cn_quat_conjugate(before->orientation));
    return 2.0 * cn_vec3_length((cn_vec3){q.x, q.y, q.z}); /* 2 sin(angle / 2): the chord */
}

bool
cn_event_within_travel(const struct cn_event_scratch *s)
{
    const struct cn_model *model = s->model;
    for (int i = 0; i < model->body_count; i++) {
        cn_vec3 moved = cn_vec3_sub(s->trial[i].position, s->start[i].position);
        double turned = turned_by(model, &s->start[i], &s->trial[i]) * model->body[i].reach;
        if (cn_vec3_length(moved) + turned > s->travel[i] + 1e-12) {
            return false;
        }
    }
    return true;
}

/*
 * The index of the contact at the start that `found` continues, -1 for a new one.  Features that
 * coincide (the corners of equal bricks) change names by rounding; then the position decides.
 */
static int
continued(const struct cn_event_scratch *s, const struct cn_contact *found, int first, int last)
{
    double near = SAME_FRACTION * cn_min(s->model->shape[found->shape_a].width,
                                      s->model->shape[found->shape_b].width);
    int nearest = -1;
    for (int i = first; i < last; i++) {
        const struct cn_contact *old = &s->contact[i];
        if (old->feature == found->feature) {
            return i;
        }
        double distance = cn_vec3_length(cn_vec3_sub(old->point, found->point));
        if (distance < near && cn_vec3_dot(old->normal, found->normal) > 0.5) {
            near = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* The clearance of one pair; contacts first..last of the start are of this pair. */
static double
pair_clearance(struct cn_event_scratch *s, const struct cn_pair *pair, int first, int last)
{
    const struct cn_model *model = s->model;
    int body_a = model->shape[pair->a].body, body_b = model->shape[pair->b].body;
    CN_ASSERT(first <= last && last <= s->contact_count);
    struct cn_manifold manifold;
    cn_collide(&model->shape[pair->a], &s->pose[body_a], &model->shape[pair->b],
        &s->pose[body_b], CLEARANCE_FRACTION * model->length_min, &manifold);
    if (manifold.contact_count == 0) {
        return first < last ? HUGE_VAL : cn_max(manifold.separation, 0.0) + model->gap_tolerance;
    }
    double new_level = 0.0; /* in a deep overlap features come and go without a hit */
    for (int i = first; i < last; i++) {
        if (s->level[i] < -2.0 * model->gap_tolerance) {
            new_level = cn_min(new_level, s->level[i]);
        }
    }
    double clearance = HUGE_VAL;
    for (int k = 0; k < manifold.contact_count; k++) {
        struct cn_contact *found = &manifold.contact[k];
        found->shape_a = pair->a;
        found->shape_b = pair->b;
        int old = continued(s, found, first, last);
        double level = old >= 0 ? s->level[old] : new_level;
        if (old >= 0 && s->held[old]) {
            if (s->contact[old].feature == found->feature) {
                continue;
            }
            level = cn_min(s->contact[old].gap, 0.0) - RENAMED_FRACTION * model->gap_tolerance;
        }
        clearance = cn_min(clearance, found->gap - level);
    }
    return clearance;
}

/*
 * The least rate of the contacts that rise from touching, times 1 s [m].  It is negative if a
 * contact has turned back within the tolerance, where it still touches.
 */
static double
rise_clearance(const struct cn_event_scratch *s, const struct cn_motion *motion)
{
    double clearance = HUGE_VAL;
    for (int i = 0; i < s->contact_count; i++) {
        if (!s->rising[i] || s->contact[i].gap > s->model->gap_tolerance) {
            continue;
        }
        struct cn_row row;
        cn_contact_row(s->model, motion, s->pose, &s->contact[i], &row);
        clearance = cn_min(clearance, cn_contact_rate(motion, &s->contact[i], &row));
    }
    return clearance;
}

/* The clearance over all pairs at `motion`; with `make_base` it sets each pair's base first. */
static double
clearance_at(struct cn_event_scratch *s, const struct cn_motion *motion, bool make_base)
{
    cn_event_place(s, motion);
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_contact *contact = &s->contact[i];
        cn_contact_place(contact, &s->pose[contact->body_a], &s->pose[contact->body_b]);
    }
    double below = LEVEL_FRACTION * s->model->length_min;
    double clearance = CLEARANCE_FRACTION * s->model->length_min;
    for (int i = 0; i < s->contact_count; i++) {
        if (s->held[i]) {
            clearance = cn_min(clearance, s->edge[i] - s->contact[i].overhang);
        }
    }
    clearance = cn_min(clearance, rise_clearance(s, motion));
    clearance = cn_min(clearance, cn_event_stop_clearance(s, motion));
    clearance = cn_min(clearance, cn_event_slip_clearance(s, motion));
    int first = 0;
    for (int k = 0; k < s->pair_count; k++) {
        cn_work_spend(WORK_PER_PAIR);
        const struct cn_pair *pair = &s->pair[k];
        int last = first;
        while (last < s->contact_count && s->contact[last].shape_a == pair->a &&
               s->contact[last].shape_b == pair->b) {
            last++;
        }
        double here = pair_clearance(s, pair, first, last);
        if (make_base) {
            s->pair_base[k] = here > 0.0 ? 0.0 : here - below;
        }
        clearance = cn_min(clearance, here - s->pair_base[k]);
        first = last;
    }
    CN_ASSERT(first == s->contact_count);
    *s->work += (int64_t)WORK_PER_PAIR * s->pair_count;
    return clearance;
}

double
cn_event_clearance(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    return clearance_at(s, motion, false);
}

double
cn_event_clearance_base(struct cn_event_scratch *s)
{
    return clearance_at(s, s->start, true);
}
