/*
 * run_strike.c: the impulse of one contact by the formulas of Guendelman, Bridson and Fedkiw
 * (solve/propagation/guendelman03.h).  The truth set's normal points from body 2 to body 1; so body
 * 1 is B.
 */
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/solve/propagation/guendelman03.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define CUBES_MAX 64
#define RANDOM_STRIKES 20000

/* One body of an impact. */
struct side {
    struct cn_mass_inverse mass;
    cn_vec3 arm, velocity, spin;
};

/* A on side[0], B on side[1]. */
struct impact {
    struct side side[2];
    cn_mat33 K, K_inverse;
    struct cn_strike strike;
};

static cn_vec3
vector(const json_t *object, const char *key)
{
    double number[3];
    assert_int_equal(truth_member_numbers(object, key, number, 3), 3);
    return cn_vec3_make(number[0], number[1], number[2]);
}

static void
set_mass(struct side *side, double mass, cn_vec3 inertia)
{
    side->mass.linear = 1.0 / mass;
    side->mass.angular = cn_mat33_diagonal(1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z);
}

static cn_vec3
speed_at(const struct side *side)
{
    return cn_vec3_add(side->velocity, cn_vec3_cross(side->spin, side->arm));
}

/* States the strike of two sides. */
static void
state_strike(struct impact *impact, cn_vec3 normal, double e, double mu, bool literal)
{
    cn_mat33 A = cn_guendelman03_response(&impact->side[0].mass, impact->side[0].arm);
    cn_mat33 B = cn_guendelman03_response(&impact->side[1].mass, impact->side[1].arm);
    impact->K = (cn_mat33){
        cn_vec3_add(A.cx, B.cx), cn_vec3_add(A.cy, B.cy), cn_vec3_add(A.cz, B.cz)};
    impact->K_inverse = cn_mat33_invert_symmetric(&impact->K);
    normal = cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal));
    cn_vec3 u = cn_vec3_sub(speed_at(&impact->side[1]), speed_at(&impact->side[0]));
    impact->strike = (struct cn_strike){&impact->K, &impact->K_inverse, normal, u, u,
        -e * cn_vec3_dot(u, normal), mu, mu, literal};
}

static void
push(struct side *side, cn_vec3 j)
{
    side->velocity = cn_vec3_add_scaled(side->velocity, side->mass.linear, j);
    cn_vec3 turn = cn_mat33_apply(&side->mass.angular, cn_vec3_cross(side->arm, j));
    side->spin = cn_vec3_add(side->spin, turn);
}

static double
kinetic(const struct side *side)
{
    if (side->mass.linear == 0.0) {
        return 0.0;
    }
    cn_mat33 inertia = cn_mat33_invert_symmetric(&side->mass.angular);
    double turning = cn_vec3_dot(side->spin, cn_mat33_apply(&inertia, side->spin));
    return 0.5 * (cn_vec3_dot(side->velocity, side->velocity) / side->mass.linear + turning);
}

static void
expect_vector(const json_t *data, const char *key, cn_vec3 actual)
{
    cn_vec3 expected = vector(truth_member(data, "expect"), key);
    double tolerance = truth_tolerance(data, cn_vec3_length(expected));
    truth_near(actual.x, expected.x, tolerance, "%s.x", key);
    truth_near(actual.y, expected.y, tolerance, "%s.y", key);
    truth_near(actual.z, expected.z, tolerance, "%s.z", key);
}

static void
expect_column(const json_t *data, const json_t *row, cn_vec3 column)
{
    double expected[3];
    assert_int_equal(truth_numbers(row, expected, 3), 3); /* K is symmetric */
    double tolerance = truth_tolerance(data, hypot(hypot(expected[0], expected[1]), expected[2]));
    truth_near(column.x, expected[0], tolerance, "K");
    truth_near(column.y, expected[1], tolerance, "K");
    truth_near(column.z, expected[2], tolerance, "K");
}

/*
 * Strikes by the paper's formulas. For the case's numbers the guards in the engine have no effect.
 */
