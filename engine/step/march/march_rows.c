/* march_rows.c: states the problem of a piece, solves it, and keeps its forces. */
#include "engine/step/march/march.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Operations for the budget: per row, besides the solver's. */
#define WORK_PER_ROW 200

/* The offset that is added to a row's rate at the start. */
struct offset {
    double plastic; /* without restitution and without corrections of lengths */
    double whole;
};

/* Appends a row whose rate at the start is `rate`, with an offset on top. */
static int
add_row(struct cn_march *m, const struct cn_row *row, enum cn_row_tag tag, double rate,
    struct offset offset, double impulse)
{
    int k = m->row_count++;
    CN_ASSERT(k < m->row_max);
    double forced = rate + cn_row_rate(row, m->gain);
    m->row[k] = *row;
    m->tag[k] = (unsigned char)tag;
    m->start[k] = rate;
    m->plastic[k] = forced + offset.plastic;
    m->b[k] = forced + offset.whole;
    m->f[k] = impulse;
    m->lower[k] = m->upper[k] = m->friction[k] = 0.0;
    return k;
}

static double
whole_offset(const struct cn_march *m, const struct cn_march_rule *rule,
    const struct cn_joint_row *joint, double plastic)
{
    if (rule->joint_pull != NULL) {
        return rule->joint_pull(m, joint, plastic);
    }
    return rule->joint_bounce != NULL ? rule->joint_bounce(m, joint, plastic) : plastic;
}

static void
add_joints(struct cn_march *m, const struct cn_march_rule *rule)
{
    m->pulls = rule->joint_pull != NULL;
    m->joint_count = cn_joint_rows(m->model, m->model->motion, m->pose, m->joint);
    CN_ASSERT(m->row_count == 0 && m->joint_count <= m->joint_max); /* joint row k is row k */
    for (int i = 0; i < m->joint_count; i++) {
        const struct cn_joint_row *joint = &m->joint[i];
        double plastic = rule->joint_offset(m, joint);
        struct offset offset = {plastic, whole_offset(m, rule, joint, plastic)};
        int k = add_row(m, &joint->row, joint->tag, joint->rate, offset,
            m->h * *cn_joint_force(m->model, joint->id));
        m->lower[k] = m->h * joint->lower;
        m->upper[k] = m->h * joint->upper;
    }
}

/* The rate of a contact's row, with bodies that can not move: the row has no member for these. */
static double
rate_of(const struct cn_march *m, const struct cn_contact *contact, const struct cn_row *row)
{
    return cn_contact_rate(m->model->motion, contact, row);
}

/* Adds the tangent rows of contact i behind its normal row, with a warm start if that has one. */
static void
add_friction(struct cn_march *m, int i, const struct cn_warm_start *warm)
{
    const struct cn_contact *contact = &m->contact[i];
    double sliding, resting;
    cn_model_friction(m->model, contact->shape_a, contact->shape_b, &sliding, &resting);
    if (cn_max(sliding, resting) <= 0.0 || !m->solver->friction) {
        return;
    }
    struct cn_row rows[2];
    int count = cn_contact_tangent_rows(
        m->model, m->model->motion, m->pose, contact, rows, &m->tangent[2 * i]);
    double speed = 0.0;
    for (int t = 0; t < count; t++) {
        double rate = rate_of(m, contact, &rows[t]);
        speed += rate * rate;
        struct offset none = {0.0, 0.0};
        (void)add_row(m, &rows[t], CN_ROW_TANGENT, rate, none, m->h * warm->across[t]);
    }
    bool slides = sqrt(speed) > m->model->velocity_tolerance;
    m->friction[m->contact_row[i]] = slides ? sliding : resting;
}

/*
 * Adds the rows of contact i's moments behind its other rows.  They start from no moment: warm
 * starts are part of a world's state, and have forces only.
 */
