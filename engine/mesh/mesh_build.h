/*
 * mesh_build.h: a mesh while it is made; used only in this folder.
 *
 * Order: mend (vertices and triangles, checked), edges and orientation, normals, tree; then the
 * field; then samples and patches, whose spacing needs the thickness.  Arrays that the mesh keeps
 * are listed in `kept` and freed with it.
 *
 * Invariants: 1. Triangles name vertices below vertex_count once mended.  2. From cn_mesh_close on,
 * an edge and its two triangles name each other.  3. Every triangle is in exactly one leaf.
 * 4. No path of the tree is longer than 62 nodes, so 64 places hold a search's open nodes.
 */
#ifndef ENGINE_MESH_MESH_BUILD_H
#define ENGINE_MESH_MESH_BUILD_H

#include "engine/mesh/mesh.h"

#define CN_MESH_KEPT_MAX 16
#define CN_MESH_SPARE 16 /* spare samples and patches, because several are read at once */

struct cn_mesh_build {
    const struct cn_mesh_def *def;
    struct cn_defect *defect;
    struct cn_mesh *mesh; /* its counts and pointers are filled as they are made */
    cn_vec3 *vertex;
    int32_t (*triangle)[3];
    int32_t *vertex_given;   /* indices in the definition, for error texts */
    int32_t *triangle_given;
    struct cn_mesh_edge *edge;
    int32_t (*triangle_edge)[3];
    void *kept[CN_MESH_KEPT_MAX];
    int kept_count;
    size_t size; /* bytes kept */
};

/* Zeroed memory of count (at least one) items, kept by the mesh; NULL: no memory. */
void *cn_mesh_take(struct cn_mesh_build *build, int count, size_t size);

/* Sets the defect for a lack of memory. */
enum cn_status cn_mesh_no_memory(struct cn_mesh_build *build);

/* Checks vertices and triangles against limits, merges equal ones, drops triangles without area. */
CN_MUST_USE enum cn_status cn_mesh_mend(struct cn_mesh_build *build);

/* Finds the edges, each of two triangles; turns all parts outward, cavities inward. */
CN_MUST_USE enum cn_status cn_mesh_close(struct cn_mesh_build *build);

/* Flips sides so that every triangle has area. */
CN_MUST_USE enum cn_status cn_mesh_flip(struct cn_mesh_build *build);

/* Refuses a surface that passes through itself; needs the tree. */
CN_MUST_USE enum cn_status cn_mesh_cross(struct cn_mesh_build *build);

/* Computes the volume; refuses a surface without volume. */
CN_MUST_USE enum cn_status cn_mesh_weigh(struct cn_mesh_build *build);

/* Computes normals of triangles and vertices, and bounds. */
CN_MUST_USE enum cn_status cn_mesh_shape(struct cn_mesh_build *build);

/* Builds the tree of boxes. */
CN_MUST_USE enum cn_status cn_mesh_tree(struct cn_mesh_build *build);

/* Twice the greatest depth, at most a few percent too small; -1: no memory.  Needs the tree. */
double cn_mesh_thickness(const struct cn_mesh *mesh);

/*
 * Like cn_mesh_distance, but the search begins at *triangle (-1: none), and the nearest triangle is
 * stored there.  This makes a series of neighbouring points faster.
 */
double cn_mesh_distance_from(const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle);

/* The same, and sets *slope to the unit gradient of the distance, which points out of the solid. */
double cn_mesh_slope_from(
    const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle, cn_vec3 *slope);

/* Divides the triangles into patches for about `samples` samples; sets patch[] of each triangle. */
CN_MUST_USE enum cn_status cn_mesh_divide(
    struct cn_mesh_build *build, int samples, int32_t *patch, int *count);

/* Makes the samples, patch by patch. */
CN_MUST_USE enum cn_status cn_mesh_spread(struct cn_mesh_build *build);

/* The path of given triangle or vertex i, in a buffer of CN_DEFECT_PATH_SIZE. */
const char *cn_mesh_path(char *buffer, const char *array, int index);

#endif
