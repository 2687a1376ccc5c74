/* box.c: a rectangle about the origin of the shape's frame. Its core is a polygon of 4. */
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

const struct cn_shape_ops cn_shape_ops_box = {check, vertex_count, area, bake};
