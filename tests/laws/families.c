/*
 * families.c: the kinds of scenes.  y is up and the ground's top is y = 0.  Each body lies in a
 * plane z = const.; in space each body has its own.
 *
 * No call draws two random numbers in its arguments, because compilers differ in the order in
 * which they evaluate arguments.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

/* A depth, and in space a place along z. */
static double
depth_of(struct laws_scene *scene)
{
    return scene->length * laws_uniform(scene, 0.4, 1.2);
}

static void
shift_z(struct laws_scene *scene, int body, double most)
{
    if (!laws_is_planar(scene)) {
        scene->body[body].position.z = laws_uniform(scene, -most, most);
    }
}

/* The gap between a body and its support at the start; 0 if they touch. */
static double
start_gap(struct laws_scene *scene)
{
    return laws_chance(scene, 0.6) ? 0.0 : scene->length * laws_uniform(scene, 1e-4, 0.05);
}

/* Up to `side` along x, and from `low` to `high` along y [m/s]. */
static cn_vec3
any_velocity(struct laws_scene *scene, double side, double low, double high)
{
    double up = laws_uniform(scene, low, high);
    return cn_vec3_make(laws_uniform(scene, -side, side), up, 0.0);
}

static void
make_stack(struct laws_scene *scene, int size)
{
    double L = scene->length, top = 0.0, x = 0.0, width = L;
    int ground = laws_ground(scene, 12.0 * L);
    (void)ground;
    for (int i = 0; i < size && i < 60; i++) {
        double high = L * laws_uniform(scene, 0.2, 0.8), wide = L * laws_uniform(scene, 0.4, 1.4);
        x += laws_uniform(scene, -0.4, 0.4) * cn_min(wide, width);
        int box = laws_box(scene, x, top + 0.5 * high, cn_vec3_make(wide, high, depth_of(scene)));
        shift_z(scene, box, 0.2 * L);
        top += high + (laws_chance(scene, 0.9) ? 0.0 : 1e-3 * L);
        width = wide;
    }
}

/* Rows of bricks, of which every second one is shifted by half a brick. */
static void
build_wall(struct laws_scene *scene, int rows, int columns, double slack)
{
    double L = scene->length, wide = 0.5 * L, high = 0.25 * L;
    for (int row = 0; row < rows; row++) {
        int bricks = columns - (row % 2);
        double first = -0.5 * (bricks - 1) * (wide + slack);
        for (int k = 0; k < bricks; k++) {
            (void)laws_box(scene, first + k * (wide + slack), (row + 0.5) * high,
                cn_vec3_make(wide, high, 0.4 * L));
        }
    }
}

static void
wall_counts(struct laws_scene *scene, int size, int *rows, int *columns)
{
    *columns = size <= 2 ? 2 : size <= 12 ? 2 + laws_choose(scene, 2)
               : size <= 60 ? 4 + laws_choose(scene, 4) : 8 + laws_choose(scene, 12);
    *rows = 1 + size / *columns;
    *rows = *rows > 50 ? 50 : *rows;
}

static void
make_wall(struct laws_scene *scene, int size)
{
    int rows, columns;
    wall_counts(scene, size, &rows, &columns);
    (void)laws_ground(scene, (columns + 8) * scene->length);
    build_wall(scene, rows, columns, laws_chance(scene, 0.5) ? 0.0 : 1e-3 * scene->length);
}

static void
make_ball(struct laws_scene *scene, int size)
{
    int rows, columns;
    wall_counts(scene, size, &rows, &columns);
    double L = scene->length, radius = L * laws_uniform(scene, 0.1, 0.4);
    (void)laws_ground(scene, (2 * columns + 16) * L);
    double slack = laws_chance(scene, 0.5) ? 0.0 : 1e-3 * L;
    build_wall(scene, rows, columns, slack);
    double side = 0.5 * (columns * (0.5 * L + slack) - slack);
    double high = laws_uniform(scene, 0.0, 1.0) * rows * 0.25 * L + radius;
    double away = laws_chance(scene, 0.5) ? 0.0 : 0.1 * L;
    int ball = laws_ball(scene, -side - radius - away, high, radius);
    scene->body[ball].velocity = cn_vec3_make(laws_uniform(scene, 0.5, 15.0), 0.0, 0.0);
}

