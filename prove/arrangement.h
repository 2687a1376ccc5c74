/*
 * arrangement.h: bodies at rest that touch, in exact numbers.
 *
 * arrange.h makes one from the definition of a world.
 *
 * In the plane, shapes are box, polygon, circle, sphere, capsule and plane.  Two shapes can touch
 * if they belong to different bodies and at least one of these can move.  They touch if the gap
 * between them is at most 10^-6 of the smaller one's extent, above or below 0.  A deeper overlap is
 * refused.  The contacts of two shapes that touch (Baraff 1989, sections 4.1 and 4.2):
 *
 *     face on face      the two ends of the overlap, normal of the face; one if they coincide
 *     corner on face    one point, normal of the face
 *     corner on corner  one point.  If faces oppose each other there, the normal of the face most
 *                       aligned with gravity; else the mean of the faces' normals
 *     circles           the nearest points, normal along the line between
 *
 * Positions along a face count exactly, to 10^-12 of the extent.  So a brick that reaches 10^-9 m
 * beyond its support does so here too.
 *
 * In space the shapes are boxes (cuboids), hulls, spheres, capsules and planes.  Spheres touch as
 * circles do:
 *
 *     face on face      the corners of the overlap, normal of the face with the largest overlap.
 *                       If no overlap has an area, the longest; then the most aligned with gravity
 *     edge across edge  the point where the edges pass each other, normal to both
 *     capsules          the nearest point, or the two ends of what a parallel line or a face shares
 *
 * The contacts of hulls with hulls, boxes and planes are rounded (patch.h), as those of turned
 * bodies would have long fractions.
 *
 * A contact bears if its normal is not level.  A side contact (its normal is at right angles to
 * gravity) can push, but it bears no weight, so the margin does not count it.  The caller can
 * choose to leave side contacts out.  Then neighbours are treated as if an infinitesimal gap were
 * between them, even if they overlap a little sideways.
 */
#ifndef PROVE_ARRANGEMENT_H
#define PROVE_ARRANGEMENT_H

#include "engine/cairn.h"
#include "prove/solid.h"

struct pv_body {
    bool is_fixed;   /* static and kinematic bodies */
    mpq_t mass;      /* kg; 0 when fixed */
    pv_vec center;   /* of mass, world [m] */
    mpq_t inertia;   /* planar: about the centre of mass [kg m^2] */
    mpq_t tensor[9], tensor_inverse[9]; /* spatial: the same, world axes */
    pv_vec force;   /* weight and constant forces, at the centre of mass [N]; 0 when fixed */
    pv_vec moment;  /* of the constant forces about the centre of mass; planar: z [N m] */
};

struct pv_shape {
    enum cn_shape_kind kind;
    int body, material;
    struct cn_filter filter;
    int vertex_count; /* box, polygon: n; circle: 1, its centre; plane: 0; cuboid: 8;
                         hull: n, only its corners */
    pv_vec *vertex;   /* world, counter-clockwise */
    pv_vec *normal;   /* of the edge that starts at vertex i; a plane has one */
    mpq_t *length;    /* of that edge */
    mpq_t radius;     /* of a circle; in space of a sphere, whose kind is CN_SHAPE_CIRCLE too */
    mpq_t offset;     /* of a plane */
    pv_vec center;    /* of a cuboid, whose axes are normal[] and half sizes length[] */
    struct pv_solid solid; /* faces and edges of a cuboid or a hull; all zeros: neither */
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
    bool sides_left_out, friction_left_out; /* the world has some, and the choice left them out */
};

void pv_body_init(struct pv_body *body);
void pv_arrangement_finish(struct pv_arrangement *arrangement);

/* Equations of a body: 3 in the plane, 6 in space. */
int pv_dof(const struct pv_arrangement *arrangement);

/* wrench = the parts of a force at a point: force, then moment about the world's origin. */
void pv_wrench(const struct pv_arrangement *arrangement, mpq_t *wrench, const pv_vec *force,
    const pv_vec *at);

bool pv_has_friction(const struct pv_arrangement *arrangement);

#endif
