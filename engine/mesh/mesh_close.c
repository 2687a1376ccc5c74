/*
 * Edges and orientation.  Half-edges are sorted by their two vertices, so that the two triangles of
 * an edge are neighbours in the list.
 */
#include "engine/base/assert.h"
#include "engine/math/trig.h"
#include "engine/mesh/mesh_build.h"

#include <stdlib.h>

#define PARTS_MAX 256 /* each part is compared with all others */

struct half {
    uint64_t vertices; /* the lower vertex above the higher one */
    int32_t number;    /* 3 triangle + corner */
};

static int
compare_halves(const void *a, const void *b)
{
    const struct half *p = a, *q = b;
    if (p->vertices != q->vertices) {
        return p->vertices < q->vertices ? -1 : 1;
    }
    return p->number < q->number ? -1 : 1;
}

static void
list_halves(const struct cn_mesh_build *build, struct half *half)
{
    for (int i = 0; i < 3 * build->mesh->triangle_count; i++) {
        uint64_t a = (uint32_t)build->triangle[i / 3][i % 3];
        uint64_t b = (uint32_t)build->triangle[i / 3][(i + 1) % 3];
        half[i] = (struct half){a < b ? a << 32 | b : b << 32 | a, i};
    }
    qsort(half, (size_t)build->mesh->triangle_count * 3, sizeof(*half), compare_halves);
}

static enum cn_status
refuse_edge(struct cn_mesh_build *build, const struct half *half, int count)
{
    CN_ASSERT(count > 0 && count != 2);
    char path[CN_DEFECT_PATH_SIZE];
    int a = build->vertex_given[half->vertices >> 32];
    int b = build->vertex_given[half->vertices & 0xffffffffU];
    int triangle = build->triangle_given[half->number / 3];
    const char *what = count == 1 ? "there is a hole" : "the surface meets itself there";
    return cn_defect_set(build->defect, CN_GEOMETRY, cn_mesh_path(path, "triangles", triangle),
        "has an edge from vertex %d to %d that %d triangle%s; %s, and a closed surface has two at "
        "every edge",
        a, b, count, count == 1 ? " has" : "s have", what);
}

/* Pairs half-edges: fills build->edge and build->triangle_edge. */
static enum cn_status
pair_halves(struct cn_mesh_build *build, const struct half *half)
{
    int count = 3 * build->mesh->triangle_count, edges = 0;
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count && half[end].vertices == half[i].vertices) {
            end++;
        }
        if (end - i != 2) {
            return refuse_edge(build, &half[i], end - i);
        }
        int first = half[i].number, second = half[i + 1].number;
        build->edge[edges] = (struct cn_mesh_edge){
            .tail = build->triangle[first / 3][first % 3],
            .head = build->triangle[first / 3][(first + 1) % 3],
            .left = first / 3,
            .right = second / 3,
        };
        build->triangle_edge[first / 3][first % 3] = edges;
        build->triangle_edge[second / 3][second % 3] = edges++;
        i = end;
    }
    CN_ASSERT(2 * edges == count); /* mesh_build.h, invariant 2 */
    build->mesh->edge_count = edges;
    return CN_OK;
}

static enum cn_status
find_edges(struct cn_mesh_build *build)
{
    int triangles = build->mesh->triangle_count;
    build->edge = cn_mesh_take(build, 3 * triangles / 2 + 1, sizeof(*build->edge));
    build->triangle_edge = cn_mesh_take(build, triangles, sizeof(*build->triangle_edge));
    struct half *half = malloc((size_t)triangles * 3 * sizeof(*half));
    if (build->edge == NULL || build->triangle_edge == NULL || half == NULL) {
        free(half);
        return cn_mesh_no_memory(build);
    }
    list_halves(build, half);
    enum cn_status status = pair_halves(build, half);
    free(half);
    return status;
}

/* Whether triangle t runs along edge e from its tail to its head. */
static bool
runs_along(const struct cn_mesh_build *build, int t, int corner, int e)
{
    return build->triangle[t][corner] == build->edge[e].tail;
}

static void
turn_triangle(struct cn_mesh_build *build, int t)
{
    int32_t *v = build->triangle[t], *e = build->triangle_edge[t];
    int32_t old = v[1];
    v[1] = v[2];
    v[2] = old;
    old = e[0];
    e[0] = e[2];
    e[2] = old;
}

struct parts {
    int32_t *part;  /* of each triangle */
    int32_t *stack; /* of triangles */
    uint8_t *turned;
    int count;
};

static enum cn_status
refuse_one_sided(struct cn_mesh_build *build, int t)
{
    char path[CN_DEFECT_PATH_SIZE];
    return cn_defect_set(build->defect, CN_GEOMETRY,
        cn_mesh_path(path, "triangles", build->triangle_given[t]),
        "is reached from both of its sides; the surface has no inside");
}

/* Turns the triangles connected to triangle `first` so that they run the same way. */
static enum cn_status
turn_connected(struct cn_mesh_build *build, struct parts *parts, int first)
{
    int top = 0;
    parts->part[first] = parts->count;
    parts->stack[top++] = first;
    while (top > 0) {
        int t = parts->stack[--top];
        for (int k = 0; k < 3; k++) {
            int e = build->triangle_edge[t][k];
            const struct cn_mesh_edge *edge = &build->edge[e];
            int other = edge->left == t ? edge->right : edge->left;
            int there = 0;
            while (build->triangle_edge[other][there] != e) {
                there++;
                CN_ASSERT(there < 3); /* mesh_build.h, invariant 2 */
            }
            bool alike = runs_along(build, t, k, e) == runs_along(build, other, there, e);
            if (parts->part[other] < 0) {
                parts->part[other] = parts->count;
                CN_ASSERT(top < build->mesh->triangle_count);
                parts->stack[top++] = other;
                if (alike) {
                    turn_triangle(build, other);
                    parts->turned[other] = 1;
                }
            } else if (alike) {
                return refuse_one_sided(build, other);
            }
        }
    }
    return CN_OK;
}