/* Bricks that land on the edges of shelves and overlap them by a millionth to a thousandth. */
static void
make_ledge(struct laws_scene *scene, int size)
{
    double L = scene->length;
    int ledges = size > 6 ? 3 : 1;
    for (int i = 0; i < ledges; i++) {
        double wide = L * laws_uniform(scene, 0.3, 1.5), high = L * laws_uniform(scene, 0.2, 1.0);
        double overlap = laws_spread(scene, -6, -3), edge = 8.0 * L * i;
        int shelf = laws_box(
            scene, edge - 1.5 * L, -0.5 * L, cn_vec3_make(3.0 * L, L, 3.0 * L));
        laws_fix(scene, shelf);
        double gap = start_gap(scene);
        int brick = laws_box(scene, edge - overlap + 0.5 * wide, 0.5 * high + gap,
            cn_vec3_make(wide, high, depth_of(scene)));
        double down = laws_chance(scene, 0.3) ? 0.0 : laws_uniform(scene, -5.0, 0.0);
        double along = laws_chance(scene, 0.7) ? 0.0 : laws_uniform(scene, -1.0, 1.0);
        scene->body[brick].velocity = cn_vec3_make(along, down, 0.0);
        if (laws_chance(scene, 0.25)) { /* a second shelf under the other side */
            double other = laws_spread(scene, -6, -3);
            shelf = laws_box(scene, edge - overlap + wide - other + 1.5 * L, -0.5 * L,
                cn_vec3_make(3.0 * L, L, 3.0 * L));
            laws_fix(scene, shelf);
        }
    }
}

/* Corner on corner: turned boxes that fall on the corner of one that is fixed, or on its top. */
static void
make_corner(struct laws_scene *scene, int size)
{
    double L = scene->length, half = 0.5 * L;
    int count = size > 6 ? 3 : 1;
    for (int i = 0; i < count; i++) {
        double at = 8.0 * L * i, angle = laws_uniform(scene, 0.05, 1.5), sine, cosine;
        int block = laws_box(
            scene, at - 1.5 * L, -1.5 * L, cn_vec3_make(3.0 * L, 3.0 * L, 3.0 * L));
        laws_fix(scene, block);
        double wide = L * laws_uniform(scene, 0.2, 1.2), high = L * laws_uniform(scene, 0.2, 1.2);
        cn_sin_cos(angle, &sine, &cosine);
        /* its lowest corner, and where that lies from its centre */
        double low_x = 0.5 * (-wide * cosine + high * sine);
        double low_y = 0.5 * (-wide * sine - high * cosine);
        double overlap = laws_chance(scene, 0.5) ? laws_spread(scene, -6, -2) : half;
        double depth = depth_of(scene), gap = start_gap(scene);
        int box = laws_box(
            scene, at - overlap - low_x, gap - low_y, cn_vec3_make(wide, high, depth));
        laws_tilt(scene, box, angle);
        scene->body[box].velocity = any_velocity(scene, 2.0, -5.0, 0.0);
    }
}

