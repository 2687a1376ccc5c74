/* pipeline_touch.c: which shapes may touch, and what their contact is. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

static bool
is_shape(const struct cn_model *model, int32_t shape)
{
    return (uint32_t)shape < (uint32_t)model->shape_max;
}

uint32_t
cn_pipeline_kind(const struct cn_model *model, int32_t shape_a, int32_t shape_b)
{
    CN_ASSERT(is_shape(model, shape_a) && is_shape(model, shape_b));
    const struct cn_shape *a = &model->shape[shape_a], *b = &model->shape[shape_b];
    return (a->sensor || b->sensor ? CN_TOUCH_SENSOR : 0U) |
           (a->hit_events || b->hit_events ? CN_TOUCH_HITS : 0U) |
           (a->stay_events || b->stay_events ? CN_TOUCH_STAYS : 0U) |
           (a->force_events || b->force_events ? CN_TOUCH_FORCES : 0U) |
           (a->one_way || b->one_way ? CN_TOUCH_ONE_WAY : 0U);
}

static bool
moves(const struct cn_body *body)
{
    return body->mass_inverse > 0.0 || body->type == CN_KINEMATIC;
}

bool
cn_pipeline_may_touch(const void *context, int32_t a, int32_t b)
{
    const struct cn_model *model = context;
    CN_ASSERT(is_shape(model, a) && is_shape(model, b));
    const struct cn_shape *shape_a = &model->shape[a], *shape_b = &model->shape[b];
    if (shape_a->body == shape_b->body || shape_a->body < 0 || shape_b->body < 0 ||
        !cn_filter_passes(&shape_a->filter, &shape_b->filter)) {
        return false;
    }
    const struct cn_body *body_a = &model->body[shape_a->body];
    const struct cn_body *body_b = &model->body[shape_b->body];
    if (shape_a->sensor || shape_b->sensor) {
        return !(shape_a->sensor && shape_b->sensor) && (moves(body_a) || moves(body_b));
    }
    return (body_a->mass_inverse > 0.0 || body_b->mass_inverse > 0.0) &&
           !cn_model_joined(model, shape_a->body, shape_b->body) && !cn_model_ignores(model, a, b);
}
