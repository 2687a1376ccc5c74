/* blocks.c: blocks of memory of a world, and the arrays that grow between ticks. */
#include "engine/base/assert.h"
#include "engine/model/life.h"
#include "engine/world/world_inside.h"

#include <stdlib.h>
#include <string.h>

#define CHANGES_START 64
#define ATTRIBUTES_START 16
#define MOVES_START 16

void *
cn_world_allocate(size_t size)
{
    CN_ASSERT(size <= SIZE_MAX - 63);
    size_t rounded = (size + 63) / 64 * 64;
    void *block = aligned_alloc(64, rounded > 0 ? rounded : 64);
    if (block != NULL) {
        memset(block, 0, rounded);
    }
    return block;
}

bool
cn_world_take_memory(struct cn_world *world, size_t from, size_t to)
{
    if (to > from) {
        return cn_account_take(&world->account, to - from);
    }
    cn_account_give(&world->account, from - to);
    return true;
}

/* A larger block for an array of `count` entries of `size`; false without memory. */
static bool
enlarge_array(void **array, int count, int count_max, size_t size)
{
    CN_ASSERT(0 <= count && count <= count_max && size > 0);
    void *larger = cn_world_allocate((size_t)count_max * size);
    if (larger == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(larger, *array, (size_t)count * size);
    }
    free(*array);
    *array = larger;
    return true;
}

bool
cn_world_hold_room(struct cn_world *world, int count)
{
    CN_ASSERT(count >= 0);
    struct cn_model *model = &world->model;
    if (count <= model->held_max) {
        return true;
    }
    int max = count > 2 * model->held_max ? count : 2 * model->held_max;
    void *held = model->held;
    if (!enlarge_array(&held, model->held_count, max, sizeof(model->held[0]))) {
        return false;
    }
    model->held = held;
    model->held_max = max;
    CN_ASSERT(model->held_count <= model->held_max);
    return true;
}

bool
cn_world_attribute_room(struct cn_world *world, int count)
{
    CN_ASSERT(count >= 0);
    struct cn_model *model = &world->model;
    if (count <= model->attribute_max) {
        return true;
    }
    int max = count > 2 * model->attribute_max ? count : 2 * model->attribute_max;
    max = max > ATTRIBUTES_START ? max : ATTRIBUTES_START;
    void *attribute = model->attribute;
    if (!enlarge_array(&attribute, model->attribute_count, max, sizeof(model->attribute[0]))) {
        return false;
    }
    model->attribute = attribute;
    model->attribute_max = max;
    return true;
}

bool
cn_world_move_room(struct cn_world *world, int count)
{
    CN_ASSERT(count >= 0);
    struct cn_model *model = &world->model;
    if (count <= model->move_max) {
        return true;
    }
    int max = 2 * model->move_max > MOVES_START ? 2 * model->move_max : MOVES_START;
    max = max > count ? max : count;
    void *move = model->move;
    if (!enlarge_array(&move, model->move_count, max, sizeof(model->move[0]))) {
        return false;
    }
    model->move = move;
    model->move_max = max;
    return true;
}

void
cn_world_change_room(struct cn_world *world, int count)
{
    CN_ASSERT(count >= 0);
    struct cn_model *model = &world->model;
    int max = model->change_max > 0 ? model->change_max : CHANGES_START;
    while (max < model->change_count + count && max < CN_CHANGES_MAX) {
        max *= 2;
    }
    if (max == model->change_max) {
        return;
    }
    void *change = model->change;
    if (enlarge_array(&change, model->change_count, max, sizeof(model->change[0]))) {
        model->change = change;
        model->change_max = max;
    }
}

void
cn_world_event_room(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int max = 2 * model->event_max < CN_EVENTS_MAX ? 2 * model->event_max : CN_EVENTS_MAX;
    void *event = model->event;
    if (model->event_dropped > 0 && max > model->event_max &&
        enlarge_array(&event, model->event_count, max, sizeof(model->event[0]))) {
        model->event = event;
        model->event_max = max;
    }
}
