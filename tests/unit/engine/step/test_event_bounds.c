/*
 * test_event_bounds.c: every limit of the stepper is reached: the report, and that the world
 * continues.
 */
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/state/image.h"
#include "tests/support/near.h"

static struct scene scene;

/* A ball between two walls that close at 1 m/s each, `gap` away on either side. */
static struct cn_world *
closing_walls(double gap, double restitution, enum cn_collision_handling collision)
{
    scene_init(&scene, 0.0);
    scene.material[0].restitution = restitution;
    scene.def.settings.collision = collision;
    int left = scene_box(&scene, -0.6 - gap, 0.0, 1.0, 2.0);
    int right = scene_box(&scene, 0.6 + gap, 0.0, 1.0, 2.0);
    int ball = scene_circle(&scene, 0.0, 0.0, 0.1);
    scene.body[left].type = scene.body[right].type = CN_KINEMATIC;
    scene.body[left].velocity.x = 1.0;
    scene.body[right].velocity.x = -1.0;
    scene.body[ball].velocity.x = gap > 0.0 ? 3.0 : 0.0;
    return scene_create(&scene);
}

static void
check_goes_on(struct cn_world *world)
{
    uint64_t tick = cn_world_tick(world);
    scene_ticks(world, 3);
    assert_int_equal(cn_world_tick(world), tick + 3);
    for (int i = 0; i < cn_world_body_count(world); i++) {
        assert_true(cn_vec3_is_finite(scene_view(world, i).position));
        assert_true(cn_vec3_length(scene_view(world, i).velocity) < 1e6);
    }
}

/*
 * Elastic bounces between closing walls never end; after 64 + 16 n of them in a tick they are
 * stopped.
 */
static void
test_zeno(void **state)
{
    (void)state;
    struct cn_world *world = closing_walls(0.05, 1.0, CN_COLLISION_SIMULTANEOUS);
    struct cn_event event;
    for (int t = 0; scene_events(world, CN_EVENT_ZENO, &event) == 0; t++) {
        assert_true(t < 6);
        scene_tick(world);
    }
    assert_true(event.value > 64 + 16 * 3 && event.value <= 64 + 16 * 3 + 2);
    assert_int_equal(event.body_a, -1);
    assert_near(event.time, 0.05, 1e-3); /* when the walls meet at the ball */
    check_goes_on(world);
    assert_int_equal(scene_events(world, CN_EVENT_ZENO, NULL), 0); /* no more bounces */
    cn_world_destroy(world);
}

/* With serial impacts a ball between closing walls bounces for ever; a limit ends the rounds. */
static void
test_rounds(void **state)
{
    (void)state;
    struct cn_world *world = closing_walls(0.0, 1.0, CN_COLLISION_SERIAL);
    scene_tick(world);
    struct cn_event event;
    assert_true(scene_events(world, CN_EVENT_IMPACT_LIMIT, &event) > 0);
    assert_near(event.value, 256 + 65 * 2, 0.0); /* the limit of rounds for two contacts */
    assert_true((event.body_a == 0 || event.body_a == 1) && event.body_b == 2);
    assert_true(scene_events(world, CN_EVENT_SQUEEZED, &event) > 0);
    assert_true(event.value > 0.0 && event.value <= 1.0);
    check_goes_on(world);
    cn_world_destroy(world);
}

/* The event names the squeezed bodies, although other touching bodies come first in order. */
static void
test_squeezed_bodies(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    scene_box(&scene, 5.0, 0.5, 1.0, 1.0);
    int left = scene_box(&scene, -1.0, 1.0, 1.0, 2.0);
    int right = scene_box(&scene, 1.0, 1.0, 1.0, 2.0);
    int block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.body[left].type = scene.body[right].type = CN_KINEMATIC;
    scene.body[left].velocity.x = 0.1;
    scene.body[right].velocity.x = -0.1;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 2);
    const struct cn_event *event;
    int squeezed_count = 0;
    for (int i = cn_world_events(world, &event) - 1; i >= 0; i--) {
        if (event[i].kind == CN_EVENT_SQUEEZED) {
            assert_true(event[i].body_a == left || event[i].body_a == right);
            assert_int_equal(event[i].body_b, block);
            assert_true(event[i].value > 0.0);
            squeezed_count++;
        }
    }
    assert_true(squeezed_count > 0);
    cn_world_destroy(world);
}

/* A grain skims a floor at 500 m/s.  It would need 6 700 searches a tick; 2000 are the limit. */
static void
test_pieces(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    scene_floor(&scene);
    int grain = scene_circle(&scene, 0.0, 2e-3, 1e-3);
    scene.body[grain].velocity.x = 500.0;
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_event event;
    assert_int_equal(scene_events(world, CN_EVENT_IMPACT_LIMIT, &event), 1);
    assert_near(event.value, 2001.0, 0.0);
    assert_int_equal(event.body_a, -1);
    assert_near(scene_view(world, grain).position.x, 500.0 / 60.0, 1e-9);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_IMPACT_LIMIT, NULL), 1); /* in every tick */
    assert_near(scene_view(world, grain).position.x, 500.0 / 30.0, 1e-9);
    cn_world_destroy(world);
}

