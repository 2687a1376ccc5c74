/*
 * test_leases.c: leases as clients meet them, with the daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/quant.h"
#include "tests/support/server/twin_server.h"

#include <math.h>
#include <stdio.h>

#define LEFT 1 /* slots; the floor is 0 and in no snapshot */
#define RIGHT 2

struct client {
    struct server *server;
    int connection;
    uint64_t session, tick, seq;
    double left_x, right_x;
    char rejected[16], reason[160];
    uint32_t rejected_request, done_request, done_waiting, request;
    int lease_state_count, held_count;
    uint64_t holder[4], until[4], waiting[4];
    uint32_t body[4];
};

static void
see_leases(struct client *client, const Cairn__V1__LeaseState *leases)
{
    client->lease_state_count++;
    client->held_count = (int)leases->n_held;
    for (size_t i = 0; i < leases->n_held && i < 4; i++) {
        const Cairn__V1__LeaseState__Held *held = leases->held[i];
        client->body[i] =
            held->target_case == CAIRN__V1__LEASE_STATE__HELD__TARGET_BODY ? held->body : 1000;
        client->holder[i] = held->session;
        client->until[i] = held->until_tick;
        client->waiting[i] = held->n_waiting > 0 ? held->waiting[0] : 0;
    }
}

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        client->session = message->welcome->session;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        client->tick = message->snapshot->tick;
        client->left_x = message->snapshot->x[0] * WIRE_POSITION_SCALE;
        client->right_x = message->snapshot->x[1] * WIRE_POSITION_SCALE;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        snprintf(client->reason, sizeof(client->reason), "%s", message->rejected->error->text);
        client->rejected_request = message->rejected->request;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        client->done_request = message->control_done->request;
        client->done_waiting = message->control_done->waiting;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_LEASES:
        see_leases(client, message->leases);
        break;
    default:
        break;
    }
}

static void
client_read(struct client *client)
{
    server_read(client->server, client->connection, see, client);
}

static void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    server_take(client->server, client->connection, message);
}

static void
join(struct client *client, struct server *server, char *name)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->connection = server_enter(server, name);
    server_run(server, 20);
    client_read(client);
}

static void
settle(struct client *a, struct client *b)
{
    server_run(a->server, 60);
    client_read(a);
    client_read(b);
}

static void
ask(struct client *client, uint32_t body, Cairn__V1__Lease lease)
{
    client->rejected[0] = '\0';
    lease.request = ++client->request;
    lease.target_case = CAIRN__V1__LEASE__TARGET_BODY;
    lease.body = body;
    CLIENT_MESSAGE(message, LEASE, lease, &lease);
    client_send(client, &message);
}

static void
acquire(struct client *client, uint32_t body, bool queue, uint32_t ticks)
{
    Cairn__V1__Lease__Acquire part = CAIRN__V1__LEASE__ACQUIRE__INIT;
    part.queue = queue;
    part.ticks = ticks;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
    lease.acquire = &part;
    ask(client, body, lease);
}

static void
override(struct client *client, uint32_t body, bool revoke)
{
    Cairn__V1__Lease__Override part = CAIRN__V1__LEASE__OVERRIDE__INIT;
    part.revoke = revoke;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_OVERRIDE;
    lease.override = &part;
    ask(client, body, lease);
}

static void
let_go(struct client *client, uint32_t body)
{
    Cairn__V1__Lease__Release part = CAIRN__V1__LEASE__RELEASE__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_RELEASE;
    lease.release = &part;
    ask(client, body, lease);
}

static void
drag(struct client *client, uint32_t body, double x)
{
    client->rejected[0] = '\0';
    server_take_drag(client->server, client->connection, ++client->seq, body, x);
}

