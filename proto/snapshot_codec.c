#include "proto/snapshot_codec.h"

#include "engine/base/assert.h"
#include "proto/limits.h"

#include <cairn/v1/wire.pb-c.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* protobuf-c declares texts as char *, but only reads them when it packs. */
static char *
text_borrow(const char *text)
{
    union {
        const char *in;
        char *out;
    } cast = {.in = text};
    return cast.out;
}

static size_t
encode_message(const Cairn__V1__ServerMessage *message, uint8_t *out, size_t out_size)
{
    size_t size = cairn__v1__server_message__get_packed_size(message);
    if (size <= out_size) {
        size_t written = cairn__v1__server_message__pack(message, out);
        CN_ASSERT(written == size); /* as it was measured */
    }
    return size;
}

size_t
wire_encode_snapshot(const struct wire_state *state, uint8_t *out, size_t out_size)
{
    char hash[17] = "";
    if (state->state_hash != 0) {
        snprintf(hash, sizeof(hash), "%016" PRIx64, state->state_hash);
    }
    size_t count = (size_t)state->count;
    CN_ASSERT(state->asleep_count <= state->count);
    CN_ASSERT(!state->has_every_body || count == 0 || state->body[count - 1] == count - 1);
    Cairn__V1__Snapshot body = CAIRN__V1__SNAPSHOT__INIT;
    body.tick = state->tick;
    body.generation = state->generation;
    body.time = state->time;
    body.n_body = state->has_every_body ? 0 : count;
    body.body = state->body;
    body.n_x = body.n_y = count;
    body.x = state->x;
    body.y = state->y;
    body.n_angle = state->is_spatial ? 0 : count;
    body.angle = state->angle;
    body.n_z = body.n_turn_largest = state->is_spatial ? count : 0;
    body.n_turn_a = body.n_turn_b = body.n_turn_c = body.n_z;
    body.z = state->z;
    body.turn_largest = state->turn_largest;
    body.turn_a = state->turn_a;
    body.turn_b = state->turn_b;
    body.turn_c = state->turn_c;
    body.asleep.len = state->asleep_count > 0 ? (count + 7) / 8 : 0;
    body.asleep.data = state->asleep;
    body.view_hash = state->view_hash;
    body.state_hash = hash;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT;
    message.snapshot = &body;
    return encode_message(&message, out, out_size);
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
    return encode_message(&message, out, out_size);
}

#define FLOAT_COLUMNS 12
#define FLOAT_COLUMNS_ALWAYS 7

/* Points the frame's columns into `columns`; optional columns of zeros are left out. */
static void
fill_contacts(Cairn__V1__ContactFrame *body, const struct cn_contact_view *contacts, size_t count,
    float *columns)
{
    CN_ASSERT(count <= WIRE_CONTACTS_MAX);
    float **column_of[FLOAT_COLUMNS] = {&body->x, &body->y, &body->normal_x, &body->normal_y,
        &body->force, &body->impulse, &body->gap, &body->z, &body->normal_z, &body->friction_x,
        &body->friction_y, &body->friction_z};
    size_t *count_of[FLOAT_COLUMNS] = {&body->n_x, &body->n_y, &body->n_normal_x,
        &body->n_normal_y, &body->n_force, &body->n_impulse, &body->n_gap, &body->n_z,
        &body->n_normal_z, &body->n_friction_x, &body->n_friction_y, &body->n_friction_z};
    bool is_kept[FLOAT_COLUMNS];
    for (size_t k = 0; k < FLOAT_COLUMNS; k++) {
        *column_of[k] = columns + k * count;
        is_kept[k] = k < FLOAT_COLUMNS_ALWAYS;
    }
    for (size_t i = 0; i < count; i++) {
        const struct cn_contact_view *contact = &contacts[i];
        const double value[FLOAT_COLUMNS] = {contact->point.x, contact->point.y,
            contact->normal.x, contact->normal.y, contact->force, contact->impulse, contact->gap,
            contact->point.z, contact->normal.z, contact->friction.x, contact->friction.y,
            contact->friction.z};
        for (size_t k = 0; k < FLOAT_COLUMNS; k++) {
            (*column_of[k])[i] = (float)value[k];
            is_kept[k] = is_kept[k] || value[k] != 0.0;
        }
        body->body_a[i] = (uint32_t)contact->body_a;
        body->body_b[i] = (uint32_t)contact->body_b;
    }
    for (size_t k = 0; k < FLOAT_COLUMNS; k++) {
        *count_of[k] = is_kept[k] ? count : 0;
    }
}

