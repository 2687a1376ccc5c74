/*
 * wire.h: what travels, as plain values.
 *
 * The codec turns bytes and JSON into these and back; nothing outside proto/ sees a generated
 * name.  A struct is a value: it owns nothing, except struct wire_source, which may own the bytes
 * of a scene.  Texts are bounded; what does not fit is refused on the way in and cut at a whole
 * character on the way out.
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
#define WIRE_LEASE_SESSIONS_MAX 9 /* a holder, and those who wait */
#define WIRE_CODE_SIZE 16

/*
 * Name on the wire, HTTP status, meaning.  The engine's own (engine/base/status.h) follow with
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
    X(PATH, 404, "there is nothing at this path")                                                  \
    X(WORLD, 404, "no world has this id")                                                          \
    X(SCENE, 404, "no bundled scene has this name")                                                \
    X(METHOD, 405, "the method does not fit the path")                                             \
    X(STATE, 409, "not possible in this state")                                                    \
    X(TAKEN, 409, "the id is taken")                                                               \
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
    uint32_t line; /* of the text that was sent; 0: does not apply */
    uint32_t retry_ms; /* not to be tried again before; 0: does not apply */
};

/* Fills *error; `code` is a name of WIRE_CODE_TABLE or of CN_STATUS_TABLE. */
__attribute__((format(printf, 4, 5))) void wire_error_set(
    struct wire_error *error, const char *code, const char *path, const char *format, ...);

void wire_error_from_defect(struct wire_error *error, const struct cn_defect *defect);

/* Where the path is of a part: `prefix` before it; one that names nothing stays so. */
void wire_error_prefix(struct wire_error *error, const char *prefix);

/* The HTTP status that goes with a code; 400 for the engine's, 500 for CN_MEMORY. */
int wire_code_http_status(const char *code);

/*
 * Both tables as one, for those who count by code: where a code stands in it, and which stands at
 * `index`.  The last of the WIRE_CODES places is `OTHER`, of whatever is in neither table.
 */
enum {
    WIRE_CODES = 1
#define X(name, ...) +1
        WIRE_CODE_TABLE(X) CN_STATUS_TABLE(X)
#undef X
};
int wire_code_index(const char *code);
const char *wire_code_name(int index);

/* Whether a world may be called so: 1 to 63 letters, digits, '-', '_', '.', not '.' first. */
bool wire_name_is_id(const char *name);

/* Only the members whose flag is set; names are set unless empty. */
struct wire_settings {
    bool has_gravity, has_restitution, has_damping_linear, has_damping_angular, has_time_rate;
    bool has_collision, has_minimum_norm, has_substeps, has_sleep;
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
    struct cn_propagation_settings propagation;
    char solver[CN_NAME_SIZE];
    char stepper[CN_NAME_SIZE];
};

/* Whether any number of the stepper propagation is set. */
bool wire_settings_have_propagation(const struct wire_settings *settings);

/* Makes *to what is set in *from; the others stay. */
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
    uint64_t hash; /* of the exact state at `tick`; 0: not told */
    struct wire_settings settings;
    double real_time_factor;
    uint32_t frozen_count; /* bodies that were made to stand still, see server/host/watch.h */
    double tick_duration_us;
    enum wire_durability durability;
    uint32_t stalled_ms; /* it waits so long for the disk */
    char failure[CN_DEFECT_TEXT_SIZE];
    uint32_t generation;
    uint32_t series;             /* the generation of the last reset or load; does not travel */
    uint64_t moment; /* grows with every tick and all that is done; does not travel */
    char origin[WIRE_NAME_SIZE]; /* the world that it was forked from or replays; empty: none */
    uint64_t origin_tick;
    double speed; /* of a REPLAY; 0: it stands still */
    uint64_t end_tick; /* how far it can be played now */
};

/* What is wanted of a world's past. */
struct wire_fork {
    uint32_t request;
    char world[WIRE_NAME_SIZE]; /* empty: the joined one */
    bool has_tick;              /* else its newest */
    uint64_t tick;
    char id[WIRE_NAME_SIZE]; /* of the new world; empty: from the world's */
    bool paused;
    bool each;   /* one for everybody in it who does not instruct */
    bool replay; /* not a world of its own, but one that shows what was */
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

/* Where a world comes from; finish with wire_source_finish. */
struct wire_source {
    enum wire_source_kind kind;
    char id[WIRE_NAME_SIZE];   /* of the world to create; empty: from the scene's name */
    char name[WIRE_NAME_SIZE]; /* of a bundled scene */
    uint8_t *scene_bytes;      /* a packed Scene, or Change */
    size_t scene_size;
};
void wire_source_finish(struct wire_source *source);

/* A question about a world; its query borrows from it, so it stays where it is. */
struct wire_query {
    uint32_t request;
    struct cn_query query;
    bool has_age; /* asks the world as it was: */
    uint32_t age_ms;
    struct cn_shape_def shape;
    cn_vec3 vertices[CN_HULL_POINTS_MAX];
};

/* What was answered; borrows the hits. */
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
