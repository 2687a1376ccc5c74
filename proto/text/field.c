#include "proto/text/field.h"

#include "engine/base/assert.h"

#include <string.h>

struct wire_field_name
wire_field_json_name(const ProtobufCFieldDescriptor *field)
{
    struct wire_field_name name;
    size_t size = 0;
    bool capital = false;
    for (const char *c = field->name; *c != '\0'; c++) {
        if (*c == '_') {
            capital = true;
            continue;
        }
        CN_ASSERT(size + 1 < sizeof(name.text));
        name.text[size++] = capital && *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
        capital = false;
    }
    name.text[size] = '\0';
    return name;
}

const ProtobufCFieldDescriptor *
wire_field_find(const ProtobufCMessageDescriptor *descriptor, const char *json_name)
{
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        if (strcmp(wire_field_json_name(&descriptor->fields[i]).text, json_name) == 0) {
            return &descriptor->fields[i];
        }
    }
    return NULL;
}

size_t
wire_field_element_size(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return sizeof(uint32_t);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_FLOAT:
        return sizeof(float);
    case PROTOBUF_C_TYPE_DOUBLE:
        return sizeof(double);
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_ENUM:
        return sizeof(int);
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(char *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(ProtobufCMessage *);
    }
    CN_ASSERT(!"a type that protobuf-c does not have");
    return 0;
}

bool
wire_field_is_repeated(const ProtobufCFieldDescriptor *field)
{
    return field->label == PROTOBUF_C_LABEL_REPEATED;
}

bool
wire_field_is_oneof(const ProtobufCFieldDescriptor *field)
{
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

void *
wire_field_member(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    return (char *)message + field->offset;
}

const void *
wire_field_member_const(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    return (const char *)message + field->offset;
}

size_t *
wire_field_count(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    CN_ASSERT(wire_field_is_repeated(field));
    void *count = (char *)message + field->quantifier_offset;
    return count;
}

size_t
wire_field_count_const(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    CN_ASSERT(wire_field_is_repeated(field));
    const void *count = (const char *)message + field->quantifier_offset;
    return *(const size_t *)count;
}

uint32_t *
wire_field_case(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    CN_ASSERT(wire_field_is_oneof(field));
    void *set = (char *)message + field->quantifier_offset;
    return set;
}

bool
wire_field_is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    static const char zeros[sizeof(ProtobufCBinaryData)];
    const void *member = wire_field_member_const(message, field);
    if (wire_field_is_repeated(field)) {
        return wire_field_count_const(message, field) > 0;
    }
    if (wire_field_is_oneof(field)) {
        const void *set = (const char *)message + field->quantifier_offset;
        return *(const uint32_t *)set == field->id;
    }
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        const char *const *string = member;
        return *string != NULL && **string != '\0';
    }
    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        return ((const ProtobufCBinaryData *)member)->len > 0;
    }
    return memcmp(member, zeros, wire_field_element_size(field)) != 0;
}
