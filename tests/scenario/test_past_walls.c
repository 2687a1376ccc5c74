/*
 * test_past_walls.c: how many seeks, forks, replays and recordings may run at once, and the answer
 * beyond.
 *
 * The test decides when a job of the pool runs, so that the job can be at work while others ask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"
#include "tests/support/server/recording_rig.h"
#include "tests/support/server/store_folder.h"

#include "server/admin/admin.h"
#include "server/admin/recording.h"
#include "server/base/pool.h"
#include "server/host/fork.h"
#include "server/past/recordings.h"
#include "server/past/seek.h"
#include "server/store/store_inside.h"

#include <stdio.h>

struct run {
    struct durable_sim sim;
    struct sv_pool_sim pool;
};

/* A world that has been pushed for a third of a second, and a pool that waits. */
static void
begin(struct run *run, int worlds_max)
{
    memset(run, 0, sizeof(*run));
    run->sim.past_ms = 600000;
    durable_sim_boot(&run->sim, twin_scene_text);
    run->sim.server.host.worlds_max = worlds_max;
    durable_sim_run(&run->sim, 20);
    (void)server_enter(&run->sim.server, (char[]){"ann"});
    durable_sim_run(&run->sim, 330);
    run->sim.server.host.pool = sv_pool_sim(&run->pool);
}

static void
end(struct run *run)
{
    while (sv_pool_sim_run(&run->pool)) {
    }
    durable_sim_run(&run->sim, 20);
    durable_sim_close(&run->sim);
    durable_sim_finish(&run->sim);
}

static struct sv_host_world *
pair(struct run *run)
{
    struct sv_host_world *world = sv_host_find(&run->sim.server.host, "pair");
    assert_non_null(world);
    return world;
}

/* The code of the refusal, or "". */
static const char *
ask(struct run *run, uint64_t session, bool is_replay)
{
    static struct wire_error error;
    const struct sv_asker asker = {.session = session, .request = 1};
    const struct wire_fork fork = {
        .has_tick = true, .tick = 3, .replay = is_replay, .speed = 1.0};
    bool is_good =
        sv_fork_begin(&run->sim.server.host, pair(run), &fork, NULL, &asker, &error);
    if (!is_good && strcmp(error.code, "BUSY") == 0) {
        assert_int_equal(error.retry_ms, SV_BUSY_RETRY_MS);
    }
    return is_good ? "" : error.code;
}

/* ---- ticks that are sought ---- */

static void
test_sought_at_once(void **state)
{
    struct run run;
    struct wire_error error;
    (void)state;
    begin(&run, 100);
    for (int i = 0; i < SV_DIGS_SESSION_MAX; i++) {
        assert_string_equal(ask(&run, 7, false), "");
    }
    assert_string_equal(ask(&run, 7, false), "BUSY");
    for (int i = SV_DIGS_SESSION_MAX; i < SV_DIGS_MAX; i++) {
        assert_string_equal(ask(&run, 100 + (uint64_t)i, i % 2 == 0), "");
    }
    assert_string_equal(ask(&run, 99, false), "BUSY");
    const struct sv_asker http = {.request = 1};
    assert_false(sv_fork_timeline(&run.sim.server.host, pair(&run), &http, &error));
    assert_string_equal(error.code, "BUSY");

    /* One is made: there is room for one more, and for one of that session. */
    assert_true(sv_pool_sim_run(&run.pool));
    assert_string_equal(ask(&run, 7, false), "");
    assert_string_equal(ask(&run, 7, false), "BUSY");
    assert_string_equal(ask(&run, 99, false), "BUSY");
    end(&run);
}

/* ---- replays ---- */

static void
test_replays_at_once(void **state)
{
    struct run run;
    struct sv_host *host = &run.sim.server.host;
    (void)state;
    begin(&run, 2 * SV_REPLAYS_MAX);
    for (int i = 0; i < SV_REPLAYS_MAX - 1; i++) {
        assert_string_equal(ask(&run, 0, true), "");
        assert_true(sv_pool_sim_run(&run.pool));
        durable_sim_run(&run.sim, 1);
    }
    assert_int_equal(host->world_count, SV_REPLAYS_MAX);

    /* The last one counts while it is made, too. */
    assert_string_equal(ask(&run, 0, true), "");
    assert_string_equal(ask(&run, 0, true), "FULL");
    assert_true(sv_pool_sim_run(&run.pool));
    durable_sim_run(&run.sim, 1);
    assert_int_equal(host->world_count, SV_REPLAYS_MAX + 1);
    assert_string_equal(ask(&run, 0, true), "FULL");
    assert_string_equal(ask(&run, 0, false), ""); /* which is no replay */

    /* Replays without viewers end after a while; then there is room. */
    run.sim.server.now_ns += SV_REPLAY_IDLE_NS + SV_NS_PER_S;
    durable_sim_run(&run.sim, 400);
    assert_string_equal(ask(&run, 0, true), "");
    end(&run);
}

