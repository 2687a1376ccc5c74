/*
 * tree.h: reads YAML or JSON text as a tree of nodes with positions in the text.
 *
 * libyaml's events become nodes in one array and strings in one block.  The reader that knows the
 * schema resolves names and values later, so here a plain 12 is still the text "12".
 * Features of YAML that JSON lacks are refused (anchors, aliases, tags, names that are not scalars,
 * several documents), except comments, block style and plain scalars.
 *
 * JSON writes characters beyond U+FFFF as two escapes, a surrogate pair, which YAML does not have.
 * Before libyaml reads the text, a pair is replaced by YAML's single escape (\U0001F600).  Later
 * columns on that line are corrected.  A lone surrogate stays, and libyaml refuses it.
 *
 * Threads: a tree has no shared state.
 * Ownership: the tree owns nodes and strings; the text may be freed after wire_tree_read.
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
    int32_t root; /* WIRE_NODE_NONE if the text is empty */
};

/* On failure false, *error filled and an empty tree. */
bool wire_tree_read(
    struct wire_tree *tree, const char *text, size_t size, struct wire_text_error *error);
void wire_tree_finish(struct wire_tree *tree);

/* The characters of a scalar; the text's "\0" gives a NUL. */
const char *wire_tree_string(const struct wire_tree *tree, const struct wire_node *node);

/* Whether the value is absent: a plain null, ~ or an empty node. */
bool wire_tree_is_null(const struct wire_tree *tree, const struct wire_node *node);

/*
 * The node of a path such as "bodies[3].mass".  *exact says whether it is that node; if the text
 * does not have it, it is the innermost node around it.  WIRE_NODE_NONE only when the tree is
 * empty.
 */
int32_t wire_tree_locate(const struct wire_tree *tree, const char *path, bool *exact);

#endif
