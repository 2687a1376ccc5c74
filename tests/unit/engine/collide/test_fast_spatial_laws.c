/*
 * test_fast_spatial_laws.c: the quick narrowphase of space against the exact one, over random
 * shapes and poses, a kilometre from the world's origin.
 *
 * Depths may differ by what the quick one takes for equal: a face stays when edges are better by
 * less than a tie (fast_spatial_pair.h), and a face's deepest point may be off by two more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/fast_solids.h"

#define MARGIN 0.02
#define TIE 0.005      /* of the smaller width */
#define ROUNDING 2e-6  /* m: of float, at sizes of a metre or two */
#define SCENES 800     /* of each two kinds */

enum kind { SPHERE, CAPSULE, BOX, HULL, PLANE, KIND_COUNT };

static struct fast_solid one, two;

static void
make(struct fast_solid *solid, enum kind kind, struct cn_rng *rng)
{
    cn_vec3 size = cn_vec3_make(cn_rng_uniform(rng, 0.2, 2.0), cn_rng_uniform(rng, 0.2, 2.0),
        cn_rng_uniform(rng, 0.2, 2.0));
    cn_vec3 normal = test_random_vector(rng, 1.0);
    switch (kind) {
    case SPHERE:
        test_solid_sphere(&solid->exact, 0.5 * size.x);
        break;
    case CAPSULE:
        test_solid_capsule(&solid->exact, 0.25 * size.x, size.y);
        break;
    case BOX:
        test_solid_box(&solid->exact, size.x, size.y, size.z);
        break;
    case HULL:
        do {
            for (int i = 0; i < 20; i++) {
                solid->exact.point[i] = test_random_vector(rng, 1.0);
            }
        } while (!test_solid_hull(&solid->exact, 20));
        break;
    default:
        test_solid_plane(&solid->exact, cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal)), 0.1);
        break;
    }
    fast_solid_bake(solid);
}

static cn_pose
random_pose(struct cn_rng *rng, cn_vec3 origin, double spread)
{
    cn_vec3 place = cn_vec3_add(origin, test_random_vector(rng, spread));
    return test_solid_pose(place, test_random_vector(rng, 1.0), cn_rng_uniform(rng, -3.0, 3.0));
}

static double
tolerance_of(void)
{
    const struct cn_shape *a = &one.exact.shape, *b = &two.exact.shape;
    return 3.0 * TIE * cn_min(cn_min(a->width, b->width), 2.0) + ROUNDING;
}

static void
compare(const cn_pose *pose_a, const cn_pose *pose_b)
{
    static struct cn_manifold exact;
    struct cn_manifold3 quick, turned;
    cn_collide(&one.exact.shape, pose_a, &two.exact.shape, pose_b, MARGIN, &exact);
    fast_solid_collide(&one, pose_a, &two, pose_b, MARGIN, NULL, &quick);
    fast_solid_collide(&two, pose_b, &one, pose_a, MARGIN, NULL, &turned);
    assert_true(fast_is_sound(&quick, pose_a, pose_b, MARGIN));
    assert_true(fast_is_sound(&turned, pose_b, pose_a, MARGIN));
    double depth = fast_deepest(&quick), tolerance = tolerance_of();
    if (exact.separation > MARGIN + ROUNDING) {
        assert_int_equal(quick.point_count, 0);
    } else if (exact.separation < -ROUNDING) {
        if (quick.point_count == 0) {
            fail_msg("kinds %d, %d overlap by %g, %d contacts", one.fast.form, two.fast.form,
                -exact.separation, exact.contact_count);
        }
        assert_near(depth, exact.separation, tolerance);
    } else if (quick.point_count > 0) {
        assert_true(depth >= exact.separation - tolerance);
    }
    /* The exchanged pair is the same pair. */
    if (exact.separation < -ROUNDING) {
        assert_near(fast_deepest(&turned), depth, tolerance);
    }
}

