/*
 * session_client.h: a client of the daemon in memory that may lose its connection and reconnect.
 *
 * Include it last, after cmocka.
 */
#ifndef TESTS_SUPPORT_SERVER_SESSION_CLIENT_H
#define TESTS_SUPPORT_SERVER_SESSION_CLIENT_H

#include "proto/quant.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>
#include <string.h>

#define LEFT 1

struct client {
    struct server *server;
    int connection;
    bool keep;
    uint64_t session, next_seq, seq, applied_seq;
    bool is_resumed;
    uint8_t token[WIRE_RESUME_SIZE];
    bool has_token;
    uint32_t grace_s;
    int joined_count, snapshot_count, person_count, away_count, held_count;
    uint64_t holder, away_session;
    double left_x;
    char rejected[16], given[WIRE_NAME_SIZE];
};

static inline void
see_presence(struct client *client, const Cairn__V1__Presence *presence)
{
    client->person_count = (int)presence->n_people;
    client->away_count = 0;
    for (size_t i = 0; i < presence->n_people; i++) {
        if (presence->people[i]->away) {
            client->away_count++;
            client->away_session = presence->people[i]->session;
        }
        assert_int_equal(presence->people[i]->role, CAIRN__V1__HELLO__ROLE__OPERATOR);
        assert_true(presence->people[i]->since_us >= 1000000);
    }
}

static inline void
see_welcome(struct client *client, const Cairn__V1__Welcome *welcome)
{
    client->session = welcome->session;
    client->is_resumed = welcome->resumed;
    client->next_seq = welcome->next_seq;
    client->grace_s = welcome->grace_s;
    client->has_token = welcome->resume.len == WIRE_RESUME_SIZE;
    if (client->has_token) {
        memcpy(client->token, welcome->resume.data, WIRE_RESUME_SIZE);
    }
}

static inline void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        see_welcome(client, message->welcome);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->applied_seq = message->tick->applied_seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        assert_true(client->joined_count > 0);
        client->snapshot_count++;
        client->left_x = message->snapshot->x[0] * WIRE_POSITION_SCALE;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PRESENCE:
        see_presence(client, message->presence);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_LEASES:
        client->held_count = (int)message->leases->n_held;
        client->holder = client->held_count > 0 ? message->leases->held[0]->session : 0;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_FORKED:
        assert_int_equal(message->forked->request, 0);
        snprintf(client->given, sizeof(client->given), "%s", message->forked->world);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        break;
    default:
        break;
    }
}

static inline void
client_read(struct client *client)
{
    server_read(client->server, client->connection, see, client);
}

static inline void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    server_take(client->server, client->connection, message);
}

static inline void
say_hello(struct client *client, const uint8_t *token)
{
    client->connection = sv_sim_connect(&client->server->transport);
    assert_true(client->connection >= 0);
    client->joined_count = client->snapshot_count = 0;
    client->is_resumed = false;
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    uint8_t copy[WIRE_RESUME_SIZE];
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"ann"};
    hello.keep = client->keep;
    if (token != NULL) {
        memcpy(copy, token, sizeof(copy));
        hello.resume.data = copy;
        hello.resume.len = sizeof(copy);
    }
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    client_send(client, &message);
}

static inline void
say_join(struct client *client)
{
    server_take_join(client->server, client->connection);
    client->seq = 0;
}

static inline void
acquire(struct client *client)
{
    Cairn__V1__Lease__Acquire part = CAIRN__V1__LEASE__ACQUIRE__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.request = 1;
    lease.target_case = CAIRN__V1__LEASE__TARGET_BODY;
    lease.body = LEFT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
    lease.acquire = &part;
    CLIENT_MESSAGE(message, LEASE, lease, &lease);
    client_send(client, &message);
}

static inline void
drag(struct client *client, double x)
{
    server_take_drag(client->server, client->connection, ++client->seq, LEFT, x);
}

static inline void
enter(struct client *client, struct server *server, bool keep)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->keep = keep;
    say_hello(client, NULL);
    say_join(client);
    server_run(server, 20);
    client_read(client);
    assert_int_equal(client->joined_count, 1);
    assert_int_equal(client->has_token, keep);
}

static inline void
die(struct client *client)
{
    sv_sim_disconnect(&client->server->transport, client->connection);
}

static inline void
wait_ms(struct client *a, struct client *b, uint64_t duration_ms)
{
    while (duration_ms > 0) { /* the twin keeps a thousand messages for a client */
        uint64_t part_ms = duration_ms < 2000 ? duration_ms : 2000;
        server_run(a->server, part_ms);
        client_read(a);
        if (b != NULL) {
            client_read(b);
        }
        duration_ms -= part_ms;
    }
}

#endif
