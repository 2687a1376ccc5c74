/*
 * rooms.h: the rooms of a daemon: who gets a seat, and when a room ends.
 *
 *     HTTP --> pick, seat, make --> notes in the store --durable--> world --CREATED--> answer
 *     sessions --> entered, left --> seats
 *     tend --> seats that were not used, empty rooms, lifetimes --> worlds are removed
 *
 * A request is answered after its change is durable, and a room's first answer after its world is,
 * too.  Before its world is made, a room's note is durable: so a killed daemon knows for every
 * world whether it belongs to a room.
 *
 *     rooms_data.c    the list, the notes, the requests that wait; used by the others:
 *     rooms_load.c    templates, and rooms after a restart
 *     rooms_ask.c     requests
 *     rooms.c         worlds, sessions, ends
 *
 * Threads: the network thread.
 */
#ifndef SERVER_ROOM_ROOMS_H
#define SERVER_ROOM_ROOMS_H

#include "access/claims.h"
#include "server/base/rate.h"
#include "server/room/hooks.h"
#include "server/room/room.h"

struct sv_rooms;

/* The answer to a request; what it points to is borrowed. */
struct sv_room_answer {
    struct sv_asker asker;
    const struct wire_error *error; /* NULL: it was carried out */
    const struct wire_room_seat *seat; /* of a request for a seat; else NULL */
    const struct sv_room *room;        /* of a lock; NULL: the room is gone */
};

/* A request whose answer waits. */
struct sv_room_wait {
    struct sv_asker asker;
    uint64_t room; /* its number */
    enum { SV_WAIT_SEAT, SV_WAIT_LOCK, SV_WAIT_REMOVED } kind;
    uint64_t put; /* the note that it waits for; of REMOVED: 0 until the room is gone */
    uint32_t place, serial;
    bool is_created;
};

struct sv_rooms {
    struct sv_host *host;
    struct sv_clock clock;
    struct sv_random random;
    struct sv_log *log;
    struct sv_metrics *metrics;
    struct sv_notebook notebook;
    struct sv_hooks hooks;
    struct sv_room_template templates[WIRE_ROOM_TEMPLATES_MAX];
    int template_count;
    struct sv_room *list[WIRE_ROOMS_MAX];
    int count, making_count;
    uint8_t key[SV_ROOM_KEY_SIZE]; /* of tokens and passwords */
    bool has_key;
    uint64_t number_last, version_last;
    struct sv_room_wait *waits;
    int wait_count, wait_capacity;
    struct sv_rate guesses; /* passwords that did not fit */
    bool is_stopping;       /* sessions that end now do not leave their seats */
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX]; /* scratch */

    void (*answer)(void *context, const struct sv_room_answer *answer);
    void *answer_context;
};

void sv_rooms_init(struct sv_rooms *rooms, struct sv_host *host, struct sv_clock clock,
    struct sv_random random, struct sv_log *log, struct sv_metrics *metrics);
void sv_rooms_finish(struct sv_rooms *rooms);

/* ---- rooms_data.c ---- */

/* NULL: there is no such room, and no such template. */
struct sv_room *sv_rooms_find(const struct sv_rooms *rooms, const char *id);
const struct sv_room_template *sv_rooms_template(const struct sv_rooms *rooms, const char *name);

/* ---- rooms_load.c ---- */

/*
 * Adds the templates of a text; the bundled scenes are loaded before.  False with *error filled:
 * `path` and `line` are in the text.
 */
bool sv_rooms_add_templates(
    struct sv_rooms *rooms, const char *text, size_t size, struct wire_error *error);

/*
 * Reads the key, the rooms and the waiting events from the store, after its worlds are back;
 * `store` NULL: nothing is stored.  `lane`: the index of the network thread's lane.  False with a
 * fault.
 */
bool sv_rooms_load(
    struct sv_rooms *rooms, struct sv_store *store, int lane, struct sv_fault *fault);

/* ---- rooms_ask.c ---- */

/* The sender of a request. */
struct sv_room_who {
    struct sv_asker asker;
    enum ac_role role;
    const char *subject; /* the sub of its token, or "" */
    const char *world;   /* the pattern of its worlds */
};

