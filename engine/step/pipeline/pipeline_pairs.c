/* pipeline_pairs.c: finds the pairs that may touch and those that do. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/broad/tree.h"

#include <string.h>

#define COLLIDE_GRAIN 128    /* pairs that one worker takes at once */
#define GONE_FRACTION 8      /* gone pairs are removed when one in so many is gone */

static bool
may_wake_and_touch(const void *context, int32_t a, int32_t b)
{
    const struct cn_pipeline *p = context;
    return !cn_pipeline_rests(p, a, b) && cn_pipeline_may_touch(p->model, a, b);
}

/* A new pair, of which only the name is given; a contact that slept continues. */
static struct cn_touch
new_pair(struct cn_pipeline *p, struct cn_touch pair)
{
    CN_ASSERT(pair.a < pair.b && pair.b < p->room.shape_max);
    uint32_t half =
        p->model->asleep_count > 0 ? cn_pipeline_half_asleep(p, pair.a, pair.b) : 0U;
    p->half_count += half != 0 ? 1 : 0;
    cn_pipeline_bring_back(p, &pair);
    pair.flags |= cn_pipeline_kind(p->model, pair.a, pair.b) | half;
    return pair;
}

static bool
before(const struct cn_touch *x, const struct cn_touch *y)
{
    return cn_touch_key(x) < cn_touch_key(y);
}

/* Merges ascending names, and leaves out pairs that are gone. */
static void
merge(struct cn_pipeline *p, const struct cn_touch *found, int found_count)
{
    struct cn_touch *to = p->pair_spare;
    int count = 0, next = 0;
    CN_ASSERT(to != NULL && to != p->pair);
    CN_ASSERT(p->pair_count + found_count <= p->room.pair_max);
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *old = &p->pair[i];
        while (next < found_count && before(&found[next], old)) {
            to[count++] = new_pair(p, found[next++]);
        }
        bool again = next < found_count && !before(old, &found[next]);
        next += again ? 1 : 0;
        /*
         * With a manifold it belongs to a tick that begins again, and its end is not reported yet.
         */
        if (again || (old->flags & CN_TOUCH_GONE) == 0 || old->manifold >= 0) {
            to[count] = *old;
            to[count++].flags &= ~CN_TOUCH_GONE;
        }
    }
    while (next < found_count) {
        CN_ASSERT(next == 0 || before(&found[next - 1], &found[next]));
        to[count++] = new_pair(p, found[next++]);
    }
    CN_ASSERT(count <= p->room.pair_max);
    p->pair_spare = p->pair;
    p->pair = to;
    p->pair_count = count;
    p->gone_count = 0;
}

static int
max_of(int a, int b)
{
    return a > b ? a : b;
}

/*
 * Lists the near pieces of the pairs in wide[], ascending.  Returns their number, which may be
 * above max; -1: scratch or room is too small.
 */
static int
list_pieces(struct cn_pipeline_tick *t, int max, struct cn_touch *to)
{
    cn_pipeline_drop_far(t->p);
    if (t->p->model->settings.dimension == CN_PLANAR) {
        return cn_pipeline_expand(t, max, to);
    }
    bool met = cn_pipeline_begin_deep(t) && cn_pipeline_meet_meshes(t);
    return met ? cn_pipeline_name_meshes(t, max, to) : -1;
}

/* For shapes in pieces: the near pieces are searched in every tick. */
static bool
merge_pieces(struct cn_pipeline_tick *t, struct cn_touch *name)
{
    struct cn_pipeline *p = t->p;
    int used = max_of(p->pair_count, p->front_count), room = p->room.pair_max - used;
    CN_ASSERT(room >= 0);
    int count = list_pieces(t, room, name);
    if (count < 0) {
        return false;
    }
    if (count > room) {
        p->pair_needed = used + count;
        return false;
    }
    merge(p, name, count);
    return true;
}

/*
 * Adds contacts of bodies that woke, which the find missed because something was placed elsewhere.
 */
