/* bake.c: checks, places, bakes, weighs and bounds shapes of every kind (shape.h). */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/border.h"
#include "engine/shape/shape_kind.h"

#include <stddef.h>

#define UNBOUNDED 1e30

/*
 * The accepted error of a quaternion's length.  Quaternions written with few digits are normalised.
 */
#define NORM_ERROR_MAX 1e-3

enum cn_status
cn_shape_check_number(struct cn_defect *defect, const char *path, double value, double low,
    double high, const char *what, const char *unit)
{
    if (value >= low && value <= high) {
        return CN_OK;
    }
    enum cn_status status = isfinite(value) ? CN_RANGE : CN_FINITE;
    return cn_defect_set(defect, status, path, "is %.9g; %s is from %.9g to %.9g%s%s", value, what,
        low, high, unit[0] == '\0' ? "" : " ", unit);
}

static enum cn_status
refuse_kind(const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_defect *defect)
{
    const char *name = cn_shape_kind_name(def->kind);
    return cn_defect_set(defect, CN_DIMENSION, name, "is of %s worlds; a %s one has %s",
        dimension == CN_PLANAR ? "SPATIAL" : "PLANAR",
        dimension == CN_PLANAR ? "PLANAR" : "SPATIAL", cn_shape_ops_of(def->kind)->instead);
}

static bool
is_turned(cn_quat q)
{
    return q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
}

static enum cn_status
check_planar_placement(const struct cn_shape_def *def, struct cn_defect *defect)
{
    if (is_turned(def->orientation)) {
        return cn_defect_set(defect, CN_DIMENSION, "orientation",
            "is of SPATIAL worlds; in a PLANAR one a shape has an angle");
    }
    return cn_shape_check_number(defect, "angle", def->angle, -1e6, 1e6, "an angle", "rad");
}

static enum cn_status
check_spatial_placement(const struct cn_shape_def *def, struct cn_defect *defect)
{
    if (def->angle != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, "angle",
            "is of PLANAR worlds; in a SPATIAL one a shape has an orientation");
    }
    double norm = cn_quat_length(def->orientation);
    if (is_turned(def->orientation) && !(fabs(norm - 1.0) <= NORM_ERROR_MAX)) {
        return cn_defect_set(defect, isfinite(norm) ? CN_GEOMETRY : CN_FINITE, "orientation",
            "has norm %.9g; an orientation is a unit quaternion, e.g. {w: 1}", norm);
    }
    return cn_shape_check_number(defect, "position.z", def->position.z, -CN_SIZE_MAX, CN_SIZE_MAX,
        "a shape's position", "m");
}

enum cn_status
cn_shape_check(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_defect *defect)
{
    if ((unsigned)def->kind >= CN_SHAPE_KIND_COUNT) {
        return cn_defect_set(defect, CN_UNKNOWN, "shape", "is of kind %d; a kind is from 0 to %d",
            (int)def->kind, CN_SHAPE_KIND_COUNT - 1);
    }
    const struct cn_shape_ops *ops = cn_shape_ops_of(def->kind);
    if (dimension == CN_PLANAR ? ops->planar == NULL : ops->spatial == NULL) {
        return refuse_kind(def, dimension, defect);
    }
    const struct {
        const char *path;
        double value, low, high;
        const char *what, *unit;
    } placement[] = {
        {"position.x", def->position.x, -CN_SIZE_MAX, CN_SIZE_MAX, "a shape's position", "m"},
        {"position.y", def->position.y, -CN_SIZE_MAX, CN_SIZE_MAX, "a shape's position", "m"},
        {"density", def->density, 0.0, CN_DENSITY_MAX, "a density",
            dimension == CN_PLANAR ? "kg/m^2" : "kg/m^3"},
    };
    for (size_t i = 0; i < sizeof(placement) / sizeof(placement[0]); i++) {
        enum cn_status status = cn_shape_check_number(defect, placement[i].path, placement[i].value,
            placement[i].low, placement[i].high, placement[i].what, placement[i].unit);
        if (status != CN_OK) {
            return status;
        }
    }
    enum cn_status status = dimension == CN_PLANAR ? check_planar_placement(def, defect)
                                                   : check_spatial_placement(def, defect);
    if (status != CN_OK) {
        return status;
    }
    return dimension == CN_PLANAR ? ops->planar->check(def, defect)
                                  : ops->spatial->check(def, defect);
}

