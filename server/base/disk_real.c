#include "server/base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096

static long
read_holder(int fd)
{
    char text[32] = "";
    ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    return size > 0 ? strtol(text, NULL, 10) : 0;
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
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return SV_DISK_FAILED;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        bool is_busy = errno == EWOULDBLOCK;
        *holder = read_holder(fd);
        close(fd);
        return is_busy ? SV_DISK_BUSY : SV_DISK_FAILED;
    }
    char text[32];
    int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)size, 0) != size) {
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? SV_DISK_MISSING : SV_DISK_FAILED;
    }
    enum sv_disk_result result = read_all(fd, size_max, bytes, size);
    int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

struct sv_disk
sv_disk_real(struct sv_disk_real *state)
{
    state->lock_fd = -1;
    return (struct sv_disk){.lock = lock, .unlock = unlock, .read = read_file, .context = state};
}
