/* A client: says Hello, joins, pushes, counts acknowledged inputs, and reconnects after a cut. */
#include "tests/sim/sim.h"

#include <cairn/v1/wire.pb-c.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS (12 * SV_NS_PER_S) /* a client waits so long without a message */
#define LAST_INPUT_NS (11 * SV_NS_PER_S) /* before the end clients stop sending inputs */

/* ---- sessions ---- */

struct sim_session *
sim_session_make(struct sim *sim, uint64_t epoch, uint64_t id)
{
    if (sim->session_count == sim->session_capacity) {
        sim->session_capacity = 2 * sim->session_capacity + 16;
        sim->sessions = realloc(
            sim->sessions, (size_t)sim->session_capacity * sizeof(sim->sessions[0]));
        CN_ASSERT(sim->sessions != NULL);
    }
    struct sim_session *session = calloc(1, sizeof(*session));
    CN_ASSERT(session != NULL);
    session->epoch = epoch;
    session->id = id;
    sim->sessions[sim->session_count++] = session;
    return session;
}

struct sim_session *
sim_session_find(struct sim *sim, uint64_t epoch, uint64_t id)
{
    for (int i = sim->session_count - 1; i >= 0; i--) {
        if (sim->sessions[i]->epoch == epoch && sim->sessions[i]->id == id) {
            return sim->sessions[i];
        }
    }
    return NULL;
}

/* ---- sending ---- */

#define CLIENT_MESSAGE(variable, NAME, member, part)                                               \
    Cairn__V1__ClientMessage variable = CAIRN__V1__CLIENT_MESSAGE__INIT;                           \
    variable.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_##NAME;                             \
    variable.member = (part)

static void
send_message(struct sim_client *client, const Cairn__V1__ClientMessage *message)
{
    uint8_t bytes[1024];
    size_t size = cairn__v1__client_message__get_packed_size(message);
    CN_ASSERT(size <= sizeof(bytes));
    cairn__v1__client_message__pack(message, bytes);
    /* A malicious client damages some of its messages. */
    if (client->is_malicious && sim_random_is(&client->random, 0.05)) {
        uint64_t kind = sim_random_below(&client->random, 3);
        if (kind == 0) {
            bytes[sim_random_below(&client->random, size)] ^=
                (uint8_t)(1u << sim_random_below(&client->random, 8));
        } else if (kind == 1) {
            size = (size_t)sim_random_below(&client->random, size + 1);
        } else {
            for (size_t i = 0; i < size; i++) {
                bytes[i] = (uint8_t)sim_random_next(&client->random);
            }
        }
    }
    sim_net_send(client->connection, bytes, size);
}

static void
send_hello(struct sim_client *client)
{
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"sim"};
    hello.keep = true;
    if (client->has_resume) {
        hello.resume.data = client->resume;
        hello.resume.len = sizeof(client->resume);
    }
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    send_message(client, &message);
}

static void
send_join(struct sim_client *client)
{
    Cairn__V1__Join part = CAIRN__V1__JOIN__INIT;
    char id[] = "w0";
    id[1] = (char)('0' + client->world);
    part.world = id;
    CLIENT_MESSAGE(message, JOIN, join, &part);
    send_message(client, &message);
    if (client->mode != 0) {
        Cairn__V1__Subscribe subscribe = CAIRN__V1__SUBSCRIBE__INIT;
        subscribe.mode = CAIRN__V1__SUBSCRIBE__MODE__DELTA;
        CLIENT_MESSAGE(wish, SUBSCRIBE, subscribe, &subscribe);
        send_message(client, &wish);
    }
}

