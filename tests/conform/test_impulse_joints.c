/*
 * test_impulse_joints.c: all kernels of the production solver's joints give the same bits, and the
 * results of the reference, which solves every joint by itself.
 */
#include "tests/support/solve/random_joints.h"
#include "tests/support/solve/soft_joints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define SEEDS 24

static const enum cn_dimension both[] = {CN_PLANAR, CN_SPATIAL};

static void
run_ticks(struct jointed *all, const struct cn_impulse_kernel *kernel, int ticks)
{
    struct soft_run run = soft_run_make(all, 4);
    run.kernel = kernel;
    for (int i = 0; i < ticks; i++) {
        soft_tick(&run);
    }
}

static void
assert_same(const struct jointed *a, const struct jointed *b, const char *name)
{
    for (int i = 0; i < a->model.body_count; i++) {
        if (memcmp(&a->motion[i], &b->motion[i], sizeof(a->motion[i])) != 0) {
            fail_msg("%s: body %d moves otherwise", name, i);
        }
    }
    for (int i = 0; i < a->model.joint_count; i++) {
        if (memcmp(&a->state[i], &b->state[i], sizeof(a->state[i])) != 0) {
            fail_msg("%s: joint %d bears otherwise", name, i);
        }
    }
}

static void
test_kernels_agree(void **state)
{
    (void)state;
    static struct jointed single, other;
    for (int k = 0; k < 2 * SEEDS; k++) {
        random_jointed(&single, both[k % 2], 100 + (uint64_t)k, 30);
        run_ticks(&single, &cn_impulse_kernel_single, 60);
        for (int i = 0; cn_impulse_kernels[i] != NULL; i++) {
            if (!cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
                continue;
            }
            random_jointed(&other, both[k % 2], 100 + (uint64_t)k, 30);
            run_ticks(&other, cn_impulse_kernels[i], 60);
            assert_same(&single, &other, cn_impulse_kernels[i]->name);
        }
    }
}

/* All motions stay bounded and finite. */
static void
test_worlds_stay_finite(void **state)
{
    (void)state;
    static struct jointed all;
    for (int k = 0; k < 2 * SEEDS; k++) {
        random_jointed(&all, both[k % 2], 100 + (uint64_t)k, 30);
        run_ticks(&all, cn_impulse_kernel_best(), 300);
        for (int i = 0; i < all.model.body_count; i++) {
            assert_true(cn_motion_is_bounded(&all.motion[i]));
            assert_true(cn_vec3_length(all.motion[i].velocity) < 1e3);
        }
    }
}

/* How far apart the best kernel and the reference bring some body. */
static double
apart_after(enum cn_dimension dimension, uint64_t seed, int bodies, int substeps)
{
    static struct jointed wide, reference;
    random_jointed(&wide, dimension, seed, bodies);
    random_jointed(&reference, dimension, seed, bodies);
    struct soft_run run = soft_run_make(&wide, substeps);
    run.kernel = cn_impulse_kernel_best();
    struct soft_run other = soft_run_make(&reference, substeps);
    double most = 0.0;
    for (int i = 0; i < 20; i++) {
        soft_tick(&run);
        soft_tick(&other);
    }
    for (int i = 0; i < bodies; i++) {
        double d = cn_vec3_length(
            cn_vec3_sub(wide.motion[i].position, reference.motion[i].position));
        most = d > most ? d : most;
    }
    return most;
}

/*
 * The reference and the kernels solve the same equations in another arithmetic.  With one joint the
 * bodies move the same way.  Two joints are solved one after the other, and the order differs,
 * which matters less with more substeps.
 */
static void
test_kernels_follow_reference(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SEEDS; k++) {
        uint64_t seed = 900 + (uint64_t)k;
        assert_near(apart_after(both[k % 2], seed, 1, 4), 0.0, 1e-4);
        assert_near(apart_after(both[k % 2], seed, 2, 16), 0.0, 1e-2);
    }
}

/* Bodies that carry impulses from substep to substep move as if every substep warm started. */
static void
test_carried_is_recalled(void **state)
{
    (void)state;
    static struct jointed carried, recalled;
    for (int k = 0; k < 2 * SEEDS; k++) {
        random_jointed(&carried, both[k % 2], 900 + (uint64_t)k, 2);
        random_jointed(&recalled, both[k % 2], 900 + (uint64_t)k, 2);
        struct soft_run run = soft_run_make(&carried, 4), other = soft_run_make(&recalled, 4);
        run.kernel = other.kernel = k % 4 < 2 ? NULL : cn_impulse_kernel_best();
        other.recall = true;
        for (int i = 0; i < 20; i++) {
            soft_tick(&run);
            soft_tick(&other);
        }
        for (int i = 0; i < 2; i++) {
            cn_vec3 apart = cn_vec3_sub(carried.motion[i].position, recalled.motion[i].position);
            assert_near(cn_vec3_length(apart), 0.0, 1e-4);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_agree),
        cmocka_unit_test(test_worlds_stay_finite),
        cmocka_unit_test(test_kernels_follow_reference),
        cmocka_unit_test(test_carried_is_recalled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
