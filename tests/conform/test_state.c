/*
 * test_state.c: images and hashes contain the whole state and no other data.
 *
 *   1. a world restored at any tick continues with the bits of one that never stopped
 *   2. the same holds for a world restored between the pieces of a tick
 *   3. a small budget of work gives the bits of an unlimited one
 *   4. every command changes the hash, and an image includes the change
 *   5. a damaged image is refused and changes nothing
 *   6. an image with impossible numbers is refused even if its checksum is right
 */
#include "engine/base/hash.h"
#include "engine/base/rng.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TICKS 90

static struct blocks blocks;

static struct cn_world *
make(int count, double restitution)
{
    blocks_init(&blocks, count, restitution);
    struct cn_defect defect = {0};
    struct cn_world *world = NULL;
    enum cn_status status = cn_world_create(&blocks.def, &defect, &world);
    if (status != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return world;
}

static void
tick(struct cn_world *world)
{
    while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
    }
}

/* Applies a drag, and sometimes an actuator command, as sessions might send them at this tick. */
static void
command_at(struct cn_world *world, int t)
{
    struct cn_command command = {.kind = CN_COMMAND_HOLD_DRAG};
    command.hold_drag = (struct cn_hold_drag){.holder = {.source = 7, .slot = 1},
        .body = 4,
        .target = {-1.0 + 0.02 * t, 2.0, 0.0},
        .stiffness = 60.0,
        .damping = 3.0};
    if (t % 30 == 10) {
        command.kind = CN_COMMAND_HOLD_ACTUATOR;
        command.hold_actuator = (struct cn_hold_actuator){
            .holder = {.source = 3, .slot = 0, .until_tick = (uint64_t)t + 12}, .level = 0.8};
    }
    assert_int_equal(cn_world_command_apply(world, &command, NULL), CN_OK);
}

static void *
image_of(const struct cn_world *world, size_t *size)
{
    *size = cn_world_image_size(world);
    void *image = malloc(*size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, *size), *size);
    return image;
}

static void
test_restore_from_every_tick(void **state)
{
    (void)state;
    struct cn_world *original = make(6, 0.5), *restored = make(6, 0.5);
    for (int t = 0; t < TICKS; t++) {
        command_at(original, t);
        size_t size;
        void *image = image_of(original, &size);
        struct cn_defect defect = {0};
        assert_int_equal(cn_world_image_read(restored, image, size, &defect), CN_OK);
        assert_int_equal(cn_world_hash(restored), cn_world_hash(original));
        free(image);
        tick(original);
        tick(restored);
        assert_int_equal(cn_world_hash(restored), cn_world_hash(original));
    }
    cn_world_destroy(original);
    cn_world_destroy(restored);
}

static void
test_small_budget_and_restore_within_a_tick(void **state)
{
    (void)state;
    struct cn_world *whole = make(6, 0.7), *pieces = make(6, 0.7), *restored = make(6, 0.7);
    int more_count = 0;
    for (int t = 0; t < TICKS; t++) {
        command_at(whole, t);
        command_at(pieces, t);
        tick(whole);
        while (cn_world_step(pieces, 1) == CN_STEP_MORE) {
            more_count++;
            assert_true(cn_world_is_mid_tick(pieces));
            if (more_count % 16 == 0) {
                size_t size;
                void *image = image_of(pieces, &size);
                assert_int_equal(cn_world_image_read(restored, image, size, NULL), CN_OK);
                free(image);
                struct cn_world *swapped = pieces;
                pieces = restored;
                restored = swapped;
            }
        }
        assert_int_equal(cn_world_tick(pieces), t + 1);
        assert_int_equal(cn_world_hash(pieces), cn_world_hash(whole));
    }
    assert_true(more_count > TICKS / 4); /* impacts cut ticks into pieces */
    cn_world_destroy(whole);
    cn_world_destroy(pieces);
    cn_world_destroy(restored);
}

static void
test_reading_changes_nothing(void **state)
{
    (void)state;
    struct cn_world *read = make(6, 0.5), *left_alone = make(6, 0.5);
    for (int t = 0; t < TICKS; t++) {
        const struct cn_contact_view *contacts;
        cn_world_contacts(read, &contacts);
        cn_world_energy(read);
        tick(read);
        tick(left_alone);
        assert_int_equal(cn_world_hash(read), cn_world_hash(left_alone));
    }
    cn_world_destroy(read);
    cn_world_destroy(left_alone);
}

