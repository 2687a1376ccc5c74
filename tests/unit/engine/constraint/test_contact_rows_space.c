/*
 * test_contact_rows_space.c: in space too, rows and biases are the time derivatives of what they
 * belong to: of the gap twice, of the relative velocity at the contact once.
 *
 * The derivatives are taken numerically along a motion with constant accelerations, whose rotation
 * is the quaternion's own power series; two cases are typed in by hand.
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

#define KIND_COUNT 6

struct pair {
    struct cn_model model;
    struct cn_body body[2];
    struct cn_motion motion[2];
    cn_vec3 acceleration[2], spin_rate[2];
    struct cn_contact contact;
};

static cn_quat
quat_multiply(cn_quat p, cn_quat q)
{
    return (cn_quat){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

/* q' = W q / 2, so q'' = (W' / 2 + W W / 4) q and so on, with W' constant. */
static cn_quat
turned(cn_quat q, cn_vec3 w, cn_vec3 rate, double t)
{
    const cn_quat spin = {0.0, w.x, w.y, w.z}, change = {0.0, rate.x, rate.y, rate.z};
    cn_quat term[7] = {q}, sum = q;
    double power = 1.0;
    for (int k = 1; k < 7; k++) {
        /* Taylor: k c[k] = (W c[k-1] + W' c[k-2]) / 2 */
        cn_quat next = quat_multiply(spin, term[k - 1]);
        if (k > 1) {
            cn_quat more = quat_multiply(change, term[k - 2]);
            next = (cn_quat){next.w + more.w, next.x + more.x, next.y + more.y, next.z + more.z};
        }
        double scale = 0.5 / k;
        term[k] = (cn_quat){scale * next.w, scale * next.x, scale * next.y, scale * next.z};
        power *= t;
        sum.w += power * term[k].w;
        sum.x += power * term[k].x;
        sum.y += power * term[k].y;
        sum.z += power * term[k].z;
    }
    return sum;
}

static struct cn_motion
at(const struct pair *pair, int i, double t)
{
    struct cn_motion motion = pair->motion[i];
    motion.position = cn_vec3_add_scaled(motion.position, t, pair->motion[i].velocity);
    motion.position = cn_vec3_add_scaled(motion.position, 0.5 * t * t, pair->acceleration[i]);
    motion.velocity = cn_vec3_add_scaled(motion.velocity, t, pair->acceleration[i]);
    motion.orientation = turned(motion.orientation, motion.angular_velocity, pair->spin_rate[i], t);
    motion.angular_velocity = cn_vec3_add_scaled(motion.angular_velocity, t, pair->spin_rate[i]);
    return motion;
}

static struct cn_contact
contact_at(const struct pair *pair, double t, struct cn_motion motion[2])
{
    struct cn_contact contact = pair->contact;
    cn_pose pose[2];
    for (int i = 0; i < 2; i++) {
        motion[i] = at(pair, i, t);
        pose[i] = cn_motion_pose(&motion[i], CN_SPATIAL);
    }
    cn_contact_place(&contact, &pose[0], &pose[1]);
    return contact;
}

static double
gap_at(const struct pair *pair, double t)
{
    struct cn_motion motion[2];
    return contact_at(pair, t, motion).gap;
}

/* The relative velocity of the bodies at the contact's point, along a fixed direction. */
static double
slip_at(const struct pair *pair, double t, cn_vec3 direction)
{
    struct cn_motion m[2];
    cn_vec3 point = contact_at(pair, t, m).point, v[2];
    for (int i = 0; i < 2; i++) {
        cn_vec3 arm = cn_vec3_sub(point, m[i].position);
        v[i] = cn_vec3_add(m[i].velocity, cn_vec3_cross(m[i].angular_velocity, arm));
    }
    return cn_vec3_dot(direction, cn_vec3_sub(v[1], v[0]));
}

static double
by_accelerations(const struct pair *pair, const struct cn_row *row)
{
    return cn_vec3_dot(row->linear_a, pair->acceleration[0]) +
           cn_vec3_dot(row->angular_a, pair->spin_rate[0]) +
           cn_vec3_dot(row->linear_b, pair->acceleration[1]) +
           cn_vec3_dot(row->angular_b, pair->spin_rate[1]);
}

