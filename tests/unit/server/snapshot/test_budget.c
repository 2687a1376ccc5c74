/*
 * test_budget.c: a budget is kept to the byte and used, changed bodies are sent in time, and the
 * client's decoded state is the one that the budget assumes.
 */
#include "server/snapshot/budget.h"

#include "engine/base/rng.h"
#include "tests/support/live_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#define HEADER_SIZE 30
#define TICK_RATE 60
#define TICK_NS (SV_NS_PER_S / TICK_RATE)
#define STEP_MOST 8 /* the most by which one message makes a body's wait longer */
#define STEP_LEAST 1

/* A world of bodies that move at random, a budget, and the client. */
struct stage {
    int count;
    bool is_spatial;
    struct cn_rng rng;
    uint64_t tick, now_ns;
    struct wire_state *now;
    struct sv_scope *scope;
    struct sv_budget *budget;
    struct sv_metrics metrics;
    struct sv_view_tools tools;
    struct sv_weigher weigher;
    struct sv_view view; /* of the last tick */
    bool has_view;
    struct wire_decoder decoder;
    const struct wire_state *seen; /* by the client; NULL: nothing yet */
    uint64_t sent_size;
    long blocks; /* of the heap that were in use before */
};

static int32_t
between(struct stage *stage, int32_t low, int32_t high)
{
    return low + (int32_t)(cn_rng_next(&stage->rng) % (uint64_t)(high - low + 1));
}

static void
stage_init(struct stage *stage, int count, bool is_spatial, uint32_t bytes_per_second)
{
    const struct wire_interest whole = {0};
    memset(stage, 0, sizeof(*stage));
    stage->blocks = live_blocks();
    stage->count = count;
    stage->is_spatial = is_spatial;
    stage->now_ns = SV_NS_PER_S;
    stage->rng.state = 7;
    stage->tools.metrics = &stage->metrics;
    stage->scope = sv_scope_create(&whole);
    stage->scope->seen = calloc((size_t)count, 1);
    stage->scope->slot_count = count;
    stage->budget = sv_budget_create(stage->now_ns);
    sv_budget_set(stage->budget, bytes_per_second, 0, 0, 0);
    stage->now = wire_state_create(count, is_spatial);
    stage->now->precision = stage->decoder.precision = wire_precision_default();
    stage->decoder.is_spatial = is_spatial;
    stage->now->series = 1;
    for (int i = 0; i < count; i++) {
        stage->now->body[i] = (uint32_t)i;
        stage->now->x[i] = between(stage, -100000, 100000);
        stage->now->y[i] = between(stage, -100000, 100000);
    }
}

static void
stage_finish(struct stage *stage)
{
    if (stage->has_view) {
        sv_view_finish(&stage->view);
    }
    sv_budget_destroy(stage->budget);
    sv_scope_destroy(stage->scope);
    sv_weigher_finish(&stage->weigher);
    sv_view_tools_finish(&stage->tools);
    wire_state_unref(stage->now);
    wire_ring_clear(&stage->decoder.ring);
    assert_int_equal(live_blocks(), stage->blocks);
}

/* A part of the world's state, without some bodies, as a view has it. */
static struct wire_state *
part_of(const struct stage *stage, uint32_t without)
{
    const struct wire_state *now = stage->now;
    struct wire_state *part = wire_state_create(stage->count, stage->is_spatial);
    wire_state_describe(part, now);
    int k = 0;
    for (int i = 0; i < stage->count; i++) {
        if (without != 0 && (uint32_t)i / 10 % without == stage->tick / 20 % without) {
            continue; /* ten neighbours come and go together */
        }
        part->body[k] = now->body[i];
        part->x[k] = now->x[i];
        part->y[k] = now->y[i];
        if (stage->is_spatial) {
            part->z[k] = now->z[i];
            part->turn_a[k] = now->turn_a[i];
            part->turn_largest[k] = now->turn_largest[i];
        } else {
            part->angle[k] = now->angle[i];
        }
        if (wire_state_sleeps(now, i)) {
            part->asleep[k / 8] |= (uint8_t)(1u << k % 8);
        }
        k++;
    }
    part->count = k;
    part->view_hash = wire_state_hash(part);
    return part;
}