void
cn_shape_measure(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_shape_room *room)
{
    const struct cn_shape_ops *ops = cn_shape_ops_of(def->kind);
    CN_ASSERT(dimension == CN_PLANAR ? ops->planar != NULL : ops->spatial != NULL);
    if (dimension == CN_PLANAR) {
        room->outline_count += ops->planar->vertex_count(def);
        return;
    }
    struct cn_hull hull;
    struct cn_shape size;
    if (!ops->spatial->core(def, &hull, &size)) {
        room->face_count++;
        return;
    }
    int corner_count = cn_hull_corner_count(&hull);
    CN_ASSERT(1 <= hull.vertex_count && hull.vertex_count <= CN_HULL_VERTICES_MAX);
    CN_ASSERT(corner_count % 2 == 0); /* each edge has two */
    room->vertex_count += hull.vertex_count;
    room->edge_count += hull.face_count > 0 ? corner_count / 2 : hull.vertex_count - 1;
    room->face_count += hull.face_count;
    room->corner_count += corner_count;
    room->mesh_count += def->kind == CN_SHAPE_MESH ? 1 : 0;
}

/* The shape's frame in the frame of its body. */
static cn_pose
placement_of(const struct cn_shape_def *def, enum cn_dimension dimension)
{
    if (dimension == CN_SPATIAL) {
        cn_quat q = is_turned(def->orientation) ? def->orientation : cn_quat_identity();
        return (cn_pose){def->position, cn_quat_to_mat33(cn_quat_normalize(q))};
    }
    double s, c;
    cn_sin_cos(def->angle, &s, &c);
    return (cn_pose){{def->position.x, def->position.y, 0.0}, cn_mat33_about_z(s, c)};
}

static cn_vec2
turn_vector(const cn_pose *pose, cn_vec2 v)
{
    cn_vec3 turned = cn_pose_turn(pose, (cn_vec3){v.x, v.y, 0.0});
    return cn_vec2_make(turned.x, turned.y);
}

static struct cn_mass_properties
spatial_mass(const struct cn_shape_def *def, double density)
{
    struct cn_volume volume = cn_shape_ops_of(def->kind)->spatial->volume(def);
    cn_pose placement = placement_of(def, CN_SPATIAL);
    cn_mat33 back = cn_mat33_transpose(&placement.rotation);
    cn_mat33 turned = cn_mat33_multiply(&placement.rotation, &volume.inertia);
    turned = cn_mat33_multiply(&turned, &back);
    return (struct cn_mass_properties){
        .mass = density * volume.volume,
        .center = cn_pose_apply(&placement, volume.center),
        .inertia = {cn_vec3_scale(turned.cx, density), cn_vec3_scale(turned.cy, density),
            cn_vec3_scale(turned.cz, density)},
    };
}

struct cn_mass_properties
cn_shape_mass(const struct cn_shape_def *def, enum cn_dimension dimension, double density)
{
    CN_ASSERT(density >= 0.0);
    if (dimension == CN_SPATIAL) {
        return spatial_mass(def, density);
    }
    struct cn_area area = cn_shape_ops_of(def->kind)->planar->area(def);
    struct cn_mass_properties mass = {0};
    if (area.area > 0.0) {
        cn_pose placement = placement_of(def, CN_PLANAR);
        mass.mass = density * area.area;
        mass.center = cn_pose_apply(&placement, (cn_vec3){area.center.x, area.center.y, 0.0});
        mass.inertia.cz.z = density * area.second_moment;
    }
    return mass;
}

struct cn_mass_properties
cn_mass_properties_sum(const struct cn_mass_properties *parts, int part_count)
{
    struct cn_mass_properties sum = {0};
    for (int i = 0; i < part_count; i++) {
        sum.mass += parts[i].mass;
        sum.center = cn_vec3_add_scaled(sum.center, parts[i].mass, parts[i].center);
    }
    if (sum.mass == 0.0) {
        return (struct cn_mass_properties){0};
    }
    sum.center = cn_vec3_scale(sum.center, 1.0 / sum.mass);
    /* Parallel axes: each part adds its own inertia and m (d.d 1 - d d') of its centre. */
    for (int i = 0; i < part_count; i++) {
        cn_vec3 d = cn_vec3_sub(parts[i].center, sum.center);
        const cn_mat33 *own = &parts[i].inertia;
        double m = parts[i].mass;
        cn_mat33 *all = &sum.inertia;
        all->cx.x += own->cx.x + m * (d.y * d.y + d.z * d.z);
        all->cy.y += own->cy.y + m * (d.x * d.x + d.z * d.z);
        all->cz.z += own->cz.z + m * (d.x * d.x + d.y * d.y);
        all->cx.y += own->cx.y - m * (d.x * d.y);
        all->cx.z += own->cx.z - m * (d.x * d.z);
        all->cy.z += own->cy.z - m * (d.y * d.z);
    }
    sum.inertia.cy.x = sum.inertia.cx.y;
    sum.inertia.cz.x = sum.inertia.cx.z;
    sum.inertia.cz.y = sum.inertia.cy.z;
    return sum;
}

