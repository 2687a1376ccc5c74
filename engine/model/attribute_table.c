#include "engine/model/attribute_table.h"

#include "engine/base/assert.h"

#include <string.h>

/* The first row that is not below the owner; or with `after`, the first that is above it. */
static int
owner_place(const struct cn_model *model, struct cn_owner owner, bool after)
{
    int low = 0, high = model->attribute_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = cn_owner_compare(model->attribute[middle].owner, owner);
        if (order < 0 || (after && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int
cn_model_attributes_of(const struct cn_model *model, struct cn_owner owner, int *first)
{
    *first = owner_place(model, owner, false);
    return owner_place(model, owner, true) - *first;
}

/* The row of the owner and the name, or the place where it would be. */
static int
row_place(const struct cn_model *model, struct cn_owner owner, const char *name, bool *found)
{
    int low, count = cn_model_attributes_of(model, owner, &low), high = low + count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strncmp(model->attribute[middle].name, name, CN_ATTRIBUTE_NAME_SIZE) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = low < model->attribute_count &&
             cn_owner_compare(model->attribute[low].owner, owner) == 0 &&
             strncmp(model->attribute[low].name, name, CN_ATTRIBUTE_NAME_SIZE) == 0;
    return low;
}

const struct cn_attribute *
cn_model_attribute(const struct cn_model *model, struct cn_owner owner, const char *name)
{
    bool found;
    int place = row_place(model, owner, name, &found);
    return found ? &model->attribute[place] : NULL;
}

void
cn_model_set_attribute(struct cn_model *model, const struct cn_attribute *attribute)
{
    bool found, removes = attribute->value.kind == CN_VALUE_NONE;
    int place = row_place(model, attribute->owner, attribute->name, &found);
    CN_ASSERT(cn_attribute_name_is_good(attribute->name));
    if (!found && removes) {
        return;
    }
    CN_ASSERT(found || model->attribute_count < model->attribute_max);
    struct cn_attribute *row = &model->attribute[place];
    size_t behind = (size_t)(model->attribute_count - place);
    if (found && cn_value_is_same(&row->value, &attribute->value)) {
        return;
    }
    if (removes) {
        memmove(row, row + 1, (behind - 1) * sizeof(*row));
        model->attribute_count--;
    } else {
        if (!found) {
            memmove(row + 1, row, behind * sizeof(*row));
            model->attribute_count++;
        }
        *row = *attribute;
    }
    model->attribute_version++;
}

void
cn_model_drop_attributes(struct cn_model *model, struct cn_owner owner)
{
    int first, count = cn_model_attributes_of(model, owner, &first);
    if (count == 0) {
        return;
    }
    struct cn_attribute *row = &model->attribute[first];
    size_t behind = (size_t)(model->attribute_count - first - count);
    memmove(row, row + count, behind * sizeof(*row));
    model->attribute_count -= count;
    model->attribute_version++;
}
