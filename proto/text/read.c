/* read.c: converts trees of nodes to messages, by descriptor. */
#include "proto/text.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/text/field.h"
#include "proto/text/scalar.h"
#include "proto/text/tree.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64 /* of one message; ours have at most 17 */

struct reader {
    const struct wire_tree *tree;
    struct wire_text_error *error;
    char path[CN_DEFECT_PATH_SIZE];
    size_t path_size;
};

static bool read_message(
    struct reader *reader, const struct wire_node *node, ProtobufCMessage *message);

#define REFUSE(reader, node, status, ...)                                                          \
    ((reader)->error->line = (node)->line, (reader)->error->column = (node)->column,              \
        (void)cn_defect_set(&(reader)->error->defect, (status), (reader)->path, __VA_ARGS__), false)

/* Lengthens the path and returns what it was, for path_leave. A path that is too long is cut. */
__attribute__((format(printf, 2, 3))) static size_t
path_enter(struct reader *reader, const char *format, ...)
{
    size_t before = reader->path_size, room = sizeof(reader->path) - before;
    va_list list;
    va_start(list, format);
    int size = vsnprintf(reader->path + before, room, format, list);
    va_end(list);
    reader->path_size += (size_t)size < room ? (size_t)size : room - 1;
    CN_ASSERT(reader->path_size < sizeof(reader->path));
    return before;
}

static void
path_leave(struct reader *reader, size_t before)
{
    CN_ASSERT(before <= reader->path_size);
    reader->path_size = before;
    reader->path[before] = '\0';
}

/* A scalar as error texts show it: a number as it is, any other text in quotes. */
static struct cn_quote
quote_text(const char *s)
{
    struct cn_quote quote = cn_quote(s);
    if (wire_scalar_is_number(s) && strlen(s) + 2 == strlen(quote.text)) {
        snprintf(quote.text, sizeof(quote.text), "%s", s);
    }
    return quote;
}

/* "is a list; a number is expected" */
static bool
refuse_kind(struct reader *reader, const struct wire_node *node, const char *expected)
{
    switch (node->kind) {
    case WIRE_NODE_LIST:
        return REFUSE(reader, node, CN_SYNTAX, "is a list; %s is expected", expected);
    case WIRE_NODE_MAP:
        return REFUSE(reader, node, CN_SYNTAX, "is a mapping; %s is expected", expected);
    case WIRE_NODE_SCALAR:
        break;
    }
    struct cn_quote quote = quote_text(wire_tree_string(reader->tree, node));
    return REFUSE(reader, node, CN_SYNTAX, "is %s; %s is expected", quote.text, expected);
}

/* Explains the error for "012" and "0x1f", which their author meant as numbers. */
static bool
refuse_number(struct reader *reader, const struct wire_node *node, const char *expected)
{
    const char *s = wire_tree_string(reader->tree, node);
    s += *s == '-' || *s == '+';
    bool is_odd = s[0] == '0' && s[1] != '\0';
    return refuse_kind(reader, node, is_odd ? "a decimal number without leading zeros" : expected);
}

/* The text of a scalar; if the node is no scalar, refuses it and returns NULL. */
static const char *
scalar_of(struct reader *reader, const struct wire_node *node, const char *expected)
{
    if (node->kind != WIRE_NODE_SCALAR) {
        refuse_kind(reader, node, expected);
        return NULL;
    }
    const char *string = wire_tree_string(reader->tree, node);
    if (strlen(string) != node->size) {
        (void)REFUSE(reader, node, CN_SYNTAX, "holds a NUL character; none are accepted");
        return NULL;
    }
    return string;
}

static bool
read_int(struct reader *reader, const struct wire_node *node, int64_t low, int64_t high,
    int64_t *value)
{
    const char *s = scalar_of(reader, node, "a whole number");
    if (s == NULL) {
        return false;
    }
    if (!wire_scalar_is_number(s)) {
        return refuse_number(reader, node, "a whole number");
    }
    if (!wire_scalar_int(s, value) || *value < low || *value > high) {
        return REFUSE(reader, node, CN_RANGE, "is %s; a whole number from %lld to %lld is accepted",
            quote_text(s).text, (long long)low, (long long)high);
    }
    return true;
}

