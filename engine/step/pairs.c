#include "engine/step/pairs.h"

#include "engine/base/assert.h"

bool
cn_pairs_may_meet(const struct cn_model *model, int32_t a, int32_t b)
{
    const struct cn_shape *shape_a = &model->shape[a], *shape_b = &model->shape[b];
    CN_ASSERT((uint32_t)a < (uint32_t)model->shape_max && (uint32_t)b < (uint32_t)model->shape_max);
    int body_a = shape_a->body, body_b = shape_b->body;
    return body_a != body_b && body_a >= 0 && body_b >= 0 && !shape_a->sensor &&
           !shape_b->sensor && cn_filter_passes(&shape_a->filter, &shape_b->filter) &&
           (model->body[body_a].mass_inverse > 0.0 || model->body[body_b].mass_inverse > 0.0) &&
           !cn_model_joined(model, body_a, body_b) && !cn_model_ignores(model, a, b);
}

bool
cn_pairs_may_touch(const void *context, int32_t a, int32_t b)
{
    const struct cn_model *model = context;
    return cn_pairs_may_meet(model, a, b) && !cn_model_passes(model, a, b);
}

bool
cn_pairs_have_room(struct cn_model *model, int *count, int *room_needed)
{
    int ceiling = model->contact_ceiling; /* room beyond a lowered ceiling is not used */
    int room = model->contact_max < ceiling ? model->contact_max : ceiling;
    if (*count <= room) {
        return true;
    }
    CN_ASSERT(room >= 0);
    if (model->contact_max < ceiling) {
        *room_needed = *count;
        return false;
    }
    cn_model_event(model, CN_EVENT_CONTACT_LIMIT, -1, -1, *count - room);
    *count = room;
    return true;
}
