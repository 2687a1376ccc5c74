/* Damages the newest checkpoint, and copies of the folder; the damage must be detected. */
#include "tests/sim/sim.h"

#include "server/store/store_inside.h"
#include "tests/support/server/disk_vfs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAL "data/journal.db-wal"
#define HEADER_SIZE 32
#define FRAME_SIZE (24 + 4096)

/* ---- rot ---- */

static const char *
file_of(const struct sim_disk *disk, uint64_t world, uint64_t below, uint64_t *number)
{
    const char *found = NULL;
    *number = 0;
    for (int i = 0; i < disk->state.name_count; i++) {
        const struct sv_disk_sim_name *name = &disk->state.names[i];
        uint64_t its_world, its_number;
        char end[8] = "";
        bool is_one = name->now >= 0 &&
            sscanf(name->path, "data/world-%" SCNu64 "-%" SCNu64 ".%7s", &its_world, &its_number,
                end) == 3 &&
            strcmp(end, "ckpt") == 0 && its_world == world && its_number < below;
        if (is_one && (found == NULL || its_number > *number)) {
            found = name->path;
            *number = its_number;
        }
    }
    return found;
}

/* Whether one of the world's checkpoints has a flipped bit already. Then it gets no second one. */
static bool
has_rotten(const struct sim_disk *disk, uint64_t world)
{
    uint64_t number = UINT64_MAX;
    for (const char *path; (path = file_of(disk, world, number, &number)) != NULL;) {
        for (int i = 0; i < disk->rotten_count; i++) {
            if (disk->rotten[i].world == world && disk->rotten[i].number == number) {
                return true;
            }
        }
    }
    return false;
}

/* A bit of the newest checkpoint changes, where there is one before it. */
void
sim_disk_rot(struct sim_disk *disk)
{
    struct sim *sim = disk->sim;
    if (!sim->plan.has[SIM_ROT] || !sim_random_is(&disk->random, 0.5)) {
        return;
    }
    for (int i = 0; i < sim->ledger.world_count; i++) {
        uint64_t world = sim->ledger.worlds[i].number, newest, before;
        size_t size;
        const char *path = file_of(disk, world, UINT64_MAX, &newest);
        if (path == NULL || file_of(disk, world, newest, &before) == NULL ||
            has_rotten(disk, world) || disk->rotten_count == SIM_ROTTEN_MAX) {
            continue;
        }
        unsigned char *bytes = sv_disk_sim_bytes(&disk->state, path, &size);
        size_t at = size > 0 ? (size_t)sim_random_below(&disk->random, size) : 0;
        if (bytes != NULL && size > 0) {
            bytes[at] ^= (unsigned char)(1u << sim_random_below(&disk->random, 8));
            disk->rotten[disk->rotten_count].world = world;
            disk->rotten[disk->rotten_count++].number = newest;
            sim->count.rots++;
            sim_note(sim, "rot", at);
        }
    }
}

/* ---- copies ---- */

static unsigned char *
copy_bytes(const unsigned char *bytes, size_t size)
{
    unsigned char *made = malloc(size + 1);
    CN_ASSERT(made != NULL);
    if (size > 0) {
        memcpy(made, bytes, size);
    }
    return made;
}

static void
copy_disk(const struct sv_disk_sim *from, struct sv_disk_sim *to)
{
    *to = *from;
    to->is_locked = false;
    for (int i = 0; i < to->stored_count; i++) {
        struct sv_disk_sim_file *stored = &to->stored[i];
        stored->now = copy_bytes(stored->now, stored->now_size);
        stored->kept = copy_bytes(stored->kept, stored->kept_size);
        stored->now_room = stored->now_size + 1;
        stored->kept_room = stored->kept_size + 1;
    }
}

/* Opens it: the last commit that is believed, or UINT64_MAX when it is refused. */
static uint64_t
look_at_folder(struct sim *sim, struct sv_disk_sim *disk, struct sv_watermark *mark)
{
    struct sv_fault fault;
    struct sv_disk calls = sv_disk_simulated(disk);
    struct sv_store_config config = {.folder = "data",
        .lane_count = 1,
        .clock = sv_clock_simulated(&sim->now_ns),
        .disk = calls,
        .vfs = DISK_VFS_NAME};
    disk_vfs_use_by(disk, &calls);
    if (!sv_watermark_read(&calls, "data", mark, &fault)) {
        *mark = (struct sv_watermark){0};
    }
    struct sv_store *store = sv_store_open(&config, &fault);
    uint64_t commit = store != NULL ? store->head.commit : UINT64_MAX;
    sv_store_abandon(store);
    disk_vfs_reset();
    sv_disk_sim_finish(disk);
    struct sv_disk own = sim_disk_calls(&sim->disk);
    disk_vfs_use_by(&sim->disk.state, &own);
    return commit;
}

/* A frame of the log that commits stand behind: its number from 1, or 0. */
static uint64_t
frame_before_commits(struct sim *sim, const unsigned char *log, size_t size)
{
    uint64_t commits[3] = {0}, count = 0;
    for (uint64_t i = 1; HEADER_SIZE + i * FRAME_SIZE <= size; i++) {
        const unsigned char *frame = log + HEADER_SIZE + (i - 1) * FRAME_SIZE;
        static const unsigned char none[4];
        if (memcmp(frame + 8, log + 16, 8) != 0) {
            break;
        }
        if (memcmp(frame + 4, none, 4) != 0) {
            commits[0] = commits[1];
            commits[1] = commits[2];
            commits[2] = i;
            count++;
        }
    }
    /* The last commit that SQLite finds may be torn; the two before it are not. */
    return count > 2 ? 1 + sim_random_below(&sim->disk.random, commits[0]) : 0;
}

void
sim_probe(struct sim *sim)
{
    struct sv_disk_sim disk;
    struct sv_watermark mark;
    size_t size = 0;
    copy_disk(&sim->disk.state, &disk);
    uint64_t whole = look_at_folder(sim, &disk, &mark);
    if (whole == UINT64_MAX) {
        return; /* the opening itself will tell */
    }
    sim->count.probes++;
    copy_disk(&sim->disk.state, &disk);
    unsigned char *log = sv_disk_sim_bytes(&disk, WAL, &size);
    uint64_t frame = log != NULL && size > HEADER_SIZE ? frame_before_commits(sim, log, size) : 0;
    if (frame > 0) {
        size_t at = HEADER_SIZE + (size_t)(frame - 1) * FRAME_SIZE +
            (size_t)sim_random_below(&sim->disk.random, FRAME_SIZE);
        log[at] ^= (unsigned char)(1u << sim_random_below(&sim->disk.random, 8));
        uint64_t found = look_at_folder(sim, &disk, &mark);
        if (found < whole) {
            sim_fail(sim, SIM_ACK_KEPT,
                "a damaged log was believed: commit %" PRIu64 " of %" PRIu64, found, whole);
        }
    } else {
        sv_disk_sim_finish(&disk);
    }
    copy_disk(&sim->disk.state, &disk);
    for (int i = 0; i < disk.name_count; i++) {
        if (strcmp(disk.names[i].path, WAL) == 0) {
            disk.names[i].now = -1;
        }
    }
    uint64_t found = look_at_folder(sim, &disk, &mark);
    if (found < mark.commit) {
        sim_fail(sim, SIM_ACK_KEPT,
            "a journal without its log was believed: commit %" PRIu64 " of %" PRIu64, found,
            mark.commit);
    }
}
