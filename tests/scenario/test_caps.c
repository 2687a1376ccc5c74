/*
 * test_caps.c: caps of one person on one body, and the actions that clients see, with the daemon
 * in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/quant.h"
#include "server/world/data/cap.h"
#include "tests/support/server/twin_server.h"

#include <math.h>
#include <stdio.h>

#define LEFT 1 /* slots; the floor is 0 */
#define RIGHT 2
#define ACTIONS_MAX 4

struct seen_action {
    uint64_t session;
    int kind;
    uint32_t target;
    double x, force, to;
};

struct client {
    struct server *server;
    int connection;
    uint64_t session, tick, seq, actions_tick;
    double left_x;
    char rejected[16], path[64], reason[160];
    uint64_t rejected_seq;
    uint32_t request, done_request;
    int held_count, capped_count, action_count;
    bool is_taken, has_force, has_torque;
    uint32_t capped_body;
    double capped_force;
    struct seen_action actions[ACTIONS_MAX];
};

static void
see_leases(struct client *client, const Cairn__V1__LeaseState *leases)
{
    client->held_count = (int)leases->n_held;
    client->is_taken = leases->n_held > 0 && leases->held[0]->taken;
    client->capped_count = (int)leases->n_capped;
    if (leases->n_capped > 0) {
        const Cairn__V1__Caps *caps = leases->capped[0]->caps;
        client->capped_body = leases->capped[0]->body;
        client->has_force = caps->force_set_case != 0;
        client->has_torque = caps->torque_set_case != 0;
        client->capped_force = caps->force;
    }
}

static void
see_actions(struct client *client, const Cairn__V1__ActionFrame *frame)
{
    client->actions_tick = frame->tick;
    client->action_count = (int)frame->n_actions;
    for (int i = 0; i < client->action_count && i < ACTIONS_MAX; i++) {
        const Cairn__V1__ActionFrame__Action *action = frame->actions[i];
        client->actions[i] = (struct seen_action){.session = action->session,
            .kind = (int)action->kind,
            .target = action->target,
            .x = action->point != NULL ? action->point->x : 0.0,
            .force = action->vector != NULL ? action->vector->x : 0.0,
            .to = action->to != NULL ? action->to->x : 0.0};
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
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->tick = message->tick->tick;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        client->left_x = message->snapshot->x[0] * WIRE_POSITION_SCALE;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        snprintf(client->path, sizeof(client->path), "%s", message->rejected->error->path);
        snprintf(client->reason, sizeof(client->reason), "%s", message->rejected->error->text);
        client->rejected_seq = message->rejected->seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        client->done_request = message->control_done->request;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_LEASES:
        see_leases(client, message->leases);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_ACTIONS:
        see_actions(client, message->actions);
        break;
    default:
        break;
    }
}

static void
run(struct client *client, uint64_t duration_ms)
{
    server_run(client->server, duration_ms);
    server_read(client->server, client->connection, see, client);
}

static void
join(struct client *client, struct server *server, char *name)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->connection = server_enter(server, name);
    Cairn__V1__Subscribe part = CAIRN__V1__SUBSCRIBE__INIT;
    part.actions = true;
    CLIENT_MESSAGE(message, SUBSCRIBE, subscribe, &part);
    server_take(server, client->connection, &message);
    run(client, 40);
}

static void
say_input(struct client *client, Cairn__V1__Input *input, uint32_t slot)
{
    client->rejected[0] = client->reason[0] = '\0';
    input->seq = ++client->seq;
    input->slot = slot;
    CLIENT_MESSAGE(message, INPUT, input, input);
    server_take(client->server, client->connection, &message);
    run(client, 40);
}

static void
push(struct client *client, uint32_t slot, uint32_t body, double x, double y)
{
    Cairn__V1__Vec3 force = CAIRN__V1__VEC3__INIT;
    force.x = x;
    force.y = y;
    Cairn__V1__Input__Force part = CAIRN__V1__INPUT__FORCE__INIT;
    part.body = body;
    part.frame = CAIRN__V1__INPUT__FRAME__WORLD;
    part.force = &force;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    input.force = &part;
    say_input(client, &input, slot);
}

