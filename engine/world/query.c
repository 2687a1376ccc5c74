#include "engine/world/query.h"

#include "engine/base/assert.h"
#include "engine/collide/query/cast.h"
#include "engine/collide/query/proximity.h"
#include "engine/math/scalar.h"
#include "engine/model/life.h"
#include "engine/world/check/def_check.h"
#include "engine/world/history.h"
#include "engine/world/world_inside.h"

#include <inttypes.h>

#define NORM_ERROR_MAX 1e-6

/*
 * The least fraction.  A fraction of 0 would end the search of a tree before it finds all ties at
 * the start.
 */
#define FRACTION_MIN 1e-300

/* m: shapes that touch up to rounding are candidates. */
#define TOUCH_MARGIN 1e-9

/* A query's shape, baked; it borrows arrays beside it, so it must not be moved. */
struct query_shape {
    struct cn_shape shape;
    cn_vec2 flat[CN_POLYGON_VERTICES_MAX], normal[CN_POLYGON_VERTICES_MAX];
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    struct cn_edge edge[CN_HULL_EDGES_MAX];
    struct cn_face face[CN_HULL_FACES_MAX];
    struct cn_corner corner[2 * CN_HULL_EDGES_MAX];
};

struct search {
    const struct cn_model *model;
    const struct cn_world *past; /* the world, where the query names a past tick; NULL: the
                                    present */
    const struct cn_query *query;
    struct query_shape *shape; /* of CAST and OVERLAP */
    struct cn_convex convex;
    cn_pose pose;    /* of the shape */
    cn_vec3 along;   /* without z in a planar world */
    double radius;   /* of a ball about the position that contains the shape [m] */
    double fraction; /* hits beyond it no longer matter */
    struct cn_query_hit *hits;
    int hit_count;
};

struct cn_query
cn_query_make(enum cn_query_kind kind)
{
    return (struct cn_query){
        .kind = kind, .filter = CN_FILTER_DEFAULT, .ignored_body = -1, .hit_max = 1};
}

/* ---- checks of queries ---- */

static enum cn_status
check_shape(const struct cn_model *model, const struct cn_query *query, struct cn_defect *defect)
{
    const struct cn_shape_def *def = query->shape;
    if (def == NULL) {
        return cn_defect_set(
            defect, CN_GEOMETRY, "shape", "is not given; this query takes a convex shape");
    }
    enum cn_status status = cn_shape_check(def, model->settings.dimension, defect);
    if (status != CN_OK) {
        if (defect != NULL) {
            cn_defect_prefix(defect, "shape.");
        }
        return status;
    }
    if (def->kind == CN_SHAPE_PLANE || def->kind == CN_SHAPE_OUTLINE ||
        def->kind == CN_SHAPE_CHAIN) {
        return cn_defect_set(defect, CN_GEOMETRY, "shape",
            "is of kind %s; a query takes a convex shape with an end",
            cn_shape_kind_name(def->kind));
    }
    return CN_OK;
}

/* Whether the tick that the query names is remembered. */
static enum cn_status
check_tick(const struct cn_world *world, const struct cn_query *query, struct cn_defect *defect)
{
    const struct cn_history *history = world->history;
    uint64_t now = world->model.clock.tick;
    if (query->tick > now) {
        return cn_defect_set(defect, CN_RANGE, "tick",
            "is %" PRIu64 ", which is to come: the world is at tick %" PRIu64, query->tick, now);
    }
    if (history == NULL) {
        return cn_defect_set(defect, CN_RANGE, "tick",
            "is %" PRIu64 "; this world remembers no tick of its past", query->tick);
    }
    uint64_t first = cn_history_first(history), start = cn_history_start(history);
    if (query->tick >= first) {
        return CN_OK;
    }
    if (query->tick < start) {
        return cn_defect_set(defect, CN_RANGE, "tick",
            "is %" PRIu64 "; what is remembered of this world begins at tick %" PRIu64,
            query->tick, start);
    }
    int tick_max = cn_history_tick_max(history);
    if (now - query->tick > (uint64_t)tick_max) {
        return cn_defect_set(defect, CN_RANGE, "tick",
            "is %" PRIu64 "; at tick %" PRIu64 " the last %d ticks are remembered, from %" PRIu64,
            query->tick, now, tick_max, first);
    }
    return cn_defect_set(defect, CN_LIMIT, "tick",
        "is %" PRIu64 "; at tick %" PRIu64 " ticks from %" PRIu64
        " are remembered: for more there was no room in %zu MiB", query->tick, now, first,
        CN_REWIND_SIZE_MAX >> 20);
}