/* Sends an input by its number; a second sending has the same bytes. */
static void
send_input(struct sim *sim, struct sim_client *client, uint64_t seq)
{
    const struct sim_input *input = &client->session->inputs[seq - 1];
    struct sim_random choice = {seq * 77 + client->session->id};
    int bodies = sim->plan.body_count[client->world];
    Cairn__V1__Vec3 target = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Input part = CAIRN__V1__INPUT__INIT;
    Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
    Cairn__V1__Input__Force force = CAIRN__V1__INPUT__FORCE__INIT;
    target.x = input->value;
    target.y = 0.5;
    part.seq = seq;
    part.hold_ticks = (uint32_t)sim_random_below(&choice, 40);
    part.slot = (uint32_t)sim_random_below(&choice, 2);
    if (sim_random_is(&choice, 0.7)) {
        drag.body = 1 + (uint32_t)sim_random_below(&choice, (uint64_t)bodies);
        drag.target = &target;
        drag.stiffness = 50.0;
        drag.damping = 20.0;
        part.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
        part.drag = &drag;
    } else {
        force.body = 1 + (uint32_t)sim_random_below(&choice, (uint64_t)bodies);
        force.force = &target;
        part.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
        part.force = &force;
    }
    if (sim->plan.has[SIM_EARLY] && sim_random_is(&choice, 0.3) && !sim_is_calm(sim)) {
        part.at_tick = client->tick + sim_random_below(&choice, 30);
    }
    CLIENT_MESSAGE(message, INPUT, input, &part);
    send_message(client, &message);
}

static void
push_body(struct sim *sim, struct sim_client *client)
{
    struct sim_session *session = client->session;
    if (session->count == session->capacity) {
        session->capacity = 2 * session->capacity + 64;
        session->inputs =
            realloc(session->inputs, (size_t)session->capacity * sizeof(session->inputs[0]));
        CN_ASSERT(session->inputs != NULL);
    }
    uint64_t number = ++sim->input_count;
    session->inputs[session->count++] = (struct sim_input){
        .value = (double)(number * 7919 % 1024) / 256.0 - 2.0 + (double)number * 1e-9};
}

/* Sends all inputs that were not sent on this connection yet. */
static void
catch_up(struct sim *sim, struct sim_client *client)
{
    while (client->sent < client->session->count && client->connection != NULL) {
        send_input(sim, client, ++client->sent);
    }
}

static void
send_order(struct sim *sim, struct sim_client *client)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    Cairn__V1__Control__Reset reset = CAIRN__V1__CONTROL__RESET__INIT;
    Cairn__V1__Settings settings = CAIRN__V1__SETTINGS__INIT;
    Cairn__V1__Vec3 gravity = CAIRN__V1__VEC3__INIT;
    control.request = ++client->request;
    uint64_t kind = sim_random_below(&client->random, 8);
    if (kind == 0) {
        control.action_case = CAIRN__V1__CONTROL__ACTION_PAUSE;
        control.pause = &pause;
    } else if (kind == 1) {
        control.action_case = CAIRN__V1__CONTROL__ACTION_RESET;
        control.reset = &reset;
    } else if (kind < 4) {
        gravity.y = -9.0 - (double)sim_random_below(&client->random, 16) / 16.0;
        settings.gravity = &gravity;
        control.action_case = CAIRN__V1__CONTROL__ACTION_SETTINGS;
        control.settings = &settings;
    } else {
        control.action_case = CAIRN__V1__CONTROL__ACTION_RESUME;
        control.resume = &resume;
    }
    if (sim_is_calm(sim)) {
        control.action_case = CAIRN__V1__CONTROL__ACTION_RESUME;
        control.resume = &resume;
    }
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    send_message(client, &message);
}

/*
 * An input that names a tick of a paused world waits until a Resume.  So in the calm at the end a
 * client sends orders every second; one is not enough, because a Pause may still be on its way.  If
 * no input names a tick, worlds may stay paused.
 */
static bool
is_order_due(struct sim *sim, struct sim_client *client)
{
    if (!sim_is_calm(sim) || !sim->plan.has[SIM_EARLY]) {
        return sim_random_is(&client->random, sim_is_calm(sim) ? 0.05 : 0.01);
    }
    bool is_due = sim->now_ns >= client->resume_ns;
    client->resume_ns = is_due ? sim->now_ns + SV_NS_PER_S : client->resume_ns;
    return is_due;
}

