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
    *changes = missed > 0 ? model->change + (model->change_count - (int)missed) : model->change;
    return (int)missed;
}

static void
note_change(struct cn_model *model, struct cn_change change)
{
    CN_ASSERT(0 <= model->change_count && model->change_count <= model->change_max);
    if (model->change_count == model->change_max) {
        model->change_count = 0; /* the list no longer reaches back to older versions */
    }
    model->structure_version++;
    if (model->change_max > 0) {
        model->change[model->change_count++] = change;
    }
}

static uint32_t
generation_of(const struct cn_model *model, enum cn_change_kind kind, int slot)
{
    CN_ASSERT(0 <= slot && slot < (kind == CN_CHANGE_BODY ? model->body_max : model->joint_max));
    return kind == CN_CHANGE_BODY ? model->body[slot].generation : model->joint[slot].generation;
}

void
cn_model_note(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note_change(
        model, (struct cn_change){
                   .kind = kind, .slot = slot, .generation = generation_of(model, kind, slot)});
}

void
cn_model_note_made(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note_change(model, (struct cn_change){.kind = kind,
                           .slot = slot,
                           .generation = generation_of(model, kind, slot),
                           .made = true});
}

void
cn_model_note_removed(struct cn_model *model, enum cn_change_kind kind, int slot)
{
    note_change(model, (struct cn_change){.kind = kind,
                           .slot = slot,
                           .generation = generation_of(model, kind, slot),
                           .removed = true});
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
    CN_ASSERT(0 <= slot && slot < model->body_max);
    model->body[slot] = (struct cn_body){
        .type = CN_STATIC, .absent = true, .generation = model->body[slot].generation};
    model->motion[slot] = (struct cn_motion){.orientation = cn_quat_identity()};
    model->rest[slot] = (struct cn_rest){.island = -1};
    model->joints_of[slot] = (struct cn_joint_list){.first = -1};
}

void
cn_model_clear_shape(struct cn_model *model, int slot)
{
    CN_ASSERT(0 <= slot && slot < model->shape_max);
    model->sensor_count -= model->shape[slot].sensor;
    model->one_way_count -= model->shape[slot].one_way;
    CN_ASSERT(model->sensor_count >= 0 && model->one_way_count >= 0); /* invariant 4 */
    model->shape[slot] =
        (struct cn_shape){.dimension = model->settings.dimension, .body = -1};
}

void
cn_model_clear_joint(struct cn_model *model, int slot)
{
    CN_ASSERT(0 <= slot && slot < model->joint_max);
    model->joint[slot] = (struct cn_joint){.body_a = -1, .body_b = -1, .actuator = -1,
        .absent = true, .generation = model->joint[slot].generation};
    model->joint_state[slot] = (struct cn_joint_state){0};
}

/* ---- joints of bodies ---- */

/*
 * The list descends by joint, so that it does not depend on the order in which joints came and
 * went.
 */
