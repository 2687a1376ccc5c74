#include "server/base/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *
sv_metrics_print(const struct sv_metrics *metrics)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
#define X(member, type, name, help)                                                                \
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type, name,     \
        atomic_load_explicit(&metrics->member, memory_order_relaxed));
    SV_METRIC_TABLE(X)
#undef X
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
