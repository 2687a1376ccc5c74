/*
 * run_sweeps.c: impulses that pass from contact to contact with the stepper `propagation` in its
 * literal mode: sweeps over a stack, and two contacts of one body, one after the other.
 */
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define BODIES_MAX 64
#define RATE 1000.0 /* of ticks [Hz] */
#define GRAVITY 1.0 /* orders the stack */

static struct scene scene;

static void
begin(int contact_iterations, int shock_passes)
{
    scene_init(&scene, GRAVITY);
    scene.def.tick_rate = RATE;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    struct cn_propagation_settings *how = &scene.def.settings.propagation;
    how->literal = 1;
    how->collision_iterations = 0;
    how->contact_iterations = contact_iterations;
    how->contact_sweeps = 1;
    how->shock_passes = shock_passes;
    scene_floor(&scene);
}

/* Places a body so that its velocity is `v` in the contact phase, after gravity. */
static void
place(struct cn_world *world, int body, cn_vec3 position, double v)
{
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    command.place_body.body = body;
    command.place_body.position = position;
    command.place_body.orientation.w = 1.0;
    command.place_body.velocity = cn_vec3_make(0.0, v + GRAVITY / RATE, 0.0);
    scene_command(world, &command);
}

/* ---- a stack ---- */

/* Discs instead of cubes: a cube that only falls also meets the next one at one point. */
static struct cn_world *
make_stack(int n, bool shock)
{
    begin(shock ? 0 : 1, shock ? 1 : 0); /* one iteration is one with e = 0 */
    for (int i = 0; i < n; i++) {
        int disc = scene_circle(&scene, 0.0, 0.5 + i, 0.5);
        scene.body[disc].mass = 1.0;
    }
    return scene_create(&scene);
}

/* Replaces velocities by those after one sweep. */
static void
sweep(struct cn_world *world, int n, double *v)
{
    for (int i = 0; i < n; i++) {
        place(world, i + 1, cn_vec3_make(0.0, 0.5 + i, 0.0), v[i]);
    }
    scene_tick(world);
    for (int i = 0; i < n; i++) {
        v[i] = scene_view(world, i + 1).velocity.y;
    }
}

void
truth_run_stack_sweeps(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    int n = (int)truth_member_number(given, "n"), count = 0;
    int needed = (int)truth_member_number(expect, "sweeps_for_1e_3");
    double v[BODIES_MAX], expected[BODIES_MAX], start = truth_member_number(given, "v0");
    double tolerance = truth_tolerance(data, start), last = start;
    assert_in_range(n, 1, BODIES_MAX);
    for (int i = 0; i < n; i++) {
        v[i] = start;
    }
    struct cn_world *world = make_stack(n, false);
    size_t index;
    json_t *row;
    json_array_foreach(truth_member(expect, "v_after_sweeps"), index, row)
    {
        assert_int_equal(truth_numbers(row, expected, BODIES_MAX), n);
        do { /* rows skip some numbers of sweeps */
            sweep(world, n, v);
            count++;
        } while (v[0] < expected[0] - tolerance && count < needed);
        for (int i = 0; i < n; i++) {
            truth_near(v[i], expected[i], tolerance, "v[%d] after %d sweeps", i, count);
        }
    }
    for (; count < needed; count++) {
        last = v[n - 1];
        sweep(world, n, v);
    }
    cn_world_destroy(world);
    double factor = v[n - 1] / last, left = 1.0; /* the case counts sweeps by the factor */
    double wanted = truth_member_number(expect, "asymptotic_factor");
    truth_near(factor, wanted, 1e-9 * wanted, "factor");
    for (int k = 0; k < needed; k++) {
        assert_true(left > 1e-3);
        left *= factor;
    }
    assert_true(left <= 1e-3);

    double after[BODIES_MAX];
    assert_int_equal(truth_member_numbers(expect, "shock_one_sweep", after, BODIES_MAX), n);
    for (int i = 0; i < n; i++) {
        v[i] = start;
    }
    world = make_stack(n, true);
    sweep(world, n, v);
    for (int i = 0; i < n; i++) {
        truth_near(v[i], after[i], 1e-15, "v[%d] after one sweep of shocks", i);
    }
    cn_world_destroy(world);
}

