/*
 * test_room_record.c: a stored room comes back as it was, with its seats held; other bytes are
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/room/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW_NS (5 * SV_NS_PER_S)
#define WALL_S INT64_C(1800000000)

static struct sv_room *
make(void)
{
    struct sv_room *room = sv_room_create(4);
    assert_non_null(room);
    room->number = 77;
    room->state = SV_ROOM_OPEN;
    room->is_private = room->has_password = room->is_started = true;
    room->created_s = 1799999000;
    room->event_sequence = 12;
    room->ends_ns = NOW_NS + 90 * SV_NS_PER_S;
    snprintf(room->id, sizeof(room->id), "arena-abcdefgh23456789");
    snprintf(room->name, sizeof(room->name), "Häuser");
    snprintf(room->subject, sizeof(room->subject), "ann");
    snprintf(room->template_name, sizeof(room->template_name), "arena");
    memset(room->salt, 3, sizeof(room->salt));
    memset(room->hash, 4, sizeof(room->hash));
    room->properties.count = 4;
    room->properties.list[0] = (struct wire_room_property){
        .name = "map", .type = WIRE_ROOM_TEXT, .is_listed = true, .text = "ice"};
    room->properties.list[1] = (struct wire_room_property){
        .name = "rank", .type = WIRE_ROOM_INTEGER, .integer = INT64_MIN};
    room->properties.list[2] = (struct wire_room_property){
        .name = "speed", .type = WIRE_ROOM_NUMBER, .number = -0.1};
    room->properties.list[3] = (struct wire_room_property){
        .name = "ranked", .type = WIRE_ROOM_FLAG, .flag = true, .is_listed = true};
    sv_room_set_place(room, 0, SV_PLACE_TAKEN);
    room->places[0].was_joined = true;
    room->places[0].serial = 9;
    room->places[0].session = 1234;
    snprintf(room->places[0].subject, sizeof(room->places[0].subject), "ann");
    sv_room_set_place(room, 2, SV_PLACE_HELD);
    room->places[2].serial = 3;
    room->places[3].serial = 5; /* it is free, and its next token has another serial */
    return room;
}

static void
test_round_trip(void **state)
{
    (void)state;
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX], again[SV_ROOM_RECORD_SIZE_MAX];
    struct sv_room *room = make();
    size_t size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    /* Ten seconds later, in a process whose clock begins at 1 s. */
    struct sv_room *read = sv_room_unpack(bytes, size, WALL_S + 10, SV_NS_PER_S);
    assert_non_null(read);
    assert_int_equal(read->number, 77);
    assert_int_equal(read->state, SV_ROOM_OPEN);
    assert_true(read->is_private && read->has_password && read->is_started);
    assert_false(read->is_locked || read->is_untold);
    assert_int_equal(read->created_s, room->created_s);
    assert_int_equal(read->event_sequence, 12);
    assert_int_equal(read->ends_ns, 81 * SV_NS_PER_S + 1);
    assert_string_equal(read->id, room->id);
    assert_string_equal(read->name, room->name);
    assert_string_equal(read->subject, "ann");
    assert_string_equal(read->template_name, "arena");
    assert_memory_equal(read->salt, room->salt, sizeof(room->salt));
    assert_memory_equal(read->hash, room->hash, sizeof(room->hash));
    assert_int_equal(read->properties.count, 4);
    assert_true(wire_room_properties_fit(&read->properties, &room->properties));
    assert_true(read->properties.list[0].is_listed && !read->properties.list[1].is_listed);
    assert_int_equal(read->place_count, 4);
    assert_int_equal(read->taken, 0);
    assert_int_equal(read->held, 2);
    assert_int_equal(read->places[0].state, SV_PLACE_HELD);
    assert_true(read->places[0].was_joined && !read->places[2].was_joined);
    assert_int_equal(read->places[0].since_ns, SV_NS_PER_S);
    assert_int_equal(read->places[0].session, 0);
    assert_string_equal(read->places[0].subject, "ann");
    assert_int_equal(read->places[2].serial, 3);
    assert_int_equal(read->places[3].serial, 5);
    assert_int_equal(read->places[1].state, SV_PLACE_FREE);
    assert_true(sv_room_pack(read, WALL_S + 10, SV_NS_PER_S, again) <= size);
    sv_room_destroy(read);
    room->is_untold = room->is_locked = true;
    size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    read = sv_room_unpack(bytes, size, WALL_S, NOW_NS);
    assert_non_null(read);
    assert_true(read->is_untold && read->is_locked);
    sv_room_destroy(read);
    sv_room_destroy(room);
}

