#include "engine/step/advance.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

/* The largest part [rad] of a rotation whose axis moves, and the largest number of parts. */
#define TURN_PART 0.125
#define PARTS_MAX 256

/* Sine of the angle between spin and angular momentum below which the axis does not move. */
#define AXIS_STAYS 1e-9

/* Newton steps for a part, and the accepted error of the angular momentum. */
#define NEWTON_MAX 20
#define MISS 4e-16

#define WORK_PER_PART 400

/* R inv(I) R' L */
static cn_vec3
spin_of(const struct cn_body *body, cn_quat orientation, cn_vec3 momentum)
{
    cn_mat33 turn = cn_quat_to_mat33(orientation);
    cn_vec3 local = cn_mat33_apply_back(&turn, momentum);
    return cn_mat33_apply(&turn, cn_mat33_apply(&body->inertia_inverse, local));
}

/* R I R' w */
static cn_vec3
momentum_of(const struct cn_body *body, cn_quat orientation, cn_vec3 spin)
{
    cn_mat33 turn = cn_quat_to_mat33(orientation);
    cn_vec3 local = cn_mat33_apply_back(&turn, spin);
    return cn_mat33_apply(&turn, cn_mat33_apply(&body->inertia, local));
}

/* x with M x = v */
static cn_vec3
solve_matrix(const cn_mat33 *M, cn_vec3 v)
{
    cn_vec3 yz = cn_vec3_cross(M->cy, M->cz);
    double inverse = 1.0 / cn_vec3_dot(M->cx, yz);
    return cn_vec3_make(cn_vec3_dot(v, yz) * inverse,
        cn_vec3_dot(v, cn_vec3_cross(M->cz, M->cx)) * inverse,
        cn_vec3_dot(v, cn_vec3_cross(M->cx, M->cy)) * inverse);
}

/*
 * The angular momentum in the body's frame h later: x with x - L = h m x inv(I) m, m = (x + L) / 2,
 * by Newton's method.  Returns inv(I) m, the spin meanwhile.
 */
static cn_vec3
spin_on_way(const struct cn_body *body, cn_vec3 L, double h)
{
    const cn_mat33 *inverse = &body->inertia_inverse;
    cn_vec3 m = L;
    for (int i = 0; i < NEWTON_MAX; i++) {
        cn_vec3 w = cn_mat33_apply(inverse, m);
        cn_vec3 miss = cn_vec3_add_scaled(cn_vec3_sub(m, L), -0.5 * h, cn_vec3_cross(m, w));
        double size = cn_vec3_length(m);
        if (!(cn_vec3_length(miss) > MISS * size)) {
            break;
        }
        /* the derivative of m - L - (h / 2) m x inv(I) m, column by column */
        cn_mat33 slope;
        cn_vec3 *column[3] = {&slope.cx, &slope.cy, &slope.cz};
        const cn_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        for (int k = 0; k < 3; k++) {
            cn_vec3 turned = cn_vec3_add(cn_vec3_cross(axis[k], w),
                cn_vec3_cross(m, cn_mat33_apply(inverse, axis[k])));
            *column[k] = cn_vec3_add_scaled(axis[k], -0.5 * h, turned);
        }
        m = cn_vec3_sub(m, solve_matrix(&slope, miss));
    }
    return cn_mat33_apply(inverse, m);
}

/*
 * Rotates a free body for h seconds; returns its spin then.  Angular momentum and energy stay the
 * same.
 */
static cn_vec3
turn_freely(const struct cn_body *body, cn_quat *orientation, cn_vec3 spin, double h)
{
    cn_quat before = *orientation;
    cn_vec3 momentum = momentum_of(body, before, spin);
    double sine = cn_vec3_length(cn_vec3_cross(spin, momentum));
    if (sine <= AXIS_STAYS * cn_vec3_length(spin) * cn_vec3_length(momentum)) {
        *orientation = cn_quat_rotate_by(before, cn_vec3_scale(spin, h));
        return spin_of(body, *orientation, momentum);
    }
    double parts = ceil(h * cn_vec3_length(spin) / TURN_PART);
    int count = (int)cn_clamp(parts, 1.0, PARTS_MAX);
    for (int i = 0; i < count; i++) {
        cn_mat33 turn = cn_quat_to_mat33(*orientation);
        cn_vec3 w = spin_on_way(body, cn_mat33_apply_back(&turn, momentum), h / count);
        double half = 0.5 * h / count;
        cn_quat part = {1.0, half * w.x, half * w.y, half * w.z};
        *orientation = cn_quat_normalize(cn_quat_multiply(*orientation, part));
    }
    cn_work_spend((int64_t)WORK_PER_PART * count);
    return spin_of(body, *orientation, momentum);
}

static struct cn_motion
moved_motion(const struct cn_model *model, int i, const struct cn_twist *velocity, double h)
{
    struct cn_motion motion = model->motion[i];
    const struct cn_body *body = &model->body[i];
    cn_vec3 spin = velocity->angular;
    motion.velocity = velocity->linear;
    motion.angular_velocity = spin;
    motion.position = cn_vec3_add_scaled(motion.position, h, motion.velocity);
    if (model->settings.dimension == CN_PLANAR) {
        motion.angle += h * spin.z;
        motion.orientation = cn_quat_about_z(motion.angle);
        return motion;
    }
    if (body->mass_inverse > 0.0) {
        motion.angular_velocity = turn_freely(body, &motion.orientation, spin, h);
    } else {
        motion.orientation = cn_quat_rotate_by(motion.orientation, cn_vec3_scale(spin, h));
    }
    return motion;
}

void
cn_advance_body(struct cn_model *model, int body, const struct cn_twist *velocity, double h)
{
    CN_ASSERT(body >= 0 && body < model->body_count);
    struct cn_motion motion = moved_motion(model, body, velocity, h);
    if (cn_motion_is_bounded(&motion)) {
        model->motion[body] = motion;
        return;
    }
    model->motion[body].velocity = model->motion[body].angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
    cn_model_quarantine(model, body);
    cn_model_event(model, CN_EVENT_QUARANTINE, body, -1, 0.0);
}

void
cn_advance_shift(struct cn_model *model, int i, const struct cn_twist *way)
{
    CN_ASSERT(i >= 0 && i < model->body_count);
    struct cn_motion *motion = &model->motion[i];
    const struct cn_body *body = &model->body[i];
    motion->position = cn_vec3_add(motion->position, way->linear);
    if (model->settings.dimension == CN_PLANAR) {
        motion->angle += way->angular.z;
        motion->orientation = cn_quat_about_z(motion->angle);
        return;
    }
    cn_quat before = motion->orientation;
    motion->orientation = cn_quat_rotate_by(before, way->angular);
    if (body->mass_inverse > 0.0) {
        cn_vec3 momentum = momentum_of(body, before, motion->angular_velocity);
        motion->angular_velocity = spin_of(body, motion->orientation, momentum);
    }
}
