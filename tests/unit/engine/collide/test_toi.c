/*
 * test_toi.c: times of impact by hand, and of any moving, turning shapes against samples.
 */
#include "engine/collide/query/toi.h"

#include "engine/collide/query/gjk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/shapes.h"
#include "tests/support/collide/solids.h"
#include "tests/support/near.h"

#define TARGET 1e-3
#define TOLERANCE 2e-4

static struct cn_sweep
still(double x, double y, double angle)
{
    cn_vec3 at = {x, y, 0.0};
    return cn_sweep_planar(at, angle, at, angle);
}

static struct cn_toi
find(const struct cn_shape *obstacle, int part_index, const struct cn_sweep *obstacle_sweep,
    const struct cn_shape *mover, const struct cn_sweep *sweep, double t_max)
{
    struct cn_part part;
    struct cn_convex convex;
    assert_true(cn_part_get(obstacle, part_index, false, &part));
    assert_true(cn_convex_of(mover, &convex));
    return cn_toi_find(
        &(struct cn_toi_input){&part, obstacle_sweep, &convex, sweep, TARGET, TOLERANCE, t_max});
}

static void
test_straight(void **state)
{
    (void)state;
    struct test_shape ball, box, plane;
    test_shape_circle(&ball, 0.5);
    test_shape_box(&box, 2.0, 2.0);
    test_shape_plane(&plane, CN_PI / 2.0, 0.0);
    struct cn_sweep here = still(0.0, 0.0, 0.0);
    /*
     * A ball falls 8 m onto a plane and onto a box, then a box falls onto both.  Each stops TARGET
     * before contact.
     */
    const struct {
        const struct test_shape *obstacle, *mover;
        double y, expected;
    } cases[] = {
        {&plane, &ball, 4.5, 4.0},
        {&box, &ball, 4.5, 3.0},
        {&plane, &box, 5.0, 4.0},
        {&box, &box, 5.0, 3.0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cn_vec3 from = {0.3, cases[i].y, 0.0}, to = {0.3, cases[i].y - 8.0, 0.0};
        struct cn_sweep sweep = cn_sweep_planar(from, 0.0, to, 0.0);
        struct cn_toi toi =
            find(&cases[i].obstacle->shape, 0, &here, &cases[i].mover->shape, &sweep, 1.0);
        assert_int_equal(toi.outcome, CN_TOI_HIT);
        assert_in_range((int)(1e9 * (cases[i].expected - 8.0 * toi.fraction - TARGET) + 1e6),
            (int)(1e6 - 1e9 * TOLERANCE - 10), 1e6 + 1e9 * TOLERANCE + 10);
        assert_near(toi.normal.y, 1.0, 1e-12);
        assert_near(toi.gap, cases[i].expected, 1e-12);

        /*
         * APART if the time is too short or the way leads elsewhere; TOUCHING if it starts nearer
         * than TARGET.
         */
        toi = find(&cases[i].obstacle->shape, 0, &here, &cases[i].mover->shape, &sweep, 0.3);
        assert_int_equal(toi.outcome, CN_TOI_APART);
        sweep = cn_sweep_planar(from, 0.0, (cn_vec3){9.0, 13.0, 0.0}, 0.5);
        toi = find(&cases[i].obstacle->shape, 0, &here, &cases[i].mover->shape, &sweep, 1.0);
        assert_int_equal(toi.outcome, CN_TOI_APART);
        from.y -= cases[i].expected - 0.5 * TARGET;
        sweep = cn_sweep_planar(from, 0.0, to, 0.0);
        toi = find(&cases[i].obstacle->shape, 0, &here, &cases[i].mover->shape, &sweep, 1.0);
        assert_int_equal(toi.outcome, CN_TOI_TOUCHING);
        assert_near(toi.gap, 0.5 * TARGET, 1e-12);
    }
}

static void
test_turning_rod(void **state)
{
    (void)state;
    /* A rod 2 m by 0.1 turns a quarter about its middle, towards a disc of radius 0.1 at 0.8 m. */
    struct test_shape rod, disc;
    test_shape_box(&rod, 2.0, 0.1);
    test_shape_circle(&disc, 0.1);
    struct cn_sweep at = still(0.0, 0.8, 0.0);
    cn_vec3 origin = {0.0, 0.0, 0.0};
    struct cn_sweep turn = cn_sweep_planar(origin, 0.0, origin, CN_PI / 2.0);
    struct cn_toi toi = find(&disc.shape, 0, &at, &rod.shape, &turn, 1.0);
    assert_int_equal(toi.outcome, CN_TOI_HIT);
    double angle = toi.fraction * CN_PI / 2.0, sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    double gap = 0.8 * cosine - 0.15;
    assert_true(TARGET <= gap && gap <= TARGET + TOLERANCE);
    assert_in_range(toi.step_count, 1, 20);

    /* The same in space, about an axis of its own.  The sweep takes the short way round. */
    struct test_solid bar, ball;
    test_solid_box(&bar, 2.0, 0.1, 0.1);
    test_solid_sphere(&ball, 0.1);
    struct cn_sweep there = {.from = {0.0, 0.8, 0.0}, .orientation = cn_quat_identity(), .stop = 1};
    cn_quat end = cn_quat_about_z(CN_PI / 2.0);
    struct cn_sweep swing = cn_sweep_spatial(origin, cn_quat_identity(), origin, end);
    toi = find(&ball.shape, 0, &there, &bar.shape, &swing, 1.0);
    assert_int_equal(toi.outcome, CN_TOI_HIT);
    assert_near(toi.fraction, angle / (CN_PI / 2.0), 1e-4);
    cn_quat other = {-end.w, -end.x, -end.y, -end.z};
    swing = cn_sweep_spatial(origin, cn_quat_identity(), origin, other);
    assert_near(swing.turn, CN_PI / 2.0, 1e-14);
    assert_near(swing.axis.z, 1.0, 1e-14);
}

static void
test_stopped_obstacle(void **state)
{
    (void)state;
    /*
     * Both go right at 8 m.  The obstacle is 2 m ahead and stops half way, then the gap of 1 m
     * closes.
     */
    struct test_shape ball;
    test_shape_circle(&ball, 0.5);
    struct cn_sweep ahead =
        cn_sweep_planar((cn_vec3){2.0, 0.0, 0.0}, 0.0, (cn_vec3){10.0, 0.0, 0.0}, 0.0);
    struct cn_sweep behind =
        cn_sweep_planar((cn_vec3){0.0, 0.0, 0.0}, 0.0, (cn_vec3){8.0, 0.0, 0.0}, 1.0);
    struct cn_toi toi = find(&ball.shape, 0, &ahead, &ball.shape, &behind, 1.0);
    assert_int_equal(toi.outcome, CN_TOI_APART);
    ahead.stop = 0.5;
    toi = find(&ball.shape, 0, &ahead, &ball.shape, &behind, 1.0);
    assert_int_equal(toi.outcome, CN_TOI_HIT);
    assert_near(toi.fraction, 0.5 + (1.0 - TARGET) / 8.0, TOLERANCE);
    assert_near(toi.normal.x, -1.0, 1e-12);
}

static void
test_one_sided_and_hollow(void **state)
{
    (void)state;
    struct test_shape chain, ball, box;
    chain.corner[0] = (cn_vec3){3.0, 0.0, 0.0};
    chain.corner[1] = (cn_vec3){-1.0, 0.0, -1.0};
    chain.corner[2] = (cn_vec3){-3.0, 0.0, 0.0};
    chain.corner[3] = (cn_vec3){-5.0, 0.0, 0.0};
    struct cn_shape_def def = {.kind = CN_SHAPE_CHAIN};
    def.boundary.points = chain.corner;
    def.boundary.point_count = 4;
    test_shape_bake(&chain, &def);
    test_shape_circle(&ball, 0.5);
    test_shape_box(&box, 1.2, 0.2);
    struct cn_sweep here = still(0.0, 0.0, 0.0);
    const struct {
        const struct test_shape *mover;
        int part;
        double x, from, to, fall; /* the way until the contact; < 0: no contact */
    } cases[] = {
        {&ball, 0, 1.0, 4.0, -4.0, 3.5},
        {&ball, 0, 1.0, -4.0, 4.0, -1.0},
        {&ball, 1, -2.0, 4.0, -4.0, 4.5},
        {&ball, 1, -2.0, -4.0, 4.0, -1.0},
        {&box, 1, -2.0, 4.0, -4.0, 4.7},
        {&ball, 1, 1.0, 4.0, -4.0, -1.0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cn_sweep sweep = cn_sweep_planar((cn_vec3){cases[i].x, cases[i].from, 0.0}, 0.0,
            (cn_vec3){cases[i].x, cases[i].to, 0.0}, 0.0);
        struct cn_toi toi =
            find(&chain.shape, cases[i].part, &here, &cases[i].mover->shape, &sweep, 1.0);
        assert_int_equal(toi.outcome, cases[i].fall < 0.0 ? CN_TOI_APART : CN_TOI_HIT);
        if (cases[i].fall > 0.0) {
            double early = cases[i].fall - 8.0 * toi.fraction; /* normals within 37 degrees of y */
            assert_true(TARGET - 1e-12 <= early && early <= (TARGET + TOLERANCE) / 0.8 + 1e-12);
        }
    }
}

/* ---- any two, against samples ---- */

#define SAMPLES 400

static void
make_solid(struct test_solid *solid, struct cn_rng *rng)
{
    double size = cn_rng_uniform(rng, 0.3, 1.5);
    switch (cn_rng_next(rng) % 4) {
    case 0:
        test_solid_sphere(solid, 0.5 * size);
        return;
    case 1:
        test_solid_capsule(solid, 0.1, size);
        return;
    case 2:
        test_solid_box(solid, size, cn_rng_uniform(rng, 0.02, 0.5), 0.7);
        return;
    default:
        test_solid_prism(solid, 3 + (int)(cn_rng_next(rng) % 9), 0.5 * size, size);
        return;
    }
}

static cn_quat
random_turn(struct cn_rng *rng, cn_quat from, double most)
{
    return cn_quat_rotate_by(from, test_random_vector(rng, most));
}

static struct cn_sweep
random_sweep(struct cn_rng *rng, bool planar, double speed, double turn)
{
    cn_vec3 from = test_random_vector(rng, 2.0);
    cn_vec3 to = cn_vec3_add(cn_vec3_scale(from, -1.0), test_random_vector(rng, speed));
    if (planar) {
        from.z = to.z = 0.0;
        return cn_sweep_planar(
            from, cn_rng_uniform(rng, -3.0, 3.0), to, cn_rng_uniform(rng, -turn, turn));
    }
    cn_quat start = random_turn(rng, cn_quat_identity(), 3.0);
    return cn_sweep_spatial(from, start, to, random_turn(rng, start, turn));
}

static void
check_samples(const struct cn_toi_input *in, const struct cn_toi *toi, int *counts)
{
    cn_vec3 normal;
    double end = toi->outcome == CN_TOI_APART ? in->t_max : toi->fraction;
    assert_int_not_equal(toi->outcome, CN_TOI_CUT_OFF);
    counts[toi->outcome]++;
    if (toi->outcome == CN_TOI_TOUCHING) {
        assert_true(cn_toi_gap(in, 0.0, &normal) <= TARGET + TOLERANCE);
        return;
    }
    for (int i = 0; i <= SAMPLES; i++) {
        assert_true(cn_toi_gap(in, end * i / SAMPLES, &normal) >= TARGET - 1e-9);
    }
    if (toi->outcome == CN_TOI_HIT) {
        double gap = cn_toi_gap(in, toi->fraction, &normal);
        assert_true(gap <= TARGET + TOLERANCE + 1e-9);
        assert_near(cn_vec3_dot(normal, toi->normal), 1.0, 1e-6);
    }
}

static void
test_face_that_turns_with_its_mover(void **state)
{
    (void)state;
    /*
     * A plate of five sides, of radius 1.5 m and 0.125 m thick, comes down on a thin rod and turns
     * about x.  The two features found are edges, but the normal turns with the plate.
     */
    struct test_solid rod, plate;
    struct cn_part part;
    struct cn_convex convex;
    test_solid_prism(&rod, 18, 0.125, 1.375);
    test_solid_prism(&plate, 5, 1.5, 0.125);
    assert_true(cn_part_get(&rod.shape, 0, false, &part));
    assert_true(cn_convex_of(&plate.shape, &convex));
    cn_vec3 origin = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0};
    double step = CN_PI / 8.0;
    cn_quat upright = cn_quat_identity();
    cn_quat first = cn_quat_rotate_by(upright, cn_vec3_scale(x, 7.0 * step));
    cn_quat last = cn_quat_rotate_by(first, cn_vec3_scale(x, -6.9 * step));
    struct cn_sweep stands = cn_sweep_spatial(origin, upright, origin, upright);
    struct cn_sweep turn =
        cn_sweep_spatial((cn_vec3){0.875, 0.875, -1.0}, first, (cn_vec3){-1.0, -1.0, 0.875}, last);
    struct cn_toi_input in = {&part, &stands, &convex, &turn, TARGET, TOLERANCE, 1.0};
    struct cn_toi toi = cn_toi_find(&in);
    int counts[4] = {0};
    check_samples(&in, &toi, counts);
    assert_int_equal(toi.outcome, CN_TOI_HIT);
    assert_near(toi.fraction, 0.43, 1e-2);
    assert_in_range(toi.round_count, 1, CN_TOI_ROUNDS_FEW + 4);
}

static void
test_any_two(void **state)
{
    (void)state;
    struct cn_rng rng = {5};
    static struct test_solid a, b;
    static struct test_shape flat_a, flat_b;
    int counts[4] = {0}, rounds = 0, steps = 0;
    for (int trial = 0; trial < 1500; trial++) {
        struct cn_part part;
        struct cn_convex convex;
        bool planar = trial % 2 == 0;
        if (planar) {
            test_shape_regular(&flat_a, 0.6, 3 + trial % 7, 0.1 * trial);
            test_shape_box(&flat_b, 0.02 + 0.1 * (trial % 9), 1.0);
            if (trial % 8 == 0) {
                test_shape_star(&flat_a, 5, cn_rng_next(&rng), 0x4924U); /* arcs that bulge out */
            }
        } else {
            make_solid(&a, &rng);
            make_solid(&b, &rng);
        }
        const struct cn_shape *obstacle = planar ? &flat_a.shape : &a.shape;
        cn_part_get(obstacle, trial % cn_part_count(obstacle) % 5, true, &part);
        cn_convex_of(planar ? &flat_b.shape : &b.shape, &convex);
        double turn = trial % 5 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.1, planar ? 20.0 : 3.0);
        struct cn_sweep sweep_a = random_sweep(&rng, planar, 1.0, trial % 3 == 0 ? turn : 0.0);
        struct cn_sweep sweep_b = random_sweep(&rng, planar, 5.0, turn);
        sweep_a.stop = trial % 11 == 0 ? cn_rng_uniform(&rng, 0.0, 1.0) : 1.0;
        struct cn_toi_input in = {&part, &sweep_a, &convex, &sweep_b, TARGET, TOLERANCE, 1.0};
        struct cn_toi toi = cn_toi_find(&in);
        check_samples(&in, &toi, counts);
        rounds = toi.round_count > rounds ? toi.round_count : rounds;
        steps = toi.step_count > steps ? toi.step_count : steps;
    }
    assert_in_range(counts[CN_TOI_HIT], 300, 1200);
    assert_in_range(counts[CN_TOI_APART], 300, 1200);
    assert_in_range(rounds, 3, CN_TOI_ROUNDS_MAX * 3 / 4);
    assert_in_range(steps, 5, 500);
}

