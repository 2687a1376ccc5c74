/*
 * attribute.c: the command that sets and removes attributes.
 */
#include "engine/world/command/inside.h"

#include "engine/base/assert.h"
#include "engine/model/attribute_table.h"

static enum cn_status
check_owner(const struct cn_model *model, struct cn_owner owner, struct cn_defect *d)
{
    if (owner.kind > CN_OWNER_SESSION || (owner.kind == CN_OWNER_WORLD && owner.id != 0)) {
        return cn_defect_set(d, CN_UNKNOWN, "owner",
            "is %d; 0 (WORLD), 1 (BODY) and 2 (SESSION) are accepted", (int)owner.kind);
    }
    if (owner.kind != CN_OWNER_BODY) {
        return CN_OK;
    }
    if (owner.id >= (uint64_t)model->body_count) {
        return cn_defect_set(d, CN_REFERENCE, "body", "is %llu; this world has bodies 0 to %d",
            (unsigned long long)owner.id, model->body_count - 1);
    }
    if (model->body[owner.id].absent) {
        return cn_defect_set(d, CN_REFERENCE, "body", "is %llu, which was removed",
            (unsigned long long)owner.id);
    }
    return CN_OK;
}

enum cn_status
cn_check_set_attribute(
    const struct cn_world *world, const struct cn_set_attribute *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    const struct cn_attribute *attribute = &c->attribute;
    CN_CHECK(check_owner(model, attribute->owner, d));
    CN_CHECK(cn_attribute_check(attribute, d));
    bool makes = attribute->value.kind != CN_VALUE_NONE &&
                 cn_model_attribute(model, attribute->owner, attribute->name) == NULL;
    int first;
    if (makes && cn_model_attributes_of(model, attribute->owner, &first) >=
                     CN_ATTRIBUTES_PER_OWNER_MAX) {
        return cn_defect_set(d, CN_LIMIT, "name", "would be one of more than %d of its owner",
            CN_ATTRIBUTES_PER_OWNER_MAX);
    }
    if (makes && model->attribute_count >= CN_ATTRIBUTES_MAX) {
        return cn_defect_set(d, CN_LIMIT, "name", "would be one of more than %d of this world",
            CN_ATTRIBUTES_MAX);
    }
    return CN_OK;
}

void
cn_apply_set_attribute(struct cn_world *world, const struct cn_set_attribute *c)
{
    CN_ASSERT(world->model.attribute_count < world->model.attribute_max);
    cn_model_set_attribute(&world->model, &c->attribute);
}
