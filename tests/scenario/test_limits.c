/*
 * test_limits.c: the daemon's behaviour at its limits, with the daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/snapshot/publication.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>

struct client {
    int joined_count, snapshot_count, away_count;
    uint64_t session;
    uint8_t token[WIRE_RESUME_SIZE];
    bool is_resumed;
    char rejected[16];
    uint32_t retry_ms;
};

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        client->session = message->welcome->session;
        client->is_resumed = message->welcome->resumed;
        if (message->welcome->resume.len == WIRE_RESUME_SIZE) {
            memcpy(client->token, message->welcome->resume.data, WIRE_RESUME_SIZE);
        }
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        client->snapshot_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        client->retry_ms = message->rejected->error->retry_ms;
        break;
    default:
        break;
    }
}

static int
enter_keeping(struct server *server, const uint8_t *token)
{
    int connection = sv_sim_connect(&server->transport);
    uint8_t copy[WIRE_RESUME_SIZE];
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"ann"};
    hello.keep = true;
    if (token != NULL) {
        memcpy(copy, token, sizeof(copy));
        hello.resume.data = copy;
        hello.resume.len = sizeof(copy);
    }
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    server_take(server, connection, &message);
    return connection;
}

/*
 * Runs for `duration_ms`, and reads every second, so that the transport's twin can hold the
 * messages.
 */
static void
run(struct server *server, int connection, struct client *client, uint64_t duration_ms)
{
    for (; duration_ms > 0; duration_ms -= duration_ms < 1000 ? duration_ms : 1000) {
        server_run(server, duration_ms < 1000 ? duration_ms : 1000);
        server_read(server, connection, see, client);
    }
}

/*
 * A client that takes no tick for ten seconds is closed.  Its session is kept, and it can resume.
 */
static void
test_a_reader_that_stops(void **state)
{
    (void)state;
    static struct server server;
    struct client ann = {0}, bob = {0};
    server_init(&server);
    int a = enter_keeping(&server, NULL);
    server_take_join(&server, a);
    int b = server_enter(&server, (char[]){"bob"});
    server_run(&server, 100);
    server_read(&server, a, see, &ann);
    sv_sim_block(&server.transport, a, true);
    run(&server, b, &bob, 9000);
    assert_int_equal(sv_sim_close_code(&server.transport, a), 0);
    run(&server, b, &bob, 7000);
    assert_int_equal(sv_sim_close_code(&server.transport, a), 1013);
    assert_true(bob.snapshot_count > 15 * 60); /* a client that reads gets every tick */
    assert_int_equal(sv_sim_close_code(&server.transport, b), 0);
    assert_int_equal(server.metrics.slow_closed, 1);
    sv_sim_disconnect(&server.transport, a);
    uint64_t session = ann.session;
    uint8_t token[WIRE_RESUME_SIZE];
    memcpy(token, ann.token, sizeof(token));
    run(&server, b, &bob, 1000);
    assert_int_equal(server.metrics.clients_away, 1);
    a = enter_keeping(&server, token);
    run(&server, a, &ann, 500);
    assert_true(ann.is_resumed);
    assert_int_equal(ann.session, session);
    server_finish(&server);
}

/*
 * A client that takes three ticks a second is not closed.  Without anything to send no client
 * counts as slow.
 */
static void
test_a_slow_reader_is_borne(void **state)
{
    (void)state;
    static struct server server;
    struct client ann = {0};
    server_init(&server);
    int a = server_enter(&server, (char[]){"ann"});
    server_run(&server, 100);
    server_read(&server, a, see, &ann);
    int before = ann.snapshot_count;
    for (int i = 0; i < 60; i++) {
        sv_sim_block(&server.transport, a, true);
        server_run(&server, 330);
        sv_sim_block(&server.transport, a, false); /* it gets the newest tick, and one more */
        server_read(&server, a, see, &ann);
    }
    assert_int_equal(sv_sim_close_code(&server.transport, a), 0);
    assert_in_range(ann.snapshot_count - before, 40, 130);
    server_take_control(&server, a, CAIRN__V1__CONTROL__ACTION_PAUSE);
    server_run(&server, 50);
    sv_sim_block(&server.transport, a, true);
    server_run(&server, 30000);
    assert_int_equal(sv_sim_close_code(&server.transport, a), 0);
    server_finish(&server);
}

