/*
 * arrangement.h: bodies at rest that touch, in exact numbers.
 *
 * Made from the definition of a world, with every number read as number.h says.  Gravity scales,
 * constant forces, centres of mass, filters and sensors count as in the world.  What would decide
 * the answer and has no place in it is refused by name: joints, springs, thrusters never act at the
 * start and are none of it, mutual gravitation, locked axes, kinematic bodies that move, and where
 * something touches rolling and spinning friction and surfaces that run.  Shapes: box,
 * polygon, circle, sphere and plane in the plane.  Two shapes of different bodies, one of which can
 * move, touch where the gap between them is at most 10^-6 of the smaller one's extent, on either
 * side.  Deeper is an overlap, and refused.  What touches (Baraff 1989, sections 4.1 and 4.2):
 *
 *     face on face      the two ends of the overlap, normal of the face; one where they coincide
 *     corner on face    one point, normal of the face
 *     corner on corner  one point; when faces oppose each other there, the normal of that pair
 *                       which is most aligned with gravity, else the mean of the faces' normals
 *     circles           the nearest points, normal along the line between
 *
 * Along a face positions count exactly, to 10^-12 of the extent: a brick that reaches 10^-9 m
 * beyond its support does so here too.
 *
 * In space there are boxes (cuboids), spheres and planes; spheres touch as circles do:
 *
 *     face on face      the corners of the overlap, normal of the face that is covered the most; of
 *                       faces covered by no area the longest, then the most aligned with gravity
 *     edge across edge  where the edges pass each other, normal to both
 *
 * Which contact bears: one whose normal is not level.  A side contact (its normal is at right
 * angles to gravity) can push but bears no weight; the margin does not count it, and an
 * arrangement can be made without any: an infinitesimal gap between neighbours, even where they
 * overlap a little sideways.
 */
#ifndef PROVE_ARRANGEMENT_H
#define PROVE_ARRANGEMENT_H

#include "engine/cairn.h"
#include "prove/number.h"

struct pv_body {
    bool is_fixed;   /* static and kinematic bodies */
    mpq_t mass;      /* kg; 0 when fixed */
    pv_vec center;   /* of mass, world [m] */
    mpq_t inertia;   /* planar: about the centre of mass [kg m^2] */
    mpq_t tensor[9], tensor_inverse[9]; /* spatial: the same, world axes */
    pv_vec force;   /* weight and constant forces, at the centre of mass [N]; 0 when fixed */
    pv_vec moment;  /* of the constant ones about it; planar: z [N m] */
};

struct pv_shape {
    enum cn_shape_kind kind;
    int body, material;
    struct cn_filter filter;
    int vertex_count; /* box, polygon: n; circle: 1, its centre; plane: 0; cuboid: 8 */
    pv_vec *vertex;   /* world, counter-clockwise */
    pv_vec *normal;   /* of the edge from vertex i on; of a plane: one */
    mpq_t *length;    /* of that edge */
    mpq_t radius;     /* of a circle, in space of a sphere (CN_SHAPE_CIRCLE, too) */
    mpq_t offset;     /* of a plane */
    pv_vec center;    /* of a cuboid, whose axes are normal[] and half sizes length[] */
    mpq_t extent;     /* larger side of the bounds in the shape's own frame; 0: a plane */
    double low[3], high[3]; /* outward-rounded bounds, world */
};

struct pv_contact {
    int a, b;       /* bodies, a < b */
    pv_vec point;   /* world [m] */
    pv_vec normal;  /* from a to b, of unit length as far as pv_root goes */
    mpq_t friction; /* static; 0: none */
    bool bears;
};

struct pv_arrangement {
    int dimension; /* 2, 3 */
    pv_vec gravity;
    mpq_t weight; /* sizes of all weights and constant forces, summed [N] */
    struct pv_body *body;
    int body_count;
    struct pv_shape *shape;
    int shape_count;
    struct pv_contact *contact;
    int contact_count, contact_room;
    bool sides_left_out, friction_left_out; /* there were some, and the choice was to do without */
};

struct pv_choice {
    bool side_contacts; /* false: as if a gap too small to see were between such neighbours */
    bool friction;      /* false: as if every material had none */
    bool start;         /* true: of what falls, the first accelerations, too */
    void (*progress)(void *context, double part); /* how far the verdict is, 0 to 1; may be NULL */
    void *context;
};

/*
 * CN_OK, or the defect that keeps an arrangement from being checked, by the names of scene.proto.
 * The definition has passed cn_world_def_check.  On failure *arrangement is empty.
 */
CN_MUST_USE enum cn_status pv_arrangement_init(struct pv_arrangement *arrangement,
    const struct cn_world_def *def, const struct pv_choice *choice, struct cn_defect *defect);
void pv_arrangement_finish(struct pv_arrangement *arrangement);

/* Equations of a body: 3 in the plane, 6 in space. */
int pv_dof(const struct pv_arrangement *arrangement);

/* A force at a point as its equations' parts: force, then moment about the world's origin. */
void pv_wrench(const struct pv_arrangement *arrangement, mpq_t *wrench, const pv_vec *force,
    const pv_vec *at);

bool pv_has_friction(const struct pv_arrangement *arrangement);

#endif
