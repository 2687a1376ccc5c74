/*
 * fast_planar_pair.h: shared by the pair functions of the quick planar narrowphase.
 *
 * A pair function handles two forms in one order.  Polygons and boxes are computed in the frame of
 * A's piece, and the results are turned to world axes.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_PLANAR_PAIR_H
#define ENGINE_COLLIDE_FAST_FAST_PLANAR_PAIR_H

#include "engine/collide/fast/fast_planar_piece.h"

#include <math.h>
#include <stddef.h>

/* Axes whose separations differ by less than this part of the margin are equally good. */
#define CN_FAST2_TIE 0.025f

/*
 * An incident edge stays while it faces the reference as well as the best edge, up to this cosine.
 */
#define CN_FAST2_FACING_TIE 0.02f

struct cn_fvec2 {
    float x, y;
};

static inline struct cn_fvec2
cn_fvec2_sub(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return (struct cn_fvec2){a.x - b.x, a.y - b.y};
}

static inline float
cn_fvec2_dot(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline float
cn_fvec2_cross(struct cn_fvec2 a, struct cn_fvec2 b)
{
    return a.x * b.y - a.y * b.x;
}

/* Rotates by the angle whose cosine and sine are r.x, r.y; and rotates back. */
static inline struct cn_fvec2
cn_fvec2_turn(struct cn_fvec2 r, struct cn_fvec2 v)
{
    return (struct cn_fvec2){r.x * v.x - r.y * v.y, r.y * v.x + r.x * v.y};
}

static inline struct cn_fvec2
cn_fvec2_turn_back(struct cn_fvec2 r, struct cn_fvec2 v)
{
    return (struct cn_fvec2){r.x * v.x + r.y * v.y, r.x * v.y - r.y * v.x};
}

/* a + s b */
static inline struct cn_fvec2
cn_fvec2_add_scaled(struct cn_fvec2 a, float s, struct cn_fvec2 b)
{
    return (struct cn_fvec2){a.x + s * b.x, a.y + s * b.y};
}

static inline float
cn_fmin(float a, float b)
{
    return a < b ? a : b;
}

static inline float
cn_fmax(float a, float b)
{
    return a > b ? a : b;
}

/* The vertices and edges of a piece, in its frame; room for those of a LARGE one. */
struct cn_fast_core2 {
    int count;
    const float *vertex_x, *vertex_y, *normal_x, *normal_y, *offset;
};

_Static_assert(CN_POLYGON_VERTICES_MAX % 4 == 0, "rooms are whole lanes");

struct cn_fast_room2 {
    float vertex_x[CN_POLYGON_VERTICES_MAX], vertex_y[CN_POLYGON_VERTICES_MAX];
    float normal_x[CN_POLYGON_VERTICES_MAX], normal_y[CN_POLYGON_VERTICES_MAX];
    float offset[CN_POLYGON_VERTICES_MAX];
};

/* Out of line.  Reads the shape of a LARGE piece; lanes beyond the last edge repeat the first. */
void cn_fast_core2_load(const struct cn_fast_shape2 *piece, struct cn_fast_room2 *room);

static inline struct cn_fast_core2
cn_fast_core2_of(const struct cn_fast_shape2 *piece, struct cn_fast_room2 *room)
{
    if (piece->form == CN_FAST2_LARGE) {
        cn_fast_core2_load(piece, room);
        return (struct cn_fast_core2){piece->vertex_count, room->vertex_x, room->vertex_y,
            room->normal_x, room->normal_y, room->offset};
    }
    return (struct cn_fast_core2){piece->vertex_count, piece->vertex_x, piece->vertex_y,
        piece->normal_x, piece->normal_y, piece->offset};
}

/*
 * Sines by which a sector counts as wider: SLACK allows for edges that are nearly level, TIGHT only
 * for rounding.
 */
#define CN_FAST2_SECTOR_SLACK 1e-3f
#define CN_FAST2_SECTOR_TIGHT 1e-6f

/*
 * The ends of the sector of a BORDER's corner: the normals of the outline's edges before and after
 * it.
 */
static inline struct cn_fvec2
cn_fast_border2_first(const struct cn_fast_shape2 *piece, int vertex)
{
    int k = CN_BORDER_VERTICES_MAX + vertex;
    return (struct cn_fvec2){piece->vertex_x[k], piece->vertex_y[k]};
}

static inline struct cn_fvec2
cn_fast_border2_last(const struct cn_fast_shape2 *piece, int vertex)
{
    int k = CN_BORDER_VERTICES_MAX + vertex;
    return (struct cn_fvec2){piece->normal_x[k], piece->normal_y[k]};
}

/* Whether a normal is in this piece's part of a corner's sector; all in the piece's frame. */
static inline bool
cn_fast_border2_admits(
    const struct cn_fast_shape2 *piece, int vertex, struct cn_fvec2 normal, float slack)
{
    int before = vertex > 0 ? vertex - 1 : piece->vertex_count - 1;
    bool is_end = (piece->ends >> vertex & 1) != 0;
    bool has_before = is_end || (piece->borders >> before & 1) != 0;
    bool has_after = is_end || (piece->borders >> vertex & 1) != 0;
    struct cn_fvec2 first = cn_fast_border2_first(piece, vertex);
    struct cn_fvec2 last = cn_fast_border2_last(piece, vertex);
    struct cn_fvec2 sum = {first.x + last.x, first.y + last.y};
    return (piece->sectors >> vertex & 1) != 0 &&
           cn_fvec2_cross(has_before ? first : sum, normal) >= -slack &&
           cn_fvec2_cross(normal, has_after ? last : sum) >= -slack &&
           cn_fvec2_dot(sum, normal) > 0.0f;
}

/*
 * The index of the real edge at a BORDER's corner that faces a direction most; -1: not found.
 */
static inline int
cn_fast_border2_incident(const struct cn_fast_shape2 *piece, const float *normal_x,
    const float *normal_y, int vertex, struct cn_fvec2 direction)
{
    int before = vertex > 0 ? vertex - 1 : piece->vertex_count - 1;
    bool has_after = (piece->borders >> vertex & 1) != 0;
    bool has_before = (piece->borders >> before & 1) != 0;
    if (has_after && has_before) {
        float after_faces = direction.x * normal_x[vertex] + direction.y * normal_y[vertex];
        float before_faces = direction.x * normal_x[before] + direction.y * normal_y[before];
        return after_faces < before_faces ? vertex : before;
    }
    return has_after ? vertex : has_before ? before : -1;
}

/* The pose of a piece's body, for shapes that are read in double. */
static inline cn_pose
cn_fast_placed2_pose(const struct cn_fast_placed2 *placed)
{
    struct cn_fvec2 local = {placed->piece->axis_x, placed->piece->axis_y};
    struct cn_fvec2 world = {placed->axis_x, placed->axis_y};
    struct cn_fvec2 turn = cn_fvec2_turn_back(local, world);
    double c = (double)turn.x, s = (double)turn.y, scale = 1.0 / sqrt(c * c + s * s);
    cn_vec3 center = {
        placed->x - (double)placed->arm_x, placed->y - (double)placed->arm_y, 0.0};
    return (cn_pose){center, cn_mat33_about_z(scale * s, scale * c)};
}

/*
 * Fills a manifold that is empty except for the hint, and may change the hint.  The caller sets
 * impulses.
 */
typedef void cn_fast_pair2(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold);

cn_fast_pair2 cn_fast_pair2_circles;
cn_fast_pair2 cn_fast_pair2_box_circle; /* also for a capsule */
cn_fast_pair2 cn_fast_pair2_polygon_circle;
cn_fast_pair2 cn_fast_pair2_border_circle;
cn_fast_pair2 cn_fast_pair2_polygons; /* any two with edges */
cn_fast_pair2 cn_fast_pair2_plane;    /* a half plane and anything else */

/* Boxes in lanes; every kernel gives the same bits (fast_planar_boxes.h). */
struct cn_fast_kernel2 {
    const char *name; /* as of the kernels of solve/impulse/impulse.h */
    void (*meet_boxes)(const struct cn_fast_task2 *const *task, int count, float margin);
};

extern const struct cn_fast_kernel2 cn_fast_kernel2_single, cn_fast_kernel2_plain,
    cn_fast_kernel2_sse2, cn_fast_kernel2_avx2, cn_fast_kernel2_avx512, cn_fast_kernel2_neon;

/* Collides two boxes by the general function. */
void cn_fast_meet_polygons(const struct cn_fast_task2 *task, float margin);

#endif
