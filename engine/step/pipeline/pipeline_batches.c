/*
 * pipeline_batches.c: batches of islands, which are solved one after the other or side by side.
 *
 * A batch is a range of solver bodies that no contact connects with bodies outside.  So its
 * contacts may be coloured and solved without regard to other batches, and the bits are those of
 * all contacts solved together: a pass changes only bodies of the batch, and within it the order
 * of the contacts is the same.  One worker solves a batch from the first substep to the last, with
 * the data in its own cache and without waiting for others.
 *
 * Ranges are found from the order of the bodies.  Stacks that were made one after the other are in
 * ranges of their own.  A heap made row by row, beside others, is not, and then there is one batch.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

/*
 * Contacts of a batch, at least.  A colour of a batch begins at a block of lanes, so small batches
 * have many empty lanes.  Much larger ones would not fit into the cache of a core.
 */
#define ENOUGH 1024
#define ENOUGH_SHARED 256 /* for several workers, where there are few contacts */

/*
 * One worker gains from batches only where the blocks of all contacts do not fit into the cache of
 * a core, which has 1 or 2 MB: many_pyramids takes 8 % less time, but smash 4 % more.
 */
#define CACHE_SIZE 2097152 /* bytes */

#define SHARE 4  /* batches that each worker should have */
#define AGAIN 16 /* after so many ticks with one batch, cutting is tried again */

/* Bodies and counts while batches are made. */
struct cut {
    int32_t *reach; /* of each body: the last body that a contact connects with it or before it */
    int32_t *tally; /* of each body: the contacts of which it is the last body */
};

/* The index of a body, kinematic ones too, because contacts read their substeps; -1: fixed. */
static int32_t
index_of(int32_t name)
{
    return name == CN_IMPULSE_FIXED ? -1 : cn_impulse_index(name);
}

/* The last body of a contact. */
static int32_t
last_of(struct cn_color_pair ends)
{
    int32_t a = index_of(ends.body_a), b = index_of(ends.body_b);
    return a > b ? a : b;
}

static void
find_reach(const struct cn_pipeline_tick *t, struct cut *cut)
{
    int bodies = t->p->awake_count;
    for (int k = 0; k < bodies; k++) {
        cut->reach[k] = k;
        cut->tally[k] = 0;
    }
    for (int i = 0; i < t->contact_count; i++) {
        int32_t a = index_of(t->ends[i].body_a), b = index_of(t->ends[i].body_b);
        int32_t last = a > b ? a : b, first = a > b ? b : a;
        CN_ASSERT(last >= 0 && last < bodies);
        cut->tally[last]++;
        if (first >= 0 && cut->reach[first] < last) {
            cut->reach[first] = last;
        }
    }
}

static int
enough_for(const struct cn_pipeline_tick *t)
{
    int share = t->contact_count / (SHARE * cn_crew_size(t->crew));
    if (cn_crew_size(t->crew) == 1 || share > ENOUGH) {
        return ENOUGH;
    }
    return share > ENOUGH_SHARED ? share : ENOUGH_SHARED;
}

/* Cuts the bodies into ranges; returns the number of contacts of the largest. */
static int
cut_bodies(struct cn_pipeline_tick *t, const struct cut *cut, int batch_max)
{
    int bodies = t->p->awake_count, enough = enough_for(t);
    int first = 0, contacts = 0, before = 0, largest = 0;
    int32_t reach = 0;
    for (int k = 0; k < bodies; k++) {
        reach = cut->reach[k] > reach ? cut->reach[k] : reach;
        contacts += cut->tally[k];
        if (k + 1 < bodies && (reach > k || contacts < enough)) {
            continue;
        }
        CN_ASSERT(t->batch_count < batch_max);
        t->batch[t->batch_count++] = (struct cn_pipeline_batch){
            .body_first = first,
            .body_end = k + 1,
            .first = before,
            .end = before + contacts,
        };
        largest = contacts > largest ? contacts : largest;
        before += contacts;
        first = k + 1;
        contacts = 0;
    }
    CN_ASSERT(before == t->contact_count);
    return largest;
}

/* Lists the contacts by batches, in their order within each. */
static void
sort_contacts(struct cn_pipeline_tick *t, int32_t *batch_of)
{
    for (int b = 0; b < t->batch_count; b++) {
        for (int k = t->batch[b].body_first; k < t->batch[b].body_end; k++) {
            batch_of[k] = b;
        }
        t->batch[b].end = t->batch[b].first;
    }
    for (int i = 0; i < t->contact_count; i++) {
        struct cn_pipeline_batch *batch = &t->batch[batch_of[last_of(t->ends[i])]];
        t->by_batch[batch->end++] = i;
    }
}

static bool
try_to_cut(struct cn_pipeline_tick *t, int batch_max)
{
    struct cut cut;
    cut.reach = CN_PIPELINE_TAKE(t, int32_t, t->p->awake_count);
    cut.tally = CN_PIPELINE_TAKE(t, int32_t, t->p->awake_count);
    t->by_batch = CN_PIPELINE_TAKE(t, int32_t, t->contact_count);
    if (t->by_batch == NULL) {
        return false;
    }
    find_reach(t, &cut);
    int largest = cut_bodies(t, &cut, batch_max);
    int workers = cn_crew_size(t->crew);
    bool is_even = workers == 1 || 2 * largest <= t->contact_count / workers;
    if (t->batch_count > 1 && is_even) {
        sort_contacts(t, cut.tally);
    } else {
        t->batch_count = 0;
    }
    return true;
}

/* Whether batches would be worth their cost. */
static bool
is_large(const struct cn_pipeline_tick *t)
{
    if (cn_crew_size(t->crew) > 1) {
        return t->contact_count >= SHARE * ENOUGH_SHARED;
    }
    size_t size = t->p->ops->stages(t->kernel)->block_size / (size_t)t->kernel->lanes;
    return (size_t)t->contact_count * size > CACHE_SIZE && t->contact_count >= 2 * ENOUGH;
}

bool
cn_pipeline_make_batches(struct cn_pipeline_tick *t)
{
    bool may_cut = is_large(t) && t->p->whole_ticks == 0;
    int batch_max = may_cut ? t->contact_count / enough_for(t) + 1 : 1;
    t->by_batch = NULL;
    t->batch_count = 0;
    t->batch = CN_PIPELINE_TAKE(t, struct cn_pipeline_batch, batch_max);
    if (t->batch == NULL || (may_cut && !try_to_cut(t, batch_max))) {
        return false;
    }
    t->p->whole_ticks = t->batch_count > 1 ? 0 : (t->p->whole_ticks + 1) % AGAIN;
    if (t->batch_count == 0) {
        t->by_batch = NULL;
        t->batch[t->batch_count++] = (struct cn_pipeline_batch){
            .body_end = t->p->awake_count, .end = t->contact_count};
    }
    return true;
}
