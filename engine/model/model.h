/*
 * model.h: the data of a world, which every floor above reads and writes.
 *
 * What persists from tick to tick (motions, settings, held inputs, warm starts, clocks) is listed
 * once more in engine/state/fields.h, which makes image and hash; what is derived within a step
 * stands in scratch and is not listed.  The model owns no memory: world.c lays all of it out.
 */
#ifndef ENGINE_MODEL_MODEL_H
#define ENGINE_MODEL_MODEL_H

#include "engine/base/limits.h"
#include "engine/math/pose.h"
#include "engine/math/quat.h"
#include "engine/model/event.h"
#include "engine/shape/shape.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_NAME_SIZE 32 /* of a solver or stepper, terminator included */

enum cn_dimension { CN_PLANAR, CN_SPATIAL };
enum cn_body_type { CN_DYNAMIC, CN_STATIC, CN_KINEMATIC };

/*
 * How touching bodies that approach are parted (Baraff 1989, section 8).
 *     SIMULTANEOUS  all at once: v+ >= -e v-, complementary to the impulses
 *     SERIAL        one after the other, the fastest approach first, until none approaches
 *     HYBRID        serial by contact pair: both points of one pair at once, pairs in turn
 */
enum cn_collision_handling { CN_COLLISION_SIMULTANEOUS, CN_COLLISION_SERIAL, CN_COLLISION_HYBRID };

/* How two materials make one contact's coefficient. */
enum cn_combine { CN_COMBINE_MIN, CN_COMBINE_MAX, CN_COMBINE_AVERAGE, CN_COMBINE_MULTIPLY };

/* What may change while a world runs. */
struct cn_settings {
    enum cn_dimension dimension; /* fixed at creation */
    cn_vec3 gravity;             /* m/s^2 */
    double damping_linear;       /* N s/m:  force = -damping velocity */
    double damping_angular;      /* N m s:  torque = -damping angular velocity */
    double time_rate;            /* a tick lasts time_rate / tick_rate simulated seconds */
    enum cn_collision_handling collision;
    enum cn_combine combine_restitution;
    enum cn_combine combine_friction;
    char stepper[CN_NAME_SIZE];
    char solver[CN_NAME_SIZE];
};

#endif
