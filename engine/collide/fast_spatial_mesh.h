/*
 * fast_spatial_mesh.h: the quick narrowphase of bodies that need not be convex.
 *
 * Points of one surface are looked up in the distance of the other: samples of a mesh in a mesh's
 * field (mesh/field.h) or in what a convex shape says of a point; corners, points along edges and
 * cores of convex shapes in the mesh's field.  Patches whose balls are too far are passed over.
 *
 *     phi     distance of the point from the other's surface, < 0 inside [m]
 *     n       gradient of phi, turned so that it points from A to B
 *     c       how fast the point closes along n, as the bodies move when the tick begins [m/s]
 *
 * A point counts where phi - c T <= margin with T the tick, so that what comes fast is met before
 * it arrives.
 *
 * Points of like normals become one manifold, whose normal is that of the most urgent of them, and
 * of whose points at most four stay, the deepest among them: so that two bodies that touch in many
 * places are few contacts.  Where they reach further than the thinner body is wide, they become up
 * to four, one of each quarter.
 *
 * A point's feature is where it is in the frame of the smaller body, in 31 steps along each axis:
 * bodies that move little against each other have points whose features differ little, and by that
 * and the normals impulses go over to the points of the next tick (fast_spatial_mesh_carry.c).
 *
 * Determinism: a function of shapes, poses and velocities.  The lookups go by lanes, with the same
 * bits for any width.
 *
 * Source: sampling one surface in the other's distance, Guendelman et al. 2003, section 4; contacts
 * ahead of time and one manifold a pair of bodies, as the field's engines have them.
 */
#ifndef ENGINE_COLLIDE_FAST_SPATIAL_MESH_H
#define ENGINE_COLLIDE_FAST_SPATIAL_MESH_H

#include "engine/collide/fast_spatial.h"
#include "engine/mesh/mesh.h"

#define CN_FAST_MESH_MANIFOLDS_MAX 8 /* of two shapes; the most urgent */

struct cn_fast_mesh_point {
    float place[3]; /* halfway between the surfaces, from A's centre of mass, world axes [m] */
    float separation;
    uint32_t feature;
};

struct cn_fast_mesh_manifold {
    float normal[3];
    int32_t point_count;
    struct cn_fast_mesh_point point[CN_POINTS_SPATIAL_MAX];
};

struct cn_fast_mesh_found {
    int32_t manifold_count;
    int32_t sample_count; /* points that were looked up, patches left out */
    struct cn_fast_mesh_manifold manifold[CN_FAST_MESH_MANIFOLDS_MAX];
};

/* How a body moves when the tick begins. */
struct cn_fast_mesh_motion {
    float velocity[3], spin[3]; /* of the centre of mass [m/s, rad/s] */
};

struct cn_fast_mesh_pair {
    const struct cn_fast_shape3 *a, *b; /* one at least is a mesh */
    const struct cn_place3 *place_a, *place_b;
    const struct cn_fast_mesh_motion *motion_a, *motion_b;
    float margin;   /* [m] */
    float duration; /* T [s]; 0: only what is within the margin */
    struct cn_fast_mesh_clear *clear; /* of the pair, kept from tick to tick; NULL: it is not */
};

/*
 * What is known of two meshes that were apart (fast_spatial_mesh_clear.c).  It is derived: without
 * it, or with one of zeros, the same is found, later.  It is of two shapes as they are: who changes
 * either begins with zeros again.
 */
struct cn_fast_mesh_clear {
    float least;      /* D: of all interpolated distances, then [m]; 0: nothing is known */
    int16_t age;      /* ticks for which it has held, up to a few */
    int16_t wait;     /* ticks in which it is not looked for */
    float axis[3][3]; /* from B's frame into A's, then */
    float origin[3];
};

/* The kernel of one instruction set, by the name that its cn_impulse_kernel has. */
struct cn_fast_mesh_kernel;
const struct cn_fast_mesh_kernel *cn_fast_mesh_kernel_find(const char *name);

/* Fills *found: the manifolds, most urgent first; beyond manifold_count nothing is written. */
void cn_fast_mesh_meet(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_fast_mesh_pair *pair, struct cn_fast_mesh_found *found);

/*
 * How deep points of either are in the other [m], where that is more than `least` > 0; else that.
 * Of the pair shapes and places alone are read.
 */
float cn_fast_mesh_depth(const struct cn_fast_mesh_kernel *kernel,
    const struct cn_fast_mesh_pair *pair, float least);

/*
 * How far the boxes around two meshes are apart along that of their six axes that parts them most
 * [m], < 0 where they overlap along all: no point is deeper in the other mesh than minus that.
 * -HUGE_VALF where one is no mesh.  Of the pair shapes and places alone are read.
 */
float cn_fast_mesh_gap(const struct cn_fast_mesh_pair *pair);

/* How far two features of a pair are from each other, squared, in steps. */
int cn_fast_mesh_apart(uint32_t feature, uint32_t other);

/* A unit normal in 32 bits, to about 5e-5 rad; and back, of unit length. */
uint32_t cn_fast_mesh_normal_pack(const float normal[3]);
void cn_fast_mesh_normal_unpack(uint32_t packed, float normal[3]);

/*
 * Whole manifolds of the two shapes from what was found, with the impulses of the last tick's, of
 * which features, impulses, and hints are read.
 */
void cn_fast_mesh_finish(const struct cn_fast_mesh_found *found, const float between[3],
    const struct cn_manifold3 *const *last, int last_count, struct cn_manifold3 *const *now);

#endif
