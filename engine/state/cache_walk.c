/*
 * cache_walk.c: the contact cache of a production solver.
 */
#include "engine/state/walk_inside.h"

WALK_STRUCT(walk_touch, struct cn_touch, CN_FIELDS_TOUCH)
WALK_STRUCT(walk_pieces, struct cn_touch, CN_FIELDS_PIECES)
WALK_STRUCT(walk_manifold2, struct cn_manifold2, CN_FIELDS_MANIFOLD2)
WALK_STRUCT(walk_point2, struct cn_point2, CN_FIELDS_POINT2)
WALK_STRUCT(walk_manifold3, struct cn_manifold3, CN_FIELDS_MANIFOLD3)
WALK_STRUCT(walk_rolling3, struct cn_manifold3, CN_FIELDS_ROLLING3)
WALK_STRUCT(walk_point3, struct cn_point3, CN_FIELDS_POINT3)

/* One manifold; false when what was read has more points than there may be. */
static bool
walk_manifold(struct cn_walk *walk, const struct cn_pipeline *p, void *manifold, bool rolls)
{
    if (p->model->settings.dimension == CN_PLANAR) {
        struct cn_manifold2 *m = manifold;
        walk_manifold2(walk, m);
        for (int i = 0; i < m->point_count && i < CN_POINTS_PLANAR_MAX; i++) {
            walk_point2(walk, &m->point[i]);
        }
        return m->point_count >= 1 && m->point_count <= CN_POINTS_PLANAR_MAX;
    }
    struct cn_manifold3 *m = manifold;
    walk_manifold3(walk, m);
    if (rolls) {
        walk_rolling3(walk, m);
    }
    for (int i = 0; i < m->point_count && i < CN_POINTS_SPATIAL_MAX; i++) {
        walk_point3(walk, &m->point[i]);
    }
    return m->point_count >= 1 && m->point_count <= CN_POINTS_SPATIAL_MAX;
}

static void *
manifold_at(const struct cn_pipeline *p, int index)
{
    void *manifolds = p->manifold[p->front];
    return p->model->settings.dimension == CN_PLANAR
               ? (void *)((struct cn_manifold2 *)manifolds + index)
               : (void *)((struct cn_manifold3 *)manifolds + index);
}

/* Points that are not read are those of no manifold: a narrowphase may look at them. */
static void
clear_manifold(const struct cn_pipeline *p, int index)
{
    if (p->model->settings.dimension == CN_PLANAR) {
        *(struct cn_manifold2 *)manifold_at(p, index) = (struct cn_manifold2){.point_count = 0};
    } else {
        *(struct cn_manifold3 *)manifold_at(p, index) = (struct cn_manifold3){.point_count = 0};
    }
}

static bool
are_present(const struct cn_pipeline *p, int32_t a, int32_t b)
{
    return p->model->shape[a].body >= 0 && p->model->shape[b].body >= 0;
}

static bool
is_in_pieces(const struct cn_shape *shape)
{
    return shape->bulge != NULL || shape->mesh != NULL;
}

/* Of shapes in pieces a pair has a name more: the pieces. */
static bool
has_pieces(const struct cn_model *model, const struct cn_touch *pair)
{
    bool some = model->settings.dimension == CN_PLANAR || model->mesh_count > 0;
    return some && (is_in_pieces(&model->shape[pair->a]) || is_in_pieces(&model->shape[pair->b]));
}

static void
walk_name(struct cn_walk *walk, const struct cn_pipeline *p, struct cn_touch *pair)
{
    walk_touch(walk, pair);
    const struct cn_model *model = p->model;
    bool known = pair->a >= 0 && pair->a < model->shape_count && pair->b >= 0 &&
                 pair->b < model->shape_count;
    if (known && has_pieces(model, pair)) {
        struct cn_touch name = {.flags = pair->flags >> CN_TOUCH_PIECES_SHIFT};
        walk_pieces(walk, &name);
        if (walk->mode == CN_WALK_READ) {
            pair->flags = CN_TOUCH_PIECES | name.flags << CN_TOUCH_PIECES_SHIFT;
        }
    }
}

#define CONTACT_SIZE_MAX 128

