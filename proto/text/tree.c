#include "proto/text/tree.h"

#include "engine/base/assert.h"
#include "proto/limits.h"
#include "proto/text/surrogate.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* An open list or map, and the place of its next node. */
struct frame {
    int32_t node;
    int32_t last; /* element or name */
    bool wants_value;
};

struct build {
    struct wire_tree *tree;
    struct wire_text_error *error;
    struct wire_surrogates surrogates;
    yaml_parser_t parser;
    struct frame frames[WIRE_TEXT_DEPTH_MAX];
    int depth;
    int document_count;
};

static bool
refuse_text(struct build *build, yaml_mark_t mark, enum cn_status status, const char *text)
{
    build->error->line = (unsigned)mark.line + 1;
    build->error->column =
        (unsigned)mark.column + wire_surrogates_shift(&build->surrogates, mark) + 1;
    (void)cn_defect_set(&build->error->defect, status, "", "%s", text);
    return false;
}

static bool
refuse_memory(struct build *build)
{
    *build->error = (struct wire_text_error){0};
    (void)cn_defect_set(&build->error->defect, CN_MEMORY, "", "no memory");
    return false;
}

/* For bytes that are not UTF-8 or not text libyaml gives the offset; the line is counted here. */
static bool
refuse_bytes(struct build *build)
{
    const struct wire_surrogates *text = &build->surrogates;
    yaml_mark_t mark = {0};
    size_t end = build->parser.problem_offset;
    for (size_t i = 0; i < end && i < text->size; i++) {
        bool follows = ((unsigned char)text->text[i] & 0xc0u) == 0x80u;
        mark.index += !follows;
        mark.column += !follows;
        if (text->text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
    }
    refuse_text(build, mark, CN_SYNTAX, "");
    (void)cn_defect_set(&build->error->defect, CN_SYNTAX, "",
        "can not be read as UTF-8 text: %s", build->parser.problem);
    return false;
}

static bool
refuse_syntax(struct build *build)
{
    const yaml_parser_t *parser = &build->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return refuse_memory(build);
    }
    if (parser->error == YAML_READER_ERROR) {
        return refuse_bytes(build);
    }
    refuse_text(build, parser->problem_mark, CN_SYNTAX, "");
    (void)cn_defect_set(&build->error->defect, CN_SYNTAX, "",
        "can not be read as YAML or JSON: %s%s%s", parser->problem != NULL ? parser->problem : "",
        parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "");
    return false;
}

static bool
reserve_string(struct wire_tree *tree, size_t size)
{
    if (size > tree->string_capacity - tree->string_size) {
        size_t capacity = 2 * tree->string_capacity + size + 256;
        char *strings = realloc(tree->strings, capacity);
        if (strings == NULL) {
            return false;
        }
        tree->strings = strings;
        tree->string_capacity = capacity;
    }
    return true;
}

static bool
reserve_node(struct wire_tree *tree)
{
    if (tree->node_count == tree->node_capacity) {
        int32_t capacity = 2 * tree->node_capacity + 64;
        struct wire_node *nodes = realloc(tree->nodes, (size_t)capacity * sizeof(*nodes));
        if (nodes == NULL) {
            return false;
        }
        tree->nodes = nodes;
        tree->node_capacity = capacity;
    }
    return true;
}

/* Adds a new node to the innermost open list or map. */
static bool
hang_node(struct build *build, int32_t node, yaml_mark_t mark)
{
    CN_ASSERT(node >= 0 && node < build->tree->node_count);
    struct wire_node *nodes = build->tree->nodes;
    if (build->depth == 0) {
        build->tree->root = node;
        return true;
    }
    struct frame *frame = &build->frames[build->depth - 1];
    struct wire_node *parent = &nodes[frame->node];
    if (frame->wants_value) {
        nodes[frame->last].first = node;
        frame->wants_value = false;
        return true;
    }
    if (parent->kind == WIRE_NODE_MAP) {
        if (nodes[node].kind != WIRE_NODE_SCALAR) {
            return refuse_text(build, mark, CN_SYNTAX, "a name is a text, not a list or a mapping");
        }
        frame->wants_value = true;
    }
    if (frame->last == WIRE_NODE_NONE) {
        parent->first = node;
    } else {
        nodes[frame->last].next = node;
    }
    frame->last = node;
    return true;
}

