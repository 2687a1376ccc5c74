/*
 * box.c: a rectangle or a cuboid about the origin of the shape's frame, radius 0.
 *
 * Vertex i of the cuboid is at the upper end of x, y and z where bit 0, 1 and 2 of i are set.
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/shape/shape_kind.h"

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    enum cn_status status = cn_shape_check_number(
        defect, "box.size.x", def->box.size.x, CN_SIZE_MIN, CN_SIZE_MAX, "a size", "m");
    if (status != CN_OK) {
        return status;
    }
    return cn_shape_check_number(
        defect, "box.size.y", def->box.size.y, CN_SIZE_MIN, CN_SIZE_MAX, "a size", "m");
}

static int
vertex_count(const struct cn_shape_def *def)
{
    (void)def;
    return 4;
}

static struct cn_area
area(const struct cn_shape_def *def)
{
    double w = def->box.size.x, h = def->box.size.y;
    return (struct cn_area){
        .area = w * h, .center = {0.0, 0.0}, .second_moment = w * h * (w * w + h * h) / 12.0};
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    double x = 0.5 * def->box.size.x, y = 0.5 * def->box.size.y;
    vertex[0] = cn_vec2_make(-x, -y);
    vertex[1] = cn_vec2_make(x, -y);
    vertex[2] = cn_vec2_make(x, y);
    vertex[3] = cn_vec2_make(-x, y);
    shape->radius = 0.0;
    shape->width = cn_min(def->box.size.x, def->box.size.y);
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};

static enum cn_status
check_cuboid(const struct cn_shape_def *def, struct cn_defect *defect)
{
    enum cn_status status = check(def, defect);
    return status == CN_OK ? cn_shape_check_number(defect, "box.size.z", def->box.size.z,
                                 CN_SIZE_MIN, CN_SIZE_MAX, "a size", "m")
                           : status;
}

static struct cn_volume
volume(const struct cn_shape_def *def)
{
    cn_vec3 s = def->box.size;
    double v = s.x * s.y * s.z, xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
    return (struct cn_volume){.volume = v,
        .inertia =
            cn_mat33_diagonal(v * (yy + zz) / 12.0, v * (xx + zz) / 12.0, v * (xx + yy) / 12.0)};
}

void
cn_hull_box(cn_vec3 low, cn_vec3 high, struct cn_hull *hull)
{
    CN_ASSERT(low.x < high.x && low.y < high.y && low.z < high.z);
    static const uint8_t loops[6][4] = {
        {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    hull->vertex_count = 8;
    hull->face_count = 6;
    for (int i = 0; i < 8; i++) {
        hull->vertex[i] = cn_vec3_make(
            i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
    for (int i = 0; i < 6; i++) {
        hull->face_size[i] = 4;
        for (int k = 0; k < 4; k++) {
            hull->loop[4 * i + k] = loops[i][k];
        }
    }
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    cn_vec3 half = cn_vec3_scale(def->box.size, 0.5);
    cn_hull_box(cn_vec3_negate(half), half, hull);
    shape->radius = 0.0;
    shape->width = cn_min(cn_min(def->box.size.x, def->box.size.y), def->box.size.z);
    return true;
}

static const struct cn_shape_spatial_ops spatial = {check_cuboid, volume, core};

const struct cn_shape_ops cn_shape_ops_box = {.planar = &planar, .spatial = &spatial};
