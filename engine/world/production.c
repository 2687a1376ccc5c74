/*
 * production.c: memory of worlds whose solver is of the kind BODIES.
 */
#include "engine/base/assert.h"
#include "engine/solve/table/solver_table.h"
#include "engine/world/world_inside.h"

#include <stdlib.h>

#define PAIRS_PER_SHAPE 2 /* at the start, for each shape that may move */
#define PAIRS_BASE 16
#define SLEEP_BASE 16
#define SCRATCH_BASE 4096 /* bytes at the start */

/*
 * Spare memory when a block grows, as a part of the need, so that growing costs little on average.
 */
#define HULL_SPARE 8 /* an eighth, for hulls that come and go */
#define PAIR_SPARE 8 /* an eighth */
#define SLEEP_SPARE 3 /* a third, at least the base */
#define SLEEP_SPARE_FEW 10 /* a tenth for small worlds, because there are many of them */

/*
 * Large worlds get half more: new memory costs some 0.6 ms a MiB at its first use, and that cost
 * would fall on the ticks that find most pairs.
 */
#define PAIRS_MANY 2048
#define SCRATCH_LARGE (1U << 20) /* bytes */

/*
 * Moves a part of the pipeline into a new block of the wanted size.  False: no memory, nothing
 * changed.
 */
static bool
fit_part(struct cn_production *production, enum cn_pipeline_part part,
    const struct cn_pipeline_room *wanted)
{
    struct cn_pipeline *pipeline = &production->pipeline;
    if (production->block[part] != NULL &&
        cn_pipeline_room_is(&pipeline->room, wanted, part)) {
        return true;
    }
    struct cn_pipeline before = *pipeline;
    struct cn_arena arena;
    cn_pipeline_room_set(&pipeline->room, wanted, part);
    cn_arena_init_measure(&arena);
    cn_pipeline_layout(pipeline, part, &arena);
    size_t size = (arena.used + 63) / 64 * 64, old_size = production->block_size[part];
    bool is_granted = cn_world_take_memory(production->world, old_size, size);
    void *block = is_granted ? cn_world_allocate(size) : NULL;
    if (block == NULL) {
        if (is_granted) {
            (void)!cn_world_take_memory(production->world, size, old_size);
        }
        *pipeline = before;
        return false;
    }
    cn_arena_init(&arena, block, size);
    cn_pipeline_layout(pipeline, part, &arena);
    CN_ASSERT(arena.used <= size); /* both layouts are one function */
    if (production->block[part] != NULL) {
        cn_pipeline_take_over(pipeline, &before, part);
    }
    free(production->block[part]);
    production->block[part] = block;
    production->block_size[part] = size;
    return true;
}

static bool
fit_production(struct cn_production *production, const struct cn_pipeline_room *wanted)
{
    return fit_part(production, CN_PIPELINE_PAIRS, wanted) &&
           fit_part(production, CN_PIPELINE_ASLEEP, wanted) &&
           fit_part(production, CN_PIPELINE_BODIES, wanted);
}

static int
larger_of(int a, int b)
{
    return a > b ? a : b;
}

/* The pipeline's present capacities, raised to the bodies and shapes of the model. */
static struct cn_pipeline_room
room_of(const struct cn_pipeline *pipeline)
{
    const struct cn_pipeline_room *before = &pipeline->room;
    struct cn_pipeline_room room = cn_pipeline_room_of(pipeline->model);
    room.body_max = larger_of(room.body_max, before->body_max);
    room.shape_max = larger_of(room.shape_max, before->shape_max);
    room.joint_max = larger_of(room.joint_max, before->joint_max);
    room.piece_max = larger_of(room.piece_max, before->piece_max);
    room.hull_size += room.hull_size / HULL_SPARE;
    if (room.hull_size < before->hull_size) {
        room.hull_size = before->hull_size;
    }
    room.pair_max = before->pair_max;
    room.sleep_max = before->sleep_max;
    return room;
}

bool
cn_production_grow(struct cn_production *production, int pair_max)
{
    CN_ASSERT(pair_max >= production->pipeline.pair_count);
    struct cn_pipeline_room room = production->pipeline.room;
    room.pair_max = pair_max;
    return fit_part(production, CN_PIPELINE_PAIRS, &room);
}

struct cn_scratch *
cn_world_scratch(const struct cn_world *world)
{
    CN_ASSERT(world->scratch_lent != NULL || world->production != NULL);
    return world->scratch_lent != NULL ? world->scratch_lent : &world->production->scratch;
}

void
cn_scratch_finish(struct cn_scratch *scratch)
{
    free(scratch->memory);
    for (struct cn_fiber *fiber = cn_fiber_get(&scratch->idle); fiber != NULL;
         fiber = cn_fiber_get(&scratch->idle)) {
        cn_fiber_destroy(fiber);
    }
    *scratch = (struct cn_scratch){0};
}

