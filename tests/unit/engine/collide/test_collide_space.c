/* test_collide_space.c: contacts of shapes in space whose answers are known by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/solids.h"
#include "tests/support/near.h"

#define MARGIN 1e-3

static const cn_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

static cn_pose
at(double x, double y, double z)
{
    return test_solid_pose((cn_vec3){x, y, z}, Y, 0.0);
}

static void
collide(const struct test_solid *a, cn_pose pose_a, const struct test_solid *b, cn_pose pose_b,
    struct cn_manifold *m)
{
    cn_collide(&a->shape, &pose_a, &b->shape, &pose_b, MARGIN, m);
}

static int
count_kind(const struct cn_manifold *m, enum cn_contact_kind kind)
{
    int count = 0;
    for (int i = 0; i < m->contact_count; i++) {
        count += m->contact[i].kind == kind;
    }
    return count;
}

static void
assert_all(const struct cn_manifold *m, cn_vec3 normal, double gap, double tolerance)
{
    for (int i = 0; i < m->contact_count; i++) {
        cn_vec3 off = cn_vec3_sub(m->contact[i].normal, normal);
        assert_near(cn_vec3_length(off), 0.0, tolerance);
        assert_near(m->contact[i].gap, gap, tolerance);
    }
}

static bool
has_point(const struct cn_manifold *m, double x, double y, double z)
{
    for (int i = 0; i < m->contact_count; i++) {
        cn_vec3 off = cn_vec3_sub(m->contact[i].point, (cn_vec3){x, y, z});
        if (cn_vec3_length(off) < 1e-9) {
            return true;
        }
    }
    return false;
}

static void
test_balls(void **state)
{
    (void)state;
    static struct test_solid a, b;
    struct cn_manifold m;
    test_solid_sphere(&a, 0.5);
    test_solid_sphere(&b, 1.0);
    collide(&a, at(0, 0, 0), &b, at(0.9, 1.2, 0), &m); /* 1.5 apart: they touch */
    assert_int_equal(m.contact_count, 1);
    assert_near(m.contact[0].gap, 0.0, 1e-15);
    assert_near(m.contact[0].normal.x, 0.6, 1e-15);
    assert_near(m.contact[0].normal.y, 0.8, 1e-15);
    assert_near(m.contact[0].point.x, 0.3, 1e-15);
    collide(&a, at(0, 0, 0), &b, at(0, 0, 3), &m);
    assert_int_equal(m.contact_count, 0);
    assert_near(m.separation, 1.5, 1e-15);
}

/* A ball over the face, the edge and the corner of a box. */
static void
test_ball_on_box(void **state)
{
    (void)state;
    static struct test_solid box, ball;
    struct cn_manifold m;
    test_solid_box(&box, 2.0, 2.0, 2.0);
    test_solid_sphere(&ball, 0.5);
    collide(&box, at(0, 0, 0), &ball, at(0.3, 1.5, 0.2), &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_A);
    assert_near(m.contact[0].overhang, -0.7, 1e-15);
    assert_all(&m, Y, 0.0, 1e-15);

    collide(&ball, at(1.3, 1.4, 0.25), &box, at(0, 0, 0), &m); /* 0.3, 0.4 off the edge along z */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_LINE_B);
    assert_all(&m, (cn_vec3){-0.6, -0.8, 0.0}, 0.0, 1e-14);
    assert_near(m.contact[0].overhang, -0.75, 1e-15);
    assert_true(has_point(&m, 1.0, 1.0, 0.25));

    collide(&box, at(0, 0, 0), &ball, at(1.2, 1.3, 1.2), &m); /* sqrt(0.17) < 0.5 off the corner */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    assert_near(m.separation, sqrt(0.17) - 0.5, 1e-15);

    collide(&ball, at(0.1, 0.8, 0.0), &box, at(0, 0, 0), &m); /* its centre is inside */
    assert_int_equal(m.contact_count, 1);
    assert_all(&m, (cn_vec3){0.0, -1.0, 0.0}, -0.7, 1e-15);
}

