/*
 * contacts_take.c: takes the contacts and loads of a world.
 *
 * A contact is matched with one of the same pair in the state before: by the engine's id, which
 * tells shapes and features; else with the nearest.  It has that one's rank and anchor, and its
 * numbers stay as they were while they are right within a quantum.
 *
 * The anchor of a new contact is a body that moves.  When the point wanders in the frame of its
 * anchor, but stands in another frame, that one becomes the anchor: a ball's contact is below its
 * centre, whichever way it rolls, and a box's is at its corner.
 */
#include "proto/contacts.h"

#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "engine/math/quat.h"
#include "proto/limits.h"
#include "proto/quant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 24 /* quanta of the largest component of a vector, and most */
#define MOST 96
#define MANTISSAS 32
#define SCALE_MAX 900
#define PAIR_MATCH_MAX 128 /* contacts of a pair that are matched one by one */
#define WANDER_PARTS 4     /* another anchor's point moves by less than this part */

/* Data of an entry besides its numbers, to match it with one of the next tick. */
struct wire_contact_memory {
    uint64_t id;
    cn_vec3 local[WIRE_ANCHOR_COUNT]; /* the point in quanta in every frame */
};

struct place {
    struct cn_body_place body;
    cn_mat33 axes;
    bool has_axes;
};

struct raw {
    const struct cn_contact_view *view;
    int order;
    int match; /* an entry of the previous state, or -1 */
    uint32_t rank;
};

struct taking {
    const struct cn_world *world;
    struct wire_contacts *now;
    const struct wire_contacts *previous; /* may be NULL */
    struct place *places;
    int body_count;
    struct raw *raw;
    uint8_t *is_matched; /* by entry of `previous` */
    double steps;        /* quanta per metre */
};

/* ---- numbers ---- */

/* `was` is the number before, or NULL. */
static int32_t
settle_number(double quanta, const int32_t *was)
{
    return was != NULL && fabs(quanta - *was) <= 1.0 ? *was : wire_quantise_by(quanta, 1.0);
}

static void
settle_numbers(int32_t out[3], cn_vec3 quanta, const int32_t *was)
{
    out[0] = settle_number(quanta.x, was);
    out[1] = settle_number(quanta.y, was != NULL ? was + 1 : NULL);
    out[2] = settle_number(quanta.z, was != NULL ? was + 2 : NULL);
}

/* A vector whose components share their scale; `was` and its scale are those before, or NULL. */
static int32_t
settle_vector(int32_t out[3], cn_vec3 value, const int32_t *was, int32_t was_scale)
{
    double largest = fmax(fabs(value.x), fmax(fabs(value.y), fabs(value.z)));
    if (!(largest > 0.0 && largest < HUGE_VAL)) {
        memset(out, 0, 3 * sizeof(out[0]));
        return was_scale;
    }
    double size = ldexp(largest, -was_scale);
    bool is_kept = was != NULL && size <= MOST && (size >= LEAST || was_scale == WIRE_SCALE_MIN);
    int32_t scale = was_scale;
    if (!is_kept) {
        int exponent;
        (void)frexp(largest, &exponent);
        scale = exponent - 6;
        scale = scale < WIRE_SCALE_MIN ? WIRE_SCALE_MIN : scale < SCALE_MAX ? scale : SCALE_MAX;
    }
    cn_vec3 quanta = cn_vec3_scale(value, ldexp(1.0, -scale));
    settle_numbers(out, quanta, scale == was_scale ? was : NULL);
    return scale;
}

/* The code of a magnitude; `was` is the code before. */
static int32_t
settle_magnitude(double value, int32_t was)
{
    double quanta = ldexp(value, -WIRE_SCALE_MIN);
    if (!(quanta > 0.0 && quanta < HUGE_VAL)) {
        return 0;
    }
    if (was > 0 && wire_magnitude(was - 1) <= value && value <= wire_magnitude(was + 1)) {
        return was;
    }
    if (quanta < MANTISSAS) {
        return wire_quantise_by(quanta, 1.0);
    }
    int exponent;
    double part = frexp(quanta, &exponent);
    exponent = exponent < SCALE_MAX ? exponent : SCALE_MAX;
    return MANTISSAS * (exponent - 5) + wire_quantise_by(part * 2.0 * MANTISSAS, 1.0) - MANTISSAS;
}

/* ---- places ---- */

static const struct place *
place_of(struct taking *taking, int body)
{
    CN_ASSERT(body >= 0 && body < taking->body_count);
    struct place *place = &taking->places[body];
    if (!place->has_axes) {
        cn_quat q = taking->now->is_spatial ? place->body.orientation
                                            : cn_quat_about_z(place->body.angle);
        place->axes = cn_quat_to_mat33(q);
        place->has_axes = true;
    }
    return place;
}

