/*
 * fast_spatial_mesh.h: the quick narrowphase of bodies that need not be convex.
 *
 * Points of one surface are looked up in the distance of the other.  Samples of a mesh are looked
 * up in another mesh's field (mesh/field.h), or in the distance from a convex shape.  Corners,
 * points along edges and cores of convex shapes are looked up in the mesh's field.  Patches whose
 * balls are too far are skipped.
 *
 *     phi     distance of the point from the other's surface, < 0 inside [m]
 *     n       gradient of phi, turned so that it points from A to B
 *     c       how fast the point closes along n, as the bodies move when the tick begins [m/s]
 *
 * A point counts where phi - c T <= margin with T the tick, so that a fast point gets a contact
 * before it arrives.
 *
 * Points with similar normals become one manifold.  Its normal is that of the most urgent points,
 * and at most four points stay, the deepest among them.  So two bodies that touch in many places
 * have few contacts.  Points that reach farther than the thinner body is wide become up to four
 * manifolds, one for each quarter.
 *
 * A point's feature is its position in the frame of the smaller body, in 31 steps along each axis.
 * If bodies move little against each other, the features of their points change little.  So
 * impulses go to the points of the next tick by features and normals (fast_spatial_mesh_carry.c).
 *
 * Determinism: the result is a function of shapes, poses and velocities.  Lookups use lanes, and
 * give the same bits for any width.
 *
 * Source: sampling one surface in the other's distance, Guendelman et al. 2003, section 4; contacts
 * ahead of time, and one manifold for a pair of bodies, as in other engines of the field.
 */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_H

#include "engine/collide/fast/fast_spatial.h"
#include "engine/collide/mesh/fast_spatial_mesh_pair.h"

/* The kernel of an instruction set, by the name of its cn_impulse_kernel. */
struct cn_fast_mesh_kernel;
const struct cn_fast_mesh_kernel *cn_fast_mesh_kernel_find(const char *name);

/*
 * Fills *found with the manifolds, most urgent first.  Entries beyond manifold_count are not
 * written.
 */
void cn_fast_mesh_meet(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_fast_mesh_pair *pair, struct cn_fast_mesh_found *found);

/*
 * The greatest depth of points of either body in the other [m]; `least` > 0 if no point is deeper.
 * It reads only the shapes and places of the pair.
 */
float cn_fast_mesh_depth(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_fast_mesh_pair *pair, float least);

/*
 * The distance of the boxes around two meshes, along that of their six axes that separates them
 * most [m]; < 0 where they overlap along all axes.  No point is deeper in the other mesh than minus
 * this.  -HUGE_VALF if one shape is not a mesh.  It reads only the shapes and places of the pair.
 */
float cn_fast_mesh_gap(const struct cn_fast_mesh_pair *pair);

/* The squared distance of two features of a pair, in steps. */
int cn_fast_mesh_apart(uint32_t feature, uint32_t other);

/* Packs a unit normal into 32 bits, to about 5e-5 rad, and unpacks it to unit length. */
uint32_t cn_fast_mesh_normal_pack(const float normal[3]);
void cn_fast_mesh_normal_unpack(uint32_t packed, float normal[3]);

/*
 * Makes the manifolds of the two shapes from the points found, with impulses from the last tick's
 * manifolds.  It reads features, impulses and hints of these.
 */
void cn_fast_mesh_finish(const struct cn_fast_mesh_found *found, const float between[3],
    const struct cn_manifold3 *const *last, int last_count, struct cn_manifold3 *const *now);

#endif
