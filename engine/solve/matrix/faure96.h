/*
 * faure96.h: contact forces by redistributing inconsistent virtual work.
 *
 * Source: Faure, "An Energy-Based Approach for Contact Force Computation", Eurographics 1996; the
 * algorithm is its figure 3, the choice among many solutions its section 2.5.
 *
 * At each contact either the acceleration is known and the force computed (the contact holds: a =
 * 0), or the force is known and the acceleration computed (it is open: f = 0).  K is the set of
 * rows that hold; at first all do.  A round solves for the computed values, with the known ones at
 * their present values, and adds the result:
 *
 *     df_K = A_KK^+ (-a_K),     f += df,     a = A f + b
 *
 * with the pseudo-inverse, i.e. the least change of forces, where A_KK is singular.  Then every
 * value that violates the contact's conditions is inconsistent: a force that pulls (f_N < 0, in K),
 * an acceleration that closes (a_N < 0, not in K), friction beyond mu f_N.  All of these are
 * compensated at once by v, to f + v_f and a + v_a, and their rows change sides.  The next round
 * returns to the whole system the work that v has removed.  All rounds cost the same.
 *
 * Anytime.  After any round f + v_f satisfies every condition on forces, and a + v_a every one on
 * accelerations.  Only the balance is violated: A (f + v_f) + b = a + v_a.  The returned forces are
 * f + v_f, for every outcome.
 *
 * Friction.  At a contact that slides already (slip d, not zero) mu gives f_T = -mu f_N d, which is
 * eliminated: the column of f_N is that of the normal row minus mu d times those of the tangent
 * rows.  Where d = 0 the tangent rows hold too, until they are beyond mu f_N.  The caller gives the
 * static coefficient where d = 0 and the dynamic one elsewhere.
 *
 * Motion control: a BILATERAL row whose b is the rate minus the wanted rate; its f is the force or
 * torque that enforces it.
 *
 * Departures from the paper, and the reasons (E4 ... are entries in the truth set's list of
 * defects):
 *   - E4: the paper's proof of convergence without friction does not hold: three legs of one body
 *     can cycle for ever (test ids F-cycle-*).  After three rounds without a new least number of
 *     inconsistent contacts only one contact, that of the highest index, changes sides in a
 *     round, until there is a new least number (Judice and Pires, Computers and Operations
 *     Research 21, 1994; Murty's rule).  Single changes always end where A is definite.  Where
 *     they do not end, a limit ends them, and a frictionless problem is then solved by Dantzig's
 *     pivoting (dantzig.h) from the forces so far.
 *   - E5: the paper says that the virtual work of inconsistent values falls in every round; it
 *     rises in the paper's own figure 4.  Nothing here relies on it.
 *   - E6: friction beyond the cone is set on it.  In the paper it then keeps that number while
 *     f_N still changes, so that in the end |f_T| < mu f_N while the contact slides.  Here it
 *     stays on the cone: f_T = mu f_N u, eliminated like sliding.  In space u turns, by Newton's
 *     method on a_T . w = 0 (w across u), until friction opposes the motion.  A contact whose
 *     friction pushes along the motion holds again.
 *   - A static contact that opened and closes again holds with its tangent rows; in the paper
 *     its friction stays zero.
 *   - E7: the norm counts the forces of contacts, friction included, in newtons; those of
 *     BILATERAL rows, which may be torques, have almost no weight.  On request of minimum norm a
 *     frictionless problem gets the forces of least norm over all its rows (minimum_norm.h).  One
 *     with friction gets those of least norm for the final sets, or is INEXACT.
 *   - Rows of K that contradict each other: least squares, weighted by 1 / A_ii.  Those that part
 *     are opened; if contradictions remain, no accelerations satisfy them: INFEASIBLE.
 *
 * With friction nothing is proven (section 3.3, end): inconsistent configurations may alternate for
 * ever, and a limit ends that.  The consistent forces may then be wrong by a factor of 1e4, and
 * worlds that used them exploded.  So contacts are then solved one after the other, in sweeps from
 * zero forces (faure96_sweep.c), and the forces of least residual are returned.  If they are not
 * within the tolerance, the outcome is the one before the sweeps.  Of random problems with friction
 * and bodies of very different mass, between a half and four fifths converge without sweeps.  Of
 * problems with one body on four contacts, all in its test do.  For exact forces use baraff94 or
 * newton.  A budget below the limit ends without sweeps, after any round.
 *
 * Size.  A_KK^+ is dense, O(n^3) a round, up to 32 rows, and with friction up to
 * CN_CONTACT_ROWS_MAX. Larger frictionless islands use a sparse factor, and their least change of
 * forces minimises sum A_ii df_i^2.  Larger islands with friction are not solved: ITERATIONS_MAX
 * and zero forces; another solver solves them.
 */
#ifndef ENGINE_SOLVE_MATRIX_FAURE96_H
#define ENGINE_SOLVE_MATRIX_FAURE96_H

#include "engine/solve/matrix/faure96_options.h"
#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_faure96;

/* Like the matrix solver's solve, with further options. */
struct cn_solve_report cn_faure96_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, const struct cn_faure96_options *how,
    struct cn_arena *scratch, double *f);

#endif
