/*
 * world_say.h: messages to the members of a world, and answers to sessions.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_SAY_H
#define SERVER_WORLD_STATE_WORLD_SAY_H

#include "server/world/data/world.h"

/* Sends a message to all members, or an answer to one asker; takes it. */
void sv_world_say(
    struct sv_world *world, const struct sv_asker *asker, struct sv_buffer *message_take);

/* Sends an outcome to the asker: with status (DONE) or with `error` (REFUSED, REJECTED). */
void sv_world_answer(struct sv_world *world, enum sv_report_kind kind,
    const struct sv_asker *asker, uint64_t seq, const struct wire_error *error);

/* Tells the asker and the host of a new world; the caller has made the outcome. */
void sv_world_say_created(
    struct sv_world *world, const struct sv_asker *asker, struct sv_outcome *outcome_take);

/* Tells all members: a Joined of the new generation, the presence list, or the status. */
void sv_world_say_reloaded(struct sv_world *world);

/* The same for a change: the differences between the shown scene and the one before. */
void sv_world_say_changed(struct sv_world *world, struct wire_changed *changed);
void sv_world_say_presence(struct sv_world *world);
void sv_world_say_status(struct sv_world *world);

/* Sends a Joined to one asker. */
void sv_world_say_joined(struct sv_world *world, const struct sv_asker *asker);

/* The same with an image of the engine; false without memory: nothing is sent. */
bool sv_world_say_image(struct sv_world *world, const struct sv_asker *asker);

#endif
