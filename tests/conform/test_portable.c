/*
 * test_portable.c: the portable form restores a world as a user saw it.
 *
 *   1. after any changes, slots, poses, velocities, settings, time and held inputs have the same
 *      bits, and writing the form again gives the same bytes
 *   2. sleeping bodies still sleep in the same place, and wake when their support is removed
 *   3. awake bodies at rest stay in place; joints and motors continue; no contact begins twice
 *   4. bytes that are cut, altered or of another scene are refused and change nothing; additions of
 *      later versions are ignored
 */
#include "engine/base/rng.h"
#include "engine/solve/table/solver_table.h"
#include "engine/state/image.h"
#include "engine/state/portable.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/world/scene_life.h"

static struct scene scene;

static unsigned char *
write_portable(const struct cn_world *world, size_t *size)
{
    *size = cn_world_portable_size(world);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(cn_world_portable_write(world, bytes, *size - 1), 0);
    assert_int_equal(cn_world_portable_write(world, bytes, *size), *size);
    return bytes;
}

/* Makes a world of the present scene with the state of `from`. */
static struct cn_world *
carry_over(const struct cn_world *from)
{
    size_t size;
    struct cn_defect defect = {0};
    unsigned char *bytes = write_portable(from, &size);
    struct cn_world *to = scene_create(&scene);
    if (cn_world_portable_read(to, bytes, size, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    free(bytes);
    return to;
}

static void
assert_same_bytes(const struct cn_world *a, const struct cn_world *b)
{
    size_t size_a, size_b;
    unsigned char *bytes_a = write_portable(a, &size_a), *bytes_b = write_portable(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

static void
assert_same_bodies(const struct cn_world *a, const struct cn_world *b)
{
    assert_int_equal(cn_world_body_count(a), cn_world_body_count(b));
    for (int i = 0; i < cn_world_body_count(a); i++) {
        struct cn_body_view of_a = scene_view(a, i), of_b = scene_view(b, i);
        assert_int_equal(of_a.absent, of_b.absent);
        assert_int_equal(of_a.generation, of_b.generation);
        assert_int_equal(of_a.type, of_b.type);
        assert_int_equal(of_a.island, of_b.island);
        assert_memory_equal(&of_a.position, &of_b.position, sizeof(of_a.position));
        assert_memory_equal(&of_a.orientation, &of_b.orientation, sizeof(of_a.orientation));
        assert_memory_equal(&of_a.velocity, &of_b.velocity, sizeof(of_a.velocity));
        assert_memory_equal(
            &of_a.angular_velocity, &of_b.angular_velocity, sizeof(of_a.angular_velocity));
        assert_true(of_a.mass == of_b.mass);
    }
}

static void
assert_same(const struct cn_world *a, const struct cn_world *b)
{
    assert_same_bodies(a, b);
    assert_int_equal(cn_world_tick(a), cn_world_tick(b));
    assert_true(cn_world_time(a) == cn_world_time(b));
    assert_memory_equal(
        cn_world_settings(a), cn_world_settings(b), sizeof(*cn_world_settings(a)));
    const struct cn_held *held_a, *held_b;
    int count = cn_world_held(a, &held_a);
    assert_int_equal(count, cn_world_held(b, &held_b));
    for (int i = 0; i < count; i++) {
        assert_int_equal(held_a[i].holder.source, held_b[i].holder.source);
        assert_int_equal(held_a[i].holder.until_tick, held_b[i].holder.until_tick);
        assert_memory_equal(&held_a[i].vector, &held_b[i].vector, sizeof(held_a[i].vector));
    }
    assert_same_bytes(a, b);
}

/* The farthest that a body of one world is from where it is in another [m]. */
static double
drift(const struct cn_world *a, const struct cn_world *b)
{
    double most = 0.0;
    for (int i = 0; i < cn_world_body_count(a); i++) {
        cn_vec3 between = cn_vec3_sub(scene_view(a, i).position, scene_view(b, i).position);
        most = fmax(most, cn_vec3_length(between));
    }
    return most;
}

/* ---- 1 ---- */

static void
begin(const char *stepper, const char *solver, enum cn_dimension dimension)
{
    scene_init(&scene, 9.81);
    scene.def.settings.dimension = dimension;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
    scene_floor(&scene);
    scene_box(&scene, -2.0, 0.6, 1.0, 1.0);
    int bob = scene_box(&scene, 2.0, 3.0, 1.0, 1.0);
    scene_box(&scene, -2.0, 1.8, 1.0, 1.0);
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, bob, cn_vec3_make(1.0, 4.0, 0.0));
    hinge->has_motor = true;
    hinge->motor_speed = 1.0;
    hinge->motor_force_max = 1.0;
}

static void
life_is_carried(const char *stepper, const char *solver, enum cn_dimension dimension)
{
    begin(stepper, solver, dimension);
    struct cn_rng rng = {77};
    struct cn_world *original = scene_create(&scene);
    int made_most = 0;
    for (int t = 0; t < 24; t++) {
        for (int k = 0; k < 3; k++) {
            live(original, &rng, dimension == CN_PLANAR);
        }
        struct cn_world *carried = carry_over(original);
        assert_same(carried, original);
        scene_ticks(carried, 3); /* the carried world can continue */
        assert_int_equal(cn_world_tick(carried), cn_world_tick(original) + 3);
        assert_int_equal(cn_world_body_slot(carried), cn_world_body_slot(original));
        cn_world_destroy(carried);
        scene_tick(original);
        int count = cn_world_body_count(original);
        made_most = count > made_most ? count : made_most;
    }
    assert_true(made_most > 8);
    cn_world_destroy(original);
}

static void
test_life_is_carried(void **state)
{
    (void)state;
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            const struct cn_stepper *stepper = cn_steppers[i];
            if (!cn_stepper_fits(stepper, cn_solvers[k])) {
                continue;
            }
            if (stepper->planar) {
                life_is_carried(stepper->name, cn_solvers[k]->name, CN_PLANAR);
            }
            if (stepper->spatial) {
                life_is_carried(stepper->name, cn_solvers[k]->name, CN_SPATIAL);
            }
        }
    }
}

/* ---- 2 ---- */

#define HEIGHT 5

static void
begin_pile(bool spatial, bool sleeps)
{
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = sleeps;
    scene_friction(&scene, 0, 0.6);
    scene_floor(&scene);
    for (int i = 0; i < HEIGHT; i++) {
        int box = scene_box(&scene, 0.0, 0.25 + 0.5 * i, 0.5, 0.5);
        scene.shape[box].contact_events = true;
    }
}

static int
count_asleep(const struct cn_world *world)
{
    int count = 0;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        count += scene_view(world, i).island >= 0;
    }
    return count;
}

