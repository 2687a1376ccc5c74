/*
 * test_shown.c: nothing that a client was shown is undone, over any number of crashes.
 *
 * A daemon in memory (tests/support/server/durable_sim.h) has one world of floating bodies.  Each
 * input gives one body 1 m/s within one tick, so the speed of a body is the number of inputs that
 * acted on it.  A client sends random inputs and orders.  It stores the received data: the view's
 * hash at each tick, the durable inputs, and the answered orders.  At a random moment the power is
 * cut, the process dies, or it stops normally.  The next process is compared with the client's
 * data:
 *
 *     ticks      the world is not before the last tick that was shown
 *     past       each shown tick, replayed from the store, has the same view
 *     inputs     each durable input has acted once, and no input has acted twice
 *     orders     each answered order is in effect: settings, pause, steps, lease, cap
 *
 * With SECOND this holds up to durableTick and durableSeq, and for every answer.
 *
 * usage: test_shown [CRASHES [SEED]]     prints how much it has compared
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "proto/state.h"
#include "server/past/replay.h"

#include <math.h>
#include <stdio.h>

#define BODIES 3
#define TICK_RATE 60
#define SHOWN_COUNT 4096     /* shown ticks that are stored, by tick modulo this */
#define SENT_COUNT 4096      /* inputs of one session, by number modulo this */
#define LIVES_OF_FOLDER 20 /* then another folder is begun */
#define LEASE_BODY 3 /* is not pushed */

static const char scene[] =
    "name: pair\n"
    "world: {gravity: {y: 0}, stepper: time, solver: impulse}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, position: {x: -100}, shapes: [{circle: {radius: 0.5}}]}\n"
    "  - {name: b, mass: 1, position: {x: 0}, shapes: [{circle: {radius: 0.5}}]}\n"
    "  - {name: c, mass: 1, position: {x: 100}, shapes: [{circle: {radius: 0.5}}]}\n"
    "  - {name: d, mass: 1, position: {x: 200}, shapes: [{circle: {radius: 0.5}}]}\n";

/* The state as the client knows it from its messages; it outlives the daemon. */
struct model {
    int connection;
    bool is_tick;                  /* the world's durability */
    bool is_inside, is_new;        /* the session is new: it has no history */
    uint64_t session, resume_count;
    bool has_token, is_kept; /* surely the session outlives the daemon */
    uint64_t join_tick;
    uint8_t token[WIRE_RESUME_SIZE];

    uint64_t tick, durable_tick, durable_seq, sent; /* of the session: numbers */
    uint64_t hashes[SHOWN_COUNT], hash_ticks[SHOWN_COUNT]; /* of tick + 1; 0: no hash */
    uint8_t body_of[SENT_COUNT];
    int64_t before[BODIES];        /* inputs that acted before this session */
    uint64_t safe_before;          /* inputs of this session that are in `before` */

    uint32_t request, asked;       /* the last request, and the kind of order */
    double restitution, restitution_asked;
    bool is_paused, is_paused_asked, has_lease, lease_asked, has_cap;
    uint64_t step_tick;            /* a step to this tick was answered; 0: none */
    uint64_t step_asked;
    int body_pushed;

    uint64_t random;
    uint64_t crashes, inputs, ticks, orders, resumes, leases; /* compared */
};

enum { ASKED_NOTHING, ASKED_SETTINGS, ASKED_STATE, ASKED_STEP, ASKED_LEASE, ASKED_CAP };

static uint64_t
draw(struct model *model, uint64_t end)
{
    model->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = model->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % end;
}

/* ---- messages to the client ---- */

static void
hear_done(struct model *model, uint32_t request)
{
    if (request != model->request) {
        return;
    }
    switch (model->asked) {
    case ASKED_SETTINGS:
        model->restitution = model->restitution_asked;
        break;
    case ASKED_STATE:
        model->is_paused = model->is_paused_asked;
        model->step_tick = 0;
        break;
    case ASKED_STEP:
        model->step_tick = model->step_asked;
        break;
    case ASKED_LEASE:
        model->has_lease = model->lease_asked;
        break;
    case ASKED_CAP:
        model->has_cap = true;
        break;
    default:
        break;
    }
    model->asked = ASKED_NOTHING;
}

