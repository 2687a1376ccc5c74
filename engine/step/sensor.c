#include "engine/step/sensor.h"

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"
#include "engine/constraint/contact_rows.h"
#include "engine/step/pairs.h"

static bool
may_notice(
    const struct cn_model *model, const struct cn_shape *sensor, const struct cn_shape *other)
{
    return other->body >= 0 && other->body != sensor->body && !other->sensor &&
           (model->body[sensor->body].type != CN_STATIC ||
               model->body[other->body].type != CN_STATIC) &&
           cn_filter_passes(&sensor->filter, &other->filter);
}

static bool
shapes_overlap(const struct cn_shape *sensor, const struct cn_shape *other, const cn_pose *pose)
{
    struct cn_manifold manifold;
    cn_collide(sensor, &pose[sensor->body], other, &pose[other->body], 0.0, &manifold);
    return manifold.separation <= 0.0;
}

static bool
wants_contacts(const struct cn_shape *shape)
{
    return shape->body >= 0 && (shape->contact_events || shape->stay_events);
}

bool
cn_sensor_has_contacts(const struct cn_model *model)
{
    for (int i = 0; i < model->shape_count; i++) {
        if (wants_contacts(&model->shape[i])) {
            return true;
        }
    }
    return false;
}

/* The ids of all contacts of two shapes have this number in front. */
static uint64_t
pair_number(int shape_a, int shape_b)
{
    struct cn_contact contact = {.shape_a = shape_a, .shape_b = shape_b};
    return cn_contact_id(&contact) >> 24;
}

/* Whether two shapes had an impulse in this tick; the list is ascending. */
static bool
had_impulse(const struct cn_model *model, int shape_a, int shape_b)
{
    uint64_t number = pair_number(shape_a, shape_b);
    int low = 0, high = model->impulse_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->impulse[middle].id >> 24 < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < model->impulse_count && model->impulse[low].id >> 24 == number;
}

static bool
shapes_touch(const struct cn_model *model, const cn_pose *pose, int a, int b)
{
    const struct cn_shape *of_a = &model->shape[a], *of_b = &model->shape[b];
    double near = model->gap_tolerance;
    cn_aabb box_a = cn_shape_aabb(of_a, &pose[of_a->body], near);
    cn_aabb box_b = cn_shape_aabb(of_b, &pose[of_b->body], 0.0);
    if (!cn_aabb_overlap(&box_a, &box_b)) {
        return false;
    }
    struct cn_manifold manifold;
    cn_collide(of_a, &pose[of_a->body], of_b, &pose[of_b->body], near, &manifold);
    return manifold.separation <= near;
}

/* A list that counts on when it is full. */
struct found {
    uint64_t *pairs;
    int count, max;
};

static void
add_pair(struct found *found, int first, int second)
{
    if (found->count < found->max) {
        found->pairs[found->count] = (uint64_t)first << 32 | (uint64_t)second;
    }
    found->count++;
}

static void
find_visitors(
    const struct cn_model *model, const cn_pose *pose, int sensor, struct found *found)
{
    const struct cn_shape *shape = &model->shape[sensor];
    cn_aabb box = cn_shape_aabb(shape, &pose[shape->body], 0.0);
    for (int k = 0; k < model->shape_count; k++) {
        const struct cn_shape *other = &model->shape[k];
        if (!may_notice(model, shape, other)) {
            continue;
        }
        cn_aabb other_box = cn_shape_aabb(other, &pose[other->body], 0.0);
        if (cn_aabb_overlap(&box, &other_box) && shapes_overlap(shape, other, pose)) {
            add_pair(found, sensor, k);
        }
    }
}

/* The shapes behind `first` that touch it. */
static void
find_contacts(const struct cn_model *model, const cn_pose *pose, int first, struct found *found)
{
    bool wants = wants_contacts(&model->shape[first]);
    for (int k = first + 1; k < model->shape_count; k++) {
        if ((wants || wants_contacts(&model->shape[k])) && cn_pairs_may_touch(model, first, k) &&
            (shapes_touch(model, pose, first, k) || had_impulse(model, first, k))) {
            add_pair(found, first, k);
        }
    }
}

int
cn_sensor_find(const struct cn_model *model, const cn_pose *pose, bool contacts,
    uint64_t *pairs, int pair_max)
{
    struct found found = {.pairs = pairs, .max = pair_max};
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shape[i].sensor) {
            find_visitors(model, pose, i, &found);
        } else if (contacts) {
            find_contacts(model, pose, i, &found);
        }
    }
    return found.count;
}

