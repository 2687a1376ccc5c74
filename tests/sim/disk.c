/* The simulated disk of the daemon, with a random fault before every call. */
#include "tests/sim/sim.h"

#include "tests/support/server/disk_vfs.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MAX 200000

/* The other parts of the simulation continue while the disk works. */
static void
take_time(struct sim_disk *disk, bool is_flush)
{
    struct sim *sim = disk->sim;
    const struct sim_plan *plan = &sim->plan;
    if (disk->is_quiet || disk->is_slow_now || sim_is_calm(sim) || !sim->server.is_up) {
        return;
    }
    uint64_t ms = sim_random_is(&disk->random, is_flush ? 0.02 : 0.002) ? 1 : 0;
    if (plan->has[SIM_LATENCY] && sim_random_is(&disk->random, plan->latency_chance)) {
        ms = (uint64_t)sim_random_scale(&disk->random, 1.0,
            is_flush && sim_random_is(&disk->random, 0.1) ? 10000.0 : 100.0);
    }
    disk->is_slow_now = true;
    for (uint64_t i = 0; i < ms && !sim_is_calm(sim) && !disk->is_dead; i++) {
        sim_others(sim);
    }
    disk->is_slow_now = false;
}

static enum sv_disk_result
before_call(struct sim_disk *disk, const char *name, bool is_change)
{
    struct sim *sim = disk->sim;
    const struct sim_plan *plan = &sim->plan;
    if (disk->is_quiet) {
        return SV_DISK_OK;
    }
    if (is_change) {
        take_time(disk, strcmp(name, "datasync") == 0);
    }
    disk->calls += is_change ? 1 : 0;
    if (!disk->is_dead && is_change && disk->die_at != 0 && disk->calls >= disk->die_at) {
        disk->is_dead = true;
        disk->died_in = name;
    }
    if (disk->is_dead) {
        disk->failed_count++;
        return SV_DISK_FAILED;
    }
    bool may_fail = plan->has[SIM_EIO] && !sim_is_calm(sim) && (is_change || sim->server.is_up);
    double chance = is_change ? plan->eio_chance : plan->eio_chance * 0.01;
    if (may_fail && sim_random_is(&disk->random, chance)) {
        disk->failed_count++;
        sim_note(sim, name, disk->calls);
        return SV_DISK_FAILED;
    }
    return SV_DISK_OK;
}

static bool
is_full(const struct sim_disk *disk)
{
    return !disk->is_quiet && disk->sim->now_ns < disk->full_until_ns &&
        !sim_is_calm(disk->sim);
}

/* Takes the room that a file needs to grow to `size`; false if the disk is too full. */
static bool
take_room(struct sim_disk *disk, int file, uint64_t size)
{
    uint64_t there = disk->state.stored[file].now_size;
    uint64_t more = size > there ? size - there : 0;
    if (!is_full(disk) || more <= disk->room) {
        disk->room -= is_full(disk) ? more : 0;
        return true;
    }
    disk->failed_count++;
    return false;
}

static enum sv_disk_result
lock_folder(void *context, const char *folder, long *holder)
{
    struct sim_disk *disk = context;
    return disk->under.lock(disk->under.context, folder, holder);
}

static void
unlock_folder(void *context)
{
    struct sim_disk *disk = context;
    disk->under.unlock(disk->under.context);
}

static enum sv_disk_result
open_file(void *context, const char *path, enum sv_disk_mode mode, int *file)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "open", mode != SV_DISK_READ);
    return result != SV_DISK_OK ? result
                                : disk->under.open(disk->under.context, path, mode, file);
}

static void
close_file(void *context, int file)
{
    (void)context;
    (void)file;
}

static enum sv_disk_result
read_at(void *context, int file, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "read", false);
    return result != SV_DISK_OK
        ? result
        : disk->under.read_at(disk->under.context, file, offset, bytes, size, got);
}

