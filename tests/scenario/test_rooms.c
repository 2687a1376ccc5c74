/*
 * test_rooms.c: rooms of the daemon in memory: from the request to the end, also when the process
 * dies at any moment.
 *
 * A script asks for two seats of a room, joins with one and leaves.  It runs in a process that does
 * not end, and in processes that are killed, or lose their power, after each of many durations.
 * Every answer that was given must hold.  The webhook must have received every event in the order
 * of its room; a repeated one has the same id.  In the end no room, no world and no note is left.
 *
 * More than 600 lines: all tests share the rig, a daemon in memory with rooms and a webhook.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_sim.h"

#include "server/room/rooms.h"
#include "server/store/store_inside.h"

#include <stdio.h>

#define SCRIPT_MS 4600
#define EVENTS_MAX 512
#define ANSWERS_MAX 128

static const char templates[] =
    "templates:\n"
    "  - name: arena\n"
    "    seats: 2\n"
    "    holdS: 1\n"
    "    emptyS: 1\n"
    "    scene:\n"
    "      name: pair\n"
    "      bodies:\n"
    "        - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "           shapes: [{box: {size: {x: 40, y: 1, z: 1}}}]}\n"
    "        - {name: left, mass: 2, position: {x: -2, y: 0.5},\n"
    "           shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
    "  - name: final\n"
    "    seats: 1\n"
    "    holdS: 1\n"
    "    emptyS: 1\n"
    "    scene:\n"
    "      name: tie\n"
    "      attributes: [{name: result, text: a tie}]\n"
    "      bodies: [{name: floor, type: STATIC, shapes: [{box: {size: {x: 4, y: 1, z: 1}}}]}]\n";

struct heard {
    char id[SV_EVENT_ID_SIZE], event[16], room[WIRE_NAME_SIZE];
    unsigned sequence;
};

struct answer {
    bool is_refused;
    char room[WIRE_NAME_SIZE], token[SV_SEAT_TOKEN_SIZE];
    uint64_t time_ns;
};

struct rig {
    struct durable_sim sim;
    struct sv_rooms rooms;
    struct sv_poster_sim poster;
    uint64_t random;
    struct heard heard[EVENTS_MAX];
    int heard_count;
    int fail_every; /* the webhook refuses each n-th post; 0: none */
    int post_count;
    struct answer answers[ANSWERS_MAX];
    int answer_count;
    int connection; /* of the client in the world; -1: it has none */
    bool is_joined;
};

/* ---- the daemon ---- */

static void
on_answer(void *context, const struct sv_room_answer *answer)
{
    struct rig *rig = context;
    assert_true(rig->answer_count < ANSWERS_MAX);
    struct answer *kept = &rig->answers[rig->answer_count++];
    *kept = (struct answer){
        .is_refused = answer->error != NULL, .time_ns = rig->sim.server.now_ns};
    if (answer->seat != NULL) {
        snprintf(kept->room, sizeof(kept->room), "%s", answer->seat->room);
        snprintf(kept->token, sizeof(kept->token), "%s", answer->seat->token);
    }
}

static void
boot(struct rig *rig)
{
    struct wire_error error;
    struct sv_fault fault;
    struct durable_sim *sim = &rig->sim;
    sim->lane_count = 2;
    assert_true(durable_sim_recover(sim, &error));
    struct server *server = &sim->server;
    sv_rooms_init(&rig->rooms, &server->host, sv_clock_simulated(&server->now_ns),
        sv_random_simulated(&rig->random), &server->log, &server->metrics);
    rig->rooms.answer = on_answer;
    rig->rooms.answer_context = rig;
    server->gateway.rooms = &rig->rooms;
    server->gateway.access.rooms = &rig->rooms;
    rig->rooms.hooks.poster = sv_poster_sim(&rig->poster);
    if (!sv_rooms_add_templates(&rig->rooms, templates, strlen(templates), &error)) {
        fail_msg("%s: %s", error.path, error.text);
    }
    assert_true(sv_rooms_load(&rig->rooms, sim->store, 1, &fault));
    rig->connection = -1;
    rig->is_joined = false;
}

