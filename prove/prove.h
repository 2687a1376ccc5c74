/*
 * prove.h: is this arrangement stable, by how much, and how does it start to fall; with a proof.
 *
 * Statics.  Forces f at the contacts hold the weights w when W f + w = 0 and every f lies in its
 * contact's cone K: f_n >= 0 and |f_t| <= mu f_n.  The margin is
 *
 *     t* = max t such that forces hold with (f_n - t, f_t) in K at every contact that bears,
 *          and f in K at the others
 *
 * Without friction that is: every bearing contact presses with at least t.  t* is found exactly,
 * as is what proves it from both sides:
 *
 *     force    holds the weights with margin t*: so no less
 *     motion   virtual velocities u of the bodies with y_n >= mu |y_t| for the rates y at which
 *              each contact opens and slides, sum of y_n over the bearing ones 1, and the power of
 *              the weights -t*: so no more, for any forces that hold have t <= -(w u)
 *
 * Where no forces hold for any t, however negative, the motion has no y_n at bearing contacts and
 * the power 1 (PV_NO_FORCE: t* = -infinity).  Where t has no bound, because the contacts can be
 * squeezed against each other at will, `squeeze` are forces without weight, f_n >= 1
 * (PV_ANY_FORCE).
 *
 * Where t* is no fraction, as round friction cones make it in space, or one of too many digits, it
 * is told between two (PV_BOUNDS, bounds.h): force proves a margin <= t*, and motion, in which the
 * y_n need not sum to 1, a bound >= t*.
 *
 * Verdict.  Unknown: where these bounds differ in sign, or none was found.  Critical: |t*| <=
 * 10^-12 of the weight of all that can move; else by the sign of t*. Without friction it is the
 * truth, in the plane and in space: what is stable stands, what is unstable falls, and `start`
 * says how (gauss.h), when asked for.  With friction it is what statics can say: a holding force
 * exists, or none does.  That none exists means that it moves; that one exists does not mean that
 * it stays, because friction's law has other answers too.
 *
 * Source: Rote et al., "Simulation of collapsing brick towers by Gauss' principle of least
 * restraint" (stability as linear inequalities); Livesley 1978 (limit analysis of arches); duality.
 *
 * Departures: velocities, springs and joints are no part of the question: the scene is taken at
 * rest, springs and joints are refused.
 */
#ifndef PROVE_PROVE_H
#define PROVE_PROVE_H

#include "prove/arrangement.h"
#include "prove/bounds.h"
#include "prove/gauss.h"
#include "prove/program.h"

enum pv_verdict { PV_STABLE, PV_CRITICAL, PV_UNSTABLE, PV_UNKNOWN };
enum pv_margin_kind { PV_MARGIN, PV_NO_FORCE, PV_ANY_FORCE, PV_BOUNDS };

struct pv_answer {
    struct pv_choice choice;
    struct pv_arrangement arrangement;
    enum pv_verdict verdict;
    enum pv_margin_kind kind;
    bool with_friction;
    mpq_t margin;          /* N; kind PV_MARGIN: t*; PV_BOUNDS: at most t*, when has_margin */
    mpq_t bound;           /* N; kind PV_BOUNDS: at least t*, when has_bound */
    bool has_margin, has_bound; /* kind PV_BOUNDS: force, motion prove them */
    mpq_t *force;          /* PV_FORCE_MAX a contact: its parts (wrench.h) [N] */
    mpq_t *squeeze;        /* likewise; kind PV_ANY_FORCE */
    mpq_t *motion;         /* pv_dof a body: velocity of its point at the world's origin, turn */
    bool has_start;        /* unstable without friction */
    struct pv_start start;
    uint64_t work;
    int exact_pivots;
    bool by_face; /* not by the simplex, which is slow where there is much */
};

/*
 * CN_OK: *answer is filled and to be finished.  Else the defect of arrangement.h, or
 * CN_MEMORY, and it is not.
 * PV_UNKNOWN: the work allowed was not enough.  The tangent is the normal turned by a right angle,
 * counter-clockwise.
 */
CN_MUST_USE enum cn_status pv_answer_init(struct pv_answer *answer,
    const struct cn_world_def *def, const struct pv_choice *choice, struct cn_defect *defect);
void pv_answer_finish(struct pv_answer *answer);

/*
 * The first accelerations, where there are any: fills start, and has_start unless they took more
 * work than is allowed.  CN_LIMIT, CN_MEMORY: *answer is as it was.
 */
CN_MUST_USE enum cn_status pv_answer_find_start(
    struct pv_answer *answer, struct cn_defect *defect);

const char *pv_verdict_name(enum pv_verdict verdict);

#endif
