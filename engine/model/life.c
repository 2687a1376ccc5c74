#include "engine/model/life.h"

#include "engine/base/assert.h"

#include <stddef.h>

/* ---- changes ---- */

int
cn_model_changes(const struct cn_model *model, uint64_t since, const struct cn_change **changes)
{
    CN_ASSERT(since <= model->structure_version);
    uint64_t missed = model->structure_version - since;
    if (missed > (uint64_t)model->change_count) {
        return -1;
    }
    *changes = model->change + (model->change_count - (int)missed);
    return (int)missed;
}

static void
note(struct cn_model *model, struct cn_change change)
{
    if (model->change_count == model->change_max) {
        model->change_count = 0; /* the older ones are no longer all there */
    }
    model->structure_version++;
    if (model->change_max > 0) {
        model->change[model->change_count++] = change;
    }
}

static uint32_t
generation_of(const struct cn_model *model, enum cn_change_kind kind, int slot)
{
    return kind == CN_CHANGE_BODY ? model->body[slot].generation : model->joint[slot].generation;
}

void
cn_model_note(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note(model, (struct cn_change){
                    .kind = kind, .slot = slot, .generation = generation_of(model, kind, slot)});
}

void
cn_model_note_made(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note(model, (struct cn_change){.kind = kind, .slot = slot,
                    .generation = generation_of(model, kind, slot), .made = true});
}

void
cn_model_note_removed(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note(model, (struct cn_change){.kind = kind, .slot = slot,
                    .generation = generation_of(model, kind, slot), .removed = true});
}

void
cn_model_note_all(struct cn_model *model)
{
    model->structure_version++;
    model->change_count = 0;
}

/* ---- slots ---- */

void
cn_model_clear_body(struct cn_model *model, int slot)
{
    model->body[slot] = (struct cn_body){
        .type = CN_STATIC, .absent = true, .generation = model->body[slot].generation};
    model->motion[slot] = (struct cn_motion){.orientation = cn_quat_identity()};
    model->rest[slot] = (struct cn_rest){.island = -1};
    model->rest_version++;
    model->joints_of[slot] = (struct cn_joint_list){.first = -1};
}

void
cn_model_clear_shape(struct cn_model *model, int slot)
{
    model->sensor_count -= model->shape[slot].sensor;
    model->shape[slot] =
        (struct cn_shape){.dimension = model->settings.dimension, .body = -1};
}

void
cn_model_clear_joint(struct cn_model *model, int slot)
{
    model->joint[slot] = (struct cn_joint){.body_a = -1, .body_b = -1, .actuator = -1,
        .absent = true, .generation = model->joint[slot].generation};
    model->joint_state[slot] = (struct cn_joint_state){0};
}

/* ---- joints of bodies ---- */

static void
link_end(struct cn_model *model, int32_t end, int body)
{
    if (body < 0) {
        return;
    }
    struct cn_joint_list *list = &model->joints_of[body];
    model->joint_link[end] = (struct cn_joint_link){.next = list->first, .prev = -1};
    if (list->first >= 0) {
        model->joint_link[list->first].prev = end;
    }
    list->first = end;
    list->count++;
}

static void
unlink_end(struct cn_model *model, int32_t end, int body)
{
    if (body < 0) {
        return;
    }
    struct cn_joint_list *list = &model->joints_of[body];
    struct cn_joint_link link = model->joint_link[end];
    if (link.prev >= 0) {
        model->joint_link[link.prev].next = link.next;
    } else {
        list->first = link.next;
    }
    if (link.next >= 0) {
        model->joint_link[link.next].prev = link.prev;
    }
    list->count--;
}

void
cn_model_link_joint(struct cn_model *model, int joint)
{
    model->joint_live++;
    link_end(model, 2 * joint, model->joint[joint].body_a);
    link_end(model, 2 * joint + 1, model->joint[joint].body_b);
}

void
cn_model_unlink_joint(struct cn_model *model, int joint)
{
    model->joint_live--;
    unlink_end(model, 2 * joint, model->joint[joint].body_a);
    unlink_end(model, 2 * joint + 1, model->joint[joint].body_b);
}

bool
cn_model_joined(const struct cn_model *model, int body_a, int body_b)
{
    const struct cn_joint_list *list = &model->joints_of[body_a];
    if (model->joints_of[body_b].count < list->count) {
        list = &model->joints_of[body_b];
        body_b = body_a;
    }
    for (int32_t end = list->first; end >= 0; end = model->joint_link[end].next) {
        const struct cn_joint *joint = &model->joint[end / 2];
        int other = end % 2 == 0 ? joint->body_b : joint->body_a;
        if (other == body_b && !joint->collide) {
            return true;
        }
    }
    return false;
}

/* ---- sleep ---- */

void
cn_model_wake(struct cn_model *model, int body)
{
    int32_t island = model->rest[body].island;
    model->rest[body].still_time = 0.0F;
    if (island < 0) {
        return;
    }
    model->rest_version++;
    for (int i = island; i < model->body_count; i++) { /* the island's name is its first body */
        if (model->rest[i].island == island) {
            model->rest[i] = (struct cn_rest){.island = -1};
            cn_model_event(model, CN_EVENT_BODY_WAKE, i, -1, island);
        }
    }
}

void
cn_model_wake_all(struct cn_model *model)
{
    model->rest_version++;
    for (int i = 0; i < model->body_count; i++) {
        int32_t island = model->rest[i].island;
        model->rest[i] = (struct cn_rest){.island = -1};
        if (island >= 0) {
            cn_model_event(model, CN_EVENT_BODY_WAKE, i, -1, island);
        }
    }
}