/* ---- receiving ---- */

/*
 * The daemon has started again, and the session continues.  A crash may undo ticks and inputs that
 * were not promised: in a world of durability SECOND, those after the last durable input.
 */
static void
take_back(struct sim *sim, struct sim_client *client, uint64_t epoch, uint64_t next)
{
    struct sim_session *session = client->session;
    bool is_promised = sim->plan.durability[client->world] == WIRE_DURABILITY_TICK;
    uint64_t promised = is_promised ? session->shown_applied : session->shown_durable;
    if (next <= promised) {
        sim_fail(sim, SIM_SHOWN_KEPT,
            "session %" PRIu64 " goes on at %" PRIu64 ", and %" PRIu64 " was promised",
            session->id, next, promised);
    }
    session->epoch = epoch;
    if (!is_promised) {
        session->shown_applied = next - 1;
        client->tick = 0;
        client->generation = 0;
    }
    sim->count.returned++;
}

static void
take_welcome(struct sim *sim, struct sim_client *client, const Cairn__V1__Welcome *welcome)
{
    uint64_t epoch = sim_net_epoch(client->connection);
    if (welcome->resumed) {
        struct sim_session *session = client->session;
        bool is_back = welcome->restarted && session != NULL &&
            session->epoch == client->resume_epoch && client->resume_epoch < epoch;
        if (session == NULL || session->id != welcome->session ||
            (!is_back && (session->epoch != epoch || client->resume_epoch != epoch))) {
            sim_fail(sim, SIM_ACK_KEPT,
                "session %" PRIu64 " of epoch %" PRIu64 " was given to who had another",
                welcome->session, epoch);
        }
        uint64_t next = welcome->next_seq;
        if (next == 0 || next > session->count + 1) {
            sim_fail(sim, SIM_ACK_KEPT, "session %" PRIu64 " goes on at %" PRIu64 " of %" PRIu64,
                session->id, next, session->count);
        }
        if (is_back) {
            take_back(sim, client, epoch, next);
        }
        client->sent = next - 1;
        if (sim->plan.has[SIM_RESEND]) {
            client->sent -= sim_random_below(&client->random, client->sent < 8 ? next : 8);
        }
        client->state = SIM_JOINING;
    } else {
        client->session = sim_session_make(sim, epoch, welcome->session);
        client->session->is_wild = client->is_malicious;
        client->sent = 0;
        client->tick = 0;
        client->generation = 0;
        client->state = SIM_JOINING;
        send_join(client);
    }
    client->tick_epoch = epoch;
    client->has_resume = welcome->resume.len == sizeof(client->resume);
    client->resume_epoch = epoch;
    if (client->has_resume) {
        memcpy(client->resume, welcome->resume.data, sizeof(client->resume));
    }
}

/* A damaged Join may join another world than the client meant. */
static void
take_joined(struct sim *sim, struct sim_client *client, const Cairn__V1__Joined *joined)
{
    int world = joined->world[0] == 'w' ? joined->world[1] - '0' : -1;
    if (world < 0 || world >= sim->plan.world_count ||
        (world != client->world && !client->is_malicious)) {
        sim_fail(sim, SIM_ASSERTS, "client %d has joined %s", client->index, joined->world);
    }
    if (world != client->world) {
        client->world = world;
        client->tick = 0;
        client->generation = 0;
    }
    client->state = SIM_INSIDE_WORLD;
}

