/*
 * view_asleep.c: the contacts of sleeping bodies in the view of a production.
 *
 * Only features and impulses of these contacts are stored (step/pipeline/asleep.h), since nothing
 * moves.  Positions and depths are found again here, by the narrowphase at the poses where the
 * bodies rest, with shapes baked for this call: the pipeline's derived data may be out of date
 * between two ticks, and reading must change nothing.  The result is kept until the sleeping
 * contacts or the structure of the world change, so that a client that watches a sleeping heap pays
 * for it once.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/math/trig.h"

#include <stdlib.h>

struct cn_asleep_view {
    uint64_t version, structure; /* for which the contacts are valid */
    struct cn_contact_view *contact;
    int count, max;
    uint64_t *key; /* of the entries, ascending */
    int key_max;
    void *bake[2]; /* the shapes of a pair in the form that the narrowphase needs */
    size_t bake_size[2];
};

static bool
enlarge_block(void **memory, size_t *size, size_t needed)
{
    if (needed <= *size) {
        return true;
    }
    void *larger = cn_world_allocate(needed);
    if (larger != NULL) {
        free(*memory);
        *memory = larger;
        *size = needed;
    }
    return larger != NULL;
}

static bool
enlarge_arrays(struct cn_asleep_view *s, int key_count, int contact_count)
{
    if (key_count > s->key_max) {
        free(s->key);
        s->key = malloc((size_t)key_count * sizeof(*s->key));
        s->key_max = s->key != NULL ? key_count : 0;
    }
    if (contact_count > s->max) {
        free(s->contact);
        s->contact = malloc((size_t)contact_count * sizeof(*s->contact));
        s->max = s->contact != NULL ? contact_count : 0;
    }
    return key_count <= s->key_max && contact_count <= s->max;
}

