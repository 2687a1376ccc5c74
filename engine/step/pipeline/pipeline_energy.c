/*
 * pipeline_energy.c: impulses of contacts and joints give no energy to an island of bodies.
 *
 * Impulses that stop rows that approach take energy away.  In a tick two things add some:
 *
 *   warm start   W, the change of the velocities v by the impulses of the substep before.  If these
 *                are forces that last, v + W violates fewer rows than v does, and v . W + W . W / 2
 *                < 0 (norm of M).  The impulse of an impact does not last, nor does that of a light
 *                body which a heavy one pressed against another.  Then W adds W . W / 2, and one
 *                pass in a substep does not take that back where masses differ by 1e3 and more.
 *   restitution  one contact bounces after the other.  Newton's v+ = -e v- at all of them can take
 *                more energy than the impact had (Kane).
 *
 * So after the substeps the energies of each island are compared: kinetic before, E, and after, E',
 * and the work A of gravity.  An island may gain
 *
 *     E' - E - A <= GAIN (E + E') + m g T PUSH_SPEED
 *
 * for rounding, the first order of the step, and overlaps that are pushed out.  If an island gains
 * more, its tick is solved again without a warm start: in each substep its rows start from no
 * impulse.  Bodies keep the largest part of restitution for which the energy does not grow.  If the
 * energy still grows, because overlaps or joints that are torn apart are corrected in a few passes,
 * the velocities within the island are reduced: against its rigid motion, which has its momenta;
 * or, if a fixed body holds or bears it, against rest.  Velocities that satisfy J v >= 0 still do.
 *
 * Bodies of other islands keep what they have, to the bit.  Islands on which something else does
 * work are left alone: motors, springs, drags, held and constant forces, belts, kinematic bodies
 * that move, and gravity between bodies.
 *
 * Cost: islands are found only if a body has more energy than an island may gain for it.  Energies
 * are computed in double only if this also holds for the sum of an island.
 *
 * Departure: none of the models bounds the energy.  Source of the bound: Kane and Levinson,
 * Dynamics, 1985, on restitution with friction; step/march/march_energy.c and
 * step/propagation/propagation_energy.c bound the impulses of the other steppers.
 */
#include "engine/step/pipeline/pipeline_energy.h"

#include "engine/base/assert.h"
#include "engine/base/union_find.h"
#include "engine/step/pipeline/sleep.h"

#include <math.h>
#include <string.h>

#define BODY_GRAIN 256 /* bodies that one worker takes at once */
#define EXCUSED 1e30F  /* J */

bool
cn_pipeline_begin_energy(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    int chunks = p->awake_count / BODY_GRAIN + 1;
    struct cn_pipeline_energy *energy = CN_PIPELINE_TAKE(t, struct cn_pipeline_energy, 1);
    uint8_t *rose = CN_PIPELINE_TAKE(t, uint8_t, chunks);
    float *excess = CN_PIPELINE_TAKE(t, float, p->awake_count);
    double *sum = CN_PIPELINE_TAKE(t, double, p->awake_count);
    int32_t *parent = CN_PIPELINE_TAKE(t, int32_t, p->awake_count);
    struct cn_pipeline_island *island =
        CN_PIPELINE_TAKE(t, struct cn_pipeline_island, p->awake_count);
    void *body = cn_pipeline_take(t, (size_t)p->awake_count * p->ops->body_size);
    struct cn_joint_state *joint =
        CN_PIPELINE_TAKE(t, struct cn_joint_state, p->model->joint_count);
    if (joint == NULL || body == NULL || island == NULL || excess == NULL || energy == NULL) {
        return false;
    }
    *energy = (struct cn_pipeline_energy){.excess = excess,
        .sum = sum,
        .rose = rose,
        .parent = parent,
        .island = island,
        .body = body,
        .joint = joint};
    memset(rose, 0, (size_t)chunks);
    t->energy = energy;
    return true;
}

/* ---- islands ---- */

struct cn_pipeline_island *
cn_pipeline_island_of(struct cn_pipeline_tick *t, int k)
{
    return &t->energy->island[cn_union_root(t->energy->parent, k)];
}

/* Whether a name is that of a kinematic body that moves. */
static bool
is_driver(const struct cn_pipeline *p, int32_t name)
{
    CN_ASSERT(cn_impulse_index(name) < p->awake_count);
    return name < 0 && name != CN_IMPULSE_FIXED &&
           !cn_sleep_stands(&p->model->motion[p->awake[cn_impulse_index(name)]]);
}

