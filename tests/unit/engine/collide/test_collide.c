/* test_collide.c: contacts of every pair of kinds, with answers known by hand. */
#include "engine/collide/exact/manifold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/shapes.h"
#include "tests/support/near.h"

#define TINY 1e-14

static struct test_shape one, two;

static struct cn_manifold
collide(cn_pose pose_one, cn_pose pose_two, double margin)
{
    struct cn_manifold manifold;
    cn_collide(&one.shape, &pose_one, &two.shape, &pose_two, margin, &manifold);
    return manifold;
}

static void
assert_contact(
    const struct cn_contact *contact, double x, double y, double nx, double ny, double gap)
{
    assert_near(contact->point.x, x, TINY);
    assert_near(contact->point.y, y, TINY);
    assert_true(contact->point.z == 0.0 && contact->normal.z == 0.0);
    assert_near(contact->normal.x, nx, TINY);
    assert_near(contact->normal.y, ny, TINY);
    assert_near(contact->gap, gap, TINY);
}

static void
test_circles(void **state)
{
    (void)state;
    test_shape_circle(&one, 1.0);
    test_shape_circle(&two, 0.5);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(3, 4, 1), 10.0);
    assert_int_equal(m.contact_count, 1);
    assert_near(m.separation, 3.5, TINY);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    /* surfaces at 1 and 4.5 along (0.6, 0.8) */
    assert_contact(&m.contact[0], 2.75 * 0.6, 2.75 * 0.8, 0.6, 0.8, 3.5);

    m = collide(test_pose(0, 0, 0), test_pose(3, 4, 1), 3.4);
    assert_int_equal(m.contact_count, 0);
    assert_near(m.separation, 3.5, TINY);

    m = collide(test_pose(2, 7, 0.3), test_pose(2, 7, 0), 0.0); /* concentric */
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 2.0, 7.0 + 1.0 - 0.75, 0.0, 1.0, -1.5);
}

static void
test_circle_and_plane(void **state)
{
    (void)state;
    test_shape_plane(&one, CN_PI / 2.0, 0.5);
    test_shape_circle(&two, 0.25);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(3, 1, 2), 0.5);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_A);
    assert_contact(&m.contact[0], 3.0, 0.625, 0.0, 1.0, 0.25);

    /* The plane as the second shape: the normal still points from the first to the second. */
    struct cn_pose_pair {
        cn_pose plane, circle;
    } at = {test_pose(0, 0, 0), test_pose(3, 1, 2)};
    cn_collide(&two.shape, &at.circle, &one.shape, &at.plane, 0.5, &m);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B);
    assert_contact(&m.contact[0], 3.0, 0.625, 0.0, -1.0, 0.25);

    /* Two planes never meet. */
    test_shape_plane(&two, 0.3, 0.5);
    m = collide(test_pose(0, 0, 0), test_pose(0, 0, 0), 10.0);
    assert_int_equal(m.contact_count, 0);
    assert_true(m.separation == HUGE_VAL);
}

static void
test_circle_and_box(void **state)
{
    (void)state;
    test_shape_box(&one, 4.0, 2.0);
    test_shape_circle(&two, 0.5);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(1.0, 1.75, 0), 1.0);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_A);
    assert_contact(&m.contact[0], 1.0, 1.125, 0.0, 1.0, 0.25);

    m = collide(test_pose(0, 0, 0), test_pose(2.3, 1.4, 0), 1.0); /* corner: 3, 4, 5 */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    assert_near(m.separation, 0.0, TINY);
    assert_contact(&m.contact[0], 2.0, 1.0, 0.6, 0.8, 0.0);

    m = collide(test_pose(0, 0, 0), test_pose(1.5, 0.1, 0), 0.0); /* inside: out to the right */
    assert_int_equal(m.contact_count, 1);
    assert_near(m.separation, -1.0, TINY);
    assert_contact(&m.contact[0], 1.5, 0.1, 1.0, 0.0, -1.0);

    m = collide(test_pose(0, 0, 0), test_pose(0.0, 0.0, 0), 0.0); /* in the middle: along y */
    assert_near(m.separation, -1.5, TINY);
    assert_near(fabs(m.contact[0].normal.y), 1.0, TINY);
}

