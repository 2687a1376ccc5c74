#include "proto/codec/attribute.h"

#include "engine/base/assert.h"
#include "proto/attribute.h"
#include "proto/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- reading ---- */

bool
codec_attribute_read(const Cairn__V1__AttributeChange *message, struct cn_attribute *attribute,
    struct wire_error *error)
{
    struct cn_defect defect;
    if (message->attribute == NULL) {
        wire_error_set(error, "FIELD", "attribute", "is missing");
        return false;
    }
    switch (message->owner_case) {
    case CAIRN__V1__ATTRIBUTE_CHANGE__OWNER_BODY:
        attribute->owner = (struct cn_owner){CN_OWNER_BODY, message->body};
        break;
    case CAIRN__V1__ATTRIBUTE_CHANGE__OWNER_SESSION:
        attribute->owner = (struct cn_owner){CN_OWNER_SESSION, message->session};
        break;
    default:
        attribute->owner = (struct cn_owner){CN_OWNER_WORLD, 0};
    }
    if (wire_attribute_read(message->attribute, attribute, &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        wire_error_prefix(error, "attribute.");
        return false;
    }
    return true;
}

bool
codec_attributes_read(const Cairn__V1__SetAttributes *message, struct wire_control *control,
    struct wire_error *error)
{
    const char *path = "control.attributes.changes";
    size_t count = message->n_changes;
    if (count == 0 || count > WIRE_ATTRIBUTE_CHANGES_MAX) {
        wire_error_set(error, "LIMIT", path, "are %zu; 1 to %d are accepted", count,
            WIRE_ATTRIBUTE_CHANGES_MAX);
        return false;
    }
    struct cn_attribute *attributes = calloc(count, sizeof(*attributes));
    if (attributes == NULL) {
        wire_error_set(error, "MEMORY", path, "no memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!codec_attribute_read(message->changes[i], &attributes[i], error)) {
            char prefix[64];
            snprintf(prefix, sizeof(prefix), "%s[%zu].", path, i);
            wire_error_prefix(error, prefix);
            free(attributes);
            return false;
        }
    }
    control->attributes.take = attributes;
    control->attributes.count = (int)count;
    return true;
}

/* ---- building ---- */

struct row {
    Cairn__V1__AttributeChange change;
    Cairn__V1__Attribute attribute;
    char text[WIRE_ATTRIBUTE_TEXT_SIZE];
};

static void
build_row(const struct wire_attribute_change *from, struct row *row)
{
    const struct cn_attribute *attribute = from->attribute;
    cairn__v1__attribute_change__init(&row->change);
    wire_attribute_build(attribute, row->text, &row->attribute);
    if (from->is_gone) {
        row->attribute.value_case = CAIRN__V1__ATTRIBUTE__VALUE__NOT_SET;
    }
    row->change.attribute = &row->attribute;
    if (attribute->owner.kind == CN_OWNER_BODY) {
        row->change.owner_case = CAIRN__V1__ATTRIBUTE_CHANGE__OWNER_BODY;
        row->change.body = (uint32_t)attribute->owner.id;
    } else if (attribute->owner.kind == CN_OWNER_SESSION) {
        row->change.owner_case = CAIRN__V1__ATTRIBUTE_CHANGE__OWNER_SESSION;
        row->change.session = attribute->owner.id;
    }
}

bool
codec_attributes_build(const struct wire_attribute_change *changes, int count,
    struct codec_attributes *out)
{
    CN_ASSERT(count >= 0);
    size_t n = (size_t)count;
    void *block = malloc(n * sizeof(struct row) + (n + 1) * sizeof(out->changes[0]));
    *out = (struct codec_attributes){.count = n, .block = block};
    if (block == NULL) {
        return false;
    }
    struct row *rows = block;
    out->changes = (Cairn__V1__AttributeChange **)(void *)(rows + n);
    for (size_t i = 0; i < n; i++) {
        build_row(&changes[i], &rows[i]);
        out->changes[i] = &rows[i].change;
    }
    return true;
}
