/*
 * test_forces.c: the laws of forces in space, for any pose and motion.  A force with a potential is
 * its negative gradient.  Forces between bodies conserve momentum.  Damping takes the power that
 * its header gives.  A held input acts at the point and along the axes of its frame.
 */
#include "engine/base/rng.h"
#include "engine/constraint/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define BODIES 3
#define STEP 1e-5
#define TRIALS 60

struct bench {
    struct cn_model model;
    struct cn_body body[BODIES];
    struct cn_motion motion[BODIES];
    cn_pose pose[BODIES];
    struct cn_spring spring[2];
    struct cn_thruster thruster;
    struct cn_held held[2];
    struct cn_wrench wrench[BODIES];
};

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

static void
bench_init(struct bench *b, struct cn_rng *rng)
{
    memset(b, 0, sizeof(*b));
    b->model = (struct cn_model){.body_count = BODIES, .body = b->body, .motion = b->motion,
        .spring = b->spring, .thruster = &b->thruster, .held = b->held};
    b->model.settings.dimension = CN_SPATIAL;
    for (int i = 0; i < BODIES; i++) {
        double mass = cn_rng_uniform(rng, 0.5, 4.0);
        b->body[i] = (struct cn_body){.type = CN_DYNAMIC, .mass = mass, .mass_inverse = 1.0 / mass};
        b->body[i].inertia = cn_mat33_diagonal(cn_rng_uniform(rng, 0.5, 2.0),
            cn_rng_uniform(rng, 0.5, 2.0), cn_rng_uniform(rng, 0.5, 2.0));
        b->motion[i] = (struct cn_motion){.position = random_vector(rng, 2.0),
            .orientation = cn_quat_rotate_by(cn_quat_identity(), random_vector(rng, 3.0)),
            .velocity = random_vector(rng, 3.0),
            .angular_velocity = random_vector(rng, 3.0)};
    }
}

static void
place(struct bench *b)
{
    for (int i = 0; i < BODIES; i++) {
        b->pose[i] = cn_motion_pose(&b->motion[i], CN_SPATIAL);
    }
}

static void
sum(struct bench *b)
{
    place(b);
    cn_force_sum(&b->model, b->motion, b->pose, b->wrench);
}

static double
potential_after(const struct bench *b, int body, cn_vec3 shift, cn_vec3 turn)
{
    struct bench moved = *b;
    struct cn_motion *m = &moved.motion[body];
    moved.model.body = moved.body;
    m->position = cn_vec3_add(m->position, shift);
    m->orientation = cn_quat_rotate_by(m->orientation, turn);
    place(&moved);
    return cn_force_potential(&moved.model, moved.motion, moved.pose);
}

/* Each force and torque is minus the derivative of the potential, along and about each axis. */
static void
check_gradient(struct bench *b)
{
    const cn_vec3 axis[3] = {{STEP, 0.0, 0.0}, {0.0, STEP, 0.0}, {0.0, 0.0, STEP}};
    const cn_vec3 none = {0.0, 0.0, 0.0};
    sum(b);
    for (int i = 0; i < BODIES; i++) {
        const double force[3] = {b->wrench[i].force.x, b->wrench[i].force.y, b->wrench[i].force.z};
        const double torque[3] = {
            b->wrench[i].torque.x, b->wrench[i].torque.y, b->wrench[i].torque.z};
        for (int k = 0; k < 3; k++) {
            cn_vec3 back = cn_vec3_negate(axis[k]);
            double along =
                potential_after(b, i, back, none) - potential_after(b, i, axis[k], none);
            double about =
                potential_after(b, i, none, back) - potential_after(b, i, none, axis[k]);
            assert_near(along / (2.0 * STEP), force[k], 1e-6);
            assert_near(about / (2.0 * STEP), torque[k], 1e-6);
        }
    }
}

