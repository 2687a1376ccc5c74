/*
 * bench_rain.c: scenes in which bodies are made and removed while the world runs.
 *
 * Departures: a cell's mesh of theirs is a flat box and 16 convex hulls, which are the same torus;
 * the plane's floor is five bodies.
 */
#include "clients/base/exit.h"
#include "clients/bench/bench_scene.h"

#include "engine/base/assert.h"
#include "engine/math/trig.h"

#define PI 3.14159265358979323846

/* ---- making and removing ---- */

static void
apply_command(struct cn_world *world, const struct cn_command *command)
{
    struct cn_defect defect;
    if (cn_world_command_apply(world, command, &defect) != CN_OK) {
        cli_complain("a command was refused: %s: %s", defect.path, defect.text);
    }
}

/* Makes what was built; its names go to slot[] and generation[], as many as there are bodies. */
static void
make_parts(struct cn_world *world, struct bench_build *parts, struct bench_name *name)
{
    bench_close(parts);
    for (int i = 0; i < parts->def.body_count; i++) {
        struct cn_command command = {
            .kind = CN_COMMAND_MAKE_BODY, .make_body = {.def = parts->def.bodies[i]}};
        struct cn_body_view view;
        name[i].slot = cn_world_body_slot(world);
        apply_command(world, &command);
        cn_world_body_view(world, name[i].slot, &view);
        name[i].generation = view.generation;
    }
    for (int i = 0; i < parts->def.joint_count; i++) {
        struct cn_command command = {
            .kind = CN_COMMAND_MAKE_JOINT, .make_joint = {.def = parts->def.joints[i]}};
        struct cn_joint_def *joint = &command.make_joint.def;
        joint->body_a = joint->body_a < 0 ? -1 : name[joint->body_a].slot;
        joint->body_b = name[joint->body_b].slot;
        apply_command(world, &command);
    }
}

static void
remove_parts(struct cn_world *world, const struct bench_name *name, int count)
{
    for (int i = 0; i < count; i++) {
        struct cn_command command = {.kind = CN_COMMAND_REMOVE_BODY,
            .remove_body = {.slot = name[i].slot, .generation = name[i].generation}};
        apply_command(world, &command);
    }
}

/*
 * Column after column is filled from the left; when all are, the oldest column goes before a new
 * one comes in its place.
 */
static void
rain_bodies(struct bench_script *script, struct cn_world *world, int columns, int rows,
    int group_size, void (*build)(struct bench_build *parts, int row, int column))
{
    bool full = script->column_count == columns;
    int column = full ? script->column_next : script->column_count;
    CN_ASSERT(0 <= column && column < columns);
    for (int row = 0; row < rows; row++) {
        struct bench_build parts;
        struct bench_name *name = &script->name[(row * columns + column) * group_size];
        if (full) {
            remove_parts(world, name, group_size);
        }
        bench_init(&parts, cn_world_settings(world)->dimension);
        build(&parts, row, column);
        CN_ASSERT(parts.body.count == group_size); /* the room of their names */
        make_parts(world, &parts, name);
        bench_finish(&parts);
    }
    if (full) {
        script->column_next = (column + 1) % columns;
    } else {
        script->column_count++;
    }
}

/* ---- the plane ---- */

#define PLANAR_ROWS 5
#define PLANAR_COLUMNS 40
#define PLANAR_GROUP (5 * BENCH_HUMAN_PLANAR)

_Static_assert(PLANAR_ROWS * PLANAR_COLUMNS * PLANAR_GROUP <= BENCH_NAMES_MAX, "names fit");

void
bench_planar_rain(struct bench_build *build)
{
    for (int i = 0; i < PLANAR_ROWS; i++) {
        bench_body(build, CN_STATIC, cn_vec3_make(0.0, 45.0 * i, 0.0));
        for (int j = 0; j <= 500; j++) {
            bench_box(build, cn_vec3_make(0.5, 0.5, 0.0),
                cn_vec3_make(0.5 * j - 125.0, 0.0, 0.0));
        }
    }
    bench_material(build, 0.2, 0.0);
    bench_material(build, 0.05, 0.0);
}

static void
build_planar_group(struct bench_build *parts, int row, int column)
{
    parts->shape_material = 1;
    for (int i = 0; i < 5; i++) {
        double x = 6.25 * (column + 0.5) - 125.0 + 0.5 * i;
        bench_human_planar(parts, x, 40.0 + 45.0 * row, i + 1);
    }
}

void
bench_planar_rain_step(struct bench_script *script, struct cn_world *world, int step)
{
    if (step % 8 == 0) {
        rain_bodies(script, world, PLANAR_COLUMNS, PLANAR_ROWS, PLANAR_GROUP, build_planar_group);
    }
}

/* ---- space ---- */

#define SPATIAL_SIDE 10
#define SPATIAL_CELL 15.0
#define SPATIAL_GROUP (3 * BENCH_HUMAN_SPATIAL)

_Static_assert(SPATIAL_SIDE * SPATIAL_SIDE * SPATIAL_GROUP <= BENCH_NAMES_MAX, "names fit");

