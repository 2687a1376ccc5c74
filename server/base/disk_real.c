#include "engine/base/assert.h"
#include "server/base/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define READ_SIZE ((size_t)64 * 1024)

static long
read_holder(int fd)
{
    char text[32] = "";
    ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    return size > 0 ? strtol(text, NULL, 10) : 0;
}

/* Repeats a call that a signal interrupts, as happens on network file systems. */
static int
open_fully(const char *path, int flags)
{
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

enum sv_disk_result
sv_disk_result_of(int error)
{
    switch (error) {
    case 0:
        return SV_DISK_OK;
    case ENOENT:
    case ENOTDIR:
        return SV_DISK_MISSING;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return SV_DISK_FULL;
    case EROFS:
    case EACCES:
    case EPERM:
        return SV_DISK_DENIED;
    case EMFILE:
    case ENFILE:
        return SV_DISK_FILES;
    case ENOMEM:
        return SV_DISK_MEMORY;
    default:
        return SV_DISK_FAILED;
    }
}

static enum sv_disk_result
result_of_errno(void)
{
    return errno != 0 ? sv_disk_result_of(errno) : SV_DISK_FAILED;
}

static enum sv_disk_result
result_of(int error)
{
    return error == 0 ? SV_DISK_OK : result_of_errno();
}

/* Empties the file, and writes this process's id into it. */
static bool
write_holder(int fd)
{
    char text[32];
    int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid()), cut;
    CN_ASSERT(size > 0 && (size_t)size < sizeof(text));
    ssize_t put;
    do {
        cut = ftruncate(fd, 0);
    } while (cut != 0 && errno == EINTR);
    if (cut != 0) {
        return false;
    }
    do {
        put = pwrite(fd, text, (size_t)size, 0);
    } while (put < 0 ? errno == EINTR : put < size && put > 0);
    return put == size;
}

/* Whether a name in the folder is one that the daemon gives. */
static bool
is_own_name(const char *name)
{
    static const char *const names[] = {"LOCK", "BACKUP", "journal.db", "journal.db-wal",
        "journal.db-shm", "journal.db-journal", "watermark", "stepping", "reserve"};
    size_t size = strlen(name);
    bool is_own = strncmp(name, "damaged-journal.db", 18) == 0 ||
        (strncmp(name, "world-", 6) == 0 && size > 5 &&
            (strcmp(name + size - 5, ".ckpt") == 0 || strcmp(name + size - 4, ".tmp") == 0));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        is_own = is_own || strcmp(name, names[i]) == 0;
    }
    return is_own;
}

/* Removes the rights of other users from an own file or folder.  Failures are ignored. */
static void
take_rights(int fd)
{
    struct stat about;
    if (fstat(fd, &about) == 0 && (about.st_mode & 077) != 0 &&
        (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) {
        (void)fchmod(fd, about.st_mode & 0700);
    }
}

/*
 * Removes the rights of other users from files that an older version or a copy left readable.  Does
 * the same with the folder, unless it has other files: it could be any folder, even "/".  Call this
 * before SQLite opens its files, because closing one of them here would release SQLite's locks.
 */
static void
seclude_folder(const char *folder)
{
    DIR *open_folder = opendir(folder);
    bool is_ours_alone = true;
    if (open_folder == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        const char *name = entry->d_name;
        if (!is_own_name(name)) {
            is_ours_alone = is_ours_alone && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0);
            continue;
        }
        int file = openat(
            dirfd(open_folder), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0) {
            take_rights(file);
            close(file);
        }
    }
    if (is_ours_alone) {
        take_rights(dirfd(open_folder));
    }
    closedir(open_folder);
}

