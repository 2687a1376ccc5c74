/*
 * A lane against a model of it: what is put comes out whole and in order, a ring is filled to its
 * last byte and not beyond, and what is refused changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/lane.h"
#include "server/store/lane_inside.h"
#include "server/store/store_config.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 4096
#define HEADER 8 /* of an item, see lane_inside.h */
#define EXPECTED_MAX 1024
#define ROUNDS 200000

/* An item that was put and not taken, and its bytes in the ring; the oldest comes first. */
struct expected {
    enum sv_item_kind kind;
    uint64_t number, world, ticket;
    size_t size, ring_size;
    unsigned char first;
};

struct rig {
    struct sv_lane_gate gate;
    struct sv_step_mark mark;
    struct sv_lane lane;
    struct sv_trail trail, reader;
    struct expected expected[EXPECTED_MAX];
    int first, count;
    size_t used;
    unsigned busy;
    uint64_t random, last_ticket;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

static void
begin(struct rig *rig, uint64_t seed)
{
    memset(&rig->lane, 0xa5, sizeof(rig->lane)); /* init must set every byte */
    rig->gate = (struct sv_lane_gate){.epoch = 3};
    atomic_init(&rig->gate.state, SV_STORE_WRITING);
    rig->trail = rig->reader = (struct sv_trail){.world = 7, .epoch = 3, .physics = 9};
    rig->first = rig->count = 0;
    rig->used = 0;
    rig->busy = 0;
    rig->random = seed;
    rig->last_ticket = 0;
    assert_true(sv_lane_init(&rig->lane, &rig->gate, &rig->mark, 1));
    assert_int_equal(rig->lane.capacity, CAPACITY);
    assert_int_equal(sv_lane_checkpoints_busy(&rig->lane), 0);
    assert_int_equal(sv_lane_durable(&rig->lane), 0);
}

static size_t
ring_size(size_t size)
{
    return HEADER + (size + 7) / 8 * 8;
}

/* The lane must accept the item exactly if it has room for it. */
static void
note(struct rig *rig, uint64_t ticket, struct expected expected)
{
    expected.ring_size = ring_size(expected.size);
    bool fits = rig->used + expected.ring_size <= CAPACITY;
    assert_int_equal(ticket != 0, fits);
    if (ticket == 0) {
        return;
    }
    assert_int_equal(ticket, rig->last_ticket + expected.ring_size);
    expected.ticket = rig->last_ticket = ticket;
    assert_in_range(rig->count, 0, EXPECTED_MAX - 1);
    rig->expected[(rig->first + rig->count++) % EXPECTED_MAX] = expected;
    rig->used += expected.ring_size;
    assert_true(rig->used <= CAPACITY);
}

static void
append(struct rig *rig, size_t entries_size)
{
    unsigned char entries[CAPACITY];
    struct sv_trail before = rig->trail;
    unsigned char first = (unsigned char)draw(rig, 256);
    for (size_t i = 0; i < entries_size; i++) {
        entries[i] = (unsigned char)(first + 31 * i);
    }
    size_t room = sv_lane_room(&rig->lane);
    uint64_t ticket = sv_lane_append(
        &rig->lane, &rig->trail, 10 * (before.number + 1), 0, 0, entries, entries_size);
    assert_true(room == 0 || entries_size > room || ticket != 0);
    if (ticket == 0) {
        assert_memory_equal(&rig->trail, &before, sizeof(before));
    }
    note(rig, ticket,
        (struct expected){.kind = SV_ITEM_RECORD, .number = before.number + 1, .first = first,
            .size = SV_RECORD_HEADER_SIZE + entries_size});
}

static void
put_article(struct rig *rig)
{
    unsigned char content[SV_CONTENT_SIZE];
    uint64_t number = draw(rig, 1000), world = 1 + draw(rig, 9);
    unsigned char first = (unsigned char)draw(rig, 256), *bytes = malloc(16);
    assert_non_null(bytes);
    memset(content, first, sizeof(content));
    memset(bytes, first, 16);
    struct expected expected = {
        .number = number, .world = world, .first = first, .size = sizeof(struct sv_article)};
    uint64_t ticket;
    if (draw(rig, 2) == 0) {
        expected.kind = SV_ITEM_SCENE;
        ticket = sv_lane_put_scene(&rig->lane, world, number, content, bytes, 16);
    } else {
        expected.kind = SV_ITEM_CHARTER;
        ticket = sv_lane_put_charter(&rig->lane, world, bytes, 16);
    }
    if (ticket == 0) {
        free(bytes);
    }
    note(rig, ticket, expected);
}

static void
put_checkpoint(struct rig *rig)
{
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(rig->trail, 5, 6);
    assert_non_null(checkpoint);
    uint64_t ticket = sv_lane_checkpoint(&rig->lane, checkpoint);
    rig->busy += ticket != 0 ? 1 : 0;
    assert_int_equal(sv_lane_checkpoints_busy(&rig->lane), rig->busy);
    if (ticket == 0) {
        sv_checkpoint_destroy(checkpoint);
    }
    note(rig, ticket,
        (struct expected){.kind = SV_ITEM_CHECKPOINT, .size = sizeof(struct sv_article)});
}

static void
assert_record(struct rig *rig, const struct expected *expected, uint64_t at, size_t size)
{
    unsigned char bytes[CAPACITY];
    struct sv_record record;
    size_t record_size;
    sv_lane_copy(&rig->lane, at, bytes, size);
    assert_int_equal(sv_record_read(bytes, size, &record, &record_size), SV_RECORD_GOOD);
    assert_int_equal(record_size, size);
    assert_int_equal(record.number, expected->number);
    assert_int_equal(record.tick, 10 * expected->number);
    assert_int_equal(record.epoch, 3);
    assert_int_equal(record.world, 7);
    assert_int_equal(record.physics, 9);
    assert_true(sv_trail_follow(&rig->reader, &record));
    for (size_t i = 0; i < record.entries_size; i++) {
        assert_int_equal(record.entries[i], (unsigned char)(expected->first + 31 * i));
    }
}

static void
assert_article(struct rig *rig, const struct expected *expected, uint64_t at)
{
    struct sv_article article;
    sv_lane_copy(&rig->lane, at, &article, sizeof(article));
    if (expected->kind == SV_ITEM_CHECKPOINT) {
        const struct sv_checkpoint *checkpoint = article.thing;
        assert_int_equal(checkpoint->tick, 5);
        atomic_fetch_sub(&rig->lane.checkpoints_busy, 1); /* as the keeper does */
        rig->busy--;
    } else {
        unsigned char same[16];
        memset(same, expected->first, sizeof(same));
        assert_int_equal(article.world, expected->world);
        assert_int_equal(article.size, 16);
        assert_memory_equal(article.thing, same, 16);
    }
    if (expected->kind == SV_ITEM_SCENE) {
        assert_int_equal(article.number, expected->number);
        for (int i = 0; i < SV_CONTENT_SIZE; i++) {
            assert_int_equal(article.content[i], expected->first);
        }
    }
    sv_article_destroy(expected->kind, &article);
    assert_null(article.thing);
}

/* Takes the oldest item, as the journal's thread does. */
static void
take(struct rig *rig)
{
    const struct expected *expected = &rig->expected[rig->first];
    enum sv_item_kind kind;
    size_t size;
    uint64_t at = atomic_load(&rig->lane.taken);
    uint64_t next = sv_lane_item(&rig->lane, at, &kind, &size);
    assert_int_equal(kind, expected->kind);
    assert_int_equal(size, expected->size);
    assert_int_equal(next, expected->ticket);
    if (kind == SV_ITEM_RECORD) {
        assert_record(rig, expected, at, size);
    } else {
        assert_article(rig, expected, at);
    }
    atomic_store(&rig->lane.taken, next);
    rig->used -= expected->ring_size;
    rig->first = (rig->first + 1) % EXPECTED_MAX;
    rig->count--;
}

/* The lane is nearly full at times and nearly empty at others, so an item ends at every place. */
static void
test_random_traffic(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    int refused = 0, exact = 0;
    (void)state;
    begin(rig, 11);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t filling = i / 500 % 2 == 0 ? 3 : 7;
        if (rig->count > 0 && draw(rig, 10) < filling) {
            take(rig);
        } else {
            int before = rig->count;
            uint64_t what = draw(rig, 8);
            if (what == 0) {
                put_article(rig);
            } else if (what == 1) {
                put_checkpoint(rig);
            } else {
                append(rig, draw(rig, what == 2 ? 900 : 100));
            }
            refused += rig->count == before ? 1 : 0;
        }
        exact += rig->used == CAPACITY ? 1 : 0;
    }
    assert_in_range(refused, 1000, ROUNDS);
    assert_in_range(exact, 10, ROUNDS);
    while (rig->count > 0) {
        take(rig);
    }
    put_article(rig);
    put_checkpoint(rig);
    sv_lane_finish(&rig->lane); /* frees the rest; a sanitizer finds leaks */
    free(rig);
}

