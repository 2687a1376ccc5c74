/*
 * caps.c: the caps that a scene sets for each person and body.
 */
#include "proto/codec/caps.h"
#include "proto/scene/inside.h"

#include "engine/base/limits.h"

/* Also false for NaN. */
static bool
is_cap(double value)
{
    return value >= 0.0 && value <= CN_FORCE_MAX;
}

bool
codec_caps(const Cairn__V1__Caps *message, struct wire_caps *caps,
    struct codec_caps_refused *refused)
{
    *caps = (struct wire_caps){0};
    if (message == NULL) {
        return true;
    }
    caps->has_force = message->force_set_case != 0;
    caps->has_torque = message->torque_set_case != 0;
    caps->force = caps->has_force ? message->force : 0.0;
    caps->torque = caps->has_torque ? message->torque : 0.0;
    if (!is_cap(caps->force)) {
        *refused = (struct codec_caps_refused){"force", "N", caps->force};
        return false;
    }
    *refused = (struct codec_caps_refused){"torque", "N m", caps->torque};
    return is_cap(caps->torque);
}

void
codec_caps_build(const struct wire_caps *caps, Cairn__V1__Caps *message)
{
    cairn__v1__caps__init(message);
    if (caps->has_force) {
        message->force_set_case = CAIRN__V1__CAPS__FORCE_SET_FORCE;
        message->force = caps->force;
    }
    if (caps->has_torque) {
        message->torque_set_case = CAIRN__V1__CAPS__TORQUE_SET_TORQUE;
        message->torque = caps->torque;
    }
}

static const Cairn__V1__Caps *
caps_of(const Cairn__V1__Scene *message)
{
    return message->world != NULL ? message->world->caps : NULL;
}

enum cn_status
scene_check_caps(const Cairn__V1__Scene *message, struct cn_defect *defect)
{
    struct wire_caps caps;
    struct codec_caps_refused refused;
    if (codec_caps(caps_of(message), &caps, &refused)) {
        return CN_OK;
    }
    cn_defect_set(defect, CN_RANGE, refused.path, "is %g; from 0 to %g %s is accepted",
        refused.value, CN_FORCE_MAX, refused.unit);
    cn_defect_prefix(defect, "world.caps.");
    return CN_RANGE;
}

struct wire_caps
wire_scene_caps(const struct wire_scene *scene)
{
    struct wire_caps caps;
    struct codec_caps_refused refused;
    (void)codec_caps(caps_of(scene->message), &caps, &refused);
    return caps;
}
