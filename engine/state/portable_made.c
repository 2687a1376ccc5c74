#include "engine/state/portable_made.h"

#include "engine/base/assert.h"
#include "engine/solve/table/solver_table.h"

#include <stdlib.h>

/* ---- bodies made after the scene ---- */

/* The largest number of points of a shape of this kind; -1: the kind does not exist. */
static int
points_max(enum cn_shape_kind kind)
{
    if ((int)kind < 0 || kind >= CN_SHAPE_KIND_COUNT) {
        return -1;
    }
    return kind == CN_SHAPE_HULL ? CN_HULL_POINTS_MAX
           : kind == CN_SHAPE_POLYGON || kind == CN_SHAPE_OUTLINE || kind == CN_SHAPE_CHAIN
               ? CN_POLYGON_VERTICES_MAX
               : 0;
}

static struct cn_shape_def
shape_of_row(const struct cn_portable_shape *row, const cn_vec3 *points)
{
    struct cn_shape_def shape = row->def;
    switch (shape.kind) {
    case CN_SHAPE_CIRCLE:
        shape.circle.radius = row->radius;
        break;
    case CN_SHAPE_SPHERE:
        shape.sphere.radius = row->radius;
        break;
    case CN_SHAPE_CAPSULE:
        shape.capsule.radius = row->radius;
        shape.capsule.length = row->length;
        break;
    case CN_SHAPE_BOX:
        shape.box.size = row->size;
        break;
    case CN_SHAPE_PLANE:
        shape.plane.normal = row->normal;
        shape.plane.offset = row->offset;
        break;
    case CN_SHAPE_POLYGON:
        shape.polygon.vertices = points;
        shape.polygon.vertex_count = row->point_count;
        break;
    case CN_SHAPE_HULL:
        shape.hull.vertices = points;
        shape.hull.vertex_count = row->point_count;
        break;
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        shape.boundary.points = points;
        shape.boundary.point_count = row->point_count;
        shape.boundary.closed = row->closed;
        break;
    case CN_SHAPE_MESH:
        shape.mesh.index = row->mesh;
        shape.mesh.mesh = NULL;
        break;
    case CN_SHAPE_KIND_COUNT:
        break;
    }
    return shape;
}

/* Adds the fields that few shapes have. */
static enum cn_status
read_more(struct cn_reading *reading, int shape_count)
{
    for (int i = 0; i < cn_reading_rows(reading, CN_PORTABLE_SHAPE_MORE); i++) {
        struct cn_portable_shape_more more = {.row = -1};
        CN_READING_GET(reading, SHAPE_MORE, portable_shape_more, i, &more);
        if (more.row < 0 || more.row >= shape_count) {
            return CN_READING_REFUSE(
                reading, "has more of shape %d, of %d that were made", more.row, shape_count);
        }
        struct cn_shape_def *shape = &reading->shapes[more.row];
        shape->hit_speed_min = more.def.hit_speed_min;
        shape->force_events = more.def.force_events;
        shape->force_min = more.def.force_min;
        shape->stay_events = more.def.stay_events;
        shape->one_way = more.def.one_way;
        shape->one_way_normal = more.def.one_way_normal;
    }
    return CN_OK;
}

enum cn_status
cn_reading_shapes(struct cn_reading *reading)
{
    int count = cn_reading_rows(reading, CN_PORTABLE_SHAPE);
    int points = cn_reading_rows(reading, CN_PORTABLE_POINT);
    int point_next = 0;
    reading->shapes = cn_reading_take(reading, (size_t)count, sizeof(*reading->shapes));
    reading->points = cn_reading_take(reading, (size_t)points, sizeof(*reading->points));
    if (reading->shapes == NULL || reading->points == NULL) {
        return cn_reading_no_memory(reading);
    }
    for (int i = 0; i < points; i++) {
        struct cn_portable_point row;
        CN_READING_GET(reading, POINT, portable_point, i, &row);
        reading->points[i] = row.point;
    }
    for (int i = 0; i < count; i++) {
        struct cn_portable_shape row = {.point_count = 0};
        CN_READING_GET(reading, SHAPE, portable_shape, i, &row);
        if (row.point_count < 0 || row.point_count > points_max(row.def.kind) ||
            row.point_count > points - point_next) {
            return CN_READING_REFUSE(reading,
                "shape %d of what was made is of kind %d and has %d points", i, (int)row.def.kind,
                row.point_count);
        }
        reading->shapes[i] = shape_of_row(&row, reading->points + point_next);
        point_next += row.point_count;
        CN_ASSERT(point_next <= points);
    }
    CN_CHECK(read_more(reading, count));
    return point_next == points ? CN_OK : CN_READING_REFUSE(reading, "has points of no shape");
}

/*
 * Records the data on which the cache's names of pairs depend: a shape's body, and whether it has
 * pieces.
 */
static void
note_shapes(struct cn_reading *reading, int slot, const struct cn_body_def *def)
{
    CN_ASSERT(0 <= slot && slot < reading->scene.body_slots);
    static const struct cn_placed_mesh some_mesh;
    static const double some_bulge = 0.0;
    struct cn_model *model = &reading->shadow.model;
    CN_ASSERT(model->body[slot].shape_first + def->shape_count <= model->shape_count);
    for (int k = 0; k < def->shape_count; k++) {
        enum cn_shape_kind kind = def->shapes[k].kind;
        model->shape[model->body[slot].shape_first + k] = (struct cn_shape){.body = slot,
            .kind = kind,
            .sensor = def->shapes[k].sensor,
            .bulge = kind == CN_SHAPE_OUTLINE || kind == CN_SHAPE_CHAIN ? &some_bulge : NULL,
            .mesh = kind == CN_SHAPE_MESH ? &some_mesh : NULL};
    }
}

