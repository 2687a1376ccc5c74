#include "engine/step/stepper_table.h"

#include <string.h>

#define X(name) &cn_stepper_##name,
const struct cn_stepper *const cn_steppers[] = {CN_STEPPER_TABLE(X)};
#undef X

const int cn_stepper_count = (int)(sizeof(cn_steppers) / sizeof(cn_steppers[0]));

const struct cn_stepper *
cn_stepper_find(const char *name)
{
    for (int i = 0; i < cn_stepper_count; i++) {
        if (strcmp(cn_steppers[i]->name, name) == 0) {
            return cn_steppers[i];
        }
    }
    return NULL;
}

bool
cn_stepper_fits(const struct cn_stepper *stepper, const struct cn_solver *solver)
{
    return stepper != NULL && solver != NULL &&
           (stepper->solver_kinds & CN_STEPS(solver->kind)) != 0;
}
