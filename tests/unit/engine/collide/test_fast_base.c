/*
 * test_fast_base.c: a manifold follows its bodies while they have moved little since its base was
 * made, and is dropped beyond.  Separations are worked out by hand: s = s_base + n . m.
 */
#include "engine/collide/fast/fast_base.h"
#include "engine/math/trig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define MARGIN 0.02F
#define REACH 0.7F
#define DEPTH 0.002 /* m: how deeply B is in A */
#define HALF (0.5 - 0.5 * DEPTH) /* m: an anchor is in the middle of the overlap */
#define TIGHT 3e-7  /* m: of float, at places of 1 m */

/* ---- the plane: B, a box of 1 m, stands with both corners on A, an equal box ---- */

struct pair2 {
    struct cn_place2 a, b;
    struct cn_manifold2 manifold, now;
};

static void
turn2(struct cn_place2 *place, double angle)
{
    double sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    place->cosine = (float)cosine;
    place->sine = (float)sine;
}

static struct pair2
pair2_make(double angle_a, double angle_b)
{
    struct pair2 pair = {.a = {.x = 3.0, .y = 0.5}, .b = {.x = 3.0, .y = 1.5 - DEPTH}};
    turn2(&pair.a, angle_a);
    turn2(&pair.b, angle_b);
    pair.manifold = (struct cn_manifold2){.normal_y = 1.0F, .point_count = 2, .hint = 7};
    for (int i = 0; i < 2; i++) {
        float x = i == 0 ? -0.5F : 0.5F;
        struct cn_point2 *p = &pair.manifold.point[i];
        p->anchor_ax = p->anchor_bx = x;
        p->anchor_ay = (float)HALF;
        p->anchor_by = -(float)HALF;
        p->separation = -(float)DEPTH - 0.001F * (float)i;
        p->normal_impulse = 2.0F;
        p->tangent_impulse = 0.5F;
        p->total_impulse = 8.0F;
        p->feature = 11U + (uint32_t)i;
    }
    cn_base2_make(&pair.a, &pair.b, &pair.manifold);
    return pair;
}

static bool
follow2(struct pair2 *pair)
{
    return cn_base2_follow(&pair->a, &pair->b, MARGIN, REACH, &pair->manifold, &pair->now);
}

static void
test_planar_same_place(void **state)
{
    (void)state;
    struct pair2 pair = pair2_make(0.3, -0.2);
    assert_int_equal(pair.manifold.persists, 1);
    assert_true(follow2(&pair));
    assert_int_equal(pair.now.point_count, 2);
    assert_int_equal(pair.now.hint, 7);
    assert_int_equal(pair.now.persists, 1);
    assert_memory_equal(&pair.now.base, &pair.manifold.base, sizeof(pair.now.base));
    for (int i = 0; i < 2; i++) {
        const struct cn_point2 *p = &pair.now.point[i];
        assert_near((double)p->separation, -DEPTH - 0.001 * i, TIGHT);
        assert_true(p->normal_impulse == 2.0F && p->tangent_impulse == 0.5F);
        assert_true(p->total_impulse == 0.0F); /* it counts a single tick */
        assert_int_equal(p->feature, 11 + i);
    }
}

static void
test_planar_moved(void **state)
{
    (void)state;
    struct pair2 pair = pair2_make(0.0, 0.0);
    pair.b.x += 0.004;
    pair.b.y += 0.003;
    pair.a.y -= 0.001;
    assert_true(follow2(&pair));
    assert_near((double)pair.now.point[0].separation, -DEPTH + 0.004, TIGHT);
    assert_near((double)pair.now.point[1].separation, -DEPTH - 0.001 + 0.004, TIGHT);
    /* The base stays the same, so a second follow gives the same result as the first. */
    pair.manifold = pair.now;
    assert_true(follow2(&pair));
    assert_near((double)pair.now.point[0].separation, -DEPTH + 0.004, TIGHT);
    assert_true(pair.now.point[0].anchor_bx == -0.5F);
}