/* A lifetime that has passed ends at once; without one it never does. */
static void
test_lifetimes(void **state)
{
    (void)state;
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX];
    struct sv_room *room = make();
    size_t size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    struct sv_room *late = sv_room_unpack(bytes, size, WALL_S + 1000, SV_NS_PER_S);
    assert_non_null(late);
    assert_int_equal(late->ends_ns, SV_NS_PER_S + 1);
    sv_room_destroy(late);
    /* A wall clock that was set back prolongs it by a lifetime at most. */
    struct sv_room *back = sv_room_unpack(bytes, size, 1000, SV_NS_PER_S);
    assert_non_null(back);
    assert_true(back->ends_ns <= (WIRE_ROOM_LIFETIME_S_MAX + 1) * SV_NS_PER_S + 1);
    sv_room_destroy(back);
    room->ends_ns = 0;
    size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    struct sv_room *ever = sv_room_unpack(bytes, size, WALL_S + 1000, SV_NS_PER_S);
    assert_non_null(ever);
    assert_int_equal(ever->ends_ns, 0);
    sv_room_destroy(ever);
    sv_room_destroy(room);
}

/* Cut, prolonged and changed records are refused, or are rooms within the limits. */
static void
test_other_bytes(void **state)
{
    (void)state;
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX], wrong[SV_ROOM_RECORD_SIZE_MAX];
    struct sv_room *room = make();
    size_t size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    for (size_t cut = 0; cut < size; cut++) {
        assert_null(sv_room_unpack(bytes, cut, WALL_S, NOW_NS));
    }
    memcpy(wrong, bytes, size);
    wrong[size] = 0;
    assert_null(sv_room_unpack(wrong, size + 1, WALL_S, NOW_NS));
    wrong[0]++;
    assert_null(sv_room_unpack(wrong, size, WALL_S, NOW_NS));
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(wrong, bytes, size);
        wrong[(random >> 20) % size] ^= (unsigned char)(random >> 50 | 1);
        struct sv_room *read = sv_room_unpack(wrong, size, WALL_S, NOW_NS);
        if (read != NULL) {
            assert_true(wire_name_is_id(read->id));
            assert_true(read->place_count <= WIRE_ROOM_SEATS_MAX);
            assert_true(read->properties.count <= WIRE_ROOM_PROPERTIES_MAX);
            assert_true(strlen(read->name) < sizeof(read->name));
            (void)sv_room_pack(read, WALL_S, NOW_NS, wrong);
        }
        sv_room_destroy(read);
    }
    sv_room_destroy(room);
}

/* The largest room fits its buffer. */
static void
test_largest(void **state)
{
    (void)state;
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX];
    struct sv_room *room = sv_room_create(WIRE_ROOM_SEATS_MAX);
    assert_non_null(room);
    room->has_password = true;
    memset(room->id, 'a', sizeof(room->id) - 1);
    memset(room->name, 'a', sizeof(room->name) - 1);
    memset(room->subject, 'a', sizeof(room->subject) - 1);
    memset(room->template_name, 'a', sizeof(room->template_name) - 1);
    room->properties.count = WIRE_ROOM_PROPERTIES_MAX;
    for (int i = 0; i < WIRE_ROOM_PROPERTIES_MAX; i++) {
        memset(room->properties.list[i].name, 'a', WIRE_ROOM_WORD_SIZE - 1);
        memset(room->properties.list[i].text, 'a', WIRE_ROOM_TEXT_SIZE - 1);
    }
    for (uint32_t i = 0; i < room->place_count; i++) {
        memset(room->places[i].subject, 'a', sizeof(room->places[i].subject) - 1);
        sv_room_set_place(room, i, SV_PLACE_TAKEN);
    }
    size_t size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    struct sv_room *read = sv_room_unpack(bytes, size, WALL_S, NOW_NS);
    assert_non_null(read);
    assert_int_equal(read->held, WIRE_ROOM_SEATS_MAX);
    sv_room_destroy(read);
    sv_room_destroy(room);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_lifetimes), cmocka_unit_test(test_other_bytes),
        cmocka_unit_test(test_largest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
