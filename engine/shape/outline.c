/*
 * outline.c: lines of straight edges and arcs: closed around a solid, or the surface of a wall.
 *
 *     outline  a simple closed line, counter-clockwise; solid within
 *     chain    a line, closed or not, that is solid on its left; static and kinematic bodies only
 *
 * Edges shorter than EDGE_RATIO_MIN of the diameter are refused, because rounding spoils their
 * normals.  Arcs of more than half a circle are refused, and arcs so flat that their centre is
 * lost.  Cusps are refused, because they have no inside.  Outlines are refused that run clockwise,
 * or come nearer to themselves than NEAR_RATIO_MIN of their diameter.
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/shape/border.h"
#include "engine/shape/shape_kind.h"

#include <stdio.h>

#define EDGE_RATIO_MIN 1e-4
#define NEAR_RATIO_MIN 1e-4
#define BULGE_MIN 1e-3
#define CUSP_SINE 1e-6
#define PATH_SIZE 48
#define ARC_PARTS 8 /* chords that replace an arc in the test of nearness */

static struct cn_border
edge_at(const struct cn_shape_def *def, int i)
{
    CN_ASSERT(0 <= i && i < def->boundary.point_count);
    const cn_vec3 *p = &def->boundary.points[i];
    const cn_vec3 *q = &def->boundary.points[(i + 1) % def->boundary.point_count];
    return (struct cn_border){{p->x, p->y}, {q->x, q->y}, p->z};
}

static int
edge_count(const struct cn_shape_def *def)
{
    return def->boundary.closed ? def->boundary.point_count : def->boundary.point_count - 1;
}

static double
diameter(const struct cn_shape_def *def)
{
    double longest = 0.0;
    for (int i = 0; i < def->boundary.point_count; i++) {
        for (int k = 0; k < i; k++) {
            const cn_vec3 *p = &def->boundary.points[i], *q = &def->boundary.points[k];
            longest = cn_max(longest, cn_vec2_length(cn_vec2_make(p->x - q->x, p->y - q->y)));
        }
    }
    return longest;
}

static enum cn_status
check_point(const struct cn_shape_def *def, int i, struct cn_defect *defect)
{
    static const char *const members[] = {"x", "y", "bulge"};
    const cn_vec3 *p = &def->boundary.points[i];
    const double values[] = {p->x, p->y, p->z};
    for (int k = 0; k < 3; k++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "%s.points[%d].%s", cn_shape_kind_name(def->kind), i,
            members[k]);
        double limit = k < 2 ? CN_SIZE_MAX : 1.0;
        CN_CHECK(cn_shape_check_number(defect, path, values[k], -limit, limit,
            k < 2 ? "a coordinate" : "a bulge", k < 2 ? "m" : ""));
        if (k == 2 && values[k] != 0.0 && fabs(values[k]) < BULGE_MIN) {
            return cn_defect_set(defect, CN_RANGE, path,
                "is %.9g; a bulge is 0, or from %g to 1 in size", values[k], BULGE_MIN);
        }
    }
    return CN_OK;
}

/* Checks edge i and the corner at its start. */
static enum cn_status
check_edge(const struct cn_shape_def *def, int i, double length_min, struct cn_defect *defect)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s.points[%d]", cn_shape_kind_name(def->kind), i);
    struct cn_border edge = edge_at(def, i);
    double length = cn_vec2_length(cn_vec2_sub(edge.to, edge.from));
    if (length < length_min) {
        return cn_defect_set(defect, CN_GEOMETRY, path,
            "is %.9g m from the next point; here an edge has at least %.9g m", length, length_min);
    }
    if (i == 0 && !def->boundary.closed) {
        return CN_OK;
    }
    struct cn_border before =
        edge_at(def, (i + def->boundary.point_count - 1) % def->boundary.point_count);
    if (cn_vec2_length(cn_vec2_sub(before.to, before.from)) < length_min) {
        return CN_OK; /* the check of that edge reports it */
    }
    cn_vec2 in = cn_border_normal_to(&before), out = cn_border_normal_from(&edge);
    if (cn_vec2_dot(in, out) < 0.0 && fabs(cn_vec2_cross(in, out)) < CUSP_SINE) {
        return cn_defect_set(
            defect, CN_GEOMETRY, path, "is a cusp: its two edges run back on each other");
    }
    return CN_OK;
}

/* Part k of an edge's chords. */
static struct cn_border
part_of(const struct cn_border *edge, int k, int parts)
{
    struct cn_border part = {edge->from, edge->to, 0.0};
    if (edge->bulge == 0.0) {
        return part;
    }
    cn_vec2 center = cn_border_center(edge), arm = cn_vec2_sub(edge->from, center);
    double turn = cn_border_turn(edge);
    for (int end = 0; end < 2; end++) {
        double s, c;
        cn_sin_cos(turn * (k + end) / parts, &s, &c);
        cn_vec2 at = {c * arm.x - s * arm.y, s * arm.x + c * arm.y};
        *(end == 0 ? &part.from : &part.to) = cn_vec2_add(center, at);
    }
    return part;
}