static void
test_planar_turned(void **state)
{
    (void)state;
    const double angle = 0.004;
    for (int k = 0; k < 2; k++) {
        struct pair2 pair = pair2_make(0.0, 0.0);
        turn2(k == 0 ? &pair.b : &pair.a, angle);
        assert_true(follow2(&pair));
        /* n . (Q - 1) r of B, minus that of A, whose corner is above its centre and not below. */
        double more = HALF * (1.0 - cos(angle));
        double sign = k == 0 ? 1.0 : -1.0;
        double sunk = sign * 0.5 * sin(angle) - more;
        assert_near((double)pair.now.point[0].separation, -DEPTH - sunk, TIGHT);
        assert_near((double)pair.now.point[1].separation,
            -DEPTH - 0.001 + sunk + 2.0 * more, TIGHT);
    }
}

/* The pair turns as one rigid body about a point, and no separation changes. */
static void
test_planar_rigid(void **state)
{
    (void)state;
    const double angle = 0.045;
    struct pair2 pair = pair2_make(0.1, 0.2);
    double c = cos(angle), s = sin(angle), x = 5.0, y = -2.0;
    struct cn_place2 *place[2] = {&pair.a, &pair.b};
    for (int k = 0; k < 2; k++) {
        double px = place[k]->x - x, py = place[k]->y - y;
        place[k]->x = x + c * px - s * py;
        place[k]->y = y + s * px + c * py;
        turn2(place[k], (k == 0 ? 0.1 : 0.2) + angle);
    }
    assert_true(follow2(&pair));
    /*
     * The overlap turns with the pair, but the normal does not: an error of second order in the
     * angle.
     */
    assert_near((double)pair.now.point[0].separation, -DEPTH, DEPTH * (1.0 - c) + 5e-7);
    assert_near((double)pair.now.point[1].separation, -DEPTH - 0.001, DEPTH * (1.0 - c) + 5e-7);
}

static bool
keeps2(double x, double y, double turn_a, double turn_b)
{
    struct pair2 pair = pair2_make(turn_a == 0.0 ? 0.0 : 2.0, turn_b == 0.0 ? 0.0 : 2.0);
    pair.b.x += x;
    pair.b.y += y;
    if (turn_a != 0.0) {
        turn2(&pair.a, 2.0 + turn_a);
    }
    if (turn_b != 0.0) {
        turn2(&pair.b, 2.0 + turn_b);
    }
    return follow2(&pair);
}

static void
test_planar_dropped(void **state)
{
    (void)state;
    const double most = (double)CN_BASE_PART * (double)MARGIN;
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_true(keeps2(sign * 0.98 * most, 0.0, 0.0, 0.0));
        assert_false(keeps2(sign * 1.02 * most, 0.0, 0.0, 0.0));
        assert_true(keeps2(0.0, sign * 0.98 * most, 0.0, 0.0));
        assert_false(keeps2(0.0, sign * 1.02 * most, 0.0, 0.0));
        /* Corner and reach together: sqrt(0.5) + 0.7 m of arm. */
        double turn = most / (sqrt(0.5) + (double)REACH);
        assert_true(keeps2(0.0, 0.0, sign * 0.97 * turn, 0.0));
        assert_false(keeps2(0.0, 0.0, sign * 1.03 * turn, 0.0));
        assert_true(keeps2(0.0, 0.0, 0.0, sign * 0.97 * turn));
        assert_false(keeps2(0.0, 0.0, 0.0, sign * 1.03 * turn));
    }
    struct pair2 pair = pair2_make(0.0, 0.0);
    pair.manifold.persists = 0;
    assert_false(follow2(&pair));
}

/* Both bodies turn together, so only the limit CN_BASE_TURN drops the base. */
static void
test_planar_turn_limit(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        struct pair2 pair = pair2_make(0.0, 0.0);
        double angle = asin((double)CN_BASE_TURN) * (far == 1 ? 1.002 : 0.998);
        double dx = pair.b.x - pair.a.x, dy = pair.b.y - pair.a.y;
        pair.b.x = pair.a.x + cos(angle) * dx - sin(angle) * dy;
        pair.b.y = pair.a.y + sin(angle) * dx + cos(angle) * dy;
        turn2(&pair.a, angle);
        turn2(&pair.b, angle);
        assert_int_equal(follow2(&pair), far == 0);
    }
    /* Half a turn, whose sine is 0. */
    struct pair2 pair = pair2_make(0.0, 0.0);
    pair.b.cosine = -1.0F;
    assert_false(follow2(&pair));
}

