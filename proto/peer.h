/*
 * peer.h: the client's side of the protocol: encodes what a client sends and decodes what it
 * receives.
 *
 * This is the counterpart of codec.h, for our own client programs.  Decoding is as strict as there:
 * unknown fields, numbers that are not finite and invalid texts are refused.
 *
 * Parts that our programs do not use are not decoded:
 *   - Welcome: the facts for resuming
 *   - Joined: shapes, joints and names (with an image, the whole scene comes packed)
 *   - Snapshot: its columns and state_hash (proto/delta.h has the columns of a Delta)
 *   - ContactFrame: contacts and joints
 *   - Presence: persons
 *   - EventFrame, ActionFrame, LeaseState, QueryResult, Raw, Changed, RoomList: their contents
 *
 * A message's number in the oneof of ServerMessage is read from its first one or two bytes, without
 * decoding.  This is enough to count bytes by kind.
 */
#ifndef PROTO_PEER_H
#define PROTO_PEER_H

#include "proto/codec.h"
#include "proto/contact_delta.h"
#include "proto/delta.h"

/* Name, number in the oneof, name in words. */
#define WIRE_SERVER_TABLE(X)                                                                       \
    X(WELCOME, 1, "welcome")                                                                       \
    X(JOINED, 2, "joined")                                                                         \
    X(TICK, 3, "tick")                                                                             \
    X(SNAPSHOT, 4, "snapshot")                                                                     \
    X(CONTACTS, 5, "contacts")                                                                     \
    X(ENERGY, 6, "energy")                                                                         \
    X(STATUS, 7, "status")                                                                         \
    X(PRESENCE, 8, "presence")                                                                     \
    X(PONG, 9, "pong")                                                                             \
    X(DONE, 10, "controlDone")                                                                     \
    X(REJECTED, 11, "rejected")                                                                    \
    X(WORLDS, 12, "worlds")                                                                        \
    X(EVENTS, 13, "events")                                                                        \
    X(QUERY_RESULT, 15, "queryResult")                                                             \
    X(CHANGED, 16, "changed")                                                                      \
    X(DELTA, 17, "delta")                                                                          \
    X(RAW, 18, "raw")                                                                              \
    X(LEASES, 19, "leases")                                                                        \
    X(CHUNK, 20, "chunk")                                                                          \
    X(ACTIONS, 21, "actions")                                                                      \
    X(FORKED, 24, "forked")                                                                        \
    X(DEEDS, 25, "deeds")                                                                          \
    X(ATTRIBUTES, 26, "attributes")                                                                \
    X(SAID, 27, "said")                                                                            \
    X(LOGIC_TICK, 28, "logicTick")\
    X(ROOMS, 29, "rooms")                                                                          \
    X(CONTACT_DELTA, 30, "contactDelta")

enum wire_server_kind {
    WIRE_SERVER_NONE,
#define X(NAME, number, text) WIRE_SERVER_##NAME = number,
    WIRE_SERVER_TABLE(X)
#undef X
};

#define WIRE_SERVER_KINDS_MAX 32 /* above every number of the oneof */

/* Its name in the .proto file; NULL if there is no such message. */
const char *wire_server_kind_name(enum wire_server_kind kind);

/* The kind, from the first field alone; NONE if it is unknown. */
enum wire_server_kind wire_server_kind(const uint8_t *bytes, size_t size);

/*
 * Adds the size of each field of the message, with its tag, to sizes[number].  Fields beyond the
 * array are not counted.  Needs no decoding; stops at invalid bytes.
 */
#define WIRE_FIELDS_MAX 32
void wire_server_field_sizes(
    const uint8_t *bytes, size_t size, uint64_t sizes[WIRE_FIELDS_MAX]);

/* NULL if there is no such field. */
const char *wire_server_field_name(enum wire_server_kind kind, unsigned number);

/*
 * Encodes a client message, by the rules of codec.h.  It encodes all controls except LOAD and
 * CHANGE, and CREATE only with the name of a bundled scene.  For queries, leases, forks and seeks
 * it returns 0.
 */
size_t wire_client_encode(const struct wire_client_message *message, uint8_t *out, size_t out_size);

/* A body of the joined scene that forces can move. */
struct wire_heard_body {
    uint32_t slot;
    cn_vec3 position; /* at the scene's start, m */
    double mass;      /* kg; 1 if the scene gives densities instead */
};

