/*
 * The nearest point of the surface, and the side of the surface on which a point is.  The side is
 * given by the normal of the nearest triangle, edge or vertex.  A vertex's normal is the mean
 * weighted by angles (Baerentzen and Aanaes, IEEE Transactions on Visualization and Computer
 * Graphics 11 (2005)).
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/mesh/mesh_build.h"

#define ON_SURFACE 1e-9 /* m: the direction from nearer points is not known */
#define STACK 64

/* The point of a triangle that is nearest to p, and the feature that it lies on. */
struct near {
    cn_vec3 point;
    double square; /* of the distance */
    int triangle;
    int feature; /* corners 0 to 2, edges 3 to 5, the inside 6 */
};

/*
 * Tests Voronoi regions: first the corners, then the edges (Ericson, Real-Time Collision Detection,
 * 2005, section 5.1.5).
 */
static int
nearest_of_triangle(cn_vec3 p, cn_vec3 a, cn_vec3 b, cn_vec3 c, cn_vec3 *point)
{
    cn_vec3 ab = cn_vec3_sub(b, a), ac = cn_vec3_sub(c, a), ap = cn_vec3_sub(p, a);
    double d1 = cn_vec3_dot(ab, ap), d2 = cn_vec3_dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        *point = a;
        return 0;
    }
    cn_vec3 bp = cn_vec3_sub(p, b);
    double d3 = cn_vec3_dot(ab, bp), d4 = cn_vec3_dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        *point = b;
        return 1;
    }
    cn_vec3 cp = cn_vec3_sub(p, c);
    double d5 = cn_vec3_dot(ab, cp), d6 = cn_vec3_dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        *point = c;
        return 2;
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        *point = cn_vec3_add_scaled(a, d1 / (d1 - d3), ab);
        return 3;
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        *point = cn_vec3_add_scaled(a, d2 / (d2 - d6), ac);
        return 5;
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        *point = cn_vec3_add_scaled(b, w, cn_vec3_sub(c, b));
        return 4;
    }
    double scale = 1.0 / (va + vb + vc);
    *point = cn_vec3_add_scaled(cn_vec3_add_scaled(a, vb * scale, ab), vc * scale, ac);
    return 6;
}

/* How far x is outside an interval. */
static double
beyond(double x, double low, double high)
{
    return cn_max(cn_max(low - x, x - high), 0.0);
}

static double
box_square(const struct cn_mesh_node *node, cn_vec3 p)
{
    double x = beyond(p.x, (double)node->low[0], (double)node->high[0]);
    double y = beyond(p.y, (double)node->low[1], (double)node->high[1]);
    double z = beyond(p.z, (double)node->low[2], (double)node->high[2]);
    return x * x + y * y + z * z;
}

static void
look_at(const struct cn_mesh *mesh, int32_t triangle, cn_vec3 p, struct near *near)
{
    const int32_t *v = mesh->triangle[triangle];
    cn_vec3 point;
    int feature = nearest_of_triangle(
        p, mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]], &point);
    cn_vec3 away = cn_vec3_sub(p, point);
    double square = cn_vec3_dot(away, away);
    if (square < near->square) {
        *near = (struct near){point, square, triangle, feature};
    }
}

/*
 * The nearest triangle.  The search begins at `triangle`, which may be near; -1: no such triangle
 * is known.
 */
static struct near
find_near(const struct cn_mesh *mesh, cn_vec3 p, int32_t triangle)
{
    CN_ASSERT(mesh->node_count > 0 && triangle < mesh->triangle_count);
    struct near near = {.square = HUGE_VAL};
    if (triangle >= 0) {
        look_at(mesh, triangle, p, &near);
    }
    struct {
        double square;
        int32_t node;
    } stack[STACK];
    int top = 0;
    stack[top].square = 0.0;
    stack[top++].node = 0;
    while (top > 0) {
        double square = stack[--top].square;
        int32_t at = stack[top].node;
        if (square >= near.square) {
            continue;
        }
        const struct cn_mesh_node *node = &mesh->node[at];
        if (node->count > 0) {
            for (int i = 0; i < node->count; i++) {
                look_at(mesh, mesh->tree_triangle[i - 1 - node->right], p, &near);
            }
            continue;
        }
        double left = box_square(&mesh->node[at + 1], p);
        double right = box_square(&mesh->node[node->right], p);
        bool left_first = left <= right;
        stack[top].square = left_first ? right : left;
        stack[top++].node = left_first ? node->right : at + 1;
        stack[top].square = left_first ? left : right;
        stack[top++].node = left_first ? at + 1 : node->right;
    }
    return near;
}

double
cn_mesh_nearest(const struct cn_mesh *mesh, cn_vec3 p, cn_vec3 *nearest, int *triangle)
{
    struct near near = find_near(mesh, p, -1);
    *nearest = near.point;
    *triangle = near.triangle;
    return sqrt(near.square);
}

/* The normal of the feature on which the nearest point lies; an edge's may have any length. */
static cn_vec3
feature_normal(const struct cn_mesh *mesh, const struct near *near)
{
    if (near->feature < 3) {
        return mesh->vertex_normal[mesh->triangle[near->triangle][near->feature]];
    }
    if (near->feature < 6) {
        const struct cn_mesh_edge *edge =
            &mesh->edge[mesh->triangle_edge[near->triangle][near->feature - 3]];
        return cn_vec3_add(mesh->triangle_normal[edge->left], mesh->triangle_normal[edge->right]);
    }
    return mesh->triangle_normal[near->triangle];
}

double
cn_mesh_distance_from(const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle)
{
    struct near near = find_near(mesh, p, *triangle);
    cn_vec3 away = cn_vec3_sub(p, near.point);
    double side = cn_vec3_dot(away, feature_normal(mesh, &near));
    *triangle = near.triangle;
    return side < 0.0 ? -sqrt(near.square) : sqrt(near.square);
}

double
cn_mesh_slope_from(const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle, cn_vec3 *slope)
{
    struct near near = find_near(mesh, p, *triangle);
    cn_vec3 away = cn_vec3_sub(p, near.point), normal = feature_normal(mesh, &near);
    double distance = cn_vec3_dot(away, normal) < 0.0 ? -sqrt(near.square) : sqrt(near.square);
    bool on_it = near.square < ON_SURFACE * ON_SURFACE;
    *triangle = near.triangle;
    *slope = on_it ? cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal))
                   : cn_vec3_scale(away, 1.0 / distance);
    return distance;
}

double
cn_mesh_distance(const struct cn_mesh *mesh, cn_vec3 p)
{
    int32_t triangle = -1;
    return cn_mesh_distance_from(mesh, p, &triangle);
}
