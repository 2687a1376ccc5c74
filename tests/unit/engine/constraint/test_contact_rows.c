/*
 * test_contact_rows.c: rows and biases are the first and second time derivatives of the gap.
 *
 * The derivatives are computed numerically from cn_contact_place along a motion with constant
 * accelerations.  This shares no formula with the tested code.  Two cases have answers by hand.
 */
#include "engine/base/rng.h"
#include "engine/constraint/contact_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

struct pair {
    struct cn_model model;
    struct cn_body body[2];
    struct cn_motion motion[2];
    cn_vec3 acceleration[2];
    double spin_rate[2]; /* angular acceleration */
    struct cn_contact contact;
};

static struct cn_motion
at(const struct pair *pair, int i, double t)
{
    struct cn_motion motion = pair->motion[i];
    motion.position = cn_vec3_add_scaled(motion.position, t, pair->motion[i].velocity);
    motion.position = cn_vec3_add_scaled(motion.position, 0.5 * t * t, pair->acceleration[i]);
    motion.velocity = cn_vec3_add_scaled(motion.velocity, t, pair->acceleration[i]);
    motion.angle +=
        t * pair->motion[i].angular_velocity.z + 0.5 * t * t * pair->spin_rate[i];
    motion.angular_velocity.z += t * pair->spin_rate[i];
    return motion;
}

static double
gap_at(const struct pair *pair, double t)
{
    struct cn_contact contact = pair->contact;
    struct cn_motion a = at(pair, 0, t), b = at(pair, 1, t);
    cn_pose pose_a = cn_motion_pose(&a, CN_PLANAR), pose_b = cn_motion_pose(&b, CN_PLANAR);
    cn_contact_place(&contact, &pose_a, &pose_b);
    return contact.gap;
}

static void
check_pair(struct pair *pair)
{
    cn_pose pose[2];
    for (int i = 0; i < 2; i++) {
        pose[i] = cn_motion_pose(&pair->motion[i], CN_PLANAR);
    }
    cn_contact_place(&pair->contact, &pose[0], &pose[1]);
    struct cn_row row;
    cn_contact_row(&pair->model, pair->motion, pose, &pair->contact, &row);

    double k = 1e-3; /* fourth-order central differences */
    double first = (gap_at(pair, -2 * k) - 8 * gap_at(pair, -k) + 8 * gap_at(pair, k) -
                       gap_at(pair, 2 * k)) /
                   (12 * k);
    double rate = cn_contact_rate(pair->motion, &pair->contact, &row);
    assert_near(rate, first, 1e-7 * fmax(1.0, fabs(first)));

    double second = (-gap_at(pair, 2 * k) + 16 * gap_at(pair, k) - 30 * gap_at(pair, 0) +
                        16 * gap_at(pair, -k) - gap_at(pair, -2 * k)) /
                    (12 * k * k);
    double free_part = cn_vec3_dot(row.linear_a, pair->acceleration[0]) +
                       row.angular_a.z * pair->spin_rate[0] +
                       cn_vec3_dot(row.linear_b, pair->acceleration[1]) +
                       row.angular_b.z * pair->spin_rate[1];
    double bias = cn_contact_bias(pair->motion, pose, &pair->contact);
    assert_near(free_part + bias, second, 1e-6 * fmax(1.0, fabs(second)));
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size);
    double y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, 0.0);
}

static void
test_derivatives(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 7};
    for (int k = 0; k < 300; k++) {
        struct pair pair = {.model = {.body = pair.body, .body_count = 2}};
        for (int i = 0; i < 2; i++) {
            pair.body[i].mass_inverse = 1.0;
            pair.motion[i].position = random_vector(&rng, 2.0);
            pair.motion[i].velocity = random_vector(&rng, 3.0);
            pair.motion[i].angle = cn_rng_uniform(&rng, -3.0, 3.0);
            pair.motion[i].angular_velocity.z = cn_rng_uniform(&rng, -4.0, 4.0);
            pair.acceleration[i] = random_vector(&rng, 5.0);
            pair.spin_rate[i] = cn_rng_uniform(&rng, -5.0, 5.0);
        }
        pair.motion[1].position.x += 6.0; /* POINTS has no direction where they coincide */
        double turn = cn_rng_uniform(&rng, -3.0, 3.0), sine, cosine;
        cn_sin_cos(turn, &sine, &cosine);
        pair.contact = (struct cn_contact){
            .body_a = 0,
            .body_b = 1,
            .kind = (enum cn_contact_kind)(k % 4), /* FACE_A to HOLLOW */
            .anchor_a = random_vector(&rng, 1.0),
            .anchor_b = random_vector(&rng, 1.0),
            .face_normal = {cosine, sine, 0.0},
            .radius = k % 4 == CN_CONTACT_HOLLOW ? -9.0 : 0.3,
        };
        check_pair(&pair);
    }
}

/*
 * The velocity term of the gap's acceleration, 2 n' . (p1' - p2'), for a face that turns at 2 rad/s
 * under a point that slides at 0.3 m/s: n = (0, 1), n' = (-2, 0), term -1.2 m/s^2.
 */
static void
test_turning_normal(void **state)
{
    (void)state;
    struct pair pair = {.model = {.body = pair.body, .body_count = 2}};
    pair.body[0].mass_inverse = pair.body[1].mass_inverse = 1.0;
    pair.motion[0].angular_velocity.z = 2.0; /* A owns the face, at the origin */
    pair.motion[1].velocity.x = 0.3;         /* B is the point, also at the origin */
    pair.contact = (struct cn_contact){
        .body_a = 0, .body_b = 1, .kind = CN_CONTACT_FACE_A, .face_normal = {0.0, 1.0, 0.0}};
    cn_pose pose[2];
    for (int i = 0; i < 2; i++) {
        pose[i] = cn_motion_pose(&pair.motion[i], CN_PLANAR);
    }
    cn_contact_place(&pair.contact, &pose[0], &pose[1]);
    assert_near(cn_contact_bias(pair.motion, pose, &pair.contact), -1.2, 1e-12);
}

/* A wheel of radius 0.5 rolling over a point at the speed of its rim: |v_t|^2 / distance. */
static void
test_round(void **state)
{
    (void)state;
    struct pair pair = {.model = {.body = pair.body, .body_count = 2}};
    pair.body[1].mass_inverse = 1.0;
    pair.motion[1].position.y = 0.5;
    pair.motion[1].velocity.x = 2.0;
    pair.contact = (struct cn_contact){
        .body_a = 0, .body_b = 1, .kind = CN_CONTACT_POINTS, .radius = 0.5};
    cn_pose pose[2];
    for (int i = 0; i < 2; i++) {
        pose[i] = cn_motion_pose(&pair.motion[i], CN_PLANAR);
    }
    cn_contact_place(&pair.contact, &pose[0], &pose[1]);
    assert_near(cn_contact_bias(pair.motion, pose, &pair.contact), 4.0 / 0.5, 1e-12);
    struct cn_row row;
    cn_contact_row(&pair.model, pair.motion, pose, &pair.contact, &row);
    assert_int_equal(row.body_a, -1); /* its mass is infinite */
    assert_int_equal(row.body_b, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_turning_normal),
        cmocka_unit_test(test_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
