/*
 * pipeline_pieces.c: shapes of several pieces, which are outlines and chains in the plane.  Of
 * shapes in space only wide[] is kept here; pipeline_meshes.c does the rest.
 *
 * The trees hold shapes.  A pair of shapes of which one has several pieces is in wide[] while their
 * boxes overlap and one of them is awake.  In every tick the pieces whose bounds are within the
 * margin become pairs of their own, ascending by (shape_a, shape_b, piece_a, piece_b).
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"

#include <string.h>

#define PIECES_MAX 256 /* a name has 8 bits for a piece */

static bool
is_wide(const struct cn_pipeline *p, struct cn_pair pair)
{
    return p->piece_count[pair.a] > 1 || p->piece_count[pair.b] > 1;
}

static bool
is_before(struct cn_pair x, struct cn_pair y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}

static bool
is_same(struct cn_pair x, struct cn_pair y)
{
    return x.a == y.a && x.b == y.b;
}

/* The number of ascending pairs that belong to wide[] and are not yet in it. */
static int
count_fresh(const struct cn_pipeline *p, const struct cn_pair *found, int count)
{
    int fresh = 0, at = 0;
    for (int i = 0; i < count; i++) {
        while (at < p->wide_count && is_before(p->wide[at], found[i])) {
            at++;
        }
        bool known = at < p->wide_count && is_same(p->wide[at], found[i]);
        fresh += is_wide(p, found[i]) && !known ? 1 : 0;
    }
    return fresh;
}

void
cn_pipeline_put_wide(struct cn_pipeline *p, int to, int from)
{
    CN_ASSERT(to >= 0 && to < p->room.pair_max);
    p->wide[to] = p->wide[from];
    if (p->clear != NULL) {
        p->clear[to] = p->clear[from];
    }
}

int
cn_pipeline_set_aside(struct cn_pipeline *p, struct cn_pair *found, int count)
{
    int kept = 0, at = p->wide_count - 1, left = count_fresh(p, found, count);
    CN_ASSERT(p->wide_count + left <= p->room.pair_max);
    p->wide_count += left;
    for (int i = count - 1; left > 0; i--) {
        while (at >= 0 && is_before(found[i], p->wide[at])) {
            cn_pipeline_put_wide(p, at + left, at);
            at--;
        }
        if (is_wide(p, found[i]) && !(at >= 0 && is_same(p->wide[at], found[i]))) {
            p->wide[at + left] = found[i];
            if (p->clear != NULL) {
                p->clear[at + left] = (struct cn_fast_mesh_clear){0};
            }
            left--;
        }
    }
    CN_ASSERT(left == 0);
    for (int i = 0; i < count; i++) {
        if (!is_wide(p, found[i])) {
            found[kept++] = found[i];
        }
    }
    return kept;
}

static bool
boxes_meet(const cn_aabb *a, const cn_aabb *b, double margin)
{
    return a->low.x <= b->high.x + margin && b->low.x <= a->high.x + margin &&
           a->low.y <= b->high.y + margin && b->low.y <= a->high.y + margin;
}

/* Writes the near pieces of two shapes to `to`.  Returns their number, which may be above max. */
static int
expand(const struct cn_pipeline *p, struct cn_pair pair, double margin, int max,
    struct cn_touch *to)
{
    cn_aabb whole_b = p->ops->bounds(p, pair.b, 0.0);
    int count = 0;
    for (int i = 0; i < p->piece_count[pair.a]; i++) {
        cn_aabb one = cn_fast_planar_aabb(&p->placed[p->piece_first[pair.a] + i], 0.0);
        if (!boxes_meet(&one, &whole_b, margin)) {
            continue;
        }
        for (int k = 0; k < p->piece_count[pair.b]; k++) {
            cn_aabb other = cn_fast_planar_aabb(&p->placed[p->piece_first[pair.b] + k], 0.0);
            if (boxes_meet(&one, &other, margin)) {
                if (count < max) {
                    uint32_t name = (uint32_t)(i << 8 | k) << CN_TOUCH_PIECES_SHIFT;
                    to[count] = (struct cn_touch){.a = pair.a,
                        .b = pair.b,
                        .manifold = -1,
                        .flags = CN_TOUCH_PIECES | name};
                }
                count++;
            }
        }
    }
    return count;
}

void
cn_pipeline_drop_far(struct cn_pipeline *p)
{
    int kept = 0;
    for (int i = 0; i < p->wide_count; i++) {
        struct cn_pair pair = p->wide[i];
        if (cn_pipeline_rests(p, pair.a, pair.b) ||
            !cn_proximity_overlaps(p->proximity, pair.a, pair.b) ||
            !cn_pipeline_may_touch(p->model, pair.a, pair.b)) {
            continue; /* the pairs of a body that wakes are found again */
        }
        cn_pipeline_put_wide(p, kept++, i);
    }
    p->wide_count = kept;
}

int
cn_pipeline_expand(const struct cn_pipeline_tick *t, int max, struct cn_touch *to)
{
    const struct cn_pipeline *p = t->p;
    CN_ASSERT(p->model->settings.dimension == CN_PLANAR);
    int count = 0;
    for (int i = 0; i < p->wide_count; i++) {
        CN_ASSERT(i == 0 || is_before(p->wide[i - 1], p->wide[i]));
        int room = count < max ? max - count : 0;
        count += expand(p, p->wide[i], (double)t->margin, room, room > 0 ? to + count : to);
    }
    return count;
}

/* Sets the places of the pieces of each shape; a shape with one piece has its own place. */
void
cn_pipeline_name_pieces(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    int next = p->room.shape_max;
    for (int i = 0; i < model->shape_count; i++) {
        int count = model->shape[i].body < 0 ? 1 : p->ops->pieces(&model->shape[i]);
        CN_ASSERT(count >= 1 && count <= PIECES_MAX);
        p->piece_count[i] = count;
        bool alone = count == 1 || p->ops->placed_size == 0;
        p->piece_first[i] = alone ? i : next;
        next += alone ? 0 : count;
    }
    CN_ASSERT(next <= p->room.piece_max);
}
