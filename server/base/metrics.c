#include "server/base/metrics.h"
#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct scale {
    double unit;
    int count;
    uint64_t bounds[SV_BOUNDS_MAX];
};

#define COUNT_OF(...) (int)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
static const struct scale scales[SV_SCALE_COUNT] = {
#define X(name, unit, ...) {unit, COUNT_OF(__VA_ARGS__), {__VA_ARGS__}},
    SV_SCALE_TABLE(X)
#undef X
};

void
sv_histogram_observe(struct sv_histogram *histogram, enum sv_scale scale, uint64_t value)
{
    CN_ASSERT(scale < SV_SCALE_COUNT);
    int i = 0;
    while (i < scales[scale].count && value > scales[scale].bounds[i]) {
        i++;
    }
    atomic_fetch_add_explicit(&histogram->counts[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum, value, memory_order_relaxed);
}

static void
print_number(
    FILE *out, const char *name, const char *type, const char *help, const _Atomic uint64_t *value)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type, name,
        atomic_load_explicit(value, memory_order_relaxed));
}

/* Prints a histogram.  The total is the sum of the read buckets, because other threads may add. */
static void
print_histogram(FILE *out, const char *name, enum sv_scale kind, const char *help,
    const struct sv_histogram *histogram)
{
    const struct scale *scale = &scales[kind];
    CN_ASSERT(scale->count <= SV_BOUNDS_MAX);
    uint64_t total = 0;
    fprintf(out, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name);
    for (int i = 0; i < scale->count; i++) {
        total += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        fprintf(out, "%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name,
            (double)scale->bounds[i] * scale->unit, total);
    }
    total += atomic_load_explicit(&histogram->counts[scale->count], memory_order_relaxed);
    double sum = (double)atomic_load_explicit(&histogram->sum, memory_order_relaxed) * scale->unit;
    fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.15g\n%s_count %" PRIu64 "\n", name,
        total, name, sum, name, total);
}

static void
print_rejected(FILE *out, const struct sv_metrics *metrics)
{
    static const char name[] = SV_REJECTED_METRIC;
    fprintf(out, "# HELP %s messages of sessions that were refused, by code\n# TYPE %s counter\n",
        name, name);
    for (int i = 0; i < WIRE_CODES; i++) {
        fprintf(out, "%s{code=\"%s\"} %" PRIu64 "\n", name, wire_code_name(i),
            atomic_load_explicit(&metrics->rejected[i], memory_order_relaxed));
    }
}

char *
sv_metrics_print(const struct sv_metrics *metrics)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
#define X(member, type, name, help) print_number(out, name, type, help, &metrics->member);
    SV_METRIC_TABLE(X)
#undef X
    print_rejected(out, metrics);
#define X(member, scale, name, help)                                                               \
    print_histogram(out, name, SV_SCALE_##scale, help, &metrics->member);
    SV_HISTOGRAM_TABLE(X)
#undef X
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
