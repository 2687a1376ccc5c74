/*
 * lend.c: the tools and the account that a program lends to a world, and how much memory it has.
 */
#include "engine/world/history.h"
#include "engine/world/structure.h"
#include "engine/world/world_inside.h"

#define KERNELS_MAX 8
#define MIB ((size_t)1 << 20)

/* Bytes of the columns, held inputs, moves and events. */
static size_t
columns_size(const struct cn_world *world)
{
    struct cn_world measured = *world;
    const struct cn_model *model = &world->model;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_structure_layout(&measured, &arena);
    return arena.used + (size_t)model->held_max * sizeof(model->held[0]) +
           (size_t)model->move_max * sizeof(model->move[0]) +
           (size_t)model->event_max * sizeof(model->event[0]) +
           (size_t)model->change_max * sizeof(model->change[0]);
}

struct cn_world_counts
cn_world_count(const struct cn_world *world)
{
    struct cn_world_counts counts = {
        .size = sizeof(*world) + sizeof(*world->view) + world->fixed_size + world->room_size +
                columns_size(world) + world->view->own_size +
                cn_view_asleep_size(world->view) + cn_history_size(world->history),
    };
    if (world->production != NULL) {
        const struct cn_pipeline *p = &world->production->pipeline;
        counts.awake_count = p->awake_count;
        counts.pair_count = p->pair_count;
        counts.touching_count = p->touching_count;
        counts.color_count = p->color_count;
        counts.overflow_count = p->overflow_count;
        counts.sample_count = p->sample_count;
        counts.repeat_count = p->repeat_count;
        counts.size += sizeof(*world->production) + world->production->scratch.size;
        for (int part = 0; part < CN_PIPELINE_PARTS; part++) {
            counts.size += world->production->block_size[part];
        }
    }
    return counts;
}

/*
 * Sets the account from now on.  CN_MEMORY: it has too little left for the present world, and
 * nothing has changed.
 */
static enum cn_status
use_account(struct cn_world *world, size_t size_max, struct cn_account *whole,
    struct cn_defect *defect)
{
    struct cn_account account = {.max = size_max > 0 ? size_max : SIZE_MAX, .whole = whole};
    size_t size = cn_world_count(world).size;
    if (!cn_account_take(&account, size)) {
        size_t left = cn_account_left(&account);
        return cn_defect_set(defect, CN_MEMORY, "",
            "takes %zu MiB of memory; %s %zu MiB", (size + MIB - 1) / MIB,
            left == size_max ? "a world may have" : "the memory of worlds has left", left / MIB);
    }
    cn_account_give(&world->account, world->account.used);
    world->account = account;
    return CN_OK;
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
    CN_CHECK(use_account(world, tools->memory_max, tools->account, defect));
    world->tools = (struct cn_pipeline_tools){kernel, tools->crew, tools->profile};
    world->scratch_lent = tools->scratch;
    return CN_OK;
}