static struct cn_struck
strike(struct impact *impact, const json_t *data)
{
    struct cn_struck struck = cn_guendelman03_strike(&impact->strike);
    bool sticks = strcmp(truth_string(truth_member(data, "expect"), "kind"), "stick") == 0;
    assert_int_equal(struck.kind, sticks ? CN_STRIKE_STICK : CN_STRIKE_SLIDE);
    push(&impact->side[0], cn_vec3_negate(struck.impulse));
    push(&impact->side[1], struck.impulse);
    return struck;
}

void
truth_run_collide(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    struct impact impact = {0};
    set_mass(&impact.side[1], truth_member_number(given, "m1"), vector(given, "I1_diag"));
    if (!json_is_null(truth_member(given, "m2"))) {
        set_mass(&impact.side[0], truth_member_number(given, "m2"), vector(given, "I2_diag"));
    }
    const char *keys[2][3] = {{"r2", "v2", "w2"}, {"r1", "v1", "w1"}};
    for (int k = 0; k < 2; k++) {
        impact.side[k].arm = vector(given, keys[k][0]);
        impact.side[k].velocity = vector(given, keys[k][1]);
        impact.side[k].spin = vector(given, keys[k][2]);
    }
    for (int literal = 0; literal < 2; literal++) { /* no guard is needed here */
        struct impact copy = impact;
        state_strike(&copy, vector(given, "N"), truth_member_number(given, "e"),
            truth_member_number(given, "mu"), literal);
        copy.strike.K = &copy.K;
        copy.strike.K_inverse = &copy.K_inverse;
        const json_t *K = truth_member(expect, "K_T");
        expect_column(data, json_array_get(K, 0), copy.K.cx);
        expect_column(data, json_array_get(K, 1), copy.K.cy);
        expect_column(data, json_array_get(K, 2), copy.K.cz);
        expect_vector(data, "u_rel", copy.strike.u);
        truth_expect(data, "KE_before", kinetic(&copy.side[0]) + kinetic(&copy.side[1]));
        expect_vector(data, "j", strike(&copy, data).impulse);
        expect_vector(data, "v1", copy.side[1].velocity);
        expect_vector(data, "w1", copy.side[1].spin);
        expect_vector(data, "u_rel_after",
            cn_vec3_sub(speed_at(&copy.side[1]), speed_at(&copy.side[0])));
        truth_expect(data, "KE_after", kinetic(&copy.side[0]) + kinetic(&copy.side[1]));
    }
}

/* The guarded impulse: it pushes within the cone to the target, and adds no energy. */
static void
expect_sound(const struct impact *impact)
{
    struct cn_strike guarded = impact->strike;
    guarded.K = &impact->K;
    guarded.K_inverse = &impact->K_inverse;
    guarded.literal = false;
    cn_vec3 j = cn_guendelman03_strike(&guarded).impulse;
    double along = cn_vec3_dot(j, guarded.normal);
    cn_vec3 across = cn_vec3_add_scaled(j, -along, guarded.normal);
    cn_vec3 after = cn_vec3_add(guarded.u, cn_mat33_apply(&impact->K, j));
    double scale = cn_vec3_length(guarded.u), energy = cn_vec3_dot(j, guarded.u);
    energy += 0.5 * cn_vec3_dot(j, cn_mat33_apply(&impact->K, j));
    assert_true(along >= 0.0);
    assert_true(cn_vec3_length(across) <= guarded.resting * along * (1.0 + 1e-12) + 1e-300);
    truth_near(cn_vec3_dot(after, guarded.normal), guarded.target, 1e-8 * scale, "target");
    assert_true(energy <= 1e-10 * cn_vec3_length(j) * scale);
}

