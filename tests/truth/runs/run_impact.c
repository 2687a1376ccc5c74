/*
 * run_impact.c: impacts between bodies that touch, in worlds of one tick without gravity.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BALLS_MAX 64

static struct scene scene;

/* With the shortest tick, bodies move very little freely after the impact. */
static void
impact_scene(enum cn_collision_handling collision, double restitution)
{
    scene_init(&scene, 0.0);
    scene.def.tick_rate = 1000.0;
    scene.def.settings.collision = collision;
    scene.material[0].restitution = restitution;
}

/* A row of touching balls along x, the first k of them moving at v. The balls are bodies 0 to n-1.
 */
static struct cn_world *
ball_row(enum cn_collision_handling collision, double restitution, int n, int k, double v,
    const double *mass)
{
    impact_scene(collision, restitution);
    for (int i = 0; i < n; i++) {
        int ball = scene_circle(&scene, i, 0.0, 0.5);
        scene.body[ball].mass = mass == NULL ? 1.0 : mass[i];
        scene.body[ball].velocity.x = i < k ? v : 0.0;
    }
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    return world;
}

static double
kinetic(const struct cn_world *world)
{
    return cn_world_energy(world).kinetic;
}

static void
check_velocities(const json_t *data, const json_t *velocities, const struct cn_world *world)
{
    double expected[BALLS_MAX];
    int n = truth_numbers(velocities, expected, BALLS_MAX);
    for (int i = 0; i < n; i++) {
        truth_near(scene_view(world, i).velocity.x, expected[i], truth_tolerance(data, expected[i]),
            "v[%d] of %d", i, n);
    }
}

/* All impacts of the row at once. */
void
truth_run_simultaneous(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double mass[BALLS_MAX], J[BALLS_MAX], v = truth_member_number(given, "v"), before = 0.0;
    int n = truth_member_numbers(given, "masses", mass, BALLS_MAX);
    int k = (int)truth_member_number(given, "k");
    struct cn_world *world =
        ball_row(CN_COLLISION_SIMULTANEOUS, truth_member_number(given, "e"), n, k, v, mass);
    check_velocities(data, truth_member(expect, "v_after"), world);
    int impact_count = truth_member_numbers(expect, "J", J, BALLS_MAX);
    for (int i = 0; i < impact_count; i++) {
        truth_near(
            scene_contacts(world, i, i + 1).impulse, J[i], truth_tolerance(data, J[i]), "J[%d]", i);
    }
    for (int i = 0; i < k; i++) {
        before += 0.5 * mass[i] * v * v;
    }
    truth_expect(data, "KE_ratio", kinetic(world) / before);
    cn_world_destroy(world);
}

/* Pair by pair: k balls come in, k balls go out.  n and k are numbers, or lists of equal length. */
void
truth_run_propagation(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *n = truth_member(given, "n"), *k = truth_member(given, "k");
    size_t index;
    json_t *velocities;
    json_array_foreach(truth_member(truth_member(data, "expect"), "v_after"), index, velocities)
    {
        const json_t *row_n = json_is_array(n) ? json_array_get(n, index) : n;
        const json_t *row_k = json_is_array(k) ? json_array_get(k, index) : k;
        struct cn_world *world = ball_row(CN_COLLISION_SERIAL, 1.0, (int)truth_number(row_n),
            (int)truth_number(row_k), truth_member_number(given, "v"), NULL);
        check_velocities(data, velocities, world);
        cn_world_destroy(world);
    }
}

/* A ball falls on another that rests on the floor. */
static struct cn_world *
ball_stack(const json_t *given, enum cn_collision_handling collision)
{
    impact_scene(collision, truth_member_number(given, "e"));
    scene_floor(&scene);
    int bottom = scene_circle(&scene, 0.0, 0.5, 0.5), top = scene_circle(&scene, 0.0, 1.5, 0.5);
    scene.body[bottom].mass = truth_member_number(given, "m_bottom");
    scene.body[top].mass = truth_member_number(given, "m_top");
    scene.body[top].velocity.y = truth_member_number(given, "v_top");
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    return world;
}

/*
 * With serial impacts the top ball keeps a part of its speed in every pair of impacts.  A world
 * shows the sums of that geometric sequence over a whole instant.  They equal the simultaneous
 * result, except for the slow last terms, which count as resting.
 */
static void
ball_stack_serial(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "simultaneous");
    struct cn_world *world = ball_stack(given, CN_COLLISION_SERIAL);
    double v0 = fabs(truth_member_number(given, "v_top")), rest = 1e-4 * v0;
    truth_near(scene_view(world, 1).velocity.y, 0.0, rest, "serial v of the bottom");
    truth_near(scene_view(world, 2).velocity.y, 0.0, rest, "serial v of the top");
    double J = truth_member_number(expect, "J_between");
    truth_near(scene_contacts(world, 1, 2).impulse, J, rest * J, "serial sum of J_between");
    truth_near(scene_contacts(world, 0, 1).impulse, J, rest * J, "serial sum of J_floor");
    cn_world_destroy(world);
}

