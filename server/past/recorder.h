/*
 * recorder.h: recordings of worlds: made of a past, and done again.
 *
 * A recording (server/store/recording.h) is a past like any other (replay.h), so that whatever can
 * be done with a world that comes back can be done with a recording.  Going the other way, a
 * recorder writes a past down: its beginning, the scenes that its records name, and the records.
 *
 * A body's print is 32 bits over where it is and how it moves, bit by bit; 0: the slot is empty.
 * With the prints of every tick, the first body that goes another way can be named.
 *
 * Threads: values.
 */
#ifndef SERVER_PAST_RECORDER_H
#define SERVER_PAST_RECORDER_H

#include "server/past/replay.h"
#include "server/store/history.h"
#include "server/store/recording.h"

/* The recording as a past; it goes on from where the recording stands. */
struct sv_past sv_recording_past(struct sv_recording *recording);

/*
 * All that a store remembers of a world, while it works or before: from the world's scene while all
 * of its records are there, else from its oldest checkpoint; of a world that was upgraded from the
 * first checkpoint of its present version of the physics.  At the end, where nothing was done
 * since the newest checkpoint, comes a record that holds the hash of that one.
 */
struct sv_log_reader {
    struct sv_past past; /* to be used */
    struct sv_store *store;
    struct sv_history *history;
    struct sv_record first; /* has been read already */
    bool has_first, is_ended;
    struct sv_record end;
    bool has_end;
    uint64_t last_number, last_tick; /* of the records that were given */
    uint64_t known_tick;             /* it comes at least so far */
    uint64_t newest_number,
        newest_reach;     /* of the newest checkpoint, see sv_log_reader_settle_reach */
    uint32_t old_physics; /* of what was before, which the memory leaves out; 0: nothing was */
};

/*
 * `content` is the charter's; NULL: only checkpoints are begun at.  False with a fault; finish is
 * due on true alone.
 */
bool sv_log_reader_init(struct sv_log_reader *reader, struct sv_store *store, uint64_t world,
    const unsigned char content[SV_CONTENT_SIZE], struct sv_fault *fault);
void sv_log_reader_finish(struct sv_log_reader *reader);

/*
 * The world has done the record of this number, or begins behind it: promises that the newest
 * checkpoint took back, as an end in order does, hold no longer, as in a recovery, which begins
 * with that one.
 */
void sv_log_reader_settle_reach(
    const struct sv_log_reader *reader, struct sv_world *world, uint64_t number);

/* ---- writing ---- */

struct sv_past_recorder {
    struct sv_recorder file;
    const struct sv_past *past;
    bool has_prints;
    unsigned char (*contents)[SV_CONTENT_SIZE]; /* of scenes that have been written */
    int content_count, content_capacity;
};

/*
 * Writes what comes before the records; put and context are the recorder's.  A past without records
 * that are borrowed: it outlives the recorder.  False with a fault, also of what can not be
 * written.
 */
bool sv_past_recorder_begin(struct sv_past_recorder *recorder, const struct sv_past *past,
    const char *name, bool has_prints, bool (*put)(void *context, const void *bytes, size_t size),
    void *context, struct sv_fault *fault);

/* What was done, with the scenes that it names. */
bool sv_past_recorder_record(
    struct sv_past_recorder *recorder, const struct sv_record *record, struct sv_fault *fault);
bool sv_past_recorder_end(struct sv_past_recorder *recorder, struct sv_fault *fault);
void sv_past_recorder_finish(struct sv_past_recorder *recorder);

/* The hash of the world as it is between two ticks, and the prints of its bodies, if so. */
bool
sv_recorder_mark_world(struct sv_recorder *recorder, const struct cn_world *world, bool has_prints);

/* ---- comparing ---- */

uint32_t sv_body_print(const struct cn_world *world, int body);

/*
 * The bodies whose prints are not those of the recording's last record, ascending, at most `most`
 * of them; returns how many there are.  Where the numbers of slots differ the others count, too.
 */
int sv_recording_differ(
    const struct sv_recording *recording, const struct cn_world *world, int *bodies, int most);

/*
 * The island of a body: what contacts and joints connect with it now, but not through what can not
 * be moved; ascending, at most `most`.  Returns how many there are; 0 without memory.
 */
int sv_body_island(const struct cn_world *world, int body, int *bodies, int most);

#endif
