/*
 * input_buffer.h: inputs that wait for the tick at which they act.
 *
 * They are in ascending order of (tick, session, number).  Inputs of one session act in the order
 * of their numbers: the caller gives each a tick not before that of the session's last one.
 *
 * Bounds: SV_EARLY_INPUTS_MAX of a world, SV_EARLY_SESSION_MAX of a session.
 * Ownership: init (all zero) and finish.
 * Threads: its world's.
 */
#ifndef SERVER_WORLD_DATA_INPUT_BUFFER_H
#define SERVER_WORLD_DATA_INPUT_BUFFER_H

#include "server/mail/message.h"

struct sv_early_input {
    uint64_t tick; /* at which it acts */
    struct sv_message message;
};

struct sv_input_buffer {
    struct sv_early_input *inputs;
    int count, capacity;
};

void sv_input_buffer_finish(struct sv_input_buffer *buffer);

/* False when the buffer is full. */
bool sv_input_buffer_put(
    struct sv_input_buffer *buffer, uint64_t tick, const struct sv_message *message);

/* The tick of the session's last waiting input; 0: none waits. */
uint64_t sv_input_buffer_last(const struct sv_input_buffer *buffer, uint64_t session);

/* Takes the first input whose tick is at or before `tick`; false if no input is due. */
bool sv_input_buffer_take(
    struct sv_input_buffer *buffer, uint64_t tick, struct sv_message *message);

/* Removes a session's inputs; or moves them to another seat. */
void sv_input_buffer_drop(struct sv_input_buffer *buffer, uint64_t session);
void sv_input_buffer_reseat(struct sv_input_buffer *buffer, uint64_t session, uint32_t seat);

#endif
