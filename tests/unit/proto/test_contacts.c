/*
 * test_contacts.c: contacts as deltas.
 *
 * There are values and bytes by hand, mixes for budgets, and bytes that are no delta.  Worlds are
 * stepped with ticks left out, and the decoded contacts are held against those of the world.
 *
 * More than 600 lines: all of its tests compare decoded contacts with the same worlds.
 */
#include "engine/base/rng.h"
#include "engine/math/quat.h"
#include "proto/contact_delta.h"
#include "proto/limits.h"
#include "proto/pack.h"
#include "proto/quant.h"
#include "proto/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- by hand ---- */

/* 1/32 of an octave: 31 and 32 are exact, and from 64 on a code is two quanta. */
static void
test_magnitudes(void **unused)
{
    (void)unused;
    const double quantum = 1.0 / 1048576.0;
    assert_true(wire_magnitude(0) == 0.0);
    assert_true(wire_magnitude(31) == 31.0 * quantum);
    assert_true(wire_magnitude(32) == 32.0 * quantum);
    assert_true(wire_magnitude(63) == 63.0 * quantum);
    assert_true(wire_magnitude(64) == 64.0 * quantum);
    assert_true(wire_magnitude(65) == 66.0 * quantum);
    assert_true(wire_magnitude(32 * 16) == 1.0);
}

static struct wire_contact
contact_of(uint32_t a, uint32_t b, uint32_t rank)
{
    return (struct wire_contact){.a = a, .b = b, .rank = rank, .anchor = WIRE_ANCHOR_B};
}

static struct wire_contacts *
contacts_of(uint32_t number, int count)
{
    struct wire_contacts *contacts = wire_contacts_create(count);
    assert_non_null(contacts);
    contacts->number = number;
    contacts->tick = number;
    contacts->generation = 1;
    contacts->scale = WIRE_CONTACT_QUANTA / 512.0;
    return contacts;
}

/*
 * A point at (2, 1) of a body that is at (10, 20) and turned by a right angle is at (9, 22).  The
 * force (3, 4) * 2 N with a normal along y is 8 N along it and 6 N across.
 */
static void
test_values(void **unused)
{
    (void)unused;
    struct wire_contacts *contacts = contacts_of(1, 1);
    struct wire_contact *contact = &contacts->contacts[0];
    *contact = contact_of(0, 1, 0);
    contact->point[0] = 256;
    contact->point[1] = 128;
    contact->normal[1] = 250;
    contact->gap = -64;
    contact->force[0] = 3;
    contact->force[1] = 4;
    contact->force_scale = 1;
    contact->impulse = 32 * 16;
    cn_quat q = cn_quat_about_z(1.5707963267948966);
    struct wire_contact_place place = {{10.0, 20.0, 0.0}, {q.w, q.x, q.y, q.z}};
    struct wire_contact_values values;
    wire_contact_evaluate(contacts, contact, &place, &values);
    assert_true(fabs(values.point[0] - 9.0) < 1e-12 && fabs(values.point[1] - 22.0) < 1e-12);
    assert_true(values.normal[0] == 0.0 && values.normal[1] == 1.0);
    assert_true(values.gap == -0.5 && values.force == 8.0 && values.impulse == 1.0);
    assert_true(values.friction[0] == 6.0 && values.friction[1] == 0.0);
    contact->anchor = WIRE_ANCHOR_B_AXES;
    wire_contact_evaluate(contacts, contact, &place, &values);
    assert_true(values.point[0] == 12.0 && values.point[1] == 21.0);
    wire_contacts_unref(contacts);
}

static void
check_bytes(const struct wire_contact_encoder *encoder, const uint8_t *expected, size_t size)
{
    assert_int_equal(encoder->size, size);
    assert_memory_equal(encoder->bytes, expected, size);
}

/*
 * A keyframe of one contact of the bodies 2 and 3: a * 8 + B * 2 = 18, b - a = 1 (zigzag 2), rank
 * 0.  Point (1, -1, 0): zigzags 2, 1, 0: bits 3 and 1: 10, which is 11 in the column.  The normal
 * (0, 4, 0): zigzag 8 is bit 3: 3 * 3 + 1 = 10: 1024, and 1.  Force (0, 3, 0) with scale -2: an
 * escape.  The report has an empty solver.  Then the force becomes (0, 4, 0): residual 1, zigzag 2
 * is bit 4: 16, and 1.
 */
