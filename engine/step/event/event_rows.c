/*
 * event_rows.c: chooses the rows of the problem, and places them.
 *
 * Rows are chosen once for a piece and moved with the bodies in every evaluation.  Impacts and
 * drift make problems of their own from the same parts.
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stddef.h>

void
cn_event_place(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    const struct cn_model *model = s->model;
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_body *body = &model->body[i];
        s->pose[i] = cn_motion_pose(&motion[i], model->settings.dimension);
        s->mass[i].linear = body->mass_inverse;
        s->mass[i].angular = body->inertia_inverse;
        if (model->settings.dimension == CN_SPATIAL && body->mass_inverse > 0.0) {
            s->mass[i].angular = cn_mat33_turn(&s->pose[i].rotation, &body->inertia_inverse);
        }
    }
}

/* ---- parts ---- */

/* The first part of each disc. */
static const int first_part[CN_DISC_COUNT] = {1, 3, 5};

static const enum cn_row_tag disc_tag[CN_DISC_COUNT] = {
    CN_ROW_TANGENT, CN_ROW_ROLLING, CN_ROW_SPINNING};

/* The rows that a disc of contact i has: 0 to 2. */
static int
rows_of_disc(const struct cn_event_scratch *s, int i, enum cn_disc disc)
{
    if (!(s->grip[i].hold[disc].resting > 0.0)) {
        return 0;
    }
    switch (disc) {
    case CN_DISC_TANGENT:
        return s->tangent_count;
    case CN_DISC_ROLLING:
        return s->moment_count < 2 ? s->moment_count : 2;
    case CN_DISC_SPINNING:
        break;
    }
    return s->moment_count > 2 ? 1 : 0;
}

/* Places the rows of the discs of the contact whose normal row is k. */
static void
place_discs(struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    struct cn_row across[2], moment[3];
    cn_vec3 directions[2];
    int i = s->source[k].contact, count = 0, moments = 0;
    const struct cn_contact *contact = &s->contact[i];
    for (int t = k + 1; t < s->row_count && s->source[t].contact == i; t++) {
        int part = s->source[t].part;
        CN_ASSERT(part >= 1 && part < CN_ROWS_PER_CONTACT);
        if (part < first_part[CN_DISC_ROLLING]) {
            if (count == 0) {
                count = cn_contact_tangent_rows(
                    s->model, motion, s->pose, contact, across, directions);
            }
            CN_ASSERT(part <= count && count == s->tangent_count);
            s->row[t] = across[part - 1];
            s->across[t] = directions[part - 1];
            continue;
        }
        if (moments == 0) {
            moments = cn_contact_moment_rows(s->model, contact, moment);
        }
        int axis = part - first_part[CN_DISC_ROLLING];
        CN_ASSERT(axis < moments && moments == s->moment_count);
        s->row[t] = moment[axis];
        s->across[t] = moment[axis].angular_b;
    }
}

int
cn_event_append_contact(
    struct cn_event_scratch *s, const struct cn_motion *motion, int i, unsigned discs)
{
    CN_ASSERT(i >= 0 && i < s->contact_count);
    int first = s->row_count++;
    CN_ASSERT(first < s->row_max);
    s->source[first] = (struct cn_row_source){.contact = i};
    s->tag[first] = CN_ROW_NORMAL;
    s->f[first] = s->lower[first] = s->upper[first] = s->slip[first] = s->mu[first] = 0.0;
    cn_contact_row(s->model, motion, s->pose, &s->contact[i], &s->row[first]);
    for (int disc = 0; disc < CN_DISC_COUNT; disc++) {
        bool wanted = discs >> disc & 1U;
        int count = wanted ? rows_of_disc(s, i, (enum cn_disc)disc) : 0;
        double limit = s->grip[i].hold[disc].resting;
        s->mu[first] = disc == CN_DISC_TANGENT && count > 0 ? limit : s->mu[first];
        for (int part = 0; part < count; part++) {
            int k = s->row_count++;
            CN_ASSERT(k < s->row_max);
            s->source[k] =
                (struct cn_row_source){.contact = i, .part = first_part[disc] + part};
            s->tag[k] = (unsigned char)disc_tag[disc];
            s->f[k] = s->lower[k] = s->upper[k] = s->slip[k] = 0.0;
            s->mu[k] = disc != CN_DISC_TANGENT && part == 0 ? limit : 0.0;
        }
    }
    place_discs(s, motion, first);
    return first;
}

