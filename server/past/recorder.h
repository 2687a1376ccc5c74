/*
 * recorder.h: makes recordings from the pasts of worlds, and replays them.
 *
 * A recording (server/store/format/recording.h) is a past like any other (replay.h), so it can be
 * replayed like a stored world.  In the other direction, a recorder writes a past to a file: its
 * beginning, the scenes that its records name, and the records.
 *
 * A body's print is 32 bits over where it is and how it moves, bit by bit; 0: the slot is empty.
 * With the prints of every tick, the first body with a different motion can be named.
 *
 * Threads: values.
 */
#ifndef SERVER_PAST_RECORDER_H
#define SERVER_PAST_RECORDER_H

#include "server/past/replay.h"
#include "server/store/format/recording.h"
#include "server/store/history.h"

/* The recording as a past; it continues from the recording's present position. */
struct sv_past sv_recording_past(struct sv_recording *recording);

/*
 * Reads the whole stored past of a world, also while the store runs.  It begins with the world's
 * scene if all records are stored, else with the oldest checkpoint.  After an upgrade it begins
 * with the first checkpoint of the present version of the physics.  If nothing happened after the
 * newest checkpoint, the last record has the hash of that checkpoint.
 */
struct sv_log_reader {
    struct sv_past past; /* the past that callers use */
    struct sv_store *store;
    struct sv_history *history;
    struct sv_record first; /* the first record, already read */
    bool has_first, is_ended;
    struct sv_record end;
    bool has_end;
    uint64_t last_number, last_tick; /* of the last returned record */
    uint64_t known_tick;             /* the world has reached at least this tick */
    uint64_t newest_number,
        newest_reach;     /* of the newest checkpoint, see sv_log_reader_settle_reach */
    uint32_t old_physics; /* physics version of a left-out earlier part; 0: no such part */
};

/*
 * `content` is the charter's; NULL: begin only at checkpoints.  False with a fault.  Finish it only
 * after true.
 */
bool sv_log_reader_init(struct sv_log_reader *reader, struct sv_store *store, uint64_t world,
    const unsigned char content[SV_CONTENT_SIZE], struct sv_fault *fault);
void sv_log_reader_finish(struct sv_log_reader *reader);

/*
 * Call it when the world has done the record with this number, or begins after it.  It drops REACH
 * promises that the newest checkpoint withdrew, as a clean stop does.  A recovery, which begins
 * with that checkpoint, drops them too.
 */
void sv_log_reader_settle_reach(
    const struct sv_log_reader *reader, struct sv_world *world, uint64_t number);

/* ---- writing ---- */

struct sv_past_recorder {
    struct sv_recorder file;
    const struct sv_past *past;
    bool has_prints;
    unsigned char (*contents)[SV_CONTENT_SIZE]; /* of the scenes already written */
    int content_count, content_capacity;
};

/*
 * Writes the part before the records, with `put` and `context`.  The past is borrowed and must
 * outlive the recorder.  False with a fault, also if a write fails.
 */
bool sv_past_recorder_begin(struct sv_past_recorder *recorder, const struct sv_past *past,
    const char *name, bool has_prints, bool (*put)(void *context, const void *bytes, size_t size),
    void *context, struct sv_fault *fault);

/* Writes a record, with the scenes that it names. */
bool sv_past_recorder_record(
    struct sv_past_recorder *recorder, const struct sv_record *record, struct sv_fault *fault);
bool sv_past_recorder_end(struct sv_past_recorder *recorder, struct sv_fault *fault);
void sv_past_recorder_finish(struct sv_past_recorder *recorder);

/* Writes the hash of the world between two ticks; has_prints: also the hashes of its bodies. */
bool
sv_recorder_mark_world(struct sv_recorder *recorder, const struct cn_world *world, bool has_prints);

/* ---- comparing ---- */

uint32_t sv_body_print(const struct cn_world *world, int body);

/*
 * Finds the bodies whose hashes differ from those of the recording's last record: ascending, at
 * most `most`.  Returns their number.  If one side has more slots, these count as different.
 */
int sv_recording_differ(
    const struct sv_recording *recording, const struct cn_world *world, int *bodies, int most);

/*
 * Finds the island of a body: the bodies that contacts and joints connect with it now, but not
 * through fixed bodies; ascending, at most `most`.  Returns their number; 0 without memory.
 */
int sv_body_island(const struct cn_world *world, int body, int *bodies, int most);

#endif
