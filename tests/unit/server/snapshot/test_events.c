/*
 * test_events.c: the events that a world keeps for clients that were not sent each tick: which are
 * kept, for how long, and how many are said to be lost.
 */
#include "server/snapshot/events.h"

#include "tests/support/live_blocks.h"
#include "tests/support/world/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

/* A ball that bounces without loss: a tick in some has an event. */
static struct cn_world *
make_world(void)
{
    static struct scene scene;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    int ball = scene_box(&scene, 0.0, 0.55, 1.0, 1.0);
    scene.material[0].restitution = 1.0;
    scene.body[ball].mass = 1.0;
    return scene_create(&scene);
}

/* Steps until the next tick with events; returns how many it has. */
static uint64_t
next_events(struct cn_world *world)
{
    for (int i = 0; i < 600; i++) {
        const struct cn_event *list;
        assert_int_equal(cn_world_step(world, INT64_MAX), CN_STEP_DONE);
        uint64_t count = (uint64_t)cn_world_events(world, &list);
        if (count > 0) {
            return count;
        }
    }
    fail_msg("nothing has happened in 600 ticks");
    return 0;
}

static void
test_series(void **state)
{
    (void)state;
    struct sv_events events = {0};
    long blocks = live_blocks();
    struct cn_world *world = make_world();
    uint64_t first = next_events(world), lost;
    assert_true(sv_events_add(&events, world, 1));
    assert_true(sv_events_add(&events, world, 1)); /* the same tick is there already */
    assert_int_equal(events.count, 1);
    uint64_t second = next_events(world);
    assert_true(sv_events_add(&events, world, 1));
    assert_int_equal(events.count, 2);
    assert_int_equal(events.total, first + second);
    assert_int_equal(events.frames[1].before, first);
    assert_int_equal(sv_events_first(&events, 1, 0, 0, &lost), 0);
    assert_int_equal(sv_events_first(&events, 1, first, 0, &lost), 1);
    assert_int_equal(lost, 0);

    /*
     * In another series ticks and slots have another meaning, so events of the old series are
     * dropped.
     */
    uint64_t third = next_events(world);
    assert_true(sv_events_add(&events, world, 2));
    assert_int_equal(events.count, 1);
    assert_int_equal(events.total, third);
    assert_int_equal(events.frames[0].before, 0);
    assert_int_equal(events.frames[0].tick, cn_world_tick(world));
    assert_int_equal(sv_events_first(&events, 2, third, 0, &lost), 1);
    assert_int_equal(lost, 0);
    sv_events_finish(&events);
    cn_world_destroy(world);
    assert_int_equal(live_blocks(), blocks);
}

/* At most SV_EVENT_FRAMES_MAX frames are kept; older events are counted as lost. */
static void
test_frames_are_bounded(void **state)
{
    (void)state;
    struct sv_events events = {0};
    struct cn_world *world = make_world();
    uint64_t total = 0, lost;
    for (int i = 0; i < SV_EVENT_FRAMES_MAX + 5; i++) {
        total += next_events(world);
        assert_true(sv_events_add(&events, world, 1));
    }
    assert_int_equal(events.count, SV_EVENT_FRAMES_MAX);
    assert_int_equal(events.total, total);
    assert_int_equal(sv_events_first(&events, 1, 0, 0, &lost), 0);
    assert_int_equal(lost, events.frames[0].before);
    assert_true(lost >= 5);
    sv_events_finish(&events);
    cn_world_destroy(world);
}

/* Large frames push out older ones: SV_EVENT_FRAMES_SIZE_MAX bytes are kept beside the newest. */
static void
test_bytes_are_bounded(void **state)
{
    (void)state;
    struct sv_events events = {.series = 1};
    struct cn_world *world = make_world();
    for (int i = 0; i < 3; i++) { /* as if of earlier ticks */
        events.frames[i].message = sv_buffer_create(SV_EVENT_FRAMES_SIZE_MAX / 2);
        assert_non_null(events.frames[i].message);
        events.frames[i].before = (uint64_t)i;
    }
    events.count = 2;
    events.total = 2;
    sv_buffer_unref(events.frames[2].message);
    uint64_t count = next_events(world);
    assert_true(sv_events_add(&events, world, 1));
    assert_int_equal(events.count, 3); /* two halves fit to the byte, beside the newest */
    assert_int_equal(events.frames[2].before, 2);
    next_events(world);
    assert_true(sv_events_add(&events, world, 1));
    assert_int_equal(events.count, 3); /* the first half has made room */
    assert_int_equal(events.frames[0].before, 1);
    assert_int_equal(events.frames[2].before, 2 + count);
    sv_events_finish(&events);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_frames_are_bounded),
        cmocka_unit_test(test_bytes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