static bool
read_uint(struct reader *reader, const struct wire_node *node, uint64_t high, uint64_t *value)
{
    const char *s = scalar_of(reader, node, "a whole number");
    if (s == NULL) {
        return false;
    }
    if (!wire_scalar_is_number(s)) {
        return refuse_number(reader, node, "a whole number");
    }
    if (!wire_scalar_uint(s, value) || *value > high) {
        return REFUSE(reader, node, CN_RANGE, "is %s; a whole number from 0 to %llu is accepted",
            quote_text(s).text, (unsigned long long)high);
    }
    return true;
}

static bool
read_double(struct reader *reader, const struct wire_node *node, double largest, double *value)
{
    const char *s = scalar_of(reader, node, "a number");
    if (s == NULL) {
        return false;
    }
    if (wire_scalar_is_not_finite(s)) {
        return REFUSE(reader, node, CN_FINITE, "is %s; only finite numbers are accepted",
            cn_quote(s).text);
    }
    if (!wire_scalar_is_number(s)) {
        return refuse_number(reader, node, "a number");
    }
    *value = wire_scalar_double(s);
    if (fabs(*value) > largest) {
        return REFUSE(reader, node, CN_RANGE, "is %s; a number is at most %.9g", quote_text(s).text,
            largest);
    }
    return true;
}

static bool
read_bool(struct reader *reader, const struct wire_node *node, protobuf_c_boolean *value)
{
    const char *s = scalar_of(reader, node, "true or false");
    if (s == NULL) {
        return false;
    }
    *value = strcmp(s, "true") == 0;
    if (!node->plain || (!*value && strcmp(s, "false") != 0)) {
        return refuse_kind(reader, node, "true or false");
    }
    return true;
}

static bool
read_enum(struct reader *reader, const struct wire_node *node,
    const ProtobufCEnumDescriptor *descriptor, int *value)
{
    const char *s = scalar_of(reader, node, "a name");
    if (s == NULL) {
        return false;
    }
    struct cn_nearest nearest;
    char known[160] = "";
    size_t size = 0;
    cn_nearest_init(&nearest, s);
    for (unsigned i = 0; i < descriptor->n_values; i++) {
        const ProtobufCEnumValue *candidate = &descriptor->values[i];
        if (strcmp(candidate->name, s) == 0) {
            *value = candidate->value;
            return true;
        }
        cn_nearest_offer(&nearest, candidate->name);
        if (size < sizeof(known)) {
            size += (size_t)snprintf(known + size, sizeof(known) - size, "%s%s",
                i == 0 ? "" : ", ", candidate->name);
        }
    }
    return REFUSE(reader, node, CN_UNKNOWN, "is %s; one of %s is accepted%s", cn_quote(s).text,
        known, cn_nearest_hint(&nearest).text);
}

/* A plain number or boolean is not a text, as in JSON. */
static bool
read_string(struct reader *reader, const struct wire_node *node, char **value)
{
    const char *s = scalar_of(reader, node, "a text");
    if (s == NULL) {
        return false;
    }
    if (node->plain &&
        (wire_scalar_is_number(s) || strcmp(s, "true") == 0 || strcmp(s, "false") == 0)) {
        return REFUSE(reader, node, CN_SYNTAX, "is %s; a text is expected: \"%.40s\"",
            s[0] == 't' || s[0] == 'f' ? "a truth value" : "a number", s);
    }
    *value = malloc(node->size + 1);
    if (*value == NULL) {
        return REFUSE(reader, node, CN_MEMORY, "no memory");
    }
    memcpy(*value, s, node->size + 1);
    return true;
}

static bool
read_bytes(struct reader *reader, const struct wire_node *node, ProtobufCBinaryData *value)
{
    const char *s = scalar_of(reader, node, "a text in base64");
    if (s == NULL) {
        return false;
    }
    size_t size = wire_scalar_base64(s, node->size, NULL);
    if (size == SIZE_MAX) {
        return refuse_kind(reader, node, "a text in base64");
    }
    value->data = size > 0 ? malloc(size) : NULL;
    if (size > 0 && value->data == NULL) {
        return REFUSE(reader, node, CN_MEMORY, "no memory");
    }
    value->len = wire_scalar_base64(s, node->size, value->data);
    CN_ASSERT(value->len == size); /* as it was measured */
    return true;
}

