/*
 * portable_reading.h: a portable form while it is read, and the rows of its tables.
 *
 *     tables --rows--> shadow --walked--> an image of this version --read--> the world
 */
#ifndef ENGINE_STATE_PORTABLE_READING_H
#define ENGINE_STATE_PORTABLE_READING_H

#include "engine/state/portable.h"
#include "engine/state/portable_rows.h"

#define CN_READING_BLOCKS_MAX 24

struct cn_reading_table {
    const unsigned char *rows;
    size_t row_size;
    int count;
};

struct cn_reading {
    struct cn_reading_table table[CN_PORTABLE_TABLE_END];
    const struct cn_world *world; /* the world that is read into */
    struct cn_world shadow;
    struct cn_portable_scene scene;
    struct cn_shape_def *shapes; /* of all bodies made after the scene */
    cn_vec3 *points;             /* of these shapes */
    void *block[CN_READING_BLOCKS_MAX]; /* memory that belongs to the reading */
    int block_count;
    struct cn_defect *defect;
};

#define CN_READING_REFUSE(reading, ...)                                                            \
    cn_defect_set((reading)->defect, CN_IMAGE, "portable state", __VA_ARGS__)
enum cn_status cn_reading_no_memory(struct cn_reading *reading);

/* Zeroed room for count + 1 elements, which lives as long as the reading; NULL without memory. */
void *cn_reading_take(struct cn_reading *reading, size_t count, size_t size);

/* Checks the header and finds the tables; rows are checked by the callers. */
enum cn_status cn_reading_tables(
    struct cn_reading *reading, const unsigned char *bytes, size_t size);

/*
 * One row as `size` bytes: fields that it lacks are zero, fields that it has in excess are skipped.
 */
static inline const unsigned char *
cn_reading_row(
    const struct cn_reading_table *table, int index, unsigned char *bytes, size_t size)
{
    CN_ASSERT(0 <= index && index < table->count);
    size_t there = table->row_size < size ? table->row_size : size;
    memcpy(bytes, table->rows + (size_t)index * table->row_size, there);
    memset(bytes + there, 0, size - there);
    return bytes;
}

#define CN_READING_GET(reading, NAME, function, index, it)                                         \
    do {                                                                                           \
        unsigned char get_bytes[function##_size];                                                  \
        const struct cn_reading_table *get_from = &(reading)->table[CN_PORTABLE_##NAME];           \
        function##_get(cn_reading_row(get_from, (index), get_bytes, sizeof(get_bytes)), (it));     \
    } while (0)

static inline int
cn_reading_rows(const struct cn_reading *reading, enum cn_portable_table kind)
{
    return reading->table[kind].count;
}

#endif