static bool
add_node(struct build *build, const yaml_event_t *event, struct wire_node node,
    const yaml_char_t *anchor, const yaml_char_t *tag)
{
    struct wire_tree *tree = build->tree;
    if (anchor != NULL) {
        return refuse_text(
            build, event->start_mark, CN_SYNTAX, "has an anchor (&); none are accepted");
    }
    if (tag != NULL) {
        return refuse_text(build, event->start_mark, CN_SYNTAX, "has a tag (!); none are accepted");
    }
    if (tree->node_count == WIRE_TEXT_NODES_MAX) {
        refuse_text(build, event->start_mark, CN_LIMIT, "");
        (void)cn_defect_set(&build->error->defect, CN_LIMIT, "",
            "is one too many: a text has at most %d names and values", WIRE_TEXT_NODES_MAX);
        return false;
    }
    if (!reserve_node(tree)) {
        return refuse_memory(build);
    }
    yaml_mark_t mark = event->start_mark;
    node.line = (unsigned)mark.line + 1;
    node.column = (unsigned)mark.column + wire_surrogates_shift(&build->surrogates, mark) + 1;
    node.first = node.next = WIRE_NODE_NONE;
    CN_ASSERT(tree->node_count < tree->node_capacity);
    tree->nodes[tree->node_count++] = node;
    return hang_node(build, tree->node_count - 1, mark);
}

static bool
add_scalar(struct build *build, const yaml_event_t *event)
{
    struct wire_tree *tree = build->tree;
    size_t size = event->data.scalar.length;
    bool is_double_quoted = event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (!is_double_quoted && wire_surrogates_within(
                                 &build->surrogates, event->start_mark, event->end_mark)) {
        return refuse_text(build, event->start_mark, CN_SYNTAX,
            "holds a surrogate pair (\\uD83D\\uDE00); that is read between double quotes only");
    }
    if (!reserve_string(tree, size + 1)) {
        return refuse_memory(build);
    }
    struct wire_node node = {.kind = WIRE_NODE_SCALAR,
        .plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
        .string = tree->string_size,
        .size = size};
    CN_ASSERT(size + 1 <= tree->string_capacity - tree->string_size);
    memcpy(tree->strings + tree->string_size, event->data.scalar.value, size);
    tree->strings[tree->string_size + size] = '\0';
    tree->string_size += size + 1;
    return add_node(build, event, node, event->data.scalar.anchor, event->data.scalar.tag);
}

static bool
open_frame(struct build *build, const yaml_event_t *event, enum wire_node_kind kind,
    const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (build->depth == WIRE_TEXT_DEPTH_MAX) {
        refuse_text(build, event->start_mark, CN_LIMIT, "");
        (void)cn_defect_set(&build->error->defect, CN_LIMIT, "",
            "is nested deeper than %d lists and mappings, which is the limit", WIRE_TEXT_DEPTH_MAX);
        return false;
    }
    if (!add_node(build, event, (struct wire_node){.kind = kind}, anchor, tag)) {
        return false;
    }
    CN_ASSERT(build->depth < WIRE_TEXT_DEPTH_MAX);
    build->frames[build->depth++] =
        (struct frame){.node = build->tree->node_count - 1, .last = WIRE_NODE_NONE};
    return true;
}

static bool
take_event(struct build *build, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++build->document_count == 1 ||
               refuse_text(build, event->start_mark, CN_SYNTAX,
                   "begins a second document; a text is one message");
    case YAML_ALIAS_EVENT:
        return refuse_text(
            build, event->start_mark, CN_SYNTAX, "is an alias (*); none are accepted");
    case YAML_SCALAR_EVENT:
        return add_scalar(build, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_frame(build, event, WIRE_NODE_LIST, event->data.sequence_start.anchor,
            event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_frame(build, event, WIRE_NODE_MAP, event->data.mapping_start.anchor,
            event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        CN_ASSERT(build->depth > 0);
        build->depth--;
        return true;
    default:
        return true;
    }
}

static bool
take_events(struct build *build)
{
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&build->parser, &event)) {
            return refuse_syntax(build);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        bool taken = take_event(build, &event);
        yaml_event_delete(&event);
        if (!taken) {
            return false;
        }
    }
    return true;
}

