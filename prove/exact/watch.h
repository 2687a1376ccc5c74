/*
 * watch.h: how far a computation is, for a caller that shows it.
 *
 * A computation names the phase that it begins.  Then it reports which part of the phase is done,
 * or only that it continues.
 *
 * Threads: each thread has a watch of its own, as it has attempts of its own (memory.h).
 */
#ifndef PROVE_EXACT_WATCH_H
#define PROVE_EXACT_WATCH_H

#define PV_GOES_ON (-1.0) /* the part that is done is not known */

struct pv_watch {
    /* `phase` completes "cairn is ...".  part: 0 to 1, or PV_GOES_ON. */
    void (*show)(void *context, const char *phase, double part);
    void *context;
};

/* Sets the thread's watch, which is borrowed until it is replaced; NULL or show NULL: nobody. */
void pv_watch_set(const struct pv_watch *watch);

void pv_phase(const char *phase); /* a literal */
void pv_part(double part);

#endif
