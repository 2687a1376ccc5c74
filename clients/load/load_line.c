#include "clients/load/load_line.h"

#include "engine/base/assert.h"

#include <stdlib.h>

#define CAPACITY_FIRST 8

static bool
grow_line(struct load_line *line)
{
    unsigned capacity = line->capacity > 0 ? line->capacity * 2 : CAPACITY_FIRST;
    struct load_item *items =
        line->capacity < LOAD_LINE_MAX ? calloc(capacity, sizeof(*items)) : NULL;
    if (items == NULL) {
        return false;
    }
    for (unsigned i = 0; i < line->count; i++) {
        items[i] = line->items[(line->first + i) % line->capacity];
    }
    free(line->items);
    line->items = items;
    line->capacity = capacity;
    line->first = 0;
    return true;
}

struct load_item *
load_line_push(struct load_line *line)
{
    if (line->count == line->capacity && !grow_line(line)) {
        return NULL;
    }
    CN_ASSERT(line->count < line->capacity && line->capacity <= LOAD_LINE_MAX);
    return &line->items[(line->first + line->count++) % line->capacity];
}

struct load_item *
load_line_due(const struct load_line *line, uint64_t now_us)
{
    return load_line_next_us(line) <= now_us ? &line->items[line->first] : NULL;
}

void
load_line_pop(struct load_line *line)
{
    CN_ASSERT(line->count > 0);
    line->first = (line->first + 1) % line->capacity;
    line->count--;
}

uint64_t
load_line_next_us(const struct load_line *line)
{
    return line->count > 0 ? line->items[line->first].due_us : UINT64_MAX;
}

void
load_line_finish(struct load_line *line)
{
    free(line->items);
    *line = (struct load_line){0};
}
