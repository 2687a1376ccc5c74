#include "engine/world/structure.h"

#include "engine/base/assert.h"
#include "engine/model/life.h"
#include "engine/world/world_inside.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 16 /* smallest number of slots of columns that grow */

/* ---- memory ---- */

void
cn_structure_layout(struct cn_world *world, struct cn_arena *arena)
{
    cn_model_layout_columns(&world->model, arena);
    world->made = CN_ARENA_TAKE(arena, struct cn_made *, (size_t)world->model.body_max);
    world->source = CN_ARENA_TAKE(arena, unsigned char, (size_t)world->model.body_max);
    world->joint_source = CN_ARENA_TAKE(arena, unsigned char, (size_t)world->model.joint_max);
}

/* Makes every slot empty; the taken ones are filled afterwards. */
static void
clear_columns(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    for (int i = 0; i < model->body_max; i++) {
        cn_model_clear_body(model, i);
        world->source[i] = CN_SOURCE_NONE;
    }
    for (int i = 0; i < model->shape_max; i++) {
        cn_model_clear_shape(model, i);
    }
    for (int i = 0; i < model->joint_max; i++) {
        cn_model_clear_joint(model, i);
        world->joint_source[i] = CN_SOURCE_NONE;
    }
    model->body_slots.low = model->shape_slots.low = model->joint_slots.low = 0;
}

/* Allocates new columns for the model's maxima; the caller keeps the old ones. */
static bool
allocate_columns(struct cn_world *world)
{
    struct cn_world measured = *world;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_structure_layout(&measured, &arena);
    void *columns = cn_world_allocate(arena.used);
    if (columns == NULL) {
        return false;
    }
    cn_arena_init(&arena, columns, (arena.used + 63) / 64 * 64);
    cn_structure_layout(world, &arena);
    world->columns = columns;
    clear_columns(world);
    return true;
}

bool
cn_structure_create(struct cn_world *world)
{
    return allocate_columns(world);
}

static void
free_made(struct cn_world *world)
{
    CN_ASSERT(world->made != NULL || world->model.body_max == 0);
    for (int i = 0; i < world->model.body_max; i++) {
        free(world->made[i]);
    }
}

void
cn_structure_destroy(struct cn_world *world)
{
    if (world->columns != NULL) {
        free_made(world);
    }
    free(world->columns);
}

/* ---- growth ---- */

static void
copy_slots(struct cn_slots *to, const struct cn_slots *from)
{
    CN_ASSERT(from->max <= to->max);
    memcpy(to->word, from->word, cn_slots_words(from->max) * sizeof(to->word[0]));
    to->low = from->low;
}

#define COPY(array, count) memcpy(to->array, from->array, (size_t)(count) * sizeof(to->array[0]))

/* Copies the arrays of the smaller columns into the larger ones. */
static void
copy_columns(struct cn_world *world, const struct cn_world *before)
{
    struct cn_model *to = &world->model;
    const struct cn_model *from = &before->model;
    CN_ASSERT(from->body_max <= to->body_max && from->shape_max <= to->shape_max);
    CN_ASSERT(from->joint_max <= to->joint_max && from->body_count <= from->body_max);
    COPY(body, from->body_max);
    COPY(motion, from->body_max);
    COPY(rest, from->body_max);
    COPY(fresh, from->fresh_count > 0 ? from->fresh_count : 0);
    COPY(woken, from->woken_count > 0 ? from->woken_count : 0);
    COPY(joints_of, from->body_max);
    COPY(shape, from->shape_max);
    COPY(shape_order, from->shape_count);
    COPY(joint, from->joint_max);
    COPY(joint_state, from->joint_max);
    COPY(joint_link, 2 * from->joint_max);
    copy_slots(&to->body_slots, &from->body_slots);
    copy_slots(&to->shape_slots, &from->shape_slots);
    copy_slots(&to->joint_slots, &from->joint_slots);
    memcpy(world->made, before->made, (size_t)from->body_max * sizeof(world->made[0]));
    memcpy(world->source, before->source, (size_t)from->body_max);
    memcpy(world->joint_source, before->joint_source, (size_t)from->joint_max);
}

/* Half more than max, and at least `needed`. */
static int
grown_count(int max, int needed, int limit)
{
    CN_ASSERT(0 <= max && max <= limit);
    if (needed <= max) {
        return max;
    }
    int more = max + max / 2 > ROOM_MIN ? max + max / 2 : ROOM_MIN;
    more = more > needed ? more : needed;
    return more < limit ? more : limit;
}

bool
cn_make_room(struct cn_world *world, int bodies, int shapes, int joints)
{
    struct cn_model *model = &world->model;
    if (bodies <= model->body_max && shapes <= model->shape_max && joints <= model->joint_max) {
        return true;
    }
    struct cn_world before = *world;
    model->body_max = grown_count(model->body_max, bodies, CN_BODIES_MAX);
    model->shape_max = grown_count(model->shape_max, shapes, CN_SHAPES_MAX);
    model->joint_max = grown_count(model->joint_max, joints, CN_JOINTS_MAX);
    if (!allocate_columns(world)) {
        *world = before;
        return false;
    }
    copy_columns(world, &before);
    if (!cn_world_refit(world)) {
        free(world->columns);
        *world = before;
        return false;
    }
    free(before.columns);
    return true;
}

/* ---- another set of slots ---- */

