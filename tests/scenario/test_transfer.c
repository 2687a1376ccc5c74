/*
 * test_transfer.c: a large scene is sent in parts, at a limited rate, with other messages between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/chunk.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>

#define BODIES 5000
#define MESSAGE_SIZE_MAX ((size_t)16 * 1024 * 1024)

struct member {
    struct wire_chunks chunks;
    int chunk_count, joined_count, tick_count, snapshot_count, pong_count, presence_count,
        leases_count;
    int chunks_before_pong, early_count; /* chunks before a Pong; messages for members only */
    size_t body_count;
    uint32_t generation, chunk_id;
};

static char *
make_scene(void)
{
    size_t room = (size_t)BODIES * 128 + 256, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    used += (size_t)snprintf(text, room,
        "name: pair\nworld: {stepper: time, solver: impulse, gravity: {y: 0}}\nbodies:\n");
    for (int i = 0; i < BODIES; i++) {
        used += (size_t)snprintf(text + used, room - used,
            "  - {name: b%d, mass: 1, position: {x: %d}, shapes: [{circle: {radius: 0.3}}]}\n",
            i, i);
    }
    return text;
}

static void see(void *context, const Cairn__V1__ServerMessage *message);

static void
see_chunk(struct member *member, const Cairn__V1__ServerMessage *message)
{
    uint8_t bytes[32 * 1024];
    assert_true(message->chunk->part.len <= SV_CHUNK_SIZE);
    size_t size = cairn__v1__server_message__pack(message, bytes);
    member->chunk_count++;
    member->chunk_id = message->chunk->id;
    enum wire_chunks_result result =
        wire_chunks_take(&member->chunks, bytes, size, MESSAGE_SIZE_MAX);
    assert_int_not_equal(result, WIRE_CHUNKS_BAD);
    if (result == WIRE_CHUNKS_WHOLE) {
        Cairn__V1__ServerMessage *whole = cairn__v1__server_message__unpack(
            NULL, member->chunks.size, member->chunks.bytes);
        assert_non_null(whole);
        see(member, whole);
        cairn__v1__server_message__free_unpacked(whole, NULL);
    }
}

static void
see(void *context, const Cairn__V1__ServerMessage *message)
{
    struct member *member = context;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CHUNK:
        see_chunk(member, message);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        member->joined_count++;
        member->body_count = message->joined->scene->n_bodies;
        member->generation = message->joined->generation;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        member->tick_count++;
        member->early_count += member->joined_count == 0;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        member->snapshot_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PRESENCE:
        member->presence_count++;
        member->early_count += member->joined_count == 0;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PONG:
        member->pong_count++;
        member->chunks_before_pong = member->chunk_count;
        break;
    default:
        break;
    }
}

static void
ping(struct server *server, int connection)
{
    Cairn__V1__Ping part = CAIRN__V1__PING__INIT;
    CLIENT_MESSAGE(message, PING, ping, &part);
    server_take(server, connection, &message);
}

static int
begin(struct server *server, struct member *member)
{
    static char *text; /* used by the last daemon until the next one */
    free(text);
    text = make_scene();
    *member = (struct member){0};
    server_init_with(server, text);
    return server_enter(server, (char[]){"ann"});
}

static void
end(struct server *server, struct member *member)
{
    wire_chunks_finish(&member->chunks);
    assert_null(server->gateway.transfers);
    server_finish(server);
}

static void
test_parts(void **state)
{
    (void)state;
    struct server server;
    struct member member;
    int connection = begin(&server, &member);
    server_run(&server, 5);
    server_read(&server, connection, see, &member);
    assert_in_range(member.chunk_count, 1, 3); /* it has begun, at its pace */
    ping(&server, connection);
    int shown_before = member.chunk_count;
    for (int ms = 0; ms < 1000 && member.joined_count == 0; ms++) {
        int before = member.chunk_count;
        server_run(&server, 1);
        server_read(&server, connection, see, &member);
        /* 2 MiB a second are 2 KiB a millisecond; a part is 16. */
        assert_true(member.chunk_count <= before + 1);
    }
    assert_int_equal(member.joined_count, 1);
    assert_int_equal(member.body_count, BODIES);
    assert_int_equal(member.pong_count, 1);
    assert_in_range(member.chunks_before_pong, shown_before, shown_before + 1);
    assert_true(member.chunk_count > 10);
    assert_int_equal(member.early_count, 0);
    server_run(&server, 300);
    server_read(&server, connection, see, &member);
    assert_true(member.tick_count > 10);
    assert_true(member.presence_count > 0);
    end(&server, &member);
}

/* A reset during a transfer: the transfer of the new Joined replaces it. */
static void
test_reset(void **state)
{
    (void)state;
    struct server server;
    struct member member;
    int connection = begin(&server, &member);
    server_run(&server, 20);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.joined_count, 0);
    assert_int_equal(member.chunk_id, 1);
    server_take_control(&server, connection, CAIRN__V1__CONTROL__ACTION_RESET);
    server_run(&server, 1000);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.chunk_id, 2);
    assert_int_equal(member.joined_count, 1);
    assert_true(member.generation > 0);
    assert_int_equal(member.early_count, 0);
    assert_true(member.tick_count > 10);
    end(&server, &member);
}

/* A blocked socket gets no more chunks, and a client that leaves gets no further chunks. */
static void
test_stall_and_leave(void **state)
{
    (void)state;
    struct server server;
    struct member member;
    int connection = begin(&server, &member);
    server_run(&server, 20);
    server_read(&server, connection, see, &member);
    int before = member.chunk_count;
    sv_sim_block(&server.transport, connection, true);
    server_run(&server, 60);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.chunk_count, before);
    sv_sim_block(&server.transport, connection, false);
    server_run(&server, 2);
    server_read(&server, connection, see, &member);
    /* Then come the chunks of the 62 ms since, at 2 MiB/s. */
    assert_in_range(member.chunk_count, before + 4, before + 9);
    assert_int_equal(member.joined_count, 0);
    Cairn__V1__Leave leave = CAIRN__V1__LEAVE__INIT;
    CLIENT_MESSAGE(message, LEAVE, leave, &leave);
    server_take(&server, connection, &message);
    server_run(&server, 1000);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.joined_count, 0);
    end(&server, &member);
}

/* The connection dies in the middle: the next one gets the scene from its beginning. */
static void
test_cut(void **state)
{
    (void)state;
    struct server server;
    struct member member;
    int connection = begin(&server, &member);
    server_run(&server, 20);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.joined_count, 0);
    sv_sim_disconnect(&server.transport, connection);
    assert_null(server.gateway.transfers);
    connection = server_enter(&server, (char[]){"ann"});
    server_run(&server, 1000);
    server_read(&server, connection, see, &member);
    assert_int_equal(member.joined_count, 1);
    end(&server, &member);
}

/* A paused world is shown once more to a client that was receiving the scene's chunks. */
static void
test_still(void **state)
{
    (void)state;
    struct server server;
    struct member ann, bob = {0};
    int first = begin(&server, &ann);
    server_run(&server, 1000);
    server_take_control(&server, first, CAIRN__V1__CONTROL__ACTION_PAUSE);
    server_run(&server, 300);
    int second = server_enter(&server, (char[]){"bob"});
    server_run(&server, 1500);
    server_read(&server, second, see, &bob);
    assert_int_equal(bob.joined_count, 1);
    assert_int_equal(bob.early_count, 0);
    assert_int_equal(bob.snapshot_count, 1);
    server_read(&server, first, see, &ann);
    wire_chunks_finish(&bob.chunks);
    end(&server, &ann);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_stall_and_leave),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