static void
test_by_hand(void **unused)
{
    (void)unused;
    struct wire_contacts *one = contacts_of(7, 1), *two = contacts_of(9, 1);
    one->contacts[0] = contact_of(2, 3, 0);
    one->contacts[0].point[0] = 1;
    one->contacts[0].point[1] = -1;
    one->contacts[0].normal[1] = 4;
    one->contacts[0].force[1] = 3;
    one->contacts[0].force_scale = -2;
    two->contacts[0] = one->contacts[0];
    two->contacts[0].force[1] = 4;
    one->hash = wire_contacts_hash(one);
    two->hash = wire_contacts_hash(two);
    uint8_t key[] = {0xf2, 1, 0, 0x08, 7, 0x10, 1, 0x18, 7, 0x32, 3, 18, 2, 0, 0x3a, 2, 0, 1,
        0x42, 1, 11, 0x4a, 2, 0, 1, 0x52, 2, 0x81, 8, 0x6a, 2, 0, 1, 0x72, 1, 0, 0x9a, 1, 4, 3, 0,
        6, 0, 0xa2, 1, 2, 0x1a, 0, 0xad, 1, 0, 0, 0, 0};
    uint8_t next[] = {0xf2, 1, 0, 0x08, 9, 0x10, 1, 0x18, 9, 0x20, 2, 0x6a, 2, 0, 1, 0x72, 1, 17,
        0xad, 1, 0, 0, 0, 0};
    key[2] = sizeof(key) - 3;
    next[2] = sizeof(next) - 3;
    wire_put_fixed32(key + sizeof(key) - 4, one->hash);
    wire_put_fixed32(next + sizeof(next) - 4, two->hash);
    struct wire_contact_encoder encoder = {0};
    struct wire_contact_decoder decoder = {.position_scale = 1.0 / 512.0};
    const struct wire_contacts *back;
    assert_true(wire_encode_contact_delta(&encoder, one, NULL));
    check_bytes(&encoder, key, sizeof(key));
    assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
        WIRE_DELTA_OK);
    assert_true(wire_contacts_are_equal(back, one));
    assert_true(wire_encode_contact_delta(&encoder, two, one));
    check_bytes(&encoder, next, sizeof(next));
    assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
        WIRE_DELTA_OK);
    assert_true(wire_contacts_are_equal(back, two));
    wire_contact_decoder_clear(&decoder);
    wire_contact_encoder_finish(&encoder);
    wire_contacts_unref(one);
    wire_contacts_unref(two);
}

/* ---- worlds ---- */

#define REST \
    "world: {dimension: SPATIAL, stepper: time, solver: impulse}\n" \
    "materials: [{name: wood, friction: 0.6}]\nbodies:\n" \
    "- {name: floor, type: STATIC, position: {y: -1}, " \
    "shapes: [{box: {size: {x: 60, y: 2, z: 60}}, material: wood}]}\n" \
    "- {name: b, position: {x: 0.1, y: 0.6}, shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n" \
    "- {name: c, position: {x: 0.3, y: 1.9, z: 0.2}, " \
    "shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n" \
    "- {name: d, position: {x: -0.2, y: 3.3}, shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"

static const char boxes[] = REST
    "- {name: e, position: {x: 2, y: 2}, velocity: {x: -3}, shapes: [{sphere: {radius: 0.4}}]}\n"
    "- {name: f, position: {x: 6, y: 0.4}, velocity: {x: 2, z: 1}, "
    "shapes: [{sphere: {radius: 0.4}}]}\n"
    "- {name: g, position: {x: -6, y: 3}, shapes: [{box: {size: {x: 0.4, y: 2, z: 0.4}}}]}\n"
    "joints:\n"
    "- {name: j, ball: {bodyA: floor, bodyB: g, anchor: {x: -6, y: 5}}}\n";

