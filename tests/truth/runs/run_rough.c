/*
 * run_rough.c: bodies that rest, slide, roll and tip by Coulomb's law, in the plane, with every
 * solver that has friction.
 */
#include "engine/math/scalar.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static const struct cn_solver *solver;

/* Runs a case with each solver that has friction. */
static void
each_solver(const json_t *data, void (*run)(const json_t *data))
{
    int count = 0;
    for (int i = 0; i < cn_problem_solver_count; i++) {
        if (cn_solvers[i]->friction) {
            solver = cn_solvers[i];
            run(data);
            count++;
        }
    }
    assert_true(count > 0);
}

static void
start_scene(double g)
{
    scene_init(&scene, g);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
}

static double
radians(double degrees)
{
    return degrees * CN_PI / 180.0;
}

/* ---- an incline, down to the right: body 0 ---- */

static cn_vec3 downhill, uphill_normal;

static void
make_incline(double g, double theta)
{
    start_scene(g);
    downhill = cn_vec3_make(cos(theta), -sin(theta), 0.0);
    uphill_normal = cn_vec3_make(sin(theta), cos(theta), 0.0);
    scene_plane(&scene, uphill_normal.x, uphill_normal.y, 0.0);
}

/* Puts a body at a height over the incline, and turns it along the incline. */
static void
put_on_incline(int body, double height)
{
    scene.body[body].position = cn_vec3_scale(uphill_normal, height);
    scene.body[body].angle = atan2(downhill.y, downhill.x);
}

/* A block on an incline, at rest or sliding downhill: static or dynamic friction. */
static void
mus_mud(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    make_incline(
        truth_member_number(given, "g"), radians(truth_member_number(given, "theta_deg")));
    scene.material[0].static_friction = truth_member_number(given, "mu_s");
    scene.material[0].friction = truth_member_number(given, "mu_d");
    int block = scene_box(&scene, 0.0, 0.0, 1.0, 0.5);
    put_on_incline(block, 0.25);
    scene.body[block].mass = 1.0;
    double v0 = truth_member_number(given, "v0"), a = truth_member_number(expect, "a");
    scene.body[block].velocity = cn_vec3_scale(downhill, v0);
    struct cn_world *world = scene_create(&scene);
    truth_expect(data, "a", cn_vec3_dot(scene_view(world, block).acceleration, downhill));
    cn_vec3 friction = scene_contacts(world, 0, block).friction;
    truth_expect(data, "f_t_over_mg",
        -cn_vec3_dot(friction, downhill) / truth_member_number(given, "g"));
    scene_ticks(world, 60);
    double v = cn_vec3_dot(scene_view(world, block).velocity, downhill);
    truth_near(v, v0 + a, truth_tolerance(data, v0 + a), "velocity after 1 s");
    cn_world_destroy(world);
}

/* Four bodies of revolution: I = b m R^2. */
static void
rollincline(const json_t *data)
{
    static const struct {
        const char *name;
        double b;
    } kinds[] = {{"solid_sphere", 0.4}, {"solid_cylinder", 0.5}, {"hollow_sphere", 2.0 / 3.0},
        {"hoop", 1.0}};
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const double R = 0.1;
    for (int k = 0; k < 4; k++) {
        const json_t *want = truth_member(expect, kinds[k].name);
        double mu = truth_member_number(given, "mu");
        make_incline(
            truth_member_number(given, "g"), radians(truth_member_number(given, "theta_deg")));
        scene_friction(&scene, 0, mu);
        int wheel = scene_circle(&scene, 0.0, 0.0, R);
        put_on_incline(wheel, R);
        scene.body[wheel].mass = 1.0;
        scene.body[wheel].inertia = kinds[k].b * R * R;
        struct cn_world *world = scene_create(&scene);
        double a = truth_member_number(want, "a"), alpha_R = truth_member_number(want, "alpha_R");
        bool rolls = json_is_true(truth_member(want, "rolls"));
        assert_true(rolls == (mu >= truth_member_number(want, "mu_needed")));
        struct cn_body_view view = scene_view(world, wheel);
        truth_near(cn_vec3_dot(view.acceleration, downhill), a, truth_tolerance(data, a), "a of %s",
            kinds[k].name);
        truth_near(-R * view.angular_acceleration.z, alpha_R, truth_tolerance(data, alpha_R),
            "alpha R of %s", kinds[k].name);
        scene_ticks(world, 60); /* after one second */
        view = scene_view(world, wheel);
        truth_near(cn_vec3_dot(view.velocity, downhill), a, truth_tolerance(data, a), "v of %s",
            kinds[k].name);
        truth_near(-R * view.angular_velocity.z, alpha_R, truth_tolerance(data, alpha_R),
            "omega R of %s", kinds[k].name);
        cn_world_destroy(world);
    }
}

