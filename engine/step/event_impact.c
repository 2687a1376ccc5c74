/*
 * event_impact.c: parts touching bodies that approach.
 *
 * At velocity level the problem is the same as for forces, with impulses j for f:
 *
 *     SIMULTANEOUS    v+ + e v- >= 0,  j >= 0,  j . (v+ + e v-) = 0       Baraff 1989, eqs 27-29
 *     SERIAL          one contact at a time, the fastest approach first:  j = -(1 + e) v- / A_ii
 *     HYBRID          one pair of shapes at a time, its contacts simultaneously
 *
 * Only contacts that touch and do not part take part.  After a round other contacts may approach:
 * rounds go on until none does, or to a bound, where one simultaneous round over all touching
 * contacts, without restitution, leaves nothing approaching; an event says so.
 *
 * Departures: an approach slower than cn_model_velocity_rest has no restitution, and a contact that
 * impacts leave parting slower than that is brought to rest with the impact.  Without the first a
 * bouncing ball never rests (Zeno); without the second a block that rocks on two corners does not:
 * each corner's plastic impact lifts the other, in a geometric sequence.  The paper has no such
 * threshold.
 */
#include "engine/step/event.h"

#include "engine/base/limits.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MAX 64 /* simultaneous rounds; two or three are usual */

/*
 * Single impacts of one instant: a line of n balls needs n - 1, e < 1 geometric sequences more, but
 * no more than MORE_MAX in all: 160 contacts that use theirs up keep a worker busy for 0.1 s.
 */
#define SERIAL_BASE 256
#define SERIAL_MORE_PER_CONTACT 64
#define SERIAL_MORE_MAX 16384

/* Adds to the impulses of this tick, which stay sorted by id; what finds no room is not listed. */
static void
note_impulse(struct cn_model *model, const struct cn_contact *contact, double impulse)
{
    uint64_t id = cn_contact_id(contact);
    int place = model->impulse_count;
    while (place > 0 && model->impulse[place - 1].id > id) {
        place--;
    }
    if (place > 0 && model->impulse[place - 1].id == id) {
        model->impulse[place - 1].impulse += impulse;
        return;
    }
    if (model->impulse_count >= model->contact_max) {
        return;
    }
    for (int i = model->impulse_count; i > place; i--) {
        model->impulse[i] = model->impulse[i - 1];
    }
    model->impulse[place] = (struct cn_impulse){
        .id = id,
        .body_a = contact->body_a,
        .body_b = contact->body_b,
        .point = contact->point,
        .normal = contact->normal,
        .impulse = impulse,
    };
    model->impulse_count++;
}

/* Adds the impulses of one solve to those of this instant. */
static void
add_impulses(struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        s->impulse[s->row_contact[k]] += cn_max(s->f[k], 0.0);
    }
}

/*
 * One event for each pair of shapes that exchanged impulses at this instant, however many solves it
 * took, and one count for the bound.
 */
static void
note_impulses(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    for (int i = 0; i < s->contact_count;) {
        const struct cn_contact *first = &s->contact[i];
        double sum = 0.0;
        for (; i < s->contact_count && cn_contact_same_pair(&s->contact[i], first); i++) {
            if (s->impulse[i] > 0.0) {
                sum += s->impulse[i];
                note_impulse(model, &s->contact[i], s->impulse[i]);
            }
        }
        if (sum > 0.0) {
            model->clock.impacts++;
            cn_model_event(model, CN_EVENT_IMPACT, first->body_a, first->body_b, sum);
        }
    }
}

static double
contact_rate(struct cn_event_scratch *s, int i, struct cn_row *row)
{
    cn_contact_row(s->model, s->model->motion, s->pose, &s->contact[i], row);
    return cn_contact_rate(s->model->motion, &s->contact[i], row);
}

/* The restitution that an approach at this rate (< 0) has. */
static double
restitution(const struct cn_event_scratch *s, const struct cn_contact *contact, double rate)
{
    const struct cn_model *model = s->model;
    if (model->clock.inelastic || -rate < cn_model_velocity_rest(model)) {
        return 0.0;
    }
    return cn_model_restitution(model, contact->shape_a, contact->shape_b);
}

