/*
 * bench_spatial.c: the benchmark scenes of space.
 *
 * The wall is a running bond of cubes of 1 m: odd rows are shifted by 0.4 m, so that every cube of
 * an end stands; the pyramid is large_pyramid's.
 */
#include "clients/bench/bench_scene.h"

#include "engine/math/trig.h"

#include <math.h>

#define PI 3.14159265358979323846

static cn_vec3
spatial_point(double x, double y, double z)
{
    return cn_vec3_make(x, y, z);
}

/* A static box of half extents x, 1, z whose upper side is y = 0. */
static int
add_ground(struct bench_build *build, double x, double z)
{
    int body = bench_body(build, CN_STATIC, spatial_point(0.0, -1.0, 0.0));
    bench_box(build, spatial_point(2.0 * x, 2.0, 2.0 * z), spatial_point(0.0, 0.0, 0.0));
    return body;
}

static void
add_cube(struct bench_build *build, cn_vec3 position, double a)
{
    bench_body(build, CN_DYNAMIC, position);
    bench_box(build, spatial_point(a, a, a), spatial_point(0.0, 0.0, 0.0));
}

/* Cubes of 1 m in rows of base, base - 1, ..., 1, the lowest with its left end at x. */
static void
add_pyramid(struct bench_build *build, int base, double x, double z)
{
    for (int i = 0; i < base; i++) {
        for (int j = i; j < base; j++) {
            add_cube(build, spatial_point(x + 0.5 * (i + 1) + (j - i), i + 0.5, z), 1.0);
        }
    }
}

void
bench_spatial_large_pyramid(struct bench_build *build)
{
    add_ground(build, 400.0, 400.0);
    build->density = 100.0;
    add_pyramid(build, 100, -50.0, 0.0);
}

void
bench_spatial_pyramid_of(struct bench_build *build, int base)
{
    add_ground(build, 400.0, 400.0);
    build->density = 1000.0;
    add_pyramid(build, base, -0.5 * base, 0.0);
}

void
bench_spatial_pyramid(struct bench_build *build)
{
    bench_spatial_pyramid_of(build, 100);
}

void
bench_spatial_tiny(struct bench_build *build)
{
    bench_spatial_pyramid_of(build, 10);
}

void
bench_spatial_tower(struct bench_build *build)
{
    add_ground(build, 400.0, 400.0);
    build->density = 1000.0;
    for (int i = 0; i < 40; i++) {
        add_cube(build, spatial_point(0.0, i + 0.5, 0.0), 1.0);
    }
}

void
bench_spatial_ladder(struct bench_build *build)
{
    add_ground(build, 400.0, 400.0);
    build->density = 1.0;
    for (int i = 0; i < 10; i++) {
        add_cube(build, spatial_point(0.0, i + 0.5, 0.0), 1.0);
        build->density *= BENCH_LADDER_RATIO;
    }
}

static void
add_wall(struct bench_build *build, int columns, int rows)
{
    add_ground(build, 400.0, 400.0);
    build->density = 1000.0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double x = j - 0.5 * (columns - 1) + (i % 2 == 1 ? 0.2 : -0.2);
            add_cube(build, spatial_point(x, i + 0.5, 0.0), 1.0);
        }
    }
}

void
bench_spatial_wall(struct bench_build *build)
{
    add_wall(build, 40, 25);
}

void
bench_spatial_wall_small(struct bench_build *build)
{
    add_wall(build, 20, 10);
}

void
bench_spatial_joint_grid(struct bench_build *build)
{
    enum { N = 100 };
    build->filter = (struct cn_filter){.category = 2, .mask = ~UINT64_C(2)};
    build->density = 1000.0;
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            int body =
                bench_body(build, i == 0 ? CN_STATIC : CN_DYNAMIC, spatial_point(k, -i, 0.0));
            bench_ball(build, 0.4);
            if (i > 0) {
                bench_joint(build, CN_JOINT_BALL, body - 1, body, spatial_point(k, 0.5 - i, 0.0));
            }
            if (k > 0 && i > 0) {
                bench_joint(build, CN_JOINT_BALL, body - N, body, spatial_point(k - 0.5, -i, 0.0));
            }
        }
    }
}

void
bench_spatial_many_pyramids(struct bench_build *build)
{
    enum { BASE = 10, COUNT = 14 };
    double extent = 0.5 * COUNT * (BASE + 1.0);
    add_ground(build, extent, extent);
    build->density = 100.0;
    for (int i = 0; i < COUNT; i++) {
        double z = (extent - 1.0) * (2.0 * i / (COUNT - 1.0) - 1.0);
        for (int j = 0; j < COUNT; j++) {
            add_pyramid(build, BASE, -extent + j * (BASE + 1.0) + 0.5, z);
        }
    }
}

/* The random numbers of the pile, 32 bits: uniform within [-0.5, 0.5]. */
static double
random_coordinate(uint32_t *state)
{
    *state = *state * 2147001325U + 715136305U;
    return (*state & 0xffff) / 65535.0 - 0.5;
}

