/*
 * hull.c: the convex hull of given points, radius 0.
 *
 * It refuses what hull_build.h refuses.  It also refuses a hull thinner than THICKNESS_RATIO_MIN of
 * its diameter, because rounding spoils the normals and the mass of such a hull, as for polygons.
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/shape/hull_build.h"
#include "engine/shape/shape_kind.h"

#include <stdio.h>

#define THICKNESS_RATIO_MIN 1e-3
#define PATH "hull.vertices"
#define PATH_SIZE 48

static enum cn_status
check_coordinates(const struct cn_shape_def *def, struct cn_defect *defect)
{
    for (int i = 0; i < def->hull.vertex_count; i++) {
        cn_vec3 v = def->hull.vertices[i];
        const double value[3] = {v.x, v.y, v.z};
        for (int k = 0; k < 3; k++) {
            char path[PATH_SIZE];
            snprintf(path, sizeof(path), PATH "[%d].%c", i, "xyz"[k]);
            enum cn_status status = cn_shape_check_number(
                defect, path, value[k], -CN_SIZE_MAX, CN_SIZE_MAX, "a vertex's coordinate", "m");
            if (status != CN_OK) {
                return status;
            }
        }
    }
    return CN_OK;
}

static double
diameter(const struct cn_hull *hull)
{
    double longest = 0.0;
    for (int i = 0; i < hull->vertex_count; i++) {
        for (int k = 0; k < i; k++) {
            cn_vec3 between = cn_vec3_sub(hull->vertex[i], hull->vertex[k]);
            longest = cn_max(longest, cn_vec3_length(between));
        }
    }
    return longest;
}

/* The least extent along a face's normal [m]. */
static double
thickness(const struct cn_hull *hull)
{
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    struct cn_edge edge[CN_HULL_EDGES_MAX];
    struct cn_face face[CN_HULL_FACES_MAX];
    struct cn_corner corner[2 * CN_HULL_EDGES_MAX];
    struct cn_polytope_store store = {vertex, edge, face, corner};
    const cn_pose still = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    struct cn_polytope polytope;
    cn_polytope_make(hull, &still, &store, &polytope);
    return cn_polytope_thickness(&polytope);
}

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    struct cn_hull hull;
    int count = def->hull.vertex_count;
    if (count < 4 || count > CN_HULL_POINTS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, PATH, "has %d entries; a hull is of 4 to %d points",
            count, CN_HULL_POINTS_MAX);
    }
    enum cn_status status = check_coordinates(def, defect);
    if (status != CN_OK) {
        return status;
    }
    status = cn_hull_build(def->hull.vertices, count, PATH, &hull, defect);
    if (status != CN_OK) {
        return status;
    }
    double longest = diameter(&hull);
    if (!(longest >= CN_SIZE_MIN && longest <= CN_SIZE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, PATH,
            "are up to %.9g m apart; a diameter is from %.9g to %.9g m", longest, CN_SIZE_MIN,
            CN_SIZE_MAX);
    }
    double least = cn_max(CN_SIZE_MIN, THICKNESS_RATIO_MIN * longest);
    if (!(thickness(&hull) >= least)) {
        return cn_defect_set(defect, CN_GEOMETRY, PATH,
            "span a sliver %.3g m thick; a hull of this diameter is at least %.3g m thick",
            thickness(&hull), least);
    }
    return CN_OK;
}

static void
build_hull(const struct cn_shape_def *def, struct cn_hull *hull)
{
    enum cn_status status =
        cn_hull_build(def->hull.vertices, def->hull.vertex_count, PATH, hull, NULL);
    CN_ASSERT(status == CN_OK); /* the check has built it before */
}

static struct cn_volume
volume(const struct cn_shape_def *def)
{
    struct cn_hull hull;
    int triangle[2 * CN_HULL_EDGES_MAX][3], count = 0;
    build_hull(def, &hull);
    const uint8_t *loop = hull.loop;
    for (int i = 0; i < hull.face_count; i++) {
        for (int k = 1; k + 1 < hull.face_size[i]; k++, count++) {
            triangle[count][0] = loop[0];
            triangle[count][1] = loop[k];
            triangle[count][2] = loop[k + 1];
        }
        loop += hull.face_size[i];
    }
    CN_ASSERT(count == cn_hull_corner_count(&hull) - 2 * hull.face_count);
    return cn_mesh_volume(hull.vertex, triangle, count);
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    build_hull(def, hull);
    shape->radius = 0.0;
    shape->width = thickness(hull);
    return true;
}

static const struct cn_shape_spatial_ops spatial = {check, volume, core};

const struct cn_shape_ops cn_shape_ops_hull = {.spatial = &spatial, .instead = "polygon"};
