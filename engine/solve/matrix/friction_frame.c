#include "engine/solve/matrix/friction_frame.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <math.h>
#include <string.h>

void
cn_friction_frame_take(struct cn_friction_frame *frame, struct cn_arena *scratch, int n)
{
    size_t rows = (size_t)n;
    *frame = (struct cn_friction_frame){0};
    frame->c = CN_ARENA_TAKE(scratch, double, rows);
    frame->s = CN_ARENA_TAKE(scratch, double, rows);
    frame->normal = CN_ARENA_TAKE(scratch, int, rows);
    frame->row = CN_ARENA_TAKE(scratch, double, rows);
    frame->f = CN_ARENA_TAKE(scratch, double, rows);
    frame->place = CN_ARENA_TAKE(scratch, int, rows);
}

void
cn_friction_frame_begin(
    struct cn_friction_frame *frame, const struct cn_matrix_problem *problem)
{
    frame->problem = problem;
    for (int i = 0; i < problem->n; i++) {
        frame->c[i] = 1.0;
        frame->s[i] = 0.0;
        frame->place[i] = i;
        bool tangent = cn_row_follows(cn_matrix_tag(problem, i));
        CN_ASSERT(!tangent || (i > 0 && problem->friction != NULL));
        bool second = tangent && frame->normal[i - 1] >= 0;
        frame->normal[i] = !tangent ? -1 : second ? frame->normal[i - 1] : i - 1;
        CN_ASSERT(!tangent || cn_matrix_tag(problem, frame->normal[i]) == CN_ROW_NORMAL);
    }
}

/* The first row of the disc of tangent row i. */
static int
disc_of(const struct cn_friction_frame *frame, int i)
{
    CN_ASSERT(frame->normal[i] >= 0);
    return cn_matrix_tag(frame->problem, i - 1) == cn_matrix_tag(frame->problem, i) ? i - 1 : i;
}

bool
cn_friction_frame_is_pair(const struct cn_friction_frame *frame, int i)
{
    return frame->normal[i] >= 0 && i + 1 < frame->problem->n && frame->normal[i + 1] >= 0 &&
        disc_of(frame, i) == i && disc_of(frame, i + 1) == i;
}

void
cn_friction_frame_turn(struct cn_friction_frame *frame, int i, double x, double y)
{
    CN_ASSERT(cn_friction_frame_is_pair(frame, i)); /* invariant 2 */
    double length = sqrt(x * x + y * y);
    if (length > 0.0 && isfinite(length)) {
        frame->c[i] = x / length;
        frame->s[i] = y / length;
    }
}

/* Turns the values of a pair by c and s. */
static void
turn_pair(double *pair, double c, double s)
{
    double first = c * pair[0] + s * pair[1];
    pair[1] = -s * pair[0] + c * pair[1];
    pair[0] = first;
}

void
cn_friction_frame_enter(const struct cn_friction_frame *frame, double *values)
{
    for (int i = 0; i < frame->problem->n; i++) {
        if (frame->s[i] != 0.0 || frame->c[i] != 1.0) {
            turn_pair(&values[i], frame->c[i], frame->s[i]);
        }
    }
}

void
cn_friction_frame_leave(const struct cn_friction_frame *frame, double *values)
{
    for (int i = 0; i < frame->problem->n; i++) {
        if (frame->s[i] != 0.0 || frame->c[i] != 1.0) {
            turn_pair(&values[i], frame->c[i], -frame->s[i]);
        }
    }
}

static void
problem_row(const struct cn_friction_frame *frame, int i, double *out)
{
    int n = frame->problem->n;
    CN_ASSERT(0 <= i && i < n);
    int first = cn_matrix_column(frame->problem, i, frame->place, n, out);
    memset(out, 0, (size_t)first * sizeof(out[0]));
    cn_work_spend(4 * n);
}

void
cn_friction_frame_row(const struct cn_friction_frame *frame, int i, double *out)
{
    int n = frame->problem->n;
    problem_row(frame, i, out);
    bool first = cn_friction_frame_is_pair(frame, i);
    bool second = i > 0 && cn_friction_frame_is_pair(frame, i - 1);
    if (first || second) {
        int pair = first ? i : i - 1;
        double own = frame->c[pair], other = first ? frame->s[pair] : -frame->s[pair];
        problem_row(frame, first ? i + 1 : i - 1, frame->row);
        for (int j = 0; j < n; j++) {
            out[j] = own * out[j] + other * frame->row[j];
        }
    }
    cn_friction_frame_enter(frame, out);
}

void
cn_friction_frame_b(const struct cn_friction_frame *frame, double *b)
{
    memcpy(b, frame->problem->b, (size_t)frame->problem->n * sizeof(b[0]));
    cn_friction_frame_enter(frame, b);
}

void
cn_friction_frame_rates(const struct cn_friction_frame *frame, const double *f, double *a)
{
    memcpy(frame->f, f, (size_t)frame->problem->n * sizeof(f[0]));
    cn_friction_frame_leave(frame, frame->f);
    cn_matrix_rates(frame->problem, frame->f, a);
    cn_friction_frame_enter(frame, a);
}

double
cn_friction_frame_mu(const struct cn_friction_frame *frame, int i)
{
    return cn_friction_limit(frame->problem->tag, frame->problem->friction, disc_of(frame, i));
}

bool
cn_friction_frame_slides(const struct cn_friction_frame *frame, int i)
{
    const double *slip = frame->problem->slip;
    int first = disc_of(frame, i);
    bool pair = cn_friction_frame_is_pair(frame, first);
    return slip != NULL && (slip[first] != 0.0 || (pair && slip[first + 1] != 0.0));
}

double
cn_friction_frame_slip(const struct cn_friction_frame *frame, int i)
{
    int first = disc_of(frame, i);
    if (!cn_friction_frame_slides(frame, i)) {
        return 0.0;
    }
    const double *slip = &frame->problem->slip[first];
    double c = frame->c[first], s = frame->s[first];
    if (!cn_friction_frame_is_pair(frame, first)) {
        return slip[0];
    }
    return i == first ? c * slip[0] + s * slip[1] : -s * slip[0] + c * slip[1];
}
