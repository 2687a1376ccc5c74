/*
 * run_rows.c: the rows of contacts: their matrix, and the terms of velocities in b.
 *
 * The set numbers its bodies 1 and 2 with the normal from 2 to 1: here A is body 2, which owns the
 * face that the normal is of, and B is body 1, which owns the vertex.
 */
#include "engine/constraint/contact_rows.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { A, B };

static cn_vec3
vector(const json_t *given, const char *key)
{
    double xy[2];
    assert_int_equal(truth_member_numbers(given, key, xy, 2), 2);
    return cn_vec3_make(xy[0], xy[1], 0.0);
}

/*
 * A vertex of body 1 on a face of body 2, without rotation, so that body frames equal the world's.
 */
struct touch {
    struct cn_model model;
    struct cn_body body[2];
    struct cn_motion motion[2];
    cn_pose pose[2];
    struct cn_contact contact;
    struct cn_row row;
};

static void
touch_init(struct touch *touch, const json_t *given)
{
    *touch = (struct touch){0};
    static const char *const keys[2][3] = {{"v2", "w2", "r2"}, {"v1", "w1", "r1"}};
    for (int i = 0; i < 2; i++) {
        struct cn_motion *motion = &touch->motion[i];
        motion->position = cn_vec3_negate(vector(given, keys[i][2])); /* contact at the origin */
        motion->orientation.w = 1.0;
        motion->velocity = vector(given, keys[i][0]);
        motion->angular_velocity.z = truth_member_number(given, keys[i][1]);
        touch->pose[i] =
            (cn_pose){.position = motion->position, .rotation = cn_mat33_about_z(0.0, 1.0)};
        touch->body[i].mass_inverse = 1.0;
    }
    touch->model.body_count = 2;
    touch->model.body = touch->body;
    touch->model.motion = touch->motion;
    touch->contact = (struct cn_contact){.body_a = A,
        .body_b = B,
        .kind = CN_CONTACT_FACE_A,
        .anchor_a = vector(given, "r2"),
        .anchor_b = vector(given, "r1"),
        .face_normal = vector(given, "n")};
    cn_contact_place(&touch->contact, &touch->pose[A], &touch->pose[B]);
    cn_contact_row(&touch->model, touch->motion, touch->pose, &touch->contact, &touch->row);
}

/* w x (w x r), the part of a point's acceleration that turning about the centre of mass adds. */
static cn_vec3
centripetal(const struct touch *touch, int body, cn_vec3 arm)
{
    cn_vec3 w = touch->motion[body].angular_velocity;
    return cn_vec3_cross(w, cn_vec3_cross(w, arm));
}

/* The term of the turning normal: 2 (w2 x n) . (p1' - p2'). */
static double
turning_term(const struct touch *touch, const json_t *given)
{
    cn_vec3 difference = cn_vec3_sub(
        centripetal(touch, B, vector(given, "r1")), centripetal(touch, A, vector(given, "r2")));
    return cn_contact_bias(touch->motion, touch->pose, &touch->contact) -
           cn_vec3_dot(vector(given, "n"), difference);
}

void
truth_run_eq10(const json_t *data)
{
    static struct touch touch;
    const json_t *given = truth_member(data, "given");
    touch_init(&touch, given);
    truth_expect(data, "term", turning_term(&touch, given));
}

/* The right-hand side of two bodies that move and turn: b = row . (free accelerations) + bias. */
void
truth_run_bvec(const json_t *data)
{
    static struct touch touch;
    const json_t *given = truth_member(data, "given");
    touch_init(&touch, given);
    const struct cn_row *row = &touch.row;
    double free = cn_vec3_dot(row->linear_a, vector(given, "a2_free")) +
                  cn_vec3_dot(row->linear_b, vector(given, "a1_free")) +
                  row->angular_a.z * truth_member_number(given, "alpha2_free") +
                  row->angular_b.z * truth_member_number(given, "alpha1_free");
    double bias = cn_contact_bias(touch.motion, touch.pose, &touch.contact);
    double turning = turning_term(&touch, given);
    truth_expect(data, "coriolis_term", turning);
    truth_expect(data, "accel_term", free + bias - turning);
    truth_expect(data, "b", free + bias);
    truth_expect(data, "ddot", cn_contact_rate(touch.motion, &touch.contact, row));
}

/* The acceleration of contact i that a force at contact j of the same body causes. */
void
truth_run_eq9(const json_t *data)
{
    static const char *const keys[2][2] = {{"n_i", "r_1"}, {"n_j", "r_j"}};
    const json_t *given = truth_member(data, "given");
    struct cn_body body[2] = {{.mass_inverse = 0.0}, {.mass_inverse = 1.0}};
    struct cn_motion motion[2] = {{.orientation.w = 1.0}, {.orientation.w = 1.0}};
    cn_pose pose[2] = {
        {.rotation = cn_mat33_about_z(0.0, 1.0)}, {.rotation = cn_mat33_about_z(0.0, 1.0)}};
    struct cn_model model = {.body_count = 2, .body = body, .motion = motion};
    struct cn_row row[2];
    for (int i = 0; i < 2; i++) {
        struct cn_contact contact = {.body_a = A,
            .body_b = B,
            .kind = CN_CONTACT_FACE_A,
            .anchor_a = vector(given, keys[i][1]),
            .anchor_b = vector(given, keys[i][1]),
            .face_normal = vector(given, keys[i][0])};
        cn_contact_place(&contact, &pose[A], &pose[B]);
        cn_contact_row(&model, motion, pose, &contact, &row[i]);
        assert_int_equal(row[i].body_a, -1);
    }
    truth_expect(data, "a_ij",
        cn_vec3_dot(row[0].linear_b, row[1].linear_b) / truth_member_number(given, "m") +
            cn_vec3_dot(row[0].angular_b, row[1].angular_b) / truth_member_number(given, "I"));
    /* The same from the motion of the point; here the sign of an arm does not cancel. */
    cn_vec3 turn = cn_vec3_scale(row[1].angular_b, 1.0 / truth_member_number(given, "I"));
    cn_vec3 moved = cn_vec3_cross(turn, vector(given, "r_1"));
    moved = cn_vec3_add_scaled(moved, 1.0 / truth_member_number(given, "m"), row[1].linear_b);
    truth_expect(data, "a_ij", cn_vec3_dot(vector(given, "n_i"), moved));
}
