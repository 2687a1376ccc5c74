/*
 * codec_config.h: reads a configuration file as a list of options.
 *
 * The file is a Config message in YAML.  Every field that it sets is passed on as an option:
 * "allow_origin" as "allow-origin", with its value as the text that the command line would have.
 * So one table checks both.
 */
#ifndef PROTO_CODEC_CONFIG_H
#define PROTO_CODEC_CONFIG_H

#include "proto/wire.h"

/* Returns false with *error filled to stop. */
typedef bool wire_config_visit(
    void *context, const char *option, const char *value, struct wire_error *error);

/* False with *error filled if the text is not a configuration, or the visitor stopped. */
bool wire_config_parse(const char *text, size_t size, wire_config_visit *visit, void *context,
    struct wire_error *error);

#endif
