/*
 * test_hooks.c: events are sent in the order of their room, after they are durable, until they are
 * confirmed; and a receiver can compute the same signature.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/room/hooks.h"
#include "server/room/webhook.h"
#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rig {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    struct sv_notebook notebook;
    struct sv_hooks hooks;
    struct sv_poster_sim poster;
    struct sv_log log;
    struct sv_metrics metrics;
    uint64_t now_ns, random;
};

static void
drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

static bool
see(void *context, const struct sv_note *note)
{
    struct rig *rig = context;
    assert_true(sv_hooks_load(&rig->hooks, note));
    return true;
}

static void
open_rig(struct rig *rig)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(&rig->folder, &rig->disk);
    struct sv_clock clock = sv_clock_simulated(&rig->now_ns);
    config.clock = clock;
    rig->store = sv_store_open(&config, &fault);
    assert_non_null(rig->store);
    sv_log_init(&rig->log, SV_LOG_ERROR, clock);
    rig->log.write = drop_line;
    sv_notebook_init(&rig->notebook, rig->store, 0);
    sv_hooks_init(&rig->hooks, &rig->notebook, clock, sv_random_simulated(&rig->random),
        &rig->log, &rig->metrics);
    rig->hooks.poster = sv_poster_sim(&rig->poster);
    assert_true(sv_store_notes(rig->store, SV_SHELF_HOOK, see, rig, &fault));
}

static void
kill_rig(struct rig *rig)
{
    sv_store_abandon(rig->store);
    sv_hooks_finish(&rig->hooks);
    sv_notebook_finish(&rig->notebook);
}

static void
begin(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    rig->now_ns = SV_NS_PER_S;
    store_folder_make(&rig->folder);
    open_rig(rig);
}

static void
end(struct rig *rig)
{
    kill_rig(rig);
    store_folder_remove(&rig->folder);
}

/* An event whose body is the text. */
static void
add(struct rig *rig, uint64_t room, const char *text)
{
    char id[SV_EVENT_ID_SIZE];
    struct sv_note note;
    assert_true(sv_hooks_make_id(&rig->hooks, id));
    struct sv_hook_event *event = sv_hooks_add(&rig->hooks, room, id, strdup(text), &note);
    sv_hooks_put(event, sv_notebook_put(&rig->notebook, &note, 1));
}

static void
commit(struct rig *rig)
{
    rig->now_ns += SV_STORE_PERIOD_NS;
    (void)sv_store_run_journal(rig->store);
    sv_notebook_poll(&rig->notebook);
    sv_hooks_poll(&rig->hooks);
}

/* The bodies that are on their way, as "a b c". */
static const char *
sent(const struct rig *rig)
{
    static char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < rig->poster.count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s", i > 0 ? " " : "",
            (int)rig->poster.posts[i].size, rig->poster.posts[i].body);
    }
    return text;
}

static void
decide(struct rig *rig, int index, bool is_delivered)
{
    sv_poster_sim_decide(&rig->poster, index, is_delivered);
    sv_hooks_poll(&rig->hooks);
}

static void
test_order(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    add(&rig, 1, "a1");
    add(&rig, 1, "a2");
    add(&rig, 2, "b1");
    add(&rig, 1, "a3");
    sv_hooks_poll(&rig.hooks);
    assert_string_equal(sent(&rig), ""); /* not before it is durable */
    commit(&rig);
    assert_string_equal(sent(&rig), "a1 b1");
    decide(&rig, 1, true);
    assert_string_equal(sent(&rig), "a1");
    decide(&rig, 0, true);
    assert_string_equal(sent(&rig), "a2");
    decide(&rig, 0, false);
    assert_string_equal(sent(&rig), "");
    commit(&rig); /* a second later it is sent again, before a3 */
    assert_string_equal(sent(&rig), "a2");
    decide(&rig, 0, true);
    assert_string_equal(sent(&rig), "a3");
    decide(&rig, 0, true);
    assert_int_equal(rig.hooks.event_count, 0);
    assert_int_equal(rig.hooks.size, 0);
    assert_null(rig.hooks.lines);
    end(&rig);
}

/* At most so many are on their way, each of another room. */
static void
test_at_once(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    for (uint64_t room = 1; room <= SV_HOOKS_AT_ONCE + 3; room++) {
        add(&rig, room, "x");
    }
    commit(&rig);
    assert_int_equal(rig.poster.count, SV_HOOKS_AT_ONCE);
    decide(&rig, 0, true);
    assert_int_equal(rig.poster.count, SV_HOOKS_AT_ONCE);
    while (rig.poster.count > 0) {
        decide(&rig, 0, true);
    }
    assert_int_equal(rig.hooks.event_count, 0);
    end(&rig);
}

