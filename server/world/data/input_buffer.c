#include "server/world/data/input_buffer.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

void
sv_input_buffer_finish(struct sv_input_buffer *buffer)
{
    free(buffer->inputs);
    *buffer = (struct sv_input_buffer){0};
}

static bool
make_room(struct sv_input_buffer *buffer)
{
    if (buffer->count < buffer->capacity) {
        return true;
    }
    int capacity = buffer->capacity > 0 ? 2 * buffer->capacity : 16;
    struct sv_early_input *inputs =
        realloc(buffer->inputs, (size_t)capacity * sizeof(buffer->inputs[0]));
    if (inputs == NULL) {
        return false;
    }
    buffer->inputs = inputs;
    buffer->capacity = capacity;
    CN_ASSERT(buffer->count < buffer->capacity);
    return true;
}

static bool
is_before(const struct sv_early_input *input, uint64_t tick, const struct sv_message *message)
{
    if (input->tick != tick) {
        return input->tick < tick;
    }
    if (input->message.asker.session != message->asker.session) {
        return input->message.asker.session < message->asker.session;
    }
    return input->message.input.seq < message->input.seq;
}

bool
sv_input_buffer_put(
    struct sv_input_buffer *buffer, uint64_t tick, const struct sv_message *message)
{
    CN_ASSERT(message->kind == SV_MESSAGE_INPUT);
    int place = buffer->count, own = 0;
    for (int i = 0; i < buffer->count; i++) {
        own += buffer->inputs[i].message.asker.session == message->asker.session ? 1 : 0;
    }
    if (buffer->count >= SV_EARLY_INPUTS_MAX || own >= SV_EARLY_SESSION_MAX ||
        !make_room(buffer)) {
        return false;
    }
    while (place > 0 && !is_before(&buffer->inputs[place - 1], tick, message)) {
        place--;
    }
    memmove(&buffer->inputs[place + 1], &buffer->inputs[place],
        (size_t)(buffer->count - place) * sizeof(buffer->inputs[0]));
    CN_ASSERT(place >= 0 && buffer->count < buffer->capacity);
    buffer->inputs[place] = (struct sv_early_input){.tick = tick, .message = *message};
    buffer->count++;
    return true;
}

uint64_t
sv_input_buffer_last(const struct sv_input_buffer *buffer, uint64_t session)
{
    for (int i = buffer->count - 1; i >= 0; i--) {
        if (buffer->inputs[i].message.asker.session == session) {
            return buffer->inputs[i].tick;
        }
    }
    return 0;
}

bool
sv_input_buffer_take(
    struct sv_input_buffer *buffer, uint64_t tick, struct sv_message *message)
{
    if (buffer->count == 0 || buffer->inputs[0].tick > tick) {
        return false;
    }
    *message = buffer->inputs[0].message;
    buffer->count--;
    memmove(&buffer->inputs[0], &buffer->inputs[1],
        (size_t)buffer->count * sizeof(buffer->inputs[0]));
    return true;
}

void
sv_input_buffer_drop(struct sv_input_buffer *buffer, uint64_t session)
{
    int kept = 0;
    for (int i = 0; i < buffer->count; i++) {
        if (buffer->inputs[i].message.asker.session != session) {
            buffer->inputs[kept++] = buffer->inputs[i];
        }
    }
    CN_ASSERT(kept <= buffer->count);
    buffer->count = kept;
}

void
sv_input_buffer_reseat(struct sv_input_buffer *buffer, uint64_t session, uint32_t seat)
{
    for (int i = 0; i < buffer->count; i++) {
        if (buffer->inputs[i].message.asker.session == session) {
            buffer->inputs[i].message.asker.seat = seat;
        }
    }
}
