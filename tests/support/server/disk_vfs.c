#include "tests/support/server/disk_vfs.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS_MAX 64
#define FILES_MAX 8

/* The shared memory and locks of all connections to one database. */
struct shared {
    char path[SV_DISK_SIM_PATH_SIZE];
    void *region[REGIONS_MAX];
    int readers[SQLITE_SHM_NLOCK], writer[SQLITE_SHM_NLOCK];
};

/* The connections that hold locks on a file; NULL: no connection has that lock. */
struct file_lock {
    int shared;
    const struct file *reserved, *exclusive;
};

struct file {
    sqlite3_file base;
    int number; /* the disk's */
    int level;  /* of its lock: SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE */
    struct shared *shared;
    bool is_named;
    unsigned shared_held, exclusive_held; /* bits */
    char path[SV_DISK_SIM_PATH_SIZE];
};

static struct {
    struct sv_disk_sim *sim;
    struct sv_disk disk;
    struct shared shared[FILES_MAX];
    int shared_count;
    struct file_lock locks[SV_DISK_SIM_NAMES_MAX];
    uint64_t random;
} twin;

static int
code_of(enum sv_disk_result result, int failed)
{
    return result == SV_DISK_OK ? SQLITE_OK : result == SV_DISK_FULL ? SQLITE_FULL : failed;
}

static int
file_read(sqlite3_file *base, void *bytes, int size, sqlite3_int64 offset)
{
    const struct file *file = (const struct file *)base;
    size_t got;
    enum sv_disk_result result = twin.disk.read_at(
        twin.disk.context, file->number, (uint64_t)offset, bytes, (size_t)size, &got);
    if (result != SV_DISK_OK) {
        return SQLITE_IOERR_READ;
    }
    if (got < (size_t)size) {
        memset((char *)bytes + got, 0, (size_t)size - got);
        return SQLITE_IOERR_SHORT_READ;
    }
    return SQLITE_OK;
}

static int
file_write(sqlite3_file *base, const void *bytes, int size, sqlite3_int64 offset)
{
    const struct file *file = (const struct file *)base;
    return code_of(
        twin.disk.write_at(twin.disk.context, file->number, (uint64_t)offset, bytes, (size_t)size),
        SQLITE_IOERR_WRITE);
}

static int
file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    const struct file *file = (const struct file *)base;
    struct sv_disk_sim_file *stored = &twin.sim->stored[file->number];
    if ((size_t)size < stored->now_size) {
        sv_disk_sim_touch(stored, (size_t)size, stored->now_size);
        stored->now_size = (size_t)size;
    }
    return SQLITE_OK;
}

/* SQLite flushes the folder, too, with the first flush of a log or journal. */
static int
file_sync(sqlite3_file *base, int flags)
{
    struct file *file = (struct file *)base;
    struct sv_disk_sim_name *names = twin.sim->names;
    enum sv_disk_result result = twin.disk.datasync(twin.disk.context, file->number);
    bool is_new = strchr(file->path, '-') != NULL && !file->is_named;
    (void)flags;
    for (int i = 0; i < twin.sim->name_count && result == SV_DISK_OK && is_new; i++) {
        names[i].kept = names[i].now;
        file->is_named = true;
    }
    return code_of(result, SQLITE_IOERR_FSYNC);
}

static int
file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    const struct file *file = (const struct file *)base;
    *size = (sqlite3_int64)twin.sim->stored[file->number].now_size;
    return SQLITE_OK;
}

/*
 * The locks of SQLite: many connections share a file, one of them may reserve it, and a connection
 * that writes excludes all others.  Here a connection that waits for the exclusive lock does not
 * keep new readers out.
 */
static int
file_lock(sqlite3_file *base, int level)
{
    struct file *file = (struct file *)base;
    struct file_lock *lock = &twin.locks[file->number];
    bool is_held = lock->exclusive != NULL && lock->exclusive != file;
    bool is_reserved = lock->reserved != NULL && lock->reserved != file;
    if (level <= file->level) {
        return SQLITE_OK;
    }
    if (is_held || (level > SQLITE_LOCK_SHARED && is_reserved) ||
        (level == SQLITE_LOCK_EXCLUSIVE && lock->shared > 1)) {
        return SQLITE_BUSY;
    }
    lock->shared += file->level == SQLITE_LOCK_NONE ? 1 : 0;
    lock->reserved = level > SQLITE_LOCK_SHARED ? file : lock->reserved;
    lock->exclusive = level == SQLITE_LOCK_EXCLUSIVE ? file : lock->exclusive;
    file->level = level;
    return SQLITE_OK;
}

static int
file_unlock(sqlite3_file *base, int level)
{
    struct file *file = (struct file *)base;
    struct file_lock *lock = &twin.locks[file->number];
    if (level >= file->level) {
        return SQLITE_OK;
    }
    lock->exclusive = lock->exclusive == file ? NULL : lock->exclusive;
    lock->reserved = lock->reserved == file ? NULL : lock->reserved;
    lock->shared -= level == SQLITE_LOCK_NONE && lock->shared > 0 ? 1 : 0;
    file->level = level;
    return SQLITE_OK;
}

static int
file_close(sqlite3_file *base)
{
    return file_unlock(base, SQLITE_LOCK_NONE);
}

static int
file_check(sqlite3_file *base, int *is_reserved)
{
    const struct file *file = (const struct file *)base;
    *is_reserved = twin.locks[file->number].reserved != NULL ? 1 : 0;
    return SQLITE_OK;
}

