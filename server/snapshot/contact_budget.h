/*
 * contact_budget.h: the ContactDeltas of a client with a limit of bytes per second (budget.h).
 *
 * Contacts get at most a part of the bytes of a message, SV_BUDGET_CONTACT_PARTS, so that bodies
 * always get the rest.  If all that differs from the client's contacts fits into it, it is sent.
 * Otherwise the client gets the contacts that ended, and as many of the others as fit.  These begin
 * after the last that it got; those left stay as the client has them.  So a contact that has ended
 * is never kept back, and no other waits for more than one round.
 *
 * Threads: the world's worker.
 */
#ifndef SERVER_SNAPSHOT_CONTACT_BUDGET_H
#define SERVER_SNAPSHOT_CONTACT_BUDGET_H

#include "server/snapshot/view.h"

/* Zero-initialise. */
struct sv_contact_budget {
    uint32_t rate_hz;            /* 0: the client wants no contacts */
    struct wire_contacts *known; /* of the client, as far as is known; NULL: none */
    uint32_t number;             /* of its last message */
    struct wire_contact after;   /* the key of the last contact that was sent in a round */
    bool has_made;
    uint64_t made_tick;
};

/* A message and the client's contacts once it has received it; both NULL: none. */
struct sv_contact_part {
    struct wire_contacts *contacts;
    struct sv_buffer *message;
    bool is_whole; /* the client then has all contacts of the view */
};

void sv_contact_budget_forget(struct sv_contact_budget *budget);

/* A message with these contacts was sent. */
void sv_contact_budget_learn(struct sv_contact_budget *budget, struct wire_contacts *contacts);

/*
 * Makes the message for the client, of at most `room` bytes.  While a keyframe is on its way
 * (is_waiting), none is made.  The caller takes the references.
 */
struct sv_contact_part sv_contact_budget_make(struct sv_contact_budget *budget,
    struct sv_view *view, struct sv_view_tools *tools, double tick_rate_hz, bool is_going_on,
    bool is_waiting, size_t room);

#endif