void
cn_scratch_shrink(struct cn_scratch *scratch, size_t size)
{
    if (scratch->size > size) {
        free(scratch->memory);
        scratch->memory = NULL;
        scratch->size = 0;
    }
}

/* Replaces the scratch by a larger one, without copying its contents. */
static bool
enlarge_scratch(struct cn_scratch *scratch, size_t size)
{
    CN_ASSERT(size > 0);
    void *memory = cn_world_allocate(size);
    if (memory == NULL) {
        return false;
    }
    free(scratch->memory);
    scratch->memory = memory;
    scratch->size = (size + 63) / 64 * 64;
    return true;
}

bool
cn_production_begin(struct cn_world *world)
{
    struct cn_scratch *scratch = cn_world_scratch(world);
    return scratch->size > 0 || enlarge_scratch(scratch, SCRATCH_BASE);
}

bool
cn_production_make_room(struct cn_world *world)
{
    struct cn_production *production = world->production;
    struct cn_pipeline *pipeline = &production->pipeline;
    size_t needed = pipeline->scratch_needed;
    if (needed > 0) {
        size_t spare = needed < SCRATCH_LARGE ? needed / 4 : needed / 2;
        if (!enlarge_scratch(cn_world_scratch(world), needed + spare)) {
            return false;
        }
        pipeline->scratch_needed = 0;
    }
    struct cn_pipeline_room room =
        pipeline->body_needed ? room_of(pipeline) : pipeline->room;
    if (pipeline->pair_needed > 0) {
        int pairs = pipeline->pair_needed;
        int spare = pairs < PAIRS_MANY ? pairs / PAIR_SPARE : pairs / 2;
        room.pair_max = pairs + larger_of(spare, PAIRS_BASE);
    }
    if (pipeline->sleep_needed > 0) {
        int asleep = pipeline->sleep_needed;
        int spare = asleep / (asleep < PAIRS_MANY ? SLEEP_SPARE_FEW : SLEEP_SPARE);
        room.sleep_max = asleep + larger_of(spare, SLEEP_BASE);
    }
    return fit_production(production, &room);
}

void
cn_production_destroy(struct cn_production *production)
{
    if (production == NULL) {
        return;
    }
    for (int part = 0; part < CN_PIPELINE_PARTS; part++) {
        (void)!cn_world_take_memory(production->world, production->block_size[part], 0);
        free(production->block[part]);
    }
    cn_scratch_finish(&production->scratch);
    free(production);
}

void
cn_world_disturb(struct cn_world *world, int body)
{
    if (world->production != NULL) {
        cn_pipeline_disturb(&world->production->pipeline, body);
    }
}

bool
cn_world_ready_ends(struct cn_world *world, int body, int other)
{
    int count = world->production == NULL
                    ? 0
                    : cn_pipeline_take_ends(&world->production->pipeline, body, other, NULL);
    world->ending_count = 0;
    if (count > world->ending_max) {
        uint64_t *ending = realloc(world->ending, 2 * (size_t)count * sizeof(uint64_t));
        if (ending == NULL) {
            return false;
        }
        world->ending = ending;
        world->ending_max = count;
    }
    world->ending_count = count;
    return true;
}

void
cn_world_tell_ends(struct cn_world *world, int body, int other)
{
    if (world->ending_count > 0) {
        struct cn_pipeline *pipeline = &world->production->pipeline;
        uint64_t *key = world->ending;
        int count = cn_pipeline_take_ends(pipeline, body, other, key);
        CN_ASSERT(count <= world->ending_max);
        cn_pipeline_tell_ends(pipeline, key, key + count, count);
        world->ending_count = 0;
    }
}

/* The number of pairs to begin with. */
static int
count_pairs(const struct cn_model *model)
{
    int count = 0;
    for (int i = 0; i < model->body_count; i++) {
        count += model->body[i].type == CN_STATIC ? 0 : model->body[i].shape_count;
    }
    return PAIRS_BASE + PAIRS_PER_SHAPE * count;
}

static struct cn_production *
create_production(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    struct cn_production *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    made->world = world;
    cn_pipeline_init(&made->pipeline, model);
    struct cn_pipeline_room room = room_of(&made->pipeline);
    room.pair_max = count_pairs(model);
    if (!fit_production(made, &room)) {
        cn_production_destroy(made);
        return NULL;
    }
    return made;
}

bool
cn_world_fit_production(struct cn_world *world)
{
    const struct cn_solver *solver = cn_solver_find(world->model.settings.solver);
    bool wanted = solver != NULL && solver->kind == CN_SOLVER_BODIES;
    if (wanted != (world->production != NULL)) {
        cn_view_forget_asleep(world->view);
    }
    if (!wanted) {
        cn_production_destroy(world->production);
        world->production = NULL;
    } else if (world->production == NULL) {
        world->production = create_production(world);
    }
    CN_ASSERT(wanted || world->production == NULL);
    return !wanted || world->production != NULL;
}