static void
test_planar_apart(void **state)
{
    (void)state;
    struct pair2 pair = pair2_make(0.0, 0.0);
    pair.manifold.base_separation[0] = pair.manifold.base_separation[1] = MARGIN - 0.004F;
    pair.b.y += 0.003;
    assert_true(follow2(&pair));
    pair.b.y += 0.002;
    assert_false(follow2(&pair)); /* both beyond the margin */
    pair.manifold.base_separation[1] = 0.0F;
    assert_true(follow2(&pair)); /* one of two is near */
    assert_near((double)pair.now.point[0].separation, (double)MARGIN + 0.001, TIGHT);
}

/* ---- space: the same with four corners ---- */

struct pair3 {
    struct cn_place3 a, b;
    cn_quat turn_a, turn_b;
    bool fixed_a;
    struct cn_manifold3 manifold, now;
};

static cn_quat
turn_about(cn_vec3 axis, double angle)
{
    double sine, cosine;
    cn_sin_cos(0.5 * angle, &sine, &cosine);
    return (cn_quat){cosine, sine * axis.x, sine * axis.y, sine * axis.z};
}

static const cn_vec3 slanted = {0.48, 0.6, 0.64};

static struct pair3
pair3_make(bool fixed_a)
{
    struct pair3 pair = {.fixed_a = fixed_a};
    pair.turn_a = turn_about(slanted, 1.1);
    pair.turn_b = turn_about(slanted, -2.3);
    pair.a = (struct cn_place3){.x = 3.0, .y = 0.5, .z = -1.0};
    pair.b = (struct cn_place3){.x = 3.0, .y = 1.5 - DEPTH, .z = -1.0};
    pair.manifold.normal[1] = 1.0F;
    pair.manifold.point_count = 4;
    for (int i = 0; i < 4; i++) {
        float x = i % 2 == 0 ? -0.5F : 0.5F, z = i / 2 == 0 ? -0.5F : 0.5F;
        float s = -(float)DEPTH - 0.001F * (float)i;
        pair.manifold.point[i] = (struct cn_point3){.anchor_a = {x, (float)HALF, z},
            .anchor_b = {x, -(float)HALF, z}, .separation = s, .normal_impulse = 2.0F};
    }
    cn_base3_make(&pair.a, fixed_a ? NULL : &pair.turn_a, &pair.b, &pair.turn_b, &pair.manifold);
    return pair;
}

static bool
follow3(struct pair3 *pair)
{
    return cn_base3_follow(&pair->a, pair->fixed_a ? NULL : &pair->turn_a, &pair->b,
        &pair->turn_b, MARGIN, REACH, &pair->manifold, &pair->now);
}

static void
check_same3(const struct pair3 *pair, double tolerance)
{
    for (int i = 0; i < 4; i++) {
        assert_near((double)pair->now.point[i].separation, -DEPTH - 0.001 * i, tolerance);
        assert_true(pair->now.point[i].normal_impulse == 2.0F);
    }
}

static void
test_spatial_same_place(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        struct pair3 pair = pair3_make(fixed == 1);
        assert_int_equal(pair.manifold.persists, 1);
        assert_true(follow3(&pair));
        check_same3(&pair, TIGHT);
        /* q and -q are one orientation. */
        cn_quat q = pair.turn_b;
        pair.turn_b = (cn_quat){-q.w, -q.x, -q.y, -q.z};
        assert_true(follow3(&pair));
        check_same3(&pair, TIGHT);
    }
}

/* m of the corners by hand, of turns of B or A by a small angle about any axis. */
static void
test_spatial_turned(void **state)
{
    (void)state;
    const double angle = 0.003;
    for (int k = 0; k < 2; k++) {
        struct pair3 pair = pair3_make(false);
        cn_quat turn = turn_about(slanted, angle);
        cn_quat *q = k == 0 ? &pair.turn_b : &pair.turn_a;
        *q = cn_quat_multiply(turn, *q);
        pair.b.y += 0.001;
        assert_true(follow3(&pair));
        cn_mat33 R = cn_quat_to_mat33(turn);
        for (int i = 0; i < 4; i++) {
            double x = i % 2 == 0 ? -0.5 : 0.5, z = i / 2 == 0 ? -0.5 : 0.5;
            double y = k == 0 ? -HALF : HALF;
            double rise = R.cx.y * x + R.cy.y * y + R.cz.y * z - y;
            double expected = -DEPTH - 0.001 * i + 0.001 + (k == 0 ? rise : -rise);
            /* 16 bits of an orientation: some 1.5e-5 of the turn that follows */
            assert_near((double)pair.now.point[i].separation, expected, 1e-6);
        }
    }
}

