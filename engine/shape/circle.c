/* circle.c: a disc about the origin of the shape's frame. Its core is the centre. */
#include "engine/math/scalar.h"
#include "engine/shape/shape_kind.h"

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    return cn_shape_check_number(defect, "circle.radius", def->circle.radius, 0.5 * CN_SIZE_MIN,
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
    double rr = def->circle.radius * def->circle.radius;
    return (struct cn_area){
        .area = CN_PI * rr, .center = {0.0, 0.0}, .second_moment = 0.5 * CN_PI * rr * rr};
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    vertex[0] = cn_vec2_make(0.0, 0.0);
    shape->radius = def->circle.radius;
    shape->width = 2.0 * def->circle.radius;
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};

const struct cn_shape_ops cn_shape_ops_circle = {.planar = &planar, .instead = "sphere"};
