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

static long
read_holder(int fd)
{
    char text[32] = "";
    ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    return size > 0 ? strtol(text, NULL, 10) : 0;
}

/* A call that a signal interrupts, as it may on a file system of a network, is made again. */
static int
open_fully(const char *path, int flags)
{
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* Empties the file, and writes this process's id into it. */
static bool
write_holder(int fd)
{
    char text[32];
    int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid()), cut;
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

static enum sv_disk_result
lock(void *context, const char *folder, long *holder)
{
    struct sv_disk_real *state = context;
    char path[PATH_SIZE];
    if ((size_t)snprintf(path, sizeof(path), "%s/LOCK", folder) >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return SV_DISK_FAILED;
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return errno == ENOENT ? SV_DISK_MISSING : SV_DISK_FAILED;
    }
    int fd = open_fully(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (fd < 0) {
        return SV_DISK_FAILED;
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
        return SV_DISK_FAILED;
    }
    state->lock_fd = fd;
    return SV_DISK_OK;
}

static void
unlock(void *context)
{
    struct sv_disk_real *state = context;
    if (state->lock_fd >= 0) {
        close(state->lock_fd);
        state->lock_fd = -1;
    }
}

/* Reads to the end of the file, growing by what is there; a device or pipe has no known size. */
static enum sv_disk_result
read_all(int fd, size_t size_max, char **bytes, size_t *size)
{
    char *memory = malloc(size_max + 2);
    size_t used = 0;
    if (memory == NULL) {
        return SV_DISK_FAILED;
    }
    while (used <= size_max) {
        ssize_t got = read(fd, memory + used, size_max + 1 - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            free(memory);
            return SV_DISK_FAILED;
        }
        if (got == 0) {
            break;
        }
        used += (size_t)got;
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
        return errno == ENOENT || errno == ENOTDIR ? SV_DISK_MISSING : SV_DISK_FAILED;
    }
    enum sv_disk_result result = read_all(fd, size_max, bytes, size);
    int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

static enum sv_disk_result
result_of_errno(void)
{
    switch (errno) {
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
    default:
        return SV_DISK_FAILED;
    }
}

static enum sv_disk_result
result_of(int error)
{
    return error == 0 ? SV_DISK_OK : result_of_errno();
}

static enum sv_disk_result
open_file(void *context, const char *path, enum sv_disk_mode mode, int *file)
{
    static const int flags[] = {[SV_DISK_READ] = O_RDONLY,
        [SV_DISK_WRITE] = O_RDWR | O_CREAT,
        [SV_DISK_REPLACE] = O_RDWR | O_CREAT | O_TRUNC};
    (void)context;
    *file = open_fully(path, flags[mode] | O_NOFOLLOW);
    return result_of(*file < 0);
}

static void
close_file(void *context, int file)
{
    (void)context;
    close(file);
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
    }
    return SV_DISK_OK;
}

static enum sv_disk_result
write_at(void *context, int file, uint64_t offset, const void *bytes, size_t size)
{
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
datasync(void *context, int file)
{
    (void)context;
    return result_of(fdatasync(file));
}

static enum sv_disk_result
allocate(void *context, int file, uint64_t size)
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
list(void *context, const char *folder, sv_disk_visit visit, void *visit_context)
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
space(void *context, const char *folder, uint64_t *free_size)
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
map(void *context, const char *path, size_t size, void **memory)
{
    int fd = -1;
    enum sv_disk_result result = open_file(context, path, SV_DISK_WRITE, &fd);
    if (result == SV_DISK_OK) {
        result = allocate(context, fd, size); /* a store into a hole of a full disk is SIGBUS */
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
unmap(void *context, void *memory, size_t size)
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
    case SV_DISK_FAILED:
        break;
    }
    return errno != 0 ? strerror(errno) : "it failed";
}

struct sv_disk
sv_disk_real(struct sv_disk_real *state)
{
    state->lock_fd = -1;
    return (struct sv_disk){.lock = lock,
        .unlock = unlock,
        .read = read_file,
        .open = open_file,
        .close = close_file,
        .read_at = read_at,
        .write_at = write_at,
        .datasync = datasync,
        .allocate = allocate,
        .rename = rename_file,
        .remove = remove_file,
        .sync_folder = sync_folder,
        .list = list,
        .space = space,
        .map = map,
        .unmap = unmap,
        .context = state};
}