/* Answers are never dropped; a client that leaves half a megabyte of them unread is closed. */
static void
test_answers_that_nobody_takes(void **state)
{
    (void)state;
    static struct server server;
    server_init(&server);
    int a = enter_keeping(&server, NULL); /* it has not joined, so it gets no ticks */
    server_run(&server, 10);
    sv_sim_block(&server.transport, a, true);
    struct sv_seat *seat = server.gateway.seats[0];
    size_t most = 0;
    int count = 0;
    for (; count < 20000 && sv_sim_close_code(&server.transport, a) == 0; count++) {
        Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
        control.request = 1;
        control.action_case = CAIRN__V1__CONTROL__ACTION_LIST;
        control.list = true;
        CLIENT_MESSAGE(message, CONTROL, control, &control);
        server_take(&server, a, &message);
        most = seat->queue_size > most ? seat->queue_size : most;
        server_run(&server, 5);
    }
    assert_int_equal(sv_sim_close_code(&server.transport, a), 1013);
    assert_in_range(most, SV_QUEUE_SIZE_MAX - 1024, SV_QUEUE_SIZE_MAX);
    server_finish(&server);
}

/* ---- two on one body ---- */

static void
push(struct server *server, int connection, double x)
{
    Cairn__V1__Vec3 force = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Vec3 point = CAIRN__V1__VEC3__INIT;
    force.x = x;
    force.y = x / 7.0;
    Cairn__V1__Input__Force part = CAIRN__V1__INPUT__FORCE__INIT;
    part.body = 1;
    part.force = &force;
    part.point = &point;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = 1;
    input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    input.force = &part;
    CLIENT_MESSAGE(message, INPUT, input, &input);
    server_take(server, connection, &message);
}

/*
 * The hash of a world in which two clients push one body in the same tick.  `is_second_first`
 * chooses the client whose input arrives first.
 */
static uint64_t
hash_of_two(bool is_second_first, double first, double second)
{
    static struct server server;
    struct client ann = {0}, bob = {0};
    server_init(&server);
    int a = server_enter(&server, (char[]){"ann"}), b = server_enter(&server, (char[]){"bob"});
    server_run(&server, 500);
    uint64_t tick = cn_world_tick(server.worker.worlds[0]->engine);
    if (is_second_first) {
        push(&server, b, second);
        push(&server, a, first);
    } else {
        push(&server, a, first);
        push(&server, b, second);
    }
    while (cn_world_tick(server.worker.worlds[0]->engine) < tick + 60) {
        server_run(&server, 1);
        server_read(&server, a, see, &ann);
        server_read(&server, b, see, &bob);
    }
    assert_string_equal(ann.rejected, "");
    assert_string_equal(bob.rejected, "");
    uint64_t hash = cn_world_hash(server.worker.worlds[0]->engine);
    server_finish(&server);
    return hash;
}

static void
test_two_on_one_body(void **state)
{
    (void)state;
    uint64_t hash = hash_of_two(false, 31.1, -12.3);
    assert_true(hash_of_two(true, 31.1, -12.3) == hash);
    assert_true(hash_of_two(false, 31.1, 0.0) != hash);
    assert_true(hash_of_two(false, 0.0, -12.3) != hash);
}

/* ---- load ---- */

static void
ask_for_world(struct server *server, int connection, uint32_t request)
{
    Cairn__V1__Scene scene = CAIRN__V1__SCENE__INIT;
    Cairn__V1__CreateWorld create = CAIRN__V1__CREATE_WORLD__INIT;
    Cairn__V1__Shape__Circle circle = CAIRN__V1__SHAPE__CIRCLE__INIT;
    Cairn__V1__Shape shape = CAIRN__V1__SHAPE__INIT, *shapes[] = {&shape};
    Cairn__V1__Body body = CAIRN__V1__BODY__INIT, *bodies[] = {&body};
    circle.radius = 1.0;
    shape.shape_case = CAIRN__V1__SHAPE__SHAPE_CIRCLE;
    shape.circle = &circle;
    body.n_shapes = 1;
    body.shapes = shapes;
    scene.name = (char[]){"more"};
    scene.n_bodies = 1;
    scene.bodies = bodies;
    create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE;
    create.scene = &scene;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.request = request;
    control.action_case = CAIRN__V1__CONTROL__ACTION_CREATE;
    control.create = &create;
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(server, connection, &message);
}

/* Worlds are made while their worker has time for them. */
static void
test_no_world_on_a_busy_worker(void **state)
{
    (void)state;
    static struct server server;
    struct client ann = {0};
    server_init(&server);
    server.host.load_max_permille = 10 * SV_LOAD_MAX_PERCENT;
    server.host.random = sv_random_simulated(&server.random);
    server.host.metrics = &server.metrics;
    int a = server_enter(&server, (char[]){"ann"});
    ask_for_world(&server, a, 1);
    server_run(&server, 10);
    server_read(&server, a, see, &ann);
    assert_string_equal(ann.rejected, "");
    assert_int_equal(server.host.world_count, 2);
    atomic_store(&server.worker.load.shown_permille, 951);
    atomic_store(&server.worker.load.shown_ns, server.now_ns);
    ask_for_world(&server, a, 2);
    server_run(&server, 10);
    server_read(&server, a, see, &ann);
    assert_string_equal(ann.rejected, "CAPACITY");
    assert_in_range(ann.retry_ms, SV_RETRY_MS, 3 * SV_RETRY_MS);
    assert_int_equal(server.host.world_count, 2);
    assert_int_equal(server.metrics.worlds_refused, 1);
    atomic_store(&server.worker.load.shown_permille, 950);
    ask_for_world(&server, a, 3);
    server_run(&server, 10);
    assert_int_equal(server.host.world_count, 3);
    server_finish(&server);
}