static void
test_circle_and_capsule(void **state)
{
    (void)state;
    test_shape_circle(&one, 0.5);
    test_shape_capsule(&two, 0.25, 2.0);
    struct cn_manifold m = collide(test_pose(-2, 0.5, 0), test_pose(0, 0, 0), 2.0);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B);
    assert_contact(&m.contact[0], -0.875, 0.5, 1.0, 0.0, 1.25);

    m = collide(test_pose(0, 3, 0), test_pose(0, 0, 0), 2.0); /* above the round end */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    assert_contact(&m.contact[0], 0.0, 1.875, 0.0, -1.0, 1.25);

    m = collide(test_pose(0, 0.5, 0), test_pose(0, 0, 0), 0.0); /* centre on the core */
    assert_int_equal(m.contact_count, 1);
    assert_near(m.contact[0].gap, -0.75, TINY);
    assert_near(fabs(m.contact[0].normal.x), 1.0, TINY);
}

static void
test_capsules(void **state)
{
    (void)state;
    test_shape_capsule(&one, 0.25, 2.0);
    test_shape_capsule(&two, 0.5, 2.0);
    /* Side by side, shifted by one: the cores cover y from 0 to 1 together. */
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(1, 1, 0), 0.5);
    assert_int_equal(m.contact_count, 2);
    assert_near(m.separation, 0.25, TINY);
    assert_contact(&m.contact[0], 0.375, 0.0, 1.0, 0.0, 0.25);
    assert_contact(&m.contact[1], 0.375, 1.0, 1.0, 0.0, 0.25);

    m = collide(test_pose(0, 0, 0), test_pose(0, 3, 0), 0.5); /* in one line, end to end */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    assert_near(m.separation, 0.25, TINY);
    assert_contact(&m.contact[0], 0.0, 1.375, 0.0, 1.0, 0.25);

    m = collide(test_pose(0, 0, 0), test_pose(0, 3.2, CN_PI / 2.0), 2.0); /* a T */
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 0.0, 1.25 + 0.725, 0.0, 1.0, 1.45);

    /* A cross, 0.2 right of the middle: 0.8 of the lying core are left of the standing one. */
    m = collide(test_pose(0, 0, 0), test_pose(0.2, 0, CN_PI / 2.0), 0.0);
    assert_near(m.separation, -0.8 - 0.75, TINY);
    assert_int_equal(m.contact_count, 1);
    assert_near(m.contact[0].normal.x, 1.0, TINY);
}

static void
test_capsule_and_box(void **state)
{
    (void)state;
    test_shape_box(&one, 2.0, 1.0);
    test_shape_capsule(&two, 0.25, 2.0);
    /* Lying on the box, over its right end by one half. */
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(0.5, 0.85, CN_PI / 2.0), 0.2);
    assert_int_equal(m.contact_count, 2);
    assert_contact(&m.contact[0], 1.0, 0.55, 0.0, 1.0, 0.1); /* the box's corner */
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B);
    assert_contact(&m.contact[1], -0.5, 0.55, 0.0, 1.0, 0.1); /* the capsule's end */
    assert_int_equal(m.contact[1].kind, CN_CONTACT_FACE_A);

    m = collide(test_pose(0, 0, 0), test_pose(0.5, 1.75, 0), 0.2); /* standing */
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 0.5, 0.5, 0.0, 1.0, 0.0);

    m = collide(test_pose(0, 0, 0), test_pose(1.3, 1.9, 0), 0.3); /* beside the corner: 3, 4, 5 */
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_POINTS);
    assert_contact(&m.contact[0], 1.0 + 0.125 * 0.6, 0.5 + 0.125 * 0.8, 0.6, 0.8, 0.25);
}

