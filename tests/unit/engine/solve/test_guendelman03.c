/*
 * test_guendelman03.c: the guards of one contact's impulse, where the paper's formulas fail.
 */
#include "engine/base/rng.h"
#include "engine/solve/propagation/guendelman03.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static cn_mat33 K, K_inverse;

static struct cn_strike
strike_of(cn_vec3 u, double target, double mu, bool literal)
{
    K_inverse = cn_mat33_invert_symmetric(&K);
    return (struct cn_strike){&K, &K_inverse, {0.0, 0.0, 1.0}, u, u, target, mu, mu, literal};
}

static double
energy(cn_vec3 u, cn_vec3 j)
{
    return cn_vec3_dot(j, u) + 0.5 * cn_vec3_dot(j, cn_mat33_apply(&K, j));
}

static void
test_parts(void **state)
{
    (void)state;
    K = cn_mat33_diagonal(1.0, 1.0, 1.0);
    struct cn_strike strike = strike_of(cn_vec3_make(1.0, 0.0, 0.5), 0.0, 0.5, false);
    assert_int_equal(cn_guendelman03_strike(&strike).kind, CN_STRIKE_NONE);
}

/* Unit masses head on: j = 1, and of it half is friction, which the cone cuts to a fifth. */
static void
test_cone(void **state)
{
    (void)state;
    K = cn_mat33_diagonal(1.0, 1.0, 1.0);
    struct cn_strike strike = strike_of(cn_vec3_make(0.5, 0.0, -1.0), 0.0, 0.6, false);
    struct cn_struck struck = cn_guendelman03_strike(&strike);
    assert_int_equal(struck.kind, CN_STRIKE_STICK);
    assert_true(struck.impulse.x == -0.5 && struck.impulse.z == 1.0);
    strike.resting = strike.sliding = 0.2;
    struck = cn_guendelman03_strike(&strike);
    assert_int_equal(struck.kind, CN_STRIKE_SLIDE);
    assert_true(fabs(struck.impulse.x + 0.2) < 1e-15 && fabs(struck.impulse.z - 1.0) < 1e-15);
    assert_false(struck.guarded);
    strike.resting = 0.6; /* friction at rest can hold it */
    assert_int_equal(cn_guendelman03_strike(&strike).kind, CN_STRIKE_STICK);
}

/*
 * In space the divisor may be negative if the contact does not stick.  The formula uses the
 * velocity along x, but friction along y would be needed to stop it.
 */
static void
test_divisor(void **state)
{
    (void)state;
    K = (cn_mat33){{4.0, 0.0, -3.0}, {0.0, 1.0, 0.0}, {-3.0, 0.0, 2.5}};
    cn_vec3 u = cn_vec3_make(-1.0, 3.0, -1.0);
    struct cn_strike strike = strike_of(u, 0.0, 1.0, false);
    cn_vec3 T = cn_vec3_scale(cn_vec3_make(u.x, u.y, 0.0), 1.0 / sqrt(10.0));
    for (strike.sliding = strike.resting = 0.1; strike.sliding < 6.0;
         strike.sliding = strike.resting = 1.3 * strike.sliding) {
        cn_vec3 j = cn_guendelman03_strike(&strike).impulse;
        assert_true(j.z > 0.0 && hypot(j.x, j.y) <= strike.sliding * j.z * (1.0 + 1e-12));
        assert_true(fabs(u.z + cn_mat33_apply(&K, j).z) < 1e-12);
        assert_true(energy(u, j) <= 1e-12);
    }
    cn_vec3 d = cn_vec3_add_scaled(strike.normal, -3.5, T);
    assert_true(cn_vec3_dot(strike.normal, cn_mat33_apply(&K, d)) < 0.0);
    strike.sliding = strike.resting = 3.5;
    struct cn_struck struck = cn_guendelman03_strike(&strike);
    assert_true(struck.kind == CN_STRIKE_STICK || struck.guarded);
}

/* By the paper a contact that sticks with restitution 1 gains energy; here it does not. */
static void
test_energy(void **state)
{
    (void)state;
    K = (cn_mat33){{4.0, 0.0, -2.0}, {0.0, 1.0, 0.0}, {-2.0, 0.0, 2.0}};
    cn_vec3 u = cn_vec3_make(1.0, 0.0, -1.0);
    struct cn_strike strike = strike_of(u, 1.0, 10.0, true);
    struct cn_struck literal = cn_guendelman03_strike(&strike);
    assert_int_equal(literal.kind, CN_STRIKE_STICK);
    assert_true(energy(u, literal.impulse) > 0.2);
    strike.literal = false;
    struct cn_struck guarded = cn_guendelman03_strike(&strike);
    assert_true(guarded.guarded);
    assert_true(energy(u, guarded.impulse) <= 1e-12);
    cn_vec3 after = cn_vec3_add(u, cn_mat33_apply(&K, guarded.impulse));
    assert_true(fabs(after.z - 1.0) < 1e-12);
}

