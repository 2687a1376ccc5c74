/*
 * test_lookups.c: which baselines serve, which member has a seat, and which events somebody lacks,
 * each against a search through everything there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/delta.h"
#include "server/snapshot/events.h"
#include "server/snapshot/publication.h"
#include "server/snapshot/view.h"

#include <stdlib.h>
#include <string.h>

/* An older state of the same series, no older than clients keep. */
static void
test_baselines(void **state)
{
    (void)state;
    struct wire_state *baseline = wire_state_create(0, false);
    struct wire_state *now = wire_state_create(0, false);
    now->tick = 1000;
    for (uint32_t series = 1; series <= 3; series++) {
        for (uint64_t tick = 900; tick < 1100; tick++) {
            now->series = 2;
            baseline->series = series;
            baseline->tick = tick;
            bool serves = series == 2 && tick < 1000 && tick + WIRE_BASELINE_AGE_MAX >= 1000;
            assert_int_equal(sv_view_may_serve(baseline, now), serves);
        }
    }
    wire_state_unref(baseline);
    wire_state_unref(now);
}

/* Finds each existing seat, and no other, in crowds of every size. */
static void
test_seats(void **state)
{
    (void)state;
    for (int count = 0; count < 20; count++) {
        struct sv_publication *publication = sv_publication_create(count, 1);
        assert_non_null(publication);
        for (int i = 0; i < count; i++) {
            publication->members[i].seat = 3 * (uint32_t)i + 2;
        }
        for (uint32_t seat = 0; seat < 70; seat++) {
            const struct sv_publication_member *found = sv_publication_find(publication, seat);
            bool is_there = seat % 3 == 2 && (int)(seat / 3) < count;
            assert_ptr_equal(found, is_there ? &publication->members[seat / 3] : NULL);
        }
        sv_publication_destroy(publication);
    }
}

/*
 * Frames of one, two and three events.  A reader that has seen some events gets the later ones, and
 * the number of those that are lost because their frames were dropped.
 */
static void
test_events(void **state)
{
    (void)state;
    for (int dropped = 0; dropped < 5; dropped++) {
        struct sv_events events = {.series = 4};
        uint64_t before = 0;
        for (int i = 0; i < 12; i++) {
            uint64_t count = 1 + (uint64_t)i % 3;
            if (i >= dropped) {
                events.frames[events.count++] =
                    (struct sv_event_frame){.tick = 10 + (uint64_t)i, .before = before};
            }
            before += count;
        }
        events.total = before;
        for (uint64_t seen = 0; seen <= before; seen++) {
            uint64_t lost, expected_lost = 0;
            int first = sv_events_first(&events, 4, seen, 0, &lost), expected = 0;
            while (expected < events.count && events.frames[expected].before < seen) {
                expected++;
            }
            uint64_t next =
                expected < events.count ? events.frames[expected].before : events.total;
            expected_lost = next > seen ? next - seen : 0;
            assert_int_equal(first, expected);
            assert_int_equal(lost, expected_lost);
        }
        for (uint64_t tick = 5; tick < 30; tick++) { /* a new reader starts at this tick */
            uint64_t lost;
            int first = sv_events_first(&events, tick % 2 == 0 ? 0 : 3, 7, tick, &lost);
            assert_int_equal(lost, 0);
            assert_true(first == events.count || events.frames[first].tick >= tick);
            assert_true(first == 0 || events.frames[first - 1].tick < tick);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_seats),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
