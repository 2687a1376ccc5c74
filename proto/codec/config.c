#include "proto/codec_config.h"

#include "engine/base/assert.h"
#include "proto/text.h"

#include <cairn/v1/config.pb-c.h>
#include <stdio.h>
#include <string.h>

/* Writes the field's k-th value as text; false if it has no such value. */
static bool
value_text(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, size_t k,
    char *number, size_t number_size, const char **value)
{
    CN_ASSERT(field->offset < message->descriptor->sizeof_message);
    const char *place = (const char *)message + field->offset;
    const char *quantifier = (const char *)message + field->quantifier_offset;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        size_t count;
        memcpy(&count, quantifier, sizeof(count));
        if (k >= count) {
            return false;
        }
        char *const *texts;
        memcpy(&texts, place, sizeof(texts));
        *value = texts[k];
        return true;
    }
    if (k > 0) {
        return false;
    }
    uint32_t word;
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        memcpy(value, place, sizeof(*value));
        return (*value)[0] != '\0';
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(&word, place, sizeof(word));
        *value = "true";
        return word != 0;
    default: /* a number in a one-member oneof */
        memcpy(&word, quantifier, sizeof(word));
        if (word != field->id) {
            return false;
        }
        memcpy(&word, place, sizeof(word));
        snprintf(number, number_size, "%u", word);
        *value = number;
        return true;
    }
}

bool
wire_config_parse(const char *text, size_t size, wire_config_visit *visit, void *context,
    struct wire_error *error)
{
    struct wire_text_error wrong;
    ProtobufCMessage *message =
        wire_text_parse(&cairn__v1__config__descriptor, text, size, &wrong);
    if (message == NULL) {
        wire_error_from_defect(error, &wrong.defect);
        error->line = wrong.line;
        return false;
    }
    bool is_good = true;
    for (unsigned i = 0; i < message->descriptor->n_fields && is_good; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        char option[64], number[16];
        CN_ASSERT(strlen(field->name) < sizeof(option));
        snprintf(option, sizeof(option), "%s", field->name);
        for (char *c = option; *c != '\0'; c++) {
            *c = *c == '_' ? '-' : *c;
        }
        const char *value;
        for (size_t k = 0;
             is_good && value_text(message, field, k, number, sizeof(number), &value); k++) {
            is_good = visit(context, option, value, error);
        }
    }
    wire_text_free(message);
    return is_good;
}
