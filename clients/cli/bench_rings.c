/*
 * bench_rings.c: 1,000 rings of 320 triangles dropped on 25 poles of 880, after figure 1 of
 * Guendelman et al. 2003, and whether any of them went through another.
 *
 * A ring's middle line is a circle of radius 1 m, its thickness 0.6 m; a pole is 0.5 m wide and
 * 6 m high.  The paper gives no sizes.  40 layers of 25 rings, each above a pole and a little out
 * of true, fall up to 60 m, and arrive with 33 m/s: nearly a thickness a tick.
 *
 * Two rings are linked when the circle of one crosses the disc within that of the other an odd
 * number of times.  All begin apart, and rings that are whole can not come to be linked, so that
 * every linked pair is one that passed through.  A ring goes through a pole when its circle meets
 * the pole's axis, or when it comes to be around the pole elsewhere than at the pole's upper end.
 */
#include "clients/cli/bench.h"
#include "clients/cli/cli.h"

#include "engine/math/trig.h"
#include "engine/mesh/torus.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define SIDE 5
#define LAYERS 40
#define PITCH 3.0        /* of poles [m] */
#define LAYER_HEIGHT 1.35
#define RING_MAJOR 1.0
#define RING_MINOR 0.3
#define POLE_RADIUS 0.25
#define POLE_HEIGHT 6.0
#define POLE_SIDES 20
#define POLE_RINGS 22    /* of vertices: 20 x 21 x 2 triangles, and 20 at each end */
#define TOP_REACH 1.6    /* how far below a pole's top a ring may come to be around it [m] */
#define SUBSTEPS 8
#define DEPTH_EVERY 10   /* ticks; in the last second every one */
#define CALM 0.5         /* m/s and rad/s: what is slower for CALM_TICKS rests */
#define CALM_TICKS 30
#define END 60           /* ticks */
#define LOST 200.0       /* m from the middle */

/* A number from 0 to 1 that i names. */
static double
chance(uint32_t i)
{
    i = (i ^ 61U) ^ (i >> 16);
    i *= 9U;
    i ^= i >> 4;
    i *= 0x27d4eb2dU;
    i ^= i >> 15;
    return (double)(i & 0xffffffU) / (double)0x1000000U;
}

static int
add_mesh(struct bench_build *build, const struct cn_mesh_def *def)
{
    struct cn_defect defect;
    struct cn_mesh *mesh;
    if (cn_mesh_make(def, &mesh, &defect) != CN_OK) {
        cli_complain("no mesh: %s: %s", defect.path, defect.text);
        exit(CLI_COULD_NOT);
    }
    return bench_mesh(build, mesh);
}

static int
add_ring(struct bench_build *build)
{
    enum { MAJOR = 16, MINOR = 10 };
    static cn_vec3 vertex[MAJOR * MINOR];
    static int32_t triangle[2 * MAJOR * MINOR][3];
    const struct cn_torus torus = {RING_MAJOR, RING_MINOR, MAJOR, MINOR};
    cn_torus_make(&torus, vertex, triangle);
    const struct cn_mesh_def def = {
        .vertex_count = MAJOR * MINOR,
        .triangle_count = 2 * MAJOR * MINOR,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle,
    };
    return add_mesh(build, &def);
}

