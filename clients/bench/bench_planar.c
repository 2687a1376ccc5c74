/*
 * bench_planar.c: the benchmark scenes of the plane.
 *
 * Departures: where theirs stands on segments, ours stands on boxes whose upper sides lie there;
 * the spinner's blade has sharp corners, and a ring of 360 slabs is its drum.
 */
#include "clients/bench/bench_scene.h"

#include "engine/math/trig.h"

#include <math.h>

#define PI 3.14159265358979323846

static cn_vec3
planar_point(double x, double y)
{
    return cn_vec3_make(x, y, 0.0);
}

static double
sine(double angle)
{
    double s, c;
    cn_sin_cos(angle, &s, &c);
    return s;
}

static double
cosine(double angle)
{
    double s, c;
    cn_sin_cos(angle, &s, &c);
    return c;
}

/* A static body at the origin, to which shapes are added. */
static int
add_ground(struct bench_build *build)
{
    return bench_body(build, CN_STATIC, planar_point(0.0, 0.0));
}

static int
add_box(struct bench_build *build, double x, double y, double width, double height)
{
    int body = bench_body(build, CN_DYNAMIC, planar_point(x, y));
    bench_box(build, planar_point(width, height), planar_point(0.0, 0.0));
    return body;
}

/* Boxes of edge a in rows of base, base - 1, ..., 1, the lowest with its left end at x. */
static void
add_pyramid(struct bench_build *build, int base, double a, double x, double y)
{
    for (int i = 0; i < base; i++) {
        for (int j = i; j < base; j++) {
            add_box(build, x + 0.5 * a * (i + 1) + a * (j - i), y + a * (i + 0.5), a, a);
        }
    }
}

void
bench_planar_large_pyramid(struct bench_build *build)
{
    add_ground(build);
    bench_box(build, planar_point(200.0, 2.0), planar_point(0.0, -1.0));
    add_pyramid(build, 100, 1.0, -50.0, 0.0);
}

void
bench_planar_tiny(struct bench_build *build)
{
    add_ground(build);
    bench_box(build, planar_point(200.0, 2.0), planar_point(0.0, -1.0));
    add_pyramid(build, 10, 1.0, -5.0, 0.0);
}

void
bench_planar_tower(struct bench_build *build)
{
    add_ground(build);
    bench_box(build, planar_point(200.0, 2.0), planar_point(0.0, -1.0));
    for (int i = 0; i < 40; i++) {
        add_box(build, 0.0, i + 0.5, 1.0, 1.0);
    }
}

void
bench_planar_ladder(struct bench_build *build)
{
    add_ground(build);
    bench_box(build, planar_point(200.0, 2.0), planar_point(0.0, -1.0));
    build->density = 1.0;
    for (int i = 0; i < 10; i++) {
        add_box(build, 0.0, i + 0.5, 1.0, 1.0);
        build->density *= BENCH_LADDER_RATIO;
    }
}

void
bench_planar_wall(struct bench_build *build)
{
    enum { COLUMNS = 40, ROWS = 25 };
    add_ground(build);
    bench_box(build, planar_point(200.0, 2.0), planar_point(0.0, -1.0));
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double x = j - 0.5 * (COLUMNS - 1) + (i % 2 == 1 ? 0.2 : -0.2);
            add_box(build, x, i + 0.5, 1.0, 1.0);
        }
    }
}

/* Seven nodes in the middle of the upper edge. Static ones need no joint between them. */
static bool
is_held(int n, int column, int row)
{
    return row == 0 && column >= n / 2 - 3 && column <= n / 2 + 3;
}

void
bench_planar_joint_grid(struct bench_build *build)
{
    enum { N = 100 };
    build->filter = (struct cn_filter){.category = 2, .mask = ~UINT64_C(2)};
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            bool held = is_held(N, k, i), left_held = k > 0 && is_held(N, k - 1, i);
            int body = bench_body(build, held ? CN_STATIC : CN_DYNAMIC, planar_point(k, -i));
            bench_ball(build, 0.4);
            if (i > 0) {
                bench_joint(build, CN_JOINT_BALL, body - 1, body, planar_point(k, 0.5 - i));
            }
            if (k > 0 && !(held && left_held)) {
                bench_joint(build, CN_JOINT_BALL, body - N, body, planar_point(k - 0.5, -i));
            }
        }
    }
}

