/*
 * capsule.c: a segment along local y, rounded by a radius. Its core is the segment.
 *
 * In space it is a cylinder with half balls at its ends.
 *
 * A length of 0 is allowed and makes a circle.  The core then has one vertex, so that the
 * narrowphase never sees a segment without a direction.
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/shape/shape_kind.h"

/* [m] The direction of a shorter segment would be lost in rounding. */
#define LENGTH_MIN 1e-9

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    enum cn_status status = cn_shape_check_number(defect, "capsule.radius", def->capsule.radius,
        0.5 * CN_SIZE_MIN, 0.5 * CN_SIZE_MAX, "a radius", "m");
    if (status != CN_OK) {
        return status;
    }
    double length_max = CN_SIZE_MAX - 2.0 * def->capsule.radius;
    return cn_shape_check_number(defect, "capsule.length", def->capsule.length, 0.0, length_max,
        "the length between the centres of the round ends", "m");
}

static int
vertex_count(const struct cn_shape_def *def)
{
    CN_ASSERT(def->capsule.radius > 0.0 && def->capsule.length >= 0.0); /* checked */
    return def->capsule.length < LENGTH_MIN ? 1 : 2;
}

/*
 * A rectangle 2 r by L and two half discs.  With the centroid of a half disc at d = 4 r / (3 pi)
 * from its centre, its polar moment about the capsule's centre is, by parallel axes,
 *
 *     (pi r^2 / 2) ((r^2 / 2 - d^2) + (L / 2 + d)^2) = (pi r^2 / 2) (r^2 / 2 + L^2 / 4 + L d)
 */
static struct cn_area
area(const struct cn_shape_def *def)
{
    double r = def->capsule.radius, L = def->capsule.length;
    double discs = CN_PI * r * r, rectangle = 2.0 * r * L;
    double d = 4.0 * r / (3.0 * CN_PI);
    double moment =
        discs * (0.5 * r * r + 0.25 * L * L + L * d) + rectangle * (L * L + 4.0 * r * r) / 12.0;
    return (struct cn_area){
        .area = discs + rectangle, .center = {0.0, 0.0}, .second_moment = moment};
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    double half = 0.5 * def->capsule.length;
    vertex[0] = cn_vec2_make(0.0, 0.0);
    if (vertex_count(def) == 2) {
        vertex[0] = cn_vec2_make(0.0, -half);
        vertex[1] = cn_vec2_make(0.0, half);
    }
    shape->radius = def->capsule.radius;
    shape->width = 2.0 * def->capsule.radius;
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};

/*
 * A cylinder and two half balls.  The centroid of a half ball is at d = 3 r / 8 from its centre.
 * So both half balls together have, across the axis, by parallel axes,
 *
 *     m (2 r^2 / 5 - d^2 + (L / 2 + d)^2) = m (2 r^2 / 5 + L^2 / 4 + L d)
 */
static struct cn_volume
volume(const struct cn_shape_def *def)
{
    double r = def->capsule.radius, L = def->capsule.length, rr = r * r;
    double cylinder = CN_PI * rr * L, balls = 4.0 / 3.0 * CN_PI * rr * r;
    double about_axis = 0.5 * cylinder * rr + 0.4 * balls * rr;
    double across =
        cylinder * (rr / 4.0 + L * L / 12.0) + balls * (0.4 * rr + 0.25 * L * L + 0.375 * L * r);
    return (struct cn_volume){
        .volume = cylinder + balls, .inertia = cn_mat33_diagonal(across, about_axis, across)};
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    double half = 0.5 * def->capsule.length;
    hull->vertex_count = vertex_count(def);
    hull->face_count = 0;
    hull->vertex[0] = cn_vec3_make(0.0, hull->vertex_count == 2 ? -half : 0.0, 0.0);
    hull->vertex[1] = cn_vec3_make(0.0, half, 0.0);
    shape->radius = def->capsule.radius;
    shape->width = 2.0 * def->capsule.radius;
    return true;
}

static const struct cn_shape_spatial_ops spatial = {check, volume, core};

const struct cn_shape_ops cn_shape_ops_capsule = {.planar = &planar, .spatial = &spatial};
