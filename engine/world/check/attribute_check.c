/*
 * attribute_check.c: checks the attributes of a definition.
 */
#include "engine/base/name.h"
#include "engine/world/check/def_check.h"

/* Puts the owner and the attribute's index among those of the owner before the path. */
static enum cn_status
refuse_row(struct cn_defect *defect, const struct cn_attribute *row, int index)
{
    if (row->owner.kind == CN_OWNER_BODY) {
        cn_defect_prefix(
            defect, "bodies[%llu].attributes[%d].", (unsigned long long)row->owner.id, index);
    } else {
        cn_defect_prefix(defect, "attributes[%d].", index);
    }
    return defect != NULL ? defect->status : CN_RANGE;
}

static enum cn_status
check_owner(const struct cn_world_def *def, int i, struct cn_defect *defect)
{
    const struct cn_owner *owner = &def->attributes[i].owner;
    const struct cn_owner *before = &def->attributes[i > 0 ? i - 1 : 0].owner;
    bool known = owner->kind == CN_OWNER_WORLD
                     ? owner->id == 0
                     : owner->kind == CN_OWNER_BODY && owner->id < (uint64_t)def->body_count;
    bool ascends = before->kind < owner->kind ||
                   (before->kind == owner->kind && before->id <= owner->id);
    if (!known || !ascends) {
        return cn_defect_set(defect, CN_REFERENCE, "owner",
            "is %d %llu; the world comes first, then its %d bodies in order", (int)owner->kind,
            (unsigned long long)owner->id, def->body_count);
    }
    return CN_OK;
}

/* `index`: how many rows before this one have the same owner. */
static enum cn_status
check_row(const struct cn_world_def *def, int i, int index, struct cn_defect *defect)
{
    const struct cn_attribute *row = &def->attributes[i];
    CN_CHECK(check_owner(def, i, defect));
    CN_CHECK(cn_attribute_check(row, defect));
    if (row->value.kind == CN_VALUE_NONE) {
        return cn_defect_set(defect, CN_RANGE, "value", "is missing");
    }
    if (index >= CN_ATTRIBUTES_PER_OWNER_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "name", "is one of more than %d of its owner",
            CN_ATTRIBUTES_PER_OWNER_MAX);
    }
    for (int k = 1; k <= index; k++) {
        if (cn_attribute_compare(row - k, row) == 0) {
            return cn_defect_set(defect, CN_DUPLICATE, "name", "is %s, like that of attribute %d",
                cn_quote(row->name).text, index - k);
        }
    }
    return CN_OK;
}

enum cn_status
cn_attributes_def_check(const struct cn_world_def *def, struct cn_defect *defect)
{
    int index = 0;
    CN_CHECK(check_count(defect, "attributes", def->attribute_count, 0, CN_ATTRIBUTES_MAX));
    for (int i = 0; i < def->attribute_count; i++) {
        const struct cn_attribute *row = &def->attributes[i];
        bool same = i > 0 && row[-1].owner.kind == row->owner.kind &&
                    row[-1].owner.id == row->owner.id;
        index = same ? index + 1 : 0;
        enum cn_status status = check_row(def, i, index, defect);
        if (status != CN_OK) {
            refuse_row(defect, row, index);
            return status;
        }
    }
    return CN_OK;
}