void
bench_planar_many_pyramids(struct bench_build *build)
{
    enum { BASE = 10, ROWS = 20, COLUMNS = 20 };
    double width = COLUMNS * (BASE + 1.0);
    add_ground(build);
    for (int i = 0; i < ROWS; i++) {
        bench_box(build, planar_point(width, 0.5), planar_point(0.0, i * (BASE + 1.0) - 0.25));
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double x = -0.5 * width + j * (BASE + 1.0) + 0.5;
            add_pyramid(build, BASE, 1.0, x, i * (BASE + 1.0));
        }
    }
}

void
bench_planar_smash(struct bench_build *build)
{
    const double a = 0.4;
    build->def.settings.gravity = planar_point(0.0, 0.0);
    build->density = 8.0;
    int hammer = add_box(build, -20.0, 0.0, 8.0, 8.0);
    bench_body_def(build, hammer)->velocity = planar_point(40.0, 0.0);
    build->density = 1.0;
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < 80; j++) {
            add_box(build, 30.0 + a * i, a * (j - 40), a, a);
        }
    }
}

/* The drum: its inner face has the corners of a regular 360-gon, its slabs are 1 m thick. */
static void
add_drum(struct bench_build *build, int count, double radius, double y)
{
    double turn = 2.0 * PI / count;
    double middle = radius * cosine(0.5 * turn) + 0.5;
    double length = 2.0 * (radius + 1.0) * sine(0.5 * turn);
    for (int i = 0; i < count; i++) {
        double angle = turn * (i + 0.5);
        bench_box(build, planar_point(1.0, length),
            planar_point(middle * cosine(angle), y + middle * sine(angle)));
        struct cn_shape_def *shape = build->shape.item;
        shape[build->shape.count - 1].angle = angle;
    }
}

void
bench_planar_spinner(struct bench_build *build)
{
    int slippery = bench_material(build, 0.1, 0.0);
    int smooth = bench_material(build, 0.0, 0.0);
    int lively = bench_material(build, 0.1, 0.1);
    build->shape_material = slippery;
    int ground = add_ground(build);
    add_drum(build, 360, 40.0, 32.0);
    build->shape_material = smooth;
    int blade = add_box(build, 0.0, 12.0, 1.2, 40.4);
    bench_body_def(build, blade)->sleepless = true;
    /* The blade is longer than the way to the drum, but a joint's two bodies do not touch. */
    struct cn_joint_def *joint =
        bench_joint(build, CN_JOINT_HINGE, ground, blade, planar_point(0.0, 12.0));
    joint->has_motor = true;
    joint->motor_speed = 5.0;
    build->shape_material = lively;
    build->density = 0.25;
    double x = -23.0, y = 2.0;
    for (int i = 0; i < 2 * 3038; i++) {
        bench_body(build, CN_DYNAMIC, planar_point(x, y));
        if (i % 3 == 0) {
            bench_capsule(build, planar_point(-0.25, 0.0), planar_point(0.25, 0.0), 0.25);
        } else if (i % 3 == 1) {
            bench_ball(build, 0.35);
        } else {
            bench_box(build, planar_point(0.7, 0.7), planar_point(0.0, 0.0));
        }
        x += 0.5;
        if (x >= 23.0) {
            x = -23.0;
            y += 0.5;
        }
    }
}

void
bench_planar_tumbler(struct bench_build *build)
{
    build->density = 50.0;
    int tub = bench_body(build, CN_DYNAMIC, planar_point(0.0, 10.0));
    bench_box(build, planar_point(1.0, 20.0), planar_point(10.0, 0.0));
    bench_box(build, planar_point(1.0, 20.0), planar_point(-10.0, 0.0));
    bench_box(build, planar_point(20.0, 1.0), planar_point(0.0, 10.0));
    bench_box(build, planar_point(20.0, 1.0), planar_point(0.0, -10.0));
    struct cn_joint_def *joint =
        bench_joint(build, CN_JOINT_HINGE, -1, tub, planar_point(0.0, 10.0));
    joint->has_motor = true;
    joint->motor_speed = 25.0 * PI / 180.0;
    build->density = 1.0;
    for (int i = 0; i < 45; i++) {
        for (int j = 0; j < 45; j++) {
            add_box(build, 0.4 * j - 9.0, 1.0 + 0.4 * i, 0.25, 0.25);
        }
    }
}

/* Of the drum's wall: the quadrangle between two radii and two directions, counter-clockwise. */
static void
add_slab(struct bench_build *build, double inner, double outer, double from, double to)
{
    cn_vec3 a = planar_point(cosine(from), sine(from)), b = planar_point(cosine(to), sine(to));
    cn_vec3 corner[4] = {cn_vec3_scale(a, inner), cn_vec3_scale(a, outer),
        cn_vec3_scale(b, outer), cn_vec3_scale(b, inner)};
    bench_convex(build, bench_points(build, corner, 4), 4);
}

