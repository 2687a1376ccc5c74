/*
 * fuzz_frame_head.c: a client's frames, made one by one, some with corrupted bytes.
 *
 * The accepted bytes do not depend on how the stream is cut, and intact frames are accepted whole.
 * A second, independent reader then checks the accepted bytes.  Every whole frame has a mask, the
 * shortest form of its length, and an opcode that is allowed there; no message is too large.
 */
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/inspect/frame_head.h"
#include "tests/fuzz/take.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_SIZE ((size_t)160 * 1024)

static uint8_t bytes[BYTES_SIZE];
static size_t bytes_size;

static void
add_frame(struct take *in, uint8_t first, size_t length)
{
    size_t width = length > 0xffff ? 8 : length > 125 ? 2 : 0;
    uint8_t *at = bytes + bytes_size, mask[4];
    at[0] = first;
    at[1] = (uint8_t)(0x80 | (width == 8 ? 127 : width == 2 ? 126 : length));
    for (size_t i = 0; i < width; i++) {
        at[2 + i] = (uint8_t)(length >> (8 * (width - 1 - i)));
    }
    for (size_t i = 0; i < 4; i++) {
        at[2 + width + i] = mask[i] = (uint8_t)take_byte(in);
    }
    at += 6 + width;
    memset(at, 0x5a, length);
    if (first == 0x88 && length >= 2) { /* a code, and a reason of letters */
        unsigned code = 3000 + take_byte(in);
        at[0] = (uint8_t)(code >> 8);
        at[1] = (uint8_t)code;
        for (size_t i = 0; i < length; i++) {
            at[i] ^= mask[i % 4];
        }
    }
    bytes_size += 6 + width + length;
}

/* Messages, whole and in pieces, control frames between them, perhaps a Close at the end. */
static void
make(struct take *in)
{
    static const size_t lengths[] = {0, 1, 125, 126, 127, 300, 4096, 0xffff, 0x10000};
    bytes_size = 0;
    for (unsigned count = take_byte(in) % 8; count > 0; count--) {
        unsigned how = take_byte(in);
        size_t length = lengths[how % 9];
        if (bytes_size + length + 1024 > BYTES_SIZE) {
            break;
        }
        if (how < 128) {
            add_frame(in, 0x82, length);
        } else if (how < 192) {
            add_frame(in, how % 2 == 0 ? 0x89 : 0x8a, length % 126);
        } else {
            size_t piece = length / 3;
            add_frame(in, 0x02, piece);
            add_frame(in, 0x89, 3);
            add_frame(in, 0x00, piece);
            add_frame(in, 0x80, length - 2 * piece);
        }
    }
    unsigned last = take_byte(in);
    if (last < 64) {
        add_frame(in, 0x88, last % 2 == 0 ? 0 : 2 + last);
    }
}

static bool
spoil(struct take *in)
{
    unsigned count = take_byte(in);
    count = count < 96 || bytes_size == 0 ? 0 : count % 4 + 1;
    for (unsigned i = 0; i < count; i++) {
        size_t near = take_byte(in), far = take_u32(in);
        size_t at = (take_byte(in) % 2 == 0 ? near : far) % bytes_size;
        bytes[at] = (uint8_t)take_byte(in);
    }
    return count > 0;
}

/* Walks over the frames that the reader accepted; the last frame may be cut. */
static void
check_taken(size_t taken, const struct sv_frames *frames)
{
    uint64_t message_size = 0;
    bool is_open = false;
    for (size_t at = 0; at < taken;) {
        unsigned opcode = bytes[at] & 0x0f;
        bool is_final = bytes[at] >= 0x80;
        CN_ASSERT((bytes[at] & 0x70) == 0 && (opcode <= 2 || (opcode >= 8 && opcode <= 10)));
        CN_ASSERT(opcode >= 8 ? is_final : is_open == (opcode == 0));
        if (at + 2 > taken) {
            return;
        }
        size_t width = (bytes[at + 1] & 0x7f) == 127 ? 8 : (bytes[at + 1] & 0x7f) == 126 ? 2 : 0;
        uint64_t length = width > 0 ? 0 : bytes[at + 1] & 0x7f;
        CN_ASSERT(bytes[at + 1] >= 0x80 && opcode != 1 && (opcode < 8 || width == 0));
        if (at + 2 + width > taken) {
            return;
        }
        for (size_t i = 0; i < width; i++) {
            length = length << 8 | bytes[at + 2 + i];
        }
        CN_ASSERT(width == 0 || length > (width == 2 ? 125 : 0xffff));
        if (opcode < 8) {
            message_size = length + (opcode == 0 ? message_size : 0);
            is_open = !is_final;
            CN_ASSERT(message_size <= SV_MESSAGE_SIZE_MAX);
        }
        at += 6 + width + (size_t)length;
        if (opcode == 8) {
            CN_ASSERT(length != 1 && at >= taken && (at > taken || frames->is_closed));
            return;
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    struct sv_frames whole = {0}, pieces = {0};
    make(&in);
    bool is_spoilt = spoil(&in);
    size_t taken = sv_frames_check(&whole, bytes, bytes_size), at = 0, used = 0, step = 0;
    while (at < bytes_size && used == step) {
        step = 1 + take_byte(&in) % 128U * (at < 1024 ? 1 : 64);
        step = step < bytes_size - at ? step : bytes_size - at;
        used = sv_frames_check(&pieces, bytes + at, step);
        at += used;
    }
    CN_ASSERT(at == taken && pieces.code == whole.code && pieces.is_closed == whole.is_closed);
    CN_ASSERT(pieces.ping_count == whole.ping_count);
    CN_ASSERT(is_spoilt || (taken == bytes_size && whole.code == 0));
    CN_ASSERT(is_spoilt || !sv_frames_are_open(&whole));
    CN_ASSERT(taken == bytes_size || whole.code != 0 || whole.is_closed);
    check_taken(taken, &whole);
    CN_ASSERT(sv_frames_check(&whole, bytes, 1) == 0 || taken == bytes_size);
    return 0;
}
