/*
 * test_joint.c: rates and biases of every joint are the first and second derivatives of its gaps.
 *
 * Derivatives are taken numerically along a motion of both ends, by five points of which no formula
 * is shared with the code under test.  Joints are pulled apart first: rows are exact off their
 * manifold too.
 */
#include "engine/base/rng.h"
#include "engine/constraint/joint.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/joints.h"

#define STEP 1e-3
#define TRIALS 40

struct moving {
    struct jointed all;
    cn_vec3 acceleration[2];
    double spin_rate[2]; /* planar */
};

static cn_vec3
random_vector(struct cn_rng *rng, bool planar)
{
    double z = cn_rng_uniform(rng, -1.0, 1.0);
    return cn_vec3_make(
        cn_rng_uniform(rng, -1.0, 1.0), cn_rng_uniform(rng, -1.0, 1.0), planar ? 0.0 : z);
}

static cn_quat
multiply(cn_quat a, cn_quat b)
{
    return (cn_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* The rotation by |turn| about it. */
static cn_quat
rotation(cn_vec3 turn)
{
    double angle = cn_vec3_length(turn), sine, cosine;
    cn_sin_cos(0.5 * angle, &sine, &cosine);
    double s = angle > 0.0 ? sine / angle : 0.0;
    return (cn_quat){cosine, s * turn.x, s * turn.y, s * turn.z};
}

static struct cn_motion
at(const struct moving *m, int i, double t)
{
    struct cn_motion motion = m->all.motion[i];
    motion.position = cn_vec3_add_scaled(motion.position, t, motion.velocity);
    motion.position = cn_vec3_add_scaled(motion.position, 0.5 * t * t, m->acceleration[i]);
    motion.velocity = cn_vec3_add_scaled(motion.velocity, t, m->acceleration[i]);
    if (m->all.model.settings.dimension == CN_PLANAR) {
        motion.angle += t * motion.angular_velocity.z + 0.5 * t * t * m->spin_rate[i];
        motion.angular_velocity.z += t * m->spin_rate[i];
    } else {
        motion.orientation = multiply(
            rotation(cn_vec3_scale(motion.angular_velocity, t)), motion.orientation);
    }
    return motion;
}

static int
rows_at(const struct moving *m, double t, struct cn_joint_row *rows)
{
    struct cn_motion motion[2] = {at(m, 0, t), at(m, 1, t)};
    return jointed_rows(&m->all, motion, rows);
}

static cn_mat33
tilted_about_y(double angle)
{
    double sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    return (cn_mat33){{cosine, 0.0, -sine}, {0.0, 1.0, 0.0}, {sine, 0.0, cosine}};
}

/* Two bodies that move, and one joint between them that is a little off. */
static void
make_pair(struct moving *m, struct cn_rng *rng, enum cn_dimension dimension,
    enum cn_joint_kind kind)
{
    bool planar = dimension == CN_PLANAR;
    jointed_init(&m->all, dimension);
    for (int i = 0; i < 2; i++) {
        jointed_body(&m->all, random_vector(rng, planar), 1.0 + i, 0.5 + i);
        if (planar) {
            m->all.motion[i].angle = cn_rng_uniform(rng, -3.0, 3.0);
        } else {
            m->all.motion[i].orientation = rotation(random_vector(rng, false));
        }
    }
    cn_mat33 frame = cn_mat33_about_z(0.6, 0.8);
    if (!planar) {
        frame = cn_quat_to_mat33(rotation(random_vector(rng, false)));
    }
    cn_vec3 anchor = random_vector(rng, planar);
    cn_vec3 other = kind == CN_JOINT_DISTANCE || kind == CN_JOINT_ROPE
                        ? cn_vec3_add(anchor, cn_vec3_make(0.9, 0.7, 0.0))
                        : anchor;
    bool track = kind == CN_JOINT_TRACK;
    struct cn_joint *joint =
        jointed_joint(&m->all, kind, track ? -1 : 0, 1, anchor, other, &frame);
    joint->has_limit = kind == CN_JOINT_HINGE || kind == CN_JOINT_SLIDER || kind == CN_JOINT_ROPE;
    joint->lower = kind == CN_JOINT_ROPE ? -HUGE_VAL : -0.25;
    joint->upper = 1.5;
    joint->has_motor = joint->has_limit || track;
    if (kind == CN_JOINT_BALL && !planar) {
        joint->has_limit = joint->has_cone = true;
        joint->cone = 1.0;
        joint->friction = 2.0;
        cn_mat33 swing = tilted_about_y(0.8); /* near 0 its derivatives are large */
        joint->frame_b = cn_mat33_multiply(&joint->frame_b, &swing);
    }
    joint->motor_speed = 0.75;
    joint->motor_force_max = 3.0;
    m->all.model.curve_count = 1;
    m->all.curve[0] = (struct cn_curve){.kind = CN_CURVE_CIRCLE,
        .origin = cn_vec3_add(anchor, cn_vec3_make(1.5, -0.5, 0.0)),
        .radius = 1.6};
    for (int i = 0; i < 2; i++) {
        struct cn_motion *motion = &m->all.motion[i];
        motion->position =
            cn_vec3_add_scaled(motion->position, 0.05, random_vector(rng, planar));
        motion->velocity = random_vector(rng, planar);
        motion->angular_velocity = random_vector(rng, false);
        if (planar) {
            motion->angle += cn_rng_uniform(rng, -0.1, 0.1);
            motion->angular_velocity.x = motion->angular_velocity.y = 0.0;
        } else {
            motion->orientation = multiply(
                rotation(cn_vec3_scale(random_vector(rng, false), 0.1)), motion->orientation);
        }
        m->acceleration[i] = random_vector(rng, planar);
        m->spin_rate[i] = cn_rng_uniform(rng, -1.0, 1.0);
    }
}

static double
row_product(const struct cn_row *row, const cn_vec3 *linear, const cn_vec3 *angular)
{
    double sum = 0.0;
    if (row->body_a >= 0) {
        sum += cn_vec3_dot(row->linear_a, linear[row->body_a]) +
               cn_vec3_dot(row->angular_a, angular[row->body_a]);
    }
    return sum + cn_vec3_dot(row->linear_b, linear[row->body_b]) +
           cn_vec3_dot(row->angular_b, angular[row->body_b]);
}

/* The five-point first derivative. */
static double
slope(const double *f)
{
    return (f[0] - 8.0 * f[1] + 8.0 * f[3] - f[4]) / (12.0 * STEP);
}

static void
check_rows(const struct moving *m, bool twists)
{
    struct cn_joint_row rows[5][CN_JOINT_PARTS];
    int count = rows_at(m, -2.0 * STEP, rows[0]);
    for (int k = 1; k < 5; k++) {
        assert_int_equal(rows_at(m, (k - 2) * STEP, rows[k]), count);
    }
    assert_true(count <= cn_joint_row_count_max(&m->all.model));
    const struct cn_motion *motion = m->all.motion;
    cn_vec3 velocity[2], spin[2], turning[2];
    for (int i = 0; i < 2; i++) {
        velocity[i] = motion[i].velocity;
        spin[i] = motion[i].angular_velocity;
        bool planar = m->all.model.settings.dimension == CN_PLANAR;
        turning[i] = cn_vec3_make(0.0, 0.0, planar ? m->spin_rate[i] : 0.0);
    }
    double square[5] = {0}, sum = 0.0;
    for (int r = 0; r < count; r++) {
        const struct cn_joint_row *row = &rows[2][r];
        double gap[5], rate[5];
        for (int k = 0; k < 5; k++) {
            assert_true(rows[k][r].id == row->id);
            gap[k] = rows[k][r].gap;
            rate[k] = rows[k][r].rate;
        }
        bool motor = row->tag == CN_ROW_BOUNDED && m->all.joint[0].has_motor;
        double target = motor ? m->all.joint[0].motor_speed : 0.0;
        double second = row_product(&row->row, m->acceleration, turning) + row->bias;
        assert_near(row->rate + target, row_product(&row->row, velocity, spin), 1e-12);
        if (twists && row->tag == CN_ROW_BILATERAL) {
            for (int k = 0; k < 5; k++) {
                square[k] += gap[k] * gap[k];
            }
            sum += row->rate * row->rate + row->gap * second;
            continue;
        }
        assert_near(slope(rate), second, 1e-8 * (1.0 + fabs(second)));
        if (row->tag != CN_ROW_BOUNDED) {
            assert_near(slope(gap), row->rate, 1e-9 * (1.0 + fabs(row->rate)));
        }
    }
    double bend = (-square[0] + 16.0 * square[1] - 30.0 * square[2] + 16.0 * square[3] -
                      square[4]) /
                  (12.0 * STEP * STEP);
    assert_near(0.5 * bend, sum, 1e-8 * (1.0 + fabs(sum)));
}

static void
test_derivatives(void **unused)
{
    (void)unused;
    static const int held[2][CN_JOINT_KIND_COUNT] = {
        {2, 2, 2, 3, 1, 0, 1}, {3, 5, 5, 6, 1, 0, 2}};
    struct cn_rng rng = {7};
    for (int dimension = CN_PLANAR; dimension <= CN_SPATIAL; dimension++) {
        for (int kind = 0; kind < CN_JOINT_KIND_COUNT; kind++) {
            for (int trial = 0; trial < TRIALS; trial++) {
                struct moving m;
                make_pair(
                    &m, &rng, (enum cn_dimension)dimension, (enum cn_joint_kind)kind);
                m.all.state[0].place = 0.5;
                check_rows(&m, dimension == CN_SPATIAL && kind == CN_JOINT_TRACK);
                struct cn_joint_row rows[CN_JOINT_PARTS];
                int count = rows_at(&m, 0.0, rows), bilateral = 0;
                for (int r = 0; r < count; r++) {
                    bilateral += rows[r].tag == CN_ROW_BILATERAL;
                }
                assert_int_equal(bilateral, held[dimension][kind]);
                assert_int_equal(count, cn_joint_row_count_max(&m.all.model));
            }
        }
    }
}

/*
 * B swings by 0.3 about y and is then twisted by 0.2 about its own axis.  Its spin of 2 about y is
 * a swing only, one of 5 about u + v a twist only: it changes t by 5 |u + v| / (1 + cos 0.3).
 */
static void
test_ball_by_hand(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_SPATIAL);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint = jointed_joint(
        &all, CN_JOINT_BALL, -1, b, all.motion[b].position, all.motion[b].position, &frame);
    joint->has_limit = joint->has_cone = true;
    joint->lower = -0.5;
    joint->upper = 0.7;
    joint->cone = 0.4;
    joint->friction = 3.0;
    cn_quat swing = rotation(cn_vec3_make(0.0, 0.3, 0.0));
    all.motion[b].orientation = multiply(swing, rotation(cn_vec3_make(0.2, 0.0, 0.0)));
    cn_mat33 tilt = tilted_about_y(0.3);
    cn_vec3 sum = cn_vec3_add(frame.cx, tilt.cx);
    double length = cn_vec3_length(sum);
    all.motion[b].angular_velocity =
        cn_vec3_add_scaled(cn_vec3_make(0.0, 2.0, 0.0), 5.0 / length, sum);
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 9);
    for (int k = 0; k < 3; k++) { /* friction, about x, y and z of A */
        const cn_vec3 w = all.motion[b].angular_velocity;
        const double spin[] = {w.x, w.y, w.z};
        const struct cn_joint_row *row = &rows[3 + k];
        assert_int_equal(row->tag, CN_ROW_BOUNDED);
        assert_true(row->lower == -3.0 && row->upper == 3.0);
        assert_near(row->rate, spin[k], 1e-15);
        assert_true(row->id == cn_joint_id(0, CN_JOINT_PART_FRICTION + k));
    }
    double cosine = frame.cx.x * tilt.cx.x;
    assert_near(rows[6].gap, 0.2 + 0.5, 1e-14);
    assert_near(rows[6].rate, 5.0 * length / (1.0 + cosine), 1e-14);
    assert_near(rows[7].gap, 0.7 - 0.2, 1e-14);
    assert_near(rows[8].gap, 0.4 - 0.3, 1e-14);
    assert_near(rows[8].rate, -2.0, 1e-14);
    assert_int_equal(rows[8].tag, CN_ROW_NORMAL);

    /* Beyond half a turn the twist is counted on. */
    all.state[0].place = 2.0 * 3.0;
    assert_int_equal(jointed_rows(&all, all.motion, rows), 9);
    assert_near(rows[6].gap, 0.2 + 2.0 * CN_PI + 0.5, 1e-13);

    /* Without a swing there is no direction, and no row of the cone. */
    all.motion[b].orientation = cn_quat_identity();
    assert_int_equal(jointed_rows(&all, all.motion, rows), 8);
}

