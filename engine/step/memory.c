#include "engine/step/memory.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

struct cn_warm_start
cn_memory_warm(const struct cn_model *model, uint64_t id)
{
    int low = 0, high = model->warm_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (model->warm[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < model->warm_count && model->warm[low].id == id;
    return found ? model->warm[low] : (struct cn_warm_start){0};
}

void
cn_memory_forget(struct cn_model *model)
{
    model->warm_count = 0;
}

/* Contacts come nearly in order, so this is an append for nearly all. */
void
cn_memory_keep(struct cn_model *model, struct cn_warm_start entry)
{
    CN_ASSERT(model->warm_count < model->contact_max);
    int place = model->warm_count++;
    for (; place > 0 && model->warm[place - 1].id > entry.id; place--) {
        model->warm[place] = model->warm[place - 1];
    }
    model->warm[place] = entry;
    cn_work_spend(4 * (model->warm_count - place));
}

void
cn_memory_add_impulse(
    struct cn_model *model, const struct cn_contact *contact, double impulse)
{
    uint64_t id = cn_contact_id(contact);
    int place = 0, end = model->impulse_count;
    while (place < end) { /* to the first entry that is not before it */
        int middle = place + (end - place) / 2;
        if (model->impulse[middle].id < id) {
            place = middle + 1;
        } else {
            end = middle;
        }
    }
    if (place < model->impulse_count && model->impulse[place].id == id) {
        model->impulse[place].impulse += impulse;
        return;
    }
    if (model->impulse_count >= model->contact_max) {
        return;
    }
    for (int i = model->impulse_count; i > place; i--) {
        model->impulse[i] = model->impulse[i - 1];
    }
    model->impulse[place] = (struct cn_impulse){
        .id = id,
        .body_a = contact->body_a,
        .body_b = contact->body_b,
        .point = contact->point,
        .normal = contact->normal,
        .impulse = impulse,
    };
    model->impulse_count++;
    cn_work_spend(100 + 20 * (int64_t)(model->impulse_count - place));
}
