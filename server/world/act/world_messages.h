/*
 * world_messages.h: the messages of a world wait, and act between two ticks.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_MESSAGES_H
#define SERVER_WORLD_ACT_WORLD_MESSAGES_H

#include "server/world/data/world.h"

/* Takes a message.  An input beyond the limit is refused with an error to its sender. */
void sv_world_receive(struct sv_world *world, struct sv_message *message);

/* Acts on inputs whose tick has come, then on every waiting message. Only between two ticks. */
void sv_world_act(struct sv_world *world);

#endif
