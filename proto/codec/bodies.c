/*
 * bodies.c: reads commands to bodies as commands of the engine.
 */
#include "proto/codec.h"

#include "proto/codec/world.h"
#include "proto/limits.h"
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH_SIZE 64

static cn_quat
read_orientation(const Cairn__V1__Quat *in)
{
    return in != NULL ? (cn_quat){in->w, in->x, in->y, in->z} : cn_quat_identity();
}

static void
read_place(const Cairn__V1__BodyCommand__Place *in, int32_t body, struct cn_command *out)
{
    out->kind = CN_COMMAND_PLACE_BODY;
    out->place_body = (struct cn_place_body){
        .body = body,
        .position = codec_vec3(in->position),
        .angle = in->angle,
        .orientation = read_orientation(in->orientation),
        .velocity = codec_vec3(in->velocity),
        .angular_velocity = codec_vec3(in->angular_velocity),
    };
}

static void
read_filter(const Cairn__V1__BodyCommand__SetFilter *in, int32_t body, struct cn_command *out)
{
    bool is_one = in->shape_set_case == CAIRN__V1__BODY_COMMAND__SET_FILTER__SHAPE_SET_SHAPE;
    out->kind = CN_COMMAND_SET_FILTER;
    out->set_filter = (struct cn_set_filter){.body = body,
        .shape = !is_one ? -1 : in->shape > INT32_MAX ? INT32_MAX : (int32_t)in->shape,
        .filter = scene_filter_of(in->filter)};
}

/* The world checks later whether the body exists. */
bool
codec_body_command_read(
    const Cairn__V1__BodyCommand *in, struct cn_command *out, struct wire_error *error)
{
    int32_t body = (int32_t)in->body;
    if (in->body > INT32_MAX) {
        wire_error_set(error, "REFERENCE", "body", "is %u; there is no such body", in->body);
        return false;
    }
    switch (in->action_case) {
    case CAIRN__V1__BODY_COMMAND__ACTION_PLACE:
        read_place(in->place, body, out);
        return true;
    case CAIRN__V1__BODY_COMMAND__ACTION_VELOCITY:
        out->kind = CN_COMMAND_SET_VELOCITY;
        out->set_velocity = (struct cn_set_velocity){.body = body,
            .velocity = codec_vec3(in->velocity->velocity),
            .angular_velocity = codec_vec3(in->velocity->angular_velocity)};
        return true;
    case CAIRN__V1__BODY_COMMAND__ACTION_TYPE:
        out->kind = CN_COMMAND_SET_BODY_TYPE;
        out->set_body_type =
            (struct cn_set_body_type){.body = body, .type = (enum cn_body_type)in->type};
        return true;
    case CAIRN__V1__BODY_COMMAND__ACTION_FILTER:
        read_filter(in->filter, body, out);
        return true;
    case CAIRN__V1__BODY_COMMAND__ACTION_MOVE:
        out->kind = CN_COMMAND_MOVE_BODY;
        out->move_body = (struct cn_move_body){.body = body,
            .position = codec_vec3(in->move->position),
            .angle = in->move->angle,
            .orientation = read_orientation(in->move->orientation),
            .ticks = in->move->ticks};
        return true;
    case CAIRN__V1__BODY_COMMAND__ACTION_ASLEEP:
        out->kind = CN_COMMAND_SLEEP_BODY;
        out->sleep_body = (struct cn_sleep_body){.body = body, .asleep = in->asleep};
        return true;
    default:
        wire_error_set(error, "FIELD", "",
            "has no action; place, velocity, type, filter, asleep or move is needed");
        return false;
    }
}

/* Puts bodies.commands[index] before the path of an error. */
static void
name_command(struct wire_error *error, size_t index)
{
    char prefix[PATH_SIZE];
    bool is_inside = error->path[0] != '\0';
    snprintf(prefix, sizeof(prefix), "bodies.commands[%zu]%s", index, is_inside ? "." : "");
    if (is_inside) {
        wire_error_prefix(error, prefix);
    } else {
        snprintf(error->path, sizeof(error->path), "%s", prefix);
    }
}

bool
codec_body_commands_read(const Cairn__V1__BodyCommands *in, struct wire_body_commands *out,
    struct wire_error *error)
{
    *out = (struct wire_body_commands){.generation = in->generation};
    if (in->n_commands == 0 || in->n_commands > WIRE_BODY_COMMANDS_MAX) {
        wire_error_set(error, "LIMIT", "bodies.commands",
            "has %zu entries; 1 to %d are accepted", in->n_commands, WIRE_BODY_COMMANDS_MAX);
        return false;
    }
    out->command = calloc(in->n_commands, sizeof(*out->command));
    if (out->command == NULL) {
        wire_error_set(error, "MEMORY", "bodies.commands", "no memory");
        return false;
    }
    for (size_t i = 0; i < in->n_commands; i++) {
        if (!codec_body_command_read(in->commands[i], &out->command[i], error)) {
            name_command(error, i);
            wire_body_commands_finish(out);
            return false;
        }
    }
    out->count = (int)in->n_commands;
    CN_ASSERT(out->count > 0);
    return true;
}

void
wire_body_commands_finish(struct wire_body_commands *commands)
{
    free(commands->command);
    *commands = (struct wire_body_commands){0};
}