/* A vertex that leaves over the arc's ends counts as past it, because other edges are there. */
static void
check_hollow(const struct cn_part *part, const struct cn_convex *convex,
    const struct cn_sweep *sweep, double end)
{
    for (int k = 0; k < convex->vertex_count; k++) {
        bool is_past = false;
        for (int i = 0; i <= SAMPLES && !is_past; i++) {
            cn_pose pose = cn_sweep_pose(sweep, end * i / SAMPLES);
            cn_vec3 p = cn_pose_apply(&pose, cn_convex_vertex(convex, k));
            cn_vec2 away = {p.x - part->center.x, p.y - part->center.y};
            double gap = part->radius - cn_vec2_length(away);
            is_past = gap < TARGET && p.y > -0.1 * part->radius;
            assert_true(is_past || gap >= TARGET - 1e-9);
        }
    }
}

/*
 * Boxes that move and turn within a hollow arc.  No vertex is nearer to the arc than TARGET before
 * the time of impact, measured by its distance from the arc's centre.
 */
static void
test_any_turn_in_a_hollow(void **state)
{
    (void)state;
    struct cn_rng rng = {29 * 0x9e3779b97f4a7c15ULL};
    static struct test_shape chain, box;
    int counts[4] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        double half = cn_rng_uniform(&rng, 1.0, 4.0), bulge = -cn_rng_uniform(&rng, 0.5, 1.0);
        chain.corner[0] = (cn_vec3){half + 4.0, 0.0, 0.0};
        chain.corner[1] = (cn_vec3){half, 0.0, bulge};
        chain.corner[2] = (cn_vec3){-half, 0.0, 0.0};
        chain.corner[3] = (cn_vec3){-half - 4.0, 0.0, 0.0};
        struct cn_shape_def def = {.kind = CN_SHAPE_CHAIN};
        def.boundary.points = chain.corner;
        def.boundary.point_count = 4;
        test_shape_bake(&chain, &def);
        double length = cn_rng_uniform(&rng, 0.3, 1.2) * half;
        test_shape_box(&box, length, cn_rng_uniform(&rng, 0.02, 0.3) * half);
        struct cn_part part;
        struct cn_convex convex;
        assert_true(cn_part_get(&chain.shape, 1, false, &part));
        assert_int_equal(part.kind, CN_PART_HOLLOW);
        assert_true(cn_convex_of(&box.shape, &convex));
        struct cn_sweep here = still(0.0, 0.0, 0.0);
        cn_vec3 from = {part.center.x, part.center.y - 0.2 * half, 0.0};
        from = cn_vec3_add(from, cn_vec3_make(0.2 * cn_rng_uniform(&rng, -half, half), 0.0, 0.0));
        cn_vec3 to = {from.x + 0.5 * cn_rng_uniform(&rng, -half, half),
            from.y - cn_rng_uniform(&rng, 0.0, 0.8) * half, 0.0};
        double angle = cn_rng_uniform(&rng, -3.0, 3.0);
        struct cn_sweep sweep =
            cn_sweep_planar(from, angle, to, angle + cn_rng_uniform(&rng, -20.0, 20.0));
        struct cn_toi_input in = {&part, &here, &convex, &sweep, TARGET, TOLERANCE, 1.0};
        struct cn_toi toi = cn_toi_find(&in);
        counts[toi.outcome]++;
        double end = toi.outcome == CN_TOI_APART ? 1.0 : toi.fraction;
        if (toi.outcome != CN_TOI_TOUCHING) {
            check_hollow(&part, &convex, &sweep, end);
        }
    }
    assert_in_range(counts[CN_TOI_HIT], 500, 2500);
    assert_in_range(counts[CN_TOI_APART], 200, 2500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_turning_rod),
        cmocka_unit_test(test_face_that_turns_with_its_mover),
        cmocka_unit_test(test_stopped_obstacle),
        cmocka_unit_test(test_one_sided_and_hollow),
        cmocka_unit_test(test_any_two),
        cmocka_unit_test(test_any_turn_in_a_hollow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
