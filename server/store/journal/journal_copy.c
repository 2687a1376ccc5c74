/* journal_copy.c: the journal of a folder that is in use, as it was at one commit. */
#include "server/store/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define BUSY_WAIT_MS 5000
#define STEP_PAGES 256

static bool
fail_copy(sqlite3 *connection, const char *what, struct sv_fault *fault)
{
    int code = connection != NULL ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
    int error = (code & 0xff) == SQLITE_CANTOPEN ? sqlite3_system_errno(connection) : 0;
    if (error != 0) {
        errno = error;
        return sv_fault_set_disk(fault, sv_disk_result_of(error), what);
    }
    enum sv_fault_kind kind = (code & 0xff) == SQLITE_FULL ? SV_FAULT_FULL
        : (code & 0xff) == SQLITE_NOMEM                    ? SV_FAULT_MEMORY
        : (code & 0xff) == SQLITE_BUSY                     ? SV_FAULT_BUSY
        : (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB
        ? SV_FAULT_CRC
        : SV_FAULT_IO;
    return sv_fault_set(fault, kind, "%s: %s (%d)", what,
        connection != NULL ? sqlite3_errmsg(connection) : "no memory", code);
}

static bool
open_source(sqlite3 **source, const char *path, struct sv_fault *fault)
{
    if (sqlite3_open_v2(path, source, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) !=
        SQLITE_OK) {
        return fail_copy(*source, path, fault);
    }
    sqlite3_busy_timeout(*source, BUSY_WAIT_MS);
    /* Where no daemon has it open, the copy merges nothing either. */
    sqlite3_db_config(*source, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    /* From here on the connection sees one commit. */
    return sqlite3_exec(*source, "BEGIN; SELECT epoch FROM head", NULL, NULL, NULL) ==
        SQLITE_OK ||
        fail_copy(*source, path, fault);
}

static bool
open_target(sqlite3 **target, const char *path, struct sv_fault *fault)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return sv_fault_set_disk(fault, sv_disk_result_of(errno), path);
    }
    close(file);
    if (sqlite3_open_v2(path, target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) !=
        SQLITE_OK) {
        return fail_copy(*target, path, fault);
    }
    return true;
}

static bool
copy_pages(sqlite3 *source, sqlite3 *target, const char *path,
    void (*progress)(void *context, uint64_t bytes), void *context, struct sv_fault *fault)
{
    sqlite3_backup *backup = sqlite3_backup_init(target, "main", source, "main");
    int code = backup != NULL ? SQLITE_OK : SQLITE_ERROR;
    int before = 0;
    while (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        code = sqlite3_backup_step(backup, STEP_PAGES);
        int done = sqlite3_backup_pagecount(backup) - sqlite3_backup_remaining(backup);
        if (done > before) {
            progress(context, (uint64_t)(done - before) * 4096);
            before = done;
        }
    }
    int finished = sqlite3_backup_finish(backup);
    return (code == SQLITE_DONE && finished == SQLITE_OK) || fail_copy(target, path, fault);
}

bool
sv_journal_sqlite_copy(const char *from, const char *to,
    void (*progress)(void *context, uint64_t bytes), void *context, struct sv_fault *fault)
{
    char from_path[PATH_SIZE], to_path[PATH_SIZE];
    sqlite3 *source = NULL, *target = NULL;
    if ((size_t)snprintf(from_path, sizeof(from_path), "%s/journal.db", from) >=
            sizeof(from_path) ||
        (size_t)snprintf(to_path, sizeof(to_path), "%s/journal.db", to) >= sizeof(to_path)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    bool is_good = open_source(&source, from_path, fault) &&
        open_target(&target, to_path, fault) &&
        copy_pages(source, target, to_path, progress, context, fault);
    sqlite3_close(target);
    sqlite3_close(source);
    return is_good;
}
