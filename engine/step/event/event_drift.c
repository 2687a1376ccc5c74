/*
 * event_drift.c: corrects the errors that integration leaves, where they arise.
 *
 * Forces hold the second derivative of a held gap at zero; its value and its rate drift by the
 * integration error.  After a step both are corrected by the smallest change in the metric of the
 * masses that satisfies the conditions: the same complementarity problem at velocity and at
 * position level (truth: Gauss' principle; Moreau's projection).
 *
 *     velocity   rates of held gaps >= 0, of joints 0, of discs that stick 0; with friction and in
 *                space, of gaps that are pressed 0
 *     position   held gaps >= 1/16 of the tolerance, gaps of joints 0
 *
 * So contacts have a small positive gap, inside the tolerance, and bodies that slide over the seam
 * between two others do not catch on it.  A gap deeper than the tolerance (bodies that overlap when
 * the world begins, joints that are torn) is closed at no more than PUSH_RATE lengths a second,
 * without velocity.  Positions of joints are corrected again until no error is left, because their
 * rows rotate with the bodies.  They are corrected before velocities, so that velocities fit the
 * final rows.
 *
 * Motors have no rows here, because they control a speed and not a position.
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/union_find.h"
#include "engine/math/scalar.h"

#include <math.h>

#define RIDE_FRACTION 0.0625 /* of the tolerance: the least gap of a held contact */
#define LEFT_FRACTION 1e-6   /* of the tolerances: smaller errors are not corrected */
#define PUSH_RATE 2.0        /* smallest lengths a second */
#define ROUNDS_MAX 8         /* corrections of joints' positions; two are usual */

/*
 * A limit for corrections.  No point moves farther than MOVE_BASE times the largest gap, up to the
 * tolerance, and once more for each row: in a pile each row's gap adds to the moves of the bodies
 * above it.  A gap deeper than the tolerance allows MOVE_DEEP times itself.  The same holds for
 * velocities and rates.
 */
#define MOVE_BASE 16.0
#define MOVE_DEEP 4.0

/* Of the gap tolerance: bodies that overlap more deeply did so when the world began. */
#define DEEP 100.0

/* Of the largest rate: a correction of velocities that misses by more is not used. */
#define SOLVED_RESIDUAL 1e-2

/* Of the limit of friction: a contact with friction closer to it may be about to slip. */
#define STICK_FRACTION (1.0 - 1e-6)

/* Of the largest force: a contact that bears more is pressed. */
#define PRESS_FRACTION 1e-6

/* Finds, by the last forces, which contacts are pressed, and which discs stick. */
static void
find_sticking(struct cn_event_scratch *s)
{
    double hardest = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        hardest = s->tag[k] == CN_ROW_NORMAL ? cn_max(hardest, s->f[k]) : hardest;
    }
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact >= 0 && s->source[k].part == 0) {
            s->grip[s->source[k].contact].pressed = s->f[k] > PRESS_FRACTION * hardest;
        }
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        double first = s->f[k], second = rows.count > 1 ? s->f[k + 1] : 0.0;
        double across = sqrt(first * first + second * second);
        double rim = rows.hold->resting * s->f[rows.normal];
        rows.hold->sticks = !cn_event_slides(rows.hold) && across < STICK_FRACTION * rim;
    }
}

/* The discs of a contact that stick, as bits 1 << enum cn_disc. */
static unsigned
sticking_discs(const struct cn_grip *grip)
{
    unsigned discs = 0;
    for (unsigned disc = 0; disc < CN_DISC_COUNT; disc++) {
        discs |= grip->hold[disc].sticks ? 1U << disc : 0U;
    }
    return discs;
}

/*
 * Whether a joint's row is in the problem.  Motors are not, and limits only while a row holds them.
 */