static void
take_tick(struct sim *sim, struct sim_client *client, const Cairn__V1__TickHeader *header)
{
    struct sim_session *session = client->session;
    bool is_new = header->durable_seq > session->shown_durable;
    if (header->durable_seq > header->applied_seq || header->applied_seq > session->count ||
        header->applied_seq < session->shown_applied) {
        sim_fail(sim, SIM_ACK_KEPT,
            "session %" PRIu64 ": %" PRIu64 " applied, %" PRIu64 " durable of %" PRIu64,
            session->id, header->applied_seq, header->durable_seq, session->count);
    }
    session->shown_applied = header->applied_seq;
    struct sim_world *world = sim_world_find(sim, session->world);
    bool is_second = world != NULL && world->durability == WIRE_DURABILITY_SECOND;
    if (is_second && header->durable_tick > 0 && client->tick >= header->durable_tick) {
        sim_promise(world, client->generation, header->durable_tick);
    }
    if (is_new) {
        sim->count.acks += header->durable_seq - session->shown_durable;
        session->shown_durable = header->durable_seq;
    }
}

/* The bodies that a client sees must be those of that tick, and its ticks never go back. */
static void
take_view(struct sim *sim, struct sim_client *client, uint32_t generation, uint64_t tick,
    uint32_t view_hash)
{
    struct sv_host_world *place = NULL;
    for (int i = 0; sim->server.is_up && i < sim->server.host.world_count; i++) {
        if (sim->server.host.worlds[i]->mailbox.id[1] == '0' + client->world) {
            place = sim->server.host.worlds[i];
        }
    }
    bool is_back = generation < client->generation ||
        (generation == client->generation && tick < client->tick);
    if (is_back) {
        sim_fail(sim, SIM_TICK_ORDER,
            "client %d was shown tick %" PRIu64 " of generation %" PRIu32
            " after tick %" PRIu64 " of generation %" PRIu32,
            client->index, tick, generation, client->tick, client->generation);
    }
    bool is_same = generation == client->generation && tick == client->tick;
    client->generation = generation;
    client->tick = tick;
    if (place == NULL || sim_net_epoch(client->connection) != sim->server.epoch) {
        return;
    }
    struct sim_world *promised = sim_world_find(sim, place->mailbox.number);
    if (promised != NULL && promised->durability == WIRE_DURABILITY_TICK) {
        sim_promise(promised, generation, tick);
    }
    struct sim_sample *sample =
        sim_sample(sim, place->mailbox.number, sim->server.epoch, generation, tick);
    if (sample == NULL || !sample->has_view || sample->is_changing) {
        return;
    }
    if (is_same) {
        return; /* the same tick, shown again to a client that has come back */
    }
    if (sample->view_hash != view_hash) {
        sim_fail(sim, SIM_OUTPUT_COMMIT,
            "client %d was shown %08" PRIx32 " at tick %" PRIu64 ", which was %08" PRIx32,
            client->index, view_hash, tick, sample->view_hash);
    }
    struct sim_world *world = sim_world_find(sim, place->mailbox.number);
    sample->is_shown = true;
    if (world->shown_epoch != sim->server.epoch || generation > world->shown_generation ||
        tick > world->shown_tick) {
        world->shown_epoch = sim->server.epoch;
        world->shown_generation = generation;
        world->shown_tick = tick;
    }
}

static void
take_rejected(struct sim *sim, struct sim_client *client, const Cairn__V1__Rejected *rejected)
{
    struct sim_session *session = client->session;
    const char *code = rejected->error != NULL ? rejected->error->code : "";
    sim_note(sim, code, (uint64_t)client->index);
    bool is_late = sim->now_ns + SIM_CALM_NS - 3 * SV_NS_PER_S >= sim->end_ns;
    if (strcmp(code, "READONLY") == 0 && is_late) {
        sim_fail(sim, SIM_LIVENESS, "the disk has room, and inputs are refused");
    }
    if (strcmp(code, "SEQ") == 0 && session != NULL) {
        client->sent = session->shown_applied; /* an earlier, damaged input was refused */
    }
    if (session != NULL && rejected->seq > 0 && rejected->seq <= session->count) {
        session->inputs[rejected->seq - 1].is_rejected = true;
    }
    if (strcmp(code, "WORLD") == 0 || strcmp(code, "STATE") == 0 || client->is_malicious) {
        if (client->state != SIM_INSIDE_WORLD) {
            sim_net_drop(client->connection);
            sim_client_lost(sim, client->index);
        }
    }
}

