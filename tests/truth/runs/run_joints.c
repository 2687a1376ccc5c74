/*
 * run_joints.c: jointed bodies that hang, swing and fall, in worlds that step.
 *
 * A point mass is a body without shapes.  Its inertia has no effect, because rods without mass hold
 * its centre.
 */
#include "engine/constraint/joint.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define NUMBERS_MAX 64

static struct scene scene;

static const cn_vec3 origin = {0.0, 0.0, 0.0};

/* The point at `length` below `from`, turned by an angle from hanging down. */
static cn_vec3
hung(cn_vec3 from, double length, double angle)
{
    double sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    return cn_vec3_make(from.x + length * sine, from.y - length * cosine, 0.0);
}

static int
point_mass(cn_vec3 place, double mass)
{
    int body = scene.def.body_count++;
    cn_body_def_init(&scene.body[body]);
    scene.body[body].position = place;
    scene.body[body].mass = mass;
    scene.body[body].inertia = mass * 0.01;
    return body;
}

/* A uniform rod of 1 kg between two points: thin, with the inertia of its length. */
static int
uniform_rod(cn_vec3 from, cn_vec3 to)
{
    double length = cn_vec3_length(cn_vec3_sub(to, from));
    int body = point_mass(cn_vec3_scale(cn_vec3_add(from, to), 0.5), 1.0);
    scene.body[body].angle = cn_atan2(to.y - from.y, to.x - from.x);
    scene.body[body].inertia = length * length / 12.0;
    return body;
}

/* ---- pendulums ---- */

/* The time between two passages through the bottom in the same direction, by 1000 Hz. */
static double
swing_period(struct cn_world *world, int body)
{
    double before = 1.0, time = 0.0, first = -1.0;
    for (int passages = 0; passages < 3;) {
        scene_tick(world);
        double x = scene_view(world, body).center.x, now = cn_world_time(world);
        assert_true(now < 100.0);
        if ((x > 0.0) != (before > 0.0)) {
            double at = time + (now - time) * before / (before - x);
            first = passages == 0 ? at : first;
            passages++;
            if (passages == 3) {
                return at - first;
            }
        }
        before = x;
        time = now;
    }
    return 0.0;
}

void
truth_run_pendulum(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double degrees[NUMBERS_MAX], T[2][NUMBERS_MAX];
    double L = truth_member_number(given, "L");
    int count = truth_member_numbers(given, "theta0_deg", degrees, NUMBERS_MAX);
    assert_int_equal(truth_member_numbers(expect, "T", T[0], NUMBERS_MAX), count);
    assert_int_equal(truth_member_numbers(expect, "T_rod_len1", T[1], NUMBERS_MAX), count);
    for (int i = 0; i < count; i++) {
        for (int is_rod = 0; is_rod < 2; is_rod++) {
            double length = is_rod ? 1.0 : L;
            scene_init(&scene, truth_member_number(given, "g"));
            scene.def.tick_rate = 1000.0;
            cn_vec3 end = hung(origin, length, degrees[i] * CN_PI / 180.0);
            if (is_rod) {
                scene_joint(&scene, CN_JOINT_HINGE, -1, uniform_rod(origin, end), origin);
            } else {
                scene_rod(&scene, CN_JOINT_DISTANCE, -1, point_mass(end, 1.0), origin, end);
            }
            struct cn_world *world = scene_create(&scene);
            double period = swing_period(world, 0);
            truth_near(period, T[is_rod][i], 1e-6 * T[is_rod][i], "period of %g deg", degrees[i]);
            cn_world_destroy(world);
        }
    }
}

void
truth_run_doublependulum(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double theta[2], omega[2], duration = truth_member_number(given, "T");
    truth_member_numbers(expect, "theta", theta, 2);
    truth_member_numbers(expect, "omega", omega, 2);
    scene_init(&scene, truth_member_number(given, "g"));
    int ticks = (int)floor(1000.0 * duration); /* which end at T */
    scene.def.tick_rate = ticks / duration;
    cn_vec3 first = hung(origin, 1.0, truth_member_number(given, "theta1"));
    cn_vec3 second = hung(first, 1.0, truth_member_number(given, "theta2"));
    scene_rod(&scene, CN_JOINT_DISTANCE, -1, point_mass(first, 1.0), origin, first);
    scene_rod(&scene, CN_JOINT_DISTANCE, 0, point_mass(second, 1.0), first, second);
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "E", cn_world_energy(world).total);
    scene_ticks(world, ticks);
    struct cn_body_view body[2] = {scene_view(world, 0), scene_view(world, 1)};
    cn_vec3 arm[2] = {body[0].center, cn_vec3_sub(body[1].center, body[0].center)};
    cn_vec3 speed[2] = {body[0].velocity, cn_vec3_sub(body[1].velocity, body[0].velocity)};
    double tolerance = truth_tolerance(data, 1.0), E = truth_member_number(expect, "E");
    for (int i = 0; i < 2; i++) {
        double turned = cn_atan2(arm[i].x, -arm[i].y) - theta[i];
        turned -= 2.0 * CN_PI * floor(turned / (2.0 * CN_PI) + 0.5); /* theta is not wrapped */
        truth_near(turned, 0.0, tolerance, "theta[%d]", i);
        truth_near(cn_vec3_cross(arm[i], speed[i]).z, omega[i], tolerance, "omega[%d]", i);
        truth_near(cn_vec3_length(arm[i]), 1.0, 1e-9, "length[%d]", i);
    }
    truth_near(cn_world_energy(world).total, E, 1e-7 * fabs(E), "energy");
    cn_world_destroy(world);
}