static unsigned char *
put_planar(unsigned char *to, const struct cn_manifold2 *m)
{
    int count = m->point_count;
    to = walk_manifold2_put(to, m);
    for (int i = 0; i < count && i < CN_POINTS_PLANAR_MAX; i++) {
        to = walk_point2_put(to, &m->point[i]);
    }
    return to;
}

/* As walk_point3_put, by one store: two bytes more are written, where something follows. */
static inline unsigned char *
put_point3(unsigned char *to, const struct cn_point3 *point)
{
    _Static_assert(walk_point3_size == 6, "a feature of two bytes and an impulse");
    uint32_t impulse;
    memcpy(&impulse, &point->normal_impulse, sizeof(impulse));
    put(to, (point->feature & 0xffffU) | (uint64_t)impulse << 16, 8);
    return to + walk_point3_size;
}

static inline uint64_t
two_floats(const float *two)
{
    uint32_t bits[2];
    memcpy(bits, two, sizeof(bits));
    return bits[0] | (uint64_t)bits[1] << 32;
}

/* As walk_manifold3_put, two numbers a store. */
static inline unsigned char *
put_head3(unsigned char *to, const struct cn_manifold3 *m)
{
    _Static_assert(walk_manifold3_size == 17, "a count, three impulses and the hint");
    uint32_t twist;
    memcpy(&twist, &m->twist_impulse, sizeof(twist));
    to = put(to, (uint64_t)m->point_count, 1);
    to = put(to, two_floats(m->tangent_impulse), 8);
    return put(to, twist | (uint64_t)m->hint << 32, 8);
}

static unsigned char *
put_spatial(unsigned char *to, const struct cn_manifold3 *m, bool rolls)
{
    int count = m->point_count;
    to = put_head3(to, m);
    to = rolls ? walk_rolling3_put(to, m) : to;
    for (int i = 0; i < count && i < CN_POINTS_SPATIAL_MAX; i++) {
        to = put_point3(to, &m->point[i]);
    }
    return to;
}

/* A contact that there is: name and manifold, in a row where that can be. */
static void
tell_contact(struct cn_walk *walk, const struct cn_pipeline *p, struct cn_touch *pair,
    void *manifold, bool rolls)
{
    unsigned char *start = row_begin(walk, CONTACT_SIZE_MAX);
    if (start == NULL) {
        walk_name(walk, p, pair);
        walk_manifold(walk, p, manifold, rolls);
        return;
    }
    unsigned char *to = walk_touch_put(start, pair);
    if (has_pieces(p->model, pair)) {
        struct cn_touch name = {.flags = pair->flags >> CN_TOUCH_PIECES_SHIFT};
        to = walk_pieces_put(to, &name);
    }
    row_end(walk, start,
        p->model->settings.dimension == CN_PLANAR ? put_planar(to, manifold)
                                                  : put_spatial(to, manifold, rolls));
}

/*
 * Contacts in rows: where all that there are is awake and no shape is in pieces, as in most worlds.
 * *at is the next pair; those without a manifold are passed over.
 */
#define ROW 16

static inline unsigned char *
put_row(unsigned char *to, const struct cn_pipeline *p, int *at, int *told, bool planar, bool rolls)
{
    const void *front = p->manifold[p->front];
    const struct cn_manifold2 *plane = front;
    const struct cn_manifold3 *space = front;
    int i = *at, row = 0;
    for (int count = p->pair_count; row < ROW && i < count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        if (pair->manifold >= 0) {
            to = walk_touch_put(to, pair);
            to = planar ? put_planar(to, &plane[pair->manifold])
                        : put_spatial(to, &space[pair->manifold], rolls);
            row++;
        }
    }
    *at = i;
    *told += row;
    return to;
}

static unsigned char *
put_row_as(unsigned char *to, const struct cn_pipeline *p, int *at, int *told, bool rolls)
{
    return p->model->settings.dimension == CN_PLANAR ? put_row(to, p, at, told, true, false)
           : rolls                                   ? put_row(to, p, at, told, false, true)
                                                     : put_row(to, p, at, told, false, false);
}