static void
twist(struct client *client, uint32_t slot, uint32_t body, double z)
{
    Cairn__V1__Vec3 torque = CAIRN__V1__VEC3__INIT;
    torque.z = z;
    Cairn__V1__Input__Torque part = CAIRN__V1__INPUT__TORQUE__INIT;
    part.body = body;
    part.torque = &torque;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.action_case = CAIRN__V1__INPUT__ACTION_TORQUE;
    input.torque = &part;
    say_input(client, &input, slot);
}

/* A stiff drag without damping, which pulls with the largest force that it may have. */
static void
drag(struct client *client, uint32_t slot, uint32_t body, double x)
{
    Cairn__V1__Vec3 target = CAIRN__V1__VEC3__INIT;
    target.x = x;
    target.y = 0.5;
    Cairn__V1__Input__Drag part = CAIRN__V1__INPUT__DRAG__INIT;
    part.body = body;
    part.target = &target;
    part.stiffness = 1000.0;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    input.drag = &part;
    say_input(client, &input, slot);
}

static void
let_go(struct client *client, uint32_t slot)
{
    Cairn__V1__Input__Release part = CAIRN__V1__INPUT__RELEASE__INIT;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.action_case = CAIRN__V1__INPUT__ACTION_RELEASE;
    input.release = &part;
    say_input(client, &input, slot);
}

static void
ask(struct client *client, Cairn__V1__Lease *lease, uint32_t body)
{
    client->rejected[0] = '\0';
    lease->request = ++client->request;
    if (lease->target_case == CAIRN__V1__LEASE__TARGET__NOT_SET) {
        lease->target_case = CAIRN__V1__LEASE__TARGET_BODY;
        lease->body = body;
    }
    CLIENT_MESSAGE(message, LEASE, lease, lease);
    server_take(client->server, client->connection, &message);
    run(client, 100);
}

/* Sets a cap of the force; a force below 0 removes the cap. */
static void
cap(struct client *client, uint32_t body, double force)
{
    Cairn__V1__Caps caps = CAIRN__V1__CAPS__INIT;
    caps.force_set_case = force >= 0.0 ? CAIRN__V1__CAPS__FORCE_SET_FORCE : 0;
    caps.force = force;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_CAP;
    lease.cap = &caps;
    ask(client, &lease, body);
}

static void
init(struct server *server)
{
    static char text[sizeof(twin_scene_text) + 64];
    snprintf(text, sizeof(text), "world: {caps: {force: 10, torque: 3}}\n%s", twin_scene_text);
    server_init_with(server, text);
}

/* ---- the scene's caps ---- */

static void
test_sums(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    push(&ann, 0, LEFT, 6.0, 8.0); /* exactly 10 N */
    assert_string_equal(ann.rejected, "");
    push(&ann, 0, LEFT, 6.0, 8.5);
    assert_string_equal(ann.rejected, "RANGE");
    assert_string_equal(ann.path, "input.force.force");
    assert_int_equal(ann.rejected_seq, 2);
    assert_non_null(strstr(ann.reason, "body 1 is capped at 10"));
    /* A first force is held, and a force or drag in another slot adds to it. */
    push(&ann, 1, LEFT, 0.5, 0.0);
    assert_string_equal(ann.rejected, "RANGE");
    assert_non_null(strstr(ann.reason, "beside 10 that you hold there"));
    drag(&ann, 1, LEFT, 9.0);
    assert_string_equal(ann.rejected, "RANGE");
    assert_string_equal(ann.path, "input.drag");
    /*
     * The old force of the same slot does not count, nor do forces on other bodies or of other
     * clients.
     */
    push(&ann, 0, LEFT, -4.0, 0.0);
    assert_string_equal(ann.rejected, "");
    push(&ann, 1, LEFT, -6.0, 0.0);
    assert_string_equal(ann.rejected, "");
    push(&ann, 2, RIGHT, 10.0, 0.0);
    assert_string_equal(ann.rejected, "");
    push(&bob, 0, LEFT, 10.0, 0.0);
    assert_string_equal(bob.rejected, "");
    /* Torques have a sum of their own. */
    twist(&ann, 3, LEFT, -2.0);
    assert_string_equal(ann.rejected, "");
    twist(&ann, 4, LEFT, 1.5);
    assert_string_equal(ann.rejected, "RANGE");
    twist(&ann, 4, LEFT, 1.0);
    assert_string_equal(ann.rejected, "");
    server_finish(&server);
}

/*
 * A drag gets the force that remains: 10 N instead of 32 kN.  On 2 kg that is 5 m/s^2, and 0.625 m
 * in half a second.
 */