static bool
is_held(const struct cn_event_scratch *s, const struct cn_joint_row *joint)
{
    for (int k = 0; k < s->stop_count && joint->tag == CN_ROW_NORMAL; k++) {
        if (s->stop[k].id == joint->id) {
            return false;
        }
    }
    cn_work_spend(10 + 2 * (int64_t)s->stop_count);
    return joint->tag != CN_ROW_BOUNDED;
}

/*
 * Whether contacts may stop bodies completely: with friction; and in space, where errors of
 * rotation lift them.  Then contacts that are pressed neither approach nor separate.
 */
static bool
may_stick(const struct cn_event_scratch *s)
{
    return cn_event_has_discs(s) || s->model->settings.dimension == CN_SPATIAL;
}

/*
 * Makes the rows that hold at the model's motion; with_across: also the rows of discs that stick.
 */
static void
place_rows(struct cn_event_scratch *s, bool with_across)
{
    const struct cn_motion *motion = s->model->motion;
    cn_event_place(s, motion);
    s->row_count = 0;
    for (int i = 0; i < s->contact_count; i++) {
        if (!s->held[i]) {
            continue;
        }
        struct cn_contact *contact = &s->contact[i];
        cn_contact_place(contact, &s->pose[contact->body_a], &s->pose[contact->body_b]);
        unsigned discs = with_across ? sticking_discs(&s->grip[i]) : 0;
        int k = cn_event_append_contact(s, motion, i, discs);
        if (with_across && may_stick(s) && s->grip[i].pressed) {
            s->tag[k] = CN_ROW_BILATERAL;
        }
        for (int t = k + 1; t < s->row_count; t++) {
            s->tag[t] = CN_ROW_BILATERAL;
        }
    }
    if (s->joint_max == 0) {
        return;
    }
    cn_event_find_joints(s, motion);
    for (int i = 0; i < s->joint_count; i++) {
        if (is_held(s, &s->joint[i])) {
            cn_event_append_joint(s, &s->joint[i]);
        }
    }
}

/*
 * Solves for a correction whose b may be far below 1, the judge's scale.  To a solver such errors
 * would be noise.  So b is scaled to 1, and afterwards b, f and the response are scaled back.
 */
static void
solve_scaled(struct cn_event_scratch *s)
{
    double largest = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        largest = cn_max(largest, fabs(s->b[k]));
    }
    if (!(largest > 0.0)) {
        return;
    }
    for (int k = 0; k < s->row_count; k++) {
        s->b[k] /= largest;
    }
    cn_event_solve_drift(s);
    for (int k = 0; k < s->row_count; k++) {
        s->b[k] *= largest;
        s->f[k] *= largest;
    }
    for (int i = 0; i < s->model->body_count; i++) {
        s->response[i].linear = cn_vec3_scale(s->response[i].linear, largest);
        s->response[i].angular = cn_vec3_scale(s->response[i].angular, largest);
    }
}

/* How far a correction moves any point of a body [m], or changes its velocity [m/s]. */
static double
change_of(const struct cn_event_scratch *s, int body)
{
    const struct cn_twist *by = &s->response[body];
    return cn_vec3_length(by->linear) +
           s->model->body[body].reach * cn_vec3_length(by->angular);
}

/* The largest change that may correct an error; errors up to `small` are those of integration. */
static double
change_allowed(double error, int row_count, double small)
{
    return (MOVE_BASE + row_count) * cn_min(error, small) + MOVE_DEEP * error;
}

/* The island of a row, of which at least one body can move; -1: none can. */
static int
join_row(struct cn_event_scratch *s, const struct cn_row *row)
{
    const int body[2] = {row->body_a, row->body_b};
    int island = -1;
    for (int side = 0; side < 2; side++) {
        if (body[side] >= 0 && s->model->body[body[side]].mass_inverse > 0.0) {
            int root = cn_union_root(s->drift_parent, body[side]);
            island = island >= 0 ? island : root;
            s->drift_parent[root] = island;
        }
    }
    return island;
}

