/*
 * test_contact_events.c: the events of contacts with every stepper and solver: they begin, last and
 * end once, thresholds of speed and force hold, and images keep what was reported.
 */
#include "engine/state/portable.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

#define G 10.0

/* A ball of radius 0.5 m. */
static int
ball_at(double x, double y)
{
    int body = scene_circle(&scene, x, y, 0.5);
    if (spatial) {
        scene.shape[body].kind = CN_SHAPE_SPHERE;
        scene.shape[body].sphere.radius = 0.5;
    }
    return body;
}

static int
count(const struct cn_world *world, enum cn_event_kind kind, double *value)
{
    struct cn_event event = {.value = 0.0};
    int found = scene_events(world, kind, &event);
    if (found > 0 && value != NULL) {
        *value = event.value;
    }
    return found;
}

/* A ball falls on a floor, lies there for some ticks, and is taken away. */
static void
law_lasts(void)
{
    begin(G);
    (void)scene_floor(&scene);
    int ball = ball_at(0.0, 1.0);
    scene.def.settings.sleep = false;
    scene.shape[ball].contact_events = scene.shape[ball].stay_events = true;
    struct cn_world *world = scene_create(&scene);
    int begins = 0, begun = 0;
    for (int tick = 1; tick <= 60; tick++) {
        scene_tick(world);
        int now = count(world, CN_EVENT_CONTACT_BEGIN, NULL);
        begins += now;
        begun = now > 0 ? tick : begun;
        assert_int_equal(
            count(world, CN_EVENT_CONTACT_STAY, NULL), begun > 0 && tick > begun ? 1 : 0);
        assert_int_equal(count(world, CN_EVENT_CONTACT_END, NULL), 0);
    }
    assert_int_equal(begins, 1);
    /* Half a metre takes 0.316 s, 19 ticks; `propagation` closes the last gap slowly. */
    assert_in_range(begun, 16, stepper->tell_ends != NULL ? 26 : 22);
    struct cn_command lift = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = ball, .position = {0.0, 9.0, 0.0},
            .orientation = cn_quat_identity()}};
    scene_command(world, &lift);
    int ends = 0;
    for (int tick = 0; tick < 3; tick++) {
        scene_tick(world);
        ends += count(world, CN_EVENT_CONTACT_END, NULL);
    }
    assert_int_equal(ends, 1);
    assert_int_equal(count(world, CN_EVENT_CONTACT_STAY, NULL), 0);
    cn_world_destroy(world);
}

static void
test_lasts(void **state)
{
    (void)state;
    for_each(law_lasts);
}

/* A ball that bounces touches the floor in one instant: it begins once and ends once. */
static void
law_bounces(void)
{
    if (!has_restitution() || stepper->tell_ends != NULL) {
        return; /* a ball that bounces in `propagation` does not touch at the end of a step */
    }
    begin(G);
    (void)scene_floor(&scene);
    int ball = ball_at(0.0, 1.3);
    scene.material[0].restitution = 1.0;
    scene.shape[ball].contact_events = true;
    struct cn_world *world = scene_create(&scene);
    int begins = 0, ends = 0;
    for (int tick = 1; tick <= 40; tick++) {
        scene_tick(world);
        begins += count(world, CN_EVENT_CONTACT_BEGIN, NULL);
        ends += count(world, CN_EVENT_CONTACT_END, NULL);
    }
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    cn_world_destroy(world);
}

static void
test_bounces(void **state)
{
    (void)state;
    for_each(law_bounces);
}

/* From 0.8 m above the floor a ball meets it at sqrt(2 10 0.8) = 4 m/s. */
static int
hits_with(double least, double *speed)
{
    begin(G);
    int floor = scene_floor(&scene);
    (void)ball_at(0.0, 1.3);
    scene.shape[floor].hit_events = true;
    scene.shape[floor].hit_speed_min = least;
    struct cn_world *world = scene_create(&scene);
    int hits = 0;
    for (int tick = 0; tick < 40; tick++) {
        scene_tick(world);
        hits += count(world, CN_EVENT_CONTACT_HIT, speed);
    }
    cn_world_destroy(world);
    return hits;
}

