/*
 * test_messages.c: proto/vectors/messages/ equals the output of protobuf-c, to the byte.  It has
 * every field of every message of the schema, and every enumerator.
 *
 * Each file is messages as JSON and as bytes.  The daemon's decoder also reads the messages of a
 * client, and our clients' decoder those of a daemon.  Tests in other languages read the same
 * files.
 *
 *   usage: test_messages          checks
 *          test_messages --write  writes the bytes again
 */
#include "proto/peer.h"
#include "proto/text.h"
#include "proto/text/field.h"

#include "tests/unit/proto/vectors.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"client", "server", "http"};
#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

#define TEXT_SIZE (1 << 18)

static bool is_writing;

static void
path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.json", MESSAGES_DIR, name);
}

static Vectors__File *
read_vectors(const char *name)
{
    static char text[TEXT_SIZE];
    char path[512];
    path_of(name, path, sizeof(path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof(text), file);
    assert_in_range(size, 1, sizeof(text) - 1);
    assert_int_equal(fclose(file), 0);
    struct wire_text_error error;
    ProtobufCMessage *message =
        wire_text_parse(&vectors__file__descriptor, text, size, &error);
    if (message == NULL) {
        char shown[WIRE_TEXT_ERROR_SIZE];
        fail_msg("%s", wire_text_error_print(&error, path, shown, sizeof(shown)));
    }
    return (Vectors__File *)message;
}

/* The member of the oneof that is set. */
static const ProtobufCMessage *
message_of(const Vectors__Vector *vector)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(
        &vectors__vector__descriptor, (unsigned)vector->message_case);
    assert_non_null(field);
    return *(ProtobufCMessage *const *)wire_field_member_const(&vector->base, field);
}

/* The caller frees it. */
static char *
hex_of(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    char *hex = malloc(2 * size + 1);
    assert_non_null(bytes);
    assert_non_null(hex);
    assert_int_equal(protobuf_c_message_pack(message, bytes), size);
    hex[0] = '\0';
    for (size_t i = 0; i < size; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
    free(bytes);
    return hex;
}

/* To be freed. */
static uint8_t *
bytes_of(const char *hex, size_t *size)
{
    *size = strlen(hex) / 2;
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < *size; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

/* ---- the bytes ---- */

/* A message that is unpacked, printed, parsed and packed again gives the same bytes. */
static void
check_text(const ProtobufCMessageDescriptor *descriptor, const char *hex)
{
    size_t size;
    uint8_t *bytes = bytes_of(hex, &size);
    ProtobufCMessage *unpacked = protobuf_c_message_unpack(descriptor, NULL, size, bytes);
    assert_non_null(unpacked);
    char *text = wire_text_print(unpacked, false, false);
    assert_non_null(text);
    struct wire_text_error error;
    ProtobufCMessage *again = wire_text_parse(descriptor, text, strlen(text), &error);
    assert_non_null(again);
    char *back = hex_of(again);
    assert_string_equal(back, hex);
    free(back);
    free(text);
    free(bytes);
    wire_text_free(again);
    protobuf_c_message_free_unpacked(unpacked, NULL);
}

static void
check_heard_by_daemon(const Vectors__Vector *vector)
{
    size_t size;
    uint8_t *bytes = bytes_of(vector->bytes, &size);
    struct wire_client_message message;
    struct wire_error error = {0};
    if (wire_client_decode(bytes, size, &message, &error) != WIRE_DECODE_OK) {
        fail_msg("%s: %s %s %s", vector->bytes, error.code, error.path, error.text);
    }
    wire_client_message_finish(&message);
    free(bytes);
}

static void
check_heard_by_client(const Vectors__Vector *vector)
{
    size_t size;
    uint8_t *bytes = bytes_of(vector->bytes, &size);
    struct wire_server_message message;
    struct wire_error error = {0};
    if (!wire_server_decode(bytes, size, &message, &error)) {
        fail_msg("%s: %s %s %s", vector->bytes, error.code, error.path, error.text);
    }
    assert_int_equal(message.kind, vector->server_message->message_case);
    assert_int_equal(wire_server_kind(bytes, size), message.kind);
    assert_true(message.kind != WIRE_SERVER_SNAPSHOT || message.snapshot.is_whole);
    wire_server_message_finish(&message);
    free(bytes);
}

static void
check_vector(const Vectors__Vector *vector)
{
    const ProtobufCMessage *message = message_of(vector);
    char *hex = hex_of(message);
    assert_string_equal(hex, vector->bytes);
    free(hex);
    check_text(message->descriptor, vector->bytes);
    if (vector->message_case == VECTORS__VECTOR__MESSAGE_CLIENT_MESSAGE) {
        check_heard_by_daemon(vector);
    } else if (vector->message_case == VECTORS__VECTOR__MESSAGE_SERVER_MESSAGE) {
        check_heard_by_client(vector);
    }
}

static void
write_vectors(const char *name, const Vectors__File *vectors)
{
    char path[512];
    path_of(name, path, sizeof(path));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "{\"about\": \"%s\",\n\"messages\": [\n", vectors->about);
    for (size_t i = 0; i < vectors->n_messages; i++) {
        Vectors__Vector said = *vectors->messages[i];
        said.bytes = hex_of(message_of(&said));
        char *text = wire_text_print(&said.base, false, false);
        assert_non_null(text);
        fprintf(file, "%s%s\n", text, i + 1 < vectors->n_messages ? "," : "");
        free(text);
        free(said.bytes);
    }
    fprintf(file, "]}\n");
    assert_int_equal(fclose(file), 0);
}

static void
test_bytes(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < NAME_COUNT; n++) {
        Vectors__File *vectors = read_vectors(names[n]);
        if (is_writing) {
            write_vectors(names[n], vectors);
        }
        for (size_t i = 0; i < vectors->n_messages && !is_writing; i++) {
            check_vector(vectors->messages[i]);
        }
        wire_text_free(&vectors->base);
    }
}

