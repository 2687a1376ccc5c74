#include "engine/step/advance.h"

/* The body's spin after its turn, with the angular momentum that it had before. */
static cn_vec3
carry_spin(const struct cn_body *body, cn_quat before, cn_quat after, cn_vec3 spin)
{
    cn_mat33 from = cn_quat_to_mat33(before), to = cn_quat_to_mat33(after);
    cn_vec3 momentum = cn_mat33_apply(&body->inertia, cn_mat33_apply_back(&from, spin));
    momentum = cn_mat33_apply_back(&to, cn_mat33_apply(&from, momentum));
    return cn_mat33_apply(&to, cn_mat33_apply(&body->inertia_inverse, momentum));
}

static struct cn_motion
moved(const struct cn_model *model, int i, const struct cn_twist *velocity, double h)
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
    cn_quat before = motion.orientation;
    motion.orientation = cn_quat_rotate_by(before, cn_vec3_scale(spin, h));
    if (body->mass_inverse > 0.0) {
        motion.angular_velocity = carry_spin(body, before, motion.orientation, spin);
    }
    return motion;
}

void
cn_advance_body(struct cn_model *model, int body, const struct cn_twist *velocity, double h)
{
    struct cn_motion motion = moved(model, body, velocity, h);
    if (cn_motion_is_bounded(&motion)) {
        model->motion[body] = motion;
        return;
    }
    model->motion[body].velocity = model->motion[body].angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
    cn_model_quarantine(model, body);
    cn_model_event(model, CN_EVENT_QUARANTINE, body, -1, 0.0);
}