static void
pile_sleeps_on(bool spatial)
{
    begin_pile(spatial, true);
    int high = scene_box(&scene, 5.0, 9.0, 0.5, 0.5);
    struct cn_world *original = scene_create(&scene);
    struct cn_command lull = {
        .kind = CN_COMMAND_SLEEP_BODY, .sleep_body = {.body = high, .asleep = true}};
    scene_command(original, &lull); /* sleeps in the air */
    scene_ticks(original, 300);
    assert_int_equal(count_asleep(original), HEIGHT + 1);
    struct cn_world *carried = carry_over(original);
    assert_same(carried, original);
    for (int t = 0; t < 120; t++) {
        scene_tick(original);
        scene_tick(carried);
        assert_int_equal(scene_events(carried, CN_EVENT_BODY_WAKE, NULL), 0);
        assert_int_equal(scene_events(carried, CN_EVENT_CONTACT_BEGIN, NULL), 0);
    }
    assert_same_bodies(carried, original);
    assert_true(scene_view(carried, high).position.y > 8.0);
    assert_int_equal(cn_world_remove_body(carried, 1, NULL), CN_OK); /* the lowest */
    assert_int_equal(cn_world_remove_body(original, 1, NULL), CN_OK);
    scene_ticks(carried, 120);
    scene_ticks(original, 120);
    assert_true(scene_view(carried, HEIGHT).position.y < 0.5 * HEIGHT - 0.5);
    assert_true(drift(carried, original) < 0.06); /* they fell 0.5 m, and landed */
    cn_world_destroy(carried);
    cn_world_destroy(original);
}