/* The next tick; `movers` of the bodies move by up to `way`, and some turn. */
static void
stage_advance(struct stage *stage, int movers, int32_t way, uint32_t without)
{
    stage->now_ns += TICK_NS;
    stage->tick++;
    stage->now->tick = stage->tick;
    stage->now->time_us = (int64_t)(stage->tick * 16667);
    for (int i = 0; i < movers; i++) {
        stage->now->x[i] += between(stage, 1, way);
        stage->now->y[i] += between(stage, -way, way);
        if (stage->is_spatial) {
            stage->now->z[i] += between(stage, -way, way);
            stage->now->turn_a[i] = between(stage, -500, 500);
            stage->now->turn_largest[i] = (uint32_t)between(stage, 0, 30) == 0 ? 1 : 0;
        } else {
            stage->now->angle[i] += between(stage, -way, way);
        }
        stage->now->asleep[i / 8] = (uint8_t)between(stage, 0, 255);
    }
    if (stage->has_view) {
        sv_scope_showed(stage->scope, wire_state_ref(stage->view.state));
        sv_view_finish(&stage->view);
    }
    struct wire_state *part = part_of(stage, without);
    sv_view_init(&stage->view, part);
    wire_state_unref(part);
    stage->has_view = true;
}

static struct sv_own *
stage_make(struct stage *stage, bool is_going_on)
{
    const struct sv_moment moment = {.now_ns = stage->now_ns,
        .tick_rate_hz = TICK_RATE,
        .is_going_on = is_going_on,
        .header_size = HEADER_SIZE};
    return sv_budget_make(stage->budget, stage->scope, &stage->view, &stage->tools,
        &stage->weigher, &moment);
}

static void
assert_same(const struct wire_state *a, const struct wire_state *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->view_hash, b->view_hash);
    assert_memory_equal(a->body, b->body, (size_t)a->count * sizeof(a->body[0]));
    assert_memory_equal(a->x, b->x, (size_t)a->count * sizeof(a->x[0]));
    assert_memory_equal(a->y, b->y, (size_t)a->count * sizeof(a->y[0]));
    for (int i = 0; i < a->count; i++) {
        assert_int_equal(wire_state_sleeps(a, i), wire_state_sleeps(b, i));
    }
}

/* Sends a message as the network thread does; the client decodes it. */
static void
stage_send(struct stage *stage, struct sv_own *own, uint32_t header_size)
{
    const struct sv_buffer *message = own->message;
    size_t frame = message->size < 128 ? 2 : 4;
    assert_int_equal(wire_decode_delta(&stage->decoder, message->bytes + frame,
                         message->size - frame, &stage->seen),
        WIRE_DELTA_OK);
    assert_same(stage->seen, own->state);
    stage->sent_size += header_size + message->size;
    atomic_store(&own->sent_size, header_size + (uint32_t)message->size);
}

/* ---- bytes ---- */

/*
 * A thousand ticks over a network that sends at once, later or never, with headers of any size.
 * The client never gets more bytes than it earned, and at least nine tenths if there are enough
 * changes.
 */