/* Outward unit normals of the core's edges; a segment has two, back to back. */
static void
outline_normals(const cn_vec2 *vertex, int count, cn_vec2 *normal)
{
    for (int i = 0; i < count; i++) {
        cn_vec2 edge = cn_vec2_sub(vertex[(i + 1) % count], vertex[i]);
        double length = cn_vec2_length(edge);
        normal[i] = (cn_vec2){0.0, 0.0}; /* a single vertex has none */
        if (count > 1) {
            CN_ASSERT(length > 0.0);
            normal[i] = cn_vec2_scale(cn_vec2_right(edge), 1.0 / length);
        }
    }
}

/* Edge i of a baked outline or chain. */
static struct cn_border
border_at(const struct cn_shape *shape, int i)
{
    CN_ASSERT(0 <= i && i < shape->vertex_count && shape->bulge != NULL);
    int next = (i + 1) % shape->vertex_count;
    return (struct cn_border){shape->vertex[i], shape->vertex[next], shape->bulge[i]};
}

/* Extends shape->reach by the bulges of the arcs. */
static void
reach_of_arcs(struct cn_shape *shape)
{
    for (int i = 0; i + shape->open < shape->vertex_count; i++) {
        struct cn_border edge = border_at(shape, i);
        double nearer = cn_max(cn_vec2_length(edge.from), cn_vec2_length(edge.to));
        shape->reach = cn_max(shape->reach, nearer + cn_border_sagitta(&edge));
    }
}

static void
bake_outline(const struct cn_shape_def *def, cn_vec3 center, struct cn_shape_store *store,
    struct cn_shape *shape)
{
    const struct cn_shape_planar_ops *ops = cn_shape_ops_of(def->kind)->planar;
    cn_vec2 *vertex = store->vertex, *normal = store->normal;
    shape->vertex_count = ops->vertex_count(def);
    CN_ASSERT(0 <= shape->vertex_count && shape->vertex_count <= CN_POLYGON_VERTICES_MAX);
    shape->vertex = vertex;
    shape->normal = normal;
    ops->bake(def, vertex, shape);

    /* Normals are computed in the shape's own frame, where those of a box are exact. */
    outline_normals(vertex, shape->vertex_count, normal);
    cn_pose placement = placement_of(def, CN_PLANAR);
    cn_vec2 shift = {placement.position.x - center.x, placement.position.y - center.y};
    for (int i = 0; i < shape->vertex_count; i++) {
        vertex[i] = cn_vec2_add(turn_vector(&placement, vertex[i]), shift);
        normal[i] = turn_vector(&placement, normal[i]);
        shape->reach = cn_max(shape->reach, cn_vec2_length(vertex[i]) + shape->radius);
    }
    if (ops->bulges != NULL) {
        ops->bulges(def, store->bulge);
        shape->bulge = store->bulge;
        store->bulge += shape->vertex_count;
        reach_of_arcs(shape);
    }
    if (shape->vertex_count == 0) {
        shape->plane_normal = turn_vector(&placement, shape->plane_normal);
        shape->plane_offset += cn_vec2_dot(shape->plane_normal, shift);
        return;
    }
    store->vertex += shape->vertex_count;
    store->normal += shape->vertex_count;
}

/* A half space is a polytope of one face. */
static void
bake_half_space(const struct cn_shape_def *def, const cn_pose *placement,
    struct cn_shape_store *store, struct cn_shape *shape)
{
    cn_vec3 unit = cn_vec3_scale(def->plane.normal, 1.0 / cn_vec3_length(def->plane.normal));
    cn_vec3 normal = cn_pose_turn(placement, unit);
    *store->core.face = (struct cn_face){
        .normal = normal, .offset = def->plane.offset + cn_vec3_dot(normal, placement->position)};
    shape->core = (struct cn_polytope){.face_count = 1, .face = store->core.face};
    store->core.face++;
}