static void
put_triangle(int32_t triangle[3], int a, int b, int c)
{
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

/* Upright, its foot in the origin. */
static int
add_pole(struct bench_build *build)
{
    enum { AROUND = POLE_SIDES * POLE_RINGS, TRIANGLES = 2 * POLE_SIDES * POLE_RINGS };
    static cn_vec3 vertex[AROUND + 2];
    static int32_t triangle[TRIANGLES][3];
    int count = 0;
    for (int i = 0; i < POLE_RINGS; i++) {
        for (int k = 0; k < POLE_SIDES; k++) {
            double s, c;
            cn_sin_cos(2.0 * PI * k / POLE_SIDES, &s, &c);
            vertex[i * POLE_SIDES + k] = cn_vec3_make(
                POLE_RADIUS * c, POLE_HEIGHT * i / (POLE_RINGS - 1), POLE_RADIUS * s);
        }
    }
    vertex[AROUND] = cn_vec3_make(0.0, 0.0, 0.0);
    vertex[AROUND + 1] = cn_vec3_make(0.0, POLE_HEIGHT, 0.0);
    for (int k = 0; k < POLE_SIDES; k++) {
        int next = (k + 1) % POLE_SIDES, top = (POLE_RINGS - 1) * POLE_SIDES;
        for (int i = 0; i + 1 < POLE_RINGS; i++) {
            int low = i * POLE_SIDES, high = low + POLE_SIDES;
            put_triangle(triangle[count++], low + k, high + k, low + next);
            put_triangle(triangle[count++], low + next, high + k, high + next);
        }
        put_triangle(triangle[count++], AROUND, k, next);
        put_triangle(triangle[count++], AROUND + 1, top + next, top + k);
    }
    const struct cn_mesh_def def = {
        .vertex_count = AROUND + 2,
        .triangle_count = count,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle,
        .resolution = 128,
    };
    return add_mesh(build, &def);
}

static cn_vec3
pole_place(int i)
{
    return cn_vec3_make(PITCH * (i % SIDE - 0.5 * (SIDE - 1)), 0.0,
        PITCH * (int)(i / SIDE) - PITCH * 0.5 * (SIDE - 1));
}

void
bench_spatial_rings(struct bench_build *build)
{
    int ring = add_ring(build), pole = add_pole(build);
    build->def.settings.substeps = SUBSTEPS;
    bench_body(build, CN_STATIC, cn_vec3_make(0.0, 0.0, 0.0));
    bench_shape(build, CN_SHAPE_PLANE)->plane.normal = cn_vec3_make(0.0, 1.0, 0.0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        bench_body(build, CN_STATIC, pole_place(i));
        bench_shape(build, CN_SHAPE_MESH)->mesh.index = pole;
    }
    build->density = 1000.0;
    for (int i = 0; i < SIDE * SIDE * LAYERS; i++) {
        uint32_t name = (uint32_t)(8 * i);
        cn_vec3 at = pole_place(i % (SIDE * SIDE));
        at.x += 0.3 * (chance(name) - 0.5);
        at.z += 0.3 * (chance(name + 1) - 0.5);
        at.y = POLE_HEIGHT + 1.0 + LAYER_HEIGHT * (int)(i / (SIDE * SIDE));
        int body = bench_body(build, CN_DYNAMIC, at);
        double tilt = 0.5 * PI + 0.3 * (chance(name + 2) - 0.5), turn = 2.0 * PI * chance(name + 3);
        cn_quat lie = cn_quat_rotate_by(
            (cn_quat){1.0, 0.0, 0.0, 0.0}, cn_vec3_make(tilt, 0.0, 0.0));
        bench_body_def(build, body)->orientation =
            cn_quat_rotate_by(lie, cn_vec3_make(0.0, turn, 0.0));
        bench_shape(build, CN_SHAPE_MESH)->mesh.index = ring;
    }
}

/* ---- what is watched ---- */

#define RINGS (SIDE * SIDE * LAYERS)
#define FIRST (1 + SIDE * SIDE) /* body of the first ring */

struct ring {
    cn_vec3 center, axis; /* unit */
};

static struct ring
ring_of(const struct cn_body_view *view)
{
    return (struct ring){view->position, cn_quat_to_mat33(view->orientation).cz};
}

/* Whether the circle of b crosses the disc of a once. */
static bool
crosses(const struct ring *a, const struct ring *b)
{
    /* Points of b's circle in a's plane: height = h + R (u cos t + v sin t). */
    cn_vec3 away = cn_vec3_sub(b->center, a->center);
    cn_vec3 u = cn_vec3_cross(b->axis, fabs(b->axis.x) < 0.6 ? cn_vec3_make(1.0, 0.0, 0.0)
                                                              : cn_vec3_make(0.0, 1.0, 0.0));
    u = cn_vec3_scale(u, 1.0 / cn_vec3_length(u));
    cn_vec3 v = cn_vec3_cross(b->axis, u);
    double h = cn_vec3_dot(away, a->axis);
    double p = RING_MAJOR * cn_vec3_dot(u, a->axis), q = RING_MAJOR * cn_vec3_dot(v, a->axis);
    double size = sqrt(p * p + q * q);
    if (size <= fabs(h)) {
        return false;
    }
    /* p cos t + q sin t = -h: two solutions about the direction of (p, q). */
    double c = -h / size, s = sqrt(1.0 - c * c);
    int inside = 0;
    for (int way = -1; way <= 1; way += 2) {
        double cosine = (p * c - way * q * s) / size, sine = (q * c + way * p * s) / size;
        cn_vec3 at = cn_vec3_add(away, cn_vec3_add(cn_vec3_scale(u, RING_MAJOR * cosine),
                                           cn_vec3_scale(v, RING_MAJOR * sine)));
        inside += cn_vec3_dot(at, at) < RING_MAJOR * RING_MAJOR ? 1 : 0;
    }
    return inside == 1;
}

/* Whether a triangle is outside of a mesh, by the field at its first corner. */
static bool
is_far(const cn_mat33 *into, const cn_vec3 corner[3], const cn_mat33 *turn, cn_vec3 away,
    const struct cn_mesh *in)
{
    double reach = fmax(cn_vec3_length(cn_vec3_sub(corner[1], corner[0])),
        cn_vec3_length(cn_vec3_sub(corner[2], corner[0])));
    cn_vec3 p = cn_mat33_apply(into, cn_vec3_add(cn_mat33_apply(turn, corner[0]), away));
    return cn_field_bound(&in->field, p) > reach;
}

/* How deep points of one mesh are in another [m]. */
static double
depth_of(const struct cn_mesh *of, const struct cn_body_view *at, const struct cn_mesh *in,
    const struct cn_body_view *place)
{
    cn_mat33 turn = cn_quat_to_mat33(at->orientation);
    cn_quat back = cn_quat_conjugate(place->orientation);
    cn_mat33 back_turn = cn_quat_to_mat33(back);
    double deepest = 0.0;
    for (int i = 0; i < of->triangle_count; i++) {
        /* Corners, the middles of edges, and the middle. */
        const int32_t *t = of->triangle[i];
        cn_vec3 corner[3] = {of->vertex[t[0]], of->vertex[t[1]], of->vertex[t[2]]};
        if (is_far(&back_turn, corner, &turn, cn_vec3_sub(at->position, place->position), in)) {
            continue;
        }
        static const double weight[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0},
            {0, 0.5, 0.5}, {0.5, 0, 0.5}, {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
        for (int k = 0; k < 7; k++) {
            cn_vec3 p = cn_vec3_scale(corner[0], weight[k][0]);
            p = cn_vec3_add_scaled(p, weight[k][1], corner[1]);
            p = cn_vec3_add_scaled(p, weight[k][2], corner[2]);
            p = cn_vec3_sub(cn_vec3_add(cn_mat33_apply(&turn, p), at->position), place->position);
            p = cn_mat33_apply(&back_turn, p);
            if (cn_field_is_inside(&in->field, p) &&
                cn_field_distance(&in->field, p) < -deepest) {
                deepest = fmax(deepest, -cn_mesh_distance(in, p));
            }
        }
    }
    return deepest;
}

/* What is looked at of how deep rings are. */
struct depths {
    const struct cn_mesh *ring, *pole;
    const struct cn_body_view *view;
    bool wanted, at_end;
};

/* How deep two meshes are in each other; 0 in ticks in which nobody looks. */
static double
depth_between(const struct depths *d, const struct cn_mesh *a, int body_a, const struct cn_mesh *b,
    int body_b)
{
    const struct cn_body_view *at = &d->view[body_a], *place = &d->view[body_b];
    return d->wanted ? fmax(depth_of(a, at, b, place), depth_of(b, place, a, at)) : 0.0;
}

static void
note_depth(struct bench_rings *rings, const struct depths *d, double deep, bool settled)
{
    rings->depth = fmax(rings->depth, deep);
    rings->depth_end = fmax(rings->depth_end, d->at_end ? deep : 0.0);
    rings->depth_settled = fmax(rings->depth_settled, settled ? deep : 0.0);
}

static void
watch_calm(struct bench_rings *rings, const struct cn_body_view *view)
{
    rings->settled = 0;
    for (int i = 0; i < RINGS; i++) {
        const struct cn_body_view *v = &view[FIRST + i];
        bool calm =
            cn_vec3_length(v->velocity) < CALM && cn_vec3_length(v->angular_velocity) < CALM;
        rings->calm[i] = calm ? rings->calm[i] + 1 : 0;
        rings->settled += rings->calm[i] >= CALM_TICKS ? 1 : 0;
    }
}

/* How deep a ring is in the ground and in poles. */
static void
watch_fixed(struct bench_rings *rings, const struct depths *d, int i)
{
    const struct cn_body_view *view = &d->view[FIRST + i];
    cn_mat33 turn = cn_quat_to_mat33(view->orientation);
    double deep = 0.0;
    for (int k = 0; d->wanted && k < d->ring->vertex_count; k++) {
        cn_vec3 p = cn_mat33_apply(&turn, d->ring->vertex[k]);
        deep = fmax(deep, -(p.y + view->position.y));
    }
    for (int k = 0; d->wanted && k < SIDE * SIDE; k++) {
        cn_vec3 away = cn_vec3_sub(view->position, pole_place(k));
        double far = RING_MAJOR + RING_MINOR + POLE_RADIUS;
        if (away.x * away.x + away.z * away.z < far * far && away.y < POLE_HEIGHT + far) {
            deep = fmax(deep, depth_between(d, d->ring, FIRST + i, d->pole, 1 + k));
        }
    }
    note_depth(rings, d, deep, rings->calm[i] >= CALM_TICKS);
}

static void
watch_pairs(struct bench_rings *rings, const struct depths *d)
{
    const struct cn_body_view *view = d->view;
    int linked = 0;
    for (int i = 0; i < RINGS; i++) {
        struct ring a = ring_of(&view[FIRST + i]);
        for (int k = i + 1; k < RINGS; k++) {
            cn_vec3 away = cn_vec3_sub(view[FIRST + k].position, a.center);
            double far = 2.0 * (RING_MAJOR + RING_MINOR);
            if (cn_vec3_dot(away, away) > far * far) {
                continue;
            }
            struct ring b = ring_of(&view[FIRST + k]);
            linked += crosses(&a, &b) ? 1 : 0;
            bool settled = rings->calm[i] >= CALM_TICKS && rings->calm[k] >= CALM_TICKS;
            note_depth(
                rings, d, depth_between(d, d->ring, FIRST + i, d->ring, FIRST + k), settled);
        }
        watch_fixed(rings, d, i);
    }
    rings->linked = linked > rings->linked ? linked : rings->linked;
}

/* Whether a pole goes through a ring's hole, at a height above the ground; or through its tube. */
static bool
is_around(const struct ring *ring, cn_vec3 foot, double *height, bool *pierced)
{
    cn_vec3 away = cn_vec3_sub(foot, ring->center);
    double up = ring->axis.y;
    if (fabs(up) < 1e-9) {
        return false;
    }
    double y = -cn_vec3_dot(away, ring->axis) / up;
    cn_vec3 at = cn_vec3_make(away.x, away.y + y, away.z);
    double square = cn_vec3_dot(at, at);
    *height = y;
    bool within = y > 0.0 && y < POLE_HEIGHT;
    *pierced = within && fabs(sqrt(square) - RING_MAJOR) < 0.25 * RING_MINOR && fabs(up) > 0.5;
    return within && square < RING_MAJOR * RING_MAJOR;
}

static void
watch_poles(struct bench_rings *rings, const struct cn_body_view *view)
{
    for (int i = 0; i < RINGS; i++) {
        struct ring ring = ring_of(&view[FIRST + i]);
        cn_vec3 at = ring.center;
        bool lost = !cn_vec3_is_finite(at) || at.y < -0.5 || fabs(at.x) > LOST || fabs(at.z) > LOST;
        rings->lost += lost ? 1 : 0;
        uint32_t around = 0;
        for (int k = 0; k < SIDE * SIDE && !lost; k++) {
            double height = 0.0;
            bool pierced = false;
            uint32_t bit = 1U << k;
            bool is = is_around(&ring, pole_place(k), &height, &pierced);
            bool was = (rings->around[i] & bit) != 0;
            rings->through += pierced || (is != was && height < POLE_HEIGHT - TOP_REACH) ? 1 : 0;
            around |= is ? bit : 0U;
        }
        rings->around[i] = around;
    }
}

void
bench_rings_watch(struct bench_rings *rings, const struct cn_world *world,
    const struct bench_build *build, int step, int step_count)
{
    static struct cn_body_view view[FIRST + RINGS];
    for (int i = 0; i < FIRST + RINGS; i++) {
        cn_world_body_view(world, i, &view[i]);
    }
    if (step == 0) {
        *rings = (struct bench_rings){0};
    }
    struct cn_world_counts counts = cn_world_count(world);
    rings->samples += counts.sample_count;
    rings->manifolds = counts.touching_count > rings->manifolds ? counts.touching_count
                                                                : rings->manifolds;
    bool at_end = step >= step_count - END;
    const struct depths depths = {build->def.meshes[0], build->def.meshes[1], view,
        at_end || step % DEPTH_EVERY == DEPTH_EVERY - 1, at_end};
    watch_calm(rings, view);
    watch_pairs(rings, &depths);
    watch_poles(rings, view);
    rings->speed = 0.0;
    for (int i = FIRST; i < FIRST + RINGS; i++) {
        rings->speed = fmax(rings->speed, cn_vec3_length(view[i].velocity));
    }
}