static bool
read_submessage(struct reader *reader, const struct wire_node *node,
    const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **value)
{
    ProtobufCMessage *message = malloc(descriptor->sizeof_message);
    if (message == NULL) {
        return REFUSE(reader, node, CN_MEMORY, "no memory");
    }
    protobuf_c_message_init(descriptor, message);
    if (!read_message(reader, node, message)) {
        wire_text_free(message);
        return false;
    }
    *value = message;
    return true;
}

/* Reads one element into zeroed memory; on failure it leaves nothing to free. */
static bool
read_element(struct reader *reader, const struct wire_node *node,
    const ProtobufCFieldDescriptor *field, void *element)
{
    int64_t whole = 0;
    uint64_t natural = 0;
    double number = 0.0;
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        if (!read_int(reader, node, INT32_MIN, INT32_MAX, &whole)) {
            return false;
        }
        *(int32_t *)element = (int32_t)whole;
        return true;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        if (!read_uint(reader, node, UINT32_MAX, &natural)) {
            return false;
        }
        *(uint32_t *)element = (uint32_t)natural;
        return true;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return read_int(reader, node, INT64_MIN, INT64_MAX, element);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return read_uint(reader, node, UINT64_MAX, element);
    case PROTOBUF_C_TYPE_FLOAT:
        if (!read_double(reader, node, (double)FLT_MAX, &number)) {
            return false;
        }
        *(float *)element = (float)number;
        return true;
    case PROTOBUF_C_TYPE_DOUBLE:
        return read_double(reader, node, DBL_MAX, element);
    case PROTOBUF_C_TYPE_BOOL:
        return read_bool(reader, node, element);
    case PROTOBUF_C_TYPE_ENUM:
        return read_enum(reader, node, field->descriptor, element);
    case PROTOBUF_C_TYPE_STRING:
        return read_string(reader, node, element);
    case PROTOBUF_C_TYPE_BYTES:
        return read_bytes(reader, node, element);
    case PROTOBUF_C_TYPE_MESSAGE:
        return read_submessage(reader, node, field->descriptor, element);
    }
    CN_ASSERT(!"a type that protobuf-c does not have");
    return false;
}

static bool
read_list(struct reader *reader, const struct wire_node *node,
    const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
    const struct wire_node *nodes = reader->tree->nodes;
    if (node->kind != WIRE_NODE_LIST) {
        return refuse_kind(reader, node, "a list");
    }
    size_t count = 0, element_size = wire_field_element_size(field);
    for (int32_t i = node->first; i != WIRE_NODE_NONE; i = nodes[i].next) {
        count++;
    }
    if (count == 0) {
        return true;
    }
    char *elements = calloc(count, element_size);
    if (elements == NULL) {
        return REFUSE(reader, node, CN_MEMORY, "no memory");
    }
    *(char **)wire_field_member(message, field) = elements;
    size_t *filled = wire_field_count(message, field);
    for (int32_t i = node->first; i != WIRE_NODE_NONE; i = nodes[i].next) {
        CN_ASSERT(*filled < count);
        size_t before = path_enter(reader, "[%zu]", *filled);
        if (wire_tree_is_null(reader->tree, &nodes[i])) {
            return REFUSE(reader, &nodes[i], CN_SYNTAX, "is null; a list has no absent elements");
        }
        if (!read_element(reader, &nodes[i], field, elements + *filled * element_size)) {
            return false;
        }
        (*filled)++;
        path_leave(reader, before);
    }
    return true;
}

/* The name of the member of field's oneof that is set. */
static struct wire_field_name
oneof_member_name(const ProtobufCMessageDescriptor *descriptor, uint32_t id)
{
    const ProtobufCFieldDescriptor *member =
        protobuf_c_message_descriptor_get_field(descriptor, id);
    CN_ASSERT(member != NULL);
    return wire_field_json_name(member);
}

static bool
read_field(struct reader *reader, const struct wire_node *name, const struct wire_node *node,
    const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
    if (wire_tree_is_null(reader->tree, node)) {
        return true;
    }
    if (wire_field_is_repeated(field)) {
        return read_list(reader, node, field, message);
    }
    union {
        uint64_t number;
        double real;
        void *pointer;
        ProtobufCBinaryData bytes;
    } element = {.bytes = {0}};
    if (wire_field_is_oneof(field) && *wire_field_case(message, field) != 0) {
        return REFUSE(reader, name, CN_SYNTAX, "is given besides %s; only one of them is accepted",
            oneof_member_name(message->descriptor, *wire_field_case(message, field)).text);
    }
    if (!read_element(reader, node, field, &element)) {
        return false;
    }
    CN_ASSERT(wire_field_element_size(field) <= sizeof(element));
    memcpy(wire_field_member(message, field), &element, wire_field_element_size(field));
    if (wire_field_is_oneof(field)) {
        *wire_field_case(message, field) = field->id;
    }
    return true;
}