static void
bake_mesh(const struct cn_shape_def *def, const cn_pose *placement, struct cn_shape_store *store,
    struct cn_shape *shape)
{
    const struct cn_mesh *mesh = def->mesh.mesh;
    CN_ASSERT(mesh != NULL && store->mesh != NULL);
    *store->mesh = (struct cn_placed_mesh){mesh, *placement};
    shape->mesh = store->mesh++;
    for (int i = 0; i < mesh->vertex_count; i++) {
        cn_vec3 vertex = cn_pose_apply(placement, mesh->vertex[i]);
        shape->reach = cn_max(shape->reach, cn_vec3_length(vertex));
    }
}

static void
bake_polytope(const struct cn_shape_def *def, cn_vec3 center, struct cn_shape_store *store,
    struct cn_shape *shape)
{
    struct cn_hull hull;
    cn_pose placement = placement_of(def, CN_SPATIAL);
    placement.position = cn_vec3_sub(placement.position, center);
    if (!cn_shape_ops_of(def->kind)->spatial->core(def, &hull, shape)) {
        bake_half_space(def, &placement, store, shape);
        return;
    }
    cn_polytope_make(&hull, &placement, &store->core, &shape->core);
    shape->vertex_count = shape->core.vertex_count;
    if (def->kind == CN_SHAPE_MESH) {
        bake_mesh(def, &placement, store, shape);
        return;
    }
    for (int i = 0; i < shape->core.vertex_count; i++) {
        double distance = cn_vec3_length(shape->core.vertex[i]);
        shape->reach = cn_max(shape->reach, distance + shape->radius);
    }
}

/* Bakes everything except the geometry. */
static void
bake_manners(const struct cn_shape_def *def, int body, struct cn_shape *shape)
{
    shape->body = body;
    shape->material = def->material;
    shape->filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT;
    shape->sensor = def->sensor;
    shape->contact_events = def->contact_events;
    shape->hit_events = def->hit_events;
    shape->hit_speed_min = def->hit_speed_min > 0.0 ? def->hit_speed_min : CN_HIT_SPEED_MIN;
    shape->force_events = def->force_events;
    shape->force_min = def->force_min;
    shape->stay_events = def->stay_events;
    shape->one_way = def->one_way;
    if (def->one_way) {
        cn_vec3 normal = def->one_way_normal;
        normal.z = shape->dimension == CN_PLANAR ? 0.0 : normal.z;
        shape->one_way_normal = cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal));
    }
}

void
cn_shape_bake_alike(const struct cn_shape_def *def, int body, const struct cn_shape *alike,
    struct cn_shape *shape)
{
    CN_ASSERT(alike->kind == def->kind && body >= 0);
    *shape = *alike;
    bake_manners(def, body, shape);
}

void
cn_shape_bake(const struct cn_shape_def *def, enum cn_dimension dimension, int body, cn_vec3 center,
    struct cn_shape_store *store, struct cn_shape *shape)
{
    CN_ASSERT(body >= -1 && cn_vec3_is_finite(center));
    *shape = (struct cn_shape){.kind = def->kind, .dimension = dimension};
    bake_manners(def, body, shape);
    if (dimension == CN_PLANAR) {
        bake_outline(def, center, store, shape);
    } else {
        bake_polytope(def, center, store, shape);
    }
    CN_ASSERT(shape->width > 0.0 && shape->radius >= 0.0);            /* shape.h, invariant 1 */
    CN_ASSERT(shape->reach >= 0.0 && isfinite(shape->reach));          /* shape.h, invariant 1 */
    CN_ASSERT(shape->dimension == dimension && shape->body == body);
}

