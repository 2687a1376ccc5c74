/*
 * test_logic_kills.c: each message to the logic has its effect once, over any number of crashes.
 *
 * A daemon in memory (tests/support/server/durable_sim.h).  A player sends numbered messages to the
 * logic.  For each the logic makes a body of that name and tells the player.  Logic and player are
 * disconnected, and the daemon dies, at any moment.  After each death:
 *
 *     an acknowledged message is either in effect or in the news for the logic, once
 *     a message of which the player was told is in effect
 *     no message is in effect twice, and none that was never sent
 *
 * usage: test_logic_kills [LIVES [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_sim.h"
#include "tests/support/server/logic_client.h"

#include "proto/scene_live.h"

#include <stdio.h>

#define MESSAGES_MAX 400
#define LIVES_OF_FOLDER 12 /* then another folder is begun */
#define WAITING_MAX SV_LOGIC_ASKED_MAX
#define IDS_MAX 64 /* messages of one LogicTick */

/* A LogicTick that the logic has not answered yet. */
struct waiting {
    uint64_t number, tick;
    int ids[IDS_MAX], count;
    uint64_t sessions[IDS_MAX];
};

/* The facts that are known outside the daemon. */
struct game {
    int player, logic; /* connections; -1: none */
    bool is_inside;    /* the player has its Joined */
    int sent_count;
    bool is_acked[MESSAGES_MAX], is_told[MESSAGES_MAX];
    struct waiting waiting[WAITING_MAX];
    int waiting_count;
    bool is_ahead; /* the mode */
    bool is_start_due; /* it has its Joined */
    uint32_t refused_count;
    uint64_t answered;
    uint64_t random;
    uint64_t acks, tellings, answers, lives, checks; /* of all lives */
};

static uint64_t
draw(struct game *game, uint64_t end)
{
    game->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = game->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % end;
}

/* ---- the player ---- */

static void
hear_player(void *user, const Cairn__V1__ServerMessage *message)
{
    struct game *game = user;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED) {
        game->is_inside = true;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE) {
        uint32_t request = message->control_done->request;
        assert_in_range(request, 1, game->sent_count);
        assert_false(game->is_acked[request - 1]);
        game->is_acked[request - 1] = true;
        game->acks++;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_SAID) {
        const Cairn__V1__Said *said = message->said;
        assert_int_equal(said->session, 0);
        assert_true(said->direct);
        int id = atoi(said->text);
        assert_in_range(id, 0, game->sent_count - 1);
        assert_false(game->is_told[id]);
        game->is_told[id] = true;
        game->tellings++;
    }
}

static void
run_player(struct durable_sim *sim, struct game *game)
{
    char text[16];
    if (game->player < 0) {
        game->player = logic_enter(&sim->server, CAIRN__V1__HELLO__ROLE__PLAYER);
        game->is_inside = false;
    }
    server_read(&sim->server, game->player, hear_player, game);
    if (game->is_inside && game->sent_count < MESSAGES_MAX && draw(game, 25) == 0) {
        snprintf(text, sizeof(text), "%d", game->sent_count);
        game->sent_count++;
        logic_say(&sim->server, game->player, (uint32_t)game->sent_count, 0, text);
    }
    if (draw(game, 150) == 0) {
        sv_sim_disconnect(&sim->server.transport, game->player);
        game->player = -1;
    }
}

/* ---- the logic ---- */

static void
hear_logic(void *user, const Cairn__V1__ServerMessage *message)
{
    struct game *game = user;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED) {
        const Cairn__V1__Error *error = message->rejected->error;
        fail_msg("%s %s %s", error->code, error->path, error->text);
    }
    game->is_start_due |= message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED;
    if (message->message_case != CAIRN__V1__SERVER_MESSAGE__MESSAGE_LOGIC_TICK) {
        return;
    }
    const Cairn__V1__LogicTick *tick = message->logic_tick;
    assert_true(game->waiting_count < WAITING_MAX && tick->n_messages <= IDS_MAX);
    struct waiting *waiting = &game->waiting[game->waiting_count++];
    *waiting = (struct waiting){.number = tick->number, .tick = tick->tick};
    for (size_t i = 0; i < tick->n_messages; i++) {
        waiting->ids[waiting->count] = atoi(tick->messages[i]->text);
        waiting->sessions[waiting->count++] = tick->messages[i]->session;
    }
    game->refused_count += (uint32_t)tick->n_refused;
    assert_true(tick->answered < tick->number);
}

