#include "assets/folder.h"

#include "engine/base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096

bool
as_folder_open(struct as_folder *folder, const char *path)
{
    do {
        folder->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (folder->descriptor < 0 && errno == EINTR);
    return folder->descriptor >= 0;
}

bool
as_folder_open_of(struct as_folder *folder, const char *file)
{
    char path[PATH_SIZE];
    const char *slash = strrchr(file, '/');
    size_t size = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    if (size >= sizeof(path)) {
        return false;
    }
    memcpy(path, file, size);
    path[size] = '\0';
    return as_folder_open(folder, size > 0 ? path : ".");
}

void
as_folder_close(struct as_folder *folder)
{
    if (folder->descriptor >= 0) {
        close(folder->descriptor);
    }
    folder->descriptor = -1;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_-. +", c) != NULL);
}

static bool
is_name(const char *name)
{
    bool at_start = true;
    if (strlen(name) > AS_NAME_SIZE_MAX) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        if (at_start ? !is_letter(*c) || *c == '.' : !is_letter(*c) && *c != '/') {
            return false;
        }
        at_start = *c == '/';
    }
    return !at_start;
}

/* Opens a path part by part without following links; below 0: errno. */
static int
open_name(int folder, const char *name)
{
    char part[AS_NAME_SIZE_MAX + 1];
    int at = folder;
    for (;;) {
        const char *slash = strchr(name, '/');
        size_t length = slash != NULL ? (size_t)(slash - name) : strlen(name);
        CN_ASSERT(length > 0 && length < sizeof(part)); /* as is_name has checked */
        memcpy(part, name, length);
        part[length] = '\0';
        int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (slash != NULL ? O_DIRECTORY : O_NONBLOCK);
        int next;
        do {
            next = openat(at, part, flags);
        } while (next < 0 && errno == EINTR);
        if (at != folder) {
            int kept = errno;
            close(at);
            errno = kept;
        }
        if (next < 0 || slash == NULL) {
            return next;
        }
        at = next;
        name = slash + 1;
    }
}

/* Reads the whole of an open file, if it is a regular file of at most size_max bytes. */
static enum cn_status
read_all(int file, const char *name, size_t size_max, char **bytes, size_t *size,
    struct cn_defect *defect)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        return cn_defect_set(defect, CN_REFERENCE, name, "is not a plain file");
    }
    if ((unsigned long long)about.st_size > size_max) {
        return cn_defect_set(defect, CN_LIMIT, name, "has %lld bytes; at most %zu are read",
            (long long)about.st_size, size_max);
    }
    size_t want = (size_t)about.st_size, have = 0;
    char *buffer = malloc(want + 1);
    if (buffer == NULL) {
        return cn_defect_set(defect, CN_MEMORY, name, "is more than there is memory for");
    }
    while (have < want) {
        ssize_t got = read(file, buffer + have, want - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        have += (size_t)got;
    }
    if (have < want) {
        free(buffer);
        return cn_defect_set(defect, CN_REFERENCE, name, "can not be read whole");
    }
    CN_ASSERT(have == want);
    buffer[have] = '\0';
    *bytes = buffer;
    *size = have;
    return CN_OK;
}

enum cn_status
as_folder_read(const struct as_folder *folder, const char *name, size_t size_max, char **bytes,
    size_t *size, struct cn_defect *defect)
{
    if (!is_name(name)) {
        return cn_defect_set(defect, CN_REFERENCE, "file",
            "is \"%.120s\"; a name is of letters, digits and _-.+ within its folder, parted by /",
            name);
    }
    int file = open_name(folder->descriptor, name);
    if (file < 0) {
        return cn_defect_set(
            defect, CN_REFERENCE, name, "can not be opened: %s", strerror(errno));
    }
    enum cn_status status = read_all(file, name, size_max, bytes, size, defect);
    close(file);
    return status;
}