enum cn_status
cn_query_age(const struct cn_world *world, struct cn_query *query, uint32_t age_ms,
    uint32_t age_max_ms, struct cn_defect *defect)
{
    uint64_t now = world->model.clock.tick;
    if (age_ms > age_max_ms) {
        return cn_defect_set(defect, CN_RANGE, "ageMs",
            "is %" PRIu32 "; at most %" PRIu32 " ms of this world's past are remembered", age_ms,
            age_max_ms);
    }
    uint64_t ticks = (uint64_t)floor(1e-3 * age_ms * world->model.tick_rate + 0.5);
    if (ticks > now) {
        return cn_defect_set(defect, CN_RANGE, "ageMs",
            "is %" PRIu32 ", which is %" PRIu64 " ticks; the world has done %" PRIu64, age_ms,
            ticks, now);
    }
    query->has_tick = true;
    query->tick = now - ticks;
    return CN_OK;
}

enum cn_status
cn_world_query_check(
    const struct cn_world *world, const struct cn_query *query, struct cn_defect *defect)
{
    const struct cn_model *model = &world->model;
    const struct cn_world_def def = {.settings = {.dimension = model->settings.dimension}};
    if ((unsigned)query->kind >= CN_QUERY_KIND_COUNT) {
        return cn_defect_set(defect, CN_UNKNOWN, "kind", "is %d; a kind is from 0 to %d",
            (int)query->kind, CN_QUERY_KIND_COUNT - 1);
    }
    CN_CHECK(check_vector(&def, defect, "position", query->position, CN_QUERY_COORDINATE_MAX,
        "a query's position", "m"));
    CN_CHECK(check_vector(
        &def, defect, "along", query->along, CN_QUERY_COORDINATE_MAX, "a query's way", "m"));
    CN_CHECK(check_number(
        defect, "angle", query->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX, "an angle", "rad"));
    double norm = cn_quat_length(query->orientation);
    if (norm != 0.0 && !(fabs(norm - 1.0) <= NORM_ERROR_MAX)) {
        return cn_defect_set(defect, isfinite(norm) ? CN_GEOMETRY : CN_FINITE, "orientation",
            "has norm %.9g; an orientation is a unit quaternion, e.g. {w: 1}", norm);
    }
    if (query->hit_max < 1 || query->hit_max > CN_QUERY_HITS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "hitMax", "is %d; 1 to %d hits are given",
            query->hit_max, CN_QUERY_HITS_MAX);
    }
    if (query->has_tick) {
        CN_CHECK(check_tick(world, query, defect));
    }
    return query->kind == CN_QUERY_RAY ? CN_OK : check_shape(model, query, defect);
}

/* ---- hits ---- */

static bool
is_before(const struct cn_query_hit *a, const struct cn_query_hit *b)
{
    return a->fraction < b->fraction || (a->fraction == b->fraction && a->shape < b->shape);
}

/* Inserts a hit in order; where there is no room the last one is dropped. */
static void
insert_hit(struct search *s, const struct cn_query_hit *hit)
{
    int max = s->query->hit_max, at = s->hit_count;
    if (at == max && !is_before(hit, &s->hits[max - 1])) {
        return;
    }
    s->hit_count = at < max ? at + 1 : max;
    at = s->hit_count - 1;
    for (; at > 0 && is_before(hit, &s->hits[at - 1]); at--) {
        s->hits[at] = s->hits[at - 1];
    }
    s->hits[at] = *hit;
    if (s->hit_count == max) {
        s->fraction = s->hits[max - 1].fraction;
    }
}

static bool
sees_shape(const struct search *s, const struct cn_shape *other)
{
    return other->body >= 0 && other->body != s->query->ignored_body &&
           (s->query->sensors || !other->sensor) &&
           cn_filter_passes(&s->query->filter, &other->filter);
}

/*
 * Whether the present search tests the shape; bodies that differ in the past are searched
 * separately.
 */
static bool
search_sees(const struct search *s, int shape)
{
    const struct cn_shape *other = &s->model->shape[shape];
    return sees_shape(s, other) &&
           (s->past == NULL ||
               cn_history_is_same(s->past->history, other->body, s->query->tick));
}

/*
 * Tests the shape of a slot at its present or past pose.  *shape_first is the first slot of its
 * body; it is only read for a hit, because it is far from the shape in memory.
 */
static void
meet_shape(struct search *s, const struct cn_shape *other, int shape, const int *shape_first,
    const cn_pose *pose)
{
    struct cn_cast_hit found = {.point = s->pose.position};
    bool met;
    if (s->query->kind == CN_QUERY_RAY) {
        met = cn_cast_ray(other, pose, s->pose.position, s->along, s->fraction, &found);
    } else if (s->query->kind == CN_QUERY_CAST) {
        met = cn_cast_shape(
            other, pose, &s->convex, &s->pose, s->along, s->fraction, &found);
    } else {
        met = cn_overlap(other, pose, &s->convex, &s->pose);
    }
    if (met && !(found.is_inside && s->query->skip_inside)) {
        struct cn_query_hit hit = {other->body, shape - *shape_first, shape, found.fraction,
            found.point, found.normal, found.is_inside};
        insert_hit(s, &hit);
    }
}

