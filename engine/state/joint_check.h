/*
 * joint_check.h: the validity of joints that were read from an image.
 */
#ifndef ENGINE_STATE_JOINT_CHECK_H
#define ENGINE_STATE_JOINT_CHECK_H

#include "engine/model/model.h"

/* Whether a joint made after the scene has bodies that exist, and numbers that it can have. */
bool cn_read_joint_is_valid(const struct cn_model *model, const struct cn_joint *joint);

/* Whether the bodies of all joints exist: removing a body removes its joints too. */
bool cn_read_joints_have_bodies(const struct cn_model *model);

#endif
