/*
 * cache_walk.c: the contact cache of a production solver in images and hashes.
 */
#include "engine/base/assert.h"
#include "engine/state/walk_inside.h"

WALK_STRUCT(walk_touch, struct cn_touch, CN_FIELDS_TOUCH)
WALK_STRUCT(walk_pieces, struct cn_touch, CN_FIELDS_PIECES)
WALK_STRUCT(walk_manifold2, struct cn_manifold2, CN_FIELDS_MANIFOLD2)
WALK_STRUCT(walk_point2, struct cn_point2, CN_FIELDS_POINT2)
WALK_STRUCT(walk_base2, struct cn_manifold2, CN_FIELDS_BASE2)
WALK_STRUCT(walk_anchor2, struct cn_point2, CN_FIELDS_ANCHOR2)
WALK_STRUCT(walk_manifold3, struct cn_manifold3, CN_FIELDS_MANIFOLD3)
WALK_STRUCT(walk_rolling3, struct cn_manifold3, CN_FIELDS_ROLLING3)
WALK_STRUCT(walk_point3, struct cn_point3, CN_FIELDS_POINT3)
WALK_STRUCT(walk_base3, struct cn_manifold3, CN_FIELDS_BASE3)
WALK_STRUCT(walk_anchor3, struct cn_point3, CN_FIELDS_ANCHOR3)

/*
 * The persistent data of a manifold besides its impulses; false when the number of points is not
 * valid.
 */
static void
walk_persisting2(struct cn_walk *walk, struct cn_manifold2 *m)
{
    CN_ASSERT(1 <= m->point_count && m->point_count <= CN_POINTS_PLANAR_MAX);
    walk_base2(walk, m);
    for (int i = 0; i < m->point_count; i++) {
        walk_anchor2(walk, &m->point[i]);
    }
}

static void
walk_persisting3(struct cn_walk *walk, struct cn_manifold3 *m)
{
    CN_ASSERT(1 <= m->point_count && m->point_count <= CN_POINTS_SPATIAL_MAX);
    walk_base3(walk, m);
    for (int i = 0; i < m->point_count; i++) {
        walk_anchor3(walk, &m->point[i]);
    }
}

/* One manifold; false when the data that was read has too many points. */
static bool
walk_manifold(struct cn_walk *walk, const struct cn_pipeline *p, void *manifold, bool rolls)
{
    if (p->model->settings.dimension == CN_PLANAR) {
        struct cn_manifold2 *m = manifold;
        walk_manifold2(walk, m);
        for (int i = 0; i < m->point_count && i < CN_POINTS_PLANAR_MAX; i++) {
            walk_point2(walk, &m->point[i]);
        }
        bool is_known = m->point_count >= 1 && m->point_count <= CN_POINTS_PLANAR_MAX;
        if (is_known && m->persists == 1) {
            walk_persisting2(walk, m);
        }
        return is_known && (m->persists == 0 || m->persists == 1);
    }
    struct cn_manifold3 *m = manifold;
    walk_manifold3(walk, m);
    if (rolls) {
        walk_rolling3(walk, m);
    }
    for (int i = 0; i < m->point_count && i < CN_POINTS_SPATIAL_MAX; i++) {
        walk_point3(walk, &m->point[i]);
    }
    bool is_known = m->point_count >= 1 && m->point_count <= CN_POINTS_SPATIAL_MAX;
    if (is_known && m->persists == 1) {
        walk_persisting3(walk, m);
    }
    return is_known && (m->persists == 0 || m->persists == 1);
}

static void *
manifold_at(const struct cn_pipeline *p, int index)
{
    CN_ASSERT(index >= 0 && (p->front == 0 || p->front == 1));
    void *manifolds = p->manifold[p->front];
    return p->model->settings.dimension == CN_PLANAR
               ? (void *)((struct cn_manifold2 *)manifolds + index)
               : (void *)((struct cn_manifold3 *)manifolds + index);
}

/* Clears points that the image does not have, because a narrowphase may read them. */
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