static int
file_control(sqlite3_file *base, int what, void *argument)
{
    (void)base;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int
file_sector(sqlite3_file *base)
{
    (void)base;
    return 512;
}

static int
file_traits(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int
shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **memory)
{
    struct file *file = (struct file *)base;
    *memory = NULL;
    if (region >= REGIONS_MAX) {
        return SQLITE_IOERR_SHMMAP;
    }
    for (int i = 0; i < twin.shared_count && file->shared == NULL; i++) {
        if (strcmp(twin.shared[i].path, file->path) == 0) {
            file->shared = &twin.shared[i];
        }
    }
    if (file->shared == NULL && twin.shared_count < FILES_MAX) {
        file->shared = &twin.shared[twin.shared_count++];
        memcpy(file->shared->path, file->path, sizeof(file->path));
    }
    if (file->shared == NULL) {
        return SQLITE_NOMEM;
    }
    void **place = &file->shared->region[region];
    if (*place == NULL && extend) {
        *place = calloc(1, (size_t)size);
    }
    *memory = *place;
    return SQLITE_OK;
}

static int
shm_lock(sqlite3_file *base, int offset, int count, int flags)
{
    struct file *file = (struct file *)base;
    struct shared *shared = file->shared;
    for (int i = offset; i < offset + count && (flags & SQLITE_SHM_LOCK) != 0; i++) {
        int others = shared->readers[i] - (int)((file->shared_held >> i) & 1);
        bool is_written = shared->writer[i] != 0 && ((file->exclusive_held >> i) & 1) == 0;
        if (is_written || ((flags & SQLITE_SHM_EXCLUSIVE) != 0 && others > 0)) {
            return SQLITE_BUSY;
        }
    }
    for (int i = offset; i < offset + count; i++) {
        unsigned bit = 1u << i;
        bool is_exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
        unsigned *held = is_exclusive ? &file->exclusive_held : &file->shared_held;
        int *counted = is_exclusive ? &shared->writer[i] : &shared->readers[i];
        bool is_wanted = (flags & SQLITE_SHM_LOCK) != 0;
        if (is_wanted != ((*held & bit) != 0)) {
            *counted += is_wanted ? 1 : -1;
            *held ^= bit;
        }
    }
    return SQLITE_OK;
}

static void
shm_barrier(sqlite3_file *base)
{
    (void)base;
}

static int
shm_unmap(sqlite3_file *base, int is_removed)
{
    struct file *file = (struct file *)base;
    (void)is_removed;
    file->shared = NULL;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {.iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap};

static int
vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *flags_out)
{
    struct file *file = (struct file *)base;
    (void)vfs;
    memset(file, 0, sizeof(*file));
    if (path == NULL || strlen(path) >= sizeof(file->path)) {
        return SQLITE_CANTOPEN;
    }
    memcpy(file->path, path, strlen(path) + 1);
    enum sv_disk_mode mode = (flags & SQLITE_OPEN_CREATE) != 0 ? SV_DISK_WRITE : SV_DISK_READ;
    enum sv_disk_result result = twin.disk.open(twin.disk.context, path, mode, &file->number);
    if (result != SV_DISK_OK) {
        return code_of(result, SQLITE_CANTOPEN);
    }
    file->base.pMethods = &methods;
    if (flags_out != NULL) {
        *flags_out = flags;
    }
    return SQLITE_OK;
}

static int
vfs_delete(sqlite3_vfs *vfs, const char *path, int is_synced)
{
    (void)vfs;
    (void)is_synced;
    enum sv_disk_result result = twin.disk.remove(twin.disk.context, path);
    return result == SV_DISK_MISSING ? SQLITE_IOERR_DELETE_NOENT
                                     : code_of(result, SQLITE_IOERR_DELETE);
}

static int
vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *is_there)
{
    int file;
    (void)vfs;
    (void)flags;
    *is_there = twin.disk.open(twin.disk.context, path, SV_DISK_READ, &file) == SV_DISK_OK;
    return SQLITE_OK;
}

static int
vfs_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
    (void)vfs;
    return snprintf(out, (size_t)size, "%s", path) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* The same numbers in each run, so that runs are reproducible. */
static int
vfs_random(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs;
    for (int i = 0; i < size; i++) {
        twin.random = twin.random * UINT64_C(6364136223846793005) + 3;
        out[i] = (char)(twin.random >> 56);
    }
    return size;
}

static int
vfs_sleep(sqlite3_vfs *vfs, int duration_us)
{
    (void)vfs;
    return duration_us;
}

static int
vfs_time(sqlite3_vfs *vfs, double *days)
{
    (void)vfs;
    *days = 2460000.5;
    return SQLITE_OK;
}

static int
vfs_error(sqlite3_vfs *vfs, int size, char *text)
{
    (void)vfs;
    (void)size;
    (void)text;
    return 0;
}

void
disk_vfs_use(struct sv_disk_sim *disk)
{
    struct sv_disk whole = sv_disk_simulated(disk);
    disk_vfs_use_by(disk, &whole);
}

void
disk_vfs_use_by(struct sv_disk_sim *disk, const struct sv_disk *calls)
{
    static sqlite3_vfs vfs = {.iVersion = 1,
        .szOsFile = (int)sizeof(struct file),
        .mxPathname = SV_DISK_SIM_PATH_SIZE - 8,
        .zName = DISK_VFS_NAME,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_path,
        .xRandomness = vfs_random,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_error};
    twin.sim = disk;
    twin.disk = *calls;
    twin.random = 0;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) {
        abort();
    }
}

void
disk_vfs_reset(void)
{
    for (int i = 0; i < twin.shared_count; i++) {
        for (int region = 0; region < REGIONS_MAX; region++) {
            free(twin.shared[i].region[region]);
        }
        memset(&twin.shared[i], 0, sizeof(twin.shared[i]));
    }
    twin.shared_count = 0;
    memset(twin.locks, 0, sizeof(twin.locks));
}
