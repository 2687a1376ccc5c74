/*
 * test_round.c: friction in space, where cones are round: verdicts and margins known by hand, both
 * sides of the edge, and every certificate verified.
 */
#include "prove/write.h"
#include "tests/support/world/scene.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static struct pv_answer answer;

/* Asks, and verifies the certificate; the answer is to be finished. */
static void
ask(void)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    if (pv_answer_init(&answer, &scene.def, &choice, &defect) != CN_OK) {
        fail_msg("%s: %s", defect.path, defect.text);
    }
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s\n%s", finding.text, text);
    }
    free(text);
}

/* The margin is known to `part` of itself and encloses `margin`. */
static void
expect(enum pv_verdict verdict, double margin, double part)
{
    ask();
    assert_int_equal(answer.verdict, verdict);
    double low = pv_double(answer.margin), high = low;
    if (answer.kind == PV_BOUNDS) {
        assert_true(answer.has_margin && answer.has_bound);
        high = pv_double(answer.bound);
    } else {
        assert_int_equal(answer.kind, PV_MARGIN);
    }
    double near = part * fabs(margin);
    if (!(low <= margin + near && high >= margin - near && high - low <= near + 1e-7)) {
        fail_msg("%.17g to %.17g is not %.17g", low, high, margin);
    }
    pv_answer_finish(&answer);
}

static void
expect_verdict(enum pv_verdict verdict, enum pv_margin_kind kind)
{
    ask();
    assert_int_equal(answer.verdict, verdict);
    assert_int_equal(answer.kind, kind);
    pv_answer_finish(&answer);
}

static void
begin(double friction)
{
    scene_init_space(&scene, 10.0);
    for (int i = 0; i < SCENE_MATERIALS_MAX; i++) {
        scene.material[i].static_friction = friction;
    }
}

static int
add_box(double x, double y, double z, double width, double height, double depth)
{
    int box = scene_box(&scene, x, y, width, height);
    scene.body[box].position.z = z;
    scene.shape[box].box.size.z = depth;
    scene.body[box].mass = 1.0;
    return box;
}

/*
 * A flat block on a slope: gravity (3 s, -n, 4 s) slants by 5 s / n, and not along an axis.  With t
 * more force on each of the four feet, 4 mu (n / 4 - t) = 5 s.
 */
static void
test_block_on_slope(void **state)
{
    (void)state;
    static const double off[] = {1e-3, -1e-3, 1e-6, -1e-6, 1e-2, -0.1, 0.2};
    for (size_t k = 0; k < sizeof(off) / sizeof(off[0]); k++) {
        double slope = 0.25, mu = slope + off[k];
        begin(mu);
        scene_floor(&scene);
        add_box(0.0, 0.005, 0.0, 1.0, 0.01, 1.0); /* flat: it does not tip */
        scene.def.settings.gravity = cn_vec3_make(0.6 * 2.0, -8.0, 0.8 * 2.0);
        expect(off[k] > 0.0 ? PV_STABLE : PV_UNSTABLE, 2.0 - 0.5 / mu, 1e-5);
    }
}

/* Exactly on the edge: the verdict is critical, or the margin and the bound have 0 between them. */
static void
test_tie(void **state)
{
    (void)state;
    begin(0.25);
    scene_floor(&scene);
    add_box(0.0, 0.005, 0.0, 1.0, 0.01, 1.0);
    scene.def.settings.gravity = cn_vec3_make(2.0 * cos(0.7), -8.0, 2.0 * sin(0.7));
    ask();
    assert_true(answer.verdict == PV_CRITICAL || answer.verdict == PV_UNKNOWN);
    assert_true(pv_double(answer.margin) <= 0.0 && pv_double(answer.margin) > -1e-6);
    assert_true(answer.kind == PV_MARGIN || pv_double(answer.bound) >= 0.0);
    pv_answer_finish(&answer);
}

static bool
accepts(void)
{
    struct vf_finding finding;
    struct wire_json json;
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    bool good = vf_verify(&scene.def, text, strlen(text), &finding);
    free(text);
    return good;
}

