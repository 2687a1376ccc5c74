/*
 * plane.c: a half plane or half space, solid where normal . x <= offset. It has no mass.
 *
 * A normal written with a few digits is accepted and normalised; the offset is measured along the
 * unit normal.
 */
#include "engine/base/assert.h"
#include "engine/shape/shape_kind.h"

#define LENGTH_ERROR_MAX 1e-3

static double
normal_length(const struct cn_shape_def *def)
{
    return cn_vec2_length(cn_vec2_make(def->plane.normal.x, def->plane.normal.y));
}

static enum cn_status
check_offset(const struct cn_shape_def *def, struct cn_defect *defect)
{
    return cn_shape_check_number(defect, "plane.offset", def->plane.offset, -CN_COORDINATE_MAX,
        CN_COORDINATE_MAX, "an offset", "m");
}

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    const char *const path[2] = {"plane.normal.x", "plane.normal.y"};
    const double value[2] = {def->plane.normal.x, def->plane.normal.y};
    for (int i = 0; i < 2; i++) {
        enum cn_status status = cn_shape_check_number(
            defect, path[i], value[i], -1.001, 1.001, "a component of a unit vector", "");
        if (status != CN_OK) {
            return status;
        }
    }
    if (!(fabs(normal_length(def) - 1.0) <= LENGTH_ERROR_MAX)) {
        return cn_defect_set(defect, CN_GEOMETRY, "plane.normal",
            "has length %.9g; a normal is a unit vector, e.g. {x: 0, y: 1}", normal_length(def));
    }
    return check_offset(def, defect);
}

static int
vertex_count(const struct cn_shape_def *def)
{
    (void)def;
    return 0;
}

static struct cn_area
area(const struct cn_shape_def *def)
{
    (void)def;
    return (struct cn_area){0};
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    (void)vertex;
    cn_vec2 normal = {def->plane.normal.x, def->plane.normal.y};
    CN_ASSERT(fabs(normal_length(def) - 1.0) <= LENGTH_ERROR_MAX); /* checked */
    shape->plane_normal = cn_vec2_scale(normal, 1.0 / normal_length(def));
    shape->plane_offset = def->plane.offset;
    shape->width = HUGE_VAL;
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};

static enum cn_status
check_half_space(const struct cn_shape_def *def, struct cn_defect *defect)
{
    static const char *const path[3] = {"plane.normal.x", "plane.normal.y", "plane.normal.z"};
    const double value[3] = {def->plane.normal.x, def->plane.normal.y, def->plane.normal.z};
    for (int i = 0; i < 3; i++) {
        enum cn_status status = cn_shape_check_number(
            defect, path[i], value[i], -1.001, 1.001, "a component of a unit vector", "");
        if (status != CN_OK) {
            return status;
        }
    }
    double size = cn_vec3_length(def->plane.normal);
    if (!(fabs(size - 1.0) <= LENGTH_ERROR_MAX)) {
        return cn_defect_set(defect, CN_GEOMETRY, "plane.normal",
            "has length %.9g; a normal is a unit vector, e.g. {x: 0, y: 1, z: 0}", size);
    }
    return check_offset(def, defect);
}

static struct cn_volume
volume(const struct cn_shape_def *def)
{
    (void)def;
    return (struct cn_volume){0};
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    (void)def;
    hull->vertex_count = hull->face_count = 0;
    shape->width = HUGE_VAL;
    return false;
}

static const struct cn_shape_spatial_ops spatial = {check_half_space, volume, core};

const struct cn_shape_ops cn_shape_ops_plane = {.planar = &planar, .spatial = &spatial};