static void
test_alone(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    /* A body without a lease may be pushed by every client. */
    drag(&bob, LEFT, -6.0);
    settle(&ann, &bob);
    assert_string_equal(bob.rejected, "");
    acquire(&ann, LEFT, false, 0);
    settle(&ann, &bob);
    assert_int_equal(ann.done_request, 1);
    assert_int_equal(ann.done_waiting, 0);
    assert_int_equal(bob.held_count, 1);
    assert_int_equal(bob.body[0], LEFT);
    assert_int_equal(bob.holder[0], ann.session);
    /* Bob's drag has ended too.  Without friction the block glides past his target. */
    server_run(&server, 2000);
    client_read(&ann);
    assert_true(ann.left_x < -7.0);
    drag(&bob, LEFT, 3.0);
    drag(&bob, RIGHT, 4.0);
    drag(&ann, LEFT, -5.0);
    settle(&ann, &bob);
    assert_string_equal(ann.rejected, "");
    assert_string_equal(bob.rejected, "LEASED");
    assert_non_null(strstr(bob.reason, "ann"));
    server_run(&server, 2000);
    client_read(&ann);
    client_read(&bob);
    assert_true(fabs(ann.left_x + 5.0) < 0.1);
    assert_true(fabs(bob.right_x - 4.0) < 0.1);
    server_finish(&server);
}

/* The queue for a lease, an instructor's override, and the leases that a late client receives. */
static void
test_queue_and_override(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob, cat;
    server_init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    acquire(&ann, LEFT, false, 0);
    acquire(&bob, LEFT, false, 0);
    settle(&ann, &bob);
    assert_string_equal(bob.rejected, "LEASED");
    assert_int_equal(bob.rejected_request, 1);
    acquire(&bob, LEFT, true, 0);
    settle(&ann, &bob);
    assert_int_equal(bob.done_request, 2);
    assert_int_equal(bob.done_waiting, 1);
    join(&cat, &server, (char[]){"cat"});
    assert_int_equal(cat.lease_state_count, 1);
    assert_int_equal(cat.holder[0], ann.session);
    assert_int_equal(cat.waiting[0], bob.session);
    override(&cat, LEFT, false);
    ann.rejected[0] = '\0';
    settle(&ann, &cat);
    assert_string_equal(ann.rejected, "LEASED");
    assert_non_null(strstr(ann.reason, "cat has taken"));
    assert_int_equal(ann.holder[0], cat.session);
    override(&cat, LEFT, true);
    settle(&ann, &bob);
    assert_int_equal(bob.holder[0], bob.session);
    assert_int_equal(bob.waiting[0], 0);
    let_go(&bob, LEFT);
    settle(&ann, &bob);
    assert_int_equal(ann.held_count, 0);
    server_finish(&server);
}

static void
test_expiry_and_leaving(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    acquire(&ann, LEFT, false, 30);
    acquire(&ann, RIGHT, false, 0);
    drag(&ann, LEFT, -20.0);
    settle(&ann, &bob);
    assert_int_equal(bob.held_count, 2);
    assert_true(bob.until[0] > 0 && bob.until[1] == 0);
    server_run(&server, 600);
    client_read(&bob);
    client_read(&ann);
    assert_int_equal(bob.held_count, 1);
    assert_int_equal(bob.body[0], RIGHT);
    sv_sim_disconnect(&server.transport, ann.connection);
    server_run(&server, SV_NS_PER_S / SV_NS_PER_MS);
    client_read(&bob);
    assert_int_equal(bob.held_count, 0);
    server_finish(&server);
}

/* A scene may forbid pushes without a lease. */
static void
test_only_under_lease(void **state)
{
    (void)state;
    static struct server server;
    static char text[sizeof(twin_scene_text) + 32];
    struct client ann, bob;
    snprintf(text, sizeof(text), "world: {leases: true}\n%s", twin_scene_text);
    server_init_with(&server, text);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    drag(&ann, LEFT, -5.0);
    settle(&ann, &bob);
    assert_string_equal(ann.rejected, "LEASED");
    acquire(&ann, LEFT, false, 0);
    drag(&ann, LEFT, -5.0);
    settle(&ann, &bob);
    assert_string_equal(ann.rejected, "");
    server_run(&server, 2000);
    client_read(&bob);
    assert_true(fabs(bob.left_x + 5.0) < 0.1);
    client_read(&ann);
    /* With the lease the drag ends. */
    let_go(&ann, LEFT);
    settle(&ann, &bob);
    assert_int_equal(bob.held_count, 0);
    ask(&ann, 77, (Cairn__V1__Lease)CAIRN__V1__LEASE__INIT);
    settle(&ann, &bob);
    assert_string_equal(ann.rejected, "FIELD");
    acquire(&ann, 77, false, 0);
    settle(&ann, &bob);
    assert_string_equal(ann.rejected, "REFERENCE");
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_queue_and_override),
        cmocka_unit_test(test_expiry_and_leaving),
        cmocka_unit_test(test_only_under_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
