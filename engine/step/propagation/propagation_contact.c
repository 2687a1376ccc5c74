/* propagation_contact.c: the contact phase and the shock (section 8). */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/constraint/contact_rows.h"
#include "engine/math/scalar.h"
#include "engine/solve/propagation/guendelman03_strike.h"
#include "engine/step/memory.h"

#include <math.h>

#define WORK_PER_VISIT 150 /* operations, for the budget */
#define REST 1e-8          /* of what gravity adds in a step: a smaller velocity is rounding */

/* The range of a sweep, and its parameters. */
struct sweep {
    int iteration;      /* of contact and shock phases, counted through */
    double restitution; /* <= 0 */
    int sweep_max;
};

static bool
is_none(cn_vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static void
prepare_candidate(
    const struct cn_propagation *p, const struct cn_meeting *pair, struct cn_spot *spot)
{
    cn_mat33 a = cn_guendelman03_response(&p->mover[pair->body_a].mass, spot->now.arm_a);
    cn_mat33 b = cn_guendelman03_response(&p->mover[pair->body_b].mass, spot->now.arm_b);
    spot->K = (cn_mat33){
        cn_vec3_add(a.cx, b.cx), cn_vec3_add(a.cy, b.cy), cn_vec3_add(a.cz, b.cz)};
    spot->K_inverse = cn_mat33_invert_symmetric(&spot->K);
    double all = spot->K.cx.x + spot->K.cy.y + spot->K.cz.z;
    double along = cn_vec3_dot(spot->now.normal, cn_mat33_apply(&spot->K, spot->now.normal));
    spot->lightness = 0.5 * (all - along);
    spot->prepared = true;
}

/* c: the velocity to which a contact that approaches at `speed` < 0 is slowed down. */
static double
target_of(const struct cn_propagation *p, const struct cn_spot *spot, double speed, double e)
{
    if (p->literal) {
        return -e * speed;
    }
    /* It may close until it just touches; faster motion is slowed down. */
    double gap = spot->now.gap < HUGE_VAL ? spot->now.gap : 0.0;
    double allowed = gap > p->slack ? -gap / p->h : 0.0;
    return speed < allowed ? allowed - e * (speed - allowed) : allowed;
}

/* The area of a contact that rolls, its origin there; in the plane only turns about z count. */
static struct cn_area
area_of(const struct cn_propagation *p, const struct cn_meeting *pair, const struct cn_spot *spot)
{
    struct cn_area area = {0};
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? pair->body_a : pair->body_b;
        cn_vec3 arm = side == 0 ? spot->now.arm_a : spot->now.arm_b;
        struct cn_mass_inverse mass = p->mover[body].mass;
        if (p->planar && mass.angular.cz.z > 0.0) {
            mass.angular.cx.x = mass.angular.cy.y = 1.0; /* for an inverse; nothing turns so */
        }
        cn_guendelman03_area_add(&area, &mass, arm, cn_vec3_negate(arm));
    }
    return area;
}

/*
 * The impulse and couple by which a sticking contact rolls and spins less; false: it keeps its
 * impulse.
 */
static bool
roll_contact(const struct cn_propagation *p, const struct cn_meeting *pair, struct cn_spot *spot,
    const struct cn_strike *strike, cn_vec3 w, cn_vec3 *impulse, cn_vec3 *couple)
{
    struct cn_area area = area_of(p, pair, spot);
    struct cn_roll asked = {
        .area = &area,
        .normal = spot->now.normal,
        .u = strike->u,
        .w = w,
        .target = strike->target,
        .resting = pair->resting,
        .rolling = pair->rolling,
        .spinning = pair->spinning,
        .normal_impulse = cn_vec3_dot(*impulse, spot->now.normal),
        .literal = p->literal,
    };
    return cn_guendelman03_roll(&asked, impulse, couple);
}

