#include "proto/delta_predict.h"
#include "engine/base/assert.h"

#include <string.h>

/* The time from the first baseline to now, divided by the time between the baselines. */
struct stride {
    int64_t ahead, between;
};

static int32_t
predict_value(int32_t p1, int32_t p2, struct stride stride)
{
    int64_t way = ((int64_t)p1 - p2) * stride.ahead;
    int64_t step = way / stride.between - (way % stride.between < 0 ? 1 : 0);
    return (int32_t)((uint32_t)p1 + (uint32_t)step);
}

/* A whole column, if the time between the baselines equals that from the first to now. */
static void
predict_even(int32_t *restrict into, const int32_t *restrict p1, const int32_t *restrict p2, int n)
{
    int i = 0;
    for (; i + DELTA_LANES <= n; i += DELTA_LANES) {
        delta_lanes one = delta_load(p1 + i), ahead = one + one - delta_load(p2 + i);
        memcpy(into + i, &ahead, sizeof(ahead));
    }
    for (; i < n; i++) {
        into[i] = (int32_t)(2 * (uint32_t)p1[i] - (uint32_t)p2[i]);
    }
}

static bool
has_slots_of(const struct wire_state *state, const struct wire_state *other)
{
    return state->count == other->count &&
           memcmp(state->body, other->body, (size_t)state->count * sizeof(state->body[0])) == 0;
}

/* ---- the same bodies in all three states ---- */

static void
keep_turns(struct wire_state *into, const struct wire_state *first,
    const struct wire_state *second)
{
    size_t n = (size_t)into->count;
    memcpy(into->turn_largest, first->turn_largest, n * sizeof(into->turn_largest[0]));
    if (memcmp(first->turn_largest, second->turn_largest, n * sizeof(uint32_t)) == 0) {
        return;
    }
    for (int i = 0; i < into->count; i++) {
        if (first->turn_largest[i] != second->turn_largest[i]) {
            into->turn_a[i] = first->turn_a[i];
            into->turn_b[i] = first->turn_b[i];
            into->turn_c[i] = first->turn_c[i];
        }
    }
}

static void
predict_all(struct wire_state *into, const struct wire_state *first,
    const struct wire_state *second, struct stride stride)
{
    CN_ASSERT(first->count == into->count && second->count == into->count);
    int32_t *to[DELTA_COLUMNS_MAX], *p1[DELTA_COLUMNS_MAX], *p2[DELTA_COLUMNS_MAX];
    int column_count = delta_columns(into, to);
    delta_columns(first, p1);
    delta_columns(second, p2);
    for (int c = 0; c < column_count; c++) {
        if (second == first) {
            memcpy(to[c], p1[c], (size_t)into->count * sizeof(int32_t));
        } else if (stride.ahead == stride.between) {
            predict_even(to[c], p1[c], p2[c], into->count);
        } else {
            for (int i = 0; i < into->count; i++) {
                to[c][i] = predict_value(p1[c][i], p2[c][i], stride);
            }
        }
    }
    if (into->is_spatial) {
        keep_turns(into, first, second);
    }
    memcpy(into->asleep, first->asleep, ((size_t)into->count + 7) / 8);
}

/* ---- bodies enter or leave ---- */

/* The entry of the slot in the state, searched from *entry on; -1 if it has none. */
static int
find_slot(const struct wire_state *state, int *entry, uint32_t slot)
{
    while (*entry < state->count && state->body[*entry] < slot) {
        ++*entry;
    }
    return *entry < state->count && state->body[*entry] == slot ? *entry : -1;
}

static void
predict_entry(struct wire_state *into, int i, const struct wire_state *first, int i1,
    const struct wire_state *second, int i2, struct stride stride)
{
    CN_ASSERT(i1 >= 0 && i1 < first->count && i2 < second->count);
    int32_t *to[DELTA_COLUMNS_MAX], *p1[DELTA_COLUMNS_MAX], *p2[DELTA_COLUMNS_MAX];
    int column_count = delta_columns(into, to);
    delta_columns(first, p1);
    delta_columns(second, p2);
    bool is_turning =
        i2 >= 0 && into->is_spatial && first->turn_largest[i1] == second->turn_largest[i2];
    for (int c = 0; c < column_count; c++) {
        bool is_second = c < 3 ? i2 >= 0 : is_turning;
        to[c][i] = is_second ? predict_value(p1[c][i1], p2[c][i2], stride) : p1[c][i1];
    }
    if (into->is_spatial) {
        into->turn_largest[i] = first->turn_largest[i1];
    }
    into->asleep[i / 8] |= (uint8_t)(wire_state_sleeps(first, i1) << i % 8);
}

static void
predict_each(struct wire_state *into, const struct wire_state *first,
    const struct wire_state *second, struct stride stride, uint8_t *known)
{
    int at1 = 0, at2 = 0;
    for (int i = 0; i < into->count; i++) {
        int i1 = find_slot(first, &at1, into->body[i]);
        int i2 = second != first ? find_slot(second, &at2, into->body[i]) : -1;
        known[i] = i1 >= 0;
        if (i1 >= 0) {
            predict_entry(into, i, first, i1, second, i2, stride);
        }
    }
}

static void
clear_known(struct wire_state *into, uint8_t *known)
{
    int32_t *to[DELTA_COLUMNS_MAX];
    size_t n = (size_t)into->count;
    int column_count = delta_columns(into, to);
    for (int c = 0; c < column_count; c++) {
        memset(to[c], 0, n * sizeof(int32_t));
    }
    if (into->is_spatial) {
        memset(into->turn_largest, 0, n * sizeof(uint32_t));
    }
    memset(into->asleep, 0, n / 8 + 1);
    memset(known, 0, n);
}

bool
delta_predict(struct wire_state *into, const struct wire_state *first,
    const struct wire_state *second, uint8_t *known)
{
    into->time_us = first != NULL ? first->time_us : 0;
    if (first == NULL) {
        clear_known(into, known);
        return into->count == 0;
    }
    struct stride stride = {1, 1};
    if (second != NULL) {
        stride = (struct stride){
            (int64_t)(into->tick - first->tick), (int64_t)(first->tick - second->tick)};
        CN_ASSERT(stride.ahead > 0 && stride.between > 0); /* second, first, into: in this order */
        int64_t way = (int64_t)((uint64_t)first->time_us - (uint64_t)second->time_us);
        uint64_t step = (uint64_t)(way / stride.between) * (uint64_t)stride.ahead;
        into->time_us = (int64_t)((uint64_t)first->time_us + step);
    } else {
        second = first;
    }
    bool is_same = has_slots_of(into, first);
    if (is_same && has_slots_of(into, second)) {
        memset(known, 1, (size_t)into->count);
        predict_all(into, first, second, stride);
    } else {
        clear_known(into, known);
        predict_each(into, first, second, stride, known);
    }
    return is_same;
}
