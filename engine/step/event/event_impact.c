/*
 * event_impact.c: separates touching bodies that approach each other.
 *
 * At velocity level the problem is the same as for forces, with impulses j for f:
 *
 *     SIMULTANEOUS    v+ + e v- >= 0,  j >= 0,  j . (v+ + e v-) = 0       Baraff 1989, eqs 27-29
 *     SERIAL          one contact at a time, the fastest approach first:  j = -(1 + e) v- / A_ii
 *     HYBRID          one pair of shapes at a time, its contacts simultaneously
 *
 * Joints are bilateral rows of every such problem, so that a hinge passes an impulse on.  Limits,
 * and ropes that become taut, are contacts with their own restitution.  With friction the rows
 * across a contact obey Coulomb's law with the velocity after the impact.  Restitution acts on
 * normals only (event_restitution.c).
 *
 * Only contacts that touch and do not separate take part.  After a round other contacts may
 * approach, so rounds are repeated until no contact approaches.  The number of rounds has a bound.
 * There, one simultaneous round over all touching contacts, without restitution, ends all
 * approaches, and an event reports it.
 *
 * Moments against rolling and spinning take part like friction: their impulse is at most their
 * length times the impulse of the normal.  So a ball that spins loses spin by every bounce.
 *
 * Departure: an approach slower than the scene's resting velocity (by default
 * cn_model_velocity_rest) has no restitution; otherwise a bouncing ball would never rest (Zeno).
 * The paper has no such threshold.  Impulses do nothing else.  Contacts that separate after the
 * impulses, however slowly, do separate.  A contact that rises slower than cn_model_velocity_rest
 * is held from where its flight ends (event_search.c).
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MAX 64 /* simultaneous rounds; two or three are usual */
#define ROUNDS_MIN 4  /* rounds that are done whatever they cost */

/* Results of a search for the fastest approach that are not a contact. */
#define NOTHING (-1)
#define A_JOINT (-2)

/*
 * The largest number of single impacts at one instant.  A line of n balls needs n - 1; with e < 1
 * geometric sequences need more, up to MORE_MAX in all.  160 contacts that use up theirs keep a
 * worker busy for 0.1 s.
 */
#define SERIAL_BASE 256
#define SERIAL_MORE_PER_CONTACT 64
#define SERIAL_MORE_MAX 16384

/* Adds the impulses of one solve to those of this instant. */
static void
add_impulses(struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        if (s->tag[k] == CN_ROW_NORMAL && s->source[k].contact >= 0) {
            s->impulse[s->source[k].contact] += cn_max(s->f[k], 0.0);
        } else if (s->tag[k] == CN_ROW_NORMAL && s->f[k] > 0.0) {
            s->model->clock.impacts++;
            cn_event_note_at(s, k, CN_EVENT_IMPACT, s->f[k]);
        }
    }
}

/*
 * Reports one event for each pair of shapes that exchanged impulses at this instant, however many
 * solves it took.  Counts this instant once for the bound.
 */
static void
note_impulses(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    bool any = false;
    for (int i = 0; i < s->contact_count;) {
        const struct cn_contact *first = &s->contact[i];
        double sum = 0.0;
        for (; i < s->contact_count && cn_contact_same_pair(&s->contact[i], first); i++) {
            if (s->impulse[i] > 0.0) {
                sum += s->impulse[i];
                cn_memory_add_impulse(model, &s->contact[i], s->impulse[i]);
            }
        }
        if (sum > 0.0) {
            any = true;
            cn_model_event(model, CN_EVENT_IMPACT, first->body_a, first->body_b, sum);
        }
    }
    model->clock.impacts += any;
}

void
cn_event_tell_impulses(struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        if (s->tag[k] == CN_ROW_NORMAL && s->source[k].contact >= 0 && s->f[k] > 0.0) {
            cn_memory_add_impulse(s->model, &s->contact[s->source[k].contact], s->f[k]);
        }
    }
}

static double
contact_rate(struct cn_event_scratch *s, int i, struct cn_row *row)
{
    cn_contact_row(s->model, s->model->motion, s->pose, &s->contact[i], row);
    return cn_contact_rate(s->model->motion, &s->contact[i], row);
}

