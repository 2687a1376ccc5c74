#include "clients/cli/attributes.h"

#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a table ---- */

static bool
fit_table(struct cli_attributes *table, int count)
{
    if (count <= table->capacity) {
        return true;
    }
    int capacity = 2 * table->capacity + count;
    struct cn_attribute *rows = realloc(table->rows, (size_t)capacity * sizeof(*rows));
    if (rows == NULL) {
        return false;
    }
    table->rows = rows;
    table->capacity = capacity;
    return true;
}

/* Sets or removes one row. */
static bool
change_row(struct cli_attributes *table, const struct cn_attribute *change)
{
    int at = 0;
    while (at < table->count && cn_attribute_compare(&table->rows[at], change) < 0) {
        at++;
    }
    bool there = at < table->count && cn_attribute_compare(&table->rows[at], change) == 0;
    size_t behind = (size_t)(table->count - at);
    if (change->value.kind == CN_VALUE_NONE) {
        if (there) {
            memmove(&table->rows[at], &table->rows[at + 1],
                (behind - 1) * sizeof(table->rows[0]));
            table->count--;
        }
        return true;
    }
    if (!there) {
        if (!fit_table(table, table->count + 1)) {
            return false;
        }
        memmove(&table->rows[at + 1], &table->rows[at], behind * sizeof(table->rows[0]));
        table->count++;
    }
    CN_ASSERT(at < table->count && table->count <= table->capacity);
    table->rows[at] = *change;
    return true;
}

static bool
change_rows(struct cli_attributes *table, const struct cn_attribute *changes, int count)
{
    bool is_good = true;
    for (int i = 0; i < count && is_good; i++) {
        is_good = change_row(table, &changes[i]);
    }
    return is_good;
}

bool
cli_attributes_join(struct cli_attributes *table, const struct wire_heard_joined *joined)
{
    table->count = 0;
    return change_rows(table, joined->attributes, joined->attribute_count);
}

bool
cli_attributes_follow(
    struct cli_attributes *table, const struct wire_heard_attributes *frame)
{
    table->count = frame->full ? 0 : table->count;
    return change_rows(table, frame->changes, frame->count);
}

void
cli_attributes_finish(struct cli_attributes *table)
{
    free(table->rows);
    *table = (struct cli_attributes){0};
}

/* ---- printing ---- */

static void
put_value(struct wire_json *json, const struct cn_value *value)
{
    char text[CN_ATTRIBUTE_VALUE_MAX + 1];
    switch (value->kind) {
    case CN_VALUE_FLAG:
        wire_json_bool(json, value->flag);
        break;
    case CN_VALUE_INTEGER:
        wire_json_int(json, value->integer);
        break;
    case CN_VALUE_NUMBER:
        wire_json_double(json, value->number);
        break;
    case CN_VALUE_TEXT:
        memcpy(text, value->bytes, value->size);
        text[value->size] = '\0';
        wire_json_string(json, text);
        break;
    case CN_VALUE_BYTES:
        wire_json_base64(json, value->bytes, value->size);
        break;
    case CN_VALUE_NONE:
        wire_json_null(json);
    }
}

static void
put_owner(struct wire_json *json, const struct wire_scene *scene, const struct cn_owner *owner)
{
    if (owner->kind == CN_OWNER_BODY) {
        wire_json_key(json, "body");
        if (scene != NULL) {
            wire_json_string(json, wire_scene_body_name(scene, (int)owner->id));
        } else {
            wire_json_uint(json, owner->id);
        }
    } else if (owner->kind == CN_OWNER_SESSION) {
        wire_json_key(json, "session");
        wire_json_uint(json, owner->id);
    }
}

void
cli_attributes_json(struct wire_json *json, const struct wire_scene *scene,
    const struct cn_attribute *rows, int count)
{
    wire_json_list_begin(json);
    for (int i = 0; i < count; i++) {
        if (cn_attribute_is_hidden(&rows[i])) {
            continue;
        }
        wire_json_object_begin(json);
        put_owner(json, scene, &rows[i].owner);
        wire_json_key(json, "name");
        wire_json_string(json, rows[i].name);
        wire_json_key(json, rows[i].value.kind == CN_VALUE_BYTES ? "bytes" : "value");
        put_value(json, &rows[i].value);
        wire_json_object_end(json);
    }
    wire_json_list_end(json);
}

int
cli_attributes_shown(const struct cn_attribute *rows, int count)
{
    int shown = 0;
    for (int i = 0; i < count; i++) {
        shown += cn_attribute_is_hidden(&rows[i]) ? 0 : 1;
    }
    return shown;
}

static void
print_value(const struct cn_value *value, char *text, size_t size)
{
    char number[WIRE_NUMBER_SIZE];
    switch (value->kind) {
    case CN_VALUE_FLAG:
        snprintf(text, size, "%s", value->flag ? "true" : "false");
        break;
    case CN_VALUE_INTEGER:
        snprintf(text, size, "%" PRId64, value->integer);
        break;
    case CN_VALUE_NUMBER:
        snprintf(text, size, "%s", wire_number_print(number, value->number));
        break;
    case CN_VALUE_TEXT:
        snprintf(text, size, "\"%.*s\"", (int)value->size, (const char *)value->bytes);
        break;
    default:
        snprintf(text, size, "%u bytes", value->size);
    }
}

void
cli_attributes_line(const struct cn_attribute *rows, int count, char *line, size_t size)
{
    size_t used = 0;
    line[0] = '\0';
    for (int i = 0; i < count && used + 1 < size; i++) {
        char value[CN_ATTRIBUTE_VALUE_MAX + 3], owner[40] = "";
        if (cn_attribute_is_hidden(&rows[i])) {
            continue;
        }
        if (rows[i].owner.kind != CN_OWNER_WORLD) {
            snprintf(owner, sizeof(owner), "%s %" PRIu64 " ",
                rows[i].owner.kind == CN_OWNER_BODY ? "body" : "session", rows[i].owner.id);
        }
        print_value(&rows[i].value, value, sizeof(value));
        int more = snprintf(line + used, size - used, "%s%s%s %s", used > 0 ? ", " : "", owner,
            rows[i].name, value);
        used += more > 0 ? (size_t)more : 0;
    }
}
