/* print.c: prints messages as JSON, by descriptor. */
#include "proto/text.h"

#include "engine/base/assert.h"
#include "proto/json.h"
#include "proto/text/field.h"

#include <stdio.h>

static void print_message(
    struct wire_json *json, const ProtobufCMessage *message, bool every_field);

/* 64-bit integers are strings, because a reader that stores numbers as doubles would round them. */
static void
print_wide(struct wire_json *json, const void *element, bool is_signed)
{
    char text[24];
    if (is_signed) {
        snprintf(text, sizeof(text), "%lld", (long long)*(const int64_t *)element);
    } else {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)*(const uint64_t *)element);
    }
    wire_json_string(json, text);
}

static void
print_enum(struct wire_json *json, const ProtobufCEnumDescriptor *descriptor, int value)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(descriptor, value);
    if (known != NULL) {
        wire_json_string(json, known->name);
    } else {
        wire_json_int(json, value);
    }
}

static void
print_element(struct wire_json *json, const ProtobufCFieldDescriptor *field, const void *element,
    bool every_field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        wire_json_int(json, *(const int32_t *)element);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        wire_json_uint(json, *(const uint32_t *)element);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        print_wide(json, element, true);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        print_wide(json, element, false);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        wire_json_float(json, *(const float *)element);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        wire_json_double(json, *(const double *)element);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        wire_json_bool(json, *(const protobuf_c_boolean *)element != 0);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        print_enum(json, field->descriptor, *(const int *)element);
        break;
    case PROTOBUF_C_TYPE_STRING: {
        const char *string = *(const char *const *)element;
        wire_json_string(json, string != NULL ? string : "");
        break;
    }
    case PROTOBUF_C_TYPE_BYTES: {
        const ProtobufCBinaryData *bytes = element;
        wire_json_base64(json, bytes->data, bytes->len);
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        print_message(json, *(const ProtobufCMessage *const *)element, every_field);
        break;
    }
}

/* An absent oneof or message has no value to print. */
static bool
has_default(const ProtobufCFieldDescriptor *field)
{
    return wire_field_is_repeated(field) ||
           (!wire_field_is_oneof(field) && field->type != PROTOBUF_C_TYPE_MESSAGE);
}

static void
print_message(struct wire_json *json, const ProtobufCMessage *message, bool every_field)
{
    wire_json_object_begin(json);
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        if (!wire_field_is_set(message, field) && !(every_field && has_default(field))) {
            continue;
        }
        const void *member = wire_field_member_const(message, field);
        wire_json_key(json, wire_field_json_name(field).text);
        if (!wire_field_is_repeated(field)) {
            print_element(json, field, member, every_field);
            continue;
        }
        wire_json_list_begin(json);
        const char *elements = *(const char *const *)member;
        for (size_t k = 0; k < wire_field_count_const(message, field); k++) {
            print_element(
                json, field, elements + k * wire_field_element_size(field), every_field);
        }
        wire_json_list_end(json);
    }
    CN_ASSERT(json->depth > 0);
    wire_json_object_end(json);
}

char *
wire_text_print(const ProtobufCMessage *message, bool indent, bool every_field)
{
    struct wire_json json;
    wire_json_init(&json, indent);
    print_message(&json, message, every_field);
    return wire_json_take(&json);
}

void
wire_text_free(ProtobufCMessage *message)
{
    if (message != NULL) {
        protobuf_c_message_free_unpacked(message, NULL);
    }
}
