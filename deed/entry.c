#include "deed/entry.h"

#include "deed/fields.h"
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_LEAST 256 /* the smallest capacity of a list of entries */
#define SETTINGS_REST 2U /* flag in the first byte of settings: a resting velocity comes last */

/* ---- writing ---- */

bool
dd_entries_reserve(struct dd_entries *entries, size_t size)
{
    CN_ASSERT(entries->size <= entries->capacity);
    if (entries->capacity - entries->size < size) {
        size_t capacity = entries->capacity + entries->capacity / 2 + size;
        capacity = capacity > SIZE_LEAST ? capacity : SIZE_LEAST;
        unsigned char *bytes = realloc(entries->bytes, capacity);
        if (bytes == NULL) {
            return false;
        }
        entries->bytes = bytes;
        entries->capacity = capacity;
    }
    return true;
}

/* Adds `size` bytes to the list and returns them; NULL without memory. */
static unsigned char *
extend_entries(struct dd_entries *entries, size_t size)
{
    if (!dd_entries_reserve(entries, size)) {
        return NULL;
    }
    entries->size += size;
    CN_ASSERT(entries->size <= entries->capacity);
    return entries->bytes + entries->size - size;
}

void
dd_entries_clear(struct dd_entries *entries, size_t kept)
{
    if (entries->capacity > kept && entries->capacity > 4 * entries->size) {
        dd_entries_finish(entries);
    }
    entries->size = 0;
}

/* Adds `head` bytes and the fields; returns the index of the head. */
static unsigned char *
add_fields(struct dd_entries *entries, size_t head, const struct dd_field *fields, const void *of)
{
    unsigned char *start = extend_entries(entries, head + dd_fields_size(fields));
    if (start != NULL) {
        dd_fields_put(fields, start + head, of);
    }
    return start;
}

static unsigned char *
add_command(struct dd_entries *entries, const struct cn_command *command)
{
    const struct dd_field *fields = dd_command_fields(command->kind);
    CN_ASSERT(fields != NULL);
    unsigned char *start = add_fields(entries, 2, fields, &command->hold_force);
    if (start != NULL) {
        start[1] = (unsigned char)command->kind;
    }
    return start;
}

/*
 * A flag in the first byte says whether a resting velocity comes after the fields, so that settings
 * that were written without one can still be read.
 */
static unsigned char *
add_settings(struct dd_entries *entries, size_t head, const struct wire_settings *settings)
{
    size_t size = dd_fields_size(dd_settings_fields());
    unsigned char *start = add_fields(entries, head, dd_settings_fields(), settings);
    if (start == NULL || !settings->has_resting_velocity) {
        return start;
    }
    unsigned char *more = extend_entries(entries, sizeof(uint64_t));
    if (more == NULL) {
        entries->size -= head + size;
        return NULL;
    }
    uint64_t bits;
    memcpy(&bits, &settings->resting_velocity, sizeof(bits));
    cn_put_u64(more, bits);
    CN_ASSERT(more == entries->bytes + entries->size - sizeof(uint64_t)); /* behind the fields */
    start = more - size - head;
    start[head] |= SETTINGS_REST;
    return start;
}

static unsigned char *
add_matter(struct dd_entries *entries, const struct dd_entry *entry)
{
    bool is_load = entry->kind == DD_ENTRY_LOAD || entry->kind == DD_ENTRY_SEED;
    bool is_inline = entry->kind == DD_ENTRY_CHANGE;
    size_t head = is_load ? 1 : is_inline ? 6 : 2;
    size_t size = is_inline ? entry->matter.size : DD_ENTRY_CONTENT_SIZE;
    CN_ASSERT(!is_inline || size <= DD_ENTRY_INLINE_SIZE_MAX);
    CN_ASSERT(!is_inline || size == 0 || entry->matter.bytes != NULL);
    unsigned char *start = extend_entries(entries, head + size);
    if (start == NULL) {
        return NULL;
    }
    if (!is_load) {
        start[1] = entry->matter.is_done ? 1 : 0;
    }
    if (is_inline) {
        cn_put_u32(start + 2, (uint32_t)size);
    }
    if (size > 0) {
        memcpy(start + head, is_inline ? entry->matter.bytes : entry->matter.content, size);
    }
    return start;
}