static void
test_commands_are_state(void **state)
{
    (void)state;
    struct cn_command commands[] = {
        {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.holder = {1, 1, 0}, .body = 3, .force = {1.0, 0.0, 0.0}}},
        {.kind = CN_COMMAND_HOLD_TORQUE,
            .hold_torque = {.holder = {1, 2, 0}, .body = 3, .torque = {0.0, 0.0, 1.0}}},
        {.kind = CN_COMMAND_HOLD_DRAG, .hold_drag = {.holder = {1, 3, 0}, .body = 3}},
        {.kind = CN_COMMAND_HOLD_ACTUATOR, .hold_actuator = {.holder = {1, 4, 0}, .level = 1.0}},
        {.kind = CN_COMMAND_RELEASE, .release = {.source = 1, .slot = 2}},
        {.kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = 1}},
        {.kind = CN_COMMAND_SET_GRAVITY, .set_gravity = {{0.0, -3.0, 0.0}}},
        {.kind = CN_COMMAND_SET_RESTITUTION, .set_restitution = {0.25}},
        {.kind = CN_COMMAND_SET_DAMPING, .set_damping = {0.1, 0.01}},
        {.kind = CN_COMMAND_SET_TIME_RATE, .set_time_rate = {0.5}},
        {.kind = CN_COMMAND_SET_MINIMUM_NORM, .set_minimum_norm = {1.0}},
        {.kind = CN_COMMAND_SET_COLLISION, .set_collision = {CN_COLLISION_SERIAL}},
        {.kind = CN_COMMAND_PLACE_BODY, .place_body = {.body = 3, .position = {0.0, 5.0, 0.0}}},
    };
    struct cn_world *world = make(2, 0.5), *other = make(2, 0.5);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        uint64_t before = cn_world_hash(world);
        assert_int_equal(cn_world_command_apply(world, &commands[i], NULL), CN_OK);
        if (cn_world_hash(world) == before) {
            fail_msg("%s leaves the hash as it was", cn_command_name(commands[i].kind));
        }
        size_t size;
        void *image = image_of(world, &size);
        assert_int_equal(cn_world_image_read(other, image, size, NULL), CN_OK);
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        free(image);
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
}

/*
 * Updates the checksum at byte 16 after damage, so that the checks of the state behind it are
 * tested.
 */
static void
mend_checksum(unsigned char *image, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, image + 24, size - 24);
    memcpy(image + 16, &hash.state, 8);
}

static void
test_damaged_images(void **state)
{
    (void)state;
    struct cn_world *world = make(6, 0.5);
    for (int t = 0; t < 20; t++) {
        command_at(world, t);
        tick(world);
    }
    size_t size;
    unsigned char *image = image_of(world, &size);
    unsigned char *damaged = malloc(size);
    assert_non_null(damaged);
    struct cn_rng rng = {.state = 5};
    uint64_t hash = cn_world_hash(world);
    int refused_count = 0;
    for (int k = 0; k < 400; k++) {
        memcpy(damaged, image, size);
        damaged[cn_rng_next(&rng) % size] ^= (unsigned char)(1 + cn_rng_next(&rng) % 255);
        struct cn_defect defect = {0};
        assert_int_equal(cn_world_image_read(world, damaged, size, &defect), CN_IMAGE);
        assert_true(defect.text[0] != '\0');
        assert_int_equal(cn_world_hash(world), hash);

        mend_checksum(damaged, size); /* it is now another valid state, or is refused */
        if (cn_world_image_read(world, damaged, size, NULL) == CN_OK) {
            assert_int_equal(cn_world_image_read(world, image, size, NULL), CN_OK);
        } else {
            refused_count++;
        }
        assert_int_equal(cn_world_hash(world), hash);
        size_t cut = cn_rng_next(&rng) % size;
        assert_int_equal(cn_world_image_read(world, image, cut, NULL), CN_IMAGE);
    }
    assert_true(refused_count > 20);
    free(damaged);
    free(image);
    cn_world_destroy(world);
}

