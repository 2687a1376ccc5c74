/*
 * test_joint_worlds.c: machines of joints over time: they keep their shape, their energy and their
 * periods.  Joints that cannot all hold are reported and cause no damage.
 */
#include "engine/constraint/joint.h"
#include "engine/math/scalar.h"
#include "engine/state/image.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#define ROWS_MAX 256

static struct scene scene;

/* The worst error of all joints; limits count only beyond their ends [m or rad]. */
static double
worst_gap(const struct cn_world *world)
{
    struct cn_joint_row rows[ROWS_MAX];
    cn_pose pose[64];
    for (int i = 0; i < world->model.body_count; i++) {
        pose[i] = cn_motion_pose(&world->model.motion[i], world->model.settings.dimension);
    }
    int count = cn_joint_rows(&world->model, world->model.motion, pose, rows);
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        double gap = rows[k].tag == CN_ROW_NORMAL ? fmin(rows[k].gap, 0.0) : rows[k].gap;
        worst = fmax(worst, fabs(gap));
    }
    return worst;
}

static int
bar(double x0, double y0, double x1, double y1)
{
    int body = scene.def.body_count++;
    cn_body_def_init(&scene.body[body]);
    double length = sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
    scene.body[body].position = cn_vec3_make(0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.0);
    scene.body[body].mass = length;
    double inertia = length * length * length / 12.0;
    scene.body[body].inertia = scene.def.settings.dimension == CN_PLANAR ? inertia : 0.0;
    scene.body[body].inertia_tensor = scene.def.settings.dimension == CN_PLANAR
                                          ? cn_mat33_diagonal(0.0, 0.0, 0.0)
                                          : cn_mat33_diagonal(inertia, inertia, inertia);
    return body;
}

/*
 * A crank, a coupler and a rocker on the ground, hinged to a loop, swing for 10 s; in space three
 * of its 20 rows depend on the others.
 */
static void
test_four_bar(void **unused)
{
    (void)unused;
    cn_vec3 end[2];
    for (int dimension = CN_PLANAR; dimension <= CN_SPATIAL; dimension++) {
        if (dimension == CN_PLANAR) {
            scene_init(&scene, 9.81);
        } else {
            scene_init_space(&scene, 9.81);
        }
        int crank = bar(0.0, 0.0, 0.0, 1.0), rocker = bar(3.0, 0.0, 3.5, 2.0);
        int coupler = bar(0.0, 1.0, 3.5, 2.0);
        scene_joint(&scene, CN_JOINT_HINGE, -1, crank, cn_vec3_make(0.0, 0.0, 0.0));
        scene_joint(&scene, CN_JOINT_HINGE, -1, rocker, cn_vec3_make(3.0, 0.0, 0.0));
        scene_joint(&scene, CN_JOINT_HINGE, crank, coupler, cn_vec3_make(0.0, 1.0, 0.0));
        scene_joint(&scene, CN_JOINT_HINGE, coupler, rocker, cn_vec3_make(3.5, 2.0, 0.0));
        struct cn_world *world = scene_create(&scene);
        double energy = cn_world_energy(world).total;
        for (int t = 0; t < 600; t++) {
            scene_tick(world);
            assert_true(worst_gap(world) <= 1e-8);
            assert_int_equal(cn_world_solve_summary(world).outcome, CN_SOLVE_CONVERGED);
        }
        assert_near(cn_world_energy(world).total, energy, 2e-6 * energy);
        end[dimension] = scene_view(world, coupler).center;
        cn_world_destroy(world);
    }
    assert_near(cn_vec3_length(cn_vec3_sub(end[0], end[1])), 0.0, 1e-4); /* the same machine */
}

