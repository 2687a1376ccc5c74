/*
 * inside.h: shared by the files of commands: a check and an apply function for each
 * command.
 */
#ifndef ENGINE_WORLD_COMMAND_INSIDE_H
#define ENGINE_WORLD_COMMAND_INSIDE_H

#include "engine/world/world_inside.h"

#include <math.h>

/*
 * A check refuses a command that can not be applied.  An apply function is called after the check
 * has passed and cn_command_ready has found memory; it can not fail.
 */
#define X(NAME, type, member, text)                                                                \
    enum cn_status cn_check_##member(                                                              \
        const struct cn_world *world, const type *c, struct cn_defect *d);                         \
    void cn_apply_##member(struct cn_world *world, const type *c);
CN_COMMAND_TABLE(X)
#undef X

/*
 * life.c: allocates the memory of a command that makes or removes something; the world
 * keeps it until the command is applied.
 */
CN_MUST_USE enum cn_status cn_command_ready(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect);

/* body.c: refuses a body that does not exist. */
CN_MUST_USE enum cn_status cn_command_check_present(
    const struct cn_model *model, struct cn_defect *defect, int32_t body);
bool cn_command_has_plane(const struct cn_model *model, int32_t body);

/* Drops inputs that are held on a body, or by an actuator. */
void cn_command_drop_body(struct cn_model *model, int32_t body);
void cn_command_drop_actuator(struct cn_model *model, int32_t actuator);

/* Removes a joint from the world; the joint of the scene is saved (cn_make_keep_joint). */
void cn_command_joint_goes(struct cn_world *world, int joint);

/* "is -3; from 0 to 1 N is accepted" */
static inline enum cn_status
check_range(struct cn_defect *defect, const char *path, double value, double low, double high,
    const char *unit)
{
    if (!isfinite(value)) {
        return cn_defect_set(defect, CN_FINITE, path, "is not a finite number");
    }
    if (value < low || value > high) {
        return cn_defect_set(defect, CN_RANGE, path, "is %g; from %g to %g %s is accepted", value,
            low, high, unit);
    }
    return CN_OK;
}

static inline enum cn_status
check_vector(
    struct cn_defect *defect, const char *path, cn_vec3 value, double length_max, const char *unit)
{
    if (!cn_vec3_is_finite(value)) {
        return cn_defect_set(defect, CN_FINITE, path, "has a member that is not finite");
    }
    double length = cn_vec3_length(value);
    if (!(length <= length_max)) {
        return cn_defect_set(defect, CN_RANGE, path, "has length %g; at most %g %s is accepted",
            length, length_max, unit);
    }
    return CN_OK;
}

#endif