/* A hinge's friction is a motor of speed 0 and a force of at most 4. */
static void
test_hinge_friction_by_hand(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    const cn_mat33 z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint = jointed_joint(
        &all, CN_JOINT_HINGE, -1, b, all.motion[b].position, all.motion[b].position, &z);
    joint->friction = 4.0;
    all.motion[b].angular_velocity.z = 3.0;
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 3);
    assert_int_equal(rows[2].tag, CN_ROW_BOUNDED);
    assert_true(rows[2].rate == 3.0 && rows[2].lower == -4.0 && rows[2].upper == 4.0);
    assert_int_equal(cn_joint_row_count_max(&all.model), 3);
}

/* A bead half a metre out on a bar that turns: every number by hand. */
static void
test_slider_by_hand(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int a = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(2.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint = jointed_joint(
        &all, CN_JOINT_SLIDER, a, b, all.motion[b].position, all.motion[b].position, &frame);
    joint->has_limit = true;
    joint->lower = -1.0;
    joint->upper = 3.0;
    all.motion[b].position = cn_vec3_make(2.5, 0.0, 0.0);
    all.motion[b].velocity = cn_vec3_make(2.0, 0.0, 0.0);
    all.motion[a].angular_velocity.z = all.motion[b].angular_velocity.z = 3.0;
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 4);
    assert_near(rows[0].gap, 0.0, 0.0);
    assert_near(rows[0].rate, -3.0 * 2.5, 1e-15); /* A's axis turns away from a point that stays */
    assert_near(rows[0].bias, -2.0 * 3.0 * 2.0, 1e-15); /* Coriolis: -2 w v */
    assert_near(rows[1].gap, 0.0, 0.0);
    assert_near(rows[2].gap, 1.5, 1e-15); /* shifted by 0.5: 1.5 above -1, 2.5 below 3 */
    assert_near(rows[3].gap, 2.5, 1e-15);
    assert_near(rows[2].rate, 2.0, 1e-15);
    assert_near(rows[3].rate, -2.0, 1e-15);
    assert_near(rows[2].bias, -9.0 * 2.5, 1e-14); /* centripetal */
    assert_int_equal(rows[2].tag, CN_ROW_NORMAL);
}

