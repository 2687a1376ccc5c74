/*
 * event_impact.c: parts touching bodies that approach.
 *
 * At velocity level the problem is the same as for forces, with impulses j for f:
 *
 *     SIMULTANEOUS    v+ + e v- >= 0,  j >= 0,  j . (v+ + e v-) = 0       Baraff 1989, eqs 27-29
 *     SERIAL          one contact at a time, the fastest approach first:  j = -(1 + e) v- / A_ii
 *     HYBRID          one pair of shapes at a time, its contacts simultaneously
 *
 * Joints are bilateral rows of every such problem, so that a hinge passes an impulse on, and limits
 * and taut ropes are contacts of restitution 0.  With friction the rows across a contact obey
 * Coulomb's law with the velocity after the impact; restitution is of normals alone
 * (event_restitution.c).
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
 * Times the resting velocity, which is a thousandth of that of a fall over the smallest length:
 * what settling may change of a velocity.
 */
#define SLIGHT 300.0

/* What approaches the fastest, where it is no contact. */
#define NOTHING (-1)
#define A_JOINT (-2)

/*
 * Single impacts of one instant: a line of n balls needs n - 1, e < 1 geometric sequences more, but
 * no more than MORE_MAX in all: 160 contacts that use theirs up keep a worker busy for 0.1 s.
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
 * One event for each pair of shapes that exchanged impulses at this instant, however many solves it
 * took, and one count of this instant for the bound.
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

/* Adds rows for contact i: elastic, when it does not part; else whatever it does. */
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
    int k = cn_event_append_contact(s, motion, i, true);
    s->b[k] = (1.0 + e) * rate;
    for (int t = k + 1; t <= k + cn_event_tangents_behind(s, k); t++) {
        s->b[t] = cn_event_row_rate(s, motion, t);
    }
    double speed = cn_vec3_length(cn_event_slip_velocity(s, motion, k));
    bool rests = speed <= s->model->velocity_tolerance;
    s->mu[k] = rests ? s->grip[i].resting : s->grip[i].sliding;
}

/* What a joint's row asks of an impact: that its speed vanishes, of a limit that does not part. */
static bool
joint_takes_part(const struct cn_event_scratch *s, const struct cn_joint_row *joint)
{
    const struct cn_model *model = s->model;
    return joint->tag == CN_ROW_BILATERAL ||
           (joint->tag == CN_ROW_NORMAL && joint->gap <= model->gap_tolerance &&
               joint->rate <= model->velocity_tolerance);
}

/* Adds the rows of joints, all that take part. */
static void
add_joints(struct cn_event_scratch *s)
{
    if (s->joint_max == 0) {
        return;
    }
    cn_event_find_joints(s, s->model->motion);
    for (int i = 0; i < s->joint_count; i++) {
        if (joint_takes_part(s, &s->joint[i])) {
            int k = cn_event_append_joint(s, &s->joint[i]);
            s->b[k] = s->joint[i].rate;
        }
    }
}

/* Solves for the impulses of the rows that there are, and applies them. */
static void
part_rows(struct cn_event_scratch *s)
{
    cn_event_solve_impact(s);
    cn_event_push(s);
    add_impulses(s);
    cn_event_note_squeezed(s);
}

/* Of joints: how fast the fastest row runs against what it wants, below -rate_min [m/s]. */
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
 * The contact that approaches the fastest; A_JOINT when only joints do, NOTHING when nothing does
 * by more than tolerance.
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
    if (fastest == NOTHING && joints_approach(s, -s->model->velocity_tolerance)) {
        fastest = A_JOINT;
    }
    return fastest;
}

/* One round over all contacts at once; without restitution none approaches afterwards. */
static void
part_all(struct cn_event_scratch *s, bool elastic)
{
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        add_contact(s, i, elastic);
    }
    add_joints(s);
    part_rows(s);
}

/* Adds rows that bring contact i to rest, across it too where it has friction and is slow. */
static void
add_resting(struct cn_event_scratch *s, int i, double rate, double rest)
{
    const struct cn_motion *motion = s->model->motion;
    int k = cn_event_append_contact(s, motion, i, true);
    if (cn_vec3_length(cn_event_slip_velocity(s, motion, k)) > rest) {
        s->row_count = k + 1; /* it slides on */
    }
    s->b[k] = rate;
    s->tag[k] = CN_ROW_BILATERAL;
    for (int t = k + 1; t < s->row_count; t++) {
        s->b[t] = cn_event_row_rate(s, motion, t);
        s->tag[t] = CN_ROW_BILATERAL;
    }
}

/*
 * Whether response[] changes no body by more than SLIGHT times the resting velocity.  Friction and
 * joints make mechanisms with a lever: a row of leaning dominoes is one, whose head would be
 * stopped with its tail.
 */
static bool
is_slight(const struct cn_event_scratch *s, double rest)
{
    const struct cn_model *model = s->model;
    double most = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        double turn = cn_vec3_length(s->response[i].angular) * model->body[i].reach;
        most = cn_max(most, cn_vec3_length(s->response[i].linear) + turn);
    }
    bool may_lever = s->tangent_count > 0 || s->joint_max > 0;
    return !may_lever || most <= SLIGHT * rest;
}

/*
 * Makes the rows that bring to rest what touches and moves slower than the resting velocity; how
 * many of these part.  With `by_pushing` those that do not part may, if the others need it.
 */
static int
make_resting(struct cn_event_scratch *s, double rest, bool by_pushing)
{
    int parting_count = 0;
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        double rate = contact_rate(s, i, &row);
        if (fabs(rate) > rest) {
            continue;
        }
        int k = s->row_count;
        add_resting(s, i, rate, rest);
        bool parts = rate > s->model->velocity_tolerance;
        if (by_pushing && !parts) {
            s->row_count = k + 1;
            s->tag[k] = CN_ROW_NORMAL;
        }
        parting_count += parts;
    }
    add_joints(s);
    return parting_count;
}

/*
 * Brings to rest, all together, what touches and moves slower than the resting velocity.  Both
 * ways: a contact that could be pulled off would be pulled off by its neighbour's settling.  And
 * across: a rocking block that settled on its corners without friction would slide off them.  Where
 * that is no slight change, what parts is brought to rest alone, and if neither that is, nothing.
 */
static void
settle(struct cn_event_scratch *s)
{
    double rest = cn_model_velocity_rest(s->model);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (make_resting(s, rest, attempt == 1) == 0) {
            return;
        }
        cn_event_solve(s);
        if (is_slight(s, rest)) {
            cn_event_push(s);
            return;
        }
    }
}

/* One contact, or with `whole_pair` all contacts of its pair of shapes; A_JOINT: none. */
static void
part_one(struct cn_event_scratch *s, int fastest, bool whole_pair)
{
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        bool same_pair = whole_pair && fastest != A_JOINT &&
                         cn_contact_same_pair(&s->contact[i], &s->contact[fastest]);
        if (i == fastest || same_pair) {
            add_contact(s, i, true);
        }
    }
    add_joints(s);
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
    if (fastest == NOTHING) {
        return;
    }
    memset(s->impulse, 0, (size_t)s->contact_count * sizeof(s->impulse[0]));
    int round = 0;
    for (; fastest != NOTHING && round < bound; round++) {
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
    settle(s);
    note_impulses(s);
}
