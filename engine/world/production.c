/*
 * production.c: memory of worlds whose solver is of the kind BODIES.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_PER_SHAPE 4 /* at the start */
#define PAIRS_BASE 16
#define SCRATCH_BASE 4096
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

bool
cn_production_make_room(struct cn_production *production)
{
    struct cn_pipeline *pipeline = &production->pipeline;
    if (pipeline->scratch_needed > 0) {
        size_t size = pipeline->scratch_needed + pipeline->scratch_needed / 4;
        void *scratch = cn_world_allocate(size);
        if (scratch == NULL) {
            return false;
        }
        free(production->scratch);
        production->scratch = scratch;
        production->scratch_size = (size + 63) / 64 * 64;
        pipeline->scratch_needed = 0;
    }
    if (pipeline->pair_needed > 0) {
        return cn_production_grow(
            production, pipeline->pair_needed + pipeline->pair_needed / 4);
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
    free(production->scratch);
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
    made->scratch = cn_world_allocate(SCRATCH_BASE);
    made->scratch_size = SCRATCH_BASE;
    int pairs = PAIRS_BASE + PAIRS_PER_SHAPE * model->shape_count;
    if (made->scratch == NULL || !cn_production_grow(made, pairs)) {
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
    return CN_OK;
}

struct cn_world_counts
cn_world_count(const struct cn_world *world)
{
    struct cn_world_counts counts = {
        .size = sizeof(*world) + sizeof(*world->view) + world->fixed_size + world->room_size +
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
                       world->production->scratch_size;
    }
    return counts;
}