static void
copy_member(const char *body, const char *key, char *out, size_t size)
{
    const char *at = strstr(body, key);
    assert_non_null(at);
    at += strlen(key);
    size_t length = strcspn(at, "\"");
    assert_true(length < size);
    memcpy(out, at, length);
    out[length] = '\0';
}

/* The webhook receives everything that is on its way. */
static void
hear(struct rig *rig)
{
    while (rig->poster.count > 0) {
        const struct sv_post *post = &rig->poster.posts[0];
        bool is_taken = rig->fail_every == 0 || ++rig->post_count % rig->fail_every != 0;
        if (is_taken) {
            char number[16];
            assert_true(rig->heard_count < EVENTS_MAX);
            struct heard *heard = &rig->heard[rig->heard_count++];
            copy_member(post->body, "\"id\": \"", heard->id, sizeof(heard->id));
            copy_member(post->body, "\"event\": \"", heard->event, sizeof(heard->event));
            copy_member(post->body, "\"room\": {\"id\": \"", heard->room, sizeof(heard->room));
            copy_member(post->body, "\"sequence\": \"", number, sizeof(number));
            heard->sequence = (unsigned)atoi(number);
            assert_string_equal(heard->id, post->id);
        }
        sv_poster_sim_decide(&rig->poster, 0, is_taken);
    }
}

static void
kill_daemon(struct rig *rig, bool is_power_cut)
{
    if (is_power_cut) {
        durable_sim_crash(&rig->sim, 7);
    } else {
        durable_sim_kill(&rig->sim);
    }
    sv_rooms_finish(&rig->rooms);
}

/* ---- the script ---- */

static void
ask(struct rig *rig)
{
    struct sv_room *room;
    struct wire_error error;
    struct wire_room_request request = {.template_name = "arena"};
    const struct sv_room_who who = {.asker = {.request = 1},
        .role = AC_ROLE_PLAYER,
        .subject = "ann",
        .world = "*"};
    assert_true(sv_rooms_pick(&rig->rooms, &request, &who, &room, &error));
    bool is_begun = room != NULL ? sv_rooms_seat(&rig->rooms, room, &who, &error)
                                 : sv_rooms_make(&rig->rooms, &request, &who, &error);
    if (!is_begun) {
        fail_msg("%s: %s", error.path, error.text);
    }
}

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct rig *rig = user;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED) {
        rig->is_joined = true;
    }
}

static void
enter(struct rig *rig, const struct answer *answer)
{
    struct server *server = &rig->sim.server;
    char name[] = "ann", token[SV_SEAT_TOKEN_SIZE], world[WIRE_NAME_SIZE];
    memcpy(token, answer->token, sizeof(token));
    memcpy(world, answer->room, sizeof(world));
    rig->connection = sv_sim_connect(&server->transport);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = name;
    hello.token = token;
    CLIENT_MESSAGE(first, HELLO, hello, &hello);
    server_take(server, rig->connection, &first);
    Cairn__V1__Join join = CAIRN__V1__JOIN__INIT;
    join.world = world;
    CLIENT_MESSAGE(second, JOIN, join, &join);
    server_take(server, rig->connection, &second);
}

/* Sends requests and messages of the clients that are due at this millisecond of the script. */
static void
act(struct rig *rig, int ms)
{
    if (ms == 5 || ms == 120) {
        ask(rig);
    }
    bool has_seat = rig->answer_count > 0 && !rig->answers[0].is_refused;
    if (ms < 200 && has_seat && rig->connection < 0) {
        enter(rig, &rig->answers[0]);
    }
    if (ms == 200 && rig->connection >= 0) {
        sv_sim_disconnect(&rig->sim.server.transport, rig->connection);
        rig->connection = -1;
    }
}

static void
step(struct rig *rig)
{
    durable_sim_step(&rig->sim, true);
    if (rig->connection >= 0) {
        server_read(&rig->sim.server, rig->connection, see, rig);
    }
    hear(rig);
}

/* ---- what must hold ---- */

/* Seats that were answered lately are good after the restart. */
static void
check_answers(struct rig *rig)
{
    for (int i = 0; i < rig->answer_count; i++) {
        struct sv_room_pass pass;
        struct wire_error error;
        const struct answer *answer = &rig->answers[i];
        bool is_new = rig->sim.server.now_ns - answer->time_ns < 900 * SV_NS_PER_MS;
        if (is_new && !answer->is_refused) {
            assert_true(sv_rooms_admit(&rig->rooms, answer->token, &pass, &error));
            assert_string_equal(pass.id, answer->room);
            assert_string_equal(pass.subject, "ann");
        }
    }
}