static void
test_piles_sleep_on(void **state)
{
    (void)state;
    pile_sleeps_on(false);
    pile_sleeps_on(true);
}

/*
 * Shapes in pieces, from the scene and from a later command, whose pairs have different features.
 */
static void
test_pieces_sleep_on(void **state)
{
    (void)state;
    static const cn_vec3 ring[] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.5, 0.5, 0.0},
        {0.1, 0.5, 0.0}, {0.0, -0.3, 0.0}, {-0.1, 0.5, 0.0}, {-0.5, 0.5, 0.0}};
    struct cn_shape_def shape = {.kind = CN_SHAPE_OUTLINE,
        .density = 1.0,
        .boundary = {.points = ring, .point_count = 7, .closed = true}};
    begin_pile(false, true);
    int box = scene_box(&scene, 3.0, 0.5, 1.0, 1.0);
    scene.shape[box] = shape;
    struct cn_world *original = scene_create(&scene);
    struct cn_body_def def;
    cn_body_def_init(&def);
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = (cn_vec3){3.0, 1.5, 0.0};
    assert_int_equal(cn_world_make_body(original, &def, NULL, NULL), CN_OK);
    scene_ticks(original, 300);
    assert_int_equal(count_asleep(original), HEIGHT + 2);
    struct cn_world *carried = carry_over(original);
    assert_same(carried, original);
    scene_ticks(carried, 60);
    scene_ticks(original, 60);
    assert_same_bodies(carried, original);
    assert_int_equal(cn_world_remove_body(carried, box, NULL), CN_OK);
    scene_ticks(carried, 60);
    assert_true(scene_view(carried, box + 1).position.y < 0.7); /* it lay on the removed box */
    cn_world_destroy(carried);
    cn_world_destroy(original);
}

/* ---- 3 ---- */

static void
test_what_rests_stays(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        begin_pile(spatial == 1, false);
        struct cn_world *original = scene_create(&scene);
        scene_ticks(original, 120);
        struct cn_world *carried = carry_over(original);
        int begins = 0, ends = 0;
        for (int t = 0; t < 60; t++) {
            scene_tick(carried);
            begins += scene_events(carried, CN_EVENT_CONTACT_BEGIN, NULL);
            ends += scene_events(carried, CN_EVENT_CONTACT_END, NULL);
        }
        scene_ticks(original, 60);
        assert_int_equal(begins, 0);
        assert_int_equal(ends, 0);
        assert_true(drift(carried, original) < 2e-3);
        cn_world_destroy(carried);
        cn_world_destroy(original);
    }
}

/* The exact steppers compute all forces again in every tick, so no warm start is lost. */
static void
test_exact_stacks_stand(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, 0.5);
    scene_floor(&scene);
    for (int i = 0; i < 4; i++) {
        scene_box(&scene, 0.05 * i, 0.5 + i, 1.0, 1.0);
    }
    struct cn_world *original = scene_create(&scene);
    scene_ticks(original, 60);
    struct cn_world *carried = carry_over(original);
    scene_ticks(original, 120);
    scene_ticks(carried, 120);
    assert_true(drift(carried, original) < 1e-7);
    cn_world_destroy(carried);
    cn_world_destroy(original);
}

