/*
 * scope.h: which bodies a set of clients sees, from tick to tick (WIRE.md, "Views").
 *
 * A scope is kept by a world for as long as some member has its interest; members with equal ones
 * share it, and so share states and messages.  Every tick it takes its part of the world's state:
 *
 *     always      bodies that are always relevant, or have one of the tags
 *     in the area |p - c| <= r along every axis that has an end: enters
 *                 |p - c| >  r + r/10 along one of them:         leaves
 *
 * in quanta, p where the body's frame is, c the area's centre, r its reach.  In between a body
 * stays what it was, so that one that lingers at the edge does not come and go.  An area around a
 * body goes with it; when the body is gone it stays where it was, and one that never was is around
 * nothing.
 *
 * Tags are looked up when the scene has changed, not every tick.
 *
 * Ownership: a scope has references of the states that it showed last.
 * Threads: the world's worker alone.
 */
#ifndef SERVER_SNAPSHOT_SCOPE_H
#define SERVER_SNAPSHOT_SCOPE_H

#include "proto/codec.h"
#include "proto/scene.h"
#include "proto/state.h"

/* What is known of a slot. */
#define SV_SEEN_RELEVANT 1u /* always, by everybody */
#define SV_SEEN_TAGGED 2u
#define SV_SEEN_INSIDE 4u /* the area, since it entered */

struct sv_scope {
    struct wire_interest interest; /* settled */
    int member_count;              /* who share it; its keeper counts */
    int index;                     /* among its keeper's, and of its view in a publication */
    bool wants[WIRE_MODE_COUNT];   /* which modes some member has, this tick */
    uint8_t *seen;                 /* by slot */
    uint8_t *lives;                /* by slot, modulo 256: how many bodies had it before this one */
    int slot_count;
    uint32_t generation; /* of the scene that was looked at last; 0: none was */
    uint32_t series;
    bool has_center;
    bool is_bounded[3];
    int64_t center[3], reach[3], far[3]; /* quanta */
    int32_t *taken;                      /* entries, scratch */
    int taken_capacity;
    struct wire_state *shown_last[2]; /* the newest first; NULL: none */
};

/* NULL without memory.  The interest is settled. */
struct sv_scope *sv_scope_create(const struct wire_interest *interest);
void sv_scope_destroy(struct sv_scope *scope); /* takes NULL */

/*
 * Looks at the scene, when its generation is not the one that was looked at.  False without memory;
 * what was known stays, but of bodies that are gone: who takes the slot of one has not entered.
 */
bool sv_scope_look(struct sv_scope *scope, const struct wire_scene *scene,
    const struct cn_world *world, uint32_t generation, uint32_t series);

/*
 * Its part of the state of the world, which is the whole one's; a reference.  The scene has been
 * looked at.  NULL without memory.
 */
struct wire_state *sv_scope_take(
    struct sv_scope *scope, const struct cn_world *world, struct wire_state *whole);

/* The state has been published; takes the reference. */
void sv_scope_showed(struct sv_scope *scope, struct wire_state *state_take);

/* What is known of a slot; of one that was never looked at nothing. */
static inline unsigned
sv_scope_seen(const struct sv_scope *scope, uint32_t slot)
{
    return slot < (uint32_t)scope->slot_count ? scope->seen[slot] : 0;
}

#endif