/* Whether an approach at this rate has no restitution. */
static bool
is_plastic(const struct cn_event_scratch *s, double rate)
{
    const struct cn_model *model = s->model;
    return model->clock.inelastic ||
           -rate < cn_model_resting_velocity(model, cn_model_velocity_rest(model));
}

/* The restitution of an approach at this rate (< 0). */
static double
restitution(const struct cn_event_scratch *s, const struct cn_contact *contact, double rate)
{
    const struct cn_model *model = s->model;
    if (is_plastic(s, rate)) {
        return 0.0;
    }
    return cn_model_restitution(model, contact->shape_a, contact->shape_b);
}

/* Adds rows for contact i.  If `elastic`, it leaves out a contact that separates. */
static void
add_contact(struct cn_event_scratch *s, int i, bool elastic)
{
    const struct cn_motion *motion = s->model->motion;
    struct cn_row row;
    double rate = contact_rate(s, i, &row);
    if (elastic && rate > s->model->velocity_tolerance) {
        return;
    }
    double e = elastic && rate < 0.0 ? restitution(s, &s->contact[i], rate) : 0.0;
    int k = cn_event_append_contact(s, motion, i, CN_DISCS_ALL);
    s->b[k] = (1.0 + e) * rate;
    struct cn_disc_rows rows;
    for (int t = k + 1; t < s->row_count; t++) {
        s->b[t] = cn_event_row_rate(s, motion, t);
        if (cn_event_find_disc(s, t, &rows)) {
            double speed = cn_vec3_length(cn_event_slip_velocity(s, motion, &rows));
            bool rests = speed * rows.width <= s->model->velocity_tolerance;
            s->mu[cn_disc_limit_row(&rows)] = rests ? rows.hold->resting : rows.hold->sliding;
        }
    }
}

/*
 * Whether a joint's row takes part in an impact: rows that hold do, and limits that touch and do
 * not separate.
 */
static bool
joint_takes_part(const struct cn_event_scratch *s, const struct cn_joint_row *joint)
{
    const struct cn_model *model = s->model;
    return joint->tag == CN_ROW_BILATERAL ||
           (joint->tag == CN_ROW_NORMAL && joint->gap <= model->gap_tolerance &&
               joint->rate <= model->velocity_tolerance);
}

/*
 * Adds the rows of all joints that take part, with or without the restitution of limits and ropes.
 */
static void
add_joints(struct cn_event_scratch *s, bool elastic)
{
    if (s->joint_max == 0) {
        return;
    }
    cn_event_find_joints(s, s->model->motion);
    for (int i = 0; i < s->joint_count; i++) {
        if (joint_takes_part(s, &s->joint[i])) {
            int k = cn_event_append_joint(s, &s->joint[i]);
            double e = elastic && s->joint[i].tag == CN_ROW_NORMAL && s->joint[i].rate < 0.0 &&
                               !is_plastic(s, s->joint[i].rate)
                           ? s->joint[i].restitution
                           : 0.0;
            s->b[k] = (1.0 + e) * s->joint[i].rate;
        }
    }
}

/* Solves for the impulses of the present rows, and applies them. */
static void
part_rows(struct cn_event_scratch *s)
{
    cn_event_solve_impact(s);
    cn_event_push(s);
    add_impulses(s);
    cn_event_note_squeezed(s);
}

/* Whether a row of a joint approaches faster than -rate_min [m/s]. */
static bool
joints_approach(struct cn_event_scratch *s, double rate_min)
{
    if (s->joint_max == 0) {
        return false;
    }
    cn_event_find_joints(s, s->model->motion);
    for (int i = 0; i < s->joint_count; i++) {
        const struct cn_joint_row *joint = &s->joint[i];
        double rate = joint->tag == CN_ROW_BILATERAL ? -fabs(joint->rate) : joint->rate;
        if (joint_takes_part(s, joint) && rate < rate_min) {
            return true;
        }
    }
    return false;
}

/*
 * The contact that approaches the fastest; A_JOINT if only joints do; NOTHING if no approach is
 * faster than the tolerance.
 */