static void
look_at(struct search *s, int shape)
{
    const struct cn_model *model = s->model;
    const struct cn_shape *other = &model->shape[shape];
    cn_pose pose = s->past != NULL
                       ? cn_history_pose(s->past, other->body)
                       : cn_motion_pose(&model->motion[other->body], model->settings.dimension);
    meet_shape(s, other, shape, &model->body[other->body].shape_first, &pose);
}

/* Tests the shapes of a body that was elsewhere at that tick, or has been removed since. */
static void
visit_past(void *context, const struct cn_past_body *past)
{
    struct search *s = context;
    for (int k = 0; k < past->shape_count; k++) {
        if (sees_shape(s, &past->shape[k])) {
            meet_shape(s, &past->shape[k], past->shape_first + k, &past->shape_first, &past->pose);
        }
    }
}

/* ---- candidates ---- */

static double
visit_shape(void *context, int shape, double fraction)
{
    struct search *s = context;
    (void)fraction;
    if (search_sees(s, shape)) {
        look_at(s, shape);
    }
    return cn_max(s->fraction, FRACTION_MIN);
}

static bool
visit_box(void *context, int shape)
{
    visit_shape(context, shape, 0.0);
    return true;
}

/* Whether a ball that moves along the path comes near a shape's ball. */
static bool
is_near(const struct search *s, const struct cn_shape *shape)
{
    if (shape->vertex_count == 0) {
        return true; /* a plane */
    }
    cn_vec3 at = s->past != NULL ? cn_history_position(s->past->history, shape->body)
                                 : s->model->motion[shape->body].position;
    cn_vec3 away = cn_vec3_sub(at, s->pose.position);
    double square = cn_vec3_dot(s->along, s->along), dot = cn_vec3_dot(away, s->along);
    double t = square > 0.0 ? cn_clamp(dot / square, 0.0, s->fraction) : 0.0;
    double reach = shape->reach + s->radius;
    double slack = 1e-9 + 1e-14 * (cn_vec3_length(away) + cn_vec3_length(s->pose.position));
    return cn_vec3_length(cn_vec3_add_scaled(away, -t, s->along)) <= reach + slack;
}

static void
look_at_all(struct search *s)
{
    for (int shape = 0; shape < s->model->shape_count; shape++) {
        if (search_sees(s, shape) && is_near(s, &s->model->shape[shape])) {
            look_at(s, shape);
        }
    }
}

/* ---- the query ---- */

static void
bake_shape(struct search *s)
{
    struct query_shape *q = s->shape;
    struct cn_shape_store store = {.vertex = q->flat, .normal = q->normal};
    store.core = (struct cn_polytope_store){q->vertex, q->edge, q->face, q->corner};
    cn_shape_bake(s->query->shape, s->model->settings.dimension, -1, (cn_vec3){0.0, 0.0, 0.0},
        &store, &q->shape);
    bool convex = cn_convex_of(&q->shape, &s->convex);
    CN_ASSERT(convex);
    s->radius = q->shape.reach;
}

static cn_pose
pose_of(const struct cn_model *model, const struct cn_query *query)
{
    cn_pose pose = {.position = cn_model_flat(model, query->position)};
    if (model->settings.dimension == CN_PLANAR) {
        double sine, cosine;
        cn_sin_cos(query->angle, &sine, &cosine);
        pose.rotation = cn_mat33_about_z(sine, cosine);
    } else {
        bool turned = cn_quat_length(query->orientation) != 0.0;
        pose.rotation = cn_quat_to_mat33(
            turned ? cn_quat_normalize(query->orientation) : cn_quat_identity());
    }
    return pose;
}

/* The trees with the boxes of shapes, and the changes since. */
struct trees {
    const struct cn_proximity *proximity; /* NULL: every shape is looked at */
    const struct cn_change *change;
    int change_count;
};

static bool
is_hit(const struct search *s, int shape)
{
    int i = 0;
    while (i < s->hit_count && s->hits[i].shape != shape) {
        i++;
    }
    return i < s->hit_count;
}

/* Tests the changed bodies directly, because the trees hold their old boxes. */
static void
look_at_changed(struct search *s, const struct trees *trees)
{
    for (int i = 0; i < trees->change_count; i++) {
        if (trees->change[i].kind != CN_CHANGE_BODY) {
            continue;
        }
        const struct cn_body *body = &s->model->body[trees->change[i].slot];
        for (int shape = body->shape_first; shape < body->shape_first + body->shape_count;
             shape++) {
            if (search_sees(s, shape) && !is_hit(s, shape)) {
                look_at(s, shape);
            }
        }
    }
}

