/*
 * fast_spatial_hull.h: convex polyhedra in float, and a box as one of them.
 *
 * Coordinates are stored in rows whose length is a multiple of four, so that four corners or four
 * faces are tried at once.  The first corner or face fills a row up; as a copy it never wins.  The
 * same coordinates are stored again by corner and by face, for those that were found.
 *
 * Invariants:
 *
 *     1  there are at most CN_HULL_VERTICES_MAX corners and CN_HULL_FACES_MAX faces, and a row has
 *        a place for each, rounded up to four
 *     2  face i has the corners face_first[i] to face_first[i + 1] - 1, at least three
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_HULL_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_HULL_H

#include "engine/collide/fast/fast_spatial_pair.h"

#define CN_FAST_VERTICES_ROOM CN_HULL_VERTICES_MAX
#define CN_FAST_FACES_ROOM ((CN_HULL_FACES_MAX + 3) / 4 * 4)

/* The frame is that of the body's centre of mass, or of the box. */
struct cn_fast_hull {
    int32_t vertex_count, face_count, edge_count;
    int32_t vertex_room, face_room; /* multiples of four */
    const float *vertex_row;        /* x of all, y of all, z of all */
    const float *plane_row;         /* normal's x of all, y, z, offset of all */
    const float *vertex;            /* x, y, z, 0 of each */
    const float *plane;             /* normal and offset of each */
    const struct cn_edge *edge;
    const uint16_t *face_first;   /* into the corners; the last entry is their number */
    const uint8_t *corner_vertex; /* counter-clockwise seen from outside */
    const uint8_t *corner_edge;   /* from that corner to the next */
};

/* The numbers of a box as a hull.  The rest is the same for all boxes. */
struct cn_fast_cuboid {
    float vertex_row[3 * 8], plane_row[4 * 8], vertex[4 * 8], plane[4 * 6];
};

/* The bytes that a hull takes, and a function that makes it in such a block. */
size_t cn_fast_hull_room(const struct cn_polytope *core);
const struct cn_fast_hull *cn_fast_hull_bake(const struct cn_polytope *core, void *store);

/* Whether both polytopes give the same hull. */
bool cn_fast_hull_is_alike(const struct cn_polytope *a, const struct cn_polytope *b);

/* A box as a hull in its own frame; *hull borrows from *cuboid. */
void cn_fast_hull_of_box(
    const float half[4], struct cn_fast_cuboid *cuboid, struct cn_fast_hull *hull);

static inline cn_four
cn_fast_hull_vertex(const struct cn_fast_hull *hull, int i)
{
    return cn_four_load(hull->vertex + 4 * i);
}

/* The fourth lane is the offset. */
static inline cn_four
cn_fast_hull_normal(const struct cn_fast_hull *hull, int i)
{
    return cn_four_load(hull->plane + 4 * i);
}

static inline float
cn_fast_hull_offset(const struct cn_fast_hull *hull, int i)
{
    return hull->plane[4 * i + 3];
}

/* How far a point of the hull's frame is beyond face i. */
static inline float
cn_fast_hull_side(const struct cn_fast_hull *hull, int i, cn_four point)
{
    return cn_four_dot3(cn_fast_hull_normal(hull, i), point) - cn_fast_hull_offset(hull, i);
}

/* The same for all faces. */
void cn_fast_hull_sides(const struct cn_fast_hull *hull, cn_four point, float *side);

/* The corner with the least product with a direction of the hull's frame; sets the product. */
int cn_fast_hull_lowest(const struct cn_fast_hull *hull, cn_four direction, float *product);

/* Products of all corners with a direction. */
void cn_fast_hull_heights(const struct cn_fast_hull *hull, cn_four direction, float *height);

/* The face whose normal has the least product with a direction. */
int cn_fast_hull_facing(const struct cn_fast_hull *hull, cn_four direction);

/*
 * Lowers each bound to the distance of a point beyond that face.  Returns the first of the faces
 * with the largest bound, and sets *largest.  Faces that are excluded have a bound of -HUGE_VAL.
 */
int cn_fast_hull_lower(
    const struct cn_fast_hull *hull, cn_four point, float *bound, float *largest);

/*
 * The index of the largest of count > 0 numbers, the first of equal ones.  The array is filled up
 * to a multiple of four.
 */
int cn_fast_largest(const float *value, int count);

/* A shape's hull, its frame, and room for the hull of a box. */
struct cn_fast_solid {
    struct cn_fast_frame frame;
    const struct cn_fast_hull *hull;
    struct cn_fast_hull of_box;
    struct cn_fast_cuboid cuboid;
};

void cn_fast_solid_load(struct cn_fast_solid *solid, const struct cn_fast_shape3 *shape,
    const struct cn_place3 *place, cn_four between);

/*
 * A point on a face: x, y and separation in three lanes; its feature; the line that continues from
 * it.
 */
struct cn_fast_spot {
    cn_four place;
    uint32_t feature;
    int32_t line; /* an edge of the other hull, or -1 - k: side k of the face */
};

/*
 * A face of a hull, and the part of another hull's face that lies over it, up to a tie.
 * fast_spatial_box.h does the same for boxes.
 */
struct cn_fast_hull_face {
    /* Given: */
    const struct cn_fast_hull *hull, *other;
    const struct cn_fast_frame *frame; /* of the hull with the face */
    const struct cn_fast_turn3 *other_in; /* the other's axes in that frame */
    const struct cn_fast_turn3 *back;     /* the frame's axes in the other's */
    cn_four to_other;                     /* its origin in that frame */
    bool is_a;                         /* whether the face is of the pair's A */
    int face;
    int corner;  /* the deepest corner of the other */
    float side;  /* its separation */
    float tie, margin;
    float least; /* while the two are apart, a lower separation shows a wrong face */
    /* Made: */
    cn_four origin, first, second, normal; /* of the face's plane, in the hull's frame */
    struct cn_fast_turn3 of_other; /* turns the other's frame into the face's coordinates */
    cn_four place_of_other;        /* its origin there */
    int count;
    float deepest; /* the least separation; HUGE_VAL: there are no points */
    struct cn_fast_spot spot[CN_FAST_CANDIDATES_MAX];
};

void cn_fast_hull_clip(struct cn_fast_hull_face *face);

/* Adds the deepest corner, for hulls that overlap although cutting did not find it. */
void cn_fast_hull_touch(struct cn_fast_hull_face *face);

/* Reduces the points that were found and adds them to the pair's manifold, with the normal. */
void cn_fast_hull_emit(const struct cn_fast_pair *pair, struct cn_fast_hull_face *face);

#endif