static void
check_gap(const struct pair *pair, const cn_pose pose[2])
{
    struct cn_row row;
    cn_contact_row(&pair->model, pair->motion, pose, &pair->contact, &row);
    double k = 1e-3; /* fourth-order central differences */
    double first =
        (gap_at(pair, -2 * k) - 8 * gap_at(pair, -k) + 8 * gap_at(pair, k) - gap_at(pair, 2 * k)) /
        (12 * k);
    assert_near(
        cn_contact_rate(pair->motion, &pair->contact, &row), first, 1e-6 * fmax(1.0, fabs(first)));

    double second = (-gap_at(pair, 2 * k) + 16 * gap_at(pair, k) - 30 * gap_at(pair, 0) +
                        16 * gap_at(pair, -k) - gap_at(pair, -2 * k)) /
                    (12 * k * k);
    double bias = cn_contact_bias(pair->motion, pose, &pair->contact);
    assert_near(by_accelerations(pair, &row) + bias, second, 1e-5 * fmax(1.0, fabs(second)));
}

static void
check_slip(const struct pair *pair, const cn_pose pose[2])
{
    struct cn_row rows[2];
    cn_vec3 t[2], n = pair->contact.normal;
    assert_int_equal(
        cn_contact_tangent_rows(&pair->model, pair->motion, pose, &pair->contact, rows, t), 2);
    assert_near(cn_vec3_dot(t[0], n), 0.0, 1e-14);
    assert_near(cn_vec3_dot(t[1], n), 0.0, 1e-14);
    assert_near(cn_vec3_dot(t[0], t[1]), 0.0, 1e-14);
    assert_near(cn_vec3_length(t[0]), 1.0, 1e-14);
    assert_near(cn_vec3_length(t[1]), 1.0, 1e-14);
    for (int i = 0; i < 2; i++) {
        double rate = cn_contact_rate(pair->motion, &pair->contact, &rows[i]);
        assert_near(rate, slip_at(pair, 0.0, t[i]), 1e-12 * fmax(1.0, fabs(rate)));
        double k = 1e-3;
        double change = (slip_at(pair, -2 * k, t[i]) - 8 * slip_at(pair, -k, t[i]) +
                            8 * slip_at(pair, k, t[i]) - slip_at(pair, 2 * k, t[i])) /
                        (12 * k);
        double bias = cn_contact_tangent_bias(pair->motion, pose, &pair->contact, t[i]);
        assert_near(
            by_accelerations(pair, &rows[i]) + bias, change, 1e-5 * fmax(1.0, fabs(change)));
    }
}

/*
 * The part of the relative angular velocity about the normal, or without that part, along a fixed
 * axis.
 */
static double
turn_at(const struct pair *pair, double t, cn_vec3 axis, bool about_normal)
{
    struct cn_motion m[2];
    cn_vec3 n = contact_at(pair, t, m).normal;
    cn_vec3 w = cn_vec3_sub(m[1].angular_velocity, m[0].angular_velocity);
    double along = cn_vec3_dot(n, w);
    return about_normal ? along : cn_vec3_dot(axis, cn_vec3_add_scaled(w, -along, n));
}

static void
check_moments(const struct pair *pair, const cn_pose pose[2])
{
    struct cn_row rows[3];
    assert_int_equal(cn_contact_moment_rows(&pair->model, &pair->contact, rows), 3);
    for (int i = 0; i < 3; i++) {
        cn_vec3 axis = rows[i].angular_b;
        double rate = cn_contact_rate(pair->motion, &pair->contact, &rows[i]);
        assert_near(rate, turn_at(pair, 0.0, axis, i == 2), 1e-12 * fmax(1.0, fabs(rate)));
        double k = 1e-3;
        double change =
            (turn_at(pair, -2 * k, axis, i == 2) - 8 * turn_at(pair, -k, axis, i == 2) +
                8 * turn_at(pair, k, axis, i == 2) - turn_at(pair, 2 * k, axis, i == 2)) /
            (12 * k);
        double bias = cn_contact_moment_bias(pair->motion, pose, &pair->contact, axis);
        assert_near(
            by_accelerations(pair, &rows[i]) + bias, change, 1e-5 * fmax(1.0, fabs(change)));
    }
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size);
    double y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

static cn_vec3
random_direction(struct cn_rng *rng)
{
    for (;;) {
        cn_vec3 v = random_vector(rng, 1.0);
        double length = cn_vec3_length(v);
        if (length > 0.1 && length < 1.0) {
            return cn_vec3_scale(v, 1.0 / length);
        }
    }
}

static cn_quat
random_quat(struct cn_rng *rng)
{
    cn_vec3 axis = random_direction(rng);
    double s, c;
    cn_sin_cos(cn_rng_uniform(rng, 0.0, 3.0), &s, &c);
    return (cn_quat){c, s * axis.x, s * axis.y, s * axis.z};
}

