/* journal_sqlite_read.c: reads a journal in SQLite, and translates SQLite's errors. */
#include "server/store/journal_sqlite_inside.h"

#include <errno.h>
#include <stdio.h>

#define TEXT_SIZE 256

static enum sv_fault_kind
kind_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return SV_FAULT_FULL;
    case SQLITE_NOMEM:
        return SV_FAULT_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SV_FAULT_BUSY;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return SV_FAULT_READ_ONLY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return SV_FAULT_CRC;
    default:
        return SV_FAULT_IO;
    }
}

bool
sv_sqlite_fail_open(int error, const char *what, struct sv_fault *fault)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "journal.db: %.200s", what);
    errno = error;
    return sv_fault_set_disk(fault, sv_disk_result_of(error), text);
}

bool
sv_sqlite_fail(sqlite3 *connection, const char *what, struct sv_fault *fault)
{
    int code = connection != NULL ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
    int error = (code & 0xff) == SQLITE_CANTOPEN ? sqlite3_system_errno(connection) : 0;
    if (sv_disk_result_of(error) == SV_DISK_FILES || sv_disk_result_of(error) == SV_DISK_MEMORY) {
        return sv_sqlite_fail_open(error, what, fault);
    }
    if (code == SQLITE_IOERR_NOMEM) {
        code = SQLITE_NOMEM;
    }
    return sv_fault_set(fault, kind_of(code), "journal.db: %s: %s (%d)", what,
        connection != NULL ? sqlite3_errmsg(connection) : "no memory", code);
}

bool
sv_sqlite_run(sqlite3 *connection, const char *text, const char *what, struct sv_fault *fault)
{
    return sqlite3_exec(connection, text, NULL, NULL, NULL) == SQLITE_OK ||
           sv_sqlite_fail(connection, what, fault);
}

bool
sv_sqlite_ask(sqlite3 *connection, const char *text, int64_t missing, int64_t *value,
    struct sv_fault *fault)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(connection, text, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    *value = missing;
    if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER) {
        *value = sqlite3_column_int64(statement, 0);
    }
    bool is_done = code == SQLITE_ROW || code == SQLITE_DONE ||
                   sv_sqlite_fail(connection, text, fault);
    sqlite3_finalize(statement);
    return is_done;
}

/* ---- rows ---- */

/* Columns: world or 0, number, content or bytes ..., see `sv_sqlite_scan`. */
static bool
show_rows(sqlite3_stmt *select, enum sv_row_kind kind, sv_row_visit visit, void *context)
{
    struct sv_row row = {.kind = kind,
        .world = (uint64_t)sqlite3_column_int64(select, 0),
        .number = (uint64_t)sqlite3_column_int64(select, 1),
        .bytes = sqlite3_column_blob(select, 2),
        .size = (size_t)sqlite3_column_bytes(select, 2),
        .chain = (uint32_t)sqlite3_column_int64(select, 3),
        .epoch = (uint64_t)sqlite3_column_int64(select, 4)};
    if (row.bytes == NULL) {
        row.bytes = (const unsigned char *)"";
    }
    return visit(context, &row);
}

bool
sv_sqlite_scan(sqlite3 *connection, enum sv_row_kind kind, uint64_t from,
    const unsigned char *content, sv_row_visit visit, void *visit_context, struct sv_fault *fault)
{
    static const char *const texts[] = {[SV_ROW_RECORDS] =
                                            "SELECT 0, number, records, chain, epoch FROM commits "
                                            "WHERE number >= ?1 ORDER BY number",
        [SV_ROW_SCENE] = "SELECT 0, 0, bytes, 0, 0 FROM scenes WHERE content = ?1",
        [SV_ROW_CHARTER] = "SELECT world, 0, bytes, 0, 0 FROM charters "
                           "WHERE world >= ?1 ORDER BY world",
        [SV_ROW_CHECKPOINT] = "SELECT world, number, bytes, 0, 0 FROM checkpoints "
                              "WHERE world >= ?1 ORDER BY world, number",
        [SV_ROW_USE] = "SELECT world, number, content, 0, 0 FROM uses "
                       "WHERE world >= ?1 ORDER BY world, number",
        [SV_ROW_CRASH] = "SELECT world, tick, bytes, 0, 0 FROM crashes "
                         "WHERE world >= ?1 ORDER BY world"};
    sqlite3_stmt *select = NULL;
    int code = sqlite3_prepare_v2(connection, texts[kind], -1, &select, NULL);
    if (code == SQLITE_OK && kind == SV_ROW_SCENE) {
        code = sqlite3_bind_blob(select, 1, content, 32, SQLITE_STATIC);
    } else if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(select, 1, (int64_t)from);
    }
    bool goes_on = code == SQLITE_OK;
    while (goes_on && (code = sqlite3_step(select)) == SQLITE_ROW) {
        goes_on = show_rows(select, kind, visit, visit_context);
    }
    bool is_done = code == SQLITE_ROW || code == SQLITE_DONE ||
                   sv_sqlite_fail(connection, "it can not be read", fault);
    sqlite3_finalize(select);
    return is_done;
}