/* Whether the name of a pair includes pieces, as for shapes made of pieces. */
static bool
has_pieces(const struct cn_model *model, const struct cn_touch *pair)
{
    bool some = model->settings.dimension == CN_PLANAR || model->mesh_count > 0;
    CN_ASSERT(0 <= pair->a && pair->a < model->shape_count);
    CN_ASSERT(0 <= pair->b && pair->b < model->shape_count);
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

#define CONTACT_SIZE_MAX 256
_Static_assert(walk_touch_size + walk_pieces_size + walk_manifold2_size + walk_base2_size +
            CN_POINTS_PLANAR_MAX * (walk_point2_size + walk_anchor2_size) <= CONTACT_SIZE_MAX &&
        walk_touch_size + walk_pieces_size + walk_manifold3_size + walk_rolling3_size +
            walk_base3_size + CN_POINTS_SPATIAL_MAX * (walk_point3_size + walk_anchor3_size) + 2 <=
            CONTACT_SIZE_MAX,
    "a row has room for a contact, and for two bytes of put_point3");

static unsigned char *
put_planar(unsigned char *to, const struct cn_manifold2 *m)
{
    int count = m->point_count;
    to = walk_manifold2_put(to, m);
    for (int i = 0; i < count && i < CN_POINTS_PLANAR_MAX; i++) {
        to = walk_point2_put(to, &m->point[i]);
    }
    if (m->persists == 1) {
        to = walk_base2_put(to, m);
        for (int i = 0; i < count && i < CN_POINTS_PLANAR_MAX; i++) {
            to = walk_anchor2_put(to, &m->point[i]);
        }
    }
    return to;
}

/*
 * Like walk_point3_put, but with one store.  The store writes two bytes too many, so more data must
 * follow.
 */
static inline unsigned char *
put_point3(unsigned char *to, const struct cn_point3 *point)
{
    _Static_assert(walk_point3_size == 6, "a feature of two bytes and an impulse");
    uint32_t impulse;
    memcpy(&impulse, &point->normal_impulse, sizeof(impulse));
    walk_put(to, (point->feature & 0xffffU) | (uint64_t)impulse << 16, 8);
    return to + walk_point3_size;
}

static inline uint64_t
two_floats(const float *two)
{
    uint32_t bits[2];
    memcpy(bits, two, sizeof(bits));
    return bits[0] | (uint64_t)bits[1] << 32;
}

/* Like walk_manifold3_put, but two numbers in one store. */
static inline unsigned char *
put_head3(unsigned char *to, const struct cn_manifold3 *m)
{
    _Static_assert(walk_manifold3_size == 18, "two bytes, three impulses and the hint");
    uint32_t twist;
    memcpy(&twist, &m->twist_impulse, sizeof(twist));
    to = walk_put(to, (uint64_t)m->point_count | (uint64_t)m->persists << 8, 2);
    to = walk_put(to, two_floats(m->tangent_impulse), 8);
    return walk_put(to, twist | (uint64_t)m->hint << 32, 8);
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
    if (m->persists == 1) {
        to = walk_base3_put(to, m);
        for (int i = 0; i < count && i < CN_POINTS_SPATIAL_MAX; i++) {
            to = walk_anchor3_put(to, &m->point[i]);
        }
    }
    return to;
}

/* Writes an existing contact: name and manifold, as one row where there is room. */
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
 * Writes contacts in rows.  This works where every contact is awake and no shape has pieces, as in
 * most worlds.  *at is the next pair; pairs without a manifold are skipped.
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

/* The bytes of the rows of all pairs. */
static size_t
measure_rows(const struct cn_pipeline *p, bool rolls)
{
    bool planar = p->model->settings.dimension == CN_PLANAR;
    const void *front = p->manifold[p->front];
    const struct cn_manifold2 *plane = front;
    const struct cn_manifold3 *space = front;
    size_t contacts = 0, points = 0, bases = 0, anchors = 0;
    for (int i = 0; i < p->pair_count; i++) {
        int k = p->pair[i].manifold;
        if (k >= 0) {
            contacts++;
            size_t count = (size_t)(planar ? plane[k].point_count : space[k].point_count);
            bool persists = planar ? plane[k].persists == 1 : space[k].persists == 1;
            points += count;
            bases += persists ? 1 : 0;
            anchors += persists ? count : 0;
        }
    }
    if (planar) {
        return contacts * (walk_touch_size + walk_manifold2_size) + points * walk_point2_size +
               bases * walk_base2_size + anchors * walk_anchor2_size;
    }
    size_t one = walk_touch_size + walk_manifold3_size + (rolls ? walk_rolling3_size : 0);
    return contacts * one + points * walk_point3_size + bases * walk_base3_size +
           anchors * walk_anchor3_size;
}

/* Writes the rows; returns their number. */
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
    return cn_asleep_key_of(pair->a, pair->b, pair->flags >> CN_TOUCH_PIECES_SHIFT);
}

