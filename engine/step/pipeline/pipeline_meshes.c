/*
 * pipeline_meshes.c: pairs of shapes in space of which one is a mesh.
 *
 * Such a pair is in wide[] while the boxes of the two overlap.  In every tick the two shapes are
 * collided together (collide/mesh/fast_spatial_mesh.h).  Each manifold that is found becomes a pair
 * of pieces, numbered from the most urgent on.  Points find their impulses again by position,
 * whatever number their manifold had.
 *
 * Which fat boxes overlap depends on the past.  So a pair counts only if the boxes of the two ways
 * overlap (pipeline_boxes.c), which depends only on poses and velocities.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"

#define MEET_GRAIN 16 /* pairs that one worker takes at once */
#define MORE 8        /* a tick may need an eighth more than the last one, */
#define MORE_PAIRS 16 /* and this many manifolds more, */
#define MORE_SIZE 16384 /* and bytes of scratch */

struct cn_pipeline_meshes {
    int32_t count; /* of wide[], all of which were collided */
    struct cn_fast_mesh_found *found;
};

/* The box of a shape's way.  That of a sleeping body is old, so its present box is used. */
static cn_aabb
way_of(const struct cn_pipeline *p, int32_t shape)
{
    return cn_sleep_asleep(p->model, p->shape_body[shape])
               ? p->ops->bounds(p, shape, cn_pipeline_margin(p->model))
               : p->way[shape];
}

static bool
ways_meet(const struct cn_pipeline *p, struct cn_pair pair)
{
    cn_aabb a = way_of(p, pair.a), b = way_of(p, pair.b);
    return cn_aabb_overlap(&a, &b);
}

static struct cn_fast_mesh_motion
motion_of(const struct cn_pipeline *p, int32_t shape)
{
    const struct cn_motion *m = &p->model->motion[p->shape_body[shape]];
    return (struct cn_fast_mesh_motion){
        .velocity = {(float)m->velocity.x, (float)m->velocity.y, (float)m->velocity.z},
        .spin = {(float)m->angular_velocity.x, (float)m->angular_velocity.y,
            (float)m->angular_velocity.z},
    };
}

static void
meet_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    const struct cn_pipeline *p = t->p;
    const struct cn_fast_mesh_kernel *kernel = cn_fast_mesh_kernel_find(t->kernel->name);
    const struct cn_fast_shape3 *shape = p->shape;
    const struct cn_place3 *place = p->place;
    (void)worker;
    for (int i = first; i < end; i++) {
        struct cn_pair wide = p->wide[i];
        t->meshes->found[i].manifold_count = 0;
        t->meshes->found[i].sample_count = 0;
        if (!ways_meet(p, wide)) {
            continue;
        }
        bool sensor = (cn_pipeline_kind(p->model, wide.a, wide.b) & CN_TOUCH_SENSOR) != 0;
        struct cn_fast_mesh_motion a = motion_of(p, wide.a), b = motion_of(p, wide.b);
        struct cn_fast_mesh_pair pair = {
            .a = &shape[wide.a],
            .b = &shape[wide.b],
            .place_a = &place[p->shape_body[wide.a]],
            .place_b = &place[p->shape_body[wide.b]],
            .motion_a = &a,
            .motion_b = &b,
            .margin = sensor ? 0.0F : t->margin,
            .duration = sensor ? 0.0F : (float)t->duration,
            .clear = &p->clear[i],
        };
        cn_fast_mesh_meet(
            kernel != NULL ? kernel : cn_fast_mesh_kernel_find("plain"), &pair,
            &t->meshes->found[i]);
    }
}

/*
 * Whether there is room.  Colliding meshes is most of a tick's work, and is done again if there is
 * no room for the contacts.  So before it there must be room for as many as in the last tick, and a
 * few more.
 */
static bool
leaves_room(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    int used = p->pair_count > p->front_count ? p->pair_count : p->front_count;
    int expected = p->mesh_count + p->mesh_count / MORE + MORE_PAIRS;
    if (expected > p->room.pair_max - used) {
        p->pair_needed = used + expected;
        return false;
    }
    return cn_pipeline_has(t, p->beyond_size + p->beyond_size / MORE + MORE_SIZE);
}

bool
cn_pipeline_meet_meshes(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    CN_ASSERT(p->clear != NULL && p->way != NULL); /* there are meshes */
    t->meshes = CN_PIPELINE_TAKE(t, struct cn_pipeline_meshes, 1);
    struct cn_fast_mesh_found *found =
        CN_PIPELINE_TAKE(t, struct cn_fast_mesh_found, p->wide_count);
    if (found == NULL || !leaves_room(t)) {
        return false;
    }
    *t->meshes = (struct cn_pipeline_meshes){p->wide_count, found};
    cn_task_run(t->crew, meet_task, t, p->wide_count, MEET_GRAIN);
    p->sample_count = 0;
    for (int i = 0; i < p->wide_count; i++) {
        p->sample_count += found[i].sample_count;
    }
    t->met_used = t->scratch.used;
    return true;
}