/* A ball slides until it rolls. Top-spin, omega0 > 0, turns it to the right. */
static void
slidroll(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double m = truth_member_number(given, "m"), R = truth_member_number(given, "R");
    start_scene(truth_member_number(given, "g"));
    scene_friction(&scene, 0, truth_member_number(given, "mu"));
    /* Ticks of a thousandth of the time of slipping. */
    double slipping = truth_member_number(truth_member(data, "expect"), "t");
    scene.def.settings.time_rate = cn_clamp(slipping, CN_TIME_RATE_MIN, 1.0);
    scene.def.tick_rate = 1000.0;
    scene_floor(&scene);
    int ball = scene_circle(&scene, 0.0, R, R);
    scene.body[ball].mass = m;
    scene.body[ball].inertia = 0.4 * m * R * R;
    scene.body[ball].velocity.x = truth_member_number(given, "v0");
    scene.body[ball].angular_velocity.z = -truth_member_number(given, "omega0");
    struct cn_world *world = scene_create(&scene);
    double t = -1.0, x = 0.0, end = 1.5 * truth_member_number(expect, "t") + 0.1;
    while (cn_world_time(world) < end) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, ball);
        double slip = view.velocity.x + R * view.angular_velocity.z;
        /* The ball has a gap within the tolerance, and rolls as if on the middle of the gap. */
        double near = cn_world_gap_tolerance(world) * fabs(view.angular_velocity.z);
        if (t < 0.0 && fabs(slip) < near) {
            t = cn_world_time(world);
            x = view.position.x;
        } else if (t >= 0.0) {
            truth_near(slip, 0.0, near, "slip of a ball that rolls");
        }
    }
    struct cn_body_view view = scene_view(world, ball);
    double near = truth_member_number(truth_member(data, "tol"), "rel");
    /*
     * The final values may be near 0, because the initial speed and spin may cancel.  So the errors
     * are relative to the larger of the two.
     */
    double v0 = truth_member_number(given, "v0"), spin = truth_member_number(given, "omega0");
    double speed = fmax(fabs(v0), fabs(R * spin));
    double period = truth_member_number(expect, "t"), energy = 0.7 * m * speed * speed;
    const struct {
        const char *name;
        double actual, scale;
    } found[] = {{"v_roll", view.velocity.x, speed},
        {"omega_roll", -view.angular_velocity.z, speed / R}, {"t", t, period},
        {"x", x, speed * period}, {"KE_final", cn_world_energy(world).kinetic, energy}};
    for (int i = 0; i < 5; i++) {
        double want = truth_member_number(expect, found[i].name);
        double scale = fabs(want) > 0.1 * found[i].scale ? fabs(want) : 0.1 * found[i].scale;
        truth_near(found[i].actual, want, near * scale, "%s", found[i].name);
    }
    cn_world_destroy(world);
}

/* ---- boxes that tip or slide ---- */

/* The way that counts as standing still: 1e-6 m for the cases' boxes of about a metre. */
static double
still_way(const json_t *given)
{
    return 1e-6 * fmax(truth_member_number(given, "W"), truth_member_number(given, "H"));
}

/*
 * A box on the floor, pushed to the right at a height; returns the way of its centre in `seconds`.
 */
