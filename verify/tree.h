/*
 * tree.h: the JSON of a certificate, read strictly: the subset of RFC 8259 that a certificate
 * needs.
 *
 * Strings are plain ASCII without escapes, numbers are decimal, and no member is repeated in an
 * object. Depth, size and node count are limited, because a certificate may come from anywhere.
 * The caller keeps the text; nodes point into it.
 *
 * Invariants: 1. count <= room, and the reader is never beyond the text.  2. first and next of a
 * node are nodes after it, or 0.
 */
#ifndef VERIFY_TREE_H
#define VERIFY_TREE_H

#include <stdbool.h>
#include <stddef.h>

#define VF_TEXT_SIZE_MAX (64u << 20) /* bytes of a certificate: refused beyond */
#define VF_NODES_MAX (1 << 20)       /* values: refused beyond; 4,096 contacts have 50,000 */
#define VF_DEPTH_MAX 8               /* a certificate has 5 */

enum vf_kind { VF_NULL, VF_TRUE, VF_FALSE, VF_NUMBER, VF_STRING, VF_LIST, VF_OBJECT };

struct vf_node {
    enum vf_kind kind;
    const char *text; /* of a number, or of a string without its quotes */
    size_t size;
    const char *name; /* of a member, without its quotes; NULL in a list */
    size_t name_size;
    int first, next; /* first child, next sibling; 0: none, as node 0 is the root */
    int count;       /* children */
};

struct vf_tree {
    struct vf_node *node;
    int count, room;
    const char *why; /* NULL: no error */
    size_t where;    /* byte of the error */
};

/* False: tree->why and tree->where tell the error.  The caller finishes the tree in any case. */
bool vf_tree_read(struct vf_tree *tree, const char *text, size_t size);
void vf_tree_finish(struct vf_tree *tree);

/* NULL: no member has that name. */
const struct vf_node *vf_tree_member(
    const struct vf_tree *tree, const struct vf_node *object, const char *name);

const struct vf_node *vf_tree_first(const struct vf_tree *tree, const struct vf_node *node);
const struct vf_node *vf_tree_next(const struct vf_tree *tree, const struct vf_node *node);

#endif
