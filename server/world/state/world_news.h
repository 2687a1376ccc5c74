/*
 * world_news.h: what a world tells its logic.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_NEWS_H
#define SERVER_WORLD_STATE_WORLD_NEWS_H

#include "server/world/data/world.h"

/*
 * Notes the events of the tick that has just been made: once for each tick, live and in a recovery.
 */
void sv_world_note_events(struct sv_world *world);

/* The world has no logic any more. */
void sv_world_drop_logic(struct sv_world *world);

/* The session is not the world's logic any more, if it was. */
void sv_world_logic_gone(struct sv_world *world, uint64_t session);

/* Whether a LogicTick is due between two ticks: the first one, or one about news at rest. */
bool sv_world_has_news(const struct sv_world *world);

/* Sends a LogicTick with the news since the last one; later, where there is no room now. */
void sv_world_ask_logic(struct sv_world *world);

/* The same at the end of a tick, if this tick is one of those that the logic wants. */
void sv_world_ask_logic_tick(struct sv_world *world);

#endif
