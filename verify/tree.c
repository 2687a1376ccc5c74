#include "verify/tree.h"

#include "engine/base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct vf_tree *tree;
    const char *text;
    size_t size, at;
};

static bool
fail_read(struct reader *r, const char *why)
{
    if (r->tree->why == NULL) {
        r->tree->why = why;
        r->tree->where = r->at;
    }
    return false;
}

static char
peek_char(const struct reader *r)
{
    return r->at < r->size ? r->text[r->at] : '\0';
}

static void
skip_space(struct reader *r)
{
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) != NULL && r->text[r->at] != '\0') {
        r->at++;
    }
}

/* Adds a node and returns its index; -1: there are too many. */
static int
add_node(struct reader *r)
{
    CN_ASSERT(r->tree->count <= r->tree->room && r->at <= r->size); /* invariant 1 */
    struct vf_tree *tree = r->tree;
    if (tree->count == VF_NODES_MAX) {
        fail_read(r, "there are too many values");
        return -1;
    }
    if (tree->count == tree->room) {
        tree->room = 2 * tree->room + 64;
        tree->node = realloc(tree->node, (size_t)tree->room * sizeof(*tree->node));
        if (tree->node == NULL) {
            fputs("cairn: no memory to verify a certificate\n", stderr);
            abort();
        }
    }
    tree->node[tree->count] = (struct vf_node){0};
    return tree->count++;
}

static bool
read_string(struct reader *r, const char **text, size_t *size)
{
    if (peek_char(r) != '"') {
        return fail_read(r, "a string is expected");
    }
    size_t begin = ++r->at;
    while (r->at < r->size && r->text[r->at] != '"') {
        char c = r->text[r->at];
        if (c < ' ' || c > '~' || c == '\\') {
            return fail_read(r, "a string holds plain characters alone");
        }
        r->at++;
    }
    if (r->at == r->size) {
        return fail_read(r, "the text ends within a string");
    }
    *text = r->text + begin;
    *size = r->at++ - begin;
    return true;
}

static size_t
skip_digits(struct reader *r)
{
    size_t begin = r->at;
    while (peek_char(r) >= '0' && peek_char(r) <= '9') {
        r->at++;
    }
    return r->at - begin;
}

static bool
read_number(struct reader *r, struct vf_node *node)
{
    size_t begin = r->at;
    r->at += peek_char(r) == '-';
    bool leading_zero = peek_char(r) == '0';
    size_t digits = skip_digits(r);
    bool good = digits > 0 && !(leading_zero && digits > 1);
    if (peek_char(r) == '.') {
        r->at++;
        good = skip_digits(r) > 0 && good;
    }
    if (peek_char(r) == 'e' || peek_char(r) == 'E') {
        r->at++;
        r->at += peek_char(r) == '-' || peek_char(r) == '+';
        good = skip_digits(r) > 0 && good;
    }
    if (!good) {
        return fail_read(r, "a value is expected");
    }
    node->kind = VF_NUMBER;
    node->text = r->text + begin;
    node->size = r->at - begin;
    return true;
}

static bool
read_word(struct reader *r, struct vf_node *node)
{
    static const struct {
        const char *word;
        enum vf_kind kind;
    } words[] = {{"null", VF_NULL}, {"true", VF_TRUE}, {"false", VF_FALSE}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i].word);
        if (r->size - r->at >= length && memcmp(r->text + r->at, words[i].word, length) == 0) {
            node->kind = words[i].kind;
            r->at += length;
            return true;
        }
    }
    return read_number(r, node);
}

