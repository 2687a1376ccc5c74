#include "server/store/format/note.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/crc32c.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE 16
#define CRC_SIZE 4

static uint32_t
check_of(uint32_t shelf, uint64_t number, const void *bytes, size_t size)
{
    unsigned char head[12];
    cn_put_u32(head, shelf);
    cn_put_u64(head + 4, number);
    uint32_t crc = sv_crc32c(0, head, sizeof(head));
    return size > 0 ? sv_crc32c(crc, bytes, size) : crc;
}

static size_t
packed_size(const struct sv_note *note)
{
    return HEAD_SIZE + (note->bytes != NULL ? CRC_SIZE + note->size : 0);
}

unsigned char *
sv_notes_pack(const struct sv_note *notes, int count, size_t *size)
{
    CN_ASSERT(count > 0);
    size_t whole = 0, at = 0;
    for (int i = 0; i < count; i++) {
        CN_ASSERT(notes[i].size <= SV_NOTE_SIZE_MAX && notes[i].number <= INT64_MAX);
        whole += packed_size(&notes[i]);
    }
    unsigned char *block = malloc(whole);
    for (int i = 0; i < count && block != NULL; i++) {
        const struct sv_note *note = &notes[i];
        unsigned char *row = block + at + HEAD_SIZE;
        cn_put_u32(block + at, note->shelf);
        cn_put_u64(block + at + 4, note->number);
        cn_put_u32(block + at + 12, (uint32_t)(packed_size(note) - HEAD_SIZE));
        if (note->bytes != NULL) {
            cn_put_u32(row, check_of(note->shelf, note->number, note->bytes, note->size));
            memcpy(row + CRC_SIZE, note->bytes, note->size);
        }
        at += packed_size(note);
    }
    CN_ASSERT(block == NULL || at == whole);
    *size = whole;
    return block;
}

struct sv_note_row
sv_notes_next(const unsigned char *block, size_t size, size_t *at)
{
    CN_ASSERT(*at + HEAD_SIZE <= size);
    const unsigned char *head = block + *at;
    struct sv_note_row row = {
        .shelf = cn_get_u32(head), .number = cn_get_u64(head + 4), .size = cn_get_u32(head + 12)};
    CN_ASSERT(row.size <= size - *at - HEAD_SIZE); /* as it was packed */
    row.row = row.size > 0 ? head + HEAD_SIZE : NULL;
    *at += HEAD_SIZE + row.size;
    return row;
}

bool
sv_note_read(
    uint32_t shelf, uint64_t number, const unsigned char *row, size_t size, struct sv_note *note)
{
    *note = (struct sv_note){.shelf = shelf, .number = number};
    if (size < CRC_SIZE || size - CRC_SIZE > SV_NOTE_SIZE_MAX) {
        return false;
    }
    note->bytes = row + CRC_SIZE;
    note->size = size - CRC_SIZE;
    return cn_get_u32(row) == check_of(shelf, number, note->bytes, note->size);
}
