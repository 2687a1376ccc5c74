#include "engine/step/sensor.h"

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"

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

int
cn_sensor_find(const struct cn_model *model, const cn_pose *pose, uint64_t *pairs, int pair_max)
{
    int count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        const struct cn_shape *sensor = &model->shape[i];
        if (!sensor->sensor) {
            continue;
        }
        cn_aabb box = cn_shape_aabb(sensor, &pose[sensor->body], 0.0);
        for (int k = 0; k < model->shape_count; k++) {
            const struct cn_shape *other = &model->shape[k];
            if (!may_notice(model, sensor, other)) {
                continue;
            }
            cn_aabb other_box = cn_shape_aabb(other, &pose[other->body], 0.0);
            if (!cn_aabb_overlap(&box, &other_box) || !shapes_overlap(sensor, other, pose)) {
                continue;
            }
            if (count < pair_max) {
                pairs[count] = (uint64_t)i << 32 | (uint64_t)k;
            }
            count++;
        }
    }
    return count;
}

static void
report_pair(struct cn_model *model, enum cn_event_kind kind, uint64_t pair)
{
    int sensor = (int)(pair >> 32), visitor = (int)(pair & UINT32_MAX);
    CN_ASSERT(sensor < model->shape_max && visitor < model->shape_max);
    int body = model->shape[sensor].body;
    CN_ASSERT(body >= 0);
    cn_model_event(
        model, kind, body, model->shape[visitor].body, sensor - model->body[body].shape_first);
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
            report_pair(model, CN_EVENT_SENSOR_END, before);
        } else if (now < before) {
            report_pair(model, CN_EVENT_SENSOR_BEGIN, now);
        }
        was += before <= now;
        is += now <= before;
    }
}

void
cn_sensor_forget(struct cn_model *model, int body)
{
    int kept = 0;
    for (int i = 0; i < model->within_count; i++) {
        uint64_t pair = model->within[i];
        if (model->shape[pair >> 32].body == body || model->shape[pair & UINT32_MAX].body == body) {
            report_pair(model, CN_EVENT_SENSOR_END, pair);
        } else {
            model->within[kept++] = pair;
        }
    }
    model->within_count = kept;
}