static void
test_plane_and_capsule_and_polygon(void **state)
{
    (void)state;
    test_shape_plane(&one, CN_PI / 2.0, 0.0);
    test_shape_capsule(&two, 0.25, 2.0);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(5, 0.5, CN_PI / 2.0), 0.3);
    assert_int_equal(m.contact_count, 2);
    assert_near(m.separation, 0.25, TINY);
    assert_contact(&m.contact[0], 6.0, 0.125, 0.0, 1.0, 0.25);
    assert_contact(&m.contact[1], 4.0, 0.125, 0.0, 1.0, 0.25);

    test_shape_regular(&two, 1.0, 64, CN_PI / 64.0); /* on a face */
    double apothem = cos(CN_PI / 64.0), half = sin(CN_PI / 64.0);
    m = collide(test_pose(0, 0, 0), test_pose(0, apothem, 0), 1e-6);
    assert_int_equal(m.contact_count, 2);
    assert_contact(&m.contact[0], -half, 0.0, 0.0, 1.0, 0.0);
    assert_contact(&m.contact[1], half, 0.0, 0.0, 1.0, 0.0);
    m = collide(test_pose(0, 0, 0), test_pose(0, 0, 0), 0.0); /* half sunk: the deepest four */
    assert_int_equal(m.contact_count, 4);
    assert_near(m.separation, -apothem, TINY);
    for (int i = 0; i < 4; i++) {
        assert_true(m.contact[i].gap < -cos(4.0 * CN_PI / 64.0));
    }
}

/* Unit boxes: exactly on each other, half over, and corner on corner. */
static void
test_stacked_boxes(void **state)
{
    (void)state;
    test_shape_box(&one, 1.0, 1.0);
    test_shape_box(&two, 1.0, 1.0);
    struct cn_manifold m = collide(test_pose(3, 0.5, 0), test_pose(3, 1.5, 0), 1e-6);
    assert_int_equal(m.contact_count, 2);
    assert_near(m.separation, 0.0, 0.0);
    assert_contact(&m.contact[0], 3.5, 1.0, 0.0, 1.0, 0.0);
    assert_contact(&m.contact[1], 2.5, 1.0, 0.0, 1.0, 0.0);

    m = collide(test_pose(0, 0.5, 0), test_pose(0.5, 1.5, 0), 1e-6);
    assert_int_equal(m.contact_count, 2);
    assert_contact(&m.contact[0], 0.5, 1.0, 0.0, 1.0, 0.0);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B); /* the lower one's corner */
    assert_contact(&m.contact[1], 0.0, 1.0, 0.0, 1.0, 0.0);
    assert_int_equal(m.contact[1].kind, CN_CONTACT_FACE_A);

    /* Corner on corner: one contact, and bricks carry along y. */
    m = collide(test_pose(0, 0.5, 0), test_pose(1.0, 1.5, 0), 1e-6);
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 0.5, 1.0, 0.0, 1.0, 0.0);
    m = collide(test_pose(0, 0.5, 0), test_pose(-1.0, 1.5, 0), 1e-6);
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], -0.5, 1.0, 0.0, 1.0, 0.0);

    for (int k = 0; k < 4; k++) { /* the same with rounding in the poses */
        double dx = k % 2 == 0 ? 3e-9 : -3e-9, dy = k / 2 == 0 ? 1e-9 : -1e-9;
        m = collide(test_pose(0, 0.5, 0), test_pose(1.0 + dx, 1.5 + dy, 0), 1e-6);
        assert_int_equal(m.contact_count, 1);
        assert_near(m.contact[0].normal.y, 1.0, TINY);
        assert_near(m.contact[0].gap, dy, TINY);
    }

    /* Side by side: lower and upper corner, horizontal normal. */
    m = collide(test_pose(0, 0.5, 0), test_pose(1.0, 0.5, 0), 1e-6);
    assert_int_equal(m.contact_count, 2);
    assert_contact(&m.contact[0], 0.5, 0.0, 1.0, 0.0, 0.0);
    assert_contact(&m.contact[1], 0.5, 1.0, 1.0, 0.0, 0.0);

    /* Past the corner, up and to the right: apart, no contact, the distance of the corners. */
    m = collide(test_pose(0, 0, 0), test_pose(1.0 + 3e-3, 1.0 + 4e-3, 0), 0.1);
    assert_int_equal(m.contact_count, 0);
    assert_near(m.separation, 5e-3, TINY);
}

