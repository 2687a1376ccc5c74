/*
 * test_news.c: the news for the logic of a world: order, numbers, bounds, section of a checkpoint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/little_endian.h"
#include "engine/base/rng.h"
#include "server/world/data/logic.h"

#include <stdlib.h>
#include <string.h>

static struct dd_entry
said(uint64_t session, const char *text)
{
    struct dd_entry entry = {.kind = DD_ENTRY_SAID,
        .said = {.session = session, .is_text = true, .channel = "c",
            .bytes = (const unsigned char *)text, .size = strlen(text)}};
    return entry;
}

/* One of each kind; numbers 0 to 3. */
static struct sv_logic *
make_logic(void)
{
    struct sv_logic *logic = sv_logic_create();
    const struct cn_event event = {
        .kind = CN_EVENT_SENSOR_BEGIN, .body_a = 3, .body_b = -1, .value = 0.5};
    struct dd_entry hello = said(9, "hello");
    logic->events = true;
    sv_logic_add_member(logic, 5, 9, false);
    sv_logic_add_event(logic, 6, &event);
    assert_true(sv_logic_add_said(logic, 6, &hello));
    sv_logic_add_member(logic, 7, 9, true);
    return logic;
}

static void
test_answers(void **state)
{
    (void)state;
    struct sv_logic *logic = make_logic();
    assert_int_equal(logic->count, 4);
    assert_int_equal(logic->said_count, 1);
    assert_int_equal(logic->said_size, 5);
    logic->cursor = 4;
    sv_logic_answer(logic, 11, 2);
    assert_int_equal(logic->first, 2);
    assert_int_equal(logic->count, 2);
    assert_int_equal(logic->answered, 11);
    assert_int_equal(logic->cursor, 4);
    assert_int_equal(logic->news[0].kind, SV_NEWS_SAID);
    assert_string_equal(logic->news[0].heard->content, "hello");
    sv_logic_answer(logic, 12, 2); /* nothing more */
    assert_int_equal(logic->count, 2);
    sv_logic_rewind(logic);
    assert_int_equal(logic->cursor, 2);
    sv_logic_answer(logic, 13, 99); /* beyond the end */
    assert_int_equal(logic->count, 0);
    assert_int_equal(logic->first, 4);
    assert_int_equal(logic->said_count, 0);
    assert_int_equal(logic->said_size, 0);
    assert_int_equal(logic->cursor, 4);
    sv_logic_destroy(logic);
    sv_logic_destroy(NULL);
}

/* Messages have a room of their own: events cannot use it up, nor be used up by it. */
static void
test_bounds(void **state)
{
    (void)state;
    struct sv_logic *logic = sv_logic_create();
    const struct cn_event event = {.kind = CN_EVENT_CONTACT_HIT};
    char large[WIRE_SAY_SIZE_MAX + 1];
    logic->events = true;
    for (int i = 0; i < SV_LOGIC_NEWS_MAX + 3; i++) {
        sv_logic_add_event(logic, 1, &event);
    }
    assert_int_equal(logic->count, SV_LOGIC_NEWS_MAX);
    assert_int_equal(logic->dropped, 3);
    sv_logic_add_member(logic, 1, 4, false);
    assert_int_equal(logic->dropped, 4);
    struct dd_entry small = said(1, "x");
    for (int i = 0; i < SV_LOGIC_SAID_MAX; i++) {
        assert_true(sv_logic_has_room(logic, 1));
        assert_true(sv_logic_add_said(logic, 1, &small));
    }
    assert_false(sv_logic_has_room(logic, 0));
    sv_logic_answer(logic, 1, SV_LOGIC_NEWS_MAX + SV_LOGIC_SAID_MAX);
    assert_int_equal(logic->count, 0);
    memset(large, 'a', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    struct dd_entry entry = said(1, large);
    size_t count = SV_LOGIC_SAID_SIZE_MAX / WIRE_SAY_SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        assert_true(sv_logic_has_room(logic, WIRE_SAY_SIZE_MAX));
        assert_true(sv_logic_add_said(logic, 1, &entry));
    }
    assert_true(sv_logic_has_room(logic, 0));
    assert_false(sv_logic_has_room(logic, 1));
    sv_logic_destroy(logic);
}

static struct sv_logic *
read_part(const struct dd_entries *part, size_t size)
{
    unsigned char *copy = malloc(size + 1); /* so that a sanitizer sees a read beyond the end */
    memcpy(copy, part->bytes, size);
    struct sv_logic *logic = sv_logic_read(copy, size);
    free(copy);
    return logic;
}

/* The section is read again to the same bytes, and no part of it is a section. */
static void
test_section(void **state)
{
    (void)state;
    struct sv_logic *logic = make_logic();
    struct dd_entries part = {0}, again = {0};
    logic->dropped = 7;
    sv_logic_answer(logic, 41, 1);
    assert_true(sv_logic_write(logic, &part));
    struct sv_logic *read = read_part(&part, part.size);
    assert_non_null(read);
    assert_true(read->events);
    assert_int_equal(read->answered, 41);
    assert_int_equal(read->acted, 41);
    assert_int_equal(read->number, 41);
    assert_int_equal(read->first, 1);
    assert_int_equal(read->cursor, 1);
    assert_int_equal(read->dropped, 7);
    assert_int_equal(read->count, 3);
    assert_int_equal(read->said_count, 1);
    assert_int_equal(read->news[0].event.kind, CN_EVENT_SENSOR_BEGIN);
    assert_int_equal(read->news[0].event.body_a, 3);
    assert_int_equal(read->news[0].event.body_b, -1);
    assert_true(read->news[0].event.value == 0.5);
    assert_int_equal(read->news[2].kind, SV_NEWS_LEFT);
    assert_false(read->is_on);
    assert_true(sv_logic_write(read, &again));
    assert_int_equal(again.size, part.size);
    assert_memory_equal(again.bytes, part.bytes, part.size);
    for (size_t size = 0; size < part.size; size++) {
        assert_null(read_part(&part, size));
    }
    sv_logic_destroy(read);
    sv_logic_destroy(logic);
    dd_entries_finish(&part);
    dd_entries_finish(&again);
}

/* Changed bytes are refused, or are another section that reads to the same bytes. */
static void
test_crafted(void **state)
{
    (void)state;
    struct cn_rng rng = {5};
    struct sv_logic *logic = make_logic();
    struct dd_entries part = {0};
    assert_true(sv_logic_write(logic, &part));
    sv_logic_destroy(logic);
    int good = 0;
    for (int round = 0; round < 20000; round++) {
        struct dd_entries crafted = {0}, again = {0};
        assert_true(dd_entries_add_bytes(&crafted, part.bytes, part.size));
        for (uint64_t i = cn_rng_next(&rng) % 3; i < 3; i++) {
            crafted.bytes[cn_rng_next(&rng) % crafted.size] = (unsigned char)cn_rng_next(&rng);
        }
        logic = read_part(&crafted, crafted.size);
        if (logic != NULL) {
            good++;
            assert_true(sv_logic_write(logic, &again));
            assert_int_equal(again.size, crafted.size);
        }
        sv_logic_destroy(logic);
        dd_entries_finish(&crafted);
        dd_entries_finish(&again);
    }
    assert_in_range(good, 1000, 19000);
    /* a count beyond the news, and one beyond all bounds */
    cn_put_u32(part.bytes + 25, 5);
    assert_null(read_part(&part, part.size));
    cn_put_u32(part.bytes + 25, UINT32_MAX);
    assert_null(read_part(&part, part.size));
    dd_entries_finish(&part);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_section),
        cmocka_unit_test(test_crafted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