static void
check_events(const struct rig *rig)
{
    for (int i = 0; i < rig->heard_count; i++) {
        const struct heard *event = &rig->heard[i];
        unsigned before = 0;
        bool is_repeated = false;
        for (int k = 0; k < i; k++) {
            const struct heard *other = &rig->heard[k];
            bool is_same_id = strcmp(other->id, event->id) == 0;
            bool is_of_room = strcmp(other->room, event->room) == 0;
            assert_true(!is_same_id || (is_of_room && other->sequence == event->sequence));
            assert_true(!is_of_room || is_same_id || other->sequence != event->sequence);
            is_repeated = is_repeated || is_same_id;
            before = is_of_room && other->sequence > before ? other->sequence : before;
        }
        assert_true(is_repeated || event->sequence == before + 1);
        assert_true(is_repeated || (strcmp(event->event, "created") == 0) == (before == 0));
    }
}

/* Whether the webhook has received that event of that room. */
static bool
has_heard(const struct rig *rig, const char *room, const char *event)
{
    for (int i = 0; i < rig->heard_count; i++) {
        if (strcmp(rig->heard[i].room, room) == 0 && strcmp(rig->heard[i].event, event) == 0) {
            return true;
        }
    }
    return false;
}

static void
check_end(struct rig *rig)
{
    check_events(rig);
    assert_int_equal(rig->rooms.count, 0);
    assert_int_equal(rig->rooms.making_count, 0);
    assert_int_equal(rig->rooms.wait_count, 0);
    assert_int_equal(rig->rooms.hooks.event_count, 0);
    assert_int_equal(rig->sim.server.host.world_count, 0);
    for (int i = 0; i < rig->answer_count; i++) {
        assert_false(rig->answers[i].is_refused);
        assert_true(has_heard(rig, rig->answers[i].room, "created"));
        assert_true(has_heard(rig, rig->answers[i].room, "ended"));
    }
    if (rig->is_joined) {
        assert_true(has_heard(rig, rig->answers[0].room, "joined"));
    }
    /* Only the key's note is left. */
    const struct sv_memory_rows *notes = &rig->sim.memory.kept[SV_ROW_NOTE];
    assert_int_equal(notes->count, 1);
    assert_int_equal(notes->rows[0].row.world, SV_SHELF_KEY);
}

/* Runs the script; kill_ms < 0: without a kill. */
static void
run_script(int kill_ms, bool is_power_cut, int fail_every)
{
    static struct rig rig;
    memset(&rig, 0, sizeof(rig));
    rig.fail_every = fail_every;
    boot(&rig);
    for (int ms = 0; ms < SCRIPT_MS; ms++) {
        if (ms == kill_ms) {
            kill_daemon(&rig, is_power_cut);
            boot(&rig);
            check_answers(&rig);
        }
        act(&rig, ms);
        step(&rig);
    }
    check_end(&rig);
    durable_sim_close(&rig.sim);
    sv_rooms_finish(&rig.rooms);
    durable_sim_finish(&rig.sim);
}

static void
test_whole(void **state)
{
    (void)state;
    run_script(-1, false, 0);
    run_script(-1, false, 2);
}

/* The request, the world, the answer, the join and the second seat. */
static void
test_kills_at_the_beginning(void **state)
{
    (void)state;
    for (int ms = 1; ms < 260; ms += 2) {
        run_script(ms, ms % 4 == 1, ms % 3 == 0 ? 2 : 0);
    }
}

/* The seats are freed, the room is empty, its world is removed. */
static void
test_kills_at_the_end(void **state)
{
    (void)state;
    for (int ms = 1000; ms < 2700; ms += 34) {
        run_script(ms, ms % 3 == 1, ms % 4 == 0 ? 3 : 0);
    }
    for (int ms = 2180; ms < 2260; ms += 3) {
        run_script(ms, false, 0);
    }
}

/* ---- single limits ---- */

static void
begin(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    rig->sim.worlds_max = 128;
    boot(rig);
}

