/*
 * production.c: memory of worlds whose solver is of the kind BODIES.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_PER_SHAPE 2 /* at the start */
#define PAIRS_BASE 16
#define SCRATCH_BASE 4096 /* bytes at the start */
#define KERNELS_MAX 8

/* Memory for pipeline->room. */
static void *
lay_out(struct cn_pipeline *pipeline, size_t *size)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_pipeline_layout(pipeline, &arena);
    *size = (arena.used + 63) / 64 * 64;
    void *block = cn_world_allocate(*size);
    if (block != NULL) {
        cn_arena_init(&arena, block, *size);
        cn_pipeline_layout(pipeline, &arena);
    }
    return block;
}

bool
cn_production_grow(struct cn_production *production, int pair_max)
{
    struct cn_pipeline before = production->pipeline;
    struct cn_pipeline *pipeline = &production->pipeline;
    struct cn_pipeline_room room = cn_pipeline_room_of(pipeline->model);
    room.pair_max = pair_max;
    room.sleep_max = before.room.sleep_max;
    if (before.sleep_needed > room.sleep_max) {
        room.sleep_max = before.sleep_needed + before.sleep_needed / 4;
    }
    cn_pipeline_init(pipeline, before.model);
    pipeline->room = room;
    size_t size;
    void *block = lay_out(pipeline, &size);
    if (block == NULL) {
        *pipeline = before;
        return false;
    }
    cn_pipeline_take_over(pipeline, &before);
    free(production->block);
    production->block = block;
    production->block_size = size;
    return true;
}

struct cn_scratch *
cn_world_scratch(const struct cn_world *world)
{
    return world->scratch_lent != NULL ? world->scratch_lent : &world->production->scratch;
}

void
cn_scratch_finish(struct cn_scratch *scratch)
{
    free(scratch->memory);
    *scratch = (struct cn_scratch){0};
}

/* What is in it is not kept. */
static bool
enlarge(struct cn_scratch *scratch, size_t size)
{
    void *memory = cn_world_allocate(size);
    if (memory == NULL) {
        return false;
    }
    cn_scratch_finish(scratch);
    *scratch = (struct cn_scratch){memory, (size + 63) / 64 * 64};
    return true;
}

void
cn_production_begin(struct cn_world *world)
{
    struct cn_scratch *scratch = cn_world_scratch(world);
    if (scratch->size == 0 && !enlarge(scratch, SCRATCH_BASE)) {
        world->production->pipeline.starved = true;
    }
}

bool
cn_production_make_room(struct cn_world *world)
{
    struct cn_production *production = world->production;
    struct cn_pipeline *pipeline = &production->pipeline;
    size_t needed = pipeline->scratch_needed;
    if (needed > 0) {
        if (!enlarge(cn_world_scratch(world), needed + needed / 4)) {
            return false;
        }
        pipeline->scratch_needed = 0;
    }
    if (pipeline->pair_needed > 0) {
        return cn_production_grow(
            production, pipeline->pair_needed + pipeline->pair_needed / 8);
    }
    if (pipeline->sleep_needed > 0) {
        return cn_production_grow(production, pipeline->room.pair_max);
    }
    return true;
}

void
cn_production_destroy(struct cn_production *production)
{
    if (production == NULL) {
        return;
    }
    free(production->block);
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

static struct cn_production *
create(struct cn_model *model)
{
    struct cn_production *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    cn_pipeline_init(&made->pipeline, model);
    int pairs = PAIRS_BASE + PAIRS_PER_SHAPE * model->shape_count;
    if (!cn_production_grow(made, pairs)) {
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
    if (!wanted) {
        cn_production_destroy(world->production);
        world->production = NULL;
    } else if (world->production == NULL) {
        world->production = create(&world->model);
    }
    return !wanted || world->production != NULL;
}

enum cn_status
cn_simd_check(const char *simd, struct cn_defect *defect)
{
    if (simd == NULL || cn_impulse_kernel_find(simd) != NULL) {
        return CN_OK;
    }
    const char *names[KERNELS_MAX];
    int count = 0;
    for (int i = 0; cn_impulse_kernels[i] != NULL && count < KERNELS_MAX; i++) {
        if (cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
            names[count++] = cn_impulse_kernels[i]->name;
        }
    }
    return cn_world_refuse_name(defect, "simd", simd, names, count);
}

enum cn_status
cn_world_use(
    struct cn_world *world, const struct cn_world_tools *tools, struct cn_defect *defect)
{
    CN_CHECK(cn_simd_check(tools->simd, defect));
    const struct cn_impulse_kernel *kernel =
        tools->simd != NULL ? cn_impulse_kernel_find(tools->simd) : NULL;
    world->tools = (struct cn_pipeline_tools){kernel, tools->crew, tools->profile};
    world->scratch_lent = tools->scratch;
    return CN_OK;
}

/* Bytes of the columns, of inputs and events. */
static size_t
columns_size(const struct cn_world *world)
{
    struct cn_world measured = *world;
    const struct cn_model *model = &world->model;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_structure_layout(&measured, &arena);
    return arena.used + (size_t)model->held_max * sizeof(model->held[0]) +
           (size_t)model->event_max * sizeof(model->event[0]) +
           (size_t)model->change_max * sizeof(model->change[0]);
}

struct cn_world_counts
cn_world_count(const struct cn_world *world)
{
    struct cn_world_counts counts = {
        .size = sizeof(*world) + sizeof(*world->view) + world->fixed_size + world->room_size +
                columns_size(world) +
                world->view->own_size,
    };
    if (world->production != NULL) {
        const struct cn_pipeline *p = &world->production->pipeline;
        counts.awake_count = p->awake_count;
        counts.pair_count = p->pair_count;
        counts.touching_count = p->touching_count;
        counts.color_count = p->color_count;
        counts.overflow_count = p->overflow_count;
        counts.size += sizeof(*world->production) + world->production->block_size +
                       world->production->scratch.size;
    }
    return counts;
}