static void
hear_welcome(struct model *model, const Cairn__V1__Welcome *welcome)
{
    assert_true(welcome->resumed || !model->has_token || !model->is_kept);
    if (welcome->resumed) {
        assert_true(model->has_token && welcome->session == model->session);
        assert_true(welcome->next_seq > model->durable_seq);
        assert_true(welcome->next_seq <= model->sent + 1);
        model->sent = welcome->next_seq - 1;
        model->resumes++;
    } else {
        model->is_new = true;
        model->has_lease = false;
        model->sent = model->durable_seq = 0;
        model->is_kept = false;
    }
    model->session = welcome->session;
    model->has_token = welcome->resume.len == WIRE_RESUME_SIZE;
    if (model->has_token) {
        memcpy(model->token, welcome->resume.data, WIRE_RESUME_SIZE);
    }
}

static void
hear(void *user, const Cairn__V1__ServerMessage *message)
{
    struct model *model = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        hear_welcome(model, message->welcome);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        model->is_inside = true;
        model->join_tick = message->joined->status->tick;
        model->is_kept = model->is_kept || model->is_tick;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        assert_true(message->tick->tick >= model->tick);
        model->tick = message->tick->tick;
        model->durable_tick = message->tick->durable_tick;
        model->durable_seq = message->tick->durable_seq;
        model->is_kept = model->is_kept ||
            (model->is_inside && model->durable_tick > model->join_tick);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT: {
        uint64_t tick = message->snapshot->tick;
        model->hashes[tick % SHOWN_COUNT] = message->snapshot->view_hash;
        model->hash_ticks[tick % SHOWN_COUNT] = tick + 1;
        break;
    }
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        hear_done(model, message->control_done->request);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        if (message->rejected->request == model->request) {
            model->asked = ASKED_NOTHING;
        }
        break;
    default:
        break;
    }
}

/* ---- messages from the client ---- */

static void
say_hello(struct server *server, struct model *model)
{
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"ann"};
    hello.keep = draw(model, 3) > 0;
    if (model->has_token) {
        hello.resume.data = model->token;
        hello.resume.len = WIRE_RESUME_SIZE;
        hello.keep = true;
    }
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    model->connection = sv_sim_connect(&server->transport);
    model->is_inside = model->is_new = false;
    server_take(server, model->connection, &message);
}

static void
say_input(struct server *server, struct model *model)
{
    Cairn__V1__Vec3 newton = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Input__Force force = CAIRN__V1__INPUT__FORCE__INIT;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    newton.y = TICK_RATE;
    force.body = (uint32_t)draw(model, BODIES);
    force.frame = CAIRN__V1__INPUT__FRAME__WORLD;
    force.force = &newton;
    input.seq = ++model->sent;
    input.slot = (uint32_t)(model->sent % 64); /* no input takes the place of one that waits */
    input.hold_ticks = 1;
    input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    input.force = &force;
    model->body_of[model->sent % SENT_COUNT] = (uint8_t)force.body;
    CLIENT_MESSAGE(message, INPUT, input, &input);
    server_take(server, model->connection, &message);
}

static void
say_control(struct server *server, struct model *model)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    Cairn__V1__Control__Step step = CAIRN__V1__CONTROL__STEP__INIT;
    Cairn__V1__Settings settings = CAIRN__V1__SETTINGS__INIT;
    control.request = ++model->request;
    model->asked = ASKED_STATE;
    uint64_t kind = draw(model, 4);
    if (kind == 0) {
        model->asked = ASKED_SETTINGS;
        model->restitution_asked = (double)draw(model, 1000) / 1000.0;
        settings.restitution_set_case = CAIRN__V1__SETTINGS__RESTITUTION_SET_RESTITUTION;
        settings.restitution = model->restitution_asked;
        control.action_case = CAIRN__V1__CONTROL__ACTION_SETTINGS;
        control.settings = &settings;
    } else if (kind == 1 && !model->is_paused) {
        model->is_paused_asked = true;
        control.action_case = CAIRN__V1__CONTROL__ACTION_PAUSE;
        control.pause = &pause;
    } else if (kind == 2 && model->is_paused && model->step_tick == 0) {
        model->asked = ASKED_STEP;
        step.ticks = 1 + (uint32_t)draw(model, 5);
        model->step_asked = model->tick + step.ticks;
        control.action_case = CAIRN__V1__CONTROL__ACTION_STEP;
        control.step = &step;
    } else {
        model->is_paused_asked = false;
        control.action_case = CAIRN__V1__CONTROL__ACTION_RESUME;
        control.resume = &resume;
    }
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(server, model->connection, &message);
}

