#include "engine/solve/matrix_solver.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

bool
cn_matrix_has(const struct cn_matrix_problem *problem, enum cn_row_tag tag)
{
    for (int i = 0; i < problem->n; i++) {
        if (cn_matrix_tag(problem, i) == tag) {
            return true;
        }
    }
    return false;
}

bool
cn_matrix_rolls(const struct cn_matrix_problem *problem)
{
    return cn_matrix_has(problem, CN_ROW_ROLLING) || cn_matrix_has(problem, CN_ROW_SPINNING);
}

bool
cn_matrix_rubs(const struct cn_matrix_problem *problem)
{
    return cn_matrix_has(problem, CN_ROW_TANGENT) || cn_matrix_rolls(problem);
}

void
cn_matrix_check(const struct cn_matrix_problem *problem)
{
    const struct cn_delassus *island = problem->delassus;
    CN_ASSERT(problem->n >= 0 && problem->b != NULL);
    CN_ASSERT((problem->A != NULL) + (problem->sparse != NULL) + (island != NULL) == 1);
    CN_ASSERT(problem->A == NULL || problem->stride >= problem->n);
    CN_ASSERT(island == NULL || island->row_count == problem->n);
    CN_ASSERT(island == NULL || island->dof == 3 || island->dof == 6);
    if (problem->tag == NULL) {
        return; /* all rows are NORMAL */
    }
    int last = CN_ROW_BILATERAL, count = 0; /* tag of the row before, and rows with that tag */
    for (int i = 0; i < problem->n; i++) {
        int tag = (int)cn_matrix_tag(problem, i);
        CN_ASSERT(tag != CN_ROW_BOUNDED || (problem->lower != NULL && problem->upper != NULL));
        count = tag == last ? count + 1 : 1;
        if (cn_row_follows((enum cn_row_tag)tag)) { /* invariants 2 and 3 */
            CN_ASSERT(count <= (tag == CN_ROW_SPINNING ? 1 : 2) && problem->friction != NULL);
            CN_ASSERT(last == CN_ROW_NORMAL || (last >= CN_ROW_TANGENT && last <= tag));
        }
        last = tag;
    }
}

/* Limits the disc whose first row is i to its rim, because a contact can not bear more. */
static void
keep_in_disc(const struct cn_matrix_problem *problem, int i, double press, double *f)
{
    bool two = i + 1 < problem->n && cn_matrix_tag(problem, i + 1) == cn_matrix_tag(problem, i);
    double *tangent = &f[i], second = two ? tangent[1] : 0.0;
    double rim = cn_friction_limit(problem->tag, problem->friction, i) * press;
    double length = sqrt(tangent[0] * tangent[0] + second * second);
    if (length > rim) {
        tangent[0] *= rim / length;
        second *= rim / length;
    }
    if (two) {
        tangent[1] = second;
    }
}

void
cn_matrix_make_usable(const struct cn_matrix_problem *problem, double *f)
{
    for (int i = 0; i < problem->n; i++) {
        enum cn_row_tag tag = cn_matrix_tag(problem, i);
        bool usable = isfinite(f[i]) && (tag != CN_ROW_NORMAL || f[i] > 0.0);
        f[i] = usable ? f[i] : 0.0;
        if (tag == CN_ROW_BOUNDED) {
            f[i] = cn_min(cn_max(f[i], problem->lower[i]), problem->upper[i]);
        }
    }
    double press = 0.0; /* of the contact of row i */
    for (int i = 0; i < problem->n; i++) {
        enum cn_row_tag tag = cn_matrix_tag(problem, i);
        press = cn_row_follows(tag) ? press : f[i];
        if (cn_row_follows(tag) && cn_matrix_tag(problem, i - 1) != tag) {
            keep_in_disc(problem, i, press, f);
        }
    }
}
