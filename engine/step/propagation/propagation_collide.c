/* propagation_collide.c: the collision phase (section 6). */
#include "engine/step/propagation/propagation.h"

#include "engine/base/fiber.h"

#include <math.h>

#define WORK_PER_STRIKE 300 /* operations, for the budget */
#define COLLISION (-1)      /* the iteration of the collision phase: all its rounds count as one */

static void
strike_candidate(
    struct cn_propagation *p, const struct cn_meeting *pair, struct cn_spot *spot, cn_vec3 u)
{
    const struct cn_mover *a = &p->mover[pair->body_a], *b = &p->mover[pair->body_b];
    cn_mat33 of_a = cn_guendelman03_response(&a->mass, spot->ahead.arm_a);
    cn_mat33 of_b = cn_guendelman03_response(&b->mass, spot->ahead.arm_b);
    cn_mat33 K = {cn_vec3_add(of_a.cx, of_b.cx), cn_vec3_add(of_a.cy, of_b.cy),
        cn_vec3_add(of_a.cz, of_b.cz)};
    cn_mat33 K_inverse = cn_mat33_invert_symmetric(&K);
    double speed = cn_vec3_dot(u, spot->ahead.normal);
    bool slow = -speed < cn_model_resting_velocity(p->model, 0.0);
    struct cn_strike asked = {&K, &K_inverse, spot->ahead.normal, u, u,
        slow ? 0.0 : -pair->restitution * speed, pair->resting, pair->sliding, p->literal};
    struct cn_struck struck = cn_guendelman03_strike(&asked);
    cn_propagation_push(p, pair, &spot->ahead, struck.impulse, (cn_vec3){0.0, 0.0, 0.0});
    spot->hit += cn_vec3_dot(struck.impulse, spot->ahead.normal);
    spot->hit_speed = fmax(spot->hit_speed, -speed);
    *p->work += WORK_PER_STRIKE;
    cn_work_spend(WORK_PER_STRIKE);
}

/*
 * The deepest listed candidate that approaches.  Candidates that separate leave the list.  NULL:
 * not found.
 */
static struct cn_spot *
deepest_candidate(struct cn_propagation *p, const struct cn_meeting *pair, cn_vec3 *velocity)
{
    struct cn_spot *found = NULL;
    for (int k = 0; k < pair->spot_count; k++) {
        struct cn_spot *spot = &p->spot[pair->spot_first + k];
        if (!spot->listed) {
            continue;
        }
        cn_vec3 u = cn_propagation_velocity(p, pair, &spot->ahead);
        if (cn_vec3_dot(u, spot->ahead.normal) >= 0.0) {
            spot->listed = false;
        } else if (found == NULL || spot->ahead.gap < found->ahead.gap) {
            found = spot;
            *velocity = u;
        }
    }
    return found;
}

/* Whether any candidate was struck. */
static bool
collide_pair(struct cn_propagation *p, struct cn_meeting *pair)
{
    bool any = false;
    if (cn_propagation_is_still(p, pair, COLLISION)) {
        return false;
    }
    cn_propagation_see(p, pair, COLLISION);
    double nearer = cn_propagation_nearer(p, pair);
    for (int k = 0; k < pair->spot_count && pair->spare <= nearer; k++) {
        struct cn_spot *spot = &p->spot[pair->spot_first + k];
        spot->listed = spot->ahead.gap <= nearer && cn_propagation_meets(p, pair, spot);
        any = any || spot->listed;
    }
    if (!any) {
        return false;
    }
    cn_vec3 u;
    any = false;
    for (struct cn_spot *spot; (spot = deepest_candidate(p, pair, &u)) != NULL;) {
        strike_candidate(p, pair, spot, u);
        spot->listed = false; /* it separates; each is struck once, so the loop ends */
        any = true;
    }
    return any;
}

void
CN_PROPAGATION(collide)(struct cn_propagation *p)
{
    for (int k = 0; k < p->pair_count; k++) {
        p->order[k] = k;
    }
    for (int i = 0; i < p->model->settings.propagation.collision_iterations; i++) {
        bool any = false;
        cn_propagation_shuffle(p);
        for (int k = 0; k < p->pair_count; k++) {
            any = collide_pair(p, &p->meeting[p->order[k]]) || any;
        }
        if (!any && !cn_propagation_ties_struck(p)) {
            break;
        }
        for (int k = 0; k < p->tie_count; k++) {
            (void)cn_propagation_tie(p, &p->tie[k]);
        }
    }
}
