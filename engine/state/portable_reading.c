#include "engine/state/portable_reading.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define ROW_SIZE_MAX 4096

enum cn_status
cn_reading_no_memory(struct cn_reading *reading)
{
    return cn_defect_set(reading->defect, CN_MEMORY, "portable state", "no memory to read it");
}

void *
cn_reading_take(struct cn_reading *reading, size_t count, size_t size)
{
    CN_ASSERT(reading->block_count < CN_READING_BLOCKS_MAX);
    void *block = calloc(count + 1, size);
    if (block != NULL) {
        reading->block[reading->block_count++] = block;
    }
    return block;
}

/* ---- tables ---- */

static const struct {
    size_t size_min;
    int64_t most;
    const char *name;
} kinds[CN_PORTABLE_TABLE_END] = {
    [CN_PORTABLE_NONE] = {0, 0, NULL},
#define X(NAME, function, size, most) [CN_PORTABLE_##NAME] = {(size), (most), #NAME},
    CN_PORTABLE_TABLES(X)
#undef X
};

/* Notes the position of the table at *at, if its kind is known. */
static enum cn_status
read_table(struct cn_reading *reading, const unsigned char *bytes, size_t size, size_t *at)
{
    CN_ASSERT(*at <= size);
    if (size - *at < CN_PORTABLE_TABLE_SIZE) {
        return CN_READING_REFUSE(reading, "ends within a table's head");
    }
    uint64_t kind = walk_get(bytes + *at, 4), row_size = walk_get(bytes + *at + 4, 4);
    uint64_t count = walk_get(bytes + *at + 8, 4);
    *at += CN_PORTABLE_TABLE_SIZE;
    if (row_size < 1 || row_size > ROW_SIZE_MAX || count > (size - *at) / row_size) {
        return CN_READING_REFUSE(reading,
            "table %u claims %u rows of %u bytes, and %zu bytes follow", (unsigned)kind,
            (unsigned)count, (unsigned)row_size, size - *at);
    }
    const unsigned char *rows = bytes + *at;
    *at += (size_t)(count * row_size);
    CN_ASSERT(*at <= size); /* the rows are there, and the next table can only begin behind them */
    if (kind < 1 || kind >= CN_PORTABLE_TABLE_END) {
        return CN_OK; /* of a later version: tables of unknown kinds are skipped */
    }
    struct cn_reading_table *table = &reading->table[kind];
    if (table->rows != NULL) {
        return CN_READING_REFUSE(reading, "has the table %s twice", kinds[kind].name);
    }
    if (row_size < kinds[kind].size_min || count > (uint64_t)kinds[kind].most) {
        return CN_READING_REFUSE(reading,
            "table %s has %u rows of %u bytes; %lld of at least %zu are read", kinds[kind].name,
            (unsigned)count, (unsigned)row_size, (long long)kinds[kind].most, kinds[kind].size_min);
    }
    *table = (struct cn_reading_table){
        .rows = rows, .row_size = (size_t)row_size, .count = (int)count};
    return CN_OK;
}

enum cn_status
cn_reading_tables(struct cn_reading *reading, const unsigned char *bytes, size_t size)
{
    size_t at = CN_PORTABLE_HEADER_SIZE;
    if (size < at || memcmp(bytes, CN_PORTABLE_MAGIC, 4) != 0) {
        return CN_READING_REFUSE(reading, "does not begin as one does");
    }
    uint64_t version = walk_get(bytes + 4, 4), count = walk_get(bytes + 12, 4);
    if (version < 1 || version > CN_PORTABLE_VERSION) {
        return CN_READING_REFUSE(reading, "is of version %u of its layout; up to %d are read",
            (unsigned)version, CN_PORTABLE_VERSION);
    }
    for (uint64_t i = 0; i < count; i++) {
        CN_CHECK(read_table(reading, bytes, size, &at));
    }
    if (at != size) {
        return CN_READING_REFUSE(reading, "has %zu bytes behind its tables", size - at);
    }
    return CN_OK;
}
