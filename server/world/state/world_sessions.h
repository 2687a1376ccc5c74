/*
 * world_sessions.h: data of sessions in the log and in checkpoints.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_SESSIONS_H
#define SERVER_WORLD_STATE_WORLD_SESSIONS_H

#include "server/world/data/world.h"

bool sv_world_change_lease(
    struct sv_world *world, const struct dd_lease_change *change, struct wire_error *error);
bool sv_world_change_cap(
    struct sv_world *world, const struct wire_capped *cap, struct wire_error *error);
bool sv_world_keep_session(
    struct sv_world *world, const struct dd_kept *session, struct wire_error *error);
void sv_world_forget_session(struct sv_world *world, uint64_t session);

/*
 * The session has settled its inputs up to this one.  The number is noted in its member, or apart
 * where the session has no member.  False without memory, with *error filled.
 */
bool sv_world_settle(
    struct sv_world *world, uint64_t session, uint64_t seq, struct wire_error *error);

/* The last settled input of a session that is not a member; 0: none. */
uint64_t sv_world_settled_of(const struct sv_world *world, uint64_t session);

/* The same, and moves the number to the session's member. */
uint64_t sv_world_take_settled(struct sv_world *world, uint64_t session);

/* The next session with inputs, leases or kept data, by ascending numbers; UINT64_MAX: no more. */
uint64_t sv_world_session_after(const struct sv_world *world, uint64_t session);

/*
 * Writes and reads the section of a checkpoint.  False without memory, or when it is not such a
 * section.
 */
bool sv_world_write_sessions(const struct sv_world *world, struct dd_entries *out);
bool sv_world_read_sessions(struct sv_world *world, const unsigned char *bytes, size_t size);

/* The highest number of a session that the world knows of; 0: it knows of none. */
uint64_t sv_world_session_last(const struct sv_world *world);

/*
 * The tick that the world had promised when the checkpoint was taken; 0: none, or an older release.
 */
uint64_t sv_sessions_part_reach(const struct sv_checkpoint *checkpoint);

#endif