/* A half space is bounded only where it faces along an axis. */
static cn_aabb
half_space_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    CN_ASSERT(shape->core.face_count == 1 && shape->core.face[0].corner_count == 0);
    const struct cn_face *face = &shape->core.face[0];
    cn_vec3 n = cn_pose_turn(pose, face->normal);
    double offset = face->offset + cn_vec3_dot(n, pose->position);
    cn_aabb box = {{-UNBOUNDED, -UNBOUNDED, -UNBOUNDED}, {UNBOUNDED, UNBOUNDED, UNBOUNDED}};
    double high = offset + margin, low = -offset - margin;
    if (n.y == 0.0 && n.z == 0.0) {
        *(n.x > 0.0 ? &box.high.x : &box.low.x) = n.x > 0.0 ? high : low;
    } else if (n.x == 0.0 && n.z == 0.0) {
        *(n.y > 0.0 ? &box.high.y : &box.low.y) = n.y > 0.0 ? high : low;
    } else if (n.x == 0.0 && n.y == 0.0) {
        *(n.z > 0.0 ? &box.high.z : &box.low.z) = n.z > 0.0 ? high : low;
    }
    return box;
}

static cn_aabb
polytope_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    if (shape->vertex_count == 0) {
        return half_space_aabb(shape, pose, margin);
    }
    cn_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < shape->vertex_count; i++) {
        cn_vec3 v = cn_pose_apply(pose, shape->core.vertex[i]);
        low = cn_vec3_make(cn_min(low.x, v.x), cn_min(low.y, v.y), cn_min(low.z, v.z));
        high = cn_vec3_make(cn_max(high.x, v.x), cn_max(high.y, v.y), cn_max(high.z, v.z));
    }
    double grow = shape->radius + margin;
    return (cn_aabb){
        {low.x - grow, low.y - grow, low.z - grow}, {high.x + grow, high.y + grow, high.z + grow}};
}

static cn_aabb
plane_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    cn_aabb box = {{-UNBOUNDED, -UNBOUNDED, -UNBOUNDED}, {UNBOUNDED, UNBOUNDED, UNBOUNDED}};
    cn_vec2 normal = turn_vector(pose, shape->plane_normal);
    double offset = shape->plane_offset + normal.x * pose->position.x + normal.y * pose->position.y;
    /* A half plane is bounded only where it faces along an axis. */
    if (normal.x == 0.0 && normal.y > 0.0) {
        box.high.y = offset + margin;
    } else if (normal.x == 0.0) {
        box.low.y = -offset - margin;
    } else if (normal.y == 0.0 && normal.x > 0.0) {
        box.high.x = offset + margin;
    } else if (normal.y == 0.0) {
        box.low.x = -offset - margin;
    }
    return box;
}

static cn_vec2
placed_point(const cn_pose *pose, cn_vec2 v)
{
    cn_vec3 p = cn_pose_apply(pose, (cn_vec3){v.x, v.y, 0.0});
    return cn_vec2_make(p.x, p.y);
}

static cn_aabb
border_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    cn_aabb box = {{HUGE_VAL, HUGE_VAL, -margin}, {-HUGE_VAL, -HUGE_VAL, margin}};
    for (int i = 0; i + shape->open < shape->vertex_count; i++) {
        struct cn_border edge = border_at(shape, i);
        edge.from = placed_point(pose, edge.from);
        edge.to = placed_point(pose, edge.to);
        cn_vec2 low, high;
        cn_border_bounds(&edge, &low, &high);
        box.low.x = cn_min(box.low.x, low.x - margin);
        box.low.y = cn_min(box.low.y, low.y - margin);
        box.high.x = cn_max(box.high.x, high.x + margin);
        box.high.y = cn_max(box.high.y, high.y + margin);
    }
    return box;
}

cn_aabb
cn_shape_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    if (shape->dimension == CN_SPATIAL) {
        return polytope_aabb(shape, pose, margin);
    }
    if (shape->vertex_count == 0) {
        return plane_aabb(shape, pose, margin);
    }
    if (shape->bulge != NULL) {
        return border_aabb(shape, pose, margin);
    }
    cn_vec3 low = {HUGE_VAL, HUGE_VAL, 0.0}, high = {-HUGE_VAL, -HUGE_VAL, 0.0};
    for (int i = 0; i < shape->vertex_count; i++) {
        cn_vec3 v = cn_pose_apply(pose, (cn_vec3){shape->vertex[i].x, shape->vertex[i].y, 0.0});
        low.x = cn_min(low.x, v.x);
        low.y = cn_min(low.y, v.y);
        high.x = cn_max(high.x, v.x);
        high.y = cn_max(high.y, v.y);
    }
    double grow = shape->radius + margin;
    return (cn_aabb){{low.x - grow, low.y - grow, -margin}, {high.x + grow, high.y + grow, margin}};
}
