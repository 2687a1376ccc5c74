/*
 * faure96_options.h: how a call of faure96 may differ from the usual one, and what a caller sees of
 * its rounds; faure96.h is the manual.
 */
#ifndef ENGINE_SOLVE_MATRIX_FAURE96_OPTIONS_H
#define ENGINE_SOLVE_MATRIX_FAURE96_OPTIONS_H

#include <stdbool.h>

enum cn_faure96_fault {
    CN_FAURE96_FINE,
    CN_FAURE96_PULLS,  /* a computed normal force < 0 */
    CN_FAURE96_SINKS,  /* a computed normal acceleration < 0 */
    CN_FAURE96_BEYOND, /* computed friction beyond mu f_N */
    CN_FAURE96_DRIVES, /* friction set on the cone pushes along the motion */
    CN_FAURE96_PARTS,  /* held, but pulled open by rows that it contradicts */
};

/* One round, shown when its solve is done and its inconsistent values are known. */
struct cn_faure96_round {
    int count; /* number of solves so far, this one included */
    int n;
    const double *f, *a;        /* n each */
    const unsigned char *fault; /* n: a contact's fault, at its normal row */
    const double *v_f, *v_a;    /* n each: (f + v_f, a + v_a) is consistent */
};

struct cn_faure96_options {
    bool literal; /* figure 3 as printed: without the safeguard of E4 and the remedy of E6 */
    void (*visit)(void *context, const struct cn_faure96_round *round); /* may be NULL */
    void *context;
};

#endif