/* The tick of the fastest possible body, among others, ends like any other tick. */
static void
test_fastest_body(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    int left = scene_box(&scene, -1.0, 0.5, 1.0, 1.0);
    int right = scene_box(&scene, 1.0, 0.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    world->model.motion[left].velocity.x = 5e11;
    scene_tick(world);
    assert_true(scene_events(world, CN_EVENT_IMPACT_LIMIT, NULL) > 0);
    scene_ticks(world, 3);
    assert_int_equal(cn_world_tick(world), 4);
    assert_true(cn_vec3_is_finite(scene_view(world, left).position));
    assert_true(cn_vec3_is_finite(scene_view(world, right).position));
    cn_world_destroy(world);
}

/*
 * A grain on a spring of 10^5 rad/s in ticks of a second: even the smallest step, 1 us, is too
 * long.
 */
static void
test_smallest_step(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    scene.def.tick_rate = 1.0;
    int grain = scene_circle(&scene, 0.0, 0.0, 1e-3);
    scene.body[grain].mass = 1e-3;
    struct cn_world *world = scene_create(&scene);
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    drag.hold_drag = (struct cn_hold_drag){
        .body = grain, .target = {1.0, 0.0, 0.0}, .stiffness = 1e7, .damping = 200.0};
    scene_command(world, &drag);
    scene_tick(world);
    struct cn_event event;
    assert_true(scene_events(world, CN_EVENT_STEP_MIN, &event) > 0);
    assert_true(event.value > 1.0); /* times the error that is allowed */
    assert_int_equal(event.body_a, -1);
    assert_near(event.time, 0.0, 1e-5);
    /* Once damped the error is small again, and the target is reached. */
    assert_near(scene_view(world, grain).position.x, 1.0, 1e-6);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_STEP_MIN, NULL), 0);
    cn_world_destroy(world);
}

/*
 * A drag of 100 N/m to a point 10 m away would pull with 1000 N, but has a cap of 5 N.  So 1 kg
 * goes 2.5 m in a second, and gains the energy that the spring loses.
 */
static void
test_drag_is_capped(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    scene.def.tick_rate = 1.0;
    int ball = scene_circle(&scene, 0.0, 0.0, 0.1);
    scene.body[ball].mass = 1.0;
    struct cn_world *world = scene_create(&scene);
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    drag.hold_drag = (struct cn_hold_drag){
        .body = ball, .target = {10.0, 0.0, 0.0}, .stiffness = 100.0, .force_max = 5.0};
    scene_command(world, &drag);
    double before = cn_world_energy(world).total;
    assert_near(before, 5.0 * (10.0 - 0.025), 1e-12);
    scene_tick(world);
    assert_near(scene_view(world, ball).position.x, 2.5, 1e-9);
    assert_near(scene_view(world, ball).velocity.x, 5.0, 1e-9);
    assert_near(cn_world_energy(world).total, before, 1e-9);
    cn_world_destroy(world);
}

/*
 * Damping at 10^8 /s in ticks of ten seconds can not be integrated.  The grain runs away and is
 * held until it is placed, also by a restored world.  A body of 1000 t beside it is not affected.
 */
static void
test_quarantine(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    scene.def.tick_rate = 1.0;
    scene.def.settings.time_rate = 10.0;
    scene.def.settings.damping_linear = 1e5;
    int grain = scene_circle(&scene, 0.0, 0.0, 1e-3);
    int rock = scene_circle(&scene, 0.0, 1000.0, 1.0);
    scene.body[grain].mass = 1e-3;
    scene.body[grain].velocity.x = 1.0;
    scene.body[rock].mass = 1e6;
    scene.body[rock].velocity.x = 1.0;
    struct cn_world *world = scene_create(&scene), *copy = scene_create(&scene);
    scene_tick(world);
    struct cn_event event;
    assert_int_equal(scene_events(world, CN_EVENT_QUARANTINE, &event), 1);
    assert_int_equal(event.body_a, grain);
    assert_int_equal(event.body_b, -1);
    assert_near(event.value, 0.0, 0.0);
    struct cn_body_view view = scene_view(world, grain);
    assert_true(view.quarantined);
    assert_true(fabs(view.position.x) <= CN_MOTION_MAX);
    assert_near(cn_vec3_length(view.velocity), 0.0, 0.0);
    assert_near(scene_view(world, rock).velocity.x, exp(-1.0), 1e-4); /* 0.1 /s for 10 s */

    size_t size = cn_world_image_size(world);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, size), size);
    assert_int_equal(cn_world_image_read(copy, image, size, NULL), CN_OK);
    free(image);
    scene_tick(world);
    scene_tick(copy);
    assert_int_equal(cn_world_hash(copy), cn_world_hash(world));
    assert_near(scene_view(copy, grain).position.x, view.position.x, 0.0);
    assert_int_equal(scene_events(world, CN_EVENT_QUARANTINE, NULL), 0);

    scene_command(world, &(struct cn_command){.kind = CN_COMMAND_SET_DAMPING});
    struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY};
    place.place_body.body = grain;
    place.place_body.velocity.x = 2.0;
    scene_command(world, &place);
    scene_tick(world);
    assert_false(scene_view(world, grain).quarantined);
    assert_near(scene_view(world, grain).position.x, 20.0, 1e-9);
    cn_world_destroy(world);
    cn_world_destroy(copy);
}

