#include "server/snapshot/events.h"

#include "engine/base/assert.h"
#include "proto/snapshot_codec.h"
#include "server/snapshot/framing.h"

#include <string.h>

static size_t
encode_events(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_events(context, out, out_size);
}

static void
drop_oldest(struct sv_events *events)
{
    CN_ASSERT(events->count > 0);
    sv_buffer_unref(events->frames[0].message);
    events->count--;
    memmove(events->frames, events->frames + 1,
        (size_t)events->count * sizeof(events->frames[0]));
}

/* The size of all frames except the newest. */
static size_t
size_of(const struct sv_events *events)
{
    size_t size = 0;
    for (int i = 0; i + 1 < events->count; i++) {
        size += events->frames[i].message->size;
    }
    return size;
}

bool
sv_events_add(struct sv_events *events, const struct cn_world *world, uint32_t series)
{
    const struct cn_event *list;
    uint64_t count =
        (uint64_t)cn_world_events(world, &list) + (uint64_t)cn_world_events_dropped(world);
    uint64_t tick = cn_world_tick(world);
    if (events->series != series) {
        sv_events_finish(events);
        events->series = series;
    }
    bool is_there = events->count > 0 && events->frames[events->count - 1].tick >= tick;
    if (count == 0 || is_there) {
        return true;
    }
    struct sv_event_frame frame = {.tick = tick,
        .before = events->total,
        .message = sv_frame_message(encode_events, world)};
    events->total += count;
    if (frame.message == NULL) {
        return false;
    }
    if (events->count == SV_EVENT_FRAMES_MAX) {
        drop_oldest(events);
    }
    CN_ASSERT(events->count < SV_EVENT_FRAMES_MAX);
    events->frames[events->count++] = frame;
    while (size_of(events) > SV_EVENT_FRAMES_SIZE_MAX) {
        drop_oldest(events);
    }
    return true;
}

void
sv_events_copy(struct sv_events *out, const struct sv_events *events)
{
    *out = *events;
    for (int i = 0; i < out->count; i++) {
        sv_buffer_ref(out->frames[i].message);
    }
}

void
sv_events_finish(struct sv_events *events)
{
    for (int i = 0; i < events->count; i++) {
        sv_buffer_unref(events->frames[i].message);
    }
    *events = (struct sv_events){0};
}

int
sv_events_first(const struct sv_events *events, uint32_t series, uint64_t seen, uint64_t tick,
    uint64_t *lost)
{
    bool is_known = series != 0 && series == events->series;
    int first = 0;
    *lost = 0;
    while (first < events->count &&
        (is_known ? events->frames[first].before < seen : events->frames[first].tick < tick)) {
        first++;
    }
    if (is_known) {
        uint64_t next = first < events->count ? events->frames[first].before : events->total;
        *lost = next > seen ? next - seen : 0;
    }
    return first;
}