static void
check_bytes(int count, bool is_spatial, uint32_t bytes_per_second, uint32_t without)
{
    struct stage stage;
    struct sv_own *late = NULL;
    stage_init(&stage, count, is_spatial, bytes_per_second);
    uint64_t start_ns = stage.now_ns, lost_size = 0;
    for (int t = 0; t < 1000; t++) {
        stage_advance(&stage, count, 40 + t % 300, without);
        struct sv_own *own = stage_make(&stage, true);
        int fate = t < 100 ? 0 : between(&stage, 0, 19);
        if (late != NULL) { /* between two of the worker's ticks */
            stage_send(&stage, late, HEADER_SIZE);
            sv_own_unref(late);
            late = NULL;
        }
        if (own != NULL && fate == 0 && t >= 100) {
            late = own;
            own = NULL;
        } else if (own != NULL && fate == 1) {
            lost_size += own->charge;
        } else if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE - (uint32_t)between(&stage, 0, 5));
        }
        sv_own_unref(own);
        uint64_t earned =
            bytes_per_second * (stage.now_ns - start_ns) / SV_NS_PER_S;
        assert_true(stage.sent_size <= earned);
    }
    sv_own_unref(late);
    uint64_t earned = bytes_per_second * (stage.now_ns - start_ns) / SV_NS_PER_S;
    assert_true(stage.sent_size + lost_size >= earned / 10 * 9);
    stage_finish(&stage);
}

static void
test_bytes(void **state)
{
    (void)state;
    check_bytes(300, false, 8000, 0);
    check_bytes(300, true, 20000, 0);
    check_bytes(500, true, 2000, 0);
    check_bytes(200, true, 12000, 3); /* bodies come and go */
    check_bytes(1500, false, 60000, 5);
}

/*
 * No burst exceeds the bytes that may be kept.  So a bucket that holds a quarter of a second's
 * bytes never becomes empty.
 */
static void
test_bursts(void **state)
{
    (void)state;
    struct stage stage;
    const uint32_t rate = 10000;
    stage_init(&stage, 400, true, rate);
    double bucket = 0.0, kept = rate / SV_BUDGET_PARTS;
    for (int t = 0; t < 1000; t++) {
        stage_advance(&stage, t % 200 < 60 ? 400 : 0, 100, 0);
        bucket += (double)rate * TICK_NS / SV_NS_PER_S;
        bucket = bucket < kept ? bucket : kept;
        uint64_t before = stage.sent_size;
        struct sv_own *own = stage_make(&stage, true);
        if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE);
        }
        sv_own_unref(own);
        bucket -= (double)(stage.sent_size - before);
        assert_true(bucket >= -1e-6);
    }
    assert_same(stage.seen, stage.view.state); /* the end was quiet for long enough */
    stage_finish(&stage);
}

/* ---- the bodies in a message ---- */

/* No body waits longer than the bound in budget.h, if no body is always relevant. */
static void
test_nobody_starves(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct stage stage;
    int told[COUNT] = {0}, message = 0, least = COUNT, longest = 0;
    stage_init(&stage, COUNT, true, 12000);
    for (int t = 0; t < 3000; t++) {
        stage_advance(&stage, COUNT, 100, 0);
        for (int i = 0; i < COUNT / 4; i++) {
            stage.now->x[i] += 5000; /* some run, and always have larger errors */
        }
        struct sv_own *own = stage_make(&stage, true);
        if (own == NULL) {
            continue;
        }
        assert_false(own->is_whole);
        message++;
        least = own->slot_count < least ? own->slot_count : least;
        for (int i = 0; i < own->slot_count; i++) {
            int wait = message - told[own->slots[i]];
            longest = wait > longest ? wait : longest;
            told[own->slots[i]] = message;
        }
        stage_send(&stage, own, HEADER_SIZE);
        sv_own_unref(own);
    }
    for (int i = 0; i < COUNT; i++) {
        int wait = message - told[i];
        longest = wait > longest ? wait : longest;
    }
    assert_in_range(least, 5, COUNT);
    assert_true(longest <= 2 * (STEP_LEAST + STEP_MOST) * COUNT / least);
    assert_true(longest > COUNT / least / 2); /* and some bodies had to wait */
    stage_finish(&stage);
}

/*
 * A body that is always relevant is in every message.  With too many such bodies, the other bodies
 * still get about half of each message.
 */
