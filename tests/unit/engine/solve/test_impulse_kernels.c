/*
 * test_impulse_kernels.c: every kernel gives every contact the bits that the single one gives.
 *
 * Random bodies, moving, kinematic and none; contacts of one or two points with and without all
 * that a contact may have; several ticks, warm started.
 */
#include "tests/support/solve/impulse_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void
assert_same(const struct impulse_run *a, const struct impulse_run *b)
{
    size_t n = (size_t)a->body_count, m = (size_t)a->contact_count;
    assert_memory_equal(a->body, b->body, n * (a->spatial ? 64 : 32));
    assert_memory_equal(a->manifold, b->manifold,
        m * (a->spatial ? sizeof(struct cn_manifold3) : sizeof(struct cn_manifold2)));
}

static void
assert_finite(const struct impulse_run *run)
{
    const float *number = run->body;
    for (int i = 0; i < run->body_count * (run->spatial ? 16 : 8); i++) {
        assert_true(isfinite(number[i]));
    }
}

/* Without carry the impulses of a substep act again contact by contact. */
static void
drop_carry(struct impulse_run *run, bool drop)
{
    if (drop) {
        free(run->carry);
        run->carry = NULL;
    }
}

static void
same_bits(bool spatial, bool no_carry)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct impulse_run one;
        random_problem(&one, seed, spatial);
        drop_carry(&one, no_carry);
        play(&one, &cn_impulse_kernel_single);
        assert_finite(&one);
        for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
            if (!cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
                continue;
            }
            struct impulse_run other;
            random_problem(&other, seed, spatial);
            drop_carry(&other, no_carry);
            play(&other, cn_impulse_kernels[i]);
            assert_same(&one, &other);
            impulse_run_free(&other);
        }
        impulse_run_free(&one);
    }
}

static void
test_planar_bits(void **state)
{
    (void)state;
    same_bits(false, false);
    same_bits(false, true);
}

static void
test_spatial_bits(void **state)
{
    (void)state;
    same_bits(true, false);
    same_bits(true, true);
}

static void
unlock(struct impulse_run *run)
{
    for (int i = 0; i < run->body_count; i++) {
        if (run->spatial) {
            ((struct cn_impulse_drive3 *)run->drive)[i].locks = 0;
        } else {
            ((struct cn_impulse_drive2 *)run->drive)[i].locks = 0;
        }
    }
}

/* Carrying is warm starting: without locks, after a tick both differ by rounding alone. */
static void
test_carry_is_warm_start(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bool spatial = seed % 2 == 0;
        struct impulse_run with, without;
        random_problem(&with, seed, spatial);
        random_problem(&without, seed, spatial);
        drop_carry(&without, true);
        unlock(&with);
        unlock(&without);
        impulse_run_color(&with, cn_impulse_kernel_best());
        impulse_run_color(&without, cn_impulse_kernel_best());
        impulse_run_tick(&with);
        impulse_run_tick(&without);
        const float *a = with.body, *b = without.body;
        for (int i = 0; i < with.body_count * (spatial ? 16 : 8); i++) {
            float scale = fmaxf(1.0f, fabsf(a[i]));
            assert_true(fabsf(a[i] - b[i]) < 2e-3f * scale);
        }
        impulse_run_free(&with);
        impulse_run_free(&without);
    }
}

/* Kinematic bodies and the spare float of a body are as they were. */
static void
test_kinematic_bodies_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct impulse_run run;
        random_problem(&run, seed, false);
        struct cn_impulse_body2 *body = run.body;
        struct cn_impulse_mass2 *mass = run.mass;
        struct cn_impulse_body2 before = body[0];
        bool kinematic = mass[0].inverse_mass == 0;
        body[1].spare = 7.0f;
        play(&run, cn_impulse_kernel_best());
        if (kinematic && before.vx < 400.0f) {
            assert_true(body[0].vx == before.vx && body[0].vy == before.vy);
        }
        assert_true(body[1].spare == 7.0f);
        impulse_run_free(&run);
    }
}

static void
test_find(void **state)
{
    (void)state;
    assert_ptr_equal(cn_impulse_kernel_find("plain"), cn_impulse_kernels[0]);
    assert_null(cn_impulse_kernel_find("abacus"));
    assert_true(cn_impulse_kernel_runs(cn_impulse_kernel_best()));
    assert_int_equal(cn_impulse_kernel_single.lanes, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_bits),
        cmocka_unit_test(test_spatial_bits),
        cmocka_unit_test(test_carry_is_warm_start),
        cmocka_unit_test(test_kinematic_bodies_stay),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