/* A rod at its tip, sliding away from its middle. */
void
truth_run_pitfall(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double sine, cosine, mu = truth_member_number(given, "mu");
    cn_sin_cos(truth_member_number(given, "theta_deg") * CN_PI / 180.0, &sine, &cosine);
    struct impact impact = {0};
    set_mass(&impact.side[1], 1.0, cn_vec3_make(1.0, 1.0 / 3.0, 1.0));
    impact.side[1].arm = cn_vec3_make(-cosine, 0.0, -sine);
    cn_vec3 away = cn_vec3_make(-10.0, 0.0, -1.0); /* so fast that it can not stick */
    for (int e = 0; e < 2; e++) {
        impact.side[1].velocity = away;
        state_strike(&impact, cn_vec3_make(0.0, 0.0, 1.0), e, mu, true);
        double divisor = impact.K.cz.z - mu * fabs(impact.K.cz.x);
        truth_expect(data, "K_nn", impact.K.cz.z);
        truth_expect(data, "K_nt_abs", fabs(impact.K.cz.x));
        truth_expect(data, "den", divisor);
        truth_expect(data, "mu_crit", impact.K.cz.z / fabs(impact.K.cz.x));
        struct cn_struck literal = cn_guendelman03_strike(&impact.strike);
        assert_true((1.0 + e) / divisor < 0.0); /* it would pull, */
        assert_int_equal(literal.kind, CN_STRIKE_STICK); /* but in a plane it is not asked */
        assert_true(literal.impulse.z > 0.0);
        expect_sound(&impact);
        impact.side[1].velocity.x = -away.x; /* the other way it is regular */
        state_strike(&impact, cn_vec3_make(0.0, 0.0, 1.0), e, mu, true);
        expect_sound(&impact);
    }
}

void
truth_run_energy_gain(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    struct impact impact = {0};
    cn_vec3 normal = cn_vec3_make(0.0, 0.0, 1.0);
    if (truth_has(given, "theta")) {
        double sine, cosine;
        cn_sin_cos(truth_member_number(given, "theta"), &sine, &cosine);
        set_mass(&impact.side[1], truth_member_number(given, "m"),
            cn_vec3_make(1.0, truth_member_number(given, "I"), 1.0));
        impact.side[1].arm = cn_vec3_scale(
            cn_vec3_make(-cosine, 0.0, -sine), truth_member_number(given, "half_length"));
    } else {
        set_mass(&impact.side[1], truth_member_number(given, "m"), vector(given, "I_diag"));
        impact.side[1].arm = vector(given, "r");
    }
    impact.side[1].velocity = vector(given, "v");
    state_strike(&impact, normal, truth_member_number(given, "e"),
        truth_member_number(given, "mu"), true);
    expect_sound(&impact);
    truth_expect(data, "KE_before", kinetic(&impact.side[1]));
    expect_vector(data, "j", strike(&impact, data).impulse);
    truth_expect(data, "KE_after", kinetic(&impact.side[1]));
    if (truth_has(truth_member(data, "expect"), "u_rel_after")) {
        expect_vector(data, "u_rel_after", speed_at(&impact.side[1]));
    }
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    cn_vec3 v;
    v.x = cn_rng_uniform(rng, -size, size);
    v.y = cn_rng_uniform(rng, -size, size);
    v.z = cn_rng_uniform(rng, -size, size);
    return v;
}

static struct impact
random_impact(struct cn_rng *rng, double e)
{
    struct impact impact = {0};
    for (int k = 0; k < 2; k++) {
        cn_vec3 inertia;
        inertia.x = cn_rng_uniform(rng, 0.02, 1.0);
        inertia.y = cn_rng_uniform(rng, 0.02, 1.0);
        inertia.z = cn_rng_uniform(rng, 0.02, 1.0);
        if (k == 1 || cn_rng_next(rng) % 2 == 0) {
            set_mass(&impact.side[k], cn_rng_uniform(rng, 0.1, 3.0), inertia);
        }
        impact.side[k].arm = random_vector(rng, 1.5);
        impact.side[k].velocity = random_vector(rng, 1.0);
        impact.side[k].spin = random_vector(rng, 1.0);
    }
    double mu = cn_rng_uniform(rng, 0.0, 2.0);
    state_strike(&impact, cn_vec3_make(0.0, 0.0, 1.0), e, mu, false);
    return impact;
}

