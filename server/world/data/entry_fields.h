/*
 * entry_fields.h: the fields of entries and of settings, in the order of their bytes.
 *
 * A table names the fields of a struct.  They are written little-endian, one after another, without
 * padding.  The bytes after the terminator of a name or a text are zero, so that equal values have
 * equal bytes.  The reader refuses bytes that the writer would not write.
 *
 * Threads: values.
 */
#ifndef SERVER_WORLD_DATA_ENTRY_FIELDS_H
#define SERVER_WORLD_DATA_ENTRY_FIELDS_H

#include "server/world/data/entry_value.h"

struct sv_field;

/* The fields of struct wire_settings. */
const struct sv_field *sv_settings_fields(void);

/*
 * The fields of a command's payload, which begins at `hold_force`.  NULL: the kind is unknown or is
 * not written to the log.
 */
const struct sv_field *sv_command_fields(unsigned kind);

/* The fields of struct sv_entry, for kinds that are a few numbers.  NULL: any other kind. */
const struct sv_field *sv_entry_fields(enum sv_entry_kind kind);

/* Size of the fields in bytes. */
size_t sv_fields_size(const struct sv_field *fields);

/* Writes and reads sv_fields_size bytes.  False: a value is not one that the writer writes. */
void sv_fields_put(const struct sv_field *fields, unsigned char *bytes, const void *of);
bool sv_fields_get(const struct sv_field *fields, const unsigned char *bytes, void *of);

#endif
