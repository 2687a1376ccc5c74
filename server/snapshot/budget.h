/*
 * budget.h: messages for a client with a limit of bytes per second (WIRE.md, "Budgets").
 *
 * The budget is a token bucket: bytes are earned by the nanosecond, and at most a second's bytes
 * divided by SV_BUDGET_PARTS are kept.  Every tick that is sent (TickHeader and Delta with their
 * frames) is paid for; if it was not sent after all, it is paid back.  So in any span of time no
 * more is sent than was earned in it and kept before it.
 *
 * While the client knows everything and the view's shared delta can be paid, it is sent that delta.
 * Otherwise it gets a message of its own: a delta of first order from what it knows to a state in
 * which the most urgent bodies are as they are now and the others as it knows them.
 *
 *     every message a body that is not as the client knows it waits longer, by
 *         1 + error (0 to 4: wrong by more than 1 mm, 1 cm, 1 dm, 1 m, or as much of a radian;
 *                    4: it is new, or gone)
 *           + near  (0 to 3: within the inner quarter of the area 3, half 2, three quarters 1),
 *     always relevant bodies go first, in at most half of the bytes, then the longest waits
 *
 * The largest step is W = 8 and the smallest 1.  Let N bodies all move, and m of them fit into half
 * a message.  Then no body waits for more than 2 (1 + W) N / m messages: bodies sent before it in
 * the second half of that time have each waited for 1 / (2 W) of it since they were last sent.
 *
 * The view's shared deltas may cost no more than is earned, while the client lacks the state that
 * they build upon.  Then bytes are saved until the whole view can be paid at once, unless it costs
 * more than can be saved.
 *
 * The network thread notes in the message itself whether it was sent: a message may be waiting, be
 * replaced by a newer one, or find its socket full.  The next message builds upon the last one that
 * is known to have been sent.
 *
 * A world that does not run is sent when everything that the client lacks can be paid at once;
 * bytes are saved until then.
 *
 * Contacts are in the same messages (contact_budget.h).
 *
 * Threads: a budget belongs to its world's worker; an sv_own to both threads, see there.
 */
#ifndef SERVER_SNAPSHOT_BUDGET_H
#define SERVER_SNAPSHOT_BUDGET_H

#include "server/snapshot/contact_budget.h"
#include "server/snapshot/scope.h"
#include "server/snapshot/view.h"
#include "server/snapshot/weigher.h"

/*
 * One client's message of one tick.  The worker writes it; then only the two counters change.  The
 * network thread notes the sent bytes before it releases the message; a message to which only its
 * budget still has a reference is settled.
 */
struct sv_own {
    atomic_uint ref_count;
    atomic_uint sent_size; /* bytes of the whole tick that were sent; 0: not sent */
    uint32_t epoch;        /* of the client's subscription for which it was made */
    uint32_t charge;       /* bytes that were paid for it */
    bool is_whole;         /* no body was left out: the state is the view's */
    struct sv_buffer *message;         /* NULL: it has contacts alone */
    struct sv_buffer *contact_message; /* NULL: none */
    struct wire_contacts *contacts;    /* the client's contacts after contact_message */
    struct wire_state *state; /* the client's state once it has received the message */
    int slot_count;           /* slots that the message contains */
    uint32_t slots[];
};
struct sv_own *sv_own_ref(struct sv_own *own);
void sv_own_unref(struct sv_own *own); /* takes NULL */

struct sv_budget {
    uint32_t bytes_per_second, rate_hz, epoch;
    uint64_t time_ns; /* bytes were earned up to this time */
    uint64_t earned;  /* bytes * SV_NS_PER_S */
    uint64_t owed; /* bytes to complete a world that does not run; 0: it is complete */
    struct wire_state *known[2]; /* states of the client, newest first; NULL: none */
    bool is_whole[2];
    /* Messages not yet known to be sent or dropped, oldest first. */
    struct sv_own *pending[SV_BUDGET_PENDING_MAX];
    int pending_count;
    struct sv_waits waits;
    struct sv_contact_budget contacts;
    bool has_made;
    uint64_t made_tick;
};

/* NULL without memory. */
struct sv_budget *sv_budget_create(uint64_t now_ns);
void sv_budget_destroy(struct sv_budget *budget); /* takes NULL */

/*
 * Sets the client's wishes from now on; a contact rate of 0: no contacts.  With another epoch the
 * client has no states.
 */
void sv_budget_set(struct sv_budget *budget, uint32_t bytes_per_second, uint32_t rate_hz,
    uint32_t contact_rate_hz, uint32_t epoch);

/* Call it when the client has lost all its states. */
void sv_budget_restart(struct sv_budget *budget);

/* A tick of its world. */
struct sv_moment {
    uint64_t now_ns;
    double tick_rate_hz;
    bool is_going_on;
    size_t header_size; /* of the client's TickHeader, framed, at most */
};

/*
 * Makes the client's message of the view, which is that of the scope; returns a reference.  NULL if
 * nothing can be sent now.  sv_scope_look must have been called for the scene.
 */
struct sv_own *sv_budget_make(struct sv_budget *budget, const struct sv_scope *scope,
    struct sv_view *view, struct sv_view_tools *tools, struct sv_weigher *weigher,
    const struct sv_moment *moment);

/* The time to publish a world that does not run again for this client; UINT64_MAX: never. */
uint64_t sv_budget_wanted_ns(const struct sv_budget *budget);

#endif
