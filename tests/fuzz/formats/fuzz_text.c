/*
 * fuzz_text.c: no text makes the loader crash, hang or leak.  Accepted text is the same after
 * printing and reading it again.  A refusal has a text and a position inside the input.
 */
#include "engine/base/assert.h"
#include "proto/scene.h"

#include "cairn/v1/config.pb-c.h"
#include "cairn/v1/scene.pb-c.h"
#include "tests/unit/proto/probe.pb-c.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned
count_lines(const char *text, size_t size)
{
    unsigned count = 2; /* the first, and the one that an end is reported on */
    for (size_t i = 0; i < size; i++) {
        bool is_break = text[i] == '\n' || text[i] == '\r' || (text[i] & 0x80) != 0;
        count += is_break;
    }
    return count;
}

static void
check_error(const struct wire_text_error *error, const char *text, size_t size)
{
    CN_ASSERT(error->defect.status != CN_OK);
    CN_ASSERT(error->defect.text[0] != '\0');
    CN_ASSERT(error->line <= count_lines(text, size));
    CN_ASSERT(error->column <= size + 3);
}

static uint8_t *
pack(const ProtobufCMessage *message, size_t *size)
{
    *size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(*size + 1);
    CN_ASSERT(bytes != NULL);
    protobuf_c_message_pack(message, bytes);
    return bytes;
}

static void
check_round_trip(const ProtobufCMessage *message)
{
    struct wire_text_error error;
    size_t size, other_size;
    char *text = wire_text_print(message, false, false);
    CN_ASSERT(text != NULL);
    ProtobufCMessage *back =
        wire_text_parse(message->descriptor, text, strlen(text), &error);
    /* A print is longer than a terse text may have been; it must be read unless it is too long. */
    if (back == NULL) {
        CN_ASSERT(error.defect.status == CN_LIMIT);
    } else {
        uint8_t *bytes = pack(message, &size), *other = pack(back, &other_size);
        CN_ASSERT(size == other_size && memcmp(bytes, other, size) == 0);
        free(bytes);
        free(other);
    }
    wire_text_free(back);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ProtobufCMessageDescriptor *const kinds[] = {&probe__probe__descriptor,
        &cairn__v1__config__descriptor, &cairn__v1__scene__descriptor};
    const char *text = (const char *)data;
    struct wire_text_error error;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        ProtobufCMessage *message = wire_text_parse(kinds[i], text, size, &error);
        if (message != NULL) {
            check_round_trip(message);
        } else {
            check_error(&error, text, size);
        }
        wire_text_free(message);
    }
    struct wire_scene *scene = wire_scene_parse(text, size, &error);
    if (scene == NULL) {
        check_error(&error, text, size);
    }
    wire_scene_destroy(scene);
    return 0;
}