/* A capsule lying on a box, half over its end: the near end and the crossing with the box' edge. */
static void
test_capsule_on_box(void **state)
{
    (void)state;
    static struct test_solid box, capsule;
    struct cn_manifold m;
    test_solid_box(&box, 2.0, 2.0, 2.0);
    test_solid_capsule(&capsule, 0.25, 1.0);
    cn_pose lying = test_solid_pose((cn_vec3){0.8, 1.25, 0.3}, Z, CN_PI / 2.0);
    collide(&box, at(0, 0, 0), &capsule, lying, &m);
    assert_int_equal(m.contact_count, 2);
    assert_int_equal(count_kind(&m, CN_CONTACT_FACE_A), 1);
    assert_int_equal(count_kind(&m, CN_CONTACT_EDGES), 1);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 0.3, 1.0, 0.3) && has_point(&m, 1.0, 1.0, 0.3));

    /* Along an edge of the box, outside of it: contacts at both ends of the common part. */
    lying = test_solid_pose((cn_vec3){1.15, 1.2, 0.9}, X, CN_PI / 2.0);
    collide(&box, at(0, 0, 0), &capsule, lying, &m);
    assert_int_equal(m.contact_count, 2);
    assert_int_equal(count_kind(&m, CN_CONTACT_LINE_A), 1);
    assert_int_equal(count_kind(&m, CN_CONTACT_LINE_B), 1);
    assert_all(&m, (cn_vec3){0.6, 0.8, 0.0}, 0.0, 1e-14);
    assert_true(has_point(&m, 1.0, 1.0, 1.0) && has_point(&m, 1.0, 1.0, 0.4));

    /* Across that edge. */
    cn_pose across = test_solid_pose((cn_vec3){1.15, 1.2, 0.1}, Z, 0.6435011087932844);
    collide(&box, at(0, 0, 0), &capsule, across, &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_EDGES);

    /* Two of them, crossed. */
    collide(&capsule, at(0, 0, 0), &capsule, test_solid_pose((cn_vec3){0, 0.1, 0.5}, X, 0.0), &m);
    assert_int_equal(m.contact_count, 2); /* side by side */
    assert_all(&m, Z, 0.0, 1e-15);
    collide(&capsule, at(0, 0, 0), &capsule,
        test_solid_pose((cn_vec3){0, 0.1, 0.5}, Z, CN_PI / 2.0), &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_EDGES);
    assert_all(&m, Z, 0.0, 1e-15);
}

static void
test_plane(void **state)
{
    (void)state;
    static struct test_solid plane, s;
    struct cn_manifold m;
    test_solid_plane(&plane, Y, 0.5);
    test_solid_box(&s, 1.0, 2.0, 3.0);
    collide(&s, at(7, 1.5, 0), &plane, at(0, 0, 0), &m);
    assert_int_equal(m.contact_count, 4);
    assert_all(&m, (cn_vec3){0.0, -1.0, 0.0}, 0.0, 1e-15);
    assert_true(has_point(&m, 7.5, 0.5, 1.5) && has_point(&m, 6.5, 0.5, -1.5));
    assert_true(m.contact[0].overhang == -HUGE_VAL);
    test_solid_capsule(&s, 0.5, 2.0);
    collide(&plane, at(0, 0, 0), &s, at(0, 2, 0), &m);
    assert_int_equal(m.contact_count, 1); /* on end */
    assert_all(&m, Y, 0.0, 1e-15);
    test_solid_prism(&s, 32, 1.0, 1.0);
    collide(&plane, at(0, 0, 0), &s, at(0, 1, 0), &m);
    assert_int_equal(m.contact_count, CN_MANIFOLD_CONTACTS_MAX); /* of 32 */
    assert_all(&m, Y, 0.0, 1e-14);
}

/*
 * Equal boxes: the contacts are B's corners.  With one turned by 45 degrees they are the eight
 * crossings of edges.
 */
static void
test_face_on_face(void **state)
{
    (void)state;
    static struct test_solid box, small;
    struct cn_manifold m;
    test_solid_box(&box, 1.0, 1.0, 1.0);
    collide(&box, at(0, 0, 0), &box, at(0, 1, 0), &m);
    assert_int_equal(m.contact_count, 4);
    assert_int_equal(count_kind(&m, CN_CONTACT_FACE_A), 4);
    assert_all(&m, Y, 0.0, 1e-15);

    cn_pose turned = test_solid_pose((cn_vec3){0, 1, 0}, Y, CN_PI / 4.0);
    collide(&box, at(0, 0, 0), &box, turned, &m);
    assert_int_equal(m.contact_count, 8);
    assert_int_equal(count_kind(&m, CN_CONTACT_EDGES), 8);
    assert_all(&m, Y, 0.0, 1e-15);
    for (int i = 0; i < 8; i++) {
        cn_vec3 p = m.contact[i].point;
        assert_near(sqrt(p.x * p.x + p.z * p.z), 0.541196100146197, 1e-15);
        assert_near(p.y, 0.5, 1e-15);
    }

    /* A small one on a large one, beyond its edge: two corners, two crossings. */
    test_solid_box(&small, 0.2, 0.2, 0.2);
    collide(&small, at(0.45, 0.6, 0.1), &box, at(0, 0, 0), &m);
    assert_int_equal(m.contact_count, 4);
    assert_int_equal(count_kind(&m, CN_CONTACT_FACE_B), 2);
    assert_int_equal(count_kind(&m, CN_CONTACT_EDGES), 2);
    assert_true(has_point(&m, 0.5, 0.5, 0.2) && has_point(&m, 0.35, 0.5, 0.0));

    /* A wall of it: three quarters share an edge with the one below. */
    collide(&box, at(0, 0, 0), &box, at(0.25, 1, 0), &m);
    assert_int_equal(m.contact_count, 4);
    assert_true(has_point(&m, -0.25, 0.5, 0.5) && has_point(&m, 0.5, 0.5, -0.5));
}

