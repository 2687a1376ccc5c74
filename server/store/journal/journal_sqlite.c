/*
 * journal_sqlite.c: the journal in SQLite: one connection that writes, and one that reads.
 *
 * More than 600 lines: all of them share SQLite's statements, errors and two connections, and
 * nothing else in the store may see these.
 */
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/crc32c.h"
#include "server/store/format/record.h"
#include "server/store/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION 0x43524e31 /* "CRN1" */
#define SCHEMA_VERSION 1
#define BUSY_WAIT_MS 2000
#define MERGE_WAIT_MS 50
#define TEXT_SIZE 256

/* Enumerator, statement.  Numbers of 64 bits are kept as SQLite's signed ones, bit for bit. */
#define STATEMENT_TABLE(X)                                                                         \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(EPOCH, "SELECT epoch FROM head")                                                             \
    X(CLAIM, "UPDATE head SET epoch = epoch + 1")                                                  \
    X(RECORDS, "INSERT INTO commits(number, chain, epoch, records) VALUES(?1, ?2, ?3, ?4)")        \
    X(SCENE, "INSERT OR IGNORE INTO scenes(content, bytes) VALUES(?1, ?2)")                        \
    X(SCENE_GONE, "DELETE FROM scenes WHERE content = ?1")                                         \
    X(CHARTER, "INSERT OR REPLACE INTO charters(world, bytes) VALUES(?1, ?2)")                     \
    X(CHARTER_GONE, "DELETE FROM charters WHERE world = ?1")                                       \
    X(CHECKPOINT, "INSERT OR REPLACE INTO checkpoints(world, number, bytes) VALUES(?1, ?2, ?3)")   \
    X(CHECKPOINT_GONE, "DELETE FROM checkpoints WHERE world = ?1 AND number = ?2")                 \
    X(CRASH, "INSERT OR REPLACE INTO crashes(world, tick, bytes) VALUES(?1, ?2, ?3)")              \
    X(CRASH_GONE, "DELETE FROM crashes WHERE world = ?1")                                          \
    X(PRUNE, "DELETE FROM commits WHERE number IN "                                                \
             "(SELECT number FROM commits WHERE number < ?1 ORDER BY number LIMIT ?2)")            \
    X(USE, "INSERT OR IGNORE INTO uses(world, number, content) SELECT ?1, ?2, ?3 WHERE NOT EXISTS" \
           "(SELECT 1 FROM uses WHERE world = ?1 AND content = ?3 AND number > ?2)")               \
    X(UNUSED, "DELETE FROM scenes WHERE content IN"                                                \
              " (SELECT content FROM uses WHERE world = ?1 AND number <= ?2) AND NOT EXISTS"       \
              " (SELECT 1 FROM uses AS other WHERE other.content = scenes.content"                 \
              "  AND (other.world <> ?1 OR other.number > ?2))")                                   \
    X(USE_GONE, "DELETE FROM uses WHERE world = ?1 AND number <= ?2")                              \
    X(NOTE, "INSERT OR REPLACE INTO notes(shelf, number, bytes) VALUES(?1, ?2, ?3)")               \
    X(NOTE_GONE, "DELETE FROM notes WHERE shelf = ?1 AND number = ?2")

#define X(NAME, text) NAME,
enum statement { STATEMENT_TABLE(X) STATEMENT_COUNT };
#undef X

static const char schema[] =
    "CREATE TABLE head(epoch INTEGER NOT NULL);"
    "INSERT INTO head VALUES(0);"
    "CREATE TABLE commits(number INTEGER PRIMARY KEY, chain INTEGER NOT NULL,"
    "    epoch INTEGER NOT NULL, records BLOB NOT NULL);"
    "CREATE TABLE scenes(content BLOB PRIMARY KEY, bytes BLOB NOT NULL);"
    "CREATE TABLE charters(world INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL);"
    "CREATE TABLE checkpoints(world INTEGER NOT NULL, number INTEGER NOT NULL,"
    "    bytes BLOB NOT NULL, PRIMARY KEY(world, number)) WITHOUT ROWID;"
    "CREATE TABLE crashes(world INTEGER PRIMARY KEY, tick INTEGER NOT NULL, bytes BLOB NOT NULL);";