static int
compare_keys(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* Whether both shapes exist, no command moved their bodies, and the shapes press on each other. */
static bool
is_there(const struct cn_model *model, uint64_t key)
{
    int32_t shape_a = cn_asleep_a(key), shape_b = cn_asleep_b(key);
    int a = model->shape[shape_a].body, b = model->shape[shape_b].body;
    return a >= 0 && b >= 0 && !model->body[a].fresh && !model->body[b].fresh &&
           (cn_pipeline_kind(model, shape_a, shape_b) & CN_TOUCH_SENSOR) == 0;
}

/* The pair with the names that the pipeline would give it. */
static struct cn_touch
touch_of(uint64_t key)
{
    return (struct cn_touch){
        .a = cn_asleep_a(key),
        .b = cn_asleep_b(key),
        .manifold = -1,
        .flags = (uint32_t)(key & 0xffffU) << CN_TOUCH_PIECES_SHIFT,
    };
}

static struct cn_place2
place2_of(const struct cn_motion *motion)
{
    struct cn_place2 place = {.x = motion->position.x, .y = motion->position.y};
    cn_sin_cos_quick(&motion->angle, 1, &place.sine, &place.cosine);
    return place;
}

/* Shows the contacts; returns their number, or -1 without memory. */
static int
show_planar(struct cn_asleep_view *s, const struct cn_model *model, const struct cn_touch *pair,
    const struct cn_kept2 *kept, struct cn_contact_view *to)
{
    const struct cn_shape *a = &model->shape[pair->a], *b = &model->shape[pair->b];
    int count_a = cn_fast_planar_count(a), count_b = cn_fast_planar_count(b);
    int piece_a = CN_TOUCH_PIECE_A(pair->flags), piece_b = CN_TOUCH_PIECE_B(pair->flags);
    size_t size = sizeof(struct cn_fast_shape2);
    if (piece_a >= count_a || piece_b >= count_b) {
        return 0;
    }
    if (!enlarge_block(&s->bake[0], &s->bake_size[0], (size_t)count_a * size) ||
        !enlarge_block(&s->bake[1], &s->bake_size[1], (size_t)count_b * size)) {
        return -1;
    }
    struct cn_fast_shape2 *fast_a = s->bake[0], *fast_b = s->bake[1];
    cn_fast_planar_bake_pieces(a, fast_a);
    cn_fast_planar_bake_pieces(b, fast_b);
    struct cn_place2 place_a = place2_of(&model->motion[a->body]);
    struct cn_place2 place_b = place2_of(&model->motion[b->body]);
    struct cn_manifold2 last, now;
    cn_kept2_unpack(kept, &last);
    cn_fast_planar_collide(&fast_a[piece_a], &place_a, &fast_b[piece_b], &place_b,
        (float)cn_pipeline_margin(model), &last, &now);
    return cn_view_show2(to, model, pair, &now);
}

/* Bakes both shapes of a pair and sets their poses; false without memory. */
static bool
bake_spatial(struct cn_asleep_view *s, const struct cn_model *model, const struct cn_touch *pair,
    struct cn_fast_shape3 fast[2], struct cn_place3 place[2])
{
    for (int i = 0; i < 2; i++) {
        const struct cn_shape *shape = &model->shape[i == 0 ? pair->a : pair->b];
        if (!enlarge_block(&s->bake[i], &s->bake_size[i], cn_fast_spatial_room(shape))) {
            return false;
        }
        cn_fast_spatial_bake(shape, NULL, s->bake[i], &fast[i]);
        cn_pose pose = cn_motion_pose(&model->motion[shape->body], CN_SPATIAL);
        place[i] = cn_place3_of(&pose);
    }
    return true;
}

static bool
has_mesh(const struct cn_model *model, const struct cn_touch *pair)
{
    return model->shape[pair->a].mesh != NULL || model->shape[pair->b].mesh != NULL;
}

/*
 * Shows all contacts of a pair with a mesh, using all stored entries of the pair: points find their
 * impulses by position, not by the number of their manifold (step/pipeline/pipeline_meshes.c).
 */
static int
show_meshes(struct cn_asleep_view *s, const struct cn_model *model, const struct cn_touch *pair,
    const struct cn_kept3 *const *kept, int kept_count, struct cn_contact_view *to)
{
    static const struct cn_fast_mesh_motion still;
    struct cn_fast_shape3 fast[2];
    struct cn_place3 place[2];
    struct cn_fast_mesh_found found;
    struct cn_manifold3 last[CN_FAST_MESH_MANIFOLDS_MAX], now[CN_FAST_MESH_MANIFOLDS_MAX];
    const struct cn_manifold3 *lasts[CN_FAST_MESH_MANIFOLDS_MAX];
    struct cn_manifold3 *nows[CN_FAST_MESH_MANIFOLDS_MAX];
    if (!bake_spatial(s, model, pair, fast, place)) {
        return -1;
    }
    const struct cn_fast_mesh_pair of = {&fast[0], &fast[1], &place[0], &place[1], &still, &still,
        (float)cn_pipeline_margin(model), 0.0F, NULL};
    cn_fast_mesh_meet(cn_fast_mesh_kernel_find("plain"), &of, &found);
    for (int i = 0; i < kept_count; i++) {
        cn_kept3_unpack(kept[i], &last[i]);
        lasts[i] = &last[i];
    }
    for (int i = 0; i < CN_FAST_MESH_MANIFOLDS_MAX; i++) {
        nows[i] = &now[i];
    }
    const float between[3] = {(float)(place[1].x - place[0].x), (float)(place[1].y - place[0].y),
        (float)(place[1].z - place[0].z)};
    if (found.manifold_count > kept_count) {
        found.manifold_count = kept_count; /* as many as fit */
    }
    cn_fast_mesh_finish(&found, between, lasts, kept_count, nows);
    int count = 0;
    for (int i = 0; i < found.manifold_count; i++) {
        count += cn_view_show3(to + count, model, pair, &now[i]);
    }
    return count;
}

static int
show_spatial(struct cn_asleep_view *s, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_kept3 *kept, struct cn_contact_view *to)
{
    struct cn_fast_shape3 fast[2];
    struct cn_place3 place[2];
    if (has_mesh(model, pair)) {
        return show_meshes(s, model, pair, &kept, 1, to);
    }
    if (!bake_spatial(s, model, pair, fast, place)) {
        return -1;
    }
    struct cn_manifold3 last, now;
    cn_kept3_unpack(kept, &last);
    cn_fast_spatial_collide(&fast[0], &place[0], &fast[1], &place[1],
        (float)cn_pipeline_margin(model), &last, &now);
    return cn_view_show3(to, model, pair, &now);
}

/* Shows the contacts of the entry at `at`, or of all entries of its two shapes; advances *at. */
static int
show_next(struct cn_asleep_view *s, const struct cn_asleep *asleep,
    const struct cn_model *model, int count, int *at, struct cn_contact_view *to)
{
    struct cn_touch pair = touch_of(s->key[*at]);
    const void *kept = cn_asleep_find(asleep, s->key[(*at)++]);
    CN_ASSERT(kept != NULL);
    if (model->settings.dimension == CN_PLANAR) {
        return show_planar(s, model, &pair, kept, to);
    }
    if (!has_mesh(model, &pair)) {
        return show_spatial(s, model, &pair, kept, to);
    }
    const struct cn_kept3 *all[CN_FAST_MESH_MANIFOLDS_MAX] = {kept};
    int all_count = 1;
    while (*at < count && cn_asleep_a(s->key[*at]) == pair.a &&
           cn_asleep_b(s->key[*at]) == pair.b && all_count < CN_FAST_MESH_MANIFOLDS_MAX) {
        all[all_count++] = cn_asleep_find(asleep, s->key[(*at)++]);
    }
    return show_meshes(s, model, &pair, all, all_count, to);
}

/* Finds all of them; false without memory. */
static bool
find_contacts(struct cn_asleep_view *s, const struct cn_pipeline *p)
{
    const struct cn_asleep *asleep = &p->asleep;
    const struct cn_model *model = p->model;
    bool planar = model->settings.dimension == CN_PLANAR;
    int per_pair = planar ? CN_POINTS_PLANAR_MAX : CN_POINTS_SPATIAL_MAX;
    if (!enlarge_arrays(s, asleep->entry_count, per_pair * asleep->entry_count)) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < asleep->entry_count; i++) {
        if (is_there(model, asleep->key[i])) {
            s->key[count++] = asleep->key[i];
        }
    }
    if (count > 1) {
        qsort(s->key, (size_t)count, sizeof(s->key[0]), compare_keys);
    }
    s->count = 0;
    for (int i = 0; i < count;) {
        int found = show_next(s, asleep, model, count, &i, &s->contact[s->count]);
        if (found < 0) {
            return false;
        }
        s->count += found;
    }
    return true;
}

