/*
 * frame_head.h: checks a client's WebSocket frames against RFC 6455, and finds their payloads.
 *
 * The head of a frame is judged byte by byte as it comes, so that a frame is refused before any of
 * its payload is there: for a reserved bit or opcode, a missing mask, a length that is not written
 * in the fewest bytes, or one that makes the message too large.  Of payloads only that of a Close
 * is looked at.  The first bad byte is the first that the library does not see.
 *
 * Source: RFC 6455, 5.2 (heads), 5.4 (fragments), 5.5 (control frames), 7.4 (codes), 8.1 (UTF-8).
 */
#ifndef SERVER_INSPECT_FRAME_HEAD_H
#define SERVER_INSPECT_FRAME_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-8 that comes in pieces; zero-initialised before the first byte. */
struct sv_utf8 {
    uint8_t left;      /* bytes that the character still needs */
    uint8_t low, high; /* range of the next byte, if `left` is not 0 */
};

/* Takes a byte.  False if no valid text continues with it. */
bool sv_utf8_take(struct sv_utf8 *utf8, uint8_t byte);

/* Zero-initialised before the first byte. */
struct sv_frames {
    uint8_t stage;         /* received bytes of the head; 255: the payload is next */
    uint8_t opcode;
    bool is_final;
    bool is_open;          /* the last fragment of a message has not arrived */
    bool is_closed;        /* a Close has arrived; later bytes are ignored */
    uint8_t length_size;   /* bytes of the extended length: 0, 2, 8 */
    uint8_t mask[4];
    uint8_t mask_at;       /* byte of the mask for the next byte of the payload */
    uint64_t left;         /* missing payload of this frame; while the head arrives, its length */
    uint64_t message_size; /* size of the fragments before this one */
    uint8_t close_size;    /* received bytes of a Close's payload */
    uint16_t close_code;
    struct sv_utf8 reason;
    unsigned ping_count, message_count; /* complete ones; the counters wrap */
    /* Why the rest is refused: the code to close with, and static text. */
    uint16_t code;
    const char *text;
};

/* A part of one frame's payload, or its end. */
struct sv_frame_piece {
    uint8_t opcode;
    size_t at, size;  /* its bytes, of those that were taken; still masked */
    uint8_t mask_at;  /* byte of the mask for the first one */
    bool is_end;      /* the frame ends with it */
    bool is_final;    /* the frame is the last of its message */
};

/*
 * Takes bytes up to the end of the next piece; *used is their number.  False: they are all taken
 * and no piece is complete, or the byte after them is refused (frames->code is not 0), or follows a
 * Close.
 */
bool sv_frames_next(struct sv_frames *frames, const uint8_t *bytes, size_t size, size_t *used,
    struct sv_frame_piece *piece);

/* Unmasks a piece in place. */
void sv_frames_unmask(const struct sv_frames *frames, const struct sv_frame_piece *piece,
    uint8_t *bytes);

/*
 * Returns how many of the bytes may be read.  If fewer than `size`, the next byte is refused
 * (frames->code is not 0), or follows a Close.
 */
size_t sv_frames_check(struct sv_frames *frames, const uint8_t *bytes, size_t size);

/* Whether a frame or a message is incomplete. */
bool sv_frames_are_open(const struct sv_frames *frames);

#endif