/* The bytes of a value behind an attribute's head. */
static size_t
value_size(const struct cn_value *value)
{
    bool is_sized = value->kind == CN_VALUE_TEXT || value->kind == CN_VALUE_BYTES;
    CN_ASSERT(value->size <= CN_ATTRIBUTE_VALUE_MAX && (is_sized || value->size == 0));
    return is_sized                          ? sizeof(uint16_t) + value->size
           : value->kind == CN_VALUE_NONE    ? 0
           : value->kind == CN_VALUE_FLAG    ? 1
                                             : sizeof(uint64_t);
}

static void
put_value(unsigned char *to, const struct cn_value *value)
{
    uint64_t bits = (uint64_t)value->integer;
    switch (value->kind) {
    case CN_VALUE_FLAG:
        to[0] = value->flag ? 1 : 0;
        break;
    case CN_VALUE_NUMBER:
        memcpy(&bits, &value->number, sizeof(bits));
        cn_put_u64(to, bits);
        break;
    case CN_VALUE_INTEGER:
        cn_put_u64(to, bits);
        break;
    case CN_VALUE_TEXT:
    case CN_VALUE_BYTES:
        to[0] = (unsigned char)value->size;
        to[1] = (unsigned char)(value->size >> 8);
        memcpy(to + 2, value->bytes, value->size);
        break;
    case CN_VALUE_NONE:
        break;
    }
}

static unsigned char *
add_attribute(struct dd_entries *entries, const struct dd_entry *entry)
{
    const struct dd_field *fields = dd_entry_fields(DD_ENTRY_ATTRIBUTE);
    size_t head = 1 + dd_fields_size(fields);
    unsigned char *start = extend_entries(entries, head + value_size(&entry->attribute.value));
    if (start != NULL) {
        dd_fields_put(fields, start + 1, entry);
        put_value(start + head, &entry->attribute.value);
    }
    return start;
}

/* A message to the logic: its fields, and its content with the size. */
static unsigned char *
add_said(struct dd_entries *entries, const struct dd_entry *entry)
{
    CN_ASSERT(entry->said.size <= WIRE_SAY_SIZE_MAX);
    size_t size = dd_fields_size(dd_entry_fields(DD_ENTRY_SAID));
    unsigned char *start = extend_entries(entries, 1 + size + 4 + entry->said.size);
    if (start != NULL) {
        dd_fields_put(dd_entry_fields(DD_ENTRY_SAID), start + 1, entry);
        cn_put_u32(start + 1 + size, (uint32_t)entry->said.size);
        if (entry->said.size > 0) {
            memcpy(start + 1 + size + 4, entry->said.bytes, entry->said.size);
        }
    }
    return start;
}

bool
dd_entries_add(struct dd_entries *entries, const struct dd_entry *entry)
{
    unsigned char *start = NULL;
    switch (entry->kind) {
    case DD_ENTRY_COMMAND:
        start = add_command(entries, &entry->command);
        break;
    case DD_ENTRY_SETTLED:
    case DD_ENTRY_LEFT:
    case DD_ENTRY_JOINED:
    case DD_ENTRY_STATE:
    case DD_ENTRY_REACH:
    case DD_ENTRY_UPGRADE:
    case DD_ENTRY_LEASE:
    case DD_ENTRY_CAP:
    case DD_ENTRY_KEPT:
    case DD_ENTRY_LOGIC:
        start = add_fields(entries, 1, dd_entry_fields(entry->kind), entry);
        break;
    case DD_ENTRY_SETTINGS:
        start = add_settings(entries, 1, &entry->settings);
        break;
    case DD_ENTRY_RESET:
        start = extend_entries(entries, 1);
        break;
    case DD_ENTRY_CHANGE:
    case DD_ENTRY_CHANGE_OF:
    case DD_ENTRY_LOAD:
    case DD_ENTRY_SEED:
        start = add_matter(entries, entry);
        break;
    case DD_ENTRY_ATTRIBUTE:
        start = add_attribute(entries, entry);
        break;
    case DD_ENTRY_SAID:
        start = add_said(entries, entry);
        break;
    case DD_ENTRY_KIND_COUNT:
        CN_ASSERT(!"no kind of log entry");
    }
    if (start == NULL) {
        return false;
    }
    start[0] = (unsigned char)entry->kind;
    return true;
}

bool
dd_entries_add_bytes(struct dd_entries *entries, const unsigned char *bytes, size_t size)
{
    unsigned char *start = extend_entries(entries, size);
    if (start == NULL) {
        return false;
    }
    memcpy(start, bytes, size);
    return true;
}