/* A rope that hangs loose has way left, a taut one that is pulled has a rate below 0. */
static void
test_rope_pulls(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    cn_vec3 hook = {0.0, 1.0, 0.0};
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint =
        jointed_joint(&all, CN_JOINT_ROPE, -1, b, hook, all.motion[b].position, &frame);
    joint->has_limit = true;
    joint->lower = -HUGE_VAL;
    joint->upper = 1.25;
    all.motion[b].velocity.y = -2.0;
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 1);
    assert_near(rows[0].gap, 0.25, 1e-15);
    assert_near(rows[0].rate, -2.0, 1e-15);
    assert_near(rows[0].row.linear_b.y, 1.0, 0.0); /* a force above 0 pulls B up to the hook */
    assert_int_equal(rows[0].row.body_a, -1);
    all.motion[b].position = hook; /* no direction: no row, rather than a wrong one */
    assert_int_equal(jointed_rows(&all, all.motion, rows), 0);
}

/* A joint whose two ends can not move has no rows. */
static void
test_immovable_ends(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_SPATIAL);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    jointed_joint(&all, CN_JOINT_FIXED, -1, b, all.motion[b].position, all.motion[b].position,
        &frame);
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 6);
    all.body[b].mass_inverse = 0.0;
    assert_int_equal(jointed_rows(&all, all.motion, rows), 0);
}