static void
find_drift_islands(struct cn_event_scratch *s)
{
    for (int i = 0; i < s->model->body_count; i++) {
        s->drift[i] = (struct cn_drift_island){0};
        s->drift_parent[i] = i;
    }
    for (int k = 0; k < s->row_count; k++) {
        (void)join_row(s, &s->row[k]);
    }
    for (int k = 0; k < s->row_count; k++) {
        int island = join_row(s, &s->row[k]);
        if (island >= 0) {
            s->drift[island].row_count++;
            s->drift[island].error = cn_max(s->drift[island].error, fabs(s->b[k]));
        }
    }
    for (int i = 0; i < s->model->body_count; i++) {
        int island = cn_union_root(s->drift_parent, i);
        s->drift[island].change = cn_max(s->drift[island].change, change_of(s, i));
    }
}

/*
 * Leaves the velocities of islands as they are whose correction would be too large.  A body that
 * touches another at two places that are very near would have to stop turning for a rate that is
 * almost zero.  If such a rate grows it becomes an impact, which is solved and reported as one.
 */
static void
drop_large_changes(struct cn_event_scratch *s)
{
    find_drift_islands(s);
    for (int i = 0; i < s->model->body_count; i++) {
        const struct cn_drift_island *island = &s->drift[cn_union_root(s->drift_parent, i)];
        if (!(island->change <= change_allowed(island->error, island->row_count,
                                    s->model->velocity_tolerance))) {
            s->response[i] = (struct cn_twist){0};
        }
    }
}

static void
correct_velocities(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    double rate_min = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        double rate = cn_event_row_rate(s, model->motion, k);
        s->b[k] = rate;
        s->f[k] = 0.0;
        rate_min = cn_min(rate_min, s->tag[k] == CN_ROW_BILATERAL ? -fabs(rate) : rate);
    }
    if (rate_min >= -LEFT_FRACTION * model->velocity_tolerance) {
        return;
    }
    solve_scaled(s);
    if (!(s->note.residual <= SOLVED_RESIDUAL)) {
        return; /* the rates are small, but a wrong impulse may be large */
    }
    cn_event_take_gain(s, s->b); /* a solver that stopped short may gain */
    drop_large_changes(s);
    cn_event_push(s);
}

/* The change that row k's gap needs; 0 if the gap is right. */
static double
gap_lack(const struct cn_event_scratch *s, int k)
{
    const struct cn_joint_row *joint = cn_event_joint_of(s, k);
    CN_ASSERT((joint == NULL) == (s->source[k].contact >= 0));
    if (s->tag[k] == CN_ROW_BILATERAL) {
        CN_ASSERT(joint != NULL); /* contacts are bilateral only where velocities are corrected */
        return -joint->gap;
    }
    double gap = joint == NULL ? s->contact[s->source[k].contact].gap : joint->gap;
    return RIDE_FRACTION * s->model->gap_tolerance - gap;
}

/*
 * Applies a correction to a body.  A correction beyond the bounds is not applied: the place to
 * which a runaway body is put back stays valid.
 */
static void
correct_position(struct cn_model *model, int body, const struct cn_twist *by)
{
    struct cn_motion motion = model->motion[body];
    motion.position = cn_vec3_add(motion.position, by->linear);
    if (model->settings.dimension == CN_PLANAR) {
        motion.angle += by->angular.z;
        motion.orientation = cn_quat_about_z(motion.angle);
    } else {
        motion.orientation = cn_quat_turn_by(motion.orientation, by->angular);
    }
    if (cn_motion_is_bounded(&motion)) {
        model->motion[body] = motion;
    }
}

/*
 * Limits the moves.  Bodies that wedge each other can close a gap only by a long move.  Errors of
 * integration are small, so their corrections must be small too.
 */