static double
edge_distance(const struct cn_border *a, const struct cn_border *b)
{
    int parts_a = a->bulge == 0.0 ? 1 : ARC_PARTS, parts_b = b->bulge == 0.0 ? 1 : ARC_PARTS;
    double distance = HUGE_VAL;
    for (int i = 0; i < parts_a; i++) {
        struct cn_border p = part_of(a, i, parts_a);
        for (int k = 0; k < parts_b; k++) {
            struct cn_border q = part_of(b, k, parts_b);
            distance = cn_min(distance, cn_border_distance(&p, &q));
        }
    }
    return distance;
}

/* The least distance of two edges that are not neighbours. */
static double
nearest_edges(const struct cn_shape_def *def, int *first, int *second)
{
    int count = edge_count(def);
    double nearest = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        for (int k = i + 2; k < count; k++) {
            if (def->boundary.closed && i == 0 && k == count - 1) {
                continue;
            }
            struct cn_border a = edge_at(def, i), b = edge_at(def, k);
            double distance = edge_distance(&a, &b);
            if (distance < nearest) {
                nearest = distance;
                *first = i;
                *second = k;
            }
        }
    }
    return nearest;
}

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s.points", cn_shape_kind_name(def->kind));
    int count = def->boundary.point_count;
    if (count < 2 || count > CN_POLYGON_VERTICES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, path, "has %d entries; 2 to %d are accepted", count,
            CN_POLYGON_VERTICES_MAX);
    }
    for (int i = 0; i < count; i++) {
        CN_CHECK(check_point(def, i, defect));
    }
    double size = diameter(def), length_min = cn_max(CN_SIZE_MIN, EDGE_RATIO_MIN * size);
    for (int i = 0; i < edge_count(def); i++) {
        CN_CHECK(check_edge(def, i, length_min, defect));
    }
    int first = 0, second = 0;
    double nearest = nearest_edges(def, &first, &second);
    if (nearest < cn_max(CN_SIZE_MIN, NEAR_RATIO_MIN * size)) {
        return cn_defect_set(defect, CN_GEOMETRY, path,
            "has edges %d and %d %.9g m apart; here edges that do not follow each other are at "
            "least %.9g m apart",
            first, second, nearest, cn_max(CN_SIZE_MIN, NEAR_RATIO_MIN * size));
    }
    return CN_OK;
}

static struct cn_area
area(const struct cn_shape_def *def)
{
    struct cn_area sum = {0};
    cn_vec2 first_moment = {0.0, 0.0}, origin = edge_at(def, 0).from;
    double second = 0.0;
    for (int i = 0; i < edge_count(def); i++) {
        struct cn_border edge = edge_at(def, i);
        edge.from = cn_vec2_sub(edge.from, origin);
        edge.to = cn_vec2_sub(edge.to, origin);
        struct cn_border_moments moments = cn_border_sweep(&edge);
        sum.area += moments.area;
        first_moment = cn_vec2_add(first_moment, moments.first);
        second += moments.second;
    }
    if (sum.area > 0.0) {
        cn_vec2 center = cn_vec2_scale(first_moment, 1.0 / sum.area);
        sum.center = cn_vec2_add(origin, center);
        sum.second_moment = second - sum.area * cn_vec2_dot(center, center);
    }
    return sum;
}

static void
bake(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape)
{
    int first, second;
    double width = nearest_edges(def, &first, &second);
    for (int i = 0; i < def->boundary.point_count; i++) {
        const cn_vec3 *p = &def->boundary.points[i];
        vertex[i] = cn_vec2_make(p->x, p->y);
    }
    for (int i = 0; i < edge_count(def); i++) {
        struct cn_border edge = edge_at(def, i);
        double length = cn_vec2_length(cn_vec2_sub(edge.to, edge.from));
        width = cn_min(width, cn_max(length, cn_border_sagitta(&edge)));
    }
    shape->width = width;
    shape->open = !def->boundary.closed;
}

static enum cn_status
outline_check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    CN_CHECK(check(def, defect));
    double enclosed = area(def).area, size = diameter(def);
    if (enclosed < NEAR_RATIO_MIN * size * size) {
        return cn_defect_set(defect, CN_GEOMETRY, "outline.points",
            "enclose %.9g m^2; they run counter-clockwise around at least %.9g m^2", enclosed,
            NEAR_RATIO_MIN * size * size);
    }
    return CN_OK;
}

static int
vertex_count(const struct cn_shape_def *def)
{
    return def->boundary.point_count;
}

/* A chain has no inside, and so no mass. */
static struct cn_area
no_area(const struct cn_shape_def *def)
{
    (void)def;
    return (struct cn_area){0};
}

static void
bulges(const struct cn_shape_def *def, double *bulge)
{
    for (int i = 0; i < def->boundary.point_count; i++) {
        bulge[i] = def->boundary.points[i].z;
    }
}

static const struct cn_shape_planar_ops outline_planar = {
    .check = outline_check,
    .vertex_count = vertex_count,
    .area = area,
    .bake = bake,
    .bulges = bulges,
};

static const struct cn_shape_planar_ops chain_planar = {
    .check = check,
    .vertex_count = vertex_count,
    .area = no_area,
    .bake = bake,
    .bulges = bulges,
};

const struct cn_shape_ops cn_shape_ops_outline = {.planar = &outline_planar, .instead = "hull"};
const struct cn_shape_ops cn_shape_ops_chain = {.planar = &chain_planar, .instead = "box"};