/* The pause doubles, from half a second to a second, up to 150 to 300 s. */
static void
test_pauses(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    add(&rig, 1, "x");
    commit(&rig);
    uint64_t wanted_ns = SV_HOOK_RETRY_NS;
    for (int i = 0; i < 14; i++) {
        assert_int_equal(rig.poster.count, 1);
        decide(&rig, 0, false);
        uint64_t pause_ns = rig.hooks.lines->next_ns - rig.now_ns;
        assert_true(pause_ns <= wanted_ns && pause_ns > wanted_ns / 2);
        rig.now_ns = rig.hooks.lines->next_ns - 1;
        sv_hooks_poll(&rig.hooks);
        assert_int_equal(rig.poster.count, 0);
        rig.now_ns++;
        sv_hooks_poll(&rig.hooks);
        wanted_ns = 2 * wanted_ns < SV_HOOK_RETRY_MAX_NS ? 2 * wanted_ns : SV_HOOK_RETRY_MAX_NS;
    }
    end(&rig);
}

/* A killed process sends again what was not confirmed, with the same ids, in the same order. */
static void
test_kill(void **state)
{
    (void)state;
    struct rig rig;
    char id[3][SV_EVENT_ID_SIZE];
    begin(&rig);
    add(&rig, 1, "a1");
    add(&rig, 1, "a2");
    add(&rig, 2, "b1");
    commit(&rig);
    memcpy(id[0], rig.poster.posts[0].id, sizeof(id[0]));
    memcpy(id[1], rig.poster.posts[1].id, sizeof(id[1]));
    decide(&rig, 0, true); /* the removal is not committed */
    memcpy(id[2], rig.poster.posts[1].id, sizeof(id[2]));
    assert_string_not_equal(id[0], id[2]);
    add(&rig, 3, "lost");
    kill_rig(&rig);
    open_rig(&rig);
    sv_hooks_poll(&rig.hooks);
    assert_string_equal(sent(&rig), "a1 b1");
    assert_string_equal(rig.poster.posts[0].id, id[0]);
    assert_string_equal(rig.poster.posts[1].id, id[1]);
    decide(&rig, 0, true);
    assert_string_equal(rig.poster.posts[1].id, id[2]);
    commit(&rig); /* now the removal of a1 is durable */
    add(&rig, 1, "a3");
    commit(&rig);
    kill_rig(&rig);
    open_rig(&rig);
    sv_hooks_poll(&rig.hooks);
    assert_string_equal(sent(&rig), "a2 b1");
    decide(&rig, 0, true);
    assert_string_equal(sent(&rig), "b1 a3");
    end(&rig);
}

/* While the store takes nothing, notes wait in their order; nothing is sent before. */
static void
test_closed_store(void **state)
{
    (void)state;
    struct rig rig;
    begin(&rig);
    atomic_store(&rig.store->gate.state, SV_STORE_READ_ONLY);
    assert_false(sv_notebook_is_open(&rig.notebook));
    add(&rig, 1, "a1");
    add(&rig, 1, "a2");
    commit(&rig);
    assert_int_equal(rig.notebook.waiting_count, 2);
    assert_int_equal(rig.poster.count, 0);
    atomic_store(&rig.store->gate.state, SV_STORE_WRITING);
    assert_false(sv_notebook_is_open(&rig.notebook)); /* the waiting ones go first */
    sv_notebook_poll(&rig.notebook);
    assert_true(sv_notebook_is_open(&rig.notebook));
    commit(&rig);
    assert_string_equal(sent(&rig), "a1");
    kill_rig(&rig);
    open_rig(&rig);
    sv_hooks_poll(&rig.hooks);
    assert_string_equal(sent(&rig), "a1");
    assert_int_equal(rig.hooks.event_count, 2);
    end(&rig);
}

/* As Python's hmac computes it from the key "Jefe" and the text "1800000000.{}". */
static void
test_signature(void **state)
{
    (void)state;
    char signature[SV_SIGNATURE_SIZE];
    sv_webhook_sign((const unsigned char *)"Jefe", 4, 1800000000, "{}", 2, signature);
    assert_string_equal(signature,
        "v1=563cca7abd54f48855c1c9484a5a2a001686eff21ce90de8ef9f8df772a78c46");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
        cmocka_unit_test(test_at_once), cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_kill), cmocka_unit_test(test_closed_store),
        cmocka_unit_test(test_signature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
