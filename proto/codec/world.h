/*
 * world.h: settings, status, sources and errors between generated messages and values.
 *
 * Used for both encodings: bytes (codec) and JSON (codec_json).
 */
#ifndef PROTO_CODEC_WORLD_H
#define PROTO_CODEC_WORLD_H

#include "proto/codec/check.h"
#include "proto/wire.h"

#include <cairn/v1/world.pb-c.h>

/* A message with room for its parts; it points into itself and into *status. */
struct codec_settings_message {
    Cairn__V1__Settings message;
    Cairn__V1__Vec3 gravity;
    Cairn__V1__Propagation propagation;
};
struct codec_status_message {
    Cairn__V1__WorldStatus message;
    struct codec_settings_message settings;
    char hash[CODEC_HASH_SIZE];
};
struct codec_error_message {
    Cairn__V1__Error message;
};

void codec_status_build(struct codec_status_message *out, const struct wire_status *status);
void codec_error_build(struct codec_error_message *out, const struct wire_error *error);

cn_vec3 codec_vec3(const Cairn__V1__Vec3 *vector); /* zero for NULL */

/* False with *error filled if a name is too long. */
bool codec_settings_read(const Cairn__V1__Settings *message, struct wire_settings *settings,
    struct wire_error *error);

/* Copies a name that must fit; false with *error filled. */
bool codec_name_read(char *out, size_t out_size, const char *text, const char *path,
    struct wire_error *error);

/* Checks a Fork: a speed of 0 to 16, no replays for each person, an id that a world can have. */
bool codec_fork_check(const struct wire_fork *fork, const char *prefix, struct wire_error *error);
bool codec_speed_check(double speed, const char *path, struct wire_error *error);

/* False with *error filled if there is no source, a name is too long, or memory runs out. */
bool codec_create_read(
    const Cairn__V1__CreateWorld *message, struct wire_source *source, struct wire_error *error);
bool codec_load_read(
    const Cairn__V1__LoadScene *message, struct wire_source *source, struct wire_error *error);
bool codec_change_read(
    const Cairn__V1__Change *message, struct wire_source *source, struct wire_error *error);

/* bodies.c: *commands is the caller's to finish on true; paths begin with "bodies". */
struct Cairn__V1__BodyCommand;
struct Cairn__V1__BodyCommands;
struct wire_body_commands;
bool codec_body_command_read(const struct Cairn__V1__BodyCommand *message,
    struct cn_command *command, struct wire_error *error); /* one; paths begin inside it */
bool codec_body_commands_read(const struct Cairn__V1__BodyCommands *message,
    struct wire_body_commands *commands, struct wire_error *error);

#endif
