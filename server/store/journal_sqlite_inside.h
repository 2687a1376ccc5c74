/*
 * journal_sqlite_inside.h: declarations that the files journal_sqlite*.c share: SQLite's errors as
 * faults, and questions to a connection.
 *
 * Threads: as the connection's.
 */
#ifndef SERVER_STORE_JOURNAL_SQLITE_INSIDE_H
#define SERVER_STORE_JOURNAL_SQLITE_INSIDE_H

#include "server/store/journal.h"

#include <sqlite3.h>

/*
 * Sets the fault from the connection's last error, at `what`; NULL: no memory for a connection.
 * Returns false.
 */
bool sv_sqlite_fail(sqlite3 *connection, const char *what, struct sv_fault *fault);

/* The same for a file that cannot be opened, with the errno: SQLite has one code for all causes. */
bool sv_sqlite_fail_open(int error, const char *what, struct sv_fault *fault);

/* Runs the statements of a text. */
bool sv_sqlite_run(
    sqlite3 *connection, const char *text, const char *what, struct sv_fault *fault);

/* The number that a statement returns; `missing` if it returns none. */
bool sv_sqlite_ask(sqlite3 *connection, const char *text, int64_t missing, int64_t *value,
    struct sv_fault *fault);

/* See `scan` of struct sv_journal; the caller ensures that the connection has no other scan. */
bool sv_sqlite_scan(sqlite3 *connection, enum sv_row_kind kind, uint64_t from,
    const unsigned char *content, sv_row_visit visit, void *visit_context, struct sv_fault *fault);

#endif