/* Finds bytes that stand once in the image. */
static unsigned char *
find_bytes(unsigned char *image, size_t size, const void *bytes, size_t count)
{
    unsigned char *found = NULL;
    for (size_t at = 24; at + count <= size; at++) {
        if (memcmp(image + at, bytes, count) == 0) {
            assert_null(found);
            found = image + at;
        }
    }
    assert_non_null(found);
    return found;
}

static unsigned char *
find_number(unsigned char *image, size_t size, double number)
{
    return find_bytes(image, size, &number, sizeof(number));
}

/* The smallest length stands behind the counts of bodies, shapes and joints. */
static unsigned char *
find_length(unsigned char *image, size_t size, const struct cn_model *model)
{
    const int32_t counts[3] = {model->body_count, model->shape_count, model->joint_count};
    unsigned char bytes[sizeof(counts) + sizeof(double)];
    memcpy(bytes, counts, sizeof(counts));
    memcpy(bytes + sizeof(counts), &model->length_min, sizeof(double));
    return find_bytes(image, size, bytes, sizeof(bytes)) + sizeof(counts);
}

/*
 * States that are refused: too many ticks done, a body, force or size beyond bounds, moving walls.
 */
static void
test_impossible_states(void **state)
{
    (void)state;
    struct cn_world *world = make(6, 0.5);
    command_at(world, 0);
    while (cn_world_step(world, 1) == CN_STEP_DONE) {
    }
    size_t size;
    unsigned char *image = image_of(world, &size), *damaged = malloc(size);
    assert_non_null(damaged);
    struct cn_body_view wall, block;
    cn_world_body_view(world, 1, &wall);
    cn_world_body_view(world, 4, &block);
    unsigned char *length_min = find_length(image, size, &world->model);
    unsigned char *wall_speed = find_number(image, size, wall.center.x) + 24;
    const int32_t counts[2] = {world->model.shape_count, 3}; /* of shapes and undeclared joints */
    double slots;
    memcpy(&slots, counts, sizeof(slots));
    const struct {
        unsigned char *at;
        double value;
    } changes[] = {
        {find_number(image, size, world->model.clock.elapsed), 1.0},
        {find_number(image, size, world->model.clock.elapsed), -1e-3},
        {find_number(image, size, block.center.x), 1e13},
        {find_number(image, size, block.velocity.x), 1e13},
        {find_number(image, size, 60.0), 1e9}, /* the drag's stiffness */
        {wall_speed, 1.0},
        {find_number(image, size, -9.81) + 8, 1.0}, /* gravity out of the plane */
        {length_min, 1e-12},
        {length_min, nextafter(world->model.length_min, 1.0)}, /* the scene has smaller lengths */
        {length_min, 1e221},
        {length_min - 8, slots},
    };
    uint64_t hash = cn_world_hash(world);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        memcpy(damaged, image, size);
        memcpy(damaged + (changes[i].at - image), &changes[i].value, 8);
        mend_checksum(damaged, size);
        if (cn_world_image_read(world, damaged, size, NULL) != CN_IMAGE) {
            fail_msg("change %zu is accepted", i);
        }
        assert_int_equal(cn_world_hash(world), hash);
    }
    assert_int_equal(cn_world_image_read(world, image, size, NULL), CN_OK);
    free(damaged);
    free(image);
    cn_world_destroy(world);
}

/* Planar worlds ignore z: a world with z in its gravity has the same states. */
static void
test_gravity_in_the_plane(void **state)
{
    (void)state;
    struct cn_world *flat = make(2, 0.5), *steep = NULL;
    blocks.def.settings.gravity.z = 5.0;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &steep), CN_OK);
    for (int t = 0; t < 20; t++) {
        tick(flat);
        tick(steep);
        assert_int_equal(cn_world_hash(steep), cn_world_hash(flat));
    }
    cn_world_destroy(flat);
    cn_world_destroy(steep);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restore_from_every_tick),
        cmocka_unit_test(test_small_budget_and_restore_within_a_tick),
        cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_commands_are_state),
        cmocka_unit_test(test_damaged_images),
        cmocka_unit_test(test_impossible_states),
        cmocka_unit_test(test_gravity_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
