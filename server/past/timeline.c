/*
 * timeline.c: the timeline of a world's stored past, made from its records (seek.h).
 *
 * Marks are single moments; the last ones are listed.  Inputs are too many for that and are listed
 * as spans.  When there are more spans than room, the gap that separates two spans is doubled,
 * which merges many of them.  So a table of fixed size holds any past, more coarsely when it is
 * long.
 */
#include "server/past/seek.h"

#include "engine/base/assert.h"
#include "server/store/history.h"
#include "deed/entry.h"

#include <stdlib.h>

uint64_t
sv_seek_newest(const struct sv_seek *seek, uint64_t last)
{
    return seek->is_durable && seek->newest > last ? seek->newest : last;
}

struct survey {
    uint64_t first_tick;
    uint64_t tick; /* of the last record */
    int from;      /* index of the first checkpoint of the present series */
    struct wire_timeline_mark marks[SV_TIMELINE_MARKS_MAX];
    size_t mark_count; /* of all marks; the array holds the last ones, in a ring */
    struct wire_timeline_span spans[SV_TIMELINE_SPANS_MAX]; /* ascending */
    size_t span_count;
    uint64_t gap_ticks;
};

static uint64_t
session_of(const struct dd_entry *entry)
{
    bool is_of_one = entry->kind == DD_ENTRY_LEFT || entry->kind == DD_ENTRY_JOINED;
    return is_of_one ? entry->settled.session : 0;
}

static void
add_mark(struct survey *survey, uint64_t tick, const char *kind, const struct dd_entry *entry)
{
    uint64_t session = session_of(entry);
    struct wire_timeline_mark *last =
        &survey->marks[(survey->mark_count + SV_TIMELINE_MARKS_MAX - 1) % SV_TIMELINE_MARKS_MAX];
    if (survey->mark_count > 0 && last->tick == tick && last->kind == kind &&
        last->session == session) {
        return;
    }
    survey->marks[survey->mark_count++ % SV_TIMELINE_MARKS_MAX] =
        (struct wire_timeline_mark){.tick = tick,
            .kind = kind,
            .session = session,
            .physics = entry->kind == DD_ENTRY_UPGRADE ? entry->upgrade.physics : 0};
}

/* Merges spans that are at most the gap apart.  The caller's gap merges at least one pair. */
static void
merge_spans(struct survey *survey)
{
    CN_ASSERT(survey->span_count > 0 && survey->span_count <= SV_TIMELINE_SPANS_MAX);
    size_t kept = 0;
    for (size_t i = 1; i < survey->span_count; i++) {
        struct wire_timeline_span *last = &survey->spans[kept];
        const struct wire_timeline_span *next = &survey->spans[i];
        if (next->first_tick - last->last_tick <= survey->gap_ticks) {
            last->last_tick = next->last_tick;
            last->count += next->count;
        } else {
            survey->spans[++kept] = *next;
        }
    }
    survey->span_count = kept + 1;
}

static void
add_input(struct survey *survey, uint64_t tick)
{
    if (survey->span_count > 0) {
        struct wire_timeline_span *last = &survey->spans[survey->span_count - 1];
        if (tick - last->last_tick <= survey->gap_ticks) {
            last->last_tick = tick;
            last->count++;
            return;
        }
    }
    while (survey->span_count == SV_TIMELINE_SPANS_MAX) {
        survey->gap_ticks *= 2;
        merge_spans(survey);
    }
    CN_ASSERT(survey->span_count < SV_TIMELINE_SPANS_MAX);
    survey->spans[survey->span_count++] =
        (struct wire_timeline_span){.first_tick = tick, .last_tick = tick, .count = 1};
}

static const char *
mark_of(const struct dd_entry *entry)
{
    switch (entry->kind) {
    case DD_ENTRY_STATE:
        return entry->state == WIRE_WORLD_PAUSED ? "pause" : "resume";
    case DD_ENTRY_SETTINGS:
        return "settings";
    case DD_ENTRY_RESET:
        return "reset";
    case DD_ENTRY_LOAD:
        return "load";
    case DD_ENTRY_SEED:
        return "fork";
    case DD_ENTRY_CHANGE:
    case DD_ENTRY_CHANGE_OF:
        return "change";
    case DD_ENTRY_LEFT:
        return "leave";
    case DD_ENTRY_JOINED:
        return "join";
    case DD_ENTRY_UPGRADE:
        return "upgrade";
    default:
        return NULL;
    }
}