void
truth_run_ballstack(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "simultaneous");
    double tolerance = truth_tolerance(data, 1.0), v[2];
    struct cn_world *world = ball_stack(given, CN_COLLISION_SIMULTANEOUS);
    truth_member_numbers(expect, "v", v, 2);
    truth_near(scene_view(world, 1).velocity.y, v[0], tolerance, "v of the bottom");
    truth_near(scene_view(world, 2).velocity.y, v[1], tolerance, "v of the top");
    truth_near(scene_contacts(world, 0, 1).impulse, truth_member_number(expect, "J_floor"),
        tolerance, "J_floor");
    truth_near(scene_contacts(world, 1, 2).impulse, truth_member_number(expect, "J_between"),
        tolerance, "J_between");
    cn_world_destroy(world);
    ball_stack_serial(data);
}

/* A body on a shelf is struck from below, and the shelf has no effect. */
void
truth_run_fig13(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    impact_scene(CN_COLLISION_SIMULTANEOUS, truth_member_number(given, "e"));
    int left = scene_box(&scene, -1.0, -0.5, 0.5, 1.0),
        right = scene_box(&scene, 1.0, -0.5, 0.5, 1.0);
    scene.body[left].type = scene.body[right].type = CN_STATIC;
    int a = scene_box(&scene, 0.0, 0.5, 3.0, 1.0), c = scene_circle(&scene, 0.0, -0.25, 0.25);
    scene.body[a].mass = truth_member_number(given, "mA");
    scene.body[c].mass = truth_member_number(given, "mC");
    scene.body[c].velocity.y = truth_member_number(given, "vC");
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    truth_expect(data, "J_AB",
        scene_contacts(world, a, left).impulse + scene_contacts(world, a, right).impulse);
    truth_expect(data, "J_AC", scene_contacts(world, a, c).impulse);
    truth_expect(data, "vA_after", scene_view(world, a).velocity.y);
    truth_expect(data, "v_AB_plus", scene_view(world, a).velocity.y);
    truth_expect(data, "vC_after", scene_view(world, c).velocity.y);
    cn_world_destroy(world);
}

/* A block strikes the floor with both corners. */
void
truth_run_blockimpact(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double w = truth_member_number(given, "w"), h = truth_member_number(given, "h");
    double J[2], v_plus[2], found[2] = {0.0, 0.0};
    impact_scene(CN_COLLISION_SIMULTANEOUS, truth_member_number(given, "e"));
    scene_floor(&scene);
    int block = scene_box(&scene, 0.0, 0.5 * h, w, h);
    scene.body[block].mass = truth_member_number(given, "m");
    scene.body[block].inertia = truth_member_number(given, "I");
    scene.body[block].velocity.y = truth_member_number(given, "v_com_y");
    scene.body[block].angular_velocity.z = truth_member_number(given, "omega");
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_body_view view = scene_view(world, block);
    truth_expect(data, "v_com_y_after", view.velocity.y);
    truth_expect(data, "omega_after", view.angular_velocity.z);
    truth_member_numbers(expect, "J", J, 2);
    truth_member_numbers(expect, "v_plus", v_plus, 2);
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    for (int i = 0; i < count; i++) {
        found[contacts[i].point.x > 0.0] += contacts[i].impulse;
    }
    for (int i = 0; i < 2; i++) {
        double arm = (i == 0 ? -0.5 : 0.5) * w;
        truth_near(found[i], J[i], truth_tolerance(data, J[i]), "J[%d]", i);
        truth_near(view.velocity.y + view.angular_velocity.z * arm, v_plus[i],
            truth_tolerance(data, v_plus[i]), "v_plus[%d]", i);
    }
    cn_world_destroy(world);
}

/* Two balls, plastic and elastic. */
void
truth_run_inelastic(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double mass[2], v[2];
    truth_member_numbers(given, "m", mass, 2);
    truth_member_numbers(given, "v", v, 2);
    for (int c = 0; c < 2; c++) {
        impact_scene(CN_COLLISION_SIMULTANEOUS, c);
        for (int i = 0; i < 2; i++) {
            int ball = scene_circle(&scene, i, 0.0, 0.5);
            scene.body[ball].mass = mass[i];
            scene.body[ball].velocity.x = v[i];
        }
        struct cn_world *world = scene_create(&scene);
        scene_tick(world);
        check_velocities(data, truth_member(expect, c == 0 ? "c0" : "c1"), world);
        cn_world_destroy(world);
    }
}

/* A falling rod strikes the floor with its left end: a thin capsule, see truth_run_ladder_leaves.
 */
