/*
 * polygon.c: a convex polygon, counter-clockwise, radius 0.
 *
 * An outline that turns right or crosses itself is refused, because it is not convex.  One that
 * turns by less than SINE_TURN_MIN is refused, because rounding can not distinguish the two faces.
 * One thinner than THICKNESS_RATIO_MIN of its diameter is refused, because rounding spoils its
 * normals and its mass.
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/shape/shape_kind.h"

#include <stdio.h>

#define SINE_TURN_MIN 1e-6
#define EDGE_RATIO_MIN 1e-6
#define THICKNESS_RATIO_MIN 1e-3
#define PATH_SIZE 48

static cn_vec2
vertex_at(const struct cn_shape_def *def, int index)
{
    const cn_vec3 *v = &def->polygon.vertices[index % def->polygon.vertex_count];
    return cn_vec2_make(v->x, v->y);
}

/*
 * By triangles from vertex 0, with p and q the two other corners:
 *
 *     area = sum (p x q) / 2,   area c = sum (p x q) (p + q) / 6
 *     polar moment about vertex 0 = sum (p x q) (p.p + p.q + q.q) / 12
 */
static struct cn_area
area(const struct cn_shape_def *def)
{
    cn_vec2 origin = vertex_at(def, 0), first_moment = {0.0, 0.0};
    double twice = 0.0, moment = 0.0;
    for (int i = 1; i + 1 < def->polygon.vertex_count; i++) {
        cn_vec2 p = cn_vec2_sub(vertex_at(def, i), origin);
        cn_vec2 q = cn_vec2_sub(vertex_at(def, i + 1), origin);
        double cross = cn_vec2_cross(p, q);
        twice += cross;
        first_moment = cn_vec2_add_scaled(first_moment, cross / 6.0, cn_vec2_add(p, q));
        moment += cross / 12.0 * (cn_vec2_dot(p, p) + cn_vec2_dot(p, q) + cn_vec2_dot(q, q));
    }
    double whole = 0.5 * twice;
    cn_vec2 center = cn_vec2_scale(first_moment, 1.0 / whole);
    return (struct cn_area){.area = whole,
        .center = cn_vec2_add(origin, center),
        .second_moment = moment - whole * cn_vec2_dot(center, center)};
}

static double
diameter(const struct cn_shape_def *def)
{
    double longest = 0.0;
    for (int i = 0; i < def->polygon.vertex_count; i++) {
        for (int j = 0; j < i; j++) {
            double distance = cn_vec2_length(cn_vec2_sub(vertex_at(def, i), vertex_at(def, j)));
            longest = cn_max(longest, distance);
        }
    }
    return longest;
}

/* The least extent of a convex outline, measured along the normals of its edges. */
static double
thickness(const struct cn_shape_def *def)
{
    double least = HUGE_VAL;
    for (int i = 0; i < def->polygon.vertex_count; i++) {
        cn_vec2 edge = cn_vec2_sub(vertex_at(def, i + 1), vertex_at(def, i));
        double farthest = 0.0;
        for (int j = 0; j < def->polygon.vertex_count; j++) {
            double side = cn_vec2_cross(edge, cn_vec2_sub(vertex_at(def, j), vertex_at(def, i)));
            farthest = cn_max(farthest, side);
        }
        least = cn_min(least, farthest / cn_vec2_length(edge));
    }
    return least;
}

static enum cn_status
check_coordinates(const struct cn_shape_def *def, struct cn_defect *defect)
{
    for (int i = 0; i < def->polygon.vertex_count; i++) {
        const double value[2] = {vertex_at(def, i).x, vertex_at(def, i).y};
        for (int k = 0; k < 2; k++) {
            char path[PATH_SIZE];
            snprintf(path, sizeof(path), "polygon.vertices[%d].%c", i, "xy"[k]);
            enum cn_status status = cn_shape_check_number(
                defect, path, value[k], -CN_SIZE_MAX, CN_SIZE_MAX, "a vertex's coordinate", "m");
            if (status != CN_OK) {
                return status;
            }
        }
    }
    return CN_OK;
}