/* A box on its edge, on its corner, and with an edge across another's edge. */
static void
test_edges_and_corners(void **state)
{
    (void)state;
    static struct test_solid floor, box;
    struct cn_manifold m;
    test_solid_box(&floor, 4.0, 1.0, 4.0);
    test_solid_box(&box, 1.0, 1.0, 1.0);
    double high = 0.5 + sqrt(0.5);
    collide(&floor, at(0, 0, 0), &box, test_solid_pose((cn_vec3){0, high, 0}, X, CN_PI / 4.0), &m);
    assert_int_equal(m.contact_count, 2);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 0.5, 0.5, 0.0) && has_point(&m, -0.5, 0.5, 0.0));

    /* Its edge half over the floor's end. */
    collide(
        &floor, at(0, 0, 0), &box, test_solid_pose((cn_vec3){2.0, high, 0}, X, CN_PI / 4.0), &m);
    assert_int_equal(m.contact_count, 2);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 1.5, 0.5, 0.0) && has_point(&m, 2.0, 0.5, 0.0));

    /* On a corner: the diagonal (1, 1, 1) upright. */
    cn_pose corner = test_solid_pose(
        (cn_vec3){0.3, 0.5 + sqrt(0.75), 0.1}, (cn_vec3){1, 0, -1}, -0.9553166181245093);
    collide(&floor, at(0, 0, 0), &box, corner, &m);
    assert_int_equal(m.contact_count, 1);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 0.3, 0.5, 0.1));

    /* Ridge across ridge. */
    cn_pose upper = test_solid_pose((cn_vec3){0, 2.0 * sqrt(0.5), 0}, X, CN_PI / 4.0);
    cn_pose lower = test_solid_pose((cn_vec3){0, 0, 0}, Z, CN_PI / 4.0);
    collide(&box, lower, &box, upper, &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_EDGES);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 0.0, sqrt(0.5), 0.0));
}

/* Baraff 1989, 4.1: tips have the average of the adjacent faces' normals. */
static void
test_tips(void **state)
{
    (void)state;
    static struct test_solid box;
    struct cn_manifold m;
    test_solid_box(&box, 1.0, 1.0, 1.0);
    /* Corner on corner. */
    cn_vec3 diagonal = {1, 0, -1};
    cn_pose lower = test_solid_pose((cn_vec3){0, 0, 0}, diagonal, -0.9553166181245093);
    cn_pose upper = lower;
    upper.position.y = 2.0 * sqrt(0.75);
    collide(&box, lower, &box, upper, &m);
    assert_int_equal(m.contact_count, 1);
    assert_all(&m, Y, 0.0, 1e-14);
    /* The box is near but beside the face, so there is no contact. */
    upper.position.x = 0.01;
    upper.position.y += 1e-4;
    collide(&box, lower, &box, upper, &m);
    assert_int_equal(m.contact_count, 0);
    assert_true(m.separation > 0.0);

    /* Corner on ridge. */
    cn_pose ridge = test_solid_pose((cn_vec3){0, 0, 0}, Z, CN_PI / 4.0);
    upper = lower;
    upper.position = (cn_vec3){0, sqrt(0.75) + sqrt(0.5), 0.2};
    collide(&box, ridge, &box, upper, &m);
    assert_int_equal(m.contact_count, 1);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_A);
    collide(&box, upper, &box, ridge, &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B);

    /* Ridge along ridge: a contact at both ends of the part that they share. */
    upper = ridge;
    upper.position = (cn_vec3){0, 2.0 * sqrt(0.5), 0.25};
    collide(&box, ridge, &box, upper, &m);
    assert_int_equal(m.contact_count, 2);
    assert_all(&m, Y, 0.0, 1e-14);
    assert_true(has_point(&m, 0, sqrt(0.5), 0.5) && has_point(&m, 0, sqrt(0.5), -0.25));
}