static const char planar[] =
    "world: {dimension: PLANAR}\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, shapes: [{plane: {normal: {y: 1}}}]}\n"
    "- {name: b, position: {x: 0, y: 1.2}, angle: 0.3, shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "- {name: c, position: {x: 0.2, y: 3.2}, shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "- {name: d, position: {x: 4, y: 1}, velocity: {x: -2}, shapes: [{circle: {radius: 0.5}}]}\n"
    "- {name: e, position: {x: -3, y: 3}, shapes: [{box: {size: {x: 1, y: 0.2}}}]}\n"
    "joints:\n"
    "- {name: j, hinge: {bodyA: floor, bodyB: e, anchor: {x: -3.5, y: 3}}}\n";

static struct cn_world *
world_of(const char *text)
{
    struct wire_text_error error;
    struct cn_world *world = NULL;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    if (scene == NULL) {
        fail_msg("%s: %s", error.defect.path, error.defect.text);
    }
    assert_int_equal(
        cn_world_create(wire_scene_world_def(scene), &error.defect, &world), CN_OK);
    wire_scene_destroy(scene);
    return world;
}

static struct wire_contact_place
place_of(const struct cn_world *world, uint32_t body)
{
    struct cn_body_place place;
    cn_world_body_places(world, (int)body, 1, &place);
    bool is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    cn_quat q = is_spatial ? place.orientation : cn_quat_about_z(place.angle);
    return (struct wire_contact_place){{place.position.x, place.position.y, place.position.z},
        {q.w, q.x, q.y, q.z}};
}

static double
distance(const double a[3], cn_vec3 b)
{
    return cn_vec3_length(cn_vec3_sub(cn_vec3_make(a[0], a[1], a[2]), b));
}

static cn_vec3
whole_force(const struct wire_contact_values *values)
{
    return cn_vec3_add_scaled(
        cn_vec3_make(values->friction[0], values->friction[1], values->friction[2]),
        values->force,
        cn_vec3_make(values->normal[0], values->normal[1], values->normal[2]));
}

/* Whether the vector is right within its quanta, and these are fine enough for it. */
static bool
is_right_vector(cn_vec3 decoded, cn_vec3 truth, int32_t scale)
{
    double quantum = ldexp(1.0, scale), size = cn_vec3_length(truth);
    return cn_vec3_length(cn_vec3_sub(decoded, truth)) <= sqrt(3.0) * quantum * 1.000001 &&
        (scale == WIRE_SCALE_MIN || quantum <= size / 24.0 * 1.000001 ||
            cn_vec3_length(decoded) == 0.0);
}

/* How many entries are as wrong as they may be; such ones tell that quanta are used in full. */
static int worst_count;

/* The decoded contacts of a world beside its own ones. */
struct match {
    const struct wire_contacts *contacts;
    const struct cn_contact_view *truth;
    int count;
    int entry_of[256]; /* by contact of the world; -1: none */
    uint8_t is_seen[256];
};

/* Whether this entry may show that contact: every number is right within its quanta. */
static bool
is_right(const struct cn_world *world, const struct match *match, int entry, int k)
{
    const struct wire_contacts *contacts = match->contacts;
    const struct wire_contact *contact = &contacts->contacts[entry];
    const struct cn_contact_view *truth = &match->truth[k];
    struct wire_contact_place place = place_of(world, wire_contact_anchor(contact));
    struct wire_contact_values values;
    wire_contact_evaluate(contacts, contact, &place, &values);
    return (uint32_t)truth->body_a == contact->a && (uint32_t)truth->body_b == contact->b &&
        distance(values.point, truth->point) <= sqrt(3.0) * contacts->scale * 1.000001 &&
        fabs(values.gap - truth->gap) <= contacts->scale * 1.000001 &&
        distance(values.normal, truth->normal) <= 2.0 * sqrt(3.0) * WIRE_NORMAL_SCALE &&
        is_right_vector(whole_force(&values),
            cn_vec3_add_scaled(truth->friction, truth->force, truth->normal),
            contact->force_scale) &&
        fabs(values.impulse - truth->impulse) <=
        truth->impulse / 24.0 + ldexp(1.0, WIRE_SCALE_MIN);
}

/* Gives the entry a contact of the world, and if need be other entries other ones. */
static bool
find_truth(const struct cn_world *world, struct match *match, int entry)
{
    for (int k = 0; k < match->count; k++) {
        if (match->is_seen[k] || !is_right(world, match, entry, k)) {
            continue;
        }
        match->is_seen[k] = 1;
        if (match->entry_of[k] < 0 || find_truth(world, match, match->entry_of[k])) {
            match->entry_of[k] = entry;
            return true;
        }
    }
    return false;
}

static void
check_load(const struct cn_world *world, const struct wire_contacts *contacts,
    const struct wire_contact *load)
{
    struct cn_joint_view joint;
    struct wire_contact_place place = place_of(world, load->b);
    struct wire_contact_values values;
    cn_world_joint_view(world, (int)(load->a - WIRE_LOADS_FROM), &joint);
    wire_contact_evaluate(contacts, load, &place, &values);
    assert_true(distance(values.point, joint.point_b) <= sqrt(3.0) * contacts->scale * 1.000001);
    assert_true(is_right_vector(
        cn_vec3_make(values.friction[0], values.friction[1], values.friction[2]), joint.force,
        load->force_scale));
    assert_true(is_right_vector(
        cn_vec3_make(values.torque[0], values.torque[1], values.torque[2]), joint.torque,
        load->torque_scale));
}

/* The decoded contacts are those of the world: none is stale, none is missing. */
static void
check_all(const struct cn_world *world, const struct wire_contacts *contacts, int load_count)
{
    static struct match match;
    match.contacts = contacts;
    match.count = cn_world_contacts(world, &match.truth);
    assert_in_range(match.count, 0, sizeof(match.is_seen));
    assert_int_equal(contacts->count, match.count + load_count);
    memset(match.entry_of, 0xff, sizeof(match.entry_of));
    for (int i = 0; i < contacts->count; i++) {
        if (wire_contact_is_load(&contacts->contacts[i])) {
            check_load(world, contacts, &contacts->contacts[i]);
        } else {
            memset(match.is_seen, 0, sizeof(match.is_seen));
            assert_true(find_truth(world, &match, i)); /* else it is wrong or stale */
        }
    }
    for (int k = 0; k < match.count; k++) {
        const struct wire_contact *contact = &contacts->contacts[match.entry_of[k]];
        struct wire_contact_place place = place_of(world, wire_contact_anchor(contact));
        struct wire_contact_values values;
        wire_contact_evaluate(contacts, contact, &place, &values);
        worst_count += distance(values.point, match.truth[k].point) > 0.5 * contacts->scale;
    }
    assert_true(contacts->report.row_count ==
                (uint32_t)cn_world_solve_summary(world).row_count);
}

static void
push_about(struct cn_world *world, struct cn_rng *rng)
{
    struct cn_command command = {.kind = CN_COMMAND_HOLD_FORCE};
    int body = 1 + (int)(cn_rng_next(rng) % ((uint32_t)cn_world_body_count(world) - 1));
    struct cn_body_view view;
    cn_world_body_view(world, body, &view);
    bool is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    double most = 15.0 * view.mass;
    command.hold_force = (struct cn_hold_force){
        .holder = {.source = 1, .slot = 0, .until_tick = cn_world_tick(world) + 20},
        .body = body,
        .frame = CN_FRAME_WORLD,
        .force = {cn_rng_uniform(rng, -most, most), cn_rng_uniform(rng, 0.0, most),
            is_spatial ? cn_rng_uniform(rng, -most, most) : 0.0},
    };
    assert_int_equal(cn_world_command_apply(world, &command, NULL), CN_OK);
}

/*
 * Steps a world and sends its contacts with ticks left out, as to a slow client.  At every tick
 * that it is sent, the client has those of the world within their quanta.
 */
static void
run_world(const char *text, uint64_t seed, uint32_t skip_max)
{
    struct cn_world *world = world_of(text);
    bool is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    struct wire_precision precision = wire_precision_default();
    struct cn_rng rng = {.state = seed};
    struct wire_contacts *taken = NULL, *sent = NULL;
    struct wire_contact_encoder encoder = {0};
    struct wire_contact_decoder decoder = {
        .is_spatial = is_spatial, .position_scale = precision.position};
    const struct wire_contacts *shown = NULL;
    uint32_t skip = 0;
    for (int tick = 0; tick < 500; tick++) {
        if (tick % 60 == 30) {
            push_about(world, &rng);
        }
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
        struct wire_contacts *now = wire_contacts_take(world, 1, 1, &precision, taken);
        assert_non_null(now);
        wire_contacts_unref(taken);
        taken = now;
        if (skip > 0) {
            skip--;
            continue;
        }
        skip = skip_max > 0 ? cn_rng_next(&rng) % (skip_max + 1) : 0;
        if (now != sent) {
            assert_true(wire_encode_contact_delta(&encoder, now, sent));
            assert_int_equal(
                wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &shown),
                WIRE_DELTA_OK);
            assert_true(shown->number == now->number && shown->tick == now->tick);
            wire_contacts_unref(sent);
            sent = wire_contacts_ref(now);
        }
        check_all(world, shown, 1);
    }
    wire_contacts_unref(sent);
    wire_contacts_unref(taken);
    wire_contact_decoder_clear(&decoder);
    wire_contact_encoder_finish(&encoder);
    cn_world_destroy(world);
}