static void
set_joint_row(struct cn_event_scratch *s, int k, const struct cn_joint_row *joint)
{
    s->row[k] = joint->row;
    s->lower[k] = joint->lower;
    s->upper[k] = joint->upper;
}

int
cn_event_append_joint(struct cn_event_scratch *s, const struct cn_joint_row *joint)
{
    int k = s->row_count++;
    CN_ASSERT(k < s->row_max);
    s->source[k] = (struct cn_row_source){.contact = -1, .joint = joint->id};
    s->tag[k] = (unsigned char)joint->tag;
    s->f[k] = s->mu[k] = s->slip[k] = 0.0;
    set_joint_row(s, k, joint);
    return k;
}

void
cn_event_find_joints(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    s->joint_count = cn_joint_rows(s->model, motion, s->pose, s->joint);
    CN_ASSERT(s->joint_count <= s->joint_max);
}

void
cn_event_follow_joints(struct cn_event_scratch *s)
{
    if (s->joint_max > 0) {
        cn_event_place(s, s->model->motion);
        cn_joint_follow(s->model, s->pose);
    }
}

/* The entry of joint[] for row k; NULL if the joint has none at present (no direction). */
static const struct cn_joint_row *
joint_of(const struct cn_event_scratch *s, int k)
{
    int low = 0, high = s->joint_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->joint[middle].id < s->source[k].joint) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < s->joint_count && s->joint[low].id == s->source[k].joint;
    return found ? &s->joint[low] : NULL;
}

const struct cn_joint_row *
cn_event_joint_of(const struct cn_event_scratch *s, int k)
{
    return s->source[k].contact < 0 ? joint_of(s, k) : NULL;
}

void
cn_event_move_rows(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    if (s->joint_max > 0) {
        cn_event_find_joints(s, motion);
    }
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact < 0) {
            const struct cn_joint_row *joint = joint_of(s, k);
            if (joint != NULL) {
                set_joint_row(s, k, joint);
            }
        } else if (s->source[k].part == 0) {
            struct cn_contact *contact = &s->contact[s->source[k].contact];
            cn_contact_place(contact, &s->pose[contact->body_a], &s->pose[contact->body_b]);
            cn_contact_row(s->model, motion, s->pose, contact, &s->row[k]);
            place_discs(s, motion, k);
        }
    }
}

bool
cn_event_find_disc(const struct cn_event_scratch *s, int k, struct cn_disc_rows *rows)
{
    const struct cn_row_source *source = &s->source[k];
    if (source->contact < 0 || source->part == 0) {
        return false;
    }
    for (int disc = 0; disc < CN_DISC_COUNT; disc++) {
        if (source->part == first_part[disc]) {
            struct cn_grip *grip = &s->grip[source->contact];
            *rows = (struct cn_disc_rows){.first = k,
                .normal = k - 1,
                .count = rows_of_disc(s, source->contact, (enum cn_disc)disc),
                .disc = (enum cn_disc)disc,
                .hold = &grip->hold[disc],
                .width = disc == CN_DISC_TANGENT ? 1.0 : grip->width};
            while (s->source[rows->normal].part > 0) {
                rows->normal--;
            }
            CN_ASSERT(rows->normal >= 0 && k + rows->count <= s->row_count);
            return true;
        }
    }
    return false;
}

double
cn_event_row_rate(const struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    if (s->source[k].contact >= 0) {
        return cn_contact_rate(motion, &s->contact[s->source[k].contact], &s->row[k]);
    }
    const struct cn_joint_row *joint = joint_of(s, k);
    return joint == NULL ? 0.0 : joint->rate;
}

/* ---- the rows that hold ---- */

static void
choose_contacts(struct cn_event_scratch *s)
{
    const struct cn_model *model = s->model;
    double rest = cn_model_velocity_rest(model);
    for (int i = 0; i < s->contact_count; i++) {
        struct cn_row row;
        cn_contact_row(model, model->motion, s->pose, &s->contact[i], &row);
        double rate = cn_contact_rate(model->motion, &s->contact[i], &row);
        s->held[i] = rate <= model->velocity_tolerance;
        s->rising[i] = !s->held[i] && rate <= rest;
        if (!s->held[i]) {
            continue;
        }
        int k = cn_event_append_contact(s, model->motion, i, CN_DISCS_ALL);
        struct cn_warm_start warm = cn_memory_warm(model, cn_contact_id(&s->contact[i]));
        s->f[k] = warm.force; /* moments start from 0: warm starts have forces only */
        for (int t = k + 1; t < s->row_count && s->tag[t] == CN_ROW_TANGENT; t++) {
            s->f[t] = warm.across[t - k - 1];
        }
    }
}

