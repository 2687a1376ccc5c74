/*
 * world_record.h: a world's next record, and the reports that wait for the disk.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_RECORD_H
#define SERVER_WORLD_STATE_WORLD_RECORD_H

#include "server/world/data/world.h"

/* Publications and reports from now on depend on that ticket of the world's lane: they wait. */
void sv_world_wait_for(struct sv_world *world, uint64_t ticket);

/* The same without requesting a commit. */
void sv_world_depend_on(struct sv_world *world, uint64_t ticket);

/* The record with the last REACH has that ticket. */
void sv_world_note_reach(struct sv_world *world, uint64_t ticket);

/* No REACH is valid any more: ticks stop or begin again, or the record was not stored. */
void sv_world_forget_reach(struct sv_world *world);

/*
 * Stores a part that the next entry names by its content hash.  The entry must be in the next
 * record, with nothing in between.  The first scene belongs to the charter and stays as long as the
 * world.  False with *error filled.
 */
bool sv_world_put_scene(struct sv_world *world, const struct sv_scene *scene, bool is_first,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error);
bool sv_world_put_bytes(struct sv_world *world, const unsigned char *bytes, size_t size,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error);
/* Fills *error after the store has refused a record: BUSY, or READONLY when the disk is full. */
void sv_world_refuse_unkept(const struct sv_world *world, struct wire_error *error);
bool sv_world_put_change(struct sv_world *world, const struct wire_change *change,
    struct dd_entry *entry, struct wire_error *error);

/* Reserves memory for the reports of one more message; false if no memory is left. */
bool sv_world_ready_outbox(struct sv_world *world);

/* The same for that many reports. */
bool sv_world_ready_reports(struct sv_world *world, int count);

/* Whether one more message may act: there is memory for its log entries. */
bool sv_world_has_entry_room(struct sv_world *world);

/*
 * Appends the record and sends the reports that depend on it.  False: try later; nothing may act.
 */
bool sv_world_commit(struct sv_world *world);

/* Marks that a step to that tick, or an entry at it, is in progress; and that nothing is. */
void sv_world_step_begins(struct sv_world *world, uint64_t tick);
void sv_world_step_ends(struct sv_world *world);

void sv_persistence_finish(struct sv_persistence *persist);

/*
 * Reserves memory for the entry, so that logging it cannot fail; false with *error filled.  Then
 * adds it to the record of that tick.
 */
bool sv_world_reserve_entries(struct sv_world *world, int count, struct wire_error *error);
bool sv_world_reserve_entry(
    struct sv_world *world, const struct dd_entry *entry, struct wire_error *error);
void sv_world_log_entry(struct sv_world *world, const struct dd_entry *entry, uint64_t tick);

/*
 * Takes a report and what it owns; there is room for it (env.h).  With durability TICK the report
 * of a stored world waits until its record is durable; with SECOND only answers to orders and new
 * worlds wait.  Any other is sent at once.
 */
void sv_world_report(struct sv_world *world, struct sv_report *report);

#endif
