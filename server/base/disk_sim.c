#include "engine/base/assert.h"
#include "server/base/disk.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR_SIZE 512 /* bytes that a device writes atomically */

static enum sv_disk_result
lock_folder(void *context, const char *folder, long *holder)
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
unlock_folder(void *context)
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

/* Counts a call that changes the disk.  Returns OK, or the error with which it must fail. */
static enum sv_disk_result
count_change(struct sv_disk_sim *state)
{
    uint64_t call = ++state->call_count;
    bool fails = state->fail_first != 0 && call >= state->fail_first &&
                 call - state->fail_first < state->fail_count;
    return fails ? state->fail_result : SV_DISK_OK;
}

static struct sv_disk_sim_name *
find_name(struct sv_disk_sim *state, const char *path)
{
    for (int i = 0; i < state->name_count; i++) {
        if (strcmp(state->names[i].path, path) == 0) {
            return &state->names[i];
        }
    }
    return NULL;
}

static struct sv_disk_sim_name *
make_name(struct sv_disk_sim *state, const char *path)
{
    struct sv_disk_sim_name *name = find_name(state, path);
    for (int i = 0; i < state->name_count && name == NULL; i++) {
        if (state->names[i].now < 0 && state->names[i].kept < 0) {
            name = &state->names[i];
        }
    }
    if (name == NULL && state->name_count < SV_DISK_SIM_NAMES_MAX) {
        name = &state->names[state->name_count++];
        name->now = name->kept = -1;
    }
    CN_ASSERT(state->name_count <= SV_DISK_SIM_NAMES_MAX);
    if (name != NULL && strlen(path) < sizeof(name->path)) {
        memcpy(name->path, path, strlen(path) + 1);
        return name;
    }
    return NULL;
}

static bool
is_named(const struct sv_disk_sim *state, int file)
{
    for (int i = 0; i < state->name_count; i++) {
        if (state->names[i].now == file || state->names[i].kept == file) {
            return true;
        }
    }
    return false;
}

static int
make_file(struct sv_disk_sim *state)
{
    for (int i = 0; i < state->stored_count; i++) {
        if (!is_named(state, i)) {
            free(state->stored[i].now);
            free(state->stored[i].kept);
            memset(&state->stored[i], 0, sizeof(state->stored[i]));
            return i;
        }
    }
    CN_ASSERT(state->stored_count <= SV_DISK_SIM_NAMES_MAX);
    return state->stored_count < SV_DISK_SIM_NAMES_MAX ? state->stored_count++ : -1;
}

/* Resizes a file.  Its memory grows by half, so that appending does not copy it each time. */
static bool
resize_bytes(unsigned char **bytes, size_t *size, size_t *room, size_t wanted)
{
    if (wanted + 1 > *room) {
        size_t larger_room = wanted + wanted / 2 + 64;
        unsigned char *larger = realloc(*bytes, larger_room);
        if (larger == NULL) {
            return false;
        }
        *bytes = larger;
        *room = larger_room;
    }
    if (wanted > *size) {
        memset(*bytes + *size, 0, wanted - *size);
    }
    CN_ASSERT(wanted < *room);
    *size = wanted;
    return true;
}

static bool
resize_now(struct sv_disk_sim_file *stored, size_t wanted)
{
    sv_disk_sim_touch(stored, stored->now_size, wanted);
    return resize_bytes(&stored->now, &stored->now_size, &stored->now_room, wanted);
}

void
sv_disk_sim_touch(struct sv_disk_sim_file *stored, size_t from, size_t to)
{
    if (from > to) {
        size_t swapped = from;
        from = to;
        to = swapped;
    }
    bool is_clean = stored->touched_from >= stored->touched_to;
    CN_ASSERT(from <= to);
    stored->touched_from = is_clean || from < stored->touched_from ? from : stored->touched_from;
    stored->touched_to = is_clean || to > stored->touched_to ? to : stored->touched_to;
}

static enum sv_disk_result
open_file(void *context, const char *path, enum sv_disk_mode mode, int *file)
{
    struct sv_disk_sim *state = context;
    struct sv_disk_sim_name *name = find_name(state, path);
    if (mode == SV_DISK_READ && (name == NULL || name->now < 0)) {
        return SV_DISK_MISSING;
    }
    enum sv_disk_result result = mode == SV_DISK_READ ? SV_DISK_OK : count_change(state);
    if (result != SV_DISK_OK) {
        return result;
    }
    if (name == NULL || name->now < 0) {
        name = make_name(state, path);
        int made = name != NULL ? make_file(state) : -1;
        if (made < 0) {
            return SV_DISK_FAILED;
        }
        name->now = made;
    } else if (mode == SV_DISK_REPLACE) {
        sv_disk_sim_touch(&state->stored[name->now], 0, state->stored[name->now].now_size);
        state->stored[name->now].now_size = 0;
    }
    *file = name->now;
    return SV_DISK_OK;
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
    struct sv_disk_sim *state = context;
    CN_ASSERT(file >= 0 && file < state->stored_count);
    const struct sv_disk_sim_file *stored = &state->stored[file];
    *got = offset >= stored->now_size ? 0 : stored->now_size - (size_t)offset;
    *got = *got < size ? *got : size;
    if (*got > 0) {
        memcpy(bytes, stored->now + offset, *got);
    }
    return SV_DISK_OK;
}

