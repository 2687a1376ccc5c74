#include "proto/attribute.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <stdint.h>
#include <string.h>

static enum cn_status
read_bytes(struct cn_value *value, enum cn_value_kind kind, const void *bytes, size_t size,
    struct cn_defect *defect)
{
    if (size > CN_ATTRIBUTE_VALUE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "value", "has %zu bytes; at most %d are accepted",
            size, CN_ATTRIBUTE_VALUE_MAX);
    }
    value->kind = kind;
    value->size = (uint16_t)size;
    if (size > 0) {
        memcpy(value->bytes, bytes, size);
    }
    return CN_OK;
}

static enum cn_status
read_value(
    const Cairn__V1__Attribute *message, struct cn_value *value, struct cn_defect *defect)
{
    memset(value, 0, sizeof(*value));
    switch (message->value_case) {
    case CAIRN__V1__ATTRIBUTE__VALUE_FLAG:
        *value = cn_value_flag(message->flag);
        return CN_OK;
    case CAIRN__V1__ATTRIBUTE__VALUE_INTEGER:
        *value = cn_value_integer(message->integer);
        return CN_OK;
    case CAIRN__V1__ATTRIBUTE__VALUE_NUMBER:
        *value = cn_value_number(message->number);
        return CN_OK;
    case CAIRN__V1__ATTRIBUTE__VALUE_TEXT:
        return read_bytes(
            value, CN_VALUE_TEXT, message->text, strlen(message->text), defect);
    case CAIRN__V1__ATTRIBUTE__VALUE_BYTES:
        return read_bytes(
            value, CN_VALUE_BYTES, message->bytes.data, message->bytes.len, defect);
    default:
        return CN_OK;
    }
}

/* The engine's path "value" is the name of the member that has it. */
static void
name_value(const Cairn__V1__Attribute *message, struct cn_defect *defect)
{
    static const char *const names[] = {
        [CAIRN__V1__ATTRIBUTE__VALUE_FLAG] = "flag",
        [CAIRN__V1__ATTRIBUTE__VALUE_INTEGER] = "integer",
        [CAIRN__V1__ATTRIBUTE__VALUE_NUMBER] = "number",
        [CAIRN__V1__ATTRIBUTE__VALUE_TEXT] = "text",
        [CAIRN__V1__ATTRIBUTE__VALUE_BYTES] = "bytes",
    };
    size_t kind = (size_t)message->value_case;
    bool known = kind < sizeof(names) / sizeof(names[0]) && names[kind] != NULL;
    if (defect != NULL && known && strcmp(defect->path, "value") == 0) {
        defect->path[0] = '\0';
        cn_defect_prefix(defect, "%s", names[kind]);
    }
}

enum cn_status
wire_attribute_read(
    const Cairn__V1__Attribute *message, struct cn_attribute *attribute, struct cn_defect *defect)
{
    size_t length = strlen(message->name);
    memset(attribute->name, 0, sizeof(attribute->name));
    if (length >= CN_ATTRIBUTE_NAME_SIZE) {
        return cn_defect_set(defect, CN_UNKNOWN, "name", "is %s; a name has at most %d bytes",
            cn_quote(message->name).text, CN_ATTRIBUTE_NAME_SIZE - 1);
    }
    memcpy(attribute->name, message->name, length);
    enum cn_status status = read_value(message, &attribute->value, defect);
    if (status == CN_OK) {
        status = cn_attribute_check(attribute, defect);
    }
    if (status == CN_OK && cn_attribute_is_hidden(attribute)) {
        status = cn_defect_set(defect, CN_UNKNOWN, "name",
            "is %s; names that begin with '.' are the engine's own", cn_quote(message->name).text);
    }
    if (status != CN_OK) {
        name_value(message, defect);
    }
    return status;
}

/* protobuf-c declares texts and bytes as writable, but only reads them when it packs. */
static void *
borrow(const void *in)
{
    union {
        const void *in;
        void *out;
    } cast = {.in = in};
    return cast.out;
}

void
wire_attribute_build(const struct cn_attribute *attribute, char text[WIRE_ATTRIBUTE_TEXT_SIZE],
    Cairn__V1__Attribute *message)
{
    const struct cn_value *value = &attribute->value;
    CN_ASSERT(value->size <= CN_ATTRIBUTE_VALUE_MAX);
    cairn__v1__attribute__init(message);
    message->name = borrow(attribute->name);
    switch (value->kind) {
    case CN_VALUE_FLAG:
        message->value_case = CAIRN__V1__ATTRIBUTE__VALUE_FLAG;
        message->flag = value->flag;
        break;
    case CN_VALUE_INTEGER:
        message->value_case = CAIRN__V1__ATTRIBUTE__VALUE_INTEGER;
        message->integer = value->integer;
        break;
    case CN_VALUE_NUMBER:
        message->value_case = CAIRN__V1__ATTRIBUTE__VALUE_NUMBER;
        message->number = value->number;
        break;
    case CN_VALUE_TEXT:
        memcpy(text, value->bytes, value->size);
        text[value->size] = '\0';
        message->value_case = CAIRN__V1__ATTRIBUTE__VALUE_TEXT;
        message->text = text;
        break;
    case CN_VALUE_BYTES:
        message->value_case = CAIRN__V1__ATTRIBUTE__VALUE_BYTES;
        message->bytes.data = borrow(value->bytes);
        message->bytes.len = value->size;
        break;
    case CN_VALUE_NONE:
        break;
    }
}
