/*
 * propagation_part.c: removes remaining overlap, by motion without velocity (section 11).
 *
 * "First order" impulses move bodies instead of changing their velocities.  So the movers'
 * velocities are here the displacement of a body so far, in metres and radians.  Levels of the
 * contact graph are treated one after the other.  Each level is swept several times, with a growing
 * part of the wanted displacement.  Then it has infinite mass for the levels above.  The same
 * sweeps remove errors of joints.
 *
 * Some overlap is left, so that bodies that touch keep touching.
 */
#include "engine/step/propagation/propagation.h"

#include "engine/math/scalar.h"

#include <math.h>

#define LEFT_FRACTION 0.25 /* of the gap tolerance: overlap that is left alone */
#define PUSH_FRACTION 0.2  /* of the smallest length: the largest displacement in a step */
#define ROUNDS 4

/* The displacement by which two bodies are still nearer at a candidate than is wanted. */
static double
lack_of(const struct cn_propagation *p, const struct cn_spot *spot)
{
    if (spot->now.gap == HUGE_VAL || p->literal) {
        return 0.0;
    }
    cn_vec3 way = cn_propagation_velocity(p, &p->meeting[spot->pair], &spot->now);
    double left = LEFT_FRACTION * p->model->gap_tolerance;
    return -left - spot->now.gap - cn_vec3_dot(way, spot->now.normal);
}

static void
part_spot(struct cn_propagation *p, struct cn_spot *spot, double part)
{
    double lack = lack_of(p, spot);
    if (!(lack > 0.0)) {
        return;
    }
    const struct cn_meeting *pair = &p->meeting[spot->pair];
    cn_vec3 n = spot->now.normal, turn_a = cn_vec3_cross(spot->now.arm_a, n),
            turn_b = cn_vec3_cross(spot->now.arm_b, n);
    const struct cn_mover *a = &p->mover[pair->body_a], *b = &p->mover[pair->body_b];
    double mass = a->mass.linear + b->mass.linear +
                  cn_vec3_dot(turn_a, cn_mat33_apply(&a->mass.angular, turn_a)) +
                  cn_vec3_dot(turn_b, cn_mat33_apply(&b->mass.angular, turn_b));
    if (mass > 0.0) {
        lack = cn_min(lack, PUSH_FRACTION * p->model->length_min);
        cn_propagation_push(p, pair, &spot->now, cn_vec3_scale(n, part * lack / mass),
            (cn_vec3){0.0, 0.0, 0.0});
    }
}

static void
part_level(struct cn_propagation *p, int level)
{
    for (int round = 1; round <= ROUNDS; round++) {
        double part = (double)round / ROUNDS;
        for (int k = p->tie_first[level]; k < p->tie_first[level + 1]; k++) {
            cn_propagation_tie_place(p, &p->tie[p->tie_order[k]], part);
        }
        for (int k = p->level_first[level]; k < p->level_first[level + 1]; k++) {
            const struct cn_meeting *pair = &p->meeting[p->sorted[k]];
            for (int s = 0; s < pair->spot_count; s++) {
                part_spot(p, &p->spot[pair->spot_first + s], part);
            }
        }
    }
}

/*
 * Places everything at the present poses, without displacements.  True if something must be done.
 */
static bool
begin_displacements(struct cn_propagation *p)
{
    struct cn_model *model = p->model;
    for (int i = 0; i < model->body_count; i++) {
        struct cn_mover *m = &p->mover[i];
        p->pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
        m->velocity = (struct cn_twist){0};
        m->mass.linear = model->body[i].mass_inverse;
        m->held = m->mass.linear == 0.0;
        const cn_mat33 *inverse = &model->body[i].inertia_inverse;
        m->mass.angular =
            p->planar ? *inverse : cn_mat33_turn(&p->pose[i].rotation, inverse);
    }
    bool any = false;
    if (cn_joint_rows(model, model->motion, p->pose, p->joint) != p->joint_count) {
        p->joint_count = p->tie_count = 0; /* a rope of no length has no row */
        return false;
    }
    for (int k = 0; k < p->joint_count; k++) {
        p->joint_impulse[k] = p->joint_offset[k] = 0.0;
        any = any || p->joint[k].tag == CN_ROW_BILATERAL || p->joint[k].gap < 0.0;
    }
    for (int k = 0; k < p->spot_count; k++) {
        struct cn_spot *spot = &p->spot[k];
        spot->now = cn_propagation_at(p, &p->contact[spot->contact], p->pose);
        any = any || lack_of(p, spot) > 0.0;
    }
    return any;
}

static void
move_by(struct cn_propagation *p, int i)
{
    struct cn_motion *motion = &p->model->motion[i], moved = *motion;
    const struct cn_twist *way = &p->mover[i].velocity;
    moved.position = cn_vec3_add(moved.position, way->linear);
    if (p->planar) {
        moved.angle += way->angular.z;
        moved.orientation = cn_quat_about_z(moved.angle);
    } else {
        moved.orientation = cn_quat_rotate_by(moved.orientation, way->angular);
    }
    if (cn_motion_is_bounded(&moved)) {
        *motion = moved;
    }
}

void
CN_PROPAGATION(part)(struct cn_propagation *p)
{
    static const struct cn_mass_inverse none;
    if ((p->literal && p->joint_count == 0) || !begin_displacements(p)) {
        return;
    }
    for (int level = 1; level <= p->graph.level_count; level++) {
        part_level(p, level);
        for (int k = p->body_first[level]; k < p->body_first[level + 1]; k++) {
            p->mover[p->body_order[k]].mass = none;
            p->mover[p->body_order[k]].held = true;
        }
    }
    for (int i = 0; i < p->model->body_count; i++) {
        const struct cn_twist *way = &p->mover[i].velocity;
        if (cn_vec3_dot(way->linear, way->linear) + cn_vec3_dot(way->angular, way->angular) >
            0.0) {
            move_by(p, i);
        }
    }
}
