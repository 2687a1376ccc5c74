/*
 * test_rewound.c: a world stores its past while a client may query it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/cairn.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>
#include <string.h>

struct answers {
    uint64_t tick; /* of the last QueryResult */
    char limit[128]; /* the text of the last Rejected */
    int answered, refused;
};

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct answers *answers = user;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_QUERY_RESULT) {
        answers->tick = message->query_result->tick;
        answers->answered++;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED) {
        snprintf(answers->limit, sizeof(answers->limit), "%s", message->rejected->error->text);
        answers->refused++;
    }
}

static uint64_t
tick_of(const struct server *server)
{
    return cn_world_tick(server->worker.worlds[0]->engine);
}

static size_t
past_of(const struct server *server)
{
    return cn_world_past(server->worker.worlds[0]->engine).size;
}

static void
ask(struct server *server, int connection, uint64_t tick, struct answers *answers)
{
    Cairn__V1__Vec3 from = CAIRN__V1__VEC3__INIT, along = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Query query = CAIRN__V1__QUERY__INIT;
    from.y = 10.0;
    along.y = -20.0;
    query.request = 1;
    query.position = &from;
    query.along = &along;
    query.at_set_case = CAIRN__V1__QUERY__AT_SET_TICK;
    query.tick = tick;
    CLIENT_MESSAGE(message, QUERY, query, &query);
    server_take(server, connection, &message);
    server_run(server, 40);
    memset(answers, 0, sizeof(*answers));
    server_read(server, connection, see, answers);
}

/* A world without clients drops its past after a while, and keeps it again from the next join. */
static void
test_unattended_worlds_forget(void **state)
{
    (void)state;
    static struct server server;
    struct answers answers;
    server_init(&server);
    server.worker.env.keep_running = true;
    int ann = server_enter(&server, (char[]){"ann"});
    server_run(&server, 100);
    sv_sim_disconnect(&server.transport, ann);
    server_run(&server, 9000);
    assert_true(past_of(&server) > 0);
    server_run(&server, 2000);
    assert_int_equal(past_of(&server), 0);
    uint64_t came = tick_of(&server);
    assert_true(came > 600);

    ann = server_enter(&server, (char[]){"ann"});
    server_run(&server, 500);
    assert_true(past_of(&server) > 0);
    ask(&server, ann, tick_of(&server) - 10, &answers);
    assert_int_equal(answers.answered, 1);
    assert_true(answers.tick > came && answers.tick < tick_of(&server));
    ask(&server, ann, came - 1, &answers);
    assert_int_equal(answers.answered, 0);
    assert_int_equal(answers.refused, 1);
    assert_non_null(strstr(answers.limit, "what is remembered of this world begins at tick"));
    /* The world keeps its past as long as the client is there. */
    for (int i = 0; i < 12; i++) {
        server_run(&server, 1000);
        server_read(&server, ann, see, &answers);
    }
    assert_true(past_of(&server) > 0);
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unattended_worlds_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
