#include "server/store/retention.h"

#include "engine/base/assert.h"

#include <string.h>

/* Moves the entry at `at` after all others; the first `count` stay in order. */
static void
let_go(struct sv_manifest *list, int at, int count)
{
    CN_ASSERT(0 <= at && at < count);
    struct sv_manifest gone = list[at];
    memmove(&list[at], &list[at + 1], (size_t)(count - 1 - at) * sizeof(*list));
    list[count - 1] = gone;
}

static bool
is_too_old(const struct sv_manifest *list, int count, const struct sv_retention_limits *limits)
{
    CN_ASSERT(count >= 2);
    uint64_t now_ms = list[count - 1].age_ms;
    bool is_cut_off = list[0].commit < limits->first_commit;
    return is_cut_off || limits->history_ms == 0 || count > SV_RETENTION_COUNT_MAX ||
           (now_ms > list[1].age_ms && now_ms - list[1].age_ms >= limits->history_ms);
}

static bool
is_too_large(const struct sv_manifest *list, int count, const struct sv_retention_limits *limits)
{
    uint64_t size = limits->record_bytes > list[0].record_bytes
                        ? limits->record_bytes - list[0].record_bytes
                        : 0;
    for (int i = 0; i < count; i++) {
        size += list[i].file_size;
    }
    return size > limits->size_max;
}

/* Whether the entry at `at` is no longer needed between its neighbours. */
static bool
is_dense(const struct sv_manifest *list, int at, int count)
{
    CN_ASSERT(0 < at && at + 1 < count);
    const struct sv_manifest *before = &list[at - 1], *after = &list[at + 1];
    uint64_t now_ms = list[count - 1].age_ms;
    /* Ticks that go back show a reset: the entries on both sides of it stay. */
    bool is_one_run = before->tick <= list[at].tick && list[at].tick <= after->tick;
    return is_one_run && now_ms - list[at].age_ms > SV_RETENTION_DENSE_MS &&
           after->age_ms - before->age_ms < SV_RETENTION_GAP_MS &&
           after->stepped_ms - before->stepped_ms < SV_RETENTION_GAP_STEPPED_MS;
}

int
sv_retention_thin(struct sv_manifest *list, int count, const struct sv_retention_limits *limits)
{
    while (count > 2 &&
           (is_too_old(list, count, limits) || is_too_large(list, count, limits))) {
        let_go(list, 0, count--);
    }
    CN_ASSERT(count >= 0);
    for (int at = 1; at < count - 2;) {
        if (is_dense(list, at, count)) {
            let_go(list, at, count--);
        } else {
            at++;
        }
    }
    return count;
}
