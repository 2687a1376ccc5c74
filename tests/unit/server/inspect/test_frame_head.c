/*
 * test_frame_head.c: WebSocket frames of clients, refused at their first bad byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/inspect/frame_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes in hexadecimal, with blanks. */
static size_t
bytes_of(const char *text, uint8_t *out)
{
    size_t size = 0;
    unsigned value;
    int used;
    while (sscanf(text, "%2x %n", &value, &used) == 1) {
        out[size++] = (uint8_t)value;
        text += used;
    }
    return size;
}

/* The number of accepted bytes, which must not depend on how the bytes are cut. */
static size_t
check(const uint8_t *bytes, size_t size, struct sv_frames *frames)
{
    static const size_t steps[] = {1, 3, SIZE_MAX / 2};
    size_t taken = SIZE_MAX;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        size_t at = 0, used = 1;
        memset(frames, 0, sizeof(*frames));
        while (at < size && used > 0) {
            size_t step = steps[i] < size - at ? steps[i] : size - at;
            used = sv_frames_check(frames, bytes + at, step);
            at += used;
            if (used < step) {
                break;
            }
        }
        assert_true(taken == SIZE_MAX || taken == at);
        taken = at;
    }
    return taken;
}

static const struct {
    const char *bytes;
    size_t taken;
    int code; /* 0: all is good */
} known_frames[] = {
    {"82 85 37 fa 21 3d 7f 9f 4d 51 58", 11, 0}, /* RFC 6455, 5.7, but binary */
    {"82 80 00 00 00 00", 6, 0},
    {"02 81 00 00 00 00 61 80 81 00 00 00 00 62", 14, 0},
    {"02 80 00 00 00 00 89 80 00 00 00 00 80 80 00 00 00 00", 18, 0}, /* a ping between */
    {"82 fe 00 7e 00 00 00 00", 8, 0},
    {"82 ff 00 00 00 00 00 01 00 00 00 00 00 00", 14, 0}, /* 65536, just so many */
    {"8a 80 00 00 00 00", 6, 0},
    {"82 05 68 65 6c 6c 6f", 1, 1002},         /* no mask */
    {"89 00", 1, 1002},
    {"c2 80", 0, 1002},                        /* reserved bits */
    {"a2 80", 0, 1002},
    {"92 80", 0, 1002},
    {"83 80", 0, 1002},                        /* reserved opcodes */
    {"87 80", 0, 1002},
    {"8b 80", 0, 1002},
    {"8f 80", 0, 1002},
    {"09 80", 0, 1002},                        /* control frames in pieces, or long */
    {"08 80", 0, 1002},
    {"89 fe 00 7e", 1, 1002},
    {"89 ff", 1, 1002},
    {"80 80", 0, 1002},                        /* a last fragment without a first */
    {"02 80 00 00 00 00 82 80", 6, 1002},      /* one message within another */
    {"82 80 00 00 00 00 80 80", 6, 1002},
    {"81 80", 1, 1003},
    {"01 85", 1, 1003},
    {"81 05", 1, 1002},                        /* a missing mask comes before the text */
    {"82 fe 00 7d 00", 3, 1002},               /* not minimal */
    {"82 fe 00 00 00", 3, 1002},
    {"82 ff 00 00 00 00 00 00 ff ff", 9, 1002},
    {"82 ff 00 00 00 00 00 00 00 00", 9, 1002},
    {"82 ff 80 00 00 00 00 00 00 00", 2, 1002},
    {"82 ff ff ff ff ff ff ff ff ff", 2, 1002},
    {"82 ff 00 00 01 00 00 00 00 00", 9, 1009}, /* 2^40 */
    {"82 ff 7f ff ff ff ff ff ff ff", 9, 1009},
    {"82 ff 00 00 00 00 00 01 00 01", 9, 1009},
    {"88 80 00 00 00 00", 6, 0},
    {"88 80 00 00 00 00 82 80", 6, 0},         /* bytes after a Close are ignored */
    {"88 82 00 00 00 00 03 e8", 8, 0},
    {"88 82 01 02 03 04 02 ea", 8, 0},         /* masked 1000 */
    {"88 81", 1, 1002},
    {"88 82 00 00 00 00 03 e7", 7, 1002},      /* 999 */
    {"88 82 00 00 00 00 03 ec", 7, 1002},      /* 1004 */
    {"88 82 00 00 00 00 03 ed", 7, 1002},
    {"88 82 00 00 00 00 03 ee", 7, 1002},
    {"88 82 00 00 00 00 03 ef", 8, 0},         /* 1007 */
    {"88 82 00 00 00 00 03 f7", 7, 1002},      /* 1015 */
    {"88 82 00 00 00 00 0b b7", 7, 1002},      /* 2999 */
    {"88 82 00 00 00 00 0b b8", 8, 0},         /* 3000 */
    {"88 82 00 00 00 00 13 87", 8, 0},         /* 4999 */
    {"88 82 00 00 00 00 13 88", 7, 1002},
    {"88 84 00 00 00 00 03 e8 c3 a9", 10, 0},
    {"88 84 01 02 03 04 02 ea c0 ad", 10, 0}, /* each with its own byte of the mask */
    {"88 83 00 00 00 00 03 e8 c3", 8, 1007},   /* half a character */
    {"88 84 00 00 00 00 03 e8 c0 80", 8, 1007},
    {"88 85 00 00 00 00 03 e8 ed a0 80", 9, 1007},
};