/* A block on an incline that it may slide down, or a wedge between two blocks. */
static void
make_wedge(struct laws_scene *scene, int size)
{
    double L = scene->length, angle = laws_uniform(scene, 0.05, 1.2), sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    if (laws_chance(scene, 0.5)) {
        int slope = laws_box(scene, 0.0, 0.0, cn_vec3_make(20.0 * L, L, 4.0 * L));
        laws_fix(scene, slope);
        laws_tilt(scene, slope, angle);
        double along = -6.0 * L, wide = L, up = 0.5 * L;
        for (int i = 0; i < 1 + size / 2 && i < 8; i++) {
            wide = L * laws_uniform(scene, 0.2, 1.0);
            double high = L * laws_uniform(scene, 0.2, 1.0);
            double away = up + 0.5 * high;
            along += 0.5 * wide;
            int box = laws_box(scene, along * cosine - away * sine, along * sine + away * cosine,
                cn_vec3_make(wide, high, depth_of(scene)));
            laws_tilt(scene, box, angle);
            along += 0.5 * wide + (laws_chance(scene, 0.5) ? 0.0 : 0.5 * L);
        }
        return;
    }
    (void)laws_ground(scene, 20.0 * L);
    double tip = L * laws_uniform(scene, 0.1, 0.4), high = L;
    double half = tip + high * sine / cosine;
    half = cn_min(half, 2.0 * L);
    const cn_vec3 wedge[] = {{-tip, -0.5 * high, 0.0}, {tip, -0.5 * high, 0.0},
        {half, 0.5 * high, 0.0}, {-half, 0.5 * high, 0.0}};
    double mid = 0.5 * (tip + half), block = L;
    for (int side = -1; side <= 1; side += 2) { /* their inner upper edges touch its flanks */
        (void)laws_box(scene, side * (mid + 0.5 * block), 0.5 * block,
            cn_vec3_make(block, block, depth_of(scene)));
    }
    (void)laws_prism(scene, 0.0, block, wedge, 4, depth_of(scene));
}

/* Links of bars that hang, lie or fly, and perhaps a weight at the end. */
static void
make_chain(struct laws_scene *scene, int size)
{
    double L = scene->length, link = 0.5 * L, radius = 0.06 * L;
    int links = size < 2 ? 2 : size > 60 ? 60 : size;
    bool lies = laws_chance(scene, 0.3), hangs = !lies && laws_chance(scene, 0.8);
    double high = lies ? radius : 3.0 * L;
    if (lies || laws_chance(scene, 0.5)) {
        (void)laws_ground(scene, (links + 8) * L);
    }
    enum cn_joint_kind kind = laws_chance(scene, 0.5) ? CN_JOINT_HINGE : CN_JOINT_BALL;
    /*
     * The bars of a lying chain are level; those of other chains zigzag.  A straight chain whose
     * two ends are held can not carry a load.
     */
    double slope = lies ? 0.0 : laws_uniform(scene, 0.1, 0.6), sine, cosine;
    cn_sin_cos(slope, &sine, &cosine);
    double pitch = link * cosine;
    int before = -1;
    for (int i = 0; i < links; i++) {
        double from = i % 2 == 0 ? 0.0 : link * sine;
        double middle = high + 0.5 * link * sine;
        int bar = laws_capsule(scene, (i + 0.5) * pitch, middle, radius, link - 2.5 * radius);
        laws_tilt(scene, bar, -0.5 * CN_PI + (i % 2 == 0 ? slope : -slope));
        if (before >= 0 || hangs) {
            (void)laws_joint(
                scene, kind, before, bar, cn_vec3_make(i * pitch, high + from, 0.0));
        }
        if (laws_chance(scene, 0.2)) {
            scene->body[bar].velocity.y = laws_chance(scene, 0.5) ? 0.0 : 1e-3;
        }
        before = bar;
    }
    if (laws_chance(scene, 0.4)) {
        double at = links * pitch;
        high += links % 2 == 0 ? 0.0 : link * sine;
        double lift = lies ? 0.3 * L - radius : 0.0;
        int weight = laws_ball(scene, at + 0.3 * L, high + lift, 0.3 * L);
        struct cn_joint_def *joint = laws_joint(scene,
            laws_chance(scene, 0.5) ? kind : CN_JOINT_ROPE, before, weight,
            cn_vec3_make(at, high, 0.0));
        joint->anchor_a = cn_vec3_make(at, high, 0.0);
        joint->anchor_b = scene->body[weight].position;
        if (joint->kind != CN_JOINT_ROPE) {
            joint->anchor_b = joint->anchor_a;
        }
    }
    if (hangs && laws_chance(scene, 0.3) && links > 2) {
        double end = links % 2 == 0 ? 3.0 * L : 3.0 * L + link * sine;
        (void)laws_joint(scene, kind, -1, before, cn_vec3_make(links * pitch, end, 0.0));
    }
}