static void
test_against_exact(void **state)
{
    (void)state;
    struct cn_rng rng = {2026};
    for (int a = 0; a < KIND_COUNT; a++) {
        for (int b = 0; b < KIND_COUNT; b++) {
            if (a == PLANE && b == PLANE) {
                continue;
            }
            int touching = 0;
            for (int i = 0; i < SCENES; i++) {
                make(&one, (enum kind)a, &rng);
                make(&two, (enum kind)b, &rng);
                cn_vec3 far = test_random_vector(&rng, 1000.0);
                cn_pose pose_a = random_pose(&rng, far, 0.0);
                cn_pose pose_b = random_pose(&rng, far, 1.2);
                compare(&pose_a, &pose_b);
                struct cn_manifold3 m;
                fast_solid_collide(&one, &pose_a, &two, &pose_b, MARGIN, NULL, &m);
                touching += m.point_count > 0;
            }
            assert_true(touching > SCENES / 10);
        }
    }
}

/* How far a place is outside of a box [m]. */
static double
outside_box(const struct cn_shape *box, const cn_pose *pose, cn_vec3 place)
{
    double out = -HUGE_VAL;
    for (int i = 0; i < box->core.face_count; i++) {
        const struct cn_face *face = &box->core.face[i];
        cn_vec3 local = cn_pose_turn_back(pose, place);
        out = fmax(out, cn_vec3_dot(face->normal, local) - face->offset);
    }
    return out;
}

/* If boxes hardly overlap, each point is at most half of its separation outside of either box. */
static void
test_points_lie_on_both(void **state)
{
    (void)state;
    struct cn_rng rng = {2027};
    int crossing = 0;
    for (int i = 0; i < 8000; i++) {
        struct cn_manifold3 m;
        make(&one, BOX, &rng);
        make(&two, BOX, &rng);
        cn_pose pose_a = random_pose(&rng, (cn_vec3){0.0, 0.0, 0.0}, 0.0);
        cn_pose pose_b = random_pose(&rng, (cn_vec3){0.0, 0.0, 0.0}, 1.2);
        fast_solid_collide(&one, &pose_a, &two, &pose_b, MARGIN, NULL, &m);
        bool deep = fast_deepest(&m) < -0.03; /* their middle may be outside of both */
        crossing += m.point_count == 1 && !deep;
        for (int k = 0; k < m.point_count && !deep; k++) {
            const struct cn_point3 *p = &m.point[k];
            double reach = 0.5 * fabs((double)p->separation) + tolerance_of();
            cn_vec3 a = {(double)p->anchor_a[0], (double)p->anchor_a[1], (double)p->anchor_a[2]};
            cn_vec3 b = {(double)p->anchor_b[0], (double)p->anchor_b[1], (double)p->anchor_b[2]};
            assert_true(outside_box(&one.exact.shape, &pose_a, a) <= reach);
            assert_true(outside_box(&two.exact.shape, &pose_b, b) <= reach);
        }
    }
    assert_true(crossing > 50);
}

/* A box that trembles by less than the tie rule's margin keeps its points, features and normal. */
static void
test_names_stay(void **state)
{
    (void)state;
    struct cn_rng rng = {11};
    test_solid_box(&one.exact, 1.0, 1.0, 1.0);
    fast_solid_bake(&one);
    static const cn_vec3 places[] = {{0.5, 1.0, 0.0}, {0.0, 1.0, 0.0}, {0.3, 1.0, 0.2},
        {1.0, 0.2, 0.0}, {0.5, 0.5, 1.0}, {0.9, 0.9, 0.0}, {0.0, 0.9, -0.9}};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        struct cn_manifold3 last = {.point_count = 0}, m;
        for (int i = 0; i < 500; i++) {
            cn_pose a = test_solid_pose((cn_vec3){0, 0, 0}, test_random_vector(&rng, 1.0),
                cn_rng_uniform(&rng, -1e-3, 1e-3));
            cn_pose b = test_solid_pose(cn_vec3_add(places[p], test_random_vector(&rng, 1e-3)),
                test_random_vector(&rng, 1.0), cn_rng_uniform(&rng, -1e-3, 1e-3));
            fast_solid_collide(&one, &a, &one, &b, MARGIN, &last, &m);
            assert_int_equal(m.point_count, 4);
            for (int k = 0; k < 4 && i > 0; k++) {
                assert_int_equal(m.point[k].feature, last.point[k].feature);
            }
            assert_true(i == 0 || m.hint >> 22 == last.hint >> 22);
            last = m;
        }
    }
}

