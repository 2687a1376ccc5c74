/* stepper_table.h: the steppers, one line each. */
#ifndef ENGINE_STEP_STEPPER_TABLE_H
#define ENGINE_STEP_STEPPER_TABLE_H

#include "engine/step/stepper.h"

#ifndef CN_STEPPER_TABLE
#define CN_STEPPER_TABLE(X)                                                                        \
    X(event)    /* integrates from impact to impact: exact, small worlds */                        \
    X(time)     /* one problem a tick at velocity level: robust */                                 \
    X(position) /* one problem a tick at position level: plastic */                                \
    X(propagation) /* collision, velocity, contact, position: stacks of any form */
#endif

#define X(name) extern const struct cn_stepper cn_stepper_##name;
CN_STEPPER_TABLE(X)
#undef X

#endif
