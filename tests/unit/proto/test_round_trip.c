/*
 * test_round_trip.c: parse(print(m)) == m for every kind of message that travels or is kept, filled
 * at random by its descriptor; and JSON names are derived without collisions.
 *
 * Equality is that of the packed bytes, which hold every field.
 */
#include "engine/base/rng.h"
#include "proto/text.h"
#include "proto/text/field.h"

#include "cairn/v1/config.pb-c.h"
#include "cairn/v1/scene.pb-c.h"
#include "cairn/v1/wire.pb-c.h"
#include "cairn/v1/world.pb-c.h"
#include "tests/unit/proto/probe.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static const ProtobufCMessageDescriptor *const roots[] = {
    &probe__probe__descriptor,
    &cairn__v1__config__descriptor,
    &cairn__v1__scene__descriptor,
    &cairn__v1__client_message__descriptor,
    &cairn__v1__server_message__descriptor,
    &cairn__v1__settings__descriptor,
    &cairn__v1__world_status__descriptor,
    &cairn__v1__world_list__descriptor,
    &cairn__v1__scene_list__descriptor,
    &cairn__v1__create_world__descriptor,
    &cairn__v1__load_scene__descriptor,
    &cairn__v1__error__descriptor,
    &cairn__v1__item_list__descriptor,
};
#define ROOT_COUNT (sizeof(roots) / sizeof(roots[0]))

static uint64_t
random_bits(struct cn_rng *rng)
{
    uint64_t high = cn_rng_next(rng);
    return high << 32 | cn_rng_next(rng);
}

static ProtobufCMessage *make_message(
    struct cn_rng *rng, const ProtobufCMessageDescriptor *descriptor, int depth);

/* Any finite double: signs, zeros, denormals, whole numbers and random bits. */
static double
make_double(struct cn_rng *rng)
{
    uint64_t bits = random_bits(rng);
    double value;
    memcpy(&value, &bits, sizeof(value));
    switch (bits % 5) {
    case 0:
        return (double)(int64_t)(bits >> 40) / 8.0;
    case 1:
        return bits & 8 ? -0.0 : 5e-324;
    default:
        return isfinite(value) ? value : 0.1;
    }
}

static float
make_float(struct cn_rng *rng)
{
    uint32_t bits = (uint32_t)(random_bits(rng) >> 20);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return isfinite(value) ? value : 0.1f;
}

static char *
make_string(struct cn_rng *rng)
{
    static const char *const words[] = {"", "a", "12", "true", "null", "~", "- x", "a: b",
        "\"q\\\"", "\xf0\x9f\x98\x80", "line\nline\ttab",
        "\x01\x1f", "#no", "'", "\xc2\x85\xe2\x80\xa8", "*a",
        "\xef\xbb\xbf", "\xef\xbf\xbf", "<<"};
    const char *word = words[random_bits(rng) % (sizeof(words) / sizeof(words[0]))];
    char *copy = malloc(strlen(word) + 1);
    assert_non_null(copy);
    return strcpy(copy, word);
}

static void
make_element(
    struct cn_rng *rng, const ProtobufCFieldDescriptor *field, int depth, void *element)
{
    uint64_t bits = random_bits(rng);
    switch (field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)element = make_float(rng);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)element = make_double(rng);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)element = (int)(bits & 1);
        break;
    case PROTOBUF_C_TYPE_ENUM: {
        const ProtobufCEnumDescriptor *names = field->descriptor;
        *(int *)element = names->values[bits % names->n_values].value;
        break;
    }
    case PROTOBUF_C_TYPE_STRING:
        *(char **)element = make_string(rng);
        break;
    case PROTOBUF_C_TYPE_BYTES: {
        ProtobufCBinaryData *bytes = element;
        bytes->len = bits % 5;
        bytes->data = bytes->len > 0 ? malloc(bytes->len) : NULL;
        for (size_t i = 0; i < bytes->len; i++) {
            bytes->data[i] = (uint8_t)(bits >> (8 * i));
        }
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        *(ProtobufCMessage **)element = make_message(rng, field->descriptor, depth - 1);
        break;
    default:
        memcpy(element, &bits, wire_field_element_size(field));
    }
}

static ProtobufCMessage *
make_message(struct cn_rng *rng, const ProtobufCMessageDescriptor *descriptor, int depth)
{
    ProtobufCMessage *message = malloc(descriptor->sizeof_message);
    assert_non_null(message);
    protobuf_c_message_init(descriptor, message);
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
        if (random_bits(rng) % 3 == 0 || (is_message && depth == 0) ||
            (wire_field_is_oneof(field) && *wire_field_case(message, field) != 0)) {
            continue;
        }
        void *member = wire_field_member(message, field);
        if (wire_field_is_repeated(field)) {
            size_t count = 1 + random_bits(rng) % 3, size = wire_field_element_size(field);
            char *elements = calloc(count, size);
            for (size_t k = 0; k < count; k++) {
                make_element(rng, field, depth, elements + k * size);
            }
            *(char **)member = elements;
            *wire_field_count(message, field) = count;
        } else {
            make_element(rng, field, depth, member);
        }
        if (wire_field_is_oneof(field)) {
            *wire_field_case(message, field) = field->id;
        }
    }
    return message;
}

static void
assert_same(const ProtobufCMessage *a, const ProtobufCMessage *b, const char *text)
{
    size_t size = protobuf_c_message_get_packed_size(a);
    size_t other = protobuf_c_message_get_packed_size(b);
    uint8_t *bytes_a = malloc(size + 1), *bytes_b = malloc(other + 1);
    protobuf_c_message_pack(a, bytes_a);
    protobuf_c_message_pack(b, bytes_b);
    if (size != other || memcmp(bytes_a, bytes_b, size) != 0) {
        print_error("does not come back: %s\n", text);
    }
    assert_int_equal(size, other);
    assert_memory_equal(bytes_a, bytes_b, size);
    free(bytes_a);
    free(bytes_b);
}

static void
test_parse_of_print(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 1};
    for (size_t i = 0; i < ROOT_COUNT; i++) {
        for (int round = 0; round < 200; round++) {
            ProtobufCMessage *message = make_message(&rng, roots[i], 3);
            char *text = wire_text_print(message, round % 2 == 0, round % 4 < 2);
            struct wire_text_error error;
            ProtobufCMessage *back = wire_text_parse(roots[i], text, strlen(text), &error);
            if (back == NULL) {
                print_error("%u:%u: %s: %s\n%s\n", error.line, error.column, error.defect.path,
                    error.defect.text, text);
            }
            assert_non_null(back);
            assert_same(message, back, text);
            free(text);
            wire_text_free(back);
            wire_text_free(message);
        }
    }
}

/* Walks the tree of message kinds; a kind within itself is met at the bound of depth. */
static void
check_names(const ProtobufCMessageDescriptor *descriptor, int depth)
{
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        assert_ptr_equal(wire_field_find(descriptor, wire_field_json_name(field).text), field);
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && depth > 0) {
            check_names(field->descriptor, depth - 1);
        }
    }
}

static void
test_names_do_not_collide(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROOT_COUNT; i++) {
        check_names(roots[i], 6);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_of_print),
        cmocka_unit_test(test_names_do_not_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
