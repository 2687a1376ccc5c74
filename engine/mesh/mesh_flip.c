/*
 * Triangles whose corners are on one line have no normal.  One corner c of such a triangle is on
 * the side a b that it shares with (b, a, d).  If that side is flipped to go from c to d, both
 * triangles have area, and the surface does not change:
 *
 *          c                 c
 *      a ----- b         a / | \ b
 *        \   /             \ | /
 *          d                 d
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#define THIN 1e-8 /* of a triangle's height to its longest side: below it the normal is noise */

/* The corner opposite the longest side of a triangle without area; -1: it has area. */
static int
flat_corner(const struct cn_mesh_build *build, int t)
{
    const int32_t *v = build->triangle[t];
    double most = 0.0;
    int corner = 0;
    cn_vec3 side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = cn_vec3_sub(build->vertex[v[(k + 1) % 3]], build->vertex[v[k]]);
        double square = cn_vec3_dot(side[k], side[k]);
        if (square > most) {
            most = square;
            corner = (k + 2) % 3;
        }
    }
    double twice_area = cn_vec3_length(cn_vec3_cross(side[0], side[1]));
    return twice_area > THIN * most ? -1 : corner;
}

static int
corner_behind(const struct cn_mesh_build *build, int t, int e)
{
    int k = 0;
    while (build->triangle_edge[t][k] != e) {
        k++;
        CN_ASSERT(k < 3); /* mesh_build.h, invariant 2 */
    }
    return (k + 2) % 3;
}

/* Whether an edge runs from vertex a to b, among those around triangle t's corner at a. */
static bool
has_edge(const struct cn_mesh_build *build, int t, int32_t a, int32_t b)
{
    int at = t;
    do {
        int k = 0;
        while (build->triangle[at][k] != a) {
            k++;
            CN_ASSERT(k < 3); /* the triangles around a corner all have it */
        }
        if (build->triangle[at][(k + 1) % 3] == b || build->triangle[at][(k + 2) % 3] == b) {
            return true;
        }
        const struct cn_mesh_edge *edge = &build->edge[build->triangle_edge[at][k]];
        at = edge->left == at ? edge->right : edge->left;
    } while (at != t);
    return false;
}

static void
replace_triangle(struct cn_mesh_edge *edge, int old, int new)
{
    if (edge->left == old) {
        edge->left = new;
    } else {
        CN_ASSERT(edge->right == old);
        edge->right = new;
    }
}

/* Flips the side of t opposite its corner k; false: the new side exists already. */
static bool
flip_side(struct cn_mesh_build *build, int t, int k)
{
    int e = build->triangle_edge[t][(k + 1) % 3];
    int u = build->edge[e].left == t ? build->edge[e].right : build->edge[e].left;
    CN_ASSERT(u != t && (build->edge[e].left == t || build->edge[e].right == t));
    int m = corner_behind(build, u, e);
    int32_t c = build->triangle[t][k], a = build->triangle[t][(k + 1) % 3];
    int32_t b = build->triangle[t][(k + 2) % 3], d = build->triangle[u][m];
    if (c == d || has_edge(build, t, c, d)) {
        return false;
    }
    int ca = build->triangle_edge[t][k], bc = build->triangle_edge[t][(k + 2) % 3];
    int db = build->triangle_edge[u][m], ad = build->triangle_edge[u][(m + 2) % 3];
    const int32_t corners[2][3] = {{c, a, d}, {d, b, c}}, sides[2][3] = {{ca, ad, e}, {db, bc, e}};
    for (int i = 0; i < 3; i++) {
        build->triangle[t][i] = corners[0][i];
        build->triangle[u][i] = corners[1][i];
        build->triangle_edge[t][i] = sides[0][i];
        build->triangle_edge[u][i] = sides[1][i];
    }
    replace_triangle(&build->edge[ad], u, t);
    replace_triangle(&build->edge[bc], t, u);
    /* In t the side runs from d to c. */
    build->edge[e] = (struct cn_mesh_edge){.tail = d, .head = c, .left = t, .right = u};
    return true;
}

enum cn_status
cn_mesh_flip(struct cn_mesh_build *build)
{
    CN_ASSERT(2 * build->mesh->edge_count == 3 * build->mesh->triangle_count);
    int count = build->mesh->triangle_count, flat = 0, tries = 0;
    char path[CN_DEFECT_PATH_SIZE];
    do {
        flat = 0;
        for (int t = 0; t < count; t++) {
            int corner = flat_corner(build, t);
            if (corner < 0) {
                continue;
            }
            if (!flip_side(build, t, corner) || tries > 16) {
                return cn_defect_set(build->defect, CN_GEOMETRY,
                    cn_mesh_path(path, "triangles", build->triangle_given[t]),
                    "has its corners on one line, and there is no other way to close the surface "
                    "there");
            }
            build->mesh->mending.dropped_triangles++;
            flat++;
        }
    } while (flat > 0 && tries++ <= 16);
    return CN_OK;
}
