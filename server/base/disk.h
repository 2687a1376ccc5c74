/*
 * disk.h: the only way to files.
 *
 * The data folder is made when it is missing, and locked, so that two daemons never share it.
 * Written bytes are durable after datasync; a new, changed or removed name is durable after
 * sync_folder.  Before that a power cut may undo or tear them.
 *
 * The simulated disk keeps its files in memory, knows which bytes are durable, loses the others in
 * a simulated power cut, and can let the k-th changing call fail.
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
    SV_DISK_SIZE,    /* a file is larger than size_max */
    SV_DISK_FULL,    /* no room: ENOSPC, EDQUOT, EFBIG */
    SV_DISK_DENIED,  /* no right to write or read: EROFS, EACCES, EPERM */
    SV_DISK_FILES,   /* this process, or the system, has too many files open: EMFILE, ENFILE */
    SV_DISK_MEMORY,  /* no memory: ENOMEM */
    SV_DISK_FAILED,  /* any other error; see errno */
};

enum sv_disk_mode {
    SV_DISK_READ,
    SV_DISK_WRITE,   /* write and read; the file is made if it is missing */
    SV_DISK_REPLACE, /* write and read; the file is made, or emptied */
};

/* False ends the list. */
typedef bool (*sv_disk_visit)(void *context, const char *name);

struct sv_disk {
    /*
     * Makes the folder if necessary and locks it.  On BUSY *holder is the process id of the other
     * process, or 0.  In an existing folder the daemon's files become readable by the owner only.
     * The folder does too, if it has no other files.
     */
    CN_MUST_USE enum sv_disk_result (*lock)(void *context, const char *folder, long *holder);

    /* Unlocks the folder, if it is locked. */
    void (*unlock)(void *context);

    /* Reads a whole file of at most size_max bytes and adds a '\0'; the caller frees *bytes. */
    CN_MUST_USE enum sv_disk_result (*read)(
        void *context, const char *path, size_t size_max, char **bytes, size_t *size);

    /* Opens a file; *file is a number >= 0, valid until `close`. */
    CN_MUST_USE enum sv_disk_result (*open)(
        void *context, const char *path, enum sv_disk_mode mode, int *file);
    void (*close)(void *context, int file);

    /* Reads until `size` bytes or the end of the file; *got is how many bytes were read. */
    CN_MUST_USE enum sv_disk_result (*read_at)(
        void *context, int file, uint64_t offset, void *bytes, size_t size, size_t *got);

    /* Writes all bytes.  After a failure some bytes may have been written. */
    CN_MUST_USE enum sv_disk_result (*write_at)(
        void *context, int file, uint64_t offset, const void *bytes, size_t size);

    /*
     * Makes written bytes durable.  After a failure their state is unknown: do not call it again.
     */
    CN_MUST_USE enum sv_disk_result (*datasync)(void *context, int file);

    /* Allocates the space for a file of this size, and makes it that large. */
    CN_MUST_USE enum sv_disk_result (*allocate)(void *context, int file, uint64_t size);

    /*
     * Drops the system's cache of the file, so that it is read from the device; NULL: not possible.
     */
    void (*forget)(void *context, int file);

    /*
     * Holds the folder for backups, any number at a time: meanwhile no daemon removes a file of it.
     * The hold ends with the process, or with `let_go`.  is_held (NULL: never) says whether another
     * process holds it.
     */
    CN_MUST_USE enum sv_disk_result (*hold)(void *context, const char *folder);
    void (*let_go)(void *context);
    bool (*is_held)(void *context, const char *folder);

    CN_MUST_USE enum sv_disk_result (*rename)(void *context, const char *from, const char *to);
    CN_MUST_USE enum sv_disk_result (*remove)(void *context, const char *path);
    CN_MUST_USE enum sv_disk_result (*sync_folder)(void *context, const char *folder);
    CN_MUST_USE enum sv_disk_result (*list)(
        void *context, const char *folder, sv_disk_visit visit, void *visit_context);

    /* Free bytes in that folder's file system. */
    CN_MUST_USE enum sv_disk_result (*space)(
        void *context, const char *folder, uint64_t *free_size);

    /*
     * Maps the file into memory, made or brought to this size: its contents survive the process,
     * but not a power cut.
     */
    CN_MUST_USE enum sv_disk_result (*map)(
        void *context, const char *path, size_t size, void **memory);
    void (*unmap)(void *context, void *memory, size_t size);

    void *context;
};

/* The result for an errno; 0 is OK. */
enum sv_disk_result sv_disk_result_of(int error);

/* The failure in words: errno's text, or the result's. */
const char *sv_disk_text(enum sv_disk_result result);

struct sv_disk_real {
    int lock_fd; /* -1: not locked */
    int hold_fd; /* -1: not held */
};
struct sv_disk sv_disk_real(struct sv_disk_real *state);

#define SV_DISK_SIM_FILES_MAX 16
#define SV_DISK_SIM_NAMES_MAX 64
#define SV_DISK_SIM_PATH_SIZE 128

struct sv_disk_sim_file {
    unsigned char *now, *kept; /* `kept` is durable */
    size_t now_size, kept_size, now_room, kept_room;
    size_t touched_from, touched_to; /* the range that may differ */
};

struct sv_disk_sim_name {
    char path[SV_DISK_SIM_PATH_SIZE];
    int now, kept; /* indices of files, or -1: no such name */
};

struct sv_disk_sim {
    struct {
        const char *path, *text; /* borrowed */
    } files[SV_DISK_SIM_FILES_MAX];
    int file_count;
    long holder; /* 0: the lock is free */
    bool is_locked;

    /* A file's contents. */
    struct sv_disk_sim_file stored[SV_DISK_SIM_NAMES_MAX];
    struct sv_disk_sim_name names[SV_DISK_SIM_NAMES_MAX];
    int stored_count, name_count;
    uint64_t free_size; /* the answer of `space`; 0: enough for every file */
    bool is_held;       /* a backup holds the folder */

    /* The k-th changing call, k >= 1, and all later ones fail. */
    uint64_t fail_first, fail_count;
    enum sv_disk_result fail_result;
    uint64_t call_count;
};
struct sv_disk sv_disk_simulated(struct sv_disk_sim *state);
void sv_disk_sim_finish(struct sv_disk_sim *state); /* frees the files */

/* Marks bytes of the file that may soon differ from the durable ones; in any order. */
void sv_disk_sim_touch(struct sv_disk_sim_file *stored, size_t from, size_t to);

/*
 * Simulates a power cut: the seed decides which sectors of 512 bytes, and which names, survive of
 * those that are not durable.  All files are closed.
 */
void sv_disk_sim_crash(struct sv_disk_sim *state, uint64_t seed);

/* The bytes of a file, for tests to read and to damage; NULL if the file does not exist. */
unsigned char *sv_disk_sim_bytes(struct sv_disk_sim *state, const char *path, size_t *size);

#endif