void
bench_spatial_convex_pile(struct bench_build *build)
{
    enum { POINTS = 32, SIDE = 8, LAYERS = 80 };
    const double amplitude = 2.0;
    cn_vec3 point[POINTS];
    uint32_t state = 42;
    for (int i = 0; i < POINTS; i++) {
        double square;
        do {
            point[i].x = random_coordinate(&state);
            point[i].y = random_coordinate(&state);
            point[i].z = random_coordinate(&state);
            square = cn_vec3_dot(point[i], point[i]);
        } while (square > 0.25);
        point[i] = cn_vec3_scale(point[i], amplitude / sqrt(square));
    }
    add_ground(build, 250.0, 250.0);
    int first = bench_points(build, point, POINTS);
    build->density = 1000.0;
    for (int y = 0; y < LAYERS; y++) {
        for (int z = 0; z < SIDE; z++) {
            for (int x = 0; x < SIDE; x++) {
                bench_body(build, CN_DYNAMIC,
                    spatial_point(2.0 * amplitude * (x - 0.5 * SIDE), amplitude * (1.0 + 2.0 * y),
                        2.0 * amplitude * (z - 0.5 * SIDE)));
                bench_convex(build, first, POINTS);
            }
        }
    }
}

/* Ten points of a Fibonacci lattice on a sphere. */
static int
add_rock(struct bench_build *build, double radius)
{
    enum { POINTS = 10 };
    cn_vec3 point[POINTS];
    double turn = 2.0 * PI / (0.5 * (1.0 + sqrt(5.0)));
    for (int i = 0; i < POINTS; i++) {
        double sine, cosine, z = 1.0 - (2.0 * i + 1.0) / POINTS, r = sqrt(1.0 - z * z);
        cn_sin_cos(turn * i, &sine, &cosine);
        point[i] = spatial_point(radius * r * cosine, radius * r * sine, radius * z);
    }
    return bench_points(build, point, POINTS);
}

/* A prism of 16 sides, its base at y = 0. */
static int
add_pillar(struct bench_build *build, double height, double radius)
{
    enum { SIDES = 16 };
    cn_vec3 point[2 * SIDES];
    for (int i = 0; i < SIDES; i++) {
        double sine, cosine;
        cn_sin_cos(2.0 * PI * i / SIDES, &sine, &cosine);
        point[2 * i] = spatial_point(radius * cosine, 0.0, radius * sine);
        point[2 * i + 1] = spatial_point(radius * cosine, height, radius * sine);
    }
    return bench_points(build, point, 2 * SIDES);
}

void
bench_spatial_junkyard(struct bench_build *build)
{
    add_ground(build, 120.0, 120.0);
    for (int side = -1; side <= 1; side += 2) {
        bench_box(build, spatial_point(2.0, 16.0, 100.0), spatial_point(50.0 * side, 8.0, 0.0));
        bench_box(build, spatial_point(100.0, 16.0, 2.0), spatial_point(0.0, 8.0, 50.0 * side));
    }
    int first = add_rock(build, 1.5);
    build->density = 1000.0;
    for (int y = 0; y < 24; y++) {
        for (int x = 0; x <= 20; x++) {
            for (int z = 0; z <= 20; z++) {
                bench_body(build, CN_DYNAMIC,
                    spatial_point(4.0 * x - 40.0, 4.0 * y + 25.0, 4.0 * z - 40.0));
                bench_convex(build, first, 10);
            }
        }
    }
    first = add_pillar(build, 24.0, 4.0);
    bench_body(build, CN_KINEMATIC, spatial_point(35.0, 0.0, 0.0));
    bench_convex(build, first, 32);
}

/* The pusher, which is the last body, goes around at 6 degrees a second. */
void
bench_spatial_junkyard_step(struct bench_script *script, struct cn_world *world, int step)
{
    const double h = 1.0 / 60.0;
    double sine, cosine;
    struct cn_body_view view;
    struct cn_defect defect;
    script->pusher = cn_world_body_count(world) - 1;
    cn_world_body_view(world, script->pusher, &view);
    cn_sin_cos(-6.0 * PI / 180.0 * h * (step + 1), &sine, &cosine);
    cn_vec3 goal = spatial_point(35.0 * cosine, 0.0, 35.0 * sine);
    struct cn_command command = {
        .kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = script->pusher,
            .velocity = cn_vec3_scale(cn_vec3_sub(goal, view.position), 1.0 / h)},
    };
    (void)!cn_world_command_apply(world, &command, &defect);
}

/* Of the drum: the block between two radii, two directions and z = -10 and 10. */
static void
add_slab(struct bench_build *build, double inner, double outer, double from, double to)
{
    double angle[2] = {from, to}, radius[2] = {inner, outer};
    cn_vec3 corner[8];
    for (int i = 0; i < 8; i++) {
        double sine, cosine;
        cn_sin_cos(angle[i / 2 % 2], &sine, &cosine);
        corner[i] =
            spatial_point(radius[i % 2] * cosine, radius[i % 2] * sine, i < 4 ? -10.0 : 10.0);
    }
    bench_convex(build, bench_points(build, corner, 8), 8);
}

void
bench_spatial_washer(struct bench_build *build)
{
    enum { SIDE = 20 };
    const double turn = PI / 18.0, a = 0.4;
    add_ground(build, 60.0, 60.0);
    int wheel = bench_body(build, CN_KINEMATIC, spatial_point(0.0, 21.0, 0.0));
    bench_body_def(build, wheel)->angular_velocity = spatial_point(0.0, 0.0, 25.0 * PI / 180.0);
    bench_body_def(build, wheel)->velocity = spatial_point(0.001, -0.002, 0.0);
    for (int i = 0; i < 36; i++) {
        add_slab(build, 16.0, 18.0, (i - 0.1) * turn, (i + 1.1) * turn);
        if (i % 9 == 0) {
            add_slab(build, 14.0, 16.0, i * turn, (i + 1) * turn);
        }
    }
    build->density = 1000.0;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            for (int k = 0; k < SIDE; k++) {
                add_cube(build,
                    spatial_point(2.0 * a * i - 8.0, 2.0 * a * j + 13.0, 2.0 * a * k - 8.0), a);
            }
        }
    }
}