/* A door on two hinges falls nowhere and swings at the same rate for 10 s. */
static void
test_door(void **unused)
{
    (void)unused;
    scene_init_space(&scene, 9.81);
    int door = scene_rotor(&scene, 1.0, 0.5, 0.7);
    scene.body[door].position = cn_vec3_make(0.5, 0.0, 0.0);
    scene.body[door].velocity = cn_vec3_make(0.0, 0.0, -1.0);
    scene.body[door].angular_velocity = cn_vec3_make(0.0, 2.0, 0.0);
    for (int i = 0; i < 2; i++) {
        struct cn_joint_def *hinge =
            scene_joint(&scene, CN_JOINT_HINGE, -1, door, cn_vec3_make(0.0, 1.0 - 2.0 * i, 0.0));
        hinge->axis = cn_vec3_make(0.0, 1.0, 0.0);
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 600);
    struct cn_body_view view = scene_view(world, door);
    assert_true(worst_gap(world) <= 1e-8);
    assert_near(view.center.y, 0.0, 1e-8);
    assert_near(view.angular_velocity.y, 2.0, 1e-6);
    assert_near(view.center.x, 0.5 * cos(20.0), 1e-5);
    assert_near(world->model.joint_state[0].place, 20.0, 1e-4); /* three turns, counted */
    cn_world_destroy(world);
}

/* A body fixed twice to the world hangs still, and the force is shared by the two joints. */
static void
test_fixed_twice(void **unused)
{
    (void)unused;
    for (int space = 0; space < 2; space++) {
        if (space) {
            scene_init_space(&scene, 9.81);
            scene_rotor(&scene, 1.0, 1.0, 1.0);
        } else {
            scene_init(&scene, 9.81);
            scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
        }
        for (int i = 0; i < 3; i++) {
            scene_joint(&scene, CN_JOINT_FIXED, -1, 0, cn_vec3_make(i, 1.0, 0.0));
        }
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 300);
        struct cn_body_view view = scene_view(world, 0);
        assert_near(cn_vec3_length(view.center), 0.0, 1e-9);
        assert_near(cn_vec3_length(view.velocity), 0.0, 1e-9);
        assert_int_equal(cn_world_solve_summary(world).outcome, CN_SOLVE_CONVERGED);
        cn_world_destroy(world);
    }
}

