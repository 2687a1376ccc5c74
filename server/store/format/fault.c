#include "server/store/format/fault.h"
#include "engine/base/assert.h"

#include <stdarg.h>
#include <stdio.h>

const char *
sv_fault_name(enum sv_fault_kind kind)
{
    static const char *const names[] = {
#define X(NAME, name, exit_code) name,
        SV_FAULT_TABLE(X)
#undef X
    };
    CN_ASSERT((size_t)kind < sizeof(names) / sizeof(names[0]));
    return names[kind];
}

int
sv_fault_exit_code(enum sv_fault_kind kind)
{
    static const int codes[] = {
#define X(NAME, name, exit_code) exit_code,
        SV_FAULT_TABLE(X)
#undef X
    };
    CN_ASSERT((size_t)kind < sizeof(codes) / sizeof(codes[0]));
    return codes[kind];
}

bool
sv_fault_set(struct sv_fault *fault, enum sv_fault_kind kind, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(fault->text, sizeof(fault->text), "%s: ", sv_fault_name(kind));
    fault->kind = kind;
    va_start(arguments, format);
    vsnprintf(fault->text + used, sizeof(fault->text) - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

bool
sv_fault_set_disk(struct sv_fault *fault, enum sv_disk_result result, const char *path)
{
    enum sv_fault_kind kind = result == SV_DISK_MISSING ? SV_FAULT_MISSING
        : result == SV_DISK_FULL                        ? SV_FAULT_FULL
        : result == SV_DISK_DENIED                      ? SV_FAULT_READ_ONLY
        : result == SV_DISK_FILES                       ? SV_FAULT_FILES
        : result == SV_DISK_MEMORY                      ? SV_FAULT_MEMORY
                                                        : SV_FAULT_IO;
    return sv_fault_set(fault, kind, "%s: %s", path, sv_disk_text(result));
}