static void
test_drag_is_clamped(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    drag(&ann, 0, LEFT, 30.0);
    run(&ann, 1);
    double x = ann.left_x;
    uint64_t tick = ann.tick;
    run(&ann, 500);
    assert_int_equal(ann.actions_tick, ann.tick);
    assert_int_equal(ann.action_count, 1);
    assert_true(fabs(ann.actions[0].force - 10.0) < 1e-9);
    assert_true(ann.actions[0].to == 30.0);
    /* The drag began at most four ticks before this time, with 5 m/s^2 from then on. */
    double t = (double)(ann.tick - tick) / 60.0, far = ann.left_x - x;
    double v_most = 5.0 * 4.0 / 60.0;
    assert_true(far > 2.5 * t * t - 1e-3 && far < 2.5 * t * t + v_most * t + 1e-3);
    /* With 4 N in use, the drag pulls with the other 6 N. */
    let_go(&ann, 0);
    push(&ann, 1, LEFT, 0.0, -4.0);
    drag(&ann, 0, LEFT, 60.0);
    assert_int_equal(ann.action_count, 2);
    assert_true(fabs(ann.actions[0].force - 6.0) < 1e-9);
    server_finish(&server);
}

/* ---- an instructor's caps ---- */

static void
test_instructor(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, eve;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&eve, &server, (char[]){"eve"});
    push(&ann, 0, LEFT, 10.0, 0.0);
    assert_int_equal(ann.action_count, 1);
    cap(&eve, LEFT, 4.0);
    assert_int_equal(eve.done_request, eve.request);
    run(&ann, 40);
    assert_int_equal(ann.capped_count, 1);
    assert_int_equal(ann.capped_body, LEFT);
    assert_true(ann.has_force && !ann.has_torque && ann.capped_force == 4.0);
    assert_true(ann.tick > ann.actions_tick); /* the inputs held before have ended */
    push(&ann, 0, LEFT, 10.0, 0.0);
    assert_string_equal(ann.rejected, "RANGE");
    push(&ann, 0, LEFT, 4.0, 0.0);
    assert_string_equal(ann.rejected, "");
    /* The new caps replace those of the scene, so torques have no cap. */
    twist(&ann, 1, LEFT, 30.0);
    assert_string_equal(ann.rejected, "");
    /* A cap of 0 allows no force; without the cap that of the scene holds again. */
    cap(&eve, LEFT, 0.0);
    push(&ann, 0, LEFT, 0.1, 0.0);
    assert_string_equal(ann.rejected, "RANGE");
    drag(&ann, 0, LEFT, 3.0);
    assert_string_equal(ann.rejected, "RANGE");
    cap(&eve, LEFT, -1.0);
    run(&ann, 40);
    assert_int_equal(ann.capped_count, 0);
    push(&ann, 0, LEFT, 10.0, 0.0);
    assert_string_equal(ann.rejected, "");
    /* Invalid caps. */
    cap(&eve, LEFT, 1e7);
    assert_string_equal(eve.rejected, "RANGE");
    cap(&eve, 77, 1.0);
    assert_string_equal(eve.rejected, "REFERENCE");
    Cairn__V1__Caps caps = CAIRN__V1__CAPS__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_CAP;
    lease.cap = &caps;
    lease.target_case = CAIRN__V1__LEASE__TARGET_ACTUATOR;
    ask(&eve, &lease, 0);
    assert_string_equal(eve.rejected, "FIELD");
    server_finish(&server);
}

/* A reset keeps caps as it keeps settings, and a client that joins later receives them. */
static void
test_reset_keeps_caps(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    cap(&ann, RIGHT, 2.0);
    Cairn__V1__Control__Reset part = CAIRN__V1__CONTROL__RESET__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.request = 9;
    control.action_case = CAIRN__V1__CONTROL__ACTION_RESET;
    control.reset = &part;
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(&server, ann.connection, &message);
    run(&ann, 100);
    assert_int_equal(ann.done_request, 9);
    push(&ann, 0, RIGHT, 3.0, 0.0);
    assert_string_equal(ann.rejected, "RANGE");
    join(&bob, &server, (char[]){"bob"});
    assert_int_equal(bob.capped_count, 1);
    assert_int_equal(bob.capped_body, RIGHT);
    server_finish(&server);
}

/* ---- the clients that act ---- */