/* For each message a body of its name, and a message to its sender. */
static void
answer(struct durable_sim *sim, struct game *game, const struct waiting *waiting)
{
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    Cairn__V1__Effect effects[IDS_MAX], *effect_pointers[IDS_MAX];
    Cairn__V1__Change changes[IDS_MAX];
    Cairn__V1__Body bodies[IDS_MAX], *body_pointers[IDS_MAX];
    Cairn__V1__Vec3 positions[IDS_MAX];
    Cairn__V1__Say says[IDS_MAX], *say_pointers[IDS_MAX];
    static char channel[] = "game", names[IDS_MAX][16], texts[IDS_MAX][16];
    for (int i = 0; i < waiting->count; i++) {
        snprintf(names[i], sizeof(names[i]), "m%d", waiting->ids[i]);
        snprintf(texts[i], sizeof(texts[i]), "%d", waiting->ids[i]);
        cairn__v1__body__init(&bodies[i]);
        cairn__v1__vec3__init(&positions[i]);
        positions[i].y = 10.0 + waiting->ids[i];
        bodies[i].name = names[i];
        bodies[i].type = CAIRN__V1__BODY__TYPE__STATIC;
        bodies[i].position = &positions[i];
        body_pointers[i] = &bodies[i];
        cairn__v1__change__init(&changes[i]);
        changes[i].n_bodies = 1;
        changes[i].bodies = &body_pointers[i];
        cairn__v1__effect__init(&effects[i]);
        effects[i].effect_case = CAIRN__V1__EFFECT__EFFECT_CHANGE;
        effects[i].change = &changes[i];
        effect_pointers[i] = &effects[i];
        cairn__v1__say__init(&says[i]);
        says[i].channel = channel;
        says[i].to_case = CAIRN__V1__SAY__TO_SESSION;
        says[i].session = waiting->sessions[i];
        says[i].content_case = CAIRN__V1__SAY__CONTENT_TEXT;
        says[i].text = texts[i];
        say_pointers[i] = &says[i];
    }
    done.number = waiting->number;
    done.at_tick = game->is_ahead && draw(game, 2) == 0 ? waiting->tick + draw(game, 4) : 0;
    done.n_effects = done.n_messages = (size_t)waiting->count;
    done.effects = effect_pointers;
    done.messages = say_pointers;
    logic_answer(&sim->server, game->logic, &done);
    game->answers++;
}

static void
run_logic(struct durable_sim *sim, struct game *game)
{
    if (game->logic < 0) {
        if (draw(game, 10) != 0) {
            return;
        }
        game->logic = logic_enter(&sim->server, CAIRN__V1__HELLO__ROLE__LOGIC);
        game->is_ahead = draw(game, 2) == 0;
        game->waiting_count = 0;
        game->is_start_due = false;
    }
    server_read(&sim->server, game->logic, hear_logic, game);
    if (game->is_start_due) {
        const struct wire_logic_start start = {
            .mode = game->is_ahead ? WIRE_LOGIC_AHEAD : WIRE_LOGIC_BARRIER,
            .every = 1 + (uint32_t)draw(game, 3),
            .deadline_us = 1 + (uint32_t)draw(game, 4000),
            .events = draw(game, 2) == 0,
            .take = true};
        logic_start(&sim->server, game->logic, &start);
        game->is_start_due = false;
    }
    while (game->waiting_count > 0 && draw(game, 6) != 0) {
        answer(sim, game, &game->waiting[0]);
        game->waiting_count--;
        memmove(game->waiting, game->waiting + 1,
            (size_t)game->waiting_count * sizeof(game->waiting[0]));
    }
    if (draw(game, 120) == 0) {
        sv_sim_disconnect(&sim->server.transport, game->logic);
        game->logic = -1;
    }
}

/* ---- what is checked ---- */

/* How often the world has the body of that message. */
static int
count_effects(const struct sv_world *world, int id)
{
    const Cairn__V1__Scene *scene =
        (const Cairn__V1__Scene *)(const void *)wire_scene_message(world->shown->scene);
    char name[16];
    int count = 0;
    snprintf(name, sizeof(name), "m%d", id);
    for (size_t i = 0; i < scene->n_bodies; i++) {
        count += !scene->bodies[i]->absent && strcmp(scene->bodies[i]->name, name) == 0;
    }
    return count;
}

static int
count_news(const struct sv_world *world, int id)
{
    const struct sv_logic *logic = world->logic;
    int count = 0;
    for (int i = 0; logic != NULL && i < logic->count; i++) {
        const struct sv_news *news = &logic->news[i];
        count += news->kind == SV_NEWS_SAID && atoi((const char *)news->heard->content) == id;
    }
    return count;
}

static void
check_world(struct durable_sim *sim, struct game *game)
{
    const struct sv_world *world = durable_sim_world(sim);
    assert_string_equal(world->failure, "");
    assert_int_equal(game->refused_count, 0); /* a body made twice would be refused */
    for (int id = 0; id < game->sent_count; id++) {
        int effects = count_effects(world, id), news = count_news(world, id);
        if (effects + news > 1 || (game->is_acked[id] && effects + news != 1) ||
            (game->is_told[id] && effects != 1)) {
            fail_msg("message %d: %d effects, %d news, acknowledged %d, told %d", id, effects,
                news, game->is_acked[id], game->is_told[id]);
        }
        game->checks++;
    }
    assert_int_equal(count_effects(world, game->sent_count), 0);
}