/* ---- a body on two contacts ---- */

/* A[i][k] = 1/m + r_i r_k / I of contacts at r on the floor. */
struct two {
    double A[2][2], v[2], m, I, r[2];
};

/* The body that has this matrix: I = 1, and the mass for which the three entries agree. */
static void
two_read(struct two *two, const json_t *given)
{
    assert_int_equal(truth_member_numbers(given, "v", two->v, 2), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(truth_member(given, "A"), i);
        assert_int_equal(truth_numbers(row, two->A[i], 2), 2);
    }
    double a = two->A[0][0], b = two->A[0][1], c = two->A[1][1];
    double inverse = (a * c - b * b) / (a + c - 2.0 * b);
    two->m = 1.0 / inverse;
    two->I = 1.0;
    two->r[0] = -fabs(a - b) / sqrt(a + c - 2.0 * b);
    two->r[1] = two->r[0] == 0.0 ? sqrt(c - inverse) : (b - inverse) / two->r[0];
    if (two->r[1] < two->r[0]) { /* the first is the left one */
        two->r[0] = -two->r[0];
        two->r[1] = -two->r[1];
    }
    assert_true(two->r[0] < two->r[1]);
}

/* A tick of the body with the settings; the impulses are derived from the change of its motion. */
static void
two_run(const struct two *two, int contact_iterations, bool literal, double J[2], double v[2])
{
    double lean = -(two->r[0] + two->r[1]), h = two->r[1] - two->r[0];
    const cn_vec3 corner[4] = {{two->r[0], 0.0, 0.0}, {two->r[1], 0.0, 0.0},
        {two->r[1] + lean, h, 0.0}, {two->r[0] + lean, h, 0.0}};
    begin(contact_iterations, 0);
    if (!literal) {
        scene.def.settings.propagation.literal = 0;
        scene.def.settings.propagation.contact_sweeps = 1000;
    }
    int body = scene_polygon(&scene, 0.0, 0.0, corner, 4);
    scene.body[body].mass = two->m;
    scene.body[body].inertia = two->I;
    double omega = (two->v[1] - two->v[0]) / h, rise = two->v[0] - omega * two->r[0];
    scene.body[body].velocity.y = rise + GRAVITY / RATE;
    scene.body[body].angular_velocity.z = omega;
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_body_view view = scene_view(world, body);
    double push = two->m * (view.velocity.y - rise);
    double turn = two->I * (view.angular_velocity.z - omega);
    J[1] = (turn - two->r[0] * push) / h;
    J[0] = push - J[1];
    for (int i = 0; i < 2; i++) {
        v[i] = view.velocity.y + view.angular_velocity.z * two->r[i];
    }
    cn_world_destroy(world);
}

static void
two_expect(const json_t *data, const char *key, const double J[2], const double v[2])
{
    const json_t *expect = truth_member(truth_member(data, "expect"), key);
    double want_J[2], want_v[2];
    assert_int_equal(truth_member_numbers(expect, "J", want_J, 2), 2);
    assert_int_equal(truth_member_numbers(expect, "v", want_v, 2), 2);
    for (int i = 0; i < 2; i++) {
        truth_near(J[i], want_J[i], truth_tolerance(data, want_J[i]), "%s J[%d]", key, i);
        truth_near(v[i], want_v[i], truth_tolerance(data, want_v[i]), "%s v[%d]", key, i);
    }
}

/*
 * Compares worlds with one pass, with ten gradual ones, and with the guarded phase, which is exact.
 */
void
truth_push_one_by_one(const json_t *data)
{
    struct two two;
    double J[2], v[2];
    two_read(&two, truth_member(data, "given"));
    two_run(&two, 1, true, J, v);
    two_expect(data, "e0_single_pass", J, v);
    two_run(&two, 10, true, J, v);
    two_expect(data, "gradual10_one_pass_each", J, v);
    two_run(&two, 1, false, J, v);
    two_expect(data, "simultaneous", J, v);
}
