/*
 * impulse_run.h: runs the production solver's stages for one tick, over bodies and manifolds of a
 * test or benchmark.  The stages are those of the pipeline: colours, blocks, substeps, and the
 * overflow one by one.
 */
#ifndef TESTS_SUPPORT_SOLVE_IMPULSE_RUN_H
#define TESTS_SUPPORT_SOLVE_IMPULSE_RUN_H

#include "engine/solve/impulse/color.h"
#include "engine/solve/impulse/impulse.h"

#include <stdlib.h>
#include <string.h>

struct impulse_run {
    const struct cn_impulse_kernel *kernel;
    bool spatial;
    struct cn_impulse_tick tick;
    int body_count, contact_count;
    struct cn_impulse_contact *contact; /* in order, not padded; manifold is the index */
    void *body, *carry, *mass, *drive, *manifold;
    /* of the run */
    struct cn_coloring coloring;
    struct cn_impulse_contact *padded;
    void *block, *single_block, *scratch;
    int32_t *order;
};

static inline size_t
impulse_run_padded(size_t size)
{
    return (size + 63) / 64 * 64;
}

static inline void *
impulse_run_take(size_t size)
{
    void *memory = aligned_alloc(64, impulse_run_padded(size + 1));
    memset(memory, 0, impulse_run_padded(size + 1));
    return memory;
}

/* Allocates room for so many bodies and contacts. All bodies are at rest at their last poses. */
static inline void
impulse_run_make(struct impulse_run *run, bool spatial, int body_count, int contact_count)
{
    size_t n = (size_t)body_count, m = (size_t)contact_count;
    *run = (struct impulse_run){.spatial = spatial, .body_count = body_count,
        .contact_count = contact_count};
    run->body = impulse_run_take(n * (spatial ? 64 : 32));
    run->carry = impulse_run_take(n * (spatial ? 32 : 16));
    run->mass = impulse_run_take(n * (spatial ? sizeof(struct cn_impulse_mass3)
                                              : sizeof(struct cn_impulse_mass2)));
    run->drive = impulse_run_take(n * (spatial ? sizeof(struct cn_impulse_drive3)
                                               : sizeof(struct cn_impulse_drive2)));
    run->manifold = impulse_run_take(m * (spatial ? sizeof(struct cn_manifold3)
                                                  : sizeof(struct cn_manifold2)));
    run->contact = impulse_run_take(m * sizeof(*run->contact));
    size_t padded = (size_t)cn_color_order_max(contact_count, 16);
    run->padded = impulse_run_take(padded * sizeof(*run->padded));
    run->order = impulse_run_take(padded * sizeof(*run->order));
    run->scratch = impulse_run_take(n * 8 + m + 128);
    float h = 1.0f / 240.0f;
    run->tick = (struct cn_impulse_tick){.h = h, .inverse_h = 240.0f, .substep_count = 4,
        .contact = cn_impulse_soft_make(30.0f, 10.0f, h),
        .damped = cn_impulse_soft_make(30.0f, 10.0f, h),
        .contact_fixed = cn_impulse_soft_make(60.0f, 10.0f, h), .push_speed = 3.0f,
        .firm = cn_impulse_soft_make(50.0f, 5.0f, h),
        .firm_fixed = cn_impulse_soft_make(100.0f, 5.0f, h),
        .slop = 0.0f, .restitution_speed = 1.0f, .linear_speed_max = 400.0f};
}

static inline void
impulse_run_free(struct impulse_run *run)
{
    void *memory[] = {run->body, run->carry, run->mass, run->drive, run->manifold, run->contact,
        run->padded, run->order, run->scratch, run->block, run->single_block};
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
        free(memory[i]);
    }
}

static inline const struct cn_impulse_stages *
impulse_run_stages(const struct impulse_run *run, const struct cn_impulse_kernel *kernel)
{
    return run->spatial ? &kernel->spatial : &kernel->planar;
}

