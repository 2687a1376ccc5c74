/*
 * test_room.c: memory that is refused, at every call: a world is made whole or not at all, waits
 * with a tick that finds no room, and keeps its state when an image does not fit.
 */
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"

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
static int granted = NEVER; /* heap calls until all are refused */

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

/* The crowd in a sensor that contains all of it; one body has a joint that breaks at once. */
static void
busy_init(const char *stepper, const char *solver)
{
    crowd_init(0.03);
    int eye = scene_box(&scene, 0.3, 0.0, 9.0, 9.0);
    scene.body[eye].type = CN_STATIC;
    scene.shape[eye].sensor = true;
    struct cn_joint_def *joint =
        scene_joint(&scene, CN_JOINT_FIXED, -1, 3, cn_vec3_make(0.1, 0.0, 0.0));
    joint->break_force = 1e-3;
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, solver);
}

/* Makes a world of the scene with the state of `from`. */
static struct cn_world *
copy_of(const struct cn_world *from)
{
    struct cn_world *to = scene_create(&scene);
    scene_restore(to, from);
    return to;
}

/*
 * Tries a tick of `world` again and again.  The heap refuses the first call in the first try, the
 * second call in the second try, and so on.  A refused tick is not done.  The world, or a copy made
 * from its image, then continues to the same state as a world without refusals.  Returns the number
 * of calls that could be refused.
 */
static int
tick_by_refusals(struct cn_world *world, uint64_t wanted)
{
    uint64_t before = cn_world_tick(world);
    for (int calls = 1;; calls++) {
        assert_true(calls < 100);
        granted = calls;
        enum cn_step_result result = cn_world_step(world, CN_WORK_UNLIMITED);
        const struct cn_contact_view *contact;
        (void)cn_world_contacts(world, &contact); /* a look changes no state, even without memory */
        granted = NEVER;
        assert_true(result != CN_STEP_MORE);
        if (result == CN_STEP_DONE) {
            assert_int_equal(cn_world_tick(world), before + 1);
            assert_int_equal(cn_world_hash(world), wanted);
            return calls - 1;
        }
        assert_int_equal(cn_world_tick(world), before);
        bool has_begun = world->model.clock.pieces > 0 || world->model.clock.elapsed > 0.0;
        assert_true(cn_world_is_mid_tick(world) == has_begun); /* else commands may act */
        struct cn_world *copy = copy_of(world);
        scene_tick(copy);
        assert_int_equal(cn_world_hash(copy), wanted);
        cn_world_destroy(copy);
    }
}

static void
test_steps(void **state)
{
    (void)state;
    static const struct {
        const char *stepper, *solver;
        int least; /* calls: contacts and sensors; or scratch, pairs, poses; and the joint */
    } cases[] = {{"event", "baraff94", 3}, {"time", "baraff94", 3},
        {"propagation", "guendelman03", 3}, {"time", "impulse", 4}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        busy_init(cases[k].stepper, cases[k].solver);
        struct cn_world *lucky = scene_create(&scene), *world = scene_create(&scene);
        int ceiling = world->model.contact_ceiling, refused_count = 0;
        for (int tick = 0; tick < 5; tick++) {
            scene_tick(lucky);
            if (tick == 0) {
                assert_int_equal(scene_events(lucky, CN_EVENT_JOINT_BROKEN, NULL), 1);
            }
            refused_count += tick_by_refusals(world, cn_world_hash(lucky));
            assert_int_equal(scene_events(world, CN_EVENT_CONTACT_LIMIT, NULL), 0);
        }
        print_message("  %s, %s: refused at %d places\n", cases[k].stepper, cases[k].solver,
            refused_count);
        assert_true(refused_count >= cases[k].least);
        assert_int_equal(world->model.contact_ceiling, ceiling);
        cn_world_destroy(lucky);
        cn_world_destroy(world);
    }
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
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
