#include "proto/text/check.h"

#include "proto/json.h"
#include "proto/text/field.h"

#include <math.h>
#include <stdio.h>

static bool
is_utf8(const char *string)
{
    while (*string != '\0') {
        size_t length = wire_utf8_length(string);
        if (length == 0) {
            return false;
        }
        string += length;
    }
    return true;
}

static enum cn_status
check_finite(double value, struct cn_defect *defect)
{
    return isfinite(value) ? CN_OK
                           : cn_defect_set(defect, CN_FINITE, "",
                                 "is %g; only finite numbers are accepted", value);
}

static enum cn_status
check_element(
    const ProtobufCFieldDescriptor *field, const void *element, struct cn_defect *defect)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
        return check_finite((double)*(const float *)element, defect);
    case PROTOBUF_C_TYPE_DOUBLE:
        return check_finite(*(const double *)element, defect);
    case PROTOBUF_C_TYPE_ENUM: {
        int value = *(const int *)element;
        return protobuf_c_enum_descriptor_get_value(field->descriptor, value) != NULL
                   ? CN_OK
                   : cn_defect_set(defect, CN_UNKNOWN, "", "is %d, which has no name", value);
    }
    case PROTOBUF_C_TYPE_STRING: {
        const char *string = *(const char *const *)element;
        return string == NULL || is_utf8(string)
                   ? CN_OK
                   : cn_defect_set(defect, CN_SYNTAX, "", "is not UTF-8");
    }
    case PROTOBUF_C_TYPE_MESSAGE: {
        const ProtobufCMessage *message = *(const ProtobufCMessage *const *)element;
        return message != NULL ? wire_message_check(message, defect) : CN_OK;
    }
    default:
        return CN_OK;
    }
}

/* Puts `name` in front of the path: "x" becomes "position.x", and "[2]" becomes "bodies[2]". */
static void
prefix_path(struct cn_defect *defect, const char *name)
{
    bool is_name = defect->path[0] != '\0' && defect->path[0] != '[';
    cn_defect_prefix(defect, "%s%s", name, is_name ? "." : "");
}

enum cn_status
wire_message_check(const ProtobufCMessage *message, struct cn_defect *defect)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        if (!wire_field_is_set(message, field)) {
            continue;
        }
        bool is_list = wire_field_is_repeated(field);
        const void *member = wire_field_member_const(message, field);
        const char *elements = is_list ? *(const char *const *)member : member;
        size_t count = is_list ? wire_field_count_const(message, field) : 1;
        for (size_t k = 0; k < count; k++) {
            enum cn_status status =
                check_element(field, elements + k * wire_field_element_size(field), defect);
            if (status != CN_OK) {
                char index[24];
                snprintf(index, sizeof(index), "[%zu]", k);
                if (is_list) {
                    prefix_path(defect, index);
                }
                prefix_path(defect, wire_field_json_name(field).text);
                return status;
            }
        }
    }
    return CN_OK;
}

static void
drop_sign_of_zero(const ProtobufCFieldDescriptor *field, void *element)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)element += 0.0F; /* -0 + 0 is 0; every other number stays as it is */
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)element += 0.0;
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        if (*(ProtobufCMessage **)element != NULL) {
            wire_message_drop_signs_of_zero(*(ProtobufCMessage **)element);
        }
        break;
    default:
        break;
    }
}

void
wire_message_drop_signs_of_zero(ProtobufCMessage *message)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        if (!wire_field_is_set(message, field)) {
            continue; /* another member of its union may be there instead */
        }
        bool is_list = wire_field_is_repeated(field);
        void *member = wire_field_member(message, field);
        char *elements = is_list ? *(char **)member : member;
        size_t count = is_list ? wire_field_count_const(message, field) : 1;
        for (size_t k = 0; k < count; k++) {
            drop_sign_of_zero(field, elements + k * wire_field_element_size(field));
        }
    }
}
