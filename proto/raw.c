#include "proto/raw.h"

#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "proto/pack.h"

#include <stdlib.h>

#define RAW_MESSAGE 18
enum {
    RAW_TICK = 1,
    RAW_GENERATION = 2,
    RAW_TIME = 3,
    RAW_COUNT = 4,
    RAW_COLUMN_COUNT = 5,
    RAW_STATE_HASH = 6,
    RAW_ASLEEP = 7,
    RAW_PADDING = 8,
    RAW_COLUMNS = 9,
};

#define ALIGNMENT 8
#define HEAD_SIZE_MAX 128

static size_t
varint_size(uint64_t value)
{
    uint8_t bytes[10];
    return (size_t)(wire_put_varint(bytes, value) - bytes);
}

static uint64_t
double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint8_t *
put_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return wire_put_varint(wire_put_tag(at, field, WIRE_TYPE_VARINT), value);
}

static uint8_t *
put_head(uint8_t *at, const struct wire_state *state, size_t column_count)
{
    at = put_number(at, RAW_TICK, state->tick);
    at = put_number(at, RAW_GENERATION, state->generation);
    at = wire_put_fixed64(wire_put_tag(at, RAW_TIME, WIRE_TYPE_64), double_bits(state->time));
    at = put_number(at, RAW_COUNT, (uint64_t)state->count);
    at = put_number(at, RAW_COLUMN_COUNT, column_count);
    if (state->state_hash != 0) {
        at = wire_put_fixed64(wire_put_tag(at, RAW_STATE_HASH, WIRE_TYPE_64), state->state_hash);
    }
    if (state->asleep_count > 0) {
        size_t size = ((size_t)state->count + 7) / 8;
        at = wire_put_varint(wire_put_tag(at, RAW_ASLEEP, WIRE_TYPE_BYTES), size);
        memcpy(at, state->asleep, size);
        at += size;
    }
    return at;
}

/* Writes value `value` of entry `entry`, little-endian on every machine. */
static void
put_float(uint8_t *columns, size_t count, size_t column, size_t entry, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    wire_put_fixed32(columns + 4 * ((column + 1) * count + entry), bits);
}

static void
put_entry(uint8_t *columns, const struct wire_state *state, size_t entry,
    const struct cn_body_view *body)
{
    const double planar[WIRE_RAW_COLUMNS_PLANAR] = {body->position.x, body->position.y,
        body->angle, body->velocity.x, body->velocity.y, body->angular_velocity.z};
    const double spatial[WIRE_RAW_COLUMNS_SPATIAL] = {body->position.x, body->position.y,
        body->position.z, body->orientation.w, body->orientation.x, body->orientation.y,
        body->orientation.z, body->velocity.x, body->velocity.y, body->velocity.z,
        body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z};
    const double *value = state->is_spatial ? spatial : planar;
    size_t column_count =
        state->is_spatial ? WIRE_RAW_COLUMNS_SPATIAL : WIRE_RAW_COLUMNS_PLANAR;
    wire_put_fixed32(columns + 4 * entry, state->body[entry]);
    for (size_t c = 0; c < column_count; c++) {
        put_float(columns, (size_t)state->count, c, entry, value[c]);
    }
}

/* The padding that aligns the columns, if `head_size` bytes of the body precede it. */
static size_t
padding_of(size_t head_size, size_t columns_size, size_t *body_size)
{
    size_t columns_head = 1 + varint_size(columns_size);
    for (size_t padding = 1;; padding++) {
        *body_size = head_size + 2 + padding + columns_head + columns_size;
        size_t wrapper = 2 + varint_size(*body_size);
        if ((wrapper + *body_size - columns_size) % ALIGNMENT == 0) {
            return padding;
        }
    }
}

bool
wire_encode_raw(struct wire_encoder *encoder, const struct cn_world *world,
    const struct wire_state *state)
{
    size_t count = (size_t)state->count;
    size_t column_count =
        state->is_spatial ? WIRE_RAW_COLUMNS_SPATIAL : WIRE_RAW_COLUMNS_PLANAR;
    size_t columns_size = 4 * count * (column_count + 1);
    size_t need = 2 * HEAD_SIZE_MAX + count / 8 + columns_size;
    if (encoder->capacity < need) {
        free(encoder->bytes);
        encoder->bytes = malloc(need);
        encoder->capacity = encoder->bytes != NULL ? need : 0;
        if (encoder->bytes == NULL) {
            return false;
        }
    }
    /* The head is made where it may lie, and moved by as much as the wrapper is shorter. */
    uint8_t *head = encoder->bytes + HEAD_SIZE_MAX;
    size_t head_size = (size_t)(put_head(head, state, column_count) - head);
    CN_ASSERT(HEAD_SIZE_MAX + head_size <= encoder->capacity);
    size_t body_size;
    size_t padding = padding_of(head_size, columns_size, &body_size);
    uint8_t *at = wire_put_tag(encoder->bytes, RAW_MESSAGE, WIRE_TYPE_BYTES);
    at = wire_put_varint(at, body_size);
    CN_ASSERT(at <= head); /* the wrapper has its room */
    memmove(at, head, head_size);
    at = wire_put_varint(wire_put_tag(at + head_size, RAW_PADDING, WIRE_TYPE_BYTES), padding);
    memset(at, 0, padding);
    at = wire_put_tag(at + padding, RAW_COLUMNS, WIRE_TYPE_BYTES);
    at = wire_put_varint(at, columns_size);
    CN_ASSERT((size_t)(at - encoder->bytes) % ALIGNMENT == 0);
    for (size_t entry = 0; entry < count; entry++) {
        struct cn_body_view body;
        cn_world_body_state(world, (int)state->body[entry], &body);
        put_entry(at, state, entry, &body);
    }
    encoder->size = (size_t)(at - encoder->bytes) + columns_size;
    CN_ASSERT(encoder->size <= encoder->capacity &&
              encoder->size == 2 + varint_size(body_size) + body_size);
    return true;
}