static void
shorten_moves(struct cn_event_scratch *s)
{
    double error = 0.0, move = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        error = cn_max(error, fabs(s->b[k]));
    }
    for (int i = 0; i < s->model->body_count; i++) {
        move = cn_max(move, change_of(s, i));
    }
    double most = change_allowed(error, s->row_count, s->model->gap_tolerance);
    double part = move > most ? most / move : 1.0;
    for (int i = 0; i < s->model->body_count && part < 1.0; i++) {
        s->response[i].linear = cn_vec3_scale(s->response[i].linear, part);
        s->response[i].angular = cn_vec3_scale(s->response[i].angular, part);
    }
}

/*
 * A correction takes at most the energy that the piece has lost, and lifts bodies by half of the
 * gap tolerance in a tick.  Overlaps deeper than DEEP part whatever that lifts: bodies that overlap
 * when the world begins.
 */
static void
limit_lift(struct cn_event_scratch *s, double lack_max, double duration)
{
    const struct cn_model *model = s->model;
    if (s->joint_max > 0 || lack_max > DEEP * model->gap_tolerance) {
        return;
    }
    double lift = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        lift -= cn_vec3_dot(s->wrench[i].force, s->response[i].linear) +
                cn_vec3_dot(s->wrench[i].torque, s->response[i].angular);
    }
    double most = cn_max(s->lost, 0.0) + cn_event_lift_allowed(s, duration);
    double part = lift > most ? most / lift : 1.0;
    for (int i = 0; i < model->body_count && part < 1.0; i++) {
        s->response[i].linear = cn_vec3_scale(s->response[i].linear, part);
        s->response[i].angular = cn_vec3_scale(s->response[i].angular, part);
    }
}

/* One correction of positions; true if gaps of joints were wrong before it. */
static bool
correct_positions(struct cn_event_scratch *s, double duration)
{
    struct cn_model *model = s->model;
    double tolerance = model->gap_tolerance, lack_max = 0.0;
    double push = PUSH_RATE * model->length_min * duration;
    bool joints_off = false;
    for (int k = 0; k < s->row_count; k++) {
        double lack = gap_lack(s, k);
        bool bilateral = s->tag[k] == CN_ROW_BILATERAL;
        double most = lack > tolerance ? cn_min(lack, push) : lack;
        s->b[k] = -(bilateral && lack < -tolerance ? cn_max(lack, -push) : most);
        s->f[k] = 0.0;
        lack_max = cn_max(lack_max, bilateral ? fabs(lack) : lack);
        joints_off = joints_off || (bilateral && fabs(lack) > LEFT_FRACTION * tolerance);
    }
    if (lack_max <= LEFT_FRACTION * tolerance) {
        return false;
    }
    solve_scaled(s);
    shorten_moves(s);
    limit_lift(s, lack_max, duration);
    for (int i = 0; i < model->body_count; i++) {
        correct_position(model, i, &s->response[i]);
    }
    return joints_off;
}

/*
 * Whether the largest gap of a joint is beyond the tolerance.  Such a gap is closed over many
 * steps, not here.
 */
static bool
is_torn(const struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        if (s->tag[k] == CN_ROW_BILATERAL &&
            fabs(gap_lack(s, k)) > s->model->gap_tolerance) {
            return true;
        }
    }
    return false;
}

static void
correct_joints(struct cn_event_scratch *s, double duration)
{
    place_rows(s, false);
    for (int round = 0; round < ROUNDS_MAX && correct_positions(s, duration); round++) {
        place_rows(s, false);
        if (is_torn(s)) {
            return;
        }
    }
}

void
cn_event_correct_drift(struct cn_event_scratch *s, double duration)
{
    if (s->row_count == 0) {
        return;
    }
    CN_ASSERT(!s->looks && s->row_count <= s->row_max);
    find_sticking(s);
    if (s->joint_max > 0) {
        correct_joints(s, duration);
    }
    double kinetic = cn_event_kinetic(s->model, s->model->motion);
    place_rows(s, true);
    correct_velocities(s);
    if (s->joint_max == 0) {
        place_rows(s, false);
        s->lost -= cn_event_kinetic(s->model, s->model->motion) - kinetic;
        correct_positions(s, duration);
    }
}