/* The motor keeps turning, and the held force acts until its tick. */
static void
test_motors_and_inputs_go_on(void **state)
{
    (void)state;
    begin("time", "impulse", CN_SPATIAL);
    struct cn_world *original = scene_create(&scene);
    struct cn_command push = {.kind = CN_COMMAND_HOLD_FORCE,
        .hold_force = {.holder = {.source = 5, .until_tick = 40}, .body = 3,
            .force = {40.0, 0.0, 0.0}}};
    scene_ticks(original, 20);
    scene_command(original, &push);
    struct cn_world *carried = carry_over(original);
    scene_ticks(original, 60);
    scene_ticks(carried, 60);
    assert_true(scene_view(carried, 3).position.x > -1.9);
    assert_true(drift(carried, original) < 0.02);
    const struct cn_held *held;
    assert_int_equal(cn_world_held(carried, &held), 0);
    cn_world_destroy(carried);
    cn_world_destroy(original);
}

/* ---- 4 ---- */

static uint32_t
get_u32(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static void
put_u32(unsigned char *bytes, uint32_t value)
{
    memcpy(bytes, &value, sizeof(value));
}

static void
assert_refused(struct cn_world *world, const unsigned char *bytes, size_t size, const char *text)
{
    struct cn_defect defect = {0};
    uint64_t before = cn_world_hash(world);
    assert_int_equal(cn_world_portable_read(world, bytes, size, &defect), CN_IMAGE);
    if (strstr(defect.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", defect.text, text);
    }
    assert_int_equal(cn_world_hash(world), before);
}

/* Where the rows of a table begin (portable.h has the kinds). */
static size_t
rows_of(const unsigned char *bytes, uint32_t kind)
{
    size_t at = 16;
    while (get_u32(bytes + at) != kind) {
        at += 12 + (size_t)get_u32(bytes + at + 4) * get_u32(bytes + at + 8);
    }
    assert_true(get_u32(bytes + at + 8) > 0);
    return at + 12;
}

/* A number in the first row of a table exceeds the limits of the world. */
static void
test_claims_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind, offset, value;
        const char *text;
    } claims[] = {
        {1, 28, 1 << 20, "a row for each slot"},              /* body slots */
        {1, 32, 1 << 21, "slots of bodies, shapes"},          /* shape slots */
        {5, 0, 1000, "is none, or comes twice"},              /* a body's slot */
        {5, 0, 1, "is none, or comes twice"},                 /* another body's */
        {9, 4, 100000, "was not made, or has"},               /* first shape slot */
        {9, 8, 1000, "was not made, or has"},                 /* shapes */
        {9, 8, (uint32_t)-1, "was not made, or has"},
        {10, 178, 64, "points"},                              /* points of a shape */
        {12, 0, 5000, "joint slot 5000 is none"},
        {17, 25, 4000, "describes no state"},                 /* the target of an input */
    };
    begin("time", "impulse", CN_PLANAR);
    struct cn_rng rng = {5};
    struct cn_world *original = scene_create(&scene), *fresh = scene_create(&scene);
    for (int k = 0; k < 20; k++) {
        live(original, &rng, true);
    }
    struct cn_command push = {.kind = CN_COMMAND_HOLD_FORCE,
        .hold_force = {.holder = {.source = 1}, .body = 1, .force = {3.0, 1.0, 0.0}}};
    (void)!cn_world_command_apply(original, &push, NULL);
    size_t size;
    unsigned char *bytes = write_portable(original, &size);
    unsigned char *changed = malloc(size + 1);
    assert_non_null(changed);
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        memcpy(changed, bytes, size);
        put_u32(changed + rows_of(bytes, claims[i].kind) + claims[i].offset, claims[i].value);
        assert_refused(fresh, changed, size, claims[i].text);
    }
    memcpy(changed, bytes, size);
    put_u32(changed + rows_of(bytes, 1) + 32, 5000); /* room for so many shapes, and few rows */
    put_u32(changed + rows_of(bytes, 9) + 8, 1000);
    assert_refused(fresh, changed, size, "was not made, or has 1000 shapes");
    memcpy(changed, bytes, size);
    changed[size] = 0;
    assert_refused(fresh, changed, size + 1, "behind its tables");
    put_u32(changed + 16, 2); /* the first table as if it came again */
    assert_refused(fresh, changed, size, "");
    free(changed);
    free(bytes);
    cn_world_destroy(original);
    cn_world_destroy(fresh);
}