static void
say_lease(struct server *server, struct model *model)
{
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    Cairn__V1__Lease__Acquire acquire = CAIRN__V1__LEASE__ACQUIRE__INIT;
    Cairn__V1__Lease__Release release = CAIRN__V1__LEASE__RELEASE__INIT;
    Cairn__V1__Caps caps = CAIRN__V1__CAPS__INIT;
    lease.request = ++model->request;
    lease.target_case = CAIRN__V1__LEASE__TARGET_BODY;
    lease.body = LEASE_BODY;
    model->asked = ASKED_LEASE;
    if (draw(model, 8) == 0) {
        model->asked = ASKED_CAP;
        caps.torque_set_case = CAIRN__V1__CAPS__TORQUE_SET_TORQUE;
        caps.torque = 7.0;
        lease.action_case = CAIRN__V1__LEASE__ACTION_CAP;
        lease.cap = &caps;
    } else if (model->has_lease) {
        model->lease_asked = false;
        lease.action_case = CAIRN__V1__LEASE__ACTION_RELEASE;
        lease.release = &release;
    } else {
        model->lease_asked = true;
        lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
        lease.acquire = &acquire;
    }
    CLIENT_MESSAGE(message, LEASE, lease, &lease);
    server_take(server, model->connection, &message);
}

/* One millisecond of the client. */
static void
play(struct durable_sim *sim, struct model *model)
{
    if (!model->is_inside) {
        return;
    }
    if (draw(model, 12) == 0 && model->sent < model->durable_seq + 60) {
        say_input(&sim->server, model);
    } else if (draw(model, 25) == 0 && model->asked == ASKED_NOTHING) {
        say_control(&sim->server, model);
    } else if (draw(model, 40) == 0 && model->asked == ASKED_NOTHING) {
        say_lease(&sim->server, model);
    }
}

/* ---- comparing model and server ---- */

/* The last tick that a crash may not undo. */
static uint64_t
safe_tick(const struct durable_sim *sim, const struct model *model)
{
    return sim->durability == WIRE_DURABILITY_TICK ? model->tick : model->durable_tick;
}

static uint32_t
view_hash(const struct sv_world *world)
{
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *state =
        wire_state_take(world->engine, world->generation, &precision, NULL);
    assert_non_null(state);
    uint32_t hash = wire_state_hash(state);
    wire_state_unref(state);
    return hash;
}

static void
check_tick(const struct sv_world *world, struct model *model, uint64_t safe)
{
    uint64_t tick = cn_world_tick(world->engine);
    if (tick <= safe && model->hash_ticks[tick % SHOWN_COUNT] == tick + 1) {
        assert_int_equal(view_hash(world), model->hashes[tick % SHOWN_COUNT]);
        model->ticks++;
    }
}

/* Replays the stored records, and compares each tick that was shown. */
static void
check_past(struct durable_sim *sim, struct model *model)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    struct wire_error error;
    struct sv_worker worker;
    struct sv_replay replay;
    struct sv_charter charter;
    struct sv_mailbox place = {.id = "pair", .number = 1};
    uint64_t safe = safe_tick(sim, model);
    bool is_good;
    durable_sim_open(sim);
    assert_true(sv_worker_init(
        &worker, sv_clock_simulated(&sim->server.now_ns), NULL, &sim->server.metrics, true));
    assert_true(sv_charter_of(sim->store, 1, &charter));
    struct sv_way way = {
        .store = sim->store, .recovery = sv_recovery_begin(sim->store, 1, &checkpoint, &fault)};
    assert_non_null(way.recovery);
    struct sv_past past = sv_way_past(&way, checkpoint, charter.content);
    struct sv_world *world = sv_replay_begin(&replay, &worker.env, &place, &past, &is_good, &error);
    assert_non_null(world);
    assert_true(is_good);
    enum sv_replay_step step = SV_REPLAY_TICK;
    replay.slice_work = draw(model, 2) > 0 ? 200 : 0; /* bits do not depend on it */
    while (step == SV_REPLAY_TICK || step == SV_REPLAY_RECORD || step == SV_REPLAY_MORE) {
        if (step == SV_REPLAY_TICK) {
            check_tick(world, model, safe);
        }
        step = sv_replay_next(&replay);
    }
    assert_int_equal(step, SV_REPLAY_END);
    while (cn_world_tick(world->engine) < world->persist.reach_tick) {
        assert_true(sv_replay_step(world));
        check_tick(world, model, safe);
    }
    sv_world_destroy(world);
    sv_recovery_end(way.recovery);
    sv_worker_finish(&worker);
    sv_store_abandon(sim->store);
    sim->disk.is_locked = false;
}