/* Whether the filter, and the sender's pattern, show this room in lists. */
bool sv_rooms_fits(
    const struct sv_room *room, const struct wire_room_filter *filter, const char *pattern);

/*
 * The room that a request is for; *room NULL: one has to be made.  False with *error filled.
 */
bool sv_rooms_pick(struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who, struct sv_room **room, struct wire_error *error);

/*
 * Gives a seat in the room that was picked, or in a new one.  The answer follows.  False with
 * *error filled.
 */
bool sv_rooms_seat(struct sv_rooms *rooms, struct sv_room *room, const struct sv_room_who *who,
    struct wire_error *error);
bool sv_rooms_make(struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who, struct wire_error *error);

/* Locks or unlocks, and removes a room.  The answer follows.  False with *error filled. */
bool sv_rooms_lock(struct sv_rooms *rooms, struct sv_room *room, bool is_locked,
    const struct sv_asker *asker, struct wire_error *error);
bool sv_rooms_remove(struct sv_rooms *rooms, struct sv_room *room, const struct sv_asker *asker,
    struct wire_error *error);

/* How many rooms the asker's session, token or tenant has made, and how many seats it has. */
int sv_rooms_made_count(
    const struct sv_rooms *rooms, const struct sv_asker *asker, enum sv_principal principal);
int sv_rooms_seat_count(
    const struct sv_rooms *rooms, const struct sv_asker *asker, enum sv_principal principal);

/* ---- rooms.c ---- */

/* The rights that the token of a seat gives.  *id and *subject belong to the room. */
struct sv_room_pass {
    uint64_t room;
    uint32_t place, serial;
    const char *id, *subject;
    const struct wire_room_template *of;
};

/* False with *error filled: TOKEN, or EXPIRED if the seat is not its client's any more. */
bool sv_rooms_admit(const struct sv_rooms *rooms, const char *token, struct sv_room_pass *pass,
    struct wire_error *error);

/* Whether the seat is still the one of that serial, so that its client may join. */
bool sv_rooms_is_current(
    const struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial);

/* A session with that seat is about to join, and has left. */
void sv_rooms_entered(
    struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial, uint64_t session);
void sv_rooms_left(
    struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial, uint64_t session);

/* A worker's report about the world of a room. */
void sv_rooms_reported(struct sv_rooms *rooms, const struct sv_host_world *world,
    const struct sv_report *report);

/* Answers what is durable, and sends events; call after each sv_gateway_poll. */
void sv_rooms_poll(struct sv_rooms *rooms);

/* Ends what is over; call a few times a second. */
void sv_rooms_tend(struct sv_rooms *rooms);

/* ---- rooms_data.c, for the other files ---- */

struct sv_room *sv_rooms_by_number(const struct sv_rooms *rooms, uint64_t number);

/* Adds a room to the list, takes it; false: the list is full, and the room is destroyed. */
bool sv_rooms_add(struct sv_rooms *rooms, struct sv_room *room_take);

void sv_rooms_set_state(
    struct sv_rooms *rooms, struct sv_room *room, enum sv_room_state state);

/* Events that come with one change, at most. */
#define SV_ROOM_NEWS_MAX 2

/* An event that comes with a change; place -1: none. */
struct sv_room_news {
    const char *event;
    int place;
    enum sv_room_reason reason;
    const struct cn_value *result; /* NULL: the event has none */
};

/* Stores the room as it is, with the events of the change, and shows it to lobbies. */
void sv_rooms_save(
    struct sv_rooms *rooms, struct sv_room *room, const struct sv_room_news *news, int count);

/*
 * The room ends, for that reason.  If its world has a result, the event `result` comes with it: so
 * it is stored before the world is removed.
 */
void sv_rooms_end(struct sv_rooms *rooms, struct sv_room *room, enum sv_room_reason reason);

/* The room is gone: stores that, with the event `ended` if `is_told`, and destroys it. */
void sv_rooms_drop(struct sv_rooms *rooms, struct sv_room *room, bool is_told);

/* Adds a wait; false without memory. */
bool sv_rooms_wait(struct sv_rooms *rooms, const struct sv_room_wait *wait);

#endif