static void
test_worlds(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run_world(boxes, seed, seed % 3 == 0 ? 20 : (uint32_t)seed % 3 - 1);
        run_world(planar, seed, seed % 3 == 0 ? 20 : (uint32_t)seed % 3 - 1);
    }
    assert_true(worst_count > 100);
}

/* ---- rest ---- */

/* A world at rest is the same contacts again and again: nothing is to be sent. */
static void
test_rest_says_nothing(void **unused)
{
    (void)unused;
    struct cn_world *world = world_of(REST);
    struct wire_precision precision = wire_precision_default();
    struct wire_contacts *taken = NULL;
    int changes = 0;
    for (int tick = 0; tick < 3000; tick++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
        if (tick >= 2400) {
            struct wire_contacts *now = wire_contacts_take(world, 1, 1, &precision, taken);
            changes += now != taken;
            wire_contacts_unref(taken);
            taken = now;
        }
    }
    assert_int_equal(changes, 1); /* the first */
    assert_in_range(taken->count, 3, 12);
    struct wire_contacts *other = wire_contacts_take(world, 2, 1, &precision, taken);
    assert_ptr_not_equal(other, taken); /* another generation is sent */
    wire_contacts_unref(other);
    wire_contacts_unref(taken);
    cn_world_destroy(world);
}

