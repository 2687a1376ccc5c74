/*
 * sample.h: one sample of a world, as JSON; as CSV see csv.h.
 */
#ifndef CLIENTS_CLI_SAMPLE_H
#define CLIENTS_CLI_SAMPLE_H

#include "engine/cairn.h"
#include "proto/json.h"
#include "proto/scene.h"

/* Events since the last sample, so that sparse samples lose no events. */
struct cli_events {
    struct cn_event *items;
    int count, capacity;
    int64_t dropped_count; /* events that did not fit into the world's ring */
};

/* Adds the events of the world's last tick; without memory it complains and returns false. */
bool cli_events_add(struct cli_events *events, const struct cn_world *world);
void cli_events_finish(struct cli_events *events);

/* Appends a line of JSON without the line break.  If memory runs out, `failed` is set. */
void cli_sample_json(struct wire_json *json, const struct wire_scene *scene,
    const struct cn_world *world, const struct cli_events *events);

#endif