void
truth_run_rodimpact(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double theta = truth_member_number(given, "theta_deg") * CN_PI / 180.0;
    double l = truth_member_number(given, "l"), m = truth_member_number(given, "m"), radius = 0.01;
    impact_scene(CN_COLLISION_SIMULTANEOUS, truth_member_number(given, "e"));
    int ground = scene_floor(&scene);
    int rod = scene_capsule(&scene, 0.0, radius + l * sin(theta), radius, 2.0 * l);
    scene.body[rod].angle = theta - 0.5 * CN_PI;
    scene.body[rod].mass = m;
    scene.body[rod].inertia = m * l * l / 3.0;
    scene.body[rod].velocity.y = -truth_member_number(given, "v");
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_body_view view = scene_view(world, rod);
    truth_expect(data, "J", scene_contacts(world, ground, rod).impulse);
    truth_expect(data, "omega", -view.angular_velocity.z); /* the left end rises */
    truth_expect(data, "v_after", view.velocity.y);
    cn_world_destroy(world);
}

/*
 * A square of point masses at its corners strikes the floor with one of them: the velocities of the
 * corners after a plastic impact.  The old velocities are those of a rigid motion.
 */
void
truth_run_qstar(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    cn_vec3 corner[4], center = {0.0, 0.0, 0.0}, velocity = {0.0, 0.0, 0.0};
    double xy[2], inertia = 0.0, omega = truth_member_number(given, "omega");
    for (size_t i = 0; i < 4; i++) {
        truth_numbers(json_array_get(truth_member(given, "points"), i), xy, 2);
        corner[i] = cn_vec3_make(xy[0], xy[1], 0.0);
        center = cn_vec3_add_scaled(center, 0.25, corner[i]);
        truth_numbers(json_array_get(truth_member(given, "v_old"), i), xy, 2);
        velocity = cn_vec3_add_scaled(velocity, 0.25, cn_vec3_make(xy[0], xy[1], 0.0));
    }
    for (int i = 0; i < 4; i++) {
        corner[i] = cn_vec3_sub(corner[i], center);
        inertia += cn_vec3_dot(corner[i], corner[i]);
    }
    impact_scene(CN_COLLISION_SIMULTANEOUS, 0.0);
    scene_floor(&scene);
    int square = scene_polygon(&scene, center.x, center.y, corner, 4);
    scene.body[square].mass = 4.0;
    scene.body[square].inertia = inertia;
    scene.body[square].velocity = velocity;
    scene.body[square].angular_velocity.z = omega;
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    /*
     * The impact is at the start of the tick, and the square turns for a thousandth of a second
     * after it.
     */
    struct cn_body_view view = scene_view(world, square);
    for (size_t i = 0; i < 4; i++) {
        cn_vec3 v = cn_vec3_add(view.velocity, cn_vec3_cross(view.angular_velocity, corner[i]));
        truth_numbers(
            json_array_get(truth_member(truth_member(data, "expect"), "v_Qstar"), i), xy, 2);
        double tolerance = truth_tolerance(data, hypot(xy[0], xy[1]));
        truth_near(v.x, xy[0], tolerance, "v_Qstar[%d].x", (int)i);
        truth_near(v.y, xy[1], tolerance, "v_Qstar[%d].y", (int)i);
    }
    cn_world_destroy(world);
}

/* A box of one material slides on a floor of the other with the larger friction of the two. */
static void
check_combined_friction(const json_t *pair, double mu)
{
    impact_scene(CN_COLLISION_SIMULTANEOUS, 0.0);
    scene.def.settings.gravity.y = -10.0;
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.05, 2.0, 0.1);
    scene.body[box].velocity.x = 100.0;
    for (int k = 0; k < 2; k++) {
        double material[2];
        truth_numbers(json_array_get(pair, (size_t)k), material, 2);
        scene_friction(&scene, k, material[1]);
        scene.shape[k].material = k;
    }
    struct cn_world *world = scene_create(&scene);
    truth_near(scene_view(world, box).acceleration.x, -10.0 * mu, 1e-9, "friction");
    cn_world_destroy(world);
}

/*
 * A ball of one material on a floor of the other bounces with the smaller restitution of the two.
 */
void
truth_run_combine(const json_t *data)
{
    const json_t *pairs = truth_member(truth_member(data, "given"), "pairs");
    double e[16], mu[16];
    int count = truth_member_numbers(truth_member(data, "expect"), "e", e, 16);
    assert_int_equal(truth_member_numbers(truth_member(data, "expect"), "mu", mu, 16), count);
    for (int i = 0; i < count; i++) {
        const json_t *pair = json_array_get(pairs, (size_t)i);
        impact_scene(CN_COLLISION_SIMULTANEOUS, 0.0);
        scene_floor(&scene);
        int ball = scene_circle(&scene, 0.0, 0.5, 0.5);
        scene.body[ball].velocity.y = -1.0;
        for (int k = 0; k < 2; k++) {
            double material[2];
            truth_numbers(json_array_get(pair, (size_t)k), material, 2);
            scene.material[k].restitution = material[0];
            scene.shape[k].material = k;
        }
        struct cn_world *world = scene_create(&scene);
        scene_tick(world);
        truth_near(scene_view(world, ball).velocity.y, e[i], 1e-15, "e[%d]", i);
        cn_world_destroy(world);
        check_combined_friction(pair, mu[i]);
    }
}