/* For a folder from before uses were stored: its scenes stay. */
static const char uses_schema[] =
    "CREATE TABLE uses(world INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,"
    "    PRIMARY KEY(world, number, content)) WITHOUT ROWID;"
    "CREATE INDEX uses_by_content ON uses(content);"
    "INSERT INTO uses SELECT 0, 9223372036854775807, content FROM scenes;";

/* For a folder from before notes were stored. */
static const char notes_schema[] =
    "CREATE TABLE IF NOT EXISTS notes(shelf INTEGER NOT NULL, number INTEGER NOT NULL,"
    "    bytes BLOB NOT NULL, PRIMARY KEY(shelf, number)) WITHOUT ROWID;";

/* For worlds that never got their charter. */
static const char uses_of_nobody[] =
    "DELETE FROM scenes WHERE content IN (SELECT content FROM uses WHERE world <> 0 AND world"
    "    NOT IN (SELECT world FROM charters)) AND content NOT IN (SELECT content FROM uses"
    "    WHERE world = 0 OR world IN (SELECT world FROM charters));"
    "DELETE FROM uses WHERE world <> 0 AND world NOT IN (SELECT world FROM charters);";

/* ---- SQLite's errors, and questions to a connection ---- */

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

/* For a file that cannot be opened, with the errno: SQLite has one code for all causes. */
static bool
set_open_fault(int error, const char *what, struct sv_fault *fault)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "journal.db: %.200s", what);
    errno = error;
    return sv_fault_set_disk(fault, sv_disk_result_of(error), text);
}

/*
 * Sets the fault from the connection's last error, at `what`; NULL: no memory for a connection.
 * Returns false.
 */
static bool
set_sqlite_fault(sqlite3 *connection, const char *what, struct sv_fault *fault)
{
    int code = connection != NULL ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
    int error = (code & 0xff) == SQLITE_CANTOPEN ? sqlite3_system_errno(connection) : 0;
    if (sv_disk_result_of(error) == SV_DISK_FILES || sv_disk_result_of(error) == SV_DISK_MEMORY) {
        return set_open_fault(error, what, fault);
    }
    if (code == SQLITE_IOERR_NOMEM) {
        code = SQLITE_NOMEM;
    }
    return sv_fault_set(fault, kind_of(code), "journal.db: %s: %s (%d)", what,
        connection != NULL ? sqlite3_errmsg(connection) : "no memory", code);
}

/* Runs the statements of a text. */
static bool
run_text(sqlite3 *connection, const char *text, const char *what, struct sv_fault *fault)
{
    return sqlite3_exec(connection, text, NULL, NULL, NULL) == SQLITE_OK ||
           set_sqlite_fault(connection, what, fault);
}

/* The number that a statement returns; `missing` if it returns none. */
static bool
ask_number(sqlite3 *connection, const char *text, int64_t missing, int64_t *value,
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
                   set_sqlite_fault(connection, text, fault);
    sqlite3_finalize(statement);
    return is_done;
}

/* ---- rows that are read ---- */

/* Columns: world or 0, number, content or bytes ..., see `visit_rows`. */
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

/* See `scan` of struct sv_journal; the caller ensures that the connection has no other scan. */
static bool
visit_rows(sqlite3 *connection, enum sv_row_kind kind, uint64_t from,
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
                         "WHERE world >= ?1 ORDER BY world",
        [SV_ROW_NOTE] = "SELECT shelf, number, bytes, 0, 0 FROM notes "
                        "WHERE shelf >= ?1 ORDER BY shelf, number"};
    CN_ASSERT((size_t)kind < sizeof(texts) / sizeof(texts[0]) && texts[kind] != NULL);
    CN_ASSERT(kind != SV_ROW_SCENE || content != NULL);
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
                   set_sqlite_fault(connection, "it can not be read", fault);
    sqlite3_finalize(select);
    return is_done;
}

/* ---- the journal ---- */

struct journal {
    sqlite3 *writer;
    sqlite3 *reader; /* for the keeper and for scans */
    /*
     * One scan at a time.  While a SELECT is unfinished its connection keeps its first snapshot, so
     * a second scan would not see commits that became durable since.  A visit may scan itself.
     */
    pthread_mutex_t reading;
    sqlite3_stmt *statement[STATEMENT_COUNT];
    struct sv_journal_head head;
    bool is_begun, has_records;
    uint32_t chain;        /* of the commit that is being made */
    uint64_t pruned_count; /* commits that are pruned with it */
};