/* Velocity and spin of B against A, as if the contact had given nothing in this phase yet. */
static void
undo_impulse(const struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot *spot, cn_vec3 *u, cn_vec3 *w)
{
    const struct cn_mover *a = &p->mover[pair->body_a], *b = &p->mover[pair->body_b];
    cn_vec3 turn_a = cn_vec3_add(cn_vec3_cross(spot->now.arm_a, spot->impulse), spot->couple);
    cn_vec3 turn_b = cn_vec3_add(cn_vec3_cross(spot->now.arm_b, spot->impulse), spot->couple);
    cn_vec3 dw_a = cn_mat33_apply(&a->mass.angular, turn_a);
    cn_vec3 dw_b = cn_mat33_apply(&b->mass.angular, turn_b);
    cn_vec3 du = cn_vec3_scale(spot->impulse, a->mass.linear + b->mass.linear);
    du = cn_vec3_add(du, cn_vec3_cross(dw_a, spot->now.arm_a));
    du = cn_vec3_add(du, cn_vec3_cross(dw_b, spot->now.arm_b));
    *u = cn_vec3_sub(*u, du);
    *w = cn_vec3_sub(*w, cn_vec3_add(dw_a, dw_b));
}

/* Whether a contact has nothing to do: its velocity is the one that it left, and is wanted. */
static bool
is_as_left(const struct cn_propagation *p, const struct cn_spot *spot, cn_vec3 u, double speed,
    const struct sweep *sweep)
{
    if (p->literal || !spot->prepared) {
        return false;
    }
    double target = spot->iteration == sweep->iteration
                        ? spot->target
                        : target_of(p, spot, speed, sweep->restitution);
    cn_vec3 strayed = cn_vec3_sub(u, spot->left);
    return fabs(speed - target) <= p->settled &&
           cn_vec3_dot(strayed, strayed) <= p->settled * p->settled;
}

/*
 * Gives one impulse.  Returns how much it changed the velocity at the contact.  Callers know the
 * last two parameters, so the function is inlined to use them as constants.
 */
static inline __attribute__((always_inline)) double
visit_candidate(struct cn_propagation *p, const struct cn_meeting *pair, struct cn_spot *spot,
    const struct sweep *sweep, bool literal, bool rolls)
{
    const cn_vec3 none = {0.0, 0.0, 0.0};
    bool held = !is_none(spot->impulse);
    cn_vec3 u = cn_propagation_velocity(p, pair, &spot->now);
    double speed = cn_vec3_dot(u, spot->now.normal);
    if (held ? is_as_left(p, spot, u, speed, sweep)
             : speed >= 0.0 || spot->ahead.gap == HUGE_VAL ||
                   !cn_propagation_meets(p, pair, spot)) {
        return 0.0;
    }
    if (literal || spot->iteration != sweep->iteration) {
        spot->target = target_of(p, spot, speed, sweep->restitution);
        spot->iteration = sweep->iteration;
    }
    if (!spot->prepared) {
        prepare_candidate(p, pair, spot);
    }
    cn_vec3 before = u, w = none, couple = none;
    cn_vec3 impulse_before = spot->impulse, couple_before = rolls ? spot->couple : none;
    if (rolls) {
        w = cn_vec3_sub(p->mover[pair->body_b].velocity.angular,
            p->mover[pair->body_a].velocity.angular);
    }
    if (literal) {
        impulse_before = couple_before = none;
    } else if (held && rolls) {
        undo_impulse(p, pair, spot, &u, &w);
    } else if (held) {
        u = cn_vec3_sub(u, cn_mat33_apply(&spot->K, impulse_before));
    }
    struct cn_strike strike = {&spot->K, &spot->K_inverse, spot->now.normal, u,
        cn_vec3_add_scaled(before, -spot->lightness, impulse_before), spot->target,
        pair->resting, pair->sliding, literal};
    struct cn_struck struck = cn_guendelman03_strike_at_once(&strike);
    if (rolls && struck.kind == CN_STRIKE_STICK) {
        (void)roll_contact(p, pair, spot, &strike, w, &struck.impulse, &couple);
    }
    cn_vec3 impulse = cn_vec3_sub(struck.impulse, impulse_before);
    cn_propagation_push(p, pair, &spot->now, impulse, cn_vec3_sub(couple, couple_before));
    if (literal) {
        spot->impulse = cn_vec3_add(spot->impulse, struck.impulse);
        spot->couple = cn_vec3_add(spot->couple, couple);
    } else {
        spot->impulse = struck.impulse;
        spot->couple = couple;
    }
    spot->left = rolls ? cn_propagation_velocity(p, pair, &spot->now)
                       : cn_vec3_add(before, cn_mat33_apply(&spot->K, impulse));
    *p->work += WORK_PER_VISIT;
    cn_work_spend(WORK_PER_VISIT);
    return cn_vec3_length(cn_vec3_sub(spot->left, before));
}

