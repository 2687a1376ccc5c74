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
    int tangents = 3; /* after the last NORMAL row; 3: no contact */
    for (int i = 0; i < problem->n; i++) {
        enum cn_row_tag tag = cn_matrix_tag(problem, i);
        CN_ASSERT(tag != CN_ROW_BOUNDED || (problem->lower != NULL && problem->upper != NULL));
        if (tag == CN_ROW_TANGENT) {
            tangents++;
            CN_ASSERT(tangents <= 2 && problem->friction != NULL); /* invariants 2 and 3 */
        } else {
            tangents = tag == CN_ROW_NORMAL ? 0 : 3;
        }
    }
}

/* Limits friction to its cone, because a contact can not bear more. */
static void
keep_in_cone(const struct cn_matrix_problem *problem, int i, double *f)
{
    bool two = i + 2 < problem->n && cn_matrix_tag(problem, i + 2) == CN_ROW_TANGENT;
    double *tangent = &f[i + 1], second = two ? tangent[1] : 0.0;
    double rim = problem->friction[i] * f[i];
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
    for (int i = 0; i + 1 < problem->n; i++) {
        if (cn_matrix_tag(problem, i) == CN_ROW_NORMAL &&
            cn_matrix_tag(problem, i + 1) == CN_ROW_TANGENT) {
            keep_in_cone(problem, i, f);
        }
    }
}
