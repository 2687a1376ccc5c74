/*
 * notebook.h: what the network thread writes to the store, in order.
 *
 * The caller puts notes and gets a number.  The notes are durable when sv_notebook_is_durable says
 * so of this number.  While the store takes nothing (its lane is full, its disk is full) they wait
 * in memory, in order.  Their number is bounded by the callers: rooms refuse requests meanwhile.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_ROOM_NOTEBOOK_H
#define SERVER_ROOM_NOTEBOOK_H

#include "server/store/store.h"

/* The shelves of notes. */
enum sv_shelf {
    SV_SHELF_KEY = 1,  /* number 1: the key of tokens and passwords */
    SV_SHELF_ROOM = 2, /* a room, by its number */
    SV_SHELF_HOOK = 3, /* an event for the webhook that was not delivered yet */
};

struct sv_notebook_page;

struct sv_notebook {
    struct sv_store *store; /* NULL: nothing is stored, and everything counts as durable */
    struct sv_lane *lane;
    uint64_t put_count; /* the last number given */
    uint64_t durable;   /* the last number that is durable */
    struct sv_notebook_page *first, *last; /* not yet in the lane, oldest first */
    struct {
        uint64_t number, ticket;
    } *written; /* in the lane and not durable, oldest first */
    int written_count, written_capacity;
    int waiting_count; /* pages from first to last */
};

/* `store` may be NULL; `lane` is its index of the network thread's lane. */
void sv_notebook_init(struct sv_notebook *notebook, struct sv_store *store, int lane);
void sv_notebook_finish(struct sv_notebook *notebook);

/* Puts notes that become durable together; returns their number. */
uint64_t sv_notebook_put(struct sv_notebook *notebook, const struct sv_note *notes, int count);

/* Makes everything that was put durable soon. */
void sv_notebook_flush(struct sv_notebook *notebook);

/* Puts what waits into the lane, and looks what has become durable. */
void sv_notebook_poll(struct sv_notebook *notebook);

bool sv_notebook_is_durable(const struct sv_notebook *notebook, uint64_t number);

/* Whether the store takes new notes now; else a request that needs one is refused. */
bool sv_notebook_is_open(const struct sv_notebook *notebook);

#endif
