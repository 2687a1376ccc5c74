#include "proto/snapshot_codec.h"

#include "proto/quant.h"

#include <cairn/v1/wire.pb-c.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool
grow(struct wire_view *view, int count)
{
    if (count <= view->capacity) {
        return true;
    }
    size_t n = (size_t)count;
    uint32_t *body = realloc(view->body, n * sizeof(*body));
    view->body = body != NULL ? body : view->body;
    int32_t **columns[] = {&view->x, &view->y, &view->angle};
    bool is_done = body != NULL;
    for (int i = 0; i < 3; i++) {
        int32_t *column = realloc(*columns[i], n * sizeof(*column));
        *columns[i] = column != NULL ? column : *columns[i];
        is_done = is_done && column != NULL;
    }
    if (is_done) {
        view->capacity = count;
    }
    return is_done;
}

bool
wire_view_take(struct wire_view *view, const struct cn_world *world, uint32_t generation)
{
    int body_count = cn_world_body_count(world);
    if (!grow(view, body_count)) {
        return false;
    }
    view->tick = cn_world_tick(world);
    view->generation = generation;
    view->time = cn_world_time(world);
    view->state_hash = cn_world_hash(world);
    view->count = 0;
    for (int i = 0; i < body_count; i++) {
        struct cn_body_view body;
        cn_world_body_view(world, i, &body);
        if (body.type == CN_STATIC) {
            continue;
        }
        int k = view->count++;
        view->body[k] = (uint32_t)i;
        view->x[k] = wire_quantise(body.position.x, WIRE_POSITION_SCALE);
        view->y[k] = wire_quantise(body.position.y, WIRE_POSITION_SCALE);
        view->angle[k] = wire_quantise(body.angle, WIRE_ANGLE_SCALE);
    }
    view->has_every_body = view->count == body_count;
    view->view_hash = wire_view_hash(view);
    return true;
}

void
wire_view_finish(struct wire_view *view)
{
    free(view->body);
    free(view->x);
    free(view->y);
    free(view->angle);
    *view = (struct wire_view){0};
}

static uint32_t
hash_word(uint32_t hash, uint32_t word)
{
    for (int shift = 0; shift < 32; shift += 8) {
        hash = (hash ^ ((word >> shift) & 0xFF)) * UINT32_C(16777619);
    }
    return hash;
}

uint32_t
wire_view_hash(const struct wire_view *view)
{
    uint32_t hash = UINT32_C(2166136261);
    for (int i = 0; i < view->count; i++) {
        hash = hash_word(hash, view->body[i]);
        hash = hash_word(hash, (uint32_t)view->x[i]);
        hash = hash_word(hash, (uint32_t)view->y[i]);
        hash = hash_word(hash, (uint32_t)view->angle[i]);
    }
    return hash;
}

static size_t
encode(const Cairn__V1__ServerMessage *message, uint8_t *out, size_t out_size)
{
    size_t size = cairn__v1__server_message__get_packed_size(message);
    if (size <= out_size) {
        cairn__v1__server_message__pack(message, out);
    }
    return size;
}

size_t
wire_encode_snapshot(const struct wire_view *view, uint8_t *out, size_t out_size)
{
    char hash[17];
    snprintf(hash, sizeof(hash), "%016" PRIx64, view->state_hash);
    size_t count = (size_t)view->count;
    Cairn__V1__Snapshot body = CAIRN__V1__SNAPSHOT__INIT;
    body.tick = view->tick;
    body.generation = view->generation;
    body.time = view->time;
    body.n_body = view->has_every_body ? 0 : count;
    body.body = view->body;
    body.n_x = body.n_y = body.n_angle = count;
    body.x = view->x;
    body.y = view->y;
    body.angle = view->angle;
    body.view_hash = view->view_hash;
    body.state_hash = hash;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT;
    message.snapshot = &body;
    return encode(&message, out, out_size);
}