void
bench_planar_washer(struct bench_build *build)
{
    const double turn = PI / 18.0, a = 0.2;
    int wheel = bench_body(build, CN_KINEMATIC, planar_point(0.0, 10.0));
    bench_body_def(build, wheel)->angular_velocity = cn_vec3_make(0.0, 0.0, 25.0 * PI / 180.0);
    bench_body_def(build, wheel)->velocity = planar_point(0.001, -0.002);
    for (int i = 0; i < 36; i++) {
        add_slab(build, 16.0, 18.0, (i - 0.1) * turn, (i + 1.1) * turn);
        if (i % 9 == 0) {
            add_slab(build, 14.0, 16.0, i * turn, (i + 1) * turn);
        }
    }
    for (int i = 0; i < 90; i++) {
        for (int j = 0; j < 90; j++) {
            add_box(build, 0.21 * j - 9.9, 0.1 + 0.21 * i, a, a);
        }
    }
}

/* A floor of `count` blocks, and two walls of `height` blocks on its ends. */
static void
add_trough(struct bench_build *build, int count, int height)
{
    double end = 0.5 * (count - 1);
    add_ground(build);
    for (int i = 0; i < count; i++) {
        bench_box(build, planar_point(1.1, 1.0), planar_point(i - end, 0.0));
    }
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < height; i++) {
            bench_box(build, planar_point(1.0, 1.1), planar_point(side * end, 1.0 + i));
        }
    }
}

void
bench_planar_compounds(struct bench_build *build)
{
    static const cn_vec3 left[3] = {{-1.0, 0.0, 0.0}, {0.5, 1.0, 0.0}, {0.0, 2.0, 0.0}};
    static const cn_vec3 right[3] = {{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {-0.5, 1.0, 0.0}};
    add_trough(build, 81, 100);
    bench_box(build, planar_point(1600.0, 1.0), planar_point(0.0, -80.5));
    int left_first = bench_points(build, left, 3), right_first = bench_points(build, right, 3);
    build->shape_material = bench_material(build, 0.5, 0.0);
    double side = 0.25;
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 150; j++) {
            bench_body(
                build, CN_DYNAMIC, planar_point(2.0 * i - 19.0 + side, 2.25 * j + 0.575 + 5.0));
            bench_convex(build, left_first, 3);
            bench_convex(build, right_first, 3);
            side = -side;
        }
    }
}

/* Five points on a circle, each a golden angle further, in counter-clockwise order. */
static int
add_pentagon(struct bench_build *build, double radius)
{
    double angle[5], golden = PI * (sqrt(5.0) - 1.0);
    cn_vec3 point[5];
    for (int i = 0; i < 5; i++) {
        double turned = golden * i;
        turned -= 2.0 * PI * floor(turned / (2.0 * PI));
        int k = i;
        for (; k > 0 && angle[k - 1] > turned; k--) {
            angle[k] = angle[k - 1];
        }
        angle[k] = turned;
    }
    for (int i = 0; i < 5; i++) {
        point[i] = planar_point(radius * cosine(angle[i]), radius * sine(angle[i]));
    }
    return bench_points(build, point, 5);
}

void
bench_planar_junkyard(struct bench_build *build)
{
    const double radius = 0.25;
    add_trough(build, 161, 50);
    int first = add_pentagon(build, radius);
    double side = -0.1;
    for (int i = 0; i < 200; i++) {
        double x = 1.5 * (2.0 * i - 200.0) * radius;
        for (int j = 0; j < 40; j++) {
            bench_body(build, CN_DYNAMIC, planar_point(x + side, 4.0 * j * radius + 15.0));
            bench_convex(build, first, 5);
            side = -side;
        }
    }
    bench_body(build, CN_KINEMATIC, planar_point(0.0, 0.0));
    bench_box(build, planar_point(4.0, 8.0), planar_point(0.0, 4.0));
}

/* The pusher, which is the last body, goes to and fro: it has the speed that brings it there. */
void
bench_planar_junkyard_step(struct bench_script *script, struct cn_world *world, int step)
{
    const double h = 1.0 / 60.0;
    struct cn_body_view view;
    struct cn_defect defect;
    script->pusher = cn_world_body_count(world) - 1;
    cn_world_body_view(world, script->pusher, &view);
    double goal = 60.0 * sine(0.2 * h * step);
    struct cn_command command = {
        .kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = script->pusher,
            .velocity = planar_point((goal - view.position.x) / h, 0.0)},
    };
    (void)!cn_world_command_apply(world, &command, &defect);
}