static double
pushed_way(const json_t *given, double P, double seconds)
{
    double W = truth_member_number(given, "W"), H = truth_member_number(given, "H");
    start_scene(truth_member_number(given, "g"));
    scene_friction(&scene, 0, truth_member_number(given, "mu"));
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.5 * H, W, H);
    scene.body[box].mass = truth_member_number(given, "m");
    struct cn_world *world = scene_create(&scene);
    double height = truth_member_number(given, "y") - 0.5 * H;
    scene_hold_force(
        world, box, cn_vec3_make(-0.5 * W, height, 0.0), cn_vec3_make(P, 0.0, 0.0));
    cn_vec3 start = scene_view(world, box).position;
    double way = 0.0;
    while (cn_world_time(world) < seconds) {
        scene_tick(world);
        way = fmax(way, cn_vec3_length(cn_vec3_sub(scene_view(world, box).position, start)));
    }
    cn_world_destroy(world);
    return way;
}

static void
tip_push(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double P = truth_member_number(expect, "P_crit");
    truth_near(pushed_way(given, 0.99 * P, 5.0), 0.0, still_way(given), "%s: way below P",
        solver->name);
    assert_true(pushed_way(given, 1.01 * P, 1.0) > 1e-3);
}

/* How far and how much a box on an incline gets and turns in 2 s. */
static void
box_on_incline(const json_t *given, double theta, double *way, double *turned)
{
    double W = truth_member_number(given, "W"), H = truth_member_number(given, "H");
    make_incline(9.81, theta);
    scene_friction(&scene, 0, truth_member_number(given, "mu"));
    int box = scene_box(&scene, 0.0, 0.0, W, H);
    put_on_incline(box, 0.5 * H);
    struct cn_world *world = scene_create(&scene);
    struct cn_body_view start = scene_view(world, box);
    scene_ticks(world, 120);
    struct cn_body_view end = scene_view(world, box);
    *way = cn_vec3_length(cn_vec3_sub(end.position, start.position));
    *turned = fabs(end.angle - start.angle);
    cn_world_destroy(world);
}

static void
tip_incline(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double critical = truth_member_number(expect, "theta_crit_deg");
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_deg");
    double way, turned;
    box_on_incline(given, radians(critical - bracket), &way, &turned);
    truth_near(fmax(way, turned), 0.0, still_way(given), "%s: way or turn below the angle",
        solver->name);
    box_on_incline(given, radians(critical + bracket), &way, &turned);
    assert_true(way > 1e-4);
    bool tips = strcmp(truth_string(expect, "first"), "tip") == 0;
    assert_true(tips ? turned > 1e-4 : turned < still_way(given));
}

/* A box that slides to the right while it is pushed: the forces of its two corners. */
static void
slidebox(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double W = truth_member_number(given, "W"), H = truth_member_number(given, "H");
    start_scene(truth_member_number(given, "g"));
    scene_friction(&scene, 0, truth_member_number(given, "mu"));
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.5 * H, W, H);
    scene.body[box].mass = 1.0;
    scene.body[box].velocity.x = 1.0;
    struct cn_world *world = scene_create(&scene);
    scene_hold_force(world, box,
        cn_vec3_make(-0.5 * W, truth_member_number(given, "y") - 0.5 * H, 0.0),
        cn_vec3_make(truth_member_number(given, "P"), 0.0, 0.0));
    truth_expect(data, "a", scene_view(world, box).acceleration.x);
    const struct cn_contact_view *contacts;
    assert_int_equal(cn_world_contacts(world, &contacts), 2);
    for (int i = 0; i < 2; i++) {
        truth_expect(data, contacts[i].point.x < 0.0 ? "N_rear" : "N_front", contacts[i].force);
    }
    cn_world_destroy(world);
}

/*
 * The way of a ladder against a wall in 2 s.  The ladder is a thin capsule.  Its radius, a
 * thousandth of its length, adds to the arm of the wall's force, well within the bracket.  Only the
 * floor has friction.
 */
