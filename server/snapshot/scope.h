/*
 * scope.h: which bodies a set of clients sees, from tick to tick (WIRE.md, "Views").
 *
 * A world keeps a scope as long as some member has its interest.  Members with equal interests
 * share it, and so share states and messages.  Every tick a scope takes its part of the world's
 * state:
 *
 *     always      bodies that are always relevant, or have one of the tags
 *     in the area |p - c| <= r along every axis that has an end: enters
 *                 |p - c| >  r + r/10 along one of them:         leaves
 *
 * in quanta, where p is the position of the body's frame, c the area's centre and r its reach.  In
 * between a body stays in or out, so that one at the edge does not alternate.  An area around a
 * body moves with it.  When the body is removed, the area stays; if the body never existed, the
 * area is empty.
 *
 * Tags are looked up when the scene has changed, not every tick.
 *
 * Ownership: a scope has references of the states and contacts that it showed last.
 * Threads: the world's worker alone.
 */
#ifndef SERVER_SNAPSHOT_SCOPE_H
#define SERVER_SNAPSHOT_SCOPE_H

#include "proto/codec.h"
#include "proto/contacts.h"
#include "proto/scene.h"
#include "proto/state.h"
#include "server/snapshot/attributes.h"

/* Flags of a slot. */
#define SV_SEEN_RELEVANT 1u /* for every client */
#define SV_SEEN_TAGGED 2u
#define SV_SEEN_INSIDE 4u /* inside the area since it entered */

struct sv_scope {
    struct wire_interest interest; /* normalised */
    int member_count;              /* counted by the owner of the scopes */
    int index;                     /* among the world's scopes, and of its view in a publication */
    bool wants[WIRE_MODE_COUNT];   /* the modes of its members in this tick */
    uint8_t *seen;                 /* flags by slot */
    uint8_t *lives;                /* by slot: number of earlier bodies in it, modulo 256 */
    int slot_count;
    uint32_t generation; /* of the last scene it processed; 0: none */
    uint32_t series;
    bool has_center;
    bool is_bounded[3];
    int64_t center[3], reach[3], far[3]; /* quanta */
    int32_t *taken;                      /* indices of entries, scratch */
    int taken_capacity;
    struct wire_state *shown_last[2]; /* the newest first; may be NULL */
    bool wants_attributes;            /* some member does, in this tick */
    struct sv_attributes *attributes; /* those shown last; NULL: none */
    bool wants_contacts;              /* a member wants ContactDeltas */
    struct wire_contacts *contacts_last; /* its part of the contacts; may be NULL */
};

/* NULL without memory.  The interest must be normalised. */
struct sv_scope *sv_scope_create(const struct wire_interest *interest);
void sv_scope_destroy(struct sv_scope *scope); /* takes NULL */

/*
 * Updates the flags for the scene, unless that generation was processed before.  False without
 * memory; the flags are then unchanged, except for removed bodies: a new body in such a slot is
 * outside at first.
 */
bool sv_scope_look(struct sv_scope *scope, const struct wire_scene *scene,
    const struct cn_world *world, uint32_t generation, uint32_t series);

/*
 * Returns a reference to its part of the whole world's state.  Call sv_scope_look before.  NULL
 * without memory.
 */
struct wire_state *sv_scope_take(
    struct sv_scope *scope, const struct cn_world *world, struct wire_state *whole);

/* Call it when the state was published; takes the reference. */
void sv_scope_showed(struct sv_scope *scope, struct wire_state *state_take);

/* The flags of a slot; 0 for an unknown slot. */
static inline unsigned
sv_scope_seen(const struct sv_scope *scope, uint32_t slot)
{
    return slot < (uint32_t)scope->slot_count ? scope->seen[slot] : 0;
}

#endif