/* From each possible start of an item the largest record fits, but one byte more does not. */
static void
test_filled_to_the_last_byte(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    (void)state;
    for (size_t before = 0; before <= 2000; before++) {
        begin(rig, before);
        append(rig, before);
        size_t rest = CAPACITY - rig->used;
        size_t largest = rest - HEADER - SV_RECORD_HEADER_SIZE;
        assert_int_equal(rest % 8, 0);
        assert_true(sv_lane_room(&rig->lane) <= largest);
        assert_true(sv_lane_room(&rig->lane) + 8 > largest);
        append(rig, largest + 1); /* the model refuses it */
        assert_int_equal(rig->count, 1);
        append(rig, largest);
        assert_int_equal(rig->count, 2);
        assert_int_equal(rig->used, CAPACITY);
        assert_int_equal(sv_lane_room(&rig->lane), 0);
        append(rig, 0);
        put_article(rig);
        put_checkpoint(rig);
        assert_int_equal(rig->count, 2);
        take(rig);
        take(rig);
        sv_lane_finish(&rig->lane);
    }
    free(rig);
}

/* A ring's capacity is the wanted size rounded up to a power of two, and at least 4,096. */
static void
test_capacity(void **state)
{
    static const struct {
        size_t size, capacity;
    } cases[] = {{0, 4096}, {4095, 4096}, {4096, 4096}, {4097, 8192}, {8192, 8192},
        {65536, 65536}, {65537, 131072}};
    struct sv_lane_gate gate = {.epoch = 1};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_lane lane;
        assert_true(sv_lane_init(&lane, &gate, NULL, cases[i].size));
        assert_int_equal(lane.capacity, cases[i].capacity);
        sv_lane_finish(&lane);
    }
}

