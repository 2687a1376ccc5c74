/*
 * attribute_table.h: the model's table of attributes: finds, sets and removes them.
 */
#ifndef ENGINE_MODEL_ATTRIBUTE_TABLE_H
#define ENGINE_MODEL_ATTRIBUTE_TABLE_H

#include "engine/model/model.h"

/* The rows of one owner: their number, and the first of them. */
int cn_model_attributes_of(const struct cn_model *model, struct cn_owner owner, int *first);

/* NULL: the owner has no attribute of this name. */
const struct cn_attribute *cn_model_attribute(
    const struct cn_model *model, struct cn_owner owner, const char *name);

/*
 * Sets an attribute, or removes it (kind NONE; it need not exist).  The attribute has been checked,
 * and there is room for a row.
 */
void cn_model_set_attribute(struct cn_model *model, const struct cn_attribute *attribute);

/* Removes all attributes of an owner. */
void cn_model_drop_attributes(struct cn_model *model, struct cn_owner owner);

#endif