/* A box above a wide floor, turned a little: both corners, each with its own gap. */
static void
test_nearly_flat_box(void **state)
{
    (void)state;
    test_shape_box(&one, 20.0, 1.0);
    test_shape_box(&two, 2.0, 2.0);
    double angle = 1e-3, s = sin(angle), c = cos(angle);
    struct cn_manifold m = collide(test_pose(0, -0.5, 0), test_pose(4, 1.002, angle), 0.01);
    assert_int_equal(m.contact_count, 2);
    double left = 1.002 - s - c, right = 1.002 + s - c;
    assert_contact(&m.contact[0], 4.0 + c + s, 0.5 * right, 0.0, 1.0, right);
    assert_contact(&m.contact[1], 4.0 - c + s, 0.5 * left, 0.0, 1.0, left);
    assert_near(m.separation, left, TINY);

    m = collide(test_pose(0, -0.5, 0), test_pose(4, 1.002, angle), 0.5 * (left + right));
    assert_int_equal(m.contact_count, 1);
    assert_near(m.contact[0].gap, left, TINY);

    /* A quarter turn of the box changes the names, not the contacts. */
    struct cn_manifold t =
        collide(test_pose(0, -0.5, 0), test_pose(4, 1.002, angle + CN_PI / 2.0), 0.01);
    assert_int_equal(t.contact_count, 2);
    assert_near(t.contact[1].gap, left, TINY);
    assert_true(t.contact[1].feature != m.contact[0].feature);
}

/* The reference face ends under the box: its corner stands against the box's own tilted edge. */
static void
test_overhanging_tilted_box(void **state)
{
    (void)state;
    test_shape_box(&one, 2.0, 1.0);
    test_shape_box(&two, 2.0, 1.0);
    double angle = 0.01, s = sin(angle), c = cos(angle);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(0.5, 1.02, angle), 0.1);
    assert_int_equal(m.contact_count, 2);
    /* The corner (1, 0.5) of one in the frame of two: 0.5 right of and 0.52 below its centre. */
    double corner_gap = -0.5 - (-s * 0.5 - c * 0.52);
    const struct cn_contact *corner = &m.contact[0], *end = &m.contact[1];
    assert_int_equal(corner->kind, CN_CONTACT_FACE_B);
    assert_near(corner->normal.x, -s, TINY);
    assert_near(corner->normal.y, c, TINY);
    assert_near(corner->gap, corner_gap, TINY);
    assert_int_equal(end->kind, CN_CONTACT_FACE_A);
    assert_near(end->gap, 1.02 - s - 0.5 * c - 0.5, TINY);
}

static void
test_deep_overlap(void **state)
{
    (void)state;
    test_shape_box(&one, 2.0, 1.0);
    test_shape_box(&two, 2.0, 1.0);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(0.25, 0.5, 0), 0.0);
    assert_int_equal(m.contact_count, 2);
    assert_near(m.separation, -0.5, TINY);
    assert_contact(&m.contact[0], 1.0, 0.25, 0.0, 1.0, -0.5);
    assert_contact(&m.contact[1], -0.75, 0.25, 0.0, 1.0, -0.5);

    m = collide(test_pose(0, 0, 0), test_pose(0, 0, 0), 0.0); /* one inside the other */
    assert_true(m.contact_count >= 1);
    assert_near(m.separation, -1.0, TINY);
    assert_near(fabs(m.contact[0].normal.y), 1.0, TINY);
}

/* Two squares on their corners, tip to tip: the average of the adjacent normals is upright. */
static void
test_tip_on_tip(void **state)
{
    (void)state;
    test_shape_regular(&one, 1.0, 4, 0.0);
    test_shape_regular(&two, 1.0, 4, 0.0);
    const double gaps[] = {0.0, 1e-9, -1e-9, 5e-8, -5e-8, 5e-6, -5e-6};
    for (int i = 0; i < 7; i++) {
        struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(0, 2.0 + gaps[i], 0), 1e-5);
        assert_int_equal(m.contact_count, 1);
        assert_contact(&m.contact[0], 0.0, 1.0 + 0.5 * gaps[i], 0.0, 1.0, gaps[i]);
        assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_A);
        assert_true(gaps[i] == 0.0 || (m.separation > 0.0) == (gaps[i] > 0.0));
    }
    /* Side by side too. */
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(2, 0, 0), 1e-6);
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 1.0, 0.0, 1.0, 0.0, 0.0);
}

