#include "prove/exact/watch.h"

#include <stddef.h>

static _Thread_local const struct pv_watch *current;
static _Thread_local const char *current_phase;

void
pv_watch_set(const struct pv_watch *watch)
{
    current = watch != NULL && watch->show != NULL ? watch : NULL;
    current_phase = "starting";
}

void
pv_phase(const char *phase)
{
    current_phase = phase;
    pv_part(0.0);
}

void
pv_part(double part)
{
    if (current != NULL) {
        current->show(current->context, current_phase, part);
    }
}
