/*
 * entry.h: log entries: each is one change of a world between two of its ticks, as bytes.
 *
 * An entry is written after its message has been admitted.  Repeating it needs no leases, rates or
 * members, so the same entries at the same ticks give the same bits.  Entries are written field by
 * field, little-endian, without padding, by tables (fields.h).  The reader refuses bytes that
 * the writer would not write, so reading and writing again gives the same bytes.
 *
 *     kind u8, then
 *     COMMAND    the command's kind u8, its fields in the order of its struct
 *     SETTLED    session u64, number u64      an input of the session has been applied or refused
 *     LEFT       session u64                  the session left: its held inputs and its
 *                                             attributes end
 *     STATE      u8                           enum wire_world_state, RUNNING or PAUSED
 *     SETTINGS   every member of struct wire_settings; a resting velocity comes last, and
 *                where there is one, 2 is added to the first byte
 *     RESET      -
 *     CHANGE     is_done u8, size u32, a packed Change
 *     CHANGE_OF  is_done u8, content hash of a packed Change that is stored apart
 *     LOAD       content hash of the scene's bytes
 *     SEED       content hash of the checkpoint from which the world begins
 *     JOINED     session u64                  the session joined; this does not change the world
 *     REACH      tick u64                     clients may be shown ticks up to this one before the
 *                                             next REACH, see world_reach.c
 *     UPGRADE    physics u32, lost u32        earlier entries are of that physics version;
 *                                             `lost` of them could not be repeated
 *     LEASE      what u8, kind u8, index u32, session u64, ticks u32, queue u8; see lease.h
 *     CAP        body u32, has force u8, has torque u8, force f64, torque f64
 *     KEPT       session u64, serial u32, role u32, key 16 bytes, name 33, subject 65; see kept.h
 *     ATTRIBUTE  owner u8 (enum cn_owner_kind), its id u64, name 32 bytes, kind u8 (enum
 *                cn_value_kind), then the value: FLAG u8, INTEGER i64, NUMBER f64; TEXT and BYTES
 *                size u16 and that many bytes; NONE nothing
 *     SAID       session u64, is text u8, channel 32 bytes, size u32, content: a message to the logic
 *     LOGIC      step u8, events u8, number u64, until u64; see value.h
 *
 * Large parts are stored once under their content hash (server/store/lane.h), before the entry.  A
 * change that was refused halfway is an entry, too: slots that it took and gave back have a new
 * generation.
 *
 * Threads: values.
 */
#ifndef DEED_ENTRY_H
#define DEED_ENTRY_H

#include "deed/value.h"

/* Bytes of a change that travel within the entry; a larger change is stored by its content hash. */
#define DD_ENTRY_INLINE_SIZE_MAX ((size_t)64 * 1024)

/* The most bytes of an entry. */
#define DD_ENTRY_NUMBERS_SIZE ((size_t)512) /* more than any entry takes without a change's bytes */
#define DD_ENTRY_SIZE_MAX (DD_ENTRY_INLINE_SIZE_MAX + 16)

/* Entries one after another.  All zero is an empty list. */
struct dd_entries {
    unsigned char *bytes; /* heap */
    size_t size, capacity;
};

/* Reserves memory for entries of this many bytes.  False without memory. */
bool dd_entries_reserve(struct dd_entries *entries, size_t size);

/* Appends an entry.  False without memory, and then nothing was appended. */
bool dd_entries_add(struct dd_entries *entries, const struct dd_entry *entry);
bool dd_entries_add_bytes(struct dd_entries *entries, const unsigned char *bytes, size_t size);
bool dd_entries_add_u32(struct dd_entries *entries, uint32_t value);
bool dd_entries_add_u64(struct dd_entries *entries, uint64_t value);
void dd_entries_finish(struct dd_entries *entries);

/*
 * Removes all entries.  Frees memory of more than `kept` bytes, unless over a quarter of it was
 * used.
 */
void dd_entries_clear(struct dd_entries *entries, size_t kept);

/*
 * Reads the entry at *at and moves *at behind it.  Pointers in the entry lead into `bytes`.  False
 * when the bytes are no entry that dd_entries_add writes; then *at has not moved.
 */
bool dd_entry_read(const unsigned char *bytes, size_t size, size_t *at, struct dd_entry *entry);

/* Settings alone, in the form that an entry has. */
bool dd_settings_add(struct dd_entries *entries, const struct wire_settings *settings);
bool dd_settings_read(
    const unsigned char *bytes, size_t size, size_t *at, struct wire_settings *settings);

/* The kind's name, for logs. */
const char *dd_entry_name(enum dd_entry_kind kind);

#endif