/* Runs a prepared statement whose values are bound, and releases the values. */
static bool
step_statement(struct journal *journal, enum statement which, struct sv_fault *fault)
{
    sqlite3_stmt *statement = journal->statement[which];
    CN_ASSERT(statement != NULL); /* it is prepared */
    int code = sqlite3_step(statement);
    bool is_done = code == SQLITE_DONE || code == SQLITE_ROW ||
                   set_sqlite_fault(journal->writer, sqlite3_sql(statement), fault);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return is_done;
}

/* The result is ignored: a failed transaction may be rolled back already. */
static void
roll_back(struct journal *journal)
{
    if (sqlite3_get_autocommit(journal->writer) == 0) {
        sqlite3_step(journal->statement[ROLLBACK]);
        sqlite3_reset(journal->statement[ROLLBACK]);
    }
    journal->is_begun = false;
    journal->has_records = false;
    journal->pruned_count = 0;
}

/* Begins when no transaction is open; a journal claimed by another process is left alone. */
static bool
begin_transaction(struct journal *journal, struct sv_fault *fault)
{
    if (journal->is_begun) {
        return true;
    }
    CN_ASSERT(!journal->has_records && journal->pruned_count == 0);
    if (!step_statement(journal, BEGIN, fault)) {
        return false;
    }
    journal->is_begun = true;
    sqlite3_stmt *epoch = journal->statement[EPOCH];
    int code = sqlite3_step(epoch);
    int64_t found = code == SQLITE_ROW ? sqlite3_column_int64(epoch, 0) : -1;
    bool is_ours = (uint64_t)found == journal->head.epoch;
    if (code != SQLITE_ROW) {
        set_sqlite_fault(journal->writer, "its epoch", fault);
    } else if (!is_ours) {
        sv_fault_set(fault, SV_FAULT_BUSY,
            "journal.db: another process has taken it over: epoch %" PRId64 ", ours is %" PRIu64,
            found, journal->head.epoch);
    }
    sqlite3_reset(epoch);
    if (!is_ours || code != SQLITE_ROW) {
        roll_back(journal);
        return false;
    }
    return true;
}

uint32_t
sv_journal_chain(uint64_t number, uint32_t before, uint64_t epoch, const void *records, size_t size)
{
    unsigned char head[20];
    cn_put_u64(head, number);
    cn_put_u32(head + 8, before);
    cn_put_u64(head + 12, epoch);
    uint32_t crc = sv_crc32c(0, head, sizeof(head));
    return size > 0 ? sv_crc32c(crc, records, size) : crc;
}

static bool
append_records(struct journal *journal, const void *bytes, size_t size, struct sv_fault *fault)
{
    sqlite3_stmt *insert = journal->statement[RECORDS];
    const struct sv_journal_head *head = &journal->head;
    journal->chain = sv_journal_chain(head->commit + 1, head->chain, head->epoch, bytes, size);
    sqlite3_bind_int64(insert, 1, (int64_t)(head->commit + 1));
    sqlite3_bind_int64(insert, 2, journal->chain);
    sqlite3_bind_int64(insert, 3, (int64_t)head->epoch);
    sqlite3_bind_blob64(insert, 4, size > 0 ? bytes : "", size, SQLITE_STATIC);
    CN_ASSERT(journal->is_begun && !journal->has_records); /* one row of records a commit */
    journal->has_records = step_statement(journal, RECORDS, fault);
    return journal->has_records;
}

static bool
append_use(struct journal *journal, const struct sv_row *row, struct sv_fault *fault)
{
    static const enum statement removed[] = {UNUSED, USE_GONE};
    if (row->bytes != NULL) {
        sqlite3_stmt *use = journal->statement[USE];
        sqlite3_bind_int64(use, 1, (int64_t)row->world);
        sqlite3_bind_int64(use, 2, (int64_t)row->number);
        sqlite3_bind_blob(use, 3, row->content, 32, SQLITE_STATIC);
        return step_statement(journal, USE, fault);
    }
    bool is_done = true;
    for (int i = 0; i < 2 && is_done; i++) {
        sqlite3_bind_int64(journal->statement[removed[i]], 1, (int64_t)row->world);
        sqlite3_bind_int64(journal->statement[removed[i]], 2, (int64_t)row->number);
        is_done = step_statement(journal, removed[i], fault);
    }
    return is_done;
}

