/*
 * store_folder.h: makes a separate folder for each test of the store, and worlds to fill it.
 */
#ifndef TESTS_SUPPORT_SERVER_STORE_FOLDER_H
#define TESTS_SUPPORT_SERVER_STORE_FOLDER_H

#include "server/store/store.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct store_folder {
    char path[256];
};

/* In memory where there is such a place: no process's death makes a difference to it. */
static inline void
store_folder_make(struct store_folder *folder)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL) {
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    snprintf(folder->path, sizeof(folder->path), "%s/cairn-store-XXXXXX", parent);
    if (mkdtemp(folder->path) == NULL) {
        abort();
    }
}

/* It is flat. */
static inline void
store_folder_remove(struct store_folder *folder)
{
    char path[1024];
    DIR *open_folder = opendir(folder->path);
    for (struct dirent *entry; open_folder != NULL && (entry = readdir(open_folder)) != NULL;) {
        snprintf(path, sizeof(path), "%s/%s", folder->path, entry->d_name);
        unlink(path);
    }
    if (open_folder != NULL) {
        closedir(open_folder);
    }
    rmdir(folder->path);
}

static inline struct sv_store_config
store_folder_config(const struct store_folder *folder, struct sv_disk_real *disk)
{
    return (struct sv_store_config){.folder = folder->path,
        .lane_count = 1,
        .lane_size = 64 * 1024,
        .free_min = 1,
        .clock = sv_clock_real(),
        .disk = sv_disk_real(disk)};
}

/* A world's charter, and a first flush. */
static inline bool
store_put_charter(struct sv_lane *lane, uint64_t world, const char *text)
{
    return sv_lane_put_charter(lane, world, (unsigned char *)strdup(text), strlen(text)) != 0;
}

/* Flips one bit of a file. */
static inline void
store_flip(const struct store_folder *folder, const char *name, long offset, int bit)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    FILE *file = fopen(path, "r+b");
    if (file == NULL || fseek(file, offset, SEEK_SET) != 0) {
        abort();
    }
    int byte = fgetc(file);
    if (byte == EOF || fseek(file, offset, SEEK_SET) != 0 ||
        fputc(byte ^ (1 << bit), file) == EOF || fclose(file) != 0) {
        abort();
    }
}

static inline long
store_file_size(const struct store_folder *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return -1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

#endif
