#include "proto/wire.h"
#include "engine/base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
wire_error_set(
    struct wire_error *error, const char *code, const char *path, const char *format, ...)
{
    CN_ASSERT(strlen(code) < sizeof(error->code));
    memset(error, 0, sizeof(*error));
    snprintf(error->code, sizeof(error->code), "%s", code);
    snprintf(error->path, sizeof(error->path), "%s", path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
}

void
wire_error_from_defect(struct wire_error *error, const struct cn_defect *defect)
{
    wire_error_set(error, cn_status_name(defect->status), defect->path, "%s", defect->text);
}

void
wire_error_prefix(struct wire_error *error, const char *prefix)
{
    char tail[CN_DEFECT_PATH_SIZE];
    if (error->path[0] != '\0') {
        memcpy(tail, error->path, sizeof(tail));
        snprintf(error->path, sizeof(error->path), "%s%.*s", prefix,
            (int)(sizeof(tail) - 1 - strlen(prefix)), tail);
    }
}

int
wire_code_http_status(const char *code)
{
    static const struct {
        const char *name;
        int status;
    } codes[] = {
#define X(name, status, text) {#name, status},
        WIRE_CODE_TABLE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (strcmp(codes[i].name, code) == 0) {
            return codes[i].status;
        }
    }
    return strcmp(code, "MEMORY") == 0 ? 500 : 400;
}

static const char *const code_names[WIRE_CODES] = {
#define X(name, ...) #name,
    WIRE_CODE_TABLE(X) CN_STATUS_TABLE(X)
#undef X
    "OTHER"};

int
wire_code_index(const char *code)
{
    int i = 0;
    while (i < WIRE_CODES - 1 && strcmp(code_names[i], code) != 0) {
        i++;
    }
    CN_ASSERT(i < WIRE_CODES);
    return i;
}

const char *
wire_code_name(int index)
{
    CN_ASSERT(index >= 0 && index < WIRE_CODES);
    return code_names[index];
}

bool
wire_name_is_id(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_.");
    return length > 0 && length < WIRE_NAME_SIZE && name[length] == '\0' && name[0] != '.';
}

void
wire_source_finish(struct wire_source *source)
{
    free(source->scene_bytes);
    source->scene_bytes = NULL;
}

bool
wire_settings_have_propagation(const struct wire_settings *settings)
{
    bool any = false;
#define X(member, name, least, most, usual, text) any = any || settings->has_propagation.member;
    CN_PROPAGATION_TABLE(X)
#undef X
    return any;
}

void
wire_settings_set_propagation(
    const struct wire_settings *from, struct cn_propagation_settings *to)
{
#define X(member, name, least, most, usual, text)                                                  \
    if (from->has_propagation.member) {                                                            \
        to->member = from->propagation.member;                                                     \
    }
    CN_PROPAGATION_TABLE(X)
#undef X
}