/*
 * A block that moves a little over the seam of two others never touches the side of the next one.
 */
static void
test_seam(void **state)
{
    (void)state;
    static struct test_solid box;
    struct cn_manifold m;
    test_solid_box(&box, 1.0, 1.0, 1.0);
    for (int k = -20; k <= 20; k++) {
        double aside = 1e-9 * k * k * k;
        collide(&box, at(0, 0, 0), &box, at(-1.0 + aside, 1.0 + 5e-7, 0), &m);
        for (int i = 0; i < m.contact_count; i++) {
            assert_near(m.contact[i].normal.y, 1.0, 1e-12);
        }
        assert_int_equal(m.contact_count > 0, aside >= 0.0);
    }
}

/*
 * A capsule of 1 m along a box's edge of 2 m, nearly parallel to it.  If they have an end in
 * common, it is one contact and not two, along either of the two directions.
 */
static void
test_shared_ends_count_once(void **state)
{
    (void)state;
    struct cn_manifold m;
    static struct test_solid box, capsule;
    struct cn_rng rng = {.state = 31};
    test_solid_box(&box, 2.0, 1.0, 1.0);
    test_solid_capsule(&capsule, 0.01, 1.0);
    for (int trial = 0; trial < 400; trial++) {
        double side = trial % 2 == 0 ? 1.0 : -1.0, d = cn_rng_uniform(&rng, 0.02, 0.05);
        double tilt = trial % 8 < 2 ? 0.0 : cn_rng_uniform(&rng, 1e-6, 9e-5);
        const cn_vec3 e = {side, 0.0, 0.0}, up = {0.0, sqrt(0.5), sqrt(0.5)};
        /* From its end at the edge's end the capsule comes nearer, square to `away`. */
        cn_vec3 along = cn_vec3_add_scaled(cn_vec3_scale(e, -cos(tilt)), -sin(tilt), up);
        cn_vec3 away = cn_vec3_add_scaled(cn_vec3_scale(up, cos(tilt)), -sin(tilt), e);
        cn_vec3 end = {side, 0.5, 0.5};
        end = cn_vec3_add_scaled(end, d, trial % 4 < 2 ? away : up);
        cn_pose pose = test_solid_pose(cn_vec3_add_scaled(end, 0.5, along),
            cn_vec3_cross(Y, along), acos(cn_vec3_dot(Y, along)));
        cn_pose motion = test_solid_pose(test_random_vector(&rng, 3.0),
            test_random_vector(&rng, 1.0), trial == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 3.0));
        pose.position = cn_pose_apply(&motion, pose.position);
        pose.rotation = cn_mat33_multiply(&motion.rotation, &pose.rotation);
        cn_collide(&box.shape, &motion, &capsule.shape, &pose, 0.1, &m);
        assert_int_equal(m.contact_count, 2);
        cn_vec3 between = cn_vec3_sub(m.contact[0].point, m.contact[1].point);
        assert_near(cn_vec3_length(between), 1.0, 1e-3);
    }
}

/*
 * A box that lies on another one has contacts at all its corners, even if it is tilted by very
 * little.
 */
static void
test_a_face_wins_a_tie(void **state)
{
    (void)state;
    static struct test_solid table, box;
    struct cn_manifold m;
    struct cn_rng rng = {.state = 32};
    test_solid_box(&table, 4.0, 1.0, 4.0);
    test_solid_box(&box, 1.0, 1.0, 1.0);
    for (int trial = 0; trial < 600; trial++) {
        double tilt = 1e-9, yaw = trial % 3 == 0 ? 0.0 : cn_rng_uniform(&rng, -3.0, 3.0);
        for (int i = 0; i < trial % 5; i++) {
            tilt *= 0.1;
        }
        cn_pose turn = test_solid_pose((cn_vec3){0.0, 0.0, 0.0}, Y, yaw);
        cn_vec3 axis = {cn_rng_uniform(&rng, -1.0, 1.0), 0.0, cn_rng_uniform(&rng, -1.0, 1.0)};
        cn_vec3 place = {cn_rng_uniform(&rng, -1.0, 1.0),
            1.0 - cn_rng_uniform(&rng, 0.0, 1e-6), cn_rng_uniform(&rng, -1.0, 1.0)};
        cn_pose pose = test_solid_pose(place, axis, tilt);
        pose.rotation = cn_mat33_multiply(&pose.rotation, &turn.rotation);
        cn_collide(&table.shape, &(cn_pose){.rotation = cn_mat33_diagonal(1.0, 1.0, 1.0)},
            &box.shape, &pose, 1e-3, &m);
        assert_int_equal(m.contact_count, 4);
        for (int i = 0; i < 4; i++) {
            assert_near(m.contact[i].normal.y, 1.0, 1e-12);
        }
    }
}

