/*
 * codec_json.h: converts the codec's values to JSON and back, for HTTP, by the proto3 mapping.
 *
 * Free printed text with free; NULL means that memory ran out.  Parsing is as strict as the codec,
 * and *error names line and path.
 */
#ifndef PROTO_CODEC_JSON_H
#define PROTO_CODEC_JSON_H

#include "proto/wire.h"

struct wire_scene;

char *wire_status_print(const struct wire_status *status);
/* `next` is that of a page; "" at the end. */
char *wire_worlds_print(
    const struct wire_status *const *worlds, size_t count, const char *next);
char *wire_error_print(const struct wire_error *error);

/*
 * Prints a packed ServerMessage on one line, for clients in mode JSON; NULL also if it is not one.
 */
char *wire_server_message_print(const uint8_t *bytes, size_t size);
char *wire_scene_print(const struct wire_scene *scene);
char *wire_scenes_print(const struct wire_scene *const *scenes, size_t count);

struct wire_item {
    const char *name, *text;
    const char *const *fits;
    size_t fit_count;
};
char *wire_items_print(const struct wire_item *items, size_t count);

/* The timeline of a world's stored past; everything is borrowed. */
struct wire_timeline_mark {
    uint64_t tick;
    const char *kind;
    uint64_t session; /* 0: none */
    uint32_t physics; /* of an upgrade: the version before it */
};
struct wire_timeline_span {
    uint64_t first_tick, last_tick;
    uint32_t count;
};
struct wire_timeline {
    uint64_t first_tick, tick;
    double tick_rate;
    uint64_t *checkpoints;
    size_t checkpoint_count;
    const struct wire_timeline_mark *marks;
    size_t mark_count;
    const struct wire_timeline_span *spans; /* of inputs */
    size_t span_count;
};
char *wire_timeline_print(const struct wire_timeline *timeline);

/*
 * An empty text is an empty object: a step without a body is one tick.  A source must be finished
 * even if its text was refused.
 */
bool wire_settings_parse(
    const char *text, size_t size, struct wire_settings *settings, struct wire_error *error);
bool wire_create_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error);
bool wire_load_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error);
bool wire_change_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error);
bool wire_fork_parse(
    const char *text, size_t size, struct wire_fork *fork, struct wire_error *error);
char *wire_query_result_print(const struct wire_query_result *result);

/* Frees with free; NULL with *error filled. */
struct wire_query *wire_query_parse(const char *text, size_t size, struct wire_error *error);
bool wire_step_parse(const char *text, size_t size, uint32_t *ticks, struct wire_error *error);

#endif
