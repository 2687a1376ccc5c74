/*
 * Inputs that wait for their tick, against a model that looks for the next one each time: they come
 * by tick, session and number; so many wait of a session and of all, and no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/world/data/input_buffer.h"

#include <string.h>

#define SESSIONS 40
#define ROUNDS 60000

struct waiting {
    uint64_t tick, session, seq;
    uint32_t seat;
};

struct rig {
    struct sv_input_buffer buffer;
    struct waiting waiting[SV_EARLY_INPUTS_MAX + 1];
    int count;
    uint64_t random, seq, tick;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

static int
count_of(const struct rig *rig, uint64_t session)
{
    int count = 0;
    for (int i = 0; i < rig->count; i++) {
        count += rig->waiting[i].session == session ? 1 : 0;
    }
    return count;
}

/* The last tick that an input of the session waits for; 0: none waits. */
static uint64_t
last_of(const struct rig *rig, uint64_t session)
{
    uint64_t last = 0;
    for (int i = 0; i < rig->count; i++) {
        bool is_later = rig->waiting[i].session == session && rig->waiting[i].tick > last;
        last = is_later ? rig->waiting[i].tick : last;
    }
    return last;
}

static bool
is_before(const struct waiting *a, const struct waiting *b)
{
    return a->tick != b->tick       ? a->tick < b->tick
        : a->session != b->session ? a->session < b->session
                                   : a->seq < b->seq;
}

static void
put(struct rig *rig, uint64_t session)
{
    struct waiting input = {.tick = rig->tick + 1 + draw(rig, 60), .session = session,
        .seq = ++rig->seq, .seat = (uint32_t)draw(rig, 9)};
    struct sv_message message = {.kind = SV_MESSAGE_INPUT,
        .asker = {.session = session, .seat = input.seat}, .input = {.seq = input.seq}};
    bool fits =
        rig->count < SV_EARLY_INPUTS_MAX && count_of(rig, session) < SV_EARLY_SESSION_MAX;
    assert_int_equal(sv_input_buffer_put(&rig->buffer, input.tick, &message), fits);
    if (fits) {
        rig->waiting[rig->count++] = input;
    }
}

/* All that are due, in their order; one of a later tick waits. */
static void
take(struct rig *rig)
{
    struct sv_message message;
    rig->tick += draw(rig, 3);
    while (sv_input_buffer_take(&rig->buffer, rig->tick, &message)) {
        int first = 0;
        assert_in_range(rig->count, 1, SV_EARLY_INPUTS_MAX);
        for (int i = 1; i < rig->count; i++) {
            first = is_before(&rig->waiting[i], &rig->waiting[first]) ? i : first;
        }
        assert_true(rig->waiting[first].tick <= rig->tick);
        assert_int_equal(message.asker.session, rig->waiting[first].session);
        assert_int_equal(message.asker.seat, rig->waiting[first].seat);
        assert_int_equal(message.input.seq, rig->waiting[first].seq);
        rig->waiting[first] = rig->waiting[--rig->count];
    }
    for (int i = 0; i < rig->count; i++) {
        assert_true(rig->waiting[i].tick > rig->tick);
    }
}

static void
leave(struct rig *rig, uint64_t session)
{
    sv_input_buffer_drop(&rig->buffer, session);
    for (int i = rig->count - 1; i >= 0; i--) {
        if (rig->waiting[i].session == session) {
            rig->waiting[i] = rig->waiting[--rig->count];
        }
    }
}

static void
come_back(struct rig *rig, uint64_t session)
{
    uint32_t seat = (uint32_t)draw(rig, 100);
    sv_input_buffer_reseat(&rig->buffer, session, seat);
    for (int i = 0; i < rig->count; i++) {
        rig->waiting[i].seat =
            rig->waiting[i].session == session ? seat : rig->waiting[i].seat;
    }
}

static void
test_model(void **state)
{
    static struct rig rig;
    int full = 0, own_full = 0;
    (void)state;
    rig.random = 2;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t session = 1 + draw(&rig, SESSIONS), what = draw(&rig, 1000);
        if (i / 3000 % 2 == 1 && what < 300) {
            take(&rig);
        } else if (what < 2) {
            leave(&rig, session);
        } else if (what < 6) {
            come_back(&rig, session);
        } else {
            put(&rig, draw(&rig, 20) == 0 ? 1 : session);
        }
        full += rig.count == SV_EARLY_INPUTS_MAX ? 1 : 0;
        own_full += count_of(&rig, 1) == SV_EARLY_SESSION_MAX ? 1 : 0;
        assert_int_equal(rig.buffer.count, rig.count);
        assert_int_equal(sv_input_buffer_last(&rig.buffer, session), last_of(&rig, session));
    }
    assert_true(full > 100 && own_full > 100);
    sv_input_buffer_finish(&rig.buffer);
    assert_int_equal(rig.buffer.count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
