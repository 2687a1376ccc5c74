/* pipeline_color.c: contacts and joints of one colour share no body, so they are solved at once. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

#define ENTRY_GRAIN 1024 /* contacts that one worker copies at once */

bool
cn_pipeline_color_pairs(struct cn_pipeline_tick *t, const struct cn_color_pair *pair, int count,
    int32_t *order, struct cn_coloring *coloring)
{
    int bodies = t->p->awake_count, lanes = t->kernel->lanes;
    struct cn_arena measure;
    cn_arena_init_measure(&measure);
    cn_color(pair, count, bodies, lanes, &measure, NULL, NULL);
    if (!cn_pipeline_has(t, measure.used_max)) {
        return false;
    }
    int used = cn_color(pair, count, bodies, lanes, &t->scratch, order, coloring);
    int colored = coloring->start[coloring->color_count];
    CN_ASSERT(coloring->color_count <= CN_COLORS_MAX && colored % lanes == 0);
    CN_ASSERT(used == colored + coloring->overflow_count);
    CN_ASSERT(used <= cn_color_order_max(count, lanes));
    return true;
}

/* ---- contacts ---- */

/* The memory of one batch while it gets its colours. */
struct of_batch {
    struct cn_arena scratch;
    struct cn_color_pair *pair; /* bodies as counted from the first one of the batch */
    int32_t *order;
};

struct coloring_task {
    struct cn_pipeline_tick *t;
    struct of_batch *of;
};

/* A body as counted from the first one of the batch, if impulses move it. */
static int32_t
within(const struct cn_pipeline_batch *batch, int32_t body)
{
    CN_ASSERT(body < batch->body_end && (body < 0 || body >= batch->body_first));
    return body < 0 ? body : body - batch->body_first;
}

static void
color_batch(struct cn_pipeline_tick *t, struct cn_pipeline_batch *batch, struct of_batch *of)
{
    int count = batch->end - batch->first;
    const struct cn_color_pair *pair = t->ends;
    if (t->by_batch != NULL) {
        for (int i = 0; i < count; i++) {
            struct cn_color_pair ends = t->ends[t->by_batch[batch->first + i]];
            of->pair[i] = (struct cn_color_pair){
                within(batch, ends.body_a), within(batch, ends.body_b)};
        }
        pair = of->pair;
    }
    cn_color(pair, count, batch->body_end - batch->body_first, t->kernel->lanes, &of->scratch,
        of->order, &batch->coloring);
}

static void
color_task(void *context, int first, int end, int worker)
{
    const struct coloring_task *task = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        color_batch(task->t, &task->t->batch[b], &task->of[b]);
    }
}

static bool
take_memory(struct cn_pipeline_tick *t, struct of_batch *of)
{
    int lanes = t->kernel->lanes;
    for (int b = 0; b < t->batch_count; b++) {
        const struct cn_pipeline_batch *batch = &t->batch[b];
        int count = batch->end - batch->first, bodies = batch->body_end - batch->body_first;
        struct cn_arena measure;
        cn_arena_init_measure(&measure);
        cn_color(NULL, count, bodies, lanes, &measure, NULL, NULL);
        of[b].pair = CN_PIPELINE_TAKE(t, struct cn_color_pair, t->by_batch == NULL ? 0 : count);
        of[b].order = CN_PIPELINE_TAKE(t, int32_t, cn_color_order_max(count, lanes));
        void *memory = cn_pipeline_take(t, measure.used_max);
        if (memory == NULL) {
            return false;
        }
        cn_arena_init(&of[b].scratch, memory, measure.used_max);
    }
    return true;
}

/* Gives batches their blocks, and their places among the contacts without a colour. */
static int
count_blocks(struct cn_pipeline_tick *t)
{
    int lanes = t->kernel->lanes, blocks = 0;
    t->rest_count = 0;
    for (int b = 0; b < t->batch_count; b++) {
        struct cn_pipeline_batch *batch = &t->batch[b];
        const struct cn_coloring *coloring = &batch->coloring;
        batch->block_first = blocks;
        batch->rest_first = t->rest_count;
        CN_ASSERT(coloring->start[coloring->color_count] % lanes == 0);
        blocks += coloring->start[coloring->color_count] / lanes;
        t->rest_count += coloring->overflow_count;
        batch->block_end = blocks;
        batch->rest_end = t->rest_count;
    }
    return blocks;
}

