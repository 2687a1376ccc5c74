/*
 * shape_kind.h: what each kind of shape implements, in its own frame.
 *
 * bake.c does everything that does not depend on the kind: the move into the body's frame, edge
 * normals, bounds, sums.  A new kind is one file with one struct cn_shape_ops, and one line at the
 * end of CN_SHAPE_TABLE, because kinds are stored as integers.
 *
 * It also needs:
 *
 *     the definition   a member of cn_shape_def's union (shape.h), a case of same_form (alike.c)
 *     the scene        a field in scene.proto, a case of fill_form (proto/scene/shape.c)
 *     images           cases in state/structure_walk.c, portable_write.c and portable_made.c
 *     the page         its picture in contour.ts and solid.ts
 *
 * Collisions know forms and not kinds (collide/exact/pair_table.c).  A kind that bakes to vertices
 * and arcs needs nothing there.
 */
#ifndef ENGINE_SHAPE_SHAPE_KIND_H
#define ENGINE_SHAPE_SHAPE_KIND_H

#include "engine/mesh/mass.h"
#include "engine/shape/shape.h"

#include <stdbool.h>
#include <stddef.h>

struct cn_area {
    double area;          /* m^2 */
    cn_vec2 center;       /* its centroid [m] */
    double second_moment; /* polar, about the centroid [m^4] */
};

/* The functions of a kind that exists in the plane. */
struct cn_shape_planar_ops {
    /* Checks the fields that only this kind has. */
    enum cn_status (*check)(const struct cn_shape_def *def, struct cn_defect *defect);

    /* The number of vertices of the core. */
    int (*vertex_count)(const struct cn_shape_def *def);

    struct cn_area (*area)(const struct cn_shape_def *def);

    /* Writes the core's vertices and sets radius, width and, for a plane, normal and offset. */
    void (*bake)(const struct cn_shape_def *def, cn_vec2 *vertex, struct cn_shape *shape);

    /* Writes the bulge of each edge (border.h); NULL where all are straight and the core convex. */
    void (*bulges)(const struct cn_shape_def *def, double *bulge);
};

/* The functions of a kind that exists in space. */
struct cn_shape_spatial_ops {
    enum cn_status (*check)(const struct cn_shape_def *def, struct cn_defect *defect);

    struct cn_volume (*volume)(const struct cn_shape_def *def);

    /*
     * The core, in the shape's frame; false for a half space, whose one face is not that of a hull.
     * Sets radius and width of *shape.
     */
    bool (*core)(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape);
};

struct cn_shape_ops {
    const struct cn_shape_planar_ops *planar;   /* NULL: not available in the plane */
    const struct cn_shape_spatial_ops *spatial; /* NULL: not available in space */
    const char *instead; /* the kind of the other dimension that replaces it, e.g. "sphere";
                            NULL: it is in both */
};

#define X(name, NAME, text) extern const struct cn_shape_ops cn_shape_ops_##name;
CN_SHAPE_TABLE(X)
#undef X

/* The row of a kind; a kind outside the table is a programmer error. */
const struct cn_shape_ops *cn_shape_ops_of(enum cn_shape_kind kind);

/* A cuboid: vertex i is at the upper end of x, y and z where bit 0, 1 and 2 of i are set. */
void cn_hull_box(cn_vec3 low, cn_vec3 high, struct cn_hull *hull);

/*
 * Refuses a value that is not finite or not within [low, high].  `what` is the noun of the text:
 * "is -1; a radius is from 0.0005 to 1000 m", with the unit in `unit`.
 */
CN_MUST_USE enum cn_status cn_shape_check_number(struct cn_defect *defect, const char *path,
    double value, double low, double high, const char *what, const char *unit);

#endif