/* Adds a row for contact i: elastic, when it does not part; else whatever it does. */
static void
add_row(struct cn_event_scratch *s, int i, bool elastic)
{
    struct cn_row *row = &s->row[s->row_count];
    double rate = contact_rate(s, i, row);
    if (elastic && rate > s->model->velocity_tolerance) {
        return;
    }
    double e = elastic && rate < 0.0 ? restitution(s, &s->contact[i], rate) : 0.0;
    s->row_contact[s->row_count] = i;
    s->b[s->row_count] = (1.0 + e) * rate;
    s->f[s->row_count] = 0.0;
    s->tag[s->row_count] = CN_ROW_NORMAL;
    s->row_count++;
}

/* Solves for the impulses of rows that add_row has made, and applies them. */
static void
part_rows(struct cn_event_scratch *s)
{
    cn_event_solve(s);
    cn_event_push(s);
    add_impulses(s);
    cn_event_note_squeezed(s);
}

/* The contact that approaches the fastest, -1 when none does by more than tolerance. */
static int
fastest_approach(struct cn_event_scratch *s)
{
    int fastest = -1;
    double rate_min = -s->model->velocity_tolerance;
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        double rate = contact_rate(s, i, &row);
        if (rate < rate_min) {
            fastest = i;
            rate_min = rate;
        }
    }
    *s->work += (int64_t)40 * s->contact_count;
    return fastest;
}

/* One round over all contacts at once; without restitution none approaches afterwards. */
static void
part_all(struct cn_event_scratch *s, bool elastic)
{
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        add_row(s, i, elastic);
    }
    part_rows(s);
}

/*
 * Brings to rest, all together, what touches and moves slower than the resting velocity.  Both
 * ways: a contact that could be pulled off would be pulled off by its neighbour's settling.
 */
static void
settle(struct cn_event_scratch *s)
{
    const struct cn_model *model = s->model;
    double rest = cn_model_velocity_rest(model);
    int parting_count = 0;
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        double rate = contact_rate(s, i, &s->row[s->row_count]);
        if (fabs(rate) > rest) {
            continue;
        }
        s->row_contact[s->row_count] = i;
        s->b[s->row_count] = rate;
        s->f[s->row_count] = 0.0;
        s->tag[s->row_count] = CN_ROW_BILATERAL;
        s->row_count++;
        parting_count += rate > model->velocity_tolerance;
    }
    if (parting_count > 0) {
        cn_event_solve(s);
        cn_event_push(s);
    }
}

/* One contact, or with `whole_pair` all contacts of its pair of shapes. */
static void
part_one(struct cn_event_scratch *s, int fastest, bool whole_pair)
{
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        bool same_pair = cn_contact_same_pair(&s->contact[i], &s->contact[fastest]);
        if (i == fastest || (whole_pair && same_pair)) {
            add_row(s, i, true);
        }
    }
    part_rows(s);
}

/* Rounds of one instant. */
static int
round_bound(const struct cn_event_scratch *s)
{
    if (s->model->settings.collision == CN_COLLISION_SIMULTANEOUS) {
        return ROUNDS_MAX;
    }
    int more = SERIAL_MORE_PER_CONTACT * s->contact_count;
    return SERIAL_BASE + s->contact_count + (more < SERIAL_MORE_MAX ? more : SERIAL_MORE_MAX);
}

void
cn_event_impacts(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    bool simultaneous = model->settings.collision == CN_COLLISION_SIMULTANEOUS;
    bool whole_pair = model->settings.collision == CN_COLLISION_HYBRID;
    int bound = round_bound(s);

    int fastest = fastest_approach(s);
    if (fastest < 0) {
        return;
    }
    memset(s->impulse, 0, (size_t)s->contact_count * sizeof(s->impulse[0]));
    int round = 0;
    for (; fastest >= 0 && round < bound; round++) {
        if (simultaneous) {
            part_all(s, true);
        } else {
            part_one(s, fastest, whole_pair);
        }
        fastest = s->note.outcome == CN_SOLVE_INFEASIBLE ? -1 : fastest_approach(s);
    }
    if (fastest >= 0) {
        cn_model_event(model, CN_EVENT_IMPACT_LIMIT, s->contact[fastest].body_a,
            s->contact[fastest].body_b, round);
        part_all(s, false);
    }
    settle(s);
    note_impulses(s);
}