/* A sphere of 1 kg and radius 0.1 on the ground, rolling at 10 rad/s and spinning at 4. */
static void
test_roll(void **state)
{
    (void)state;
    double I = 0.4 * 0.01;
    struct cn_mass_inverse mass = {1.0, cn_mat33_diagonal(1 / I, 1 / I, 1 / I)};
    cn_vec3 arm = cn_vec3_make(0.0, 0.0, -0.1);
    struct cn_area area = {0};
    cn_guendelman03_area_add(&area, &mass, arm, cn_vec3_negate(arm));
    struct cn_roll roll = {.area = &area, .normal = {0.0, 0.0, 1.0}, .u = {0.0, 0.0, -0.16},
        .w = {0.0, 10.0, 4.0}, .resting = 0.5, .rolling = 0.02, .spinning = 0.01,
        .normal_impulse = 0.16};
    for (int literal = 0; literal < 2; literal++) {
        cn_vec3 j, q;
        roll.literal = literal;
        assert_true(cn_guendelman03_roll(&roll, &j, &q));
        double loss_roll = literal ? 0.02 * 0.16 : 0.02 * 0.16 / (1.4 * 0.01);
        double loss_spin = literal ? 0.01 * 0.16 : 0.01 * 0.16 / (0.4 * 0.01);
        cn_vec3 dw = cn_vec3_add(cn_mat33_apply(&area.K3, j), cn_mat33_apply(&area.K4, q));
        cn_vec3 du = cn_vec3_add(cn_mat33_apply(&area.K1, j), cn_mat33_apply(&area.K2, q));
        assert_true(fabs(dw.x) < 1e-12 && fabs(dw.y + loss_roll) < 1e-12);
        assert_true(fabs(dw.z + loss_spin) < 1e-12);
        assert_true(fabs(du.z - 0.16) < 1e-12 && fabs(du.x) < 1e-12 && fabs(du.y) < 1e-12);
    }
    cn_vec3 j, q;
    roll.rolling = roll.spinning = 1e6; /* it stops and does not turn back */
    roll.w = cn_vec3_make(0.0, 1e-3, 1e-3);
    roll.literal = false;
    assert_true(cn_guendelman03_roll(&roll, &j, &q));
    cn_vec3 dw = cn_vec3_add(cn_mat33_apply(&area.K3, j), cn_mat33_apply(&area.K4, q));
    assert_true(cn_vec3_length(cn_vec3_add(roll.w, dw)) < 1e-12);
    roll.w = cn_vec3_make(0.0, 0.0, 0.0);
    assert_false(cn_guendelman03_roll(&roll, &j, &q));
}

static void
test_gradual(void **state)
{
    (void)state;
    assert_true(cn_guendelman03_restitution(0, 10) == -0.9);
    assert_true(cn_guendelman03_restitution(9, 10) == 0.0);
    assert_true(cn_guendelman03_restitution(0, 1) == 0.0);
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

/* K j equals the velocity change at the arm by an impulse j, for any arm and inertia. */
static void
test_response(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 91};
    for (int trial = 0; trial < 300; trial++) {
        struct cn_mass_inverse mass = {.linear = cn_rng_uniform(&rng, 0.1, 2.0)};
        mass.angular = cn_mat33_diagonal(cn_rng_uniform(&rng, 0.1, 2.0),
            cn_rng_uniform(&rng, 0.1, 2.0), cn_rng_uniform(&rng, 0.1, 2.0));
        cn_vec3 arm = random_vector(&rng, 2.0), j = random_vector(&rng, 3.0);
        cn_mat33 response = cn_guendelman03_response(&mass, arm);
        cn_vec3 spin = cn_mat33_apply(&mass.angular, cn_vec3_cross(arm, j));
        cn_vec3 wanted = cn_vec3_add_scaled(cn_vec3_cross(spin, arm), mass.linear, j);
        cn_vec3 off = cn_vec3_sub(cn_mat33_apply(&response, j), wanted);
        assert_true(cn_vec3_length(off) < 1e-13 * (1.0 + cn_vec3_length(wanted)));
    }
}

/*
 * Any impulse, guarded or not, is within the friction cone and adds no energy without restitution.
 * An impulse that is not guarded, as in the paper, leaves the wanted normal speed.  If it sticks,
 * no speed remains.
 */
static void
test_any_strike(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 92};
    int kinds[3] = {0}, guarded = 0;
    for (int trial = 0; trial < 20000; trial++) {
        struct cn_mass_inverse mass = {.linear = 1.0};
        mass.angular = cn_mat33_diagonal(cn_rng_uniform(&rng, 0.0, 9.0),
            cn_rng_uniform(&rng, 0.0, 9.0), cn_rng_uniform(&rng, 0.0, 9.0));
        K = cn_guendelman03_response(&mass, random_vector(&rng, 1.0));
        cn_vec3 u = random_vector(&rng, 3.0);
        double mu = trial % 5 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 1.5);
        struct cn_strike strike = strike_of(u, 0.0, mu, false);
        struct cn_struck struck = cn_guendelman03_strike(&strike);
        double speed = 1.0 + cn_vec3_length(u);
        kinds[struck.kind]++;
        guarded += struck.guarded;
        assert_int_equal(struck.kind == CN_STRIKE_NONE, u.z >= 0.0);
        if (struck.kind == CN_STRIKE_NONE) {
            continue;
        }
        cn_vec3 j = struck.impulse, after = cn_vec3_add(u, cn_mat33_apply(&K, j));
        double size = cn_vec3_length(j), across = sqrt(j.x * j.x + j.y * j.y);
        assert_true(j.z >= 0.0 && across <= mu * j.z + 1e-12 * size);
        assert_true(energy(u, j) <= 1e-12 * size * speed);
        assert_true(struck.guarded || fabs(after.z) < 1e-9 * speed);
        assert_true(struck.kind != CN_STRIKE_STICK || struck.guarded ||
                    cn_vec3_length(after) < 1e-9 * speed);
    }
    assert_true(kinds[CN_STRIKE_STICK] > 500 && kinds[CN_STRIKE_SLIDE] > 500);
    print_message("  %d guarded\n", guarded);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts),
    cmocka_unit_test(test_cone),
    cmocka_unit_test(test_divisor),
    cmocka_unit_test(test_energy),
    cmocka_unit_test(test_roll),
    cmocka_unit_test(test_gradual),
    cmocka_unit_test(test_response),
    cmocka_unit_test(test_any_strike),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
