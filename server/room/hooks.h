/*
 * hooks.h: the events that the webhook has not received yet.
 *
 * An event is stored together with the change of its room, and removed after the receiver has
 * confirmed it with a status of 200 to 299.  So a kill loses none; it may repeat the last ones,
 * with the same id.  The events of one room are sent one after the other, in their order; those of
 * different rooms at the same time, at most SV_HOOKS_AT_ONCE.
 *
 * An event that was not confirmed is sent again after SV_HOOK_RETRY_NS.  The pause doubles each
 * time, up to SV_HOOK_RETRY_MAX_NS.  Each pause is shortened by a random part of up to a half.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_ROOM_HOOKS_H
#define SERVER_ROOM_HOOKS_H

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/base/random.h"
#include "server/room/notebook.h"
#include "server/room/poster.h"

struct sv_hook_event;

/* The events of one room, which are sent in turn. */
struct sv_hook_line {
    struct sv_hook_line *next;
    uint64_t room;
    struct sv_hook_event *first, *last;
    uint64_t next_ns; /* when the first may be sent (again) */
    unsigned attempts; /* of the first, without success */
    bool is_sending;
};

struct sv_hooks {
    struct sv_poster poster; /* without `send` there is no webhook: nothing is noted */
    struct sv_notebook *notebook;
    struct sv_clock clock;
    struct sv_random random;
    struct sv_log *log;
    struct sv_metrics *metrics;
    struct sv_hook_line *lines; /* oldest first */
    struct sv_hook_line *last_line;
    uint64_t number_last; /* of an event's note */
    int event_count, sending_count;
    size_t size; /* bytes of all events */
    bool is_failing; /* the log has said that events are not received */
};

void sv_hooks_init(struct sv_hooks *hooks, struct sv_notebook *notebook, struct sv_clock clock,
    struct sv_random random, struct sv_log *log, struct sv_metrics *metrics);
void sv_hooks_finish(struct sv_hooks *hooks);

bool sv_hooks_are_used(const struct sv_hooks *hooks);

/* Whether the events of one more request have room; else it is refused with CAPACITY. */
bool sv_hooks_have_room(const struct sv_hooks *hooks);

/* A new event's id.  False if the system has no random numbers. */
bool sv_hooks_make_id(const struct sv_hooks *hooks, char id[SV_EVENT_ID_SIZE]);

/*
 * Adds an event of a room; takes the body.  *note, which borrows from the event until the next
 * sv_hooks_poll, is put together with the change of the room.  Then sv_hooks_put has the number of
 * that put: the event is not sent before it is durable.
 */
struct sv_hook_event *sv_hooks_add(struct sv_hooks *hooks, uint64_t room,
    const char id[SV_EVENT_ID_SIZE], char *body_take, struct sv_note *note);
void sv_hooks_put(struct sv_hook_event *event, uint64_t number);

/* Adds an event that was stored; false if the note cannot be read, or without memory. */
bool sv_hooks_load(struct sv_hooks *hooks, const struct sv_note *note);

/* Takes results, and sends what is due. */
void sv_hooks_poll(struct sv_hooks *hooks);

#endif
