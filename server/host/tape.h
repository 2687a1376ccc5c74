/*
 * tape.h: recordings of worlds: made of a past, and done again.
 *
 * A recording (server/store/recording.h) is a past like any other (replay.h), so that whatever can
 * be done with a world that comes back can be done with a recording.  Going the other way, a tape
 * writes a past down: its beginning, the scenes that its records name, and the records.
 *
 * A body's print is 32 bits over where it is and how it moves, bit by bit; 0: the slot is empty.
 * With the prints of every tick, the first body that goes another way can be named.
 *
 * Threads: values.
 */
#ifndef SERVER_HOST_TAPE_H
#define SERVER_HOST_TAPE_H

#include "server/host/replay.h"
#include "server/store/history.h"
#include "server/store/recording.h"

/* The recording as a past; it goes on from where the recording stands. */
struct sv_past sv_tape_past(struct sv_recording *recording);

/*
 * All that a store remembers of a world, while it works or before: from the world's scene while all
 * of its records are there, else from its oldest checkpoint.  At the end, where nothing was done
 * since the newest checkpoint, comes a record that holds the hash of that one.
 */
struct sv_memory {
    struct sv_past past; /* to be used */
    struct sv_store *store;
    struct sv_history *history;
    struct sv_record first; /* has been read already */
    bool has_first, is_ended;
    struct sv_record end;
    bool has_end;
    uint64_t last_number, last_tick; /* of the records that were given */
    uint64_t known_tick;             /* it comes at least so far */
};

/*
 * `content` is the charter's; NULL: only checkpoints are begun at.  False with a fault; finish is
 * due on true alone.
 */
bool sv_memory_init(struct sv_memory *memory, struct sv_store *store, uint64_t world,
    const unsigned char content[SV_CONTENT_SIZE], struct sv_fault *fault);
void sv_memory_finish(struct sv_memory *memory);

/* ---- writing ---- */

struct sv_tape {
    struct sv_recorder recorder;
    const struct sv_past *past;
    bool has_prints;
    unsigned char (*contents)[SV_CONTENT_SIZE]; /* of scenes that have been written */
    int content_count, content_capacity;
};

/*
 * Writes what comes before the records; put and context are the recorder's.  A past without records
 * that are borrowed: it outlives the tape.  False with a fault, also of what can not be written.
 */
bool sv_tape_begin(struct sv_tape *tape, const struct sv_past *past, const char *name,
    bool has_prints, bool (*put)(void *context, const void *bytes, size_t size), void *context,
    struct sv_fault *fault);

/* What was done, with the scenes that it names. */
bool sv_tape_record(
    struct sv_tape *tape, const struct sv_record *record, struct sv_fault *fault);
bool sv_tape_end(struct sv_tape *tape, struct sv_fault *fault);
void sv_tape_finish(struct sv_tape *tape);

/* The hash of the world as it is between two ticks, and the prints of its bodies, if so. */
bool sv_tape_mark(struct sv_recorder *recorder, const struct cn_world *world, bool has_prints);

/* ---- comparing ---- */

uint32_t sv_tape_print(const struct cn_world *world, int body);

/*
 * The bodies whose prints are not those of the recording's last record, ascending, at most `most`
 * of them; returns how many there are.  Where the numbers of slots differ the others count, too.
 */
int sv_tape_differ(
    const struct sv_recording *recording, const struct cn_world *world, int *bodies, int most);

/*
 * The island of a body: what contacts and joints connect with it now, but not through what can not
 * be moved; ascending, at most `most`.  Returns how many there are; 0 without memory.
 */
int sv_tape_island(const struct cn_world *world, int body, int *bodies, int most);

#endif
