/*
 * test_events.c: a client that is sent fewer ticks gets the same events, or the number of lost
 * ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/twin_server.h"

/* Balls that are thrown at each other again and again: an event in most ticks. */
static const char scene_text[] =
    "name: pair\n"
    "world: {tickRate: 60, gravity: {y: -9.81}}\n"
    "materials: [{name: rubber, restitution: 1}]\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "     shapes: [{box: {size: {x: 40, y: 1, z: 1}}, material: rubber}]}\n"
    "  - {name: a, mass: 1, position: {x: -3, y: 0.31},\n"
    "     shapes: [{circle: {radius: 0.3}, material: rubber}]}\n"
    "  - {name: b, mass: 1, position: {x: -1, y: 0.33},\n"
    "     shapes: [{circle: {radius: 0.3}, material: rubber}]}\n"
    "  - {name: c, mass: 1, position: {x: 1, y: 0.36},\n"
    "     shapes: [{circle: {radius: 0.3}, material: rubber}]}\n"
    "  - {name: d, mass: 1, position: {x: 3, y: 0.40},\n"
    "     shapes: [{circle: {radius: 0.3}, material: rubber}]}\n";

#define TICKS_MAX 1024

struct listener {
    uint64_t events_at[TICKS_MAX]; /* a hash of those of a tick; 0: none */
    uint64_t event_count, lost_count, first_tick, last_tick;
    int tick_count;
    uint64_t event_tick; /* of the last EventFrame */
};

static void
hear_events(struct listener *listener, const Cairn__V1__EventFrame *frame)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    assert_true(frame->tick < TICKS_MAX);
    assert_true(frame->tick <= listener->last_tick);
    assert_true(frame->tick >= listener->event_tick);
    listener->lost_count += frame->dropped;
    listener->event_tick = frame->tick;
    if (frame->n_events == 0) {
        return;
    }
    assert_int_equal(listener->events_at[frame->tick], 0); /* none twice */
    for (size_t i = 0; i < frame->n_events; i++) {
        cn_hash_bytes(&hash, frame->events[i]->kind, strlen(frame->events[i]->kind));
        cn_hash_u64(&hash, (uint64_t)frame->events[i]->body_a);
        cn_hash_u64(&hash, (uint64_t)frame->events[i]->body_b);
    }
    listener->events_at[frame->tick] = hash.state | 1;
    listener->event_count += frame->n_events;
}

static void
see(void *context, const Cairn__V1__ServerMessage *message)
{
    struct listener *listener = context;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK) {
        listener->tick_count++;
        listener->last_tick = message->tick->tick;
        if (listener->first_tick == 0) {
            listener->first_tick = message->tick->tick;
        }
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_EVENTS) {
        hear_events(listener, message->events);
    }
}

static int
listen_at(struct server *server, char *name, uint32_t rate)
{
    int connection = server_enter(server, name);
    Cairn__V1__Subscribe part = CAIRN__V1__SUBSCRIBE__INIT;
    part.contacts = true;
    part.rate = rate;
    CLIENT_MESSAGE(message, SUBSCRIBE, subscribe, &part);
    server_take(server, connection, &message);
    return connection;
}

static void
test_rates(void **state)
{
    (void)state;
    static struct server server;
    static struct listener all, few;
    memset(&all, 0, sizeof(all));
    memset(&few, 0, sizeof(few));
    server_init_with(&server, scene_text);
    int fast = listen_at(&server, (char[]){"fast"}, 0);
    int slow = listen_at(&server, (char[]){"slow"}, 10);
    for (int i = 0; i < 500; i++) {
        server_run(&server, 10);
        server_read(&server, fast, see, &all);
        server_read(&server, slow, see, &few);
    }
    assert_true(few.tick_count < all.tick_count / 4);
    assert_true(all.event_count > 20);
    assert_int_equal(all.lost_count + few.lost_count, 0);
    for (uint64_t tick = few.first_tick + 1; tick <= few.last_tick; tick++) {
        assert_int_equal(few.events_at[tick], all.events_at[tick]);
    }
    server_finish(&server);
}

/*
 * A listener is blocked for seconds.  It receives the events of the last ticks whole; the older
 * ones are counted as lost.
 */
static void
test_stall(void **state)
{
    (void)state;
    static struct server server;
    static struct listener all, stalled;
    memset(&all, 0, sizeof(all));
    memset(&stalled, 0, sizeof(stalled));
    server_init_with(&server, scene_text);
    int fast = listen_at(&server, (char[]){"fast"}, 0);
    int slow = listen_at(&server, (char[]){"slow"}, 0);
    server_run(&server, 100);
    server_read(&server, slow, see, &stalled);
    uint64_t before = stalled.last_tick;
    sv_sim_block(&server.transport, slow, true);
    for (int i = 0; i < 400; i++) {
        server_run(&server, 10);
        server_read(&server, fast, see, &all);
    }
    sv_sim_block(&server.transport, slow, false);
    server_run(&server, 100);
    server_read(&server, fast, see, &all);
    server_read(&server, slow, see, &stalled);
    assert_true(stalled.last_tick > before + 200);
    assert_true(stalled.lost_count > 0);
    int kept_count = 0;
    for (uint64_t tick = before + 1; tick <= stalled.last_tick; tick++) {
        kept_count += stalled.events_at[tick] != 0;
        assert_true(stalled.events_at[tick] == 0 ||
            stalled.events_at[tick] == all.events_at[tick]);
    }
    assert_true(kept_count >= SV_EVENT_FRAMES_MAX);
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
