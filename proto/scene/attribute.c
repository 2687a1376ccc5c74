/* attribute.c: the attributes of a scene, as those of the definition. */
#include "proto/attribute.h"
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

static bool
has_rules(const Cairn__V1__Scene *message)
{
    return message->n_rules + message->n_spawns > 0;
}

enum cn_status
scene_count_attributes(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    count->attributes = message->n_attributes;
    for (size_t i = 0; i < message->n_bodies; i++) {
        count->attributes += message->bodies[i]->n_attributes;
    }
    if (count->attributes + (has_rules(message) ? 1 : 0) > CN_ATTRIBUTES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "attributes",
            "are %zu of the world and its bodies; at most %d are accepted", count->attributes,
            CN_ATTRIBUTES_MAX);
    }
    count->attributes += has_rules(message) ? 1 : 0;
    return CN_OK;
}

/* Fills the rows of one owner; paths begin with "attributes". */
static enum cn_status
fill_owner(struct wire_scene *scene, struct cn_owner owner, Cairn__V1__Attribute *const *messages,
    size_t count, struct cn_defect *defect)
{
    for (size_t i = 0; i < count; i++) {
        CN_ASSERT((size_t)scene->def.attribute_count < scene->count.attributes);
        struct cn_attribute *row = &scene->attributes[scene->def.attribute_count];
        row->owner = owner;
        enum cn_status status = wire_attribute_read(messages[i], row, defect);
        if (status == CN_OK && row->value.kind == CN_VALUE_NONE) {
            status = cn_defect_set(defect, CN_SYNTAX, "",
                "has no value; one of flag, integer, number, text and bytes is accepted");
        }
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "attributes[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
        scene->def.attribute_count++;
    }
    return CN_OK;
}

/* The state of the rules exists from the start, so that there is always room for it. */
static void
fill_rules(struct wire_scene *scene)
{
    if (has_rules(scene->message)) {
        scene->attributes[scene->def.attribute_count++] = (struct cn_attribute){
            .name = ".rules", .value = {.kind = CN_VALUE_BYTES, .size = WIRE_RULES_STATE_SIZE}};
    }
}

enum cn_status
scene_fill_attributes(struct wire_scene *scene, struct cn_defect *defect)
{
    const Cairn__V1__Scene *message = scene->message;
    scene->def.attributes = scene->attributes;
    fill_rules(scene);
    enum cn_status status = fill_owner(scene, (struct cn_owner){CN_OWNER_WORLD, 0},
        message->attributes, message->n_attributes, defect);
    for (size_t i = 0; i < message->n_bodies && status == CN_OK; i++) {
        const Cairn__V1__Body *body = message->bodies[i];
        status = fill_owner(scene, (struct cn_owner){CN_OWNER_BODY, i}, body->attributes,
            body->n_attributes, defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "bodies[%zu].", i);
        }
    }
    return status;
}
