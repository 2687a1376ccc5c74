/*
 * test_stands.c: stacks and chains that the production solver must hold up, impacts after which
 * bodies must not stay in each other, and bodies that move slowly, which it must not slow.
 *
 * The bounds for the walls are Box3D's results on the same scenes, in the same 300 steps of 1/60 s
 * and 4 substeps, without sleep.  For penetration and tilt of the large wall they come from a wall
 * whose bricks begin a little differently.  Such numbers are the same on every machine, but change
 * by a third if any detail changes.
 */
#include "clients/base/exit.h"
#include "clients/bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

#define DEGREE (3.14159265358979323846 / 180.0)

/* The builder's one message: no memory. */
void
cli_complain(const char *format, ...)
{
    fputs(format, stderr);
}

static struct cn_world *
make(struct bench_build *build, bool sleeps)
{
    struct cn_defect defect;
    struct cn_world *world;
    strcpy(build->def.settings.solver, "impulse");
    strcpy(build->def.settings.stepper, "time");
    build->def.settings.sleep = sleeps;
    bench_close(build);
    if (cn_world_create(&build->def, &defect, &world) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    return world;
}

static void
run(struct cn_world *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
}

static void
expect(const char *what, double value, double bound)
{
    if (!(value <= bound)) {
        fail_msg("%s is %.5g, above %.5g", what, value, bound);
    }
}

/* ---- walls ---- */

static void
check_stand(struct bench_build *build, struct bench_stand bound)
{
    struct cn_world *world = make(build, false);
    run(world, 300);
    struct bench_stand stand = bench_stand_measure(world, build);
    print_message("penetration %.2f mm, sag %.1f mm, drift %.1f mm, tilt %.3f degrees\n",
        1e3 * stand.penetration, 1e3 * stand.sag, 1e3 * stand.drift, stand.tilt / DEGREE);
    expect("penetration", stand.penetration, bound.penetration);
    expect("sag", stand.sag, bound.sag);
    expect("drift", stand.drift, bound.drift);
    expect("tilt", stand.tilt, bound.tilt);
    cn_world_destroy(world);
    bench_finish(build);
}

static void
test_wall(void **state)
{
    (void)state;
    struct bench_build build;
    bench_init(&build, CN_SPATIAL);
    bench_spatial_wall(&build);
    check_stand(&build, (struct bench_stand){.penetration = 13.3e-3,
                             .sag = 72.0e-3, .drift = 85.2e-3, .tilt = 0.77 * DEGREE});
}

static void
test_small_wall(void **state)
{
    (void)state;
    struct bench_build build;
    bench_init(&build, CN_SPATIAL);
    bench_spatial_wall_small(&build);
    check_stand(&build, (struct bench_stand){.penetration = 3.73e-3,
                             .sag = 11.5e-3, .drift = 13.4e-3, .tilt = 0.174 * DEGREE});
}

/* ---- towers ---- */

/* The sum of the forces of the contacts of body 0, along their normals. */
static double
load_of_ground(const struct cn_world *world)
{
    const struct cn_contact_view *contact;
    int count = cn_world_contacts(world, &contact);
    double load = 0.0;
    for (int i = 0; i < count; i++) {
        load += contact[i].body_a == 0 || contact[i].body_b == 0 ? contact[i].force : 0.0;
    }
    return load;
}

/*
 * Ten boxes of 1 to 1,000 kg, each 1000^(1/9) times as heavy as the one below.  They stand for a
 * minute, sink by less than 10 mm, and the ground bears their weight.
 */
static void
check_ladder(enum cn_dimension dimension)
{
    struct bench_build build;
    bench_init(&build, dimension);
    if (dimension == CN_PLANAR) {
        bench_planar_ladder(&build);
    } else {
        bench_spatial_ladder(&build);
    }
    struct cn_world *world = make(&build, false);
    run(world, 3600);
    struct bench_stand stand = bench_stand_measure(world, &build);
    double weight = 10.0 * (1000.0 * BENCH_LADDER_RATIO - 1.0) / (BENCH_LADDER_RATIO - 1.0);
    double load = load_of_ground(world);
    print_message("sag %.2f mm, drift %.2f mm, energy %.2g J, load %.1f of %.1f N\n",
        1e3 * stand.sag, 1e3 * stand.drift, stand.energy, load, weight);
    expect("sag", stand.sag, 10e-3);
    expect("drift", stand.drift, 2e-3);
    expect("energy", stand.energy, 1e-4);
    expect("the load's error", fabs(load - weight), 1e-3 * weight);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_ladder(void **state)
{
    (void)state;
    check_ladder(CN_PLANAR);
    check_ladder(CN_SPATIAL);
}

/* The kinetic energy of bodies that move evenly by as much as these do in the next second. */
static double
energy_of_second(struct cn_world *world)
{
    enum { BODIES_MAX = 64 };
    struct cn_body_view before[BODIES_MAX], after;
    int count = cn_world_body_count(world);
    assert_true(count <= BODIES_MAX);
    for (int i = 0; i < count; i++) {
        cn_world_body_view(world, i, &before[i]);
    }
    run(world, 60);
    double energy = 0.0;
    for (int i = 0; i < count; i++) {
        cn_world_body_view(world, i, &after);
        cn_vec3 way = cn_vec3_sub(after.position, before[i].position);
        energy += 0.5 * after.mass * cn_vec3_dot(way, way);
    }
    return energy;
}

/*
 * Forty cubes come to rest within 20 s, and then have less than 1e-6 J, by velocities.  By their
 * ways it is less than 1e-7 J: bodies that are held have no velocity between ticks, but creep.  The
 * bar is 1e-4 J.
 */
static void
check_tower(enum cn_dimension dimension)
{
    struct bench_build build;
    bench_init(&build, dimension);
    if (dimension == CN_PLANAR) {
        bench_planar_tower(&build);
    } else {
        bench_spatial_tower(&build);
    }
    struct cn_world *world = make(&build, false);
    run(world, 1140);
    double moved = energy_of_second(world);
    struct bench_stand stand = bench_stand_measure(world, &build);
    print_message("energy %.2g J, by ways %.2g J, drift %.2f mm\n", stand.energy, moved,
        1e3 * stand.drift);
    expect("energy", stand.energy, 1e-6);
    expect("energy by ways", moved, 1e-7);
    expect("drift", stand.drift, 10e-3);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_tower(void **state)
{
    (void)state;
    check_tower(CN_PLANAR);
    check_tower(CN_SPATIAL);
}

/* ---- impacts ---- */

/*
 * 3,000 bodies of two triangles, up to 2 m wide, fall into a trough at up to 50 m/s.  After 5 s few
 * of their contacts are deep.  Box2D has 11 contacts deeper than 0.4 m and a sum of 280 m there.
 * With the low damping that stacks need, there are 58 and 252 m.
 */
static void
test_trough(void **state)
{
    (void)state;
    struct bench_build build;
    bench_init(&build, CN_PLANAR);
    bench_planar_compounds(&build);
    struct cn_world *world = make(&build, false);
    run(world, 300);
    const struct cn_contact_view *contact;
    int count = cn_world_contacts(world, &contact), deep = 0;
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        deep += contact[i].gap < -0.4 ? 1 : 0;
        sum += fmax(-contact[i].gap, 0.0);
    }
    print_message("%d contacts, %d are deep, overlaps %.1f m\n", count, deep, sum);
    expect("the number of deep contacts", deep, 11.0);
    expect("the sum of overlaps", sum, 220.0);
    cn_world_destroy(world);
    bench_finish(&build);
}

/* ---- sleep ---- */

/* Walls of 40 columns in running bond, as bench_spatial_wall builds them, sleep within 10 s. */
static void
check_sleep(int rows)
{
    struct bench_build build;
    bench_init(&build, CN_SPATIAL);
    bench_body(&build, CN_STATIC, cn_vec3_make(0.0, 0.0, 0.0));
    bench_box(&build, cn_vec3_make(400.0, 2.0, 400.0), cn_vec3_make(0.0, -1.0, 0.0));
    build.density = 1000.0;
    for (int i = 0; i < 40 * rows; i++) {
        double shift = i / 40 % 2 == 1 ? 0.2 : -0.2;
        bench_body(&build, CN_DYNAMIC, cn_vec3_make(i % 40 - 19.5 + shift, i / 40 + 0.5, 0.0));
        bench_box(&build, cn_vec3_make(1.0, 1.0, 1.0), cn_vec3_make(0.0, 0.0, 0.0));
    }
    struct cn_world *world = make(&build, true);
    int steps = 0;
    do { /* nothing is awake before the first step */
        run(world, 1);
        steps++;
    } while (steps < 600 && cn_world_count(world).awake_count > 0);
    assert_true(steps > 30);
    print_message("%d rows sleep after %.2f s\n", rows, steps / 60.0);
    assert_int_equal(cn_world_count(world).awake_count, 0);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_sleep(void **state)
{
    (void)state;
    check_sleep(13);
    check_sleep(16);
    check_sleep(20);
}

/* ---- bodies that move slowly ---- */

/* Cubes of 0.5 m, one on the other, start at 0.1 m/s on a floor. */
struct ride {
    enum cn_dimension dimension;
    double friction; /* of the floor and the cubes */
    double floor_speed;
    double belt_speed;
    int count;
};

/* The speed of the lowest cube after 2 s. */
static double
speed_after(const struct ride *ride)
{
    struct bench_build build;
    bench_init(&build, ride->dimension);
    build.shape_material = bench_material(&build, ride->friction, 0.0);
    struct cn_material_def *material = build.material.item;
    material[build.shape_material].surface_velocity = cn_vec3_make(ride->belt_speed, 0.0, 0.0);
    double depth = ride->dimension == CN_PLANAR ? 0.0 : 20.0;
    double side = ride->dimension == CN_PLANAR ? 0.0 : 0.5;
    bool moves = ride->floor_speed != 0.0;
    int floor = bench_body(&build, moves ? CN_KINEMATIC : CN_STATIC, cn_vec3_make(0.0, 0.0, 0.0));
    bench_body_def(&build, floor)->velocity = cn_vec3_make(ride->floor_speed, 0.0, 0.0);
    bench_box(&build, cn_vec3_make(20.0, 1.0, depth), cn_vec3_make(0.0, -0.5, 0.0));
    build.shape_material = bench_material(&build, ride->friction, 0.0);
    build.density = 1.0;
    for (int i = 0; i < ride->count; i++) {
        int cube = bench_body(&build, CN_DYNAMIC, cn_vec3_make(0.0, 0.25 + 0.5 * i, 0.0));
        bench_body_def(&build, cube)->velocity = cn_vec3_make(0.1, 0.0, 0.0);
        bench_box(&build, cn_vec3_make(0.5, 0.5, side), cn_vec3_make(0.0, 0.0, 0.0));
    }
    struct cn_world *world = make(&build, false);
    struct cn_body_view view;
    run(world, 120);
    cn_world_body_view(world, 1, &view);
    cn_world_destroy(world);
    bench_finish(&build);
    return fabs(view.velocity.x);
}

static void
test_slow_rides(void **state)
{
    (void)state;
    const struct ride rides[] = {
        {.friction = 0.0, .count = 1},                     /* on ice */
        {.friction = 0.6, .floor_speed = 0.1, .count = 2}, /* on what moves */
        {.friction = 0.6, .belt_speed = 0.1, .count = 2},  /* on a belt */
    };
    for (int i = 0; i < 6; i++) {
        struct ride ride = rides[i / 2];
        ride.dimension = i % 2 == 0 ? CN_PLANAR : CN_SPATIAL;
        double speed = speed_after(&ride);
        print_message("ride %d: %.6f m/s\n", i, speed);
        expect("what a ride has lost", fabs(speed - 0.1), 1e-5);
    }
}

/* ---- chains ---- */

/*
 * 100 links of 1 m that start level, held at one end, and swing down; a ball ten times as heavy as
 * a link hangs on them.  No joint opens by more than a fiftieth of a link at any time.
 */
static void
check_chain(enum cn_dimension dimension)
{
    enum { LINKS = 100 };
    struct bench_build build;
    bench_init(&build, dimension);
    int before = -1;
    build.filter = (struct cn_filter){.category = 2, .mask = 1};
    build.density = 10.0;
    for (int i = 0; i < LINKS; i++) {
        int link = bench_body(&build, CN_DYNAMIC, cn_vec3_make(i + 0.5, 0.0, 0.0));
        bench_capsule(&build, cn_vec3_make(-0.4, 0.0, 0.0), cn_vec3_make(0.4, 0.0, 0.0), 0.1);
        bench_joint(&build, CN_JOINT_BALL, before, link, cn_vec3_make(i, 0.0, 0.0));
        before = link;
    }
    build.density = dimension == CN_PLANAR ? 24.4 : 69.4; /* ten links */
    int ball = bench_body(&build, CN_DYNAMIC, cn_vec3_make(LINKS, 0.0, 0.0));
    bench_ball(&build, 0.5);
    bench_joint(&build, CN_JOINT_BALL, before, ball, cn_vec3_make(LINKS, 0.0, 0.0));
    struct cn_world *world = make(&build, false);
    double worst = 0.0;
    for (int k = 0; k < 600; k++) {
        run(world, 1);
        for (int j = 0; j < cn_world_joint_count(world); j++) {
            struct cn_joint_view view;
            cn_world_joint_view(world, j, &view);
            worst = fmax(worst, view.gap);
        }
    }
    struct cn_body_view view;
    cn_world_body_view(world, ball, &view);
    print_message("worst joint %.2f mm, ball %.2f m away\n", 1e3 * worst,
        cn_vec3_length(view.position));
    expect("a joint's gap", worst, 0.02);
    expect("the chain's length", cn_vec3_length(view.position), 101.0);
    cn_world_destroy(world);
    bench_finish(&build);
}

static void
test_chains(void **state)
{
    (void)state;
    check_chain(CN_PLANAR);
    check_chain(CN_SPATIAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_wall),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_trough),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_slow_rides),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
