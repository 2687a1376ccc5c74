/* shape.c: what all kinds of shapes have in common: placement, normals, mass, bounds. */
#include "engine/shape/shape.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/shape_kind.h"

#include <stddef.h>

#define UNBOUNDED 1e30

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

enum cn_status
cn_shape_check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    if ((unsigned)def->kind >= CN_SHAPE_KIND_COUNT) {
        return cn_defect_set(defect, CN_UNKNOWN, "shape", "is of kind %d; a kind is from 0 to %d",
            (int)def->kind, CN_SHAPE_KIND_COUNT - 1);
    }
    const struct {
        const char *path;
        double value, low, high;
        const char *what, *unit;
    } placement[] = {
        {"position.x", def->position.x, -CN_SIZE_MAX, CN_SIZE_MAX, "a shape's position", "m"},
        {"position.y", def->position.y, -CN_SIZE_MAX, CN_SIZE_MAX, "a shape's position", "m"},
        {"angle", def->angle, -1e6, 1e6, "an angle", "rad"},
        {"density", def->density, 0.0, CN_DENSITY_MAX, "a density", "kg/m^2"},
    };
    for (size_t i = 0; i < sizeof(placement) / sizeof(placement[0]); i++) {
        enum cn_status status = cn_shape_check_number(defect, placement[i].path, placement[i].value,
            placement[i].low, placement[i].high, placement[i].what, placement[i].unit);
        if (status != CN_OK) {
            return status;
        }
    }
    return cn_shape_ops_of(def->kind)->check(def, defect);
}

int
cn_shape_vertex_count(const struct cn_shape_def *def)
{
    return cn_shape_ops_of(def->kind)->vertex_count(def);
}

/* The shape's frame in the frame of its body. */
static cn_pose
placement_of(const struct cn_shape_def *def)
{
    double s, c;
    cn_sin_cos(def->angle, &s, &c);
    return (cn_pose){{def->position.x, def->position.y, 0.0}, cn_mat33_about_z(s, c)};
}

static cn_vec2
turn(const cn_pose *pose, cn_vec2 v)
{
    cn_vec3 turned = cn_pose_turn(pose, (cn_vec3){v.x, v.y, 0.0});
    return cn_vec2_make(turned.x, turned.y);
}

struct cn_mass_properties
cn_shape_mass(const struct cn_shape_def *def, double density)
{
    struct cn_area area = cn_shape_ops_of(def->kind)->area(def);
    struct cn_mass_properties mass = {0};
    if (area.area > 0.0) {
        cn_pose placement = placement_of(def);
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
    /* Parallel axes: each part adds its own moment and m d^2 of its centre. */
    for (int i = 0; i < part_count; i++) {
        cn_vec3 d = cn_vec3_sub(parts[i].center, sum.center);
        sum.inertia.cz.z += parts[i].inertia.cz.z + parts[i].mass * (d.x * d.x + d.y * d.y);
    }
    return sum;
}

/* Outward unit normals of the core's edges; a segment has two, back to back. */
static void
outline_normals(const cn_vec2 *vertex, int count, cn_vec2 *normal)
{
    for (int i = 0; i < count; i++) {
        cn_vec2 edge = cn_vec2_sub(vertex[(i + 1) % count], vertex[i]);
        double length = cn_vec2_length(edge);
        normal[i] = (cn_vec2){0.0, 0.0}; /* of a single vertex */
        if (count > 1) {
            CN_ASSERT(length > 0.0);
            normal[i] = cn_vec2_scale(cn_vec2_right(edge), 1.0 / length);
        }
    }
}

void
cn_shape_bake(const struct cn_shape_def *def, int body, cn_vec3 center, cn_vec2 *vertex,
    cn_vec2 *normal, struct cn_shape *shape)
{
    *shape = (struct cn_shape){
        .kind = def->kind,
        .body = body,
        .material = def->material,
        .vertex_count = cn_shape_vertex_count(def),
        .vertex = vertex,
        .normal = normal,
    };
    cn_shape_ops_of(def->kind)->bake(def, vertex, shape);

    /* Normals come from the shape's own frame, where a box's are exact. */
    outline_normals(vertex, shape->vertex_count, normal);
    cn_pose placement = placement_of(def);
    cn_vec2 shift = {placement.position.x - center.x, placement.position.y - center.y};
    for (int i = 0; i < shape->vertex_count; i++) {
        vertex[i] = cn_vec2_add(turn(&placement, vertex[i]), shift);
        normal[i] = turn(&placement, normal[i]);
        shape->reach = cn_max(shape->reach, cn_vec2_length(vertex[i]) + shape->radius);
    }
    if (shape->vertex_count == 0) {
        shape->plane_normal = turn(&placement, shape->plane_normal);
        shape->plane_offset += cn_vec2_dot(shape->plane_normal, shift);
    }
}

static cn_aabb
plane_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    cn_aabb box = {{-UNBOUNDED, -UNBOUNDED, -UNBOUNDED}, {UNBOUNDED, UNBOUNDED, UNBOUNDED}};
    cn_vec2 normal = turn(pose, shape->plane_normal);
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

cn_aabb
cn_shape_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin)
{
    if (shape->vertex_count == 0) {
        return plane_aabb(shape, pose, margin);
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