static void
test_relevant_first(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 300, false, 12000);
    for (int crowd = 0; crowd < 2; crowd++) {
        stage.scope->seen[250] = SV_SEEN_RELEVANT;
        memset(stage.scope->seen, crowd == 1 ? SV_SEEN_RELEVANT : 0, 200);
        for (int t = 0; t < 100; t++) {
            int relevant = 0;
            bool is_in = false;
            stage_advance(&stage, 300, 100, 0);
            struct sv_own *own = stage_make(&stage, true);
            if (own == NULL) {
                continue;
            }
            for (int i = 0; i < own->slot_count; i++) {
                relevant += stage.scope->seen[own->slots[i]] != 0 ? 1 : 0;
                is_in = is_in || own->slots[i] == 250;
            }
            if (crowd == 0) {
                assert_true(is_in);
            } else if (t > 10) {
                assert_in_range(relevant, own->slot_count / 4, own->slot_count * 9 / 10);
            }
            stage_send(&stage, own, HEADER_SIZE);
            sv_own_unref(own);
        }
    }
    stage_finish(&stage);
}

/* ---- shared messages ---- */

/*
 * In even motion a tick costs few bytes, but the first state of all bodies costs many.  So bodies
 * come in parts at first, then all in one message.  In the end the client gets the message that is
 * shared with the clients without a budget.
 */
static void
test_joins_the_others(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 300, false, 10000);
    int shared = 0;
    for (int t = 0; t < 300; t++) {
        stage_advance(&stage, 0, 0, 0);
        for (int i = 0; i < 300; i++) {
            stage.now->x[i] += 50;
        }
        struct sv_own *own = stage_make(&stage, true);
        if (own == NULL) {
            continue;
        }
        const struct sv_buffer *others = sv_view_show(&stage.view, &stage.tools, WIRE_MODE_DELTA,
            stage.scope->shown_last[0], stage.scope->shown_last[1]);
        shared += own->message == others ? 1 : 0;
        assert_true(t < 200 || own->message == others);
        stage_send(&stage, own, HEADER_SIZE);
        sv_own_unref(own);
    }
    assert_in_range(shared, 100, 299);
    stage_finish(&stage);
}

/* ---- sent and unsent messages ---- */

/* A message that was not sent costs no budget, so the first one after a pause is as large. */
static void
test_unsent_is_paid_back(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 200, false, 30000);
    for (int t = 0; t < 100; t++) {
        stage_advance(&stage, 200, 300, 0);
        struct sv_own *own = stage_make(&stage, true);
        if (own != NULL && t < 60) {
            stage_send(&stage, own, HEADER_SIZE);
        } else if (own != NULL && t == 99) {
            /* A quarter of a second's bytes were kept, although every message since was dropped. */
            assert_true(own->charge > 30000 / SV_BUDGET_PARTS / 10 * 9 || own->is_whole);
        }
        sv_own_unref(own);
    }
    uint64_t kept = stage.budget->bytes_per_second / SV_BUDGET_PARTS;
    stage_advance(&stage, 0, 0, 0);
    uint64_t before = stage.budget->pending_count > 0 ? stage.budget->pending[0]->charge : 0;
    struct sv_own *own = stage_make(&stage, true);
    uint64_t charge = own != NULL ? own->charge : 0;
    assert_true(before > 0);
    assert_true(stage.budget->earned / SV_NS_PER_S + charge >= kept / 10 * 9);
    sv_own_unref(own);
    stage_finish(&stage);
}