/* ---- their fields ---- */

#define SEEN_MAX 2048

/* A field of a message or an enumerator, by the address of its descriptor. */
static const void *seen[SEEN_MAX];
static size_t seen_count;

static bool
is_seen(const void *what)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i] == what) {
            return true;
        }
    }
    return false;
}

static void
see(const void *what)
{
    if (!is_seen(what)) {
        assert_true(seen_count < SEEN_MAX);
        seen[seen_count++] = what;
    }
}

static void see_message(const ProtobufCMessage *message);

static void
see_element(const ProtobufCFieldDescriptor *field, const void *element)
{
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        see_message(*(ProtobufCMessage *const *)element);
    } else if (field->type == PROTOBUF_C_TYPE_ENUM) {
        see(protobuf_c_enum_descriptor_get_value(field->descriptor, *(const int *)element));
    }
}

static void
see_message(const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        bool is_set = wire_field_is_set(message, field);
        if (is_set) {
            see(field);
        }
        if (wire_field_is_repeated(field)) {
            const char *array = *(char *const *)wire_field_member_const(message, field);
            for (size_t k = 0; k < wire_field_count_const(message, field); k++) {
                see_element(field, array + k * wire_field_element_size(field));
            }
        } else if (is_set || (field->type == PROTOBUF_C_TYPE_ENUM && !wire_field_is_oneof(field))) {
            see_element(field, wire_field_member_const(message, field));
        }
    }
}

static int
tell_unseen_values(const ProtobufCEnumDescriptor *descriptor)
{
    int unseen = 0;
    for (unsigned i = 0; i < descriptor->n_values; i++) {
        if (!is_seen(&descriptor->values[i])) {
            print_error("%s.%s is in no vector\n", descriptor->name, descriptor->values[i].name);
            unseen++;
        }
    }
    return unseen;
}

/* `told` are the messages and enums that were searched already. */
static int
tell_unseen(const ProtobufCMessageDescriptor *descriptor, const void *told[], size_t *told_count)
{
    int unseen = 0;
    for (size_t i = 0; i < *told_count; i++) {
        if (told[i] == descriptor) {
            return 0;
        }
    }
    assert_true(*told_count < SEEN_MAX);
    told[(*told_count)++] = descriptor;
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        if (!is_seen(field)) {
            print_error("%s.%s is in no vector\n", descriptor->name, field->name);
            unseen++;
        }
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            unseen += tell_unseen(field->descriptor, told, told_count);
        } else if (field->type == PROTOBUF_C_TYPE_ENUM) {
            unseen += tell_unseen_values(field->descriptor);
        }
    }
    return unseen;
}

static void
test_whole(void **unused)
{
    (void)unused;
    static const void *told[SEEN_MAX];
    size_t told_count = 0;
    for (size_t n = 0; n < NAME_COUNT; n++) {
        Vectors__File *vectors = read_vectors(names[n]);
        see_message(&vectors->base);
        wire_text_free(&vectors->base);
    }
    assert_int_equal(tell_unseen(&vectors__file__descriptor, told, &told_count), 0);
    assert_true(told_count > 100); /* the schema has that many messages */
}

int
main(int argc, char **argv)
{
    is_writing = argc == 2 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
