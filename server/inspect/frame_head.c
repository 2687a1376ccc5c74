#include "server/inspect/frame_head.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <string.h>

#define STAGE_PAYLOAD 255
#define CONTROL_SIZE_MAX 125

enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };
enum { CODE_PROTOCOL = 1002, CODE_TEXT = 1003, CODE_UTF8 = 1007, CODE_SIZE = 1009 };

bool
sv_utf8_take(struct sv_utf8 *utf8, uint8_t byte)
{
    CN_ASSERT(utf8->left <= 3);
    if (utf8->left > 0) {
        bool is_good = byte >= utf8->low && byte <= utf8->high;
        utf8->left--;
        utf8->low = 0x80;
        utf8->high = 0xbf;
        return is_good;
    }
    /*
     * The range of the second byte excludes overlong forms, surrogates and code points above
     * U+10FFFF.
     */
    utf8->low = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
    utf8->high = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
    if (byte < 0x80) {
        return true;
    }
    if (byte < 0xc2 || byte > 0xf4) {
        return false;
    }
    utf8->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    return true;
}

static bool
refuse_frame(struct sv_frames *frames, uint16_t code, const char *text)
{
    frames->code = code;
    frames->text = text;
    return false;
}

static bool
is_control(const struct sv_frames *frames)
{
    return frames->opcode >= CLOSE;
}

static bool
take_first(struct sv_frames *frames, uint8_t byte)
{
    frames->opcode = byte & 0x0f;
    frames->is_final = (byte & 0x80) != 0;
    if ((byte & 0x70) != 0) {
        return refuse_frame(frames, CODE_PROTOCOL, "a reserved bit is set");
    }
    if (frames->opcode > PONG || (frames->opcode > BINARY && frames->opcode < CLOSE)) {
        return refuse_frame(frames, CODE_PROTOCOL, "a reserved opcode");
    }
    if (is_control(frames)) {
        return frames->is_final || refuse_frame(frames, CODE_PROTOCOL, "a control frame in pieces");
    }
    if (frames->opcode == CONTINUATION && !frames->is_open) {
        return refuse_frame(frames, CODE_PROTOCOL, "nothing goes on here");
    }
    if (frames->opcode != CONTINUATION && frames->is_open) {
        return refuse_frame(frames, CODE_PROTOCOL, "a message within another");
    }
    return true;
}

static bool
take_second(struct sv_frames *frames, uint8_t byte)
{
    unsigned length = byte & 0x7f;
    if ((byte & 0x80) == 0) {
        return refuse_frame(frames, CODE_PROTOCOL, "a frame without a mask");
    }
    if (frames->opcode == TEXT) {
        return refuse_frame(frames, CODE_TEXT, "binary messages only");
    }
    if (is_control(frames) && length > CONTROL_SIZE_MAX) {
        return refuse_frame(frames, CODE_PROTOCOL, "a control frame of more than 125 bytes");
    }
    if (frames->opcode == CLOSE && length == 1) {
        return refuse_frame(frames, CODE_PROTOCOL, "half a close code");
    }
    frames->length_size = length == 127 ? 8 : length == 126 ? 2 : 0;
    frames->left = frames->length_size == 0 ? length : 0;
    return true;
}

/* Checks the length, once all its bytes have arrived. */
static bool
check_length(struct sv_frames *frames)
{
    if (frames->length_size > 0 && frames->left <= (frames->length_size == 2 ? 125 : 0xffff)) {
        return refuse_frame(frames, CODE_PROTOCOL, "a length in more bytes than it needs");
    }
    bool is_too_large = !is_control(frames) &&
        (frames->left > SV_MESSAGE_SIZE_MAX ||
            frames->message_size + frames->left > SV_MESSAGE_SIZE_MAX);
    return !is_too_large || refuse_frame(frames, CODE_SIZE, "message too large");
}

static void
end_frame(struct sv_frames *frames)
{
    CN_ASSERT(frames->left == 0);
    frames->stage = 0;
    frames->ping_count += frames->opcode == PING;
    frames->is_closed |= frames->opcode == CLOSE;
    if (!is_control(frames)) {
        frames->is_open = !frames->is_final;
        frames->message_count += frames->is_final;
    }
}

static void
end_head(struct sv_frames *frames)
{
    frames->stage = STAGE_PAYLOAD;
    frames->mask_at = 0;
    frames->close_size = 0;
    frames->close_code = 0;
    memset(&frames->reason, 0, sizeof(frames->reason));
    if (!is_control(frames)) {
        frames->message_size =
            frames->left + (frames->opcode == CONTINUATION ? frames->message_size : 0);
    }
    if (frames->left == 0) {
        end_frame(frames);
    }
}