static bool
append_other(struct journal *journal, const struct sv_row *row, struct sv_fault *fault)
{
    if (row->kind == SV_ROW_USE) {
        return append_use(journal, row, fault);
    }
    static const enum statement put[] = {[SV_ROW_SCENE] = SCENE,
        [SV_ROW_CHARTER] = CHARTER,
        [SV_ROW_CHECKPOINT] = CHECKPOINT,
        [SV_ROW_CRASH] = CRASH,
        [SV_ROW_NOTE] = NOTE};
    CN_ASSERT((size_t)row->kind < sizeof(put) / sizeof(put[0]) && row->kind != SV_ROW_RECORDS);
    enum statement which = row->bytes != NULL ? put[row->kind] : put[row->kind] + 1;
    sqlite3_stmt *statement = journal->statement[which];
    int next = 2;
    if (row->kind == SV_ROW_SCENE) {
        sqlite3_bind_blob(statement, 1, row->content, 32, SQLITE_STATIC);
    } else {
        sqlite3_bind_int64(statement, 1, (int64_t)row->world);
    }
    if (row->kind == SV_ROW_CHECKPOINT || row->kind == SV_ROW_NOTE ||
        (row->kind == SV_ROW_CRASH && row->bytes != NULL)) {
        sqlite3_bind_int64(statement, next++, (int64_t)row->number);
    }
    if (row->bytes != NULL) {
        sqlite3_bind_blob64(statement, next, row->bytes, row->size, SQLITE_STATIC);
    }
    return step_statement(journal, which, fault) &&
           (row->kind != SV_ROW_SCENE || row->bytes == NULL || append_use(journal, row, fault));
}

static bool
append_row(void *context, const struct sv_row *row, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done =
        begin_transaction(journal, fault) &&
        (row->kind == SV_ROW_RECORDS ? append_records(journal, row->bytes, row->size, fault)
                                     : append_other(journal, row, fault));
    if (!is_done) {
        roll_back(journal);
    }
    return is_done;
}

static bool
commit_rows(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done = begin_transaction(journal, fault) &&
                   (journal->has_records || append_records(journal, NULL, 0, fault)) &&
                   step_statement(journal, COMMIT, fault);
    if (!is_done) {
        roll_back(journal);
        return false;
    }
    CN_ASSERT(journal->has_records);
    journal->is_begun = false;
    journal->has_records = false;
    journal->head.commit++;
    journal->head.chain = journal->chain;
    journal->head.first_commit += journal->pruned_count;
    journal->pruned_count = 0;
    if (journal->head.first_commit == 0) {
        journal->head.first_commit = journal->head.commit;
    }
    *head = journal->head;
    return true;
}

/* Prepares the statements first .. end - 1. */
static bool
prepare_statements(struct journal *journal, int first, int end, struct sv_fault *fault)
{
    CN_ASSERT(0 <= first && first <= end && end <= STATEMENT_COUNT);
    static const char *const texts[] = {
#define X(NAME, text) text,
        STATEMENT_TABLE(X)
#undef X
    };
    for (int i = first; i < end; i++) {
        if (journal->statement[i] == NULL &&
            sqlite3_prepare_v3(journal->writer, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                &journal->statement[i], NULL) != SQLITE_OK) {
            return set_sqlite_fault(journal->writer, texts[i], fault);
        }
    }
    return true;
}

/* A claimed journal has the tables of notes and uses, and no use of worlds that do not exist. */
static bool
settle_tables(struct journal *journal, struct sv_fault *fault)
{
    int64_t is_there;
    const char *what = "who uses its scenes";
    return ask_number(journal->writer,
               "SELECT count(*) FROM sqlite_schema WHERE name = 'uses'", 0, &is_there, fault) &&
           (is_there != 0 || run_text(journal->writer, uses_schema, what, fault)) &&
           run_text(journal->writer, uses_of_nobody, what, fault) &&
           run_text(journal->writer, notes_schema, "making its notes", fault) &&
           prepare_statements(journal, USE, STATEMENT_COUNT, fault);
}

static bool
claim_journal(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done = begin_transaction(journal, fault) &&
                   step_statement(journal, CLAIM, fault) &&
                   settle_tables(journal, fault) &&
                   step_statement(journal, COMMIT, fault);
    if (!is_done) {
        roll_back(journal);
        return false;
    }
    journal->is_begun = false;
    journal->head.epoch++;
    *head = journal->head;
    return true;
}