static bool
refuse_name(struct reader *reader, const struct wire_node *name,
    const ProtobufCMessageDescriptor *descriptor)
{
    const char *s = scalar_of(reader, name, "a name");
    if (s == NULL) {
        return false;
    }
    struct wire_field_name names[FIELDS_MAX];
    CN_ASSERT(descriptor->n_fields <= FIELDS_MAX);
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, s);
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        names[i] = wire_field_json_name(&descriptor->fields[i]);
        cn_nearest_offer(&nearest, names[i].text);
    }
    return REFUSE(reader, name, CN_UNKNOWN, "%s is not a name of %s%s", cn_quote(s).text,
        descriptor->short_name, cn_nearest_hint(&nearest).text);
}

static bool
read_message(struct reader *reader, const struct wire_node *node, ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    const struct wire_node *nodes = reader->tree->nodes;
    bool seen[FIELDS_MAX] = {false};
    CN_ASSERT(descriptor->n_fields <= FIELDS_MAX);
    if (node->kind != WIRE_NODE_MAP) {
        return refuse_kind(reader, node, "a mapping");
    }
    for (int32_t i = node->first; i != WIRE_NODE_NONE; i = nodes[i].next) {
        const struct wire_node *name = &nodes[i];
        const char *s = wire_tree_string(reader->tree, name);
        const ProtobufCFieldDescriptor *field =
            strlen(s) == name->size ? wire_field_find(descriptor, s) : NULL;
        if (field == NULL) {
            return refuse_name(reader, name, descriptor);
        }
        CN_ASSERT(field >= descriptor->fields && field < descriptor->fields + descriptor->n_fields);
        size_t before = path_enter(reader, reader->path_size > 0 ? ".%s" : "%s", s);
        if (seen[field - descriptor->fields]) {
            return REFUSE(reader, name, CN_DUPLICATE, "is given twice");
        }
        seen[field - descriptor->fields] = true;
        if (!read_field(reader, name, &nodes[name->first], field, message)) {
            return false;
        }
        path_leave(reader, before);
    }
    return true;
}

ProtobufCMessage *
wire_text_parse(const ProtobufCMessageDescriptor *descriptor, const char *text, size_t size,
    struct wire_text_error *error)
{
    struct wire_tree tree;
    ProtobufCMessage *message = NULL;
    if (!wire_tree_read(&tree, text, size, error)) {
        return NULL;
    }
    static const struct wire_node nothing = {
        .kind = WIRE_NODE_MAP, .line = 1, .column = 1, .first = WIRE_NODE_NONE};
    const struct wire_node *root = tree.root == WIRE_NODE_NONE ? &nothing : &tree.nodes[tree.root];
    if (wire_tree_is_null(&tree, root)) {
        root = &nothing;
    }
    struct reader reader = {.tree = &tree, .error = error};
    if (!read_submessage(&reader, root, descriptor, &message)) {
        message = NULL;
    }
    wire_tree_finish(&tree);
    return message;
}

const char *
wire_text_error_print(
    const struct wire_text_error *error, const char *file, char *out, size_t size)
{
    const struct cn_defect *defect = &error->defect;
    char place[32] = "";
    if (error->line > 0) {
        snprintf(place, sizeof(place), ":%u:%u", error->line, error->column);
    }
    snprintf(out, size, "%s%s: %s%s%s", file, place, defect->path,
        defect->path[0] != '\0' ? ": " : "", defect->text);
    return out;
}

bool
wire_text_locate(
    const char *text, size_t size, const char *path, unsigned *line, unsigned *column)
{
    struct wire_tree tree;
    struct wire_text_error error;
    bool exact = false;
    *line = *column = 0;
    if (!wire_tree_read(&tree, text, size, &error)) {
        return false;
    }
    int32_t node = wire_tree_locate(&tree, path, &exact);
    if (node != WIRE_NODE_NONE) {
        *line = tree.nodes[node].line;
        *column = tree.nodes[node].column;
    }
    wire_tree_finish(&tree);
    return exact;
}
