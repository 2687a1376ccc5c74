/* pipeline_pairs.c: finds the pairs that may touch and those that do, and lists their contacts. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/broad/tree.h"
#include "engine/math/scalar.h"

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

void
cn_pipeline_collide(struct cn_pipeline_tick *t)
{
    CN_ASSERT(t->p->pair_count == 0 || t->p->manifold[1 - t->p->front] != NULL);
    cn_task_run(t->crew, collide_task, t, t->p->pair_count, COLLIDE_GRAIN);
}

/* ---- contacts ---- */

/* The velocity of B's surface against A's, besides that of the bodies. */
static void
surface(const struct cn_pipeline *p, const struct cn_shape *a, const struct cn_shape *b,
    float velocity[3])
{
    const struct cn_model *model = p->model;
    cn_vec3 of_a = model->material[a->material].surface_velocity;
    cn_vec3 of_b = model->material[b->material].surface_velocity;
    if (model->settings.dimension == CN_PLANAR) {
        velocity[0] = (float)(-of_a.x - of_b.x); /* each along its own tangent */
        return;
    }
    cn_mat33 turn_a = cn_quat_to_mat33(model->motion[a->body].orientation);
    cn_mat33 turn_b = cn_quat_to_mat33(model->motion[b->body].orientation);
    cn_vec3 v =
        cn_vec3_sub(cn_mat33_apply(&turn_b, of_b), cn_mat33_apply(&turn_a, of_a));
    velocity[0] = (float)v.x;
    velocity[1] = (float)v.y;
    velocity[2] = (float)v.z;
}

static bool
is_still(const struct cn_material *material)
{
    cn_vec3 v = material->surface_velocity;
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* The coefficients of a contact of two materials; the last pair of materials is cached. */
struct mix {
    int material_a, material_b;
    float friction, restitution, rolling, spinning;
    bool still;
};

static void
mix_materials(const struct cn_pipeline *p, const struct cn_touch *pair, struct mix *mix)
{
    const struct cn_model *model = p->model;
    int a = p->hot[pair->a].material, b = p->hot[pair->b].material;
    if (mix->material_a == a && mix->material_b == b) {
        return;
    }
    const struct cn_material *of_a = &model->material[a], *of_b = &model->material[b];
    double sliding, resting;
    cn_model_friction(model, pair->a, pair->b, &sliding, &resting);
    *mix = (struct mix){
        .material_a = a,
        .material_b = b,
        .friction = (float)sliding,
        .restitution = (float)cn_model_restitution(model, pair->a, pair->b),
        .rolling = (float)cn_max(of_a->rolling_friction, of_b->rolling_friction),
        .spinning = (float)cn_max(of_a->spinning_friction, of_b->spinning_friction),
        .still = is_still(of_a) && is_still(of_b),
    };
}

/*
 * The length that scales rolling and spinning friction [m].  It is the radius of the rounding, or
 * half of a mesh's thickness.  Level geometry does not roll.
 */
static double
rolling_radius(const struct cn_model *model, const struct cn_shape *shape)
{
    if (shape->mesh == NULL) {
        return shape->radius;
    }
    return model->body[shape->body].type == CN_DYNAMIC ? 0.5 * shape->width : 0.0;
}

static void
make_contact(struct cn_pipeline_tick *t, int index, struct mix *mix)
{
    struct cn_pipeline *p = t->p;
    const struct cn_touch *pair = &p->pair[index];
    int32_t body_a = p->solver_body[p->shape_body[pair->a]];
    int32_t body_b = p->solver_body[p->shape_body[pair->b]];
    if (body_a < 0 && body_b < 0) {
        return;
    }
    CN_ASSERT(body_a < p->awake_count && body_b < p->awake_count);
    mix_materials(p, pair, mix);
    struct cn_impulse_contact *contact = &t->contact[t->contact_count++];
    *contact = (struct cn_impulse_contact){
        .body_a = body_a,
        .body_b = body_b,
        .manifold = index,
        .friction = mix->friction,
        .restitution = mix->restitution,
        .firm = (pair->flags & CN_TOUCH_PIECES) != 0 ? 1 : 0,
    };
    if (mix->rolling > 0.0F || mix->spinning > 0.0F) {
        const struct cn_shape *a = &p->model->shape[pair->a], *b = &p->model->shape[pair->b];
        float radius = (float)cn_max(
            rolling_radius(p->model, a), rolling_radius(p->model, b));
        contact->rolling = mix->rolling * radius;
        contact->spinning = mix->spinning * radius;
    }
    if (!mix->still) {
        surface(p, &p->model->shape[pair->a], &p->model->shape[pair->b], contact->surface);
    }
}

bool
cn_pipeline_gather(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    int touching = 0, gone = 0;
    for (int i = 0; i < p->pair_count; i++) {
        touching += (p->pair[i].flags & CN_TOUCH_NOW) != 0 ? 1 : 0;
        gone += (p->pair[i].flags & CN_TOUCH_GONE) != 0 ? 1 : 0;
    }
    p->gone_count = gone;
    p->touching_count = touching;
    if (p->model->settings.sleep &&
        p->asleep.entry_max - p->asleep.entry_count < touching) {
        p->sleep_needed = p->asleep.entry_count + touching;
        return false;
    }
    t->contact = CN_PIPELINE_TAKE(t, struct cn_impulse_contact, touching);
    if (t->contact == NULL) {
        return false;
    }
    struct mix mix = {.material_a = -1};
    for (int i = 0; i < p->pair_count; i++) {
        if ((p->pair[i].flags & (CN_TOUCH_NOW | CN_TOUCH_SENSOR)) == CN_TOUCH_NOW) {
            make_contact(t, i, &mix);
        }
    }
    return true;
}
