/*
 * profile.h: which phases of a step take how much time, for a caller that has a clock.
 *
 * The engine has no clock: at the end of each phase it calls a hook, which may read one.  A phase
 * may come more than once in a step.
 */
#ifndef ENGINE_BASE_PROFILE_H
#define ENGINE_BASE_PROFILE_H

#include <stddef.h>

/* Enumerator, name, what it covers. */
#define CN_PHASE_TABLE(X)                                                                          \
    X(BEGIN, "begin", "solver bodies and forces")                                                  \
    X(PAIRS, "pairs", "finding pairs that may touch")                                              \
    X(COLLIDE, "collide", "the narrowphase")                                                       \
    X(GATHER, "gather", "contact list, events, waking, colours")                                   \
    X(PREPARE, "prepare", "constraints of contacts and joints")                                    \
    X(SOLVE, "solve", "the substeps")                                                              \
    X(STORE, "store", "restitution and impulses")                                                  \
    X(FINISH, "finish", "poses, boxes, sleep timers")                                              \
    X(CONTINUOUS, "continuous", "bodies that are fast")                                            \
    X(SLEEP, "sleep", "islands that fall asleep")

#define X(NAME, name, text) CN_PHASE_##NAME,
enum cn_phase { CN_PHASE_TABLE(X) CN_PHASE_COUNT };
#undef X

struct cn_profile {
    void (*mark)(struct cn_profile *profile, enum cn_phase phase); /* the phase just ended */
};

static inline void
cn_profile_mark(struct cn_profile *profile, enum cn_phase phase)
{
    if (profile != NULL) {
        profile->mark(profile, phase);
    }
}

#endif
