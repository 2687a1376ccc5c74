#include "server/base/mutant.h"
#include "server/store/crc32c.h"
#include "server/store/journal.h"
#include "server/store/record.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x43524e31 /* "CRN1" */
#define SCHEMA_VERSION 1
#define BUSY_WAIT_MS 2000
#define MERGE_PASSES 4

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
    X(USE_GONE, "DELETE FROM uses WHERE world = ?1 AND number <= ?2")

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

/* A folder of before uses were kept: what it has stays. */
static const char uses_schema[] =
    "CREATE TABLE uses(world INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,"
    "    PRIMARY KEY(world, number, content)) WITHOUT ROWID;"
    "CREATE INDEX uses_by_content ON uses(content);"
    "INSERT INTO uses SELECT 0, 9223372036854775807, content FROM scenes;";

/* Of worlds that have never got their charter. */
static const char uses_of_nobody[] =
    "DELETE FROM scenes WHERE content IN (SELECT content FROM uses WHERE world <> 0 AND world"
    "    NOT IN (SELECT world FROM charters)) AND content NOT IN (SELECT content FROM uses"
    "    WHERE world = 0 OR world IN (SELECT world FROM charters));"
    "DELETE FROM uses WHERE world <> 0 AND world NOT IN (SELECT world FROM charters);";

struct journal {
    sqlite3 *writer;
    sqlite3 *reader; /* of the keeper, and of scans; SQLite's own lock keeps these apart */
    sqlite3_stmt *statement[STATEMENT_COUNT];
    struct sv_journal_head head;
    bool is_begun, has_records;
    uint32_t chain;        /* of the commit that is being made */
    uint64_t pruned_count; /* commits that go with it */
};

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

static bool
fail(sqlite3 *connection, const char *what, struct sv_fault *fault)
{
    int code = connection != NULL ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
    return sv_fault_set(fault, kind_of(code), "journal.db: %s: %s (%d)", what,
        connection != NULL ? sqlite3_errmsg(connection) : "no memory", code);
}

static bool
run(sqlite3 *connection, const char *text, const char *what, struct sv_fault *fault)
{
    return sqlite3_exec(connection, text, NULL, NULL, NULL) == SQLITE_OK ||
           fail(connection, what, fault);
}

/* One number that a statement gives; `missing` when it gives none. */
static bool
ask(sqlite3 *connection, const char *text, int64_t missing, int64_t *value, struct sv_fault *fault)
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
    bool is_done = code == SQLITE_ROW || code == SQLITE_DONE || fail(connection, text, fault);
    sqlite3_finalize(statement);
    return is_done;
}

/* Runs a prepared statement whose values are bound; what it was bound to is let go. */
static bool
step(struct journal *journal, enum statement which, struct sv_fault *fault)
{
    sqlite3_stmt *statement = journal->statement[which];
    int code = sqlite3_step(statement);
    bool is_done = code == SQLITE_DONE || code == SQLITE_ROW ||
                   fail(journal->writer, sqlite3_sql(statement), fault);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return is_done;
}

/* Whatever comes of it: a transaction that has failed may be rolled back already. */
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

/* Begins when nothing has been; a journal that somebody else has claimed is left alone. */
static bool
begin(struct journal *journal, struct sv_fault *fault)
{
    if (journal->is_begun) {
        return true;
    }
    if (!step(journal, BEGIN, fault)) {
        return false;
    }
    journal->is_begun = true;
    sqlite3_stmt *epoch = journal->statement[EPOCH];
    int code = sqlite3_step(epoch);
    int64_t found = code == SQLITE_ROW ? sqlite3_column_int64(epoch, 0) : -1;
    bool is_ours = (uint64_t)found == journal->head.epoch || CN_MUTANT(CLAIM_IGNORED);
    if (code != SQLITE_ROW) {
        fail(journal->writer, "its epoch", fault);
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
    sv_put_u64(head, number);
    sv_put_u32(head + 8, before);
    sv_put_u64(head + 12, epoch);
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
    journal->has_records = step(journal, RECORDS, fault);
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
        return step(journal, USE, fault);
    }
    bool is_done = true;
    for (int i = 0; i < 2 && is_done; i++) {
        sqlite3_bind_int64(journal->statement[removed[i]], 1, (int64_t)row->world);
        sqlite3_bind_int64(journal->statement[removed[i]], 2, (int64_t)row->number);
        is_done = step(journal, removed[i], fault);
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
        [SV_ROW_CRASH] = CRASH};
    enum statement which = row->bytes != NULL ? put[row->kind] : put[row->kind] + 1;
    sqlite3_stmt *statement = journal->statement[which];
    int next = 2;
    if (row->kind == SV_ROW_SCENE) {
        sqlite3_bind_blob(statement, 1, row->content, 32, SQLITE_STATIC);
    } else {
        sqlite3_bind_int64(statement, 1, (int64_t)row->world);
    }
    if (row->kind == SV_ROW_CHECKPOINT || (row->kind == SV_ROW_CRASH && row->bytes != NULL)) {
        sqlite3_bind_int64(statement, next++, (int64_t)row->number);
    }
    if (row->bytes != NULL) {
        sqlite3_bind_blob64(statement, next, row->bytes, row->size, SQLITE_STATIC);
    }
    return step(journal, which, fault) &&
           (row->kind != SV_ROW_SCENE || row->bytes == NULL || append_use(journal, row, fault));
}