/*
 * The verdict that follows from two bounds on t*.  Margins within 10^-12 of the weight are
 * critical.  The verdict is unknown if one bound is inside these limits and the other is outside.
 */
static enum pv_verdict
rule(void)
{
    mpq_t wall, under;
    mpq_inits(wall, under, NULL);
    mpq_set_ui(wall, 1, 1000000000000ul);
    mpq_mul(wall, wall, answer.arrangement.weight);
    mpq_neg(under, wall);
    bool low_is_over = mpq_cmp(answer.margin, wall) > 0;
    bool low_is_under = mpq_cmp(answer.margin, under) < 0;
    bool high_is_over = mpq_cmp(answer.bound, wall) > 0;
    bool high_is_under = mpq_cmp(answer.bound, under) < 0;
    mpq_clears(wall, under, NULL);
    return low_is_over                     ? PV_STABLE
           : high_is_under                 ? PV_UNSTABLE
           : low_is_under || high_is_over ? PV_UNKNOWN
                                           : PV_CRITICAL;
}

/*
 * Margins near the limits of the verdict critical, t* = +-10^-12 of the weight.  There the lower
 * bound may be on one side of a limit and the upper bound on the other.  A lower bound does not
 * prove that a body falls, and an upper bound does not prove that it stands.  So the verifier
 * accepts only the one verdict that follows from both bounds.
 */
static void
test_between_bounds(void **state)
{
    (void)state;
    int counts[4] = {0};
    for (int k = -6; k <= 6; k++) {
        double wall = 1e-12 * sqrt(68.0); /* [N]; t* = 2 - 0.5 / mu, or about 8 (mu - 0.25) */
        double off = k % 3 == 0 ? 0.5 * k * wall : copysign(1.0 + 1e-4 * (k % 3), k) * wall;
        begin(0.25 + off / 8.0);
        scene_floor(&scene);
        add_box(0.0, 0.005, 0.0, 1.0, 0.01, 1.0);
        scene.def.settings.gravity = cn_vec3_make(1.2, -8.0, 1.6);
        ask();
        assert_int_equal(answer.kind, PV_BOUNDS);
        assert_true(pv_double(answer.margin) <= off + 1e-15);
        assert_true(pv_double(answer.bound) >= off - 1e-15);
        assert_int_equal(answer.verdict, rule());
        counts[answer.verdict]++;
        enum pv_verdict verdict = answer.verdict;
        for (int other = PV_STABLE; other <= PV_UNKNOWN; other++) {
            answer.verdict = (enum pv_verdict)other;
            assert_true(accepts() == (answer.verdict == verdict));
        }
        pv_answer_finish(&answer);
    }
    for (int k = 0; k < 4; k++) {
        assert_true(counts[k] > 0);
    }
}

/* With mu 1e-9 above the slope the block stands; the verdict is stable, or unknown. */
static void
test_almost_tie(void **state)
{
    (void)state;
    static const double slope[] = {0.3, 0.5, 0.75};
    for (int k = 0; k < 3; k++) {
        begin(slope[k] + 1e-9);
        scene_floor(&scene);
        add_box(0.0, 0.05, 0.0, 1.0, 0.1, 1.0);
        double down = 9.81 * slope[k];
        scene.def.settings.gravity = cn_vec3_make(down * cos(0.7), -9.81, down * sin(0.7));
        ask();
        assert_true(answer.verdict == PV_STABLE || answer.verdict == PV_UNKNOWN);
        assert_true(answer.has_bound && mpq_sgn(answer.bound) > 0);
        pv_answer_finish(&answer);
    }
}

/* A tie by geometry alone is a fraction: half of the upper block is beyond the edge. */
static void
test_overhang(void **state)
{
    (void)state;
    static const double shift[] = {0.5, 0.5 + 1e-6, 0.5 - 1e-6, 0.25};
    static const enum pv_verdict verdict[] = {
        PV_CRITICAL, PV_UNSTABLE, PV_STABLE, PV_STABLE};
    for (size_t k = 0; k < sizeof(shift) / sizeof(shift[0]); k++) {
        begin(0.7);
        scene_floor(&scene);
        add_box(0.0, 0.5, 0.0, 1.0, 1.0, 1.0);
        add_box(shift[k], 1.5, 0.0, 1.0, 1.0, 1.0);
        ask();
        assert_int_equal(answer.verdict, verdict[k]);
        assert_true(k != 0 || mpq_sgn(answer.margin) == 0);
        pv_answer_finish(&answer);
    }
}