/* A step of a body changes depth and normal by as much, unless another face or edge takes over. */
static void
test_moves_smoothly(void **state)
{
    (void)state;
    struct cn_rng rng = {5};
    int compared = 0;
    for (int i = 0; i < 2000; i++) {
        make(&one, BOX, &rng);
        make(&two, BOX, &rng);
        cn_pose a = random_pose(&rng, (cn_vec3){0, 0, 0}, 0.0);
        cn_pose b = random_pose(&rng, (cn_vec3){0, 0, 0}, 1.0);
        struct cn_manifold3 before, after;
        fast_solid_collide(&one, &a, &two, &b, MARGIN, NULL, &before);
        cn_vec3 step = test_random_vector(&rng, 1e-4);
        b.position = cn_vec3_add(b.position, step);
        fast_solid_collide(&one, &a, &two, &b, MARGIN, &before, &after);
        bool same = before.point_count > 0 && before.point_count == after.point_count &&
                    before.hint == after.hint;
        for (int k = 0; same && k < after.point_count; k++) {
            same = before.point[k].feature == after.point[k].feature;
        }
        if (same) {
            double along = 0.0;
            const double d[3] = {step.x, step.y, step.z};
            for (int k = 0; k < 3; k++) {
                assert_near((double)after.normal[k], (double)before.normal[k], 1e-5);
                along += (double)after.normal[k] * d[k];
            }
            assert_near(fast_deepest(&after), fast_deepest(&before) + along, 1.1e-4);
            compared++;
        }
    }
    assert_true(compared > 1000);
}

/*
 * From tick to tick the hint may replace a search; the depth equals that of a search, up to ties.
 */
static void
test_hints(void **state)
{
    (void)state;
    struct cn_rng rng = {21};
    static const enum kind kinds[][2] = {{BOX, BOX}, {BOX, HULL}, {HULL, HULL}};
    for (int i = 0; i < 300; i++) {
        make(&one, kinds[i % 3][0], &rng);
        make(&two, kinds[i % 3][1], &rng);
        cn_pose a = random_pose(&rng, (cn_vec3){0, 0, 0}, 0.0);
        cn_vec3 place = test_random_vector(&rng, 0.8), turn = test_random_vector(&rng, 1.0);
        cn_vec3 step = test_random_vector(&rng, 1e-3);
        struct cn_manifold3 last = {.point_count = 0}, fresh, m, again;
        for (int k = 0; k < 40; k++) {
            place = cn_vec3_add(place, step);
            cn_pose b = test_solid_pose(place, turn, 0.001 * k);
            fast_solid_collide(&one, &a, &two, &b, MARGIN, NULL, &fresh);
            fast_solid_collide(&one, &a, &two, &b, MARGIN, &last, &m);
            fast_solid_collide(&one, &a, &two, &b, MARGIN, &last, &again);
            size_t size = offsetof(struct cn_manifold3, point) +
                          (size_t)m.point_count * sizeof(struct cn_point3);
            assert_memory_equal(&m, &again, size);
            assert_true(fast_is_sound(&m, &a, &b, MARGIN));
            /*
             * If only one of them has points, because the other sees the two apart, the points are
             * not deep.
             */
            if (m.point_count > 0 && fresh.point_count > 0) {
                assert_near(fast_deepest(&m), fast_deepest(&fresh), 2.0 * tolerance_of());
            } else {
                double deepest = cn_min(fast_deepest(&m), fast_deepest(&fresh));
                assert_true(deepest > -2.0 * tolerance_of());
            }
            last = m;
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_exact),
        cmocka_unit_test(test_points_lie_on_both),
        cmocka_unit_test(test_names_stay),
        cmocka_unit_test(test_moves_smoothly),
        cmocka_unit_test(test_hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
