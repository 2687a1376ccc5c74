/*
 * fields.h: the fields of entries and of settings, in the order of their bytes.
 *
 * A table names the fields of a struct.  They are written little-endian, one after another, without
 * padding.  The bytes after the terminator of a name or a text are zero, so that equal values have
 * equal bytes.  The reader refuses bytes that the writer would not write.
 *
 * Threads: values.
 */
#ifndef DEED_FIELDS_H
#define DEED_FIELDS_H

#include "deed/value.h"

struct dd_field;

/* The fields of struct wire_settings. */
const struct dd_field *dd_settings_fields(void);

/*
 * The fields of a command's payload, which begins at `hold_force`.  NULL: the kind is unknown or is
 * not written to the log.
 */
const struct dd_field *dd_command_fields(unsigned kind);

/* The fields of struct dd_entry, for kinds that are a few numbers.  NULL: any other kind. */
const struct dd_field *dd_entry_fields(enum dd_entry_kind kind);

/* Size of the fields in bytes. */
size_t dd_fields_size(const struct dd_field *fields);

/* Writes and reads dd_fields_size bytes.  False: a value is not one that the writer writes. */
void dd_fields_put(const struct dd_field *fields, unsigned char *bytes, const void *of);
bool dd_fields_get(const struct dd_field *fields, const unsigned char *bytes, void *of);

#endif
