/*
 * peer.h: the protocol from a client's side: what it says to bytes, what it hears to plain values.
 *
 * The counterpart of codec.h, for programs of ours that are clients of a daemon.  Decoding is as
 * strict as there: a field that is not known, a number that is not finite or a text that is not
 * clean is refused.
 *
 * What programs of ours do not use is not told: of a Welcome what resuming wants; of a Joined
 * shapes, joints and names; of a Snapshot its columns and state_hash (proto/delta.h has the columns
 * of a Delta); of a ContactFrame the contacts and joints; of a Presence who it is; of events,
 * actions, leases, query results, Raw and Changed what is in them.
 *
 * A message's number in the oneof of ServerMessage is read from its first byte or two, without
 * decoding: who only counts bytes needs no more.
 */
#ifndef PROTO_PEER_H
#define PROTO_PEER_H

#include "proto/codec.h"
#include "proto/delta.h"

/* Name, number in the oneof, name for people. */
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
    X(FORKED, 24, "forked")

enum wire_server_kind {
    WIRE_SERVER_NONE,
#define X(NAME, number, text) WIRE_SERVER_##NAME = number,
    WIRE_SERVER_TABLE(X)
#undef X
};

#define WIRE_SERVER_KINDS_MAX 32 /* above every number of the oneof */

/* Its name in the .proto file; NULL: there is no such message. */
const char *wire_server_kind_name(enum wire_server_kind kind);

/* By the first field alone; NONE when that is none of these. */
enum wire_server_kind wire_server_kind(const uint8_t *bytes, size_t size);

/*
 * How many bytes each field of the message takes, its tag included, added to sizes[number]; of
 * fields beyond the array nothing is counted.  Needs no decoding; stops where bytes make no sense.
 */
#define WIRE_FIELDS_MAX 32
void wire_server_field_sizes(
    const uint8_t *bytes, size_t size, uint64_t sizes[WIRE_FIELDS_MAX]);

/* NULL: there is no such field. */
const char *wire_server_field_name(enum wire_server_kind kind, unsigned number);

/*
 * A client message as bytes, by the rules of codec.h's encoders.  Of controls it knows all but
 * LOAD and CHANGE, and CREATE by a bundled scene's name; queries, leases, forks and seeks are not
 * said.  0 for those.
 */
size_t wire_client_encode(const struct wire_client_message *message, uint8_t *out, size_t out_size);

/* A body of the joined scene that forces move. */
struct wire_heard_body {
    uint32_t slot;
    cn_vec3 position; /* as the scene begins, m */
    double mass;      /* kg; 1 where it follows from densities */
};

struct wire_heard_joined {
    char world[WIRE_NAME_SIZE];
    uint32_t generation;
    bool is_spatial;
    double position_scale, angle_scale, turn_scale;
    struct wire_status status;
    struct wire_heard_body *bodies; /* heap */
    size_t body_count;
};

struct wire_heard_snapshot {
    uint64_t tick;
    uint32_t generation;
    double time; /* s */
    size_t count, asleep_count;
    bool is_whole; /* columns of one length, and their hash is view_hash */
};

struct wire_heard_contacts {
    uint64_t tick;
    size_t count;
    bool is_judged;
    double residual;
    char solver[CN_NAME_SIZE];
    uint32_t iteration_count, row_count;
};

struct wire_server_message {
    enum wire_server_kind kind;
    union {
        struct {
            uint32_t version, message_size_max;
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
            uint32_t waiting; /* of a lease: place in the line; 0: it is granted */
        } done;
        struct {
            uint32_t request;
            uint64_t seq;
            struct wire_error error;
        } rejected;
        uint32_t changed_generation;
        struct {
            uint32_t request;
            char world[WIRE_NAME_SIZE], origin[WIRE_NAME_SIZE];
            uint64_t tick;
            bool replay;
        } forked;
    };
};

/* Readies a decoder of deltas for the states of this stay; those of the one before are let go. */
void wire_heard_begin_decoder(
    const struct wire_heard_joined *joined, struct wire_decoder *decoder);

/*
 * False with *error filled when it is not a message of this protocol.  Of the kinds without a
 * member above the kind alone is told; a Delta tells more to proto/delta.h.  Finish what was
 * decoded.
 */
bool wire_server_decode(const uint8_t *bytes, size_t size, struct wire_server_message *message,
    struct wire_error *error);
void wire_server_message_finish(struct wire_server_message *message);

#endif