/* A cantilever: the wall carries the weight and its moment. */
static void
test_cantilever(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    int box = scene_box(&scene, 1.5, 0.0, 1.0, 1.0);
    scene.body[box].mass = 2.0;
    scene_joint(&scene, CN_JOINT_FIXED, -1, box, cn_vec3_make(0.0, 0.25, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 10);
    struct cn_joint_view view;
    assert_int_equal(cn_world_joint_count(world), 1);
    cn_world_joint_view(world, 0, &view);
    assert_int_equal(view.kind, CN_JOINT_FIXED);
    assert_true(view.body_a == -1 && view.body_b == box && !view.has_coordinate);
    assert_near(view.force.x, 0.0, 1e-9);
    assert_near(view.force.y, 2.0 * 9.81, 1e-9);
    assert_near(view.torque.z, 2.0 * 9.81 * 1.5, 1e-9);
    assert_near(view.gap, 0.0, 1e-10);
    assert_near(view.point_b.y, 0.25, 1e-9);
    cn_world_destroy(world);
}

/*
 * A box fixed to the world and to a body that drives away.  No forces can hold both joints, and an
 * event reports that.
 */
static void
test_contradiction_is_told(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    int cart = scene_box(&scene, 5.0, 0.0, 1.0, 1.0), box = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    scene.body[cart].type = CN_KINEMATIC;
    scene.body[cart].velocity.x = 1.0;
    scene_joint(&scene, CN_JOINT_FIXED, -1, box, cn_vec3_make(0.0, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_FIXED, cart, box, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    for (int t = 0; t < 120; t++) {
        struct cn_event event;
        scene_tick(world);
        assert_true(scene_events(world, CN_EVENT_SQUEEZED, &event) > 0);
        assert_true(event.body_b == box && event.value > 0.1); /* the residual */
    }
    struct cn_body_view view = scene_view(world, box);
    assert_true(cn_vec3_is_finite(view.center) && cn_vec3_is_finite(view.velocity));
    assert_true(cn_vec3_length(view.velocity) <= 10.0);
    assert_true(worst_gap(world) > 0.5); /* torn by two metres between them, seen in the gaps */
    cn_world_destroy(world);
}

/* The joint reaches the motor's speed with a lag of one tick, if the torque suffices. */
static void
test_motor_speeds_up(void **unused)
{
    (void)unused;
    for (int weak = 0; weak < 2; weak++) {
        scene_init(&scene, 9.81);
        int wheel = scene_circle(&scene, 0.0, 0.0, 1.0);
        scene.body[wheel].inertia = 0.5;
        struct cn_joint_def *axle =
            scene_joint(&scene, CN_JOINT_HINGE, -1, wheel, cn_vec3_make(0.0, 0.0, 0.0));
        axle->has_motor = true;
        axle->motor_speed = 6.0;
        axle->motor_force_max = weak ? 3.0 : HUGE_VAL;
        struct cn_world *world = scene_create(&scene);
        for (int t = 1; t <= 40; t++) {
            scene_tick(world);
            double free = 6.0 * (1.0 - exp(-t)), spin = scene_view(world, wheel).angular_velocity.z;
            double most = 3.0 / 0.5 * t / 60.0; /* at full torque */
            assert_near(spin, weak ? fmin(most, free) : free, weak ? 1e-9 : 1e-5);
        }
        struct cn_joint_view view;
        cn_world_joint_view(world, 0, &view);
        assert_near(view.motor, weak ? 3.0 : 0.0, 1e-5);
        cn_world_destroy(world);
    }
}

/* A lift rises at the speed that an input asks for, and its motor carries the weight. */
static void
test_lift(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    int lift = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    scene.body[lift].mass = 3.0;
    struct cn_joint_def *shaft =
        scene_joint(&scene, CN_JOINT_SLIDER, -1, lift, cn_vec3_make(0.0, 0.0, 0.0));
    shaft->axis = cn_vec3_make(0.0, 1.0, 0.0);
    shaft->has_limit = shaft->has_motor = true;
    shaft->lower = 0.0;
    shaft->upper = 1.0;
    shaft->motor_speed = 0.5;
    shaft->motor_force_max = 80.0; /* enough for 0.25 m/s within a tick */
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = {.kind = CN_COMMAND_HOLD_ACTUATOR};
    command.hold_actuator = (struct cn_hold_actuator){.holder = {.source = 1}, .level = 0.5};
    struct cn_joint_view view;
    scene_command(world, &command);
    scene_ticks(world, 60);
    cn_world_joint_view(world, 0, &view);
    assert_near(view.rate, 0.25, 1e-9);
    assert_near(view.coordinate, 0.25 * (1.0 - 1.0 / 60.0), 1e-6); /* minus the lag */
    assert_near(view.motor, 3.0 * 9.81, 1e-6);
    command.kind = CN_COMMAND_RELEASE;
    command.release = (struct cn_release){.source = 1};
    scene_command(world, &command); /* without an input: full speed to the limit */
    scene_ticks(world, 120);
    cn_world_joint_view(world, 0, &view);
    assert_near(view.coordinate, 1.0, 1e-6); /* the limit has the gap of contacts */
    assert_near(view.rate, 0.0, 1e-9);
    assert_near(view.motor, 80.0, 1e-9); /* its full force, against the stop */
    assert_near(view.force.y, 3.0 * 9.81, 1e-6);
    command.kind = CN_COMMAND_HOLD_ACTUATOR;
    command.hold_actuator.level = -1.0;
    scene_command(world, &command);
    scene_ticks(world, 180);
    assert_near(scene_view(world, lift).center.y, 0.0, 1e-6);
    cn_world_destroy(world);
}

/* A car is driven around a ring against gravity, at one speed. */
static void
test_driven_track(void **unused)
{
    (void)unused;
    const struct cn_curve_def ring = {.kind = CN_CURVE_CIRCLE, .radius = 2.0};
    scene_init(&scene, 9.81);
    scene.def.curves = &ring;
    scene.def.curve_count = 1;
    int car = scene_circle(&scene, 2.0, 0.0, 0.1);
    struct cn_joint_def *track =
        scene_joint(&scene, CN_JOINT_TRACK, -1, car, cn_vec3_make(2.0, 0.0, 0.0));
    track->has_motor = true;
    track->motor_speed = 3.0;
    struct cn_world *world = scene_create(&scene);
    for (int t = 0; t < 300; t++) {
        scene_tick(world);
        struct cn_joint_view view;
        cn_world_joint_view(world, 0, &view);
        cn_vec3 p = scene_view(world, car).center;
        assert_near(cn_vec3_length(p), 2.0, 1e-8);
        assert_true(t < 30 || fabs(view.rate - 3.0) <= 1e-7);
        assert_true(t < 30 || fabs(view.motor - 9.81 * p.x / 2.0) <= 1e-5); /* m g cos(place) */
    }
    assert_true(world->model.joint_state[0].place > 2.0 * CN_PI); /* round and round, counted */
    cn_world_destroy(world);
}

/* The time between two upward passages of a body's coordinate through a level. */
static double
period(struct cn_world *world, int body, double (*coordinate)(const struct cn_body_view *),
    double level)
{
    double before = HUGE_VAL, time = 0.0, first = -1.0;
    for (int t = 0; t < 100000; t++) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, body);
        double here = coordinate(&view) - level, now = cn_world_time(world);
        if (before < 0.0 && here >= 0.0) {
            double at = time - before * (now - time) / (here - before);
            if (first >= 0.0) {
                return at - first;
            }
            first = at;
        }
        before = here;
        time = now;
    }
    fail();
    return 0.0;
}

static double
x_of(const struct cn_body_view *view)
{
    return view->center.x;
}

static double
y_of(const struct cn_body_view *view)
{
    return view->center.y;
}

static double
angle_of(const struct cn_body_view *view)
{
    return view->angle;
}

/* A weight on a spring along a rail, and a wheel on a torsion spring: T = 2 pi sqrt(m / k). */
static void
test_springs_swing(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    scene.def.tick_rate = 1000.0;
    int weight = scene_box(&scene, 0.0, 0.0, 1.0, 1.0), wheel = scene_circle(&scene, 4.0, 0.0, 1.0);
    scene.body[weight].mass = 2.0;
    scene.body[wheel].inertia = 0.5;
    scene.body[wheel].angular_velocity.z = 3.0;
    struct cn_joint_def *rail =
        scene_joint(&scene, CN_JOINT_SLIDER, -1, weight, cn_vec3_make(3.0, 1.0, 0.0));
    rail->axis = cn_vec3_make(0.0, -2.0, 0.0);
    rail->has_spring = true;
    rail->stiffness = 50.0;
    rail->rest = 0.1;
    struct cn_joint_def *axle =
        scene_joint(&scene, CN_JOINT_HINGE, -1, wheel, cn_vec3_make(4.0, 0.0, 0.0));
    axle->has_spring = true;
    axle->stiffness = 8.0;
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total;
    /* It hangs at 0.1 + m g / k = 0.5 m down. */
    assert_near(period(world, weight, y_of, -0.5), 2.0 * CN_PI * sqrt(2.0 / 50.0), 1e-6);
    assert_near(period(world, wheel, angle_of, 0.0), 2.0 * CN_PI * sqrt(0.5 / 8.0), 1e-6);
    assert_near(cn_world_energy(world).total, energy, 1e-7 * fabs(energy));
    cn_world_destroy(world);
}

/* A bead on a ring is a pendulum; on a line it falls as on a slope. */
static void
test_tracks(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    scene.def.tick_rate = 1000.0;
    const struct cn_curve_def curves[] = {
        {.kind = CN_CURVE_CIRCLE, .center = {0.0, 2.0, 0.0}, .radius = 2.0},
        {.kind = CN_CURVE_LINE, .from = {5.0, 0.0, 0.0}, .to = {1.0, -3.0, 0.0}},
    };
    scene.def.curves = curves;
    scene.def.curve_count = 2;
    double lift = 2.0 * (1.0 - cos(0.01)), aside = -2.0 * sin(0.01);
    int bead = scene_circle(&scene, aside, lift, 0.1), sledge = scene_circle(&scene, 5.0, 0.0, 0.1);
    scene_joint(&scene, CN_JOINT_TRACK, -1, bead, scene.body[bead].position)->curve = 0;
    scene_joint(&scene, CN_JOINT_TRACK, -1, sledge, scene.body[sledge].position)->curve = 1;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 500);
    assert_near(scene_view(world, sledge).center.y, -0.5 * 10.0 * 0.36 * 0.25, 1e-9);
    /* T = 2 pi sqrt(r / g) (1 + a^2 / 16) */
    double T = 2.0 * CN_PI * sqrt(0.2) * (1.0 + 1e-4 / 16.0);
    assert_near(period(world, bead, x_of, 0.0), T, 1e-6);
    assert_true(worst_gap(world) <= 1e-9);
    cn_world_destroy(world);
}

