/*
 * section_walk.c: the parts of the state that most worlds lack: sections behind all other fields.
 *
 *     section's number u32, then its fields; ascending by number
 *
 * A section that is empty is not written, so a world without any has no byte of them, and its hash
 * is the same as if they did not exist.
 */
#include "engine/state/walk_inside.h"

/* ---- attributes ---- */

WALK_STRUCT(walk_attribute, struct cn_attribute, CN_FIELDS_ATTRIBUTE)

#define ATTRIBUTE_SIZE_MIN walk_attribute_size

_Static_assert(CN_ATTRIBUTE_NAME_SIZE == CN_NAME_SIZE, "a name is walked like one of a solver");
_Static_assert(CN_ATTRIBUTE_VALUE_MAX % 8 == 0, "bytes are walked in words");

static bool
has_attributes(const struct cn_world *world)
{
    return world->model.attribute_count > 0;
}

static void
clear_attributes(struct cn_world *world)
{
    world->model.attribute_count = 0;
    world->model.attribute_version++;
}

static bool
walk_attributes(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int count = model->attribute_count;
    if (!walk_count(walk, &count, CN_ATTRIBUTES_MAX)) {
        return false;
    }
    bool reads = walk->mode == CN_WALK_READ;
    size_t left = walk->used < walk->size ? walk->size - walk->used : 0;
    if (reads && ((size_t)count > left / ATTRIBUTE_SIZE_MIN || count == 0 ||
                     !cn_world_attribute_room(world, count))) {
        return false;
    }
    model->attribute_count = count;
    for (int i = 0; i < count; i++) {
        struct cn_attribute *row = &model->attribute[i];
        if (reads) {
            memset(row, 0, sizeof(*row));
        }
        walk_attribute(walk, row);
        if (row->value.size > CN_ATTRIBUTE_VALUE_MAX) {
            return false;
        }
        for (size_t at = 0; at < row->value.size; at += 8) {
            uint64_t word;
            memcpy(&word, row->value.bytes + at, sizeof(word));
            walk_bytes(walk, &word, 8);
            memcpy(row->value.bytes + at, &word, sizeof(word));
        }
    }
    return true;
}

/* ---- moves ---- */

WALK_STRUCT(walk_move, struct cn_move, CN_FIELDS_MOVE)

static bool
has_moves(const struct cn_world *world)
{
    return world->model.move_count > 0;
}

static void
clear_moves(struct cn_world *world)
{
    world->model.move_count = 0;
}

static bool
walk_moves(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int count = model->move_count;
    if (!walk_count(walk, &count, CN_MOVES_MAX)) {
        return false;
    }
    size_t left = walk->used < walk->size ? walk->size - walk->used : 0;
    if (walk->mode == CN_WALK_READ &&
        ((size_t)count > left / walk_move_size || count == 0 ||
            !cn_world_move_room(world, count))) {
        return false;
    }
    model->move_count = count;
    for (int i = 0; i < count; i++) {
        walk_move(walk, &model->move[i]);
    }
    return true;
}

/* ---- passages through one-way shapes ---- */

WALK_STRUCT(walk_passage, struct cn_passage, CN_FIELDS_PASSAGE)

static bool
has_passages(const struct cn_world *world)
{
    return world->model.passage_count > 0;
}

static void
clear_passages(struct cn_world *world)
{
    world->model.passage_count = 0;
}

static bool
walk_passages(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int count = model->passage_count;
    if (!walk_count(walk, &count, CN_TOUCHING_MAX)) {
        return false;
    }
    size_t left = walk->used < walk->size ? walk->size - walk->used : 0;
    if (walk->mode == CN_WALK_READ &&
        ((size_t)count > left / walk_passage_size || count == 0 ||
            !cn_world_passage_room(world, count))) {
        return false;
    }
    model->passage_count = count;
    for (int i = 0; i < count; i++) {
        walk_passage(walk, &model->passage[i]);
    }
    return true;
}

/* ---- all sections ---- */

/* In the order of their numbers, which are those in images. */
static const struct {
    uint32_t number;
    bool (*exists)(const struct cn_world *world);
    void (*clear)(struct cn_world *world);
    bool (*walk)(struct cn_walk *walk, struct cn_world *world);
} sections[] = {
    {1, has_attributes, clear_attributes, walk_attributes},
    {2, has_moves, clear_moves, walk_moves},
    {3, has_passages, clear_passages, walk_passages},
};

#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

static bool
read_sections(struct cn_walk *walk, struct cn_world *world)
{
    size_t next = 0;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        sections[i].clear(world);
    }
    while (walk->used < walk->size) {
        uint32_t number = 0;
        walk_U32(walk, &number);
        while (next < SECTION_COUNT && sections[next].number != number) {
            next++;
        }
        if (next == SECTION_COUNT || !sections[next].walk(walk, world)) {
            return false;
        }
        next++;
    }
    return walk->used == walk->size;
}

bool
cn_walk_sections(struct cn_walk *walk, struct cn_world *world)
{
    if (walk->mode == CN_WALK_READ) {
        return read_sections(walk, world);
    }
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (sections[i].exists(world)) {
            uint32_t number = sections[i].number;
            walk_U32(walk, &number);
            if (!sections[i].walk(walk, world)) {
                return false;
            }
        }
    }
    return true;
}