/* ---- chains ---- */

/* The force of the rows x and y of a joint that holds a point [N]. */
static void
joint_force(const struct cn_world *world, int joint, double force[2])
{
    for (int part = 0; part < 2; part++) {
        force[part] = *cn_joint_force(&world->model, cn_joint_id(joint, part));
    }
}

/*
 * A chain that begins as a V, or as a trapezoid if the count is odd, and comes to rest by damping.
 */
void
truth_run_catenary(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const json_t *joints = truth_member(expect, "joints");
    int n = (int)truth_member_number(given, "N"), half = n / 2;
    double L = truth_member_number(given, "L"), span = truth_member_number(given, "span");
    double w = truth_member_number(given, "w_per_rod");
    double run = 0.5 * (span - (n % 2) * L) / half, fall = sqrt(L * L - run * run);
    scene_init(&scene, w);
    scene.def.settings.damping_linear = 1.0;
    scene.def.settings.damping_angular = 0.1;
    cn_vec3 from = origin;
    for (int i = 0; i < n; i++) {
        bool level = n % 2 == 1 && i == half;
        cn_vec3 step = {level ? L : run, level ? 0.0 : i < half ? -fall : fall, 0.0};
        cn_vec3 to = cn_vec3_add(from, step);
        scene_joint(&scene, CN_JOINT_HINGE, i - 1, uniform_rod(from, to), from);
        from = to;
    }
    scene_joint(&scene, CN_JOINT_HINGE, -1, n - 1, from);
    struct cn_world *world = scene_create(&scene);
    double moved = 1.0;
    for (int t = 0; t < 60 * 120 && moved > 1e-7; t++) {
        scene_tick(world);
        moved = 0.0;
        for (int i = 0; i < n; i++) {
            moved = fmax(moved, cn_vec3_length(scene_view(world, i).velocity));
        }
    }
    double tolerance = truth_tolerance(data, 0.0), lowest = 0.0, end[2], other[2];
    for (int i = 0; i < n; i++) {
        struct cn_body_view rod = scene_view(world, i);
        double sine, cosine, xy[2];
        cn_sin_cos(rod.angle, &sine, &cosine);
        double x = rod.position.x - 0.5 * L * cosine, y = rod.position.y - 0.5 * L * sine;
        truth_numbers(json_array_get(joints, (size_t)i), xy, 2);
        truth_near(x, xy[0], tolerance, "joint %d x", i);
        truth_near(y, xy[1], tolerance, "joint %d y", i);
        lowest = fmin(lowest, y);
    }
    joint_force(world, 0, end);
    joint_force(world, n, other);
    double H = truth_member_number(expect, "H_over_w") * w;
    truth_near(fabs(end[0]), H, truth_tolerance(data, H), "H");
    truth_near(lowest, truth_member_number(expect, "sag"), tolerance, "sag");
    truth_near(fabs(end[1]), 0.5 * n * w, 1e-3 * n * w, "weight on the first pin");
    truth_near(fabs(other[1]), 0.5 * n * w, 1e-3 * n * w, "weight on the last pin");
    cn_world_destroy(world);
}

/*
 * A chain of beads over a peg without friction.  The peg is a track: two lines down and half a
 * circle of radius r between.  The overhanging part of the chain weighs the same on every peg, so x
 * obeys x'' = (2 g / L) x for every r.
 */