static void
add_moments(struct cn_march *m, int i)
{
    const struct cn_contact *contact = &m->contact[i];
    double rolling, spinning;
    cn_model_moments(m->model, contact->shape_a, contact->shape_b, &rolling, &spinning);
    if (cn_max(rolling, spinning) <= 0.0 || !m->solver->rolling) {
        return;
    }
    struct cn_row rows[3];
    struct offset none = {0.0, 0.0};
    int count = cn_contact_moment_rows(m->model, contact, rows);
    for (int k = 0; k < count; k++) {
        bool spins = k == 2;
        double length = spins ? spinning : rolling;
        if (length <= 0.0) {
            continue;
        }
        int row = add_row(m, &rows[k], spins ? CN_ROW_SPINNING : CN_ROW_ROLLING,
            rate_of(m, contact, &rows[k]), none, 0.0);
        m->friction[row] = length;
    }
}

void
cn_march_rows(struct cn_march *m, const struct cn_march_rule *rule)
{
    CN_ASSERT(m->contact_count <= m->model->contact_max);
    m->row_count = 0;
    add_joints(m, rule);
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *contact = &m->contact[i];
        struct cn_row row;
        cn_contact_row(m->model, m->model->motion, m->pose, contact, &row);
        m->rate[i] = rate_of(m, contact, &row);
        cn_work_spend(3 * WORK_PER_ROW);
        m->hit[i] = false;
        double plastic = rule->contact_offset(m, i);
        struct offset offset = {plastic,
            rule->contact_bounce != NULL ? rule->contact_bounce(m, i, plastic) : plastic};
        struct cn_warm_start warm = cn_memory_warm(m->model, cn_contact_id(contact));
        m->contact_row[i] =
            add_row(m, &row, CN_ROW_NORMAL, m->rate[i], offset, m->h * warm.force);
        add_friction(m, i, &warm);
        add_moments(m, i);
    }
    *m->work += (int64_t)WORK_PER_ROW * m->row_count;
}

int
cn_march_tangents_behind(const struct cn_march *m, int k)
{
    CN_ASSERT(k >= m->joint_count && k < m->row_count && m->tag[k] == CN_ROW_NORMAL);
    int count = 0;
    while (count < 2 && k + 1 + count < m->row_count && m->tag[k + 1 + count] == CN_ROW_TANGENT) {
        count++;
    }
    return count;
}

struct cn_contact_problem
cn_march_problem(const struct cn_march *m)
{
    return (struct cn_contact_problem){
        .row_count = m->row_count,
        .body_count = m->model->body_count,
        .rows = m->row,
        .mass = m->mass,
        .b = m->b,
        .tag = m->tag,
        .lower = m->lower,
        .upper = m->upper,
        .friction = m->friction,
    };
}

/* Coulomb's problem has a solution where nothing slides already, unless walls close in. */
static bool
has_friction(const struct cn_march *m)
{
    for (int k = 0; k < m->row_count; k++) {
        if (cn_row_follows((enum cn_row_tag)m->tag[k])) {
            return true;
        }
    }
    return false;
}

void
cn_march_solve(struct cn_march *m)
{
    struct cn_contact_problem problem = cn_march_problem(m);
    cn_work_spend((int64_t)WORK_PER_ROW * m->row_count / 4);
    struct cn_answer_wish wish = {.minimum_norm = m->model->settings.minimum_norm,
        .enough = CN_ANSWER_ENOUGH,
        .has_solution = has_friction(m),
        .cheap = cn_march_is_spent(m),
        .work_max = cn_march_solve_work(m)};
    m->note = cn_answer_find(m->looks ? NULL : m->model, m->solver, &problem, &wish,
        m->solver_scratch, m->f, m->work);
    cn_problem_accelerate(&problem, m->f, m->response);
    cn_work_spend((int64_t)WORK_PER_ROW * m->row_count / 4);
}

