/*
 * Publications that wait for the disk, compared with a model that keeps all of them.  With TICK the
 * newest durable publication is shown, and none earlier than its durability.  With SECOND each is
 * shown at once, with the last tick that no crash can undo.  Each publication is released once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/host/held.h"
#include "server/snapshot/publication.h"
#include "tests/support/live_blocks.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 20000
#define MADE_MAX (ROUNDS + 1)

struct made {
    uint64_t ticket, tick;
    uint32_t series;
};

struct rig {
    struct sv_host_world world;
    uint64_t random, ticket, tick, durable;
    uint32_t series;
    struct made held[SV_HELD_MAX]; /* the model's, oldest first */
    int held_count;
    struct made shown[MADE_MAX];
    int shown_count;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

static struct sv_publication *
publish(struct rig *rig, enum wire_durability durability)
{
    struct sv_publication *publication = sv_publication_create(0, 1);
    assert_non_null(publication);
    rig->ticket += draw(rig, 3);
    rig->tick++;
    if (draw(rig, 200) == 0) {
        rig->series++;
        rig->tick = draw(rig, 5);
    }
    publication->durability = durability;
    publication->ticket = rig->ticket;
    publication->status.tick = rig->tick;
    publication->status.series = rig->series;
    return publication;
}

static void
go_on(struct rig *rig)
{
    uint64_t behind = rig->ticket - rig->durable;
    rig->durable += draw(rig, 3) != 0 ? 0 : draw(rig, behind + 1);
}

/*
 * A release frees the newest of the durable publications.  When too many wait, a new one replaces
 * the newest that waits.
 */
static void
test_tick(void **state)
{
    (void)state;
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    rig->random = 3;
    long blocks = live_blocks();
    for (int i = 0; i < ROUNDS; i++) {
        if (draw(rig, 4) != 0) {
            struct sv_publication *publication = publish(rig, WIRE_DURABILITY_TICK);
            atomic_store(&rig->world.mailbox.newest, publication);
            sv_held_fetch(&rig->world);
            rig->held_count -= rig->held_count == SV_HELD_MAX ? 1 : 0;
            rig->held[rig->held_count++] =
                (struct made){publication->ticket, publication->status.tick, rig->series};
        } else {
            sv_held_fetch(&rig->world); /* without a new one */
        }
        assert_int_equal(rig->world.held_count, rig->held_count);
        go_on(rig);
        int released = 0;
        while (released < rig->held_count && rig->held[released].ticket <= rig->durable) {
            released++;
        }
        sv_held_release(&rig->world, rig->durable);
        assert_int_equal(rig->world.fresh != NULL, released > 0);
        if (released > 0) {
            assert_int_equal(rig->world.fresh->status.tick, rig->held[released - 1].tick);
            assert_int_equal(rig->world.fresh->ticket, rig->held[released - 1].ticket);
            assert_int_equal(sv_held_durable_tick(&rig->world, rig->world.fresh),
                rig->held[released - 1].tick);
        }
        rig->held_count -= released;
        memmove(rig->held, rig->held + released, (size_t)rig->held_count * sizeof(rig->held[0]));
        assert_int_equal(rig->world.held_count, rig->held_count);
        sv_publication_destroy(rig->world.fresh);
        rig->world.fresh = NULL;
        long held = 0;
        for (int k = 0; k < rig->held_count; k++) {
            assert_int_equal(rig->world.held[k]->ticket, rig->held[k].ticket);
            held++;
        }
        /* Each publication is two blocks: itself and its views. */
        assert_true(live_blocks() == blocks + 2 * held || live_blocks() == 0);
    }
    for (int k = 0; k < rig->held_count; k++) {
        sv_publication_destroy(rig->world.held[k]);
    }
    free(rig);
}

/* The greatest shown tick of the series whose record is durable. */
static uint64_t
durable_tick(const struct rig *rig)
{
    uint64_t tick = 0;
    for (int i = rig->shown_count - 1; i >= 0 && rig->shown[i].series == rig->series; i--) {
        if (rig->shown[i].ticket <= rig->durable) {
            return rig->shown[i].tick;
        }
    }
    return tick;
}

static void
test_second(void **state)
{
    (void)state;
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    rig->random = 4;
    int told = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct sv_publication *publication = publish(rig, WIRE_DURABILITY_SECOND);
        atomic_store(&rig->world.mailbox.newest, publication);
        sv_held_fetch(&rig->world);
        sv_held_release(&rig->world, rig->durable);
        assert_ptr_equal(rig->world.fresh, publication); /* it does not wait */
        assert_int_equal(rig->world.held_count, 0);
        sv_held_note_shown(&rig->world, publication);
        rig->shown[rig->shown_count++] =
            (struct made){publication->ticket, publication->status.tick, rig->series};
        uint64_t before = rig->durable;
        go_on(rig);
        if (rig->ticket - rig->durable > SV_SAFE_TICKS_MAX - 2) {
            rig->durable = rig->ticket - 1; /* another test has more than fit in the ring */
        }
        sv_held_release(&rig->world, rig->durable);
        uint64_t tick = sv_held_durable_tick(&rig->world, publication);
        assert_int_equal(tick, durable_tick(rig));
        told += tick > 0 && before != rig->durable ? 1 : 0;
    }
    assert_true(told > 1000);
    sv_publication_destroy(rig->world.fresh);
    free(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tick),
        cmocka_unit_test(test_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
