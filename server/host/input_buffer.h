/*
 * input_buffer.h: inputs of a world that have come before the tick at which they shall act.
 *
 * In ascending order of (tick, session, number).  Inputs of one session act in the order of their
 * numbers: who puts one in gives it a tick that is not before that of the session's last.
 *
 * Bounds: SV_EARLY_INPUTS_MAX of a world, SV_EARLY_SESSION_MAX of a session.
 * Ownership: init (all zero) and finish.  Threads: its world's.
 */
#ifndef SERVER_HOST_INPUT_BUFFER_H
#define SERVER_HOST_INPUT_BUFFER_H

#include "server/mail/letter.h"

struct sv_early_input {
    uint64_t tick; /* at which it acts */
    struct sv_letter letter;
};

struct sv_input_buffer {
    struct sv_early_input *inputs;
    int count, capacity;
};

void sv_input_buffer_finish(struct sv_input_buffer *buffer);

/* False when there is no room. */
bool sv_input_buffer_put(
    struct sv_input_buffer *buffer, uint64_t tick, const struct sv_letter *letter);

/* The tick of the session's last input that waits; 0: none does. */
uint64_t sv_input_buffer_last(const struct sv_input_buffer *buffer, uint64_t session);

/* Takes the first input whose tick is `tick` or before; false: none is. */
bool sv_input_buffer_take(
    struct sv_input_buffer *buffer, uint64_t tick, struct sv_letter *letter);

/* Forgets a session's; or gives them another seat. */
void sv_input_buffer_drop(struct sv_input_buffer *buffer, uint64_t session);
void sv_input_buffer_reseat(struct sv_input_buffer *buffer, uint64_t session, uint32_t seat);

#endif
