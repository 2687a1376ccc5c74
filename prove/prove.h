/*
 * prove.h: decides whether an arrangement is stable, by which margin, and how it starts to fall;
 * every answer has a proof.
 *
 * Statics.  Forces f at the contacts hold the weights w if W f + w = 0 and every f lies in its
 * contact's cone K: f_n >= 0 and |f_t| <= mu f_n.  The margin is
 *
 *     t* = max t such that forces hold with (f_n - t, f_t) in K at every contact that bears,
 *          and f in K at the others
 *
 * Without friction this means: every bearing contact presses with at least t.  t* is exact, and two
 * exact objects prove it:
 *
 *     force    holds the weights with margin t*, so the margin is at least t*
 *     motion   virtual velocities u of the bodies.  y are the rates at which each contact opens
 *              (y_n) and slides (y_t), with y_n >= mu |y_t|; the y_n of the bearing contacts sum to
 *              1; the power of the weights w u is -t*.  Every force that holds has t <= -(w u), so
 *              the margin is at most t*
 *
 * If no forces hold for any t, not even a negative one, then t* = -infinity (PV_NO_FORCE).  The
 * motion then has y_n = 0 at bearing contacts, and its power is 1.  If the contacts can be squeezed
 * against each other by any force, then t has no upper bound (PV_ANY_FORCE).  `squeeze` are such
 * forces: they balance without the weights, and f_n >= 1.
 *
 * With round friction cones (in space) t* is usually irrational.  It can also be a fraction of too
 * many digits.  In both cases t* is enclosed between two fractions (PV_BOUNDS, bounds.h): force
 * proves a margin <= t*, and motion proves a bound >= t*.  The y_n of that motion may have any sum.
 *
 * Verdict.  Unknown: the bounds have different signs, or no bound was found.  Critical: |t*| is at
 * most 10^-12 of the weight of all bodies that can move.  Otherwise the sign of t* decides.
 * Without friction the verdict tells what will happen, in the plane and in space: a stable
 * arrangement stands, an unstable one falls.  On request, `start` holds the first accelerations of
 * an unstable one (gauss.h).  With friction the verdict only tells whether a holding force exists.
 * If none exists, the arrangement moves.  If one exists, it may still move, because the law of
 * friction can have several solutions.
 *
 * Source: Rote et al., "Simulation of collapsing brick towers by Gauss' principle of least
 * restraint" (stability as linear inequalities); Livesley 1978 (limit analysis of arches); duality.
 *
 * Departures: velocities are ignored, because the scene is taken at rest; springs and joints are
 * refused.
 */
#ifndef PROVE_PROVE_H
#define PROVE_PROVE_H

#include "prove/arrange.h"
#include "prove/bounds.h"
#include "prove/gauss.h"
#include "prove/program/program.h"

enum pv_verdict { PV_STABLE, PV_CRITICAL, PV_UNSTABLE, PV_UNKNOWN };
enum pv_margin_kind { PV_MARGIN, PV_NO_FORCE, PV_ANY_FORCE, PV_BOUNDS };

struct pv_answer {
    struct pv_choice choice;
    struct pv_arrangement arrangement;
    enum pv_verdict verdict;
    enum pv_margin_kind kind;
    bool with_friction;
    mpq_t margin;          /* [N] PV_MARGIN: t*; PV_BOUNDS with has_margin: at most t* */
    mpq_t bound;           /* [N] PV_BOUNDS with has_bound: at least t* */
    bool has_margin, has_bound; /* PV_BOUNDS: force proves margin, motion proves bound */
    mpq_t *force;          /* PV_FORCE_MAX a contact: its parts (wrench.h) [N] */
    mpq_t *squeeze;        /* likewise, for PV_ANY_FORCE */
    mpq_t *motion;         /* pv_dof a body: velocity of its point at the world's origin, turn */
    bool has_start;        /* only for PV_UNSTABLE without friction */
    struct pv_start start;
    uint64_t work;
    int exact_pivots;
    bool by_face; /* found by face.h, not by the simplex */
};

/*
 * On CN_OK *answer is filled, and the caller must finish it.  Otherwise *answer needs no finish,
 * and the status is a defect of arrange.h or CN_MEMORY.  PV_UNKNOWN: the allowed work was not
 * enough.  The tangent is the normal turned by a right angle, counter-clockwise.
 */
CN_MUST_USE enum cn_status pv_answer_init(struct pv_answer *answer,
    const struct cn_world_def *def, const struct pv_choice *choice, struct cn_defect *defect);
void pv_answer_finish(struct pv_answer *answer);

/*
 * Finds the first accelerations of an unstable answer without friction, and sets has_start unless
 * they need more work than is allowed.  On CN_LIMIT and CN_MEMORY *answer is unchanged.
 */
CN_MUST_USE enum cn_status pv_answer_find_start(
    struct pv_answer *answer, struct cn_defect *defect);

const char *pv_verdict_name(enum pv_verdict verdict);

#endif