void
sim_client_take(struct sim *sim, int index, const uint8_t *bytes, size_t size)
{
    struct sim_client *client = &sim->clients[index];
    Cairn__V1__ServerMessage *message = cairn__v1__server_message__unpack(NULL, size, bytes);
    if (message == NULL && client->is_malicious) {
        return; /* it asked for text */
    }
    if (message == NULL) {
        sim_fail(sim, SIM_ASSERTS, "client %d can not read a message", index);
    }
    cn_hash_u64(&sim->trace, (uint64_t)index);
    cn_hash_bytes(&sim->trace, bytes, size);
    client->heard_ns = sim->now_ns;
    bool is_inside = client->state == SIM_INSIDE_WORLD && client->session != NULL;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        take_welcome(sim, client, message->welcome);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        take_joined(sim, client, message->joined);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        if (is_inside) {
            take_tick(sim, client, message->tick);
        }
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        take_view(sim, client, message->snapshot->generation, message->snapshot->tick,
            message->snapshot->view_hash);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_DELTA:
        take_view(sim, client, message->delta->generation, message->delta->tick,
            message->delta->view_hash);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        take_rejected(sim, client, message->rejected);
        break;
    default:
        break;
    }
    cairn__v1__server_message__free_unpacked(message, NULL);
}

/*
 * The refusal of an input on its way may be lost with the connection.  Some clients start a new
 * session instead of resuming.
 */
void
sim_client_lost(struct sim *sim, int index)
{
    struct sim_client *client = &sim->clients[index];
    struct sim_session *session = client->session;
    const struct sim_plan *plan = &sim->plan;
    bool may_be_refused = plan->has[SIM_FULL] || plan->has[SIM_EARLY] || plan->has[SIM_LAG] ||
        client->is_malicious;
    for (uint64_t i = session != NULL ? session->shown_applied : 0;
         session != NULL && i < session->count && may_be_refused; i++) {
        session->inputs[i].is_unsure = true;
    }
    client->has_resume = client->has_resume && !sim_random_is(&client->random, 0.1);
    client->connection = NULL;
    client->state = SIM_AWAY;
    client->retry_ns = sim->now_ns + sim_random_below(&client->random, 400 * SV_NS_PER_MS);
}

void
sim_client_step(struct sim *sim, struct sim_client *client)
{
    uint64_t now_ns = sim->now_ns;
    if (client->connection == NULL) {
        if (now_ns < client->retry_ns) {
            return;
        }
        client->retry_ns = now_ns + 100 * SV_NS_PER_MS;
        client->connection = sim_net_connect(&sim->net, client->index);
        if (client->connection != NULL) {
            client->state = SIM_GREETING;
            client->heard_ns = now_ns;
            send_hello(client);
        }
        return;
    }
    uint64_t patience_ns = sim_is_calm(sim) ? 2 * SV_NS_PER_S : PATIENCE_NS;
    bool is_paused = client->state == SIM_INSIDE_WORLD;
    if (now_ns - client->heard_ns > patience_ns && !is_paused) {
        sim_net_drop(client->connection);
        sim_client_lost(sim, client->index);
        return;
    }
    if (client->state != SIM_INSIDE_WORLD || now_ns < client->next_ns) {
        return;
    }
    client->next_ns = now_ns + sim->plan.input_period_ns[client->index];
    if (now_ns + LAST_INPUT_NS < sim->end_ns) {
        push_body(sim, client);
    }
    if (sim->plan.has[SIM_ORDERS] && is_order_due(sim, client)) {
        send_order(sim, client);
    }
    catch_up(sim, client);
}