/* Everything that was sent ends up in the world, if the logic lives on. */
static void
check_end(struct durable_sim *sim, struct game *game)
{
    for (int ms = 0; ms < 400; ms++) {
        game->random |= 1;
        durable_sim_step(sim, true);
        server_read(&sim->server, game->player, hear_player, game);
        server_read(&sim->server, game->logic, hear_logic, game);
        for (int i = 0; i < game->waiting_count; i++) {
            answer(sim, game, &game->waiting[i]);
        }
        game->waiting_count = 0;
    }
    for (int id = 0; id < game->sent_count; id++) {
        if (game->is_acked[id] && count_effects(durable_sim_world(sim), id) != 1) {
            fail_msg("message %d: %d effects, %d news", id,
                count_effects(durable_sim_world(sim), id), count_news(durable_sim_world(sim), id));
        }
    }
}

/* ---- lives ---- */

static void
live(struct durable_sim *sim, struct game *game, int duration_ms, int disk_ms)
{
    game->player = game->logic = -1;
    game->waiting_count = 0;
    durable_sim_run(sim, 10);
    for (int ms = 0; ms < duration_ms; ms++) {
        run_player(sim, game);
        run_logic(sim, game);
        durable_sim_step(sim, ms % disk_ms == 0);
    }
    game->lives++;
}

static void
die(struct durable_sim *sim, struct game *game)
{
    /* the client hears what has left the daemon */
    if (game->player >= 0) {
        server_read(&sim->server, game->player, hear_player, game);
    }
    switch (draw(game, 3)) {
    case 0:
        durable_sim_crash(sim, draw(game, 1000));
        break;
    case 1:
        durable_sim_kill(sim);
        break;
    default:
        durable_sim_close(sim);
    }
}

static void
forget(struct game *game)
{
    memset(game->is_acked, 0, sizeof(game->is_acked));
    memset(game->is_told, 0, sizeof(game->is_told));
    game->sent_count = 0;
}

static int lives = 240;
static uint64_t seed = 1;

static void
test_lives(void **state)
{
    (void)state;
    struct durable_sim sim;
    static struct game game;
    game.random = seed;
    for (int life = 0; life < lives;) {
        memset(&sim, 0, sizeof(sim));
        forget(&game);
        for (int i = 0; i < LIVES_OF_FOLDER && life < lives; i++, life++) {
            durable_sim_boot(&sim, twin_scene_text);
            if (sim.recovered.world_count > 0) {
                check_world(&sim, &game);
            } else {
                assert_int_equal(game.sent_count, 0);
            }
            live(&sim, &game, 50 + (int)draw(&game, 500), 1 + (int)draw(&game, 12));
            check_world(&sim, &game);
            die(&sim, &game);
        }
        durable_sim_boot(&sim, twin_scene_text);
        check_world(&sim, &game);
        game.player = logic_enter(&sim.server, CAIRN__V1__HELLO__ROLE__PLAYER);
        game.logic = logic_enter(&sim.server, CAIRN__V1__HELLO__ROLE__LOGIC);
        game.is_ahead = false;
        game.waiting_count = 0;
        durable_sim_run(&sim, 100);
        server_read(&sim.server, game.logic, hear_logic, &game);
        assert_true(game.is_start_due);
        const struct wire_logic_start start = {.every = 1, .deadline_us = 4000};
        logic_start(&sim.server, game.logic, &start);
        check_end(&sim, &game);
        durable_sim_close(&sim);
        durable_sim_finish(&sim);
    }
    print_message("%llu lives, %llu acknowledged, %llu told, %llu answers, %llu checks\n",
        (unsigned long long)game.lives, (unsigned long long)game.acks,
        (unsigned long long)game.tellings, (unsigned long long)game.answers,
        (unsigned long long)game.checks);
    assert_true(game.acks > (uint64_t)lives && game.tellings > (uint64_t)lives / 2);
}

/* The same script ends after each millisecond, with a disk that is slow in many ways. */
static void
test_every_step(void **state)
{
    (void)state;
    for (int ms = 1; ms < 300; ms += 1) {
        struct durable_sim sim;
        static struct game game;
        memset(&sim, 0, sizeof(sim));
        memset(&game, 0, sizeof(game));
        game.random = 77;
        durable_sim_boot(&sim, twin_scene_text);
        live(&sim, &game, 60, 1);
        live(&sim, &game, ms, 1 + ms * 5 % 23);
        durable_sim_crash(&sim, (uint64_t)ms);
        durable_sim_boot(&sim, twin_scene_text);
        check_world(&sim, &game);
        durable_sim_crash(&sim, 3);
        durable_sim_finish(&sim);
    }
}

int
main(int argc, char **argv)
{
    lives = argc > 1 ? atoi(argv[1]) : lives;
    seed = argc > 2 ? (uint64_t)atoll(argv[2]) : seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