static void
finish(struct rig *rig)
{
    durable_sim_close(&rig->sim);
    sv_rooms_finish(&rig->rooms);
    durable_sim_finish(&rig->sim);
}

/* Asks for a seat; the code of the refusal, or "". */
static const char *
ask_for(struct rig *rig, const struct wire_room_request *request)
{
    static struct wire_error error;
    struct sv_room *room;
    const struct sv_room_who who = {
        .asker = {.request = 1}, .role = AC_ROLE_PLAYER, .subject = "", .world = "*"};
    rig->answer_count = 0;
    bool is_good = sv_rooms_pick(&rig->rooms, request, &who, &room, &error) &&
        (room != NULL ? sv_rooms_seat(&rig->rooms, room, &who, &error)
                      : sv_rooms_make(&rig->rooms, request, &who, &error));
    for (int i = 0; i < 200 && is_good && rig->answer_count == 0; i++) {
        step(rig);
    }
    return is_good ? "" : error.code;
}

/*
 * A seat needs a role that covers its own; a room's world exists for its seats, its logic and
 * instructors.
 */
static void
test_rights(void **state)
{
    (void)state;
    static struct rig rig;
    struct sv_room *room;
    struct wire_error error;
    begin(&rig);
    struct wire_room_request request = {.template_name = "arena", .is_private = true};
    struct sv_room_who who = {.role = AC_ROLE_OBSERVER, .subject = "", .world = "*"};
    assert_true(sv_rooms_pick(&rig.rooms, &request, &who, &room, &error));
    assert_null(room);
    assert_false(sv_rooms_make(&rig.rooms, &request, &who, &error));
    assert_string_equal(error.code, "RIGHTS");
    who.role = AC_ROLE_LOGIC;
    assert_false(sv_rooms_make(&rig.rooms, &request, &who, &error));
    assert_string_equal(error.code, "RIGHTS");
    who.role = AC_ROLE_PLAYER;
    who.world = "other-*";
    assert_false(sv_rooms_make(&rig.rooms, &request, &who, &error));
    assert_string_equal(error.path, "template");
    assert_int_equal(rig.rooms.count, 0);
    assert_string_equal(ask_for(&rig, &request), "");
    room = rig.rooms.list[0];
    /* A private room is in no list, and no request without its id finds it. */
    const struct wire_room_filter all = {0};
    assert_false(sv_rooms_fits(room, &all, "*"));
    request = (struct wire_room_request){.template_name = "arena", .create = WIRE_ROOM_JOIN};
    assert_string_equal(ask_for(&rig, &request), "ROOM");
    struct sv_grant grant = {.role = AC_ROLE_PLAYER, .world = "*"};
    assert_false(sv_grant_covers_world(&grant, room->world));
    grant.room = room->number + 1;
    assert_false(sv_grant_covers_world(&grant, room->world));
    grant.room = room->number;
    assert_true(sv_grant_covers_world(&grant, room->world));
    grant = (struct sv_grant){.role = AC_ROLE_LOGIC, .world = "*"};
    assert_true(sv_grant_covers_world(&grant, room->world));
    grant = (struct sv_grant){.role = AC_ROLE_INSTRUCTOR, .world = "*"};
    assert_true(sv_grant_covers_world(&grant, room->world));
    finish(&rig);
}

/* The newest connection of a seat has it; a seat that nobody used joins and leaves nothing. */
static void
test_seats(void **state)
{
    (void)state;
    static struct rig rig;
    begin(&rig);
    struct wire_room_request request = {.template_name = "arena"};
    assert_string_equal(ask_for(&rig, &request), "");
    const struct answer answer = rig.answers[0];
    enter(&rig, &answer);
    int first = rig.connection;
    for (int i = 0; i < 100; i++) {
        step(&rig);
    }
    enter(&rig, &answer);
    for (int i = 0; i < 100; i++) {
        step(&rig);
    }
    assert_int_equal(sv_sim_close_code(&rig.sim.server.transport, first), 1008);
    assert_int_equal(sv_sim_close_code(&rig.sim.server.transport, rig.connection), 0);
    assert_int_equal(rig.rooms.list[0]->taken, 1);
    sv_sim_disconnect(&rig.sim.server.transport, first);
    step(&rig);
    assert_int_equal(rig.rooms.list[0]->taken, 1); /* the end of the old one frees nothing */
    sv_sim_disconnect(&rig.sim.server.transport, rig.connection);
    rig.connection = -1;
    step(&rig);
    assert_int_equal(rig.rooms.list[0]->held, 1);
    for (int i = 0; i < 2600; i++) {
        step(&rig);
    }
    assert_int_equal(rig.rooms.count, 0);
    assert_int_equal(rig.heard_count, 5); /* created, joined, left, emptied, ended */
    assert_string_equal(ask_for(&rig, &request), "");
    for (int i = 0; i < 2600; i++) {
        step(&rig);
    }
    assert_int_equal(rig.heard_count, 7); /* created, ended */
    finish(&rig);
}

