/*
 * test_no_room.c: heap calls are refused, each in turn, alone and with all that follow, while a
 * world is made, grows from a seed, or is made for each of two people.  In other runs the store
 * takes nothing from then on.  The client gets an answer, nothing of the world is left in memory
 * or in the store, and the world beside it continues with the same bits.  The same is tested for
 * the removal of a body, which every client learns of in the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "server/host/fork.h"
#include "server/store/lane_inside.h"
#include "server/world/act/world_persistence.h"

#include <stdio.h>

enum what { SCENE, FORK, FORK_EACH };
enum mode { ONCE, ALWAYS, SHUT }; /* refuses a call; it and all later ones; and shuts the store */

/* ---- the heap ---- */

static int countdown;       /* heap calls until one is refused; 0: all succeed */
static bool is_all_refused; /* and all after it */
static bool is_armed, was_refused;
static struct sv_lane *shut_lane; /* that is full when one is refused; NULL: none */
static size_t shut_capacity;

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
    if (shut_lane != NULL && !was_refused) {
        shut_capacity = shut_lane->capacity;
        shut_lane->capacity = 0;
    }
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
    int created, refused; /* done, for FORK_EACH */
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
    answer->created +=
        report->kind == SV_REPORT_CREATED || report->kind == SV_REPORT_DONE ? 1 : 0;
    if (report->kind == SV_REPORT_REFUSED) {
        answer->refused++;
        snprintf(answer->code, sizeof(answer->code), "%s",
            report->outcome_take != NULL ? report->outcome_take->error.code : "MEMORY");
    }
}

/* Asks for a second world: from the scene of the first, from its state, or one for each of two. */
static void
ask(struct durable_sim *sim, enum what what, struct answer *answer)
{
    struct wire_error error;
    struct sv_asker asker = {.request = 7};
    struct sv_world *first = sim->server.worker.worlds[0];
    if (what == FORK_EACH) {
        const struct wire_fork fork = {.each = true};
        const struct sv_crowd crowd = {
            .asker = {{.session = 98, .seat = 5}, {.session = 99, .seat = 6}}, .count = 2};
        if (!sv_fork_begin(
                &sim->server.host, sim->server.host.worlds[0], &fork, &crowd, &asker, &error)) {
            answer->refused++;
            snprintf(answer->code, sizeof(answer->code), "%s", error.code);
        }
        return;
    }
    struct sv_growth how = {.scene_take = sv_scene_ref(first->scene)};
    if (what == FORK) {
        how.seed_take = sv_world_seed(first, "", &error);
        assert_non_null(how.seed_take);
    }
    assert_true(sv_host_grow_world(&sim->server.host, "other", &how, &asker, &error));
}

static void
arm(int nth, enum mode mode, struct sv_lane *lane)
{
    countdown = nth;
    is_all_refused = mode == ALWAYS;
    shut_lane = mode == SHUT ? lane : NULL;
    was_refused = false;
    is_armed = nth > 0;
}

/*
 * The worker opens the messages without memory.  With FORK_EACH the messages are also written
 * without memory.
 */
static void
run_refused(
    struct durable_sim *sim, enum what what, int nth, enum mode mode, struct answer *answer)
{
    struct sv_lane *lane = sim->server.worker.env.lane;
    if (what != FORK_EACH) {
        ask(sim, what, answer);
    }
    arm(nth, mode, lane);
    if (what == FORK_EACH) {
        ask(sim, what, answer);
    }
    (void)sv_worker_run(&sim->server.worker);
    is_armed = false;
    if (mode == SHUT && was_refused) {
        (void)sv_worker_run(&sim->server.worker);
        lane->capacity = shut_capacity;
    }
    shut_lane = NULL;
}

static bool
has_all(const struct durable_sim *sim, enum what what)
{
    const struct sv_host *host = &sim->server.host;
    return what == FORK_EACH
        ? sv_host_find(host, "pair-1") != NULL && sv_host_find(host, "pair-2") != NULL
        : sv_host_find(host, "other") != NULL;
}

/* The refused order is sent again, and the worlds are made. */
static void
ask_again(struct durable_sim *sim, struct answer *answer, enum what what)
{
    ask(sim, what, answer);
    durable_sim_run(sim, 100);
    assert_int_equal(answer->created, 1);
    assert_true(has_all(sim, what));
}

static void
check_code(const struct answer *answer, enum what what, enum mode mode)
{
    bool is_memory = strcmp(answer->code, "MEMORY") == 0;
    bool is_busy = mode == SHUT && strcmp(answer->code, "BUSY") == 0;
    bool is_sought = what == FORK_EACH && /* the past may be unreadable */
        (strcmp(answer->code, "STATE") == 0 || strcmp(answer->code, "TICK") == 0);
    if (!is_memory && !is_busy && !is_sought) {
        fail_msg("refused with %s", answer->code);
    }
}