/* Every answered order is in force at the start of this life. */
static void
check_orders(struct durable_sim *sim, struct model *model)
{
    struct sv_world *world = durable_sim_world(sim);
    bool is_asked = model->asked == ASKED_STATE || model->asked == ASKED_STEP;
    assert_string_equal(world->failure, "");
    assert_true(cn_world_tick(world->engine) >= safe_tick(sim, model));
    if (model->asked != ASKED_SETTINGS) {
        assert_true(cn_world_restitution(world->engine) == model->restitution);
    }
    if (!is_asked) {
        assert_int_equal(world->state == WIRE_WORLD_PAUSED, model->is_paused);
    }
    if (!is_asked && model->is_paused && model->step_tick > 0) {
        assert_true(cn_world_tick(world->engine) == model->step_tick);
    }
    struct dd_lease_target target = {DD_LEASE_BODY, LEASE_BODY};
    if (model->has_token && model->asked != ASKED_LEASE) {
        bool is_its = sv_leases_holder(&world->leases, target) == model->session;
        assert_int_equal(is_its, model->has_lease);
        model->leases += model->has_lease ? 1 : 0;
    }
    if (model->has_cap) {
        assert_non_null(sv_caps_find(&world->caps, LEASE_BODY));
    }
    model->is_paused = world->state == WIRE_WORLD_PAUSED;
    model->restitution = cn_world_restitution(world->engine);
    model->has_cap = sv_caps_find(&world->caps, LEASE_BODY) != NULL;
    model->has_lease = model->has_token &&
        sv_leases_holder(&world->leases, target) == model->session;
    model->asked = ASKED_NOTHING;
    model->step_tick = 0;
    model->tick = model->durable_tick = 0; /* of this life nothing has been shown */
    model->orders++;
}

/* How many inputs have acted on each body: its speed. */
static void
count_acted(const struct sv_world *world, int64_t acted[BODIES])
{
    for (int i = 0; i < BODIES; i++) {
        struct cn_body_view view;
        cn_world_body_view(world->engine, i, &view);
        acted[i] = llround(view.velocity.y);
        assert_true(fabs(view.velocity.y - (double)acted[i]) < 1e-2);
    }
}

/*
 * The inputs that have acted are the first ones of the session, once each, and at least all durable
 * ones.  All admitted inputs must have acted by now, because the world has run for some ticks.
 */
static void
check_inputs(struct durable_sim *sim, struct model *model, uint64_t safe, uint64_t sent)
{
    int64_t acted[BODIES], expected[BODIES];
    count_acted(durable_sim_world(sim), acted);
    memcpy(expected, model->before, sizeof(expected));
    uint64_t seq = model->safe_before;
    bool is_equal = false;
    for (;;) {
        is_equal = seq >= safe && memcmp(expected, acted, sizeof(acted)) == 0;
        if (is_equal || seq >= sent) {
            break;
        }
        expected[model->body_of[++seq % SENT_COUNT]]++;
    }
    if (!is_equal) {
        fail_msg("of inputs %d to %d, of which %d were safe, %d %d %d acted and not %d %d %d",
            (int)model->safe_before + 1, (int)sent, (int)safe, (int)acted[0], (int)acted[1],
            (int)acted[2], (int)expected[0], (int)expected[1], (int)expected[2]);
    }
    model->inputs += safe - model->safe_before;
    memcpy(model->before, acted, sizeof(acted));
    model->safe_before = seq;
}

/* ---- lives ---- */

static void
end_life(struct durable_sim *sim, struct model *model)
{
    uint64_t how = draw(model, 10);
    server_read(&sim->server, model->connection, hear, model);
    if (how == 0) {
        durable_sim_close(sim);
    } else if (how < 5) {
        durable_sim_kill(sim);
    } else {
        durable_sim_crash(sim, draw(model, UINT32_MAX));
    }
    model->crashes++;
    for (int i = 0; i < SHOWN_COUNT; i++) { /* later ticks may be undone */
        model->hash_ticks[i] =
            model->hash_ticks[i] > safe_tick(sim, model) + 1 ? 0 : model->hash_ticks[i];
    }
}

