/*
 * test_resume.c: the bits of a run do not depend on how it is divided; a step does not use the
 * heap.
 */
#include "tests/support/world/lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define TICK_COUNT 100

static struct scene scene;
static int heap_calls;

/* Linked with -Wl,--wrap: every heap call of the program passes here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *
__wrap_malloc(size_t size)
{
    heap_calls++;
    return __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    heap_calls++;
    return __real_calloc(count, size);
}

void *
__wrap_realloc(void *memory, size_t size)
{
    heap_calls++;
    return __real_realloc(memory, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    heap_calls++;
    return __real_aligned_alloc(alignment, size);
}

/* At tick 20 a drag begins, which is held until tick 60. */
static void
input(struct cn_world *world, uint64_t tick)
{
    if (tick != 20) {
        return;
    }
    struct cn_command command = {.kind = CN_COMMAND_HOLD_DRAG};
    command.hold_drag.holder.source = 7;
    command.hold_drag.holder.until_tick = 60;
    command.hold_drag.body = LAB_BLOCK_FIRST + 1;
    command.hold_drag.point = cn_vec3_make(0.2, 1.0, 0.0);
    command.hold_drag.target = cn_vec3_make(1.0, 5.0, 0.0);
    command.hold_drag.stiffness = 60.0;
    command.hold_drag.damping = 3.0;
    scene_command(world, &command);
}

/* The hashes of a run without interruptions. */
static void
run_whole(uint64_t hash[TICK_COUNT + 1])
{
    lab_init(&scene, 6, 9.81, 0.4);
    struct cn_world *world = scene_create(&scene);
    for (uint64_t tick = 0; tick < TICK_COUNT; tick++) {
        hash[tick] = cn_world_hash(world);
        input(world, tick);
        scene_tick(world);
    }
    hash[TICK_COUNT] = cn_world_hash(world);
    cn_world_destroy(world);
}

static void
test_budget(void **state)
{
    (void)state;
    static const int64_t budgets[] = {1, 1000, 30000, 1000000};
    uint64_t hash[TICK_COUNT + 1];
    run_whole(hash);
    for (size_t k = 0; k < sizeof(budgets) / sizeof(budgets[0]); k++) {
        lab_init(&scene, 6, 9.81, 0.4);
        struct cn_world *world = scene_create(&scene);
        int more_count = 0;
        for (uint64_t tick = 0; tick < TICK_COUNT; tick++) {
            assert_int_equal(cn_world_hash(world), hash[tick]);
            input(world, tick);
            while (cn_world_step(world, budgets[k]) == CN_STEP_MORE) {
                assert_true(cn_world_is_mid_tick(world));
                more_count++;
            }
        }
        assert_int_equal(cn_world_hash(world), hash[TICK_COUNT]);
        assert_true(k > 0 || more_count >= TICK_COUNT);
        cn_world_destroy(world);
    }
}

/* At every tick the world is written and read into a fresh one, which continues in its place. */
static void
test_restore(void **state)
{
    (void)state;
    uint64_t hash[TICK_COUNT + 1];
    run_whole(hash);
    lab_init(&scene, 6, 9.81, 0.4);
    struct cn_world *world = scene_create(&scene);
    for (uint64_t tick = 0; tick < TICK_COUNT; tick++) {
        size_t size = cn_world_image_size(world);
        void *image = malloc(size);
        assert_non_null(image);
        assert_int_equal(cn_world_image_write(world, image, size), size);
        cn_world_destroy(world);
        world = scene_create(&scene);
        struct cn_defect defect;
        assert_int_equal(cn_world_image_read(world, image, size, &defect), CN_OK);
        free(image);
        assert_int_equal(cn_world_hash(world), hash[tick]);
        input(world, tick);
        scene_tick(world);
    }
    assert_int_equal(cn_world_hash(world), hash[TICK_COUNT]);
    cn_world_destroy(world);
}

/* The first seconds may make a world's arrays grow; after that no step calls the heap. */
static void
test_no_heap(void **state)
{
    (void)state;
    lab_init(&scene, 6, 9.81, 0.4);
    int before = heap_calls;
    struct cn_world *world = scene_create(&scene);
    assert_int_equal(heap_calls, before + 7); /* as tests/unit/engine/world/test_room.c has them */
    scene_ticks(world, 600);
    before = heap_calls;
    scene_ticks(world, 300);
    assert_int_equal(heap_calls, before);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_restore),
        cmocka_unit_test(test_no_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