/* A hinge in space counts its turns, in steps below half a turn, and its limit sees them. */
static void
test_hinge_counts_turns(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_SPATIAL);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint = jointed_joint(&all, CN_JOINT_HINGE, -1, b, all.motion[b].position,
        all.motion[b].position, &frame);
    joint->has_limit = true;
    joint->lower = -20.0;
    joint->upper = 20.0;
    for (int k = 1; k <= 12; k++) {
        all.motion[b].orientation = rotation(cn_vec3_make(1.5 * k, 0.0, 0.0));
        cn_pose pose = cn_motion_pose(&all.motion[b], CN_SPATIAL);
        cn_joint_follow(&all.model, &pose);
        struct cn_joint_row rows[CN_JOINT_PARTS];
        assert_int_equal(jointed_rows(&all, all.motion, rows), 7);
        assert_near(rows[6].gap, 20.0 - 1.5 * k, 1e-12);
        assert_near(rows[0].gap, 0.0, 1e-12);
        assert_near(rows[4].gap, 0.0, 1e-12);
    }
}

/* A motor runs at the scene's speed until somebody holds its actuator. */
static void
test_motor_levels(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *joint = jointed_joint(&all, CN_JOINT_HINGE, -1, b, all.motion[b].position,
        all.motion[b].position, &frame);
    joint->has_motor = true;
    joint->motor_speed = 4.0;
    joint->motor_force_max = HUGE_VAL;
    joint->actuator = 3;
    struct cn_joint_row rows[CN_JOINT_PARTS];
    assert_int_equal(jointed_rows(&all, all.motion, rows), 3);
    assert_int_equal(rows[2].tag, CN_ROW_BOUNDED);
    assert_near(rows[2].rate, -4.0, 0.0);
    assert_true(rows[2].upper == HUGE_VAL && rows[2].lower == -HUGE_VAL);
    all.held[0] = (struct cn_held){.kind = CN_HELD_ACTUATOR, .target = 3, .stiffness = -0.5};
    all.held[1] = (struct cn_held){.kind = CN_HELD_ACTUATOR, .target = 2, .stiffness = 1.0};
    all.model.held_count = 2;
    assert_int_equal(jointed_rows(&all, all.motion, rows), 3);
    assert_near(rows[2].rate, 2.0, 0.0);
    all.held[1].target = 3;
    all.held[0].stiffness = 1.0; /* two holders together do not go beyond the whole speed */
    assert_int_equal(jointed_rows(&all, all.motion, rows), 3);
    assert_near(rows[2].rate, -4.0, 0.0);
}

