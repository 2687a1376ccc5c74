#include "engine/step/pairs.h"

bool
cn_pairs_may_touch(const void *context, int32_t a, int32_t b)
{
    const struct cn_model *model = context;
    int body_a = model->shape[a].body, body_b = model->shape[b].body;
    return body_a != body_b &&
           (model->body[body_a].mass_inverse > 0.0 || model->body[body_b].mass_inverse > 0.0) &&
           !cn_model_joined(model, body_a, body_b);
}

bool
cn_pairs_have_room(struct cn_model *model, int *count, int *room_needed)
{
    if (*count <= model->contact_max) {
        return true;
    }
    if (model->contact_max < model->contact_ceiling) {
        *room_needed = *count;
        return false;
    }
    cn_model_event(model, CN_EVENT_CONTACT_LIMIT, -1, -1, *count - model->contact_max);
    *count = model->contact_max;
    return true;
}
