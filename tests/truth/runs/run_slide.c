/*
 * run_slide.c: contacts that vanish while bodies slide, momentum, and bodies too fast for a tick.
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
#include <stdio.h>
#include <cmocka.h>

static struct scene scene;

/* Ticks until the contact of two bodies bears no force; fails when it always does. */
static void
run_until_parted(struct cn_world *world, int body_a, int body_b, int tick_count_max)
{
    for (int i = 0; i < tick_count_max; i++) {
        if (scene_contacts(world, body_a, body_b).force == 0.0) {
            return;
        }
        scene_tick(world);
    }
    fail_msg("the contact still bears force after %d ticks", tick_count_max);
}

/*
 * A ladder slides down from rest and leaves the wall.  It is a thin capsule: rounding moves wall
 * and floor by the radius, and nothing else.
 */
void
truth_run_ladder_leaves(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double theta = truth_member_number(given, "theta0_deg") * CN_PI / 180.0;
    double L = truth_member_number(given, "L"), radius = 0.01 * L;
    scene_init(&scene, truth_member_number(given, "g"));
    double fall = sqrt(L / truth_member_number(given, "g"));
    scene.def.tick_rate = 1000.0;
    scene.def.settings.time_rate = fall; /* ticks of a thousandth of the time of a fall */
    int ground = scene_floor(&scene), wall = scene_plane(&scene, 1.0, 0.0, 0.0);
    int ladder = scene_capsule(
        &scene, radius + 0.5 * L * cos(theta), radius + 0.5 * L * sin(theta), radius, L);
    scene.body[ladder].angle = 0.5 * CN_PI - theta;
    scene.body[ladder].mass = 1.0;
    scene.body[ladder].inertia = L * L / 12.0;
    struct cn_world *world = scene_create(&scene);
    run_until_parted(world, wall, ladder, 8000);
    struct cn_body_view view = scene_view(world, ladder);
    const json_t *tolerance = truth_member(data, "tol");
    truth_near(90.0 - view.angle * 180.0 / CN_PI, truth_member_number(expect, "theta_leave_deg"),
        truth_member_number(tolerance, "theta_deg"), "theta_leave_deg");
    truth_expect(data, "omega_leave", fabs(view.angular_velocity.z));
    scene_ticks(world, 200);
    assert_true(scene_contacts(world, ground, ladder).force > 0.0);
    truth_expect(data, "v_com_x", scene_view(world, ladder).velocity.x);
    cn_world_destroy(world);
}

/*
 * Where a small ball, seen as a disc, leaves a large fixed one, from rest a thousandth of a radian
 * off its top.
 */
static void
leave_dome(const json_t *data, double friction, const char *name)
{
    const json_t *expect = truth_member(data, "expect");
    double R = 1.0, r = 0.1, start = 1e-3;
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, friction);
    scene.def.tick_rate = 1000.0;
    int dome = scene_circle(&scene, 0.0, 0.0, R);
    scene.body[dome].type = CN_STATIC;
    int disc = scene_circle(&scene, (R + r) * sin(start), (R + r) * cos(start), r);
    scene.body[disc].mass = 1.0;
    scene.body[disc].inertia = 0.4 * r * r;
    struct cn_world *world = scene_create(&scene);
    run_until_parted(world, dome, disc, 8000);
    struct cn_body_view view = scene_view(world, disc);
    double theta = atan2(view.position.x, view.position.y) * 180.0 / CN_PI;
    truth_near(theta, truth_member_number(expect, name),
        truth_member_number(truth_member(data, "tol"), "deg"), "%s", name);
    cn_world_destroy(world);
}

/* Without friction it slides; with all the friction that there is it rolls nearly to the end. */
void
truth_run_offsphere(const json_t *data)
{
    leave_dome(data, 0.0, "theta_slide_deg");
    leave_dome(data, CN_FRICTION_MAX, "theta_roll_deg");
}

static cn_vec3
momentum(const struct cn_world *world)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i);
        sum = cn_vec3_add_scaled(sum, view.mass, view.velocity);
    }
    return sum;
}

/* Bodies collide and lean on each other; only the force from outside changes their momentum. */
void
truth_run_third_law(const json_t *data)
{
    double tolerance = truth_member_number(truth_member(data, "expect"), "abs");
    static const double place[5][4] = {/* x, y, vx, vy */
        {-2.0, 0.1, 1.5, 0.0}, {0.0, 0.0, 0.0, 0.0}, {1.1, 0.3, -0.5, 0.0}, {0.2, -2.0, 0.0, 1.0},
        {0.4, 1.6, 0.1, -1.0}};
    scene_init(&scene, 0.0);
    scene.material[0].restitution = 0.5;
    for (int i = 0; i < 5; i++) {
        int body = i % 2 == 0 ? scene_box(&scene, place[i][0], place[i][1], 1.0, 0.8)
                              : scene_circle(&scene, place[i][0], place[i][1], 0.5);
        scene.body[body].velocity = cn_vec3_make(place[i][2], place[i][3], 0.0);
        scene.body[body].mass = 1.0 + 0.5 * i;
    }
    struct cn_world *world = scene_create(&scene);
    cn_vec3 force = {0.75, 0.0, 0.0}, before = momentum(world);
    scene_hold_force(world, 0, cn_vec3_make(0.0, 0.0, 0.0), force);
    int impact_count = 0;
    for (int tick = 0; tick < 240; tick++) {
        scene_tick(world);
        impact_count += scene_events(world, CN_EVENT_IMPACT, NULL);
        cn_vec3 now = momentum(world);
        double given = force.x * cn_world_time(world);
        truth_near(now.x, before.x + given, tolerance, "momentum along x, tick %d", tick);
        truth_near(now.y, before.y, tolerance, "momentum along y, tick %d", tick);
    }
    assert_true(impact_count > 3);
    cn_world_destroy(world);
}

/* A cube that crosses a thin plate many times over in one tick is stopped by it. */
static void
shoot(const json_t *data, const char *stepper, const char *solver)
{
    const json_t *given = truth_member(data, "given");
    double size = truth_member_number(given, "size");
    scene_init(&scene, 0.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
    scene.def.tick_rate = 1.0 / truth_member_number(given, "dt");
    int plate = scene_box(&scene, 0.0, 0.0, truth_member_number(given, "plate"), 4.0);
    scene.body[plate].type = CN_STATIC;
    int cube = scene_box(&scene, -1.7, 0.0, size, size);
    scene.body[cube].velocity.x = truth_member_number(given, "v");
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    bool is_through = scene_view(world, cube).position.x > 0.0;
    assert_int_equal(
        is_through, json_is_true(truth_member(truth_member(data, "expect"), "tunnel")));
    cn_world_destroy(world);
}

void
truth_run_tunnel(const json_t *data)
{
    shoot(data, "event", "baraff94");
    shoot(data, "propagation", "guendelman03");
}