/* The first of two messages is sent after the second; the second stays the newest. */
static void
test_sent_out_of_order(void **state)
{
    (void)state;
    struct stage stage;
    struct sv_own *first = NULL, *second = NULL;
    stage_init(&stage, 100, false, 100000);
    for (int t = 0; t < 60 && (first == NULL || second == NULL); t++) {
        stage_advance(&stage, 100, 100, 0);
        struct sv_own *own = stage_make(&stage, true);
        if (own != NULL && t >= 20 && first == NULL) {
            first = own;
        } else if (own != NULL && first != NULL) {
            second = own;
        } else if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE);
            sv_own_unref(own);
        }
    }
    assert_true(first != NULL && second != NULL);
    uint64_t newest = second->state->tick;
    assert_true(first->state->tick < newest);
    atomic_store(&second->sent_size, second->charge);
    sv_own_unref(second);
    stage_advance(&stage, 100, 100, 0);
    sv_own_unref(stage_make(&stage, true));
    assert_int_equal(stage.budget->known[0]->tick, newest);
    atomic_store(&first->sent_size, first->charge);
    sv_own_unref(first);
    stage_advance(&stage, 100, 100, 0);
    sv_own_unref(stage_make(&stage, true));
    assert_int_equal(stage.budget->known[0]->tick, newest);
    stage_finish(&stage);
}

/* ---- clients that start again ---- */

static void
test_begins_anew(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 100, false, 20000);
    for (int t = 0; t < 60; t++) {
        stage_advance(&stage, 100, 100, 0);
        if (t == 20) { /* a message on its way when the client starts again does not count */
            struct sv_own *own = stage_make(&stage, true);
            sv_budget_set(stage.budget, 20000, 0, 0, 1);
            assert_int_not_equal(own->epoch, stage.budget->epoch);
            sv_own_unref(own);
            wire_ring_clear(&stage.decoder.ring);
            continue;
        }
        if (t == 40) {
            sv_budget_restart(stage.budget);
            wire_ring_clear(&stage.decoder.ring);
        }
        struct sv_own *own = stage_make(&stage, true);
        if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE);
            sv_own_unref(own);
        }
    }
    stage_finish(&stage);
}

/* A paused world is sent whole as soon as the budget suffices; then no message follows. */
static void
test_stands_still(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 300, true, 4000);
    for (int t = 0; t < 100; t++) {
        stage_advance(&stage, 300, 300, 0);
        struct sv_own *own = stage_make(&stage, true);
        if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE);
            sv_own_unref(own);
        }
    }
    int waits = 0;
    struct sv_own *own = NULL;
    while (own == NULL) {
        own = stage_make(&stage, false);
        uint64_t wanted_ns = sv_budget_wanted_ns(stage.budget);
        assert_true(own != NULL || (wanted_ns > stage.now_ns && wanted_ns < UINT64_MAX));
        stage.now_ns = own == NULL ? wanted_ns : stage.now_ns;
        assert_in_range(++waits, 1, 3);
    }
    assert_in_range(waits, 2, 3);
    stage_send(&stage, own, HEADER_SIZE);
    sv_own_unref(own);
    assert_same(stage.seen, stage.view.state);
    assert_true(stage.sent_size <= 4000 * (stage.now_ns - SV_NS_PER_S) / SV_NS_PER_S);
    own = stage_make(&stage, false);
    sv_own_unref(own);
    assert_true(sv_budget_wanted_ns(stage.budget) == UINT64_MAX);
    stage_finish(&stage);
}

/* With a lower rate the client gets the same ticks as all clients of that rate. */
static void
test_rate(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, 10, false, 100000);
    sv_budget_set(stage.budget, 100000, 20, 0, 0);
    for (int t = 0; t < 30; t++) {
        stage_advance(&stage, 10, 100, 0);
        struct sv_own *own = stage_make(&stage, true);
        assert_true((own != NULL) == (stage.tick % 3 == 0 || stage.tick == 1));
        if (own != NULL) {
            stage_send(&stage, own, HEADER_SIZE);
            sv_own_unref(own);
        }
    }
    stage_finish(&stage);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_nobody_starves),
        cmocka_unit_test(test_relevant_first),
        cmocka_unit_test(test_joins_the_others),
        cmocka_unit_test(test_unsent_is_paid_back),
        cmocka_unit_test(test_sent_out_of_order),
        cmocka_unit_test(test_begins_anew),
        cmocka_unit_test(test_stands_still),
        cmocka_unit_test(test_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