/* A bead goes down a helix in space, as on a slope of its pitch; the spline is close to it. */
static void
test_helix(void **unused)
{
    (void)unused;
    enum { POINTS = 97 };
    static cn_vec3 point[POINTS];
    double pitch = 0.25; /* m down a radian */
    for (int i = 0; i < POINTS; i++) {
        double a = CN_PI * i / 12.0;
        point[i] = cn_vec3_make(cos(a), -pitch * a, sin(a));
    }
    const struct cn_curve_def curve = {
        .kind = CN_CURVE_SPLINE, .points = point, .point_count = POINTS};
    scene_init_space(&scene, 10.0);
    scene.def.curves = &curve;
    scene.def.curve_count = 1;
    int bead = scene_rotor(&scene, 0.01, 0.01, 0.01);
    scene.body[bead].position = point[12]; /* away from the end, where it is straight */
    scene_joint(&scene, CN_JOINT_TRACK, -1, bead, point[12]);
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total;
    scene_ticks(world, 120);
    double slope = pitch / sqrt(1.0 + pitch * pitch), fall = 0.5 * 10.0 * slope * slope * 4.0;
    assert_near(point[12].y - scene_view(world, bead).center.y, fall, 1e-3);
    assert_near(cn_world_energy(world).total, energy, 1e-6 * 20.0);
    assert_true(worst_gap(world) <= 1e-8);
    cn_world_destroy(world);
}

