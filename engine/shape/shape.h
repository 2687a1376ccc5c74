/*
 * shape.h: the shapes that bodies are made of.
 *
 * A definition (struct cn_shape_def) has the form that a scene gives, in the frame of its body.
 * Baking turns it into the form that the narrowphase reads (struct cn_shape): moved into the frame
 * of the body's centre of mass, and reduced to a convex core with a radius.  In the plane the core
 * is an outline:
 *
 *     circle   core of 1 vertex,  radius r          box, polygon   core of n vertices, radius 0
 *     capsule  core of 2 vertices, radius r         plane          no core: a half plane
 *     outline, chain   edges that may be arcs (shape/border.h), and need not be convex
 *
 * In space the core is a polytope (shape/polytope.h); a mesh stays a mesh, and its core is the box
 * around it.  A sphere in the plane is a circle.  Circles and polygons are planar only, hulls and
 * meshes spatial only.  In a planar world z of an input is ignored, and z of a result is 0.
 *
 * Invariants of a baked shape: 1. width > 0; radius and reach are finite and >= 0.  2. An edge of
 * an outline has a length, and its normal is unit.  3. A shape of the kind `mesh` has a mesh; no
 * other shape has one.
 */
#ifndef ENGINE_SHAPE_SHAPE_H
#define ENGINE_SHAPE_SHAPE_H

#include "engine/base/defect.h"
#include "engine/base/limits.h"
#include "engine/math/aabb.h"
#include "engine/math/pose.h"
#include "engine/math/quat.h"
#include "engine/math/vec2.h"
#include "engine/mesh/mesh.h"
#include "engine/shape/polytope.h"

#include <math.h>
#include <stdbool.h>

enum cn_dimension { CN_PLANAR, CN_SPATIAL };

/* One line a shape: name, enumerator, description (for `cairn list shapes`). */
#define CN_SHAPE_TABLE(X)                                                                          \
    X(circle, CIRCLE, "a disc: radius; planar")                                                    \
    X(capsule, CAPSULE, "a segment along local y with round ends: radius, length")                 \
    X(box, BOX, "a rectangle or cuboid: size.x by size.y, by size.z in space")                     \
    X(polygon, POLYGON, "a convex polygon: 3 to 64 vertices, counter-clockwise; planar")           \
    X(plane, PLANE, "a half plane or half space: normal . x <= offset; of no DYNAMIC body")        \
    X(sphere, SPHERE, "a ball: radius; a disc in the plane")                                       \
    X(hull, HULL, "the convex hull of 4 to 256 points, of at most 64 corners; spatial")            \
    X(outline, OUTLINE, "any simple outline of straight edges and arcs; planar")                   \
    X(chain, CHAIN, "a one-sided wall of straight edges and arcs, solid on its left; planar")      \
    X(mesh, MESH, "a closed surface of triangles, convex or not, by its name; spatial")

#define X(name, NAME, text) CN_SHAPE_##NAME,
enum cn_shape_kind { CN_SHAPE_TABLE(X) CN_SHAPE_KIND_COUNT };
#undef X

/*
 * Which shapes collide.  Shapes of the same group other than 0 always do (> 0) or never (< 0).
 * Others collide where the category of each is in the other's mask.
 */
struct cn_filter {
    uint64_t category, mask;
    int32_t group;
};

#define CN_HIT_SPEED_MIN 1.0 /* slower meetings are not hits, unless a shape says so [m/s] */

#define CN_FILTER_DEFAULT ((struct cn_filter){1, UINT64_MAX, 0})

static inline bool
cn_filter_passes(const struct cn_filter *a, const struct cn_filter *b)
{
    if (a->group == b->group && a->group != 0) {
        return a->group > 0;
    }
    return (a->mask & b->category) != 0 && (b->mask & a->category) != 0;
}

struct cn_shape_def {
    enum cn_shape_kind kind;
    int material;        /* index into the world's materials */
    double density;      /* kg/m^2, kg/m^3 in space; 0: not given, the body's mass is used */
    cn_vec3 position;    /* of the shape's frame in the body's frame [m] */
    double angle;        /* planar: of the shape's frame in the body's frame [rad] */
    cn_quat orientation; /* spatial: the same; all zeros: no rotation */
    bool has_filter;         /* else CN_FILTER_DEFAULT */
    struct cn_filter filter;
    bool sensor;         /* reports shapes that enter and leave it (sensorBegin); has no contacts */
    bool contact_events; /* contactBegin and contactEnd: one of the two shapes must have this set */
    bool hit_events;     /* contactHit */
    double hit_speed_min; /* slower meetings are no hits [m/s]; 0: CN_HIT_SPEED_MIN */
    bool force_events;   /* contactForce */
    double force_min;    /* smaller normal forces of the two shapes are not reported [N] */
    bool stay_events;    /* contactStay */
    bool one_way;        /* holds other shapes only in front of it (engine/step/one_way.h) */
    cn_vec3 one_way_normal; /* points to the front, body axes; any length above 0 */
    union {
        struct {
            double radius;
        } circle;
        struct {
            double radius;
            double length; /* between the centres of the round ends, >= 0 */
        } capsule;
        struct {
            cn_vec3 size; /* full extents */
        } box;
        struct {
            const cn_vec3 *vertices; /* borrowed while a world is made */
            int vertex_count;
        } polygon;
        struct {
            cn_vec3 normal; /* unit, out of the solid */
            double offset;  /* [m] */
        } plane;
        struct {
            double radius;
        } sphere;
        struct {
            const cn_vec3 *vertices; /* borrowed while a world is made; in any order */
            int vertex_count;
        } hull;
        struct {
            const cn_vec3 *points; /* borrowed while a world is made; z: bulge (border.h) */
            int point_count;       /* bulges are of the edge to the next point */
            bool closed;           /* true for an outline */
        } boundary;                /* outline, chain */
        struct {
            int index;                 /* into the world's meshes */
            const struct cn_mesh *mesh; /* the same mesh; the world owns the reference */
        } mesh;
    };
};