static void
test_bad_bytes_are_refused(void **state)
{
    (void)state;
    begin("time", "impulse", CN_PLANAR);
    struct cn_rng rng = {5};
    struct cn_world *original = scene_create(&scene), *fresh = scene_create(&scene);
    for (int k = 0; k < 20; k++) {
        live(original, &rng, true);
    }
    scene_ticks(original, 5);
    size_t size;
    unsigned char *bytes = write_portable(original, &size);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_refused(fresh, part, cut, "");
        free(part);
    }
    put_u32(bytes + 4, CN_PORTABLE_VERSION + 1);
    assert_refused(fresh, bytes, size, "version 2 of its layout");
    put_u32(bytes + 4, CN_PORTABLE_VERSION);
    put_u32(bytes + 24, 0x7fffffff); /* rows of the first table */
    assert_refused(fresh, bytes, size, "claims");
    put_u32(bytes + 24, 1);
    put_u32(bytes + 28 + 4, 77); /* bodies of the scene */
    assert_refused(fresh, bytes, size, "its bodies are 77, the scene's 4");
    put_u32(bytes + 28 + 4, 4);
    assert_int_equal(cn_portable_physics(bytes, size), cn_physics_version());
    struct cn_defect defect = {0};
    assert_int_equal(cn_world_portable_read(fresh, bytes, size, &defect), CN_OK);
    assert_refused(fresh, bytes, size, "as its scene made it"); /* it is not any more */
    free(bytes);
    cn_world_destroy(original);
    cn_world_destroy(fresh);
}

/* Every row is 5 bytes longer, and a table of an unknown kind is added. */
static void
test_later_versions_are_read(void **state)
{
    (void)state;
    begin("time", "impulse", CN_SPATIAL);
    struct cn_rng rng = {9};
    struct cn_world *original = scene_create(&scene), *fresh = scene_create(&scene);
    for (int k = 0; k < 30; k++) {
        live(original, &rng, false);
    }
    size_t size, at = 16, to = 16;
    unsigned char *bytes = write_portable(original, &size);
    unsigned char *later = calloc(1, 2 * size + 65536);
    assert_non_null(later);
    memcpy(later, bytes, 16);
    uint32_t tables = get_u32(bytes + 12);
    for (uint32_t i = 0; i < tables; i++) {
        uint32_t row_size = get_u32(bytes + at + 4), count = get_u32(bytes + at + 8);
        memcpy(later + to, bytes + at, 12);
        put_u32(later + to + 4, row_size + 5);
        at += 12;
        to += 12;
        for (uint32_t k = 0; k < count; k++, at += row_size, to += row_size + 5) {
            memcpy(later + to, bytes + at, row_size);
            memset(later + to + row_size, 0xee, 5);
        }
    }
    assert_int_equal(at, size);
    put_u32(later + to, 99);
    put_u32(later + to + 4, 3);
    put_u32(later + to + 8, 7);
    to += 12 + 21;
    put_u32(later + 12, tables + 1);
    struct cn_defect defect = {0};
    if (cn_world_portable_read(fresh, later, to, &defect) != CN_OK) {
        fail_msg("%s", defect.text);
    }
    assert_same(fresh, original);
    free(bytes);
    free(later);
    cn_world_destroy(original);
    cn_world_destroy(fresh);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life_is_carried),
        cmocka_unit_test(test_piles_sleep_on),
        cmocka_unit_test(test_pieces_sleep_on),
        cmocka_unit_test(test_what_rests_stays),
        cmocka_unit_test(test_exact_stacks_stand),
        cmocka_unit_test(test_motors_and_inputs_go_on),
        cmocka_unit_test(test_claims_are_refused),
        cmocka_unit_test(test_bad_bytes_are_refused),
        cmocka_unit_test(test_later_versions_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
