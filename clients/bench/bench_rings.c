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
#include "clients/bench/bench.h"

#include "engine/math/trig.h"
#include "engine/mesh/torus.h"

#include <math.h>

#define PI 3.14159265358979323846
#define SIDE 5
#define LAYERS 40
#define RING_TRIANGLES 320   /* of a ring, where nothing else is asked for */
#define TRIANGLES_MAX BENCH_TRIANGLES_MAX
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

/* Of as many triangles as are asked for, or a few less. */
static int
add_ring(struct bench_build *build)
{
    static cn_vec3 vertex[TRIANGLES_MAX / 2];
    static int32_t triangle[TRIANGLES_MAX][3];
    int asked = build->triangles > 0 ? build->triangles : RING_TRIANGLES;
    int major = (int)(sqrt(0.5 * 1.6 * asked) + 1e-9), minor = asked / (2 * major);
    const struct cn_torus torus = {RING_MAJOR, RING_MINOR, major, minor};
    cn_torus_make(&torus, vertex, triangle);
    const struct cn_mesh_def def = {
        .vertex_count = major * minor,
        .triangle_count = 2 * major * minor,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle,
    };
    return bench_mesh_make(build, &def);
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
    return bench_mesh_make(build, &def);
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
    int count = build->count > 0 ? build->count : SIDE * SIDE * LAYERS;
    for (int i = 0; i < count; i++) {
        uint32_t name = (uint32_t)(8 * i);
        cn_vec3 at = pole_place(i % (SIDE * SIDE));
        at.x += 0.3 * (bench_chance(name) - 0.5);
        at.z += 0.3 * (bench_chance(name + 1) - 0.5);
        at.y = POLE_HEIGHT + 1.0 + LAYER_HEIGHT * (int)(i / (SIDE * SIDE));
        int body = bench_body(build, CN_DYNAMIC, at);
        double tilt = 0.5 * PI + 0.3 * (bench_chance(name + 2) - 0.5);
        double turn = 2.0 * PI * bench_chance(name + 3);
        cn_quat lie = cn_quat_rotate_by(
            (cn_quat){1.0, 0.0, 0.0, 0.0}, cn_vec3_make(tilt, 0.0, 0.0));
        bench_body_def(build, body)->orientation =
            cn_quat_rotate_by(lie, cn_vec3_make(0.0, turn, 0.0));
        bench_shape(build, CN_SHAPE_MESH)->mesh.index = ring;
    }
}

/* ---- what is watched ---- */

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
crosses_ring(const struct ring *a, const struct ring *b)
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

static void
watch_pairs(struct bench_rings *rings, const struct cn_body_view *ring, int count)
{
    int linked = 0;
    for (int i = 0; i < count; i++) {
        struct ring a = ring_of(&ring[i]);
        for (int k = i + 1; k < count; k++) {
            cn_vec3 away = cn_vec3_sub(ring[k].position, a.center);
            double far = 2.0 * (RING_MAJOR + RING_MINOR);
            if (cn_vec3_dot(away, away) <= far * far) {
                struct ring b = ring_of(&ring[k]);
                linked += crosses_ring(&a, &b) ? 1 : 0;
            }
        }
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
watch_poles(struct bench_rings *rings, const struct cn_body_view *view, int count)
{
    for (int i = 0; i < count; i++) {
        struct ring ring = ring_of(&view[i]);
        uint32_t around = 0;
        for (int k = 0; k < SIDE * SIDE; k++) {
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
bench_rings_watch(struct bench_rings *rings, const struct cn_world *world, int step)
{
    static struct cn_body_view ring[BENCH_WATCHED_MAX];
    int count = cn_world_body_count(world) - FIRST;
    for (int i = 0; i < count; i++) {
        cn_world_body_view(world, FIRST + i, &ring[i]);
    }
    if (step == 0) {
        *rings = (struct bench_rings){0};
    }
    watch_pairs(rings, ring, count);
    watch_poles(rings, ring, count);
}
