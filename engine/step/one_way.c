#include "engine/step/one_way.h"

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"

#define DEEP_FRACTION 0.02 /* of the smaller width */
#define FRONT_COSINE 0.01  /* a contact at a side is not in front */
#define LEAVING_FALLS 2.0
#define SPARE_FRACTION 0.1 /* of the smaller width: other bodies may push within the tick */
#define MOTION_FACTOR 2.0  /* the same */

/* The speed that weight gives a body in a tick [m/s]. */
static double
fall_of(const struct cn_model *model, int body)
{
    return fabs(model->body[body].gravity_scale) * cn_vec3_length(model->settings.gravity) *
           cn_model_tick_duration(model);
}

/* How far the shapes of a body move in the next tick, without contacts [m]. */
static double
motion_of(const struct cn_model *model, int body)
{
    const struct cn_motion *motion = &model->motion[body];
    const struct cn_body *of = &model->body[body];
    double h = cn_model_tick_duration(model);
    double speed = cn_vec3_length(motion->velocity) +
                   cn_vec3_length(motion->angular_velocity) * of->reach;
    return MOTION_FACTOR * h * (speed + fall_of(model, body));
}

/* The gap within which two shapes may meet in the tick [m]. */
static double
margin_of(const struct cn_model *model, const struct cn_shape *a, const struct cn_shape *b)
{
    return model->gap_tolerance + SPARE_FRACTION * cn_min(a->width, b->width) +
           motion_of(model, a->body) + motion_of(model, b->body);
}

/* Whether two shapes are too far apart to meet, by the spheres around their bodies. */
static bool
are_far(const struct cn_model *model, const struct cn_shape *a, const struct cn_shape *b,
    double margin)
{
    if (a->kind == CN_SHAPE_PLANE || b->kind == CN_SHAPE_PLANE) {
        return false;
    }
    cn_vec3 between = cn_vec3_sub(
        model->motion[b->body].position, model->motion[a->body].position);
    return cn_vec3_length(between) > a->reach + b->reach + margin;
}

/*
 * Whether a shape, if it is one-way, holds another one.  The normal points to the other.  Faster
 * than LEAVING_FALLS falls of a tick, the other one leaves and does not turn back within the tick.
 */
static bool
holds(const struct cn_model *model, const struct cn_shape *shape, const cn_pose *pose,
    const struct cn_shape *other, cn_vec3 normal)
{
    if (!shape->one_way) {
        return true;
    }
    cn_vec3 front = cn_pose_turn(pose, shape->one_way_normal);
    cn_vec3 speed = cn_vec3_sub(
        model->motion[other->body].velocity, model->motion[shape->body].velocity);
    double fall = fall_of(model, shape->body) + fall_of(model, other->body);
    return cn_vec3_dot(normal, front) > FRONT_COSINE &&
           cn_vec3_dot(speed, front) <= LEAVING_FALLS * fall;
}

static const struct cn_contact *
deepest_of(const struct cn_manifold *manifold)
{
    CN_ASSERT(manifold->contact_count > 0);
    const struct cn_contact *deepest = &manifold->contact[0];
    for (int i = 1; i < manifold->contact_count; i++) {
        deepest = manifold->contact[i].gap < deepest->gap ? &manifold->contact[i] : deepest;
    }
    return deepest;
}

/* Judges two shapes, a < b; false: they are not near. */
static bool
judge_pair(const struct cn_model *model, int a, int b, bool *passes)
{
    const struct cn_shape *of_a = &model->shape[a], *of_b = &model->shape[b];
    double margin = margin_of(model, of_a, of_b);
    if (are_far(model, of_a, of_b, margin)) {
        return false;
    }
    enum cn_dimension dimension = model->settings.dimension;
    cn_pose pose_a = cn_motion_pose(&model->motion[of_a->body], dimension);
    cn_pose pose_b = cn_motion_pose(&model->motion[of_b->body], dimension);
    struct cn_manifold manifold;
    cn_collide(of_a, &pose_a, of_b, &pose_b, margin, &manifold);
    if (manifold.contact_count == 0) {
        return false;
    }
    const struct cn_passage *before = cn_model_passage(model, a, b);
    const struct cn_contact *deepest = deepest_of(&manifold);
    double deep = DEEP_FRACTION * cn_min(of_a->width, of_b->width);
    if (before != NULL && !before->passes) {
        *passes = false;
    } else if (before != NULL && deepest->gap <= model->gap_tolerance) {
        *passes = true;
    } else {
        *passes = deepest->gap < -deep ||
                  !holds(model, of_a, &pose_a, of_b, deepest->normal) ||
                  !holds(model, of_b, &pose_b, of_a, cn_vec3_negate(deepest->normal));
    }
    return true;
}

/* Puts an entry in its place, if there is room. */
static void
insert(struct cn_passage *passage, int count, struct cn_passage entry)
{
    int to = count;
    for (; to > 0 && (passage[to - 1].a > entry.a ||
                         (passage[to - 1].a == entry.a && passage[to - 1].b > entry.b)); to--) {
        passage[to] = passage[to - 1];
    }
    passage[to] = entry;
}

int
cn_one_way_judge(const struct cn_model *model, struct cn_passage *passage, int passage_max)
{
    int count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        if (!model->shape[i].one_way) {
            continue;
        }
        for (int k = 0; k < model->shape_count; k++) {
            bool known = k < i && model->shape[k].one_way; /* judged when k was i */
            struct cn_passage entry = {.a = i < k ? i : k, .b = i < k ? k : i};
            if (k == i || known || !cn_pairs_may_meet(model, entry.a, entry.b) ||
                !judge_pair(model, entry.a, entry.b, &entry.passes)) {
                continue;
            }
            if (count < passage_max) {
                insert(passage, count, entry);
            }
            count++;
        }
    }
    return count;
}