static bool
merge_left_behind(struct cn_pipeline_tick *t, struct cn_touch *name)
{
    struct cn_pipeline *p = t->p;
    int used = max_of(p->pair_count, p->front_count);
    int count = cn_pipeline_left_behind(p, NULL), kept = 0;
    if (count > p->room.pair_max - used) {
        p->pair_needed = used + count;
        return false;
    }
    if (count > 0) {
        uint64_t *key = CN_PIPELINE_TAKE(t, uint64_t, count);
        uint64_t *spare = CN_PIPELINE_TAKE(t, uint64_t, count);
        if (spare == NULL) {
            return false;
        }
        cn_pipeline_left_behind(p, key);
        cn_tree_sort(key, spare, count, 0, 64);
        for (int i = 0; i < count; i++) {
            if (i > 0 && key[i] == key[i - 1]) {
                continue;
            }
            uint32_t pieces = (uint32_t)(key[i] & 0xffffU) << CN_TOUCH_PIECES_SHIFT;
            int32_t a = cn_asleep_a(key[i]), b = cn_asleep_b(key[i]);
            bool several = p->piece_count[a] > 1 || p->piece_count[b] > 1;
            name[kept++] = (struct cn_touch){
                .a = a, .b = b, .flags = pieces | (several ? CN_TOUCH_PIECES : 0U)};
        }
        CN_ASSERT(kept > 0 && kept <= count);
        merge(p, name, kept);
    }
    p->back_count = 0;
    return true;
}

static bool
find_pairs(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    int used = max_of(max_of(p->pair_count, p->front_count), p->wide_count);
    int max = p->room.pair_max - used;
    CN_ASSERT(max >= 0);
    struct cn_pair *found = CN_PIPELINE_TAKE(t, struct cn_pair, max);
    struct cn_touch *name = CN_PIPELINE_TAKE(t, struct cn_touch, p->room.pair_max);
    if (found == NULL || name == NULL) {
        return false;
    }
    int count = cn_proximity_find(p->proximity, may_wake_and_touch, p, found, max);
    if (count > max) {
        p->pair_needed = used + count;
        return false;
    }
    count = cn_pipeline_set_aside(p, found, count);
    for (int i = 0; i < count; i++) {
        name[i] = (struct cn_touch){.a = found[i].a, .b = found[i].b};
    }
    if (count > 0 || p->gone_count > p->pair_count / GONE_FRACTION) {
        merge(p, name, count);
    }
    return (p->wide_count == 0 || merge_pieces(t, name)) && merge_left_behind(t, name);
}

bool
cn_pipeline_find_pairs(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (p->pair_spare != NULL) {
        return find_pairs(t);
    }
    struct cn_touch *own = p->pair;
    p->pair_spare = CN_PIPELINE_TAKE(t, struct cn_touch, p->room.pair_max);
    bool done = p->pair_spare != NULL && find_pairs(t);
    if (p->pair != own) {
        memcpy(own, p->pair, (size_t)p->pair_count * sizeof(*own));
        p->pair = own;
    }
    p->pair_spare = NULL;
    return done;
}

static void
collide_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    t->p->ops->collide(t, first, end);
}

/* Shapes that pass through one-way shapes do not touch these. */
static void
part_passing(struct cn_pipeline *p)
{
    const uint32_t asked = CN_TOUCH_NOW | CN_TOUCH_ONE_WAY;
    for (int i = 0; i < p->pair_count && p->model->passage_count > 0; i++) {
        struct cn_touch *pair = &p->pair[i];
        bool solid = (pair->flags & (asked | CN_TOUCH_SENSOR)) == asked;
        if (solid && cn_model_passes(p->model, pair->a, pair->b)) {
            pair->flags &= ~CN_TOUCH_NOW;
        }
    }
}

void
cn_pipeline_collide(struct cn_pipeline_tick *t)
{
    CN_ASSERT(t->p->pair_count == 0 || t->p->manifold[1 - t->p->front] != NULL);
    cn_task_run(t->crew, collide_task, t, t->p->pair_count, COLLIDE_GRAIN);
    part_passing(t->p);
}