static double
ladder_way(double theta, double mu)
{
    const double L = 1.0, radius = 0.001;
    start_scene(9.81);
    int ground = scene_floor(&scene);
    scene.shape[ground].material = 1;
    scene_friction(&scene, 1, mu);
    scene_plane(&scene, 1.0, 0.0, 0.0);
    int ladder = scene_capsule(
        &scene, radius + 0.5 * L * cos(theta), radius + 0.5 * L * sin(theta), radius, L);
    scene.body[ladder].angle = 0.5 * CN_PI - theta;
    struct cn_world *world = scene_create(&scene);
    cn_vec3 start = scene_view(world, ladder).position;
    scene_ticks(world, 120);
    double way = cn_vec3_length(cn_vec3_sub(scene_view(world, ladder).position, start));
    cn_world_destroy(world);
    return way;
}

static void
ladder_mu(const json_t *data)
{
    double theta[8], mu[8];
    int count = truth_member_numbers(truth_member(data, "given"), "theta_deg", theta, 8);
    truth_member_numbers(truth_member(data, "expect"), "mu_min", mu, 8);
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    for (int i = 0; i < count; i++) {
        assert_true(ladder_way(radians(theta[i]), (1.0 + bracket) * mu[i]) < 1e-6);
        assert_true(ladder_way(radians(theta[i]), (1.0 - bracket) * mu[i]) > 1e-4);
    }
}

/* A block on a board on the floor, the board pulled: the accelerations of both at the start. */
static void
pull_board(const json_t *given, double F, double *board_a, double *block_a)
{
    start_scene(truth_member_number(given, "g"));
    scene_friction(&scene, 1, truth_member_number(given, "mu1"));
    scene_friction(&scene, 2, truth_member_number(given, "mu2"));
    int ground = scene_floor(&scene);
    int board = scene_box(&scene, 0.0, 0.1, 4.0, 0.2);
    int block = scene_box(&scene, 0.0, 0.45, 0.5, 0.5);
    scene.shape[ground].material = 1;
    scene.shape[block].material = 2;
    scene.body[board].mass = truth_member_number(given, "m1");
    scene.body[block].mass = truth_member_number(given, "m2");
    struct cn_world *world = scene_create(&scene);
    scene_hold_force(world, board, cn_vec3_make(0.0, 0.0, 0.0), cn_vec3_make(F, 0.0, 0.0));
    scene_ticks(world, 6);
    *board_a = scene_view(world, board).acceleration.x;
    *block_a = scene_view(world, block).acceleration.x;
    cn_world_destroy(world);
}

static void
twoblocks(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double F = truth_member_number(expect, "F_slip"), a1, a2;
    pull_board(given, 0.5 * F, &a1, &a2);
    truth_expect(data, "a_together_at_half_F_slip", a1);
    truth_expect(data, "a_together_at_half_F_slip", a2);
    pull_board(given, truth_member_number(given, "F_test"), &a1, &a2);
    truth_expect(data, "a1_at_F_test", a1);
    truth_expect(data, "a2_at_F_test", a2);
    pull_board(given, 0.999 * F, &a1, &a2);
    truth_near(a1 - a2, 0.0, 1e-9, "a1 - a2 below F_slip");
    pull_board(given, 1.001 * F, &a1, &a2);
    assert_true(a1 - a2 > 1e-3);
}

/* ---- blocks that rock and fall ---- */

/* A block on its right bottom corner, leaning by theta to the right, so that it falls back. */
static int
lean_block(double b, double h, double theta)
{
    double reach = sqrt(b * b + h * h), angle = atan2(b, h) - theta;
    int block = scene_box(&scene, -reach * sin(angle), reach * cos(angle), 2.0 * b, 2.0 * h);
    scene.body[block].angle = -theta;
    return block;
}

