/*
 * disk.h: the only way to files.
 *
 * The data folder is made when it is missing and held by a lock, so that two daemons never share
 * it.  What is written is durable after datasync, and a name that was made, changed or removed
 * after sync_folder; before, a power cut may undo or tear it.
 *
 * The twin keeps its files in memory, knows what of them is durable, forgets the rest when it is
 * told to, and can let the k-th call that changes something fail.
 *
 * Threads: lock and unlock belong to one; the others to any thread, each file to one at a time.
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
    SV_DISK_FULL,    /* no room: ENOSPC, EDQUOT, EFBIG */
    SV_DISK_DENIED,  /* may not be written or looked at: EROFS, EACCES, EPERM */
    SV_DISK_FAILED,  /* anything else; errno says what */
};

enum sv_disk_mode {
    SV_DISK_READ,
    SV_DISK_WRITE,   /* and read; made when it is missing */
    SV_DISK_REPLACE, /* and read; made, or emptied */
};

/* False ends the list. */
typedef bool (*sv_disk_visit)(void *context, const char *name);

struct sv_disk {
    /* Makes the folder if need be and locks it; on BUSY *holder is the other's process id, or 0. */
    CN_MUST_USE enum sv_disk_result (*lock)(void *context, const char *folder, long *holder);

    /* Lets the folder go; nothing happens when it is not held. */
    void (*unlock)(void *context);

    /* Reads a whole file of at most size_max bytes; *bytes is freed with free, '\0' after it. */
    CN_MUST_USE enum sv_disk_result (*read)(
        void *context, const char *path, size_t size_max, char **bytes, size_t *size);

    /* A file, by a number >= 0, until it is closed. */
    CN_MUST_USE enum sv_disk_result (*open)(
        void *context, const char *path, enum sv_disk_mode mode, int *file);
    void (*close)(void *context, int file);

    /* Reads until `size` bytes are there or the file ends; *got is how many there are. */
    CN_MUST_USE enum sv_disk_result (*read_at)(
        void *context, int file, uint64_t offset, void *bytes, size_t size, size_t *got);

    /* Writes everything, or fails and may have written some. */
    CN_MUST_USE enum sv_disk_result (*write_at)(
        void *context, int file, uint64_t offset, const void *bytes, size_t size);

    /* What was written is durable.  After a failure nobody knows: it must not be called again. */
    CN_MUST_USE enum sv_disk_result (*datasync)(void *context, int file);

    /* Takes the room that a file of this size needs, and makes it that large. */
    CN_MUST_USE enum sv_disk_result (*allocate)(void *context, int file, uint64_t size);

    CN_MUST_USE enum sv_disk_result (*rename)(void *context, const char *from, const char *to);
    CN_MUST_USE enum sv_disk_result (*remove)(void *context, const char *path);
    CN_MUST_USE enum sv_disk_result (*sync_folder)(void *context, const char *folder);
    CN_MUST_USE enum sv_disk_result (*list)(
        void *context, const char *folder, sv_disk_visit visit, void *visit_context);

    /* Bytes that may still be written there. */
    CN_MUST_USE enum sv_disk_result (*space)(
        void *context, const char *folder, uint64_t *free_size);

    /*
     * The file, made or brought to this size, as memory: what is stored there outlives the process,
     * but not a power cut.
     */
    CN_MUST_USE enum sv_disk_result (*map)(
        void *context, const char *path, size_t size, void **memory);
    void (*unmap)(void *context, void *memory, size_t size);

    void *context;
};

/* What went wrong, for people: errno's text, or the result's. */
const char *sv_disk_text(enum sv_disk_result result);

struct sv_disk_real {
    int lock_fd; /* -1: not locked */
};
struct sv_disk sv_disk_real(struct sv_disk_real *state);

#define SV_DISK_SIM_FILES_MAX 16
#define SV_DISK_SIM_NAMES_MAX 64
#define SV_DISK_SIM_PATH_SIZE 128

struct sv_disk_sim_file {
    unsigned char *now, *kept; /* kept is what is durable */
    size_t now_size, kept_size, now_room, kept_room;
    size_t touched_from, touched_to; /* what may differ */
};

struct sv_disk_sim_name {
    char path[SV_DISK_SIM_PATH_SIZE];
    int now, kept; /* files, or -1: no such name */
};

struct sv_disk_sim {
    struct {
        const char *path, *text; /* borrowed */
    } files[SV_DISK_SIM_FILES_MAX];
    int file_count;
    long holder; /* 0: the lock is free */
    bool is_locked;

    /* What was written. */
    struct sv_disk_sim_file stored[SV_DISK_SIM_NAMES_MAX];
    struct sv_disk_sim_name names[SV_DISK_SIM_NAMES_MAX];
    int stored_count, name_count;
    uint64_t free_size; /* what space says; 0: plenty */

    /* The k-th call from the beginning that changes something, k >= 1, and those after it, fail. */
    uint64_t fail_first, fail_count;
    enum sv_disk_result fail_result;
    uint64_t call_count;
};
struct sv_disk sv_disk_simulated(struct sv_disk_sim *state);
void sv_disk_sim_finish(struct sv_disk_sim *state); /* frees what was written */

/* Bytes of the file are about to be another's than those that are kept; in any order. */
void sv_disk_sim_touch(struct sv_disk_sim_file *stored, size_t from, size_t to);

/*
 * The power is cut: of what is not durable the seed says which sectors of 512 bytes are there, and
 * which names are.  All files are closed.
 */
void sv_disk_sim_crash(struct sv_disk_sim *state, uint64_t seed);

/* The bytes of a file, for tests to look at and to damage; NULL when there is none. */
unsigned char *sv_disk_sim_bytes(struct sv_disk_sim *state, const char *path, size_t *size);

#endif