/* Colours the contacts and lays them out for the kernel. */
static inline void
impulse_run_color(struct impulse_run *run, const struct cn_impulse_kernel *kernel)
{
    struct cn_arena arena;
    struct cn_color_pair *pair = impulse_run_take((size_t)run->contact_count * sizeof(*pair));
    for (int i = 0; i < run->contact_count; i++) {
        pair[i] = (struct cn_color_pair){run->contact[i].body_a, run->contact[i].body_b};
    }
    cn_arena_init(&arena, run->scratch,
        impulse_run_padded((size_t)run->body_count * 8) +
            impulse_run_padded((size_t)run->contact_count));
    run->kernel = kernel;
    int used = cn_color(pair, run->contact_count, run->body_count, kernel->lanes, &arena,
        run->order, &run->coloring);
    free(pair);
    for (int k = 0; k < used; k++) {
        run->padded[k] = run->order[k] >= 0
                             ? run->contact[run->order[k]]
                             : (struct cn_impulse_contact){.body_a = CN_IMPULSE_FIXED,
                                   .body_b = CN_IMPULSE_FIXED, .manifold = -1};
    }
    free(run->block);
    free(run->single_block);
    int colored = run->coloring.start[run->coloring.color_count];
    size_t blocks = (size_t)(colored / kernel->lanes);
    run->block = impulse_run_take(blocks * impulse_run_stages(run, kernel)->block_size);
    run->single_block = impulse_run_take((size_t)run->coloring.overflow_count *
                                         impulse_run_stages(run, &cn_impulse_kernel_single)
                                             ->block_size);
}

static inline struct cn_impulse_job
impulse_run_job(struct impulse_run *run, bool overflow)
{
    int colored = run->coloring.start[run->coloring.color_count];
    return (struct cn_impulse_job){.tick = &run->tick, .body = run->body, .carry = run->carry,
        .mass = run->mass, .drive = run->drive, .body_count = run->body_count,
        .contact = overflow ? run->padded + colored : run->padded, .manifold = run->manifold,
        .block = overflow ? run->single_block : run->block};
}

/* One stage over all contacts: the overflow first, then colour after colour. */
static inline void
impulse_run_contacts(struct impulse_run *run, size_t stage)
{
    const char *single =
        (const char *)impulse_run_stages(run, &cn_impulse_kernel_single) + stage;
    const char *wide = (const char *)impulse_run_stages(run, run->kernel) + stage;
    cn_impulse_stage *one, *many;
    memcpy(&one, single, sizeof(one));
    memcpy(&many, wide, sizeof(many));
    struct cn_impulse_job job = impulse_run_job(run, true);
    one(&job, 0, run->coloring.overflow_count);
    job = impulse_run_job(run, false);
    for (int c = 0; c < run->coloring.color_count; c++) {
        many(&job, run->coloring.start[c] / run->kernel->lanes,
            run->coloring.start[c + 1] / run->kernel->lanes);
    }
}

#define IMPULSE_RUN(run, stage) impulse_run_contacts(run, offsetof(struct cn_impulse_stages, stage))

/* A whole tick; impulse_run_color comes before it, and manifolds have their separations. */
static inline void
impulse_run_tick(struct impulse_run *run)
{
    const struct cn_impulse_stages *stages = impulse_run_stages(run, run->kernel);
    struct cn_impulse_job job = impulse_run_job(run, false);
    for (int i = 0; i < run->body_count && run->carry != NULL; i++) {
        if (run->spatial) {
            memcpy((char *)run->carry + 32 * i, (char *)run->body + 64 * i, 24);
        } else {
            memcpy((char *)run->carry + 16 * i, (char *)run->body + 32 * i, 12);
        }
    }
    IMPULSE_RUN(run, prepare);
    for (int k = 0; k < run->tick.substep_count; k++) {
        stages->integrate_velocities(&job, 0, run->body_count);
        if (k == 0 || run->carry == NULL) {
            IMPULSE_RUN(run, warm_start);
        }
        IMPULSE_RUN(run, solve);
        stages->integrate_positions(&job, 0, run->body_count);
        IMPULSE_RUN(run, relax);
    }
    IMPULSE_RUN(run, restitution);
    IMPULSE_RUN(run, store);
}

#endif