size_t
wire_encode_energy(const struct cn_world *world, uint8_t *out, size_t out_size)
{
    struct cn_energy energy = cn_world_energy(world);
    Cairn__V1__EnergyFrame body = CAIRN__V1__ENERGY_FRAME__INIT;
    body.tick = cn_world_tick(world);
    body.time = cn_world_time(world);
    body.kinetic = energy.kinetic;
    body.potential = energy.potential;
    body.total = energy.total;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_ENERGY;
    message.energy = &body;
    return encode(&message, out, out_size);
}

#define FLOAT_COLUMNS 7

size_t
wire_encode_contacts(const struct cn_world *world, uint8_t *out, size_t out_size)
{
    const struct cn_contact_view *contacts;
    size_t count = (size_t)cn_world_contacts(world, &contacts);
    uint32_t *bodies = malloc((2 * count + 1) * sizeof(*bodies));
    float *columns = malloc((FLOAT_COLUMNS * count + 1) * sizeof(*columns));
    size_t size = 0;
    if (bodies != NULL && columns != NULL) {
        Cairn__V1__ContactFrame body = CAIRN__V1__CONTACT_FRAME__INIT;
        body.tick = cn_world_tick(world);
        body.n_body_a = body.n_body_b = count;
        body.body_a = bodies;
        body.body_b = bodies + count;
        float **columns_of[FLOAT_COLUMNS] = {&body.x, &body.y, &body.normal_x, &body.normal_y,
            &body.force, &body.impulse, &body.gap};
        for (size_t i = 0; i < FLOAT_COLUMNS; i++) {
            *columns_of[i] = columns + i * count;
        }
        body.n_x = body.n_y = body.n_normal_x = body.n_normal_y = count;
        body.n_force = body.n_impulse = body.n_gap = count;
        for (size_t i = 0; i < count; i++) {
            body.body_a[i] = (uint32_t)contacts[i].body_a;
            body.body_b[i] = (uint32_t)contacts[i].body_b;
            body.x[i] = (float)contacts[i].point.x;
            body.y[i] = (float)contacts[i].point.y;
            body.normal_x[i] = (float)contacts[i].normal.x;
            body.normal_y[i] = (float)contacts[i].normal.y;
            body.force[i] = (float)contacts[i].force;
            body.impulse[i] = (float)contacts[i].impulse;
            body.gap[i] = (float)contacts[i].gap;
        }
        struct cn_solve_summary summary = cn_world_solve_summary(world);
        body.residual = summary.residual;
        body.outcome = (Cairn__V1__ContactFrame__Outcome)summary.outcome;
        Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
        message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTACTS;
        message.contacts = &body;
        size = encode(&message, out, out_size);
    }
    free(bodies);
    free(columns);
    return size;
}

size_t
wire_encode_events(const struct cn_world *world, uint8_t *out, size_t out_size)
{
    const struct cn_event *events;
    size_t count = (size_t)cn_world_events(world, &events);
    Cairn__V1__Event *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__Event **pointers = calloc(count + 1, sizeof(*pointers));
    size_t size = 0;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            union {
                const char *in;
                char *out;
            } kind = {.in = cn_event_name(events[i].kind)};
            cairn__v1__event__init(&bodies[i]);
            bodies[i].kind = kind.out;
            bodies[i].body_a = events[i].body_a;
            bodies[i].body_b = events[i].body_b;
            bodies[i].value = events[i].value;
            pointers[i] = &bodies[i];
        }
        Cairn__V1__EventFrame body = CAIRN__V1__EVENT_FRAME__INIT;
        body.tick = cn_world_tick(world);
        body.n_events = count;
        body.events = pointers;
        body.dropped = (uint32_t)cn_world_events_dropped(world);
        Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
        message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_EVENTS;
        message.events = &body;
        size = encode(&message, out, out_size);
    }
    free(bodies);
    free(pointers);
    return size;
}