enum cn_status
cn_reading_made(struct cn_reading *reading)
{
    struct cn_world *shadow = &reading->shadow;
    int count = cn_reading_rows(reading, CN_PORTABLE_MADE), shape_next = 0, wanted = 0;
    int shapes = cn_reading_rows(reading, CN_PORTABLE_SHAPE);
    struct cn_made *made = cn_reading_take(reading, (size_t)count, sizeof(*made));
    if (made == NULL) {
        return cn_reading_no_memory(reading);
    }
    for (int i = 0; i < reading->scene.body_slots; i++) {
        wanted += shadow->source[i] == CN_SOURCE_MADE ? 1 : 0;
    }
    for (int i = 0; i < count; i++) {
        struct cn_portable_made row = {.slot = -1};
        CN_READING_GET(reading, MADE, portable_made, i, &row);
        bool known = row.slot >= 0 && row.slot < reading->scene.body_slots &&
                     shadow->source[row.slot] == CN_SOURCE_MADE && shadow->made[row.slot] == NULL;
        bool fits = row.shape_count >= 0 && row.shape_count <= CN_SHAPES_PER_BODY_MAX &&
                    row.shape_count <= shapes - shape_next && row.shape_first >= 0 &&
                    row.shape_first <= reading->scene.shape_slots - row.shape_count;
        if (!known || !fits) {
            return CN_READING_REFUSE(reading, "body %d was not made, or has %d shapes from %d on",
                row.slot, row.shape_count, row.shape_first);
        }
        made[i].def = row.def;
        made[i].def.shapes = reading->shapes + shape_next;
        made[i].def.shape_count = row.shape_count;
        made[i].def.orientation = cn_quat_identity();
        shape_next += row.shape_count;
        CN_ASSERT(shape_next <= shapes);
        shadow->made[row.slot] = &made[i];
        shadow->model.body[row.slot].shape_first = row.shape_first;
        shadow->model.body[row.slot].shape_count = row.shape_count;
        note_shapes(reading, row.slot, &made[i].def);
    }
    if (count != wanted || shape_next != shapes) {
        return CN_READING_REFUSE(reading, "defines %d of %d bodies that were made", count, wanted);
    }
    return CN_OK;
}

/* ---- touching pairs ---- */

static int
compare_pairs(const void *a, const void *b)
{
    const struct cn_touch *left = a, *right = b;
    uint64_t l = cn_asleep_key_of(left->a, left->b, left->flags >> CN_TOUCH_PIECES_SHIFT);
    uint64_t r = cn_asleep_key_of(right->a, right->b, right->flags >> CN_TOUCH_PIECES_SHIFT);
    return (l > r) - (l < r);
}

static bool
may_touch(const struct cn_model *model, const struct cn_portable_touch *row)
{
    return row->a >= 0 && row->a < row->b && row->b < model->shape_count &&
           row->pieces <= 0xffffU && model->shape[row->a].body >= 0 &&
           model->shape[row->b].body >= 0;
}

enum cn_status
cn_reading_touching(struct cn_reading *reading)
{
    struct cn_world *shadow = &reading->shadow;
    struct cn_model *model = &shadow->model;
    const struct cn_solver *solver = cn_solver_find(model->settings.solver);
    shadow->production = NULL;
    if (solver == NULL || solver->kind != CN_SOLVER_BODIES) {
        return CN_OK;
    }
    size_t count = (size_t)cn_reading_rows(reading, CN_PORTABLE_TOUCH);
    size_t size = model->settings.dimension == CN_PLANAR ? sizeof(struct cn_manifold2)
                                                         : sizeof(struct cn_manifold3);
    struct cn_production *production = cn_reading_take(reading, 1, sizeof(*production));
    struct cn_touch *pair = cn_reading_take(reading, count, sizeof(*pair));
    void *manifold = cn_reading_take(reading, count, size);
    if (production == NULL || pair == NULL || manifold == NULL) {
        return cn_reading_no_memory(reading);
    }
    struct cn_pipeline *p = &production->pipeline;
    *p = (struct cn_pipeline){.model = model, .version = model->structure_version};
    for (size_t i = 0; i < count; i++) {
        struct cn_portable_touch row;
        CN_READING_GET(reading, TOUCH, portable_touch, (int)i, &row);
        if (may_touch(model, &row)) {
            pair[p->pair_count++] = (struct cn_touch){
                .a = row.a, .b = row.b, .flags = row.pieces << CN_TOUCH_PIECES_SHIFT};
        }
    }
    CN_ASSERT((size_t)p->pair_count <= count);
    qsort(pair, (size_t)p->pair_count, sizeof(*pair), compare_pairs);
    int kept = 0;
    for (int i = 0; i < p->pair_count; i++) {
        if (kept == 0 || compare_pairs(&pair[kept - 1], &pair[i]) != 0) {
            pair[kept] = pair[i];
            pair[kept].manifold = kept;
            if (model->settings.dimension == CN_PLANAR) {
                ((struct cn_manifold2 *)manifold)[kept].point_count = 1;
            } else {
                ((struct cn_manifold3 *)manifold)[kept].point_count = 1;
            }
            kept++;
        }
    }
    CN_ASSERT(0 <= kept && (size_t)kept <= count);
    p->pair = pair;
    p->pair_count = p->front_count = kept;
    p->manifold[0] = p->manifold[1] = manifold;
    shadow->production = production;
    return CN_OK;
}

