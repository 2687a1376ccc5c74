/* test_asleep.c: contacts that sleep, against a plain list. */
#include "engine/step/pipeline/asleep.h"

#include "engine/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 300 /* at most in the table */
#define ROOM 200
#define SHAPES 2300

static void *
make(struct cn_asleep *asleep, int entry_max, size_t kept_size)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_asleep_make(asleep, &arena, entry_max, kept_size);
    size_t size = arena.used;
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0x5a, size);
    cn_arena_init(&arena, memory, size);
    cn_asleep_make(asleep, &arena, entry_max, kept_size);
    return memory;
}

/* The lists of all shapes have each entry once at either end. */
static void
check_lists(const struct cn_asleep *asleep)
{
    int count = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int32_t end = cn_asleep_first(asleep, shape); end >= 0;
             end = cn_asleep_next(asleep, end)) {
            uint64_t key = asleep->key[end / 2];
            assert_true(end / 2 < asleep->entry_count);
            assert_int_equal(end % 2 == 0 ? cn_asleep_a(key) : cn_asleep_b(key), shape);
            assert_true(++count <= 2 * asleep->entry_count);
        }
    }
    assert_int_equal(count, 2 * asleep->entry_count);
    assert_int_equal(cn_asleep_first(asleep, SHAPES), -1);
}

static uint64_t
key_of(int i)
{
    return cn_asleep_key(i / 20, 1000 + i % 20 * 64); /* keys that differ in few bits */
}

static struct cn_kept3
some_kept(uint32_t mark)
{
    struct cn_kept3 kept = {.point_count = 2, .hint = mark};
    kept.normal_impulse[1] = (float)mark;
    return kept;
}

static void
test_against_a_list(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 3};
    struct cn_asleep asleep;
    void *memory = make(&asleep, ROOM, sizeof(struct cn_kept3));
    uint32_t in[KEYS] = {0}; /* its mark; 0: not in the table */
    int count = 0;
    for (uint32_t round = 1; round < 20000; round++) {
        int i = (int)cn_rng_uniform(&rng, 0.0, KEYS);
        struct cn_kept3 kept = some_kept(round);
        if (cn_rng_uniform(&rng, 0.0, 1.0) < 0.55 && (in[i] != 0 || count < ROOM)) {
            cn_asleep_put(&asleep, key_of(i), &kept);
            count += in[i] == 0;
            in[i] = round;
        } else {
            struct cn_kept3 taken = {.hint = 0};
            bool found = cn_asleep_take(&asleep, key_of(i), &taken);
            assert_int_equal(found, in[i] != 0);
            assert_int_equal(taken.hint, in[i]);
            count -= in[i] != 0;
            in[i] = 0;
        }
        assert_int_equal(asleep.entry_count, count);
        if (round % 1000 == 0) {
            cn_asleep_sort(&asleep);
            for (int k = 1; k < asleep.entry_count; k++) {
                assert_true(asleep.key[k - 1] < asleep.key[k]);
            }
            check_lists(&asleep);
        }
        if (round % 100 == 0) {
            check_lists(&asleep);
            for (int k = 0; k < KEYS; k++) {
                const struct cn_kept3 *here = cn_asleep_find(&asleep, key_of(k));
                assert_int_equal(here != NULL, in[k] != 0);
                assert_true(here == NULL || (here->hint == in[k] &&
                                                here->normal_impulse[1] == (float)in[k]));
            }
        }
    }
    struct cn_asleep larger;
    void *more = make(&larger, KEYS, sizeof(struct cn_kept3));
    cn_asleep_move(&larger, &asleep);
    assert_int_equal(larger.entry_count, count);
    check_lists(&larger);
    cn_asleep_clear(&asleep);
    check_lists(&asleep);
    for (int k = 0; k < KEYS; k++) {
        const struct cn_kept3 *here = cn_asleep_find(&larger, key_of(k));
        assert_int_equal(here == NULL ? 0 : here->hint, in[k]);
    }
    free(more);
    free(memory);
}

static void
test_empty(void **state)
{
    (void)state;
    struct cn_asleep asleep;
    void *memory = make(&asleep, 0, sizeof(struct cn_kept2));
    struct cn_kept2 kept;
    assert_false(cn_asleep_take(&asleep, key_of(1), &kept));
    assert_null(cn_asleep_find(&asleep, key_of(1)));
    cn_asleep_sort(&asleep);
    free(memory);
}

/* Packing keeps the fields that persist, and drops those that the narrowphase finds again. */
static void
test_packing(void **state)
{
    (void)state;
    struct cn_manifold3 spatial = {
        .normal = {0.0F, 1.0F, 0.0F},
        .tangent_impulse = {1.0F, 2.0F},
        .twist_impulse = 3.0F,
        .rolling_impulse = {4.0F, 5.0F, 6.0F},
        .point_count = 3,
        .hint = 77,
    };
    for (int i = 0; i < 3; i++) {
        spatial.point[i].feature = (uint32_t)(60000 + i);
        spatial.point[i].normal_impulse = (float)(10 + i);
        spatial.point[i].separation = -0.5F;
    }
    struct cn_kept3 kept3;
    struct cn_manifold3 back3;
    cn_kept3_pack(&kept3, &spatial);
    cn_kept3_unpack(&kept3, &back3);
    assert_memory_equal(back3.tangent_impulse, spatial.tangent_impulse, 2 * sizeof(float));
    assert_memory_equal(back3.rolling_impulse, spatial.rolling_impulse, 3 * sizeof(float));
    assert_true(back3.twist_impulse == 3.0F && back3.point_count == 3 && back3.hint == 77);
    assert_true(back3.normal[1] == 0.0F && back3.point[0].separation == 0.0F);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(back3.point[i].feature, 60000 + i);
        assert_true(back3.point[i].normal_impulse == (float)(10 + i));
    }

    struct cn_manifold2 planar = {.rolling_impulse = 2.0F, .point_count = 2, .hint = 9};
    planar.point[1].feature = 513;
    planar.point[1].normal_impulse = 4.0F;
    planar.point[1].tangent_impulse = -3.0F;
    struct cn_kept2 kept2;
    struct cn_manifold2 back2;
    cn_kept2_pack(&kept2, &planar);
    cn_kept2_unpack(&kept2, &back2);
    assert_memory_equal(&back2, &planar, sizeof back2); /* the other fields are 0 */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_list),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
