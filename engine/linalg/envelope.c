#include "engine/linalg/envelope.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

/*
 * Row i, indexed by column.  start[i] >= i >= first[i], since every earlier row has at least one
 * entry.
 */
static inline double *
row_at(const struct cn_envelope *envelope, int i)
{
    return envelope->entry + (envelope->start[i] - (size_t)envelope->first[i]);
}

void
cn_envelope_take(struct cn_envelope *envelope, struct cn_arena *arena, int row_max,
    size_t entry_max)
{
    CN_ASSERT(0 <= row_max);
    size_t n = (size_t)row_max;
    *envelope = (struct cn_envelope){.row_max = row_max, .entry_max = entry_max};
    envelope->first = CN_ARENA_TAKE(arena, int, n);
    envelope->start = CN_ARENA_TAKE(arena, size_t, n);
    envelope->entry = CN_ARENA_TAKE(arena, double, entry_max);
    envelope->inverse = CN_ARENA_TAKE(arena, double, n);
    envelope->staged = CN_ARENA_TAKE(arena, double, n);
    envelope->turn_cos = CN_ARENA_TAKE(arena, double, n);
    envelope->turn_sin = CN_ARENA_TAKE(arena, double, n);
}

void
cn_envelope_reset(struct cn_envelope *envelope)
{
    envelope->count = 0;
    envelope->used = 0;
}

double *
cn_envelope_staging(struct cn_envelope *envelope)
{
    return envelope->staged;
}

double
cn_envelope_stage(struct cn_envelope *envelope, int first, double diagonal)
{
    int count = envelope->count;
    CN_ASSERT(0 <= first && first <= count);
    double *y = envelope->staged;
    double schur = diagonal;
    int64_t pending = 0;
    for (int j = first; j < count; j++) {
        int from = envelope->first[j] > first ? envelope->first[j] : first;
        double sum = y[j];
        if (from < j) {
            sum -= cn_dot(row_at(envelope, j) + from, y + from, j - from);
            envelope->work += j - from;
            cn_work_count(&pending, j - from);
        }
        y[j] = sum * envelope->inverse[j];
        schur -= y[j] * y[j];
    }
    envelope->staged_first = first;
    envelope->work += count - first;
    cn_work_spend(pending + count - first);
    return schur;
}

const double *
cn_envelope_row(const struct cn_envelope *envelope, int i)
{
    CN_ASSERT(0 <= i && i < envelope->count);
    return row_at(envelope, i);
}

bool
cn_envelope_commit(struct cn_envelope *envelope, double schur)
{
    CN_ASSERT(schur > 0.0); /* invariant 3 */
    int i = envelope->count, first = envelope->staged_first;
    CN_ASSERT(0 <= first && first <= i); /* invariant 1 */
    size_t length = (size_t)(i - first);
    if (i == envelope->row_max || envelope->entry_max - envelope->used < length + 1) {
        return false;
    }
    envelope->first[i] = first;
    envelope->start[i] = envelope->used;
    double pivot = sqrt(schur);
    memcpy(envelope->entry + envelope->used, envelope->staged + first, length * sizeof(double));
    envelope->entry[envelope->used + length] = pivot;
    envelope->inverse[i] = 1.0 / pivot;
    envelope->used += length + 1;
    envelope->count++;
    CN_ASSERT(envelope->count <= envelope->row_max); /* invariant 2 */
    CN_ASSERT(envelope->used <= envelope->entry_max);
    return true;
}

/* x = inv(L') x; x has count entries. */
static void
solve_back(struct cn_envelope *envelope, double *x)
{
    int64_t pending = 0;
    for (int i = envelope->count - 1; i >= 0; i--) {
        int first = envelope->first[i];
        x[i] *= envelope->inverse[i];
        cn_axpy(-x[i], row_at(envelope, i) + first, x + first, i - first);
        envelope->work += i - first + 1;
        cn_work_count(&pending, i - first + 1);
    }
    cn_work_spend(pending);
}

void
cn_envelope_staged_solve(struct cn_envelope *envelope, double *x)
{
    int first = envelope->staged_first, count = envelope->count;
    CN_ASSERT(0 <= first && first <= count && (count == 0 || x != envelope->staged));
    memset(x, 0, (size_t)first * sizeof(x[0]));
    memcpy(x + first, envelope->staged + first, (size_t)(count - first) * sizeof(x[0]));
    solve_back(envelope, x);
}

/* Turns row i + 1 into row i without its column k, and returns the entry of that column. */
static double
row_shift(struct cn_envelope *envelope, int i, int k)
{
    int first = envelope->first[i + 1];
    CN_ASSERT(0 <= first && first <= i + 1 && k <= i); /* invariant 1 */
    envelope->start[i] = envelope->start[i + 1];
    if (first > k) {
        envelope->first[i] = first - 1;
        return 0.0;
    }
    envelope->first[i] = first;
    double *row = row_at(envelope, i), gone = row[k];
    memmove(row + k, row + k + 1, (size_t)(i + 1 - k) * sizeof(row[0]));
    return gone;
}

void
cn_envelope_remove(struct cn_envelope *envelope, int k)
{
    CN_ASSERT(0 <= k && k < envelope->count);
    envelope->count--;
    double *turn_cos = envelope->turn_cos, *turn_sin = envelope->turn_sin;
    int64_t pending = 0;
    for (int i = k; i < envelope->count; i++) {
        double v = row_shift(envelope, i, k);
        double *row = row_at(envelope, i);
        int from = envelope->first[i] > k ? envelope->first[i] : k;
        for (int j = from; j < i; j++) {
            double l = row[j];
            row[j] = turn_cos[j] * l + turn_sin[j] * v;
            v = turn_cos[j] * v - turn_sin[j] * l;
        }
        double pivot = sqrt(row[i] * row[i] + v * v);
        turn_cos[i] = row[i] / pivot;
        turn_sin[i] = v / pivot;
        row[i] = pivot;
        envelope->inverse[i] = 1.0 / pivot;
        envelope->work += 4 * (i - from + 1);
        cn_work_count(&pending, 4 * (i - from + 1));
    }
    cn_work_spend(pending);
}

void
cn_envelope_solve(struct cn_envelope *envelope, double *x)
{
    int64_t pending = 0;
    for (int i = 0; i < envelope->count; i++) {
        int first = envelope->first[i];
        double sum = x[i] - cn_dot(row_at(envelope, i) + first, x + first, i - first);
        x[i] = sum * envelope->inverse[i];
        envelope->work += i - first + 1;
        cn_work_count(&pending, i - first + 1);
    }
    cn_work_spend(pending);
    solve_back(envelope, x);
}
