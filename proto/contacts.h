/*
 * contacts.h: the contacts of one tick and the loads of joints, in quanta; immutable once shared.
 *
 * A point is stored relative to a body that it touches (its anchor), so a body that moves with its
 * contacts changes none of these numbers.  With the precision p of the world (precision.h):
 *
 *     point, gap [m]       = integer * WIRE_CONTACT_QUANTA * p.position
 *     normal               = integer * WIRE_NORMAL_SCALE, to be scaled to unit length
 *     force [N]            = integer * 2^scale; in space and in the plane in the world's axes; it
 *                            is the whole force on body B: along the normal, and friction
 *     torque [N m]         = integer * 2^scale
 *     impulse [N s]        = wire_magnitude(code)
 *
 * The three components of a vector share their scale.  The largest is 24 to 96 quanta, so a quantum
 * is at most a 24th of the vector; the smallest quantum is 2^WIRE_SCALE_MIN.
 *
 * **Quantum.**  A number stays as it was in the state before while that is wrong by at most one
 * quantum.  So noise is not sent, and every number is right within one quantum.
 *
 * **Entries** are in ascending order of (a, b, rank, anchor).  rank numbers the contacts of a pair
 * and stays as long as the contact does.  An entry with a >= WIRE_LOADS_FROM is the load of joint
 * a - WIRE_LOADS_FROM on its body B; b is the anchor.
 *
 * Ownership, threads: as in state.h.
 */
#ifndef PROTO_CONTACTS_H
#define PROTO_CONTACTS_H

#include "proto/state.h"

#define WIRE_CONTACT_QUANTA 4.0
#define WIRE_NORMAL_SCALE (1.0 / 256.0)
#define WIRE_SCALE_MIN (-20)
#define WIRE_LOADS_FROM (UINT32_C(1) << 30)

/* Whose frame a point is in; at the place of the body, but with the world's axes. */
enum wire_anchor { WIRE_ANCHOR_A, WIRE_ANCHOR_B, WIRE_ANCHOR_A_AXES, WIRE_ANCHOR_B_AXES };
#define WIRE_ANCHOR_COUNT 4

struct wire_contact {
    uint32_t a, b, rank, anchor;
    int32_t point[3];
    int32_t normal[3];
    int32_t gap;
    int32_t force[3], force_scale;
    int32_t torque[3], torque_scale; /* of a joint */
    int32_t impulse;
};

/* The report of the solve that gave the forces. */
struct wire_contact_report {
    bool is_judged;
    int32_t residual; /* a code, as of impulses */
    uint32_t outcome, iteration_count, row_count, left_out;
    char solver[16];
};

struct wire_contacts {
    atomic_uint ref_count;
    uint64_t tick; /* the first at which the contacts were these */
    uint32_t generation, series;
    uint32_t number; /* in its series: another one has other contents */
    uint32_t hash;
    double scale; /* of points and gaps [m] */
    bool is_spatial;
    struct wire_contact_report report;
    int count;
    struct wire_contact *contacts;
    struct wire_contact_memory *memory; /* of its maker; else NULL */
};

/* An empty state with room for `count` entries, all zero.  NULL without memory. */
struct wire_contacts *wire_contacts_create(int count);
struct wire_contacts *wire_contacts_ref(struct wire_contacts *contacts);
void wire_contacts_unref(struct wire_contacts *contacts); /* takes NULL */

/*
 * Takes the world's contacts and loads.  `previous` is the last state taken of it, or NULL: if
 * nothing has changed, it is returned itself.  Returns a reference; NULL without memory.
 */
struct wire_contacts *wire_contacts_take(const struct cn_world *world, uint32_t generation,
    uint32_t series, const struct wire_precision *precision, struct wire_contacts *previous);

/*
 * Returns a reference to the entries of a view: all of their bodies that are not static are in
 * `part`, its state.  `previous` is the last such part, or NULL; if it is equal, it is returned
 * itself.
 */
struct wire_contacts *wire_contacts_part(struct wire_contacts *whole,
    const struct wire_state *whole_state, const struct wire_state *part,
    struct wire_contacts *previous);

/* Contacts of a client that cannot be sent all differences at once. */
struct wire_contacts_mix {
    struct wire_contacts *contacts; /* a reference; NULL without memory */
    int taken_count;          /* entries that differ from those that the client knows */
    bool is_whole;            /* they are those of `now` */
    struct wire_contact last; /* the key of the last entry that was taken */
};

/*
 * Returns `known` (or no contacts, if it is NULL) without the entries that `now` lacks, and with at
 * most `count` more as in `now`: the first that differ behind the key `after`, and then from the
 * start.
 */
struct wire_contacts_mix wire_contacts_mix(const struct wire_contacts *known,
    const struct wire_contacts *now, const struct wire_contact *after, int count);

/* The sum of the entries' hashes; see WIRE.md, "Contact deltas". */
uint32_t wire_contacts_hash(const struct wire_contacts *contacts);

bool wire_contact_reports_are_equal(
    const struct wire_contact_report *a, const struct wire_contact_report *b);

/* Whether all except tick, generation and number is equal. */
bool wire_contacts_are_equal(const struct wire_contacts *a, const struct wire_contacts *b);

/* -1, 0 or 1, by the order of entries. */
int wire_contact_compare(const struct wire_contact *a, const struct wire_contact *b);

static inline bool
wire_contact_is_load(const struct wire_contact *contact)
{
    return contact->a >= WIRE_LOADS_FROM;
}

/* The slot of the body at which the point is. */
static inline uint32_t
wire_contact_anchor(const struct wire_contact *contact)
{
    bool is_b = contact->anchor == WIRE_ANCHOR_B || contact->anchor == WIRE_ANCHOR_B_AXES;
    return is_b ? contact->b : contact->a;
}

/* The value of a code from 0; each is 1/32 to 1/64 above the one before. */
double wire_magnitude(int32_t code);

#endif