/* Wheels in a row between two walls, or a triangle of them, that turn each other by friction. */
static void
make_gears(struct laws_scene *scene, int size)
{
    double L = scene->length, radius = 0.4 * L;
    int count = size < 2 ? 2 : size;
    bool row = laws_chance(scene, 0.5) && count <= 40;
    (void)laws_ground(scene, (cn_min(count, 60) + 16) * L);
    int wide = count;
    for (wide = 1; !row && wide * (wide + 1) / 2 < count; wide++) {
    }
    int rows = row ? 1 : wide;
    wide = row ? count : wide;
    if (laws_chance(scene, 0.6)) {
        for (int side = -1; side <= 1; side += 2) {
            int post = laws_box(scene, side * (wide * radius + 0.5 * L), 0.5 * L,
                cn_vec3_make(L, L, 4.0 * L));
            laws_fix(scene, post);
        }
    }
    for (int j = 0; j < rows && j < 45; j++) {
        for (int k = 0; k < wide - j; k++) {
            double x = (2.0 * k - (wide - j - 1)) * radius;
            int ball = laws_ball(scene, x, radius * (1.0 + j * sqrt(3.0)), radius);
            if (laws_chance(scene, 0.4)) {
                scene->body[ball].angular_velocity =
                    cn_vec3_make(0.0, 0.0, laws_uniform(scene, -10.0, 10.0));
            }
        }
    }
}

/* One of all forms, somewhere in its cell of 1.2 lengths, turned in any way. */
static int
any_body(struct laws_scene *scene, double x, double y)
{
    double L = scene->length, a = L * laws_uniform(scene, 0.3, 0.6);
    double b = L * laws_uniform(scene, 0.2, 0.5);
    int kind = laws_choose(scene, 4), body;
    const cn_vec3 triangle[] = {{-0.8 * a, -0.5 * b, 0.0}, {0.8 * a, -0.5 * b, 0.0},
        {0.2 * a, 0.7 * b, 0.0}};
    switch (kind) {
    case 0:
        body = laws_ball(scene, x, y, 0.6 * a);
        break;
    case 1:
        body = laws_capsule(scene, x, y, 0.4 * b, a);
        break;
    case 2:
        body = laws_prism(scene, x, y, triangle, 3, b);
        break;
    default:
        body = laws_box(scene, x, y, cn_vec3_make(a, b, 0.5 * (a + b)));
        break;
    }
    laws_turn_any(scene, body);
    return body;
}

static void
make_heap(struct laws_scene *scene, int size)
{
    double L = scene->length, cell = 1.2 * L;
    int wide = size <= 4 ? 1 : size <= 12 ? 2 : size <= 60 ? 4 : 10;
    (void)laws_ground(scene, (2 * wide + 20) * L);
    for (int i = 0; i < size; i++) {
        double x = (i % wide - 0.5 * (wide - 1)) * cell, y = (0.6 + i / wide) * cell;
        int body = any_body(scene, x, y);
        scene->body[body].velocity = any_velocity(scene, 1.0, -6.0, 0.0);
    }
}