/* Six times the volume of a part. */
static double
part_volume(const struct cn_mesh_build *build, const struct parts *parts, int part, cn_vec3 origin)
{
    double volume = 0.0;
    for (int i = 0; i < build->mesh->triangle_count; i++) {
        if (parts->part[i] == part) {
            const int32_t *v = build->triangle[i];
            cn_vec3 a = cn_vec3_sub(build->vertex[v[0]], origin);
            cn_vec3 b = cn_vec3_sub(build->vertex[v[1]], origin);
            cn_vec3 c = cn_vec3_sub(build->vertex[v[2]], origin);
            volume += cn_vec3_dot(a, cn_vec3_cross(b, c));
        }
    }
    return volume;
}

/* The solid angle of triangle i, seen from p (Van Oosterom and Strackee 1983). */
static double
solid_angle(const struct cn_mesh_build *build, int i, cn_vec3 p)
{
    const int32_t *v = build->triangle[i];
    cn_vec3 a = cn_vec3_sub(build->vertex[v[0]], p), b = cn_vec3_sub(build->vertex[v[1]], p);
    cn_vec3 c = cn_vec3_sub(build->vertex[v[2]], p);
    double la = cn_vec3_length(a), lb = cn_vec3_length(b), lc = cn_vec3_length(c);
    double above = cn_vec3_dot(a, cn_vec3_cross(b, c));
    double below = la * lb * lc + lc * cn_vec3_dot(a, b) + la * cn_vec3_dot(b, c) +
                   lb * cn_vec3_dot(c, a);
    return 2.0 * cn_atan2(above, below);
}

/* The number of other parts that contain a part: those that wind around its first vertex. */
static int
nesting_of(const struct cn_mesh_build *build, const struct parts *parts, int part, double *winding)
{
    CN_ASSERT(0 <= part && part < parts->count && parts->count <= PARTS_MAX);
    int first = 0, depth = 0;
    while (parts->part[first] != part) {
        first++;
    }
    cn_vec3 p = build->vertex[build->triangle[first][0]];
    for (int i = 0; i < parts->count; i++) {
        winding[i] = 0.0;
    }
    for (int i = 0; i < build->mesh->triangle_count; i++) {
        if (parts->part[i] != part) {
            winding[parts->part[i]] += solid_angle(build, i, p);
        }
    }
    for (int i = 0; i < parts->count; i++) {
        depth += fabs(winding[i]) > 6.28 ? 1 : 0;
    }
    return depth;
}

/* Turns whole parts: outward, or inward where an odd number of other parts contains them. */
static void
face_parts(struct cn_mesh_build *build, struct parts *parts)
{
    double winding[PARTS_MAX];
    for (int part = 0; part < parts->count; part++) {
        bool cavity = parts->count > 1 && nesting_of(build, parts, part, winding) % 2 == 1;
        if ((part_volume(build, parts, part, build->vertex[0]) < 0.0) == cavity) {
            continue;
        }
        for (int i = 0; i < build->mesh->triangle_count; i++) {
            if (parts->part[i] == part) {
                turn_triangle(build, i);
                parts->turned[i] ^= 1;
            }
        }
    }
}

static void
finish_edges(struct cn_mesh_build *build, const struct parts *parts)
{
    for (int i = 0; i < build->mesh->triangle_count; i++) {
        build->mesh->mending.turned_triangles += parts->turned[i];
        for (int k = 0; k < 3; k++) {
            struct cn_mesh_edge *edge = &build->edge[build->triangle_edge[i][k]];
            CN_ASSERT(edge->left == i || edge->right == i); /* mesh_build.h, invariant 2 */
            if (runs_along(build, i, k, build->triangle_edge[i][k])) {
                edge->right = edge->left == i ? edge->right : edge->left;
                edge->left = i;
            }
        }
    }
}

static enum cn_status
orient_parts(struct cn_mesh_build *build, struct parts *parts)
{
    for (int i = 0; i < build->mesh->triangle_count; i++) {
        parts->part[i] = -1;
    }
    for (int i = 0; i < build->mesh->triangle_count; i++) {
        if (parts->part[i] >= 0) {
            continue;
        }
        if (parts->count == PARTS_MAX) {
            return cn_defect_set(build->defect, CN_LIMIT, "triangles",
                "make more than %d separate parts", PARTS_MAX);
        }
        CN_CHECK(turn_connected(build, parts, i));
        parts->count++;
    }
    face_parts(build, parts);
    finish_edges(build, parts);
    return CN_OK;
}

enum cn_status
cn_mesh_close(struct cn_mesh_build *build)
{
    CN_ASSERT(build->vertex != NULL && build->mesh->triangle_count >= 4);
    CN_CHECK(find_edges(build));
    size_t count = (size_t)build->mesh->triangle_count;
    struct parts parts = {.part = malloc(count * sizeof(*parts.part)),
        .stack = malloc(count * sizeof(*parts.stack)),
        .turned = calloc(count, sizeof(*parts.turned))};
    enum cn_status status = CN_OK;
    if (parts.part == NULL || parts.stack == NULL || parts.turned == NULL) {
        status = cn_mesh_no_memory(build);
    } else {
        status = orient_parts(build, &parts);
    }
    free(parts.part);
    free(parts.stack);
    free(parts.turned);
    build->mesh->edge = build->edge;
    build->mesh->triangle_edge = (const int32_t(*)[3])build->triangle_edge;
    return status;
}
