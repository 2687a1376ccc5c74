/*
 * bench_build.h: building a benchmark's world piece by piece.
 *
 * Materials, bodies, shapes and joints are appended to growing arrays and become one definition at
 * the end.  A shape belongs to the body appended last.  Without memory the program ends with a
 * message, as nothing can be measured then.
 *
 * Ownership: the builder owns all arrays; the definition borrows them until bench_finish.
 */
#ifndef CLIENTS_BENCH_BENCH_BUILD_H
#define CLIENTS_BENCH_BENCH_BUILD_H

#include "engine/cairn.h"

#include <stddef.h>

#define BENCH_WATCHED_MAX 4200   /* bodies of a scene whose depths are measured */
#define BENCH_COUNT_MAX 4000
#define BENCH_TRIANGLES_MIN 40
#define BENCH_TRIANGLES_MAX 4000

struct bench_array {
    void *item;
    size_t size; /* bytes of one */
    int count, max;
};

struct bench_build {
    enum cn_dimension dimension;
    struct cn_world_def def; /* settings from the start; arrays after bench_close */
    struct bench_array material, body, shape, joint;
    struct bench_array point;       /* cn_vec3, of polygons and hulls */
    struct bench_array shape_first; /* int, of each body */
    struct bench_array point_first; /* int, of each shape; -1: it has none */
    struct bench_array mesh;        /* struct cn_mesh * */
    double density;                 /* of the shapes that follow; 0 after a static body */
    int shape_material;             /* of the shapes that follow */
    struct cn_filter filter;        /* of the shapes that follow */
    /* requested number of rings, and of triangles in each; 0: the scene's own */
    int count, triangles;
};

/*
 * Gravity is 10 m/s^2 downwards, at 60 ticks a second; material 0 has friction 0.6.  Coefficients
 * of friction combine to their geometric mean, restitutions to the larger one, as other engines do.
 */
void bench_init(struct bench_build *build, enum cn_dimension dimension);
void bench_finish(struct bench_build *build);

/* Completes build->def; call it once, after the last piece. */
void bench_close(struct bench_build *build);

int bench_material(struct bench_build *build, double friction, double restitution);
int bench_body(struct bench_build *build, enum cn_body_type type, cn_vec3 position);
struct cn_body_def *bench_body_def(struct bench_build *build, int body);

/* A shape of the last body, with the present density and material; the caller completes it. */
struct cn_shape_def *bench_shape(struct bench_build *build, enum cn_shape_kind kind);

void bench_box(struct bench_build *build, cn_vec3 size, cn_vec3 at);
void bench_ball(struct bench_build *build, double radius); /* a disc in the plane */
void bench_capsule(struct bench_build *build, cn_vec3 from, cn_vec3 to, double radius);

/* Points that polygons (counter-clockwise) or hulls may share; the index of the first. */
int bench_points(struct bench_build *build, const cn_vec3 *points, int count);
void bench_convex(struct bench_build *build, int point_first, int count);

/* The index by which shapes refer to it. */
int bench_mesh_make(struct bench_build *build, const struct cn_mesh_def *def);

/* A number from 0 to 1, determined by i. */
double bench_chance(uint32_t i);

/* A joint between two bodies (or the world, -1), valid until the next is appended. */
struct cn_joint_def *bench_joint(struct bench_build *build, enum cn_joint_kind kind, int body_a,
    int body_b, cn_vec3 anchor);

/*
 * The stiffness and damping with which a hinge's spring oscillates at `hertz` if only its two
 * bodies move.
 */
void bench_hinge_spring(struct bench_build *build, struct cn_joint_def *joint, double hertz,
    double damping_ratio);

/* The same for a ball, with the mean of the inverse inertias about three axes. */
void bench_ball_spring(struct bench_build *build, struct cn_joint_def *joint, double hertz,
    double damping_ratio);

#endif
