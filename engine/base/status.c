#include "engine/base/status.h"

#include <stddef.h>

static const struct {
    const char *name;
    const char *text;
} rows[] = {
#define X(name, text) {#name, text},
    CN_STATUS_TABLE(X)
#undef X
};

const char *
cn_status_text(enum cn_status status)
{
    return (size_t)status < sizeof(rows) / sizeof(rows[0]) ? rows[status].text : "unknown status";
}

const char *
cn_status_name(enum cn_status status)
{
    return (size_t)status < sizeof(rows) / sizeof(rows[0]) ? rows[status].name : "UNKNOWN_STATUS";
}
