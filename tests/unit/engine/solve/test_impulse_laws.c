/*
 * test_impulse_laws.c: what the production solver's contacts do at their thresholds, in the plane
 * and in space, by every kernel: which approach bounces, which overlap is left alone, how fast a
 * deep one is pushed out; and in the plane, what one sweep over two points does.
 */
#include "engine/base/rng.h"
#include "tests/support/solve/impulse_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TICK (1.0F / 60.0F)

static const struct cn_impulse_kernel *kernel; /* of the turn */
static bool spatial;

/* A ball of 2 kg and radius 0.5 m on what does not move, or on a ball of 6 kg below it. */
struct pair {
    struct impulse_run run;
    int upper; /* its body */
};

static void
pair_make(struct pair *pair, bool both_move, float separation)
{
    impulse_run_make(&pair->run, spatial, 2, 1);
    struct impulse_run *run = &pair->run;
    for (int i = 0; i < 2; i++) {
        float mass_inverse = i == 0 ? 1.0F / 6.0F : 0.5F;
        if (spatial) {
            ((struct cn_impulse_body3 *)run->body)[i].q[3] = 1.0F;
            ((struct cn_impulse_drive3 *)run->drive)[i] =
                (struct cn_impulse_drive3){.keep_linear = 1, .keep_angular = 1};
            ((struct cn_impulse_mass3 *)run->mass)[i] =
                (struct cn_impulse_mass3){mass_inverse, {3, 3, 3}, 0};
        } else {
            ((struct cn_impulse_body2 *)run->body)[i].cosine = 1.0F;
            ((struct cn_impulse_drive2 *)run->drive)[i] =
                (struct cn_impulse_drive2){.keep_linear = 1, .keep_angular = 1};
            ((struct cn_impulse_mass2 *)run->mass)[i] = (struct cn_impulse_mass2){mass_inverse, 3};
        }
    }
    pair->upper = 1;
    run->contact[0] = (struct cn_impulse_contact){
        .body_a = both_move ? 0 : CN_IMPULSE_FIXED, .body_b = 1, .manifold = 0};
    if (spatial) {
        struct cn_manifold3 *m = run->manifold;
        *m = (struct cn_manifold3){.normal = {0, 1, 0}, .point_count = 1};
        m->point[0].separation = separation;
        m->point[0].anchor_a[1] = 0.5F;
        m->point[0].anchor_b[1] = -0.5F;
    } else {
        struct cn_manifold2 *m = run->manifold;
        *m = (struct cn_manifold2){.normal_y = 1, .point_count = 1};
        m->point[0].separation = separation;
        m->point[0].anchor_ay = 0.5F;
        m->point[0].anchor_by = -0.5F;
    }
}

/* The speed of a body along the normal; *moved is how far it went in the tick. */
static float *
speed(struct pair *pair, int body, float *moved)
{
    if (spatial) {
        struct cn_impulse_body3 *b = (struct cn_impulse_body3 *)pair->run.body + body;
        *moved = b->d[1];
        return &b->v[1];
    }
    struct cn_impulse_body2 *b = (struct cn_impulse_body2 *)pair->run.body + body;
    *moved = b->dy;
    return &b->vy;
}

static void
pair_tick(struct pair *pair)
{
    impulse_run_color(&pair->run, kernel);
    impulse_run_tick(&pair->run);
}

static void
each_kernel(void (*test)(void))
{
    for (int s = 0; s < 2; s++) {
        spatial = s != 0;
        kernel = &cn_impulse_kernel_single;
        test();
        for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
            if (cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
                kernel = cn_impulse_kernels[i];
                test();
            }
        }
    }
}

/*
 * With e = 0.75 and a threshold of 1 m/s: what comes with 1.01 m/s or more leaves with 0.75 of it,
 * what comes with 0.99 m/s or less stays, as does what only passes by.
 */
static void
bounce(void)
{
    static const float speeds[] = {0.01F, 0.5F, 0.99F, 1.01F, 2.0F, 30.0F};
    for (int i = 0; i < 6; i++) {
        for (int both = 0; both < 2; both++) {
            struct pair pair;
            float moved;
            pair_make(&pair, both != 0, 0.0F);
            pair.run.contact[0].restitution = 0.75F;
            pair.run.tick.restitution_speed = 1.0F;
            *speed(&pair, 1, &moved) = -speeds[i];
            pair_tick(&pair);
            float leaves = *speed(&pair, 1, &moved) - (both ? *speed(&pair, 0, &moved) : 0.0F);
            float expected = speeds[i] > 1.0F ? 0.75F * speeds[i] : 0.0F;
            assert_true(fabsf(leaves - expected) < 1e-3F * (1.0F + speeds[i]));
            if (both) { /* 2 kg and 6 kg keep their momentum */
                float sum = 2.0F * *speed(&pair, 1, &moved) + 6.0F * *speed(&pair, 0, &moved);
                assert_true(fabsf(sum + 2.0F * speeds[i]) < 1e-5F * (1.0F + speeds[i]));
            }
            impulse_run_free(&pair.run);
        }
    }
}