/* Joins the bodies of two names, and notes in their island what else acts there. */
static void
join(struct cn_pipeline_tick *t, int32_t name_a, int32_t name_b, bool works)
{
    const struct cn_pipeline *p = t->p;
    const int32_t name[2] = {name_a, name_b};
    int32_t root[2] = {-1, -1};
    bool stands = false;
    for (int side = 0; side < 2; side++) {
        if (name[side] >= 0) {
            root[side] = cn_union_root(t->energy->parent, name[side]);
        }
        stands = stands || name[side] < 0;
        works = works || is_driver(p, name[side]);
    }
    int32_t into = root[0] < 0 || (root[1] >= 0 && root[1] < root[0]) ? root[1] : root[0];
    for (int side = 0; side < 2 && into >= 0; side++) {
        if (root[side] >= 0) {
            struct cn_pipeline_island *one = &t->energy->island[into];
            const struct cn_pipeline_island *other = &t->energy->island[root[side]];
            one->works = one->works || other->works || works;
            one->stands = one->stands || other->stands || stands;
            t->energy->parent[root[side]] = into;
        }
    }
}

static bool
is_belt(const struct cn_impulse_contact *contact)
{
    const float *surface = contact->surface;
    return surface[0] != 0.0F || surface[1] != 0.0F || surface[2] != 0.0F;
}

static void
join_joints(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (!joint->absent) {
            join(t, cn_pipeline_name_of(t->p, joint->body_a),
                cn_pipeline_name_of(t->p, joint->body_b), joint->has_motor || joint->has_spring);
        }
    }
}

/* Notes the bodies that forces other than gravity act on, and those whose motion is restrained. */
static void
note_forces(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    for (int i = 0; i < t->spring_count; i++) {
        int32_t name[2];
        cn_pipeline_spring_ends(t, i, name);
        join(t, name[0], name[1], true);
    }
    for (int i = 0; i < t->drag_count; i++) {
        join(t, cn_pipeline_drag_end(t, i), CN_IMPULSE_FIXED, true);
    }
    for (int k = 0; k < p->awake_count; k++) {
        const struct cn_wrench *wrench = t->wrench == NULL ? NULL : &t->wrench[p->awake[k]];
        bool forced = wrench != NULL && (cn_vec3_dot(wrench->force, wrench->force) > 0.0 ||
                                            cn_vec3_dot(wrench->torque, wrench->torque) > 0.0);
        struct cn_pipeline_island *island = cn_pipeline_island_of(t, k);
        island->works = island->works || forced;
        island->stands = island->stands || p->model->body[p->awake[k]].locks != 0;
    }
}

static void
find_islands(struct cn_pipeline_tick *t)
{
    for (int k = 0; k < t->p->awake_count; k++) {
        t->energy->parent[k] = k;
        t->energy->island[k] = (struct cn_pipeline_island){.part = 1.0};
    }
    for (int i = 0; i < t->contact_count; i++) {
        const struct cn_impulse_contact *contact = &t->contact[i];
        join(t, contact->body_a, contact->body_b, is_belt(contact));
    }
    join_joints(t);
    note_forces(t);
}

/* ---- energies ---- */

/* The inertia in world axes of a body that has turned by `turn` since the start of the tick. */
cn_mat33
cn_pipeline_inertia_at(const struct cn_pipeline_tick *t, int k, const cn_mat33 *turn)
{
    const struct cn_body *body = cn_pipeline_body_of(t, k);
    if (cn_pipeline_is_planar(t)) {
        return (cn_mat33){.cz = {0.0, 0.0, body->inertia.cz.z}};
    }
    cn_mat33 from = cn_quat_to_mat33(t->p->model->motion[t->p->awake[k]].orientation);
    cn_mat33 whole = turn == NULL ? from : cn_mat33_multiply(turn, &from);
    return cn_mat33_turn(&whole, &body->inertia);
}

/* u . v in the norm of the body's mass. */
double
cn_pipeline_product(
    const struct cn_body *body, const cn_mat33 *inertia, struct cn_twist u, struct cn_twist v)
{
    return body->mass * cn_vec3_dot(u.linear, v.linear) +
           cn_vec3_dot(u.angular, cn_mat33_apply(inertia, v.angular));
}

static void
add_body(struct cn_pipeline_tick *t, int k)
{
    const struct cn_model *model = t->p->model;
    const struct cn_body *body = cn_pipeline_body_of(t, k);
    const struct cn_motion *motion = &model->motion[t->p->awake[k]];
    struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
    struct cn_twist from = {motion->velocity, motion->angular_velocity}, to = {at.v, at.w};
    cn_mat33 first = cn_pipeline_inertia_at(t, k, NULL);
    cn_mat33 last = cn_pipeline_inertia_at(t, k, &at.turn);
    cn_vec3 weight =
        cn_vec3_scale(model->settings.gravity, body->gravity_scale * body->mass);
    struct cn_pipeline_island *island = cn_pipeline_island_of(t, k);
    island->before += 0.5 * cn_pipeline_product(body, &first, from, from);
    island->after += 0.5 * cn_pipeline_product(body, &last, to, to);
    island->work += cn_vec3_dot(weight, at.moved);
    island->weight += cn_vec3_length(weight);
}

