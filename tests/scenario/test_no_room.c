/*
 * test_no_room.c: a world is made, or grows from a seed, while the worker's heap calls are refused,
 * each in turn, alone and with all that follow: who asked is told, nothing is left of it, in memory
 * or in the store, and the world beside it goes on to the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/durable_client.h"

#include <stdio.h>

/* ---- the heap ---- */

static int countdown;       /* heap calls until one is refused; 0: none is */
static bool is_all_refused; /* and all after it */
static bool is_armed, was_refused;

/* Linked with -Wl,--wrap: every heap call of the program passes here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool
grant(void)
{
    if (!is_armed || countdown == 0 || --countdown > 0) {
        return true;
    }
    countdown = is_all_refused ? 1 : 0;
    was_refused = true;
    return false;
}

void *
__wrap_malloc(size_t size)
{
    return grant() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return grant() ? __real_calloc(count, size) : NULL;
}

void *
__wrap_realloc(void *memory, size_t size)
{
    return grant() ? __real_realloc(memory, size) : NULL;
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return grant() ? __real_aligned_alloc(alignment, size) : NULL;
}

/* ---- the daemon ---- */

struct answer {
    int created, refused;
    char code[WIRE_CODE_SIZE];
};

static void
hear(void *context, struct sv_host_world *world, const struct sv_report *report)
{
    struct answer *answer = context;
    (void)world;
    if (report->asker.request != 7) {
        return;
    }
    answer->created += report->kind == SV_REPORT_CREATED ? 1 : 0;
    if (report->kind == SV_REPORT_REFUSED) {
        answer->refused++;
        snprintf(answer->code, sizeof(answer->code), "%s",
            report->outcome_take != NULL ? report->outcome_take->error.code : "MEMORY");
    }
}

/* Asks for a second world: of the scene of the first, or of the first as it is. */
static void
ask(struct durable_sim *sim, bool is_fork)
{
    struct wire_error error;
    struct sv_asker asker = {.request = 7};
    struct sv_world *first = sim->server.worker.worlds[0];
    struct sv_growth how = {.scene_take = sv_scene_ref(first->scene)};
    if (is_fork) {
        how.seed_take = sv_world_seed(first, "", &error);
        assert_non_null(how.seed_take);
    }
    assert_true(sv_host_grow_world(&sim->server.host, "other", &how, &asker, &error));
}

/* One run of the worker without memory, in which the letter is opened. */
static void
run_refused(struct durable_sim *sim, int nth, bool is_all)
{
    countdown = nth;
    is_all_refused = is_all;
    was_refused = false;
    is_armed = nth > 0;
    (void)sv_worker_run(&sim->server.worker);
    is_armed = false;
}

/* What was refused is asked for again and made; the process dies, and both worlds come back. */
static void
ask_again(struct durable_sim *sim, struct answer *answer, bool is_fork)
{
    ask(sim, is_fork);
    durable_sim_run(sim, 100);
    assert_int_equal(answer->created, 1);
    assert_non_null(sv_host_find(&sim->server.host, "other"));
}

/* Whether the nth call was reached; *hash is the first world's, at a tick. */
static bool
try_one(bool is_fork, int nth, bool is_all, bool is_asked_again, uint64_t *hash)
{
    struct durable_sim sim;
    struct client client = {0};
    struct answer answer = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    sim.server.gateway.http_reported = hear;
    sim.server.gateway.http_context = &answer;
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    server_take_drag(&sim.server, connection, ++client.seq, 1, 0.3);
    ask(&sim, is_fork);
    run_refused(&sim, nth, is_all);
    bool was_reached = was_refused;
    durable_sim_run(&sim, 200);
    server_read(&sim.server, connection, see, &client);
    assert_int_equal(answer.created + answer.refused, 1);
    assert_int_equal(client.applied_seq, 1);
    const struct cn_world *first = sim.server.worker.worlds[0]->engine;
    assert_true(client.rejected_count == 0 && client.tick + 2 >= cn_world_tick(first));
    *hash = cn_world_hash(first);
    bool is_refused = answer.refused == 1;
    if (is_refused) {
        assert_string_equal(answer.code, "MEMORY");
        assert_null(sv_host_find(&sim.server.host, "other"));
        assert_int_equal(sim.server.host.world_count, 1);
        assert_int_equal(sim.server.worker.world_count, 1);
    }
    if (is_refused && is_asked_again) {
        ask_again(&sim, &answer, is_fork);
    }
    durable_sim_run(&sim, 50);
    durable_sim_kill(&sim);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.recovered.world_count, is_refused && !is_asked_again ? 1 : 2);
    assert_int_equal(sim.recovered.failed_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
    return was_reached;
}

static void
try_all(bool is_fork)
{
    uint64_t expected, hash;
    int calls = 0;
    assert_false(try_one(is_fork, 0, false, false, &expected));
    for (int mode = 0; mode < 4; mode++) {
        int nth = 1;
        while (try_one(is_fork, nth, mode % 2 == 1, mode / 2 == 1, &hash)) {
            assert_int_equal(hash, expected);
            nth++;
        }
        calls += nth - 1;
    }
    print_message("%d refusals\n", calls);
    assert_true(calls >= 60);
}

static void
test_made(void **state)
{
    (void)state;
    try_all(false);
}

static void
test_forked(void **state)
{
    (void)state;
    try_all(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_forked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