enum change { BEGINS, STAYS, ENDS };

static void
report_pair(struct cn_model *model, enum change change, uint64_t pair)
{
    int first = (int)(pair >> 32), second = (int)(pair & UINT32_MAX);
    CN_ASSERT(first < model->shape_max && second < model->shape_max);
    const struct cn_shape *a = &model->shape[first], *b = &model->shape[second];
    CN_ASSERT(a->body >= 0);
    if (a->sensor && change != STAYS) {
        cn_model_event(model, change == BEGINS ? CN_EVENT_SENSOR_BEGIN : CN_EVENT_SENSOR_END,
            a->body, b->body, first - model->body[a->body].shape_first);
    } else if (!a->sensor && change == STAYS && (a->stay_events || b->stay_events)) {
        cn_model_event(model, CN_EVENT_CONTACT_STAY, a->body, b->body, 0.0);
    } else if (!a->sensor && change != STAYS && (a->contact_events || b->contact_events)) {
        cn_model_event(model, change == BEGINS ? CN_EVENT_CONTACT_BEGIN : CN_EVENT_CONTACT_END,
            a->body, b->body, 0.0);
    }
}

void
cn_sensor_tell(struct cn_model *model, const uint64_t *pairs, int pair_count)
{
    int was = 0, is = 0;
    while (was < model->within_count || is < pair_count) {
        CN_ASSERT(is == 0 || is >= pair_count || pairs[is - 1] < pairs[is]);
        uint64_t before = was < model->within_count ? model->within[was] : UINT64_MAX;
        uint64_t now = is < pair_count ? pairs[is] : UINT64_MAX;
        if (before < now) {
            report_pair(model, ENDS, before);
        } else {
            report_pair(model, now < before ? BEGINS : STAYS, now);
        }
        was += before <= now;
        is += now <= before;
    }
}

/* The impulses of two shapes in this tick [N s]. */
static double
impulse_of(const struct cn_model *model, uint64_t number)
{
    double sum = 0.0;
    for (int i = 0; i < model->impulse_count; i++) {
        sum += model->impulse[i].id >> 24 == number ? model->impulse[i].impulse : 0.0;
    }
    return sum;
}

static void
tell_force(struct cn_model *model, uint64_t number, double force)
{
    int first = (int)(number >> 20), second = (int)(number & 0xfffffU);
    CN_ASSERT(first < model->shape_max && second < model->shape_max);
    const struct cn_shape *a = &model->shape[first], *b = &model->shape[second];
    if (a->body >= 0 && b->body >= 0 && force > cn_shape_force_min(a, b)) {
        cn_model_event(model, CN_EVENT_CONTACT_FORCE, a->body, b->body, force);
    }
}

static bool
wants_forces(const struct cn_model *model, uint64_t number)
{
    return model->shape[number >> 20].force_events || model->shape[number & 0xfffffU].force_events;
}

void
cn_sensor_tell_forces(struct cn_model *model, bool impulses)
{
    double duration = cn_model_tick_duration(model);
    int warm = 0, hit = 0, hit_count = impulses ? model->impulse_count : 0;
    while (warm < model->warm_count || hit < hit_count) {
        uint64_t of_warm = warm < model->warm_count ? model->warm[warm].id >> 24 : UINT64_MAX;
        uint64_t of_hit = hit < hit_count ? model->impulse[hit].id >> 24 : UINT64_MAX;
        uint64_t number = of_warm < of_hit ? of_warm : of_hit;
        double force = 0.0;
        for (; warm < model->warm_count && model->warm[warm].id >> 24 == number; warm++) {
            force += model->warm[warm].force;
        }
        if (wants_forces(model, number)) {
            force += of_hit == number ? impulse_of(model, number) / duration : 0.0;
            tell_force(model, number, force);
        }
        while (hit < hit_count && model->impulse[hit].id >> 24 == number) {
            hit++;
        }
    }
}

void
cn_sensor_forget(struct cn_model *model, int body)
{
    int kept = 0;
    for (int i = 0; i < model->within_count; i++) {
        uint64_t pair = model->within[i];
        if (model->shape[pair >> 32].body == body || model->shape[pair & UINT32_MAX].body == body) {
            report_pair(model, ENDS, pair);
        } else {
            model->within[kept++] = pair;
        }
    }
    model->within_count = kept;
}
