/*
 * wire.h: the protocol's data as plain values.
 *
 * The codec converts bytes and JSON to these values and back.  No code outside proto/ uses a
 * generated name.  A struct is a value: it owns nothing, except struct wire_source, which may own
 * the bytes of a scene.  Texts have a maximum size: a longer text is refused on input, and cut at a
 * whole character on output.
 */
#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H

#include "engine/base/defect.h"
#include "engine/world/command.h"
#include "engine/world/query.h"
#include "proto/durability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 1

#define WIRE_NAME_SIZE 64   /* a world's id, a scene's name; terminator included */
#define WIRE_PERSON_SIZE 33 /* a person's name */
#define WIRE_CLIENT_SIZE 65 /* a program's name and version */
#define WIRE_TITLE_SIZE 128
#define WIRE_RESUME_SIZE 28
#define WIRE_SPEED_MAX 16.0       /* of a replay */
#define WIRE_LEASE_SESSIONS_MAX 9 /* a holder, and the queue */
#define WIRE_CODE_SIZE 16

/*
 * Name on the wire, HTTP status, meaning.  The engine's codes (engine/base/status.h) follow, with
 * status 400.
 */
#define WIRE_CODE_TABLE(X)                                                                         \
    X(DECODE, 400, "the bytes are not a message of this protocol")                                 \
    X(FIELD, 400, "a field is missing or can not be used")                                         \
    X(NAME, 400, "a text is not UTF-8, is too long or has control characters")                     \
    X(TOKEN, 401, "a token is missing, or this one is not good here")                              \
    X(EXPIRED, 401, "the token has expired")                                                       \
    X(RIGHTS, 403, "the role or the token does not allow this")                                    \
    X(HOST, 403, "the Host header is not one of the daemon's")                                     \
    X(ORIGIN, 403, "the page's origin is not let in")                                              \
    X(PATH, 404, "this path does not exist")                                                       \
    X(WORLD, 404, "no world has this id")                                                          \
    X(SCENE, 404, "no bundled scene has this name")                                                \
    X(ROOM, 404, "no room or template of rooms has this id, or none that fits")                    \
    X(METHOD, 405, "the method does not fit the path")                                             \
    X(STATE, 409, "not possible in this state")                                                    \
    X(STALE, 409, "the slots of bodies have changed since")                                        \
    X(TAKEN, 409, "the id is taken")                                                               \
    X(CONFLICT, 409, "another session has this part already")                                      \
    X(LEASED, 409, "somebody else holds the body or actuator, or a lease is needed")               \
    X(TICK, 409, "the tick that an input names is too far away")                                   \
    X(SEQ, 409, "a sequence number is not the next one")                                           \
    X(SIZE, 413, "larger than is accepted")                                                        \
    X(TYPE, 415, "the content type is not application/json")                                       \
    X(VERSION, 426, "this version of the protocol is not spoken")                                  \
    X(RATE, 429, "more often than is accepted")                                                    \
    X(BUSY, 429, "a queue is full; try again")                                                     \
    X(FULL, 429, "there is no room for another world")                                             \
    X(READONLY, 503, "the daemon's disk is full: it can be watched and not changed")               \
    X(CAPACITY, 503, "the daemon has all the load it can bear; see retryMs")                       \
    X(STOPPING, 503, "the daemon is stopping")

struct wire_error {
    char code[WIRE_CODE_SIZE];
    char path[CN_DEFECT_PATH_SIZE];
    char text[CN_DEFECT_TEXT_SIZE];
    uint32_t line; /* in the received text; 0: does not apply */
    uint32_t retry_ms; /* wait at least this long before a retry; 0: does not apply */
};

/* Fills *error; `code` is a name of WIRE_CODE_TABLE or of CN_STATUS_TABLE. */
__attribute__((format(printf, 4, 5))) void wire_error_set(
    struct wire_error *error, const char *code, const char *path, const char *format, ...);

void wire_error_from_defect(struct wire_error *error, const struct cn_defect *defect);

/* Puts `prefix` before the error's path; an empty path stays empty. */
void wire_error_prefix(struct wire_error *error, const char *prefix);

/* The HTTP status of a code; 400 for the engine's, 500 for CN_MEMORY. */
int wire_code_http_status(const char *code);

/*
 * Both tables as one, for counters by code: the index of a code, and the code at `index`.  The last
 * of the WIRE_CODES indices is `OTHER`, for a code that is in neither table.
 */
enum {
    WIRE_CODES = 1
#define X(name, ...) +1
        WIRE_CODE_TABLE(X) CN_STATUS_TABLE(X)
#undef X
};
int wire_code_index(const char *code);
const char *wire_code_name(int index);