/* Reports the bodies that closing walls separate least. */
static void
note_squeezed(struct cn_march *m)
{
    int worst = -1;
    double rate_min = HUGE_VAL;
    for (int i = 0; i < m->contact_count; i++) {
        int k = m->contact_row[i];
        double rate = m->b[k] + cn_row_rate(&m->row[k], m->response);
        if (rate < rate_min) {
            rate_min = rate;
            worst = i;
        }
    }
    int body_a = worst >= 0 ? m->contact[worst].body_a : -1;
    int body_b = worst >= 0 ? m->contact[worst].body_b : -1;
    cn_model_event(m->model, CN_EVENT_SQUEEZED, body_a, body_b, m->note.residual);
}

static void
keep_warm(struct cn_march *m)
{
    struct cn_model *model = m->model;
    cn_memory_forget(model);
    for (int i = 0; i < m->contact_count; i++) {
        int k = m->contact_row[i];
        struct cn_warm_start entry = {
            .id = cn_contact_id(&m->contact[i]), .force = m->f[k] / m->h};
        for (int t = 0; t < cn_march_tangents_behind(m, k); t++) {
            entry.across[t] = m->f[k + 1 + t] / m->h;
        }
        cn_memory_keep(model, entry);
    }
    for (int k = 0; k < m->joint_count; k++) {
        *cn_joint_force(model, m->joint[k].id) = m->f[k] / m->h;
    }
}

/* Whether a body's velocity changes by more than twice the change that its forces make. */
static bool
body_jumps(const struct cn_march *m, int i)
{
    const struct cn_twist *gain = &m->gain[i], *response = &m->response[i];
    double reach = m->model->body[i].reach;
    double forced = cn_vec3_length(gain->linear) + reach * cn_vec3_length(gain->angular);
    return cn_vec3_length(response->linear) + reach * cn_vec3_length(response->angular) >
           2.0 * forced;
}

/*
 * Whether impulses do more than support bodies.  This is for the coarse rest of a tick of a stepper
 * that reports forces between ticks; then all impulses are reported.
 */
static bool
is_jump(const struct cn_march *m)
{
    for (int i = 0; i < m->model->body_count && m->model->clock.coarse; i++) {
        if (body_jumps(m, i)) {
            return true;
        }
    }
    return false;
}

/*
 * Reports the pairs of shapes that meet within the piece, at the speed before its impulses.  A pair
 * that had a force in the last piece has met before: the gap that was left closes now.
 */
static void
tell_hits(const struct cn_march *m)
{
    for (int i = 0; i < m->contact_count;) {
        const struct cn_contact *first = &m->contact[i];
        double least = cn_shape_hit_min(
            &m->model->shape[first->shape_a], &m->model->shape[first->shape_b]);
        double speed = 0.0;
        bool again = false;
        for (; i < m->contact_count && cn_contact_same_pair(&m->contact[i], first); i++) {
            if (!isfinite(least)) {
                continue;
            }
            again = again || cn_memory_warm(m->model, cn_contact_id(&m->contact[i])).force > 0.0;
            bool met = m->f[m->contact_row[i]] > 0.0 &&
                       m->contact[i].gap + m->h * m->rate[i] <= m->model->gap_tolerance;
            speed = met ? cn_max(speed, -m->rate[i]) : speed;
        }
        if (speed > least && !again) {
            cn_model_event(
                m->model, CN_EVENT_CONTACT_HIT, first->body_a, first->body_b, speed);
        }
    }
}

void
cn_march_keep(struct cn_march *m)
{
    CN_ASSERT(!m->looks);
    tell_hits(m);
    keep_warm(m);
    bool jump = is_jump(m);
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *contact = &m->contact[i];
        double impulse = m->f[m->contact_row[i]];
        if (impulse > 0.0 && (m->hit[i] || jump)) {
            cn_memory_add_impulse(m->model, contact, impulse);
        }
        if (impulse > 0.0 && m->hit[i]) {
            m->model->clock.impacts++;
            cn_model_event(
                m->model, CN_EVENT_IMPACT, contact->body_a, contact->body_b, impulse);
        }
    }
    if (m->note.outcome == CN_SOLVE_INFEASIBLE) {
        note_squeezed(m);
    }
}