static void
assert_vector(cn_vec3 a, cn_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

/* The sum of all forces, and of their moments about the origin. */
static void
check_no_momentum(const struct bench *b)
{
    cn_vec3 force = {0.0, 0.0, 0.0}, moment = force;
    for (int i = 0; i < BODIES; i++) {
        force = cn_vec3_add(force, b->wrench[i].force);
        moment = cn_vec3_add(moment, b->wrench[i].torque);
        moment =
            cn_vec3_add(moment, cn_vec3_cross(b->motion[i].position, b->wrench[i].force));
    }
    assert_vector(force, (cn_vec3){0.0, 0.0, 0.0}, 1e-11);
    assert_vector(moment, (cn_vec3){0.0, 0.0, 0.0}, 1e-11);
}

/* The power of all forces [W]. */
static double
power(const struct bench *b)
{
    double watts = 0.0;
    for (int i = 0; i < BODIES; i++) {
        watts += cn_vec3_dot(b->wrench[i].force, b->motion[i].velocity) +
                 cn_vec3_dot(b->wrench[i].torque, b->motion[i].angular_velocity);
    }
    return watts;
}

static void
random_spring(struct bench *b, struct cn_rng *rng, int k, int body_a, int body_b)
{
    b->spring[k] = (struct cn_spring){.body_a = body_a, .body_b = body_b,
        .anchor_a = random_vector(rng, 1.0), .anchor_b = random_vector(rng, 1.0),
        .stiffness = cn_rng_uniform(rng, 1.0, 50.0), .rest_length = cn_rng_uniform(rng, 0.0, 3.0)};
    b->model.spring_count = k + 1;
}

static void
test_potentials(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 61};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        b.model.settings.gravity = random_vector(&rng, 10.0);
        for (int i = 0; i < BODIES; i++) {
            b.body[i].gravity_scale = cn_rng_uniform(&rng, -1.0, 2.0);
        }
        b.model.settings.gravitation = trial % 2 == 0 ? 0.0 : 3.0;
        random_spring(&b, &rng, 0, 0, 1);
        random_spring(&b, &rng, 1, -1, 2);
        b.held[0] = (struct cn_held){.kind = CN_HELD_DRAG, .target = 1,
            .point = random_vector(&rng, 1.0), .vector = random_vector(&rng, 3.0),
            .stiffness = cn_rng_uniform(&rng, 1.0, 30.0),
            .force_max = trial % 3 == 0 ? 0.0 : cn_rng_uniform(&rng, 5.0, 60.0)};
        b.model.held_count = 1;
        check_gradient(&b);
    }
}

/*
 * Springs and attraction between bodies do not change the total momentum. Absent springs exert no
 * force.
 */
static void
test_momenta_stay(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 62};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        b.model.settings.gravitation = 3.0;
        random_spring(&b, &rng, 0, 0, 1);
        random_spring(&b, &rng, 1, 2, 1);
        b.spring[0].damping = 5.0;
        sum(&b);
        check_no_momentum(&b);
        assert_true(cn_vec3_length(b.wrench[0].force) > 0.0);
        b.model.settings.gravitation = 0.0;
        b.spring[0].absent = b.spring[1].absent = true;
        sum(&b);
        for (int i = 0; i < BODIES; i++) {
            assert_vector(b.wrench[i].force, (cn_vec3){0.0, 0.0, 0.0}, 0.0);
        }
        assert_near(cn_force_potential(&b.model, b.motion, b.pose), 0.0, 0.0);
    }
}

/* A spring's damper takes damping l'^2, with l' by differences; an end of the world stands. */
static void
test_spring_damping(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 63};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        int a = trial % 2 == 0 ? 0 : -1;
        random_spring(&b, &rng, 0, a, 1);
        b.spring[0].stiffness = 0.0;
        b.spring[0].damping = cn_rng_uniform(&rng, 0.5, 5.0);
        double length[2];
        for (int side = 0; side < 2; side++) {
            double h = side == 0 ? -STEP : STEP;
            cn_vec3 end[2];
            for (int k = 0; k < 2; k++) {
                const struct cn_motion *m = &b.motion[k];
                cn_quat q =
                    cn_quat_rotate_by(m->orientation, cn_vec3_scale(m->angular_velocity, h));
                cn_mat33 turn = cn_quat_to_mat33(q);
                cn_vec3 anchor = k == 0 ? b.spring[0].anchor_a : b.spring[0].anchor_b;
                end[k] = cn_vec3_add(cn_vec3_add_scaled(m->position, h, m->velocity),
                    cn_mat33_apply(&turn, anchor));
            }
            end[0] = a < 0 ? b.spring[0].anchor_a : end[0];
            length[side] = cn_vec3_length(cn_vec3_sub(end[1], end[0]));
        }
        double rate = (length[1] - length[0]) / (2.0 * STEP);
        sum(&b);
        double expected = -b.spring[0].damping * rate * rate;
        assert_near(power(&b), expected, 1e-5 * (1.0 + fabs(expected)));
    }
}