/* A hinge in the plane whose axis points away counts, limits and drives the other way round. */
static void
test_hinge_that_points_away(void **unused)
{
    (void)unused;
    for (int away = 0; away < 2; away++) {
        double sign = away ? -1.0 : 1.0;
        struct jointed all;
        jointed_init(&all, CN_PLANAR);
        const cn_mat33 frame = {{0.0, 0.0, sign}, {1.0, 0.0, 0.0}, {0.0, sign, 0.0}};
        int a = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
        int b = jointed_body(&all, cn_vec3_make(1.0, 0.0, 0.0), 1.0, 1.0);
        all.motion[a].angle = 0.7;
        all.motion[b].angle = -0.2;
        struct cn_joint *joint = jointed_joint(&all, CN_JOINT_HINGE, a, b,
            all.motion[a].position, all.motion[a].position, &frame);
        joint->has_limit = true;
        joint->lower = -1.0;
        joint->upper = 2.0;
        joint->has_motor = true;
        joint->motor_speed = 3.0;
        joint->motor_force_max = 5.0;
        all.motion[b].angle += 0.5;
        all.motion[a].angular_velocity.z = 1.0;
        all.motion[b].angular_velocity.z = 5.0;
        struct cn_joint_row rows[CN_JOINT_PARTS];
        assert_int_equal(jointed_rows(&all, all.motion, rows), 5);
        assert_near(rows[2].gap, 0.5 * sign + 1.0, 1e-14);
        assert_near(rows[3].gap, 2.0 - 0.5 * sign, 1e-14);
        assert_near(rows[4].rate, 4.0 * sign - 3.0, 1e-14);
        assert_near(rows[4].row.angular_b.z, sign, 0.0);
        assert_near(rows[4].row.angular_a.z, -sign, 0.0);
        assert_near(rows[4].lower, -5.0, 0.0);
        assert_near(rows[4].upper, 5.0, 0.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_ball_by_hand),
        cmocka_unit_test(test_hinge_friction_by_hand),
        cmocka_unit_test(test_slider_by_hand),
        cmocka_unit_test(test_rope_pulls),
        cmocka_unit_test(test_immovable_ends),
        cmocka_unit_test(test_hinge_counts_turns),
        cmocka_unit_test(test_motor_levels),
        cmocka_unit_test(test_hinge_that_points_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