/* ---- one for each ---- */

static void
test_one_for_each_of_many(void **state)
{
    (void)state;
    enum { COUNT = SV_FORK_EACH_MAX + 20 };
    struct sv_host_world world = {0};
    struct sv_crowd crowd;
    struct sv_gateway gateway = {0};
    struct sv_seat *seats = calloc(COUNT, sizeof(*seats));
    assert_non_null(seats);
    const struct sv_grant grants[2] = {{.role = AC_ROLE_PLAYER}, {.role = AC_ROLE_INSTRUCTOR}};
    for (int i = COUNT - 1; i >= 0; i--) { /* every tenth instructs */
        seats[i].gateway = &gateway;
        seats[i].session.id = (uint64_t)i;
        seats[i].session.grant = &grants[i % 10 == 0];
        seats[i].world_next = world.seats;
        world.seats = &seats[i];
    }
    sv_gateway_gather(&world, &crowd);
    assert_int_equal(crowd.count, COUNT - COUNT / 10 - 1);
    for (int i = 0, k = 0; i < SV_FORK_EACH_MAX; i++, k++) {
        k += k % 10 == 0 ? 1 : 0;
        assert_int_equal(crowd.asker[i].session, k);
    }
    free(seats);

    struct run run;
    struct wire_error error;
    const struct sv_asker teacher = {.request = 1};
    const struct wire_fork fork = {.each = true};
    begin(&run, 2 * COUNT);
    assert_false(sv_fork_begin(
        &run.sim.server.host, pair(&run), &fork, &crowd, &teacher, &error));
    assert_string_equal(error.code, "LIMIT");
    crowd.count = SV_FORK_EACH_MAX;
    assert_true(sv_fork_begin(
        &run.sim.server.host, pair(&run), &fork, &crowd, &teacher, &error));
    assert_true(sv_pool_sim_run(&run.pool));
    durable_sim_run(&run.sim, 100);
    assert_int_equal(run.sim.server.host.world_count, 1 + SV_FORK_EACH_MAX);
    end(&run);
}

/* ---- timelines ---- */

/* 2,000 inputs, 100 ticks apart. The timeline merges spans beyond its limit and loses no input. */
static void
test_many_spans(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct wire_error error;
    struct dd_entries entries = {0};
    const struct dd_entry settled = {.kind = DD_ENTRY_SETTLED, .settled = {7, 1}};
    (void)state;
    store_folder_make(&folder);
    struct sv_store_config config = store_folder_config(&folder, &disk);
    config.past_ms = 600000;
    config.past_size = 1 << 20;
    config.lane_size = 1 << 20;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 9);
    assert_true(store_put_charter(lane, 1, "first"));
    struct sv_checkpoint *made = sv_checkpoint_create(trail, 0, 77);
    sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
    assert_true(sv_lane_checkpoint(lane, made) != 0);
    assert_true(dd_entries_add(&entries, &settled));
    for (uint64_t i = 0; i < 2000; i++) {
        assert_true(sv_lane_append(lane, &trail, 100 * i, 0, 0, entries.bytes, entries.size) != 0);
    }
    for (int i = 0; i < 8; i++) {
        (void)sv_store_keep_one(store);
        (void)sv_store_commit_now(store);
    }
    const struct sv_seek seek = {.store = store, .number = 1, .tick_rate = 60.0};
    char *text = sv_seek_timeline(&seek, &error);
    assert_non_null(text);
    int spans = 0, inputs = 0;
    for (const char *at = text; (at = strstr(at, "\"count\": ")) != NULL; at++) {
        spans++;
        inputs += atoi(at + 9);
    }
    assert_in_range(spans, 1, SV_TIMELINE_SPANS_MAX);
    assert_int_equal(inputs, 2000);
    free(text);
    dd_entries_finish(&entries);
    assert_true(sv_store_close(store, &fault));
    store_folder_remove(&folder);
}

/* ---- recordings ---- */

struct answers {
    int count, status;
};