void
cn_pipeline_add_energies(struct cn_pipeline_tick *t)
{
    for (int k = 0; k < t->p->awake_count; k++) {
        struct cn_pipeline_island *island = &t->energy->island[k];
        island->before = island->after = island->work = island->weight = 0.0;
    }
    for (int k = 0; k < t->p->awake_count; k++) {
        if (cn_pipeline_body_of(t, k)->mass_inverse > 0.0) {
            add_body(t, k);
        }
    }
}

/* The energy that pushing out may give to an island [J]. */
double
cn_pipeline_pushed(const struct cn_pipeline_tick *t, const struct cn_pipeline_island *island)
{
    return island->weight * (double)t->tick.push_speed * t->duration;
}

bool
cn_pipeline_gains(const struct cn_pipeline_tick *t, const struct cn_pipeline_island *island)
{
    double sum = island->before + island->after;
    return !island->works && isfinite(sum) && isfinite(island->work) &&
           island->after - island->before - island->work >
               (double)CN_IMPULSE_GAIN * sum + cn_pipeline_pushed(t, island);
}

static void
look_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    CN_ASSERT(first % BODY_GRAIN == 0 && end <= t->p->awake_count);
    if (t->p->ops->stages(t->kernel)->gained(&t->job, first, end)) {
        t->energy->rose[first / BODY_GRAIN] = 1;
    }
}

/* ---- the search ---- */

/* A body on which something else does work has no excess, and with it its island has none. */
static void
excuse(struct cn_pipeline_tick *t, int32_t name)
{
    if (name >= 0) {
        t->energy->excess[name] = -EXCUSED;
    }
}

/* Groups the bodies of two names. */
static void
group(struct cn_pipeline_tick *t, int32_t name_a, int32_t name_b, bool works)
{
    if (name_a >= 0 && name_b >= 0) {
        int32_t *parent = t->energy->parent;
        int32_t a = cn_union_root(parent, name_a), b = cn_union_root(parent, name_b);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    if (works || is_driver(t->p, name_a) || is_driver(t->p, name_b)) {
        excuse(t, name_a);
        excuse(t, name_b);
    }
}

/* Whether the excess of a group of bodies is above 0 in sum. */
static bool
sums_to_gain(struct cn_pipeline_tick *t)
{
    double *sum = t->energy->sum;
    bool found = false;
    int count = t->p->awake_count;
    memset(sum, 0, (size_t)count * sizeof(sum[0]));
    for (int k = 0; k < count; k++) {
        sum[cn_union_root(t->energy->parent, k)] += (double)t->energy->excess[k];
    }
    for (int k = 0; k < count; k++) {
        found = found || sum[k] > 0.0;
    }
    return found;
}

/* Whether an island may have gained energy, by the excess of its bodies. */
static bool
may_gain(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    for (int k = 0; k < t->p->awake_count; k++) {
        t->energy->parent[k] = k;
    }
    for (int i = 0; i < t->contact_count; i++) {
        const struct cn_impulse_contact *contact = &t->contact[i];
        group(t, contact->body_a, contact->body_b, is_belt(contact));
    }
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (!joint->absent) {
            group(t, cn_pipeline_name_of(t->p, joint->body_a),
                cn_pipeline_name_of(t->p, joint->body_b), joint->has_motor || joint->has_spring);
        }
    }
    return sums_to_gain(t);
}

bool
cn_pipeline_gained(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    CN_ASSERT(t->energy != NULL && t->job.excess == t->energy->excess);
    cn_task_run(t->crew, look_task, t, p->awake_count, BODY_GRAIN);
    bool rose = false, found = false;
    for (int i = 0; i <= p->awake_count / BODY_GRAIN; i++) {
        rose = rose || t->energy->rose[i] != 0;
    }
    if (!rose || t->attracted != NULL || !may_gain(t)) {
        return false;
    }
    find_islands(t);
    cn_pipeline_add_energies(t);
    for (int k = 0; k < p->awake_count; k++) {
        struct cn_pipeline_island *island = &t->energy->island[k];
        island->gained = cn_pipeline_gains(t, island);
        found = found || island->gained;
    }
    return found;
}