/* Writes bytes.  A failing write still writes its first half, in whole sectors. */
static enum sv_disk_result
write_at(void *context, int file, uint64_t offset, const void *bytes, size_t size)
{
    struct sv_disk_sim *state = context;
    CN_ASSERT(file >= 0 && file < state->stored_count);
    struct sv_disk_sim_file *stored = &state->stored[file];
    enum sv_disk_result result = count_change(state);
    uint64_t half = (offset + size / 2) / SECTOR_SIZE * SECTOR_SIZE;
    size_t cut = half > offset ? (size_t)(half - offset) : 0;
    size_t written = result == SV_DISK_OK ? size : cut;
    if (offset + written > stored->now_size && !resize_now(stored, (size_t)offset + written)) {
        return SV_DISK_FAILED;
    }
    if (written > 0) {
        sv_disk_sim_touch(stored, (size_t)offset, (size_t)offset + written);
        memcpy(stored->now + offset, bytes, written);
    }
    return result;
}

/* Makes the present bytes durable.  Only the touched range can differ from the durable bytes. */
static bool
keep_bytes(struct sv_disk_sim_file *stored)
{
    size_t to = stored->touched_to < stored->now_size ? stored->touched_to : stored->now_size;
    if (!resize_bytes(&stored->kept, &stored->kept_size, &stored->kept_room, stored->now_size)) {
        return false;
    }
    if (to > stored->touched_from) {
        memcpy(stored->kept + stored->touched_from, stored->now + stored->touched_from,
            to - stored->touched_from);
    }
    CN_ASSERT(stored->kept_size == stored->now_size);
    stored->touched_from = stored->touched_to = 0;
    return true;
}

static enum sv_disk_result
datasync_file(void *context, int file)
{
    struct sv_disk_sim *state = context;
    CN_ASSERT(file >= 0 && file < state->stored_count);
    struct sv_disk_sim_file *stored = &state->stored[file];
    enum sv_disk_result result = count_change(state);
    if (result != SV_DISK_OK) {
        return result;
    }
    return keep_bytes(stored) ? SV_DISK_OK : SV_DISK_FAILED;
}

static enum sv_disk_result
allocate_file(void *context, int file, uint64_t size)
{
    struct sv_disk_sim *state = context;
    CN_ASSERT(file >= 0 && file < state->stored_count);
    struct sv_disk_sim_file *stored = &state->stored[file];
    enum sv_disk_result result = count_change(state);
    if (result == SV_DISK_OK && size > stored->now_size && !resize_now(stored, (size_t)size)) {
        result = SV_DISK_FAILED;
    }
    return result;
}

static enum sv_disk_result
rename_file(void *context, const char *from, const char *to)
{
    struct sv_disk_sim *state = context;
    struct sv_disk_sim_name *source = find_name(state, from);
    enum sv_disk_result result = count_change(state);
    if (result != SV_DISK_OK) {
        return result;
    }
    if (source == NULL || source->now < 0) {
        return SV_DISK_MISSING;
    }
    struct sv_disk_sim_name *target = make_name(state, to);
    if (target == NULL) {
        return SV_DISK_FAILED;
    }
    target->now = source->now;
    source->now = -1;
    return SV_DISK_OK;
}

static enum sv_disk_result
remove_file(void *context, const char *path)
{
    struct sv_disk_sim *state = context;
    struct sv_disk_sim_name *name = find_name(state, path);
    enum sv_disk_result result = count_change(state);
    if (result == SV_DISK_OK && (name == NULL || name->now < 0)) {
        result = SV_DISK_MISSING;
    }
    if (result == SV_DISK_OK) {
        name->now = -1;
    }
    return result;
}

static bool
is_in(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && path[size] == '/' &&
           strchr(path + size + 1, '/') == NULL;
}

static enum sv_disk_result
sync_folder(void *context, const char *folder)
{
    struct sv_disk_sim *state = context;
    enum sv_disk_result result = count_change(state);
    for (int i = 0; i < state->name_count && result == SV_DISK_OK; i++) {
        if (is_in(state->names[i].path, folder)) {
            state->names[i].kept = state->names[i].now;
        }
    }
    return result;
}

static enum sv_disk_result
list_folder(void *context, const char *folder, sv_disk_visit visit, void *visit_context)
{
    struct sv_disk_sim *state = context;
    for (int i = 0; i < state->name_count; i++) {
        const struct sv_disk_sim_name *name = &state->names[i];
        if (name->now >= 0 && is_in(name->path, folder) &&
            !visit(visit_context, name->path + strlen(folder) + 1)) {
            break;
        }
    }
    return SV_DISK_OK;
}

