/*
 * Patches and samples.
 *
 * A patch is a subtree of the tree of boxes: the largest is parted until there are enough.
 */
#include "engine/mesh/mesh_build.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 0.5       /* of samples along edges, in thicknesses */
#define TRIANGLES 8       /* of a patch, about */
#define PATCHES 48        /* at most, but for large meshes */
#define POINTS_MAX 64     /* of one edge */

struct patching {
    int32_t *root;      /* nodes of the tree */
    int32_t *vertex_in; /* patches of vertices; -1: none yet */
    int32_t *edge_in;
    int count;
};

static int
triangles_below(const struct cn_mesh *mesh, int node, int *first)
{
    int left = node, right = node;
    while (mesh->node[left].count == 0) {
        left++;
    }
    while (mesh->node[right].count == 0) {
        right = mesh->node[right].right;
    }
    *first = -1 - mesh->node[left].right;
    return -1 - mesh->node[right].right + mesh->node[right].count - *first;
}

static void
choose_roots(const struct cn_mesh *mesh, struct patching *patching)
{
    int wanted = mesh->triangle_count / TRIANGLES, first = 0;
    wanted = wanted > PATCHES ? PATCHES : wanted;
    patching->root[0] = 0;
    patching->count = 1;
    while (patching->count < wanted) {
        int most = 0, largest = -1;
        for (int i = 0; i < patching->count; i++) {
            int count = triangles_below(mesh, patching->root[i], &first);
            if (mesh->node[patching->root[i]].count == 0 && count > most) {
                most = count;
                largest = i;
            }
        }
        if (largest < 0) {
            return;
        }
        int node = patching->root[largest];
        memmove(patching->root + largest + 1, patching->root + largest,
            (size_t)(patching->count - largest) * sizeof(*patching->root));
        patching->root[largest] = node + 1;
        patching->root[largest + 1] = mesh->node[node].right;
        patching->count++;
    }
}

/* Inner points of edge e; ends have samples of their own. */
static int
points_of(const struct cn_mesh *mesh, int e)
{
    const struct cn_mesh_edge *edge = &mesh->edge[e];
    double length =
        cn_vec3_length(cn_vec3_sub(mesh->vertex[edge->head], mesh->vertex[edge->tail]));
    double points = ceil(length / mesh->sample_spacing) - 1.0;
    return (int)fmin(fmax(points, 0.0), (double)POINTS_MAX);
}

static void
add_sample(struct cn_mesh *mesh, struct cn_mesh_sample *sample, cn_vec3 at, int feature)
{
    sample[mesh->sample_count++] =
        (struct cn_mesh_sample){{(float)at.x, (float)at.y, (float)at.z}, feature};
}

static void
add_samples(struct cn_mesh *mesh, struct patching *patching, int patch, int triangle,
    struct cn_mesh_sample *sample)
{
    for (int k = 0; k < 3; k++) {
        int v = mesh->triangle[triangle][k], e = mesh->triangle_edge[triangle][k];
        if (patching->vertex_in[v] < 0) {
            patching->vertex_in[v] = patch;
            add_sample(mesh, sample, mesh->vertex[v], v);
        }
        if (patching->edge_in[e] >= 0) {
            continue;
        }
        patching->edge_in[e] = patch;
        cn_vec3 tail = mesh->vertex[mesh->edge[e].tail], head = mesh->vertex[mesh->edge[e].head];
        int points = points_of(mesh, e);
        for (int i = 1; i <= points; i++) {
            double part = (double)i / (points + 1);
            add_sample(mesh, sample,
                cn_vec3_add_scaled(tail, part, cn_vec3_sub(head, tail)), -1 - e);
        }
    }
}

static void
enclose(const struct cn_mesh *mesh, struct cn_mesh_patch *patch, int first)
{
    cn_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    cn_vec3 normal = {0.0, 0.0, 0.0};
    double radius = 0.0;
    for (int i = 0; i < patch->triangle_count; i++) {
        const int32_t *t = mesh->triangle[mesh->tree_triangle[first + i]];
        cn_vec3 a = mesh->vertex[t[0]], b = mesh->vertex[t[1]], c = mesh->vertex[t[2]];
        normal = cn_vec3_add(normal, cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
        for (int k = 0; k < 3; k++) {
            cn_vec3 v = mesh->vertex[t[k]];
            low = (cn_vec3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
            high = (cn_vec3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
        }
    }
    cn_vec3 center = cn_vec3_scale(cn_vec3_add(low, high), 0.5);
    float at[3] = {(float)center.x, (float)center.y, (float)center.z};
    center = (cn_vec3){(double)at[0], (double)at[1], (double)at[2]};
    for (int i = 0; i < 3 * patch->triangle_count; i++) {
        int v = mesh->triangle[mesh->tree_triangle[first + i / 3]][i % 3];
        radius = fmax(radius, cn_vec3_length(cn_vec3_sub(mesh->vertex[v], center)));
    }
    double length = cn_vec3_length(normal);
    normal = length > 0.0 ? cn_vec3_scale(normal, 1.0 / length) : (cn_vec3){0.0, 0.0, 1.0};
    memcpy(patch->center, at, sizeof(at));
    patch->radius = nextafterf((float)(radius * (1.0 + 1e-6)), FLT_MAX);
    patch->normal[0] = (float)normal.x;
    patch->normal[1] = (float)normal.y;
    patch->normal[2] = (float)normal.z;
}

static void
fill(struct cn_mesh *mesh, struct patching *patching, struct cn_mesh_sample *sample,
    struct cn_mesh_patch *patch)
{
    memset(patching->vertex_in, 0xff, (size_t)mesh->vertex_count * sizeof(int32_t));
    memset(patching->edge_in, 0xff, (size_t)mesh->edge_count * sizeof(int32_t));
    for (int i = 0; i < patching->count; i++) {
        int first = 0, count = triangles_below(mesh, patching->root[i], &first);
        patch[i].sample_first = mesh->sample_count;
        patch[i].triangle_count = count;
        for (int k = 0; k < count; k++) {
            add_samples(mesh, patching, i, mesh->tree_triangle[first + k], sample);
        }
        patch[i].sample_count = mesh->sample_count - patch[i].sample_first;
        enclose(mesh, &patch[i], first);
    }
    mesh->patch_count = patching->count;
    mesh->patch = patch;
    mesh->sample = sample;
}

enum cn_status
cn_mesh_spread(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    int samples = mesh->vertex_count;
    mesh->sample_spacing = SPACING * mesh->thickness;
    for (int e = 0; e < mesh->edge_count; e++) {
        samples += points_of(mesh, e);
    }
    struct patching patching = {.root = malloc(CN_MESH_PATCHES_MAX * sizeof(int32_t)),
        .vertex_in = malloc((size_t)mesh->vertex_count * sizeof(int32_t)),
        .edge_in = malloc((size_t)mesh->edge_count * sizeof(int32_t))};
    struct cn_mesh_sample *sample = cn_mesh_take(build, samples, sizeof(*sample));
    struct cn_mesh_patch *patch = cn_mesh_take(build, CN_MESH_PATCHES_MAX, sizeof(*patch));
    enum cn_status status = CN_OK;
    if (patching.root == NULL || patching.vertex_in == NULL || patching.edge_in == NULL ||
        sample == NULL || patch == NULL) {
        status = cn_mesh_no_memory(build);
    } else {
        choose_roots(mesh, &patching);
        fill(mesh, &patching, sample, patch);
    }
    free(patching.root);
    free(patching.vertex_in);
    free(patching.edge_in);
    return status;
}
