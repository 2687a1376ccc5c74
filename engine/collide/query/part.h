/*
 * part.h: a shape split into parts that casts and times of impact can handle: convex cores, planes,
 * hollow arcs.
 *
 *     convex core       one part, itself
 *     plane             one part
 *     outline, chain    one part for each edge: a straight one is a core of two points, an arc that
 *                       bulges out a segment of a disc, an arc that is hollow the space beyond it;
 *                       and the ends of hollow arcs, as points
 *
 *     mesh              one part for each triangle: a core of three points
 *
 * The inside of an outline or a mesh is not a part: cn_part_holds and cn_part_mesh_holds find
 * starts inside.  The edges of a chain are one-sided: they are met only from the side to which
 * `front` points.
 *
 * Everything is in the frame of the shape's body.
 */
#ifndef ENGINE_COLLIDE_QUERY_PART_H
#define ENGINE_COLLIDE_QUERY_PART_H

#include "engine/collide/query/convex.h"

#include <math.h>

enum cn_part_kind { CN_PART_CONVEX, CN_PART_PLANE, CN_PART_HOLLOW };

/*
 * Must not be moved: a convex part of a border borrows `ends`, a part of a mesh borrows `corner`.
 */
struct cn_part {
    enum cn_part_kind kind;
    bool one_sided;
    cn_vec2 front;           /* of one-sided parts: unit, out of the solid, normal to the chord */
    struct cn_convex convex; /* CONVEX */
    cn_vec3 normal;          /* PLANE: unit, out of the solid, */
    double offset;           /* with normal . p <= offset inside [m] */
    cn_vec2 ends[2];         /* of edges */
    cn_vec3 corner[3];       /* of triangles */
    double bulge;            /* HOLLOW: < 0 */
    cn_vec2 center;
    double radius;           /* of the arc [m] */
};

/* The box, in a pose's frame, around a box in the world. */
static inline cn_aabb
cn_aabb_turn_back(const cn_pose *pose, const cn_aabb *box)
{
    cn_vec3 half = cn_vec3_scale(cn_vec3_sub(box->high, box->low), 0.5);
    cn_vec3 middle = cn_pose_invert(pose, cn_vec3_add(box->low, half));
    const cn_mat33 *R = &pose->rotation;
    cn_vec3 far = {
        fabs(R->cx.x) * half.x + fabs(R->cx.y) * half.y + fabs(R->cx.z) * half.z,
        fabs(R->cy.x) * half.x + fabs(R->cy.y) * half.y + fabs(R->cy.z) * half.z,
        fabs(R->cz.x) * half.x + fabs(R->cz.y) * half.y + fabs(R->cz.z) * half.z,
    };
    return (cn_aabb){cn_vec3_sub(middle, far), cn_vec3_add(middle, far)};
}

/* The number of part indices; some of these parts may not exist. */
int cn_part_count(const struct cn_shape *shape);

/*
 * Fills *part; false where the part does not exist.  For a moving shape (`moving`) hollow arcs
 * count as their chords: a shape that enters such a notch touches it a little early.
 */
bool cn_part_get(const struct cn_shape *shape, int i, bool moving, struct cn_part *part);

/*
 * Visits the parts of a shape that may be in a box (given in the frame of the shape's body), until
 * visit returns false.  For a mesh its tree finds them; for other kinds all parts are visited.
 */
typedef bool cn_part_visit(void *context, int part);
void cn_part_near(const struct cn_shape *shape, const cn_aabb *box, cn_part_visit *visit,
    void *context);

/*
 * Whether a point (in the frame of the shape's body) is inside a mesh; false for all other kinds.
 */
bool cn_part_mesh_holds(const struct cn_shape *shape, cn_vec3 point);

/* Whether a point is inside an outline; false for all other kinds, and on straight edges. */
bool cn_part_holds(const struct cn_shape *shape, cn_vec2 point);

/* Whether a direction from the centre of a hollow arc points at it. */
bool cn_part_faces(const struct cn_part *hollow, cn_vec2 direction);

/* The distance of a convex core, without its radius, from the curve of a hollow arc [m]. */
double cn_part_hollow_distance(
    const struct cn_part *hollow, const struct cn_convex *convex, const cn_pose *convex_pose);

#endif