/* Two bodies that attract each other obey Kepler's third law, and keep energy and momentum. */
static void
test_kepler(void **unused)
{
    (void)unused;
    scene_init(&scene, 0.0);
    scene.def.tick_rate = 1000.0;
    scene.def.settings.gravitation = 2.0;
    int sun = scene_circle(&scene, -1.0, 0.0, 0.1), star = scene_circle(&scene, 3.0, 0.0, 0.1);
    scene.body[sun].mass = 6.0;
    scene.body[star].mass = 2.0;
    /* At the apsis, 3/4 of the circular speed apart: sqrt(G M / 4) = 2. */
    scene.body[sun].velocity.y = -0.25 * 1.5;
    scene.body[star].velocity.y = 0.75 * 1.5;
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total;
    assert_near(energy, 0.5 * 1.5 * 1.5 * 1.5 - 2.0 * 12.0 / 4.0, 1e-12);
    double a = 1.0 / (2.0 / 4.0 - 1.5 * 1.5 / 16.0); /* vis viva, G M = 16 */
    double T = 2.0 * CN_PI * sqrt(a * a * a / 16.0);
    assert_near(period(world, star, y_of, 0.0), T, 1e-6);
    assert_near(cn_world_energy(world).total, energy, 1e-8);
    struct cn_body_view one = scene_view(world, sun), other = scene_view(world, star);
    cn_vec3 momentum = cn_vec3_add(
        cn_vec3_scale(one.velocity, 6.0), cn_vec3_scale(other.velocity, 2.0));
    assert_near(cn_vec3_length(momentum), 0.0, 1e-12);
    cn_world_destroy(world);
}

