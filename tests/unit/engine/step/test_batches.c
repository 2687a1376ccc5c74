/* test_batches.c: which islands are solved together, by hand. */
#include "engine/step/pipeline/pipeline_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BODIES 4000
#define CONTACTS 4000

static _Alignas(64) unsigned char memory[1 << 18];
static struct cn_color_pair ends[CONTACTS];
static struct cn_pipeline pipeline;
static struct cn_pipeline_tick tick;
static struct cn_crew crew;

static void
begin(int workers, int bodies)
{
    pipeline = (struct cn_pipeline){.ops = &cn_pipeline_planar, .awake_count = bodies};
    crew = (struct cn_crew){.worker_count = workers};
    tick = (struct cn_pipeline_tick){
        .p = &pipeline,
        .kernel = &cn_impulse_kernel_plain,
        .crew = &crew,
        .ends = ends,
    };
    cn_arena_init(&tick.scratch, memory, sizeof(memory));
}

static void
add(int32_t body_a, int32_t body_b)
{
    assert_true(tick.contact_count < CONTACTS);
    ends[tick.contact_count++] = (struct cn_color_pair){body_a, body_b};
}

/* Chains of `length` bodies, `length` - 1 contacts each, and one more with the ground. */
static void
add_chains(int count, int length)
{
    for (int c = 0; c < count; c++) {
        add(CN_IMPULSE_FIXED, c * length);
        for (int k = 1; k < length; k++) {
            add(c * length + k - 1, c * length + k);
        }
    }
}

static void
check_batch(int b, int body_first, int body_end, int contacts)
{
    const struct cn_pipeline_batch *batch = &tick.batch[b];
    assert_int_equal(batch->body_first, body_first);
    assert_int_equal(batch->body_end, body_end);
    assert_int_equal(batch->end - batch->first, contacts);
    for (int i = batch->first; i < batch->end; i++) {
        int contact = tick.by_batch == NULL ? i : tick.by_batch[i];
        assert_true(ends[contact].body_b >= body_first && ends[contact].body_b < body_end);
        assert_true(i == batch->first || tick.by_batch == NULL ||
                    tick.by_batch[i - 1] < tick.by_batch[i]);
    }
}

/* 20 chains of 100: for two workers batches have at least 2,000 / 8 = 250, rounded up to 256. */
static void
test_chains_by_hand(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 7);
    for (int b = 0; b < 6; b++) {
        check_batch(b, 300 * b, 300 * b + 300, 300);
    }
    check_batch(6, 1800, 2000, 200);
}

/* The same contacts in descending order: within a batch they keep their order. */
static void
test_order_is_kept(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    for (int i = 0; i < 1000; i++) {
        struct cn_color_pair swapped = ends[i];
        ends[i] = ends[1999 - i];
        ends[1999 - i] = swapped;
    }
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 7);
    check_batch(3, 900, 1200, 300);
    assert_int_equal(tick.by_batch[tick.batch[3].first], 1999 - 1199);
}

/* One worker, and few contacts, have one batch of all. */
static void
test_small_is_whole(void **state)
{
    (void)state;
    begin(1, 2000);
    add_chains(20, 100);
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 1);
    check_batch(0, 0, 2000, 2000);
    begin(2, 1000);
    add_chains(10, 100); /* 1,000 contacts: fewer than 4 batches of 256 */
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 1);
    check_batch(0, 0, 1000, 1000);
}

/* A contact of the first and the last body connects all between them. */
static void
test_long_island_is_whole(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    add(0, 1999);
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 1);
    check_batch(0, 0, 2000, 2001);
}

/* If one batch would have more than half of a worker's share, workers share its colours instead. */
static void
test_uneven_is_whole(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    add(0, 499); /* 501 contacts in one batch, of 2,001 */
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 1);
    begin(2, 2000);
    add_chains(20, 100);
    add(0, 399); /* 401 contacts */
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 7);
    check_batch(0, 0, 400, 401);
}

/* Contacts read a kinematic body in every substep, so it has to be in their batch. */
static void
test_kinematic_bodies_connect(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    add(cn_impulse_kinematic(299), 350);
    assert_true(cn_pipeline_make_batches(&tick));
    check_batch(0, 0, 400, 401);
}

/* After a tick with one batch, cutting is tried again only after 16 ticks. */
static void
test_tries_are_rare(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    add(0, 1999);
    assert_true(cn_pipeline_make_batches(&tick));
    tick.contact_count--;
    for (int i = 1; i < 16; i++) {
        assert_true(cn_pipeline_make_batches(&tick));
        assert_int_equal(tick.batch_count, 1);
    }
    assert_true(cn_pipeline_make_batches(&tick));
    assert_int_equal(tick.batch_count, 7);
}

/* Without scratch nothing is made, and the size that is needed is known. */
static void
test_needs_scratch(void **state)
{
    (void)state;
    begin(2, 2000);
    add_chains(20, 100);
    tick.scratch.size = 64;
    assert_false(cn_pipeline_make_batches(&tick));
    assert_true(tick.scratch_needed > 64);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_by_hand),
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_small_is_whole),
        cmocka_unit_test(test_long_island_is_whole),
        cmocka_unit_test(test_uneven_is_whole),
        cmocka_unit_test(test_kinematic_bodies_connect),
        cmocka_unit_test(test_tries_are_rare),
        cmocka_unit_test(test_needs_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