/* A leaning block falls back: when it stands, how fast it turns then, and after the impact. */
static void
rocking(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const json_t *tolerance = truth_member(data, "tol");
    double b = truth_member_number(given, "b"), h = truth_member_number(given, "h");
    double t_rel = truth_member_number(tolerance, "t_rel");
    double ratio_rel = truth_member_number(tolerance, "ratio_rel");
    double theta = truth_member_number(given, "theta0_over_alpha") * atan2(b, h);
    start_scene(truth_member_number(given, "g"));
    scene.def.tick_rate = 1000.0;
    scene_friction(&scene, 0, CN_FRICTION_MAX);
    scene_floor(&scene);
    int block = lean_block(b, h, theta);
    struct cn_world *world = scene_create(&scene);
    double before = 0.0, quarter = truth_member_number(expect, "t_quarter");
    struct cn_event impact = {.time = -1.0};
    while (impact.time < 0.0 && cn_world_time(world) < 2.0 * quarter) {
        struct cn_body_view start = scene_view(world, block);
        double time = cn_world_time(world);
        scene_tick(world);
        if (scene_events(world, CN_EVENT_IMPACT, &impact) > 0) {
            /* Extrapolates both angular velocities to the impact. */
            struct cn_body_view end = scene_view(world, block);
            before = start.angular_velocity.z +
                     start.angular_acceleration.z * (impact.time - time);
            double after = end.angular_velocity.z -
                           end.angular_acceleration.z * (cn_world_time(world) - impact.time);
            double want = truth_member_number(expect, "omega_ratio");
            truth_near(after / before, want, ratio_rel * want, "omega_ratio");
            want = truth_member_number(expect, "omega_after");
            truth_near(after, want, ratio_rel * want, "omega_after");
            want = truth_member_number(expect, "KE_ratio");
            truth_near(after * after / (before * before), want, 2.0 * ratio_rel * want,
                "KE_ratio");
        }
    }
    truth_near(impact.time, quarter, t_rel * quarter, "t_quarter");
    double omega = truth_member_number(expect, "omega_impact");
    truth_near(before, omega, ratio_rel * omega, "omega_impact");
    cn_world_destroy(world);
}

/* Whether a domino that starts to turn about its corner at omega lies at the end. */
static bool
domino_falls(const json_t *given, double omega)
{
    double H = truth_member_number(given, "H"), W = truth_member_number(given, "W");
    start_scene(truth_member_number(given, "g"));
    scene_friction(&scene, 0, CN_FRICTION_MAX);
    scene_floor(&scene);
    /* It may stay near the balance for a dozen times the duration of a fall from the side. */
    double fall = sqrt(4.0 * sqrt(H * H + W * W) / (3.0 * truth_member_number(given, "g")));
    int domino = scene_box(&scene, -0.5 * W, 0.5 * H, W, H);
    scene.body[domino].angular_velocity.z = -omega;
    scene.body[domino].velocity = cn_vec3_make(0.5 * H * omega, 0.5 * W * omega, 0.0);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, (int)(12.0 * fall * 60.0) + 60);
    double angle = scene_view(world, domino).angle;
    cn_world_destroy(world);
    return angle < -1.0;
}

static void
domino_single(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double critical = truth_member_number(truth_member(data, "expect"), "omega_crit");
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    assert_false(domino_falls(given, (1.0 - bracket) * critical));
    assert_true(domino_falls(given, (1.0 + bracket) * critical));
}

/* ---- the table ---- */

void
truth_run_mus_mud(const json_t *data)
{
    truth_run_two_frictions(data);
    each_solver(data, mus_mud);
}

void
truth_run_rollincline(const json_t *data)
{
    each_solver(data, rollincline);
}

void
truth_run_slidroll(const json_t *data)
{
    each_solver(data, slidroll);
}

void
truth_run_tip_push(const json_t *data)
{
    truth_run_push(data);
    each_solver(data, tip_push);
}

void
truth_run_tip_incline(const json_t *data)
{
    truth_run_tilt(data);
    each_solver(data, tip_incline);
}

void
truth_run_slidebox(const json_t *data)
{
    truth_run_sliding_box(data);
    each_solver(data, slidebox);
}

void
truth_run_ladder_mu(const json_t *data)
{
    truth_check_ladder(data);
    truth_run_ladder(data);
    each_solver(data, ladder_mu);
}

void
truth_run_twoblocks(const json_t *data)
{
    truth_run_two_blocks(data);
    each_solver(data, twoblocks);
}

void
truth_run_rocking(const json_t *data)
{
    each_solver(data, rocking);
}

void
truth_run_domino_single(const json_t *data)
{
    each_solver(data, domino_single);
}
