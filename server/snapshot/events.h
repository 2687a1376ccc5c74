/*
 * events.h: the events of a world's last ticks, for clients that are not sent every tick.
 *
 * A tick's events are one framed EventFrame.  A world keeps those of its last ticks, and every
 * publication carries them.  The limits are SV_EVENT_FRAMES_MAX frames, and
 * SV_EVENT_FRAMES_SIZE_MAX bytes besides the newest frame.  So no event is lost when one tick
 * replaces another or a client's pace skips one.  Older events are lost and counted: `before`
 * numbers the events of a series, so a receiver that counts the events it got knows how many it
 * lacks.
 *
 * Ownership: a reference of each message.
 * Threads: its holder's.
 */
#ifndef SERVER_SNAPSHOT_EVENTS_H
#define SERVER_SNAPSHOT_EVENTS_H

#include "engine/cairn.h"
#include "server/base/buffer.h"
#include "server/base/limits.h"

#include <stdbool.h>

struct sv_event_frame {
    uint64_t tick;
    uint64_t before; /* number of events of this series before this frame */
    struct sv_buffer *message;
};

/* All zeros: an empty list. */
struct sv_events {
    uint64_t total;  /* number of events of this series, those of `frames` included */
    uint32_t series; /* of the world's state; another series has other ticks and slots */
    int count;
    struct sv_event_frame frames[SV_EVENT_FRAMES_MAX]; /* the oldest first */
};

/*
 * Adds the events of the world's tick, unless the list has them; drops those of another series.
 * False without memory: these events are then counted as lost.
 */
bool sv_events_add(struct sv_events *events, const struct cn_world *world, uint32_t series);

/* Copies another holder's list, sharing the messages; `out` is overwritten. */
void sv_events_copy(struct sv_events *out, const struct sv_events *events);
void sv_events_finish(struct sv_events *events);

/*
 * The first frame that a client needs that has received `seen` events of `series` (0: it has
 * received none, and needs only the frame of `tick`).  *lost: missed events that are in no frame.
 */
int sv_events_first(const struct sv_events *events, uint32_t series, uint64_t seen,
    uint64_t tick, uint64_t *lost);

#endif