static bool
take_head(struct sv_frames *frames, uint8_t byte)
{
    unsigned at = frames->stage++;
    if (at == 0) {
        return take_first(frames, byte);
    }
    if (at == 1) {
        bool is_good = take_second(frames, byte);
        if (is_good && frames->opcode == BINARY) {
            frames->message_size = 0;
        }
        return is_good && (frames->length_size > 0 || check_length(frames));
    }
    if (at < 2U + frames->length_size) {
        if (at == 2 && frames->length_size == 8 && byte >= 0x80) {
            return refuse_frame(frames, CODE_PROTOCOL, "a length with its top bit set");
        }
        frames->left = frames->left << 8 | byte;
        return at + 1U < 2U + frames->length_size || check_length(frames);
    }
    unsigned mask_at = at - 2U - frames->length_size;
    CN_ASSERT(mask_at < 4);
    frames->mask[mask_at] = byte;
    if (mask_at == 3) {
        end_head(frames);
    }
    return true;
}

static bool
is_close_code(unsigned code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
        (code >= 3000 && code <= 4999);
}

static bool
take_close(struct sv_frames *frames, uint8_t byte)
{
    unsigned at = frames->close_size++;
    CN_ASSERT(at < CONTROL_SIZE_MAX);
    byte ^= frames->mask[at % 4];
    if (at < 2) {
        frames->close_code = (uint16_t)(frames->close_code << 8 | byte);
        return at == 0 || is_close_code(frames->close_code) ||
            refuse_frame(frames, CODE_PROTOCOL, "no close code");
    }
    bool is_good = sv_utf8_take(&frames->reason, byte) &&
        (frames->left > 1 || frames->reason.left == 0);
    return is_good || refuse_frame(frames, CODE_UTF8, "a reason that is no UTF-8");
}

/* Takes the bytes of the frame's head that are there.  True: the head is complete. */
static bool
take_heads(struct sv_frames *frames, const uint8_t *bytes, size_t size, size_t *used)
{
    while (*used < size) {
        unsigned stage = frames->stage;
        if (!take_head(frames, bytes[*used])) {
            return false;
        }
        ++*used;
        if (frames->stage == STAGE_PAYLOAD || (stage > 0 && frames->stage == 0)) {
            return true;
        }
    }
    return false;
}

/* Takes the bytes of the payload that are there and good, at least one if the frame has one. */
static size_t
take_payload(struct sv_frames *frames, const uint8_t *bytes, size_t size)
{
    size_t count = frames->left < size ? (size_t)frames->left : size;
    if (frames->opcode != CLOSE) {
        frames->left -= count;
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        if (!take_close(frames, bytes[i])) {
            return i;
        }
        frames->left--;
    }
    return count;
}

bool
sv_frames_next(struct sv_frames *frames, const uint8_t *bytes, size_t size, size_t *used,
    struct sv_frame_piece *piece)
{
    *used = 0;
    if (frames->code != 0 || frames->is_closed) {
        return false;
    }
    if (frames->stage != STAGE_PAYLOAD && !take_heads(frames, bytes, size, used)) {
        return false;
    }
    *piece = (struct sv_frame_piece){.opcode = frames->opcode,
        .at = *used,
        .mask_at = frames->mask_at,
        .is_final = frames->is_final};
    if (frames->stage == STAGE_PAYLOAD) {
        CN_ASSERT(frames->left > 0); /* an empty frame ends with its head */
        piece->size = take_payload(frames, bytes + *used, size - *used);
        frames->mask_at = (uint8_t)((frames->mask_at + piece->size) % 4);
        *used += piece->size;
        if (frames->code != 0) {
            return false;
        }
        if (frames->left == 0) {
            end_frame(frames);
        }
    }
    piece->is_end = frames->stage == 0;
    CN_ASSERT(*used <= size);
    return piece->size > 0 || piece->is_end;
}

void
sv_frames_unmask(
    const struct sv_frames *frames, const struct sv_frame_piece *piece, uint8_t *bytes)
{
    for (size_t i = 0; i < piece->size; i++) {
        bytes[piece->at + i] ^= frames->mask[(piece->mask_at + i) % 4];
    }
}

size_t
sv_frames_check(struct sv_frames *frames, const uint8_t *bytes, size_t size)
{
    size_t at = 0, used = 0;
    struct sv_frame_piece piece;
    while (at < size && sv_frames_next(frames, bytes + at, size - at, &used, &piece)) {
        at += used;
    }
    return at < size ? at + used : at;
}

bool
sv_frames_are_open(const struct sv_frames *frames)
{
    return frames->is_open || frames->stage != 0;
}
