/*
 * change.h: a change of a world: bodies and joints come and go.
 *
 * A change is done as a whole or not at all: names are looked up, new things are made (this may
 * fail, and is then undone), and last things are removed.
 *
 * Threads: one at a time for an engine.
 */
#ifndef DEED_CHANGE_H
#define DEED_CHANGE_H

#include "engine/cairn.h"
#include "proto/scene_live.h"
#include "proto/wire.h"

/* The slots of a change: what it removed, and what it made.  One allocation, this pointer first. */
struct dd_slots {
    int *gone_body, *gone_joint, *body, *joint;
    int gone_body_count, gone_joint_count, body_count, joint_count;
};

/*
 * Makes the change in an engine whose scene is now `shown`.  On true *slots is the caller's to
 * finish; wire_scene_follow() makes the next scene with them.  False with *error filled: nothing
 * has changed, except where *is_touched: slots that were made and removed again have a new
 * generation.
 */
bool dd_change_apply(struct wire_change *change, const struct wire_scene *shown,
    struct cn_world *engine, struct dd_slots *slots, bool *is_touched, struct wire_error *error);
void dd_slots_finish(struct dd_slots *slots);

#endif