static enum sv_disk_result
lock_folder(void *context, const char *folder, long *holder)
{
    struct sv_disk_real *state = context;
    CN_ASSERT(state->lock_fd < 0); /* one folder at a time */
    char path[PATH_SIZE];
    if ((size_t)snprintf(path, sizeof(path), "%s/LOCK", folder) >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return SV_DISK_FAILED;
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return result_of_errno();
    }
    int fd = open_fully(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (fd < 0) {
        return result_of_errno();
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        bool is_busy = errno == EWOULDBLOCK;
        *holder = read_holder(fd);
        close(fd);
        return is_busy ? SV_DISK_BUSY : SV_DISK_FAILED;
    }
    if (!write_holder(fd)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return sv_disk_result_of(saved);
    }
    seclude_folder(folder);
    state->lock_fd = fd;
    return SV_DISK_OK;
}

static void
unlock_folder(void *context)
{
    struct sv_disk_real *state = context;
    if (state->lock_fd >= 0) {
        close(state->lock_fd);
        state->lock_fd = -1;
    }
}

/*
 * Reads to the end of the file and grows the buffer as needed.  A device or a pipe has no known
 * size, and a high limit is no reason to allocate that much at once.
 */
static enum sv_disk_result
read_all(int fd, size_t size_max, char **bytes, size_t *size)
{
    char *memory = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (used == capacity) {
            capacity = capacity < READ_SIZE ? READ_SIZE : 2 * capacity;
            capacity = capacity < size_max + 1 ? capacity : size_max + 1;
            char *larger = realloc(memory, capacity + 1);
            if (larger == NULL) {
                free(memory);
                errno = ENOMEM;
                return SV_DISK_MEMORY;
            }
            memory = larger;
        }
        CN_ASSERT(used < capacity && capacity <= size_max + 1);
        ssize_t got = read(fd, memory + used, capacity - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            int saved = errno;
            free(memory);
            errno = saved;
            return result_of_errno();
        }
        used += (size_t)got;
        if (got == 0 || used > size_max) {
            break;
        }
    }
    if (used > size_max) {
        free(memory);
        return SV_DISK_SIZE;
    }
    memory[used] = '\0';
    char *fitting = realloc(memory, used + 1);
    *bytes = fitting != NULL ? fitting : memory;
    *size = used;
    return SV_DISK_OK;
}