bool
dd_entries_add_u32(struct dd_entries *entries, uint32_t value)
{
    unsigned char bytes[4];
    cn_put_u32(bytes, value);
    return dd_entries_add_bytes(entries, bytes, sizeof(bytes));
}

bool
dd_entries_add_u64(struct dd_entries *entries, uint64_t value)
{
    unsigned char bytes[8];
    cn_put_u64(bytes, value);
    return dd_entries_add_bytes(entries, bytes, sizeof(bytes));
}

void
dd_entries_finish(struct dd_entries *entries)
{
    free(entries->bytes);
    *entries = (struct dd_entries){0};
}

bool
dd_settings_add(struct dd_entries *entries, const struct wire_settings *settings)
{
    return add_settings(entries, 0, settings) != NULL;
}

/* ---- reading ---- */

struct reader {
    const unsigned char *bytes;
    size_t size, at;
    bool is_good;
};

/* Returns the next bytes.  At their end it returns NULL, and the reader stays bad. */
static const unsigned char *
take_bytes(struct reader *reader, size_t size)
{
    if (!reader->is_good || reader->size - reader->at < size) {
        reader->is_good = false;
        return NULL;
    }
    reader->at += size;
    CN_ASSERT(reader->at <= reader->size);
    return reader->bytes + reader->at - size;
}

static unsigned
take_byte(struct reader *reader)
{
    const unsigned char *byte = take_bytes(reader, 1);
    return byte != NULL ? *byte : 0;
}

static void
take_fields(struct reader *reader, const struct dd_field *fields, void *of)
{
    const unsigned char *bytes = take_bytes(reader, dd_fields_size(fields));
    reader->is_good = bytes != NULL && dd_fields_get(fields, bytes, of);
}

static void
take_settings(struct reader *reader, struct wire_settings *settings)
{
    size_t size = dd_fields_size(dd_settings_fields());
    unsigned char plain[DD_ENTRY_NUMBERS_SIZE];
    const unsigned char *bytes = take_bytes(reader, size);
    CN_ASSERT(size <= sizeof(plain));
    if (bytes == NULL) {
        return;
    }
    memcpy(plain, bytes, size);
    plain[0] &= (unsigned char)~SETTINGS_REST;
    reader->is_good = dd_fields_get(dd_settings_fields(), plain, settings);
    const unsigned char *more =
        (bytes[0] & SETTINGS_REST) != 0 ? take_bytes(reader, sizeof(uint64_t)) : NULL;
    if (more != NULL) {
        uint64_t bits = cn_get_u64(more);
        settings->has_resting_velocity = true;
        memcpy(&settings->resting_velocity, &bits, sizeof(bits));
    }
}

static void
take_command(struct reader *reader, struct cn_command *command)
{
    unsigned kind = take_byte(reader);
    const struct dd_field *fields = dd_command_fields(kind);
    if (fields == NULL) {
        reader->is_good = false;
        return;
    }
    command->kind = (enum cn_command_kind)kind;
    take_fields(reader, fields, &command->hold_force);
}

static void
take_done(struct reader *reader, struct dd_entry *entry)
{
    unsigned done = take_byte(reader);
    reader->is_good = reader->is_good && done <= 1;
    entry->matter.is_done = done == 1;
}

static void
take_change(struct reader *reader, struct dd_entry *entry)
{
    take_done(reader, entry);
    const unsigned char *size = take_bytes(reader, 4);
    if (size == NULL || cn_get_u32(size) > DD_ENTRY_INLINE_SIZE_MAX) {
        reader->is_good = false;
        return;
    }
    entry->matter.size = cn_get_u32(size);
    entry->matter.bytes = take_bytes(reader, entry->matter.size);
}

static void
take_content(struct reader *reader, struct dd_entry *entry)
{
    const unsigned char *content = take_bytes(reader, DD_ENTRY_CONTENT_SIZE);
    if (content != NULL) {
        memcpy(entry->matter.content, content, DD_ENTRY_CONTENT_SIZE);
    }
}

static void
take_bytes_of(struct reader *reader, struct cn_value *value)
{
    const unsigned char *size = take_bytes(reader, sizeof(uint16_t));
    if (size == NULL || (size[0] | (unsigned)size[1] << 8) > CN_ATTRIBUTE_VALUE_MAX) {
        reader->is_good = false;
        return;
    }
    value->size = (uint16_t)(size[0] | (unsigned)size[1] << 8);
    const unsigned char *bytes = take_bytes(reader, value->size);
    if (bytes != NULL) {
        memcpy(value->bytes, bytes, value->size);
    }
}