static bool
is_moving(const struct taking *taking, int body)
{
    return body >= 0 && body < taking->body_count && !taking->places[body].body.is_static;
}

/* The point in quanta in the frames of both bodies. */
static void
find_local(struct taking *taking, int a, int b, cn_vec3 point, cn_vec3 local[WIRE_ANCHOR_COUNT])
{
    const int body[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (!is_moving(taking, body[k])) {
            continue;
        }
        const struct place *place = place_of(taking, body[k]);
        cn_vec3 arm = cn_vec3_scale(cn_vec3_sub(point, place->body.position), taking->steps);
        local[WIRE_ANCHOR_A + k] = cn_vec3_make(cn_vec3_dot(place->axes.cx, arm),
            cn_vec3_dot(place->axes.cy, arm), cn_vec3_dot(place->axes.cz, arm));
        local[WIRE_ANCHOR_A_AXES + k] = arm;
    }
}

static double
distance2(cn_vec3 a, cn_vec3 b)
{
    cn_vec3 way = cn_vec3_sub(a, b);
    return cn_vec3_dot(way, way);
}

/*
 * The anchor of a contact that had `was` (-1: none): another one if the point wanders in its frame
 * and stands better in that one.
 */
static uint32_t
choose_anchor(const struct taking *taking, int a, int b, int was,
    const cn_vec3 before[WIRE_ANCHOR_COUNT], const cn_vec3 local[WIRE_ANCHOR_COUNT])
{
    const bool moves[WIRE_ANCHOR_COUNT] = {is_moving(taking, a), is_moving(taking, b),
        is_moving(taking, a), is_moving(taking, b)};
    if (was < 0 || !moves[was]) {
        return moves[WIRE_ANCHOR_B] ? WIRE_ANCHOR_B : WIRE_ANCHOR_A;
    }
    uint32_t best = (uint32_t)was;
    double least = distance2(before[was], local[was]);
    if (least <= 1.0) {
        return best;
    }
    least /= WANDER_PARTS * WANDER_PARTS;
    for (uint32_t i = 0; i < WIRE_ANCHOR_COUNT; i++) {
        double way = distance2(before[i], local[i]);
        if (moves[i] && way < least) {
            least = way;
            best = i;
        }
    }
    return best;
}

/* ---- matching ---- */

