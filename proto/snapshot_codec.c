#include "proto/snapshot_codec.h"

#include "proto/limits.h"
#include "proto/quant.h"

#include <cairn/v1/wire.pb-c.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNED_COLUMNS 7
#define UNSIGNED_COLUMNS 2

struct view_columns {
    int32_t **of_signed[SIGNED_COLUMNS];
    uint32_t **of_unsigned[UNSIGNED_COLUMNS];
};

static struct view_columns
columns_of(struct wire_view *view)
{
    return (struct view_columns){
        .of_signed = {&view->x, &view->y, &view->z, &view->angle, &view->turn_a, &view->turn_b,
            &view->turn_c},
        .of_unsigned = {&view->body, &view->turn_largest},
    };
}

static bool
grow(struct wire_view *view, int count)
{
    if (count <= view->capacity) {
        return true;
    }
    size_t n = (size_t)count;
    struct view_columns columns = columns_of(view);
    bool is_done = true;
    for (int i = 0; i < SIGNED_COLUMNS; i++) {
        int32_t *column = realloc(*columns.of_signed[i], n * sizeof(*column));
        *columns.of_signed[i] = column != NULL ? column : *columns.of_signed[i];
        is_done = is_done && column != NULL;
    }
    for (int i = 0; i < UNSIGNED_COLUMNS; i++) {
        uint32_t *column = realloc(*columns.of_unsigned[i], n * sizeof(*column));
        *columns.of_unsigned[i] = column != NULL ? column : *columns.of_unsigned[i];
        is_done = is_done && column != NULL;
    }
    uint8_t *asleep = realloc(view->asleep, n / 8 + 1);
    view->asleep = asleep != NULL ? asleep : view->asleep;
    is_done = is_done && asleep != NULL;
    if (is_done) {
        view->capacity = count;
    }
    return is_done;
}

static void
take_body(struct wire_view *view, int k, const struct cn_body_view *body)
{
    view->x[k] = wire_quantise(body->position.x, WIRE_POSITION_SCALE);
    view->y[k] = wire_quantise(body->position.y, WIRE_POSITION_SCALE);
    if (!view->is_spatial) {
        view->angle[k] = wire_quantise(body->angle, WIRE_ANGLE_SCALE);
        return;
    }
    view->z[k] = wire_quantise(body->position.z, WIRE_POSITION_SCALE);
    struct wire_turn turn = wire_turn_quantise(body->orientation);
    view->turn_largest[k] = turn.largest;
    view->turn_a[k] = turn.rest[0];
    view->turn_b[k] = turn.rest[1];
    view->turn_c[k] = turn.rest[2];
}

static void
take_sleep(struct wire_view *view, int k, bool is_asleep)
{
    if (is_asleep) {
        view->asleep[k / 8] |= (uint8_t)(1U << k % 8);
        view->asleep_count++;
    }
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
    view->is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    view->count = view->asleep_count = 0;
    if (view->asleep != NULL) {
        memset(view->asleep, 0, (size_t)view->capacity / 8 + 1);
    }
    for (int i = 0; i < body_count; i++) {
        struct cn_body_view body;
        cn_world_body_view(world, i, &body);
        if (body.type != CN_STATIC) {
            take_sleep(view, view->count, body.island >= 0);
            view->body[view->count] = (uint32_t)i;
            take_body(view, view->count++, &body);
        }
    }
    view->has_every_body = view->count == body_count;
    view->view_hash = wire_view_hash(view);
    return true;
}

void
wire_view_finish(struct wire_view *view)
{
    struct view_columns columns = columns_of(view);
    for (int i = 0; i < SIGNED_COLUMNS; i++) {
        free(*columns.of_signed[i]);
    }
    for (int i = 0; i < UNSIGNED_COLUMNS; i++) {
        free(*columns.of_unsigned[i]);
    }
    free(view->asleep);
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
        if (!view->is_spatial) {
            hash = hash_word(hash, (uint32_t)view->angle[i]);
            continue;
        }
        hash = hash_word(hash, (uint32_t)view->z[i]);
        hash = hash_word(hash, view->turn_largest[i]);
        hash = hash_word(hash, (uint32_t)view->turn_a[i]);
        hash = hash_word(hash, (uint32_t)view->turn_b[i]);
        hash = hash_word(hash, (uint32_t)view->turn_c[i]);
    }
    return hash;
}

/* protobuf-c's texts are char *, though it only reads them when it packs. */
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
    body.n_x = body.n_y = count;
    body.x = view->x;
    body.y = view->y;
    body.n_angle = view->is_spatial ? 0 : count;
    body.angle = view->angle;
    body.n_z = body.n_turn_largest = view->is_spatial ? count : 0;
    body.n_turn_a = body.n_turn_b = body.n_turn_c = body.n_z;
    body.z = view->z;
    body.turn_largest = view->turn_largest;
    body.turn_a = view->turn_a;
    body.turn_b = view->turn_b;
    body.turn_c = view->turn_c;
    body.asleep.len = view->asleep_count > 0 ? (count + 7) / 8 : 0;
    body.asleep.data = view->asleep;
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

#define FLOAT_COLUMNS 12
#define FLOAT_COLUMNS_ALWAYS 7

/* Points the frame's columns into `columns`; the later ones are left out where they are zero. */
static void
fill_contacts(Cairn__V1__ContactFrame *body, const struct cn_contact_view *contacts, size_t count,
    float *columns)
{
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
        size = encode(&message, out, out_size);
    }
    free(bodies);
    free(pointers);
    return size;
}