static void
test_restitution_begins_at_its_speed(void **state)
{
    (void)state;
    each_kernel(bounce);
}

/* Parting, or still apart a substep after the tick: no restitution and no impulse. */
static void
pass_by(void)
{
    for (int i = 0; i < 2; i++) {
        struct pair pair;
        float moved, v = i == 0 ? 3.0F : -3.0F, gap = i == 0 ? 0.0F : 3.8F * TICK;
        pair_make(&pair, true, gap);
        pair.run.contact[0].restitution = 1.0F;
        *speed(&pair, 1, &moved) = v;
        pair_tick(&pair);
        assert_true(*speed(&pair, 1, &moved) == v);
        assert_true(*speed(&pair, 0, &moved) == 0.0F);
        impulse_run_free(&pair.run);
    }
}

static void
test_nothing_bounces_without_touching(void **state)
{
    (void)state;
    each_kernel(pass_by);
}

/* An overlap up to the slop is left alone; a deeper one is pushed out, and only down to it. */
static void
leave_slop(void)
{
    static const float depths[] = {0.0F, 0.004F, 0.00499F, 0.006F, 0.02F};
    for (int i = 0; i < 5; i++) {
        struct pair pair;
        float moved, first;
        pair_make(&pair, false, -depths[i]);
        pair.run.tick.slop = 0.005F;
        pair_tick(&pair);
        assert_true(fabsf(*speed(&pair, 1, &first)) < 1e-6F);
        assert_true(depths[i] <= 0.005F ? first == 0.0F : first > 0.0F);
        assert_true(first <= fmaxf(depths[i] - 0.005F, 0.0F) * 1.001F);
        impulse_run_free(&pair.run);
        /* Without slop all of it is pushed out, and faster. */
        pair_make(&pair, false, -depths[i]);
        pair_tick(&pair);
        (void)speed(&pair, 1, &moved);
        assert_true(depths[i] == 0.0F ? moved == 0.0F : moved > first);
        assert_true(moved <= depths[i] * 1.001F);
        impulse_run_free(&pair.run);
    }
}

static void
test_slop_is_left_alone(void **state)
{
    (void)state;
    each_kernel(leave_slop);
}

/*
 * A body at any depth is pushed out by at most the push speed times the tick.  Afterwards it has no
 * velocity.
 */
static void
push_out(void)
{
    static const float depths[] = {0.5F, 2.0F, 100.0F};
    static const float speeds[] = {0.5F, 3.0F};
    for (int i = 0; i < 6; i++) {
        struct pair pair;
        float moved = 0.0F, back = 0.0F, most = speeds[i % 2] * TICK;
        bool both = i >= 3;
        pair_make(&pair, both, -depths[i / 2]);
        pair.run.tick.push_speed = speeds[i % 2];
        pair_tick(&pair);
        float v = *speed(&pair, 1, &moved), w = *speed(&pair, 0, &back);
        float way = moved - (both ? back : 0.0F);
        assert_true(way <= most * 1.001F && way > 0.8F * most);
        assert_true(fabsf(v) < 1e-4F && fabsf(w) < 1e-4F);
        impulse_run_free(&pair.run);
    }
}

static void
test_push_has_a_speed(void **state)
{
    (void)state;
    each_kernel(push_out);
}

/*
 * By the header: 30 Hz and 10 times critical at 1/240 s, w = 60 pi, h w = pi / 4: a1 = 20 + pi / 4,
 * a2 = pi / 4 a1, a3 = 1 / (1 + a2).  Without a frequency a contact is rigid and does not push.
 */
static void
test_soft_constraint(void **state)
{
    (void)state;
    struct cn_impulse_soft soft = cn_impulse_soft_make(30.0F, 10.0F, 1.0F / 240.0F);
    const double pi = 3.14159265358979323846, a1 = 20.0 + pi / 4.0, a2 = pi / 4.0 * a1;
    assert_true(fabs((double)soft.bias_rate - 60.0 * pi / a1) < 1e-5);
    assert_true(fabs((double)soft.mass_scale - a2 / (1.0 + a2)) < 1e-6);
    assert_true(fabs((double)soft.impulse_scale - 1.0 / (1.0 + a2)) < 1e-6);
    struct cn_impulse_soft rigid = cn_impulse_soft_make(0.0F, 10.0F, 1.0F / 240.0F);
    assert_true(rigid.bias_rate == 0.0F && rigid.mass_scale == 1.0F);
    assert_true(rigid.impulse_scale == 0.0F);
}