/* Copies contacts to entries first, ..., end - 1 of a batch: by colours, then the rest. */
static void
arrange(struct cn_pipeline_tick *t, const struct coloring_task *task, int b, int first, int end)
{
    static const struct cn_impulse_contact empty = {
        .body_a = CN_IMPULSE_FIXED, .body_b = CN_IMPULSE_FIXED, .manifold = -1};
    const struct cn_pipeline_batch *batch = &t->batch[b];
    const int32_t *order = task->of[b].order;
    const int32_t *index = t->by_batch == NULL ? NULL : t->by_batch + batch->first;
    int colored = batch->coloring.start[batch->coloring.color_count];
    struct cn_impulse_contact *to = t->job.contact + batch->block_first * t->kernel->lanes;
    struct cn_impulse_contact *rest = t->rest.contact + batch->rest_first;
    for (int i = first; i < end; i++) {
        struct cn_impulse_contact *at = i < colored ? &to[i] : &rest[i - colored];
        if (order[i] < 0) {
            *at = empty;
        } else {
            *at = t->contact[index == NULL ? order[i] : index[order[i]]];
        }
    }
}

static int
entries_of(const struct cn_pipeline_batch *batch)
{
    const struct cn_coloring *coloring = &batch->coloring;
    return coloring->start[coloring->color_count] + coloring->overflow_count;
}

static void
arrange_task(void *context, int first, int end, int worker)
{
    const struct coloring_task *task = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        arrange(task->t, task, b, 0, entries_of(&task->t->batch[b]));
    }
}

/* For one batch alone. */
static void
arrange_entries(void *context, int first, int end, int worker)
{
    const struct coloring_task *task = context;
    (void)worker;
    arrange(task->t, task, 0, first, end);
}

/* Takes room for the contacts by colours and for those without.  False: no scratch. */
static bool
take_jobs(struct cn_pipeline_tick *t)
{
    const struct cn_impulse_stages *stages = t->p->ops->stages(t->kernel);
    const struct cn_impulse_stages *single = t->p->ops->stages(&cn_impulse_kernel_single);
    int blocks = count_blocks(t), colored = blocks * t->kernel->lanes;
    struct cn_impulse_contact *contact =
        CN_PIPELINE_TAKE(t, struct cn_impulse_contact, colored + t->rest_count);
    void *block = cn_pipeline_take(t, (size_t)blocks * stages->block_size);
    void *rest = cn_pipeline_take(t, (size_t)t->rest_count * single->block_size);
    if (rest == NULL) {
        return false;
    }
    t->job = (struct cn_impulse_job){
        .tick = &t->tick,
        .body = t->body,
        .carry = t->carry,
        .mass = t->mass,
        .drive = t->drive,
        .heat = t->heat,
        .excess = t->energy->excess,
        .body_count = t->p->awake_count,
        .contact = contact,
        .manifold = t->p->manifold[1 - t->p->front],
        .block = block,
    };
    t->rest = t->job;
    t->rest.contact = contact + colored;
    t->rest.block = rest;
    return true;
}

bool
cn_pipeline_color(struct cn_pipeline_tick *t)
{
    if (!cn_pipeline_make_batches(t)) {
        return false;
    }
    struct coloring_task task = {t, CN_PIPELINE_TAKE(t, struct of_batch, t->batch_count)};
    if (task.of == NULL || !take_memory(t, task.of)) {
        return false;
    }
    cn_task_run(t->crew, color_task, &task, t->batch_count, 1);
    if (!take_jobs(t)) {
        return false;
    }
    if (t->batch_count == 1) {
        cn_task_run(t->crew, arrange_entries, &task, entries_of(&t->batch[0]), ENTRY_GRAIN);
    } else {
        cn_task_run(t->crew, arrange_task, &task, t->batch_count, 1);
    }
    return true;
}