/* Steps until the webhook has received `ended`; the events' names, one letter each. */
static const char *
hear_end(struct rig *rig)
{
    static char letters[EVENTS_MAX + 1];
    for (int i = 0; i < 3000 && rig->rooms.count > 0; i++) {
        step(rig);
    }
    for (int i = 0; i < 100; i++) {
        step(rig);
    }
    for (int i = 0; i < rig->heard_count; i++) {
        letters[i] = rig->heard[i].event[0];
    }
    letters[rig->heard_count] = '\0';
    check_events(rig);
    return letters;
}

/*
 * A world with an attribute `result` tells it once, before `ended`: when the room ends by itself,
 * when its world is removed, and when the daemon is killed at any moment of the end.
 */
static void
test_result(void **state)
{
    (void)state;
    static struct rig rig;
    struct wire_room_request request = {.template_name = "final"};
    struct wire_error error;
    const struct sv_asker nobody = {0};
    begin(&rig);
    assert_string_equal(ask_for(&rig, &request), "");
    assert_string_equal(hear_end(&rig), "cre"); /* created, result, ended */
    finish(&rig);

    begin(&rig);
    assert_string_equal(ask_for(&rig, &request), "");
    assert_true(sv_host_remove_world(
        &rig.sim.server.host, rig.rooms.list[0]->world, &nobody, &error));
    assert_string_equal(hear_end(&rig), "cre");
    finish(&rig);

    for (int ms = 1980; ms < 2060; ms += 2) {
        begin(&rig);
        assert_string_equal(ask_for(&rig, &request), "");
        for (int i = 0; i < ms; i++) {
            step(&rig);
        }
        kill_daemon(&rig, ms % 4 == 0);
        boot(&rig);
        (void)hear_end(&rig);
        assert_true(has_heard(&rig, rig.answers[0].room, "result"));
        assert_true(has_heard(&rig, rig.answers[0].room, "ended"));
        finish(&rig);
    }
}

/* A seat's time begins with the answer, however long the disk takes before it. */
static void
test_slow_disk(void **state)
{
    (void)state;
    static struct rig rig;
    struct sv_room_pass pass;
    struct wire_error error;
    const struct wire_room_request request = {.template_name = "arena"};
    const struct sv_room_who who = {.role = AC_ROLE_PLAYER, .subject = "", .world = "*"};
    begin(&rig);
    assert_true(sv_rooms_make(&rig.rooms, &request, &who, &error));
    for (int i = 0; i < 100; i++) {
        durable_sim_step(&rig.sim, false);
    }
    assert_null(rig.rooms.list[0]->world); /* a death could leave a world that has no room */
    for (int i = 0; i < 200 && rig.answer_count == 0; i++) {
        step(&rig);
    }
    assert_non_null(rig.rooms.list[0]->world);
    rig.answer_count = 0;
    ask(&rig);
    for (int i = 0; i < 3000; i++) {
        durable_sim_step(&rig.sim, false);
    }
    assert_int_equal(rig.answer_count, 0);
    for (int i = 0; i < 200 && rig.answer_count == 0; i++) {
        step(&rig);
    }
    assert_int_equal(rig.answer_count, 1);
    for (int i = 0; i < 900; i++) {
        step(&rig);
    }
    assert_true(sv_rooms_admit(&rig.rooms, rig.answers[0].token, &pass, &error));
    for (int i = 0; i < 500; i++) {
        step(&rig);
    }
    assert_false(sv_rooms_admit(&rig.rooms, rig.answers[0].token, &pass, &error));
    finish(&rig);
}