/* A hexagon on its corner in the middle of a floor, and over the floor's end. */
static void
test_corner_on_face(void **state)
{
    (void)state;
    test_shape_box(&one, 4.0, 1.0);
    test_shape_regular(&two, 1.0, 6, CN_PI / 2.0);
    struct cn_manifold m = collide(test_pose(0, -0.5, 0), test_pose(1, 1.125, 0), 0.25);
    assert_int_equal(m.contact_count, 1);
    assert_contact(&m.contact[0], 1.0, 0.0625, 0.0, 1.0, 0.125);

    /* The tip just past the floor's corner: the floor's corner against the hexagon's face. */
    double slope = CN_PI / 6.0; /* of the face left of the tip; the tip 0.1 right, 0.02 below */
    m = collide(test_pose(0, -0.5, 0), test_pose(2.1, 0.98, 0), 0.05);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_FACE_B);
    assert_near(m.contact[0].gap, 0.1 * sin(slope) - 0.02 * cos(slope), TINY);
    assert_near(m.contact[0].normal.x, sin(slope), TINY);
    assert_near(m.contact[0].normal.y, cos(slope), TINY);
}

/* A contact found at one pose, placed at another: the true gap of its corner over its line. */
static void
test_place(void **state)
{
    (void)state;
    test_shape_box(&one, 20.0, 1.0);
    test_shape_box(&two, 2.0, 1.0);
    struct cn_manifold m = collide(test_pose(0, 0, 0), test_pose(0, 1, 0), 0.1);
    assert_int_equal(m.contact_count, 2);
    cn_pose floor = test_pose(1, 2, 0.0), block = test_pose(1.5, 3.5, 0.3);
    for (int i = 0; i < 2; i++) {
        struct cn_contact c = m.contact[i];
        double side = c.anchor_b.x;
        cn_contact_place(&c, &floor, &block);
        double height = 3.5 + side * sin(0.3) - 0.5 * cos(0.3) - 2.5;
        assert_contact(
            &c, 1.5 + side * cos(0.3) + 0.5 * sin(0.3), 2.5 + 0.5 * height, 0.0, 1.0, height);
    }
    /* The owner of the face turns: the normal turns with it. */
    floor = test_pose(0, 0, CN_PI / 2.0);
    block = test_pose(-1.25, 0, CN_PI / 2.0);
    cn_contact_place(&m.contact[0], &floor, &block);
    assert_near(m.contact[0].normal.x, -1.0, TINY);
    assert_near(m.contact[0].gap, 0.25, TINY);
}

/* A ball over the middle of any edge is half an edge from its ends, over a quarter a quarter. */
static void
test_overhang_of_each_edge(void **state)
{
    (void)state;
    test_shape_box(&one, 4.0, 2.0);
    test_shape_circle(&two, 0.5);
    for (int i = 0; i < 16; i++) {
        bool upright = i % 2 != 0;
        double side = i & 2 ? 1.0 : -1.0, length = upright ? 2.0 : 4.0;
        double along = (i & 4 ? 0.0 : 0.25 * length) * (i & 8 ? 1.0 : -1.0);
        cn_pose pose =
            upright ? test_pose(side * 2.5, along, 0.0) : test_pose(along, side * 1.5, 0.0);
        struct cn_manifold m = collide(test_pose(0, 0, 0), pose, 0.1);
        assert_int_equal(m.contact_count, 1);
        assert_near(m.contact[0].overhang, fabs(along) - 0.5 * length, TINY);
        assert_near(m.contact[0].face_length, length, TINY);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_circle_and_plane),
        cmocka_unit_test(test_circle_and_box),
        cmocka_unit_test(test_circle_and_capsule),
        cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_capsule_and_box),
        cmocka_unit_test(test_plane_and_capsule_and_polygon),
        cmocka_unit_test(test_stacked_boxes),
        cmocka_unit_test(test_nearly_flat_box),
        cmocka_unit_test(test_overhanging_tilted_box),
        cmocka_unit_test(test_deep_overlap),
        cmocka_unit_test(test_tip_on_tip),
        cmocka_unit_test(test_corner_on_face),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_overhang_of_each_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