/*
 * Whether a limit touches: its gap is within the tolerance, like a contact's; in radians for an
 * angle.
 */
static bool
limit_touches(const struct cn_event_scratch *s, const struct cn_joint_row *joint)
{
    return joint->tag == CN_ROW_NORMAL && joint->gap <= s->model->gap_tolerance;
}

static void
choose_joints(struct cn_event_scratch *s)
{
    const struct cn_model *model = s->model;
    s->stop_count = 0;
    if (s->joint_max == 0) {
        return;
    }
    cn_event_find_joints(s, model->motion);
    for (int i = 0; i < s->joint_count; i++) {
        const struct cn_joint_row *joint = &s->joint[i];
        CN_ASSERT(i == 0 || s->joint[i - 1].id < joint->id); /* so stop[] ascends, too */
        bool limit = joint->tag == CN_ROW_NORMAL, touches = limit_touches(s, joint);
        if (!limit || (touches && joint->rate <= model->velocity_tolerance)) {
            int k = cn_event_append_joint(s, joint);
            s->f[k] = *cn_joint_force(model, joint->id);
        } else {
            double below = LEVEL_FRACTION * model->length_min;
            double level = touches ? joint->gap - below : 0.0;
            CN_ASSERT(s->stop_count < s->joint_max);
            s->stop[s->stop_count++] = (struct cn_joint_stop){.id = joint->id, .level = level};
        }
    }
}

cn_vec3
cn_event_slip_velocity(const struct cn_event_scratch *s, const struct cn_motion *motion,
    const struct cn_disc_rows *rows)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int t = rows->first; t < rows->first + rows->count; t++) {
        sum = cn_vec3_add_scaled(sum, cn_event_row_rate(s, motion, t), s->across[t]);
    }
    return sum;
}

/* Decides at the chosen rows which discs slide and which rest. */
static void
choose_slip(struct cn_event_scratch *s)
{
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        struct cn_hold *hold = rows.hold;
        cn_vec3 u = cn_event_slip_velocity(s, s->model->motion, &rows);
        double speed = cn_vec3_length(u);
        bool fast = speed * rows.width > s->model->velocity_tolerance;
        hold->slip = fast ? cn_vec3_scale(u, 1.0 / speed) : (cn_vec3){0.0, 0.0, 0.0};
        hold->slip_level = 0.0;
        hold->pinned = false;
    }
}

void
cn_event_choose_rows(struct cn_event_scratch *s)
{
    s->row_count = 0;
    choose_contacts(s);
    choose_joints(s);
    if (cn_event_has_discs(s)) {
        choose_slip(s);
    }
}

double
cn_event_stop_clearance(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    double clearance = HUGE_VAL;
    if (s->stop_count == 0) {
        return clearance;
    }
    cn_event_find_joints(s, motion);
    int next = 0;
    for (int k = 0; k < s->stop_count; k++) {
        while (next < s->joint_count && s->joint[next].id < s->stop[k].id) {
            next++;
        }
        if (next < s->joint_count && s->joint[next].id == s->stop[k].id) {
            double way = s->joint[next].gap - s->stop[k].level;
            clearance = way < clearance ? way : clearance;
        }
    }
    return clearance;
}

static void
keep_joint_forces(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    for (int i = 0; i < model->joint_count; i++) {
        for (int part = 0; part < CN_JOINT_PARTS; part++) {
            model->joint_state[i].force[part] = 0.0;
        }
    }
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact < 0) {
            *cn_joint_force(model, s->source[k].joint) = s->f[k];
        }
    }
}

void
cn_event_keep_forces(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    CN_ASSERT(!s->looks);
    cn_memory_forget(model);
    for (int k = 0; k < s->row_count; k++) {
        if (s->source[k].contact < 0 || s->source[k].part != 0) {
            continue;
        }
        struct cn_warm_start entry = {
            .id = cn_contact_id(&s->contact[s->source[k].contact]), .force = s->f[k]};
        for (int t = k + 1; t < s->row_count && s->tag[t] == CN_ROW_TANGENT; t++) {
            entry.across[t - k - 1] = s->f[t];
        }
        cn_memory_keep(model, entry);
    }
    if (s->joint_max > 0) {
        keep_joint_forces(s);
    }
}
