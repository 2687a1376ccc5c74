/*
 * text_tree.h: YAML or JSON text as a tree of nodes with places.
 *
 * libyaml's events become nodes in one array, strings in one block: names and values are resolved
 * by nobody but the reader that knows the schema, so a plain 12 is just the letters "12" here.
 * What YAML has and JSON has not is refused (anchors, aliases, tags, names that are not scalars,
 * several documents), but for comments, block style and plain scalars.
 *
 * JSON writes characters beyond U+FFFF as two escapes, a surrogate pair, which YAML does not know.
 * A pair becomes the one escape that YAML has (\U0001F600) before libyaml sees it, and places
 * behind it on its line are moved back.  A lone surrogate stays, and libyaml refuses it.
 *
 * Threads: a tree has no shared state.  Ownership: the tree owns nodes and strings; the text may go
 * after wire_tree_read.
 */
#ifndef PROTO_TEXT_TREE_H
#define PROTO_TEXT_TREE_H

#include "proto/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_node_kind { WIRE_NODE_SCALAR, WIRE_NODE_LIST, WIRE_NODE_MAP };

#define WIRE_NODE_NONE (-1)

struct wire_node {
    enum wire_node_kind kind;
    bool plain;            /* a scalar without quotes */
    unsigned line, column; /* from 1 */
    int32_t first;         /* LIST: first element; MAP: first name; a name: its value */
    int32_t next;          /* of the same list or map */
    size_t string, size;   /* SCALAR: offset among the strings, bytes without the NUL behind */
};

struct wire_tree {
    struct wire_node *nodes;
    int32_t node_count, node_capacity;
    char *strings;
    size_t string_size, string_capacity;
    int32_t root; /* WIRE_NODE_NONE: the text holds nothing */
};

/* False with *error filled; the tree is empty then. */
bool wire_tree_read(
    struct wire_tree *tree, const char *text, size_t size, struct wire_text_error *error);
void wire_tree_finish(struct wire_tree *tree);

/* The letters of a scalar; a NUL may stand before their end, where the text has "\0". */
const char *wire_tree_string(const struct wire_tree *tree, const struct wire_node *node);

/* Whether a node is a plain null, ~ or nothing at all: the value is absent. */
bool wire_tree_is_null(const struct wire_tree *tree, const struct wire_node *node);

/*
 * The node of a path such as "bodies[3].mass"; *exact tells whether it is that node or, because the
 * text does not hold it, the innermost one around it.  WIRE_NODE_NONE only when the tree is empty.
 */
int32_t wire_tree_locate(const struct wire_tree *tree, const char *path, bool *exact);

#endif