/* The impulse that the force of the last step would give. */
static cn_vec3
impulse_before(const struct cn_propagation *p, const struct cn_spot *spot)
{
    const struct cn_contact *contact = &p->contact[spot->contact];
    struct cn_warm_start warm = cn_memory_warm(p->model, cn_contact_id(contact));
    cn_vec3 impulse = cn_vec3_scale(spot->now.normal, p->h * warm.force);
    if (warm.across[0] != 0.0 || warm.across[1] != 0.0) {
        struct cn_row rows[2];
        cn_vec3 directions[2];
        int count = cn_contact_tangent_rows(
            p->model, p->model->motion, p->pose, contact, rows, directions);
        for (int t = 0; t < count; t++) {
            impulse = cn_vec3_add_scaled(impulse, p->h * warm.across[t], directions[t]);
        }
    }
    return impulse;
}

/* Contacts that were held in the last step begin with the impulses that held them. */
static void
start_warm(struct cn_propagation *p)
{
    for (int k = 0; k < p->spot_count && p->model->warm_count > 0; k++) {
        struct cn_spot *spot = &p->spot[k];
        if (spot->now.gap <= p->model->gap_tolerance) {
            spot->impulse = impulse_before(p, spot);
        }
    }
    for (int k = 0; k < p->spot_count; k++) {
        const struct cn_spot *spot = &p->spot[k];
        if (!is_none(spot->impulse)) {
            p->spare[k] = -HUGE_VAL;
            cn_propagation_push(p, &p->meeting[spot->pair], &spot->now, spot->impulse,
                (cn_vec3){0.0, 0.0, 0.0});
        }
    }
}

static inline __attribute__((always_inline)) double
visit_all(struct cn_propagation *p, const struct cn_meeting *pair, const struct sweep *sweep,
    int back, bool literal, bool rolls)
{
    double change = 0.0, nearer = pair->has_spare ? cn_propagation_nearer(p, pair) : HUGE_VAL;
    for (int k = 0; k < pair->spot_count; k++) {
        int place = pair->spot_first + (back ? pair->spot_count - 1 - k : k);
        if (p->spare[place] > nearer) {
            continue;
        }
        uint64_t clock = p->clock;
        change = cn_max(change, visit_candidate(p, pair, &p->spot[place], sweep, literal, rolls));
        if (p->clock != clock) {
            p->spare[place] = -HUGE_VAL;
            nearer = pair->has_spare ? cn_propagation_nearer(p, pair) : HUGE_VAL;
        }
    }
    return change;
}

static double
visit_pair(
    struct cn_propagation *p, const struct cn_meeting *pair, const struct sweep *sweep, int back)
{
    if (p->literal) {
        return visit_all(p, pair, sweep, back, true, pair->rolling + pair->spinning > 0.0);
    }
    return pair->rolling > 0.0 || pair->spinning > 0.0
               ? visit_all(p, pair, sweep, back, false, true)
               : visit_all(p, pair, sweep, back, false, false);
}

/* Sweeps over the pairs and joints of a level until nothing changes. */
static void
process_level(struct cn_propagation *p, int level, const struct sweep *sweep)
{
    for (int i = 0; i < sweep->sweep_max; i++) {
        double change = 0.0;
        for (int k = p->tie_first[level]; k < p->tie_first[level + 1]; k++) {
            change = cn_max(change, cn_propagation_tie(p, &p->tie[p->tie_order[k]]));
        }
        int first = p->level_first[level], count = p->level_first[level + 1] - first;
        for (int k = 0; k < count; k++) { /* forward and backward, by turns */
            int place = i % 2 == 0 ? first + k : first + count - 1 - k;
            struct cn_meeting *pair = &p->meeting[p->sorted[place]];
            if (!cn_propagation_is_still(p, pair, sweep->iteration)) {
                cn_propagation_see(p, pair, sweep->iteration);
                change = cn_max(change, visit_pair(p, pair, sweep, i % 2));
            }
        }
        p->sweep_count++;
        if (change <= p->settled) {
            break;
        }
    }
}