void
truth_run_chain_peg(const json_t *data)
{
    enum { BEADS = 61, ARC = 12, REACH = 8 };
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double L = truth_member_number(given, "L"), x0 = truth_member_number(given, "x0");
    double times[NUMBERS_MAX], x[NUMBERS_MAX], r = 0.05 * L; /* some ten beads are on the peg */
    int count = truth_member_numbers(given, "t", times, NUMBERS_MAX);
    assert_int_equal(truth_member_numbers(expect, "x", x, NUMBERS_MAX), count);
    cn_vec3 point[ARC + 1 + 2 * REACH];
    int points = 0;
    for (int i = REACH; i > 0; i--) {
        point[points++] = cn_vec3_make(-r, -0.25 * L * i, 0.0);
    }
    for (int i = 0; i <= ARC; i++) {
        double sine, cosine;
        cn_sin_cos(CN_PI * i / ARC, &sine, &cosine);
        point[points++] = cn_vec3_make(-r * cosine, r * sine, 0.0);
    }
    for (int i = 1; i <= REACH; i++) {
        point[points++] = cn_vec3_make(r, -0.25 * L * i, 0.0);
    }
    struct cn_curve_def track = {
        .kind = CN_CURVE_SPLINE, .points = point, .point_count = points};
    struct cn_curve_knot knot[ARC + 1 + 2 * REACH];
    cn_curve_spline(point, points, false, knot);
    struct cn_curve curve = {.kind = CN_CURVE_SPLINE, .knot = knot, .knot_count = points};
    double top = 0.5 * knot[points - 1].parameter;
    scene_init(&scene, truth_member_number(given, "g"));
    scene.def.tick_rate = 100.0;
    scene.def.curves = &track;
    scene.def.curve_count = 1;
    for (int i = 0; i < BEADS; i++) {
        double s = top + x0 + L * ((double)i / (BEADS - 1) - 0.5);
        cn_vec3 place = cn_curve_at(&curve, s).point;
        int bead = point_mass(place, L / BEADS);
        scene_joint(&scene, CN_JOINT_TRACK, -1, bead, place);
        if (i > 0) {
            scene_rod(&scene, CN_JOINT_DISTANCE, bead - 1, bead,
                scene.body[bead - 1].position, place);
        }
    }
    struct cn_world *world = scene_create(&scene);
    double low = scene.body[BEADS - 1].position.y;
    for (int i = 0; i < count; i++) {
        while (cn_world_time(world) < times[i] - 1e-9) {
            scene_tick(world);
        }
        struct cn_body_view last = scene_view(world, BEADS - 1);
        double since = cn_world_time(world) - times[i]; /* the tick ends a little later */
        double moved = x0 + low - last.position.y + last.velocity.y * since;
        truth_near(moved, x[i], truth_tolerance(data, x[i]), "x at %g s", times[i]);
    }
    cn_world_destroy(world);
}

/* Figure 14d: a level chain falls over a disc that stands still, and wraps around it. */
void
truth_run_chain_pivot(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    int n = (int)truth_member_number(given, "n");
    double error_max = truth_member_number(expect, "constraint_error_over_L");
    double depth_max = truth_member_number(expect, "penetration_over_size");
    double growth_max = truth_member_number(expect, "energy_increase_rel");
    double L = 0.5, thickness = 0.1, left = -0.4 * n * L;
    scene_init(&scene, 9.81);
    int disc = scene_circle(&scene, 0.0, -0.5 - 0.5 * thickness, 0.5);
    scene.body[disc].type = CN_STATIC;
    for (int i = 0; i < n; i++) {
        int rod = scene_box(&scene, left + (i + 0.5) * L, 0.0, L, thickness);
        if (i > 0) {
            cn_vec3 hinge = {left + i * L, 0.0, 0.0};
            scene_joint(&scene, CN_JOINT_HINGE, rod - 1, rod, hinge);
        }
    }
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total, size = energy;
    bool touched = false;
    for (int t = 0; t < 150; t++) {
        scene_tick(world);
        struct cn_joint_row rows[NUMBERS_MAX];
        cn_pose pose[NUMBERS_MAX];
        for (int i = 0; i <= n; i++) {
            pose[i] = cn_motion_pose(&world->model.motion[i], CN_PLANAR);
        }
        int count = cn_joint_rows(&world->model, world->model.motion, pose, rows);
        assert_int_equal(count, 2 * (n - 1));
        for (int k = 0; k < count; k++) {
            truth_near(rows[k].gap, 0.0, error_max * L, "hinge row %d at tick %d", k, t);
        }
        assert_true(scene_depth(world) <= depth_max * thickness);
        double now = cn_world_energy(world).total;
        size = fmax(size, cn_world_energy(world).kinetic);
        truth_near(fmax(now - energy, 0.0), 0.0, growth_max * fmax(size, 1.0), "growth at %d", t);
        energy = now;
        const struct cn_contact_view *contact;
        touched = touched || cn_world_contacts(world, &contact) > 0;
    }
    assert_true(touched);
    cn_world_destroy(world);
}