/*
 * A ladder, 5 m by 0.5 m and 1 m wide, against a smooth wall, its foot 3 m away: about its foot
 * the wall's 4 m R hold the weight's 1.5 - 0.2 m, so R = 1.3 / 4 of the weight, and friction is no
 * less.
 */
static void
test_ladder(void **state)
{
    (void)state;
    static const double off[] = {1e-3, -1e-3, 1e-6, -1e-6};
    for (size_t k = 0; k < sizeof(off) / sizeof(off[0]); k++) {
        begin(0.325 + off[k]);
        scene_floor(&scene);
        int wall = scene_plane(&scene, -1.0, 0.0, -3.0);
        int ladder = add_box(1.5 - 0.2, 2.0 + 0.15, 0.0, 5.0, 0.5, 1.0);
        scene.body[ladder].orientation = (cn_quat){2.0, 0.0, 0.0, 1.0};
        scene.material[1].static_friction = 0.0;
        scene.shape[wall].material = 1;
        scene.def.settings.combine_friction = CN_COMBINE_MIN;
        expect_verdict(off[k] > 0.0 ? PV_STABLE : PV_UNSTABLE, PV_BOUNDS);
    }
}

static void
test_kinds(void **state)
{
    (void)state;
    begin(0.5); /* in the air, above one that stands */
    scene_floor(&scene);
    add_box(0.0, 0.5, 0.0, 1.0, 1.0, 1.0);
    add_box(0.0, 2.5, 0.0, 1.0, 1.0, 1.0);
    expect_verdict(PV_UNSTABLE, PV_NO_FORCE);
    begin(0.5); /* between two fixed planes */
    scene_floor(&scene);
    scene_plane(&scene, 0.0, -1.0, -1.0);
    add_box(0.0, 0.5, 0.0, 1.0, 1.0, 1.0);
    expect_verdict(PV_STABLE, PV_ANY_FORCE);
    begin(0.5); /* between two walls, of which no contact bears */
    scene_plane(&scene, 1.0, 0.0, -0.5);
    scene_plane(&scene, -1.0, 0.0, -0.5);
    add_box(0.0, 3.0, 0.0, 1.0, 1.0, 1.0);
    expect_verdict(PV_STABLE, PV_ANY_FORCE);
    begin(0.5); /* at one wall, without a force against it */
    scene_plane(&scene, 1.0, 0.0, -0.5);
    add_box(0.0, 3.0, 0.0, 1.0, 1.0, 1.0);
    expect_verdict(PV_UNSTABLE, PV_NO_FORCE);
}

/*
 * A scene that does not change along z has the same margin in space as in the plane.  In space each
 * contact becomes two, with half of the force each.  The plane is solved exactly, by another
 * method.
 */
static void
test_as_in_the_plane(void **state)
{
    (void)state;
    int counts[4] = {0};
    for (unsigned seed = 0; seed < 60; seed++) {
        double margin = 0.0;
        enum pv_verdict verdict = PV_UNKNOWN;
        for (int spatial = 0; spatial < 2; spatial++) {
            unsigned draw = seed * 2654435761u + 1;
            begin(0.1 + 0.05 * (seed % 11));
            scene.def.settings.dimension = spatial ? CN_SPATIAL : CN_PLANAR;
            scene_floor(&scene);
            double x = 0.0;
            for (unsigned i = 0; i < 2 + seed % 9; i++) {
                draw = draw * 1103515245u + 12345u;
                x += ((draw >> 16) % 1000u) / 1000.0 * 0.7 - 0.35;
                add_box(x, 0.25 + 0.5 * i, 0.0, 1.0, 0.5, 1.0);
            }
            scene.def.settings.gravity.x = 0.1 * (seed % 7);
            ask();
            if (!spatial) {
                assert_int_equal(answer.kind, PV_MARGIN);
                margin = pv_double(answer.margin);
                verdict = answer.verdict;
                counts[verdict]++;
            } else {
                double half = 0.5 * margin, near = 1e-5 * fabs(half) + 1e-9;
                double high =
                    pv_double(answer.kind == PV_BOUNDS ? answer.bound : answer.margin);
                assert_int_equal(answer.verdict, verdict);
                assert_true(fabs(pv_double(answer.margin) - half) < near);
                assert_true(fabs(high - half) < near);
            }
            pv_answer_finish(&answer);
        }
    }
    assert_true(counts[PV_STABLE] > 5 && counts[PV_UNSTABLE] > 5);
}