/* A static body attracts by the mass that it is given: a moon goes round in a circle. */
static void
test_held_sun(void **unused)
{
    (void)unused;
    scene_init(&scene, 0.0);
    scene.def.settings.gravitation = 2.0;
    int sun = scene_circle(&scene, 0.0, 0.0, 0.1), moon = scene_circle(&scene, 2.0, 0.0, 0.1);
    scene.body[sun].type = CN_STATIC;
    scene.body[sun].mass = 9.0;
    scene.body[moon].velocity.y = 3.0; /* sqrt(G M / r) */
    struct cn_world *world = scene_create(&scene);
    for (int t = 0; t < 600; t++) {
        scene_tick(world);
        assert_near(cn_vec3_length(scene_view(world, moon).center), 2.0, 1e-6);
    }
    assert_near(scene_view(world, moon).center.x, 2.0 * cos(15.0), 1e-5);
    assert_near(cn_vec3_length(scene_view(world, sun).center), 0.0, 0.0);
    cn_world_destroy(world);
}

/* Jointed boxes may overlap without contacts; with collide they are pushed apart. */
static void
test_collide(void **unused)
{
    (void)unused;
    for (int collide = 0; collide < 2; collide++) {
        scene_init(&scene, 0.0);
        scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
        scene_box(&scene, 0.9, 0.0, 1.0, 1.0);
        scene_rod(&scene, CN_JOINT_ROPE, 0, 1, cn_vec3_make(0.0, 0.0, 0.0),
            cn_vec3_make(0.9, 0.0, 0.0))
            ->length = 5.0;
        scene.joint[0].collide = collide != 0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 60);
        const struct cn_contact_view *contact;
        double apart = scene_view(world, 1).center.x - scene_view(world, 0).center.x;
        assert_true(collide ? apart > 0.95 : apart == 0.9);
        assert_true(collide || cn_world_contacts(world, &contact) == 0);
        cn_world_destroy(world);
    }
}

/* A restored world continues with the bits of one that never stopped: turns, tracks, forces. */
static void
test_restored(void **unused)
{
    (void)unused;
    scene_init_space(&scene, 9.81);
    for (int i = 0; i < 3; i++) {
        int rotor = scene_rotor(&scene, 0.02, 0.03, 0.04);
        scene.body[rotor].position = cn_vec3_make(i + 1.0, 0.0, 0.0);
        scene.body[rotor].angular_velocity.z = 2.0 * i;
    }
    const struct cn_curve_def ring = {.kind = CN_CURVE_CIRCLE, .radius = 1.0};
    scene.def.curves = &ring;
    scene.def.curve_count = 1;
    scene_joint(&scene, CN_JOINT_TRACK, -1, 0, cn_vec3_make(1.0, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_HINGE, 0, 1, cn_vec3_make(1.5, 0.0, 0.0))->axis =
        cn_vec3_make(1.0, 1.0, 1.0);
    scene_rod(&scene, CN_JOINT_ROPE, 1, 2, cn_vec3_make(2.0, 0.0, 0.0),
        cn_vec3_make(3.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    scene_ticks(world, 50);
    size_t size = cn_world_image_size(world);
    void *image = malloc(size);
    assert_non_null(image);
    assert_true(cn_world_image_write(world, image, size) == size);
    assert_true(cn_world_hash(other) != cn_world_hash(world));
    struct cn_defect defect = {0};
    assert_int_equal(cn_world_image_read(other, image, size, &defect), CN_OK);
    for (int t = 0; t < 50; t++) {
        scene_tick(world);
        scene_tick(other);
        assert_true(cn_world_hash(other) == cn_world_hash(world));
    }
    world->model.joint_state[1].place += 1.0;
    assert_true(cn_world_hash(other) != cn_world_hash(world));
    free(image);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_door),
        cmocka_unit_test(test_fixed_twice),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_contradiction_is_told),
        cmocka_unit_test(test_motor_speeds_up),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_driven_track),
        cmocka_unit_test(test_springs_swing),
        cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_helix),
        cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_held_sun),
        cmocka_unit_test(test_collide),
        cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