static bool
append(void *context, const struct sv_row *row, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done =
        begin(journal, fault) &&
        (row->kind == SV_ROW_RECORDS ? append_records(journal, row->bytes, row->size, fault)
                                     : append_other(journal, row, fault));
    if (!is_done) {
        roll_back(journal);
    }
    return is_done;
}

static bool
commit(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done = begin(journal, fault) &&
                   (journal->has_records || append_records(journal, NULL, 0, fault)) &&
                   step(journal, COMMIT, fault);
    if (!is_done) {
        roll_back(journal);
        return false;
    }
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

/* The statements from `first` to before `end`. */
static bool
prepare(struct journal *journal, int first, int end, struct sv_fault *fault)
{
    static const char *const texts[] = {
#define X(NAME, text) text,
        STATEMENT_TABLE(X)
#undef X
    };
    for (int i = first; i < end; i++) {
        if (journal->statement[i] == NULL &&
            sqlite3_prepare_v3(journal->writer, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                &journal->statement[i], NULL) != SQLITE_OK) {
            return fail(journal->writer, texts[i], fault);
        }
    }
    return true;
}

/* What is claimed has the table of uses, and none of worlds that there are not. */
static bool
settle_uses(struct journal *journal, struct sv_fault *fault)
{
    int64_t is_there;
    const char *what = "who uses its scenes";
    return ask(journal->writer, "SELECT count(*) FROM sqlite_schema WHERE name = 'uses'", 0,
               &is_there, fault) &&
           (is_there != 0 || run(journal->writer, uses_schema, what, fault)) &&
           run(journal->writer, uses_of_nobody, what, fault) &&
           prepare(journal, USE, STATEMENT_COUNT, fault);
}

static bool
claim(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct journal *journal = context;
    bool is_done = begin(journal, fault) &&
                   (CN_MUTANT(EPOCH_KEPT) || step(journal, CLAIM, fault)) &&
                   settle_uses(journal, fault) &&
                   step(journal, COMMIT, fault);
    if (!is_done) {
        roll_back(journal);
        return false;
    }
    journal->is_begun = false;
    journal->head.epoch += CN_MUTANT(EPOCH_KEPT) ? 0 : 1;
    *head = journal->head;
    return true;
}

static bool
prune(void *context, uint64_t below, int count_max, struct sv_fault *fault)
{
    struct journal *journal = context;
    if (!begin(journal, fault)) {
        return false;
    }
    sqlite3_bind_int64(journal->statement[PRUNE], 1, (int64_t)below);
    sqlite3_bind_int(journal->statement[PRUNE], 2, count_max);
    if (!step(journal, PRUNE, fault)) {
        roll_back(journal);
        return false;
    }
    journal->pruned_count += (uint64_t)sqlite3_changes(journal->writer);
    return true;
}

/* Columns: world or 0, number, content or bytes ..., see `scan`. */
static bool
show(sqlite3_stmt *select, enum sv_row_kind kind, sv_row_visit visit, void *context)
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

static bool
scan(void *context, enum sv_row_kind kind, uint64_t from, const unsigned char *content,
    sv_row_visit visit, void *visit_context, struct sv_fault *fault)
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
    struct journal *journal = context;
    sqlite3_stmt *select = NULL;
    int code = sqlite3_prepare_v2(journal->reader, texts[kind], -1, &select, NULL);
    if (code == SQLITE_OK && kind == SV_ROW_SCENE) {
        code = sqlite3_bind_blob(select, 1, content, 32, SQLITE_STATIC);
    } else if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(select, 1, (int64_t)from);
    }
    bool goes_on = code == SQLITE_OK;
    while (goes_on && (code = sqlite3_step(select)) == SQLITE_ROW) {
        goes_on = show(select, kind, visit, visit_context);
    }
    bool is_done = code == SQLITE_ROW || code == SQLITE_DONE ||
                   fail(journal->reader, "it can not be read", fault);
    sqlite3_finalize(select);
    return is_done;
}

