/*
 * logic.h: messages of members, and the exchange with the logic of a world, as plain values.
 *
 * A logic is a client that decides about a world (WIRE.md, "Logic").  The daemon sends it a
 * LogicTick; it answers with a LogicDone.
 *
 * Ownership: wire_say and wire_logic_done are heap memory with all that they hold.  wire_said and
 * wire_logic_tick borrow.
 */
#ifndef PROTO_LOGIC_H
#define PROTO_LOGIC_H

#include "proto/limits.h"
#include "proto/wire.h"

struct cn_event;
struct wire_attribute_change;

#define WIRE_CHANNEL_SIZE 32 /* of a channel's name, with the terminator */

enum wire_say_to {
    WIRE_SAY_ALL,
    WIRE_SAY_SESSION,
    WIRE_SAY_LOGIC,
};

/* The content is followed by a zero, so that a text can be read as such. */
struct wire_say {
    uint32_t request;
    enum wire_say_to to;
    uint64_t session; /* SESSION */
    char channel[WIRE_CHANNEL_SIZE];
    bool is_text; /* else bytes */
    uint32_t size;
    uint8_t content[];
};

struct wire_said {
    uint64_t tick, session;
    const char *channel;
    const uint8_t *content; /* a text ends with a zero after `size` bytes */
    uint32_t size;
    bool is_text, is_direct;
};

enum wire_logic_mode {
    WIRE_LOGIC_BARRIER,
    WIRE_LOGIC_AHEAD,
    WIRE_LOGIC_STOP,
};

struct wire_logic_start {
    uint32_t request;
    enum wire_logic_mode mode;
    uint32_t every;       /* at least 1 */
    uint32_t deadline_us; /* at least 1 */
    bool events, frames, take;
};

enum wire_effect_kind {
    WIRE_EFFECT_CHANGE,
    WIRE_EFFECT_BODY,
    WIRE_EFFECT_ATTRIBUTE,
    WIRE_EFFECT_PUSH,
    WIRE_EFFECT_SETTINGS,
    WIRE_EFFECT_RESET,
};

struct wire_effect {
    enum wire_effect_kind kind;
    union {
        struct wire_source change; /* a packed Change */
        struct cn_command body;
        struct cn_attribute attribute;
        struct {
            int32_t body;
            cn_vec3 impulse; /* at the centre of mass [N s] */
        } push;
        struct wire_settings settings;
    };
};

struct wire_logic_done {
    uint64_t number, at_tick;
    uint32_t generation; /* of the slots that effects name; 0: any */
    struct wire_effect *effects;
    int effect_count;
    struct wire_say **says;
    int say_count;
};
void wire_logic_done_destroy(struct wire_logic_done *done);

struct wire_logic_member {
    uint64_t session;
    bool left;
    const char *name; /* "": not known */
    uint32_t role;
};

struct wire_logic_refused {
    uint64_t number;
    uint32_t index;
    struct wire_error error;
};

/* The events of one tick; the frames of a LogicTick are ascending. */
struct wire_logic_event {
    uint64_t tick;
    const struct cn_event *event;
};

struct wire_logic_tick {
    uint64_t number, tick, answered;
    bool has_hash, first;
    uint64_t hash;
    uint32_t generation, late_count, dropped;
    const struct wire_logic_event *events;
    size_t event_count;
    const struct wire_logic_member *members;
    size_t member_count;
    const struct wire_said *messages;
    size_t message_count;
    const struct wire_logic_refused *refused;
    size_t refused_count;
    const struct wire_person *people;
    size_t people_count;
    const struct wire_attribute_change *attributes;
    int attribute_count;
};

/* 0 without memory. */
size_t wire_encode_said(const struct wire_said *said, uint8_t *out, size_t out_size);
size_t wire_encode_logic_tick(const struct wire_logic_tick *tick, uint8_t *out, size_t out_size);

/*
 * For clients.  They return 0 without memory.  An encoded LogicDone has only attributes, settings
 * and resets: plain values lack the messages of the others.
 */
size_t wire_encode_say(const struct wire_say *say, uint8_t *out, size_t out_size);
size_t wire_encode_logic_start(
    const struct wire_logic_start *start, uint8_t *out, size_t out_size);
size_t wire_encode_logic_done(const struct wire_logic_done *done, uint8_t *out, size_t out_size);

/* Whether a channel and a content are such as a client may send. */
bool wire_said_is_good(
    const char *channel, bool is_text, const unsigned char *content, size_t size);

/* A message of that content; NULL without memory. */
struct wire_say *wire_say_create(
    const char *channel, bool is_text, const void *content, size_t size);

#endif
