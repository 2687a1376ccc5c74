/*
 * world_logic.h: messages of members, and the answers of the logic (data/logic.h).
 *
 * A LogicTick is sent when its tick is done; the answer acts before the next one.  So the logic has
 * the rest of the period, and delays nothing.  In mode BARRIER a tick that is due waits for
 * the answer, up to the deadline.  Only its world waits; the worker runs the others.
 *
 * All effects of an answer are in one record, which begins with a LOGIC entry (deed/entry.h).  An
 * answer without effects to a LogicTick without news has no entry: nothing is lost with it.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_LOGIC_H
#define SERVER_WORLD_ACT_WORLD_LOGIC_H

#include "server/world/data/world.h"

/* Carries out a message SAY, LOGIC or LOGIC_DONE. */
void sv_world_hear_say(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_say *say);
void sv_world_start_logic(struct sv_world *world, const struct sv_asker *asker,
    const struct wire_logic_start *start);
void sv_world_hear_logic(
    struct sv_world *world, const struct sv_asker *asker, struct wire_logic_done **done_take);

/* Whether there is room for all reports that an answer causes; it waits until there is. */
bool sv_world_has_answer_room(struct sv_world *world, const struct wire_logic_done *done);

/* Lets the answers act that waited for this tick. */
void sv_world_act_on_early_answers(struct sv_world *world);

/* Sends a LogicTick that is due between two ticks. */
void sv_world_tend_logic(struct sv_world *world);

/*
 * Until when the due tick waits for the logic; 0: it does not wait.  When the deadline has passed,
 * notes that the logic is late.
 */
uint64_t sv_world_logic_until_ns(struct sv_world *world, uint64_t now_ns);

#endif
