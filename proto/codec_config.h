/*
 * codec_config.h: a configuration file as options.
 *
 * The file is a Config message in YAML.  Every field that it sets is handed on under the name of
 * the option that it is, "allow_origin" as "allow-origin", with its value as the text that the
 * command line would have had, so that one table judges both.
 */
#ifndef PROTO_CODEC_CONFIG_H
#define PROTO_CODEC_CONFIG_H

#include "proto/wire.h"

/* Returns false, with the reason in `error`, to stop. */
typedef bool wire_config_visit(
    void *context, const char *option, const char *value, struct wire_error *error);

/* False with *error filled when the text is no configuration or the visitor stopped. */
bool wire_config_parse(const char *text, size_t size, wire_config_visit *visit, void *context,
    struct wire_error *error);

#endif