static bool
prune_rows(void *context, uint64_t below, int count_max, struct sv_fault *fault)
{
    struct journal *journal = context;
    if (!begin_transaction(journal, fault)) {
        return false;
    }
    CN_ASSERT(count_max >= 0);
    sqlite3_bind_int64(journal->statement[PRUNE], 1, (int64_t)below);
    sqlite3_bind_int(journal->statement[PRUNE], 2, count_max);
    if (!step_statement(journal, PRUNE, fault)) {
        roll_back(journal);
        return false;
    }
    journal->pruned_count += (uint64_t)sqlite3_changes(journal->writer);
    return true;
}

static bool
scan_rows(void *context, enum sv_row_kind kind, uint64_t from, const unsigned char *content,
    sv_row_visit visit, void *visit_context, struct sv_fault *fault)
{
    struct journal *journal = context;
    pthread_mutex_lock(&journal->reading);
    bool is_done =
        visit_rows(journal->reader, kind, from, content, visit, visit_context, fault);
    pthread_mutex_unlock(&journal->reading);
    return is_done;
}

/*
 * When a merge catches up with the writer, the writer begins the log again in the same blocks, and
 * a flush is then cheaper than that of a growing file.  Commits continue meanwhile: the first pass
 * misses little, which the next pass merges.
 */
static bool
upkeep_journal(void *context, struct sv_journal_size *size, struct sv_fault *fault)
{
    struct journal *journal = context;
    int log = 0, merged = 0;
    int64_t pages, unused;
    int code =
        sqlite3_wal_checkpoint_v2(journal->reader, NULL, SQLITE_CHECKPOINT_PASSIVE, &log, &merged);
    if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) {
        return set_sqlite_fault(journal->reader, "merging", fault);
    }
    if (!ask_number(journal->reader, "PRAGMA page_count", 0, &pages, fault) ||
        !ask_number(journal->reader, "PRAGMA freelist_count", 0, &unused, fault)) {
        return false;
    }
    (void)sqlite3_db_release_memory(journal->reader); /* so that it is read from the file again */
    size->waiting = log > merged ? (uint64_t)log * 4120 : 0;
    size->used = (uint64_t)(pages - unused) * 4096;
    return true;
}

static bool
merge_journal(void *context, struct sv_fault *fault)
{
    struct journal *journal = context;
    /*
     * Commits wait for the merge; the merge does not wait for a reader that stays, such as a
     * backup.
     */
    sqlite3_busy_timeout(journal->writer, MERGE_WAIT_MS);
    int code =
        sqlite3_wal_checkpoint_v2(journal->writer, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(journal->writer, BUSY_WAIT_MS);
    return code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED ||
           set_sqlite_fault(journal->writer, "merging", fault);
}

static void
close_journal(void *context)
{
    struct journal *journal = context;
    if (journal == NULL) {
        return;
    }
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(journal->statement[i]);
    }
    sqlite3_close(journal->reader);
    sqlite3_close(journal->writer);
    pthread_mutex_destroy(&journal->reading);
    free(journal);
}

static bool
init_lock(pthread_mutex_t *lock, struct sv_fault *fault)
{
    pthread_mutexattr_t kind;
    bool is_made = pthread_mutexattr_init(&kind) == 0;
    if (is_made) {
        is_made = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == 0 &&
            pthread_mutex_init(lock, &kind) == 0;
        pthread_mutexattr_destroy(&kind);
    }
    return is_made || sv_fault_set(fault, SV_FAULT_MEMORY, "the journal's lock");
}

/*
 * SQLite would create a database readable by all; its log and shared memory get the database's
 * rights.  So the database is created here as an empty file, which SQLite accepts as a new one.
 */
static bool
make_file(const char *path, const char *vfs, struct sv_fault *fault)
{
    if (vfs != NULL) {
        return true; /* another VFS holds the file */
    }
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) {
        return set_open_fault(errno, "it can not be made", fault);
    }
    if (file >= 0) {
        close(file);
    }
    return true;
}

