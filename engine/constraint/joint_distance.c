/* joint_distance.c: a massless rod of one length, or of a length between two limits. */
#include "engine/constraint/joint.h"

static int
distance_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    if (view->joint->has_limit) {
        return 0;
    }
    if (!cn_joint_row_length(view, &rows[0])) {
        /* The points coincide, far from the rod's length: any direction separates them. */
        cn_joint_row_world(view, cn_vec3_make(1.0, 0.0, 0.0), &rows[0]);
    }
    rows[0].gap -= view->joint->length;
    return 1;
}

const struct cn_joint_type cn_joint_distance = {
    .hold = distance_hold,
    .coordinate = cn_joint_row_length,
    .hold_planar = 1,
    .hold_spatial = 1,
};
