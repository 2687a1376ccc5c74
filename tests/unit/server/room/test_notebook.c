/*
 * test_notebook.c: notes reach the store in the order in which they were put, also when they had
 * to wait for a full lane.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/room/notebook.h"
#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

struct rig {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    struct sv_notebook notebook;
    uint64_t now_ns;
    char seen[64]; /* "number=bytes;" of each visited note */
};

static void
open_rig(struct rig *rig)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(&rig->folder, &rig->disk);
    config.clock = sv_clock_simulated(&rig->now_ns);
    rig->store = sv_store_open(&config, &fault);
    if (rig->store == NULL) {
        fail_msg("%s", fault.text);
    }
    sv_notebook_init(&rig->notebook, rig->store, 0);
}

static void
close_rig(struct rig *rig)
{
    sv_notebook_finish(&rig->notebook);
    sv_store_abandon(rig->store);
}

static uint64_t
put(struct rig *rig, unsigned value)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", value);
    const struct sv_note note = {
        .shelf = SV_SHELF_ROOM, .number = 1, .bytes = text, .size = strlen(text)};
    return sv_notebook_put(&rig->notebook, &note, 1);
}

static void
commit(struct rig *rig)
{
    rig->now_ns += SV_STORE_PERIOD_NS;
    (void)sv_store_run_journal(rig->store);
}

static bool
see(void *context, const struct sv_note *note)
{
    struct rig *rig = context;
    size_t used = strlen(rig->seen);
    snprintf(rig->seen + used, sizeof(rig->seen) - used, "%u=%.*s;", (unsigned)note->number,
        (int)note->size, (const char *)note->bytes);
    return true;
}

/* A note that is put while older ones wait waits behind them, although the lane has room again. */
static void
test_order_of_a_full_lane(void **state)
{
    (void)state;
    struct rig rig = {0};
    struct sv_fault fault;
    char expected[16];
    unsigned value = 0;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    assert_true(sv_notebook_is_open(&rig.notebook));
    while (rig.notebook.waiting_count < 3) {
        value++;
        assert_int_equal(put(&rig, value), value);
    }
    assert_true(value > 3); /* the lane took some */
    assert_false(sv_notebook_is_open(&rig.notebook));
    commit(&rig);
    uint64_t last = put(&rig, ++value);
    assert_int_equal(rig.notebook.waiting_count, 4);
    sv_notebook_poll(&rig.notebook);
    assert_int_equal(rig.notebook.waiting_count, 0);
    assert_true(sv_notebook_is_durable(&rig.notebook, last - 4)); /* what the lane had */
    assert_false(sv_notebook_is_durable(&rig.notebook, last - 3));
    commit(&rig);
    sv_notebook_poll(&rig.notebook);
    assert_true(sv_notebook_is_durable(&rig.notebook, last));
    assert_true(sv_notebook_is_open(&rig.notebook));
    close_rig(&rig);
    open_rig(&rig);
    assert_true(sv_store_notes(rig.store, SV_SHELF_ROOM, see, &rig, &fault));
    snprintf(expected, sizeof(expected), "1=%u;", value);
    assert_string_equal(rig.seen, expected);
    close_rig(&rig);
    store_folder_remove(&rig.folder);
}

/* A slow commit refuses nothing; a full disk does. */
static void
test_slow_and_full_disk(void **state)
{
    (void)state;
    struct rig rig = {.now_ns = SV_STORE_SPACING_NS};
    store_folder_make(&rig.folder);
    open_rig(&rig);
    atomic_store(&rig.store->commit_began_ns, rig.now_ns);
    rig.now_ns += SV_STORE_STALL_NS + 1;
    assert_int_equal(sv_store_look(rig.store, NULL), SV_STORE_STALLED);
    assert_true(sv_notebook_is_open(&rig.notebook));
    assert_int_equal(put(&rig, 1), 1);
    assert_int_equal(rig.notebook.waiting_count, 0);
    atomic_store(&rig.store->commit_began_ns, 0);
    atomic_store(&rig.store->gate.state, SV_STORE_READ_ONLY);
    assert_false(sv_notebook_is_open(&rig.notebook));
    close_rig(&rig);
    store_folder_remove(&rig.folder);
}

/* Without a store everything is durable at once. */
static void
test_without_a_store(void **state)
{
    (void)state;
    struct rig rig = {0};
    sv_notebook_init(&rig.notebook, NULL, 0);
    assert_true(sv_notebook_is_open(&rig.notebook));
    assert_true(sv_notebook_is_durable(&rig.notebook, put(&rig, 1)));
    sv_notebook_flush(&rig.notebook);
    sv_notebook_poll(&rig.notebook);
    assert_true(sv_notebook_is_durable(&rig.notebook, put(&rig, 2)));
    sv_notebook_finish(&rig.notebook);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_of_a_full_lane),
        cmocka_unit_test(test_slow_and_full_disk), cmocka_unit_test(test_without_a_store)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
