/*
 * attributes.h: attributes as JSON and as a line, and a table of them that a client keeps.
 */
#ifndef CLIENTS_CLI_ATTRIBUTES_H
#define CLIENTS_CLI_ATTRIBUTES_H

#include "engine/model/attribute.h"
#include "proto/json.h"
#include "proto/peer.h"
#include "proto/scene.h"

/* The attributes that a daemon has sent; all zero is an empty table. */
struct cli_attributes {
    struct cn_attribute *rows; /* heap; ascending */
    int count, capacity;
};

/* Begins with the attributes of a Joined, and follows an AttributeFrame.  False without memory. */
bool cli_attributes_join(
    struct cli_attributes *table, const struct wire_heard_joined *joined);
bool cli_attributes_follow(
    struct cli_attributes *table, const struct wire_heard_attributes *frame);
void cli_attributes_finish(struct cli_attributes *table);

/*
 * A list of objects {body or session; name; value}, without hidden names.  With a scene bodies have
 * their names, else the numbers of their slots.
 */
void cli_attributes_json(struct wire_json *json, const struct wire_scene *scene,
    const struct cn_attribute *rows, int count);

/* How many of them have no hidden names. */
int cli_attributes_shown(const struct cn_attribute *rows, int count);

/* "score 3, body 7 hp 0.5, ...", cut at `size`. */
void cli_attributes_line(const struct cn_attribute *rows, int count, char *line, size_t size);

#endif