/* One of the two normal rows of two boxes that meet; angular parts n x r of A and of B. */
struct row {
    double about_a, about_b;
};

/*
 * Two points of two bodies: one sweep is Gauss-Seidel, in which the second row hears of the first.
 * Written out here in doubles, over the velocities of the bodies.
 */
static void
sweep_pair(struct cn_rng *rng)
{
    const double ma = 0.25, mb = 1.0, ia = 3.0, ib = 5.0;
    struct impulse_run run;
    impulse_run_make(&run, false, 2, 1);
    struct cn_impulse_body2 *body = run.body;
    struct cn_manifold2 *m = run.manifold;
    run.tick.contact = cn_impulse_soft_make(0.0F, 10.0F, run.tick.h);
    for (int i = 0; i < 2; i++) {
        body[i] = (struct cn_impulse_body2){.cosine = 1.0F};
        body[i].vx = (float)cn_rng_uniform(rng, -1.0, 1.0);
        body[i].vy = (float)cn_rng_uniform(rng, -1.0, 1.0) + (i == 0 ? 1.0F : -1.0F);
        body[i].w = (float)cn_rng_uniform(rng, -2.0, 2.0);
        ((struct cn_impulse_drive2 *)run.drive)[i] =
            (struct cn_impulse_drive2){.keep_linear = 1, .keep_angular = 1};
        ((struct cn_impulse_mass2 *)run.mass)[i] =
            (struct cn_impulse_mass2){(float)(i == 0 ? ma : mb), (float)(i == 0 ? ia : ib)};
    }
    run.contact[0] = (struct cn_impulse_contact){.body_a = 0, .body_b = 1, .manifold = 0};
    *m = (struct cn_manifold2){.normal_y = 1, .point_count = 2};
    double bx = cn_rng_uniform(rng, -0.3, 0.3); /* of B's centre from A's; points at y = 0.5 */
    struct row row[2];
    double v[2] = {(double)body[0].vy, (double)body[1].vy};
    double w[2] = {(double)body[0].w, (double)body[1].w};
    for (int k = 0; k < 2; k++) {
        double x = cn_rng_uniform(rng, 0.0, 0.7) * (k == 0 ? -1.0 : 1.0);
        row[k] = (struct row){x, x - bx};
        m->point[k] = (struct cn_point2){.anchor_ax = (float)x, .anchor_ay = 0.5F,
            .anchor_bx = (float)(x - bx), .anchor_by = -0.5F, .feature = (uint32_t)k};
    }
    impulse_run_color(&run, kernel);
    IMPULSE_RUN(&run, prepare);
    IMPULSE_RUN(&run, solve);
    for (int k = 0; k < 2; k++) {
        double speed = v[1] + row[k].about_b * w[1] - v[0] - row[k].about_a * w[0];
        double inverse = ma + mb + ia * row[k].about_a * row[k].about_a +
                         ib * row[k].about_b * row[k].about_b;
        double impulse = fmax(-speed / inverse, 0.0);
        v[0] -= ma * impulse;
        v[1] += mb * impulse;
        w[0] -= ia * row[k].about_a * impulse;
        w[1] += ib * row[k].about_b * impulse;
    }
    for (int i = 0; i < 2; i++) {
        assert_true(fabs((double)body[i].vy - v[i]) < 1e-5);
        assert_true(fabs((double)body[i].w - w[i]) < 2e-5);
    }
    impulse_run_free(&run);
}

static void
sweep_pairs(void)
{
    struct cn_rng rng = {31 * 0x9e3779b97f4a7c15ULL};
    for (int trial = 0; trial < 200 && !spatial; trial++) {
        sweep_pair(&rng);
    }
}

static void
test_a_sweep_is_gauss_seidel(void **state)
{
    (void)state;
    each_kernel(sweep_pairs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution_begins_at_its_speed),
        cmocka_unit_test(test_nothing_bounces_without_touching),
        cmocka_unit_test(test_slop_is_left_alone),
        cmocka_unit_test(test_push_has_a_speed),
        cmocka_unit_test(test_soft_constraint),
        cmocka_unit_test(test_a_sweep_is_gauss_seidel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