static void
law_hits(void)
{
    double speed = 0.0;
    assert_int_equal(hits_with(0.0, &speed), 1);
    assert_near(speed, 4.0, 0.25);
    assert_int_equal(hits_with(3.5, &speed), 1);
    assert_int_equal(hits_with(4.5, &speed), 0);
}

static void
test_hits(void **state)
{
    (void)state;
    for_each(law_hits);
}

/* A block of 2 kg presses on the floor with 20 N: reported in each tick, or not at all. */
static void
law_presses(void)
{
    for (int strong = 0; strong < 2; strong++) {
        begin(G);
        (void)scene_floor(&scene);
        int body = block(0.0, 1.0);
        scene.def.settings.sleep = false;
        scene.shape[body].force_events = true;
        scene.shape[body].force_min = strong == 1 ? 22.0 : 18.0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 30);
        for (int tick = 0; tick < 5; tick++) {
            double load = 0.0;
            scene_tick(world);
            assert_int_equal(count(world, CN_EVENT_CONTACT_FORCE, &load), 1 - strong);
            assert_near(load, strong == 1 ? 0.0 : 20.0, 0.5);
        }
        cn_world_destroy(world);
    }
}

static void
test_presses(void **state)
{
    (void)state;
    for_each(law_presses);
}

/* An impact of 2 kg at 4 m/s is 8 N s: 480 N over a tick of 1/60 s, besides the weight. */
static void
law_strikes(void)
{
    begin(G);
    (void)scene_floor(&scene);
    int body = scene_box(&scene, 0.0, 1.3, 1.0, 1.0);
    scene.body[body].mass = 2.0;
    scene.shape[body].force_events = true;
    scene.shape[body].force_min = 100.0;
    struct cn_world *world = scene_create(&scene);
    double most = 0.0, sum = 0.0;
    for (int tick = 0; tick < 40; tick++) {
        double load = 0.0;
        scene_tick(world);
        (void)count(world, CN_EVENT_CONTACT_FORCE, &load);
        most = fmax(most, load);
        sum += load;
    }
    assert_true(most > 240.0);
    assert_near(sum / 60.0, 8.0, 2.0);
    cn_world_destroy(world);
}

static void
test_strikes(void **state)
{
    (void)state;
    for_each(law_strikes);
}

/* Shapes that want nothing report nothing, and sensors no contact. */
static void
law_quiet(void)
{
    begin(G);
    (void)scene_floor(&scene);
    int ball = ball_at(0.0, 0.5), sensor = ball_at(4.0, 0.5);
    int other = ball_at(8.0, 0.5);
    scene.shape[sensor].sensor = true;
    scene.body[sensor].type = CN_STATIC;
    scene.shape[sensor].contact_events = scene.shape[sensor].stay_events = true;
    scene.shape[sensor].hit_events = scene.shape[sensor].force_events = true;
    scene.shape[ball].hit_speed_min = 2.0; /* without hitEvents it means nothing */
    scene.shape[other].contact_events = true;
    struct cn_world *world = scene_create(&scene);
    int begins = 0;
    for (int tick = 0; tick < 20; tick++) {
        scene_tick(world);
        begins += count(world, CN_EVENT_CONTACT_BEGIN, NULL);
        assert_int_equal(count(world, CN_EVENT_CONTACT_STAY, NULL), 0);
        assert_int_equal(count(world, CN_EVENT_CONTACT_HIT, NULL), 0);
        assert_int_equal(count(world, CN_EVENT_CONTACT_FORCE, NULL), 0);
    }
    assert_int_equal(begins, 1);
    cn_world_destroy(world);
}

static void
test_quiet(void **state)
{
    (void)state;
    for_each(law_quiet);
}