/* Checks that neighbours do not coincide and that the outline turns left at every corner. */
static enum cn_status
check_turns(const struct cn_shape_def *def, double edge_min, struct cn_defect *defect)
{
    int n = def->polygon.vertex_count;
    for (int k = 0; k < n; k++) {
        int i = (k + 1) % n; /* the corner between the edges k and i */
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "polygon.vertices[%d]", i);
        cn_vec2 in = cn_vec2_sub(vertex_at(def, i), vertex_at(def, k));
        cn_vec2 out = cn_vec2_sub(vertex_at(def, i + 1), vertex_at(def, i));
        double in_length = cn_vec2_length(in), out_length = cn_vec2_length(out);
        if (!(in_length >= edge_min)) {
            return cn_defect_set(defect, CN_GEOMETRY, path,
                "is %.3g m from vertices[%d]; neighbours are at least %.3g m apart", in_length, k,
                edge_min);
        }
        if (!(out_length >= edge_min)) {
            continue; /* the check of the next corner reports it */
        }
        double turn = cn_vec2_cross(in, out) / (in_length * out_length);
        if (turn < -SINE_TURN_MIN) {
            return cn_defect_set(defect, CN_GEOMETRY, path,
                "turns the outline to the right; a polygon is convex (several shapes make one "
                "body)");
        }
        if (turn <= SINE_TURN_MIN) {
            return cn_defect_set(defect, CN_GEOMETRY, path,
                "lies on a line with its neighbours; every vertex is a corner");
        }
    }
    return CN_OK;
}

/* Left turns alone would allow an outline that goes around twice. */
static enum cn_status
check_simple(const struct cn_shape_def *def, struct cn_defect *defect)
{
    int n = def->polygon.vertex_count;
    for (int i = 0; i < n; i++) {
        cn_vec2 edge = cn_vec2_sub(vertex_at(def, i + 1), vertex_at(def, i));
        for (int j = 0; j < n; j++) {
            bool on_edge = j == i || j == (i + 1) % n;
            if (!on_edge &&
                !(cn_vec2_cross(edge, cn_vec2_sub(vertex_at(def, j), vertex_at(def, i))) > 0.0)) {
                return cn_defect_set(defect, CN_GEOMETRY, "polygon.vertices",
                    "cross themselves: vertices[%d] is not left of the edge from vertices[%d]; a "
                    "polygon is convex",
                    j, i);
            }
        }
    }
    return CN_OK;
}

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    const char *path = "polygon.vertices";
    int n = def->polygon.vertex_count;
    if (n < 3 || n > CN_POLYGON_VERTICES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, path, "has %d entries; a polygon has 3 to %d", n,
            CN_POLYGON_VERTICES_MAX);
    }
    enum cn_status status = check_coordinates(def, defect);
    if (status != CN_OK) {
        return status;
    }
    double longest = diameter(def);
    if (!(longest >= CN_SIZE_MIN && longest <= CN_SIZE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, path,
            "are up to %.9g m apart; a diameter is from %.9g to %.9g m", longest, CN_SIZE_MIN,
            CN_SIZE_MAX);
    }
    if (area(def).area < 0.0) {
        return cn_defect_set(
            defect, CN_GEOMETRY, path, "are clockwise; list them counter-clockwise");
    }
    status = check_turns(def, EDGE_RATIO_MIN * longest, defect);
    if (status != CN_OK) {
        return status;
    }
    status = check_simple(def, defect);
    if (status != CN_OK) {
        return status;
    }
    double least = cn_max(CN_SIZE_MIN, THICKNESS_RATIO_MIN * longest);
    if (!(thickness(def) >= least)) {
        return cn_defect_set(defect, CN_GEOMETRY, path,
            "span a sliver %.3g m thick; a polygon of this diameter is at least %.3g m thick",
            thickness(def), least);
    }
    return CN_OK;
}

static int
vertex_count(const struct cn_shape_def *def)
{
    return def->polygon.vertex_count;
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    CN_ASSERT(3 <= def->polygon.vertex_count);
    CN_ASSERT(def->polygon.vertex_count <= CN_POLYGON_VERTICES_MAX); /* checked */
    for (int i = 0; i < def->polygon.vertex_count; i++) {
        vertex[i] = vertex_at(def, i);
    }
    shape->radius = 0.0;
    shape->width = thickness(def);
}

static const struct cn_shape_planar_ops planar = {check, vertex_count, area, bake, NULL};

const struct cn_shape_ops cn_shape_ops_polygon = {.planar = &planar, .instead = "hull"};
