/*
 * test_borders.c: outlines with arcs, concave ones and one-sided walls.
 *
 *   1. a convex polygon as an outline touches as the polygon does, which other code finds
 *   2. two arcs that make a disc touch as the disc does
 *   3. hollow arcs, notches, walls from both sides, by hand
 *   4. worlds: what rolls in a bowl keeps its energy; a box rests in a notch
 */
#include "engine/base/rng.h"
#include "engine/collide/exact/manifold.h"
#include "tests/support/collide/shapes.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ROUND_COUNT 1500
#define NEAR(actual, expected) assert_true(fabs((actual) - (expected)) <= 1e-9)

static struct test_shape polygon, bordered, other;

/* The same corners as an outline, about the same centre of mass. */
static void
as_outline(const struct test_shape *from, struct test_shape *to)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_OUTLINE};
    def.boundary.closed = true;
    def.boundary.point_count = from->shape.vertex_count;
    for (int i = 0; i < from->shape.vertex_count; i++) {
        to->corner[i] = (cn_vec3){from->shape.vertex[i].x, from->shape.vertex[i].y, 0.0};
    }
    def.boundary.points = to->corner;
    test_shape_bake(to, &def);
}

static struct cn_manifold
collide(const struct test_shape *a, const cn_pose *pose_a, const struct test_shape *b,
    const cn_pose *pose_b)
{
    struct cn_manifold manifold;
    memset(&manifold, 0, sizeof(manifold));
    cn_collide(&a->shape, pose_a, &b->shape, pose_b, 0.02, &manifold);
    return manifold;
}

/* Moves B along x until the polygon is this far from it. */
static cn_pose
nudge(cn_pose pose_b, double angle, double apart)
{
    double low = 0.0, high = 20.0;
    for (int k = 0; k < 60; k++) {
        double x = 0.5 * (low + high);
        cn_pose trial = test_pose(x, pose_b.position.y, angle), origin = test_pose(0.0, 0.0, 0.0);
        *(collide(&polygon, &origin, &other, &trial).separation < apart ? &low : &high) = x;
    }
    return test_pose(high, pose_b.position.y, angle);
}

static double
deepest(const struct cn_manifold *manifold, cn_vec3 *normal)
{
    double gap = HUGE_VAL;
    for (int i = 0; i < manifold->contact_count; i++) {
        if (manifold->contact[i].gap < gap) {
            gap = manifold->contact[i].gap;
            *normal = manifold->contact[i].normal;
        }
    }
    return gap;
}