static void
take_attribute(struct reader *reader, struct dd_entry *entry)
{
    struct cn_value *value = &entry->attribute.value;
    take_fields(reader, dd_entry_fields(DD_ENTRY_ATTRIBUTE), entry);
    if (!reader->is_good || value->kind == CN_VALUE_NONE) {
        return;
    }
    if (value->kind == CN_VALUE_TEXT || value->kind == CN_VALUE_BYTES) {
        take_bytes_of(reader, value);
    } else if (value->kind == CN_VALUE_FLAG) {
        unsigned flag = take_byte(reader);
        reader->is_good = reader->is_good && flag <= 1;
        value->flag = flag == 1;
    } else {
        const unsigned char *bytes = take_bytes(reader, sizeof(uint64_t));
        uint64_t bits = bytes != NULL ? cn_get_u64(bytes) : 0;
        bool is_number = value->kind == CN_VALUE_NUMBER;
        memcpy(is_number ? (void *)&value->number : (void *)&value->integer, &bits, sizeof(bits));
    }
}

static void
take_said(struct reader *reader, struct dd_entry *entry)
{
    take_fields(reader, dd_entry_fields(DD_ENTRY_SAID), entry);
    const unsigned char *size = take_bytes(reader, 4);
    if (size == NULL || cn_get_u32(size) > WIRE_SAY_SIZE_MAX) {
        reader->is_good = false;
        return;
    }
    entry->said.size = cn_get_u32(size);
    entry->said.bytes = take_bytes(reader, entry->said.size);
    reader->is_good = reader->is_good &&
        wire_said_is_good(
            entry->said.channel, entry->said.is_text, entry->said.bytes, entry->said.size);
}

static void
take_entry(struct reader *reader, struct dd_entry *entry)
{
    switch (entry->kind) {
    case DD_ENTRY_COMMAND:
        take_command(reader, &entry->command);
        break;
    case DD_ENTRY_SETTLED:
    case DD_ENTRY_LEFT:
    case DD_ENTRY_JOINED:
    case DD_ENTRY_STATE:
    case DD_ENTRY_REACH:
    case DD_ENTRY_UPGRADE:
    case DD_ENTRY_LEASE:
    case DD_ENTRY_CAP:
    case DD_ENTRY_KEPT:
    case DD_ENTRY_LOGIC:
        take_fields(reader, dd_entry_fields(entry->kind), entry);
        break;
    case DD_ENTRY_SETTINGS:
        take_settings(reader, &entry->settings);
        break;
    case DD_ENTRY_RESET:
        break;
    case DD_ENTRY_CHANGE:
        take_change(reader, entry);
        break;
    case DD_ENTRY_CHANGE_OF:
        take_done(reader, entry);
        take_content(reader, entry);
        break;
    case DD_ENTRY_LOAD:
    case DD_ENTRY_SEED:
        take_content(reader, entry);
        break;
    case DD_ENTRY_ATTRIBUTE:
        take_attribute(reader, entry);
        break;
    case DD_ENTRY_SAID:
        take_said(reader, entry);
        break;
    case DD_ENTRY_KIND_COUNT:
        reader->is_good = false;
    }
}

bool
dd_entry_read(const unsigned char *bytes, size_t size, size_t *at, struct dd_entry *entry)
{
    struct reader reader = {bytes, size, *at, *at <= size};
    unsigned kind = take_byte(&reader);
    if (!reader.is_good || kind >= DD_ENTRY_KIND_COUNT) {
        return false;
    }
    memset(entry, 0, sizeof(*entry));
    entry->kind = (enum dd_entry_kind)kind;
    take_entry(&reader, entry);
    if (reader.is_good) {
        *at = reader.at;
    }
    return reader.is_good;
}

bool
dd_settings_read(
    const unsigned char *bytes, size_t size, size_t *at, struct wire_settings *settings)
{
    struct reader reader = {bytes, size, *at, *at <= size};
    memset(settings, 0, sizeof(*settings));
    take_settings(&reader, settings);
    if (reader.is_good) {
        *at = reader.at;
    }
    return reader.is_good;
}

const char *
dd_entry_name(enum dd_entry_kind kind)
{
    static const char *const names[] = {
#define X(NAME, name) name,
        DD_ENTRY_TABLE(X)
#undef X
    };
    return kind < DD_ENTRY_KIND_COUNT ? names[kind] : "no log entry";
}
