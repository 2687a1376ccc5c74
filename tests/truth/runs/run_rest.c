/*
 * run_rest.c: resting and sliding contact without friction, in worlds: forces and accelerations at
 * the first instant, and the motion that follows.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct scene scene;

static double
radians(const json_t *given, const char *key)
{
    return truth_member_number(given, key) * CN_PI / 180.0;
}

/* A point mass on an incline that falls to the right. */
void
truth_run_incline(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double theta = radians(given, "theta_deg"), s = sin(theta), c = cos(theta), radius = 0.25;
    scene_init(&scene, truth_member_number(given, "g"));
    int incline = scene_plane(&scene, s, c, 0.0);
    int mass = scene_circle(&scene, radius * s, radius * c, radius);
    scene.body[mass].mass = truth_member_number(given, "m");
    struct cn_world *world = scene_create(&scene);
    struct cn_body_view view = scene_view(world, mass);
    truth_expect(data, "f", scene_contacts(world, incline, mass).force);
    truth_expect(data, "a_along", view.acceleration.x * c - view.acceleration.y * s);
    truth_expect(data, "a_normal", view.acceleration.x * s + view.acceleration.y * c);
    cn_world_destroy(world);
}

/* The sum of the forces at the corner on that side of x = 0. */
static double
corner_force(const struct cn_world *world, bool is_right)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    double force = 0.0;
    for (int i = 0; i < count; i++) {
        if ((contacts[i].point.x > 0.0) == is_right) {
            force += contacts[i].force;
        }
    }
    return force;
}

/*
 * A block on its lower corners at x = -w/2 and w/2 whose centre of mass is over com_x: a
 * parallelogram that leans so far.
 */
static int
leaning_block(double w, double h, double com_x)
{
    double left = -0.5 * w, right = 0.5 * w, lean = 2.0 * com_x;
    cn_vec3 corner[4] = {{left, 0.0, 0.0}, {right, 0.0, 0.0}, {right + lean, h, 0.0},
        {left + lean, h, 0.0}};
    return scene_polygon(&scene, 0.0, 0.0, corner, 4);
}

/* A block on the floor, with weights P at abscissas x, which may lie beyond its corners. */
void
truth_run_block(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double w = truth_member_number(given, "w"), h = truth_member_number(given, "h");
    double com_x = truth_member_number(given, "com_x"), expected[2];
    scene_init(&scene, truth_member_number(given, "g"));
    scene_floor(&scene);
    int block = com_x == 0.0 ? scene_box(&scene, 0.0, 0.5 * h, w, h) : leaning_block(w, h, com_x);
    scene.body[block].mass = truth_member_number(given, "m");
    scene.body[block].inertia = truth_member_number(given, "I_used");
    struct cn_world *world = scene_create(&scene);
    size_t index;
    json_t *load;
    json_array_foreach(truth_member(given, "loads_x_P"), index, load)
    {
        double x_P[2];
        assert_int_equal(truth_numbers(load, x_P, 2), 2);
        scene_hold_force(
            world, block, cn_vec3_make(x_P[0], 0.0, 0.0), cn_vec3_make(0.0, -x_P[1], 0.0));
    }
    struct cn_body_view view = scene_view(world, block);
    double alpha = view.angular_acceleration.z, a_y = view.acceleration.y;
    truth_expect(data, "alpha", alpha);
    truth_member_numbers(expect, "a_com", expected, 2);
    truth_near(view.acceleration.x, expected[0], truth_tolerance(data, expected[0]), "a_com.x");
    truth_near(a_y, expected[1], truth_tolerance(data, expected[1]), "a_com.y");
    truth_member_numbers(expect, "f", expected, 2);
    truth_near(corner_force(world, false), expected[0], truth_tolerance(data, expected[0]), "f[0]");
    truth_near(corner_force(world, true), expected[1], truth_tolerance(data, expected[1]), "f[1]");
    truth_member_numbers(expect, "chi_ddot", expected, 2);
    for (int i = 0; i < 2; i++) {
        double arm = (i == 0 ? -0.5 : 0.5) * w - com_x;
        truth_near(
            a_y + alpha * arm, expected[i], truth_tolerance(data, expected[i]), "chi_ddot[%d]", i);
    }
    cn_world_destroy(world);
}

/* A disc in a groove of two walls, inclined a1 on the left and a2 on the right. */
void
truth_run_vgroove(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double a1 = radians(given, "a1_deg"), a2 = radians(given, "a2_deg"), radius = 0.5;
    scene_init(&scene, truth_member_number(given, "g"));
    int left = scene_plane(&scene, sin(a1), cos(a1), 0.0);
    int right = scene_plane(&scene, -sin(a2), cos(a2), 0.0);
    /* The centre is at distance `radius` of both: on the bisector. */
    double up = 0.5 * (a1 - a2), distance = radius / cos(0.5 * (a1 + a2));
    int disc = scene_circle(&scene, distance * sin(up), distance * cos(up), radius);
    scene.body[disc].mass = truth_member_number(given, "m");
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "N_left", scene_contacts(world, left, disc).force);
    truth_expect(data, "N_right", scene_contacts(world, right, disc).force);
    cn_world_destroy(world);
}