/* Whether the pairs of the cache ascend and their shapes exist. */
static bool
touch_is_valid(const struct cn_pipeline *p, int i)
{
    const struct cn_touch *pair = &p->pair[i];
    return pair->a >= 0 && pair->a < pair->b && pair->b < p->model->shape_count &&
           are_present(p, pair->a, pair->b) &&
           (i == 0 || key_of(&p->pair[i - 1]) < key_of(pair));
}

/*
 * Whether nothing has been made or removed since the pipeline last looked, so that all shapes
 * exist.  Contacts of shapes removed since the last tick do not count.
 */
static bool
is_settled(const struct cn_pipeline *p)
{
    return p->version == p->model->structure_version && !p->stale;
}

static bool
pair_counts(const struct cn_pipeline *p, const struct cn_touch *pair, bool settled)
{
    return pair->manifold >= 0 && (settled || are_present(p, pair->a, pair->b));
}

static struct cn_touch
pair_of_key(uint64_t key)
{
    return (struct cn_touch){.a = cn_asleep_a(key), .b = cn_asleep_b(key),
        .flags = (uint32_t)(key & 0xffffU) << CN_TOUCH_PIECES_SHIFT};
}

static bool
entry_counts(const struct cn_pipeline *p, int entry)
{
    struct cn_touch pair = pair_of_key(p->asleep.key[entry]);
    return are_present(p, pair.a, pair.b);
}

static int
count_touching(const struct cn_pipeline *p)
{
    int count = 0;
    bool settled = is_settled(p);
    for (int i = 0; i < p->pair_count; i++) {
        count += pair_counts(p, &p->pair[i], settled) ? 1 : 0;
    }
    for (int i = 0; i < p->asleep.entry_count; i++) {
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
    for (int i = 0; i < model->material_pair_count; i++) {
        double rolling = 0.0, spinning;
        cn_material_pair_moments(&model->material_pair[i], &rolling, &spinning);
        rolls = rolls || rolling > 0.0;
    }
    return rolls;
}

/* Walks a sleeping contact in the form of one that is awake. */
static void
walk_entry(struct cn_walk *walk, const struct cn_pipeline *p, int entry, bool rolls)
{
    if (!entry_counts(p, entry)) {
        return;
    }
    struct cn_touch pair = pair_of_key(p->asleep.key[entry]);
    const void *kept = cn_asleep_find(&p->asleep, p->asleep.key[entry]);
    CN_ASSERT(kept != NULL);
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

/* Writes, hashes or compares the contacts of awake and of sleeping pairs, ascending. */
static void
walk_all(struct cn_walk *walk, struct cn_pipeline *p, bool rolls)
{
    struct cn_asleep *asleep = &p->asleep;
    int entry = 0;
    bool settled = is_settled(p);
    cn_asleep_sort(asleep);
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (!pair_counts(p, pair, settled)) {
            continue;
        }
        uint64_t key = key_of(pair);
        while (entry < asleep->entry_count && asleep->key[entry] < key) {
            walk_entry(walk, p, entry++, rolls);
        }
        tell_contact(walk, p, pair, manifold_at(p, pair->manifold), rolls);
    }
    while (entry < asleep->entry_count) {
        walk_entry(walk, p, entry++, rolls);
    }
}

static bool
are_rows(const struct cn_pipeline *p)
{
    return is_settled(p) && p->asleep.entry_count == 0 && !some_in_pieces(p->model);
}

/*
 * Walks the number of contacts and then the contacts.  They are visited once when writing, so the
 * number is filled in last.
 */
static void
walk_rows(struct cn_walk *walk, struct cn_pipeline *p, bool rolls)
{
    if (walk->mode == CN_WALK_MEASURE) {
        walk->used += I32_SIZE + measure_rows(p, rolls);
    } else if (walk_fits(walk, CN_WALK_WRITE, I32_SIZE)) {
        unsigned char *number = walk->write + walk->used;
        walk->used += I32_SIZE;
        walk_put(number, (uint32_t)tell_rows(walk, p, rolls), I32_SIZE);
    } else {
        int32_t count = count_touching(p);
        walk_I32(walk, &count);
        int told = tell_rows(walk, p, rolls);
        CN_ASSERT(told == count);
    }
}

static bool
read_all(struct cn_walk *walk, struct cn_production *production, int count, bool rolls)
{
    struct cn_pipeline *p = &production->pipeline;
    p->pair_count = p->front_count = 0;
    cn_asleep_clear(&p->asleep);
    if (count > p->room.pair_max && !cn_production_grow(production, count)) {
        return false;
    }
    CN_ASSERT(count <= p->room.pair_max);
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

/* Walks the contact cache of a production.  Reading replaces the whole cache. */
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