static void
begin_anew(struct survey *survey, uint64_t tick)
{
    survey->first_tick = survey->tick = tick;
    survey->mark_count = survey->span_count = 0;
    survey->gap_ticks = SV_TIMELINE_GAP_TICKS;
}

static void
survey_record(struct survey *survey, const struct sv_record *record, const struct sv_manifest *list,
    int count)
{
    CN_ASSERT(survey->from >= 0 && survey->from <= count);
    struct dd_entry entry;
    size_t at = 0;
    survey->tick = record->tick;
    while (at < record->entries_size &&
        dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
        bool is_upgrade = entry.kind == DD_ENTRY_UPGRADE; /* ticks before it cannot be rebuilt */
        bool is_anew =
            entry.kind == DD_ENTRY_RESET || entry.kind == DD_ENTRY_LOAD || is_upgrade;
        const char *kind = mark_of(&entry);
        if (is_anew) {
            begin_anew(survey, is_upgrade ? record->tick : 0);
            while (survey->from < count &&
                list[survey->from].trail.number < record->number) {
                survey->from++;
            }
        }
        if (kind != NULL) {
            add_mark(survey, survey->tick, kind, &entry);
        } else if (entry.kind == DD_ENTRY_SETTLED) {
            add_input(survey, survey->tick);
        }
    }
}

static char *
print_timeline(const struct sv_seek *seek, const struct survey *survey,
    const struct sv_manifest *list, int count)
{
    size_t checkpoint_count = 0;
    uint64_t *checkpoints = calloc((size_t)count + 1, sizeof(*checkpoints));
    struct wire_timeline_mark *marks = calloc(SV_TIMELINE_MARKS_MAX, sizeof(*marks));
    char *text = NULL;
    if (checkpoints != NULL && marks != NULL) {
        for (int i = survey->from; i < count; i++) {
            checkpoints[checkpoint_count++] = list[i].tick;
        }
        size_t mark_count = survey->mark_count < SV_TIMELINE_MARKS_MAX ? survey->mark_count
                                                                       : SV_TIMELINE_MARKS_MAX;
        CN_ASSERT(checkpoint_count <= (size_t)count);
        for (size_t i = 0; i < mark_count; i++) {
            size_t which = survey->mark_count - mark_count + i;
            marks[i] = survey->marks[which % SV_TIMELINE_MARKS_MAX];
        }
        const struct wire_timeline timeline = {.first_tick = survey->first_tick,
            .tick = sv_seek_newest(seek, survey->tick),
            .tick_rate = seek->tick_rate,
            .checkpoints = checkpoints,
            .checkpoint_count = checkpoint_count,
            .marks = marks,
            .mark_count = mark_count,
            .spans = survey->spans,
            .span_count = survey->span_count};
        text = wire_timeline_print(&timeline);
    }
    free(checkpoints);
    free(marks);
    return text;
}

char *
sv_seek_timeline(const struct sv_seek *seek, struct wire_error *error)
{
    struct sv_manifest *list;
    struct sv_fault fault;
    struct sv_record record;
    enum sv_recovery_step step = SV_RECOVERY_END;
    char *text = NULL;
    int count = sv_store_history(seek->store, seek->number, &list);
    struct survey *survey = calloc(1, sizeof(*survey));
    struct sv_history *history = NULL;
    wire_error_set(error, "MEMORY", "", "no memory");
    if (survey != NULL && count > 0) {
        begin_anew(survey, list[0].tick);
        history = sv_history_open(seek->store, seek->number, &list[0], &fault);
        while (history != NULL &&
            (step = sv_history_next(history, &record, &fault)) == SV_RECOVERY_RECORD) {
            survey_record(survey, &record, list, count);
        }
    }
    if (step == SV_RECOVERY_FAULT) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
    } else if (survey != NULL && count >= 0) {
        survey->first_tick = count > 0 ? survey->first_tick : seek->newest;
        text = print_timeline(seek, survey, list, count);
    }
    sv_history_close(history);
    free(survey);
    free(list);
    return text;
}
