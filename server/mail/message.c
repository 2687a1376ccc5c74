#include "server/mail/message.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define FITS(member) _Static_assert(sizeof(((struct cn_command *)NULL)->member) <= \
    sizeof(((struct sv_input *)NULL)->held), "an input holds all of it")
FITS(hold_force);
FITS(hold_torque);
FITS(hold_drag);
FITS(hold_actuator);
FITS(release);

struct sv_input
sv_input_pack(const struct wire_input *input)
{
    const struct cn_command *command = &input->command;
    CN_ASSERT(command->kind == CN_COMMAND_HOLD_FORCE || command->kind == CN_COMMAND_HOLD_TORQUE ||
        command->kind == CN_COMMAND_HOLD_DRAG || command->kind == CN_COMMAND_HOLD_ACTUATOR ||
        command->kind == CN_COMMAND_RELEASE);
    struct sv_input packed = {.seq = input->seq,
        .client_tick = input->client_tick,
        .at_tick = input->at_tick,
        .hold_ticks = input->hold_ticks,
        .kind = command->kind};
    memcpy(packed.held, &command->hold_drag, sizeof(packed.held));
    return packed;
}

struct cn_command
sv_input_command(const struct sv_input *input)
{
    struct cn_command command = {.kind = input->kind};
    memcpy(&command.hold_drag, input->held, sizeof(input->held));
    return command;
}

void
sv_order_destroy(struct sv_order *order)
{
    if (order != NULL) {
        sv_scene_unref(order->scene);
        wire_change_destroy(order->change);
        wire_body_commands_finish(&order->bodies);
        free(order->attributes);
        free(order);
    }
}

void
sv_message_finish(struct sv_message *message)
{
    if (message->kind == SV_MESSAGE_CREATE) {
        sv_scene_unref(message->create.scene_take);
        sv_seed_destroy(message->create.seed_take);
    } else if (message->kind == SV_MESSAGE_SEEK) {
        sv_seed_destroy(message->seek.seed_take);
    } else if (message->kind == SV_MESSAGE_ORDER) {
        sv_order_destroy(message->order_take);
    } else if (message->kind == SV_MESSAGE_QUERY) {
        free(message->query_take);
    } else if (message->kind == SV_MESSAGE_JOIN) {
        free(message->join.kept_take);
    } else if (message->kind == SV_MESSAGE_RESUME) {
        free(message->resume.kept_take);
    } else if (message->kind == SV_MESSAGE_SUBSCRIBE) {
        free(message->subscribe.interest_take);
    } else if (message->kind == SV_MESSAGE_SAY) {
        free(message->say_take);
    } else if (message->kind == SV_MESSAGE_LOGIC_DONE) {
        wire_logic_done_destroy(message->logic_done_take);
    }
}

void
sv_outcome_destroy(struct sv_outcome *outcome)
{
    if (outcome != NULL) {
        sv_scene_unref(outcome->scene);
        free(outcome->text);
        free(outcome);
    }
}

void
sv_report_finish(struct sv_report *report)
{
    sv_buffer_unref(report->message_take);
    sv_outcome_destroy(report->outcome_take);
}
