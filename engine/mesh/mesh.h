/*
 * mesh.h: a closed surface of triangles, with everything that is made of it once.
 *
 * A mesh is the geometry of a body that need not be convex.  It is made from vertices and
 * triangles, checked, mended where that is sure, and baked: mass properties, edges, a tree of boxes
 * over the triangles, the signed distance on a grid (field.h), and samples, which are the points of
 * this surface that are looked up in the other's distance.
 *
 * Samples are the vertices, and points along edges, so near each other that edges that cross
 * between them are found (section 4: the deepest points of edges; mesh_sample.c).  What is flat or
 * hollow all around touches nothing first, and has none.  They stand in patches: small connected
 * parts of the surface, each with a ball around it, by which whole parts are passed over.  A patch
 * names a contact: its number is the same for ever.
 *
 * A mesh is immutable.  Worlds and threads share it by reference counts; it is freed with the last.
 * Equal contents give equal bits of everything here, on every machine.
 *
 * Frame: as given, after the scale.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, sections 3 and 4.
 */
#ifndef ENGINE_MESH_MESH_H
#define ENGINE_MESH_MESH_H

#include "engine/base/defect.h"
#include "engine/mesh/field.h"
#include "engine/mesh/mass.h"

#define CN_MESH_VERTICES_MAX 65536  /* of one mesh; a patch's sample has 32 bits to spare */
#define CN_MESH_TRIANGLES_MAX 131072
#define CN_MESH_RESOLUTION_MIN 8    /* cells along the longest extent */
#define CN_MESH_RESOLUTION_MAX 256  /* uniform: 64 MiB; sparse needs a tenth */
#define CN_MESH_RESOLUTION 40       /* when none is given, or what the thickness asks for */
#define CN_MESH_PATCHES_MAX 255     /* names of contacts have 8 bits for each side */

/* What a mesh is made from; arrays are borrowed during the call. */
struct cn_mesh_def {
    int vertex_count, triangle_count;
    const cn_vec3 *vertex;           /* before the scale [m] */
    const int32_t (*triangle)[3];    /* counter-clockwise from outside */
    double scale;                    /* 0: 1 */
    int resolution;                  /* cells along the longest extent; 0: chosen, */
    int resolution_max;              /* up to this; 0: up to CN_MESH_RESOLUTION_MAX */
    bool sparse;                     /* the field takes less memory, and a little more time */
    bool sharp;                      /* contact normals are of the triangles, not of the distance */
};

/* What was mended, for people. */
struct cn_mesh_mending {
    int merged_vertices;   /* at the same place */
    int dropped_triangles; /* without area, or there twice */
    int turned_triangles;  /* that ran clockwise */
    int unused_vertices;
};

struct cn_mesh_edge {
    int32_t tail, head;  /* vertices */
    int32_t left, right; /* triangles; that on the left runs from tail to head */
    int32_t sample_first, sample_count; /* its samples, evenly from tail to head */
};

/* A node of the tree: 32 bytes.  The left child follows its parent. */
struct cn_mesh_node {
    float low[3], high[3]; /* rounded outward [m] */
    int32_t right;  /* the right child; of a leaf: -1 - its first triangle in tree_triangle[] */
    int32_t count;  /* triangles of a leaf; 0: it has children */
};

/* A sample: 16 bytes. */
struct cn_mesh_sample {
    float at[3];      /* [m] */
    int32_t feature;  /* vertex v: v; point of edge e: -1 - e */
};

struct cn_mesh_patch {
    float center[3], radius; /* a ball around its samples and triangles [m] */
    float normal[3];         /* unit, the mean of its triangles */
    int32_t sample_first, sample_count;
    int32_t triangle_count;
};

struct cn_mesh {
    uint64_t hash; /* of the contents and of what the bake was asked for */
    int vertex_count, triangle_count, edge_count, node_count, sample_count, patch_count;
    const cn_vec3 *vertex;
    const int32_t (*triangle)[3];
    const cn_vec3 *triangle_normal; /* unit, outward */
    const cn_vec3 *vertex_normal;   /* unit, the mean of its triangles' by their angles at it */
    const int32_t (*triangle_edge)[3]; /* edges from corner 0 to 1, 1 to 2, 2 to 0 */
    const struct cn_mesh_edge *edge;
    const struct cn_mesh_node *node;
    const int32_t *tree_triangle;   /* triangles in the order of the leaves */
    const struct cn_mesh_sample *sample; /* patch by patch */
    const struct cn_mesh_patch *patch;
    struct cn_volume volume; /* of density 1 */
    cn_aabb bounds;
    double thickness;        /* twice the greatest depth within it [m] */
    double sample_spacing;   /* along the sharpest edges; along flatter ones it is longer [m] */
    double crease_spacing;   /* the longest between points of a crease (mesh_low.h); 0: none [m] */
    bool sharp, sparse;
    struct cn_field field;
    struct cn_mesh_mending mending;
    size_t size;             /* bytes of all of it */
};

/*
 * Makes a mesh, with one reference; takes up to a second for 10,000 triangles at 64 cells.  Refuses
 * with a defect whose path starts at "vertices" or "triangles": numbers not finite or out of range,
 * indices outside, a surface that is not closed, that is no surface (an edge of other than two
 * triangles), that passes through itself, that encloses nothing, that is thinner than its grid can
 * show, or for which there is no memory.  Mends what is sure: equal vertices, triangles without
 * area, orientation.
 */
CN_MUST_USE enum cn_status cn_mesh_make(
    const struct cn_mesh_def *def, struct cn_mesh **mesh, struct cn_defect *defect);

/* Counts references; from any thread. */
struct cn_mesh *cn_mesh_keep(struct cn_mesh *mesh);
void cn_mesh_drop(struct cn_mesh *mesh); /* NULL: nothing */

/* The hash that cn_mesh_make would give, without making it: the key of a cache. */
uint64_t cn_mesh_hash(const struct cn_mesh_def *def);

/* The nearest point of the surface to p and its triangle; the distance [m]. */
double cn_mesh_nearest(
    const struct cn_mesh *mesh, cn_vec3 p, cn_vec3 *nearest, int *triangle);

/* The signed distance of p, from the triangles [m]: what the field is baked from. */
double cn_mesh_distance(const struct cn_mesh *mesh, cn_vec3 p);

/*
 * The first triangle that the segment from + t along, 0 <= t <= 1, enters from outside; -1: none.
 * *fraction is t, *normal the triangle's.
 */
int cn_mesh_ray(const struct cn_mesh *mesh, cn_vec3 from, cn_vec3 along, double *fraction,
    cn_vec3 *normal);

/*
 * The normal of the surface for a point near it: of the field, or of the true triangle at the place
 * where the field's normal leads, if the mesh is sharp (section 3).
 */
cn_vec3 cn_mesh_normal(const struct cn_mesh *mesh, cn_vec3 p);

#endif
