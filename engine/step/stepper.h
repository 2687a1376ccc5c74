/*
 * stepper.h: what every stepper looks like from outside.
 *
 * A stepper advances a model by one tick in pieces.  A piece ends at a point where the whole state
 * stands in persistent fields, so a step may stop there and go on later with the same bits.
 */
#ifndef ENGINE_STEP_STEPPER_H
#define ENGINE_STEP_STEPPER_H

struct cn_stepper {
    const char *name; /* stable: appears in scenes, on the wire and in golden file names */
    const char *cite;
    const char *text; /* one line for people */
};

/* NULL when no stepper has that name. */
const struct cn_stepper *cn_stepper_find(const char *name);

/* The table, in order; stepper_count entries. */
extern const struct cn_stepper *const cn_steppers[];
extern const int cn_stepper_count;

#endif