/*
 * Bricks turned by angles that nobody would write: the integers of a row have thousands of bits,
 * which no double holds, and both bounds are found all the same.
 */
static void
test_turned_stack(void **state)
{
    (void)state;
    static const double shift[] = {0.05, -0.1, 0.12, 0.02, -0.07, 0.1, -0.03, 0.06};
    begin(0.5);
    scene_floor(&scene);
    for (int i = 0; i < 8; i++) {
        double angle = 0.0123456789 + 0.7071067811865476 * i;
        int box = add_box(shift[i], 0.25 + 0.5 * i, -shift[7 - i], 1.0, 0.5, 1.0);
        scene.body[box].orientation = (cn_quat){cos(angle), 0.0, sin(angle), 0.0};
    }
    ask();
    assert_int_equal(answer.verdict, PV_STABLE);
    assert_true(answer.kind == PV_BOUNDS && answer.has_margin && answer.has_bound);
    double margin = pv_double(answer.margin), bound = pv_double(answer.bound);
    assert_true(margin > 0.1 && bound - margin < 1e-4 * bound);
    pv_answer_finish(&answer);
}

/* Changes a number of the answer, asks the verifier, and restores the number. */
static bool
accepts_with(mpq_t *x, double change)
{
    mpq_t before, part;
    mpq_inits(before, part, NULL);
    mpq_set(before, *x);
    mpq_set_d(part, change);
    mpq_add(*x, *x, part);
    bool good = accepts();
    mpq_set(*x, before);
    mpq_clears(before, part, NULL);
    return good;
}

/* A block that stands, and one that slides.  Each number is changed so that it claims too much. */
static void
test_false_ones(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        begin(slides ? 0.2 : 0.3);
        scene_floor(&scene);
        add_box(0.0, 0.005, 0.0, 1.0, 0.01, 1.0);
        scene.def.settings.gravity = cn_vec3_make(1.2, -8.0, 1.6);
        ask();
        assert_int_equal(answer.kind, PV_BOUNDS);
        assert_true(accepts());
        assert_false(accepts_with(&answer.margin, 1e-3));
        assert_false(accepts_with(&answer.bound, -1e-3));
        assert_false(accepts_with(&answer.force[0], 1e-3)); /* no balance */
        assert_false(accepts_with(&answer.force[1], 1e-3));
        for (int k = 0; k < 6; k++) { /* the body's, which is the second */
            double change = k == 1 ? -1.0 : 1.0;
            assert_false(accepts_with(&answer.motion[6 + k], change));
        }
        /* Forces that pull the first two feet towards each other balance, and leave the cone. */
        mpq_t pull;
        mpq_init(pull);
        const pv_vec *p = &answer.arrangement.contact[0].point;
        const pv_vec *q = &answer.arrangement.contact[1].point;
        for (int k = 0; k < 3; k++) {
            mpq_sub(pull, q->c[k], p->c[k]);
            mpq_mul_2exp(pull, pull, 3);
            mpq_add(answer.force[k], answer.force[k], pull);
            mpq_sub(answer.force[PV_FORCE_MAX + k], answer.force[PV_FORCE_MAX + k], pull);
        }
        mpq_clear(pull);
        assert_false(accepts());
        pv_answer_finish(&answer);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_on_slope),
        cmocka_unit_test(test_tie),
        cmocka_unit_test(test_between_bounds),
        cmocka_unit_test(test_almost_tie),
        cmocka_unit_test(test_overhang),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_turned_stack),
        cmocka_unit_test(test_false_ones),
        cmocka_unit_test(test_as_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
