#include "server/base/disk.h"

#include <stdlib.h>
#include <string.h>

static enum sv_disk_result
lock(void *context, const char *folder, long *holder)
{
    struct sv_disk_sim *state = context;
    (void)folder;
    if (state->holder != 0 || state->is_locked) {
        *holder = state->holder;
        return SV_DISK_BUSY;
    }
    state->is_locked = true;
    return SV_DISK_OK;
}

static void
unlock(void *context)
{
    struct sv_disk_sim *state = context;
    state->is_locked = false;
}

static enum sv_disk_result
read_file(void *context, const char *path, size_t size_max, char **bytes, size_t *size)
{
    const struct sv_disk_sim *state = context;
    for (int i = 0; i < state->file_count; i++) {
        if (strcmp(state->files[i].path, path) != 0) {
            continue;
        }
        size_t length = strlen(state->files[i].text);
        if (length > size_max) {
            return SV_DISK_SIZE;
        }
        *bytes = malloc(length + 1);
        if (*bytes == NULL) {
            return SV_DISK_FAILED;
        }
        memcpy(*bytes, state->files[i].text, length + 1);
        *size = length;
        return SV_DISK_OK;
    }
    return SV_DISK_MISSING;
}

struct sv_disk
sv_disk_simulated(struct sv_disk_sim *state)
{
    return (struct sv_disk){.lock = lock, .unlock = unlock, .read = read_file, .context = state};
}