static bool
has_kind(const struct cn_manifold *manifold, enum cn_contact_kind kind)
{
    for (int i = 0; i < manifold->contact_count; i++) {
        if (manifold->contact[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static void
test_convex(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 5};
    int compared = 0, crossed = 0;
    for (int round = 0; round < ROUND_COUNT; round++) {
        double size = cn_rng_uniform(&rng, 0.5, 2.0), aspect = cn_rng_uniform(&rng, 0.4, 1.0);
        unsigned mask = (unsigned)cn_rng_next(&rng);
        test_shape_polygon(&polygon, size, aspect, mask);
        as_outline(&polygon, &bordered);
        double width = cn_rng_uniform(&rng, 0.3, 1.5), height = cn_rng_uniform(&rng, 0.3, 1.5);
        switch (round % 3) {
        case 0:
            test_shape_box(&other, width, height);
            break;
        case 1:
            test_shape_circle(&other, 0.5 * width);
            break;
        default:
            test_shape_capsule(&other, 0.3 * width, height);
            break;
        }
        double angle = cn_rng_uniform(&rng, -3.0, 3.0), y = cn_rng_uniform(&rng, -0.8, 0.8);
        double apart = cn_rng_uniform(&rng, -0.01, 0.01);
        cn_pose pose_b = nudge(test_pose(0.0, y, 0.0), angle, apart);
        cn_pose origin = test_pose(0.0, 0.0, 0.0);
        struct cn_manifold by_polygon = collide(&polygon, &origin, &other, &pose_b);
        struct cn_manifold by_border = collide(&bordered, &origin, &other, &pose_b);
        if (by_polygon.contact_count == 0) {
            continue; /* corner beyond corner */
        }
        cn_vec3 n = {0.0, 0.0, 0.0}, m = n;
        double gap = deepest(&by_polygon, &n), found = deepest(&by_border, &m);
        if (fabs(found - gap) > 1e-9) {
            /* A corner of each is in the other: either way out will do. */
            assert_true(found < 0.0 && gap < 0.0 && fabs(found - gap) < 0.01);
            assert_true(has_kind(&by_border, CN_CONTACT_FACE_A));
            assert_true(has_kind(&by_border, CN_CONTACT_FACE_B));
            crossed++;
            continue;
        }
        assert_true(cn_vec3_dot(n, m) > 1.0 - 1e-9);
        assert_true((by_border.separation < -1e-9) == (by_polygon.separation < -1e-9));
        compared++;
    }
    assert_true(compared > ROUND_COUNT / 2 && crossed < 5);
}

static void
make_outline(struct test_shape *shape, enum cn_shape_kind kind, const cn_vec3 *points, int count,
    bool closed)
{
    struct cn_shape_def def = {.kind = kind};
    def.boundary.points = points;
    def.boundary.point_count = count;
    def.boundary.closed = closed;
    test_shape_bake(shape, &def);
}

static void
test_disc(void **state)
{
    (void)state;
    static struct test_shape disc, arcs;
    const cn_vec3 halves[] = {{0.6, 0, 1}, {-0.6, 0, 1}};
    test_shape_circle(&disc, 0.6);
    make_outline(&arcs, CN_SHAPE_OUTLINE, halves, 2, true);
    struct cn_rng rng = {.state = 11};
    for (int round = 0; round < 400; round++) {
        test_shape_box(&other, 1.0, cn_rng_uniform(&rng, 0.4, 1.4));
        double angle = cn_rng_uniform(&rng, -3.0, 3.0), turn = cn_rng_uniform(&rng, -3.0, 3.0);
        double s, c;
        cn_sin_cos(cn_rng_uniform(&rng, -3.0, 3.0), &s, &c);
        cn_pose pose = test_pose(1.1 * c, 1.1 * s, angle), origin = test_pose(0.0, 0.0, 0.0);
        cn_pose turned = test_pose(0.0, 0.0, turn);
        struct cn_manifold by_disc = collide(&disc, &origin, &other, &pose);
        struct cn_manifold by_arcs = collide(&arcs, &turned, &other, &pose);
        if (by_disc.separation < -0.15) {
            continue; /* deeper than half of the box */
        }
        assert_int_equal(by_arcs.contact_count, by_disc.contact_count);
        if (by_disc.contact_count > 0) {
            NEAR(by_arcs.contact[0].gap, by_disc.contact[0].gap);
            assert_true(
                cn_vec3_dot(by_arcs.contact[0].normal, by_disc.contact[0].normal) > 1.0 - 1e-9);
        }
    }
}

static void
test_by_hand(void **state)
{
    (void)state;
    cn_pose origin = test_pose(0.0, 0.0, 0.0);
    static struct test_shape wall, ball, box;
    test_shape_circle(&ball, 0.5);
    /* A bowl of radius 2 about the origin, open above. */
    const cn_vec3 bowl[] = {{2, 0, -1}, {-2, 0, 0}};
    make_outline(&wall, CN_SHAPE_CHAIN, bowl, 2, false);
    cn_pose at = test_pose(0.9, -1.2, 0.4); /* 1.5 from the middle: touching */
    struct cn_manifold m = collide(&wall, &origin, &ball, &at);
    assert_int_equal(m.contact_count, 1);
    assert_int_equal(m.contact[0].kind, CN_CONTACT_HOLLOW);
    NEAR(m.contact[0].gap, 0.0);
    NEAR(m.contact[0].normal.x, -0.6);
    NEAR(m.contact[0].normal.y, 0.8);
    NEAR(m.contact[0].point.x, 1.2);
    NEAR(m.contact[0].point.y, -1.6);
    m = collide(&ball, &at, &wall, &origin);
    NEAR(m.contact[0].normal.x, 0.6);
    NEAR(m.contact[0].point.y, -1.6);
    at = test_pose(0.0, -1.0, 0.0);
    m = collide(&wall, &origin, &ball, &at);
    assert_int_equal(m.contact_count, 0);
    assert_true(m.separation > 0.0 && m.separation <= 0.5 + 1e-9);

    /* A wall along x, whose free side is above; the ball meets it from there alone. */
    const cn_vec3 floor[] = {{4, 0, 0}, {-4, 0, 0}};
    make_outline(&wall, CN_SHAPE_CHAIN, floor, 2, false);
    at = test_pose(1.0, 0.49, 0.0);
    m = collide(&wall, &origin, &ball, &at);
    assert_int_equal(m.contact_count, 1);
    NEAR(m.contact[0].gap, -0.01);
    NEAR(m.contact[0].normal.y, 1.0);
    at = test_pose(1.0, -0.49, 0.0);
    assert_int_equal(collide(&wall, &origin, &ball, &at).contact_count, 0);
    at = test_pose(4.0 + 0.3, 0.4, 0.0); /* beyond its end, which is a corner */
    m = collide(&wall, &origin, &ball, &at);
    assert_int_equal(m.contact_count, 1);
    NEAR(m.contact[0].gap, 0.0);
    NEAR(m.contact[0].normal.x, 0.6);

    /* A box in the notch of an L: its lower left corner region touches two faces. */
    const cn_vec3 ell[] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    make_outline(&wall, CN_SHAPE_OUTLINE, ell, 6, true);
    test_shape_box(&box, 1.0, 0.8);
    cn_pose frame = test_pose(1.25, 0.75, 0.0); /* where the L's centre of mass is */
    at = test_pose(1.5, 1.4, 0.0);
    m = collide(&wall, &frame, &box, &at);
    assert_int_equal(m.contact_count, 4);
    for (int i = 0; i < 4; i++) {
        NEAR(m.contact[i].gap, 0.0);
    }
}

static struct scene scene;

static void
add_boundary(int body, const cn_vec3 *points, int count, bool closed, bool is_chain)
{
    scene.shape[body].kind = is_chain ? CN_SHAPE_CHAIN : CN_SHAPE_OUTLINE;
    scene.shape[body].boundary.points = points;
    scene.shape[body].boundary.point_count = count;
    scene.shape[body].boundary.closed = closed;
}

static void
test_bowl(void **state)
{
    (void)state;
    static const cn_vec3 bowl[] = {{2, 0, -1}, {-2, 0, 0}};
    scene_init(&scene, 10.0);
    int wall = scene_box(&scene, 0.0, 0.0, 1.0, 1.0), ball = scene_circle(&scene, 1.2, -0.9, 0.5);
    scene.body[wall].type = CN_STATIC;
    add_boundary(wall, bowl, 2, false, true);
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total, highest = -HUGE_VAL;
    for (int t = 0; t < 600; t++) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, ball);
        NEAR(view.position.z, 0.0);
        double from_center = sqrt(
            view.position.x * view.position.x + view.position.y * view.position.y);
        assert_true(fabs(from_center - 1.5) <= 2.0 * cn_world_gap_tolerance(world));
        assert_true(fabs(cn_world_energy(world).total - energy) <= 1e-4 * 6.0);
        highest = view.position.y > highest ? view.position.y : highest;
    }
    assert_true(fabs(highest + 0.9) <= 1e-2); /* it comes back up to where it began */
    cn_world_destroy(world);
}

static void
test_notch(void **state)
{
    (void)state;
    static const cn_vec3 ell[] = {
        {0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    scene_init(&scene, 10.0);
    int ground = scene_floor(&scene), holder = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    add_boundary(holder, ell, 6, true, false);
    scene.body[holder].mass = 4.0;
    int box = scene_box(&scene, 1.5, 1.6, 1.0, 0.8);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 120);
    struct cn_body_view view = scene_view(world, box);
    assert_true(fabs(view.position.x - 1.5) <= 1e-3);
    assert_true(fabs(view.position.y - 1.4) <= 1e-3);
    assert_true(fabs(scene_contacts(world, ground, holder).force - 50.0) <= 1e-6);
    assert_true(scene_depth(world) <= cn_world_gap_tolerance(world));
    cn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_convex),
    cmocka_unit_test(test_disc),
    cmocka_unit_test(test_by_hand),
    cmocka_unit_test(test_bowl),
    cmocka_unit_test(test_notch),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