static void
test_attribution(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&bob, &server, (char[]){"bob"});
    run(&bob, 100);
    assert_int_equal(bob.actions_tick, 0); /* no client acts: no frame */
    drag(&ann, 3, RIGHT, 5.0);
    push(&bob, 0, LEFT, -7.0, 0.0);
    run(&ann, 20);
    assert_int_equal(ann.action_count, 2);
    assert_int_equal(ann.actions_tick, ann.tick);
    assert_true(ann.session < bob.session);
    const struct seen_action *first = &ann.actions[0], *second = &ann.actions[1];
    assert_int_equal(first->session, ann.session);
    assert_int_equal(first->kind, CAIRN__V1__ACTION_FRAME__KIND__DRAG);
    assert_int_equal(first->target, RIGHT);
    assert_true(first->to == 5.0 && first->x > 1.9 && first->x < 5.0);
    assert_int_equal(second->session, bob.session);
    assert_int_equal(second->kind, CAIRN__V1__ACTION_FRAME__KIND__FORCE);
    assert_int_equal(second->target, LEFT);
    assert_true(second->force == -7.0);
    let_go(&ann, 3);
    let_go(&bob, 0);
    run(&ann, 100);
    assert_true(ann.tick > ann.actions_tick + 3);
    server_finish(&server);
}

static void
test_taken(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, eve;
    init(&server);
    join(&ann, &server, (char[]){"ann"});
    join(&eve, &server, (char[]){"eve"});
    Cairn__V1__Lease__Acquire acquire = CAIRN__V1__LEASE__ACQUIRE__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
    lease.acquire = &acquire;
    ask(&ann, &lease, LEFT);
    assert_true(ann.held_count == 1 && !ann.is_taken);
    Cairn__V1__Lease__Override part = CAIRN__V1__LEASE__OVERRIDE__INIT;
    Cairn__V1__Lease taking = CAIRN__V1__LEASE__INIT;
    taking.action_case = CAIRN__V1__LEASE__ACTION_OVERRIDE;
    taking.override = &part;
    ask(&eve, &taking, LEFT);
    run(&ann, 40);
    assert_true(ann.held_count == 1 && ann.is_taken);
    acquire.queue = true;
    ask(&ann, &lease, LEFT);
    part.revoke = true;
    ask(&eve, &taking, LEFT);
    run(&ann, 40);
    assert_true(ann.held_count == 1 && !ann.is_taken);
    server_finish(&server);
}

/* Caps of a scene are numbers from 0 to a million. */
static void
test_bad_scenes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "force: -1", "torque: -0.5", "force: 1000001", "{force: 1, torque: 2000000}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[128];
        bool is_whole = bad[i][0] == '{';
        int size = snprintf(text, sizeof(text), "name: x\nworld: {caps: %s%s%s}\n",
            is_whole ? "" : "{", bad[i], is_whole ? "" : "}");
        struct wire_text_error error;
        assert_null(wire_scene_parse(text, (size_t)size, &error));
        bool is_torque = strstr(bad[i], "torque") != NULL;
        assert_string_equal(
            error.defect.path, is_torque ? "world.caps.torque" : "world.caps.force");
    }
}

/*
 * At most SV_LEASES_MAX bodies have caps of their own.  At the limit these caps can still be
 * changed and removed.
 */
static void
test_wall(void **state)
{
    (void)state;
    struct sv_caps caps = {0};
    const struct wire_caps one = {.has_force = true, .force = 1.0}, two = {.has_torque = true},
                           none = {.has_force = false};
    for (int32_t body = 0; body < SV_LEASES_MAX; body++) {
        assert_true(sv_caps_set(&caps, 2 * body, &one));
    }
    assert_false(sv_caps_set(&caps, 7, &one));
    assert_null(sv_caps_find(&caps, 7));
    assert_true(sv_caps_set(&caps, 8, &two));
    assert_true(sv_caps_find(&caps, 8)->has_torque);
    assert_true(sv_caps_set(&caps, 7, &none));
    assert_true(sv_caps_set(&caps, 8, &none));
    assert_true(sv_caps_set(&caps, 7, &one));
    assert_int_equal(caps.count, SV_LEASES_MAX);
    sv_caps_finish(&caps);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_drag_is_clamped),
        cmocka_unit_test(test_instructor),
        cmocka_unit_test(test_reset_keeps_caps),
        cmocka_unit_test(test_attribution),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
