/* shape.c: converts a shape of a scene or a query to the engine's definition. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

#include <string.h>

static cn_vec3
vector_of(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

static enum cn_status
check_most(struct cn_defect *defect, const char *path, size_t count, size_t most)
{
    if (count > most) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "has %zu entries; at most %zu are accepted", count, most);
    }
    return CN_OK;
}

enum cn_status
scene_shape_count(const Cairn__V1__Shape *shape, size_t *vertex_count, struct cn_defect *defect)
{
    switch (shape->shape_case) {
    case CAIRN__V1__SHAPE__SHAPE_POLYGON:
        *vertex_count += shape->polygon->n_vertices;
        return check_most(
            defect, "polygon.vertices", shape->polygon->n_vertices, CN_POLYGON_VERTICES_MAX);
    case CAIRN__V1__SHAPE__SHAPE_HULL:
        *vertex_count += shape->hull->n_vertices;
        return check_most(defect, "hull.vertices", shape->hull->n_vertices, CN_HULL_POINTS_MAX);
    case CAIRN__V1__SHAPE__SHAPE_OUTLINE:
        *vertex_count += shape->outline->n_points;
        return check_most(
            defect, "outline.points", shape->outline->n_points, CN_POLYGON_VERTICES_MAX);
    case CAIRN__V1__SHAPE__SHAPE_CHAIN:
        *vertex_count += shape->chain->n_points;
        return check_most(defect, "chain.points", shape->chain->n_points, CN_POLYGON_VERTICES_MAX);
    default:
        return CN_OK;
    }
}

/* Every kind of shape; the engine's table has the same names. */
static enum cn_status
refuse_formless(struct cn_defect *defect)
{
#define X(name, NAME, text) " " #name
    return cn_defect_set(
        defect, CN_GEOMETRY, "", "has no form; one of these is accepted:" CN_SHAPE_TABLE(X));
#undef X
}

static void
fill_boundary(Cairn__V1__Shape__Point **points, size_t count, bool closed, cn_vec3 **vertices,
    struct cn_shape_def *def)
{
    CN_ASSERT(count <= CN_POLYGON_VERTICES_MAX);
    def->boundary.points = *vertices;
    def->boundary.point_count = (int)count;
    def->boundary.closed = closed;
    for (size_t i = 0; i < count; i++) {
        *(*vertices)++ = cn_vec3_make(points[i]->x, points[i]->y, points[i]->bulge);
    }
}

static enum cn_status
fill_form(const Cairn__V1__Shape *shape, cn_vec3 **vertices, struct cn_shape_def *def,
    struct cn_defect *defect)
{
    switch (shape->shape_case) {
    case CAIRN__V1__SHAPE__SHAPE_CIRCLE:
        def->kind = CN_SHAPE_CIRCLE;
        def->circle.radius = shape->circle->radius;
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_CAPSULE:
        def->kind = CN_SHAPE_CAPSULE;
        def->capsule.radius = shape->capsule->radius;
        def->capsule.length = shape->capsule->length;
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_BOX:
        def->kind = CN_SHAPE_BOX;
        def->box.size = vector_of(shape->box->size);
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_POLYGON:
        def->kind = CN_SHAPE_POLYGON;
        def->polygon.vertices = *vertices;
        def->polygon.vertex_count = (int)shape->polygon->n_vertices;
        for (size_t i = 0; i < shape->polygon->n_vertices; i++) {
            *(*vertices)++ = vector_of(shape->polygon->vertices[i]);
        }
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_PLANE:
        def->kind = CN_SHAPE_PLANE;
        def->plane.normal = vector_of(shape->plane->normal);
        def->plane.offset = shape->plane->offset;
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_SPHERE:
        def->kind = CN_SHAPE_SPHERE;
        def->sphere.radius = shape->sphere->radius;
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_HULL:
        def->kind = CN_SHAPE_HULL;
        def->hull.vertices = *vertices;
        def->hull.vertex_count = (int)shape->hull->n_vertices;
        for (size_t i = 0; i < shape->hull->n_vertices; i++) {
            *(*vertices)++ = vector_of(shape->hull->vertices[i]);
        }
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_OUTLINE:
        def->kind = CN_SHAPE_OUTLINE;
        fill_boundary(shape->outline->points, shape->outline->n_points, true, vertices, def);
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_CHAIN:
        def->kind = CN_SHAPE_CHAIN;
        fill_boundary(
            shape->chain->points, shape->chain->n_points, shape->chain->closed, vertices, def);
        return CN_OK;
    case CAIRN__V1__SHAPE__SHAPE_MESH:
        def->kind = CN_SHAPE_MESH; /* scene_find_mesh finds the mesh */
        return CN_OK;
    default:
        return refuse_formless(defect);
    }
}