static void
link_end(struct cn_model *model, int32_t end, int body)
{
    if (body < 0) {
        return;
    }
    CN_ASSERT(body < model->body_max && end < 2 * model->joint_max);
    struct cn_joint_list *list = &model->joints_of[body];
    int32_t next = list->first, prev = -1;
    while (next > end) {
        prev = next;
        next = model->joint_link[next].next;
    }
    CN_ASSERT(next != end); /* invariant 3: an end is in one list once */
    model->joint_link[end] = (struct cn_joint_link){.next = next, .prev = prev};
    if (next >= 0) {
        model->joint_link[next].prev = end;
    }
    if (prev >= 0) {
        model->joint_link[prev].next = end;
    } else {
        list->first = end;
    }
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
    CN_ASSERT(list->count > 0 && (link.prev >= 0 || list->first == end)); /* invariant 3 */
    if (link.prev >= 0) {
        CN_ASSERT(model->joint_link[link.prev].next == end); /* invariant 3 */
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
    CN_ASSERT(model->joint_live <= model->joint_max); /* invariant 4 */
    link_end(model, 2 * joint, model->joint[joint].body_a);
    link_end(model, 2 * joint + 1, model->joint[joint].body_b);
}

void
cn_model_unlink_joint(struct cn_model *model, int joint)
{
    model->joint_live--;
    CN_ASSERT(model->joint_live >= 0); /* invariant 4 */
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

/* ---- fresh ---- */

/* Adds a body to a list of at most body_max entries.  If the list is full, its count becomes -1. */
static void
add_body_to(const struct cn_model *model, int32_t *list, int *count, int body)
{
    if (*count == model->body_max) {
        *count = -1;
    } else if (*count >= 0) {
        list[(*count)++] = body;
    }
}

void
cn_model_freshen(struct cn_model *model, int body)
{
    CN_ASSERT(0 <= body && body < model->body_max);
    if (!model->body[body].fresh) {
        model->body[body].fresh = true;
        add_body_to(model, model->fresh, &model->fresh_count, body);
    }
}

void
cn_model_settle(struct cn_model *model)
{
    for (int i = 0; i < model->fresh_count; i++) {
        model->body[model->fresh[i]].fresh = false;
    }
    for (int i = 0; i < model->body_count && model->fresh_count < 0; i++) {
        model->body[i].fresh = false;
    }
    model->fresh_count = 0;
}

/* ---- sleep ---- */

/* Links the rings of islands.  A body whose island has no valid first body is awake. */
static void
link_islands(struct cn_model *model)
{
    model->asleep_count = 0;
    for (int i = 0; i < model->body_count; i++) {
        int32_t first = model->rest[i].island;
        if (first > i || (first >= 0 && model->rest[first].island != first)) {
            model->rest[i] = (struct cn_rest){.island = -1};
        }
        model->rest[i].next = i;
    }
    for (int i = model->body_count - 1; i >= 0; i--) { /* descending, so that rings ascend */
        int32_t first = model->rest[i].island;
        model->asleep_count += first >= 0 ? 1 : 0;
        if (first >= 0 && first != i) {
            model->rest[i].next = model->rest[first].next;
            model->rest[first].next = i;
        }
    }
}

void
cn_model_count(struct cn_model *model)
{
    model->fresh_count = 0;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].fresh) {
            add_body_to(model, model->fresh, &model->fresh_count, i);
        }
    }
    link_islands(model);
    model->woken_count = -1;
    CN_ASSERT(0 <= model->asleep_count && model->asleep_count <= model->body_count);
}

void
cn_model_note_awake(struct cn_model *model, int body)
{
    add_body_to(model, model->woken, &model->woken_count, body);
}

void
cn_model_rouse(struct cn_model *model, int body)
{
    int32_t island = model->rest[body].island, here = island, next;
    if (island < 0) {
        return;
    }
    do {
        next = model->rest[here].next;
        CN_ASSERT(model->rest[here].island == island && model->asleep_count > 0); /* 2, 4 */
        model->rest[here] = (struct cn_rest){.island = -1};
        model->asleep_count--;
        cn_model_note_awake(model, here);
        cn_model_event(model, CN_EVENT_BODY_WAKE, here, -1, island);
        here = next;
    } while (here != island);
}

void
cn_model_wake(struct cn_model *model, int body)
{
    model->rest[body].still_time = 0.0F;
    if (model->rest[body].island >= 0) {
        model->rest_version++;
        cn_model_rouse(model, body);
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
            cn_model_note_awake(model, i);
            cn_model_event(model, CN_EVENT_BODY_WAKE, i, -1, island);
        }
    }
    model->asleep_count = 0;
}

void
cn_model_lull(struct cn_model *model, int body)
{
    const cn_vec3 zero = {0.0, 0.0, 0.0};
    CN_ASSERT(model->rest[body].island < 0); /* awake */
    model->rest[body].island = model->rest[body].next = body;
    model->asleep_count++;
    CN_ASSERT(model->asleep_count <= model->body_count); /* invariant 4 */
    model->rest_version++;
    model->motion[body].velocity = model->motion[body].angular_velocity = zero;
    cn_model_event(model, CN_EVENT_BODY_SLEEP, body, -1, body);
}
