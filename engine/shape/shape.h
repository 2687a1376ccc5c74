/*
 * shape.h: what a body is made of.
 *
 * A definition (struct cn_shape_def) is what a scene says, in the frame of its body.  Baking turns
 * it into the form that the narrowphase reads (struct cn_shape): moved into the frame of the body's
 * centre of mass, and reduced to a convex core with a radius.  In the plane the core is an outline:
 *
 *     circle   core of 1 vertex,  radius r          box, polygon   core of n vertices, radius 0
 *     capsule  core of 2 vertices, radius r         plane          no core: a half plane
 *     outline, chain   edges that may be arcs (shape/border.h), and need not be convex
 *
 * and in space a polytope (shape/polytope.h); a mesh is itself, and its core the box around it.  A
 * sphere in the plane is a circle; circles and polygons are of the plane alone, hulls and meshes of
 * space alone.  In a planar world z is ignored on the way in and 0 on the way out.
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

#include <stdbool.h>

enum cn_dimension { CN_PLANAR, CN_SPATIAL };

/* One line a shape: name, enumerator, what it is (for `cairn list shapes`). */
#define CN_SHAPE_TABLE(X)                                                                          \
    X(circle, CIRCLE, "a disc: radius; planar")                                                    \
    X(capsule, CAPSULE, "a segment along local y with round ends: radius, length")                 \
    X(box, BOX, "a rectangle or cuboid: size.x by size.y, by size.z in space")                     \
    X(polygon, POLYGON, "a convex polygon: 3 to 64 vertices, counter-clockwise; planar")           \
    X(plane, PLANE, "a half plane or half space: normal . x <= offset; static bodies only")        \
    X(sphere, SPHERE, "a ball: radius; a disc in the plane")                                       \
    X(hull, HULL, "the convex hull of 4 to 256 points, of at most 64 corners; spatial")            \
    X(outline, OUTLINE, "any simple outline of straight edges and arcs; planar")                   \
    X(chain, CHAIN, "a one-sided wall of straight edges and arcs, solid on its left; planar")      \
    X(mesh, MESH, "a closed surface of triangles, convex or not, by its name; spatial")

#define X(name, NAME, text) CN_SHAPE_##NAME,
enum cn_shape_kind { CN_SHAPE_TABLE(X) CN_SHAPE_KIND_COUNT };
#undef X

/*
 * Which shapes meet: those of the same group that is not 0 always (> 0) or never (< 0), others
 * where each is of a category that the other's mask has.
 */
struct cn_filter {
    uint64_t category, mask;
    int32_t group;
};

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
    double density;      /* kg/m^2, kg/m^3 in space; 0: not given, the body's mass decides */
    cn_vec3 position;    /* of the shape's frame in the body's frame [m] */
    double angle;        /* planar: of the shape's frame in the body's frame [rad] */
    cn_quat orientation; /* spatial: the same; all zeros: not turned */
    bool has_filter;         /* else CN_FILTER_DEFAULT */
    struct cn_filter filter;
    bool sensor;         /* notices what comes in (sensorBegin, sensorEnd), and touches nothing */
    bool contact_events; /* contactBegin and contactEnd, of it or what it touches */
    bool hit_events;     /* contactHit */
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
            const cn_vec3 *points; /* borrowed while a world is made; z: the bulge of the edge to */
            int point_count;       /* the next (border.h) */
            bool closed;           /* an outline is */
        } boundary;                /* outline, chain */
        struct {
            int index;                 /* into the world's meshes */
            const struct cn_mesh *mesh; /* the same; the world keeps it */
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

/* A baked shape, frame: the body's centre of mass and axes. The arrays belong to the model. */
struct cn_shape {
    enum cn_shape_kind kind; /* what every tick reads stands first */
    enum cn_dimension dimension;
    int body;                /* -1: a slot without a shape */
    int material;
    double radius;           /* of the rounding [m] */
    double width; /* smallest extent [m]: sizes tolerances and the step; HUGE_VAL: plane */
    double reach; /* largest distance from the centre of mass [m]; 0 for a plane */
    bool sensor, contact_events, hit_events;
    bool open;               /* a chain that does not close: its last vertex is its end */
    int vertex_count;        /* of the core: 1, 2 or n; 0 for a plane */
    struct cn_filter filter;
    const cn_vec2 *vertex;   /* counter-clockwise */
    const cn_vec2 *normal;   /* unit, outward, of the edge vertex[i] -> vertex[i + 1]; n of them */
    const double *bulge;     /* of outlines and chains: edges may be arcs; NULL: a convex core */
    struct cn_polytope core; /* in space, where vertex and normal are not used */
    const struct cn_placed_mesh *mesh; /* NULL: the core is all of it, with the radius */
    cn_vec2 plane_normal;    /* planes in the plane: unit, out of the solid */
    double plane_offset;     /* and there solid where plane_normal . x <= plane_offset */
};

/* Stable name as in scenes, e.g. "circle"; and one line about it. */
const char *cn_shape_kind_name(enum cn_shape_kind kind);
const char *cn_shape_kind_text(enum cn_shape_kind kind);

/* Room that baking takes in each array; sums of many shapes are of the same type. */
struct cn_shape_room {
    int outline_count; /* vertices of outlines, and normals */
    int vertex_count, edge_count, face_count, corner_count;
    int mesh_count;
};

/* Arrays that baked shapes borrow; baking moves each pointer on by what it took. */
struct cn_shape_store {
    cn_vec2 *vertex, *normal;
    double *bulge;
    struct cn_polytope_store core;
    struct cn_placed_mesh *mesh;
};

/*
 * Refuses what can not be baked, and kinds that the dimension does not have; the defect's path
 * starts at the shape, e.g. "circle.radius".
 */
CN_MUST_USE enum cn_status cn_shape_check(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_defect *defect);

/* Adds to *room what cn_shape_bake will store. def has passed the check, here and below. */
void cn_shape_measure(
    const struct cn_shape_def *def, enum cn_dimension dimension, struct cn_shape_room *room);

/* mass = density x area, or x volume in space. A plane has none (all zeros). */
struct cn_mass_properties
cn_shape_mass(const struct cn_shape_def *def, enum cn_dimension dimension, double density);

/* Sums the parts about their common centre of mass. */
struct cn_mass_properties
cn_mass_properties_sum(const struct cn_mass_properties *parts, int part_count);

/* Bakes def into *shape about the centre of mass `center` (body frame); *shape borrows from store.
 */
void cn_shape_bake(const struct cn_shape_def *def, enum cn_dimension dimension, int body,
    cn_vec3 center, struct cn_shape_store *store, struct cn_shape *shape);

/*
 * Whether two definitions are the same in all that decides their geometry and their share of a
 * centre of mass: about the same centre they bake into the same numbers.
 */
bool cn_shape_def_is_alike(const struct cn_shape_def *a, const struct cn_shape_def *b);

/* As cn_shape_bake: `alike`, which is baked about the same centre, lends its arrays. */
void cn_shape_bake_alike(const struct cn_shape_def *def, int body, const struct cn_shape *alike,
    struct cn_shape *shape);

/* World bounds with `margin` [m] on every side; a plane's are +-1e30 where it is unbounded. */
cn_aabb cn_shape_aabb(const struct cn_shape *shape, const cn_pose *pose, double margin);

#endif
