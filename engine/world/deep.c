#include "engine/world/deep.h"

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"
#include "engine/math/scalar.h"
#include "engine/step/pairs.h"
#include "engine/world/world_inside.h"

#include <stdio.h>
#include <stdlib.h>

/* A shape in the sweep along the x axis. */
struct placed {
    cn_aabb box;
    int32_t shape;
};

struct search {
    const struct cn_model *model;
    struct placed *placed;
    int placed_count;
    int64_t looks;
    int met;
    struct cn_deep *pairs;
    int pair_count, pair_max;
};

/* ---- shapes to test ---- */

static cn_pose
pose_of(const struct cn_model *model, int body)
{
    return cn_motion_pose(&model->motion[body], model->settings.dimension);
}

static void
place_shapes(struct search *s)
{
    const struct cn_model *model = s->model;
    for (int i = 0; i < model->shape_count; i++) {
        const struct cn_shape *shape = &model->shape[i];
        if (shape->body >= 0 && !shape->sensor && shape->mesh == NULL &&
            shape->kind != CN_SHAPE_CHAIN) {
            cn_pose pose = pose_of(model, shape->body);
            s->placed[s->placed_count++] =
                (struct placed){.box = cn_shape_aabb(shape, &pose, 0.0), .shape = i};
        }
    }
}

/* Orders by the lower end along x, and equal ends by the shape, so that the order is unique. */
static int
compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->box.low.x != b->box.low.x) {
        return a->box.low.x < b->box.low.x ? -1 : 1;
    }
    return (a->shape > b->shape) - (a->shape < b->shape);
}

/* ---- pairs ---- */

/* A shift along one axis separates the boxes, so no depth is larger than the least such shift. */
static bool
may_be_deep(const struct cn_model *model, const cn_aabb *a, const cn_aabb *b, double limit)
{
    double x = cn_min(a->high.x - b->low.x, b->high.x - a->low.x);
    double y = cn_min(a->high.y - b->low.y, b->high.y - a->low.y);
    double z = cn_min(a->high.z - b->low.z, b->high.z - a->low.z);
    bool is_planar = model->settings.dimension == CN_PLANAR;
    return x > limit && y > limit && (is_planar || z > limit);
}

static bool
is_known(const struct search *s, int body_a, int body_b)
{
    for (int i = 0; i < s->pair_count; i++) {
        if (s->pairs[i].body_a == body_a && s->pairs[i].body_b == body_b) {
            return true;
        }
    }
    return false;
}

static void
look_at_pair(struct search *s, const struct placed *one, const struct placed *other)
{
    bool is_ordered = one->shape < other->shape;
    const struct placed *a = is_ordered ? one : other, *b = is_ordered ? other : one;
    const struct cn_shape *shape_a = &s->model->shape[a->shape];
    const struct cn_shape *shape_b = &s->model->shape[b->shape];
    double extent = cn_min(shape_a->width, shape_b->width), limit = CN_DEEP_FRACTION * extent;
    if (shape_a->one_way || shape_b->one_way || /* what overlaps at first passes */
        !may_be_deep(s->model, &a->box, &b->box, limit) ||
        !cn_pairs_may_touch(s->model, a->shape, b->shape)) {
        return;
    }
    s->met++;
    cn_pose pose_a = pose_of(s->model, shape_a->body), pose_b = pose_of(s->model, shape_b->body);
    struct cn_manifold manifold;
    cn_collide(shape_a, &pose_a, shape_b, &pose_b, 0.0, &manifold);
    int low = shape_a->body < shape_b->body ? shape_a->body : shape_b->body;
    int high = shape_a->body + shape_b->body - low;
    if (-manifold.separation > limit && !is_known(s, low, high)) {
        CN_ASSERT(s->pair_count < s->pair_max && low != high);
        s->pairs[s->pair_count++] = (struct cn_deep){
            .body_a = low, .body_b = high, .depth = -manifold.separation, .extent = extent};
    }
}

static void
sweep_shapes(struct search *s)
{
    for (int i = 0; i < s->placed_count; i++) {
        const struct placed *a = &s->placed[i];
        for (int k = i + 1; k < s->placed_count; k++) {
            const struct placed *b = &s->placed[k];
            if (b->box.low.x > a->box.high.x) {
                break;
            }
            if (++s->looks > CN_DEEP_LOOKS_MAX || s->met >= CN_DEEP_PAIRS_MAX ||
                s->pair_count == s->pair_max) {
                return;
            }
            look_at_pair(s, a, b);
        }
    }
}

int
cn_world_deep(const struct cn_world *world, struct cn_deep *pairs, int pair_max)
{
    struct search s = {.model = &world->model, .pairs = pairs, .pair_max = pair_max};
    s.placed = malloc((size_t)s.model->shape_count * sizeof(s.placed[0]) + 1);
    if (s.placed == NULL) {
        return -1;
    }
    place_shapes(&s);
    CN_ASSERT(s.placed_count <= s.model->shape_count);
    qsort(s.placed, (size_t)s.placed_count, sizeof(s.placed[0]), compare_placed);
    sweep_shapes(&s);
    free(s.placed);
    return s.pair_count;
}

/* ---- error text ---- */

enum cn_status
cn_world_deep_check(const struct cn_world *world, struct cn_defect *defect)
{
    struct cn_deep pairs[CN_DEEP_NAMED_MAX];
    int count = cn_world_deep(world, pairs, CN_DEEP_NAMED_MAX);
    if (count < 0) {
        return cn_defect_set(defect, CN_MEMORY, "bodies", "no memory to look for overlap");
    }
    if (count == 0) {
        return CN_OK;
    }
    char path[32], others[CN_DEFECT_TEXT_SIZE] = "";
    size_t size = 0;
    for (int i = 1; i < count && size < CN_DEFECT_TEXT_SIZE / 2; i++) {
        size += (size_t)snprintf(others + size, sizeof(others) - size, "%s %d in %d by %.3g m",
            i == 1 ? "; also" : ",", (int)pairs[i].body_a, (int)pairs[i].body_b, pairs[i].depth);
    }
    snprintf(path, sizeof(path), "bodies[%d]", (int)pairs[0].body_a);
    return cn_defect_set(defect, CN_OVERLAP, path,
        "is %.3g m deep in bodies[%d]; a fifth of %.3g m is accepted%s", pairs[0].depth,
        (int)pairs[0].body_b, pairs[0].extent, others);
}