static enum sv_disk_result
measure_space(void *context, const char *folder, uint64_t *free_size)
{
    struct sv_disk_sim *state = context;
    (void)folder;
    *free_size = state->free_size != 0 ? state->free_size : UINT64_C(1) << 40;
    return SV_DISK_OK;
}

/* Maps a file.  The memory is the file's own: it survives the process, but a crash can undo it. */
static enum sv_disk_result
map_file(void *context, const char *path, size_t size, void **memory)
{
    struct sv_disk_sim *state = context;
    int file = -1;
    enum sv_disk_result result = open_file(context, path, SV_DISK_WRITE, &file);
    if (result == SV_DISK_OK) {
        result = allocate_file(context, file, size);
    }
    if (result == SV_DISK_OK) {
        sv_disk_sim_touch(&state->stored[file], 0, size);
        *memory = state->stored[file].now;
    }
    return result;
}

static void
unmap_file(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

static uint64_t
next_random(uint64_t *seed)
{
    uint64_t mixed = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/* Makes each sector that is not durable either old or new, at random. */
static void
tear_file(struct sv_disk_sim_file *stored, uint64_t *seed)
{
    size_t larger = stored->now_size > stored->kept_size ? stored->now_size : stored->kept_size;
    size_t size = next_random(seed) % 2 == 0 ? stored->now_size : stored->kept_size;
    size_t to = stored->touched_to < larger ? stored->touched_to : larger;
    size_t now_size = stored->now_size, kept_size = stored->kept_size;
    if (!resize_now(stored, larger) ||
        !resize_bytes(&stored->kept, &stored->kept_size, &stored->kept_room, larger)) {
        return;
    }
    for (size_t at = stored->touched_from / SECTOR_SIZE * SECTOR_SIZE; at < to;
         at += SECTOR_SIZE) {
        size_t part = larger - at < SECTOR_SIZE ? larger - at : SECTOR_SIZE;
        bool is_new = at < now_size && next_random(seed) % 2 == 0; /* beyond the cut: always old */
        size_t from_size = is_new ? now_size : kept_size;
        size_t there = from_size > at ? from_size - at : 0;
        there = there < part ? there : part;
        if (!is_new) {
            memcpy(stored->now + at, stored->kept + at, part);
        }
        memset(stored->now + at + there, 0, part - there);
    }
    stored->now_size = size;
}

/*
 * Keeps or undoes each change of a name that is not durable.  The changes of one file have the same
 * fate, so that a rename leaves one of the two names.  Different files are independent.
 */
static void
settle_names(struct sv_disk_sim *state, uint64_t seed)
{
    for (int i = 0; i < state->name_count; i++) {
        struct sv_disk_sim_name *name = &state->names[i];
        uint64_t file = (uint64_t)(name->now >= 0 ? name->now : name->kept);
        uint64_t coin = seed + file * UINT64_C(0x632be59bd9b4e019);
        if (next_random(&coin) % 2 == 0) {
            name->now = name->kept;
        } else {
            name->kept = name->now;
        }
    }
}

void
sv_disk_sim_crash(struct sv_disk_sim *state, uint64_t seed)
{
    settle_names(state, next_random(&seed));
    for (int i = 0; i < state->stored_count; i++) {
        struct sv_disk_sim_file *stored = &state->stored[i];
        tear_file(stored, &seed);
        sv_disk_sim_touch(stored, 0, stored->now_size);
        bool is_kept = keep_bytes(stored);
        (void)is_kept; /* if memory runs out, the test fails soon anyway */
    }
    state->is_locked = false;
}

unsigned char *
sv_disk_sim_bytes(struct sv_disk_sim *state, const char *path, size_t *size)
{
    const struct sv_disk_sim_name *name = find_name(state, path);
    if (name == NULL || name->now < 0) {
        return NULL;
    }
    *size = state->stored[name->now].now_size;
    sv_disk_sim_touch(&state->stored[name->now], 0, *size);
    return state->stored[name->now].now;
}

void
sv_disk_sim_finish(struct sv_disk_sim *state)
{
    for (int i = 0; i < state->stored_count; i++) {
        free(state->stored[i].now);
        free(state->stored[i].kept);
    }
    state->stored_count = state->name_count = 0;
}

static bool
is_held(void *context, const char *folder)
{
    const struct sv_disk_sim *state = context;
    (void)folder;
    return state->is_held;
}

struct sv_disk
sv_disk_simulated(struct sv_disk_sim *state)
{
    return (struct sv_disk){.lock = lock_folder,
        .unlock = unlock_folder,
        .read = read_file,
        .open = open_file,
        .close = close_file,
        .read_at = read_at,
        .write_at = write_at,
        .datasync = datasync_file,
        .allocate = allocate_file,
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
