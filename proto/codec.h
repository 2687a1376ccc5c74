/*
 * codec.h: converts messages of the WebSocket protocol to plain values and back.
 *
 * The only home of protobuf-c's generated names besides proto/scene and proto/text.
 *
 * Decoding is strict.  Memory is limited to max(64 KiB, 8 * size), because protobuf-c can unpack a
 * hostile message to sixty times its size.  Unknown fields are refused, so that a misspelt or newer
 * message is never partly understood.  Every float must be finite, every text UTF-8 without control
 * characters, and every enumerator known.
 *
 * Encoding: wire_encode_x(..., out, out_size) returns the size of the message and writes it when it
 * fits; call with (NULL, 0) to measure.
 */
#ifndef PROTO_CODEC_H
#define PROTO_CODEC_H

#include "proto/caps.h"
#include "proto/interest.h"
#include "proto/room.h"
#include "proto/logic.h"
#include "proto/wire.h"

struct wire_scene;

enum wire_client_kind {
    WIRE_CLIENT_NONE,
    WIRE_CLIENT_HELLO,
    WIRE_CLIENT_JOIN,
    WIRE_CLIENT_LEAVE,
    WIRE_CLIENT_INPUT,
    WIRE_CLIENT_SUBSCRIBE,
    WIRE_CLIENT_CONTROL,
    WIRE_CLIENT_PING,
    WIRE_CLIENT_QUERY,
    WIRE_CLIENT_ACK,
    WIRE_CLIENT_LEASE,
    WIRE_CLIENT_FORK,
    WIRE_CLIENT_SEEK,
    WIRE_CLIENT_DESYNC,
    WIRE_CLIENT_LOBBY,
    WIRE_CLIENT_SAY,
    WIRE_CLIENT_LOGIC,
    WIRE_CLIENT_LOGIC_DONE,
};

/* The form in which a client receives the bodies. */
enum wire_mode {
    WIRE_MODE_QUANTISED,
    WIRE_MODE_DELTA,
    WIRE_MODE_RAW,
    WIRE_MODE_JSON,
    WIRE_MODE_DEEDS,
    WIRE_MODE_COUNT,
};

struct wire_hello {
    uint32_t version;
    char name[WIRE_PERSON_SIZE];
    char client[WIRE_CLIENT_SIZE];
    char *token;   /* heap; NULL if none was sent */
    uint32_t role; /* a Role's number; 0: the token's own */
    bool keep, has_resume;
    uint8_t resume[WIRE_RESUME_SIZE];
};

/*
 * The command lacks its source and its last tick, which the world fills in when it applies the
 * input.
 */
struct wire_input {
    uint64_t seq;
    uint64_t client_tick;
    uint64_t at_tick; /* 0: the next tick */
    uint32_t hold_ticks;
    struct cn_command command;
};

enum wire_control_kind {
    WIRE_CONTROL_SETTINGS,
    WIRE_CONTROL_PAUSE,
    WIRE_CONTROL_RESUME,
    WIRE_CONTROL_STEP,
    WIRE_CONTROL_RESET,
    WIRE_CONTROL_LOAD,
    WIRE_CONTROL_CREATE,
    WIRE_CONTROL_REMOVE,
    WIRE_CONTROL_LIST,
    WIRE_CONTROL_CHANGE,
    WIRE_CONTROL_BODIES,
    WIRE_CONTROL_ATTRIBUTES,
};

/* Commands to bodies; their number is 1 or more.  Finish with wire_body_commands_finish. */
struct wire_body_commands {
    uint32_t generation; /* of the slots; 0: any */
    struct cn_command *command; /* heap */
    int count;
};
void wire_body_commands_finish(struct wire_body_commands *commands);

struct wire_control {
    uint32_t request;
    enum wire_control_kind kind;
    union {
        struct wire_settings settings;
        uint32_t step_ticks;
        struct wire_source source;   /* LOAD, CREATE; CHANGE: scene_bytes are a packed Change */
        char world[WIRE_NAME_SIZE]; /* REMOVE */
        struct wire_body_commands bodies;
        struct {
            struct cn_attribute *take; /* heap; the handler takes it and leaves NULL */
            int count;
        } attributes;
    };
};

enum wire_lease_action {
    WIRE_LEASE_ACQUIRE,
    WIRE_LEASE_RELEASE,
    WIRE_LEASE_OVERRIDE,
    WIRE_LEASE_REVOKE,
    WIRE_LEASE_CAP,
};

struct wire_lease {
    uint32_t request;
    enum wire_lease_action action;
    bool is_actuator; /* the target; else it is a body */
    int32_t index;
    bool queue;     /* ACQUIRE */
    uint32_t ticks; /* ACQUIRE, OVERRIDE */
    struct wire_caps caps; /* CAP; empty: the scene's */
};

struct wire_desync {
    uint64_t tick, hash;
};

struct wire_lobby {
    bool is_end;
    struct wire_room_filter filter;
};

struct wire_client_message {
    enum wire_client_kind kind;
    union {
        struct wire_hello hello;
        char join_world[WIRE_NAME_SIZE];
        struct wire_input input;
        struct {
            bool contacts, energy, actions, attributes;
            enum wire_mode mode;
            uint32_t rate_hz; /* 0: as many ticks as arrive in time */
            uint32_t bytes_per_second; /* 0: no limit */
            uint32_t physics;          /* DEEDS: that of the client's engine */
            uint32_t contact_rate_hz;  /* 0: a ContactFrame with every tick */
            struct wire_interest interest;
        } subscribe;
        uint64_t ack_tick;
        struct wire_control control;
        struct wire_lease lease;
        struct wire_fork fork;
        struct wire_seek seek;
        uint64_t ping_client_time_us;
        struct wire_desync desync;
        struct wire_lobby lobby;
        struct {
            uint32_t request;
            struct wire_say *take; /* heap, as for queries */
        } say;
        struct wire_logic_start logic;
        struct wire_logic_done *logic_done_take; /* heap, as for queries */
        struct {
            uint32_t request;
            struct wire_query *take; /* heap; the handler takes it and leaves NULL */
        } query;
    };
};