/* Whether a world may have this id: 1 to 63 letters, digits, '-', '_', '.', not '.' first. */
bool wire_name_is_id(const char *name);

/* A number is valid if its flag is set, and a name if it is not empty. */
struct wire_settings {
    bool has_gravity, has_restitution, has_damping_linear, has_damping_angular, has_time_rate;
    bool has_collision, has_minimum_norm, has_substeps, has_sleep, has_resting_velocity;
    struct {
#define X(member, name, least, most, usual, text) bool member;
        CN_PROPAGATION_TABLE(X)
#undef X
    } has_propagation;
    cn_vec3 gravity;
    double restitution;
    double damping_linear, damping_angular;
    double time_rate;
    enum cn_collision_handling collision;
    bool minimum_norm;
    uint32_t substeps;
    bool sleep;
    double resting_velocity;
    struct cn_propagation_settings propagation;
    char solver[CN_NAME_SIZE];
    char stepper[CN_NAME_SIZE];
};

/* Whether any number of the stepper propagation is set. */
bool wire_settings_have_propagation(const struct wire_settings *settings);

/* Copies the members that are set in *from to *to; the others stay. */
void wire_settings_set_propagation(
    const struct wire_settings *from, struct cn_propagation_settings *to);

enum wire_world_state {
    WIRE_WORLD_RUNNING,
    WIRE_WORLD_PAUSED,
    WIRE_WORLD_FAILED,
    WIRE_WORLD_REPLAY,
};

struct wire_status {
    char id[WIRE_NAME_SIZE];
    char name[WIRE_NAME_SIZE];
    char title[WIRE_TITLE_SIZE];
    enum wire_world_state state;
    bool idle;
    uint64_t tick;
    double time; /* simulated seconds */
    double tick_rate;
    uint32_t body_count, contact_count, client_count;
    uint64_t hash; /* of the exact state at `tick`; 0: not computed */
    struct wire_settings settings;
    double real_time_factor;
    /* bodies that were stopped because they exploded, see server/world/data/watch.h */
    uint32_t frozen_count;
    double tick_duration_us;
    enum wire_durability durability;
    uint32_t stalled_ms; /* how long it has waited for the disk */
    char failure[CN_DEFECT_TEXT_SIZE];
    uint32_t generation;
    uint32_t series;             /* the generation of the last reset or load; not encoded */
    uint64_t moment; /* grows with every tick and every entry; not encoded */
    struct cn_value result; /* the world's attribute "result"; kind NONE without it; not encoded */
    char origin[WIRE_NAME_SIZE]; /* the world that it was forked from or replays, or empty */
    uint64_t origin_tick;
    double speed; /* of a REPLAY; 0: paused */
    uint64_t end_tick; /* the last tick that can be played now */
};

/* A request for a world's past. */
struct wire_fork {
    uint32_t request;
    char world[WIRE_NAME_SIZE]; /* empty: the joined one */
    bool has_tick;              /* else its newest */
    uint64_t tick;
    char id[WIRE_NAME_SIZE]; /* of the new world; empty: derived from the world's id */
    bool paused;
    bool each;   /* one world for each member that is not an instructor */
    bool replay; /* a replay instead of a world of its own */
    double speed;
};

struct wire_seek {
    uint32_t request;
    bool has_tick, has_speed;
    uint64_t tick;
    double speed;
};

enum wire_source_kind {
    WIRE_SOURCE_NONE,
    WIRE_SOURCE_NAME,
    WIRE_SOURCE_SCENE,
    WIRE_SOURCE_CHANGE,
};

/* The scene from which a world is made; finish with wire_source_finish. */
struct wire_source {
    enum wire_source_kind kind;
    char id[WIRE_NAME_SIZE];   /* of the world to create; empty: from the scene's name */
    char name[WIRE_NAME_SIZE]; /* of a bundled scene */
    uint8_t *scene_bytes;      /* a packed Scene, or Change */
    size_t scene_size;
};
void wire_source_finish(struct wire_source *source);

/* A query about a world; its query borrows from it, so do not move it. */
struct wire_query {
    uint32_t request;
    struct cn_query query;
    bool has_age; /* queries an earlier state: */
    uint32_t age_ms;
    struct cn_shape_def shape;
    cn_vec3 vertices[CN_HULL_POINTS_MAX];
};

/* The answer to a query; borrows the hits. */
struct wire_query_result {
    uint32_t request;
    uint64_t tick;
    uint32_t generation;
    const struct cn_query_hit *hits;
    size_t hit_count;
};

struct wire_person {
    uint64_t session;
    char name[WIRE_PERSON_SIZE];
    uint32_t role; /* a Role's number */
    bool away;
    uint64_t since_us; /* server time */
};

#endif