#define LOAD_COLUMNS 9

/* Points the columns into `columns`. */
static void
fill_loads(Cairn__V1__JointLoads *body, const struct cn_world *world, size_t count,
    uint32_t *joints, float *columns)
{
    float **column_of[LOAD_COLUMNS] = {&body->x, &body->y, &body->z, &body->force_x,
        &body->force_y, &body->force_z, &body->torque_x, &body->torque_y, &body->torque_z};
    size_t *count_of[LOAD_COLUMNS] = {&body->n_x, &body->n_y, &body->n_z, &body->n_force_x,
        &body->n_force_y, &body->n_force_z, &body->n_torque_x, &body->n_torque_y,
        &body->n_torque_z};
    CN_ASSERT(count <= (size_t)cn_world_joint_count(world));
    for (size_t k = 0; k < LOAD_COLUMNS; k++) {
        *column_of[k] = columns + k * count;
        *count_of[k] = count;
    }
    body->joint = joints;
    body->n_joint = count;
    for (size_t i = 0; i < count; i++) {
        struct cn_joint_view joint;
        cn_world_joint_view(world, (int)i, &joint);
        const double value[LOAD_COLUMNS] = {joint.point_b.x, joint.point_b.y, joint.point_b.z,
            joint.force.x, joint.force.y, joint.force.z, joint.torque.x, joint.torque.y,
            joint.torque.z};
        for (size_t k = 0; k < LOAD_COLUMNS; k++) {
            (*column_of[k])[i] = (float)value[k];
        }
        joints[i] = (uint32_t)i;
    }
}

size_t
wire_encode_contacts(const struct cn_world *world, uint8_t *out, size_t out_size)
{
    const struct cn_contact_view *contacts;
    size_t all = (size_t)cn_world_contacts(world, &contacts);
    size_t count = all < WIRE_CONTACTS_MAX ? all : WIRE_CONTACTS_MAX;
    size_t load_count = (size_t)cn_world_joint_count(world);
    uint32_t *bodies = malloc((2 * count + load_count + 1) * sizeof(*bodies));
    float *columns =
        malloc((FLOAT_COLUMNS * count + LOAD_COLUMNS * load_count + 1) * sizeof(*columns));
    size_t size = 0;
    if (bodies != NULL && columns != NULL) {
        Cairn__V1__ContactFrame body = CAIRN__V1__CONTACT_FRAME__INIT;
        body.tick = cn_world_tick(world);
        body.n_body_a = body.n_body_b = count;
        body.body_a = bodies;
        body.body_b = bodies + count;
        fill_contacts(&body, contacts, count, columns);
        Cairn__V1__JointLoads joints = CAIRN__V1__JOINT_LOADS__INIT;
        fill_loads(&joints, world, load_count, bodies + 2 * count, columns + FLOAT_COLUMNS * count);
        body.joints = load_count > 0 ? &joints : NULL;
        struct cn_solve_summary summary = cn_world_solve_summary(world);
        body.residual_set_case = summary.is_judged
            ? CAIRN__V1__CONTACT_FRAME__RESIDUAL_SET_RESIDUAL
            : CAIRN__V1__CONTACT_FRAME__RESIDUAL_SET__NOT_SET;
        body.residual = summary.residual;
        body.outcome = (Cairn__V1__ContactFrame__Outcome)summary.outcome;
        body.solver = text_borrow(cn_world_settings(world)->solver);
        body.iteration_count = (uint32_t)summary.iteration_count;
        body.row_count = (uint32_t)summary.row_count;
        body.left_out = (uint32_t)(all - count);
        Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
        message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTACTS;
        message.contacts = &body;
        size = encode_message(&message, out, out_size);
    }
    free(bodies);
    free(columns);
    return size;
}

size_t
wire_encode_events_lost(uint64_t tick, uint32_t count, uint8_t *out)
{
    Cairn__V1__EventFrame body = CAIRN__V1__EVENT_FRAME__INIT;
    body.tick = tick;
    body.dropped = count;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_EVENTS;
    message.events = &body;
    return encode_message(&message, out, 32);
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
            cairn__v1__event__init(&bodies[i]);
            bodies[i].kind = text_borrow(cn_event_name(events[i].kind));
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
        size = encode_message(&message, out, out_size);
    }
    free(bodies);
    free(pointers);
    return size;
}