/* As much as the rows of all pairs would take. */
static size_t
measure_rows(const struct cn_pipeline *p, bool rolls)
{
    bool planar = p->model->settings.dimension == CN_PLANAR;
    const void *front = p->manifold[p->front];
    const struct cn_manifold2 *plane = front;
    const struct cn_manifold3 *space = front;
    size_t contacts = 0, points = 0;
    for (int i = 0; i < p->pair_count; i++) {
        int k = p->pair[i].manifold;
        if (k >= 0) {
            contacts++;
            points += (size_t)(planar ? plane[k].point_count : space[k].point_count);
        }
    }
    if (planar) {
        return contacts * (walk_touch_size + walk_manifold2_size) + points * walk_point2_size;
    }
    size_t one = walk_touch_size + walk_manifold3_size + (rolls ? walk_rolling3_size : 0);
    return contacts * one + points * walk_point3_size;
}

/* Their number. */
static int
tell_rows(struct cn_walk *walk, struct cn_pipeline *p, bool rolls)
{
    int told = 0;
    for (int at = 0; at < p->pair_count;) {
        unsigned char *start = row_begin(walk, (size_t)ROW * CONTACT_SIZE_MAX);
        if (start != NULL) {
            row_end(walk, start, put_row_as(start, p, &at, &told, rolls));
            continue;
        }
        if (p->pair[at].manifold >= 0) {
            tell_contact(walk, p, &p->pair[at], manifold_at(p, p->pair[at].manifold), rolls);
            told++;
        }
        at++;
    }
    return told;
}

static bool
some_in_pieces(const struct cn_model *model)
{
    bool some = model->settings.dimension != CN_PLANAR && model->mesh_count > 0;
    for (int i = 0; i < model->shape_count && model->settings.dimension == CN_PLANAR; i++) {
        some = some || is_in_pieces(&model->shape[i]);
    }
    return some;
}

static uint64_t
key_of(const struct cn_touch *pair)
{
    return cn_slumber_key_of(pair->a, pair->b, pair->flags >> CN_TOUCH_PIECES_SHIFT);
}

/* Pairs of the cache, ascending, of shapes that there are. */
static bool
touch_is_valid(const struct cn_pipeline *p, int i)
{
    const struct cn_touch *pair = &p->pair[i];
    return pair->a >= 0 && pair->a < pair->b && pair->b < p->model->shape_count &&
           are_present(p, pair->a, pair->b) &&
           (i == 0 || key_of(&p->pair[i - 1]) < key_of(pair));
}

/*
 * Contacts of shapes that have gone since the last tick count no more.  While nothing has come or
 * gone since the pipeline looked, all are there.
 */
static bool
is_settled(const struct cn_pipeline *p)
{
    return p->version == p->model->structure_version && !p->stale;
}

static bool
counts(const struct cn_pipeline *p, const struct cn_touch *pair, bool settled)
{
    return pair->manifold >= 0 && (settled || are_present(p, pair->a, pair->b));
}

static struct cn_touch
pair_of_key(uint64_t key)
{
    return (struct cn_touch){.a = cn_slumber_a(key), .b = cn_slumber_b(key),
        .flags = (uint32_t)(key & 0xffffU) << CN_TOUCH_PIECES_SHIFT};
}

static bool
entry_counts(const struct cn_pipeline *p, int entry)
{
    struct cn_touch pair = pair_of_key(p->slumber.key[entry]);
    return are_present(p, pair.a, pair.b);
}

static int
count_touching(const struct cn_pipeline *p)
{
    int count = 0;
    bool settled = is_settled(p);
    for (int i = 0; i < p->pair_count; i++) {
        count += counts(p, &p->pair[i], settled) ? 1 : 0;
    }
    for (int i = 0; i < p->slumber.entry_count; i++) {
        count += entry_counts(p, i) ? 1 : 0;
    }
    return count;
}

static bool
has_rolling(const struct cn_model *model)
{
    bool rolls = false;
    for (int i = 0; i < model->material_count; i++) {
        rolls = rolls || model->material[i].rolling_friction > 0.0;
    }
    return rolls;
}