static int
compare_raw(const void *left, const void *right)
{
    const struct raw *a = left, *b = right;
    if (a->view->body_a != b->view->body_a) {
        return a->view->body_a < b->view->body_a ? -1 : 1;
    }
    if (a->view->body_b != b->view->body_b) {
        return a->view->body_b < b->view->body_b ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static int
compare_ranks(const void *left, const void *right)
{
    const struct raw *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void
match_raw(struct taking *taking, struct raw *raw, int entry)
{
    raw->match = entry;
    raw->rank = taking->previous->contacts[entry].rank;
    taking->is_matched[entry] = 1;
}

static void
match_nearest(struct taking *taking, struct raw *raw, int from, int to)
{
    const struct cn_contact_view *view = raw->view;
    cn_vec3 local[WIRE_ANCHOR_COUNT] = {{0}};
    double least = HUGE_VAL;
    int nearest = -1;
    find_local(taking, view->body_a, view->body_b, view->point, local);
    for (int i = from; i < to; i++) {
        uint32_t anchor = taking->previous->contacts[i].anchor;
        double way = distance2(taking->previous->memory[i].local[anchor], local[anchor]);
        if (!taking->is_matched[i] && way < least) {
            least = way;
            nearest = i;
        }
    }
    if (nearest >= 0) {
        match_raw(taking, raw, nearest);
    }
}

/* The lowest rank that no other contact of the pair has. */
static uint32_t
free_rank(const struct raw *raw, int count)
{
    for (uint32_t rank = 0;; rank++) {
        bool is_taken = false;
        for (int i = 0; i < count; i++) {
            is_taken = is_taken || raw[i].rank == rank;
        }
        if (!is_taken) {
            return rank;
        }
    }
}

/* Matches the contacts of a pair with entries [from, to) of the previous state. */
static void
match_pair(struct taking *taking, struct raw *raw, int count, int from, int to)
{
    if (count > PAIR_MATCH_MAX || to - from > PAIR_MATCH_MAX) {
        for (int i = 0; i < count; i++) {
            raw[i].rank = (uint32_t)i;
            raw[i].match = -1;
        }
        return;
    }
    int open = 0;
    for (int i = 0; i < count; i++) {
        raw[i].match = -1;
        raw[i].rank = UINT32_MAX;
        for (int k = from; k < to && raw[i].match < 0; k++) {
            if (!taking->is_matched[k] && taking->previous->memory[k].id == raw[i].view->id) {
                match_raw(taking, &raw[i], k);
            }
        }
        open += raw[i].match < 0;
    }
    for (int i = 0; i < count && open > 0; i++) {
        if (raw[i].match < 0) {
            match_nearest(taking, &raw[i], from, to);
        }
        if (raw[i].match < 0) {
            raw[i].rank = free_rank(raw, count);
        }
    }
    qsort(raw, (size_t)count, sizeof(raw[0]), compare_ranks);
}

static void
match_all(struct taking *taking, int count)
{
    const struct wire_contacts *previous = taking->previous;
    int entry = 0, end = previous != NULL ? previous->count : 0;
    for (int i = 0, next; i < count; i = next) {
        uint32_t a = (uint32_t)taking->raw[i].view->body_a;
        uint32_t b = (uint32_t)taking->raw[i].view->body_b;
        for (next = i; next < count && (uint32_t)taking->raw[next].view->body_a == a &&
                       (uint32_t)taking->raw[next].view->body_b == b;) {
            next++;
        }
        while (entry < end && (previous->contacts[entry].a < a ||
                                  (previous->contacts[entry].a == a &&
                                      previous->contacts[entry].b < b))) {
            entry++;
        }
        int to = entry;
        while (to < end && previous->contacts[to].a == a && previous->contacts[to].b == b) {
            to++;
        }
        match_pair(taking, &taking->raw[i], next - i, entry, to);
    }
}

/* ---- entries ---- */

static void
fill_contact(struct taking *taking, int k, const struct raw *raw)
{
    const struct cn_contact_view *view = raw->view;
    const struct wire_contact *was = NULL;
    struct wire_contact *contact = &taking->now->contacts[k];
    struct wire_contact_memory *memory = &taking->now->memory[k];
    memory->id = view->id;
    find_local(taking, view->body_a, view->body_b, view->point, memory->local);
    if (raw->match >= 0) {
        was = &taking->previous->contacts[raw->match];
    }
    contact->a = (uint32_t)view->body_a;
    contact->b = (uint32_t)view->body_b;
    contact->rank = raw->rank;
    contact->anchor = choose_anchor(taking, view->body_a, view->body_b,
        was != NULL ? (int)was->anchor : -1,
        was != NULL ? taking->previous->memory[raw->match].local : NULL, memory->local);
    bool is_same = was != NULL && was->anchor == contact->anchor;
    settle_numbers(contact->point, memory->local[contact->anchor], is_same ? was->point : NULL);
    settle_numbers(contact->normal, cn_vec3_scale(view->normal, 1.0 / WIRE_NORMAL_SCALE),
        was != NULL ? was->normal : NULL);
    contact->gap = settle_number(view->gap * taking->steps, was != NULL ? &was->gap : NULL);
    cn_vec3 force = cn_vec3_add_scaled(view->friction, view->force, view->normal);
    contact->force_scale = settle_vector(contact->force, force,
        was != NULL ? was->force : NULL, was != NULL ? was->force_scale : 0);
    contact->impulse = settle_magnitude(view->impulse, was != NULL ? was->impulse : 0);
}

static const struct wire_contact *
find_load(const struct wire_contacts *previous, uint32_t a)
{
    int low = 0, high = previous != NULL ? previous->count : 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (previous->contacts[middle].a < a) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = previous != NULL && low < previous->count && previous->contacts[low].a == a;
    return is_found ? &previous->contacts[low] : NULL;
}

/* Returns whether the joint is there, and one of its bodies moves. */
static bool
fill_load(struct taking *taking, int k, int joint)
{
    struct cn_joint_view view;
    cn_world_joint_view(taking->world, joint, &view);
    int body = is_moving(taking, view.body_b) ? view.body_b : view.body_a;
    if (view.absent || !is_moving(taking, body)) {
        return false;
    }
    struct wire_contact *load = &taking->now->contacts[k];
    cn_vec3 local[WIRE_ANCHOR_COUNT] = {{0}};
    load->a = WIRE_LOADS_FROM + (uint32_t)joint;
    load->b = (uint32_t)body;
    load->anchor = WIRE_ANCHOR_B;
    const struct wire_contact *was = find_load(taking->previous, load->a);
    bool is_same = was != NULL && was->b == load->b;
    find_local(taking, -1, body, view.point_b, local);
    settle_numbers(load->point, local[WIRE_ANCHOR_B], is_same ? was->point : NULL);
    load->force_scale = settle_vector(load->force, view.force, was != NULL ? was->force : NULL,
        was != NULL ? was->force_scale : 0);
    load->torque_scale = settle_vector(load->torque, view.torque,
        was != NULL ? was->torque : NULL, was != NULL ? was->torque_scale : 0);
    return true;
}

static void
fill_report(struct taking *taking, size_t left_out)
{
    struct wire_contact_report *report = &taking->now->report;
    struct cn_solve_summary summary = cn_world_solve_summary(taking->world);
    report->is_judged = summary.is_judged;
    report->residual = settle_magnitude(
        summary.residual, taking->previous != NULL ? taking->previous->report.residual : 0);
    report->outcome = (uint32_t)summary.outcome;
    report->iteration_count = (uint32_t)summary.iteration_count;
    report->row_count = (uint32_t)summary.row_count;
    report->left_out = (uint32_t)left_out;
    const char *solver = cn_world_settings(taking->world)->solver;
    size_t size = strlen(solver);
    size = size < sizeof(report->solver) ? size : sizeof(report->solver) - 1;
    memcpy(report->solver, solver, size);
}

/* ---- the whole ---- */

static bool
take_places(struct taking *taking)
{
    size_t count = (size_t)taking->body_count;
    struct cn_body_place *bodies = malloc((count + 1) * sizeof(*bodies));
    taking->places = calloc(count + 1, sizeof(taking->places[0]));
    if (bodies != NULL && taking->places != NULL) {
        cn_world_body_places(taking->world, 0, taking->body_count, bodies);
        for (size_t i = 0; i < count; i++) {
            taking->places[i].body = bodies[i];
        }
    }
    bool is_done = bodies != NULL && taking->places != NULL;
    free(bodies);
    return is_done;
}

static void
take_entries(struct taking *taking, const struct cn_contact_view *views, int count)
{
    bool is_sorted = true;
    for (int i = 0; i < count; i++) {
        taking->raw[i] = (struct raw){.view = &views[i], .order = i, .match = -1};
        is_sorted = is_sorted && (i == 0 || compare_raw(&taking->raw[i - 1], &taking->raw[i]) < 0);
    }
    if (!is_sorted) {
        qsort(taking->raw, (size_t)count, sizeof(taking->raw[0]), compare_raw);
    }
    match_all(taking, count);
    int k = 0;
    for (int i = 0; i < count; i++) {
        const struct cn_contact_view *view = taking->raw[i].view;
        if (is_moving(taking, view->body_a) || is_moving(taking, view->body_b)) {
            fill_contact(taking, k++, &taking->raw[i]);
        }
    }
    int joint_count = cn_world_joint_count(taking->world);
    for (int i = 0; i < joint_count; i++) {
        k += fill_load(taking, k, i);
    }
    taking->now->count = k;
}

static struct wire_contacts *
finish_taking(struct taking *taking, struct wire_contacts *previous)
{
    struct wire_contacts *now = taking->now;
    now->hash = wire_contacts_hash(now);
    now->number = previous != NULL ? previous->number + 1 : 1;
    if (previous != NULL && previous->generation == now->generation &&
        wire_contacts_are_equal(now, previous)) {
        wire_contacts_unref(now);
        return wire_contacts_ref(previous);
    }
    return now;
}

struct wire_contacts *
wire_contacts_take(const struct cn_world *world, uint32_t generation, uint32_t series,
    const struct wire_precision *precision, struct wire_contacts *previous)
{
    const struct cn_contact_view *views;
    int all = cn_world_contacts(world, &views);
    int count = all < WIRE_CONTACTS_MAX ? all : WIRE_CONTACTS_MAX;
    int room = count + cn_world_joint_count(world);
    struct taking taking = {.world = world, .body_count = cn_world_body_count(world)};
    struct wire_contacts *now = taking.now = wire_contacts_create(room);
    if (now == NULL) {
        return NULL;
    }
    now->tick = cn_world_tick(world);
    now->generation = generation;
    now->series = series;
    now->scale = WIRE_CONTACT_QUANTA * precision->position;
    now->is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    taking.steps = 1.0 / now->scale;
    bool may_match = previous != NULL && previous->series == series && previous->memory != NULL &&
        previous->is_spatial == now->is_spatial && previous->scale == now->scale;
    taking.previous = may_match ? previous : NULL;
    taking.raw = calloc((size_t)count + 1, sizeof(taking.raw[0]));
    taking.is_matched = calloc(may_match ? (size_t)previous->count + 1 : 1, 1);
    now->memory = calloc((size_t)room + 1, sizeof(now->memory[0]));
    if (taking.raw != NULL && taking.is_matched != NULL && now->memory != NULL &&
        take_places(&taking)) {
        take_entries(&taking, views, count);
        fill_report(&taking, (size_t)(all - count));
        now = finish_taking(&taking, previous);
    } else {
        wire_contacts_unref(now);
        now = NULL;
    }
    free(taking.raw);
    free(taking.is_matched);
    free(taking.places);
    return now;
}