/* A write that fails has written its first half, in whole sectors. */
static enum sv_disk_result
write_at(void *context, int file, uint64_t offset, const void *bytes, size_t size)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "write", true);
    if (result == SV_DISK_OK && !take_room(disk, file, offset + size)) {
        result = SV_DISK_FULL;
    }
    if (result != SV_DISK_OK) {
        uint64_t half = (offset + size / 2) / 512 * 512;
        size = half > offset ? (size_t)(half - offset) : 0;
    }
    enum sv_disk_result written = size > 0
        ? disk->under.write_at(disk->under.context, file, offset, bytes, size)
        : SV_DISK_OK;
    return result != SV_DISK_OK ? result : written;
}

static enum sv_disk_result
datasync_file(void *context, int file)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "datasync", true);
    return result != SV_DISK_OK ? result : disk->under.datasync(disk->under.context, file);
}

static enum sv_disk_result
allocate_file(void *context, int file, uint64_t size)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "allocate", true);
    if (result == SV_DISK_OK && !take_room(disk, file, size)) {
        result = SV_DISK_FULL;
    }
    return result != SV_DISK_OK ? result : disk->under.allocate(disk->under.context, file, size);
}

static enum sv_disk_result
rename_file(void *context, const char *from, const char *to)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "rename", true);
    return result != SV_DISK_OK ? result : disk->under.rename(disk->under.context, from, to);
}

static enum sv_disk_result
remove_file(void *context, const char *path)
{
    struct sim_disk *disk = context;
    size_t size = 0;
    enum sv_disk_result result = before_call(disk, "remove", true);
    if (result != SV_DISK_OK) {
        return result;
    }
    if (is_full(disk) && sv_disk_sim_bytes(&disk->state, path, &size) != NULL) {
        disk->room += size;
    }
    return disk->under.remove(disk->under.context, path);
}

static enum sv_disk_result
sync_folder(void *context, const char *folder)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "sync_folder", true);
    return result != SV_DISK_OK ? result
                                : disk->under.sync_folder(disk->under.context, folder);
}

static enum sv_disk_result
list_folder(void *context, const char *folder, sv_disk_visit visit, void *visit_context)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "list", false);
    return result != SV_DISK_OK
        ? result
        : disk->under.list(disk->under.context, folder, visit, visit_context);
}

static enum sv_disk_result
measure_space(void *context, const char *folder, uint64_t *free_size)
{
    struct sim_disk *disk = context;
    disk->state.free_size = is_full(disk) ? disk->room + 1 : 0;
    return disk->under.space(disk->under.context, folder, free_size);
}

static enum sv_disk_result
map_file(void *context, const char *path, size_t size, void **memory)
{
    struct sim_disk *disk = context;
    enum sv_disk_result result = before_call(disk, "map", true);
    return result != SV_DISK_OK ? result
                                : disk->under.map(disk->under.context, path, size, memory);
}

static void
unmap_file(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

struct sv_disk
sim_disk_calls(struct sim_disk *disk)
{
    return (struct sv_disk){.lock = lock_folder,
        .unlock = unlock_folder,
        .open = open_file,
        .close = close_file,
        .read_at = read_at,
        .write_at = write_at,
        .datasync = datasync_file,
        .allocate = allocate_file,
        .rename = rename_file,
        .remove = remove_file,
        .sync_folder = sync_folder,
        .list = list_folder,
        .space = measure_space,
        .map = map_file,
        .unmap = unmap_file,
        .context = disk};
}

void
sim_disk_init(struct sim_disk *disk, struct sim *sim)
{
    disk->sim = sim;
    disk->under = sv_disk_simulated(&disk->state);
    struct sv_disk calls = sim_disk_calls(disk);
    disk_vfs_use_by(&disk->state, &calls);
}

void
sim_disk_finish(struct sim_disk *disk)
{
    disk_vfs_reset();
    sv_disk_sim_finish(&disk->state);
}
