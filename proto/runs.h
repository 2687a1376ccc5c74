/*
 * runs.h: run lists and columns of the messages Delta and ContactDelta (WIRE.md, "Deltas").
 *
 * A run list names numbers in ascending order, as alternating counts: how many to skip, and how
 * many to take.  A column is a packed protobuf field of varints.
 */
#ifndef PROTO_RUNS_H
#define PROTO_RUNS_H

#include "engine/base/assert.h"
#include "proto/pack.h"

/* Three residuals whose zigzag codes are below this fit into one number. */
#define WIRE_ZIGZAG_END 1023

/* Room for tag and size before the bytes of a column. */
#define WIRE_COLUMN_HEAD_MAX 7

/* ---- writing ---- */

/* Puts tag and size before the bytes that were written from begin + WIRE_COLUMN_HEAD_MAX on. */
static inline uint8_t *
wire_column_close(uint8_t *begin, const uint8_t *end, uint32_t field)
{
    const uint8_t *content = begin + WIRE_COLUMN_HEAD_MAX;
    size_t size = (size_t)(end - content);
    if (size == 0) {
        return begin;
    }
    uint8_t *at = wire_put_varint(wire_put_tag(begin, field, WIRE_TYPE_BYTES), size);
    CN_ASSERT(at <= content); /* tag and size have their room */
    memmove(at, content, size);
    return at + size;
}

/* A run list that is being written: where the next run could begin, and the present run. */
struct wire_runs {
    uint8_t *at;
    uint32_t end, run;
};

static inline struct wire_runs
wire_runs_begin(uint8_t *begin)
{
    return (struct wire_runs){.at = begin + WIRE_COLUMN_HEAD_MAX};
}

static inline void
wire_runs_flush(struct wire_runs *runs)
{
    if (runs->run > 0) {
        runs->at = wire_put_varint(runs->at, runs->run);
        runs->run = 0;
    }
}

/* Adds a number above those before. */
static inline void
wire_runs_take(struct wire_runs *runs, uint32_t index)
{
    if (runs->run == 0 || index != runs->end) {
        wire_runs_flush(runs);
        runs->at = wire_put_varint(runs->at, index - runs->end);
    }
    runs->run++;
    runs->end = index + 1;
}

static inline uint8_t *
wire_runs_close(struct wire_runs *runs, uint8_t *begin, uint32_t field)
{
    wire_runs_flush(runs);
    return wire_column_close(begin, runs->at, field);
}

/* ---- reading ---- */

/* The next run of a list: [from, to), ascending. */
struct wire_run_reader {
    struct wire_reader reader;
    uint32_t from, to;
};

/* False at the end, and after an invalid run or one beyond the limit; then reader.is_bad is set. */
static inline bool
wire_run_next(struct wire_run_reader *runs, uint32_t limit)
{
    if (wire_reader_is_done(&runs->reader)) {
        return false;
    }
    bool is_first = runs->to == 0;
    uint64_t from = (uint64_t)runs->to + wire_get_uint32(&runs->reader);
    uint64_t to = from + wire_get_uint32(&runs->reader);
    bool is_gap = from > runs->to || is_first;
    if (runs->reader.is_bad || to > limit || to == from || !is_gap) {
        runs->reader.is_bad = true;
        return false;
    }
    runs->from = (uint32_t)from;
    runs->to = (uint32_t)to;
    return true;
}

/* How many numbers a run list has; -1 if it is invalid or goes beyond the limit. */
static inline int64_t
wire_runs_count(struct wire_reader list, uint32_t limit)
{
    struct wire_run_reader runs = {.reader = list};
    int64_t count = 0;
    while (wire_run_next(&runs, limit)) {
        count += runs.to - runs.from;
    }
    return runs.reader.is_bad ? -1 : count;
}

/* How many numbers a column has.  Each number ends with a byte below 0x80. */
static inline int64_t
wire_column_count(const struct wire_reader *column)
{
    int64_t count = 0;
    for (const uint8_t *at = column->at; at != column->end; at++) {
        count += *at < 0x80;
    }
    return count;
}

/* ---- residuals ---- */

static inline bool
wire_residual_is_wide(const int32_t residual[3])
{
    return wire_zigzag(residual[0]) >= WIRE_ZIGZAG_END ||
           wire_zigzag(residual[1]) >= WIRE_ZIGZAG_END ||
           wire_zigzag(residual[2]) >= WIRE_ZIGZAG_END;
}

static inline uint32_t
wire_residual_pack(const int32_t residual[3])
{
    return wire_interleave(
        wire_zigzag(residual[0]), wire_zigzag(residual[1]), wire_zigzag(residual[2]));
}

static inline void
wire_residual_unpack(uint32_t code, int32_t into[3])
{
    for (int c = 0; c < 3; c++) {
        into[c] = wire_unzigzag(wire_gather(code >> c));
    }
}

static inline int32_t
wire_wrapping_sum(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t
wire_wrapping_difference(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

#endif
