/*
 * mesh_build.h: a mesh while it is made; between the files of this folder alone.
 *
 * Order: mend (vertices and triangles, checked), edges and orientation, normals, tree; then the
 * field; then samples and patches, whose spacing needs the thickness.  Arrays that the mesh keeps
 * are noted in `kept` and freed with it.
 */
#ifndef ENGINE_MESH_MESH_BUILD_H
#define ENGINE_MESH_MESH_BUILD_H

#include "engine/mesh/mesh.h"

#define CN_MESH_KEPT_MAX 16
#define CN_MESH_SPARE 16 /* records behind samples and patches, where many are read at once */

struct cn_mesh_build {
    const struct cn_mesh_def *def;
    struct cn_defect *defect;
    struct cn_mesh *mesh; /* its counts and pointers are filled as they are made */
    cn_vec3 *vertex;
    int32_t (*triangle)[3];
    int32_t *vertex_given;   /* numbers in the definition, for messages */
    int32_t *triangle_given;
    struct cn_mesh_edge *edge;
    int32_t (*triangle_edge)[3];
    void *kept[CN_MESH_KEPT_MAX];
    int kept_count;
    size_t size; /* bytes kept */
};

/* Zeroed memory of count (at least one) items, that the mesh keeps; NULL: none. */
void *cn_mesh_take(struct cn_mesh_build *build, int count, size_t size);

/* Says that there is no memory. */
enum cn_status cn_mesh_no_memory(struct cn_mesh_build *build);

/* Vertices and triangles: checked against limits, merged, without those of no area. */
CN_MUST_USE enum cn_status cn_mesh_mend(struct cn_mesh_build *build);

/* Edges, each of two triangles; all parts turned outward, cavities inward. */
CN_MUST_USE enum cn_status cn_mesh_close(struct cn_mesh_build *build);

/* Turns sides so that every triangle has area. */
CN_MUST_USE enum cn_status cn_mesh_flip(struct cn_mesh_build *build);

/* Refuses a surface that passes through itself; needs the tree. */
CN_MUST_USE enum cn_status cn_mesh_cross(struct cn_mesh_build *build);

/* The volume; refuses what encloses none. */
CN_MUST_USE enum cn_status cn_mesh_weigh(struct cn_mesh_build *build);

/* Normals of triangles and vertices, bounds. */
CN_MUST_USE enum cn_status cn_mesh_shape(struct cn_mesh_build *build);

/* The tree of boxes. */
CN_MUST_USE enum cn_status cn_mesh_tree(struct cn_mesh_build *build);

/* Twice the greatest depth, to within some percent from below; -1: no memory; needs the tree. */
double cn_mesh_thickness(const struct cn_mesh *mesh);

/*
 * cn_mesh_distance, which begins at *triangle (-1: none), and leaves there which is nearest: a walk
 * over near points goes through the tree faster so.
 */
double cn_mesh_distance_from(const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle);

/* The same, and the slope of the distance: unit, away from the nearest point, out of the solid. */
double cn_mesh_slope_from(
    const struct cn_mesh *mesh, cn_vec3 p, int32_t *triangle, cn_vec3 *slope);

/* Parts the triangles into patches, for about so many samples: patch[] of each triangle. */
CN_MUST_USE enum cn_status cn_mesh_part(
    struct cn_mesh_build *build, int samples, int32_t *patch, int *count);

/* Samples, patch by patch. */
CN_MUST_USE enum cn_status cn_mesh_spread(struct cn_mesh_build *build);

/* The path of given triangle or vertex i, in a buffer of CN_DEFECT_PATH_SIZE. */
const char *cn_mesh_path(char *buffer, const char *array, int index);

#endif
