/*
 * precision.c: the resolution in which clients receive a scene's world.
 */
#include "proto/scene/inside.h"

#include <math.h>

#define QUANTUM_MIN 1e-6
#define QUANTUM_MAX 1.0
#define ROTATION_BITS_MIN 6
#define ROTATION_BITS_MAX 20

static const Cairn__V1__Precision *
precision_of(const Cairn__V1__Scene *message)
{
    return message->world != NULL ? message->world->precision : NULL;
}

static enum cn_status
check_quantum(struct cn_defect *defect, const char *path, double quantum)
{
    if (quantum >= QUANTUM_MIN && quantum <= QUANTUM_MAX) {
        return CN_OK;
    }
    return cn_defect_set(
        defect, CN_RANGE, path, "is %g; from %g to %g is accepted", quantum, QUANTUM_MIN,
        QUANTUM_MAX);
}

enum cn_status
scene_check_precision(const Cairn__V1__Scene *message, struct cn_defect *defect)
{
    const Cairn__V1__Precision *precision = precision_of(message);
    enum cn_status status = CN_OK;
    if (precision != NULL && precision->position_set_case != 0) {
        status = check_quantum(defect, "world.precision.position", precision->position);
    }
    if (status == CN_OK && precision != NULL && precision->angle_set_case != 0) {
        status = check_quantum(defect, "world.precision.angle", precision->angle);
    }
    if (status == CN_OK && precision != NULL && precision->rotation_bits_set_case != 0 &&
        (precision->rotation_bits < ROTATION_BITS_MIN ||
            precision->rotation_bits > ROTATION_BITS_MAX)) {
        status = cn_defect_set(defect, CN_RANGE, "world.precision.rotationBits",
            "is %u; from %d to %d is accepted", precision->rotation_bits, ROTATION_BITS_MIN,
            ROTATION_BITS_MAX);
    }
    return status;
}

struct wire_precision
wire_scene_precision(const struct wire_scene *scene)
{
    struct wire_precision precision = wire_precision_default();
    const Cairn__V1__Precision *message = precision_of(scene->message);
    if (message != NULL && message->position_set_case != 0) {
        precision.position = message->position;
    }
    if (message != NULL && message->angle_set_case != 0) {
        precision.angle = message->angle;
    }
    if (message != NULL && message->rotation_bits_set_case != 0) {
        precision.turn = ldexp(sqrt(2.0), -(int)message->rotation_bits);
    }
    return precision;
}