static struct cn_structure
present_structure(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    return (struct cn_structure){
        .columns = world->columns,
        .body_count = model->body_count,
        .shape_count = model->shape_count,
        .joint_count = model->joint_count,
        .body_max = model->body_max,
        .shape_max = model->shape_max,
        .joint_max = model->joint_max,
        .body_low = model->body_slots.low,
        .shape_low = model->shape_slots.low,
        .joint_low = model->joint_slots.low,
        .joint_live = model->joint_live,
        .sensor_count = model->sensor_count,
        .one_way_count = model->one_way_count,
        .length_min = model->length_min,
    };
}

/* Sets the pointers into a block of columns; its contents have not changed. */
static void
put_in_place(struct cn_world *world, const struct cn_structure *structure)
{
    CN_ASSERT(structure->columns != NULL);
    CN_ASSERT(structure->body_count <= structure->body_max);
    struct cn_model *model = &world->model;
    model->body_max = structure->body_max;
    model->shape_max = structure->shape_max;
    model->joint_max = structure->joint_max;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_structure_layout(world, &arena);
    cn_arena_init(&arena, structure->columns, arena.used);
    cn_structure_layout(world, &arena);
    world->columns = structure->columns;
    model->body_count = structure->body_count;
    model->shape_count = structure->shape_count;
    model->joint_count = structure->joint_count;
    model->body_slots.low = structure->body_low;
    model->shape_slots.low = structure->shape_low;
    model->joint_slots.low = structure->joint_low;
    model->joint_live = structure->joint_live;
    model->sensor_count = structure->sensor_count;
    model->one_way_count = structure->one_way_count;
    model->length_min = structure->length_min;
    cn_make_tolerances(model);
}

/* Fills a slot from the scene: the saved original where it changed, else the present data. */
static void
fill_from_scene(struct cn_world *world, const struct cn_world *before)
{
    struct cn_model *model = &world->model;
    model->sensor_count = model->one_way_count = 0;
    for (int i = 0; i < world->scene_body_count; i++) {
        const struct cn_origin *origin = world->origin[i];
        model->body[i] = origin != NULL ? origin->body : before->model.body[i];
        model->body[i].fresh = false;
        model->body[i].generation = 0;
        const struct cn_body *body = &model->body[i];
        CN_ASSERT(body->shape_first + body->shape_count <= world->scene_shape_count);
        const struct cn_shape *shapes =
            origin != NULL ? origin->shape : &before->model.shape[body->shape_first];
        if (body->shape_count > 0) {
            memcpy(&model->shape[body->shape_first], shapes,
                (size_t)body->shape_count * sizeof(*shapes));
        }
        for (int k = 0; k < body->shape_count; k++) {
            model->sensor_count += shapes[k].sensor;
            model->one_way_count += shapes[k].one_way;
        }
        world->source[i] = CN_SOURCE_SCENE;
    }
    for (int i = 0; i < world->scene_joint_count; i++) {
        const struct cn_joint *origin = world->joint_origin[i];
        model->joint[i] = origin != NULL ? *origin : before->model.joint[i];
        model->joint[i].generation = 0;
        world->joint_source[i] = CN_SOURCE_SCENE;
    }
    cn_slots_take(&model->body_slots, 0, world->scene_body_count);
    cn_slots_take(&model->shape_slots, 0, world->scene_shape_count);
    cn_slots_take(&model->joint_slots, 0, world->scene_joint_count);
}

bool
cn_structure_begin(
    struct cn_world *world, int bodies, int shapes, int joints, struct cn_structure *aside)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(bodies >= world->scene_body_count && shapes >= world->scene_shape_count);
    CN_ASSERT(joints >= world->scene_joint_count);
    if (!cn_make_room(world, bodies, shapes, joints)) {
        return false;
    }
    CN_ASSERT(bodies <= model->body_max && shapes <= model->shape_max);
    CN_ASSERT(joints <= model->joint_max);
    *aside = present_structure(world);
    struct cn_world before = *world;
    if (!allocate_columns(world)) {
        *world = before;
        aside->columns = NULL;
        return false;
    }
    fill_from_scene(world, &before);
    model->body_count = bodies;
    model->shape_count = shapes;
    model->joint_count = joints;
    model->joint_live = 0;
    for (int i = 0; i < shapes; i++) {
        model->shape_order[i] = i;
    }
    model->length_min = world->scene_length_min;
    cn_make_tolerances(model);
    return true;
}

void
cn_structure_link(struct cn_world *world)
{
    CN_ASSERT(world->model.joint_live == 0); /* no joint is linked twice */
    struct cn_model *model = &world->model;
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent) {
            cn_model_link_joint(model, i);
        }
    }
}

void
cn_structure_done(struct cn_world *world, struct cn_structure *aside)
{
    if (aside->columns == NULL) {
        return;
    }
    struct cn_structure now = present_structure(world);
    put_in_place(world, aside);
    free_made(world);
    free(aside->columns);
    aside->columns = NULL;
    put_in_place(world, &now);
    cn_model_note_all(&world->model);
}

void
cn_structure_back(struct cn_world *world, struct cn_structure *aside)
{
    if (aside->columns == NULL) {
        return;
    }
    free_made(world);
    free(world->columns);
    put_in_place(world, aside);
    aside->columns = NULL;
    world->view->is_current = false;
    cn_slice_give_up(world); /* a view that is being computed uses these arrays */
}
