/*
 * test_attribute_frames.c: AttributeFrames of a full world, in several frames, and of differences.
 */
#include "proto/peer.h"
#include "server/base/frame.h"
#include "server/snapshot/attributes.h"

#include "tests/support/live_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

struct stage {
    struct cn_world *world;
    struct wire_state *whole;
    long blocks;
};

static void
set(struct stage *stage, uint64_t session, int number, struct cn_value value)
{
    struct cn_command command = {.kind = CN_COMMAND_SET_ATTRIBUTE};
    struct cn_attribute *attribute = &command.set_attribute.attribute;
    attribute->owner = (struct cn_owner){CN_OWNER_SESSION, session};
    snprintf(attribute->name, sizeof(attribute->name), "a-long-name-of-an-attribute%04d", number);
    attribute->value = value;
    assert_int_equal(cn_world_command_apply(stage->world, &command, NULL), CN_OK);
}

static void
stage_init(struct stage *stage)
{
    static const struct cn_shape_def shape = {.kind = CN_SHAPE_CIRCLE, .circle = {.radius = 1.0}};
    struct cn_body_def body;
    struct cn_world_def def;
    stage->blocks = live_blocks();
    cn_world_def_init(&def);
    cn_body_def_init(&body);
    body.shapes = &shape;
    body.shape_count = 1;
    def.bodies = &body;
    def.body_count = 1;
    assert_int_equal(cn_world_create(&def, NULL, &stage->world), CN_OK);
    stage->whole = wire_state_create(1, false);
    assert_non_null(stage->whole);
    stage->whole->series = 1;
}

static void
stage_finish(struct stage *stage)
{
    wire_state_unref(stage->whole);
    cn_world_destroy(stage->world);
    assert_int_equal(live_blocks(), stage->blocks);
}

/* Counts the frames in the buffer and their rows; only the first may be full. */
static void
count_frames(const struct sv_buffer *buffer, int *frames, int *rows, bool *full)
{
    *frames = *rows = 0;
    for (size_t at = 0; at < buffer->size;) {
        const uint8_t *head = buffer->bytes + at;
        size_t head_size = sv_frame_header_size_of(head);
        uint64_t size = head[1] & 0x7f;
        for (size_t i = 2, first = 1; i < head_size; i++, first = 0) {
            size = (first ? 0 : size << 8) | head[i];
        }
        struct wire_server_message heard;
        struct wire_error error;
        assert_true(size < 1024 * 1024);
        assert_true(wire_server_decode(head + head_size, (size_t)size, &heard, &error));
        assert_int_equal(heard.kind, WIRE_SERVER_ATTRIBUTES);
        assert_true(!heard.attributes.full || *frames == 0);
        *full = *frames == 0 ? heard.attributes.full : *full;
        *rows += heard.attributes.count;
        ++*frames;
        wire_server_message_finish(&heard);
        at += head_size + (size_t)size;
    }
}

static void
test_full_world(void **state)
{
    (void)state;
    struct stage stage;
    struct cn_value longest = {.kind = CN_VALUE_BYTES, .size = CN_ATTRIBUTE_VALUE_MAX};
    stage_init(&stage);
    memset(longest.bytes, 0xff, sizeof(longest.bytes));
    for (int i = 0; i < CN_ATTRIBUTES_MAX; i++) {
        set(&stage, UINT64_MAX - (uint64_t)(i / CN_ATTRIBUTES_PER_OWNER_MAX), i, longest);
    }
    struct sv_attributes *all = sv_attributes_take(stage.world, stage.whole, stage.whole, NULL);
    assert_non_null(all);
    assert_ptr_equal(sv_attributes_take(stage.world, stage.whole, stage.whole, all), all);
    sv_attributes_unref(all);
    struct sv_buffer *message = sv_attributes_message(NULL, all, UINT64_MAX, UINT32_MAX);
    int frames, rows;
    bool full = false;
    assert_non_null(message);
    count_frames(message, &frames, &rows, &full);
    assert_int_equal(frames, 2);
    assert_int_equal(rows, CN_ATTRIBUTES_MAX);
    assert_true(full);
    sv_buffer_unref(message);

    /* One value has changed, and one attribute is gone. */
    set(&stage, UINT64_MAX, 0, cn_value_integer(1));
    set(&stage, UINT64_MAX, 1, (struct cn_value){0});
    struct sv_attributes *now = sv_attributes_take(stage.world, stage.whole, stage.whole, all);
    assert_non_null(now);
    message = sv_attributes_message(all, now, 5, 1);
    assert_non_null(message);
    count_frames(message, &frames, &rows, &full);
    assert_int_equal(frames, 1);
    assert_int_equal(rows, 2);
    assert_false(full);
    sv_buffer_unref(message);

    /* Another series has other bodies: all of it is sent. */
    stage.whole->series = 2;
    struct sv_attributes *later = sv_attributes_take(stage.world, stage.whole, stage.whole, now);
    message = sv_attributes_message(now, later, 5, 2);
    assert_non_null(message);
    count_frames(message, &frames, &rows, &full);
    assert_int_equal(rows, CN_ATTRIBUTES_MAX - 1);
    assert_true(full);
    sv_buffer_unref(message);
    sv_attributes_unref(later);
    sv_attributes_unref(now);
    sv_attributes_unref(all);
    stage_finish(&stage);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
