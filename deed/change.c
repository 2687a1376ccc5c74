#include "deed/change.h"

#include "engine/base/assert.h"
#include "proto/limits.h"

#include <stdlib.h>

static bool
slots_init(struct dd_slots *slots, const struct wire_change *change)
{
    const struct cn_world_def *def =
        change->part != NULL ? wire_scene_world_def(change->part) : NULL;
    wire_change_gone_counts(change, &slots->gone_body_count, &slots->gone_joint_count);
    slots->body_count = def != NULL ? def->body_count : 0;
    slots->joint_count = def != NULL ? def->joint_count : 0;
    int all = slots->gone_body_count + slots->gone_joint_count + slots->body_count +
        slots->joint_count;
    slots->gone_body = calloc((size_t)all + 1, sizeof(*slots->gone_body));
    if (slots->gone_body == NULL) {
        return false;
    }
    CN_ASSERT(slots->gone_body_count >= 0 && slots->gone_joint_count >= 0);
    slots->gone_joint = slots->gone_body + slots->gone_body_count;
    slots->body = slots->gone_joint + slots->gone_joint_count;
    slots->joint = slots->body + slots->body_count;
    return true;
}

static enum cn_status
check_room(const struct cn_world *engine, const struct dd_slots *slots, struct cn_defect *defect)
{
    int bodies = cn_world_body_count(engine) + slots->body_count;
    int joints = cn_world_joint_count(engine) + slots->joint_count;
    if (slots->body_count > 0 && bodies > WIRE_BODIES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "bodies",
            "would take the world's slots to %d; at most %d are accepted", bodies,
            WIRE_BODIES_MAX);
    }
    if (slots->joint_count > 0 && joints > WIRE_JOINTS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "joints",
            "would take the world's slots to %d; at most %d are accepted", joints,
            WIRE_JOINTS_MAX);
    }
    return CN_OK;
}

/* Sets an attribute of a new body. */
static enum cn_status
set_attribute(struct cn_world *engine, const struct cn_attribute *from,
    const struct dd_slots *slots, struct cn_defect *defect)
{
    CN_ASSERT(from->owner.kind == CN_OWNER_BODY && from->owner.id < (uint64_t)slots->body_count);
    struct cn_command command = {
        .kind = CN_COMMAND_SET_ATTRIBUTE, .set_attribute = {.attribute = *from}};
    command.set_attribute.attribute.owner.id = (uint64_t)slots->body[from->owner.id];
    enum cn_status status = cn_world_command_apply(engine, &command, defect);
    if (status != CN_OK) {
        cn_defect_prefix(
            defect, "bodies[%llu].attributes.", (unsigned long long)from->owner.id);
    }
    return status;
}

/* Makes the new bodies and joints; on failure removes those made so far. */
static enum cn_status
make_part(struct cn_world *engine, const struct cn_world_def *part, struct dd_slots *slots,
    struct cn_defect *defect)
{
    enum cn_status status = CN_OK;
    int made = 0;
    for (; made < slots->body_count && status == CN_OK; made += status == CN_OK) {
        status = cn_world_make_body(engine, &part->bodies[made], defect, &slots->body[made]);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "bodies[%d].", made);
        }
    }
    for (int k = 0; k < slots->joint_count && status == CN_OK; k++) {
        struct cn_joint_def joint = part->joints[k];
        joint.body_a = joint.body_a >= 0 ? slots->body[joint.body_a] : -1;
        joint.body_b = slots->body[joint.body_b];
        status = cn_world_make_joint(engine, &joint, defect, &slots->joint[k]);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "joints[%d].", k);
        }
    }
    for (int k = 0; k < part->attribute_count && status == CN_OK; k++) {
        status = set_attribute(engine, &part->attributes[k], slots, defect);
    }
    for (int i = 0; i < made && status != CN_OK; i++) {
        (void)!cn_world_remove_body(engine, slots->body[i], NULL); /* removes its joints, too */
    }
    CN_ASSERT(made <= slots->body_count);
    return status;
}

static void
take_away(struct cn_world *engine, const struct dd_slots *slots)
{
    for (int i = 0; i < slots->gone_joint_count; i++) {
        (void)!cn_world_remove_joint(engine, slots->gone_joint[i], NULL);
    }
    for (int i = 0; i < slots->gone_body_count; i++) {
        (void)!cn_world_remove_body(engine, slots->gone_body[i], NULL);
    }
}

void
dd_slots_finish(struct dd_slots *slots)
{
    free(slots->gone_body);
    *slots = (struct dd_slots){0};
}

bool
dd_change_apply(struct wire_change *change, const struct wire_scene *shown,
    struct cn_world *engine, struct dd_slots *slots, bool *is_touched, struct wire_error *error)
{
    CN_ASSERT(!cn_world_is_mid_tick(engine));
    struct cn_defect defect = {.status = CN_MEMORY};
    *is_touched = false;
    if (!slots_init(slots, change)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    enum cn_status status =
        wire_change_resolve(change, shown, slots->gone_body, slots->gone_joint, &defect);
    if (status == CN_OK) {
        status = check_room(engine, slots, &defect);
    }
    if (status == CN_OK && change->part != NULL) {
        *is_touched = true;
        status = make_part(engine, wire_scene_world_def(change->part), slots, &defect);
    }
    if (status == CN_OK) {
        take_away(engine, slots);
    } else {
        wire_change_locate(change, &defect);
        wire_error_from_defect(error, &defect);
        dd_slots_finish(slots);
    }
    return status == CN_OK;
}