static void
test_known_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known_frames) / sizeof(known_frames[0]); i++) {
        uint8_t bytes[64];
        struct sv_frames frames;
        const char *text = known_frames[i].bytes;
        size_t taken = check(bytes, bytes_of(text, bytes), &frames);
        if (taken != known_frames[i].taken || frames.code != known_frames[i].code) {
            print_error("%s: %zu, %d\n", text, taken, frames.code);
        }
        assert_int_equal(taken, known_frames[i].taken);
        assert_int_equal(frames.code, known_frames[i].code);
    }
}

/* A frame's head. */
static size_t
head_of(uint8_t first, uint64_t length, uint8_t *out)
{
    size_t width = length > 0xffff ? 8 : length > 125 ? 2 : 0;
    out[0] = first;
    out[1] = (uint8_t)(0x80 | (width == 8 ? 127 : width == 2 ? 126 : length));
    for (size_t i = 0; i < width; i++) {
        out[2 + i] = (uint8_t)(length >> (8 * (width - 1 - i)));
    }
    memset(out + 2 + width, 0, 4);
    return 6 + width;
}

static void
test_sizes_of_messages(void **state)
{
    (void)state;
    static uint8_t bytes[2 * SV_MESSAGE_SIZE_MAX];
    for (uint64_t more = 0; more < 2; more++) {
        struct sv_frames frames;
        size_t first = SV_MESSAGE_SIZE_MAX / 2;
        memset(bytes, 0, sizeof(bytes));
        size_t at = head_of(0x02, first, bytes);
        at += first;
        size_t head = head_of(0x80, SV_MESSAGE_SIZE_MAX - first + more, bytes + at);
        size_t whole = at + head + SV_MESSAGE_SIZE_MAX - first;
        size_t taken = check(bytes, whole, &frames);
        assert_int_equal(frames.code, more == 0 ? 0 : 1009);
        if (more == 0) {
            assert_int_equal(taken, whole);
            assert_int_equal(frames.message_count, 1);
            /* The size of the next message is counted from 0. */
            assert_int_equal(
                sv_frames_check(&frames, bytes + at + head, 0), 0);
            head = head_of(0x82, SV_MESSAGE_SIZE_MAX, bytes);
            assert_int_equal(sv_frames_check(&frames, bytes, head), head);
            assert_int_equal(frames.code, 0);
        } else {
            assert_int_equal(taken, at + head - 5); /* the last byte of the length, and the mask */
        }
    }
}

static void
test_counts(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct sv_frames frames = {0};
    size_t size = bytes_of("89 81 00 00 00 00 61 02 81 00 00 00 00", bytes);
    assert_false(sv_frames_are_open(&frames));
    assert_int_equal(sv_frames_check(&frames, bytes, 6), 6);
    assert_int_equal(frames.ping_count, 0);
    assert_true(sv_frames_are_open(&frames));
    assert_int_equal(sv_frames_check(&frames, bytes + 6, 1), 1);
    assert_int_equal(frames.ping_count, 1);
    assert_false(sv_frames_are_open(&frames));
    assert_int_equal(sv_frames_check(&frames, bytes + 7, size - 7), size - 7);
    assert_true(sv_frames_are_open(&frames));
    assert_int_equal(sv_frames_check(&frames, (const uint8_t *)"x", 1), 1);
    assert_true(sv_frames_are_open(&frames)); /* the last fragment is still missing */
    assert_int_equal(frames.message_count, 0);
    size = bytes_of("8a 80 00 00 00 00 80 80 00 00 00 00", bytes);
    assert_int_equal(sv_frames_check(&frames, bytes, size), size);
    assert_int_equal(frames.message_count, 1);
    assert_int_equal(frames.ping_count, 1);
    assert_false(sv_frames_are_open(&frames));
}

static bool
is_utf8(const char *hex)
{
    uint8_t bytes[64];
    struct sv_utf8 utf8 = {0};
    size_t size = bytes_of(hex, bytes);
    for (size_t i = 0; i < size; i++) {
        if (!sv_utf8_take(&utf8, bytes[i])) {
            return false;
        }
    }
    return utf8.left == 0;
}

static void
test_utf8(void **state)
{
    (void)state;
    /* The bounds of RFC 3629, section 4. */
    static const char *const good[] = {"", "00", "7f", "c2 80", "df bf", "e0 a0 80", "ec bf bf",
        "ed 9f bf", "ee 80 80", "ef bf bf", "f0 90 80 80", "f1 80 80 80", "f4 8f bf bf",
        "ce ba e1 bd b9 cf 83 ce bc ce b5"};
    static const char *const bad[] = {"80", "bf", "c0 80", "c1 bf", "c2", "c2 7f", "c2 c0",
        "e0 9f bf", "e0 a0", "e1 80 7f", "ed a0 80", "ed bf bf", "f0 8f bf bf", "f0 90 80",
        "f4 90 80 80", "f5 80 80 80", "fe", "ff", "c2 80 80"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(is_utf8(good[i]));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(is_utf8(bad[i]));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_frames),
        cmocka_unit_test(test_sizes_of_messages),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
