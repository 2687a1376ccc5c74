/* sphere.c: a ball about the origin of the shape's frame; a disc in the plane. */
#include "engine/math/scalar.h"
#include "engine/shape/shape_kind.h"

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    return cn_shape_check_number(defect, "sphere.radius", def->sphere.radius, 0.5 * CN_SIZE_MIN,
        0.5 * CN_SIZE_MAX, "a radius", "m");
}

static int
vertex_count(const struct cn_shape_def *def)
{
    (void)def;
    return 1;
}

static struct cn_area
area(const struct cn_shape_def *def)
{
    double rr = def->sphere.radius * def->sphere.radius;
    return (struct cn_area){
        .area = CN_PI * rr, .center = {0.0, 0.0}, .second_moment = 0.5 * CN_PI * rr * rr};
}

static void
set_size(const struct cn_shape_def *def, struct cn_shape *shape)
{
    shape->radius = def->sphere.radius;
    shape->width = 2.0 * def->sphere.radius;
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    vertex[0] = cn_vec2_make(0.0, 0.0);
    set_size(def, shape);
}

static struct cn_volume
volume(const struct cn_shape_def *def)
{
    double r = def->sphere.radius, v = 4.0 / 3.0 * CN_PI * r * r * r, moment = 0.4 * v * r * r;
    return (struct cn_volume){.volume = v, .inertia = cn_mat33_diagonal(moment, moment, moment)};
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    hull->vertex_count = 1;
    hull->face_count = 0;
    hull->vertex[0] = cn_vec3_make(0.0, 0.0, 0.0);
    set_size(def, shape);
    return true;
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};
static const struct cn_shape_spatial_ops spatial = {check, volume, core};

const struct cn_shape_ops cn_shape_ops_sphere = {.planar = &planar, .spatial = &spatial};
