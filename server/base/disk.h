/*
 * disk.h: the only way to files.
 *
 * The data folder is made when it is missing and held by a lock, so that two daemons never share
 * it.  The twin keeps its files in memory and can be told who holds the lock.
 */
#ifndef SERVER_BASE_DISK_H
#define SERVER_BASE_DISK_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sv_disk_result {
    SV_DISK_OK,
    SV_DISK_MISSING, /* no such file or folder */
    SV_DISK_BUSY,    /* another process holds the folder */
    SV_DISK_SIZE,    /* a file is larger than asked for */
    SV_DISK_FAILED,  /* anything else; errno says what */
};

struct sv_disk {
    /* Makes the folder if need be and locks it; on BUSY *holder is the other's process id, or 0. */
    CN_MUST_USE enum sv_disk_result (*lock)(void *context, const char *folder, long *holder);

    /* Lets the folder go; nothing happens when it is not held. */
    void (*unlock)(void *context);

    /* Reads a whole file of at most size_max bytes; *bytes is freed with free, '\0' after it. */
    CN_MUST_USE enum sv_disk_result (*read)(
        void *context, const char *path, size_t size_max, char **bytes, size_t *size);

    void *context;
};

struct sv_disk_real {
    int lock_fd; /* -1: not locked */
};
struct sv_disk sv_disk_real(struct sv_disk_real *state);

#define SV_DISK_SIM_FILES_MAX 16

struct sv_disk_sim {
    struct {
        const char *path, *text; /* borrowed */
    } files[SV_DISK_SIM_FILES_MAX];
    int file_count;
    long holder; /* 0: the lock is free */
    bool is_locked;
};
struct sv_disk sv_disk_simulated(struct sv_disk_sim *state);

#endif