/* Whether the nth call was reached; *hash is the first world's hash at a tick. */
static bool
try_one(enum what what, int nth, enum mode mode, bool is_asked_again, uint64_t *hash)
{
    struct durable_sim sim;
    struct client client = {0};
    struct answer answer = {0};
    const int all = what == FORK_EACH ? 3 : 2;
    memset(&sim, 0, sizeof(sim));
    sim.past_ms = what == FORK_EACH ? 600000 : 0;
    durable_sim_boot(&sim, twin_scene_text);
    sim.server.gateway.http_reported = hear;
    sim.server.gateway.http_context = &answer;
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    server_take_drag(&sim.server, connection, ++client.seq, 1, 0.3);
    run_refused(&sim, what, nth, mode, &answer);
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
        check_code(&answer, what, mode);
        assert_false(has_all(&sim, what));
    }
    assert_int_equal(sim.server.host.world_count, is_refused ? 1 : all);
    assert_int_equal(sim.server.worker.world_count, is_refused ? 1 : all);
    assert_null(sim.server.host.rounds);
    if (is_refused && is_asked_again) {
        ask_again(&sim, &answer, what);
    }
    durable_sim_run(&sim, 50);
    durable_sim_kill(&sim);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.recovered.world_count, is_refused && !is_asked_again ? 1 : all);
    assert_int_equal(sim.recovered.failed_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
    return was_reached;
}

static void
try_all(enum what what)
{
    uint64_t expected, hash;
    int calls = 0;
    assert_false(try_one(what, 0, ONCE, false, &expected));
    for (int i = 0; i < 6; i++) {
        int nth = 1;
        while (try_one(what, nth, (enum mode)(i % 3), i >= 3, &hash)) {
            assert_int_equal(hash, expected);
            nth++;
        }
        calls += nth - 1;
    }
    print_message("%d refusals\n", calls);
    assert_true(calls >= 90);
}

static void
test_made(void **state)
{
    (void)state;
    try_all(SCENE);
}

static void
test_forked(void **state)
{
    (void)state;
    try_all(FORK);
}

/* Either both clients have a world, or neither of them has. */
static void
test_forked_for_each(void **state)
{
    (void)state;
    try_all(FORK_EACH);
}

/* ---- a change ---- */

/* Sends the worker an order that removes a body. */
static void
ask_change(struct durable_sim *sim)
{
    struct cn_defect defect;
    struct wire_error error;
    uint8_t bytes[64];
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    char *names[1] = {(char[]){"left"}};
    change.remove = names;
    change.n_remove = 1;
    size_t size = cairn__v1__change__pack(&change, bytes);
    struct sv_host_world *world = sv_host_find(&sim->server.host, "pair");
    struct sv_order *order = calloc(1, sizeof(*order));
    assert_non_null(order);
    *order = (struct sv_order){.kind = WIRE_CONTROL_CHANGE, .origin = world->scene->origin};
    order->change = wire_change_unpack(bytes, size, world->scene->scene, &defect);
    assert_non_null(order->change);
    struct sv_message message = {
        .kind = SV_MESSAGE_ORDER, .asker = {.request = 7}, .order_take = order};
    assert_true(sv_host_send(&sim->server.host, world, &message, &error));
}

/*
 * Whether the nth call was reached.  Whatever call is refused, the host has the scene of the world.
 */
static bool
try_change(int nth, enum mode mode)
{
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    server_read(&sim.server, connection, see, &client);
    ask_change(&sim);
    arm(nth, mode, NULL);
    (void)sv_worker_run(&sim.server.worker);
    is_armed = false;
    bool was_reached = was_refused;
    durable_sim_run(&sim, 200);
    server_read(&sim.server, connection, see, &client);
    const struct sv_world *world = sim.server.worker.worlds[0];
    assert_ptr_equal(sv_host_find(&sim.server.host, "pair")->scene, world->shown);
    assert_true(client.tick + 2 >= cn_world_tick(world->engine));
    assert_int_equal(sv_host_find(&sim.server.host, "pair")->status.generation,
        world->generation);
    assert_int_equal(client.generation, world->generation);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
    return was_reached;
}

static void
test_changed(void **state)
{
    int calls = 0;
    (void)state;
    for (int mode = ONCE; mode <= ALWAYS; mode++) {
        int nth = 1;
        while (try_change(nth, (enum mode)mode)) {
            nth++;
        }
        calls += nth - 1;
    }
    print_message("%d refusals\n", calls);
    assert_true(calls >= 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_forked_for_each),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