/* Restored worlds have the same events and bits.  The portable form keeps what touches. */
static void
law_restores(void)
{
    begin(G);
    (void)scene_floor(&scene);
    int ball = ball_at(0.0, 0.7);
    scene.def.settings.sleep = false;
    scene.shape[ball].contact_events = scene.shape[ball].stay_events = true;
    struct cn_world *world = scene_create(&scene), *copy = scene_create(&scene);
    struct cn_world *later = scene_create(&scene);
    scene_ticks(world, 30);
    scene_restore(copy, world);
    size_t size = cn_world_portable_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cn_world_portable_write(world, bytes, size), size);
    assert_int_equal(cn_world_portable_read(later, bytes, size, NULL), CN_OK);
    free(bytes);
    for (int tick = 0; tick < 10; tick++) {
        scene_tick(world);
        scene_tick(copy);
        scene_tick(later);
        assert_true(cn_world_hash(world) == cn_world_hash(copy));
        assert_true(scene_same_events(world, copy));
        assert_int_equal(count(world, CN_EVENT_CONTACT_STAY, NULL), 1);
        if (stepper->tell_ends == NULL) { /* `propagation` forgets its contacts there */
            assert_int_equal(count(later, CN_EVENT_CONTACT_BEGIN, NULL), 0);
        }
        assert_int_equal(count(later, CN_EVENT_CONTACT_END, NULL), 0);
    }
    cn_world_destroy(world);
    cn_world_destroy(copy);
    cn_world_destroy(later);
}

static void
test_restores(void **state)
{
    (void)state;
    for_each(law_restores);
}

/* A body made later keeps its thresholds in images and in the portable form. */
static void
law_made(void)
{
    begin(G);
    (void)scene_floor(&scene);
    struct cn_world *world = scene_create(&scene), *copy = scene_create(&scene);
    struct cn_world *later = scene_create(&scene);
    struct cn_shape_def shape = {.kind = spatial ? CN_SHAPE_SPHERE : CN_SHAPE_CIRCLE};
    if (spatial) {
        shape.sphere.radius = 0.5;
    } else {
        shape.circle.radius = 0.5;
    }
    struct cn_command make = {.kind = CN_COMMAND_MAKE_BODY};
    cn_body_def_init(&make.make_body.def);
    make.make_body.def.position.y = 0.5;
    make.make_body.def.mass = 2.0;
    make.make_body.def.shapes = &shape;
    make.make_body.def.shape_count = 1;
    struct cn_command plain = make;
    scene_command(copy, &plain);
    size_t size_plain = cn_world_image_size(copy);
    shape.force_events = shape.stay_events = true;
    shape.force_min = 18.0;
    shape.hit_speed_min = 5.0;
    shape.hit_events = true;
    scene_command(world, &make);
    assert_int_equal(cn_world_image_size(world), size_plain + 18 + 25);
    scene_restore(copy, world);
    assert_true(cn_world_hash(world) == cn_world_hash(copy));
    size_t size = cn_world_portable_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cn_world_portable_write(world, bytes, size), size);
    assert_int_equal(cn_world_portable_read(later, bytes, size, NULL), CN_OK);
    free(bytes);
    struct cn_world *all[3] = {world, copy, later};
    for (int i = 0; i < 3; i++) {
        const struct cn_shape *made = &all[i]->model.shape[1];
        assert_true(made->hit_events && made->force_events && made->stay_events);
        assert_true(made->hit_speed_min == 5.0 && made->force_min == 18.0);
        scene_ticks(all[i], 10);
        assert_int_equal(count(all[i], CN_EVENT_CONTACT_FORCE, NULL), 1);
        cn_world_destroy(all[i]);
    }
}

static void
test_made(void **state)
{
    (void)state;
    for_each(law_made);
}

static void
refuse(double hit, double load, enum cn_status status, const char *path)
{
    scene_init(&scene, G);
    int box = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    scene.shape[box].hit_speed_min = hit;
    scene.shape[box].force_min = load;
    struct cn_defect defect = {.status = CN_OK};
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), status);
    assert_string_equal(defect.path, path);
}

static void
test_refusals(void **state)
{
    (void)state;
    refuse(-1.0, 0.0, CN_RANGE, "bodies[0].shapes[0].hitSpeedMin");
    refuse((double)NAN, 0.0, CN_FINITE, "bodies[0].shapes[0].hitSpeedMin");
    refuse(0.0, 2.0 * CN_FORCE_MAX, CN_RANGE, "bodies[0].shapes[0].forceMin");
    refuse(0.0, -0.5, CN_RANGE, "bodies[0].shapes[0].forceMin");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lasts),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_presses),
        cmocka_unit_test(test_strikes),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_restores),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