enum wire_decode_result {
    WIRE_DECODE_OK,
    WIRE_DECODE_REFUSED, /* well formed, but a value is not accepted: kind, seq, request are set */
    WIRE_DECODE_BAD,     /* not a message of this protocol */
};

/* On OK finish *message with wire_client_message_finish; else *error is filled. */
enum wire_decode_result wire_client_decode(const uint8_t *bytes, size_t size,
    struct wire_client_message *message, struct wire_error *error);
void wire_client_message_finish(struct wire_client_message *message);

/* ---- to clients ---- */

struct wire_welcome {
    uint64_t session;
    const char *server;
    uint32_t message_size_max;
    uint32_t message_rate; /* 1/s */
    uint32_t role, expires_s;
    bool has_resume, resumed, restarted;
    uint8_t resume[WIRE_RESUME_SIZE];
    uint64_t next_seq;
    uint32_t grace_s;
};
size_t wire_encode_welcome(const struct wire_welcome *welcome, uint8_t *out, size_t out_size);

struct wire_joined {
    const char *world;
    const struct wire_scene *scene;
    const struct wire_status *status;
    double gap_tolerance;
    const void *image; /* NULL: none; then the other members mean nothing */
    const struct wire_scene *engine_scene; /* NULL: it is `scene` */
    size_t image_size;
    uint64_t image_tick, image_hash;
    uint32_t physics;
    const struct cn_attribute *attributes; /* those with hidden names are left out */
    int attribute_count;
};
size_t wire_encode_joined(const struct wire_joined *joined, uint8_t *out, size_t out_size);

/*
 * The difference between the scene `now` (wire_scene_follow) and the one `before`; the bodies and
 * joints of the change took these slots.  0 without memory.
 */
struct wire_changed {
    uint32_t generation;
    const struct wire_scene *before, *now;
    const int *body_slots, *joint_slots;
    int body_count, joint_count; /* how many were made */
};
size_t wire_encode_changed(const struct wire_changed *changed, uint8_t *out, size_t out_size);

/* Rows of two tables, both ascending: what an AttributeFrame says. */
struct wire_attribute_change {
    const struct cn_attribute *attribute; /* borrowed */
    bool is_gone; /* it has no value any more */
};

struct wire_attribute_frame {
    uint64_t tick;
    uint32_t generation;
    const struct wire_attribute_change *changes; /* at most WIRE_ATTRIBUTE_ROWS_MAX */
    int change_count;
    bool full;
};
/* 0 without memory. */
size_t wire_encode_attributes(
    const struct wire_attribute_frame *frame, uint8_t *out, size_t out_size);

struct wire_deeds {
    uint64_t tick;
    uint32_t generation;
    const void *deeds; /* borrowed; NULL: none */
    size_t deeds_size;
    bool has_hash;
    uint64_t hash;
};
size_t wire_encode_deeds(const struct wire_deeds *deeds, uint8_t *out, size_t out_size);

struct wire_tick_header {
    uint64_t tick, applied_seq, durable_seq, server_time_us, durable_tick;
    uint32_t rate_hz; /* 0: not sent */
};
size_t wire_encode_tick_header(
    const struct wire_tick_header *header, uint8_t *out, size_t out_size);

/* Fills name and title from the scene. */
void wire_status_name(struct wire_status *status, const struct wire_scene *scene);

size_t wire_encode_status(const struct wire_status *status, uint8_t *out, size_t out_size);
size_t wire_encode_worlds(
    const struct wire_status *const *worlds, size_t count, uint8_t *out, size_t out_size);
size_t wire_encode_presence(const char *world, const struct wire_person *people, size_t count,
    uint8_t *out, size_t out_size);
struct wire_pong {
    uint64_t client_time_us, server_time_us;
    uint32_t early_count, late_count;
    int32_t margin; /* sixteenths of a tick */
    uint32_t round_trip_us;
};
size_t wire_encode_pong(const struct wire_pong *pong, uint8_t *out, size_t out_size);
size_t wire_encode_control_done(uint32_t request, const char *world, uint32_t waiting,
    uint8_t *out, size_t out_size);

size_t wire_encode_forked(uint32_t request, const struct wire_status *status, uint8_t *out,
    size_t out_size);

/* One target with its sessions: the holder first, then those that wait. */
struct wire_held {
    bool is_actuator;
    int32_t index;
    const char *name; /* the holder's; borrowed */
    uint64_t until_tick;
    bool is_taken; /* an instructor took it from another session */
    uint64_t sessions[WIRE_LEASE_SESSIONS_MAX];
    int session_count;
};

/* A body whose caps an instructor has set. */
struct wire_capped {
    int32_t body;
    struct wire_caps caps;
};

struct wire_lease_state {
    uint32_t generation;
    uint64_t tick;
    const struct wire_held *held;
    size_t held_count;
    const struct wire_capped *capped;
    size_t capped_count;
};
size_t wire_encode_leases(
    const struct wire_lease_state *state, uint8_t *out, size_t out_size);
size_t wire_encode_query_result(
    const struct wire_query_result *result, uint8_t *out, size_t out_size);
size_t wire_encode_rejected(uint32_t request, uint64_t seq, const struct wire_error *error,
    uint8_t *out, size_t out_size);

#endif