/* `past` is the world if the query names a remembered tick, else NULL. */
static int
answer_query(const struct cn_model *model, const struct trees *trees, const struct cn_world *past,
    const struct cn_query *query, struct cn_query_hit *hits)
{
    const struct cn_proximity *proximity = trees->proximity;
    struct query_shape shape; /* large, so it is filled in place */
    struct search s = {
        .model = model,
        .past = past,
        .query = query,
        .shape = &shape,
        .pose = pose_of(model, query),
        .fraction = 1.0,
        .hits = hits,
    };
    if (query->kind != CN_QUERY_OVERLAP) {
        s.along = cn_model_flat(model, query->along);
    }
    if (query->kind != CN_QUERY_RAY) {
        bake_shape(&s);
    }
    if (proximity != NULL && query->kind == CN_QUERY_OVERLAP) {
        cn_aabb box = cn_shape_aabb(&shape.shape, &s.pose, TOUCH_MARGIN);
        cn_proximity_query(proximity, &box, visit_box, &s);
    } else if (proximity != NULL) {
        cn_proximity_cast(proximity, s.pose.position, s.along, s.radius, visit_shape, &s);
    } else {
        look_at_all(&s);
    }
    if (proximity != NULL) {
        look_at_changed(&s, trees);
    }
    if (past != NULL) {
        const struct cn_history_way way = {s.pose.position, s.along, s.radius, &s.fraction};
        cn_history_meet(past, query->tick, &way, visit_past, &s);
    }
    return s.hit_count;
}

int
cn_query_answer(const struct cn_model *model, const struct cn_proximity *proximity,
    const struct cn_query *query, struct cn_query_hit *hits)
{
    const struct trees trees = {.proximity = proximity};
    return answer_query(model, &trees, NULL, query, hits);
}

/* The trees of a production world, as long as all later changes are listed. */
static struct trees
trees_of(const struct cn_world *world)
{
    struct trees trees = {.proximity = NULL};
    if (world->production != NULL) {
        const struct cn_pipeline *p = &world->production->pipeline;
        int count = p->stale ? -1 : cn_model_changes(&world->model, p->version, &trees.change);
        if (count >= 0 && cn_proximity_is_ordered(p->proximity)) {
            trees.proximity = p->proximity;
            trees.change_count = count;
        }
    }
    return trees;
}

enum cn_status
cn_world_query(const struct cn_world *world, const struct cn_query *query,
    struct cn_query_hit *hits, int *hit_count, struct cn_defect *defect)
{
    *hit_count = 0;
    CN_CHECK(cn_world_query_check(world, query, defect));
    cn_slice_finish_piece(world);
    struct trees trees = trees_of(world);
    *hit_count = answer_query(&world->model, &trees, query->has_tick ? world : NULL, query, hits);
    return CN_OK;
}

/* ---- the past ---- */

enum cn_status
cn_world_remember(struct cn_world *world, int ticks, struct cn_defect *defect)
{
    if (ticks < 0 || ticks > CN_REWIND_TICKS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "ticks", "is %d; 0 to %d ticks can be remembered",
            ticks, CN_REWIND_TICKS_MAX);
    }
    if (!cn_history_begin(world, ticks)) {
        return cn_defect_set(defect, CN_MEMORY, "ticks", "no memory for a world's past");
    }
    return CN_OK;
}

struct cn_world_past
cn_world_past(const struct cn_world *world)
{
    if (world->history == NULL) {
        return (struct cn_world_past){.first = UINT64_MAX};
    }
    return (struct cn_world_past){
        cn_history_first(world->history), cn_history_size(world->history)};
}

bool
cn_world_cast_ray(
    const struct cn_world *world, cn_vec3 from, cn_vec3 along, struct cn_query_hit *hit)
{
    struct cn_query query = cn_query_make(CN_QUERY_RAY);
    query.position = from;
    query.along = along;
    int count;
    return cn_world_query(world, &query, hit, &count, NULL) == CN_OK && count > 0;
}

bool
cn_world_cast_shape(const struct cn_world *world, const struct cn_shape_def *shape,
    cn_vec3 position, cn_vec3 along, struct cn_query_hit *hit)
{
    struct cn_query query = cn_query_make(CN_QUERY_CAST);
    query.position = position;
    query.along = along;
    query.shape = shape;
    int count;
    return cn_world_query(world, &query, hit, &count, NULL) == CN_OK && count > 0;
}

int
cn_world_overlap(const struct cn_world *world, const struct cn_shape_def *shape, cn_vec3 position,
    struct cn_query_hit *hits, int hit_max)
{
    struct cn_query query = cn_query_make(CN_QUERY_OVERLAP);
    query.position = position;
    query.shape = shape;
    query.hit_max = hit_max;
    int count;
    return cn_world_query(world, &query, hits, &count, NULL) == CN_OK ? count : 0;
}