static void
test_spatial_rigid(void **state)
{
    (void)state;
    const double angle = 0.045;
    struct pair3 pair = pair3_make(false);
    cn_quat turn = turn_about(slanted, angle);
    cn_mat33 R = cn_quat_to_mat33(turn);
    cn_vec3 c = cn_mat33_apply(&R, cn_vec3_make(0.0, 1.0 - DEPTH, 0.0));
    pair.b.x = pair.a.x + c.x;
    pair.b.y = pair.a.y + c.y;
    pair.b.z = pair.a.z + c.z;
    pair.turn_a = cn_quat_multiply(turn, pair.turn_a);
    pair.turn_b = cn_quat_multiply(turn, pair.turn_b);
    assert_true(follow3(&pair));
    check_same3(&pair, 5e-6);
}

static bool
keeps3(cn_vec3 move, double turn_a, double turn_b)
{
    struct pair3 pair = pair3_make(false);
    pair.b.x += move.x;
    pair.b.y += move.y;
    pair.b.z += move.z;
    cn_vec3 up = cn_vec3_make(0.0, 1.0, 0.0);
    pair.turn_a = cn_quat_multiply(turn_about(up, turn_a), pair.turn_a);
    pair.turn_b = cn_quat_multiply(turn_about(up, turn_b), pair.turn_b);
    return follow3(&pair);
}

static void
test_spatial_dropped(void **state)
{
    (void)state;
    const double most = (double)CN_BASE_PART * (double)MARGIN;
    for (int k = 0; k < 6; k++) {
        double sign = k % 2 == 0 ? 1.0 : -1.0;
        cn_vec3 axis = {k / 2 == 0 ? sign : 0.0, k / 2 == 1 ? sign : 0.0, k / 2 == 2 ? sign : 0.0};
        assert_true(keeps3(cn_vec3_scale(axis, 0.97 * most), 0.0, 0.0));
        assert_false(keeps3(cn_vec3_scale(axis, 1.03 * most), 0.0, 0.0));
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        double turn = sign * most / (sqrt(0.5) + (double)REACH);
        cn_vec3 none = {0.0, 0.0, 0.0};
        assert_true(keeps3(none, 0.97 * turn, 0.0));
        assert_false(keeps3(none, 1.03 * turn, 0.0));
        assert_true(keeps3(none, 0.0, 0.97 * turn));
        assert_false(keeps3(none, 0.0, 1.03 * turn));
        double most_turn = sign * (double)CN_BASE_TURN;
        assert_true(keeps3(none, 0.99 * most_turn, 0.99 * most_turn));
        assert_false(keeps3(none, 1.01 * most_turn, 1.01 * most_turn));
    }
    struct pair3 pair = pair3_make(false);
    pair.manifold.persists = 0;
    assert_false(follow3(&pair));
}

/* A body that was fixed when the base was made and moves now, or the opposite. */
static void
test_spatial_fixed_changes(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        struct pair3 pair = pair3_make(fixed == 1);
        pair.fixed_a = fixed == 0;
        assert_false(follow3(&pair));
    }
}

static void
test_spatial_apart(void **state)
{
    (void)state;
    struct pair3 pair = pair3_make(true);
    for (int i = 0; i < 4; i++) {
        pair.manifold.base_separation[i] = MARGIN - 0.004F;
    }
    pair.b.y += 0.003;
    assert_true(follow3(&pair));
    pair.b.y += 0.002;
    assert_false(follow3(&pair));
    pair.manifold.base_separation[3] = 0.0F;
    assert_true(follow3(&pair));
    assert_near((double)pair.now.point[3].separation, 0.005, 3e-5); /* 16 bits of an orientation */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_same_place),
        cmocka_unit_test(test_planar_moved),
        cmocka_unit_test(test_planar_turned),
        cmocka_unit_test(test_planar_rigid),
        cmocka_unit_test(test_planar_dropped),
        cmocka_unit_test(test_planar_turn_limit),
        cmocka_unit_test(test_planar_apart),
        cmocka_unit_test(test_spatial_same_place),
        cmocka_unit_test(test_spatial_turned),
        cmocka_unit_test(test_spatial_rigid),
        cmocka_unit_test(test_spatial_dropped),
        cmocka_unit_test(test_spatial_fixed_changes),
        cmocka_unit_test(test_spatial_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