static void
test_derivatives(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 11};
    int tried[KIND_COUNT] = {0};
    for (int k = 0; k < 900; k++) {
        struct pair pair = {
            .model = {.body = pair.body, .body_count = 2, .settings.dimension = CN_SPATIAL}};
        cn_pose pose[2];
        for (int i = 0; i < 2; i++) {
            pair.body[i].mass_inverse = 1.0;
            pair.motion[i].position = random_vector(&rng, 1.5);
            pair.motion[i].orientation = random_quat(&rng);
            pair.motion[i].velocity = random_vector(&rng, 2.0);
            pair.motion[i].angular_velocity = random_vector(&rng, 2.0);
            pair.acceleration[i] = random_vector(&rng, 3.0);
            pair.spin_rate[i] = random_vector(&rng, 3.0);
        }
        pair.motion[1].position.x += 5.0;
        for (int i = 0; i < 2; i++) {
            pose[i] = cn_motion_pose(&pair.motion[i], CN_SPATIAL);
        }
        pair.contact = (struct cn_contact){
            .body_a = 0,
            .body_b = 1,
            .kind = (enum cn_contact_kind)(k % KIND_COUNT),
            .anchor_a = random_vector(&rng, 1.0),
            .anchor_b = random_vector(&rng, 1.0),
            .face_normal = random_direction(&rng),
            .edge_a = random_direction(&rng),
            .edge_b = random_direction(&rng),
            .radius = 0.3,
            .radius_a = 0.1,
        };
        cn_vec3 edge_a = cn_pose_turn(&pose[0], pair.contact.edge_a);
        cn_vec3 edge_b = cn_pose_turn(&pose[1], pair.contact.edge_b);
        bool crosses = cn_vec3_length(cn_vec3_cross(edge_a, edge_b)) > 0.4;
        cn_contact_place(&pair.contact, &pose[0], &pose[1]);
        bool of_distance =
            pair.contact.kind == CN_CONTACT_POINTS || pair.contact.kind >= CN_CONTACT_LINE_A;
        if ((pair.contact.kind == CN_CONTACT_EDGES && !crosses) ||
            (of_distance && pair.contact.gap < 1.0)) {
            continue; /* too quick for differences */
        }
        tried[pair.contact.kind]++;
        check_gap(&pair, pose);
        check_slip(&pair, pose);
        check_moments(&pair, pose);
    }
    for (int i = 0; i < KIND_COUNT; i++) {
        assert_true(tried[i] >= 60);
    }
}

/*
 * A ball of radius 0.5 rolls on a plane and spins about the normal: centre at 2 m/s along x, w =
 * (0, 3, -4).  u stays 0, so there is no bias, though the ball's material at the contact
 * accelerates by w x (w x r) = (0, 8, 6) m/s^2.
 */
static void
test_rolling_and_spinning(void **state)
{
    (void)state;
    struct pair pair = {
        .model = {.body = pair.body, .body_count = 2, .settings.dimension = CN_SPATIAL}};
    pair.body[1].mass_inverse = 1.0;
    pair.motion[0].orientation = pair.motion[1].orientation = cn_quat_identity();
    pair.motion[1].position.y = 0.5;
    pair.motion[1].velocity.x = 2.0;
    pair.motion[1].angular_velocity = cn_vec3_make(0.0, 3.0, -4.0);
    pair.contact = (struct cn_contact){.body_a = 0,
        .body_b = 1,
        .kind = CN_CONTACT_FACE_A,
        .face_normal = {0.0, 1.0, 0.0},
        .radius = 0.5};
    cn_pose pose[2];
    for (int i = 0; i < 2; i++) {
        pose[i] = cn_motion_pose(&pair.motion[i], CN_SPATIAL);
    }
    cn_contact_place(&pair.contact, &pose[0], &pose[1]);
    struct cn_row rows[2];
    cn_vec3 t[2];
    cn_contact_tangent_rows(&pair.model, pair.motion, pose, &pair.contact, rows, t);
    assert_near(t[0].x, 1.0, 0.0);
    assert_near(t[1].z, -1.0, 0.0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rows[i].body_a, -1);
        assert_int_equal(rows[i].body_b, 1);
        assert_near(cn_contact_rate(pair.motion, &pair.contact, &rows[i]), 0.0, 1e-15);
        double bias = cn_contact_tangent_bias(pair.motion, pose, &pair.contact, t[i]);
        assert_near(bias, 0.0, 1e-14);
    }
}

