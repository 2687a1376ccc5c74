/*
 * room.h: a room: a world with seats.
 *
 *               stored           CREATED             end decided          REMOVED
 *     request ---------> MAKING ---------> OPEN ------------------> ENDING -------> gone
 *
 * A seat is FREE, HELD for its client (after the request, and after its session has left), or
 * TAKEN by a session in the world.  A seat that is HELD for longer than the template's holdS is
 * FREE.
 *
 * A room is stored as a note (room_record.c) with every change of its seats, together with the
 * event that the change makes.  After a restart seats that were TAKEN are HELD.
 *
 * Invariants: 1. taken and held count the seats in these states.  2. Only a TAKEN seat has a
 * session.  3. A seat's serial grows whenever it stops being its client's, so that no older token
 * is good.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_ROOM_ROOM_H
#define SERVER_ROOM_ROOM_H

#include "proto/room.h"
#include "server/host/directory.h"
#include "server/room/seat_token.h"

/* A template with its scene. */
struct sv_room_template {
    struct wire_room_template is;
    struct sv_scene *scene; /* owned */
};

enum sv_room_state { SV_ROOM_MAKING, SV_ROOM_OPEN, SV_ROOM_ENDING };
enum sv_place_state { SV_PLACE_FREE, SV_PLACE_HELD, SV_PLACE_TAKEN };

/* Enumerator, its name in the event `ended`. */
#define SV_ROOM_REASON_TABLE(X)                                                                    \
    X(NONE, "")                                                                                    \
    X(EMPTY, "empty")       /* nobody was there for the template's emptyS */                       \
    X(LIFETIME, "lifetime") /* its lifetimeS is over */                                            \
    X(REMOVED, "removed")   /* by a request for the room, or for its world */                      \
    X(LOST, "lost")         /* its world did not come back after a restart */

#define X(NAME, text) SV_ROOM_REASON_##NAME,
enum sv_room_reason { SV_ROOM_REASON_TABLE(X) SV_ROOM_REASON_COUNT };
#undef X
const char *sv_room_reason_text(enum sv_room_reason reason);

/* A seat of a room.  (A struct sv_seat is the gateway's: that of a connection.) */
struct sv_place {
    enum sv_place_state state;
    bool was_joined;   /* its client has been in the world, so that it can leave */
    bool is_asked;     /* HELD: the request for it has no answer yet, so its time has not begun */
    uint32_t serial;   /* of its token */
    uint64_t since_ns; /* HELD since */
    uint64_t session;  /* TAKEN by */
    char subject[WIRE_ROOM_SUBJECT_SIZE]; /* the sub of the token that asked for it, or "" */
    struct sv_owner owner; /* for quotas; not stored */
};

struct sv_room {
    uint64_t number; /* of its note; unique in this data folder */
    int index;       /* in the list of rooms */
    char id[WIRE_NAME_SIZE]; /* its world's, too */
    char name[WIRE_ROOM_NAME_SIZE];
    char subject[WIRE_ROOM_SUBJECT_SIZE]; /* the sub of the token that made it, or "" */
    struct sv_owner owner;                /* for quotas; not stored */
    const struct sv_room_template *of; /* NULL: its template is not configured any more */
    char template_name[WIRE_ROOM_WORD_SIZE];
    enum sv_room_state state;
    enum sv_room_reason reason; /* ENDING: why */
    bool is_private, is_locked, has_password;
    bool is_started; /* so many seats were taken as it needs, or it needs none */
    uint8_t salt[SV_ROOM_SALT_SIZE], hash[SV_ROOM_HASH_SIZE]; /* of its password */
    struct wire_room_properties properties;
    struct sv_place *places;
    uint32_t place_count, taken, held;
    uint64_t event_sequence; /* of its last event */
    uint64_t created_s;      /* Unix time */
    uint64_t ends_ns;        /* when its lifetime is over; 0: never */
    uint64_t empty_ns;       /* no seat is held or taken since */
    uint64_t version;        /* grows with each change, among all rooms; for lobbies */
    struct sv_host_world *world; /* NULL: it has none (any more, or yet) */
    uint64_t put, open_put;  /* the numbers of its last note, and of the first one as OPEN */
    bool is_world_due;       /* MAKING: its world is made when `put` is durable */
    bool is_remove_due;      /* ENDING: its world is still to be removed */
    bool is_untold;          /* ENDING: it was never open, so its end is no event */
    bool is_pause_due, is_start_due; /* orders that the world has not got yet */
};

/* NULL without memory. */
struct sv_room *sv_room_create(uint32_t place_count);
void sv_room_destroy(struct sv_room *room);

/* Changes the state of a seat, and the counts. */
void sv_room_set_place(struct sv_room *room, uint32_t place, enum sv_place_state state);

/* The index of a free seat; -1: all are held or taken. */
int sv_room_free_place(const struct sv_room *room);

/* Whether the room gives seats now, and whether it has one. */
bool sv_room_is_open(const struct sv_room *room);

/* Fills the value for messages, which borrows from the room. */
struct wire_room sv_room_show(const struct sv_room *room, uint64_t now_ns);

/* ---- room_record.c ---- */

#define SV_ROOM_RECORD_SIZE_MAX (4096 + WIRE_ROOM_SEATS_MAX * (6 + WIRE_ROOM_SUBJECT_SIZE))

/* Writes the bytes of the room's note; returns how many. */
size_t sv_room_pack(const struct sv_room *room, int64_t wall_s, uint64_t now_ns,
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX]);

/*
 * The room of a note, with all its seats HELD or FREE.  NULL if the bytes are no room, or without
 * memory.  `wall_s` and `now_ns` are the same moment.
 */
struct sv_room *sv_room_unpack(
    const unsigned char *bytes, size_t size, int64_t wall_s, uint64_t now_ns);

#endif