const struct cn_fast_mesh_found *
cn_pipeline_mesh_found(const struct cn_pipeline_tick *t, int i)
{
    CN_ASSERT(i >= 0 && i < t->meshes->count);
    return &t->meshes->found[i];
}

/* The number of a manifold is that of a piece of the mesh, whose shape has that many pieces. */
int
cn_pipeline_name_meshes(struct cn_pipeline_tick *t, int max, struct cn_touch *to)
{
    struct cn_pipeline *p = t->p;
    int count = 0;
    CN_ASSERT(t->meshes->count == p->wide_count);
    for (int i = 0; i < t->meshes->count; i++) {
        struct cn_pair wide = p->wide[i];
        CN_ASSERT(t->meshes->found[i].manifold_count <= CN_FAST_MESH_MANIFOLDS_MAX);
        bool on_a = p->piece_count[wide.a] > 1;
        for (int k = 0; k < t->meshes->found[i].manifold_count; k++) {
            if (count < max) {
                uint32_t name = (uint32_t)(on_a ? k << 8 : k) << CN_TOUCH_PIECES_SHIFT;
                to[count] = (struct cn_touch){.a = wide.a,
                    .b = wide.b,
                    .manifold = -1,
                    .flags = CN_TOUCH_PIECES | name};
            }
            count++;
        }
    }
    p->mesh_count = count;
    return count;
}

static bool
is_same(const struct cn_touch *x, const struct cn_touch *y)
{
    return x->a == y->a && x->b == y->b;
}

/* The contacts that were found of the shapes of a pair, or NULL. */
static const struct cn_fast_mesh_found *
find(const struct cn_pipeline_tick *t, const struct cn_touch *pair)
{
    const struct cn_pair *wide = t->p->wide;
    int low = 0, high = t->meshes == NULL ? 0 : t->meshes->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (wide[middle].a < pair->a ||
            (wide[middle].a == pair->a && wide[middle].b < pair->b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = t->meshes != NULL && low < t->meshes->count && wide[low].a == pair->a &&
                 wide[low].b == pair->b;
    return found ? &t->meshes->found[low] : NULL;
}

int
cn_pipeline_collide_mesh(struct cn_pipeline_tick *t, int first)
{
    struct cn_pipeline *p = t->p;
    const struct cn_manifold3 *before = p->manifold[p->front];
    struct cn_manifold3 *front = p->manifold[1 - p->front];
    const struct cn_manifold3 *last[CN_FAST_MESH_MANIFOLDS_MAX];
    struct cn_manifold3 *now[CN_FAST_MESH_MANIFOLDS_MAX];
    struct cn_touch *group = &p->pair[first];
    int size = 0, last_count = 0, count = 0;
    CN_ASSERT(first < p->pair_count && (group->flags & CN_TOUCH_PIECES) != 0);
    CN_ASSERT(first == 0 || !is_same(&p->pair[first - 1], group)); /* it is the first of them */
    const struct cn_fast_mesh_found *found = find(t, group);
    while (first + size < p->pair_count && is_same(&group[size], group)) {
        struct cn_touch *pair = &group[size];
        bool on_a = p->piece_count[pair->a] > 1;
        int number = on_a ? CN_TOUCH_PIECE_A(pair->flags) : CN_TOUCH_PIECE_B(pair->flags);
        bool near = found != NULL && number < found->manifold_count;
        CN_ASSERT(size < CN_FAST_MESH_MANIFOLDS_MAX); /* room in last[] and now[] */
        if (pair->manifold >= 0) {
            last[last_count++] = &before[pair->manifold];
        }
        if (near) {
            now[count++] = &front[first + size];
        }
        pair->flags &= ~(CN_TOUCH_NOW | CN_TOUCH_GONE);
        pair->flags |= near ? CN_TOUCH_NOW : CN_TOUCH_GONE;
        size++;
    }
    if (count > 0) {
        const struct cn_place3 *place = p->place;
        const struct cn_place3 *a = &place[p->shape_body[group->a]];
        const struct cn_place3 *b = &place[p->shape_body[group->b]];
        const float between[3] = {
            (float)(b->x - a->x), (float)(b->y - a->y), (float)(b->z - a->z)};
        cn_fast_mesh_finish(found, between, last, last_count, now);
    }
    return size;
}