/* A clock that advances with each reading. */
static uint64_t
read_running_clock(void *context)
{
    static uint64_t reading_count;
    const uint64_t *now_ns = context;
    return *now_ns + ++reading_count;
}

/* A seat that is answered while the seats are looked through has its whole time. */
static void
test_running_clock(void **state)
{
    (void)state;
    static struct rig rig;
    struct wire_room_request request = {.template_name = "arena"};
    begin(&rig);
    assert_string_equal(ask_for(&rig, &request), "");
    rig.rooms.clock.now_ns = read_running_clock;
    ask(&rig);
    rig.sim.server.now_ns += SV_STORE_SPACING_NS;
    (void)sv_store_run_journal(rig.sim.store);
    sv_rooms_tend(&rig.rooms);
    assert_int_equal(rig.answer_count, 2);
    assert_int_equal(rig.rooms.list[0]->held, 2);
    finish(&rig);
}

/* Fifty wrong passwords at once, then five a second; the right one waits, too. */
static void
test_guesses(void **state)
{
    (void)state;
    static struct rig rig;
    begin(&rig);
    struct wire_room_request make = {.template_name = "arena",
        .create = WIRE_ROOM_CREATE,
        .password = "sesame"};
    assert_string_equal(ask_for(&rig, &make), "");
    struct wire_room_request guess = {.password = "wrong"};
    memcpy(guess.room, rig.answers[0].room, sizeof(guess.room));
    for (int i = 0; i < SV_ROOM_GUESS_BURST; i++) {
        assert_string_equal(ask_for(&rig, &guess), "RIGHTS");
    }
    assert_string_equal(ask_for(&rig, &guess), "RATE");
    memcpy(guess.password, "sesame", sizeof("sesame"));
    assert_string_equal(ask_for(&rig, &guess), "RATE");
    struct wire_room_request any = {
        .template_name = "arena", .create = WIRE_ROOM_JOIN, .password = "sesame"};
    assert_string_equal(ask_for(&rig, &any), "RATE");
    for (int i = 0; i < 1000 / SV_ROOM_GUESS_RATE + 1; i++) {
        step(&rig);
    }
    assert_string_equal(ask_for(&rig, &guess), "");
    finish(&rig);
}

/* With so many events for the webhook no seat is given. */
static void
test_too_many_events(void **state)
{
    (void)state;
    static struct rig rig;
    begin(&rig);
    struct wire_room_request request = {.template_name = "arena"};
    assert_string_equal(ask_for(&rig, &request), "");
    rig.rooms.hooks.event_count += SV_HOOKS_MAX;
    assert_string_equal(ask_for(&rig, &request), "CAPACITY");
    request.create = WIRE_ROOM_CREATE;
    assert_string_equal(ask_for(&rig, &request), "CAPACITY");
    rig.rooms.hooks.event_count -= SV_HOOKS_MAX;
    rig.rooms.hooks.size += SV_HOOKS_SIZE_MAX;
    assert_string_equal(ask_for(&rig, &request), "CAPACITY");
    rig.rooms.hooks.size -= SV_HOOKS_SIZE_MAX;
    assert_string_equal(ask_for(&rig, &request), "");
    finish(&rig);
}

/* A full disk refuses seats by name; events of rooms that ended meanwhile are sent later. */
static void
test_full_disk(void **state)
{
    (void)state;
    static struct rig rig;
    begin(&rig);
    struct wire_room_request request = {.template_name = "arena"};
    assert_string_equal(ask_for(&rig, &request), "");
    struct sv_fault fault;
    sv_fault_set(&fault, SV_FAULT_FULL, "the disk is full");
    rig.sim.disk.free_size = 4096;
    sv_store_enter(rig.sim.store, SV_STORE_READ_ONLY, &fault);
    assert_string_equal(ask_for(&rig, &request), "READONLY");
    for (int i = 0; i < 3000; i++) {
        step(&rig);
    }
    assert_int_equal(rig.heard_count, 1); /* created */
    rig.sim.disk.free_size = 0;
    for (int i = 0; i < 6000; i++) {
        step(&rig);
    }
    assert_int_equal(rig.heard_count, 2); /* ended */
    assert_string_equal(rig.heard[1].event, "ended");
    assert_int_equal(rig.rooms.count, 0);
    finish(&rig);
}

