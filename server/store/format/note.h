/*
 * note.h: notes, which the store keeps for the host: bytes under the number of a shelf.
 *
 * A row of the journal holds a note as
 *
 *    4 bytes   CRC32C of shelf, number and bytes, little-endian
 *    the bytes
 *
 * On the way to the journal several notes are one block, which is committed as a whole:
 *
 *    4 bytes   shelf
 *    8 bytes   number
 *    4 bytes   size of the row; 0: the note is removed
 *    the row, and then the next note
 */
#ifndef SERVER_STORE_FORMAT_NOTE_H
#define SERVER_STORE_FORMAT_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SV_NOTE_SIZE_MAX ((size_t)1 << 20)

struct sv_note {
    uint32_t shelf;
    uint64_t number;      /* at most INT64_MAX */
    const void *bytes;    /* borrowed; NULL: the note is removed */
    size_t size;          /* at most SV_NOTE_SIZE_MAX */
};

/* The notes as one block, heap memory; NULL without memory. */
unsigned char *sv_notes_pack(const struct sv_note *notes, int count, size_t *size);

/* A note of a block, as its row is stored.  `row` points into the block; NULL: it is removed. */
struct sv_note_row {
    uint32_t shelf;
    uint64_t number;
    const unsigned char *row;
    size_t size;
};

/* Reads the note at *at of a block that sv_notes_pack made, and moves *at behind it. */
struct sv_note_row sv_notes_next(const unsigned char *block, size_t size, size_t *at);

/* Fills *note from a stored row, into which it points.  False: the row is damaged. */
bool sv_note_read(
    uint32_t shelf, uint64_t number, const unsigned char *row, size_t size, struct sv_note *note);

#endif