/*
 * A store without room accepts ticks that were done already, ends of worlds, and checkpoints.  A
 * failed store accepts nothing.
 */
static void
test_states_of_the_store(void **state)
{
    static const struct {
        enum sv_store_state state;
        bool takes_growth, takes_rest;
    } cases[] = {{SV_STORE_WRITING, true, true}, {SV_STORE_READ_ONLY, false, true},
        {SV_STORE_FAILED, false, false}};
    struct rig *rig = calloc(1, sizeof(*rig));
    unsigned char content[SV_CONTENT_SIZE] = {1};
    assert_non_null(rig);
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(rig, 5);
        atomic_store(&rig->gate.state, cases[i].state);
        struct sv_trail before = rig->trail;
        uint64_t ticket = sv_lane_append(&rig->lane, &rig->trail, 1, 0, 0, NULL, 0);
        assert_int_equal(ticket != 0, cases[i].takes_growth);
        assert_int_equal(rig->trail.number, before.number + (ticket != 0 ? 1 : 0));
        before = rig->trail;
        ticket = sv_lane_append(&rig->lane, &rig->trail, 1, 0, 0, "entries", 5);
        assert_int_equal(ticket != 0, cases[i].takes_rest);
        assert_int_equal(rig->trail.number, before.number + (ticket != 0 ? 1 : 0));
        unsigned char *bytes = malloc(3);
        ticket = sv_lane_put_scene(&rig->lane, 1, 1, content, bytes, 3);
        assert_int_equal(ticket != 0, cases[i].takes_growth);
        if (ticket == 0) {
            free(bytes);
        }
        bytes = malloc(3);
        ticket = sv_lane_put_charter(&rig->lane, 1, bytes, 3);
        assert_int_equal(ticket != 0, cases[i].takes_growth);
        if (ticket == 0) {
            free(bytes);
        }
        ticket = sv_lane_put_charter(&rig->lane, 1, NULL, 0);
        assert_int_equal(ticket != 0, cases[i].takes_rest);
        struct sv_checkpoint *checkpoint = sv_checkpoint_create(rig->trail, 5, 6);
        ticket = sv_lane_checkpoint(&rig->lane, checkpoint);
        assert_int_equal(ticket != 0, cases[i].takes_rest);
        assert_int_equal(sv_lane_checkpoints_busy(&rig->lane), ticket != 0 ? 1 : 0);
        if (ticket == 0) {
            sv_checkpoint_destroy(checkpoint);
        }
        sv_lane_finish(&rig->lane);
    }
    free(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traffic),
        cmocka_unit_test(test_filled_to_the_last_byte),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_states_of_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