/* The lists that a lobby has been sent, and the rooms that it knows by them. */
struct lobby {
    int list_count, full_count, shown_count;
    size_t largest;
    char shown[SV_LOBBY_ROOMS_MAX][WIRE_NAME_SIZE];
};

static int
find_shown(const struct lobby *lobby, const char *id)
{
    int i = 0;
    while (i < lobby->shown_count && strcmp(lobby->shown[i], id) != 0) {
        i++;
    }
    return i;
}

static void
see_rooms(void *user, const Cairn__V1__ServerMessage *message)
{
    struct lobby *lobby = user;
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_ROOMS) {
        const Cairn__V1__RoomList *list = message->rooms;
        lobby->list_count++;
        lobby->full_count += list->full ? 1 : 0;
        for (size_t i = 0; i < list->n_removed; i++) {
            int at = find_shown(lobby, list->removed[i]);
            assert_true(at < lobby->shown_count); /* it was shown */
            memcpy(lobby->shown[at], lobby->shown[--lobby->shown_count], WIRE_NAME_SIZE);
        }
        for (size_t i = 0; i < list->n_rooms; i++) {
            if (find_shown(lobby, list->rooms[i]->id) == lobby->shown_count) {
                assert_true(lobby->shown_count < SV_LOBBY_ROOMS_MAX);
                snprintf(
                    lobby->shown[lobby->shown_count++], WIRE_NAME_SIZE, "%s", list->rooms[i]->id);
            }
        }
        lobby->largest = list->n_rooms > lobby->largest ? list->n_rooms : lobby->largest;
    }
}

/* A lobby shows a hundred rooms, and receives changes four times a second. */
static void
test_lobby(void **state)
{
    (void)state;
    static struct rig rig;
    static struct lobby lobby;
    begin(&rig);
    struct server *server = &rig.sim.server;
    struct wire_room_request request = {.template_name = "arena", .create = WIRE_ROOM_CREATE};
    const struct sv_room_who who = {.role = AC_ROLE_PLAYER, .subject = "", .world = "*"};
    int connection = sv_sim_connect(&server->transport);
    char name[] = "ann";
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = name;
    CLIENT_MESSAGE(first, HELLO, hello, &hello);
    server_take(server, connection, &first);
    Cairn__V1__Lobby ask = CAIRN__V1__LOBBY__INIT;
    CLIENT_MESSAGE(second, LOBBY, lobby, &ask);
    server_take(server, connection, &second);
    for (int i = 0; i < 105; i++) {
        struct wire_error error;
        struct sv_room *room;
        rig.answer_count = 0;
        assert_true(sv_rooms_pick(&rig.rooms, &request, &who, &room, &error));
        assert_true(sv_rooms_make(&rig.rooms, &request, &who, &error));
        rig.heard_count = 0;
        step(&rig);
    }
    for (int i = 0; i < 800; i++) {
        rig.answer_count = rig.heard_count = 0;
        step(&rig);
    }
    assert_int_equal(rig.rooms.count, 105);
    server_read(server, connection, see_rooms, &lobby);
    assert_int_equal(lobby.full_count, 1);
    assert_int_equal(lobby.shown_count, SV_LOBBY_ROOMS_MAX);
    assert_true(lobby.largest <= SV_LOBBY_ROOMS_MAX);
    /* 905 ms hold at most four periods. */
    assert_in_range(lobby.list_count, 2, 1 + 4);
    for (int i = 0; i < 3500; i++) {
        rig.answer_count = rig.heard_count = 0;
        step(&rig);
        server_read(server, connection, see_rooms, &lobby);
    }
    assert_int_equal(rig.rooms.count, 0);
    assert_int_equal(lobby.shown_count, 0); /* each that was shown has been removed */
    finish(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole),
        cmocka_unit_test(test_kills_at_the_beginning), cmocka_unit_test(test_kills_at_the_end),
        cmocka_unit_test(test_rights), cmocka_unit_test(test_seats),
        cmocka_unit_test(test_result), cmocka_unit_test(test_slow_disk),
        cmocka_unit_test(test_running_clock), cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_too_many_events), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_lobby)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