/* A contact that sleeps, as if it did not. */
static void
walk_entry(struct cn_walk *walk, const struct cn_pipeline *p, int entry, bool rolls)
{
    if (!entry_counts(p, entry)) {
        return;
    }
    struct cn_touch pair = pair_of_key(p->slumber.key[entry]);
    const void *kept = cn_slumber_find(&p->slumber, p->slumber.key[entry]);
    union {
        struct cn_manifold2 planar;
        struct cn_manifold3 spatial;
    } manifold;
    if (p->model->settings.dimension == CN_PLANAR) {
        cn_kept2_unpack(kept, &manifold.planar);
    } else {
        cn_kept3_unpack(kept, &manifold.spatial);
    }
    tell_contact(walk, p, &pair, &manifold, rolls);
}

/* Writes, hashes or compares the contacts of pairs that are awake and that are not, ascending. */
static void
walk_all(struct cn_walk *walk, struct cn_pipeline *p, bool rolls)
{
    struct cn_slumber *slumber = &p->slumber;
    int entry = 0;
    bool settled = is_settled(p);
    cn_slumber_sort(slumber);
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (!counts(p, pair, settled)) {
            continue;
        }
        uint64_t key = key_of(pair);
        while (entry < slumber->entry_count && slumber->key[entry] < key) {
            walk_entry(walk, p, entry++, rolls);
        }
        tell_contact(walk, p, pair, manifold_at(p, pair->manifold), rolls);
    }
    while (entry < slumber->entry_count) {
        walk_entry(walk, p, entry++, rolls);
    }
}

static bool
are_rows(const struct cn_pipeline *p)
{
    return is_settled(p) && p->slumber.entry_count == 0 && !some_in_pieces(p->model);
}

/* Their number, then they; what is written is gone through once, and the number comes last. */
static void
walk_rows(struct cn_walk *walk, struct cn_pipeline *p, bool rolls)
{
    if (walk->mode == CN_WALK_MEASURE) {
        walk->used += I32_SIZE + measure_rows(p, rolls);
    } else if (walk_fits(walk, CN_WALK_WRITE, I32_SIZE)) {
        unsigned char *number = walk->write + walk->used;
        walk->used += I32_SIZE;
        put(number, (uint32_t)tell_rows(walk, p, rolls), I32_SIZE);
    } else {
        int32_t count = count_touching(p);
        walk_I32(walk, &count);
        tell_rows(walk, p, rolls);
    }
}

static bool
read_all(struct cn_walk *walk, struct cn_production *production, int count, bool rolls)
{
    struct cn_pipeline *p = &production->pipeline;
    p->pair_count = p->front_count = 0;
    cn_slumber_clear(&p->slumber);
    if (count > p->room.pair_max && !cn_production_grow(production, count)) {
        return false;
    }
    p->stale = p->forget = true;
    for (int i = 0; i < count; i++) {
        struct cn_touch *pair = &p->pair[i];
        *pair = (struct cn_touch){.manifold = i};
        clear_manifold(p, i);
        walk_name(walk, p, pair);
        if (!walk_manifold(walk, p, manifold_at(p, i), rolls) || !touch_is_valid(p, i)) {
            return false;
        }
        pair->flags |= cn_pipeline_kind(p->model, pair->a, pair->b);
    }
    p->pair_count = p->front_count = count;
    return true;
}

/* The contact cache of a production: written as it stands, read as if nothing else were there. */
bool
cn_walk_cache(struct cn_walk *walk, struct cn_world *world)
{
    if (walk->mode == CN_WALK_READ && !cn_world_fit_production(world)) {
        return false;
    }
    if (world->production == NULL) {
        return true;
    }
    struct cn_pipeline *p = &world->production->pipeline;
    bool rolls = has_rolling(p->model);
    if (walk->mode != CN_WALK_READ && are_rows(p)) {
        walk_rows(walk, p, rolls);
        return true;
    }
    int count = count_touching(p);
    if (!walk_count(walk, &count, CN_TOUCHING_MAX)) {
        return false;
    }
    if (walk->mode == CN_WALK_READ) {
        return read_all(walk, world->production, count, rolls);
    }
    walk_all(walk, p, rolls);
    return true;
}