struct cn_mass_properties {
    double mass;      /* kg */
    cn_vec3 center;   /* of mass, body frame [m] */
    cn_mat33 inertia; /* about the centre of mass, body axes; in the plane only cz.z is used */
};

/* A mesh, and its frame in that of the body's centre of mass. */
struct cn_placed_mesh {
    const struct cn_mesh *mesh;
    cn_pose pose;
};

/*
 * A baked shape in the frame of the body's centre of mass and axes.  The arrays belong to the
 * model.
 */
struct cn_shape {
    enum cn_shape_kind kind; /* the data that every tick reads comes first */
    enum cn_dimension dimension;
    int body;                /* -1: the slot holds no shape */
    int material;
    double radius;           /* of the rounding [m] */
    double width; /* smallest extent [m], scales tolerances and the step; HUGE_VAL: plane */
    double reach; /* largest distance from the centre of mass [m]; 0 for a plane */
    bool sensor, contact_events, hit_events, force_events, stay_events, one_way;
    bool open;               /* a chain that is not closed: its last vertex ends it */
    int vertex_count;        /* of the core: 1, 2 or n; 0 for a plane */
    struct cn_filter filter;
    double hit_speed_min, force_min; /* of hit_events [m/s], of force_events [N] */
    cn_vec3 one_way_normal; /* of unit length, body axes */
    const cn_vec2 *vertex;   /* counter-clockwise */
    const cn_vec2 *normal;   /* unit, outward, of the edge vertex[i] -> vertex[i + 1]; n of them */
    const double *bulge;     /* of outlines and chains: edges may be arcs; NULL: a convex core */
    struct cn_polytope core; /* in space, where vertex and normal are not used */
    const struct cn_placed_mesh *mesh; /* NULL: the core and the radius are the whole shape */
    cn_vec2 plane_normal;    /* of a half plane: unit, out of the solid */
    double plane_offset;     /* a half plane is solid where plane_normal . x <= plane_offset */
};

/* Stable name as in scenes, e.g. "circle"; and one line of description. */
const char *cn_shape_kind_name(enum cn_shape_kind kind);
const char *cn_shape_kind_text(enum cn_shape_kind kind);

/* The size that baking needs in each array; sums over many shapes have the same type. */
struct cn_shape_room {
    int outline_count; /* vertices of outlines, and normals */
    int vertex_count, edge_count, face_count, corner_count;
    int mesh_count;
};

/* Arrays that baked shapes borrow; baking advances each pointer past what it used. */
struct cn_shape_store {
    cn_vec2 *vertex, *normal;
    double *bulge;
    struct cn_polytope_store core;
    struct cn_placed_mesh *mesh;
};

/*
 * Refuses shapes that can not be baked, and kinds that the dimension does not have; the defect's
 * path starts at the shape, e.g. "circle.radius".
 */
CN_MUST_USE enum cn_status cn_shape_check(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_defect *defect);

/* Adds to *room what cn_shape_bake will store.  Here and below def has passed the check. */
void cn_shape_measure(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_shape_room *room);

/* mass = density x area, or x volume in space.  A plane has no mass (all zeros). */
struct cn_mass_properties
cn_shape_mass(const struct cn_shape_def *def, enum cn_dimension dimension, double density);

/* Sums the masses of the parts about their common centre of mass. */
struct cn_mass_properties
cn_mass_properties_sum(const struct cn_mass_properties *parts, int part_count);

/* Bakes def into *shape about the centre of mass `center` (body frame); *shape borrows from store.
 */
void cn_shape_bake(const struct cn_shape_def *def, enum cn_dimension dimension, int body,
    cn_vec3 center, struct cn_shape_store *store, struct cn_shape *shape);

/*
 * Whether two definitions are equal in everything that decides their geometry and their part of a
 * centre of mass.  About the same centre they bake into the same numbers.
 */
bool cn_shape_def_is_alike(const struct cn_shape_def *a, const struct cn_shape_def *b);

/* Whether a definition has a threshold of events, forceEvents, stayEvents or oneWay. */
static inline bool
cn_shape_def_has_more(const struct cn_shape_def *def)
{
    return def->hit_speed_min != 0.0 || def->force_events || def->stay_events || def->one_way;
}

/* Like cn_shape_bake, but borrows the arrays of `alike`, which is baked about the same centre. */
void cn_shape_bake_alike(const struct cn_shape_def *def, int body, const struct cn_shape *alike,
    struct cn_shape *shape);

/* The least speed [m/s] and the least force [N] that one of two shapes reports; HUGE_VAL: none. */
static inline double
cn_shape_hit_min(const struct cn_shape *a, const struct cn_shape *b)
{
    double of_a = a->hit_events ? a->hit_speed_min : HUGE_VAL;
    double of_b = b->hit_events ? b->hit_speed_min : HUGE_VAL;
    return of_a < of_b ? of_a : of_b;
}

static inline double
cn_shape_force_min(const struct cn_shape *a, const struct cn_shape *b)
{
    double of_a = a->force_events ? a->force_min : HUGE_VAL;
    double of_b = b->force_events ? b->force_min : HUGE_VAL;
    return of_a < of_b ? of_a : of_b;
}

/* World bounds with `margin` [m] on every side; a plane's are +-1e30 where it is unbounded. */
cn_aabb cn_shape_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin);

#endif