struct cn_filter
scene_filter_of(const Cairn__V1__Filter *filter)
{
    struct cn_filter out = CN_FILTER_DEFAULT;
    if (filter == NULL) {
        return out;
    }
    if (filter->category_set_case == CAIRN__V1__FILTER__CATEGORY_SET_CATEGORY) {
        out.category = filter->category;
    }
    if (filter->mask_set_case == CAIRN__V1__FILTER__MASK_SET_MASK) {
        out.mask = filter->mask;
    }
    out.group = filter->collision_group;
    return out;
}

static void
fill_meeting(const Cairn__V1__Shape *shape, struct cn_shape_def *def)
{
    def->sensor = shape->sensor;
    def->contact_events = shape->contact_events;
    def->hit_events = shape->hit_events;
    def->hit_speed_min = shape->hit_speed_min;
    def->force_events = shape->force_min_set_case == CAIRN__V1__SHAPE__FORCE_MIN_SET_FORCE_MIN;
    def->force_min = def->force_events ? shape->force_min : 0.0;
    def->stay_events = shape->stay_events;
    def->one_way = shape->one_way != NULL;
    if (def->one_way && shape->one_way->normal != NULL) {
        const Cairn__V1__Vec3 *normal = shape->one_way->normal;
        def->one_way_normal = (cn_vec3){normal->x, normal->y, normal->z};
    }
    def->has_filter = shape->filter != NULL;
    def->filter = scene_filter_of(shape->filter);
}

enum cn_status
scene_shape_fill(const Cairn__V1__Shape *shape, cn_vec3 **vertices, struct cn_shape_def *def,
    struct cn_defect *defect)
{
    bool is_dense = shape->density_set_case == CAIRN__V1__SHAPE__DENSITY_SET_DENSITY;
    enum cn_status status = fill_form(shape, vertices, def, defect);
    if (status != CN_OK) {
        return status;
    }
    /* For the engine 0 means "not given", so an explicit 0 must not reach it. */
    if (is_dense && shape->density == 0.0) {
        return cn_defect_set(
            defect, CN_RANGE, "density", "is 0; a positive number is accepted, or none at all");
    }
    def->density = is_dense ? shape->density : 0.0;
    def->position = vector_of(shape->position);
    def->angle = shape->angle;
    fill_meeting(shape, def);
    if (shape->orientation != NULL) {
        const Cairn__V1__Quat *q = shape->orientation;
        def->orientation = (cn_quat){q->w, q->x, q->y, q->z};
        if (q->w == 0.0 && q->x == 0.0 && q->y == 0.0 && q->z == 0.0) {
            return cn_defect_set(defect, CN_GEOMETRY, "orientation",
                "is all zeros; an orientation is a unit quaternion, e.g. {w: 1}");
        }
    }
    return CN_OK;
}

/* ---- shapes of an existing scene ---- */

int
wire_scene_shape_count(const struct wire_scene *scene, int body)
{
    const Cairn__V1__Scene *message = scene->message;
    return (size_t)body < message->n_bodies ? (int)message->bodies[body]->n_shapes : 0;
}

static enum cn_status
read_shape(const struct wire_scene *scene, const Cairn__V1__Shape *shape, cn_vec3 *vertices,
    struct cn_shape_def *def)
{
    struct cn_defect defect;
    size_t vertex_count = 0;
    memset(def, 0, sizeof(*def));
    enum cn_status status = scene_shape_count(shape, &vertex_count, &defect);
    status = status == CN_OK ? scene_shape_fill(shape, &vertices, def, &defect) : status;
    bool is_mesh = status == CN_OK && def->kind == CN_SHAPE_MESH;
    return is_mesh ? scene_find_mesh(scene, shape, def, &defect) : status;
}

void
wire_scene_shape(const struct wire_scene *scene, int body, int index, cn_vec3 *vertices,
    struct cn_shape_def *def)
{
    CN_ASSERT(body >= 0 && (size_t)body < scene->message->n_bodies);
    CN_ASSERT(index >= 0 && (size_t)index < scene->message->bodies[body]->n_shapes);
    const Cairn__V1__Shape *shape = scene->message->bodies[body]->shapes[index];
    enum cn_status status = read_shape(scene, shape, vertices, def);
    CN_ASSERT(status == CN_OK);
}

bool
scene_check_shapes(const struct wire_scene *scene)
{
    cn_vec3 vertices[WIRE_SHAPE_VERTICES_MAX];
    struct cn_shape_def def;
    const Cairn__V1__Scene *message = scene->message;
    for (size_t i = 0; i < message->n_bodies; i++) {
        for (size_t k = 0; k < message->bodies[i]->n_shapes; k++) {
            if (read_shape(scene, message->bodies[i]->shapes[k], vertices, &def) != CN_OK) {
                return false;
            }
        }
    }
    return true;
}
