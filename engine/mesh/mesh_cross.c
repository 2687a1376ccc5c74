/*
 * Finds whether the surface passes through itself: an edge has its ends on both sides of a triangle
 * and passes through the triangle's inside.  If an end is nearer to the triangle than a millionth
 * of the mesh's length, the edge only touches it, which is allowed.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#define STACK 64
#define TOUCH 1e-6

struct probe {
    cn_vec3 from, to;
    int32_t tail, head;
    float low[3], high[3];
    double touch; /* [m] */
};

static bool
meets_box(const struct probe *probe, const struct cn_mesh_node *node)
{
    bool meets = true;
    for (int k = 0; k < 3; k++) {
        meets = meets && probe->low[k] <= node->high[k] && node->low[k] <= probe->high[k];
    }
    return meets;
}

static bool
edge_crosses(const struct cn_mesh *mesh, const struct probe *probe, int t)
{
    const int32_t *v = mesh->triangle[t];
    for (int k = 0; k < 3; k++) {
        if (v[k] == probe->tail || v[k] == probe->head) {
            return false;
        }
    }
    cn_vec3 a = cn_vec3_sub(mesh->vertex[v[0]], probe->from);
    cn_vec3 b = cn_vec3_sub(mesh->vertex[v[1]], probe->from);
    cn_vec3 c = cn_vec3_sub(mesh->vertex[v[2]], probe->from);
    cn_vec3 along = cn_vec3_sub(probe->to, probe->from);
    double above = -cn_vec3_dot(a, mesh->triangle_normal[t]);
    double below = above + cn_vec3_dot(along, mesh->triangle_normal[t]);
    if (!(fmin(above, below) < -probe->touch && fmax(above, below) > probe->touch)) {
        return false;
    }
    double u = cn_vec3_dot(cn_vec3_cross(c, b), along);
    double w = cn_vec3_dot(cn_vec3_cross(a, c), along);
    double s = cn_vec3_dot(cn_vec3_cross(b, a), along);
    return (u > 0.0 && w > 0.0 && s > 0.0) || (u < 0.0 && w < 0.0 && s < 0.0);
}

/* The first triangle in the tree that is crossed; -1: not found. */
static int
find_crossed(const struct cn_mesh *mesh, const struct probe *probe)
{
    int32_t stack[STACK];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int32_t at = stack[--top];
        const struct cn_mesh_node *node = &mesh->node[at];
        if (!meets_box(probe, node)) {
            continue;
        }
        if (node->count == 0) {
            CN_ASSERT(top + 2 <= STACK); /* mesh_build.h, invariant 4 */
            stack[top++] = node->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = 0; i < node->count; i++) {
            int t = mesh->tree_triangle[-1 - node->right + i];
            if (edge_crosses(mesh, probe, t)) {
                return t;
            }
        }
    }
    return -1;
}

static struct probe
probe_of(const struct cn_mesh *mesh, const struct cn_mesh_edge *edge, double touch)
{
    struct probe probe = {.from = mesh->vertex[edge->tail],
        .to = mesh->vertex[edge->head],
        .tail = edge->tail,
        .head = edge->head,
        .touch = touch};
    const double from[3] = {probe.from.x, probe.from.y, probe.from.z};
    const double to[3] = {probe.to.x, probe.to.y, probe.to.z};
    for (int k = 0; k < 3; k++) {
        /* Rounding keeps the order, and the boxes are rounded outward, so no crossing is missed. */
        probe.low[k] = (float)fmin(from[k], to[k]);
        probe.high[k] = (float)fmax(from[k], to[k]);
    }
    return probe;
}

enum cn_status
cn_mesh_cross(struct cn_mesh_build *build)
{
    CN_ASSERT(build->mesh->node_count > 0 && build->mesh->triangle_normal != NULL);
    const struct cn_mesh *mesh = build->mesh;
    cn_vec3 extent = cn_vec3_sub(mesh->bounds.high, mesh->bounds.low);
    double touch = TOUCH * fmax(extent.x, fmax(extent.y, extent.z));
    char path[CN_DEFECT_PATH_SIZE];
    for (int e = 0; e < mesh->edge_count; e++) {
        const struct cn_mesh_edge *edge = &mesh->edge[e];
        struct probe probe = probe_of(mesh, edge, touch);
        int crossed = find_crossed(mesh, &probe);
        if (crossed >= 0) {
            return cn_defect_set(build->defect, CN_GEOMETRY,
                cn_mesh_path(path, "triangles", build->triangle_given[crossed]),
                "is crossed by the edge from vertex %d to %d: the surface passes through itself; "
                "parts that overlap must be united",
                (int)build->vertex_given[edge->tail], (int)build->vertex_given[edge->head]);
        }
    }
    return CN_OK;
}