/* The moments of that ball: it turns about z at -4 rad/s and about the normal at 3 rad/s. */
static void
test_moment_rows(void **state)
{
    (void)state;
    struct pair pair = {
        .model = {.body = pair.body, .body_count = 2, .settings.dimension = CN_SPATIAL}};
    pair.body[1].mass_inverse = 1.0;
    pair.motion[1].angular_velocity = cn_vec3_make(0.0, 3.0, -4.0);
    pair.contact = (struct cn_contact){.body_a = 0, .body_b = 1, .normal = {0.0, 1.0, 0.0}};
    static const double rate[3] = {0.0, 4.0, 3.0}; /* about x, -z and y */
    struct cn_row rows[3];
    assert_int_equal(cn_contact_moment_rows(&pair.model, &pair.contact, rows), 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(rows[k].body_a, -1);
        assert_int_equal(rows[k].body_b, 1);
        assert_near(cn_contact_rate(pair.motion, &pair.contact, &rows[k]), rate[k], 1e-15);
        assert_near(cn_vec3_length(rows[k].linear_b), 0.0, 0.0);
    }
    pair.motion[0].angular_velocity.y = 1.0; /* a turntable below it, which no force moves */
    assert_near(cn_contact_rate(pair.motion, &pair.contact, &rows[2]), 2.0, 1e-15);

    pair.model.settings.dimension = CN_PLANAR;
    assert_int_equal(cn_contact_moment_rows(&pair.model, &pair.contact, rows), 1);
    assert_near(rows[0].angular_b.z, 1.0, 0.0);
    assert_near(cn_contact_rate(pair.motion, &pair.contact, &rows[0]), -4.0, 1e-15);
}

/* Two crossed rods, a quarter turn apart: the feet are at the crossing, 0.2 m above each other. */
static void
test_crossed_edges(void **state)
{
    (void)state;
    const cn_pose pose_a = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    const cn_pose pose_b = {{0.3, 0.2, -0.4}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    struct cn_contact contact = {.kind = CN_CONTACT_EDGES,
        .anchor_a = {-1.0, 0.0, 0.0},
        .anchor_b = {0.0, 0.0, 1.0},
        .edge_a = {1.0, 0.0, 0.0},
        .edge_b = {0.0, 0.0, -1.0},
        .edge_length_a = 2.0,
        .edge_length_b = 2.0,
        .radius = 0.05,
        .radius_a = 0.03};
    cn_contact_place(&contact, &pose_a, &pose_b);
    assert_near(contact.normal.y, 1.0, 0.0);
    assert_near(contact.gap, 0.15, 1e-15);
    assert_near(contact.point.x, 0.3, 1e-15);
    assert_near(contact.point.y, 0.03 + 0.075, 1e-15);
    assert_near(contact.point.z, 0.0, 1e-15);
    assert_near(contact.overhang, -0.6, 1e-15); /* the end of B's rod is nearest: 0.6 m */
    cn_vec3 foot_a, foot_b;
    cn_contact_feet(&contact, &pose_a, &pose_b, &foot_a, &foot_b);
    assert_near(foot_a.x, 0.3, 1e-15);
    assert_near(foot_b.z, 0.4, 1e-15);
}

/* A body without an inverse mass has no side in any row, so it gets no force. */
static void
test_fixed_sides(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 3; fixed++) {
        struct pair pair = {0};
        struct cn_row row, rows[2];
        cn_vec3 directions[2];
        pair.model = (struct cn_model){.body_count = 2, .body = pair.body, .motion = pair.motion};
        pair.model.settings.dimension = CN_SPATIAL;
        for (int i = 0; i < 2; i++) {
            pair.body[i].mass_inverse = fixed == i + 1 ? 0.0 : 1.0;
            pair.motion[i].orientation = cn_quat_identity();
        }
        pair.motion[1].position.y = 1.0;
        pair.contact = (struct cn_contact){.body_b = 1, .kind = CN_CONTACT_FACE_A,
            .normal = {0.0, 1.0, 0.0}, .face_normal = {0.0, 1.0, 0.0}};
        cn_pose pose[2];
        for (int i = 0; i < 2; i++) {
            pose[i] = cn_motion_pose(&pair.motion[i], CN_SPATIAL);
        }
        cn_contact_row(&pair.model, pair.motion, pose, &pair.contact, &row);
        assert_int_equal(row.body_a, fixed == 1 ? -1 : 0);
        assert_int_equal(row.body_b, fixed == 2 ? -1 : 1);
        int count = cn_contact_tangent_rows(
            &pair.model, pair.motion, pose, &pair.contact, rows, directions);
        assert_int_equal(count, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(rows[i].body_a, row.body_a);
            assert_int_equal(rows[i].body_b, row.body_b);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_rolling_and_spinning),
        cmocka_unit_test(test_moment_rows),
        cmocka_unit_test(test_crossed_edges),
        cmocka_unit_test(test_fixed_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
