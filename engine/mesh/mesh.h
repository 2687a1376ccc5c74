/*
 * mesh.h: a closed surface of triangles, with all data that is computed from it once.
 *
 * A mesh is the geometry of a body that need not be convex.  It is made from vertices and
 * triangles, which are checked, repaired where the repair is certain, and baked.  The bake gives
 * mass properties, edges, a tree of boxes over the triangles, the signed distance on a grid
 * (field.h), and samples: the points of this surface that are looked up in the other shape's
 * distance.
 *
 * Samples are the vertices, and points along edges that are close enough to find edges that cross
 * between them (section 4: the deepest points of edges; mesh_sample.c).  A vertex or edge that is
 * flat or hollow all around is never the first to touch, and has no samples.  Samples are grouped
 * in patches: small connected parts of the surface, each with a bounding ball, by which whole parts
 * are skipped.  A patch names a contact: its number never changes.
 *
 * A mesh is immutable.  Worlds and threads share it by reference counts; the last reference frees
 * it.  Equal contents give equal bits of everything here, on every machine.
 *
 * Invariants: 1. Every edge has exactly two triangles.  2. A patch has one sample or more, and the
 * samples of patch i + 1 follow those of patch i.  3. A mesh has one reference or more until
 * its memory is freed.
 *
 * Frame: that of the given vertices, after the scale.
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
#define CN_MESH_RESOLUTION 40       /* used when none is given, unless the thickness needs more */
#define CN_MESH_PATCHES_MAX 255     /* names of contacts have 8 bits for each side */

/* The input of a mesh; arrays are borrowed during the call. */
struct cn_mesh_def {
    int vertex_count, triangle_count;
    const cn_vec3 *vertex;           /* before the scale [m] */
    const int32_t (*triangle)[3];    /* counter-clockwise from outside */
    double scale;                    /* 0 means 1 */
    int resolution;                  /* cells along the longest extent; 0: the bake chooses them, */
    int resolution_max;              /* but at most this many; 0: CN_MESH_RESOLUTION_MAX */
    bool sparse;                     /* less memory for the field, slightly slower lookups */
    bool sharp;                      /* contact normals of the triangles, not of the distance */
};

/* The repairs that were made, for display. */
struct cn_mesh_mending {
    int merged_vertices;   /* with equal positions */
    int dropped_triangles; /* without area, or duplicates */
    int turned_triangles;  /* reversed because they ran clockwise */
    int unused_vertices;
};

struct cn_mesh_edge {
    int32_t tail, head;  /* vertices */
    int32_t left, right; /* triangles; the left one runs from tail to head */
    int32_t sample_first, sample_count; /* its samples, evenly spaced from tail to head */
};

/* A node of the tree: 32 bytes.  The left child follows its parent. */
struct cn_mesh_node {
    float low[3], high[3]; /* rounded outward [m] */
    int32_t right;  /* the right child; for a leaf: -1 - its first triangle in tree_triangle[] */
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
    uint64_t hash; /* of the contents and of the options of the bake */
    int vertex_count, triangle_count, edge_count, node_count, sample_count, patch_count;
    const cn_vec3 *vertex;
    const int32_t (*triangle)[3];
    const cn_vec3 *triangle_normal; /* unit, outward */
    const cn_vec3 *vertex_normal;   /* unit, mean over its triangles, weighted by angle */
    const int32_t (*triangle_edge)[3]; /* edges from corner 0 to 1, 1 to 2, 2 to 0 */
    const struct cn_mesh_edge *edge;
    const struct cn_mesh_node *node;
    const int32_t *tree_triangle;   /* triangles in the order of the leaves */
    const struct cn_mesh_sample *sample; /* patch by patch */
    const struct cn_mesh_patch *patch;
    struct cn_volume volume; /* of density 1 */
    cn_aabb bounds;
    double thickness;        /* twice the greatest depth inside [m] */
    double sample_spacing;   /* along the sharpest edges; longer along flatter ones [m] */
    double crease_spacing;   /* longest between points of a crease (mesh_low.h), or 0 [m] */
    bool sharp, sparse;
    struct cn_field field;
    struct cn_mesh_mending mending;
    size_t size;             /* bytes of the whole mesh */
};

/*
 * Makes a mesh, with one reference; this takes up to a second for 10,000 triangles at 64 cells.  A
 * refusal sets a defect whose path starts at "vertices" or "triangles".  It refuses numbers that
 * are not finite or out of range, indices out of range, and a lack of memory.  It refuses a surface
 * that is not closed, has an edge of other than two triangles, passes through itself, has no
 * volume, or is thinner than its grid can show.  It repairs equal vertices, triangles without area,
 * and orientation, because the result is certain.
 */
CN_MUST_USE enum cn_status cn_mesh_make(
    const struct cn_mesh_def *def, struct cn_mesh **mesh, struct cn_defect *defect);

/* Add and remove a reference; any thread may call them. */
struct cn_mesh *cn_mesh_keep(struct cn_mesh *mesh);
void cn_mesh_drop(struct cn_mesh *mesh); /* NULL: does nothing */

/* The hash that cn_mesh_make would give, without making it: the key of a cache. */
uint64_t cn_mesh_hash(const struct cn_mesh_def *def);

/* The nearest point of the surface to p, and its triangle; returns the distance [m]. */
double cn_mesh_nearest(
    const struct cn_mesh *mesh, cn_vec3 p, cn_vec3 *nearest, int *triangle);

/* The signed distance of p from the triangles [m]: the field is baked from it. */
double cn_mesh_distance(const struct cn_mesh *mesh, cn_vec3 p);

/*
 * Returns the first triangle that the segment from + t along, 0 <= t <= 1, enters from outside; -1:
 * not found.  Sets *fraction to t and *normal to the triangle's normal.
 */
int cn_mesh_ray(const struct cn_mesh *mesh, cn_vec3 from, cn_vec3 along, double *fraction,
    cn_vec3 *normal);

/*
 * The normal of the surface for a point near it.  It is that of the field.  For a sharp mesh it is
 * that of the triangle to which the field's normal points (section 3).
 */
cn_vec3 cn_mesh_normal(const struct cn_mesh *mesh, cn_vec3 p);

#endif