/*
 * If boxes overlap equally along two faces, the contacts belong to the face that faces up or down.
 */
static void
test_the_steeper_face_wins_a_tie(void **state)
{
    (void)state;
    static struct test_solid box;
    struct cn_manifold m;
    test_solid_box(&box, 1.0, 1.0, 1.0);
    for (int i = 0; i < 8; i++) {
        double x = i & 1 ? 0.875 : -0.875, y = i & 2 ? 0.875 : -0.875, z = i & 4 ? 0.0 : 0.875;
        collide(&box, at(0.0, 0.0, 0.0), &box, at(x, y, z), &m);
        assert_true(m.contact_count > 0);
        assert_all(&m, (cn_vec3){0.0, y > 0.0 ? 1.0 : -1.0, 0.0}, -0.125, 1e-12);
    }
}

/* If corners, edges and faces coincide, or nearly, each place is one contact. */
static void
test_each_place_once(void **state)
{
    (void)state;
    static struct test_solid box, other;
    struct cn_manifold m;
    test_solid_box(&box, 1.0, 1.0, 1.0);
    for (int i = 0; i < 48; i++) {
        double shift = i % 4 == 0 ? 0.0 : i % 4 == 1 ? 1e-10 : i % 4 == 2 ? 1e-9 : 0.25;
        double size = i / 4 % 3 == 0 ? 1.0 : i / 4 % 3 == 1 ? 0.5 : 2.0;
        test_solid_box(&other, size, 1.0, i < 24 ? size : 1.0);
        collide(&box, at(0.0, 0.0, 0.0), &other, at(shift, 1.0, i % 2 == 0 ? 0.0 : shift), &m);
        assert_int_equal(m.contact_count, 4);
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < k; l++) {
                cn_vec3 off = cn_vec3_sub(m.contact[k].point, m.contact[l].point);
                assert_true(cn_vec3_length(off) > 0.2);
            }
        }
    }
}

/* Overlapping shapes have contacts, and no contact is deeper than the manifold's separation. */
static void
test_overlaps_have_contacts(void **state)
{
    (void)state;
    static struct test_solid a, b;
    struct cn_rng rng = {.state = 33};
    int overlapping = 0;
    for (int trial = 0; trial < 30000; trial++) {
        struct cn_manifold m;
        test_solid_capsule(&a, cn_rng_uniform(&rng, 1e-3, 0.2), cn_rng_uniform(&rng, 0.2, 3.0));
        test_solid_box(&b, cn_rng_uniform(&rng, 0.1, 2.0), cn_rng_uniform(&rng, 0.1, 2.0),
            cn_rng_uniform(&rng, 0.1, 2.0));
        cn_pose pose_a = test_solid_pose(test_random_vector(&rng, 0.8),
            test_random_vector(&rng, 1.0), cn_rng_uniform(&rng, 0.0, 3.0));
        cn_pose pose_b = test_solid_pose((cn_vec3){0.0, 0.0, 0.0}, test_random_vector(&rng, 1.0),
            cn_rng_uniform(&rng, 0.0, 3.0));
        cn_collide(&a.shape, &pose_a, &b.shape, &pose_b, 0.0, &m);
        if (m.separation > 0.0) {
            assert_int_equal(m.contact_count, 0);
            continue;
        }
        overlapping++;
        assert_true(m.contact_count > 0);
        for (int i = 0; i < m.contact_count; i++) {
            assert_true(m.contact[i].gap <= 0.0 && m.contact[i].gap >= m.separation - 1e-9);
        }
    }
    assert_true(overlapping > 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_ball_on_box),
        cmocka_unit_test(test_capsule_on_box),
        cmocka_unit_test(test_shared_ends_count_once),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_face_on_face),
        cmocka_unit_test(test_edges_and_corners),
        cmocka_unit_test(test_tips),
        cmocka_unit_test(test_seam),
        cmocka_unit_test(test_a_face_wins_a_tie),
        cmocka_unit_test(test_the_steeper_face_wins_a_tie),
        cmocka_unit_test(test_each_place_once),
        cmocka_unit_test(test_overlaps_have_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