/* ---- parts and mixes ---- */

/* A contact is in a part if both its bodies are, or one of them is static. */
static void
test_part(void **unused)
{
    (void)unused;
    struct wire_state *whole = wire_state_create(3, false), *part = wire_state_create(2, false);
    struct wire_contacts *contacts = contacts_of(1, 4);
    for (uint32_t i = 0; i < 3; i++) {
        whole->body[i] = i + 1; /* body 0 is static */
    }
    part->body[0] = 1;
    part->body[1] = 3;
    contacts->contacts[0] = contact_of(0, 1, 0);
    contacts->contacts[1] = contact_of(1, 2, 0);
    contacts->contacts[2] = contact_of(1, 3, 0);
    contacts->contacts[3] = contact_of(WIRE_LOADS_FROM, 2, 0);
    struct wire_contacts *seen = wire_contacts_part(contacts, whole, part, NULL);
    assert_int_equal(seen->count, 2);
    assert_true(seen->contacts[0].b == 1 && seen->contacts[1].b == 3);
    struct wire_contacts *again = wire_contacts_part(contacts, whole, part, seen);
    assert_ptr_equal(again, seen);
    wire_contacts_unref(again);
    wire_contacts_unref(seen);
    wire_contacts_unref(contacts);
    wire_state_unref(whole);
    wire_state_unref(part);
}

/*
 * The client knows 0, 1, 2, 3, of which 1 has ended and 2, 3 have changed; 4 is new.  With room for
 * two it gets 3 and 4, which are behind the last that it got, and then 2.
 */
static void
test_mix(void **unused)
{
    (void)unused;
    struct wire_contacts *known = contacts_of(1, 4), *now = contacts_of(2, 4);
    for (uint32_t i = 0; i < 4; i++) {
        known->contacts[i] = contact_of(i, 9, 0);
        now->contacts[i] = contact_of(i == 0 ? 0 : i + 1, 9, 0);
        now->contacts[i].gap = i == 0 ? 0 : 5;
    }
    struct wire_contact after = contact_of(2, 9, 0);
    struct wire_contacts_mix mix = wire_contacts_mix(known, now, &after, 2);
    assert_true(!mix.is_whole && mix.taken_count == 2 && mix.last.a == 4);
    assert_int_equal(mix.contacts->count, 4);
    assert_true(mix.contacts->contacts[1].a == 2 && mix.contacts->contacts[1].gap == 0);
    assert_true(mix.contacts->contacts[2].gap == 5 && mix.contacts->contacts[3].a == 4);
    struct wire_contacts_mix rest = wire_contacts_mix(mix.contacts, now, &mix.last, 2);
    assert_true(rest.is_whole && rest.taken_count == 1 && rest.last.a == 2);
    assert_memory_equal(rest.contacts->contacts, now->contacts, 4 * sizeof(now->contacts[0]));
    struct wire_contacts_mix none = wire_contacts_mix(known, now, &after, 0);
    assert_true(none.contacts->count == 3 && none.taken_count == 0);
    wire_contacts_unref(none.contacts);
    wire_contacts_unref(rest.contacts);
    wire_contacts_unref(mix.contacts);
    wire_contacts_unref(known);
    wire_contacts_unref(now);
}