static struct cn_asleep_view *
asleep_of(struct cn_view *view)
{
    if (view->asleep == NULL) {
        view->asleep = calloc(1, sizeof(*view->asleep));
    }
    return view->asleep;
}

int
cn_view_find_again(struct cn_view *view, const struct cn_pipeline *p,
    const struct cn_touch *pair, struct cn_contact_view *to)
{
    struct cn_asleep_view *s = asleep_of(view);
    union cn_kept kept;
    if (s == NULL || !is_there(p->model, cn_asleep_key(pair->a, pair->b))) {
        return 0;
    }
    if (p->model->settings.dimension == CN_PLANAR) {
        const struct cn_manifold2 *front = p->manifold[p->front];
        cn_kept2_pack(&kept.planar, &front[pair->manifold]);
        return show_planar(s, p->model, pair, &kept.planar, to);
    }
    const struct cn_manifold3 *front = p->manifold[p->front];
    cn_kept3_pack(&kept.spatial, &front[pair->manifold]);
    return show_spatial(s, p->model, pair, &kept.spatial, to);
}

int
cn_view_asleep(
    struct cn_view *view, const struct cn_world *world, const struct cn_contact_view **contacts)
{
    const struct cn_pipeline *p = &world->production->pipeline;
    if (p->asleep.entry_count == 0) {
        return 0;
    }
    struct cn_asleep_view *s = asleep_of(view);
    if (s == NULL) {
        return -1;
    }
    bool is_known = s->version == p->asleep.version &&
                    s->structure == p->model->structure_version;
    if (!is_known && !find_contacts(s, p)) {
        cn_view_forget_asleep(view);
        return -1;
    }
    s->version = p->asleep.version;
    s->structure = p->model->structure_version;
    *contacts = s->contact;
    return s->count;
}

int
cn_view_count_asleep(const struct cn_world *world)
{
    const struct cn_pipeline *p = &world->production->pipeline;
    const struct cn_asleep *asleep = &p->asleep;
    bool planar = p->model->settings.dimension == CN_PLANAR;
    int count = 0;
    for (int i = 0; i < asleep->entry_count; i++) {
        const unsigned char *kept = asleep->kept + (size_t)i * asleep->kept_size;
        if (is_there(p->model, asleep->key[i])) {
            count += planar ? ((const struct cn_kept2 *)(const void *)kept)->point_count
                            : ((const struct cn_kept3 *)(const void *)kept)->point_count;
        }
    }
    return count;
}

size_t
cn_view_asleep_size(const struct cn_view *view)
{
    const struct cn_asleep_view *s = view->asleep;
    return s == NULL ? 0
                     : sizeof(*s) + (size_t)s->max * sizeof(s->contact[0]) +
                           (size_t)s->key_max * sizeof(s->key[0]) + s->bake_size[0] +
                           s->bake_size[1];
}

void
cn_view_forget_asleep(struct cn_view *view)
{
    struct cn_asleep_view *s = view->asleep;
    if (s != NULL) {
        free(s->contact);
        free(s->key);
        free(s->bake[0]);
        free(s->bake[1]);
        free(s);
        view->asleep = NULL;
    }
}
