/*
 * test_room.c: memory that is refused, at every call: a world is made whole or not at all, goes on
 * in the room it has, and keeps its state when an image does not fit.
 */
#include "engine/world/world_inside.h"
#include "tests/support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/state/image.h"

#define NEVER (-1)

static struct scene scene;
static int granted = NEVER; /* which heap call is the first to be refused, as all after it are */

/* Linked with -Wl,--wrap: every heap call of the program passes here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool
grant(void)
{
    if (granted == NEVER) {
        return true;
    }
    granted -= granted > 0;
    return granted > 0;
}

void *
__wrap_malloc(size_t size)
{
    return grant() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return grant() ? __real_calloc(count, size) : NULL;
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return grant() ? __real_aligned_alloc(alignment, size) : NULL;
}

/* Twenty boxes: in one place they are 190 pairs, where the world begins with room for 136. */
static void
crowd_init(double spacing)
{
    scene_init(&scene, 9.81);
    for (int i = 0; i < 20; i++) {
        scene_box(&scene, spacing * i, 0.01 * i, 1.0, 1.0);
    }
}

static void
test_create(void **state)
{
    (void)state;
    crowd_init(2.0);
    int refused_count = 0;
    enum cn_status status = CN_MEMORY;
    for (int calls = 1; status != CN_OK; calls++) {
        assert_true(calls < 20);
        struct cn_world *world = NULL;
        struct cn_defect defect = {0};
        granted = calls;
        status = cn_world_create(&scene.def, &defect, &world);
        granted = NEVER;
        if (status != CN_OK) {
            assert_int_equal(status, CN_MEMORY);
            assert_non_null(strstr(defect.text, "memory"));
            assert_null(world);
            refused_count++;
        }
        cn_world_destroy(world);
    }
    assert_int_equal(refused_count, 7); /* world, view, events, fixed, columns, held, room */
}

static void
test_growth(void **state)
{
    (void)state;
    crowd_init(0.03);
    struct cn_world *world = scene_create(&scene);
    int room = world->model.contact_max;
    granted = 0;
    scene_ticks(world, 3);
    const struct cn_contact_view *contact;
    int count = cn_world_contacts(world, &contact);
    granted = NEVER;
    assert_true(count > 0 && count <= 2 * room);
    assert_true(scene_events(world, CN_EVENT_CONTACT_LIMIT, NULL) > 0);
    assert_int_equal(world->model.contact_max, room);
    assert_int_equal(world->model.contact_ceiling, room);
    cn_world_destroy(world);
}

/* An image of the crowd, whose warm starts need more room than a fresh world has. */
static void
test_image(void **state)
{
    (void)state;
    crowd_init(0.03);
    struct cn_world *crowd = scene_create(&scene), *fresh = scene_create(&scene);
    scene_tick(crowd);
    assert_true(crowd->model.warm_count > fresh->model.contact_max);
    size_t size = cn_world_image_size(crowd);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(crowd, image, size), size);
    uint64_t before = cn_world_hash(fresh);
    for (int calls = 1; calls <= 2; calls++) { /* the backup, the room */
        granted = calls;
        enum cn_status status = cn_world_image_read(fresh, image, size, NULL);
        granted = NEVER;
        assert_true(status == CN_MEMORY || status == CN_IMAGE);
        assert_int_equal(cn_world_hash(fresh), before);
    }
    assert_int_equal(cn_world_image_read(fresh, image, size, NULL), CN_OK);
    assert_int_equal(cn_world_hash(fresh), cn_world_hash(crowd));
    scene_tick(fresh);
    scene_tick(crowd);
    assert_int_equal(cn_world_hash(fresh), cn_world_hash(crowd));
    free(image);
    cn_world_destroy(fresh);
    cn_world_destroy(crowd);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
