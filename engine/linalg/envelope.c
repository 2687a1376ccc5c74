#include "engine/linalg/envelope.h"

#include "engine/base/assert.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

static inline double *
row_at(const struct cn_envelope *envelope, int i)
{
    return envelope->packed + (size_t)i * (size_t)(i + 1) / 2;
}

void
cn_envelope_take(struct cn_envelope *envelope, struct cn_arena *arena, int capacity)
{
    CN_ASSERT(0 <= capacity);
    size_t n = (size_t)capacity;
    *envelope = (struct cn_envelope){.capacity = capacity};
    envelope->first = CN_ARENA_TAKE(arena, int, n);
    envelope->packed = CN_ARENA_TAKE(arena, double, n * (n + 1) / 2);
    envelope->inverse = CN_ARENA_TAKE(arena, double, n);
    envelope->turn_cos = CN_ARENA_TAKE(arena, double, n);
    envelope->turn_sin = CN_ARENA_TAKE(arena, double, n);
}

void
cn_envelope_reset(struct cn_envelope *envelope)
{
    envelope->count = 0;
    envelope->work = 0;
}

double *
cn_envelope_staging(struct cn_envelope *envelope)
{
    CN_ASSERT(envelope->count < envelope->capacity);
    return row_at(envelope, envelope->count);
}

double
cn_envelope_stage(struct cn_envelope *envelope, int first, double diagonal)
{
    int count = envelope->count;
    CN_ASSERT(0 <= first && first <= count && count < envelope->capacity);
    double *y = row_at(envelope, count);
    double schur = diagonal;
    for (int j = first; j < count; j++) {
        int from = envelope->first[j] > first ? envelope->first[j] : first;
        double sum = y[j];
        if (from < j) {
            sum -= cn_dot(row_at(envelope, j) + from, y + from, j - from);
            envelope->work += j - from;
        }
        y[j] = sum * envelope->inverse[j];
        schur -= y[j] * y[j];
    }
    envelope->first[count] = first;
    envelope->work += count - first;
    return schur;
}

const double *
cn_envelope_row(const struct cn_envelope *envelope, int i)
{
    CN_ASSERT(0 <= i && i <= envelope->count && i < envelope->capacity);
    return row_at(envelope, i);
}

void
cn_envelope_commit(struct cn_envelope *envelope, double schur)
{
    CN_ASSERT(schur > 0.0);
    int i = envelope->count;
    double pivot = sqrt(schur);
    row_at(envelope, i)[i] = pivot;
    envelope->inverse[i] = 1.0 / pivot;
    envelope->count++;
}

/* x = inv(L') x; x has count entries. */
static void
solve_back(struct cn_envelope *envelope, double *x)
{
    for (int i = envelope->count - 1; i >= 0; i--) {
        int first = envelope->first[i];
        x[i] *= envelope->inverse[i];
        cn_axpy(-x[i], row_at(envelope, i) + first, x + first, i - first);
        envelope->work += i - first + 1;
    }
}

void
cn_envelope_staged_solve(struct cn_envelope *envelope, double *x)
{
    int count = envelope->count;
    int first = envelope->first[count];
    const double *y = row_at(envelope, count);
    for (int i = 0; i < first; i++) {
        x[i] = 0.0;
    }
    for (int i = first; i < count; i++) {
        x[i] = y[i];
    }
    solve_back(envelope, x);
}

/* Moves row i + 1 up to row i without its column k, which it returns. */
static double
row_shift(struct cn_envelope *envelope, int i, int k)
{
    const double *from = row_at(envelope, i + 1);
    double *to = row_at(envelope, i);
    int first = envelope->first[i + 1];
    double gone = 0.0;
    if (first <= k) {
        gone = from[k];
        memmove(to + first, from + first, (size_t)(k - first) * sizeof(to[0]));
        memmove(to + k, from + k + 1, (size_t)(i + 1 - k) * sizeof(to[0]));
        envelope->first[i] = first;
    } else {
        memmove(to + first - 1, from + first, (size_t)(i + 2 - first) * sizeof(to[0]));
        envelope->first[i] = first - 1;
    }
    return gone;
}

void
cn_envelope_remove(struct cn_envelope *envelope, int k)
{
    CN_ASSERT(0 <= k && k < envelope->count);
    envelope->count--;
    double *turn_cos = envelope->turn_cos, *turn_sin = envelope->turn_sin;
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
    }
}

void
cn_envelope_solve(struct cn_envelope *envelope, double *x)
{
    for (int i = 0; i < envelope->count; i++) {
        int first = envelope->first[i];
        double sum = x[i] - cn_dot(row_at(envelope, i) + first, x + first, i - first);
        x[i] = sum * envelope->inverse[i];
        envelope->work += i - first + 1;
    }
    solve_back(envelope, x);
}
