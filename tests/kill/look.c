/*
 * look.c: prints the contents of a data folder whose daemon is not running, for the test in `run`.
 *
 * usage: look FOLDER [MORE]
 *
 * Lines for the worlds' records since their newest checkpoints, and for the checkpoints:
 *
 *     settled WORLD EPOCH SESSION NUMBER     the last input of the session that is stored,
 *                                          of the newest life that the world has records of
 *     mark WORLD TICK HASH                   the exact hash at that tick
 *     world WORLD RECORDS TICK               how many records there are, and the last one's tick
 *
 * With MORE also every tick of their pasts, and MORE further ticks (look_past.h).
 *
 * The folder is opened as by a daemon and may change, so use a copy.
 */
#include "server/base/clock.h"
#include "engine/base/little_endian.h"
#include "server/store/store.h"
#include "server/world/act/world_persistence.h"
#include "deed/entry.h"
#include "tests/kill/look_past.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS_MAX 256
#define SECTION_HOST 2

struct session {
    uint64_t epoch, session, seq;
};

static struct session sessions[SESSIONS_MAX];
static int session_count;

/* Only those of the newest epoch count: between checkpoints there may be any number of lives. */
static void
note(uint64_t epoch, uint64_t session, uint64_t seq)
{
    int i = 0;
    if (session_count > 0 && sessions[0].epoch != epoch) {
        if (epoch < sessions[0].epoch) {
            return;
        }
        session_count = 0;
    }
    while (i < session_count && sessions[i].session != session) {
        i++;
    }
    if (i == SESSIONS_MAX) {
        fprintf(stderr, "more than %d sessions in one life\n", SESSIONS_MAX);
        exit(1);
    }
    session_count += i == session_count ? 1 : 0;
    sessions[i] = (struct session){epoch, session, seq};
}

/* The pairs stand at the end of the host's section, behind their number. */
static void
look_at_checkpoint(const struct sv_checkpoint *checkpoint)
{
    size_t size, at = 13 + SV_CONTENT_SIZE;
    struct wire_settings settings;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SECTION_HOST, &size);
    if (bytes == NULL || !dd_settings_read(bytes, size, &at, &settings)) {
        return;
    }
    for (at += 4; at + 16 <= size; at += 16) {
        note(checkpoint->trail.epoch, cn_get_u64(bytes + at), cn_get_u64(bytes + at + 8));
    }
}

static bool
look_at_record(const struct sv_record *record)
{
    struct dd_entry entry;
    size_t at = 0;
    if ((record->flags & SV_RECORD_HASH) != 0) {
        printf("mark %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", record->world, record->tick,
            record->state_hash);
    }
    while (at < record->entries_size) {
        if (!dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
            fprintf(stderr, "record %" PRIu64 " holds no log entry\n", record->number);
            return false;
        }
        if (entry.kind == DD_ENTRY_SETTLED) {
            note(record->epoch, entry.settled.session, entry.settled.seq);
        }
    }
    return true;
}

static bool
look_at_world(struct sv_store *store, uint64_t world)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    struct sv_record record = {0};
    bool is_good = true;
    uint64_t count = 0, tick = 0;
    enum sv_recovery_step step = SV_RECOVERY_END;
    struct sv_recovery *recovery = sv_recovery_begin(store, world, &checkpoint, &fault);
    session_count = 0;
    if (recovery != NULL && checkpoint != NULL) {
        look_at_checkpoint(checkpoint);
    }
    while (recovery != NULL && is_good &&
           (step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
        is_good = look_at_record(&record);
        tick = record.tick;
        count++;
    }
    if (recovery == NULL || step == SV_RECOVERY_FAULT) {
        fprintf(stderr, "%s\n", fault.text);
        is_good = false;
    }
    for (int i = 0; i < session_count; i++) {
        printf("settled %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", world,
            sessions[i].epoch, sessions[i].session, sessions[i].seq);
    }
    printf("world %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", world, count, tick);
    sv_recovery_end(recovery);
    return is_good;
}

static bool
look_at_pasts(struct sv_store *store, int more)
{
    bool is_good = true;
    for (int i = 0; i < sv_store_world_count(store); i++) {
        const struct sv_store_world stored = sv_store_world(store, i);
        struct sv_charter charter;
        is_good = sv_charter_read(stored.charter, stored.charter_size, &charter) &&
            look_at_past(store, stored.world, &charter, more) && is_good;
    }
    return is_good;
}

int
main(int argc, char **argv)
{
    struct sv_disk_real state;
    struct sv_fault fault;
    bool is_good = true;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: look FOLDER [MORE]\n");
        return 2;
    }
    const struct sv_store_config config = {.folder = argv[1],
        .lane_count = 1,
        .history_size = SV_STORE_HISTORY_SIZE,
        .clock = sv_clock_real(),
        .disk = sv_disk_real(&state)};
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        fprintf(stderr, "%s\n", fault.text);
        return 3;
    }
    for (int i = 0; i < sv_store_world_count(store); i++) {
        is_good = look_at_world(store, sv_store_world(store, i).world) && is_good;
    }
    if (argc == 3) {
        is_good = look_at_pasts(store, atoi(argv[2])) && is_good;
    }
    sv_store_abandon(store);
    return is_good ? 0 : 1;
}
