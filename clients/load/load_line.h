/*
 * load_line.h: messages that wait on a slow line, first in, first out.
 *
 * Bounded: beyond LOAD_LINE_MAX a message does not enter.  Grows as it is needed.
 */
#ifndef CLIENTS_LOAD_LOAD_LINE_H
#define CLIENTS_LOAD_LOAD_LINE_H

#include "proto/limits.h"
#include "proto/peer.h"

#define LOAD_LINE_MAX 1024

/* Bytes of a message that a bot sends; the largest is a Subscribe with an area and all tags. */
#define LOAD_SAID_SIZE_MAX (128 + WIRE_INTEREST_TAGS_MAX * (WIRE_TAG_SIZE_MAX + 2))

/* The kind of a bot's message. */
struct load_heard {
    enum wire_server_kind kind;
    union {
        struct wire_tick_header tick;
        struct {
            uint64_t sent_us, server_us;
        } pong;
        struct {
            uint64_t seq;
            uint32_t retry_ms;
            char code[WIRE_CODE_SIZE];
        } rejected;
    };
};

struct load_item {
    uint64_t due_us;
    size_t size; /* of `bytes`, for messages to the daemon */
    union {
        struct load_heard heard;
        uint8_t bytes[LOAD_SAID_SIZE_MAX];
    };
};

struct load_line {
    struct load_item *items; /* a ring */
    unsigned first, count, capacity;
};

/* Adds a last item.  NULL: the line is full, or memory ran out. */
struct load_item *load_line_push(struct load_line *line);

/* The first item if it is due, else NULL; load_line_pop removes it. */
struct load_item *load_line_due(const struct load_line *line, uint64_t now_us);
void load_line_pop(struct load_line *line);

/* The time at which the first item is due; UINT64_MAX: the line is empty. */
uint64_t load_line_next_us(const struct load_line *line);

void load_line_finish(struct load_line *line);

#endif