/* In the shock phase, bodies below a level have infinite mass for its pairs. */
static void
freeze_below(struct cn_propagation *p, int level)
{
    static const struct cn_mass_inverse none;
    CN_ASSERT(level >= 1 && level <= p->graph.level_count);
    for (int k = p->body_first[level - 1]; k < p->body_first[level]; k++) {
        p->mover[p->body_order[k]].mass = none;
        p->mover[p->body_order[k]].held = true;
    }
    for (int k = p->level_first[level]; k < p->level_first[level + 1]; k++) {
        const struct cn_meeting *pair = &p->meeting[p->sorted[k]];
        for (int s = 0; s < pair->spot_count; s++) {
            p->spot[pair->spot_first + s].prepared = false;
        }
    }
}

static void
shock_levels(struct cn_propagation *p, const struct sweep *sweep)
{
    for (int level = 1; level <= p->graph.level_count; level++) {
        freeze_below(p, level);
        process_level(p, level, sweep);
    }
    for (int i = 0; i < p->model->body_count; i++) {
        p->mover[i].mass = p->mover[i].own;
        p->mover[i].held = p->fixed[i];
    }
    for (int k = 0; k < p->spot_count; k++) {
        p->spot[k].prepared = false;
    }
}

/* The largest speed at which contacts that are held still approach too fast. */
static double
left_over(const struct cn_propagation *p)
{
    double worst = 0.0;
    for (int k = 0; k < p->spot_count; k++) {
        const struct cn_spot *spot = &p->spot[k];
        if (!is_none(spot->impulse)) {
            cn_vec3 u = cn_propagation_velocity(p, &p->meeting[spot->pair], &spot->now);
            worst = cn_max(worst, spot->target - cn_vec3_dot(u, spot->now.normal));
        }
    }
    return worst;
}

/* Sets bodies to rest that are held and move no faster than rounding. */
static void
round_to_rest(struct cn_propagation *p)
{
    double rest = REST * p->h * cn_vec3_length(p->model->settings.gravity);
    for (int i = 0; i < p->model->body_count; i++) {
        struct cn_twist *v = &p->mover[i].velocity;
        double reach = p->model->body[i].reach;
        if (cn_vec3_length(v->linear) <= rest && cn_vec3_length(v->angular) * reach <= rest &&
            !p->fixed[i]) {
            *v = (struct cn_twist){0};
        }
    }
}

void
CN_PROPAGATION(contact)(struct cn_propagation *p)
{
    const struct cn_propagation_settings *settings = &p->model->settings.propagation;
    int iterations = settings->contact_iterations;
    struct sweep sweep = {.iteration = 0};
    cn_propagation_energy_begin(p);
    if (!p->literal && iterations > 0) {
        start_warm(p);
    }
    for (int k = 0; k < iterations; k++, sweep.iteration++) {
        bool last = k == iterations - 1;
        sweep.restitution = cn_guendelman03_restitution(k, iterations);
        sweep.sweep_max = p->literal ? 1 : settings->contact_sweeps * (last ? p->longer : 1);
        for (int level = 1; level <= p->graph.level_count; level++) {
            process_level(p, level, &sweep);
        }
    }
    cn_propagation_energy_end(p);
    cn_propagation_energy_begin(p);
    sweep.restitution = 0.0;
    sweep.sweep_max = settings->contact_sweeps * (p->literal ? 1 : p->longer);
    for (int k = 0; k < settings->shock_passes; k++, sweep.iteration++) {
        shock_levels(p, &sweep);
    }
    cn_propagation_energy_end(p);
    p->residual = left_over(p);
    if (!p->literal) {
        round_to_rest(p);
    }
}
