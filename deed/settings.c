#include "deed/settings.h"

#include <string.h>

void
dd_settings_of(const struct cn_world *engine, struct wire_settings *out)
{
    const struct cn_settings *settings = cn_world_settings(engine);
    out->has_gravity = out->has_restitution = out->has_damping_linear = true;
    out->has_damping_angular = out->has_time_rate = out->has_collision = true;
    out->has_minimum_norm = true;
    out->minimum_norm = settings->minimum_norm;
    out->has_substeps = out->has_sleep = true;
    out->has_resting_velocity = true;
    out->resting_velocity = cn_world_resting_velocity(engine);
    out->substeps = (uint32_t)settings->substeps;
    out->sleep = settings->sleep;
#define X(member, name, least, most, usual, text) out->has_propagation.member = true;
    CN_PROPAGATION_TABLE(X)
#undef X
    out->propagation = settings->propagation;
    out->gravity = settings->gravity;
    out->restitution = cn_world_restitution(engine);
    out->damping_linear = settings->damping_linear;
    out->damping_angular = settings->damping_angular;
    out->time_rate = settings->time_rate;
    out->collision = settings->collision;
    memcpy(out->solver, settings->solver, sizeof(out->solver));
    memcpy(out->stepper, settings->stepper, sizeof(out->stepper));
}

void
dd_settings_remember(struct wire_settings *changed, const struct wire_settings *settings)
{
    if (settings->has_gravity) {
        changed->has_gravity = true;
        changed->gravity = settings->gravity;
    }
    if (settings->has_restitution) {
        changed->has_restitution = true;
        changed->restitution = settings->restitution;
    }
    if (settings->has_damping_linear) {
        changed->has_damping_linear = true;
        changed->damping_linear = settings->damping_linear;
    }
    if (settings->has_damping_angular) {
        changed->has_damping_angular = true;
        changed->damping_angular = settings->damping_angular;
    }
    if (settings->has_time_rate) {
        changed->has_time_rate = true;
        changed->time_rate = settings->time_rate;
    }
    if (settings->has_collision) {
        changed->has_collision = true;
        changed->collision = settings->collision;
    }
    if (settings->has_minimum_norm) {
        changed->has_minimum_norm = true;
        changed->minimum_norm = settings->minimum_norm;
    }
    if (settings->has_substeps) {
        changed->has_substeps = true;
        changed->substeps = settings->substeps;
    }
    if (settings->has_sleep) {
        changed->has_sleep = true;
        changed->sleep = settings->sleep;
    }
    if (settings->has_resting_velocity) {
        changed->has_resting_velocity = true;
        changed->resting_velocity = settings->resting_velocity;
    }
    wire_settings_set_propagation(settings, &changed->propagation);
#define X(member, name, least, most, usual, text)                                                  \
    changed->has_propagation.member |= settings->has_propagation.member;
    CN_PROPAGATION_TABLE(X)
#undef X
    if (settings->solver[0] != '\0') {
        memcpy(changed->solver, settings->solver, sizeof(changed->solver));
    }
    if (settings->stepper[0] != '\0') {
        memcpy(changed->stepper, settings->stepper, sizeof(changed->stepper));
    }
}