/* Resumes the world and runs some ticks, so that all inputs have acted. */
static void
let_it_run(struct durable_sim *sim, struct model *model)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    control.request = ++model->request;
    control.action_case = CAIRN__V1__CONTROL__ACTION_RESUME;
    control.resume = &resume;
    model->asked = ASKED_STATE;
    model->is_paused_asked = false;
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(&sim->server, model->connection, &message);
    for (int ms = 0; ms < 200 && (ms < 40 || model->asked != ASKED_NOTHING); ms++) {
        durable_sim_step(sim, true);
        server_read(&sim->server, model->connection, hear, model);
    }
    assert_int_equal(model->asked, ASKED_NOTHING);
}

static void
begin_life(struct durable_sim *sim, struct model *model)
{
    uint64_t safe = model->durable_seq, sent = model->sent;
    durable_sim_boot(sim, scene);
    assert_int_equal(sim->recovered.failed_count, 0);
    check_orders(sim, model);
    model->has_token = model->has_token && draw(model, 5) > 0; /* else the client has lost it */
    say_hello(&sim->server, model);
    for (int ms = 0; ms < 3; ms++) {
        durable_sim_step(sim, true);
        server_read(&sim->server, model->connection, hear, model);
    }
    uint64_t acted = model->is_new ? sent : model->sent; /* nextSeq says how many have acted */
    if (model->is_new) { /* else Joined follows without it */
        server_take_join(&sim->server, model->connection);
    }
    for (int ms = 0; ms < 100 && !model->is_inside; ms++) {
        durable_sim_step(sim, true);
        server_read(&sim->server, model->connection, hear, model);
    }
    assert_true(model->is_inside);
    let_it_run(sim, model);
    check_inputs(sim, model, model->is_new ? safe : acted, acted);
    if (model->is_new) {
        model->safe_before = 0;
    }
}

/* Starts a new folder with a new world. */
static void
begin_folder(struct durable_sim *sim, struct model *model)
{
    struct model fresh = {.random = model->random,
        .crashes = model->crashes,
        .inputs = model->inputs,
        .ticks = model->ticks,
        .orders = model->orders,
        .resumes = model->resumes,
        .leases = model->leases};
    *model = fresh;
    memset(sim, 0, sizeof(*sim));
    sim->durability = draw(model, 3) > 0 ? WIRE_DURABILITY_TICK : WIRE_DURABILITY_SECOND;
    sim->past_ms = draw(model, 2) * 2000;
    model->is_tick = sim->durability == WIRE_DURABILITY_TICK;
    durable_sim_boot(sim, scene);
    durable_sim_run(sim, 20);
    model->restitution = cn_world_restitution(durable_sim_world(sim)->engine);
    say_hello(&sim->server, model);
    server_take_join(&sim->server, model->connection);
}

static void
live(struct durable_sim *sim, struct model *model)
{
    uint64_t duration_ms = 1 + draw(model, draw(model, 4) == 0 ? 1500 : 80);
    uint64_t disk_ms = 1 + draw(model, 25);
    for (uint64_t ms = 0; ms < duration_ms; ms++) {
        play(sim, model);
        durable_sim_step(sim, ms % disk_ms == 0);
        server_read(&sim->server, model->connection, hear, model);
    }
    end_life(sim, model);
    check_past(sim, model);
}

static uint64_t crash_count = 3000, seed = 1;

static void
test_nothing_is_undone(void **state)
{
    (void)state;
    static struct durable_sim sim;
    static struct model model;
    model.random = seed;
    while (model.crashes < crash_count) {
        begin_folder(&sim, &model);
        durable_sim_run(&sim, 30);
        for (int life = 0; life < LIVES_OF_FOLDER && model.crashes < crash_count; life++) {
            live(&sim, &model);
            begin_life(&sim, &model);
        }
        durable_sim_kill(&sim);
        durable_sim_finish(&sim);
    }
    printf("%d crashes: %d inputs, %d ticks, %d sets of orders, %d resumed sessions, %d leases\n",
        (int)model.crashes, (int)model.inputs, (int)model.ticks, (int)model.orders,
        (int)model.resumes, (int)model.leases);
}

int
main(int argc, char **argv)
{
    crash_count = argc > 1 ? strtoull(argv[1], NULL, 10) : crash_count;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