struct wire_heard_joined {
    char world[WIRE_NAME_SIZE];
    uint32_t generation;
    bool is_spatial;
    double position_scale, angle_scale, turn_scale;
    struct wire_status status;
    struct wire_heard_body *bodies; /* heap */
    size_t body_count;
    /* in mode DEEDS: the packed Scene of the engine, the one as it is now, and the image */
    struct wire_heard_bytes {
        uint8_t *bytes; /* heap; NULL: none */
        size_t size;
    } scene, shown, image;
    uint64_t image_tick, image_hash;
    uint32_t physics;
    struct cn_attribute *attributes; /* heap */
    int attribute_count;
};

struct wire_heard_attributes {
    uint64_t tick;
    uint32_t generation;
    bool full;
    struct cn_attribute *changes; /* heap; kind NONE: it is gone */
    int count;
};

struct wire_heard_deeds {
    uint64_t tick, hash;
    uint32_t generation;
    bool has_hash;
    uint8_t *deeds; /* heap; NULL: none */
    size_t deeds_size;
};

struct wire_heard_snapshot {
    uint64_t tick;
    uint32_t generation;
    double time; /* s */
    size_t count, asleep_count;
    bool is_whole; /* the columns have one length, and their hash is view_hash */
    uint32_t view_hash;
    uint32_t *turn_largest; /* heap, `count` of them; NULL in a planar world, or if not whole */
};

struct wire_heard_contacts {
    uint64_t tick;
    size_t count;
    bool is_judged;
    double residual;
    char solver[CN_NAME_SIZE];
    uint32_t iteration_count, row_count;
};

/* A message of a member, or of the logic. */
struct wire_heard_said {
    uint64_t tick, session;
    char channel[WIRE_CHANNEL_SIZE];
    bool is_text, is_direct;
    size_t size;
    uint8_t content[]; /* and a zero */
};

/* Of the news only their counts. */
struct wire_heard_logic_tick {
    uint64_t number, tick, answered;
    uint32_t generation, late_count, dropped;
    bool first;
    size_t event_count, member_count, message_count, refused_count, people_count;
    size_t attribute_count;
};

struct wire_server_message {
    enum wire_server_kind kind;
    union {
        struct {
            uint32_t version, message_size_max, message_rate;
            uint64_t session;
            char server[WIRE_CLIENT_SIZE];
            uint32_t role, expires_s; /* 0: never */
        } welcome;
        struct wire_heard_joined *joined; /* heap */
        struct wire_tick_header tick;
        struct wire_heard_snapshot snapshot;
        struct wire_heard_contacts contacts;
        struct {
            uint64_t tick;
            double time, kinetic, potential, total;
        } energy;
        struct wire_status *status; /* heap */
        struct {
            struct wire_status *statuses; /* heap */
            size_t count;
        } worlds;
        struct {
            size_t people_count;
        } presence;
        struct wire_pong pong;
        struct {
            uint32_t request;
            char world[WIRE_NAME_SIZE];
            uint32_t waiting; /* of a lease: place in the queue; 0: it is granted */
        } done;
        struct {
            uint32_t request;
            uint64_t seq;
            struct wire_error error;
        } rejected;
        uint32_t changed_generation;
        struct wire_heard_deeds deeds;
        struct wire_heard_attributes attributes;
        struct wire_heard_said *said; /* heap */
        struct wire_heard_logic_tick logic_tick;
        struct {
            uint32_t request;
            char world[WIRE_NAME_SIZE], origin[WIRE_NAME_SIZE];
            uint64_t tick;
            bool replay;
        } forked;
    };
};

/*
 * Prepares the decoders of Deltas and ContactDeltas for what follows this Joined; drops earlier
 * states.
 */
void wire_heard_begin_decoder(
    const struct wire_heard_joined *joined, struct wire_decoder *decoder);
void wire_heard_begin_contacts(
    const struct wire_heard_joined *joined, struct wire_contact_decoder *decoder);

/* The same facts of decoded ContactDeltas as of a ContactFrame. */
struct wire_heard_contacts wire_heard_contacts(const struct wire_contacts *contacts);

/*
 * False with *error filled if it is not a message of this protocol.  For kinds without a member
 * above only the kind is set; proto/delta.h decodes a Delta, and proto/contact_delta.h a
 * ContactDelta.  Finish a decoded message.
 */
bool wire_server_decode(const uint8_t *bytes, size_t size, struct wire_server_message *message,
    struct wire_error *error);
void wire_server_message_finish(struct wire_server_message *message);

#endif