bool
wire_tree_read(
    struct wire_tree *tree, const char *text, size_t size, struct wire_text_error *error)
{
    struct build build = {.tree = tree, .error = error};
    *tree = (struct wire_tree){.root = WIRE_NODE_NONE};
    *error = (struct wire_text_error){0};
    if (size > WIRE_TEXT_SIZE_MAX) {
        (void)cn_defect_set(&error->defect, CN_LIMIT, "",
            "is %zu bytes; a text is at most %d", size, WIRE_TEXT_SIZE_MAX);
        return false;
    }
    if (!wire_surrogates_init(&build.surrogates, text, size)) {
        return refuse_memory(&build);
    }
    bool read = false;
    if (yaml_parser_initialize(&build.parser)) {
        yaml_parser_set_encoding(&build.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&build.parser,
            (const unsigned char *)build.surrogates.text, build.surrogates.size);
        read = take_events(&build);
        yaml_parser_delete(&build.parser);
    } else {
        refuse_memory(&build);
    }
    wire_surrogates_finish(&build.surrogates);
    if (!read) {
        wire_tree_finish(tree);
    }
    return read;
}

void
wire_tree_finish(struct wire_tree *tree)
{
    free(tree->nodes);
    free(tree->strings);
    *tree = (struct wire_tree){.root = WIRE_NODE_NONE};
}

const char *
wire_tree_string(const struct wire_tree *tree, const struct wire_node *node)
{
    CN_ASSERT(node->kind == WIRE_NODE_SCALAR);
    return tree->strings + node->string;
}

bool
wire_tree_is_null(const struct wire_tree *tree, const struct wire_node *node)
{
    if (node->kind != WIRE_NODE_SCALAR || !node->plain) {
        return false;
    }
    const char *string = wire_tree_string(tree, node);
    return *string == '\0' || strcmp(string, "~") == 0 || strcmp(string, "null") == 0 ||
           strcmp(string, "Null") == 0 || strcmp(string, "NULL") == 0;
}

static int32_t
find_element(const struct wire_tree *tree, int32_t list, unsigned long index)
{
    CN_ASSERT(tree->nodes[list].kind == WIRE_NODE_LIST);
    int32_t node = tree->nodes[list].first;
    while (node != WIRE_NODE_NONE && index-- > 0) {
        node = tree->nodes[node].next;
    }
    return node;
}

static int32_t
find_value(const struct wire_tree *tree, int32_t map, const char *name, size_t size)
{
    CN_ASSERT(tree->nodes[map].kind == WIRE_NODE_MAP);
    int32_t key = tree->nodes[map].first;
    for (; key != WIRE_NODE_NONE; key = tree->nodes[key].next) {
        const struct wire_node *node = &tree->nodes[key];
        if (node->size == size && memcmp(wire_tree_string(tree, node), name, size) == 0) {
            return node->first;
        }
    }
    return WIRE_NODE_NONE;
}

int32_t
wire_tree_locate(const struct wire_tree *tree, const char *path, bool *exact)
{
    int32_t node = tree->root;
    *exact = node != WIRE_NODE_NONE;
    while (*exact && *path != '\0') {
        int32_t inner = WIRE_NODE_NONE;
        enum wire_node_kind kind = tree->nodes[node].kind;
        if (*path == '[' && path[1] >= '0' && path[1] <= '9') {
            char *end;
            unsigned long index = strtoul(path + 1, &end, 10);
            inner = kind == WIRE_NODE_LIST ? find_element(tree, node, index) : WIRE_NODE_NONE;
            path = *end == ']' ? end + 1 : end;
        } else {
            path += *path == '.';
            size_t size = strcspn(path, ".[");
            inner = kind == WIRE_NODE_MAP ? find_value(tree, node, path, size) : WIRE_NODE_NONE;
            path += size;
        }
        *exact = inner != WIRE_NODE_NONE;
        node = *exact ? inner : node;
    }
    return node;
}