/*
 * A merge that catches up with the writer lets it begin the log anew, in the same blocks; a flush
 * is then cheaper than that of a file that grows.  Commits go on meanwhile: what a first pass has
 * missed is little for the next.
 */
static bool
upkeep(void *context, struct sv_journal_size *size, struct sv_fault *fault)
{
    struct journal *journal = context;
    int log = 0, merged = 0;
    int64_t pages, unused;
    int code =
        sqlite3_wal_checkpoint_v2(journal->reader, NULL, SQLITE_CHECKPOINT_PASSIVE, &log, &merged);
    if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) {
        return fail(journal->reader, "merging", fault);
    }
    if (!ask(journal->reader, "PRAGMA page_count", 0, &pages, fault) ||
        !ask(journal->reader, "PRAGMA freelist_count", 0, &unused, fault)) {
        return false;
    }
    size->waiting = log > merged ? (uint64_t)log * 4120 : 0;
    size->used = (uint64_t)(pages - unused) * 4096;
    return true;
}

static bool
merge(void *context, struct sv_fault *fault)
{
    struct journal *journal = context;
    int code =
        sqlite3_wal_checkpoint_v2(journal->writer, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED ||
           fail(journal->writer, "merging", fault);
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
    free(journal);
}

static bool
connect_to(sqlite3 **connection, const char *path, const char *vfs, struct sv_fault *fault)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(path, connection, flags, vfs) != SQLITE_OK) {
        return fail(*connection, path, fault);
    }
    sqlite3_extended_result_codes(*connection, 1);
    sqlite3_busy_timeout(*connection, BUSY_WAIT_MS);
    /* After a flush that failed nothing may be merged any more; an orderly close merges itself. */
    sqlite3_db_config(*connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return true;
}

static bool
settle(sqlite3 *connection, struct sv_fault *fault)
{
    if (CN_MUTANT(SYNC_NORMAL)) {
        return run(connection,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0",
            "its settings", fault);
    }
    return run(connection,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
        "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;"
        "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF;",
        "its settings", fault);
}

/* A new database gets its tables; one that is there must be ours, of this version. */
static bool
check_schema(struct journal *journal, struct sv_fault *fault)
{
    int64_t application, version, tables;
    char text[128];
    if (!ask(journal->writer, "PRAGMA application_id", 0, &application, fault) ||
        !ask(journal->writer, "PRAGMA user_version", 0, &version, fault) ||
        !ask(journal->writer, "SELECT count(*) FROM sqlite_schema", 0, &tables, fault)) {
        return false;
    }
    if (application == 0 && version == 0 && tables == 0) {
        snprintf(text, sizeof(text), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
            APPLICATION, SCHEMA_VERSION);
        return settle(journal->writer, fault) &&
               run(journal->writer, "BEGIN IMMEDIATE", "making its tables", fault) &&
               run(journal->writer, schema, "making its tables", fault) &&
               run(journal->writer, text, "making its tables", fault);
    }
    if (application != APPLICATION || version != SCHEMA_VERSION) {
        return sv_fault_set(fault, SV_FAULT_SCHEMA,
            "journal.db: its version is %" PRId64 " of application %" PRId64
            ", this program wants %d of %d",
            version, application, SCHEMA_VERSION, APPLICATION);
    }
    return settle(journal->writer, fault);
}

static bool
read_head(struct journal *journal, struct sv_fault *fault)
{
    int64_t epoch, last, first, chain, world;
    sqlite3 *writer = journal->writer;
    if (!ask(writer, "SELECT epoch FROM head", -1, &epoch, fault) ||
        !ask(writer, "SELECT max(number) FROM commits", 0, &last, fault) ||
        !ask(writer, "SELECT min(number) FROM commits", 0, &first, fault) ||
        !ask(writer, "SELECT chain FROM commits ORDER BY number DESC LIMIT 1", 0, &chain, fault) ||
        !ask(writer, "SELECT seq FROM sqlite_sequence WHERE name = 'charters'", 0, &world, fault)) {
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
    if ((size_t)snprintf(path, sizeof(path), "%s/journal.db", config->folder) >= sizeof(path)) {
        free(journal);
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    bool is_open =
        connect_to(&journal->writer, path, config->vfs, fault) && check_schema(journal, fault) &&
        read_head(journal, fault) && prepare(journal, 0, USE, fault) &&
        connect_to(&journal->reader, path, config->vfs, fault) && settle(journal->reader, fault);
    if (!is_open) {
        close_journal(journal);
        return false;
    }
    *head = journal->head;
    *out = (struct sv_journal){.append = append,
        .commit = commit,
        .claim = claim,
        .scan = scan,
        .prune = prune,
        .upkeep = upkeep,
        .merge = merge,
        .close = close_journal,
        .context = journal};
    return true;
}