static void
answer(void *context, uint32_t token, const struct sv_http_response *response_take)
{
    struct answers *answers = context;
    assert_true(token > 0);
    answers->count++;
    answers->status = response_take->status;
    sv_buffer_unref(response_take->body);
}

/* The status; 0: it follows. */
static int
request(struct sv_admin *admin, enum sv_http_method method, const char *path)
{
    const struct sv_http_request request = {.method = method,
        .path = path,
        .content_type = method == SV_HTTP_POST ? SV_RECORDING_TYPE : "",
        .if_none_match = "",
        .body = "no recording",
        .body_size = method == SV_HTTP_POST ? 12 : 0,
        .token = 1};
    struct sv_http_response response;
    if (!sv_admin_handle(admin, &request, &response)) {
        return 0;
    }
    sv_buffer_unref(response.body);
    return response.status;
}

static void
test_recordings_at_once(void **state)
{
    struct run run;
    struct answers answers = {0};
    (void)state;
    begin(&run, 100);
    struct sv_admin admin = {.host = &run.sim.server.host,
        .metrics = &run.sim.server.metrics,
        .reply = answer,
        .reply_context = &answers};
    assert_int_equal(request(&admin, SV_HTTP_POST, "/v1/worlds/a/recording"), 0);
    assert_int_equal(request(&admin, SV_HTTP_GET, "/v1/worlds/pair/recording"), 0);
    assert_int_equal(request(&admin, SV_HTTP_GET, "/v1/worlds/pair/recording"), 429);
    assert_int_equal(request(&admin, SV_HTTP_POST, "/v1/worlds/b/recording"), 429);
    assert_true(sv_pool_sim_run(&run.pool));
    assert_int_equal(answers.status, 400);
    assert_int_equal(request(&admin, SV_HTTP_GET, "/v1/worlds/pair/recording"), 0);
    assert_true(sv_pool_sim_run(&run.pool));
    assert_int_equal(answers.status, 200);
    assert_int_equal(answers.count, 2);
    assert_int_equal(request(&admin, SV_HTTP_POST, "/v1/worlds/pair/recording"), 409);
    end(&run);
}

static void
test_a_recording_is_too_large(void **state)
{
    struct run run;
    struct wire_error error;
    (void)state;
    begin(&run, 100);
    struct sv_store *store = run.sim.store;
    uint64_t number = pair(&run)->mailbox.number;
    struct sv_buffer *whole =
        sv_recordings_export(store, number, "pair", SV_RECORDING_SIZE_MAX, &error);
    assert_non_null(whole);
    struct sv_buffer *same = sv_recordings_export(store, number, "pair", whole->size, &error);
    assert_non_null(same);
    assert_null(sv_recordings_export(store, number, "pair", whole->size - 1, &error));
    assert_string_equal(error.code, "SIZE");
    sv_buffer_unref(whole);
    sv_buffer_unref(same);
    end(&run);
}

/* ---- doing an imported one again ---- */

static uint64_t
second_by_second(void *context)
{
    uint64_t *now_ns = context;
    return *now_ns += SV_NS_PER_S;
}

/* The import reads the clock every sixteenth step; each reading is one second later. */
static void
test_an_import_takes_too_long(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct sv_metrics metrics = {0};
    struct wire_error error;
    uint64_t now_ns = 0;
    atomic_bool is_stopping = false;
    recording_make(&file, 600, 64, false, 4.0);
    struct sv_import import = {.bytes = (const char *)file.bytes,
        .size = file.size,
        .clock = sv_clock_simulated(&now_ns),
        .duration_max_ns = SV_IMPORT_DURATION_NS,
        .is_stopping = &is_stopping,
        .metrics = &metrics};
    struct sv_seed *seed = sv_recordings_import(&import, &error);
    assert_non_null(seed);
    sv_seed_destroy(seed);
    import.clock.now_ns = second_by_second;
    assert_null(sv_recordings_import(&import, &error));
    assert_string_equal(error.code, "LIMIT");
    assert_non_null(strstr(error.text, "30 s"));
    import.clock = sv_clock_simulated(&now_ns);
    is_stopping = true;
    assert_null(sv_recordings_import(&import, &error));
    assert_string_equal(error.code, "STOPPING");
    free(file.bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sought_at_once),
        cmocka_unit_test(test_replays_at_once),
        cmocka_unit_test(test_one_for_each_of_many),
        cmocka_unit_test(test_many_spans),
        cmocka_unit_test(test_recordings_at_once),
        cmocka_unit_test(test_a_recording_is_too_large),
        cmocka_unit_test(test_an_import_takes_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