/* ---- baselines ---- */

/* A client keeps sixteen; a keyframe replaces all of them. */
static void
test_baselines(void **unused)
{
    (void)unused;
    struct wire_contact_encoder encoder = {0};
    struct wire_contact_decoder decoder = {.position_scale = 1.0 / 512.0};
    const struct wire_contacts *back;
    struct wire_contacts *state[19];
    for (uint32_t i = 1; i < 19; i++) {
        state[i] = contacts_of(i, 1);
        state[i]->contacts[0] = contact_of(i, i + 1, i);
        state[i]->hash = wire_contacts_hash(state[i]);
    }
    for (uint32_t i = 1; i < 18; i++) { /* each of the first, which the 16th then pushes out */
        assert_true(wire_encode_contact_delta(&encoder, state[i], i > 1 ? state[1] : NULL));
        assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
            i < 18 ? WIRE_DELTA_OK : WIRE_DELTA_BASELINE);
        if (i == 16) {
            break;
        }
    }
    assert_true(wire_encode_contact_delta(&encoder, state[17], state[16]));
    assert_int_equal(
        wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    assert_true(wire_encode_contact_delta(&encoder, state[18], state[1]));
    assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
        WIRE_DELTA_BASELINE);
    assert_true(wire_encode_contact_delta(&encoder, state[18], state[2]));
    assert_int_equal(
        wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    assert_true(wire_encode_contact_delta(&encoder, state[5], NULL));
    assert_int_equal(
        wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    assert_true(wire_encode_contact_delta(&encoder, state[18], state[17]));
    assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
        WIRE_DELTA_BASELINE);
    state[17]->series = 4;
    assert_true(wire_encode_contact_delta(&encoder, state[18], state[17]));
    assert_int_equal( /* another series: a keyframe */
        wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    for (uint32_t i = 1; i < 19; i++) {
        wire_contacts_unref(state[i]);
    }
    wire_contact_decoder_clear(&decoder);
    wire_contact_encoder_finish(&encoder);
}

/* ---- bytes that are no delta ---- */

static enum wire_delta_result
decode_alone(const uint8_t *bytes, size_t size)
{
    struct wire_contact_decoder decoder = {.position_scale = 1.0 / 512.0};
    const struct wire_contacts *back;
    enum wire_delta_result result = wire_decode_contact_delta(&decoder, bytes, size, &back);
    wire_contact_decoder_clear(&decoder);
    return result;
}

/* Every flipped bit and every cut is refused, or is a message whose hash is right. */
static void
test_nonsense(void **unused)
{
    (void)unused;
    struct cn_world *world = world_of(boxes);
    struct wire_precision precision = wire_precision_default();
    for (int tick = 0; tick < 60; tick++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
    struct wire_contacts *now = wire_contacts_take(world, 1, 1, &precision, NULL);
    struct wire_contact_encoder encoder = {0};
    assert_true(now->count > 8 && wire_encode_contact_delta(&encoder, now, NULL));
    uint8_t bytes[4096];
    assert_true(encoder.size < sizeof(bytes));
    assert_int_equal(decode_alone(encoder.bytes, encoder.size), WIRE_DELTA_OK);
    for (size_t i = 0; i < encoder.size; i++) {
        assert_int_not_equal(decode_alone(encoder.bytes, i), WIRE_DELTA_OK);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bytes, encoder.bytes, encoder.size);
            bytes[i] ^= (uint8_t)(1 << bit);
            (void)decode_alone(bytes, encoder.size);
        }
    }
    assert_int_equal(decode_alone((const uint8_t[]){0x8a, 1, 0}, 3), WIRE_DELTA_OTHER);
    assert_int_equal(decode_alone((const uint8_t[]){0xf2, 1, 0}, 3), WIRE_DELTA_BAD);
    wire_contact_encoder_finish(&encoder);
    wire_contacts_unref(now);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_rest_says_nothing),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_mix),
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