/* A clock for a slow program: each reading of it takes `look_ns`. */
struct heavy_clock {
    uint64_t *now_ns, look_ns;
};

static uint64_t
look(void *context)
{
    const struct heavy_clock *clock = context;
    *clock->now_ns += clock->look_ns;
    return *clock->now_ns;
}

static void
run_heavily(struct server *server, int connection, struct client *client, uint64_t duration_ns)
{
    for (uint64_t end_ns = server->now_ns + duration_ns; server->now_ns < end_ns;) {
        sv_worker_run(&server->worker);
        sv_gateway_poll(&server->gateway);
        sv_gateway_tend(&server->gateway);
        server_read(server, connection, see, client);
    }
}

static int
enter_as(struct server *server, enum ac_role role)
{
    int connection = sv_sim_connect(&server->transport);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"bob"};
    hello.role = (Cairn__V1__Hello__Role)role;
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    server_take(server, connection, &message);
    server_take_join(server, connection);
    return connection;
}

/*
 * The world skips no tick, but its clock slows down.  After five seconds no other player may join.
 */
static void
test_a_world_that_can_not_keep_up(void **state)
{
    (void)state;
    static struct server server;
    struct client ann = {0}, bob = {0};
    server_init(&server);
    int a = server_enter(&server, (char[]){"ann"});
    server_run(&server, 1000);
    server_read(&server, a, see, &ann);
    struct heavy_clock heavy = {&server.now_ns, 12 * SV_NS_PER_MS};
    server.worker.env.clock.now_ns = look;
    server.worker.env.clock.context = &heavy;
    uint64_t tick = server.host.worlds[0]->publication->status.tick;
    uint64_t start_ns = server.now_ns;
    run_heavily(&server, a, &ann, 3 * SV_NS_PER_S);
    int b = enter_as(&server, AC_ROLE_PLAYER);
    server_read(&server, b, see, &bob);
    assert_string_equal(bob.rejected, ""); /* the load is too new */
    sv_sim_disconnect(&server.transport, b);
    run_heavily(&server, a, &ann, 4 * SV_NS_PER_S);
    b = enter_as(&server, AC_ROLE_PLAYER);
    server_read(&server, b, see, &bob);
    assert_string_equal(bob.rejected, "CAPACITY");
    assert_in_range(bob.retry_ms, SV_RETRY_MS, 3 * SV_RETRY_MS);
    assert_int_equal(server.metrics.joins_refused, 1);
    /* An instructor may join, because an instructor can relieve the world. */
    bob.rejected[0] = '\0';
    int c = enter_as(&server, AC_ROLE_INSTRUCTOR);
    run_heavily(&server, a, &ann, SV_NS_PER_S);
    server_read(&server, c, see, &bob);
    assert_string_equal(bob.rejected, "");
    assert_true(bob.joined_count > 0);
    /* The status reports truly how slow the world is. */
    const struct wire_status *status = &server.host.worlds[0]->publication->status;
    double expected = (double)(server.now_ns - start_ns) / 1e9 * status->tick_rate;
    double part = (double)(status->tick - tick) / expected;
    assert_true(part < 0.6);
    assert_true(status->real_time_factor > 0.7 * part && status->real_time_factor < 1.4 * part);
    assert_true(server.metrics.ticks_late > 0);
    /* The world recovers, and every client may join again. */
    server.worker.env.clock = sv_clock_simulated(&server.now_ns);
    run(&server, a, &ann, 2000);
    bob.rejected[0] = '\0';
    int d = enter_as(&server, AC_ROLE_PLAYER);
    run(&server, d, &bob, 100);
    assert_string_equal(bob.rejected, "");
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_reader_that_stops),
        cmocka_unit_test(test_a_slow_reader_is_borne),
        cmocka_unit_test(test_answers_that_nobody_takes),
        cmocka_unit_test(test_two_on_one_body),
        cmocka_unit_test(test_no_world_on_a_busy_worker),
        cmocka_unit_test(test_a_world_that_can_not_keep_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