static bool
connect_to(sqlite3 **connection, const char *path, const char *vfs, struct sv_fault *fault)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(path, connection, flags, vfs) != SQLITE_OK) {
        return set_sqlite_fault(*connection, path, fault);
    }
    sqlite3_extended_result_codes(*connection, 1);
    sqlite3_busy_timeout(*connection, BUSY_WAIT_MS);
    /* After a failed flush nothing may be merged any more; an orderly close would merge. */
    sqlite3_db_config(*connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return true;
}

static bool
settle_wal(sqlite3 *connection, struct sv_fault *fault)
{
    return run_text(connection,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
        "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;"
        "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF;",
        "its settings", fault);
}

/* A new database gets its tables; an existing one must be ours, of this version. */
static bool
check_schema(struct journal *journal, struct sv_fault *fault)
{
    int64_t application, version, tables;
    char text[128];
    if (!ask_number(journal->writer, "PRAGMA application_id", 0, &application, fault) ||
        !ask_number(journal->writer, "PRAGMA user_version", 0, &version, fault) ||
        !ask_number(journal->writer, "SELECT count(*) FROM sqlite_schema", 0, &tables, fault)) {
        return false;
    }
    if (application == 0 && version == 0 && tables == 0) {
        snprintf(text, sizeof(text), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
            APPLICATION, SCHEMA_VERSION);
        return settle_wal(journal->writer, fault) &&
               run_text(journal->writer, "BEGIN IMMEDIATE", "making its tables", fault) &&
               run_text(journal->writer, schema, "making its tables", fault) &&
               run_text(journal->writer, text, "making its tables", fault);
    }
    if (application != APPLICATION || version != SCHEMA_VERSION) {
        return sv_fault_set(fault, SV_FAULT_SCHEMA,
            "journal.db: its version is %" PRId64 " of application %" PRId64
            ", this program wants %d of %d",
            version, application, SCHEMA_VERSION, APPLICATION);
    }
    return settle_wal(journal->writer, fault);
}

static bool
read_head(struct journal *journal, struct sv_fault *fault)
{
    int64_t epoch, last, first, chain, world;
    sqlite3 *writer = journal->writer;
    if (!ask_number(writer, "SELECT epoch FROM head", -1, &epoch, fault) ||
        !ask_number(writer, "SELECT max(number) FROM commits", 0, &last, fault) ||
        !ask_number(writer, "SELECT min(number) FROM commits", 0, &first, fault) ||
        !ask_number(writer, "SELECT chain FROM commits ORDER BY number DESC LIMIT 1", 0,
            &chain, fault) ||
        !ask_number(writer, "SELECT seq FROM sqlite_sequence WHERE name = 'charters'", 0,
            &world, fault)) {
        return false;
    }
    if (epoch < 0 || first < 0 || world < 0) {
        return sv_fault_set(fault, SV_FAULT_CHAIN, "journal.db: its head is damaged");
    }
    journal->head = (struct sv_journal_head){.commit = (uint64_t)last,
        .chain = (uint32_t)chain,
        .epoch = (uint64_t)epoch,
        .first_commit = (uint64_t)first,
        .world_last = (uint64_t)world};
    return true;
}

bool
sv_journal_sqlite_open(struct sv_journal *out, const struct sv_journal_sqlite_config *config,
    struct sv_journal_head *head, struct sv_fault *fault)
{
    char path[4096];
    struct journal *journal = calloc(1, sizeof(*journal));
    if (journal == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "the journal");
    }
    if (!init_lock(&journal->reading, fault)) {
        free(journal);
        return false;
    }
    if ((size_t)snprintf(path, sizeof(path), "%s/journal.db", config->folder) >= sizeof(path)) {
        close_journal(journal);
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    bool is_open = make_file(path, config->vfs, fault) &&
                   connect_to(&journal->writer, path, config->vfs, fault) &&
                   check_schema(journal, fault) && read_head(journal, fault) &&
                   prepare_statements(journal, 0, USE, fault) &&
                   connect_to(&journal->reader, path, config->vfs, fault) &&
                   settle_wal(journal->reader, fault);
    if (!is_open) {
        close_journal(journal);
        return false;
    }
    *head = journal->head;
    *out = (struct sv_journal){.append = append_row,
        .commit = commit_rows,
        .claim = claim_journal,
        .scan = scan_rows,
        .prune = prune_rows,
        .upkeep = upkeep_journal,
        .merge = merge_journal,
        .close = close_journal,
        .context = journal};
    return true;
}