/* A sixteenth of a torus about z: the hull of the rings at its ends. */
static int
torus_part(struct bench_build *build, int part, double radius, double thickness)
{
    enum { SIDES = 16 };
    cn_vec3 point[2 * SIDES];
    for (int i = 0; i < 2 * SIDES; i++) {
        double su, cu, sv, cv;
        cn_sin_cos(2.0 * PI * (part + i % 2) / SIDES, &su, &cu);
        cn_sin_cos(2.0 * PI * (int)(i / 2) / SIDES, &sv, &cv);
        double r = radius + thickness * cv;
        point[i] = cn_vec3_make(r * cu, r * su, thickness * sv);
    }
    return bench_points(build, point, 2 * SIDES);
}

void
bench_spatial_rain(struct bench_build *build)
{
    int part[16];
    for (int k = 0; k < 16; k++) {
        part[k] = torus_part(build, k, 0.25 * SPATIAL_CELL, 1.0);
    }
    for (int i = 0; i < SPATIAL_SIDE * SPATIAL_SIDE; i++) {
        double x = SPATIAL_CELL * (i / SPATIAL_SIDE - 0.5 * SPATIAL_SIDE + 0.5);
        double z = SPATIAL_CELL * (i % SPATIAL_SIDE - 0.5 * SPATIAL_SIDE + 0.5);
        bench_body(build, CN_STATIC, cn_vec3_make(x, 0.0, z));
        bench_box(build, cn_vec3_make(SPATIAL_CELL, 1.0, SPATIAL_CELL),
            cn_vec3_make(0.0, -0.5, 0.0));
        for (int k = 0; k < 16; k++) {
            bench_convex(build, part[k], 32);
        }
    }
    int rolling = bench_material(build, 0.6, 0.0);
    struct cn_material_def *material = build->material.item;
    material[rolling].rolling_friction = 0.02; /* a fifth of the limbs' radius */
}

static void
build_spatial_group(struct bench_build *parts, int row, int column)
{
    parts->shape_material = 1;
    parts->density = 1000.0;
    for (int i = 0; i < 3; i++) {
        cn_vec3 at = cn_vec3_make(SPATIAL_CELL * (column - 0.5 * SPATIAL_SIDE + 0.5) + 0.75 * i,
            20.0, SPATIAL_CELL * (row - 0.5 * SPATIAL_SIDE + 0.5));
        bench_human_spatial(parts, at, row * SPATIAL_SIDE + column);
    }
}

void
bench_spatial_rain_step(struct bench_script *script, struct cn_world *world, int step)
{
    if ((step & 0x2f) == 0) {
        rain_bodies(script, world, SPATIAL_SIDE, SPATIAL_SIDE, SPATIAL_GROUP, build_spatial_group);
    }
}

/* ---- a large world ---- */

#define LARGE_SIDE 1000 /* cells along an edge */
#define LARGE_CELL 10.0 /* m */
#define LARGE_BALLS_SIDE 10

void
bench_spatial_large_world(struct bench_build *build)
{
    for (int i = 0; i < LARGE_SIDE * LARGE_SIDE; i++) {
        double x = LARGE_CELL * (i / LARGE_SIDE - 0.5 * LARGE_SIDE + 0.5);
        double z = LARGE_CELL * (i % LARGE_SIDE - 0.5 * LARGE_SIDE + 0.5);
        bench_body(build, CN_STATIC, cn_vec3_make(x, 0.0, z));
        bench_box(build, cn_vec3_make(LARGE_CELL, 0.5, LARGE_CELL), cn_vec3_make(0.0, 0.0, 0.0));
    }
}

/* Every five steps a ball falls on the inner four fifths of the floor, on a grid of 10 by 10. */
void
bench_spatial_large_world_step(struct bench_script *script, struct cn_world *world, int step)
{
    int k = script->dropped;
    if (step == 0 || step % 5 != 0 || k == LARGE_BALLS_SIDE * LARGE_BALLS_SIDE) {
        return;
    }
    double pitch = 0.8 * LARGE_CELL * LARGE_SIDE / LARGE_BALLS_SIDE;
    double x = pitch * (k % LARGE_BALLS_SIDE - 0.5 * LARGE_BALLS_SIDE + 0.5);
    double z = pitch * (int)(k / LARGE_BALLS_SIDE) - pitch * (0.5 * LARGE_BALLS_SIDE - 0.5);
    struct bench_build parts;
    bench_init(&parts, CN_SPATIAL);
    parts.density = 1000.0;
    bench_body(&parts, CN_DYNAMIC, cn_vec3_make(x, 1.5, z));
    bench_ball(&parts, 0.5);
    make_parts(world, &parts, &script->name[k]);
    bench_finish(&parts);
    script->dropped++;
}

/* ---- asleep ---- */

/* All but the ram sleep until it comes. */
void
bench_planar_smash_step(struct bench_script *script, struct cn_world *world, int step)
{
    (void)script;
    for (int i = 1; step == 0 && i < cn_world_body_count(world); i++) {
        struct cn_command command = {
            .kind = CN_COMMAND_SLEEP_BODY, .sleep_body = {.body = i, .asleep = true}};
        apply_command(world, &command);
    }
}