static bool
has_twin(const struct vf_tree *tree, int parent, int child)
{
    CN_ASSERT(tree->node[parent].kind == VF_OBJECT && parent < child); /* invariant 2 */
    const struct vf_node *node = &tree->node[child];
    for (int i = tree->node[parent].first; i != child; i = tree->node[i].next) {
        const struct vf_node *other = &tree->node[i];
        if (other->name_size == node->name_size &&
            memcmp(other->name, node->name, node->name_size) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_value(struct reader *r, int index, int depth);

/* Reads a child of `parent`, after the comma.  last: the child before; 0: none. */
static bool
read_child(struct reader *r, int parent, int *last, bool is_object, int depth)
{
    int child = add_node(r);
    if (child < 0) {
        return false;
    }
    struct vf_tree *tree = r->tree;
    CN_ASSERT(parent < child && *last < child); /* invariant 2 */
    if (is_object) {
        const char *name = NULL;
        size_t name_size = 0;
        skip_space(r);
        if (!read_string(r, &name, &name_size)) {
            return false;
        }
        tree->node[child].name = name;
        tree->node[child].name_size = name_size;
        skip_space(r);
        if (peek_char(r) != ':') {
            return fail_read(r, "a colon is expected");
        }
        r->at++;
    }
    if (*last == 0) {
        tree->node[parent].first = child;
    } else {
        tree->node[*last].next = child;
    }
    *last = child;
    tree->node[parent].count++;
    if (is_object && (tree->node[parent].count > 64 || has_twin(tree, parent, child))) {
        return fail_read(r, "a member stands twice");
    }
    return read_value(r, child, depth + 1);
}

static bool
read_children(struct reader *r, int index, int depth)
{
    bool is_object = peek_char(r) == '{';
    char end = is_object ? '}' : ']';
    int last = 0;
    r->tree->node[index].kind = is_object ? VF_OBJECT : VF_LIST;
    if (depth >= VF_DEPTH_MAX) {
        return fail_read(r, "values are nested too deep");
    }
    r->at++;
    skip_space(r);
    if (peek_char(r) == end) {
        r->at++;
        return true;
    }
    for (;;) {
        if (!read_child(r, index, &last, is_object, depth)) {
            return false;
        }
        skip_space(r);
        char c = peek_char(r);
        if (c != ',' && c != end) {
            return fail_read(r, "a comma or the end of a list or object is expected");
        }
        r->at++;
        if (c == end) {
            return true;
        }
    }
}

static bool
read_value(struct reader *r, int index, int depth)
{
    skip_space(r);
    struct vf_node *node = &r->tree->node[index];
    switch (peek_char(r)) {
    case '{':
    case '[': return read_children(r, index, depth);
    case '"': node->kind = VF_STRING; return read_string(r, &node->text, &node->size);
    default: return read_word(r, node);
    }
}

bool
vf_tree_read(struct vf_tree *tree, const char *text, size_t size)
{
    *tree = (struct vf_tree){0};
    struct reader r = {.tree = tree, .text = text, .size = size};
    if (size > VF_TEXT_SIZE_MAX) {
        return fail_read(&r, "the text is too long");
    }
    int root = add_node(&r);
    CN_ASSERT(root == 0);
    if (!read_value(&r, root, 0)) {
        return false;
    }
    skip_space(&r);
    return r.at == size || fail_read(&r, "something follows the certificate");
}

void
vf_tree_finish(struct vf_tree *tree)
{
    free(tree->node);
    *tree = (struct vf_tree){0};
}

const struct vf_node *
vf_tree_first(const struct vf_tree *tree, const struct vf_node *node)
{
    CN_ASSERT(0 <= node->first && node->first < tree->count); /* invariant 2 */
    return node->first == 0 ? NULL : &tree->node[node->first];
}

const struct vf_node *
vf_tree_next(const struct vf_tree *tree, const struct vf_node *node)
{
    CN_ASSERT(0 <= node->next && node->next < tree->count); /* invariant 2 */
    return node->next == 0 ? NULL : &tree->node[node->next];
}

const struct vf_node *
vf_tree_member(const struct vf_tree *tree, const struct vf_node *object, const char *name)
{
    size_t size = strlen(name);
    const struct vf_node *child = object->kind == VF_OBJECT ? vf_tree_first(tree, object) : NULL;
    while (child != NULL &&
           !(child->name_size == size && memcmp(child->name, name, size) == 0)) {
        child = vf_tree_next(tree, child);
    }
    return child;
}
