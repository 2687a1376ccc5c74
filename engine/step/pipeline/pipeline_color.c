/* pipeline_color.c: contacts and joints of one colour share no body, so they are solved at once. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

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

/* Sorts the contacts by colours, and separates the rest. */
static bool
arrange(struct cn_pipeline_tick *t, const int32_t *order, int used)
{
    const struct cn_impulse_stages *stages = t->p->ops->stages(t->kernel);
    const struct cn_impulse_stages *single = t->p->ops->stages(&cn_impulse_kernel_single);
    int lanes = t->kernel->lanes;
    int colored = t->coloring.start[t->coloring.color_count];
    t->rest_count = used - colored;
    CN_ASSERT(t->rest_count >= 0);
    struct cn_impulse_contact *contact = CN_PIPELINE_TAKE(t, struct cn_impulse_contact, used);
    void *block = cn_pipeline_take(t, (size_t)(colored / lanes) * stages->block_size);
    void *rest = cn_pipeline_take(t, (size_t)t->rest_count * single->block_size);
    if (rest == NULL) {
        return false;
    }
    static const struct cn_impulse_contact empty = {
        .body_a = CN_IMPULSE_FIXED, .body_b = CN_IMPULSE_FIXED, .manifold = -1};
    int filled = 0;
    for (int i = 0; i < used; i++) {
        contact[i] = order[i] < 0 ? empty : t->contact[order[i]];
        filled += order[i] < 0 ? 0 : 1;
    }
    CN_ASSERT(filled == t->contact_count); /* colours and the rest have every contact once */
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
    int lanes = t->kernel->lanes;
    struct cn_color_pair *pair = CN_PIPELINE_TAKE(t, struct cn_color_pair, t->contact_count);
    int32_t *order =
        CN_PIPELINE_TAKE(t, int32_t, cn_color_order_max(t->contact_count, lanes));
    if (pair == NULL || order == NULL) {
        return false;
    }
    for (int i = 0; i < t->contact_count; i++) {
        pair[i] = (struct cn_color_pair){t->contact[i].body_a, t->contact[i].body_b};
    }
    const struct cn_coloring *coloring = &t->coloring;
    return cn_pipeline_color_pairs(t, pair, t->contact_count, order, &t->coloring) &&
           arrange(t, order,
               coloring->start[coloring->color_count] + coloring->overflow_count);
}
