/*
 * faure96.h: contact forces by redistributing inconsistent virtual work.
 *
 * Source: Faure, "An Energy-Based Approach for Contact Force Computation", Eurographics 1996; the
 * algorithm is its figure 3, the choice among many solutions its section 2.5.
 *
 * At each contact either the acceleration is known and the force computed (the contact holds:
 * a = 0) or the force is known and the acceleration computed (it is open: f = 0).  K is the set of
 * rows that hold; at first all do.  A round solves for what is computed, with everything known at
 * its present value, and adds the answer to the present state:
 *
 *     df_K = A_KK^+ (-a_K),     f += df,     a = A f + b
 *
 * with the pseudo-inverse, i.e. the least change of forces, where A_KK is singular.  Then every
 * value that breaks the contact's conditions is inconsistent: a force that pulls (f_N < 0, in K),
 * an acceleration that closes (a_N < 0, not in K), friction beyond mu f_N.  All of them are
 * compensated at once by v, f + v_f and a + v_a, and their rows change sides.  The next round gives
 * back to the whole system the work that v has taken away.  Rounds cost the same, each.
 *
 * Anytime.  f + v_f satisfies every condition on forces and a + v_a every one on accelerations,
 * after any round; what is off is the balance of energy, A (f + v_f) + b = a + v_a.  The forces
 * that are returned are f + v_f, whatever the outcome.
 *
 * Friction.  mu of a contact that slides already (slip d, not zero) makes f_T = -mu f_N d, which is
 * eliminated: the column of f_N is that of the normal row less mu d times those of the tangent
 * rows.  Where d = 0 the tangent rows hold too, until they are beyond mu f_N.  The caller gives
 * the static coefficient where d = 0 and the dynamic one elsewhere.
 *
 * Motion control: a BILATERAL row whose b is the rate less the one that is wanted; its f is the
 * force or torque that makes it so.
 *
 * Departures from the paper, and why (E4 ... are the entries of the truth set's list of defects):
 *   - E4: the paper proves convergence without friction, and the proof does not hold: three legs
 *     of one body can go round for ever (test ids F-cycle-*).  When three rounds have gone by
 *     without a new least number of inconsistent contacts, only one, that of the highest index,
 *     changes sides in a round, until there is a new least (Judice and Pires, Computers and
 *     Operations Research 21, 1994; Murty's rule).  Single changes are sure to end where A is
 *     definite; where they do not, a cap ends them, and a frictionless problem is then settled by
 *     Dantzig's pivoting (dantzig.h) from the forces so far.
 *   - E5: the virtual work of what is inconsistent is said to fall in every round; it rises already
 *     in the paper's figure 4.  Nothing here relies on it.
 *   - E6: friction that is beyond the cone is set on it and, in the paper, stays at that number
 *     while f_N goes on changing, so that in the end |f_T| < mu f_N while the contact slides off.
 *     Here it stays on the cone: f_T = mu f_N u, eliminated like sliding.  In space u turns, by
 *     Newton's method on a_T . w = 0 (w across u), until friction opposes the motion; a contact
 *     whose friction comes to push along the motion holds again.
 *   - A static contact that opened and closes again holds with its tangent rows; in the paper its
 *     friction stays zero.
 *   - E7: the norm counts the forces of contacts, friction included, in newtons; those of
 *     BILATERAL rows, torques maybe, count next to nothing.  On request of minimum norm a
 *     frictionless problem gets the forces of least norm over all its rows (minimum_norm.h).  One
 *     with friction gets those of least norm among the ones with the final sets, or is INEXACT.
 *   - Rows of K that contradict each other: least squares, weighed by 1 / A_ii.  Of them those that
 *     part open; if the rest remain, no accelerations satisfy them: INFEASIBLE.
 *
 * With friction nothing is proven (section 3.3, end): inconsistent configurations alternate for
 * ever, and a cap ends that.  What is consistent then may be far off, even by a factor of 1e4, and
 * worlds that went on with it exploded.  So contacts are then solved by themselves, one after the
 * other, in sweeps from no forces at all (faure96_sweep.c), and of all that came by those forces
 * are returned that the judge likes best; if that is not within the tolerance, the outcome is what
 * it was without sweeps.  Of random problems with friction, with bodies of very different mass,
 * between a half and four fifths converge without sweeps; of one body on four contacts all that its
 * test draws.  For exact forces there are baraff94 and newton.  A budget below the cap ends without
 * sweeps, after any round.
 *
 * Size.  A_KK^+ is dense, O(n^3) a round, up to 32 rows, and with friction up to
 * CN_CONTACT_ROWS_MAX.  Larger frictionless islands use a sparse factor, and their least change of
 * forces is that of sum A_ii df_i^2.  Islands with friction beyond the limit are not solved:
 * ITERATIONS_MAX and no forces.
 */
#ifndef ENGINE_SOLVE_FAURE96_H
#define ENGINE_SOLVE_FAURE96_H

#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_faure96;

enum cn_faure96_fault {
    CN_FAURE96_FINE,
    CN_FAURE96_PULLS,  /* a computed normal force < 0 */
    CN_FAURE96_SINKS,  /* a computed normal acceleration < 0 */
    CN_FAURE96_BEYOND, /* computed friction beyond mu f_N */
    CN_FAURE96_DRIVES, /* friction set on the cone pushes along the motion */
    CN_FAURE96_PARTS,  /* held, but torn open by others that it contradicts */
};

/* One round, seen when its solve is done and its inconsistent values are known. */
struct cn_faure96_round {
    int count; /* solves so far, this one included */
    int n;
    const double *f, *a;        /* n each */
    const unsigned char *fault; /* n: of a contact, at its normal row */
    const double *v_f, *v_a;    /* n each: (f + v_f, a + v_a) is consistent */
};

struct cn_faure96_options {
    bool literal; /* figure 3 as printed: without the safeguard and the cure of E6 */
    void (*visit)(void *context, const struct cn_faure96_round *round); /* may be NULL */
    void *context;
};

/* As the matrix solver's solve, with more said about how. */
struct cn_solve_report cn_faure96_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, const struct cn_faure96_options *how,
    struct cn_arena *scratch, double *f);

#endif