void
truth_run_friction_cone(const json_t *data)
{
    struct cn_rng rng = {3};
    int guarded = 0, stuck = 0;
    (void)data;
    for (int i = 0; i < RANDOM_STRIKES; i++) {
        struct impact impact = random_impact(&rng, 0.5 * (i % 3));
        impact.strike.K = &impact.K;
        impact.strike.K_inverse = &impact.K_inverse;
        if (cn_vec3_dot(impact.strike.u, impact.strike.normal) < 0.0) {
            struct cn_struck struck = cn_guendelman03_strike(&impact.strike);
            guarded += struck.guarded;
            stuck += struck.kind == CN_STRIKE_STICK;
            expect_sound(&impact);
        }
    }
    assert_true(guarded > RANDOM_STRIKES / 1000); /* the guards were tried */
    assert_true(stuck > RANDOM_STRIKES / 20);
}

void
truth_run_combined(const json_t *data)
{
    struct cn_rng rng = {7};
    double tolerance = 1e3 * truth_tolerance(data, 1.0); /* of entries of size 1 to 1000 */
    for (int i = 0; i < 1000; i++) {
        struct impact impact = random_impact(&rng, 0.0);
        struct cn_area area = {0};
        cn_vec3 x[2];
        for (int k = 0; k < 2; k++) { /* the contact is one point of the world */
            x[k] = random_vector(&rng, 2.0);
            impact.side[k].arm = cn_vec3_sub(cn_vec3_make(0.3, 0.2, 0.1), x[k]);
            cn_guendelman03_area_add(&area, &impact.side[k].mass, impact.side[k].arm, x[k]);
        }
        cn_vec3 du = random_vector(&rng, 1.0), dw = random_vector(&rng, 1.0), j, q;
        assert_true(cn_guendelman03_area_solve(&area, du, dw, &j, &q));
        cn_vec3 u = cn_vec3_add(cn_mat33_apply(&area.K1, j), cn_mat33_apply(&area.K2, q));
        cn_vec3 w = cn_vec3_add(cn_mat33_apply(&area.K3, j), cn_mat33_apply(&area.K4, q));
        truth_near(cn_vec3_length(cn_vec3_sub(u, du)), 0.0, tolerance, "u'");
        truth_near(cn_vec3_length(cn_vec3_sub(w, dw)), 0.0, tolerance, "w'");
        /* An impulse at the point is one on an area with q its moment about the origin. */
        j = random_vector(&rng, 1.0);
        q = cn_vec3_cross(cn_vec3_make(0.3, 0.2, 0.1), j);
        state_strike(&impact, cn_vec3_make(0.0, 0.0, 1.0), 0.0, 0.0, false);
        cn_vec3 both = cn_vec3_add(cn_mat33_apply(&area.K1, j), cn_mat33_apply(&area.K2, q));
        both = cn_vec3_sub(both, cn_mat33_apply(&impact.K, j));
        truth_near(cn_vec3_length(both), 0.0, tolerance, "K1 j + K2 q - K j");
    }
}

/* The impulse that gives a normal velocity u. */
static double
push_along(double K, double u, double target)
{
    cn_mat33 matrix = cn_mat33_diagonal(K, K, K), inverse = cn_mat33_diagonal(1 / K, 1 / K, 1 / K);
    struct cn_strike strike = {&matrix, &inverse, {0.0, 1.0, 0.0}, {0.0, u, 0.0}, {0.0, u, 0.0},
        target, 0.0, 0.0, false};
    return cn_guendelman03_strike(&strike).impulse.y;
}

void
truth_run_gradual(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double e[CUBES_MAX], after[CUBES_MAX], v = truth_member_number(given, "v");
    int n = (int)truth_member_number(given, "n_iter");
    assert_int_equal(truth_member_numbers(expect, "e_seq", e, CUBES_MAX), n);
    assert_int_equal(truth_member_numbers(expect, "v_after", after, CUBES_MAX), n);
    for (int k = 0; k < n; k++) {
        double restitution = cn_guendelman03_restitution(k, n);
        truth_near(restitution, e[k], truth_tolerance(data, 1.0), "e[%d]", k);
        v += push_along(1.0, v, -restitution * v);
        truth_near(v, after[k], truth_tolerance(data, 1.0), "v[%d]", k);
    }
}