/* A rod on rough ground, which slides on one end: where Painleve's paradoxes are. */
static void
make_rod(struct laws_scene *scene, int size)
{
    double L = scene->length;
    (void)laws_ground(scene, 40.0 * L);
    for (int i = 0; i < 1 + size / 6 && i < 3; i++) {
        double angle = laws_uniform(scene, 0.1, 1.5), sine, cosine, at = 5.0 * L * (i - 1);
        double thick = L * laws_uniform(scene, 0.01, 0.1), half = 0.5 * L;
        cn_sin_cos(angle, &sine, &cosine);
        double gap = laws_chance(scene, 0.7) ? 0.0 : start_gap(scene);
        bool round = laws_chance(scene, 0.5);
        double rise = round ? half * sine + 0.5 * thick : half * sine + 0.5 * thick * cosine;
        int rod = round
            ? laws_capsule(scene, at, rise + gap, 0.5 * thick, L)
            : laws_box(scene, at, rise + gap, cn_vec3_make(L, thick, 0.3 * L));
        laws_tilt(scene, rod, round ? angle - 0.5 * CN_PI : angle);
        bool drops = laws_chance(scene, 0.4);
        double spin = drops ? laws_uniform(scene, -3.0, 3.0) : 0.0;
        scene->body[rod].angular_velocity = cn_vec3_make(0.0, 0.0, spin);
        double down = drops ? laws_uniform(scene, -3.0, 0.0) : 0.0;
        scene->body[rod].velocity = cn_vec3_make(laws_uniform(scene, -8.0, 8.0), down, 0.0);
    }
    for (int i = 0; i < LAWS_MATERIALS_MAX; i++) {
        double friction = laws_uniform(scene, 0.0, 3.0);
        scene->material[i].friction = scene->material[i].static_friction = friction;
        scene->friction_max = cn_max(scene->friction_max, friction);
    }
}

/* Bodies that collide without gravity. */
static void
make_billiard(struct laws_scene *scene, int size)
{
    double L = scene->length;
    scene->def.settings.gravity = cn_vec3_make(0.0, 0.0, 0.0);
    int count = size < 2 ? 2 : size;
    bool round = laws_chance(scene, 0.5), row = laws_chance(scene, 0.5);
    int wide = row || count <= 8 ? count : 8;
    for (int i = 0; i < count; i++) {
        double cell = round ? 0.8 * L : 1.3 * L;
        double x = (i % wide) * cell, y = (i / wide) * cell;
        int body = round ? laws_ball(scene, x, y, 0.4 * L) : any_body(scene, x, y);
        double middle = 0.5 * (wide - 1) * cell;
        double speed = laws_uniform(scene, -4.0, 4.0);
        scene->body[body].velocity = cn_vec3_make(
            x < middle ? fabs(speed) : -fabs(speed), laws_uniform(scene, -1.0, 1.0), 0.0);
        scene->body[body].angular_velocity =
            cn_vec3_make(0.0, 0.0, laws_uniform(scene, -5.0, 5.0));
    }
}

/* Tiles that stand side by side, of which the first one is pushed. */
static void
make_dominoes(struct laws_scene *scene, int size)
{
    double L = scene->length, thick = 0.1 * L, pitch = L * laws_uniform(scene, 0.12, 0.6);
    int count = size < 2 ? 2 : size > 40 ? 40 : size;
    (void)laws_ground(scene, (count + 10) * L);
    for (int i = 0; i < count; i++) {
        int tile = laws_box(scene, i * pitch, 0.5 * L, cn_vec3_make(thick, L, 0.5 * L));
        if (i == 0) {
            double spin = laws_uniform(scene, 0.5, 4.0); /* about its lower right edge */
            scene->body[tile].angular_velocity = cn_vec3_make(0.0, 0.0, -spin);
            scene->body[tile].velocity = cn_vec3_make(0.5 * spin * L, 0.5 * spin * thick, 0.0);
        }
    }
}

const struct laws_family laws_families[] = {
    {"stack", "boxes on each other, of which some lean too far", make_stack},
    {"wall", "a wall of bricks", make_wall},
    {"ball", "a ball that hits a wall of bricks", make_ball},
    {"ledge", "a brick on the edge of a shelf, 1 um to 1 mm of it", make_ledge},
    {"corner", "a turned box that falls on a corner or a face", make_corner},
    {"wedge", "blocks on an incline, or a wedge between blocks", make_wedge},
    {"chain", "bars linked by joints, and a weight", make_chain},
    {"gears", "wheels that touch", make_gears},
    {"heap", "bodies of all forms that fall on each other", make_heap},
    {"rod", "a rod that slides on rough ground", make_rod},
    {"billiard", "bodies that meet without gravity", make_billiard},
    {"dominoes", "tiles that push each other over", make_dominoes},
};
const int laws_family_count = (int)(sizeof(laws_families) / sizeof(laws_families[0]));
