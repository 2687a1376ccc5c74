#include "engine/base/defect.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum cn_status
cn_defect_set(
    struct cn_defect *defect, enum cn_status status, const char *path, const char *format, ...)
{
    if (defect == NULL) {
        return status;
    }
    defect->status = status;
    snprintf(defect->path, sizeof(defect->path), "%s", path);
    va_list list;
    va_start(list, format);
    vsnprintf(defect->text, sizeof(defect->text), format, list);
    va_end(list);
    return status;
}

void
cn_defect_prefix(struct cn_defect *defect, const char *format, ...)
{
    if (defect == NULL) {
        return;
    }
    char prefix[CN_DEFECT_PATH_SIZE], tail[CN_DEFECT_PATH_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(prefix, sizeof(prefix), format, list);
    va_end(list);
    memcpy(tail, defect->path, sizeof(tail));
    size_t length = strlen(prefix);
    memcpy(defect->path, prefix, length);
    snprintf(defect->path + length, sizeof(defect->path) - length, "%s", tail);
}