/* The world's damping and a body's own, in the plane and in space; what can not move has none. */
static void
test_damping(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 64};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        double linear = trial % 3 == 0 ? 0.0 : 2.0, angular = trial % 5 == 0 ? 0.0 : 3.0;
        b.model.settings.damping_linear = linear;
        b.model.settings.damping_angular = angular;
        b.body[0].damping_linear = cn_rng_uniform(&rng, 0.0, 2.0);
        b.body[1].damping_angular = cn_rng_uniform(&rng, 0.0, 2.0);
        b.body[2].mass_inverse = 0.0;
        b.body[2].damping_linear = b.body[2].damping_angular = 1.0;
        sum(&b);
        for (int i = 0; i < BODIES; i++) {
            cn_vec3 v = b.motion[i].velocity, w = b.motion[i].angular_velocity;
            double m = b.body[i].mass;
            cn_vec3 own = cn_mat33_apply_back(&b.pose[i].rotation, w);
            own = cn_mat33_apply(&b.body[i].inertia, own);
            own = cn_mat33_apply(&b.pose[i].rotation, own);
            cn_vec3 force = cn_vec3_scale(v, -(linear + m * b.body[i].damping_linear));
            cn_vec3 torque = cn_vec3_add_scaled(
                cn_vec3_scale(w, -angular), -b.body[i].damping_angular, own);
            double moves = i < 2 ? 1.0 : 0.0;
            assert_vector(b.wrench[i].force, cn_vec3_scale(force, moves), 1e-12);
            assert_vector(b.wrench[i].torque, cn_vec3_scale(torque, moves), 1e-12);
        }
    }
}

/* A force at a point acts with its arm, along the world's axes or the body's; so do thrusters. */
static void
test_held(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 65};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        cn_vec3 point = random_vector(&rng, 1.0), vector = random_vector(&rng, 9.0);
        cn_vec3 twist = random_vector(&rng, 9.0);
        b.held[0] = (struct cn_held){.kind = CN_HELD_FORCE, .target = 0, .point = point,
            .vector = vector, .frame = trial % 2 == 0 ? CN_FRAME_BODY : CN_FRAME_WORLD};
        b.held[1] = (struct cn_held){.kind = CN_HELD_TORQUE, .target = 2, .vector = twist};
        b.thruster = (struct cn_thruster){.body = 1, .at = point, .force = vector};
        b.model.thruster_count = 1;
        b.model.held_count = 2;
        sum(&b);
        cn_vec3 arm = cn_mat33_apply(&b.pose[0].rotation, point);
        cn_vec3 force =
            trial % 2 == 0 ? cn_mat33_apply(&b.pose[0].rotation, vector) : vector;
        assert_vector(b.wrench[0].force, force, 1e-13);
        assert_vector(b.wrench[0].torque, cn_vec3_cross(arm, force), 1e-12);
        assert_vector(b.wrench[2].torque, twist, 0.0);
        assert_vector(b.wrench[1].force, (cn_vec3){0.0, 0.0, 0.0}, 0.0);
        /* With a level of -0.5 the thruster pushes back with half. */
        b.held[1] =
            (struct cn_held){.kind = CN_HELD_ACTUATOR, .target = 0, .stiffness = -0.5};
        sum(&b);
        arm = cn_mat33_apply(&b.pose[1].rotation, point);
        force = cn_vec3_scale(cn_mat33_apply(&b.pose[1].rotation, vector), -0.5);
        assert_vector(b.wrench[1].force, force, 1e-13);
        assert_vector(b.wrench[1].torque, cn_vec3_cross(arm, force), 1e-12);
    }
}

/* A drag pulls its point with stiffness and damping, of all together at most force_max. */
static void
test_drag(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 66};
    int capped = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct bench b;
        bench_init(&b, &rng);
        struct cn_held *drag = &b.held[0];
        *drag = (struct cn_held){.kind = CN_HELD_DRAG, .target = 1,
            .point = random_vector(&rng, 1.0), .vector = random_vector(&rng, 3.0),
            .stiffness = 20.0, .damping = 4.0, .force_max = trial % 2 == 0 ? 0.0 : 50.0};
        b.model.held_count = 1;
        sum(&b);
        const struct cn_motion *m = &b.motion[1];
        cn_vec3 arm = cn_mat33_apply(&b.pose[1].rotation, drag->point);
        cn_vec3 way = cn_vec3_sub(drag->vector, cn_vec3_add(m->position, arm));
        cn_vec3 v = cn_vec3_add(m->velocity, cn_vec3_cross(m->angular_velocity, arm));
        cn_vec3 force = cn_vec3_add_scaled(cn_vec3_scale(way, 20.0), -4.0, v);
        double size = cn_vec3_length(force);
        if (trial % 2 != 0 && size > 50.0) {
            capped++;
            force = cn_vec3_scale(force, 50.0 / size);
        }
        assert_vector(b.wrench[1].force, force, 1e-12);
        assert_vector(b.wrench[1].torque, cn_vec3_cross(arm, force), 1e-12);
    }
    assert_true(capped > TRIALS / 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_potentials),
        cmocka_unit_test(test_momenta_stay),
        cmocka_unit_test(test_spring_damping),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