static enum sv_disk_result
read_file(void *context, const char *path, size_t size_max, char **bytes, size_t *size)
{
    (void)context;
    int fd = open_fully(path, O_RDONLY);
    if (fd < 0) {
        return result_of_errno();
    }
    enum sv_disk_result result = read_all(fd, size_max, bytes, size);
    int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

static enum sv_disk_result
open_file(void *context, const char *path, enum sv_disk_mode mode, int *file)
{
    static const int flags[] = {[SV_DISK_READ] = O_RDONLY,
        [SV_DISK_WRITE] = O_RDWR | O_CREAT,
        [SV_DISK_REPLACE] = O_RDWR | O_CREAT | O_TRUNC};
    (void)context;
    CN_ASSERT((size_t)mode < sizeof(flags) / sizeof(flags[0]));
    *file = open_fully(path, flags[mode] | O_NOFOLLOW);
    return result_of(*file < 0);
}

static void
close_file(void *context, int file)
{
    CN_ASSERT(file >= 0);
    (void)context;
    close(file);
}

static void
forget_file(void *context, int file)
{
    (void)context;
    (void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

static enum sv_disk_result
hold_folder(void *context, const char *folder)
{
    struct sv_disk_real *state = context;
    CN_ASSERT(state->hold_fd < 0);
    char path[PATH_SIZE];
    if ((size_t)snprintf(path, sizeof(path), "%s/BACKUP", folder) >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return SV_DISK_FAILED;
    }
    int fd = open_fully(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (fd < 0) {
        return result_of_errno();
    }
    int result;
    do {
        result = flock(fd, LOCK_SH); /* waits: a daemon's check holds the lock for an instant */
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return result_of_errno();
    }
    state->hold_fd = fd;
    return SV_DISK_OK;
}

static void
let_go(void *context)
{
    struct sv_disk_real *state = context;
    if (state->hold_fd >= 0) {
        close(state->hold_fd);
        state->hold_fd = -1;
    }
}

static bool
is_held(void *context, const char *folder)
{
    (void)context;
    char path[PATH_SIZE];
    if ((size_t)snprintf(path, sizeof(path), "%s/BACKUP", folder) >= sizeof(path)) {
        return false;
    }
    int fd = open_fully(path, O_RDONLY | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    bool held = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return held;
}

static enum sv_disk_result
read_at(void *context, int file, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    (void)context;
    for (*got = 0; *got < size;) {
        ssize_t part = pread(file, (char *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part < 0) {
            return result_of_errno();
        }
        if (part == 0) {
            break;
        }
        *got += (size_t)part;
        CN_ASSERT(*got <= size);
    }
    return SV_DISK_OK;
}

static enum sv_disk_result
write_at(void *context, int file, uint64_t offset, const void *bytes, size_t size)
{
    CN_ASSERT(file >= 0);
    (void)context;
    for (size_t put = 0; put < size;) {
        ssize_t part = pwrite(file, (const char *)bytes + put, size - put, (off_t)(offset + put));
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part < 0) {
            return result_of_errno();
        }
        put += (size_t)part;
    }
    return SV_DISK_OK;
}

static enum sv_disk_result
datasync_file(void *context, int file)
{
    CN_ASSERT(file >= 0);
    (void)context;
    return result_of(fdatasync(file));
}

static enum sv_disk_result
allocate_file(void *context, int file, uint64_t size)
{
    (void)context;
    errno = posix_fallocate(file, 0, (off_t)size);
    return result_of(errno);
}

static enum sv_disk_result
rename_file(void *context, const char *from, const char *to)
{
    (void)context;
    return result_of(rename(from, to));
}

static enum sv_disk_result
remove_file(void *context, const char *path)
{
    (void)context;
    return result_of(unlink(path));
}

static enum sv_disk_result
sync_folder(void *context, const char *folder)
{
    (void)context;
    int fd = open_fully(folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return result_of_errno();
    }
    enum sv_disk_result result = result_of(fsync(fd));
    int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

static enum sv_disk_result
list_folder(void *context, const char *folder, sv_disk_visit visit, void *visit_context)
{
    (void)context;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) {
        return result_of_errno();
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        if (!visit(visit_context, entry->d_name)) {
            break;
        }
        errno = 0;
    }
    int saved = errno;
    closedir(open_folder);
    errno = saved;
    return result_of(saved);
}

static enum sv_disk_result
measure_space(void *context, const char *folder, uint64_t *free_size)
{
    struct statvfs about;
    (void)context;
    if (statvfs(folder, &about) != 0) {
        return result_of_errno();
    }
    *free_size = (uint64_t)about.f_bavail * about.f_frsize;
    return SV_DISK_OK;
}

static enum sv_disk_result
map_file(void *context, const char *path, size_t size, void **memory)
{
    CN_ASSERT(size > 0);
    int fd = -1;
    enum sv_disk_result result = open_file(context, path, SV_DISK_WRITE, &fd);
    if (result == SV_DISK_OK) {
        result =
            allocate_file(context, fd, size); /* writing into a hole of a full disk gives SIGBUS */
    }
    if (result == SV_DISK_OK) {
        *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        result = result_of(*memory == MAP_FAILED);
    }
    int saved = errno;
    if (fd >= 0) {
        close(fd);
    }
    errno = saved;
    return result;
}

static void
unmap_file(void *context, void *memory, size_t size)
{
    (void)context;
    munmap(memory, size);
}

const char *
sv_disk_text(enum sv_disk_result result)
{
    switch (result) {
    case SV_DISK_OK:
        return "done";
    case SV_DISK_MISSING:
        return "there is no such file";
    case SV_DISK_BUSY:
        return "another process holds it";
    case SV_DISK_SIZE:
        return "it is too large";
    case SV_DISK_FULL:
        return "there is no room";
    case SV_DISK_DENIED:
        return "it may not be opened or written";
    case SV_DISK_FILES:
        return errno == ENFILE
            ? "the system has too many files open (ENFILE): raise fs.file-max"
            : "this process has too many files open (EMFILE): raise ulimit -n, or LimitNOFILE= of "
              "its unit";
    case SV_DISK_MEMORY:
        return "there is no memory (ENOMEM): raise ulimit -v, or MemoryMax= of its unit";
    case SV_DISK_FAILED:
        break;
    }
    return errno != 0 ? strerror(errno) : "it failed";
}

struct sv_disk
sv_disk_real(struct sv_disk_real *state)
{
    state->lock_fd = -1;
    state->hold_fd = -1;
    return (struct sv_disk){.lock = lock_folder,
        .unlock = unlock_folder,
        .read = read_file,
        .open = open_file,
        .close = close_file,
        .read_at = read_at,
        .write_at = write_at,
        .datasync = datasync_file,
        .allocate = allocate_file,
        .forget = forget_file,
        .hold = hold_folder,
        .let_go = let_go,
        .is_held = is_held,
        .rename = rename_file,
        .remove = remove_file,
        .sync_folder = sync_folder,
        .list = list_folder,
        .space = measure_space,
        .map = map_file,
        .unmap = unmap_file,
        .context = state};
}