/* Blocks in a row on the floor, the first pushed against the others and they against a wall. */
void
truth_run_thrust(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double mass[16];
    int count = truth_member_numbers(given, "m", mass, 16);
    scene_init(&scene, 10.0);
    scene_floor(&scene);
    for (int i = 0; i < count; i++) {
        int block = scene_box(&scene, i + 0.5 - count, 0.5, 1.0, 1.0);
        scene.body[block].mass = mass[i];
    }
    int wall = scene_plane(&scene, -1.0, 0.0, 0.0);
    struct cn_world *world = scene_create(&scene);
    scene_hold_force(world, 1, cn_vec3_make(0.0, 0.0, 0.0),
        cn_vec3_make(truth_member_number(given, "T"), 0.0, 0.0));
    for (int tick = 0; tick < 2; tick++) {
        for (int i = 1; i < count; i++) {
            truth_expect(data, "between", scene_contacts(world, i, i + 1).force);
        }
        truth_expect(data, "wall", scene_contacts(world, count, wall).force);
        for (int i = 1; i <= count; i++) {
            truth_expect(data, "acc", scene_view(world, i).acceleration.x);
            truth_expect(data, "acc", scene_view(world, i).acceleration.y);
            truth_expect(data, "acc", scene_view(world, i).angular_acceleration.z);
        }
        scene_tick(world);
    }
    cn_world_destroy(world);
}

/* A block on a wedge on the floor: all slide. */
void
truth_run_wedge(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double theta = radians(given, "theta_deg"), s = sin(theta), c = cos(theta), side = 0.5;
    cn_vec3 corner[3] = {{0.0, 0.0, 0.0}, {4.0, 0.0, 0.0}, {0.0, 4.0 * s / c, 0.0}};
    scene_init(&scene, truth_member_number(given, "g"));
    int ground = scene_floor(&scene);
    int wedge = scene_polygon(&scene, 0.0, 0.0, corner, 3);
    scene.body[wedge].mass = truth_member_number(given, "M");
    int block = scene_box(&scene, 2.0 + 0.5 * side * s, 2.0 * s / c + 0.5 * side * c, side, side);
    scene.body[block].angle = -theta;
    scene.body[block].mass = truth_member_number(given, "m");
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "N", scene_contacts(world, wedge, block).force);
    truth_expect(data, "N_floor", scene_contacts(world, ground, wedge).force);
    cn_vec3 a_wedge = scene_view(world, wedge).acceleration;
    cn_vec3 a_rel = cn_vec3_sub(scene_view(world, block).acceleration, a_wedge);
    truth_expect(data, "a_wedge", -a_wedge.x); /* away from the block, which slides to the right */
    truth_expect(data, "a_rel", a_rel.x * c - a_rel.y * s);
    cn_world_destroy(world);
}

/* An analytic method leaves no depth under any weight. */
void
truth_run_penalty(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double mass[16];
    int count = truth_member_numbers(given, "m", mass, 16);
    for (int i = 0; i < count; i++) {
        scene_init(&scene, truth_member_number(given, "g"));
        scene_floor(&scene);
        int block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        scene.body[block].mass = mass[i];
        struct cn_world *world = scene_create(&scene);
        for (int tick = 0; tick < 120; tick++) {
            scene_tick(world);
            truth_expect(
                data, "depth_analytic", fmax(0.5 - scene_view(world, block).position.y, 0.0));
        }
        cn_world_destroy(world);
    }
}

/* A block at rest touches; given a velocity away from the floor it does not, and falls freely. */
void
truth_run_resting(const json_t *data)
{
    (void)data;
    scene_init(&scene, 9.81);
    scene.def.tick_rate = 1000.0;
    int ground = scene_floor(&scene), block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++) {
        truth_near(contacts[i].gap, 0.0, cn_world_gap_tolerance(world), "gap");
        truth_near(contacts[i].velocity, 0.0, 1e-12, "velocity of the gap");
    }
    truth_near(scene_view(world, block).acceleration.y, 0.0, 1e-9, "acceleration at rest");
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    command.place_body.body = block;
    command.place_body.position = cn_vec3_make(0.0, 0.5, 0.0);
    command.place_body.velocity = cn_vec3_make(0.0, 0.5, 0.0);
    command.place_body.orientation.w = 1.0;
    scene_command(world, &command);
    scene_tick(world);
    assert_int_equal(scene_contacts(world, ground, block).count, 0);
    truth_near(scene_view(world, block).acceleration.y, -9.81, 1e-12, "acceleration in flight");
    cn_world_destroy(world);
}

/* Upper diamond balanced on the tip of the lower, fixed one. */
void
truth_run_tips(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double tip = sqrt(0.5);
    scene_init(&scene, truth_member_number(given, "g"));
    int lower = scene_box(&scene, 0.0, -tip, 1.0, 1.0),
        upper = scene_box(&scene, 0.0, tip, 1.0, 1.0);
    scene.body[lower].type = CN_STATIC;
    scene.body[lower].angle = 0.25 * CN_PI;
    scene.body[upper].angle = 0.25 * CN_PI;
    scene.body[upper].mass = truth_member_number(given, "m");
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "f", scene_contacts(world, lower, upper).force);
    truth_near(scene_view(world, upper).acceleration.y, 0.0, 1e-9, "acceleration");
    cn_world_destroy(world);
}