/* Twenty boxes in one place: 190 pairs, where a world of 20 shapes begins with room for 136. */
static struct cn_world *
crowd(void)
{
    scene_init(&scene, 9.81);
    for (int i = 0; i < 20; i++) {
        scene_box(&scene, 0.03 * i, 0.01 * i, 1.0, 1.0);
    }
    return scene_create(&scene);
}

/*
 * When no more room can be had, the events of the tick report the contacts without room.  A later
 * read of the contacts adds no event.
 */
static void
test_contact_limit(void **state)
{
    (void)state;
    struct cn_world *world = crowd();
    int room = world->model.contact_max;
    world->model.contact_ceiling = room;
    while (world->model.clock.pieces == 0) { /* the first piece, in slices */
        cn_world_step(world, 1);
    }
    const struct cn_event *event;
    int count = cn_world_events(world, &event), limit_count = 0;
    for (int i = 0; i < count; i++) {
        if (event[i].kind == CN_EVENT_CONTACT_LIMIT) {
            limit_count++;
            assert_true(event[i].value > 0.0);
            assert_true(limit_count > 1 || event[i].value == 190.0 - room); /* pairs come first */
        }
    }
    assert_true(limit_count > 0);
    const struct cn_contact_view *contact;
    assert_true(cn_world_contacts(world, &contact) <= room);
    assert_int_equal(cn_world_events(world, &event), count);
    assert_int_equal(world->model.contact_max, room);
    check_goes_on(world);
    cn_world_destroy(world);
}

/* Room that grows in the middle of a tick keeps everything, so the bits are the same. */
static void
test_growth(void **state)
{
    (void)state;
    struct cn_world *grown = crowd(), *roomy = crowd();
    int room = grown->model.contact_max;
    assert_true(cn_world_grow(roomy, 2000));
    for (int t = 0; t < 20; t++) {
        scene_tick(grown);
        scene_tick(roomy);
        assert_int_equal(cn_world_hash(grown), cn_world_hash(roomy));
        const struct cn_contact_view *some, *same;
        int count = cn_world_contacts(grown, &some);
        assert_int_equal(cn_world_contacts(roomy, &same), count);
        for (int i = 0; i < count; i++) {
            assert_true(some[i].id == same[i].id && some[i].force == same[i].force &&
                        some[i].impulse == same[i].impulse);
        }
    }
    assert_true(grown->model.contact_max > room);
    assert_int_equal(roomy->model.contact_max, 2000);
    cn_world_destroy(grown);
    cn_world_destroy(roomy);
}

/*
 * A plank, turned by 40 degrees, falls with its corner onto the corner of a table, and turns about
 * it.  Then the plank touches the table at two places that are some 10 um apart.  The tiny rate of
 * the second is no reason to stop the plank: while it turns by 1e-4 rad only gravity changes its
 * speed.
 */
static void
test_two_places_stop_nothing(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, 0.66462218580767518);
    scene.def.tick_rate = 1000.0;
    scene.def.settings.time_rate = 0.01;
    int table = scene_box(&scene, -7.5, -7.5, 15.0, 15.0);
    scene.body[table].type = CN_STATIC;
    int plank = scene_box(
        &scene, -0.8975531585295341, 2.7294417485210616, 2.1443326296284795, 5.3313662300352007);
    scene.body[plank].angle = 0.70010436933953313;
    scene.body[plank].velocity = cn_vec3_make(-1.9602454891428351, -2.8820304851979017, 0.0);
    scene.body[plank].mass = 0.28003358037676662;
    struct cn_world *world = scene_create(&scene);
    scene_tick(world); /* the impact */
    struct cn_body_view hit = scene_view(world, plank);
    assert_near(hit.angular_velocity.z, 0.721, 1e-3);
    int places = 0;
    for (int t = 0; t < 12; t++) {
        scene_tick(world);
        struct scene_contacts met = scene_contacts(world, table, plank);
        places = met.count > places ? met.count : places;
    }
    assert_true(places >= 2);
    struct cn_body_view view = scene_view(world, plank);
    assert_near(view.angular_velocity.z, hit.angular_velocity.z, 12.0 * 1e-5 * 9.81);
    assert_near(view.velocity.x, hit.velocity.x, 12.0 * 1e-5 * 40.0);
    assert_near(view.velocity.y, hit.velocity.y, 12.0 * 1e-5 * 40.0);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeno),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_squeezed_bodies),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_fastest_body),
        cmocka_unit_test(test_smallest_step),
        cmocka_unit_test(test_drag_is_capped),
        cmocka_unit_test(test_quarantine),
        cmocka_unit_test(test_contact_limit),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_two_places_stop_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
