/*
 * watch.h: how far a verification is, for a caller that shows it.
 */
#ifndef VERIFY_WATCH_H
#define VERIFY_WATCH_H

#include <stddef.h>

struct vf_watch {
    /* `phase` completes "cairn is ..."; part: what is done of the phase, 0 to 1. */
    void (*show)(void *context, const char *phase, double part); /* may be NULL */
    void *context;
};

static inline void
vf_tell(const struct vf_watch *watch, const char *phase, int done, int count)
{
    if (watch->show != NULL) {
        watch->show(watch->context, phase, (double)done / count);
    }
}

#endif