static int
fastest_approach(struct cn_event_scratch *s)
{
    int fastest = NOTHING;
    double rate_min = -s->model->velocity_tolerance;
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        double rate = contact_rate(s, i, &row);
        if (rate < rate_min) {
            fastest = i;
            rate_min = rate;
        }
    }
    *s->work += (int64_t)40 * (s->contact_count + s->joint_max);
    cn_work_spend((int64_t)40 * (s->contact_count + s->joint_max));
    if (fastest == NOTHING && joints_approach(s, -s->model->velocity_tolerance)) {
        fastest = A_JOINT;
    }
    return fastest;
}

/* One round over all contacts at once; without restitution no contact approaches afterwards. */
static void
part_all(struct cn_event_scratch *s, bool elastic)
{
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        add_contact(s, i, elastic);
    }
    add_joints(s, elastic);
    part_rows(s);
}

/* One contact, or with `whole_pair` all contacts of its pair of shapes; A_JOINT: only joints. */
static void
part_one(struct cn_event_scratch *s, int fastest, bool whole_pair)
{
    CN_ASSERT(fastest == A_JOINT || (fastest >= 0 && fastest < s->contact_count));
    s->row_count = 0;
    cn_work_spend(4 * (int64_t)s->contact_count);
    for (int i = 0; i < s->contact_count; i++) {
        bool same_pair = whole_pair && fastest != A_JOINT &&
                         cn_contact_same_pair(&s->contact[i], &s->contact[fastest]);
        if (i == fastest || same_pair) {
            add_contact(s, i, true);
        }
    }
    add_joints(s, true);
    part_rows(s);
}

/* The largest number of rounds at one instant. */
static int
round_bound(const struct cn_event_scratch *s)
{
    if (s->model->settings.collision == CN_COLLISION_SIMULTANEOUS) {
        return ROUNDS_MAX;
    }
    int more = SERIAL_MORE_PER_CONTACT * s->contact_count;
    return SERIAL_BASE + s->contact_count + (more < SERIAL_MORE_MAX ? more : SERIAL_MORE_MAX);
}

/* Reports the pairs of shapes that meet at speed, before impulses part them. */
static void
tell_hits(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    for (int i = 0; i < s->contact_count;) {
        const struct cn_contact *first = &s->contact[i];
        double least = cn_shape_hit_min(
            &model->shape[first->shape_a], &model->shape[first->shape_b]);
        double speed = 0.0;
        for (; i < s->contact_count && cn_contact_same_pair(&s->contact[i], first); i++) {
            struct cn_row row;
            if (isfinite(least)) {
                speed = cn_max(speed, -contact_rate(s, i, &row));
            }
        }
        if (speed > least) {
            cn_model_event(
                model, CN_EVENT_CONTACT_HIT, first->body_a, first->body_b, speed);
        }
    }
}

void
cn_event_impacts(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    bool simultaneous = model->settings.collision == CN_COLLISION_SIMULTANEOUS;
    bool whole_pair = model->settings.collision == CN_COLLISION_HYBRID;
    int bound = round_bound(s);
    CN_ASSERT(!s->looks && s->contact_count <= model->contact_max);

    int fastest = fastest_approach(s);
    if (fastest == NOTHING) {
        return;
    }
    memset(s->impulse, 0, (size_t)s->contact_count * sizeof(s->impulse[0]));
    tell_hits(s);
    int round = 0;
    for (; fastest != NOTHING && round < bound; round++) {
        if (simultaneous && round >= ROUNDS_MIN && cn_event_is_spent(s, 0)) {
            break;
        }
        if (simultaneous) {
            part_all(s, true);
        } else {
            part_one(s, fastest, whole_pair);
        }
        fastest = s->note.outcome == CN_SOLVE_INFEASIBLE ? NOTHING : fastest_approach(s);
    }
    if (fastest != NOTHING) {
        bool contact = fastest != A_JOINT;
        cn_model_event(model, CN_EVENT_IMPACT_LIMIT, contact ? s->contact[fastest].body_a : -1,
            contact ? s->contact[fastest].body_b : -1, round);
        part_all(s, false);
    }
    note_impulses(s);
}
