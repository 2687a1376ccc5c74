/*
 * logic_client.h: a logic and players of the daemon in memory: what they send.
 */
#ifndef TESTS_SUPPORT_SERVER_LOGIC_CLIENT_H
#define TESTS_SUPPORT_SERVER_LOGIC_CLIENT_H

#include "tests/support/server/twin_server.h"

/* A connection of that role, which has sent its Hello and its Join. */
static inline int
logic_enter(struct server *server, Cairn__V1__Hello__Role role)
{
    int connection = sv_sim_connect(&server->transport);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = role == CAIRN__V1__HELLO__ROLE__LOGIC ? (char[]){"logic"} : (char[]){"ann"};
    hello.role = role;
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    server_take(server, connection, &message);
    server_take_join(server, connection);
    return connection;
}

static inline void
logic_start(struct server *server, int connection, const struct wire_logic_start *start)
{
    uint8_t bytes[256];
    size_t size = wire_encode_logic_start(start, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&server->transport, connection, bytes, size);
}

/* A message with this text; `session` 0: to the logic, UINT64_MAX: to all. */
static inline void
logic_say(
    struct server *server, int connection, uint32_t request, uint64_t session, const char *text)
{
    uint8_t bytes[WIRE_SAY_SIZE_MAX + 256];
    struct wire_say *say = wire_say_create("game", true, text, strlen(text));
    assert_non_null(say);
    say->request = request;
    say->to = session == 0 ? WIRE_SAY_LOGIC
        : session == UINT64_MAX ? WIRE_SAY_ALL
                                : WIRE_SAY_SESSION;
    say->session = session;
    size_t size = wire_encode_say(say, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&server->transport, connection, bytes, size);
    free(say);
}

/* Packs and sends an answer. */
static inline void
logic_answer(struct server *server, int connection, Cairn__V1__LogicDone *done)
{
    static uint8_t bytes[SV_MESSAGE_SIZE_MAX];
    CLIENT_MESSAGE(message, LOGIC_DONE, logic_done, done);
    size_t size = cairn__v1__client_message__get_packed_size(&message);
    assert_in_range(size, 1, sizeof(bytes));
    assert_int_equal(cairn__v1__client_message__pack(&message, bytes), size);
    sv_sim_send(&server->transport, connection, bytes, size);
}

/* An answer without effects. */
static inline void
logic_answer_plain(struct server *server, int connection, uint64_t number, uint64_t at_tick)
{
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    done.number = number;
    done.at_tick = at_tick;
    logic_answer(server, connection, &done);
}

#endif
